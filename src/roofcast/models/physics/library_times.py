"""Library operators among the kernels, and how their times go from source to target.

A library picks another kernel on every architecture, so that the source's kernel says little about the target's. What
the operator needs is modelled on both sides instead, and only a part of what the source took beside its model travels.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import code_of
from roofcast.formulas.values import or_zero, over_cells
from roofcast.models.operators.operator_times import kept_ratio
from roofcast.models.operators.vendors import LEAST_CYCLES, level, vendors_differ
from roofcast.models.physics.kernel_inputs import Kernels
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import Kept, Pair, Result
from roofcast.operators.kernel_names import Operation
from roofcast.operators.operator_rows import OperatorRows, find_operators

NEAR_FLOOR = 1.4
"""A source time up to this multiple of the host's floor is an upper bound of the kernel's."""

TAKEN_LEAST = 0.15
"""Least share of a source time that is the kernel's."""


def find_uncounted_operators(table: KernelTable, k: Kernels) -> OperatorRows | None:
    """Library operators of a table whose amounts are the algorithm's: counters know better than any model of a kernel.

    None where there are none.
    """
    if not len(table):
        return None
    analytic = (k.stalls_counted == 0) & (k.bytes_counted == 0) & (k.time_alone == 0)
    if not analytic.any():
        return None
    operators = table.once("operator rows", None, lambda: find_operators(table))
    if operators is None:
        return None
    code = np.where(analytic[:, 0], operators.code, -1).astype(np.int8)
    return replace(operators, code=code) if (code >= 0).any() else None


def is_modelled(rows: OperatorRows) -> NDArray[np.bool_]:
    """(n,) rows whose operator is modelled on both sides."""
    kinds = (Operation.ELEMENTWISE, Operation.SOFTMAX, Operation.NORMALISATION, Operation.MIXTURE_OF_EXPERTS)
    return rows.of(*kinds) | (rows.of(Operation.GEMM) & ~np.isnan(rows.m))


def launch_s(pair: Pair, host_share: float) -> tuple[FloatArray, FloatArray]:
    """Seconds beside the kernel on both sides. host_share : of the machine's launch floor that is not beside it."""
    host_s, host_t = pair.host_floors_s
    return pair.floor_source_s + host_share * host_s, pair.floor_target_s + host_share * host_t


def carry_over(needs: tuple[FloatArray, ...], pair: Pair, kept: Kept, host_share: float = 0.0) -> FloatArray:
    r"""(n, m) s: the target's need times what the source took over its own, shrunk across architectures.

    .. math:: T_t = a_t + M_t \, r \, \mathrm{clip}(r, 1/4, 4)^{k - 1}, \quad r = (T_s - a_s) / M_s

    needs : s, M of the source (n, 1) and of the target (n, m). a : s of the launch. k : ``kept.share``, 1 on the same
    architecture, where the kernel is the same: the source onto itself is exact. Between vendors, where ``kept.across``
    says how much of it stays, r is taken around what the libraries of each vendor usually take.
    """
    beside_s, beside_t = launch_s(pair, host_share)
    took = np.maximum(pair.time_s - beside_s, TAKEN_LEAST * pair.time_s)
    at_floor = pair.time_s <= NEAR_FLOOR * pair.host_floors_s[0]
    with quietly():
        ratio = took / needs[0]
        ratio = np.where(at_floor, np.minimum(ratio, 1.0), ratio)
        share = np.where(same_architecture(pair.source, pair.target), 1.0, kept.share)
        beside = (pair.time_s - took) * beside_t / beside_s
        inherited = kept_ratio(ratio, share)
        if kept.across is None:
            return np.asarray(beside + needs[1] * inherited)
        here, there = (
            np.maximum(need * level(s.machines, kept.operation), LEAST_CYCLES / s.machines.clock_hz)
            for need, s in zip(needs, (pair.source, pair.target), strict=True)
        )
        elsewhere = there * np.power(np.where(at_floor, np.minimum(took, here), took) / here, kept.across)
        other = vendors_differ(pair.source.machines, pair.target.machines)
        return np.asarray(beside + np.where(other, elsewhere, needs[1] * inherited))


def kept_share(pair: Pair, kept: Kept) -> FloatArray:
    """(n, m) part of a source's logarithm over its model that travels."""
    share = np.where(same_architecture(pair.source, pair.target), 1.0, kept.share)
    if kept.across is None:
        return share
    return np.where(vendors_differ(pair.source.machines, pair.target.machines), kept.across, share)


def same_architecture(source: Side, target: Side) -> NDArray[np.bool_]:
    """(n, m) where both sides run the same machine code, so that a library takes the same kernel."""
    here, there = (
        np.where(m.codes("architecture") == code_of(""), m.codes("key"), m.codes("architecture"))
        for m in (source.machines, target.machines)
    )
    return np.asarray((here == there) & (here >= 0))


def replace_rows(
    result: Result, chosen: NDArray[np.intp], values: FloatArray, need_s: FloatArray | None = None,
    kept: FloatArray | None = None,
) -> Result:  # fmt: skip
    """Forecasts with some rows replaced, where there is a forecast before and after.

    need_s, kept : (r, m) s of their model on the source, and the part of what it misses that travels.
    """
    width = max(result.time_s.shape[1], values.shape[1])
    time_s = np.array(np.broadcast_to(result.time_s, (len(result.time_s), width)))
    before = time_s[chosen]
    values = over_cells(values, before.shape, "an operator")
    good = np.isfinite(values) & (values > 0) & np.isfinite(before)
    time_s[chosen] = np.where(good, values, before)
    if need_s is None or kept is None:
        return replace(result, time_s=time_s)
    needs = np.zeros(time_s.shape) if result.needs_s is None else result.needs_s.copy()
    keeps = np.ones(time_s.shape) if result.kept is None else result.kept.copy()
    needs[chosen] = over_cells(or_zero(need_s), before.shape, "an operator's need")
    keeps[chosen] = over_cells(kept, before.shape, "what an operator keeps")
    return replace(result, time_s=time_s, needs_s=needs, kept=keeps)
