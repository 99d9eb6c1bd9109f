r"""What one launch of a kernel moves and computes, from its loops and indices alone.

Iterations and operations are counted exactly. What a warp's access touches (lines, sectors) is found by walking a few
blocks of the launch, a few windows of their loops each, and holds for all:

.. math:: V_{L2} = 32 \sum_{a} n_a \frac{S_a}{A_a}, \qquad V_{least} = \sum_x \min(r_x, 32 s_x)

n_a : accesses of all threads to array reference a. A_a, S_a : 1, accesses of the walked threads, and the distinct
32-byte sectors among those that a block makes while L1 can hold them; stores are not merged. r_x : B, from the first to
the last element of array x that the launch touches. s_x : 1, sectors asked of L2 for it.

Reason: L1 serves what a block asks again soon, and nothing else; a cache of any size needs every byte once.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from roofcast.core.resource import Resource
from roofcast.formulas.values import combine
from roofcast.hulls.bounds import ELEMENT_TYPES
from roofcast.hulls.source.c_text import COMMENT
from roofcast.hulls.source.counting import count_iterations
from roofcast.hulls.source.nest import Access, Affine, Loop, Routine, Statement, find_extreme

WARP, LINE_BYTES, SECTOR_BYTES = 32, 128, 32
SAMPLED_BLOCKS = (0.12, 0.5, 0.77)
"""Places in the grid of the blocks that are walked."""
WINDOW, OUTER = 64, 4
"""Turns of an innermost loop that are walked in a row, and turns of each loop around it."""
L1_BYTES = 96 * 1024
"""What L1 holds of the data of the blocks on an SM: between Turing's 64 KiB and Hopper's 228 KiB less shared memory."""
SM_THREADS = 2048
UNROLLED = 4
"""Turns of a loop that compilers overlap where no store may change what is loaded (nvcc's default)."""
SHARED_BY_MANY = 4.0
"""Reads of each byte by blocks beyond which it is no halo."""
GRID = ("gridIdx.", "blockIdx.", "threadIdx.")

Ints = NDArray[np.int64]


@dataclass
class CodeAmounts:
    """Amounts of one launch; the grid is inside."""

    flops: dict[Resource, float] = field(default_factory=lambda: defaultdict(float))
    bytes_l1: float = 0.0
    """Of the 32-byte sectors that each warp's access touches."""
    lines_l1: float = 0.0
    """128-byte lines that warps ask L1 for, one a clock of an SM."""
    bytes_l2: float = 0.0
    bytes_read: float = 0.0
    bytes_written: float = 0.0
    """At least, of DRAM."""
    accesses: float = 0.0
    """Loads and stores of warps."""
    bytes_read_again: float = 0.0
    """Reads of L2 beyond the first of each byte, of arrays that most blocks read: neighbours share at the same time."""
    steps: float = 0.0
    """Loads that one thread waits for in turn; turns of a loop overlap as far as no store forbids."""
    steps_beyond_l1: float = 0.0
    """Those of them in which a block touches sectors for the first time."""
    steps_new: float = 0.0
    """Those of them in which the launch does."""
    addresses: float = 0.0
    """Elements that atomics update."""
    turns: float = 0.0
    """Turns of all loops of all warps."""
    atomics: float = 0.0
    """Updates of elements that several threads update; a warp's updates of one element are one."""
    scattered: bool = False
    """Whether data choose some addresses."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One array reference of a statement, as a byte address."""

    array: str
    index: Affine
    """Element."""
    element_bytes: int
    stores: bool
    scattered: bool
    statements: tuple[Statement, ...]
    """Those that make the access: branches of one loop make it once."""

    @property
    def statement(self) -> Statement:
        """One of them."""
        return self.statements[0]


def split_loops(statement: Statement) -> tuple[list[Loop], list[Loop]]:
    """Loops over the grid, and the loops of a thread."""
    grid = [x for x in statement.loops if x.name.startswith(GRID)]
    return grid, [x for x in statement.loops if not x.name.startswith(GRID)]


def flatten_index(access: Access, shape: Sequence[int]) -> Affine:
    """The element's place in memory, row after row."""
    place = Affine()
    for at, index in enumerate(access.indices):
        stride = math.prod(max(1, n) for n in shape[at + 1 :]) if at + 1 < len(access.indices) else 1
        place = place + index.times(stride)
    return place


def list_references(routine: Routine, statement: Statement, private: frozenset[str]) -> Iterator[Reference]:
    """Array elements in memory that a statement reads and writes, each once."""
    seen = set[tuple[object, ...]]()
    pairs = [(a, False) for a in statement.reads] + [(statement.target, True)]
    for access, stores in pairs:
        if access.array in private or not (access.indices or access.scattered):
            continue
        key = access.array, access.indices, stores, access.scattered
        if key in seen:
            continue
        seen.add(key)
        size = ELEMENT_TYPES.get(routine.types.get(access.array, ""), (4, None))[0]
        place = flatten_index(access, routine.shapes.get(access.array, ()))
        yield Reference(access.array, place, size, stores, access.scattered, (statement,))


def measure_code(
    routine: Routine, launch: Mapping[str, int], private: frozenset[str] = frozenset(), restricted: bool = False
) -> CodeAmounts:
    """Amounts of one launch of a kernel.

    launch : gridDim and blockDim. private : arrays that live in registers or shared memory. restricted : whether the
    code promises that what it stores is not what it loads.
    """
    found = CodeAmounts()
    block = [launch.get(f"blockDim.{a}", 1) for a in "xyz"]
    grid = [launch.get(f"gridDim.{a}", 1) for a in "xyz"]
    groups: dict[tuple[str, ...], list[Reference]] = defaultdict(list)
    extents: dict[str, tuple[int, int, int]] = {}
    per_array: dict[tuple[str, bool], float] = defaultdict(float)
    for statement in routine.statements:
        times = count_iterations(statement.loops) * statement.share * count_copies(statement, grid, block)
        kind = find_kind(routine, statement)
        found.flops[kind] += statement.operations * times
        inner = tuple(x.name for x in split_loops(statement)[1])
        for reference in list_references(routine, statement, private):
            widen_extent(extents, reference)
            if not reference.stores and stays_in_register(reference):
                continue
            same = next((k for k, r in enumerate(groups[inner]) if is_same(reference, r)), None)
            if same is None:
                groups[inner].append(reference)
            else:
                merged = groups[inner][same]
                groups[inner][same] = replace(merged, statements=(*merged.statements, *reference.statements))
    for inner, references in groups.items():
        if not references:
            continue
        add_group(found, inner, references, grid, block, restricted, per_array, extents)
    add_dram(found, routine, per_array, extents)
    return found


def add_dram(
    found: CodeAmounts, routine: Routine, per_array: Mapping[tuple[str, bool], float],
    extents: Mapping[str, tuple[int, int, int]],
) -> None:  # fmt: skip
    """Bytes of DRAM at least: of each array as far as it is touched, and no more than is asked of L2."""
    for stores in (False, True):
        for array in sorted({a for a, s in per_array if s is stores}):
            low, high, size = extents.get(array, (0, -1, 1))
            reach = float((high - low + 1) * size) if high >= low else math.inf
            if not math.isfinite(reach):
                # Nothing says how far data-dependent addresses reach: as many elements as accesses, or as allocated.
                own = ELEMENT_TYPES.get(routine.types.get(array, ""), (4,))[0]
                reach = float(routine.allocated.get(array, per_array[array, stores] / SECTOR_BYTES) * own)
            amount = min(reach, per_array[array, stores])
            if stores:
                found.bytes_written += amount
            else:
                found.bytes_read += amount
                asked_l2 = per_array[array, False]
                found.bytes_read_again += asked_l2 - amount if asked_l2 > SHARED_BY_MANY * amount else 0.0


def find_kind(routine: Routine, statement: Statement) -> Resource:
    """What computes a statement: by the type of what it writes, else of what it reads."""
    names = [statement.target.array, *(a.array for a in statement.reads)]
    types = [routine.types[n] for n in names if n in routine.types]
    order = [t for t in ("fp64", "fp32") if t in types] or types or ["fp32"]
    return ELEMENT_TYPES.get(order[0], ELEMENT_TYPES["fp32"])[1]


def count_copies(statement: Statement, grid: Sequence[int], block: Sequence[int]) -> int:
    """Threads that do the same because their index along an axis is not used."""
    names = {x.name.split("#")[0] for x in split_loops(statement)[0]}
    copies = 1
    for at, axis in enumerate("xyz"):
        if f"gridIdx.{axis}" in names:
            continue
        copies *= (1 if f"blockIdx.{axis}" in names else grid[at]) * (1 if f"threadIdx.{axis}" in names else block[at])
    return copies


def is_same(a: Reference, b: Reference) -> bool:
    """Whether two references of one loop are one access of the compiled code."""
    return not a.scattered and (a.array, a.index, a.stores, a.scattered) == (b.array, b.index, b.stores, b.scattered)


def stays_in_register(reference: Reference) -> bool:
    """Whether a read is of the element that the turn before wrote: compilers keep it, though they may store it."""
    statement, inner = reference.statement, split_loops(reference.statement)[1]
    target = statement.target
    own = statement.updates and reference.array == target.array and not target.scattered
    return bool(own and inner and not {v for i in target.indices for v in i.variables} & {inner[-1].name})


def is_atomic(reference: Reference) -> bool:
    """Whether threads update an element together: its place does not name every thread."""
    statement = reference.statement
    if not statement.updates or reference.array != statement.target.array:
        return False
    grid = {x.name for x in split_loops(statement)[0]}
    return reference.scattered or not grid <= reference.index.variables


def widen_extent(extents: dict[str, tuple[int, int, int]], reference: Reference) -> None:
    """The first and last element of an array that are touched; data-dependent ones have none."""
    if reference.scattered:
        return
    low, high = (find_extreme(reference.index, reference.statement.loops, up) for up in (False, True))
    if low.variables or high.variables:
        return
    old = extents.get(reference.array, (low.constant, high.constant, reference.element_bytes))
    extents[reference.array] = min(old[0], low.constant), max(old[1], high.constant), reference.element_bytes


def add_group(
    found: CodeAmounts, inner: tuple[str, ...], references: Sequence[Reference], grid: Sequence[int],
    block: Sequence[int], restricted: bool, per_array: dict[tuple[str, bool], float],
    extents: Mapping[str, tuple[int, int, int]],
) -> None:  # fmt: skip
    """What references inside the same loops of a thread move, by walking a few blocks."""
    if not references:
        return
    sampled = [Walk(references, coordinates, block) for coordinates in pick_blocks(grid)]
    loads = [r for r in references if not r.stores and not is_atomic(r)]
    for at, reference in enumerate(references):
        lanes, separate = (sum(v) for v in zip(*(w.lanes[at] for w in sampled), strict=True))
        if lanes <= 0:
            continue
        counted = sum(
            count_iterations(s.loops) * s.share * count_copies(s, grid, block) for s in reference.statements
        )  # fmt: skip
        scale = counted / separate
        asked = scale * sum(w.asked[at] for w in sampled)
        if is_atomic(reference):
            # The reads of the old values are L2's own.
            found.atomics += asked if reference.stores else 0.0
            found.addresses += count_elements(reference) if reference.stores else 0.0
            found.accesses += scale * sum(w.warps[at] for w in sampled)
            per_array[reference.array, reference.stores] += SECTOR_BYTES * asked
            continue
        found.bytes_l1 += SECTOR_BYTES * asked
        found.lines_l1 += scale * sum(w.lines[at] for w in sampled)
        found.accesses += scale * sum(w.warps[at] for w in sampled)
        sectors = SECTOR_BYTES * scale * sum(w.sectors[at] for w in sampled)
        found.bytes_l2 += sectors
        per_array[reference.array, reference.stores] += sectors
        found.scattered |= reference.scattered
    turns = max(w.turns for w in sampled)
    found.turns += sum(w.warp_turns for w in sampled) / len(sampled) * math.prod(grid)
    if loads:
        stores = inner and any(r.stores and not is_atomic(r) for r in references)
        overlap = 1.0 if (stores and not restricted) or not inner else float(min(UNROLLED, max(1.0, turns)))
        steps = turns / overlap
        # The slowest load of a turn decides.
        missed = [max((w.fresh[references.index(r)] for w in sampled), default=1.0) for r in loads]
        first = [1.0 if r.scattered else reuse_of(r, references, sampled, grid, extents) for r in loads]
        found.steps += steps
        found.steps_beyond_l1 += steps * max(missed)
        found.steps_new += steps * max(m * f for m, f in zip(missed, first, strict=True))


def reuse_of(
    reference: Reference, references: Sequence[Reference], sampled: Sequence[Walk], grid: Sequence[int],
    extents: Mapping[str, tuple[int, int, int]],
) -> float:  # fmt: skip
    """Share of an array's sectors that a block is the first to ask for: its bytes over all that blocks ask for."""
    low, high, size = extents.get(reference.array, (0, 0, 1))
    at = [k for k, r in enumerate(references) if r.array == reference.array and not r.stores]
    asked = SECTOR_BYTES * sum(w.sectors[k] for w in sampled for k in at) / len(sampled) * math.prod(grid)
    return min(1.0, (high - low + 1) * size / asked) if asked > 0 else 1.0


def count_elements(reference: Reference) -> float:
    """Elements that a reference reaches; 1 for one that no counter moves."""
    if reference.scattered:
        return 1.0
    loops = reference.statement.loops
    low, high = (find_extreme(reference.index, loops, up) for up in (False, True))
    return float(max(1, high.constant - low.constant + 1))


def pick_blocks(grid: Sequence[int]) -> list[tuple[int, int, int]]:
    """Coordinates of the blocks that are walked."""
    picked = {(int(f * grid[0]), int(f * grid[1]), int(f * grid[2])) for f in SAMPLED_BLOCKS}
    return sorted(picked)


class Walk:
    """One block's accesses, warp by warp."""

    def __init__(self, references: Sequence[Reference], at: tuple[int, int, int], block: Sequence[int]) -> None:
        threads = math.prod(block)
        padded = -(-threads // WARP) * WARP
        lane = np.arange(padded, dtype=np.int64)
        self.exists = lane < threads
        coordinates = (lane % block[0], lane // block[0] % block[1], lane // (block[0] * block[1]))
        self.values: dict[str, Ints] = {}
        for k, axis in enumerate("xyz"):
            self.values[f"threadIdx.{axis}"] = coordinates[k]
            self.values[f"blockIdx.{axis}"] = np.full(padded, at[k], dtype=np.int64)
            self.values[f"gridIdx.{axis}"] = at[k] * block[k] + coordinates[k]
        n = len(references)
        self.warps, self.lines, self.asked, self.sectors = ([0.0] * n for _ in range(4))
        self.fresh = [1.0] * n
        """Share of a reference's turns in which the block touches sectors that it had not touched."""
        self.lanes = [(0.0, 0.0)] * n
        """Accesses of each reference: once for all its statements, and summed over them."""
        self.turns, self.warp_turns = 0.0, 0.0
        room = L1_BYTES / max(1, SM_THREADS // padded)
        for weight, points in self.list_windows(references[0].statement):
            self.walk_window(references, weight, points, room)

    def get(self, name: str) -> Ints:
        """Values of a counter of the grid, one a thread."""
        return self.values[name.split("#", maxsplit=1)[0]]

    def evaluate(self, value: Affine, point: Mapping[str, int | Ints]) -> Ints:
        """An expression, one value a thread."""
        found = np.full(len(self.exists), value.constant, dtype=np.int64)
        for name, factor in value.factors:
            if name in point:
                found += factor * point[name]
            elif name.startswith(GRID):
                found += factor * self.get(name)
        return found

    def find_active(self, statement: Statement, point: Mapping[str, int | Ints]) -> NDArray[np.bool_]:
        """Threads that run a statement: all counters are inside of their loops, remainders are as asked."""
        active = self.exists.copy()
        for value, modulus, remainder, equal in statement.congruences:
            active &= (self.evaluate(value, point) % modulus == remainder) == equal
        for loop in statement.loops:
            own = self.evaluate(Affine.of({loop.name: 1}), point)
            for bound in loop.first:
                active &= own >= self.evaluate(bound, point)
            for bound in loop.last:
                active &= own <= self.evaluate(bound, point)
        return active

    def find_range(self, loop: Loop, point: Mapping[str, int | Ints]) -> range:
        """Turns of a loop that any thread of the block takes."""
        first = combine(np.maximum, [self.evaluate(b, point) for b in loop.first])[self.exists]
        last = combine(np.minimum, [self.evaluate(b, point) for b in loop.last])[self.exists]
        if self.is_shared(loop, point):
            return range(0, int((last - first).max()) + 1, loop.step)
        return range(int(first.min()), int(last.max()) + 1, loop.step)

    def is_shared(self, loop: Loop, point: Mapping[str, int | Ints]) -> bool:
        """Whether threads share the turns of a loop: ``for (i = threadIdx.x; i < n; i += blockDim.x)``."""
        first = combine(np.maximum, [self.evaluate(b, point) for b in loop.first])[self.exists]
        return loop.step > 1 and bool(first.min() < first.max())

    def enter(self, loop: Loop, turn: int, point: Mapping[str, int | Ints]) -> dict[str, int | Ints]:
        """A point in one turn of a further loop; where threads share its turns each has its own counter."""
        if not self.is_shared(loop, point):
            return {**point, loop.name: turn}
        return {**point, loop.name: combine(np.maximum, [self.evaluate(b, point) for b in loop.first]) + turn}

    def list_windows(self, statement: Statement) -> Iterator[tuple[float, list[dict[str, int | Ints]]]]:
        """Turns of the thread's loops that follow each other, and how many such windows each stands for."""
        inner = split_loops(statement)[1]
        if not inner:
            yield 1.0, [{}]
            return
        whole = list(self.enumerate_all(inner, {}))
        if len(whole) <= 2 * WINDOW:
            if whole:
                yield 1.0, whole
            return
        yield from self.sample(inner, {}, 1.0)

    def enumerate_all(self, loops: Sequence[Loop], point: dict[str, int | Ints]) -> Iterator[dict[str, int | Ints]]:
        """All turns, until there are too many."""
        if not loops:
            yield point
            return
        count = 0
        for value in self.find_range(loops[0], point):
            for inside in self.enumerate_all(loops[1:], self.enter(loops[0], value, point)):
                yield inside
                count += 1
                if count > 2 * WINDOW:
                    return

    def sample(
        self, loops: Sequence[Loop], point: dict[str, int | Ints], weight: float
    ) -> Iterator[tuple[float, list[dict[str, int | Ints]]]]:
        """A few turns of the outer loops; of the innermost one a window in its middle."""
        turns = self.find_range(loops[0], point)
        if not len(turns):
            return
        if len(loops) == 1:
            size = min(WINDOW, len(turns))
            start = (len(turns) - size) // 2
            yield weight * len(turns) / size, [self.enter(loops[0], v, point) for v in turns[start : start + size]]
            return
        picked = [turns[int((k + 0.5) * len(turns) / OUTER)] for k in range(OUTER)] if len(turns) > OUTER else turns
        for value in picked:
            yield from self.sample(loops[1:], self.enter(loops[0], value, point), weight * len(turns) / len(picked))

    def walk_window(
        self, references: Sequence[Reference], weight: float, points: list[dict[str, int | Ints]], room: float
    ) -> None:
        """Add the accesses of some turns; fewer of them at a time where L1 does not hold what they touch."""
        touched = [self.touch(r, points) for r in references]
        while len(points) > 1 and count_bytes(touched, references) > room:
            half = len(points) // 2
            weight *= len(points) / half
            points = points[:half]
            touched = [(a[:half], m[:half]) for a, m in touched]
        arrays = [r.array for r in references]
        active = np.zeros_like(touched[0][1])
        for _, mask in touched:
            active |= mask
        self.turns += weight * float(active.sum(axis=0).max())
        self.warp_turns += weight * float(active.reshape(len(points), -1, WARP).any(axis=2).sum())
        merged: dict[str, float] = {}
        for array in set(arrays):
            parts = [(a >> 5)[m] for (a, m), r in zip(touched, references, strict=True)
                     if r.array == array and not r.stores and not r.scattered]  # fmt: skip
            if parts:
                loads = sum(len(p) for p in parts)
                merged[array] = len(np.unique(np.concatenate(parts))) / loads if loads else 0.0
        for k, ((address, mask), reference) in enumerate(zip(touched, references, strict=True)):
            lanes = float(mask.sum())
            single = sum(float(self.find_active(s, p).sum()) for s in reference.statements for p in points)
            self.lanes[k] = (self.lanes[k][0] + weight * lanes, self.lanes[k][1] + weight * single)
            warps = mask.reshape(len(points), -1, WARP)
            self.warps[k] += weight * float(warps.any(axis=2).sum())
            if reference.scattered:
                self.lines[k] += weight * lanes
                self.asked[k] += weight * lanes
                self.sectors[k] += weight * lanes
                continue
            self.lines[k] += weight * count_distinct(address >> 7, mask)
            asked = count_distinct(address >> 5, mask)
            self.asked[k] += weight * asked
            self.sectors[k] += weight * (asked if reference.stores else merged[reference.array] * lanes)
            turns_touched = sum(len(np.unique((a >> 5)[m])) for a, m in zip(address, mask, strict=True))
            self.fresh[k] = len(np.unique((address >> 5)[mask])) / max(1, turns_touched)

    def touch(self, reference: Reference, points: Sequence[Mapping[str, int | Ints]]) -> tuple[Ints, NDArray[np.bool_]]:
        """(turns, threads) byte address, and whether the thread makes the access."""
        address = np.stack([self.evaluate(reference.index, p) for p in points]) * reference.element_bytes
        masks = [np.stack([self.find_active(s, p) for p in points]) for s in reference.statements]
        return address, combine(np.logical_or, masks)


def count_bytes(touched: Sequence[tuple[Ints, NDArray[np.bool_]]], references: Sequence[Reference]) -> float:
    """Bytes of the distinct sectors that are read."""
    total = 0
    for array in {r.array for r in references if not r.stores}:
        parts = [(a >> 5)[m] for (a, m), r in zip(touched, references, strict=True) if r.array == array]
        total += len(np.unique(np.concatenate(parts))) * SECTOR_BYTES
    return float(total)


def count_distinct(places: Ints, mask: NDArray[np.bool_]) -> float:
    """Distinct places of each warp and turn, summed."""
    turns = len(places)
    own = np.where(mask, places, -1).reshape(turns, -1, WARP)
    ordered = np.sort(own, axis=2)
    new = np.ones(ordered.shape, dtype=bool)
    new[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    return float((new & (ordered >= 0)).sum())


CALLS: dict[str, tuple[float, float]] = {
    "div": (8.0, 18.0), "sqrt": (8.0, 18.0), "rsqrt": (4.0, 14.0), "exp": (6.0, 30.0), "log": (8.0, 40.0),
    "sin": (16.0, 50.0), "cos": (16.0, 50.0), "tanh": (16.0, 60.0), "erf": (16.0, 60.0), "pow": (30.0, 100.0),
}  # fmt: skip
"""Operations beyond the one that is counted of a division or a call in FP32 and in FP64: what NVIDIA's compiler makes
of them without fast mathematics, rounded."""
CALL = re.compile(r"\b(?:std::)?(rsqrt|sqrt|exp|exp2|expm1|log|log2|log1p|sin|cos|tanh|erf|erfc|pow)f?\s*\(")


def add_calls(found: CodeAmounts, routine: Routine, launch: Mapping[str, int], text: str) -> None:
    """Add what divisions and functions take beyond one operation, by the source lines of the statements."""
    lines = COMMENT.sub(lambda m: "\n" * m[0].count("\n") if m[0][0] == "/" else m[0], text).split("\n")
    block, grid = ([launch.get(f"{n}.{a}", 1) for a in "xyz"] for n in ("blockDim", "gridDim"))
    done = set[int]()
    for statement in routine.statements:
        if not statement.operations or statement.line in done or statement.line > len(lines):
            continue
        done.add(statement.line)
        code = " ".join(lines[statement.line - 1 : statement.line + 3]).partition(";")[0]
        if re.match(r"\s*for\b", code):
            code = lines[statement.line - 1]
        names = [*CALL.findall(code), *["div"] * len(re.findall(r"/(?![/*=])", code))]
        kind = find_kind(routine, statement)
        if not names or kind not in (Resource.FLOPS_FP32, Resource.FLOPS_FP64):
            continue
        times = count_iterations(statement.loops) * statement.share * count_copies(statement, grid, block)
        each = sum(CALLS[KINDS_OF_CALLS.get(n, n)][kind is Resource.FLOPS_FP64] for n in names)
        found.flops[kind] += each * times


KINDS_OF_CALLS = {"exp2": "exp", "expm1": "exp", "log2": "log", "log1p": "log", "erfc": "erf"}
