"""What the columns of kernel tables mean: one line per spelling. To understand a new column, add a line here.

Left stands the header in lower case, words joined by ``_``, without its unit. A unit in the header (``time_ms``,
``time [ms]``, ``core_MHz``, ``l2_hit_pct``) is understood for every name.
"""

from __future__ import annotations

import re
from dataclasses import replace

from roofcast.core.columns import ALL_NUMERIC, TEXT_COLUMNS, Origin
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource


@dataclass(frozen=True)
class Meaning:
    """The column of the vocabulary that a header stands for."""

    column: str
    factor: float = 1.0
    origin: Origin | None = None
    """None: counted, or derived where the table says that its amounts are analytic."""
    flag: str = ""
    """What a reader must know of rows that take their value from here."""


DERIVED = Origin.DERIVED
ESTIMATED_L2 = "L2 bytes are an estimate (L1 bytes x L1 miss rate)"

TEXTS: dict[str, str] = {
    "kernel_name": "kernel", "kernelname": "kernel", "function_name": "kernel", "function": "kernel", "name": "kernel",
    "gpu_name": "gpu", "gpu_device_name": "gpu", "device_name": "gpu", "device": "gpu", "gpu_model": "gpu",
    "configuration": "config", "params": "config", "parameters": "config",
    "data_type": "precision", "dtype": "precision",
    "cc": "compute_capability", "gpu_compute_capability": "compute_capability",
    "mangled_name": "kernel_mangled",
}  # fmt: skip
"""Spelling -> text column of the vocabulary."""

SIMPLE: dict[str, str] = {
    # time, with any unit
    "time": "time_s", "duration": "time_s", "kernel_time": "time_s", "gpu_time": "time_s", "runtime": "time_s",
    "elapsed": "time_s", "elapsed_time": "time_s", "latency": "time_s", "mean": "time_s", "mean_time": "time_s",
    "time_mean": "time_s", "computation_duration": "time_s", "kernel_duration": "time_s", "execution_time": "time_s",
    "avg_time": "time_s", "average_time": "time_s",
    "std": "time_std_s", "time_std": "time_std_s", "stddev": "time_std_s", "time_stddev": "time_std_s",
    # launch
    "regs": "regs_per_thread", "registers": "regs_per_thread", "registers_per_thread": "regs_per_thread",
    "num_regs": "regs_per_thread", "registers_count": "regs_per_thread",
    "smem_per_block": "smem_bytes_per_block", "shared_mem_per_block": "smem_bytes_per_block",
    "smem": "smem_bytes_per_block", "shmem": "smem_bytes_per_block", "shared_mem": "smem_bytes_per_block",
    "shared_memory_per_block": "smem_bytes_per_block", "shared_memory": "smem_bytes_per_block",
    "block_size_x": "block_threads_x", "p_block_size_x": "block_threads_x", "blockdim_x": "block_threads_x",
    "block_dim_x": "block_threads_x", "block_x": "block_threads_x",
    "threads_per_block": "block_threads", "tpb": "block_threads",
    "blocks": "grid_blocks", "num_blocks": "grid_blocks",
    "gpu_sms": "sm_count", "num_sms": "sm_count", "sms": "sm_count",
    # clocks and power
    "clock": "clock_hz", "sm_clock": "clock_hz", "core": "clock_hz", "core_clock": "clock_hz",
    "gpu_clock": "clock_hz", "mem": "clock_hz_dram", "mem_clock": "clock_hz_dram", "memory_clock": "clock_hz_dram",
    "power": "power_w", "avg_power": "power_w",
    # work
    "flops_sp": "flops_fp32", "flops_dp": "flops_fp64", "flops_hp": "flops_fp16",
    "int_ops": "ops_int32", "intops": "ops_int32",
    "thread_inst_executed": "insts_thread", "inst_executed_thread": "insts_thread",
    "inst_executed_warp": "insts_executed", "warp_inst_executed": "insts_executed", "inst_executed": "insts_executed",
    "dram_bytes": "bytes_dram", "l2_bytes": "bytes_l2", "l1_bytes": "bytes_l1",
    "bytes_dram_written": "bytes_dram_write",
    # rates and shares
    "occupancy_achieved": "occupancy_fraction", "achieved_occupancy": "occupancy_fraction",
    "occupancy": "occupancy_fraction", "occupancy_theoretical": "occupancy_theoretical_fraction",
    "theoretical_occupancy": "occupancy_theoretical_fraction",
    "l1_hit": "l1_hit_fraction", "l1_hit_rate": "l1_hit_fraction", "l2_hit": "l2_hit_fraction",
    "l2_hit_rate": "l2_hit_fraction", "l1_global_ld_hit": "l1_load_hit_fraction",
    "l2_read_hit": "l2_read_hit_fraction", "l2_write_hit": "l2_write_hit_fraction",
    "branch_divergence": "divergent_branch_fraction",
    "sm_active": "sm_active_fraction", "dcgm_sm_active": "sm_active_fraction",
    "smsp_active_cycle_frac": "sm_active_fraction",
    "ipc": "ipc_active", "ipc_executed": "ipc_active",
    "gld_bytes_per_sector": "bytes_per_sector_load", "gst_bytes_per_sector": "bytes_per_sector_store",
    "avg_warp_latency_per_inst_issued": "warp_latency_cycles_per_inst",
    "shared_bank_conflict": "shared_bank_conflicts",
    "atomic_inst": "atomic_inst_fraction", "spill_inst": "local_inst_fraction", "local_inst": "local_inst_fraction",
    "shared_bank_conflicts_per_wave": "shared_conflicts_per_wavefront",
    "issue_to_exec": "issues_per_inst", "thread_inst_per_thread": "insts_per_thread",
    **{
        f"{reason}_stall_ratio": f"stall_{reason}_per_inst"
        for reason in (
            "barrier", "branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss", "lg_throttle",
            "long_scoreboard", "math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instruction",
            "not_selected", "selected", "short_scoreboard", "sleeping", "tex_throttle", "wait",
        )
    },
}  # fmt: skip
"""Spelling -> numeric column of the vocabulary, same quantity."""

