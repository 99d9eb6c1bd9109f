"""What the mechanistic model reads of each kernel: amounts, geometry and where its warps waited, as (n, 1) columns."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, last_capacity_bytes
from roofcast.core.records import dataclass
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.core.results import PRODUCTION, Conditions
from roofcast.formulas.values import Values, combine, finite_or, or_zero
from roofcast.models.kernel_amounts import Amounts, amounts_of
from roofcast.operators.kernel_names import Operation
from roofcast.operators.operator_rows import find_operators

NAMED_STALLS = (
    *("barrier", "imc_miss", "lg_throttle", "long_scoreboard", "math_pipe_throttle", "membar", "no_instruction"),
    *("not_selected", "short_scoreboard", "tex_throttle"),
)
"""Reasons that name what they wait for; the rest of a warp's time is issue, fixed latency and drain."""

CONSISTENT = 1.2
"""An amount may explain the source time, and a margin for its supply, but not more."""

WARP_LANES = 32
"""Lanes of a warp of NVIDIA's GPUs."""
FLOPS_PER_WARP_FMA = 2.0 * WARP_LANES
BYTES_PER_PASS = 128.0
"""What one pass of the load/store unit moves for 32 lanes of 4 bytes."""

SHARED_PER_INST_MOST = 0.5
"""Passes over shared memory per instruction beyond which they are wide accesses or bank conflicts: of two instructions
at least one does something with what the other has loaded."""

GLOBAL_REQUESTS = (
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
)

QUEUE_LEAST = 0.1
"""Share of a warp's time from which a queue shows FP64 work: 29 programs of HeCBench on GPUs with few FP64 units, no
other."""
RESULTS_LEAST = 0.05
"""The same of its results, for which less is left where the queue is full (conversions: 0.86 and 0.08)."""

SHARED_OF_GLOBAL_ATOMICS = 1.5
"""Passes over the shared-memory data stage per global atomic, with a margin: each takes one."""

COUNTERS = re.compile(r"histogram|bin_?count|(?<![a-z])atomic|scatter_?add|index_add")
"""Names of kernels whose threads add to addresses that they share."""

HALF_OF_OPERANDS = 0.5
"""Share of full passes where no instruction was counted and operands come from global memory: of two operands one is
the same for the whole warp (a row of a product, a coefficient of a filter) and takes a narrow pass."""

MEMORY_LANES = "smsp__sass_thread_inst_executed_op_memory_pred_on.sum"


@dataclass(frozen=True)
class Kernels:
    """Columns of n kernels, each (n, 1). NaN where not known, except shares, which are 0 there."""

    amounts: Amounts
    shape: NDArray[np.intp]
    """A number for each different block: threads, registers, shared memory. As many fit on an SM."""
    time_s: FloatArray
    grid_blocks: FloatArray
    block_threads: FloatArray
    regs_per_thread: FloatArray
    smem_bytes_per_block: FloatArray
    insts_warp: FloatArray
    insts_lsu: FloatArray
    """Passes of the load/store unit: warp accesses to L1 and shared memory."""
    shared_passes: FloatArray
    """Passes over shared memory, bank conflicts included; NaN where bytes_shared has them, or nothing."""
    full_fraction: FloatArray
    """Share of those passes that use the whole width of the unit."""
    mix_unknown: FloatArray
    """1 where nothing tells which instructions a kernel executes: the amounts are the algorithm's."""
    counting: FloatArray
    """1 where the name says that threads add to addresses that they share."""
    l1_hit_fraction: FloatArray
    l2_hit_fraction: FloatArray
    l2_read_hit_fraction: FloatArray
    l2_write_hit_fraction: FloatArray
    bytes_per_sector: FloatArray
    """B of a sector of 32 that a load uses."""
    bytes_per_sector_store: FloatArray
    atomic_fraction: FloatArray
    """Atomics per warp instruction."""
    atomics: FloatArray
    """Atomic warp instructions; NaN where their share was not counted."""
    atomic_swaps: FloatArray
    """Compare-and-swaps over atomic warp instructions; 0 where they were not counted apart."""
    atomics_in_shared: FloatArray
    """1 where shared memory works more often than atomics alone would have it: they may be its own."""
    working_set_bytes: FloatArray
    """B that the kernel touches, as the profile says."""
    capacity_profiled_bytes: FloatArray
    """B of the last cache of the GPU that counted."""
    l1_profiled_bytes: FloatArray
    """B of L1 of the GPU that counted."""
    warm: FloatArray
    flushed: FloatArray
    """1 where DRAM bytes were counted from caches that the profiler had flushed."""
    caches_unsaid: FloatArray
    """1 where the bytes are the algorithm's and nothing says how a launch finds the caches."""
    caches_moved: FloatArray
    """1 where the run finds warm caches and the DRAM bytes were counted from cold ones, -1 the other way round, else
    0: the bytes are those of the run."""
    insts_counted: FloatArray
    """1 where warp instructions were counted."""
    bytes_counted: FloatArray
    """1 where DRAM bytes are from counters, 0 where they are what the algorithm asks for."""
    l2_counted: FloatArray
    """1 where L2 bytes are a counter's, 0 where they were worked out."""
    time_alone: FloatArray
    """1 where nothing but the time is known."""
    stalls_counted: FloatArray
    memory_share: FloatArray
    """Share of the warps' time that they wait for memory."""
    queue_share: FloatArray
    """Share that they wait for the queue of global and local accesses."""
    constant_share: FloatArray
    """Share that they wait for the constant cache."""
    constant_cycles: FloatArray
    """SM cycles that each warp waits for it, from its first instruction to its last; 0 where not counted."""
    fp64_queue: FloatArray
    """Share that they wait for the queue that FP64 shares with textures and for its results, where no loads (textures
    are some) take longer: FP64 work even where no FLOP of it was counted (conversions, comparisons)."""
    pipe_share: FloatArray
    """Share that they wait for an arithmetic pipe or what stands behind it."""

    @cached_property
    def without_counters(self) -> NDArray[np.bool_]:
        """(n, 1) see :func:`roofcast.models.physics.stages.has_no_counters`."""
        beside = [self.amounts.get(r)[:, None] for r in (Resource.BYTES_L2, Resource.BYTES_L1)]
        dram_only = combine(np.logical_and, [np.isnan(v) for v in (self.grid_blocks, *beside)])
        nothing = (self.stalls_counted == 0) & (self.insts_counted == 0)
        return np.asarray(((self.bytes_counted == 0) | dram_only) & nothing)


