"""Results that blocks of a launch store, and where these lie in the grid of its threads."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from roofcast_hull.emulated.origin_sets import Output
from roofcast_hull.emulated.value_types import Type
from roofcast_hull.notation import Pattern, parse_class
from roofcast_hull.source.footprint_counts import MOST_BORDER, NEAR, SAME, LaunchCounts, Unit
from roofcast_hull.source.footprint_rows import take_digits

MOST_ALIKE = 0.9
"""Share of the units that take alike, where no borders are."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fitted:
    """One array of a class, as text, with bytes of an element."""

    array: str
    text: str
    elements: int
    kind: Type

    def resize(self, number: int, rows: str) -> Fitted:
        """Of as many elements as there are places, but for a border, as many, in the rows of these."""
        near = self.text == f"{self.elements}|element" and 1 / MOST_BORDER <= self.elements / number <= 1 + SAME
        return replace(self, text=f"{rows}|element", elements=number) if near else self


class LaunchResults:
    """What blocks that ran store of some arrays. by_turn : whether results of several threads are never one unit."""

    def __init__(self, counts: LaunchCounts, outputs: Sequence[Sequence[Output]], *, by_turn: bool = False) -> None:
        self.counts, self.outputs, self.by_turn = counts, outputs, by_turn
        self.opened, self.amounts, self.origins, self.blocks = (
            counts.opened, counts.amounts, counts.origins, counts.blocks
        )  # fmt: skip
        self.ran = [k for k, outs in enumerate(outputs) if any(len(o.elements) for o in outs)]
        """Blocks that store some."""

    @staticmethod
    def find_places(units: Sequence[Unit], outputs: Sequence[Fitted]) -> Ints | None:
        """Where each unit is: the element that it writes, or its place among equal tiles; None for others."""
        several = []
        for f in outputs:
            firsts = np.array([u.outputs[f.array][0] for u in units], dtype=np.int64)
            part = parse_class(f"void -> {f.text}").outputs[0]
            if part.pattern is Pattern.TILE:
                digits = take_digits(firsts, part.sizes)
                several.append(np.zeros_like(firsts))
                for digit, size, extent in zip(digits, part.sizes, part.extent, strict=True):
                    several[-1] = several[-1] * (size // extent) + digit // extent
            else:
                several.append(firsts)
        return several[0] if all((p == several[0]).all() for p in several) else None

    def find_strides(self) -> tuple[Ints, Ints]:
        """(3, results) places of threads along all axes that store the first array, and how far apart elements lie.

        Empty where a thread stores several, or elements do not lie strides apart.
        """
        block = [self.opened.sizes.get(f"blockDim.{a}", 1) for a in "xyz"]
        places, elements = list[Ints](), list[Ints]()
        nothing = np.zeros((3, 0), dtype=np.int64), np.zeros(3, dtype=np.int64)
        for k in self.ran:
            for o in self.outputs[k][:1]:
                if len(np.unique(o.lanes)) < len(o.lanes) or not len(o.elements):
                    return nothing
                places.append(self.place(o.lanes, k, block))
                elements.append(o.elements)
        every, written = np.concatenate(places, axis=1), np.concatenate(elements)
        matrix = np.concatenate([every, np.ones((1, every.shape[1]))]).T
        solved = np.linalg.lstsq(matrix.astype(np.float64), written.astype(np.float64), rcond=None)[0]
        strides = np.rint(solved[:3]).astype(np.int64)
        base = written - strides @ every
        return (every, strides) if (base == base[0]).all() else nothing

    def find_launch_rows(self) -> list[tuple[int, ...]]:
        """Sizes of all dimensions but the first of what is written, where threads along several axes say them."""
        every, strides = self.find_strides()
        used = sorted(s for s, p in zip(strides.tolist(), every, strict=True) if s > 0 and len(np.unique(p)) > 1)
        if len(used) < 2 or used[0] != 1 or any(b % a for a, b in pairwise(used)):
            return []
        return [tuple(b // a for a, b in reversed(list(pairwise(used))))]

    def spell_rows(self, part: Fitted) -> Fitted:
        """Single elements in the rows that threads along several axes say."""
        for rows in self.find_launch_rows() if part.text == f"{part.elements}|element" else ():
            long = part.elements // math.prod(rows)
            if long > 1 and long * math.prod(rows) == part.elements:
                return replace(part, text=f"{'x'.join(map(str, (long, *rows)))}|element")
        return part

    def find_holes(self) -> Ints:
        """Elements between others that no thread of a line of blocks stores: they lie at ends of rows."""
        along = [self.opened.sizes.get(f"{kind}.{a}", 1) for kind in ("gridDim", "blockDim") for a in "yz"]
        if max(along) > 1:
            return np.zeros(0, dtype=np.int64)
        threads, holes = self.opened.sizes.get("blockDim.x", 1), [np.zeros(0, dtype=np.int64)]
        for k in self.ran:
            for o in self.outputs[k][:1]:
                stored = np.unique(o.elements)
                if o.left_out:
                    continue
                # As many as a block has threads are elements of other blocks.
                starts = np.flatnonzero((np.diff(stored) > 1) & (np.diff(stored) <= threads))
                holes += [np.arange(stored[at] + 1, stored[at + 1]) for at in starts.tolist()]
        return np.concatenate(holes)

    def count_padded(self, total: Mapping[str, int]) -> dict[str, int]:
        """Elements that each array has, less those behind the ends of its rows, which no thread of a row stores."""
        every, _ = self.find_strides()
        grid = [self.opened.sizes.get(f"gridDim.{a}", 1) for a in "xyz"]
        ends = {(0, 0, 0), tuple(g - 1 for g in grid)}
        if not every.shape[1] or not ends <= {self.origins.blocks[k].at for k in self.ran} or every.min(axis=1).any():
            return dict(total)
        stored = math.prod((every.max(axis=1) + 1).tolist())
        return {a: stored if 1 - SAME < stored / n < 1 - NEAR else n for a, n in total.items()}

    def locate(self, units: Sequence[Unit]) -> tuple[Ints, list[int]] | None:
        """(3, units) places of the first threads that store results of units, and of how many along each axis.

        None where the last block did not run, or units store nothing of their own.
        """
        block = [self.opened.sizes.get(f"blockDim.{a}", 1) for a in "xyz"]
        grid = [self.opened.sizes.get(f"gridDim.{a}", 1) for a in "xyz"]
        if tuple(g - 1 for g in grid) not in {self.origins.blocks[k].at for k in self.ran}:
            return None
        lanes: dict[tuple[int, str], tuple[Ints, Ints]] = {}
        most = [0, 0, 0]
        for k in self.ran:
            for o in self.outputs[k]:
                order = np.argsort(o.elements)
                lanes[k, o.array] = o.elements[order], o.lanes[order]
                where = self.place(o.lanes, k, block)
                most = [max(m, int(w.max()) + 1) if len(w) else m for m, w in zip(most, where, strict=True)]
        if not all((u.block, a) in lanes for u in units for a in u.outputs):
            return None
        places = []
        for u in units:
            mine = []
            for array, elements in u.outputs.items():
                stored, by = lanes[u.block, array]
                mine.append(by[np.searchsorted(stored, elements)])
            places.append(self.place(np.concatenate(mine), u.block, block).min(axis=1))
        return np.stack(places, axis=1), most

    def place(self, lanes: Ints, k: int, block: Sequence[int]) -> Ints:
        """(3, threads) places of the threads of a block that ran in the whole grid."""
        inside = lanes % block[0], lanes // block[0] % block[1], lanes // (block[0] * block[1])
        at = self.origins.blocks[k].at
        return np.stack([t + b * at[a] for a, (t, b) in enumerate(zip(inside, block, strict=True))])

    def count_of_thread(self) -> int:
        """Results of a thread, in one array."""
        lanes = [np.unique(o.lanes, return_counts=True)[1] for k in self.ran for o in self.outputs[k][:1]]
        return int(take_usual(np.concatenate(lanes).tolist()))


def take_usual(counts: Iterable[int]) -> float:
    """The most common of some numbers."""
    return float(Counter(counts).most_common(1)[0][0])
