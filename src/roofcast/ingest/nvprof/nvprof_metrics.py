"""From nvprof's metrics and events to amounts.

Meanings: CUDA Profiler User's Guide, metrics reference. FMAs count twice in ``flop_count_*`` and once in
``flop_count_*_fma``. DRAM and L2 transactions are sectors of 32 bytes.

``gld_transactions`` and ``gst_transactions`` are kept as counters but are no bytes here: one is 128 bytes on Kepler,
and on Maxwell and Pascal a fully used 32-byte sector is counted twice for loads and once for stores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, OriginArray

Term = tuple[float, str]
Sum = tuple[Term, ...]


def sectors(*names: str) -> Sum:
    """Bytes of 32-byte transactions."""
    return tuple((32.0, name) for name in names)


FB_READ = tuple(f"fb_subp{i}_read_sectors" for i in range(2))
FB_WRITE = tuple(f"fb_subp{i}_write_sectors" for i in range(2))

AMOUNTS: dict[str, tuple[Sum, ...]] = {
    "flops_fp64": (
        ((1.0, "flop_count_dp"),),
        ((1.0, "flop_count_dp_add"), (1.0, "flop_count_dp_mul"), (2.0, "flop_count_dp_fma")),
    ),
    "flops_fp32": (
        ((1.0, "flop_count_sp"),),
        ((1.0, "flop_count_sp_add"), (1.0, "flop_count_sp_mul"), (2.0, "flop_count_sp_fma")),
    ),
    "flops_fp16": (
        ((1.0, "flop_count_hp"),),
        ((1.0, "flop_count_hp_add"), (1.0, "flop_count_hp_mul"), (2.0, "flop_count_hp_fma")),
    ),
    "insts_fp64_add": (((1.0, "flop_count_dp_add"),),),
    "insts_fp64_mul": (((1.0, "flop_count_dp_mul"),),),
    "insts_fp64_fma": (((1.0, "flop_count_dp_fma"),),),
    "insts_fp32_add": (((1.0, "flop_count_sp_add"),),),
    "insts_fp32_mul": (((1.0, "flop_count_sp_mul"),),),
    "insts_fp32_fma": (((1.0, "flop_count_sp_fma"),),),
    # Counted per thread; a special-function instruction is issued per warp.
    "insts_special": (((1 / 32, "flop_count_sp_special"),),),
    "ops_int32": (((1.0, "inst_integer"),),),
    "insts_executed": (((1.0, "inst_executed"),),),
    "insts_issued": (((1.0, "inst_issued"),), ((1.0, "inst_executed"),)),
    "insts_thread": (((1.0, "thread_inst_executed"),),),
    "insts_lsu": (((1.0, "ldst_executed"),),),
    "threads_per_inst": (((0.32, "warp_execution_efficiency"),),),
    "bytes_dram_read": (((1.0, "dram_read_bytes"),), sectors("dram_read_transactions"), sectors(*FB_READ)),
    "bytes_dram_write": (((1.0, "dram_write_bytes"),), sectors("dram_write_transactions"), sectors(*FB_WRITE)),
    "bytes_dram": (
        ((1.0, "dram_read_bytes"), (1.0, "dram_write_bytes")),
        sectors("dram_read_transactions", "dram_write_transactions"),
        sectors(*FB_READ, *FB_WRITE),
    ),
    "bytes_l2": (sectors("l2_read_transactions", "l2_write_transactions"),),
    "shared_wavefronts": (((1.0, "shared_load_transactions"), (1.0, "shared_store_transactions")),),
    "bytes_shared": (((128.0, "shared_load_transactions"), (128.0, "shared_store_transactions")),),
    "atomics_l2": (((1.0, "l2_atomic_transactions"),), ((1.0, "atomic_transactions"),)),
    "occupancy_fraction": (((1.0, "achieved_occupancy"),),),
    "ipc_active": (((1.0, "ipc"),),),
    "sm_active_fraction": (((0.01, "sm_efficiency"),),),
    "l1_hit_fraction": (((0.01, "global_hit_rate"),), ((0.01, "l1_cache_global_hit_rate"),)),
    "l2_hit_fraction": (((0.01, "l2_tex_hit_rate"),), ((0.01, "l2_l1_read_hit_rate"),)),
}
"""Column -> alternatives, the best first; each is a sum of factor x metric."""

THROUGHPUTS = {
    "bytes_dram": ("dram_read_throughput", "dram_write_throughput"),
    "bytes_l2": ("l2_read_throughput", "l2_write_throughput"),
}
"""Column -> metrics in bytes per second; times the duration they give the bytes."""

UNCOUNTED = frozenset({"insts_special", "insts_issued"})
"""Columns whose single counter is not exactly the quantity, so that the value is derived."""


def nvprof_collection_command(missing: Iterable[str]) -> str:
    """The nvprof command line that collects missing columns; '' where nvprof can supply none of them.

    Counters and times come from two runs: with metrics, kernels are replayed and their times are of no use.

    >>> nvprof_collection_command(["bytes_dram_read", "flops_fp64"])
    'nvprof --csv --print-gpu-trace --metrics flop_count_dp,dram_read_transactions --log-file profile.csv ./application'
    """
    wanted = set(missing)
    # Bytes of DRAM as transactions: the metrics in bytes came with Pascal.
    chosen = [next((s for s in sums if s[0][0] == 32.0), sums[0]) for c, sums in AMOUNTS.items() if c in wanted]
    names = ",".join(dict.fromkeys(name for terms in chosen for _, name in terms))
    return f"nvprof --csv --print-gpu-trace --metrics {names} --log-file profile.csv ./application" if names else ""


def amounts_from_nvprof(
    metrics: Mapping[str, FloatArray], time_s: FloatArray
) -> dict[str, tuple[FloatArray, OriginArray]]:
    """Columns of the vocabulary that nvprof metrics yield.

    metrics : name -> (n,) float64; percentages as printed (97.5), rates in bytes per second, NaN where absent.
    time_s : (n,) s, NaN where unknown.

    >>> found = amounts_from_nvprof({"dram_read_transactions": np.array([10.0])}, np.array([np.nan]))
    >>> {k: (float(v[0]), int(o[0])) for k, (v, o) in found.items()}
    {'bytes_dram_read': (320.0, 2)}
    """
    size = len(time_s)
    columns: dict[str, tuple[FloatArray, OriginArray]] = {}
    for column, alternatives in AMOUNTS.items():
        values, origin = np.full(size, np.nan), np.zeros(size, np.uint8)
        for terms in alternatives:
            if all(name in metrics for _, name in terms):
                summed = sum((factor * metrics[name] for factor, name in terms), np.zeros(size))
                counted = len(terms) == 1 and terms[0][0] in (1.0, 0.01, 0.32) and column not in UNCOUNTED
                take(values, origin, summed, Origin.COUNTED if counted else Origin.DERIVED)
        for read, write in [THROUGHPUTS[column]] if column in THROUGHPUTS else []:
            if read in metrics and write in metrics:
                take(values, origin, (metrics[read] + metrics[write]) * time_s, Origin.DERIVED)
        if not np.isnan(values).all():
            columns[column] = values, origin
    if "branch_efficiency" in metrics:
        divergent = 1 - 0.01 * metrics["branch_efficiency"]
        columns["divergent_branch_fraction"] = divergent, np.full(size, int(Origin.DERIVED), np.uint8)
    return columns


def take(values: FloatArray, origin: OriginArray, more: FloatArray, kind: Origin) -> None:
    """Fill the absent values in place."""
    here = np.isnan(values) & ~np.isnan(more)
    values[here] = more[here]
    origin[here] = int(kind)
