"""Choosing entries to list: by segment, year and what is on sale."""

from __future__ import annotations

from collections.abc import Sequence

from roofcast.catalog.instances import instances
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.processor import Processor

SEGMENTS = ("datacentre", "workstation", "consumer", "mobile")
SOLD = frozenset(
    {
        *("sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_120", "sm_121", "sm_110", "sm_87"),
        *("gfx942", "gfx950", "gfx1100", "gfx1101", "gfx1102", "gfx1151", "gfx1200", "gfx1201"),
        *("xe-hpg", "xe2-hpg"),
    }
)
"""Architectures whose boards vendors or shops still sell (2026); older ones count where a cloud rents them."""
RENTED_SINCE = 2020


def select_current(
    processors: Sequence[Processor], segment: str | None, since: int | None, on_sale: bool
) -> list[Processor]:
    """Processors of a segment, launched since a year, that are sold or rented today.

    Raises
    ------
    RoofcastError : no such segment.
    """
    wanted = (segment or "").lower().replace("data center", "datacentre").replace("datacenter", "datacentre")
    if wanted and wanted not in SEGMENTS:
        raise RoofcastError(f"--segment {one_line(str(segment), 40)!r}: use {', '.join(SEGMENTS)}")
    rented = rented_keys() if on_sale else frozenset()

    def fits(p: Processor) -> bool:
        year = int(p.launch_date[:4]) if p.launch_date else 0
        sold = p.architecture in SOLD and year >= RENTED_SINCE
        of_segment = not wanted or p.segment == wanted
        return of_segment and (since is None or year >= since) and (not on_sale or sold or p.key in rented)

    return [p for p in processors if fits(p)]


def rented_keys() -> frozenset[str]:
    """Keys of the GPUs of cloud instances."""
    from roofcast.catalog.finding import find

    return frozenset(find(gpu).processor.key for gpu in {i.gpu for i in instances().values()})
