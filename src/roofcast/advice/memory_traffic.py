"""Advice on memory: coalescing, bank conflicts, spills, reuse, atomics."""

from __future__ import annotations

import math
from collections.abc import Iterator

from roofcast.advice.case import Case, Symptom, amount
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.kit.quantities import format_percent
from roofcast.models.kernel_amounts import is_from_code

SECTOR_BYTES, ELEMENT_BYTES, REGISTER_BYTES, PASS_BYTES = 32, 4, 4, 128
"""Of a sector; and that an instruction of a thread wants at most, all kinds together: accesses of 8 and 16 bytes have
other instructions beside them; of a register; and of a pass of shared memory."""
LOADED = (Resource.BYTES_DRAM, Resource.BYTES_L2, Resource.BYTES_L1, Resource.INSTS_LSU)
LEAST_WASTE = 0.1
"""1; share of the moved bytes that must be wasted before an advice names it."""
MOST_CONFLICTS = 0.97
"""1; of 32 lanes that ask one bank 31 wait."""
LEAST_SPILL = 0.05
"""Shares of the traffic below which nothing is said: ours; the model decides on the gain."""
REUSE = 8.0
"""Uses that a tile is taken to serve, in the forecast of what tiling would give: a tile of 8 is the least that fills
a sector with FP32, and half of the 16 of the first tiled product of the CUDA C++ Programming Guide (shared memory)."""
REFETCHED = 2.0
"""Times that DRAM moves what the data can have at most, from which data is fetched again beyond doubt: once is it,
twice may be a read and a write of it."""
COARSENED = 2.0
"""Uses of what a thread keeps over a loop that moves into it, of the two operands that most such terms have."""
MOST_BUSY = 0.5
"""Share of the time from which one resource is what to relieve: ours; the model decides on the gain."""
THREADS_TO_SPARE = 100
"""Waves of blocks from which a loop of 100 passes can move into the threads and still leave one wave."""
SHORT_THREAD = 10_000
"""Instructions of a warp below which a thread has no loop that reuses anything."""
MOST_UNUSED, MOST_UNUSED_WAITING = 0.25, 0.05
"""Unused bytes of a sector from which it is told: a quarter as traffic; a twentieth where the warps wait for data."""
LATENCY_STALLS = 0.35
"""Share of the waiting that is for data from which a kernel is held up by latency: most waits of a kernel that is not
are for the pipes and for fixed latencies."""
FOR_DATA = ("long_scoreboard", "lg_throttle")
FOR_SHARED = ("short_scoreboard", "mio_throttle")
WAITED_UNKNOWN = 0.5
"""Share of the waiting taken to be for memory where stalls were not counted, as in the model's ``unexplained``."""
L2_SLICE_ATOMICS_PER_CLOCK = 0.3
"""Atomics per L2 clock from which one address may hold them up: it takes one per clock (`measure ceilings`,
same address); a third of it already queues. Ours."""


def lowered(fraction: float, *resources: Resource) -> dict[str, float]:
    """The relief of needing ``fraction`` less of some resources."""
    return {r.supply: 1 / max(1 - fraction, 0.02) for r in resources}


def uncoalesced(case: Case) -> Iterator[Symptom]:
    """Sectors that perfect coalescing would not have moved: as counted, else more bytes than instructions want."""
    for i in case:
        moved = case.get("bytes_l1", i)
        extra, evidence = case.get("sectors_uncoalesced", i) * SECTOR_BYTES, ""
        if extra >= 0:
            evidence = f"uncoalesced sectors {amount(extra / SECTOR_BYTES)}, {format_quantity(extra, 'B')}"
        elif (lanes := case.get("insts_thread", i)) > 0:
            extra = moved - ELEMENT_BYTES * lanes
            evidence = f"{moved / lanes:.2g} B for each instruction of a thread, where an element has {ELEMENT_BYTES}"
        share = extra / moved if moved > 0 else 0.0
        if not share >= LEAST_WASTE:
            continue
        share = min(share, 0.95)
        yield Symptom(
            i, f"{format_percent(share)} of the L1 traffic is sectors that coalesced accesses would not need",
            (f"{evidence} of {format_quantity(moved, 'B')} through L1",),
            "let neighbouring threads touch neighbouring addresses: a structure of arrays, a transposed loop, or "
            "staging through shared memory",
            lowered(share, Resource.BYTES_L1, Resource.BYTES_L2, Resource.INSTS_LSU),
            waiting=share * waited_for(case, i, FOR_DATA),
        )  # fmt: skip


