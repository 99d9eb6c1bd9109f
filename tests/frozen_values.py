"""Forecasts of drawn kernels and of the tests' own files, kept as numbers: whatever moves them must be meant.

    python tests/frozen_values.py        # write them anew after a change that was meant to move them

The kernels are no measurements: amounts drawn between bounds that real kernels have, a fixed seed, each amount absent
in some of them. Nothing says that these forecasts are good; they say that a change of the code changed them.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import roofcast
from roofcast.core.columns import Origin
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable
from roofcast.core.resource import Resource

FILE = Path(__file__).with_suffix(".json")
SOURCES = ("V100 SXM2 16GB", "A100 SXM4 40GB", "RTX 3080", "H100 SXM5 80GB", "Tesla P100 SXM2 16GB", "MI250X")
TARGETS = ("H100 SXM5 80GB", "A10", "B200", "MI300X", "RTX 4090")
ASKED: dict[str, dict[str, Any]] = {
    "default": {},
    "as profiled": {"conditions": "profiled"},
    "mechanistic, locked and cold": {"model": "mechanistic", "clock": "base", "cache": "cold"},
    "mechanistic, warm": {"model": "mechanistic", "cache": "warm", "launch_floor": (4e-6, 6e-6)},
    "van_lanker": {"model": "van_lanker"},
    "occupancy_efficiency": {"model": "occupancy_efficiency"},
}
"""What is asked of each table."""
ABSENT = 0.25
"""Of the cells of an amount that is not needed."""
ROOFS = {
    Resource.BYTES_DRAM: (0.02, 0.95), Resource.BYTES_L2: (0.02, 0.8), Resource.BYTES_L1: (0.02, 0.7),
    Resource.BYTES_SHARED: (0.001, 0.5), Resource.FLOPS_FP32: (0.001, 0.8), Resource.FLOPS_FP64: (0.0001, 0.6),
    Resource.INSTS_SPECIAL: (0.0001, 0.5),
}  # fmt: skip
"""Resource -> least and most of its peak that a drawn kernel reaches."""
PLAIN = {
    "grid_blocks": (20, 1e5), "block_threads": (32, 1024), "regs_per_thread": (16, 250), "waves_per_sm": (0.1, 60),
    "occupancy_fraction": (0.05, 0.95), "threads_per_inst": (8, 32), "l1_hit_fraction": (0.01, 0.95),
    "l2_hit_fraction": (0.05, 0.99), "ipc_active": (0.05, 3.5), "smem_bytes_per_block": (100, 9e4),
    "working_set_bytes": (1e4, 5e9), "warp_latency_cycles_per_inst": (3, 90), "atomics_l2": (1, 1e6),
    "stall_long_scoreboard_per_inst": (0.1, 60), "stall_short_scoreboard_per_inst": (0.05, 8),
    "stall_barrier_per_inst": (0.01, 5), "stall_wait_per_inst": (1, 4), "stall_mio_throttle_per_inst": (0.01, 6),
    "stall_math_pipe_throttle_per_inst": (0.01, 6), "divergent_branch_fraction": (0.001, 0.4),
    "bytes_per_sector_load": (4, 32), "insts_executed": (1e4, 1e9), "bytes_local": (1, 1e8),
    "l1_load_hit_fraction": (0.01, 0.95), "l2_read_hit_fraction": (0.05, 0.99),
    "shared_conflicts_per_wavefront": (0.01, 0.9),
}  # fmt: skip
"""Column -> bounds, drawn evenly in the logarithm."""
OPERATORS = (
    ("ampere_sgemm_128x64_nn", "fp32"), ("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32", "fp16"),
    ("cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_tn_align8", "bf16"), ("flash_fwd_kernel", "fp16"),
    ("implicit_convolve_sgemm", "fp32"), ("void at::native::vectorized_elementwise_kernel<4>", "fp32"),
    ("void at::native::reduce_kernel<512, 1>", "fp32"), ("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", "fp16"),
    ("cutlass_75_tensorop_s1688gemm_tf32_256x128_nt_align4", "tf32"), ("softmax_warp_forward", "fp16"),
)  # fmt: skip
"""Names of library kernels, and the precision that a trace states."""


def draw_counted(seed: int, rows: int = 24) -> KernelTable:
    """Kernels with counters, of several sources."""
    draw = np.random.default_rng(seed)
    names = [SOURCES[i % len(SOURCES)] for i in range(rows)]
    gpus = [roofcast.gpu(n) for n in names]
    seconds = np.exp(draw.uniform(np.log(3e-6), np.log(3e-2), rows))
    numeric: dict[str, tuple[Any, Origin]] = {"time_s": (seconds, Origin.COUNTED)}
    for resource, (low, high) in ROOFS.items():
        share = np.exp(draw.uniform(np.log(low), np.log(high), rows))
        rate = [g.rate(resource) if resource in g.supplies else np.nan for g in gpus]
        numeric[resource.value] = (np.where(draw.random(rows) < ABSENT, np.nan, share * rate * seconds), Origin.COUNTED)
    for name, (low, high) in PLAIN.items():
        value = np.exp(draw.uniform(np.log(low), np.log(high), rows))
        value = np.round(value) if low >= 16 else value
        numeric[name] = (np.where(draw.random(rows) < ABSENT, np.nan, value), Origin.COUNTED)
    caches = draw.choice(["", "cold", "warm"], rows)
    texts = {"kernel": [f"k{i}" for i in range(rows)], "gpu": names, "cache_state": caches.tolist()}
    return KernelTable.from_columns(texts, numeric)


def draw_operators(seed: int, rows: int = 20) -> KernelTable:
    """Library kernels of which names, shapes and a time are known."""
    draw = np.random.default_rng(seed)
    kinds = [OPERATORS[i % len(OPERATORS)] for i in range(rows)]
    m, n, k, b = (np.round(2 ** draw.uniform(low, high, rows)) for low, high in ((4, 13), (5, 13), (5, 13), (0, 5)))
    flops, shapes = 2 * m * n * k * b, {"shape_m": m, "shape_n": n, "shape_k": k, "shape_batch": b}
    numeric: dict[str, tuple[Any, Origin]] = {name: (values, Origin.COUNTED) for name, values in shapes.items()}
    numeric["time_s"] = flops / 2e13 * np.exp(draw.uniform(0, 2, rows)) + 3e-6, Origin.COUNTED
    return KernelTable.from_columns(
        {"kernel": [name for name, _ in kinds], "precision": [p for _, p in kinds],
         "gpu": [SOURCES[i % 4] for i in range(rows)]},
        numeric,
    )  # fmt: skip


def draw_collectives(seed: int, rows: int = 12) -> KernelTable:
    """Collectives of several GPUs, some of unknown size."""
    draw = np.random.default_rng(seed)
    kinds = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "other")
    size = np.round(2 ** draw.uniform(8, 30, rows))
    return KernelTable.from_columns(
        {"kernel": ["nccl"] * rows, "collective": [kinds[i % 6] for i in range(rows)],
         "gpu": [SOURCES[i % 5] for i in range(rows)]},
        {"time_s": (np.asarray(size / 1e11 + 1e-5, np.float64), Origin.COUNTED),
         "bytes_collective": (np.where(draw.random(rows) < ABSENT, np.nan, size), Origin.COUNTED),
         "gpus_collective": (np.exp2(draw.integers(1, 4, rows)).astype(np.float64), Origin.COUNTED)},
    )  # fmt: skip


def list_tables() -> Iterator[tuple[str, KernelTable]]:
    """Drawn tables, then those of the tests' own files."""
    from gate.variants import samples

    yield from ((f"counted {seed}", draw_counted(seed)) for seed in (1, 2))
    yield "operators", draw_operators(3)
    yield "collectives", draw_collectives(4)
    with tempfile.TemporaryDirectory() as folder:
        for name, data in samples().items():
            path = Path(folder) / name
            path.write_bytes(data)
            try:
                yield name, roofcast.read(path)
            except RoofcastError:
                continue


def compute_values(only: str = "") -> dict[str, list[list[float]]]:
    """Case -> [seconds, low, high] of each kernel on each target, kernels first; NaN as -1. only : how tables begin."""
    found = {}
    for name, table in list_tables():
        for how, options in ASKED.items():
            if not name.startswith(only) or (name.startswith("sample") and options):
                continue
            try:
                answer = roofcast.forecast(table, to=TARGETS, **options).estimate
            except RoofcastError:
                continue
            ends = np.stack([answer.time_s, answer.time_low_s, answer.time_high_s], axis=-1).reshape(-1, 3)
            values = np.nan_to_num(ends, nan=-1.0).tolist()
            found[f"{name}: {how}"] = [[float(f"{v:.8g}") for v in row] for row in values]
    return found


def main() -> int:
    """Write the values anew."""
    lines = ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in compute_values().items())
    FILE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