def share_of(kernels: KernelTable, reason: str, latency: FloatArray) -> FloatArray:
    """(n,) share of a warp's time that it waits for a reason; 0 where not counted."""
    with quietly():
        share = kernels.column(f"stall_{reason}_per_inst") / latency
    return np.asarray(np.clip(or_zero(share), 0.0, 1.0))


def kernels_of(kernels: KernelTable, sources: Machines, drain_cycles: float, insts_per_fma: float) -> Kernels:
    """Read a table.

    sources : index (n,). drain_cycles : cycles per instruction that any code waits without a named reason.
    insts_per_fma : warp instructions per FP32 FMA where no instructions were counted.
    """
    latency = kernels.column("warp_latency_cycles_per_inst")
    shares = {reason: share_of(kernels, reason, latency) for reason in NAMED_STALLS}
    with quietly():
        unnamed = np.clip(1.0 - sum(shares.values()) - drain_cycles / latency, 0.0, 1.0)
    counted = ~np.isnan(latency)
    memory = np.clip(shares["long_scoreboard"] + shares["membar"] + or_zero(unnamed), 0.0, 1.0)
    pipe = np.clip(shares["short_scoreboard"] + shares["tex_throttle"] + shares["math_pipe_throttle"], 0.0, 1.0)
    queued = (shares["tex_throttle"] > QUEUE_LEAST) & (shares["short_scoreboard"] > RESULTS_LEAST)
    queued &= shares["long_scoreboard"] < shares["tex_throttle"]
    amounts = amounts_of(kernels)
    insts = warp_instructions(kernels, sources)
    fused = amounts.get(Resource.FLOPS_FP32) / FLOPS_PER_WARP_FMA
    # Beside a vector instruction a CU starts scalar and memory ones of other waves: FMAs do not tell its issue slots.
    estimated = np.where(sources.gather("warp_size") == WARP_LANES, fused * insts_per_fma, np.nan)
    issued = np.where(np.isnan(insts), estimated, insts)
    atomic_share, shared = kernels.column("atomic_inst_fraction"), kernels.column("shared_wavefronts_per_inst")
    with quietly():
        atomics = finite_or(kernels.column(Resource.ATOMICS_L2.value) / insts, 0.0)
        shared = np.where(np.isnan(shared), kernels.column("shared_wavefronts") / insts, shared)
        busy_shared = shared > SHARED_OF_GLOBAL_ATOMICS * atomic_share
        warps = kernels.column("grid_blocks") * np.ceil(kernels.column("block_threads") / WARP_LANES)
        waited = kernels.column("stall_imc_miss_per_inst") * insts / warps
    passes = load_store_passes(kernels, amounts, insts)
    unknown = nothing_tells_instructions(kernels, insts) & ~on_tensors(amounts, len(kernels))
    column = {
        "time_s": kernels.column("time_s"),
        "grid_blocks": kernels.column("grid_blocks"),
        "block_threads": kernels.column("block_threads"),
        "regs_per_thread": kernels.column("regs_per_thread"),
        "smem_bytes_per_block": kernels.column("smem_bytes_per_block"),
        "insts_warp": issued,
        "insts_lsu": passes,
        "shared_passes": np.where(np.isnan(amounts.get(Resource.BYTES_SHARED)), shared * insts, np.nan),
        "full_fraction": full_passes(kernels, passes, unknown),
        "mix_unknown": unknown.astype(np.float64),
        "counting": named_counters(kernels),
        "l1_hit_fraction": kernels.column("l1_hit_fraction"),
        "l2_hit_fraction": kernels.column("l2_hit_fraction"),
        "l2_read_hit_fraction": kernels.column("l2_read_hit_fraction"),
        "l2_write_hit_fraction": kernels.column("l2_write_hit_fraction"),
        "bytes_per_sector": kernels.column("bytes_per_sector_load"),
        "bytes_per_sector_store": kernels.column("bytes_per_sector_store"),
        "atomic_fraction": atomics,
        "atomics": atomic_share * insts,
        "atomic_swaps": np.clip(or_zero(kernels.column("atomic_swap_fraction")), 0.0, 1.0),
        "atomics_in_shared": busy_shared.astype(np.float64),
        "working_set_bytes": touched_bytes(kernels),
        "capacity_profiled_bytes": sources.gather(last_capacity_bytes),
        "l1_profiled_bytes": sources.gather("capacity_bytes_l1"),
        "warm": in_state(kernels, "warm"),
        "flushed": is_flushed(kernels).astype(np.float64),
        "caches_unsaid": caches_unsaid(kernels).astype(np.float64),
        "caches_moved": np.zeros(len(kernels)),
        "insts_counted": (~np.isnan(insts)).astype(np.float64),
        "bytes_counted": bytes_counted(kernels).astype(np.float64),
        "l2_counted": (kernels.origin_of(Resource.BYTES_L2.value) == Origin.COUNTED).astype(np.float64),
        "time_alone": nothing_counted(amounts, insts),
        "stalls_counted": counted.astype(np.float64),
        "memory_share": memory,
        "queue_share": shares["lg_throttle"],
        "constant_share": shares["imc_miss"],
        "constant_cycles": or_zero(waited),
        "fp64_queue": np.where(queued, shares["tex_throttle"] + shares["short_scoreboard"], 0.0),
        "pipe_share": pipe,
    }
    shape = number_blocks(*(column[name] for name in ("block_threads", "regs_per_thread", "smem_bytes_per_block")))
    return Kernels(amounts=amounts, shape=shape[:, None], **{name: v[:, None] for name, v in column.items()})