def partial_sectors(case: Case) -> Iterator[Symptom]:
    """Sectors of which only a part was asked for: traffic, or, where little is unused, what the warps wait for."""
    for i in case:
        waiting = case.stall_fraction(i, *FOR_DATA)
        for kind in ("load", "store"):
            useful = case.get(f"bytes_per_sector_{kind}", i)
            share = 1 - useful / SECTOR_BYTES if useful > 0 else 0.0
            if share < MOST_UNUSED:
                if kind == "load" and share >= MOST_UNUSED_WAITING and waiting >= LATENCY_STALLS:
                    yield strided_loads(case, i, useful, waiting)
                continue
            yield Symptom(
                i, f"global {kind}s use {useful:.3g} of the {SECTOR_BYTES} bytes of a sector",
                (f"bytes per sector of global {kind}s: {useful:.3g}",),
                "use all of each 32-byte sector: wider elements, unit stride, packed structures",
                lowered(share / 2, Resource.BYTES_L1, Resource.BYTES_L2, Resource.BYTES_DRAM),
                waiting=share / 2 * waiting if waiting > 0 else 0.0,
            )  # fmt: skip


def strided_loads(case: Case, row: int, useful: float, waiting: float) -> Symptom:
    """A few loads that use a part of their sectors, in a kernel that waits for data."""
    share = 1 - useful / SECTOR_BYTES
    return Symptom(
        row, f"some loads use a part of each sector; {format_percent(waiting)} of the waiting is for data",
        (f"bytes per sector of global loads: {useful:.3g} of {SECTOR_BYTES}",),
        "store what a thread reads in its inner loop contiguously along that loop: swap the indices of such arrays",
        saved_bound_s=float(case.time_s[row] * waiting * share),
    )  # fmt: skip


def bank_conflicts(case: Case) -> Iterator[Symptom]:
    """Extra shared-memory passes.

    Rows from code count each pass as one of the load/store unit (no counter does): a mended kernel has none of these.
    """
    from_code = is_from_code(case.kernels)
    for i in case:
        conflicts, passes = case.get("shared_bank_conflicts", i), case.get("shared_wavefronts", i)
        if not passes > 0:
            passes = case.get("bytes_shared", i) / PASS_BYTES
        share = conflicts / passes if passes > 0 else 0.0
        if share >= LEAST_WASTE:
            relief = lowered(min(share, MOST_CONFLICTS), Resource.BYTES_SHARED)
            if from_code[i]:
                relief |= lowered(min(conflicts / case.get("insts_lsu", i), MOST_CONFLICTS), Resource.INSTS_LSU)
            yield Symptom(
                i, f"{format_percent(share)} of the shared-memory passes repeat because of bank conflicts",
                (f"bank conflicts {amount(conflicts)} of {amount(passes)} passes",),
                "pad rows by one element, or swizzle the index",
                relief,
            )  # fmt: skip


def spills(case: Case) -> Iterator[Symptom]:
    r"""Local memory: spilled registers and private arrays.

    .. math:: s = Q_{local} / Q_{L1}, \quad \text{or, where L1 was not counted, }
        Q_{local} / Q_{L2} \text{ if } Q_{L2} \ge Q_{local}, \text{ else } Q_{local} / (Q_{local} + Q_{L2})

    s : share of the traffic. Q : B. Reason: where L2 moves as much as the local accesses, they did not stay in L1: they
    are a part of what L2 moves, and DRAM is relieved by the same share, for no cache keeps spilled registers sooner
    than other data. Where it moves less, L1 held them, and what L2 moves beside them is the least that they can be a
    share of. Their loads and stores are instructions too, one for each 4 bytes of the lanes that were active.
    """
    for i in case:
        local, moved, below = (case.get(f"bytes_{level}", i) for level in ("local", "l1", "l2"))
        leaves = below >= local
        whole, level = (moved, "L1") if moved > 0 else (below, "L2") if leaves else (local + below, "L2 and local")
        share = min(local / whole, 1.0) if whole > 0 else 0.0
        if not share >= LEAST_SPILL:
            continue
        registers = case.get("regs_per_thread", i)
        used = f"; {registers:.0f} registers per thread" if registers > 0 else ""
        relief = lowered(min(share, 0.95), Resource.BYTES_L1, Resource.BYTES_L2, Resource.INSTS_LSU)
        if leaves:
            relief |= lowered(min(local / below, 0.95), Resource.BYTES_L2, Resource.BYTES_DRAM)
        if (lanes := case.get("insts_thread", i)) > 0:
            relief |= lowered(min(local / REGISTER_BYTES / lanes, share, 0.95), Resource.INSTS_ISSUED)
        yield Symptom(
            i, f"{format_percent(share)} of the {level} traffic is local memory: spilled registers or private arrays",
            (f"local memory {format_quantity(local, 'B')} of {format_quantity(whole, 'B')}{used}",),
            "index private arrays by constants (unroll), allow more registers (launch bounds), keep fewer values per "
            "thread, or split the kernel",
            relief, waiting=share * waited_for(case, i, FOR_DATA),
        )  # fmt: skip


