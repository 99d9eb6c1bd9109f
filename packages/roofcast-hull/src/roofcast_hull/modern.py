"""The boat hull model for GPUs since 2014: caches, L1 re-use, sectors, atomics, launch.

Unlike the published form: data is counted from the class itself (inputs read once, outputs written once); what fits
into L2 stays there when a kernel runs again; neighbours come from L1; a scattered access moves a 32-byte sector; shared
outputs cost atomics; what is computed in stages passes each memory as often as it must; integer and index instructions
share issue slots with the operations; a launch takes its time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from roofcast.core.errors import RoofcastError
from roofcast.core.processor import Processor, Supply
from roofcast.core.resource import Resource
from roofcast_hull.boat_hull import miss_fraction
from roofcast_hull.bounds import MATRIX_PIPES, Bounds, Limit, Line, Settings
from roofcast_hull.classes import (
    Floor,
    Variables,
    count_stages,
    find_family,
    find_staged,
    is_product,
    neighbourhood_variables,
    tile_elements,
)
from roofcast_hull.notation import AlgorithmClass, Part, Pattern
from roofcast_hull.published import SECTOR_BYTES, dram_rate, transfer_times, uncoalesced_rate

LOADS_IN_FLIGHT = 4
"""Loads that a thread has under way: what compilers unroll."""
SHARED_ATOMICS_PER_CLK = 32.0
"""Per SM, no two of a warp on one address: a warp instruction in each clock (260 G/s on an H100: 0.994 per SM)."""
L2_ATOMICS_PER_CLK = 0.42
"""Per SM, each in a sector of its own: measured on public profiles."""
L2_ATOMICS_CONTENDED_PER_CLK = 0.15
"""Per SM, a few hundred addresses: histograms of 256 bins in L2 reach 0.14 to 0.19 on three GPUs of public data."""
PACKED, PACKED_BYTES = 2, 2
"""Elements of two bytes that one instruction computes."""
BLOCK_THREADS = 256
"""Threads of a block where the class says none."""
OFFSET_BLOCKED = 16.0
"""Operations per unit beside its function, where code keeps a block of a tile in registers."""
BLOCK_LARGEST = 256
"""Rows and columns of the largest tile that a block of threads computes of a matrix product."""
BLOCK_RUN = 1024
"""Elements; runs of so many are computed by one block of threads in shared memory, whoever writes the code."""
BIN_BYTES = 4
"""B of a bin of a histogram."""
READ_ONLY_SHARE = 0.1
"""Outputs below this share of all data: the kernel streams at the read bandwidth."""


@dataclass(frozen=True, slots=True)
class Case:
    """A class, its variables and what the lines need of the processor."""

    found: AlgorithmClass
    variables: Variables
    processor: Processor
    settings: Settings
    units: float

    def offset_ops(self, *, blocked: bool) -> float:
        """o, operations of a unit beside its function: per element of a tile, or per tile where code blocks.

        Code that keeps a block of a tile in registers and shared memory spends its index arithmetic and its loads per
        block: 16 operations per unit, as a class of single elements has.
        """
        if self.settings.offset_ops is not None:
            return self.settings.offset_ops
        return min(self.variables.offset_ops, OFFSET_BLOCKED) if blocked else self.variables.offset_ops

    @property
    def bytes_moved(self) -> float:
        """Compulsory bytes: each element once; of a gathered array at most as many as are read."""
        gathered = [p for p in self.found.inputs if p.pattern is Pattern.GATHER]
        unread = sum(max(0.0, p.elements - self.units * (p.extent[0] if p.extent else 1)) for p in gathered)
        return (self.found.elements_in + self.found.elements_out - unread) * self.settings.element_bytes

    @property
    def clocks(self) -> float:
        """SM clocks per second, over all SMs."""
        return self.processor.clock_hz_boost * self.processor.sm_count

    @property
    def sector_bytes(self) -> float:
        """Bytes that a scattered access moves."""
        return max(self.processor.l1_sector_bytes or SECTOR_BYTES, self.settings.element_bytes)


def modern_bounds(found: AlgorithmClass, processor: Processor, settings: Settings) -> Bounds:
    """Hull and floors with what GPUs have had since 2014."""
    family = find_family(found)
    variables = family.variables(found)
    dealt = [p.units for p in found.outputs if p.pattern is not Pattern.SHARED] or [p.units for p in found.inputs]
    enlarged = any(p.pattern is Pattern.TILE for p in found.outputs)
    units = float(max(dealt)) if enlarged else float(variables.work_units)
    case = Case(found, variables, processor, settings, units)
    hull, floors = compute_lines(case)
    for lines in (memory_lines, gather_lines, scattered_lines, atomic_lines, staged_lines):
        more_hull, more_floors = lines(case)
        hull += more_hull
        floors += more_floors
    floors += latency(case)
    inward, outward = transfer_times(found, processor, settings.element_bytes)
    note = uncoalesced_rate(processor, dram_rate(processor), settings.element_bytes)[1]
    notes = [note] if note and any(line.key == "m1" for line in (*hull, *floors)) else []
    if family.row is None and family.note:
        notes.insert(0, family.note)
    return Bounds(
        processor.name, "modern", tuple(hull), tuple(floors), processor.launch_floor_s or 0.0, inward, outward,
        tuple(notes),
    )  # fmt: skip


def compute_lines(case: Case) -> tuple[list[Line], list[Line]]:
    r"""The pipe of the element type, and issue slots shared with index arithmetic; with and without fused operations.

    .. math:: c_0 = \frac{w m \, c}{P}, \qquad c_i = \frac{w (o + m c / 2)}{I}

    P : FLOP/s, of matrix units where these may do the operations and the processor has them for the element type.
    I : thread instructions per second. o : per unit in the hull (blocked code), per element of a tile in the floor.
    """
    processor, settings = case.processor, case.settings
    supply = processor.supply(settings.resource) or processor.supply(Resource.FLOPS_FP32)
    if supply is None or (settings.resource in (Resource.FLOPS_FP64,) and not processor.supply(settings.resource)):
        raise RoofcastError(f"{processor.name} has no {settings.resource.label} rate in the catalog")
    peak = find_fastest(supply, processor)
    applications = case.units * case.variables.applications_per_unit
    issued = processor.rate(Resource.INSTS_ISSUED) * processor.warp_size
    issued = issued if issued > 0 else peak / 2
    lines = {}
    for fused in (True, False):
        key, ops = ("c0", 2) if fused else ("c1", 1)
        meaning = "compute" if fused else "no fused multiply-add"
        offset = case.offset_ops(blocked=fused)
        pipe = Line(key, meaning, Limit.COMPUTE, 0.0, applications * (2 / ops) / peak)
        issue = Line(
            key, f"{meaning}, instruction issue", Limit.COMPUTE, case.units * offset / issued,
            applications / ops / issued / (PACKED if settings.type_bytes == PACKED_BYTES else 1),
        )  # fmt: skip
        lines[fused] = [pipe, issue]
    fma = settings.assume.fma
    if settings.pipes:
        return count_pipes(case, lines[fma is not False]), [] if fma is True else lines[False]
    if fma is not False and (matrix := find_matrix_units(case)) is not None:
        units = Line("c0", f"compute, {matrix[0]}", Limit.COMPUTE, 0.0, applications / matrix[1])
        return [units], lines[True] + ([] if fma is True else lines[False])
    return list(lines[fma is not False]), [] if fma is True else lines[False]


def count_pipes(case: Case, lines: Sequence[Line]) -> list[Line]:
    """A line for each unit that is known to do a share of the operations, and one for the issue of all but matrix
    operations. lines : pipe and issue, were all of them those of the element type.
    """
    pipe, issue = lines
    units, issued = [], 0.0
    for resource, share in case.settings.pipes:
        supply = case.processor.supply(resource)
        rate = find_fastest(supply, case.processor) if supply is not None else 0.0
        applications = case.units * case.variables.applications_per_unit
        slope = share * (applications / rate if rate > 0 else pipe.seconds_per_op)
        units.append(Line("c0", f"compute, {resource.label}", Limit.COMPUTE, 0.0, slope))
        issued += 0.0 if resource in MATRIX_PIPES.values() and rate > 0 else share
    return [*units, replace(issue, seconds_per_op=issue.seconds_per_op * issued)]


def find_matrix_units(case: Case) -> tuple[str, float] | None:
    """Name and FLOP/s of the matrix units that may do the operations; None where there are none.

    They may where a unit takes several elements (sums of products, however these are put together), of whole numbers
    where it is a product of matrices.
    """
    resource = case.settings.matrix
    whole = resource is Resource.OPS_TENSOR_INT8
    may = is_product(case.found) or (case.variables.applications_per_unit > 1 and not whole)
    supply = case.processor.supply(resource) if resource is not None and may else None
    if resource is None or supply is None:
        return None
    matrix = find_fastest(supply, case.processor)
    vector = case.processor.supply(case.settings.resource)
    # Cards exist whose matrix units are slower than their others.
    if vector is not None and find_fastest(vector, case.processor) > matrix:
        return None
    return resource.label, matrix


def find_fastest(supply: Supply, processor: Processor) -> float:
    """The rate that no code exceeds: the theoretical peak, not what a kernel sustained within the board's power."""
    return max(supply.at_clock(processor.clock_hz_boost), supply.peak_per_s or 0.0)