def measured_on(k: Kernels, sources: Machines) -> Kernels:
    """Some kernels with what their GPUs say: one value where they have one. sources : index (n,) or (1,)."""
    last, l1 = sources.gather(last_capacity_bytes), sources.gather("capacity_bytes_l1")
    return replace(k, capacity_profiled_bytes=last[:, None], l1_profiled_bytes=l1[:, None])


def number_blocks(*columns: FloatArray) -> NDArray[np.intp]:
    """(n,) a number for each different combination of some columns' values."""
    numbers = np.zeros(len(columns[0]), np.intp)
    for column in columns:
        if np.array_equal(column[1:], column[:-1], equal_nan=True):
            continue
        _, values = np.unique(column, return_inverse=True)
        _, numbers = np.unique(numbers * (len(values) + 1) + values.ravel(), return_inverse=True)
    return np.asarray(numbers.ravel(), dtype=np.intp)


def touched_bytes(kernels: KernelTable) -> FloatArray:
    """(n,) B that a kernel touches, as the profile says; NaN where it does not."""
    working_set = kernels.column("working_set_bytes")
    return np.where(working_set > 0, working_set, kernels.column("bytes_compulsory"))


def as_run(k: Kernels, conditions: Conditions) -> Kernels:
    """The kernels in the caches that a run finds: in production those that the launches before it leave."""
    if conditions.cache != "auto":
        return in_caches(k, conditions.cache)
    if conditions.named != PRODUCTION or not k.flushed.any():
        return k
    flushed = k.flushed > 0
    return replace(k, warm=np.where(flushed, 1.0, k.warm), caches_moved=np.where(flushed, 1.0, k.caches_moved))