def waited_for(case: Case, row: int, reasons: tuple[str, ...]) -> float:
    """Share of a warp's waiting that has these reasons; half where nobody counted it.

    Reason: an access that a cure takes away is no longer waited for; that part of what no resource explains goes too.
    """
    share = case.stall_fraction(row, *reasons)
    return share if share >= 0 else WAITED_UNKNOWN


def shared_pressure(case: Case) -> Iterator[Symptom]:
    """Shared memory, or the pipe that asks it, is busy most of the time: each value that it gives serves too little."""
    for i in case:
        moved = case.get("bytes_shared", i)
        busy = max(case.busy_fraction(Resource.BYTES_SHARED, i), case.busy_fraction(Resource.INSTS_LSU, i))
        fetched = case.get("bytes_l1", i)
        if not (moved > 0 and busy >= MOST_BUSY) or fetched > moved:
            continue
        flops = sum(v for p in ("fp64", "fp32", "fp16") if (v := case.get(f"flops_{p}", i)) > 0)
        served = f", {moved / flops:.2g} B/FLOP" if flops > 0 else ""
        yield Symptom(
            i, f"shared memory is asked {format_percent(busy)} of the time",
            (f"shared memory {format_quantity(moved, 'B')}{served}",),
            "let each thread compute several neighbouring results, so that a value read from shared memory serves them "
            f"all from a register; read 8 or 16 bytes at a time (forecast for {COARSENED:.0f} uses of each)",
            lowered(1 - 1 / COARSENED, Resource.BYTES_SHARED, Resource.INSTS_LSU),
            waiting=(1 - 1 / COARSENED) * waited_for(case, i, FOR_SHARED), holds=COARSENED,
        )  # fmt: skip


def l1_pressure(case: Case) -> Iterator[Symptom]:
    """L1, or the pipe that asks it, is busy most of the time with bytes that the next level moves once."""
    for i in case:
        fetched, below = case.get("bytes_l1", i), case.get("bytes_dram", i)
        busy = max(case.busy_fraction(Resource.BYTES_L1, i), case.busy_fraction(Resource.INSTS_LSU, i))
        if not (fetched > COARSENED * below > 0 and busy >= MOST_BUSY) or case.get("bytes_shared", i) > fetched:
            continue
        yield Symptom(
            i, f"L1 is asked {format_percent(busy)} of the time for bytes that were asked for before",
            (f"L1 {format_quantity(fetched, 'B')}, {fetched / below:.0f} times the DRAM bytes",),
            "keep in registers what a thread uses again, stage in shared memory what a block uses again, read 8 or 16 "
            f"bytes at a time (forecast for {COARSENED:.0f} uses of each byte fetched)",
            lowered(1 - 1 / COARSENED, Resource.BYTES_L1, Resource.INSTS_LSU),
            waiting=(1 - 1 / COARSENED) * waited_for(case, i, FOR_DATA), holds=COARSENED,
        )  # fmt: skip


def little_reuse(case: Case) -> Iterator[Symptom]:
    """DRAM traffic above what the kernel must move, where the data would fit into L2."""
    capacity = case.target.capacity_bytes_l2 or 0
    for i in case:
        moved, least = case.get("bytes_dram", i), case.get("bytes_compulsory", i)
        held = case.get("working_set_bytes", i)
        if not (moved > 1.5 * least > 0) or not 0 < held <= 0.9 * capacity:
            continue
        yield Symptom(
            i, f"DRAM moves {moved / least:.2g} times what the kernel must, though its data would fit into L2",
            (f"DRAM {format_quantity(moved, 'B')}, at least {format_quantity(least, 'B')}; working set "
             f"{format_quantity(held, 'B')}, L2 {format_quantity(capacity, 'B')}",),
            "order the blocks so that those that share data run together, or block the loop for L2",
            lowered(1 - least / moved, Resource.BYTES_DRAM),
        )  # fmt: skip


def refetched(case: Case, row: int) -> tuple[float, float]:
    """(times that DRAM moves the data, bytes that the data can have at most): NaN where no bound is known.

    Data is no larger than the memory of the GPU that it was measured on, nor than a stated working set.
    """
    source = case.forecast.sources[row]
    stated = [case.get(name, row) for name in ("working_set_bytes", "capacity_bytes_dram")]
    memory = (source.capacity_bytes_dram or math.nan) if source else math.nan
    most = min((v for v in (*stated, memory) if v > 0), default=math.nan)
    return case.get("bytes_dram", row) / most, most


