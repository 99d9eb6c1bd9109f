"""Hold the shares of lines and branches that tests reach to what they reached before.

    python -m coverage json -q -o - | python tools/coverage_floors.py

Prints the shares of the whole and of every room that has a floor; ends with 1 where one lies below. Who adds tests
raises the floor.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

WHOLE = "roofcast"
FLOORS = {WHOLE: (92, 84), "forecasting": (97, 92), "models": (99, 96)}
"""Room, or all of them -> per cent of its lines and of its branches, rounded down, that the quick tests alone reach
with all real files beside the checkout; ``make coverage`` runs the slow ones too."""
KINDS = {"lines": ("covered_lines", "num_statements"), "branches": ("covered_branches", "num_branches")}


def count_reached(files: Mapping[str, Any]) -> dict[tuple[str, str], tuple[int, int]]:
    """(room, ``lines`` or ``branches``) -> how many are reached, and all, from the files of ``coverage json``.

    A distribution beside core is a room.
    """
    found: dict[tuple[str, str], tuple[int, int]] = defaultdict(lambda: (0, 0))
    for file, told in files.items():
        parts = PurePath(file).parts
        package = max(i for i, part in enumerate(parts) if part == "src") + 1
        for room in (WHOLE, parts[package + (parts[package] == WHOLE)]):
            for kind, keys in KINDS.items():
                (reached, of), (more, all_) = found[room, kind], (told["summary"][k] for k in keys)
                found[room, kind] = (reached + more, of + all_)
    return dict(found)


def compare(files: Mapping[str, Any], floors: Mapping[str, tuple[int, int]]) -> list[str]:
    """Print rooms with floors; those below one of theirs, and those of which nothing was measured."""
    found, low = count_reached(files), []
    for room, least in floors.items():
        for kind, floor in zip(KINDS, least, strict=True):
            reached, of = found.get((room, kind), (0, 0))
            share = 100 * reached / max(of, 1)
            print(f"{room}: {share:.1f} % of {of} {kind} reached, floor {floor} %")
            if share < floor:
                low.append(f"{room} ({kind})")
    return low


def main() -> int:
    """Read ``coverage json`` from standard input."""
    low = compare(json.load(sys.stdin)["files"], FLOORS)
    if low:
        print(f"less reached than before: {', '.join(low)}. Test what was added, or say why a floor sinks")
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
