r"""Kernels that nobody has timed, by what their code moves and computes.

.. math:: T = F + \Big(\sum_{r} \tau_r^p + e^{p \ell} \big(\sum_s \tau_s^p + \tau_{wait}^p\big)\Big)^{1/p}

.. math:: \tau_{wait} = \frac{w}{f} \big(k L_1 + k_2 (L_2 - L_1) + k_3 (L_D - L_2) + c\, i + e\big), \qquad
    w = \max\Big(1, \frac{n}{b N}\Big), \qquad \tau_{passes} = \frac{l}{f \min(n, N)}

T : s of one launch. F : s, half of the launch floor for one block to all of it for one on each SM. tau_r : s that DRAM,
L2, its atomics (or the updates of one element after each other) or the start of all blocks alone need
(:mod:`roofcast.models.physics.causes.starts`). tau_s : s that a pipe of the SMs alone needs, on as many SMs as there
are blocks; tau_passes : s of l passes of L1's banks, one a clock (f, Hz) of each of N SMs: lanes that ask one bank for
different words wait for each other, as in shared memory. w : waves of n blocks, b of them on an SM at once. k : loads
of a thread one after the other, k_2 those that L1 does not answer, k_3 those that are the first to touch their bytes; L
: clocks until L1, L2, DRAM answer. i : instructions of a warp; c : clocks from one to the next that needs its result
(:mod:`roofcast.models.physics.causes.issue_latency`). e : clocks of a block beside them, where SMs have several after
each other. p : 3.3, ``overlap`` of :mod:`roofcast.models.physics.resource_seconds`. l : 1, logarithm of what SMs
usually take over this; what streams reaches its measured rate.

.. math:: V_{DRAM} = k' R + U + m \min(A, (w - 1) R) + (1 - k(\min(n, b N) D)) O, \qquad
    m = \mathrm{clip}((W / C - 0.9) / 4, 0, 1)

R : B read at least; k' : 1 after a flush, else what L2 (C, B) did not keep of the working set (W, B). U : B written
back. A : B that blocks read again of arrays that most of them read, and L2 outgrows. O : B that blocks read once more
themselves after L1 lost them, D : B that a block takes in between; k : share that L2 holds of what all resident blocks
do (:func:`kept_fraction`). Arrays that all blocks read and an
SM's L1 holds (128 KiB together) L2 gives to each SM once: later blocks wait for L1 alone.

Reason: rates bound every kernel, and a thread's chain of loads and instructions is as long as its answers take; which
of both holds is known only by the larger. How far kernels are from that is the interval, taken from programs that
taught none of it, and widened by as much as programs were further away that came after the model was made: whoever
mended it had the others in sight.

Taught by: ``roofcast evaluate source`` (own programs at the launches and sizes of public measurements, and some 450 of
the reader's tests timed on an H100 and an H200); by how much new programs are further away, by forecasts that were made
before they were timed (``measurements/forecasts_before.csv``).

Worked examples: 131,072 passes on 132 SMs at 1.98 GHz take :math:`131072 / (132 \cdot 1.98 \cdot 10^9) = 0.50` us; with
one warp for each of its four schedulers an SM issues one instruction in four clocks, so that a sum of 8,192 sines by
256 warps on 32 SMs took 552 us where all schedulers could have issued its instructions in 110.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Columns, Machines, rate
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.results import PRODUCTION, Conditions, Estimate
from roofcast.core.units import format_quantity
from roofcast.formulas.occupancy import resident_blocks
from roofcast.formulas.values import Values, combine
from roofcast.models.kernel_amounts import is_from_code
from roofcast.models.operators.operator_times import outgrown_fraction
from roofcast.models.operators.unmeasured import FLOOR_LEAST, floor_s
from roofcast.models.physics.causes.issue_latency import issue_cycles
from roofcast.models.physics.causes.latency import L1_LATENCY_CYCLES, l2_latency
from roofcast.models.physics.causes.starts import CAUSE as STARTS
from roofcast.models.physics.causes.starts import starts_s
from roofcast.models.physics.sides import limits_per_sm

FILE = Path(__file__).with_name("from_code.json")
OVERLAP = 3.3
"""p."""
L2_LATENCY_CYCLES, DRAM_LATENCY_CYCLES = 230.0, 550.0
"""Of GPUs whose own are not in the catalog: the middle of those that are."""
START_CYCLES, LIFE_CYCLES = (c.value for c in STARTS.constants)
ISSUE_CYCLES = 4.0
"""Of GPUs of other vendors."""
BESIDE_THE_SMS = (Resource.BYTES_DRAM, Resource.BYTES_L2, Resource.ATOMICS_L2)
WARP = 32
"""Threads of a warp as rows from code count them, whatever the GPU."""
STORE_COST = 1.0
"""Of a byte stored to L2 beyond one that is read: an H100 writes it at 3.71 TB/s and reads it at 7.42, an H200 at 4.16
and 8.84 (``measure ceilings``)."""
WHOLE_TOGETHER = 2.0
"""Operations of whole numbers that are one instruction: additions of three, logic of three, shifts of both sides of a
rotation (an H200 issued two additions in 1.07 clocks of a scheduler, ``IADD3``); ciphers, hashes and codes took 0.3 to
1.1 of the time that one instruction for each would."""
CONSTANT_CYCLES = 1.0
"""Of an SM, for a word of constant memory where lanes ask for different ones."""
PIPES = (Resource.FLOPS_FP64, Resource.FLOPS_FP32, Resource.FLOPS_FP16, Resource.FLOPS_BF16, Resource.OPS_INT32,
         Resource.INSTS_ISSUED, Resource.INSTS_LSU, Resource.BYTES_SHARED, Resource.FLOPS_TENSOR_FP16,
         Resource.FLOPS_TENSOR_BF16, Resource.FLOPS_TENSOR_TF32, Resource.FLOPS_TENSOR_FP8, Resource.FLOPS_TENSOR_FP64,
         Resource.OPS_TENSOR_INT8)  # fmt: skip
BOUNDS = (Resource.BYTES_DRAM, Resource.FLOPS_FP64, Resource.FLOPS_FP32, Resource.FLOPS_FP16, Resource.FLOPS_BF16)
"""No interval begins below what these alone need at their rates. Whole numbers are none of them: compilers make one
operation of several (``LOP3``, ``IADD3``), and kernels on them were up to twice as quick."""
BOUND_DOUBT = 1.05
"""Of a rate."""
NOT_MEASURED = (
    "no time measured: amounts derived from source code; one profile on any GPU (`ncu -o run ./program`) narrows this"
)

ASSUMED_TIME = "never ran: its time on the named GPU is itself forecast from source code"


@dataclass(frozen=True)
class CodeLevel:
    """What kernels take over this model, and how far single ones are from that."""

    usual: float
    """l."""
    ways: Mapping[str, tuple[float, float]]
    """Kind of limit (:data:`KINDS`) -> how far below and above 90 % of the measured times lie, as logarithms, of
    programs that taught neither."""
    first_sight: float = 1.0
    """By how much further, as a ratio of logarithms, 90 % of programs are that came after the model was made."""


@lru_cache(maxsize=1)
def load_level() -> CodeLevel:
    """The level that ships."""
    content = json.loads(FILE.read_text(encoding="utf-8"))
    ways = {k: (down, up) for k, (down, up) in content["ways"].items()}
    return CodeLevel(content["usual"], ways, content["first_sight"])


def with_time_on_source(kernels: KernelTable, here: Machines, conditions: Conditions) -> KernelTable:
    """Rows of source code with their forecast on a GPU that was named as their own, as an assumed time.

    here : of each row, index (n,), clocks (n,).
    """
    rows = np.flatnonzero(is_from_code(kernels) & (here.index >= 0))
    if not len(rows):
        return kernels
    there = here.cells(here.index[rows, None], np.asarray(here.clock_hz)[rows, None])
    time = kernels.column("time_s").copy()
    time[rows] = estimate_from_code(kernels.select(rows), there, conditions).time_s[:, 0]
    origin = np.array(kernels.origin_of("time_s"))
    origin[rows] = Origin.ASSUMED
    chosen = set(rows.tolist())
    flags = tuple((*f, ASSUMED_TIME) if i in chosen else f for i, f in enumerate(kernels.flags))
    return dataclasses.replace(kernels.with_columns(time_s=(time, origin)), flags=flags)


DIRTY = 0.25
"""Share of L2 that holds what a kernel wrote when it ends (FDTD on the H100: 9 to 15 of 50 MiB)."""


def kept_fraction(working_set_bytes: Values, capacity_bytes: Values) -> FloatArray:
    r"""Share of a kernel's data that L2 still holds from the run before.

    .. math:: k = 1 - \mathrm{clip}(W / C - 1/2, 0, 1)

    working_set_bytes : (...) B. W. capacity_bytes : (...) B. C. Reason: half of L2 belongs to what ran between.

    >>> kept_fraction(np.array([10.0, 50.0, 100.0]), 50.0).tolist()
    [1.0, 0.5, 0.0]
    """
    return np.asarray(1.0 - np.clip(np.divide(working_set_bytes, capacity_bytes) - 0.5, 0.0, 1.0))


KINDS = ("memory", "cache", "L1", "instructions", "waiting", "choices", "places", "data")
"""What limits a row most: DRAM; L2 and its atomics; L1, shared and constant memory; pipes and issue; threads that wait
for loads or results, and blocks that start. Or what data decide: which side of a condition runs, which is between one
of them and both; which elements are touched, whose sectors may be shared; or how many updates meet in one element and
how long something is looked for, which nothing but data bounds."""
DECIDED = 5
"""The first of the kinds in which data decide something."""
KIND_OF = {Resource.BYTES_DRAM: 0, Resource.BYTES_L2: 1, Resource.ATOMICS_L2: 1, Resource.BYTES_L1: 2,
           Resource.BYTES_SHARED: 2, Resource.INSTS_LSU: 2}  # fmt: skip


def multiplies_by_groups(columns: Columns) -> FloatArray:
    """(p,) 1 where four warps multiply as one and read each operand in shared memory once (``wgmma``, ``tcgen05``)."""
    return columns.told("compute_capability", lambda capability: float(capability.partition(".")[0] in ("9", "10")))


@dataclass(frozen=True)
class CodeSeconds:
    """What rows from source code need on some GPUs."""

    total: FloatArray
    """(n, m) s without floor."""
    by_resource: dict[Resource, FloatArray]
    """(n, m) s of each alone."""
    kind: NDArray[np.intp]
    """(n, m) places in :data:`KINDS`."""


def code_seconds(kernels: KernelTable, there: Machines, cold: bool = False, usual: float = 0.0) -> CodeSeconds:
    """Seconds of n rows on m GPUs.

    cold : whether caches were flushed before. usual : l.
    """

    def of(name: str) -> FloatArray:
        return np.asarray(kernels.column(name)[:, None])

    blocks, threads = of("grid_blocks"), of("block_threads")
    sms, clock = there.gather("sm_count"), there.clock_hz
    resident = resident_blocks(threads, of("regs_per_thread"), of("smem_bytes_per_block"), limits_per_sm(there))[0]
    resident = np.fmax(resident, 1.0)
    fill, waves = np.minimum(1.0, blocks / sms), np.maximum(1.0, blocks / (resident * sms))
    room, held = there.gather("capacity_bytes_l2"), of("working_set_bytes")
    held_share = np.nan_to_num(kept_fraction(held, room))
    # After a flush all is read anew, and what fits stays to be written later; else both as far as L2 kept nothing.
    written = np.where(cold, np.clip(of("bytes_dram_write") - np.nan_to_num(DIRTY * room), 0.0, None),
                       of("bytes_dram_write") * (1.0 - held_share))  # fmt: skip
    new = np.where(cold, 1.0, 1.0 - held_share)
    outgrown = np.nan_to_num(outgrown_fraction(held, room))
    again = outgrown * np.minimum(np.nan_to_num(of("bytes_read_again")), (waves - 1.0) * of("bytes_dram_read"))
    together = np.minimum(resident * sms, blocks) * np.nan_to_num(of("bytes_between_reads"))
    lost = 1.0 - np.nan_to_num(kept_fraction(together, room), nan=1.0)
    moved = of("bytes_dram_read") * new + written + again + lost * np.nan_to_num(of("bytes_read_over"))
    seconds: dict[Resource, FloatArray] = {Resource.BYTES_DRAM: moved / rate(there, Resource.BYTES_DRAM)}
    for resource in (Resource.BYTES_L2, *PIPES):
        if resource.value in kernels.numeric:
            share = 1.0 if resource in BESIDE_THE_SMS else fill
            joined = WHOLE_TOGETHER if resource is Resource.OPS_INT32 else 1.0
            seconds[resource] = of(resource.value) / (rate(there, resource) * share * joined)
    stored = STORE_COST * np.nan_to_num(of("bytes_l2_stored"))
    # What an SM's L1 holds from block to block it asks for once.
    tables = np.nan_to_num(of("bytes_l2_tables"))
    spared = np.clip(tables - np.minimum(sms, blocks) * np.nan_to_num(of("bytes_tables")), 0.0, None)
    seconds[Resource.BYTES_L2] = (of(Resource.BYTES_L2.value) - spared + stored) / rate(there, Resource.BYTES_L2)
    if Resource.BYTES_SHARED in seconds:
        spared = np.nan_to_num(of("bytes_shared_by_groups")) * np.nan_to_num(there.gather(multiplies_by_groups))
        seconds[Resource.BYTES_SHARED] -= spared / (rate(there, Resource.BYTES_SHARED) * fill)
    if Resource.ATOMICS_L2.value in kernels.numeric:
        seconds[Resource.ATOMICS_L2] = np.fmax(
            of(Resource.ATOMICS_L2.value) / rate(there, Resource.ATOMICS_L2), of("cycles_atomic_in_turn") / clock
        )
    seconds[Resource.BYTES_L1] = np.fmax(
        of("wavefronts_l1") / (sms * fill * clock), of("bytes_l1") / (rate(there, Resource.BYTES_L1) * fill)
    )
    constants = CONSTANT_CYCLES * np.nan_to_num(of("words_constant")) / (sms * fill * clock)
    columns = there.columns
    l1, l2, far = (
        there.spread(np.where(np.isnan(v), default, v))
        for v, default in (
            (columns.number("latency_cycles_l1"), L1_LATENCY_CYCLES), (l2_latency(columns), L2_LATENCY_CYCLES),
            (columns.number("latency_cycles_dram"), DRAM_LATENCY_CYCLES),
        )
    )  # fmt: skip
    cycles = (
        of("loads_in_turn") * l1 + of("loads_in_turn_beyond_l1") * (l2 - l1)
        + of("loads_in_turn_new") * new * np.fmax(far - l2, 0.0)
        - np.nan_to_num(of("loads_in_turn_tables")) * (l2 - l1) * (1.0 - 1.0 / waves)
    )  # fmt: skip
    of_a_warp = np.nan_to_num(of(Resource.INSTS_ISSUED.value) / (blocks * np.ceil(threads / WARP)))
    between = there.gather(issue_cycles)
    cycles = cycles + np.where(np.isnan(between), ISSUE_CYCLES, between) * of_a_warp + LIFE_CYCLES * (blocks > sms)
    wait = waves * cycles / clock
    parts = [(KIND_OF.get(r, 3), v * (1.0 if r in BESIDE_THE_SMS else np.exp(usual))) for r, v in seconds.items()]
    parts += [
        (4, blocks * starts_s(sms, START_CYCLES, clock)),
        (2, constants * np.exp(usual)),
        (4, wait * np.exp(usual)),
    ]
    seconds_of_parts = np.stack(np.broadcast_arrays(*(np.nan_to_num(v) for _, v in parts)))
    total = np.power(np.power(seconds_of_parts, OVERLAP).sum(axis=0), 1.0 / OVERLAP)
    kind = np.array([k for k, _ in parts], np.intp)[np.argmax(seconds_of_parts, axis=0)]
    decide = np.nan_to_num(of("data_decide")).astype(np.intp)
    kind = np.where(decide > 0, DECIDED - 1 + np.clip(decide, 0, len(KINDS) - DECIDED), kind)
    return CodeSeconds(np.where(np.isfinite(moved), total, np.nan), seconds, kind)


def floor_share(kernels: KernelTable, there: Machines) -> FloatArray:
    """(n, m) of the launch floor: half of it where one SM works, all of it where all do.

    Kernels of one block took 0.96 us and more on an H100 with a floor of 1.66, 0.70 on an H200 with one of 1.25.
    """
    filled = np.minimum(1.0, kernels.column("grid_blocks")[:, None] / there.gather("sm_count"))
    return FLOOR_LEAST + (1.0 - FLOOR_LEAST) * np.nan_to_num(filled, nan=1.0)


def runs_cold(conditions: Conditions) -> bool:
    """Whether caches are flushed before: as asked for, else where a profiler does it by habit."""
    return conditions.cache == "cold" or (conditions.cache == "auto" and conditions.named != PRODUCTION)


def estimate_from_code(
    kernels: KernelTable, there: Machines, conditions: Conditions, level: CodeLevel | None = None
) -> Estimate:
    """Forecasts of rows that were read from source code.

    there : targets, index (1, m), clocks (n, m). level : another than the one that ships.
    """
    level = level or load_level()
    needs = code_seconds(kernels, there, runs_cold(conditions), level.usual)
    stated = conditions.launch_floor_s
    floor = floor_s(there) * floor_share(kernels, there) if stated is None else np.full((1, 1), stated[1])
    time = floor + needs.total
    bound = combine(np.fmax, [v for r, v in needs.by_resource.items() if r in BOUNDS]) / BOUND_DOUBT
    down, up = (
        level.first_sight * np.array([level.ways[k][side] for k in KINDS])[needs.kind] for side in (0, 1)
    )  # fmt: skip
    low, high = np.fmax(np.fmax(time * np.exp(-down), FLOOR_LEAST * floor), bound), time * np.exp(up)
    n = len(kernels)
    reasons = np.where(np.isnan(time), "the catalog lacks the target's memory bandwidth", "").astype(object)
    reasons = refuse_impossible(kernels, there, reasons)
    time, low, high = (np.where(reasons == "", v, np.nan) for v in (time, low, high))
    return Estimate(
        time, np.minimum(low, time), high, 0.9, {}, needs.by_resource, reasons,
        ((), ) * n, ((NOT_MEASURED,),) * n,
    )  # fmt: skip


MATRIX = (Resource.FLOPS_TENSOR_FP16, Resource.FLOPS_TENSOR_BF16, Resource.FLOPS_TENSOR_TF32,
          Resource.FLOPS_TENSOR_FP8, Resource.FLOPS_TENSOR_FP64, Resource.OPS_TENSOR_INT8)  # fmt: skip
"""What matrix units alone do."""


def refuse_impossible(kernels: KernelTable, there: Machines, reasons: NDArray[np.object_]) -> NDArray[np.object_]:
    """(n, m) why kernels have no forecast: what nobody could follow in their code, and what a GPU cannot run.

    reasons : other ones, '' where there is none.
    """

    def tell(wrong: NDArray[np.bool_], say: Callable[[int, int], str]) -> None:
        for i, j in np.argwhere(np.broadcast_to(wrong, reasons.shape)).tolist():
            reasons[i, j] = say(i, j)

    with quietly():
        room, held = there.gather("smem_per_sm_bytes"), kernels.column("smem_bytes_per_block")[:, None]
        shared = np.broadcast_to(room, reasons.shape)
        tell(held > room, lambda i, j: f"a block takes {format_quantity(float(held[i, 0]), 'B')} of shared memory, an "
             f"SM has {format_quantity(float(shared[i, j]), 'B')}: it does not run there")  # fmt: skip
        memory = np.broadcast_to(there.gather("capacity_bytes_dram"), reasons.shape)
        data = np.fmax(kernels.column("bytes_dram_read"), kernels.column("bytes_dram_write"))[:, None]
        tell(data > memory, lambda i, j: f"it touches {format_quantity(float(data[i, 0]), 'B')}, the GPU's memory has "
             f"{format_quantity(float(memory[i, j]), 'B')}")  # fmt: skip
    for resource in MATRIX:
        if resource.value in kernels.numeric:
            needed = (kernels.column(resource.value) > 0)[:, None] & np.isnan(rate(there, resource))
            label = resource.label
            tell(needed, lambda i, j, label=label: f"it multiplies on matrix units ({label}), which the GPU has not")  # type: ignore[misc]
    refused = kernels.strings("refused")
    tell((refused != "")[:, None], lambda i, _: str(refused[i]))
    return reasons


def overlay(whole: Estimate, own: Estimate, rows: NDArray[np.intp]) -> Estimate:
    """An estimate with some rows replaced. own : of these rows."""

    def put(into: FloatArray, values: FloatArray) -> FloatArray:
        replaced = np.array(np.broadcast_to(into, whole.time_s.shape))
        replaced[rows] = values
        return replaced

    absent = np.full(whole.time_s.shape, np.nan)
    names = {**whole.time_s_by_resource_target, **own.time_s_by_resource_target}
    blank = np.full(own.time_s.shape, np.nan)
    notes = list(whole.notes or ((),) * len(absent))
    assumed = list(whole.assumed or ((),) * len(absent))
    for at, row in enumerate(rows.tolist()):
        notes[row], assumed[row] = own.notes[at], ()
    reasons = np.array(whole.reasons)
    reasons[rows] = own.reasons
    unclaimed = None if whole.unclaimed is None else np.array(whole.unclaimed)
    if unclaimed is not None:
        unclaimed[rows] = False
    return dataclasses.replace(
        whole, time_s=put(whole.time_s, own.time_s), time_low_s=put(whole.time_low_s, own.time_low_s),
        time_high_s=put(whole.time_high_s, own.time_high_s), reasons=reasons, notes=tuple(notes),
        assumed=tuple(assumed), unclaimed=unclaimed,
        coverage=own.coverage if whole.coverage is None else whole.coverage,
        time_s_by_resource_target={
            r: put(whole.time_s_by_resource_target.get(r, absent),
                   np.broadcast_to(own.time_s_by_resource_target.get(r, blank), blank.shape))
            for r in names
        },
    )  # fmt: skip