def memory_lines(case: Case) -> tuple[list[Line], list[Line]]:
    """DRAM with what L2 keeps between runs, L2, and for neighbourhoods L1."""
    processor, size = case.processor, case.settings.element_bytes
    writes = case.found.elements_out / (case.found.elements_in + case.found.elements_out)
    rate = dram_rate(processor, "copy" if writes >= READ_ONLY_SHARE else "read")
    capacity = processor.capacity_bytes_l2
    cold = Line("m0", "DRAM", Limit.MEMORY, count_passes(case, capacity) * case.bytes_moved / rate)
    missed = float(miss_fraction(case.bytes_moved, float(capacity))) if capacity else 1.0
    warm = Line("m0", "DRAM, what L2 does not keep", Limit.MEMORY, cold.seconds * missed)
    halo = sum(halo_bytes(p, size) for p in case.found.inputs if p.pattern is Pattern.NEIGHBOURHOOD)
    hull, floors = [], []
    state = case.settings.assume.warm
    hull.append(cold if state is False else warm)
    if state is None and missed < 1:
        floors.append(cold)
    if (l2 := processor.rate(Resource.BYTES_L2)) > 0:
        most = max(count_passes(case, processor.capacity_bytes_l1) * case.bytes_moved, blocked_bytes(case))
        hull.append(Line("l2", "L2", Limit.MEMORY, (most + halo) / l2))
    if halo and (l1 := processor.rate(Resource.BYTES_L1)) > 0:
        part = next(p for p in case.found.inputs if p.pattern is Pattern.NEIGHBOURHOOD)
        once_per_row = case.units * tile_elements(part) / part.extent[-1] * size
        hull.append(Line("l1", "L1, neighbours along a row kept in registers", Limit.MEMORY, once_per_row / l1))
        # The coefficient of each neighbour is a load as well.
        every = 2 * case.units * tile_elements(part) * size
        floors.append(Line("l1", "L1, every neighbour and coefficient loaded", Limit.MEMORY, every / l1))
    return hull, floors


