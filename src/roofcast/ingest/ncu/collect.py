"""Which Nsight Compute metrics supply what a profile lacks, and the command line that collects them."""

from __future__ import annotations

from collections.abc import Iterable

from roofcast.core.columns import ALL_NUMERIC
from roofcast.core.records import dataclass
from roofcast.ingest.ncu.metric_columns import ATOMIC_INSTS, STALL_REASONS, SWAPS

OP = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
WARP_OPCODES = "sass__inst_executed_per_opcode_with_modifier_all"
THREAD_OPCODES = "sass__thread_inst_executed_true_per_opcode_with_modifier_all"
SHARED = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
INTEGRATED = frozenset({"7.2", "8.7", "11.0", "12.1"})
"""Compute capabilities of GPUs without memory of their own: ncu has no DRAM counters there."""
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"


@dataclass(frozen=True, slots=True)
class Source:
    """Metrics that supply one column, with other ones where a chip names them differently."""

    metrics: tuple[str, ...]
    by_capability: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """(prefix of the compute capability, metrics there); the first that fits counts. No metrics: not collectable."""

    def on(self, compute_capability: str) -> tuple[str, ...]:
        """Metrics on a chip."""
        for prefix, metrics in self.by_capability:
            if compute_capability.startswith(prefix):
                return metrics
        return self.metrics


def operations(add: str, mul: str, fma: str) -> tuple[str, ...]:
    """Counters of additions, multiplications and multiply-adds."""
    return OP.format(add), OP.format(mul), OP.format(fma)


def packed(*ops: str) -> Source:
    """FP32 counters; compute capability 10.0 and 10.3 also pack two of them into one instruction."""
    plain = tuple(OP.format(op) for op in ops)
    both = plain + tuple(OP.format(f"{op}2") for op in ops)
    return Source(plain, (("10.", both),))


def dram(*metrics: str, graphics: tuple[str, ...] | None = None) -> Source:
    """DRAM counters, under other names on consumer Blackwell and absent on integrated GPUs."""
    without = tuple((capability, ()) for capability in sorted(INTEGRATED))
    return Source(metrics, (*without, *((("12.", graphics),) if graphics else ())))


def of_cache(*metrics: str) -> Source:
    """Counters of the L2 cache, which ncu does not have on GB20B."""
    return Source(metrics, (("12.1", ()),))


TENSOR = Source((WARP_OPCODES,))
SOURCES: dict[str, Source] = {
    "time_s": Source(("gpu__time_duration.sum",)),
    "clock_hz": Source(("sm__cycles_elapsed.avg.per_second",)),
    "clock_hz_dram": dram("dram__cycles_elapsed.avg.per_second"),
    "clock_hz_l2": Source(("lts__cycles_elapsed.avg.per_second",)),
    "flops_fp64": Source(operations("dadd", "dmul", "dfma")),
    "insts_fp64_add": Source((OP.format("dadd"),)),
    "insts_fp64_mul": Source((OP.format("dmul"),)),
    "insts_fp64_fma": Source((OP.format("dfma"),)),
    "flops_fp32": packed("fadd", "fmul", "ffma"),
    "insts_fp32_add": packed("fadd"),
    "insts_fp32_mul": packed("fmul"),
    "insts_fp32_fma": packed("ffma"),
    "flops_fp16": Source(operations("hadd", "hmul", "hfma")),
    "insts_fp16_add": Source((OP.format("hadd"),)),
    "insts_fp16_mul": Source((OP.format("hmul"),)),
    "insts_fp16_fma": Source((OP.format("hfma"),)),
    "flops_bf16": Source((THREAD_OPCODES,)),
    "flops_phantom_fp16": Source((THREAD_OPCODES,)),
    **dict.fromkeys(
        (
            *("flops_tensor_fp64", "flops_tensor_tf32", "flops_tensor_fp16", "flops_tensor_bf16"),
            *("flops_tensor_fp8", "flops_tensor_fp4", "ops_tensor_int8"),
        ),
        TENSOR,
    ),
    "insts_tensor": Source(("sm__inst_executed_pipe_tensor.sum",)),
    "ops_int32": Source((OP.format("integer"),)),
    "insts_issued": Source(("smsp__inst_issued.sum",)),
    "insts_executed": Source(("smsp__inst_executed.sum",)),
    "insts_thread": Source(("smsp__thread_inst_executed_per_inst_executed.ratio", "smsp__inst_executed.sum")),
    "threads_per_inst": Source(("smsp__thread_inst_executed_per_inst_executed.ratio",)),
    "insts_special": Source(("sm__inst_executed_pipe_xu.sum",)),
    "insts_lsu": Source(("sm__inst_executed_pipe_lsu.sum",)),
    "insts_shared": Source(("smsp__sass_inst_executed_op_shared.sum",)),
    "bytes_l1": Source(("l1tex__t_bytes.sum",)),
    "l1_hit_fraction": Source(("l1tex__t_sector_hit_rate.pct",)),
    "l1_load_hit_fraction": Source(("l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct",)),
    "bytes_local": Source(
        ("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum")
    ),
    "bytes_l2": of_cache("lts__t_bytes.sum"),
    "bytes_l2_sm": of_cache("lts__t_sectors_srcunit_tex.sum"),
    "l2_hit_fraction": of_cache("lts__t_sector_hit_rate.pct"),
    "l2_read_hit_fraction": of_cache("lts__t_sector_op_read_hit_rate.pct"),
    "l2_write_hit_fraction": of_cache("lts__t_sector_op_write_hit_rate.pct"),
    "atomics_l2": of_cache("lts__t_sectors_op_atom.sum", "lts__t_sectors_op_red.sum"),
    "bytes_dram": dram("dram__bytes.sum"),
    "bytes_dram_read": dram("dram__bytes_read.sum", graphics=("dram__bytes_op_read.sum",)),
    "bytes_dram_write": dram("dram__bytes_write.sum", graphics=("dram__bytes_op_write.sum",)),
    **dict.fromkeys(
        ("bytes_shared", "shared_wavefronts"),
        Source((SHARED.format("ld"), SHARED.format("st"), SHARED.format("atom"))),
    ),
    "bytes_shared_useful": Source(("smsp__sass_data_bytes_mem_shared.sum",)),
    "shared_bank_conflicts": Source(("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",)),
    "bytes_per_sector_load": Source(("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio",)),
    "bytes_per_sector_store": Source(("smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio",)),
    "occupancy_fraction": Source(("sm__warps_active.avg.pct_of_peak_sustained_active",)),
    "ipc_active": Source(("sm__inst_executed.avg.per_cycle_active",)),
    "sm_active_fraction": Source(("sm__cycles_active.avg", "sm__cycles_elapsed.avg")),
    "atomic_inst_fraction": Source(tuple(f"{m}.sum" for m in (*ATOMIC_INSTS, "smsp__inst_executed"))),
    "atomic_swap_fraction": Source(tuple(f"{m}.sum" for m in (*SWAPS, *ATOMIC_INSTS, "smsp__inst_executed"))),
    "divergent_branch_fraction": Source(
        ("smsp__sass_branch_targets_threads_divergent.sum", "smsp__inst_executed_op_branch.sum")
    ),
    "warp_latency_cycles_per_inst": Source(("smsp__average_warp_latency_per_inst_issued.ratio",)),
    **{f"stall_{reason}_per_inst": Source((STALL.format(reason),)) for reason in STALL_REASONS},
    "stall_gmma_per_inst": Source((), (("9.0", (STALL.format("gmma"),)),)),
    "stall_imc_miss_per_inst": Source((STALL.format("imc_miss"),), tuple((c, ()) for c in ("10.", "11.", "12."))),
}
"""Column of the vocabulary -> metrics that supply it. Launch geometry is in every report and needs no metric."""

