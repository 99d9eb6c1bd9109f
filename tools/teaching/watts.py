r"""Checks and refits the joules of operations on measured board power (dvfs_hkbu: a GTX 1080 Ti at 20 clocks).

.. math:: \min_c \sum_k w_k \ln^2(P_k(c) / P_k) + \lambda \sum_r \ln^2(c_r / c_r^{published})

Kernels weigh the same. Left out, each kernel is judged with the joules of the others; the published joules have seen no
watt of the card. ``python tools/teach.py watts`` prints the three errors and the refitted joules.
"""

from __future__ import annotations

import dataclasses
import sys

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, column
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.forecasting.conditions import check_conditions
from roofcast.forecasting.prepared import prepare
from roofcast.kit.quantities import format_percent
from roofcast.models.power import FITTED, PUBLISHED, Joules, draw_of
from roofcast_evaluate.datasets import load

PULL = 0.01
"""lambda: chosen by kernels left out, 0.003 to 0.03 within a point."""


def power_of(kernels: KernelTable, machines: Machines, joules: Joules) -> FloatArray:
    """(n,) W of measured launches on the GPUs that they ran on, their board's limit aside."""
    time = kernels.column("time_s")[:, None]
    dram_s = kernels.column("bytes_dram")[:, None] / machines.rate(Resource.BYTES_DRAM)
    draw = draw_of(kernels, machines, time, dram_s, joules=joules)
    return np.asarray(draw.idle_w + draw.dynamic_j / time)[:, 0]


def refit(kernels: KernelTable, machines: Machines, rows: NDArray[np.bool_]) -> Joules:
    """The joules that explain the power of some rows best."""
    from scipy.optimize import least_squares  # type: ignore[import-untyped]

    measured, name = kernels.column("power_w")[rows], kernels.strings("kernel")[rows]
    prior = np.array(dataclasses.astuple(PUBLISHED))
    # The power is linear in every constant.
    parts = np.stack([
        power_of(kernels, machines, Joules(*(np.arange(len(prior)) == i).astype(float)))[rows]
        for i in range(len(prior))
    ], axis=1)  # fmt: skip
    _, code, count = np.unique(name.astype(str), return_inverse=True, return_counts=True)
    weight = np.sqrt(1.0 / count[code])

    def misfit(logs: FloatArray) -> FloatArray:
        off = np.log(parts @ (prior * np.exp(logs)) / measured)
        return np.concatenate([weight * off, np.sqrt(PULL) * logs])

    return Joules(*(prior * np.exp(least_squares(misfit, np.zeros_like(prior)).x)).tolist())


def score(power_w: FloatArray, kernels: KernelTable) -> float:
    """Mean relative error of the power, kernels weighing the same."""
    off = np.abs(power_w / kernels.column("power_w") - 1.0)
    name = kernels.strings("kernel").astype(str)
    return float(np.mean([off[name == k].mean() for k in np.unique(name)]))


def leave_kernels_out(kernels: KernelTable, machines: Machines) -> FloatArray:
    """(n,) W of each kernel with the joules of the others."""
    name = kernels.strings("kernel").astype(str)
    found = np.full(len(kernels), np.nan)
    for kernel in np.unique(name):
        own = name == kernel
        found[own] = power_of(kernels, machines, refit(kernels, machines, ~own))[own]
    return found


def measured_power() -> tuple[KernelTable, Machines]:
    """The launches with watts, on their GPU at their clocks."""
    ready = prepare(load("dvfs_hkbu")[1], (), source="GTX 1080 Ti", conditions=check_conditions(Conditions()))
    return ready.kernels, column(ready.machines_here())


def main() -> None:
    """Print the errors and the refitted joules."""
    kernels, machines = measured_power()
    for label, found in (
        ("published", power_of(kernels, machines, PUBLISHED)), ("shipped", power_of(kernels, machines, FITTED)),
        ("kernels left out", leave_kernels_out(kernels, machines)),
    ):  # fmt: skip
        sys.stdout.write(f"{label}: {format_percent(score(found, kernels), 1)}\n")
    sys.stdout.write(f"{refit(kernels, machines, np.ones(len(kernels), np.bool_))}\n")


if __name__ == "__main__":
    main()
