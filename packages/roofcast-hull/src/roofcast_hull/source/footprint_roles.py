r"""Which loads of an array are of one role: what a unit of work takes there lies in one pattern.

A step of an elimination takes its own element of a matrix, one of a row and one of a column. For two places of the code
that load elements e and f of one array, with lanes t of blocks b,

.. math:: D_b = \{f(t) - e(t)\},

their role is one where all blocks have the same D, few of them: neighbours, at borders too. Else they differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast_hull.emulated.origins import Origins

MOST_APART = 12
"""Distances between what two places of the code load that are of one role."""
MOST_ROLES = 4
"""Of an array."""

Ints = NDArray[np.int64]


def find_roles(origins: Origins) -> dict[int, str]:
    """Place in the code -> what the name of its array ends with; empty where no array has several roles."""
    sites: dict[str, dict[int, list[Ints]]] = {}
    for number, block in enumerate(origins.blocks):
        for chunk in block.chunks:
            if chunk.left is not None or not chunk.site:
                continue
            # Members of one structure are of one role.
            array = origins.find_base(chunk.array)
            mine = sites.setdefault(array, {}).setdefault(chunk.site, [])
            if chunk.chosen:
                # Data choose it: of no role.
                sites[array].pop(chunk.site)
            elif len(mine) == number:
                mine.append(np.asarray(chunk.elements, dtype=np.int64))
    roles: dict[int, str] = {}
    for loads in sites.values():
        whole = {s: e for s, e in loads.items() if len(e) == len(origins.blocks)}
        groups = group_loads(whole)
        if len(whole) == len(loads) and 1 < len(groups) <= MOST_ROLES:
            roles |= {s: f"#{k}" for k, group in enumerate(groups) for s in group}
    return roles


def group_loads(loads: Mapping[int, list[Ints]]) -> list[list[int]]:
    """Places of the code by their roles."""
    groups: list[list[int]] = []
    for site, elements in loads.items():
        group = next((g for g in groups if any(are_alike(loads[s], elements) for s in g)), None)
        if group is None:
            groups.append([site])
        else:
            group.append(site)
    return groups


def are_alike(first: list[Ints], second: list[Ints]) -> bool:
    """Whether two places load elements of one role, in each block."""
    apart: list[Any] = [np.unique(b - a) for a, b in zip(first, second, strict=True)]
    every = np.unique(np.concatenate(apart))
    return len(every) <= MOST_APART and all(2 * len(a) > len(every) for a in apart)