FORECAST_COLUMNS = (
    *("time_s", "clock_hz", "clock_hz_dram", "clock_hz_l2", "insts_executed", "threads_per_inst"),
    *("flops_fp64", "flops_fp32", "flops_fp16", "ops_int32", "insts_tensor", "bytes_dram", "bytes_l2", "bytes_l1"),
    *("shared_bank_conflicts", "occupancy_fraction"),
)
"""What a forecast needs at least. Each metric more may cost a replay pass: these take three."""
FORECAST_SHARED = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
"""All accesses to shared memory in one counter, where :data:`SOURCES` has one per kind."""


def forecast_metrics(compute_capability: str = "") -> tuple[str, ...]:
    """The few metrics that a forecast needs, in three passes.

    >>> len(forecast_metrics()), forecast_metrics("9.0")[-1]
    (23, 'l1tex__data_pipe_lsu_wavefronts_mem_shared.sum')
    """
    return (*metrics_for(FORECAST_COLUMNS, compute_capability), FORECAST_SHARED)


def metrics_for(missing: Iterable[str], compute_capability: str = "") -> tuple[str, ...]:
    """Metrics that supply the missing columns, each once, in the order of the vocabulary.

    missing : names of columns; those that ncu cannot supply are passed over.
    compute_capability : such as ``9.0``; '' where it is not known (then the names of most chips are used).
    """
    wanted = set(missing)
    columns = [c for c in (*SOURCES, *ALL_NUMERIC) if c in wanted and c in SOURCES]
    return tuple(dict.fromkeys(m for column in columns for m in SOURCES[column].on(compute_capability)))


def collection_command(missing: Iterable[str], compute_capability: str = "") -> str:
    """The ncu command line that collects missing columns; '' where ncu can supply none of them.

    The duration is always collected with them, so that the new report is usable alone.

    >>> collection_command(["bytes_dram_read", "flops_fp64"], "12.0").partition(" -o ")[0][-70:]
    '_sass_thread_inst_executed_op_dfma_pred_on.sum,dram__bytes_op_read.sum'
    >>> collection_command(["working_set_bytes"])
    ''
    """
    metrics = metrics_for(missing, compute_capability)
    if not metrics:
        return ""
    names = ",".join(dict.fromkeys(("gpu__time_duration.sum", *metrics)))
    return f"ncu --metrics {names} -o profile ./application"
