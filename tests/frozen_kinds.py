"""Drawn tables of single kinds of kernels, each of which takes a way of its own through the models.

For :mod:`frozen_values`, and drawn as there: no measurements, a fixed seed, each amount absent in some of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import roofcast
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.resource import Resource

AMD = ("MI50", "MI100", "RX 6800 XT", "MI250X", "MI25", "V100 SXM2 16GB")
SOLVERS = (
    ("miopen/ConvOclBwdWrW53/W/fp32", "fp32", "8-28-28-3x3-8-28-28-512-1x1-1x1-1x1-0-NCHW-FP32-W"),
    ("miopen/ConvBinWinogradRxSf2x3/F/bf16", "bf16", ""),
    ("miopen/ConvHipImplicitGemmForwardV4R4Xdlops/F/bf16", "bf16", ""), ("miopen/fft/F/fp32", "fp32", ""),
    ("miopen/ConvOclBwdWrW53/W/fp16", "fp16", "64-14-14-5x3-16-14-14-64-1x1-1x1-1x1-0-NCHW-FP16-W_g4"),
    ("miopen/GemmFwd1x1_0_1/F/fp16", "fp16", ""), ("miopen/ConvAsm3x3U/F/fp16", "fp16", ""),
    ("miopen/ConvOclDirectFwd/F/bf16", "bf16", ""), ("miopen/ConvCKIgemmFwd/F/fp32", "fp32", ""),
)  # fmt: skip
"""MIOpen's algorithms, their precision, and keys of their problems."""
ROW_OPERATORS = (
    ("torch/softmax", "fp16"), ("torch/softmax", "fp32"), ("aten::layer_norm", "bf16"), ("torch/add", "fp32"),
    ("attention/causal", "bf16"), ("moe/fused", "bf16"), ("torch/bmm", "fp16"), ("gemm/fp8", "fp8"),
    ("softmax_warp_forward", "fp16"), ("aten::embedding", "fp16"), ("aten::convolution", "fp16"),
    ("aten::max_pool2d", "fp32"), ("nvjet_qqtst_128x64_128x6_1x2_h", "fp8"), ("torch/linear", "tf32"),
)  # fmt: skip
"""Calls of operators by label, and their precision."""
SOURCES = ("V100 SXM2 16GB", "A100 SXM4 40GB", "H100 SXM5 80GB", "L40S", "T4", "RTX 4090")


def logarithmic(draw: np.random.Generator, low: float, high: float, rows: int, absent: float = 0.0) -> FloatArray:
    """Values drawn evenly in the logarithm, a share of them absent."""
    value = np.exp(draw.uniform(np.log(low), np.log(high), rows))
    return np.asarray(np.where(draw.random(rows) < absent, np.nan, value))


def table(text: Mapping[str, Sequence[str]], numeric: Mapping[str, FloatArray]) -> KernelTable:
    """A table of which all was counted."""
    return KernelTable.from_columns(
        {k: list(v) for k, v in text.items()}, {k: (v, Origin.COUNTED) for k, v in numeric.items()}
    )


