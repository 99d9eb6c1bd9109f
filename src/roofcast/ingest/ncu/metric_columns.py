"""The identities themselves: every column that Nsight Compute metrics can yield, each with its alternatives.

Order matters twice. Within a line the best alternative comes first. Between lines, a column may use those above it.
Sources: the metric descriptions that ncu prints (``ncu --query-metrics``), NVIDIA's Kernel Profiling Guide, and
comparison on real reports wherever two forms stand in one report.
"""

from __future__ import annotations

STALL_REASONS = (
    *("barrier", "branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss", "lg_throttle", "long_scoreboard"),
    *("math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instruction", "not_selected", "selected"),
    *("short_scoreboard", "sleeping", "tex_throttle", "wait"),
)
"""Why a resident warp does not issue, in ncu's words."""

SWAPS = tuple(f"smsp__inst_executed_op_{space}_atom_dot_cas" for space in ("generic", "shared"))
ATOMIC_INSTS = (
    *(f"smsp__inst_executed_op_{kind}" for kind in ("shared_atom", "generic_atom_dot_alu", "global_red")), SWAPS[0],
)  # fmt: skip
"""Atomic warp instructions: in shared memory, in global memory with and without a result, and swaps there."""

OP = "sum:smsp__sass_thread_inst_executed_op_{}_pred_on"


def operations(op: str, packed: str = "") -> tuple[str, ...]:
    """Thread instructions of one kind; two of them in each packed one (FADD2 and the like of compute capability 10)."""
    more = f" + 2 * ~{OP.format(packed)}" if packed else ""
    return (OP.format(op) + more,)


def fused(op: str, packed: str = "") -> tuple[str, ...]:
    """The same for multiply-adds, which the roofline sections of ncu also report doubled and per cycle."""
    more = f" + 2 * ~{OP.format(packed)}" if packed else ""
    doubled = f"0.5 * derived__smsp__sass_thread_inst_executed_op_{op}_pred_on_x2 * cycles:smsp"
    return (OP.format(op) + more, doubled + more)


def stall(reason: str) -> tuple[str, ...]:
    """Cycles that a warp waits for one reason, per instruction that it issues."""
    sampled = "no_instructions" if reason == "no_instruction" else reason
    sampled = "warpgroup_arrive" if reason == "gmma" else sampled
    return (
        f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio",
        f"smsp__average_warp_latency_issue_stalled_{reason}.ratio",
        f"0.01 * smsp__warp_issue_stalled_{reason}_per_warp_active.pct * warp_latency_cycles_per_inst",
        f"smsp__pcsamp_warps_issue_stalled_{sampled} / smsp__pcsamp_warps_issue_stalled_selected",
    )


def tensor(*sources: str) -> tuple[str, ...]:
    """Operations of the tensor pipe by the type of its inputs."""
    return tuple(f"sum:sm__ops_path_tensor_src_{s}" for s in sources)


def hits(unit: str, *kinds: str) -> tuple[str, ...]:
    """The share of a cache's sectors that it held, of all accesses ('') or of one kind."""
    both = ("0.01 * {0}_sector{1}_hit_rate.pct", "sum:{0}_sectors{1}_lookup_hit / sum:{0}_sectors{1}")
    return tuple(form.format(unit, kind) for kind in kinds for form in both)


def added(*parts: str) -> str:
    """A sum of totals; the first is needed, the others are optional with their own mark."""
    return " + ".join(parts)


L1_SECTORS = added(
    "32 * sum:l1tex__t_sectors_pipe_lsu_mem_global_op_ld", "32 * sum:l1tex__t_sectors_pipe_lsu_mem_global_op_st",
    "32 * ?sum:l1tex__t_sectors_pipe_lsu_mem_local_op_ld", "32 * ?sum:l1tex__t_sectors_pipe_lsu_mem_local_op_st",
    "32 * ?sum:l1tex__t_sectors_pipe_lsu_mem_global_op_atom", "32 * ?sum:l1tex__t_sectors_pipe_lsu_mem_global_op_red",
    "32 * ~sum:l1tex__t_sectors_pipe_tex_mem_texture", "32 * ~sum:l1tex__t_sectors_pipe_tex_mem_surface_op_ld",
    "32 * ~sum:l1tex__t_sectors_pipe_tex_mem_surface_op_st", "32 * ~sum:l1tex__t_sectors_pipe_tex_mem_surface_op_atom",
    "32 * ~sum:l1tex__t_sectors_pipe_tex_mem_surface_op_red", "32 * ~sum:l1tex__t_sectors_pipe_lsu_mem_dshared_op_ld",
    "32 * ~sum:l1tex__t_sectors_pipe_lsu_mem_dshared_op_st",
)  # fmt: skip
L1_SECTORS_SASS = L1_SECTORS.replace("l1tex__t_sectors_pipe_lsu_mem_g", "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_g")
SHARED = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"
DRAM_PEAK = "dram__cycles_elapsed.avg.per_second * device__attribute_global_memory_bus_width * 0.25 * time_s"
"""Bytes that the memory pins can move: two transfers per cycle, an eighth of a byte per bit."""

