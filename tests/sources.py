"""Where the code of this repository's distributions stands: core, and what joins it."""

from __future__ import annotations

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
CORE = CHECKOUT / "src" / "roofcast"
FURTHER = {p.parent.name: p.parent for p in sorted(CHECKOUT.glob("packages/*/src/*/__init__.py"))}
"""Import package -> folder, of each distribution beside core."""


def list_modules() -> dict[str, Path]:
    """Place -> file: ``core/errors.py`` of core, ``roofcast_hull/bounds.py`` of what joins it."""
    found = {p.relative_to(CORE).as_posix(): p for p in sorted(CORE.rglob("*.py"))}
    for name, folder in FURTHER.items():
        found |= {f"{name}/{p.relative_to(folder).as_posix()}": p for p in sorted(folder.rglob("*.py"))}
    return found