def count_passes(case: Case, capacity_bytes: float | None) -> int:
    r"""How often the best code moves all data of a class through a memory: once, but for orders and transforms.

    .. math:: p = \left\lceil \frac{\log_2 L}{\log_2 (C / s)} \right\rceil

    L : 1, elements of a tile. C : B, what a chip's side of the memory holds (L2 before DRAM, L1 before L2). s : B, of
    an element. Reason: a pass in which M elements are on chip at once brings log2 M stages to their end; running sums
    need one pass, for what goes from tile to tile is a number. Example: 2^24 keys of 4 B are sorted in
    ceil(24 / 13.3) = 2 passes through an L2 of 40 KiB, and in ceil(24 / 23.3) = 2 through one of 40 MiB.
    """
    part = find_staged(case.found)
    if part is None or part.pattern is Pattern.SCAN or not capacity_bytes:
        return 1
    held = max(2.0, capacity_bytes / case.settings.element_bytes)
    return max(1, math.ceil(count_stages(part) / math.log2(held)))


def staged_lines(case: Case) -> tuple[list[Line], list[Line]]:
    r"""What is computed in stages, by a launch for each: all data moves in each of them.

    .. math:: s_1 = k \frac{V}{B} + (k - 1) t_0

    k : 1, stages, ceil(log2 L). V : B, inputs and outputs. B : B/s, of L2 where it holds them. t_0 : s, of a launch.
    Tiles of at most 1024 elements are those of a block of threads, which computes them in shared memory. A bitonic
    network in launches of a step each is k (k + 1) / 2 launches of pairs (``N|tile(2) -> N|tile(2)``), and above this.
    """
    part = find_staged(case.found)
    if part is None or part.run <= BLOCK_RUN:
        return [], []
    processor, stages = case.processor, count_stages(part)
    l2 = processor.rate(Resource.BYTES_L2)
    rate = l2 if case.bytes_moved <= (processor.capacity_bytes_l2 or 0) and l2 > 0 else dram_rate(processor)
    seconds = stages * case.bytes_moved / rate + (stages - 1) * (processor.launch_floor_s or 0.0)
    return [], [Line("s1", "a pass over the arrays for each stage", Limit.MEMORY, seconds)]