MEANINGS: dict[str, tuple[Meaning, ...]] = {
    **{name: (Meaning(column),) for name, column in SIMPLE.items()},
    "flops": (Meaning("flops", origin=DERIVED),),
    "flop": (Meaning("flops", origin=DERIVED),),
    "bytes_compulsory": (Meaning("bytes_compulsory", origin=DERIVED),),
    "working_set_bytes": (Meaning("working_set_bytes", origin=DERIVED),),
    "working_set": (Meaning("working_set_bytes", origin=DERIVED),),
    # What the source text moves, whatever the caches do with it.
    "bytes_model": (Meaning("bytes_l2", origin=DERIVED), Meaning("bytes_dram", origin=DERIVED)),
    "bytes": (Meaning("bytes_l2", origin=DERIVED), Meaning("bytes_dram", origin=DERIVED)),
    "shared_bytes": (Meaning("bytes_shared", origin=DERIVED),),
    "bytes_l1_miss_to_l2_est": (Meaning("bytes_l2", origin=DERIVED, flag=ESTIMATED_L2),),
    "atomic_ops": (Meaning("atomics_l2", origin=DERIVED),),
    "atomic_ops_count": (Meaning("atomics_l2", origin=DERIVED),),
    "smem_tile_bytes": (Meaning("smem_bytes_per_block", origin=DERIVED),),
    # nvprof counts special functions and loads per thread; they issue per warp.
    "flops_sp_special": (Meaning("insts_special", 1 / 32, DERIVED),),
    "inst_ldst": (Meaning("insts_lsu", 1 / 32, DERIVED),),
    "warp_exec_efficiency": (Meaning("threads_per_inst", 32.0),),
    "warp_execution_efficiency": (Meaning("threads_per_inst", 32.0),),
    # Useful bytes over moved bytes, times the 32 bytes of a sector.
    "gld_efficiency": (Meaning("bytes_per_sector_load", 32.0, DERIVED),),
    "gst_efficiency": (Meaning("bytes_per_sector_store", 32.0, DERIVED),),
}
"""Spelling -> what it means. A value fills only what no better column gives."""

PRECISIONS: dict[str, str] = {
    "fp64": "fp64", "f64": "fp64", "float64": "fp64", "double": "fp64", "dp": "fp64",
    "fp32": "fp32", "f32": "fp32", "float32": "fp32", "float": "fp32", "single": "fp32", "sp": "fp32",
    "fp32/u32": "fp32", "fp32 math": "fp32",
    "fp16": "fp16", "f16": "fp16", "float16": "fp16", "half": "fp16", "fp16_mixed": "fp16",
    # Half precision in memory only.
    "fp16_pseudo": "fp32",
    "bf16": "bf16", "bfloat16": "bf16", "tf32": "tf32",
    "fp8": "fp8", "float8": "fp8", "fp8_e4m3": "fp8", "fp8_block": "fp8", "e4m3": "fp8", "fp4": "fp4", "nvfp4": "fp4",
    "int8": "int8", "i8": "int8",
}  # fmt: skip

VECTOR = {
    "fp64": Resource.FLOPS_FP64,
    "fp32": Resource.FLOPS_FP32,
    "fp16": Resource.FLOPS_FP16,
    "bf16": Resource.FLOPS_BF16,
}
TENSOR = {
    "fp16": Resource.FLOPS_TENSOR_FP16, "bf16": Resource.FLOPS_TENSOR_BF16, "tf32": Resource.FLOPS_TENSOR_TF32,
    "fp8": Resource.FLOPS_TENSOR_FP8, "fp4": Resource.FLOPS_TENSOR_FP4, "int8": Resource.OPS_TENSOR_INT8,
}  # fmt: skip
MATRIX_WORK = re.compile(
    r"gemm|matmul|mat_mul|bmm|(?:^|[/_:])mm(?:$|[/_:])|linear|conv|attention|attn|moe|mla|mlp_(?:up|down|gate)|"
    r"_proj|rnn|lstm|gru",
    re.IGNORECASE,
)
"""Kernels whose half-precision work runs on the tensor pipe, by name."""