AMOUNTS: dict[str, tuple[str, ...]] = {
    "time_s": (
        "gpu__time_duration.sum / 1e9",
        "gpu__time_duration.max / 1e9",
        "gpu__time_duration.avg / 1e9",
        "gpu__time_duration_measured_user.sum / 1e9",
        "gpu__time_active.sum / 1e9",
        "gpu__time_active.avg / 1e9",
        "gpc__cycles_elapsed.max / gpc__cycles_elapsed.avg.per_second",
        "gpc__cycles_elapsed.avg / gpc__cycles_elapsed.avg.per_second",
        "sm__cycles_elapsed.avg / sm__cycles_elapsed.avg.per_second",
        "smsp__cycles_elapsed.avg / smsp__cycles_elapsed.avg.per_second",
        "gpc__cycles_elapsed.max / sm__cycles_elapsed.avg.per_second",
        "sm__cycles_elapsed.max / sm__cycles_elapsed.avg.per_second",
        "sm__cycles_elapsed.max / sm__cycles_elapsed.max.per_second",
        "smsp__cycles_elapsed.max / smsp__cycles_elapsed.avg.per_second",
        "dram__bytes.sum / dram__bytes.sum.per_second",
        "dram__bytes_read.sum / dram__bytes_read.sum.per_second",
        "lts__t_sectors.sum / lts__t_sectors.sum.per_second",
        "lts__t_bytes.sum / lts__t_bytes.sum.per_second",
    ),
    "clock_hz": (
        *(f"{unit}__cycles_elapsed.avg.per_second" for unit in ("sm", "smsp", "gpc")),
        *(f"{unit}__cycles_elapsed.max.per_second" for unit in ("sm", "gpc")),
        *(f"{unit}__cycles_elapsed.avg / time_s" for unit in ("sm", "smsp", "gpc")),
        *(f"{unit}__cycles_elapsed.max / time_s" for unit in ("gpc", "sm", "smsp")),
    ),
    "clock_hz_dram": ("dram__cycles_elapsed.avg.per_second", "dram__cycles_elapsed.avg / time_s"),
    "clock_hz_l2": (
        "lts__cycles_elapsed.avg.per_second",
        "lts__cycles_elapsed.avg / time_s",
        "lts__t_sectors.sum / lts__t_sectors.avg.per_cycle_elapsed / count:lts / time_s",
        "lts__t_sectors.sum.per_second / lts__t_sectors.sum.per_cycle_elapsed",
    ),
    "sm_count": ("device__attribute_multiprocessor_count",),
    "capacity_bytes_dram": ("device__attribute_total_memory",),
    "grid_blocks": ("launch__grid_size", "launch__grid_dim_x * launch__grid_dim_y * launch__grid_dim_z"),
    "block_threads": (
        "launch__block_size",
        "launch__block_dim_x * launch__block_dim_y * launch__block_dim_z",
        "launch__thread_count / launch__grid_size",
    ),
    "regs_per_thread": ("launch__registers_per_thread",),
    "smem_bytes_per_block": (
        "launch__shared_mem_per_block_static + launch__shared_mem_per_block_dynamic",
        "launch__shared_mem_per_block - ?launch__shared_mem_per_block_driver",
    ),
    "smem_bytes_per_block_driver": ("launch__shared_mem_per_block_driver",),
    "smem_bytes_per_sm": ("launch__shared_mem_config_size",),
    "waves_per_sm": ("launch__waves_per_multiprocessor",),
    "occupancy_theoretical_fraction": (
        "0.01 * sm__maximum_warps_per_active_cycle_pct",
        "sm__maximum_warps_avg_per_active_cycle / device__attribute_max_warps_per_multiprocessor",
    ),
    "occupancy_fraction": (
        "0.01 * sm__warps_active.avg.pct_of_peak_sustained_active",
        "0.01 * smsp__warps_active.avg.pct_of_peak_sustained_active",
        "smsp__warps_active.avg.per_cycle_active / smsp__warps_active.avg.peak_sustained",
        "sm__warps_active.avg.per_cycle_active / device__attribute_max_warps_per_multiprocessor",
        "smsp__warps_active.avg.per_cycle_active / device__attribute_max_warps_per_scheduler",
    ),
    "sm_active_fraction": (
        "sm__cycles_active.avg / sm__cycles_elapsed.avg",
        "0.01 * sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
        "sm__cycles_active.sum / sm__cycles_elapsed.sum",
        "sm__cycles_active.avg / cycles:sm",
        "sm__inst_executed.avg.per_cycle_elapsed / sm__inst_executed.avg.per_cycle_active",
        "smsp__cycles_active.avg / cycles:smsp",
        "smsp__cycles_active.sum / smsp__cycles_elapsed.sum",
    ),
    "ipc_active": (
        "sm__inst_executed.avg.per_cycle_active",
        "4 * smsp__inst_executed.avg.per_cycle_active",
        "sm__inst_executed.avg / sm__cycles_active.avg",
        "sm__inst_executed.avg.per_cycle_elapsed / sm_active_fraction",
        "sum:sm__inst_executed / sm__cycles_active.avg / count:sm",
    ),
    "insts_executed": (
        "sum:smsp__inst_executed",
        "inst_executed",
        "sum:smsp__sass_inst_executed",
        "sass__inst_executed_per_opcode",
        "0.01 * sm__inst_executed.avg.pct_of_peak_sustained_elapsed * device__attribute_max_ipc_per_multiprocessor"
        " * cycles:sm * count:sm",
    ),
    "insts_issued": (
        "sum:smsp__inst_issued",
        "smsp__issue_active.avg.per_cycle_active * active:smsp * count:smsp",
        "0.01 * sm__inst_issued.avg.pct_of_peak_sustained_elapsed * device__attribute_max_ipc_per_multiprocessor"
        " * cycles:sm * count:sm",
        # Replays are gone since Volta: issued exceeds executed by less than a percent on real reports.
        "insts_executed + ?issue_replays",
    ),
    "insts_thread": (
        "sum:smsp__thread_inst_executed",
        "thread_inst_executed",
        "insts_executed * smsp__thread_inst_executed_per_inst_executed.ratio",
    ),
    "threads_per_inst": (
        "smsp__thread_inst_executed_per_inst_executed.ratio",
        "0.01 * smsp__thread_inst_executed_per_inst_executed.pct * 32",
        "insts_thread / insts_executed",
    ),
    "insts_fp64_add": (*operations("dadd"), "opcode__insts_fp64_add"),
    "insts_fp64_mul": (*operations("dmul"), "opcode__insts_fp64_mul"),
    "insts_fp64_fma": (*fused("dfma"), "opcode__insts_fp64_fma"),
    "insts_fp32_add": (*operations("fadd", "fadd2"), "opcode__insts_fp32_add"),
    "insts_fp32_mul": (*operations("fmul", "fmul2"), "opcode__insts_fp32_mul"),
    "insts_fp32_fma": (*fused("ffma", "ffma2"), "opcode__insts_fp32_fma"),
    "insts_fp16_add": operations("hadd"),
    "insts_fp16_mul": operations("hmul"),
    "insts_fp16_fma": operations("hfma"),
    "flops_fp64": ("insts_fp64_add + insts_fp64_mul + 2 * insts_fp64_fma",),
    "flops_fp32": ("insts_fp32_add + insts_fp32_mul + 2 * insts_fp32_fma",),
    # Opcodes first: the counters take register moves (HFMA2 with immediates) for arithmetic.
    "flops_fp16": (
        "opcode__flops_fp16",
        "2 * insts_fp16_add + 2 * insts_fp16_mul + 4 * insts_fp16_fma",
    ),
    "flops_bf16": ("opcode__flops_bf16",),
    "flops_phantom_fp16": ("opcode__flops_phantom_fp16",),
    "flops_tensor_fp64": (*tensor("fp64"), "opcode__flops_tensor_fp64"),
    "flops_tensor_tf32": (*tensor("tf32_dst_fp32"), "opcode__flops_tensor_tf32"),
    "flops_tensor_fp16": (
        "sum:sm__ops_path_tensor_src_fp16_dst_fp16 + sum:sm__ops_path_tensor_src_fp16_dst_fp32",
        *tensor("fp16", "fp16_bf16_tf32_dst_fp32"),
        "opcode__flops_tensor_fp16",
        *tensor("fp16_dst_fp32", "fp16_dst_fp16"),
    ),
    "flops_tensor_bf16": (*tensor("bf16_dst_fp32"), "opcode__flops_tensor_bf16"),
    "flops_tensor_fp8": (
        "sum:sm__ops_path_tensor_src_fp8_dst_fp16 + sum:sm__ops_path_tensor_src_fp8_dst_fp32",
        "sum:sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp16 + sum:sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32",
        *tensor("fp8"),
        "opcode__flops_tensor_fp8",
        *tensor("fp8_dst_fp32", "fp4_fp6_fp8_dst_fp32"),
    ),
    "flops_tensor_fp4": (*tensor("fp4_dst_fp32"), "opcode__flops_tensor_fp4"),
    "ops_tensor_int8": (*tensor("int8"), "opcode__ops_tensor_int8"),
    "insts_tensor": (
        "sum:sm__inst_executed_pipe_tensor",
        "sum:sm__inst_executed_pipe_tensor_v2",
        "sum:sm__inst_executed_pipe_tensor_subpipe_hmma + sum:sm__inst_executed_pipe_tensor_subpipe_imma"
        " + ~sum:sm__inst_executed_pipe_tensor_subpipe_dmma",
        "sum:sm__inst_executed_pipe_tensor_op_hmma + sum:sm__inst_executed_pipe_tensor_op_imma"
        " + ~sum:sm__inst_executed_pipe_tensor_op_dmma + ~sum:sm__inst_executed_pipe_tensor_op_gmma",
        "opcode__insts_tensor",
    ),
    "ops_int32": (*operations("integer"), "opcode__ops_int32"),
    "insts_special": (
        "sum:sm__inst_executed_pipe_xu",
        "0.01 * sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed * 0.5 * cycles:sm * count:sm",
        "0.01 * sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active * 0.5 * active:sm * count:sm",
        "opcode__insts_special",
    ),
    "insts_lsu": (
        "sum:sm__inst_executed_pipe_lsu",
        "opcode__insts_lsu",
        "0.01 * sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed * chip__insts_lsu_per_cycle"
        " * cycles:sm * count:sm",
    ),
    "insts_shared": (
        "sum:smsp__sass_inst_executed_op_shared",
        "sum:smsp__inst_executed_op_shared_ld + sum:smsp__inst_executed_op_shared_st"
        " + ?sum:smsp__inst_executed_op_shared_atom",
        "sum:smsp__sass_inst_executed_op_shared_ld + sum:smsp__sass_inst_executed_op_shared_st"
        " + ?sum:smsp__inst_executed_op_shared_atom",
        "opcode__insts_shared",
        "sass__inst_executed_shared_loads + sass__inst_executed_shared_stores",
    ),
    "bytes_l1": ("sum:l1tex__t_bytes", "32 * sum:l1tex__t_sectors", L1_SECTORS, L1_SECTORS_SASS),
    "l1_hit_fraction": hits("l1tex__t", ""),
    "bytes_local": (
        "32 * sum:l1tex__t_sectors_pipe_lsu_mem_local_op_ld + 32 * sum:l1tex__t_sectors_pipe_lsu_mem_local_op_st",
    ),
    "bytes_l2": (
        "sum:lts__t_bytes",
        "32 * sum:lts__t_sectors",
        "32 * sum:lts__t_sectors_op_read + 32 * sum:lts__t_sectors_op_write"
        " + 32 * ?sum:lts__t_sectors_op_atom + 32 * ?sum:lts__t_sectors_op_red",
        "32 * sum:lts__t_sectors_srcunit_tex",
        "sum:l1tex__m_xbar2l1tex_read_bytes + sum:l1tex__m_l1tex2xbar_write_bytes",
    ),
    # On chips with two L2 partitions the L2's own counters include what one partition asks of the other.
    "bytes_l2_sm": (
        "32 * sum:lts__t_sectors_srcunit_tex",
        "sum:l1tex__m_xbar2l1tex_read_bytes + sum:l1tex__m_l1tex2xbar_write_bytes",
        "32 * sum:lts__t_sectors_srcunit_tex_op_read + 32 * sum:lts__t_sectors_srcunit_tex_op_write"
        " + 32 * ?sum:lts__t_sectors_srcunit_tex_op_atom + 32 * ?sum:lts__t_sectors_srcunit_tex_op_red",
    ),
    "l2_hit_fraction": hits("lts__t", "", "_srcunit_tex"),
    **{
        f"bytes_dram_{way}": (
            f"sum:dram__bytes_{way}",
            f"sum:dram__bytes_op_{way}",
            f"32 * sum:dram__sectors_{way}",
            f"32 * sum:dram__sectors_op_{way}",
            f"sum:fbpa__dram_{way}_bytes",
            f"32 * sum:fbpa__dram_{way}_sectors",
        )
        for way in ("read", "write")
    },
    "bytes_dram": (
        "sum:dram__bytes",
        "bytes_dram_read + bytes_dram_write",
        "32 * sum:dram__sectors",
        f"0.01 * dram__cycles_active.avg.pct_of_peak_sustained_elapsed * {DRAM_PEAK}",
        f"0.01 * dram__throughput.avg.pct_of_peak_sustained_elapsed * {DRAM_PEAK}",
        f"0.01 * gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed * {DRAM_PEAK}",
        "dram__cycles_active.avg * count:dram * chip__bytes_dram_per_channel_cycle",
        "0.01 * gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed * dram__cycles_elapsed.sum"
        " * chip__bytes_dram_per_channel_cycle",
    ),
    "shared_wavefronts": (
        # The total also counts global stores (it is not 0 in kernels that use no shared memory), so it comes last.
        f"sum:{SHARED}_op_ld + sum:{SHARED}_op_st + ?sum:{SHARED}_op_atom"
        " + ~sum:smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts",
        "memory_l1_wavefronts_shared",
        f"sum:{SHARED}",
        f"sum:{SHARED}_cmd_read + sum:{SHARED}_cmd_write",
    ),
    "bytes_shared": ("128 * shared_wavefronts",),
    "bytes_shared_useful": (
        "sum:smsp__sass_data_bytes_mem_shared",
        "sum:smsp__sass_data_bytes_mem_shared_op_ld + sum:smsp__sass_data_bytes_mem_shared_op_st"
        " + ?sum:smsp__sass_data_bytes_mem_shared_op_atom",
    ),
    "shared_bank_conflicts": (
        f"sum:{CONFLICTS}",
        f"sum:{CONFLICTS}_op_ld + sum:{CONFLICTS}_op_st + ?sum:{CONFLICTS}_op_atom",
    ),
    **{
        f"bytes_per_sector_{way}": (
            f"smsp__sass_average_data_bytes_per_sector_mem_global_op_{op}.ratio",
            f"0.01 * smsp__sass_average_data_bytes_per_sector_mem_global_op_{op}.pct * 32",
            f"sum:smsp__sass_data_bytes_mem_global_op_{op} / sum:l1tex__t_sectors_pipe_lsu_mem_global_op_{op}",
        )
        for way, op in (("load", "ld"), ("store", "st"))
    },
    "atomics_l2": (
        "sum:lts__t_sectors_op_atom + sum:lts__t_sectors_op_red",
        "sum:lts__t_sectors_srcunit_tex_op_atom + sum:lts__t_sectors_srcunit_tex_op_red",
        "sum:lts__t_sectors_srcunit_tex_op_atom_dot_alu + sum:lts__t_sectors_srcunit_tex_op_atom_dot_cas"
        " + sum:lts__t_sectors_srcunit_tex_op_red",
        "sum:l1tex__t_sectors_pipe_lsu_mem_global_op_atom + sum:l1tex__t_sectors_pipe_lsu_mem_global_op_red",
    ),
    "atomic_inst_fraction": (" + ".join(f"sum:{metric} / insts_executed" for metric in ATOMIC_INSTS),),
    "atomic_swap_fraction": (
        " + ".join(f"sum:{metric} / insts_executed / atomic_inst_fraction" for metric in SWAPS),
        f"sum:{SWAPS[0]} / insts_executed / atomic_inst_fraction",
    ),
    "divergent_branch_fraction": (
        "sum:smsp__sass_branch_targets_threads_divergent / sum:smsp__inst_executed_op_branch",
        "1 - 0.01 * smsp__sass_average_branch_targets_threads_uniform.pct",
    ),
    "sectors_uncoalesced": (
        "derived__memory_l2_theoretical_sectors_global_excessive",
        "memory_l2_theoretical_sectors_global - memory_l2_theoretical_sectors_global_ideal",
        "derived__memory_l2_sectors_global_excessive",
        "memory_l2_sectors_global - memory_l2_sectors_global_ideal",
    ),
    "l1_load_hit_fraction": hits("l1tex__t", "_pipe_lsu_mem_global_op_ld"),
    "l2_read_hit_fraction": hits("lts__t", "_op_read", "_srcunit_tex_op_read"),
    "l2_write_hit_fraction": hits("lts__t", "_op_write", "_srcunit_tex_op_write"),
    "warp_latency_cycles_per_inst": (
        "smsp__average_warp_latency_per_inst_issued.ratio",
        "smsp__average_warps_active_per_issue_active.ratio",
        "smsp__warps_active.avg.per_cycle_active / smsp__issue_active.avg.per_cycle_active",
    ),
    **{f"stall_{reason}_per_inst": stall(reason) for reason in STALL_REASONS},
}
"""Column -> expressions of :mod:`roofcast.ingest.ncu.expressions`, best first."""