def blocked_bytes(case: Case) -> float:
    r"""Bytes that the blocks of a matrix product fetch from L2.

    .. math:: B = s \, M N K \left(\frac{1}{T_M} + \frac{1}{T_N}\right)

    s : bytes of an element. T : rows and columns of the tile that a block computes, 256 at most; 0 for other classes.
    """
    if not is_product(case.found):
        return 0.0
    rows, columns = case.found.outputs[0].sizes[-2:] if len(case.found.outputs[0].sizes) > 1 else (1, case.units)
    applications = case.units * case.variables.applications_per_unit
    tiles = 1 / min(rows, BLOCK_LARGEST) + 1 / min(columns, BLOCK_LARGEST)
    return float(applications * tiles * case.settings.element_bytes)


def halo_bytes(part: Part, element_bytes: float) -> float:
    """Bytes that blocks of a neighbourhood class fetch from L2 beyond their own."""
    variables = neighbourhood_variables(AlgorithmClass((part,), (Part(part.sizes, Pattern.ELEMENT),)))
    return (variables.elements_coalesced - variables.elements_total + variables.elements_uncoalesced) * element_bytes


def gather_lines(case: Case) -> tuple[list[Line], list[Line]]:
    r"""Elements that data chooses: one look-up of a cache line each; in the floor a sector of DRAM, or of L2, each.

    .. math:: g_0 = \frac{w k}{f S}, \qquad g_1 = \frac{w k}{B} \max(s, 32 / r)

    k : elements that a unit gathers, s bytes each. r : elements of a row, the last size of an array of two dimensions
    (data choose the row), else 1. f S : clocks of all SMs. B : B/s, of L2 where it holds the array.
    """
    gathered = [p for p in case.found.inputs if p.pattern is Pattern.GATHER]
    if not gathered:
        return [], []
    processor = case.processor
    reads = case.units * sum(p.extent[0] if p.extent else 1 for p in gathered)
    held = sum(p.elements for p in gathered) * case.settings.element_bytes <= (processor.capacity_bytes_l2 or 0)
    l2 = processor.rate(Resource.BYTES_L2)
    rate = l2 if held and l2 > 0 else dram_rate(processor, "read")
    lookups = Line("g0", "one cache line per gathered element and warp", Limit.MEMORY, reads / 32 / case.clocks)
    row = min(p.sizes[-1] if len(p.sizes) > 1 else 1 for p in gathered)
    moved = reads * max(case.settings.element_bytes, case.sector_bytes / row)
    sectors = Line("g1", "a sector per gathered element", Limit.MEMORY, moved / rate)
    return [lookups], [sectors]


def scattered_lines(case: Case) -> tuple[list[Line], list[Line]]:
    """Accesses that may be scattered: a sector each, unless L1 keeps the sector until its neighbours are wanted."""
    tiled = any(p.pattern is Pattern.TILE for p in case.found.outputs)
    if case.settings.assume.coalesced is True or not (Floor.SCATTERED in case.variables.floors or tiled):
        return [], []
    processor, size = case.processor, case.settings.element_bytes
    # A cache looks up one line per clock, wherever the data then comes from.
    lookups = case.bytes_moved / size / case.clocks
    if any(p.pattern is Pattern.TILE for p in (*case.found.inputs, *case.found.outputs)) and kept_in_l1(case):
        line = Line("m1", "one cache line per access", Limit.MEMORY, lookups)
    else:
        rate, _ = uncoalesced_rate(processor, dram_rate(processor), size)
        line = Line("m1", "scattered memory accesses", Limit.MEMORY, max(lookups, case.bytes_moved / rate))
    return ([line], []) if case.settings.assume.coalesced is False else ([], [line])