def in_caches(k: Kernels, cache: str) -> Kernels:
    """The kernels in a run with cold or warm caches, whatever those were that they were measured with."""
    warm = float(cache == "warm")
    moved = np.where(k.bytes_counted > 0, warm - k.warm, 0.0)
    return replace(k, warm=np.full_like(k.warm, warm), caches_unsaid=np.zeros_like(k.warm), caches_moved=moved)


def caches_unsaid(kernels: KernelTable) -> NDArray[np.bool_]:
    """(n,) kernels of which nothing says how a launch finds the caches.

    Not products of matrices, whose model holds what their tiles leave in the caches.
    """
    stated = (in_state(kernels, "warm") + in_state(kernels, "cold") > 0) | bytes_counted(kernels)
    if stated.all():
        return ~stated
    operators = kernels.once("operator rows", None, lambda: find_operators(kernels))
    return ~stated if operators is None else ~(stated | operators.of(Operation.GEMM))


def in_state(kernels: KernelTable, state: str) -> FloatArray:
    """(n,) 1 where the caches were in a state, as recorded."""

    def look() -> FloatArray:
        recorded = kernels.strings("cache_state").tolist()
        known = {s: float(str(s).strip().lower() == state) for s in set(recorded)}
        return np.array([*map(known.__getitem__, recorded)], np.float64)

    return kernels.once(("caches", state), None, look)


def is_timed_on_device(kernels: KernelTable) -> NDArray[np.bool_]:
    """(n,) kernels whose start and end the GPU recorded, as profilers and traces do: no host is in their times."""
    return np.asarray(kernels.strings("timer") == "device")


def warp_instructions(kernels: KernelTable, sources: Machines) -> FloatArray:
    """(n,) warp instructions executed: counted, else instructions per cycle x active cycles x SMs."""
    counted = kernels.column("insts_executed")
    cycles = kernels.column("time_s") * sources.clock_hz * kernels.column("sm_active_fraction")
    derived = kernels.column("ipc_active") * cycles * sources.gather("sm_count")
    issued = kernels.column(Resource.INSTS_ISSUED.value)
    executed = np.where(np.isnan(counted), issued, counted)
    return np.asarray(np.where(np.isnan(executed), derived, executed))


def is_flushed(kernels: KernelTable) -> NDArray[np.bool_]:
    """(n,) kernels that were counted from flushed caches, and of which more than DRAM's bytes is known: in caches
    that hold its data nothing would be left otherwise that takes time.
    """

    def look() -> NDArray[np.bool_]:
        others = [amount > 0 for r, amount in amounts_of(kernels).by_resource.items() if r is not Resource.BYTES_DRAM]
        flushed = (in_state(kernels, "cold") > 0) & bytes_counted(kernels)
        return np.asarray(flushed & combine(np.logical_or, [np.zeros(len(kernels), np.bool_), *others]))

    return kernels.once("flushed", None, look)


def bytes_counted(kernels: KernelTable) -> NDArray[np.bool_]:
    """(n,) whether DRAM bytes are a counter's; bytes that the source text names are the same at L2 and at DRAM."""
    dram = kernels.column(Resource.BYTES_DRAM.value)
    named = kernels.origin_of(Resource.BYTES_DRAM.value) == Origin.DERIVED
    named &= dram == kernels.column(Resource.BYTES_L2.value)
    return np.asarray(~np.isnan(dram) & ~named)


def load_store_passes(kernels: KernelTable, amounts: Amounts, insts: FloatArray) -> FloatArray:
    """(n,) passes of the load/store unit: counted, else requests plus shared-memory passes, else bytes of full warps.

    Bytes that the source text names (``bytes_model``) come as 4-byte accesses of 32 lanes; so do L1 bytes where
    shared-memory passes per instruction were counted but no requests. insts : (n,) warp instructions.
    """
    counted = kernels.column(Resource.INSTS_LSU.value)
    per_inst = shared_passes_per_inst(kernels)
    shared = amounts.get(Resource.BYTES_SHARED) / BYTES_PER_PASS
    shared = np.where(np.isnan(shared), per_inst * insts, shared)
    requests = sum_of_counters(kernels, GLOBAL_REQUESTS)
    named = np.where(kernels.origin_of(Resource.BYTES_L2.value) == Origin.DERIVED, kernels.column("bytes_l2"), np.nan)
    through_l1 = kernels.column("bytes_l1")
    lines = np.where(np.isnan(through_l1), named, np.where(np.isnan(per_inst), np.nan, through_l1)) / BYTES_PER_PASS
    passes = np.where(np.isnan(requests), lines, requests) + or_zero(shared)
    return np.asarray(np.where(np.isnan(counted), passes, counted))