def draw_convolutions(seed: int, rows: int = 36) -> KernelTable:
    """Convolutions of MIOpen, by algorithm."""
    draw = np.random.default_rng(seed)
    made = [SOLVERS[i % len(SOLVERS)] for i in range(rows)]
    text = {"kernel": [m[0] for m in made], "precision": [m[1] for m in made], "config": [m[2] for m in made],
            "gpu": [AMD[i // 2 % len(AMD)] for i in range(rows)]}  # fmt: skip
    flops, moved = logarithmic(draw, 1e8, 1e12, rows), logarithmic(draw, 1e6, 1e9, rows)
    time_s = (flops / 8e12 + moved / 5e11 + 5e-6) * np.exp(draw.uniform(0, 2, rows))
    return table(text, {"time_s": time_s, "flops": flops, "bytes_compulsory": moved})


def draw_row_operators(seed: int, rows: int = 56) -> KernelTable:
    """Calls of operators with shapes, rows among them that no wide load fits."""
    draw = np.random.default_rng(seed)
    made = [ROW_OPERATORS[i % len(ROW_OPERATORS)] for i in range(rows)]
    text = {"kernel": [m[0] for m in made], "precision": [m[1] for m in made],
            "gpu": [SOURCES[i // 3 % len(SOURCES)] for i in range(rows)],
            "timer": draw.choice(["", "host", "device"], rows).tolist()}  # fmt: skip
    count = np.round(logarithmic(draw, 64, 16384, rows))
    width = np.round(logarithmic(draw, 200, 9000, rows))
    width = np.where(draw.random(rows) < 0.5, width // 8 * 8, width)
    products = np.array(["bmm" in m[0] or "gemm" in m[0] or "linear" in m[0] or "moe" in m[0] for m in made])
    inner = np.where(products, np.round(logarithmic(draw, 31, 4100, rows)), np.nan)
    wide = np.array([{"fp32": 4.0, "tf32": 4.0, "fp8": 1.0}.get(m[1], 2.0) for m in made])
    flops = np.where(products, 2 * count * width * np.nan_to_num(inner), 5 * count * width)
    moved = 2 * wide * count * width
    numeric = {
        "time_s": (flops / 2e13 + moved / 6e11 + 4e-6) * np.exp(draw.uniform(0, 2, rows)),
        "flops": np.where(draw.random(rows) < 0.1, np.nan, flops), "bytes_compulsory": moved,
        "shape_rows": np.where(products | (draw.random(rows) < 0.2), np.nan, count),
        "shape_m": np.where(products, count, np.nan), "shape_n": np.where(products, width, np.nan), "shape_k": inner,
        "shape_batch": np.where(products, np.round(logarithmic(draw, 1, 9, rows)), np.nan),
    }  # fmt: skip
    return table(text, numeric)


def draw_calls(seed: int, sizes: int = 60) -> KernelTable:
    """Library calls at many sizes: of two the host takes most of the time, of one it takes nothing."""
    draw = np.random.default_rng(seed)
    text: dict[str, list[str]] = {"kernel": [], "precision": [], "gpu": []}
    columns: dict[str, list[FloatArray]] = {"time_s": [], "flops": [], "bytes_compulsory": []}
    for name, floor in (("torch/add", 4e-5), ("torch/softmax", 6e-6), ("torch/linear", 2.5e-5)):
        work = np.sort(logarithmic(draw, 1e4, 1e9, sizes))
        moved = work * 2.0
        own = moved / 8e11 + floor * np.exp(draw.uniform(0, 0.1, sizes))
        for key, values in (("time_s", own), ("flops", work), ("bytes_compulsory", moved)):
            columns[key].append(values)
        text["kernel"] += [name] * sizes
        text["precision"] += ["fp16"] * sizes
        text["gpu"] += ["A100 SXM4 40GB"] * sizes
    return table(text, {key: np.concatenate(values) for key, values in columns.items()})


def draw_hot(seed: int, rows: int = 24) -> KernelTable:
    """Kernels that use much of their GPU at a recorded clock, some with a measured power."""
    draw = np.random.default_rng(seed)
    names = [SOURCES[i % len(SOURCES)] for i in range(rows)]
    gpus = [roofcast.gpu(name) for name in names]
    time_s = logarithmic(draw, 1e-4, 1e-1, rows)
    numeric: dict[str, FloatArray] = {"time_s": time_s}
    roofs = {Resource.BYTES_DRAM: 0.95, Resource.BYTES_L2: 0.8, Resource.FLOPS_FP32: 0.9,
             Resource.FLOPS_TENSOR_FP16: 0.95, Resource.INSTS_ISSUED: 0.8}  # fmt: skip
    for resource, most in roofs.items():
        rate = np.array([g.rate(resource) if resource in g.supplies else np.nan for g in gpus])
        numeric[resource.value] = rate * time_s * draw.uniform(0.5 * most, most, rows)
    clocks = np.array([g.clock_hz_boost for g in gpus]) * draw.uniform(0.75, 1.0, rows)
    board = np.array([g.tdp_w or np.nan for g in gpus])
    numeric |= {"clock_hz": clocks, "grid_blocks": np.full(rows, 3000.0), "block_threads": np.full(rows, 256.0),
                "power_w": np.where(draw.random(rows) < 0.6, np.nan, board * draw.uniform(0.3, 1.0, rows))}  # fmt: skip
    return table({"kernel": [f"hot{i}" for i in range(rows)], "gpu": names}, numeric)


def draw_implausible(seed: int, rows: int = 40) -> KernelTable:
    """Kernels of which an amount, or the time, was given in another unit."""
    draw = np.random.default_rng(seed)
    names = [SOURCES[i % len(SOURCES)] for i in range(rows)]
    gpus = [roofcast.gpu(name) for name in names]
    time_s = logarithmic(draw, 1e-5, 1e-2, rows)
    numeric: dict[str, FloatArray] = {"time_s": time_s}
    pipes = (Resource.FLOPS_FP64, Resource.FLOPS_FP32, Resource.FLOPS_FP16, Resource.FLOPS_TENSOR_FP16,
             Resource.FLOPS_TENSOR_FP8, Resource.BYTES_DRAM, Resource.BYTES_L2)  # fmt: skip
    for resource in pipes:
        rate = np.array([g.rate(resource) if resource in g.supplies else 1e13 for g in gpus])
        factor = draw.choice([1.0, 1.1, 1.3, 4.0, 1e3, 1e6, 1e9, 1e-6, 1e-9], rows)
        share = np.where(draw.random(rows) < 0.6, np.nan, draw.uniform(0.3, 0.9, rows))
        numeric[resource.value] = rate * time_s * share * factor
    numeric["working_set_bytes"] = logarithmic(draw, 1e5, 1e9, rows, 0.5)
    return table({"kernel": [f"conv_{i}" if i % 5 == 0 else f"u{i}" for i in range(rows)], "gpu": names}, numeric)


def draw_code(seed: int, rows: int = 40) -> KernelTable:
    """Kernels that were read from source code, without a time."""
    draw = np.random.default_rng(seed)
    bounds: dict[str, tuple[float, float]] = {
        "grid_blocks": (4, 1e5), "block_threads": (32, 1024), "regs_per_thread": (16, 200),
        "smem_bytes_per_block": (100, 4e4), "bytes_dram_read": (1e4, 1e9), "bytes_dram_write": (1e4, 1e9),
        "bytes_read_again": (1e4, 1e9), "working_set_bytes": (1e5, 2e9), "bytes_l2": (1e5, 1e10),
        "bytes_l1": (1e5, 1e10), "wavefronts_l1": (1e3, 1e8), "loads_in_turn_new": (1, 50), "bytes_shared": (1e4, 1e9),
        "flops_fp32": (1e6, 1e11), "flops_fp64": (1e5, 1e10), "insts_issued": (1e4, 1e9), "atomics_l2": (1, 1e7),
        "cycles_atomic_in_turn": (1, 1e4),
    }  # fmt: skip
    needed = ("grid_blocks", "block_threads", "bytes_dram_read", "bytes_dram_write")
    numeric: dict[str, Any] = {
        name: np.round(logarithmic(draw, *ends, rows, 0.0 if name in needed else 0.3)) for name, ends in bounds.items()
    }
    first = np.nan_to_num(numeric["loads_in_turn_new"], nan=1.0)
    numeric["loads_in_turn_beyond_l1"] = np.round(first * draw.uniform(1, 5, rows))
    numeric["loads_in_turn"] = np.round(numeric["loads_in_turn_beyond_l1"] * draw.uniform(1, 5, rows))
    return KernelTable.from_columns(
        {"kernel": [f"code{i}" for i in range(rows)]}, {k: (v, Origin.DERIVED) for k, v in numeric.items()}
    )