def kept_in_l1(case: Case) -> bool:
    """Whether the L1 caches hold one sector for each thread that an SM runs at once."""
    processor = case.processor
    threads = min(processor.max_threads_per_sm or BLOCK_THREADS, math.ceil(case.units / processor.sm_count))
    return threads * case.sector_bytes <= (processor.capacity_bytes_l1 or 0)


def atomic_lines(case: Case) -> tuple[list[Line], list[Line]]:
    """Shared outputs: each unit updates an element, on chip or in L2, whichever is faster; what is only stored costs
    no atomics (complexity 0).
    """
    shared = [p for p in case.found.outputs if p.pattern is Pattern.SHARED]
    if not shared:
        return [], []
    processor, bins = case.processor, sum(p.elements for p in shared)
    clock = processor.clock_hz_boost
    if all(p.elements == 1 for p in shared):
        blocks = bins * min(case.units / BLOCK_THREADS, 8.0 * processor.sm_count)
        return [], [Line("a1", "blocks add to one value", Limit.ATOMICS, blocks / clock, of_updates=True)]
    known = processor.rate(Resource.ATOMICS_L2)
    apart = known if known > 0 else L2_ATOMICS_PER_CLK * case.clocks
    fits = bins * BIN_BYTES <= (processor.smem_per_block_bytes or 48 * 1024)
    if fits:
        # Plain code adds in L2, or merges the bins of each small block there: as many atomics as elements.
        flush = bins / (L2_ATOMICS_PER_CLK * clock)
        same = max(case.units / case.clocks, case.units / (L2_ATOMICS_CONTENDED_PER_CLK * case.clocks)) + flush
    else:
        same = max(case.units / apart, case.units / clock)
    # An L2 slice updates all words of a sector at once.
    joined = max(apart, L2_ATOMICS_PER_CLK * case.clocks) * max(
        1.0, SECTOR_BYTES / max(BIN_BYTES, case.settings.type_bytes)
    )
    spread = min(case.units / joined, private_s(case, bins, joined) if fits else math.inf)
    line = Line("a0", "updates spread over all elements", Limit.ATOMICS, spread, of_updates=True)
    floors = [Line("a1", "atomics in L2" if fits else "atomics on one bin", Limit.ATOMICS, same, of_updates=True)]
    if not fits:
        l2 = processor.rate(Resource.BYTES_L2)
        held = case.bytes_moved <= (processor.capacity_bytes_l2 or 0) and l2 > 0
        sectors = case.units * len(shared) * case.sector_bytes / (l2 if held else dram_rate(processor))
        floors.append(Line("g1", "a sector per element stored", Limit.MEMORY, sectors))
    return [line], floors


def private_s(case: Case, bins: float, joined: float) -> float:
    r"""Seconds of updates in copies of the bins that SMs have in shared memory, and of adding these up in L2.

    .. math:: t = \min_k \frac{w}{a f k} + \frac{b k}{A}, \qquad 1 \le k \le S

    w : 1, updates. b : 1, bins. k : 1, copies. S : 1, SMs. a f : updates/s of an SM in shared memory. A : updates/s in
    L2, neighbours together (joined). Example: 2^24 updates of 256 bins on an H100 take 132 copies, 2.0 us + 0.05 us.
    """
    of_sm = SHARED_ATOMICS_PER_CLK * case.processor.clock_hz_boost
    copies = min(max(1.0, math.sqrt(case.units * joined / (of_sm * bins))), float(case.processor.sm_count))
    return case.units / (of_sm * copies) + bins * copies / joined


def latency(case: Case) -> list[Line]:
    """One thread per unit of work: its loads one batch after the other."""
    processor = case.processor
    cycles, threads = processor.latency_cycles_dram, processor.max_threads_per_sm
    if not cycles or not threads:
        return []
    waves = math.ceil(case.units / (threads * processor.sm_count))
    batches = math.ceil(case.variables.applications_per_unit / LOADS_IN_FLIGHT)
    seconds = waves * batches * cycles / processor.clock_hz_boost
    return [Line("n1", "one thread per unit, memory latency", Limit.LATENCY, seconds)]
