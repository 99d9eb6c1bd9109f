"""Workloads and spaces made up for tests of sweeps: every kind of evidence, no files needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.models.physics.kernel_inputs import NAMED_STALLS
from roofcast.sweeps.space import Space, parse_space

SOURCE = "A100-SXM4-40GB"
AXES: dict[str, Any] = {
    "sm": {"from": 20, "to": 180, "step": 40},
    "clock": {"from": "0.7 GHz", "to": "2.3 GHz", "count": 4},
    "dram": {"from": "0.5 TB/s", "to": "8 TB/s", "count": 4},
    "l2": ["4 MB", "40 MB", "200 MB"],
    "l2_rate": ["2 TB/s", "12 TB/s"],
    "fp32": ["10 TFLOP/s", "90 TFLOP/s"],
    "fp64_share": [0.03, 0.5],
    "shared": ["64 KiB", "228 KiB"],
    "power_cap": ["300 W", "900 W"],
}


def a_space(*keys: str, base: str = "H100 SXM5 80GB", **more: Any) -> Space:
    """A space over some of the axes."""
    return parse_space({"base": base, "axes": {k: AXES[k] for k in keys or ("sm", "dram")}, **more})


def a_table(evidence: str, count: int = 6, seed: int = 0) -> KernelTable:
    """Kernels with one kind of evidence: stalls (all of ncu), counters (nvprof's), analytic, time."""
    draw = np.random.default_rng(seed)

    def between(low: float, high: float) -> FloatArray:
        return np.asarray(np.exp(draw.uniform(np.log(low), np.log(high), count)), np.float64)

    time = between(2e-6, 2e-2)
    values: dict[str, FloatArray] = {"time_s": time}
    origin = dict.fromkeys(values, Origin.COUNTED)
    if evidence != "time":
        shape: dict[str, FloatArray] = {
            "grid_blocks": np.round(between(1, 1e5)),
            "block_threads": np.asarray(draw.integers(1, 33, count) * 32.0, np.float64),
            "regs_per_thread": np.asarray(draw.integers(16, 200, count), np.float64),
            "smem_bytes_per_block": np.asarray(draw.integers(0, 48, count) * 1024.0, np.float64),
        }  # fmt: skip
        work: dict[str, FloatArray] = {
            "flops_fp32": time * between(1e9, 1e13), "flops_fp64": time * between(1e8, 9e12),
            "bytes_dram": time * between(1e9, 1.5e12),
        }  # fmt: skip
        values |= shape | work
        origin |= dict.fromkeys(values, Origin.COUNTED)
    if evidence in ("stalls", "counters"):
        values |= {
            "bytes_l1": time * between(1e9, 1.5e13), "bytes_l2": time * between(1e9, 4e12),
            "insts_executed": time * between(1e8, 5e11), "l2_hit_fraction": draw.uniform(0, 1, count),
            "l1_hit_fraction": draw.uniform(0, 1, count), "bytes_dram_write": values["bytes_dram"] * 0.3,
        }  # fmt: skip
        values["bytes_dram_read"] = values["bytes_dram"] * 0.7
    if evidence == "stalls":
        latency = draw.uniform(4, 60, count)
        values["warp_latency_cycles_per_inst"] = latency
        shares = draw.dirichlet(np.ones(len(NAMED_STALLS) + 1), count)
        for i, name in enumerate(NAMED_STALLS):
            values[f"stall_{name}_per_inst"] = latency * shares[:, i]
        values["atomic_inst_fraction"] = draw.uniform(0, 0.03, count)
        values["bytes_per_sector_load"] = draw.uniform(4, 32, count)
        values["shared_wavefronts_per_inst"] = draw.uniform(0, 0.5, count)
    if evidence == "analytic":
        values["bytes_l2"] = values["bytes_dram"].copy()
        values["working_set_bytes"] = between(1e4, 1e9)
        origin |= {"bytes_dram": Origin.DERIVED, "bytes_l2": Origin.DERIVED}
    text = {
        "kernel": [f"kernel_{i}" for i in range(count)], "gpu": [SOURCE] * count,
        "cache_state": [("warm", "cold", "")[i % 3] for i in range(count)],
    }  # fmt: skip
    return KernelTable.from_columns(text, {n: (v, origin.get(n, Origin.COUNTED)) for n, v in values.items()})


def worst(mine: tuple[FloatArray, ...], right: tuple[FloatArray, ...]) -> float:
    """Largest relative difference; infinite where one has a forecast and the other none."""
    found = 0.0
    for a, b in zip(mine, right, strict=True):
        if not np.array_equal(np.isnan(a), np.isnan(b)):
            return float("inf")
        known = ~np.isnan(b)
        if known.any():
            found = max(found, float(np.abs(a[known] / b[known] - 1).max()))
    return found


def some_levels(space: Space, count: int, seed: int = 0) -> np.ndarray:
    """Random processors of a space."""
    draw = np.random.default_rng(seed)
    return np.stack([draw.integers(0, n, count) for n in space.shape])


__all__ = ["AXES", "SOURCE", "a_space", "a_table", "some_levels", "worst"]
