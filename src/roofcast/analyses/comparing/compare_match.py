"""Which kernels of two profiles are the same: by name and geometry, else by name, in the order of their launches."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from roofcast.core.kernel_table import KernelTable
from roofcast.kit.names import compact_shape, full_name


@dataclass(frozen=True, slots=True)
class Group:
    """Launches of one kernel in both profiles; one side is empty where the other profile lacks the kernel."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    same_geometry: bool


def matched(before: KernelTable, after: KernelTable) -> list[Group]:
    """Groups in the order of the first profile, then what only the second has.

    Launches of one name and geometry form one group; what is left is grouped by name alone. A geometry that one
    side does not record (a saved forecast) fits any.
    """
    names = names_of(before), names_of(after)
    shapes = shapes_of(before), shapes_of(after)
    left = set(range(len(before))), set(range(len(after)))
    groups: list[Group] = []
    for same, key in ((True, lambda s, i: (names[s][i], shapes[s][i])), (False, lambda s, i: names[s][i])):
        groups += matched_by(left, key, same)
    groups += [Group((i,), (), False) for i in sorted(left[0])]
    groups = merged(groups, names[0], shapes[0])
    last = len(before)
    groups.sort(key=lambda g: g.before[0] if g.before else last + g.after[0])
    only_after: dict[tuple[str, str], list[int]] = {}
    for i in sorted(left[1]):
        only_after.setdefault((names[1][i], shapes[1][i]), []).append(i)
    return groups + [Group((), tuple(rows), False) for rows in only_after.values()]


def matched_by(
    left: tuple[set[int], set[int]], key: Callable[[int, int], Hashable], same_geometry: bool
) -> list[Group]:
    """Groups of the launches that share a key; they leave ``left``."""
    rows: dict[Hashable, tuple[list[int], list[int]]] = {}
    for side in (0, 1):
        for i in sorted(left[side]):
            rows.setdefault(key(side, i), ([], []))[side].append(i)
    found = [(tuple(a), tuple(b)) for a, b in rows.values() if a and b]
    for a, b in found:
        left[0].difference_update(a)
        left[1].difference_update(b)
    return [Group(a, b, same_geometry) for a, b in found]


def merged(groups: Sequence[Group], names: Sequence[str], shapes: Sequence[str]) -> list[Group]:
    """Launches that only the first profile has, one group per name and geometry."""
    kept = [g for g in groups if g.after]
    alone: dict[tuple[str, str], list[int]] = {}
    for group in groups:
        if not group.after:
            alone.setdefault((names[group.before[0]], shapes[group.before[0]]), []).append(group.before[0])
    return kept + [Group(tuple(rows), (), False) for rows in alone.values()]


def names_of(kernels: KernelTable) -> list[str]:
    """(n,) names without differences of spacing, with what distinguishes runs of a table."""
    mangled, config = kernels.strings("kernel_mangled"), kernels.strings("config")
    return [
        "".join(full_name(str(n), str(m)).split()) + (f"|{c}" if c else "")
        for n, m, c in zip(kernels.strings("kernel"), mangled, config, strict=True)
    ]


def shapes_of(kernels: KernelTable) -> list[str]:
    """(n,) grid and block; '' where not recorded."""
    grid, block = kernels.column("grid_blocks"), kernels.column("block_threads")
    recorded = kernels.strings("grid"), kernels.strings("block")
    shapes = []
    for i in range(len(kernels)):
        texts = [compact_shape(str(column[i])) for column in recorded]
        numbers = ["" if np.isnan(v[i]) else f"{v[i]:.0f}" for v in (grid, block)]
        parts = [t or n for t, n in zip(texts, numbers, strict=True)]
        shapes.append("·".join(parts) if any(parts) else "")
    return shapes