SECONDS = {"s": 1.0, "sec": 1.0, "seconds": 1.0, "ms": 1e-3, "msec": 1e-3, "us": 1e-6, "usec": 1e-6, "ns": 1e-9}
HERTZ = {"hz": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9}
BYTES = {"b": 1.0, "bytes": 1.0, "byte": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 2.0**10, "mib": 2.0**20}
SHARE = {"pct": 0.01, "percent": 0.01, "%": 0.01, "fraction": 1.0, "frac": 1.0}
WATTS = {"w": 1.0, "mw": 1e-3}
UNITS: tuple[tuple[str, dict[str, float]], ...] = (
    ("time_", SECONDS), ("clock_hz", HERTZ), ("power_", WATTS), ("bytes_", BYTES), ("smem_bytes", BYTES),
    ("working_set_bytes", BYTES), ("capacity_bytes", BYTES),
)  # fmt: skip
"""Start of the column -> units that its header may carry. Shares may stand in percent."""

SHARES = ("threads_per_inst", "bytes_per_sector_load", "bytes_per_sector_store")
"""Columns that also come as a share of their maximum."""
NEEDS_UNIT = frozenset({"core", "mem", "clock", "mean", "std", "stddev", "elapsed", "latency", "power"})
"""Spellings that mean a quantity only together with its unit (``mean_ms``)."""

DIMENSIONS: dict[str, str] = {
    "grid": "grid", "grid_size": "grid", "gridsize": "grid", "grid_dim": "grid", "griddim": "grid",
    "block": "block", "block_size": "block", "blocksize": "block", "block_dim": "block", "blockdim": "block",
    "local_size": "block", "workgroup_size": "block", "global_size": "threads",
}  # fmt: skip
"""Spelling -> launch size, as a number or as a tuple; ``threads`` counts all threads of the launch."""

IN_BRACKETS = re.compile(r"^(?P<name>.*?)\s*[\[(]\s*(?P<unit>[^\])]*?)\s*[\])]$")


def normalise(header: str) -> str:
    """Header in lower case, words joined by ``_``.

    >>> normalise(" Computation  duration")
    'computation_duration'
    """
    return re.sub(r"[\s\-]+", "_", header.strip().lower())


def meanings_of(header: str) -> tuple[Meaning, ...]:
    """What a header stands for; empty where nothing is known of it.

    >>> meanings_of("time_ms")
    (Meaning(column='time_s', factor=0.001, origin=None, flag=''),)
    >>> meanings_of("Computation duration (us)")[0].factor, meanings_of("l2_hit_pct")[0].column
    (1e-06, 'l2_hit_fraction')
    >>> meanings_of("framework")
    ()
    """
    bracket = IN_BRACKETS.match(header.strip())
    name, unit = (bracket["name"], bracket["unit"].lower()) if bracket else (header, "")
    name = normalise(name)
    whole = () if unit or name in NEEDS_UNIT else own(name)
    if whole:
        return tuple(without_unit(m, name) for m in whole)
    if not unit:
        name, _, unit = name.rpartition("_")
    meanings = MEANINGS.get(name) or own(name) or own(f"{name}_s") or own(f"{name}_fraction") or ()
    scaled = [(m, factor_of(m.column, unit)) for m in meanings]
    return tuple(Meaning(m.column, m.factor * f, m.origin, m.flag) for m, f in scaled if f is not None)


def own(name: str) -> tuple[Meaning, ...]:
    """The meaning of a name of the vocabulary itself."""
    if name in MEANINGS:
        return MEANINGS[name]
    return (Meaning(name),) if name in ALL_NUMERIC else ()


def factor_of(column: str, unit: str) -> float | None:
    """Factor from a header's unit to the column's; None where the unit is not one of the column's kind."""
    if column.endswith("_fraction") or column in SHARES:
        return SHARE.get(unit)
    return next((units.get(unit) for start, units in UNITS if column.startswith(start)), None)


def without_unit(meaning: Meaning, name: str) -> Meaning:
    """The meaning of a header without a unit; of a time that does not say it is in seconds, the reader is told."""
    if meaning.column not in ("time_s", "time_std_s") or name == meaning.column:
        return meaning
    return replace(meaning, flag=f"column {name} names no unit: taken as seconds")


def text_column_of(header: str) -> str | None:
    """The text column that a header stands for; None without."""
    name = normalise(header)
    return name if name in TEXT_COLUMNS else TEXTS.get(name)
