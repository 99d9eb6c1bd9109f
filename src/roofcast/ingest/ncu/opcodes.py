"""Amounts from executions per SASS opcode, which a report with source counters holds for every launch.

``HMMA.16816.F32`` says its own shape and type, so tensor FLOPs need no disassembler; the same counts give packed
half-precision work, special functions and load/store instructions, which ``--set full`` does not count otherwise.
The results are pseudo-metrics ``opcode__<column>`` that the table of identities uses like any metric.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from roofcast.core.kernel_table import FloatArray

OpcodeCounts = dict[str, float]
"""Opcode with all its modifiers -> executions in one launch."""

WARPS = "sass__inst_executed_per_opcode_with_modifier_all"
THREADS = "sass__thread_inst_executed_true_per_opcode_with_modifier_all"
OPCODE_METRICS = (WARPS, THREADS)
"""Metrics whose instances count warp and (predicated-on) thread instructions per opcode."""

SHAPES = {
    **{"884": 8 * 8 * 4, "1684": 16 * 8 * 4, "1688": 16 * 8 * 8, "16816": 16 * 8 * 16, "16832": 16 * 8 * 32},
    **{"16864": 16 * 8 * 64, "168128": 16 * 8 * 128, "8816": 8 * 8 * 16, "8832": 8 * 8 * 32},
}
"""Multiply-adds of one warp instruction by the shape in its name."""
GROUP_SHAPE = re.compile(r"(\d+)x(\d+)x(\d+)")
VOLTA_STEPS_FP32, VOLTA_STEPS_FP16 = 512.0, 1024.0
"""FLOP per HMMA.884 step: four steps (or two, with FP16 accumulation) make the 2048 FLOP of one mma.m8n8k4."""

SPECIAL = frozenset({"MUFU", "F2I", "I2F", "F2F", "FRND", "POPC", "FLO", "BREV"})
SHARED = frozenset({"LDS", "LDSM", "STS", "STSM", "ATOMS"})
LOAD_STORE = SHARED | frozenset(
    {"LD", "LDG", "LDL", "ST", "STG", "STL", "ATOM", "ATOMG", "RED", "REDG", "LDGSTS", "SHFL"}
)
INTEGER = frozenset(
    {
        *("IADD", "IADD3", "IADD32I", "IMAD", "IMUL", "IMUL32I", "IABS", "IMNMX", "ISCADD", "ISETP", "ISET", "LEA"),
        *("LOP", "LOP3", "LOP32I", "PLOP3", "SHF", "SHL", "SHR", "BFE", "BFI", "BMSK", "SGXT", "IDP", "IDP4A"),
        *("VIADD", "VIMNMX", "VIMNMX3", "VIADDMNMX", "VABSDIFF", "VABSDIFF4", "XMAD", "POPC", "FLO", "BREV"),
    }
)
HALF_EVIDENCE = ("HADD2", "HMUL2", "HMNMX2", "HSET2", "HSETP2", "F2FP", "F2F.F16", "I2F.F16", "HMMA", "HGMMA")
"""A kernel that computes in half precision converts, compares, adds or multiplies somewhere."""


def base_of(opcode: str) -> str:
    """The opcode without its modifiers: ``LDG`` of ``LDG.E.64``."""
    return opcode.partition(".")[0]


def is_bf16(opcode: str) -> bool:
    """Whether packed arithmetic is on bfloat16: ``HFMA2.BF16_V2``."""
    return ".BF16" in opcode


def tensor_flops(opcode: str) -> tuple[str, float] | None:
    """Column and operations of one warp instruction of the tensor pipe; None for other opcodes.

    The operations are NaN where the name does not tell the shape (tcgen05 of compute capability 10).

    >>> tensor_flops("HMMA.16816.F32.BF16"), tensor_flops("HGMMA.64x128x16.F32"), tensor_flops("FFMA")
    (('flops_tensor_bf16', 4096.0), ('flops_tensor_fp16', 65536.0), None)
    """
    base = base_of(opcode)
    if base not in TENSOR_COLUMNS:
        return None
    column = TENSOR_COLUMNS[base](opcode)
    parts = opcode.split(".")
    if base == "HMMA" and "884" in parts:
        return column, VOLTA_STEPS_FP32 if parts[2:3] == ["F32"] else VOLTA_STEPS_FP16
    for part in parts[1:]:
        if part in SHAPES:
            return column, 2.0 * SHAPES[part]
        if group := GROUP_SHAPE.fullmatch(part):
            # A warp group of four warps executes it together and each warp counts it.
            return column, 2.0 * float(np.prod([float(g) for g in group.groups()])) / 4
    return column, np.nan


def half_type(opcode: str) -> str:
    """Column of a half-precision matrix instruction by its input type."""
    if ".TF32" in opcode:
        return "flops_tensor_tf32"
    return "flops_tensor_bf16" if is_bf16(opcode) else "flops_tensor_fp16"


def constant(column: str) -> Callable[[str], str]:
    """A function that always names the same column."""
    return lambda opcode: column


TENSOR_COLUMNS: dict[str, Callable[[str], str]] = {
    **dict.fromkeys(("HMMA", "HGMMA", "UTCHMMA"), half_type),
    **dict.fromkeys(("QMMA", "QGMMA", "UTCQMMA"), constant("flops_tensor_fp8")),
    **dict.fromkeys(("OMMA", "UTCOMMA"), constant("flops_tensor_fp4")),
    **dict.fromkeys(("IMMA", "IGMMA", "UTCIMMA"), constant("ops_tensor_int8")),
    "DMMA": constant("flops_tensor_fp64"),
}
TENSOR_NAMES = (
    *("flops_tensor_fp64", "flops_tensor_tf32", "flops_tensor_fp16", "flops_tensor_bf16", "flops_tensor_fp8"),
    *("flops_tensor_fp4", "ops_tensor_int8"),
)


def warp_amounts(counts: Mapping[str, float]) -> dict[str, float]:
    """Column -> amount of one launch from warp instructions per opcode."""
    amounts = dict.fromkeys((*TENSOR_NAMES, "insts_tensor"), 0.0)
    for opcode, count in counts.items():
        tensor = tensor_flops(opcode)
        if tensor is not None:
            amounts[tensor[0]] += count * tensor[1]
            amounts["insts_tensor"] += count
    for column, opcodes in (("insts_special", SPECIAL), ("insts_lsu", LOAD_STORE), ("insts_shared", SHARED)):
        amounts[column] = sum(n for o, n in counts.items() if base_of(o) in opcodes)
    return amounts


def thread_amounts(counts: Mapping[str, float]) -> dict[str, float]:
    """Column -> amount of one launch from predicated-on thread instructions per opcode."""

    def total(*bases: str, bf16: bool = False) -> float:
        return sum(n for o, n in counts.items() if base_of(o) in bases and is_bf16(o) == bf16)

    half = 2 * total("HADD2", "HADD2_32I") + 2 * total("HMUL2", "HMUL2_32I")
    fused = 4 * total("HFMA2", "HFMA2_32I")
    evidence = any(o.startswith(HALF_EVIDENCE) for o in counts)
    phantom = 0.0 if evidence else fused
    return {
        "insts_fp64_add": total("DADD"),
        "insts_fp64_mul": total("DMUL"),
        "insts_fp64_fma": total("DFMA"),
        "insts_fp32_add": total("FADD", "FADD32I") + 2 * total("FADD2"),
        "insts_fp32_mul": total("FMUL", "FMUL32I") + 2 * total("FMUL2"),
        "insts_fp32_fma": total("FFMA", "FFMA32I") + 2 * total("FFMA2"),
        "flops_fp16": half + fused - phantom,
        "flops_bf16": 2 * total("HADD2", "HMUL2", bf16=True) + 4 * total("HFMA2", bf16=True),
        "flops_phantom_fp16": np.nan if evidence and fused else phantom,
        "ops_int32": total(*INTEGER),
    }


AMOUNTS_OF: dict[str, Callable[[Mapping[str, float]], dict[str, float]]] = {
    WARPS: warp_amounts,
    THREADS: thread_amounts,
}


def metrics_from_opcodes(launches: Sequence[Mapping[str, OpcodeCounts]]) -> dict[str, FloatArray]:
    """Pseudo-metrics ``opcode__<column>`` of n launches.

    launches : per launch, metric of :data:`OPCODE_METRICS` -> executions per opcode (empty where not collected).

    Returns name -> (n,) values, NaN where a launch has no opcode counts or its opcodes do not tell.
    """
    columns: dict[str, FloatArray] = {}
    for row, launch in enumerate(launches):
        for metric, counts in launch.items():
            if not counts:
                continue
            for column, value in AMOUNTS_OF[metric](counts).items():
                name = f"opcode__{column}"
                if name not in columns:
                    columns[name] = np.full(len(launches), np.nan)
                columns[name][row] = value
    return columns