def shared_passes_per_inst(kernels: KernelTable) -> FloatArray:
    """(n,) shared-memory accesses per warp instruction: passes without bank conflicts, as many as can be accesses."""
    conflicts = or_zero(kernels.column("shared_conflicts_per_wavefront"))
    ideal = kernels.column("shared_wavefronts_per_inst") * (1.0 - np.clip(conflicts, 0.0, 1.0))
    return np.minimum(ideal, SHARED_PER_INST_MOST)


def nothing_tells_instructions(kernels: KernelTable, insts: FloatArray) -> NDArray[np.bool_]:
    """(n,) whether neither instructions nor accesses were counted and the shape of a block's rows is unknown.

    insts : (n,) warp instructions.
    """
    telling = (Resource.INSTS_LSU.value, Resource.BYTES_L1.value, "block_threads_x")
    counted = ~np.isnan(insts) | bytes_counted(kernels) | ~np.isnan(kernels.counter(MEMORY_LANES))
    for name in telling:
        counted |= ~np.isnan(kernels.column(name))
    return np.asarray(~counted)


def on_tensors(amounts: Amounts, count: int) -> NDArray[np.bool_]:
    """(n,) kernels on tensor pipes: libraries', whose operands come in tiles and wide accesses."""
    flops = [v for r, v in amounts.flops.items() if r in FLOPS_TENSOR]
    return np.asarray(combine(np.add, [np.zeros(count), *map(or_zero, flops)]) > 0)


def full_pass_fraction(lanes_per_pass: Values, half_width: float = 16.0) -> FloatArray:
    r"""Share of load/store passes that serve more than half a warp, if all others serve half of it.

    .. math:: f = \mathrm{clip}((l - h) / h, 0, 1)

    lanes_per_pass : (...) 1. l, lanes that access memory over passes. half_width : 1. h.
    Source: the load/store units of GA10x and Ada address 16 lanes per clock, so that a pass of 32 lanes takes two
    clocks and a pass of up to 16 lanes one.

    >>> full_pass_fraction(np.array([8.0, 24.0, 32.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.clip((np.asarray(lanes_per_pass, dtype=np.float64) - half_width) / half_width, 0.0, 1.0)


def full_passes(kernels: KernelTable, passes: FloatArray, unknown: NDArray[np.bool_]) -> FloatArray:
    """(n,) share of full-width passes, from the lanes that one pass serves on average.

    Where they were not counted, a block narrower than a warp has its warps in several rows: one row a pass. unknown :
    (n,) rows of which nothing tells the instructions: see :data:`HALF_OF_OPERANDS`.
    """
    with quietly():
        lanes = kernels.counter(MEMORY_LANES) / passes
    lanes = np.where(np.isnan(lanes), kernels.column("block_threads_x"), lanes)
    from_global = unknown & ~(kernels.column("smem_bytes_per_block") > 0)
    otherwise = np.where(from_global, HALF_OF_OPERANDS, 1.0)
    return np.where(np.isnan(lanes), otherwise, full_pass_fraction(lanes))


@lru_cache(maxsize=1 << 16)
def is_counter(name: str) -> bool:
    """Return whether a kernel's name says that its threads add to addresses that they share."""
    return COUNTERS.search(name.lower()) is not None


def named_counters(kernels: KernelTable) -> FloatArray:
    """(n,) 1 where a kernel's name says that its threads add to addresses that they share."""
    return np.array([*map(is_counter, map(str, kernels.strings("kernel").tolist()))], np.float64)


def sum_of_counters(kernels: KernelTable, names: tuple[str, ...]) -> FloatArray:
    """(n,) sum of the counters that are there; NaN where none is."""
    columns = np.stack([kernels.counter(name) for name in names])
    return np.asarray(np.where(np.isnan(columns).all(axis=0), np.nan, np.nansum(columns, axis=0)))


def nothing_counted(amounts: Amounts, insts: FloatArray) -> FloatArray:
    """(n,) 1 where a kernel has no amount of anything: 0 FLOPs alone are no work that a roof could tell."""
    worked = combine(np.logical_or, [known > 0 for known in (*amounts.by_resource.values(), insts)])
    return np.asarray(~worked, dtype=np.float64)
