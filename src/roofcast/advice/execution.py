"""Advice on execution: divergence, occupancy, grids, barriers, launches."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from roofcast.advice.case import Case, Symptom, amount
from roofcast.advice.memory_traffic import COARSENED, LATENCY_STALLS, REGISTER_BYTES, SHORT_THREAD, lowered
from roofcast.core.machines import Machines
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.formulas.occupancy import Residency, residency
from roofcast.kit.quantities import format_percent
from roofcast.models.published.resident_blocks import sm_limits

LOW_OCCUPANCY, LOW_IPC_FRACTION = 0.5, 0.6
"""Half of the warps hide what more would on all but pointer chases (V. Volkov, GTC 2010: "Better performance at lower
occupancy"); a kernel whose slowest resource is busy less than so is held up by something else. The second is ours."""
SATURATED = 0.8
"""Share of the time from which a resource serves as fast as it does: loops of one instruction reach 0.8 to 0.95 of what
the data sheets print (`measure ceilings`). Below it the model decides what more warps give."""
BARRIER_STALLS = 0.3
"""Share of the waiting: ours; no gain is claimed."""
TAIL_WASTE, MANY_WAVES = 0.15, 5
"""Ours: with more waves than these the last one is at most a fifth of the time, and blocks are out of step by then."""
LAUNCH_BOUND_S = 8e-6
"""Two to three empty launches (2 to 4 us on the GPUs of the catalog, `launch_floor`)."""
MIN_REGISTERS = 16
"""The least a kernel is worth capping at: the compiler's own smallest (ptxas --maxrregcount)."""
LEAST_ISSUE, LEAST_ARITHMETIC, LEAST_OVERHEAD = 0.25, 0.02, 0.25
"""Of the time and of the instructions, ours: below a quarter of the time the p-norm of resources gives back under a
hundredth; half of a quarter of the instructions is the least that the model resolves."""
UNCOUNTED = {"L1 bytes": "bytes_l1", "shared memory": "bytes_shared", "stalls": "warp_latency_cycles_per_inst"}
"""What can be busy unseen -> its column."""
MORE_IN_FLIGHT = (
    "more independent work in flight: several elements per thread, unrolled loops, reads of 8 or 16 bytes, loads "
    "before their use; neighbouring threads on neighbouring addresses; tiles in shared memory and registers"
)
WAITS = (
    (("long_scoreboard", "lg_throttle"), MORE_IN_FLIGHT),
    (("barrier", "membar"), "fewer or narrower barriers, several results per thread between them"),
    (
        ("short_scoreboard", "mio_throttle"),
        "keep values in registers, not in shared memory; read 16 bytes at a time",
    ),
    (
        ("tex_throttle", "math_pipe_throttle"),
        "fewer divisions, conversions and FP64 operations",
    ),
)
"""Reasons of waiting -> what to try."""
DIVERGED = 0.8
"""Of the lanes: a fifth idle is what the last iteration of a loop of five leaves. Ours; the model decides."""


def divergence(case: Case) -> Iterator[Symptom]:
    """Idle lanes."""
    for i in case:
        active, lanes = case.get("threads_per_inst", i), case.warp_size(i)
        if not 0 < active < DIVERGED * lanes:
            continue
        share = case.get("divergent_branch_fraction", i)
        also = f"; {format_percent(share)} of the branches diverge" if share > 0 else ""
        block = case.get("block_threads", i)
        if 0 < block < lanes:
            what, remedy = f"blocks of {block:.0f} threads leave lanes of their warp idle", "use blocks of full warps"
        else:
            what = f"on average {active:.3g} of {lanes} lanes of a warp are active"
            remedy = (
                "sort or bin the work so that the lanes of a warp agree; split rare cases into a kernel of their own"
            )
        yield Symptom(
            i, what, (f"threads per instruction {active:.3g} of {lanes}{also}",), remedy,
            lowered(1 - active / lanes, Resource.INSTS_ISSUED, Resource.INSTS_SPECIAL, Resource.INSTS_LSU),
        )  # fmt: skip


def low_occupancy(case: Case) -> Iterator[Symptom]:
    """Few resident warps where the kernel waits for latency, with what limits them and what a cap would cost."""
    if not case.rows:
        return
    resident = case.residency
    for i in case:
        occupancy, blocks = float(resident.occupancy[i, 0]), float(resident.blocks[i, 0])
        limiter = str(resident.limiter[i, 0])
        if not (0 < occupancy <= LOW_OCCUPANCY and blocks > 0) or not waits(case, i):
            continue
        evidence = [f"theoretical occupancy {format_percent(occupancy)} on {case.target.name}, limited by {limiter}"]
        achieved = case.get("occupancy_fraction", i)
        if achieved > 0:
            evidence.append(f"achieved where it was measured: {format_percent(achieved)}")
        stalls = case.stall_fraction(i, "long_scoreboard", "short_scoreboard")
        if stalls > 0:
            evidence.append(f"{format_percent(stalls)} of the waiting is for data")
        remedy, relief, cost_s = occupancy_cure(case, i, resident, limiter)
        if relief:
            yield Symptom(
                i, f"few warps to hide latency: {format_blocks(blocks)} per SM, limited by {limiter}",
                tuple(evidence), remedy, relief, cost_s=cost_s,
            )  # fmt: skip


def waits(case: Case, row: int) -> bool:
    """Whether a kernel is held up by latency: by its stalls, else as long as no resource is saturated."""
    stalls = case.stall_fraction(row, "long_scoreboard", "short_scoreboard")
    if not math.isnan(stalls):
        return stalls >= LATENCY_STALLS
    busy = [case.busy_fraction(r, row) for r in Resource]
    known = [b for b in busy if b > 0]
    return bool(known) and max(known) < SATURATED


def occupancy_cure(case: Case, row: int, found: Residency, limiter: str) -> tuple[str, dict[str, float], float]:
    """What to try against a limiter, the GPU on which it would not limit, and its own seconds."""
    threads, registers = case.get("block_threads", row), case.get("regs_per_thread", row)
    others = [float(v[row, 0]) for name, v in found.blocks_by.items() if name != limiter]
    blocks = float(found.blocks[row, 0])
    factor = min(max(2.0, (blocks + 1) / blocks), max(min(others) / blocks, 1.0))
    if factor <= 1:
        return "", {}, 0.0
    if limiter == "registers":
        cap = register_cap(case, row, blocks)
        cost_s, spills = spill_cost(case, row, registers - cap, factor * blocks * threads)
        return (
            f"cap the registers at {cap} per thread (launch bounds){spills}; or split the kernel",
            {"regs_per_sm": factor}, cost_s,
        )  # fmt: skip
    if limiter == "shared memory":
        larger = " or use larger blocks that share it" if threads <= 64 else ""
        return f"use less shared memory per block{larger}", {"smem_per_sm_bytes": factor}, 0.0
    if limiter == "blocks":
        return (
            f"use larger blocks: {threads:.0f} threads each leave most of the SM empty",
            {"max_blocks_per_sm": factor},
            0.0,
        )
    return "", {}, 0.0


def spill_cost(case: Case, row: int, registers: float, resident: float) -> tuple[float, str]:
    r"""Seconds that a cap costs at worst, and how they are told.

    .. math:: C = \frac{8 \, r \, t \, \max(1, n / 10^4)}{B_l}

    C : s. r : registers above the cap. t : threads of the launch. n : instructions of a warp. B_l : B/s of the nearest
    level of the target that holds what the resident threads spill, 4 r B each. Reason: every register above the cap is
    written to local memory and read once, in threads with loops once each time that such a loop ends (the rule
    `thread-reuse` takes the same length for a thread without one); compilers spill what is used least. Beside it a
    kernel that waits for latency does nothing else, so that the seconds add.

    registers : r. resident : threads of an SM with the cap. (0, '') where the launch is not known.

    Data: GPP v0 to v3 (Yang 2020), where a cap at 128 moves 3 to 4 TB, which cost more than the occupancy would give.
    """
    threads, warp = case.get("block_threads", row) * case.get("grid_blocks", row), case.warp_size(row)
    insts_each = case.get("insts_executed", row) / (threads / warp) if threads > 0 else math.nan
    moved = 2 * REGISTER_BYTES * registers * threads * (max(insts_each / SHORT_THREAD, 1.0) if insts_each > 0 else 1.0)
    if not moved > 0:
        return 0.0, ""
    target, spilled = case.target, REGISTER_BYTES * registers * resident
    levels = (
        (Resource.BYTES_L1, "L1", (target.capacity_bytes_l1 or 0)),
        (Resource.BYTES_L2, "L2", (target.capacity_bytes_l2 or 0) / target.sm_count),
        (Resource.BYTES_DRAM, "DRAM", math.inf),
    )
    level, name, _ = next(level_of for level_of in levels if spilled <= level_of[2] and target.rate(level_of[0]) > 0)
    seconds = moved / target.rate(level)
    return seconds, (
        f": at worst it spills {registers:.0f} registers, {format_quantity(moved, 'B')} of local traffic, "
        f"{format_quantity(seconds, 's')} at the rate of {name}, taken off the gain"
    )


def register_cap(case: Case, row: int, blocks: float) -> int:
    """The most registers per thread with which one more block fits than now."""
    machine = Machines.of([case.target], np.zeros(1, np.intp), np.full(1, np.nan))
    fits = partial(residency, case.get("block_threads", row), smem_bytes_per_block=0.0, sm=sm_limits(machine))
    cap = int(case.get("regs_per_thread", row)) - 1
    while cap > MIN_REGISTERS and not float(np.ravel(fits(regs_per_thread=cap).blocks)[0]) > blocks:
        cap -= 1
    return cap


def overhead(case: Case) -> Iterator[Symptom]:
    r"""Instructions that do no arithmetic: indices, loops, conversions, loads of what a neighbour loads too.

    .. math:: o = \max(1 - F / I, \; N / I)

    o : share of the thread instructions. F : FLOPs, the most that arithmetic instructions can be. N : integer
    instructions. I : thread instructions. Reason: where nobody counted additions, products and fused ones apart, a
    fused one is counted as two, so that 1 - F / I is rather too small; beside floating-point work integers are
    indices, counters and conversions. Integer work can be the purpose: silent where FLOPs are under a fiftieth.
    """
    for i in case:
        executed, busy = case.get("insts_thread", i), case.busy_fraction(Resource.INSTS_ISSUED, i)
        kinds = [case.get(f"insts_{p}_{k}", i) for p in ("fp64", "fp32", "fp16") for k in ("add", "mul", "fma")]
        flops = sum(v for p in ("fp64", "fp32", "fp16") if (v := case.get(f"flops_{p}", i)) > 0)
        done, integer = sum(v for v in kinds if v > 0) or flops, case.get("ops_int32", i)
        if not (executed > 0 and busy >= LEAST_ISSUE and done >= LEAST_ARITHMETIC * executed):
            continue
        share = min(max(1 - done / executed, integer / executed if integer > 0 else 0.0), 1.0)
        if share < LEAST_OVERHEAD:
            continue
        counted = f", {amount(integer)} integer" if integer > 0 else ""
        yield Symptom(
            i, f"{format_percent(share)} of the instructions do no arithmetic",
            (f"{amount(executed)} thread instructions, {amount(done)} of them arithmetic{counted}; issuing alone needs "
             f"{format_percent(busy)} of the time",),
            "let each thread compute several results (indices, loop counters and shared operands are then paid once), "
            "unroll, take index arithmetic out of loops, read 8 or 16 bytes at a time (forecast for half of them)",
            lowered(share / 2, Resource.INSTS_ISSUED) | lowered(0.5, Resource.OPS_INT32, Resource.INSTS_LSU),
            waiting=share / 2, holds=COARSENED,
        )  # fmt: skip


def idle_roofs(case: Case) -> Iterator[Symptom]:
    r"""Nothing that was counted is busy: the kernel waits.

    .. math:: S = T (1 - \max_r b_r)

    S : s, the most that can be saved. T : s of a launch. b : share of the time that resource r alone needs. Reason:
    with enough independent work in flight the busiest resource is busy all the time; no model says how much of it a
    change brings, so that this is a bound.
    """
    for i in case:
        busy = {r: b for r in Resource if (b := case.busy_fraction(r, i)) > 0}
        worked = any(case.get(name, i) > 0 for name in ("flops", "flops_fp64", "flops_fp32", "flops_fp16", "ops_int32"))
        if not (worked and case.get("bytes_dram", i) > 0 and case.time_s[i] >= LAUNCH_BOUND_S):
            continue
        most = max(busy, key=lambda r: busy[r]) if busy else None
        if most is None or busy[most] >= LOW_IPC_FRACTION or case.get("grid_blocks", i) < case.target.sm_count:
            continue
        unknown = [n for n, c in UNCOUNTED.items() if not case.get(c, i) >= 0]
        uncounted = f"; not counted: {', '.join(unknown)}" if unknown else ""
        yield Symptom(
            i, f"nothing is busy: {most.label} most, {format_percent(busy[most])} of the time",
            (f"{format_percent(busy[most])} of the time explained by the busiest resource{uncounted}",),
            waiting_cure(case, i, bool(unknown)), saved_bound_s=float(case.time_s[i] * (1 - busy[most])),
        )  # fmt: skip


def waiting_cure(case: Case, row: int, is_blind: bool) -> str:
    """What to try where a kernel waits: by its longest wait, else what brings more work in flight."""
    for reasons, cure in WAITS:
        if case.stall_fraction(row, *reasons) >= LATENCY_STALLS:
            return cure
    asked = "; `roofcast measure profile` collects what is not counted" if is_blind else ""
    return f"{MORE_IN_FLIGHT}{asked}"


def small_grid(case: Case) -> Iterator[Symptom]:
    """Fewer blocks than SMs."""
    sms = case.target.sm_count
    for i in case:
        blocks = case.get("grid_blocks", i)
        if not 0 < blocks < sms or case.time_s[i] < LAUNCH_BOUND_S:
            continue
        yield Symptom(
            i, f"{format_blocks(blocks)} for {sms} SMs: {sms - blocks:.0f} stay idle",
            (f"grid of {format_blocks(blocks)}; {case.target.name} has {sms} SMs",),
            "split the work into more blocks (split-K, smaller tiles), or run other kernels beside it",
            saved_bound_s=float(case.time_s[i] * (1 - blocks / sms)),
        )  # fmt: skip


def format_blocks(blocks: float) -> str:
    """A number of blocks."""
    return f"{blocks:.0f} block{'s' * (blocks != 1)}"


def tail(case: Case) -> Iterator[Symptom]:
    """A last wave that fills the GPU only in part."""
    if not case.rows:
        return
    resident = case.resident_blocks
    for i in case:
        waves = case.get("grid_blocks", i) / (resident[i] * case.target.sm_count) if resident[i] > 0 else math.nan
        if not 1 < waves < MANY_WAVES or case.time_s[i] < LAUNCH_BOUND_S:
            continue
        waste = 1 - waves / math.ceil(waves)
        if waste >= TAIL_WASTE:
            yield Symptom(
                i, f"the last of {math.ceil(waves)} waves of blocks fills "
                   f"{format_percent(1 - (math.ceil(waves) - waves))} of {case.target.name}",
                (f"{format_blocks(case.get('grid_blocks', i))}, {resident[i]:.0f} per SM on "
                 f"{case.target.sm_count} SMs: {waves:.3g} waves",),
                "choose the grid as a multiple of what is resident, use smaller blocks, or a persistent kernel",
                saved_bound_s=float(case.time_s[i] * waste),
            )  # fmt: skip


def barriers(case: Case) -> Iterator[Symptom]:
    """Warps that wait for each other."""
    for i in case:
        share = case.stall_fraction(i, "barrier")
        if share >= BARRIER_STALLS:
            yield Symptom(
                i, f"{format_percent(share)} of the waiting is at block barriers",
                (f"barrier {case.get('stall_barrier_per_inst', i):.3g} of "
                 f"{case.get('warp_latency_cycles_per_inst', i):.3g} cycles between two instructions of a warp",),
                "smaller blocks, fewer barriers, warp-level primitives, or an even split of the work between barriers",
            )  # fmt: skip


def launch_bound(case: Case) -> Iterator[Symptom]:
    r"""Kernels so short that their launch costs as much.

    .. math:: S = t_0 \quad \text{where } t_0 < T, \qquad S_g = \min(t_0 - t_g, \; T - t_g)

    S : s, the most that can be saved. t_0 : s of an empty launch in a stream of the target, t_g in a graph. T : s of a
    launch. S_g : s that a graph saves where there are several short launches to put in one, below 0 none. Reason: work
    that another launch does too has no launch of its own; in a graph each still takes what an empty one takes there.
    The catalog's empty launches were timed from one start to the next, gap included, and a profiler's time is that of
    the kernel alone. So a kernel may take less than an empty launch: its time contains a part of one, and at most S_g
    is said, nothing where there is no graph of several launches or the catalog knows none.
    """
    empty = case.target.launch_floor_s or math.nan
    in_graph = case.target.launch_floor_graph_s or math.nan
    short = [i for i in case if case.time_s[i] < LAUNCH_BOUND_S]
    several = float(case.kernels.launches[short].sum()) > 1
    for i in short:
        time, blocks = float(case.time_s[i]), case.get("grid_blocks", i)
        grid = f"; {format_blocks(blocks)}" if blocks > 0 else ""
        launch = f"an empty launch takes {format_quantity(empty, 's')}" if empty > 0 else "a launch takes microseconds"
        # Empty launches are timed from one start to the next; what a profiler times ends with the kernel.
        launch += " (with the gap to the next, which is in no kernel's time)" if time < empty else ""
        replayed = ""
        removed = min(empty, time) - in_graph if several and in_graph < min(empty, time) else 0.0
        if removed > 0:
            launch += f", in a graph {format_quantity(in_graph, 's')}"
            replayed = f" (forecast for {format_quantity(removed, 's')} less each; the sequence has to repeat)"
        yield Symptom(
            i, "so short that launching it costs as much as running it",
            (f"{format_quantity(time, 's')} on {case.target.name}{grid}; {launch}",),
            f"fuse it with its neighbours, batch the work, or replay a graph of launches{replayed}",
            saved_bound_s=empty if empty < time else removed or math.nan, removed_s=removed,
            kept_s=in_graph if removed > 0 else 0.0,
        )  # fmt: skip