def lost_reuse(case: Case) -> Iterator[tuple[int, str, float, float, float]]:
    """(row, evidence, times, instructions of a warp, waves) of kernels whose data DRAM moves again and again."""
    capacity = case.target.capacity_bytes_l2 or math.inf
    resident = case.resident_blocks
    for i in case:
        times, most = refetched(case, i)
        if not times >= REFETCHED or most <= 0.9 * capacity:
            continue
        blocks, threads = case.get("grid_blocks", i), case.get("block_threads", i)
        warps = blocks * math.ceil(threads / case.warp_size(i)) if threads > 0 else math.nan
        evidence = (
            f"DRAM moves {format_quantity(case.get('bytes_dram', i), 'B')}, {times:.3g} times what the data can have "
            f"({format_quantity(most, 'B')})"
        )
        waves = blocks / (resident[i] * case.target.sm_count) if resident[i] > 0 else math.nan
        yield i, evidence, times, case.get("insts_executed", i) / warps, waves


def thread_reuse(case: Case) -> Iterator[Symptom]:
    """Short threads, far more than the GPU can hold, that fetch the same data again (Yang 2020, step 4)."""
    for i, evidence, _, insts, waves in lost_reuse(case):
        if insts < SHORT_THREAD and waves >= THREADS_TO_SPARE:
            yield Symptom(
                i, "threads do little each and fetch what others have fetched",
                (evidence, f"{amount(insts)} instructions per warp, {amount(waves)} waves of blocks"),
                "leave the loop that fewest arrays depend on to each thread and keep the rest in registers "
                f"(forecast for {COARSENED:.0f} uses of each byte fetched)",
                lowered(1 - 1 / COARSENED, *LOADED), holds=COARSENED,
            )  # fmt: skip


def cache_blocking(case: Case) -> Iterator[Symptom]:
    """Long threads whose data leaves the caches before it is used again (Yang 2020, step 6)."""
    for i, evidence, times, insts, waves in lost_reuse(case):
        if insts >= SHORT_THREAD or waves < THREADS_TO_SPARE:
            uses = min(times, REUSE)
            yield Symptom(
                i, "the same data is fetched from DRAM again and again: it leaves the caches before its next use",
                (evidence,),
                "block the loops, so that a part of the data that fits into L2 or L1 is used up before the next part; "
                f"then look at the order of the arrays' indices and at registers (forecast for {uses:.2g} uses)",
                lowered(1 - 1 / uses, Resource.BYTES_DRAM), holds=COARSENED,
            )  # fmt: skip


def no_tiling(case: Case) -> Iterator[Symptom]:
    """Much arithmetic on data that is fetched again and again through L1, with shared memory unused."""
    for i in case:
        fetched, moved, shared = (case.get(f"bytes_{level}", i) for level in ("l1", "dram", "shared"))
        flops = sum(v for p in ("fp64", "fp32", "fp16") if (v := case.get(f"flops_{p}", i)) > 0)
        if not (fetched > REUSE * moved > 0 and flops > 0 and fetched / flops >= 1) or shared > 0.01 * fetched:
            continue
        if not case.get("shared_wavefronts", i) >= 0:
            continue
        yield Symptom(
            i, "each byte from DRAM is fetched many times through L1, and shared memory is unused",
            (f"L1 {format_quantity(fetched, 'B')}, {fetched / moved:.0f} times the DRAM bytes and "
             f"{fetched / flops:.2g} B/FLOP; no shared-memory traffic",),
            f"tile: stage blocks in shared memory and registers (forecast for {REUSE:.0f} uses of each byte fetched)",
            lowered(1 - 1 / REUSE, Resource.BYTES_L1, Resource.BYTES_L2, Resource.INSTS_LSU), holds=COARSENED,
        )  # fmt: skip


def atomics(case: Case) -> Iterator[Symptom]:
    """Atomics at a rate that few addresses cannot take."""
    for i in case:
        count, time = case.get("atomics_l2", i), case.get("time_s", i)
        clock = case.get("clock_hz_l2", i)
        clock = clock if clock > 0 else case.get("clock_hz", i)
        if not (count > 0 and time > 0 and clock > 0):
            continue
        rate = count / time / clock
        if rate >= L2_SLICE_ATOMICS_PER_CLOCK:
            yield Symptom(
                i, "atomics arrive nearly as fast as one address can take them",
                (f"{amount(count)} atomics, {rate:.2g} per L2 clock; one address takes 1 per clock",),
                "reduce within the warp or the block first, then issue one atomic per block",
                lowered(0.9, Resource.ATOMICS_L2),
            )  # fmt: skip
