"""What the page allows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that keep one visitor from exhausting the machine."""

    upload_bytes: int = 256 << 20
    memory_bytes: int = 6 << 30
    """Address space of the parsing worker."""
    parse_s: float = 60.0
    profiles: int = 24
    """Profiles kept; the one that was used longest ago goes first."""
    results: int = 24
    """Forecasts kept for downloads."""
    keep_s: float = 4 * 3600.0
    targets: int = 12
    json_bytes: int = 64 << 10
    parsing_at_once: int = 2
