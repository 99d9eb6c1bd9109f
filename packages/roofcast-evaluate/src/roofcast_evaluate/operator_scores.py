"""Operators of language models from one GPU to another, as `roofcast forecast` prints them, operator by operator.

The rows teach nothing. The shipped model saw older tables of the same makers (family ``llm_ops``):
``evaluate --families llm_operators`` scores them without those. Different GPUs run different kernels of a library.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import Column, Table
from roofcast.models.registry import load_model
from roofcast_evaluate.cases import cases_of
from roofcast_evaluate.datasets import load
from roofcast_evaluate.families import Part, naive_times

SHORT_S = 20e-6
"""Below it launches and chains of loads decide more than rates."""
ALL = "all"


@dataclass(frozen=True)
class OperatorScore:
    """Pairs of GPUs of one operator. Factors: exponential of the mean absolute logarithm."""

    operator: str
    pairs: int
    factor: float
    short: float
    """Of the pairs whose source takes less than :data:`SHORT_S`."""
    same_time: float
    bandwidth: float
    fp32: float
    both: float
    """Geometric mean of the two ratios."""
    coverage: float
    width: float
    """High over low end, median."""


def score_operators(dataset: str) -> list[OperatorScore]:
    """A row per operator and type, all first."""
    name, kernels = load(dataset)
    cases = cases_of(name, kernels)
    outcome, part = cases.forecast(load_model()), Part(name, kernels, cases)
    source, measured = cases.kernels.column("time_s"), cases.time_s_measured
    naive = naive_times(part)
    errors = {
        "factor": outcome.time_s, "same_time": source, "bandwidth": naive[0], "fp32": naive[1], "both": naive[2],
    }  # fmt: skip
    logs: dict[str, FloatArray] = {n: np.abs(np.log(t / measured)) for n, t in errors.items()}
    inside = (outcome.time_low_s <= measured) & (measured <= outcome.time_high_s)
    width = outcome.time_high_s / outcome.time_low_s
    labels = np.array([str(k) for k in cases.kernels.strings("kernel")], dtype=object)
    scores = []
    for operator in (ALL, *sorted(set(labels.tolist()))):
        rows = labels == operator if operator != ALL else np.ones(len(labels), np.bool_)
        short = rows & (source < SHORT_S)
        factors = {n: float(np.exp(v[rows].mean())) for n, v in logs.items()}
        scores.append(OperatorScore(
            operator, int(rows.sum()), short=float(np.exp(logs["factor"][short].mean())) if short.any() else np.nan,
            coverage=float(inside[rows].mean()), width=float(np.median(width[rows])), **factors,
        ))  # fmt: skip
    return scores


def tabulate_operators(dataset: str) -> Table:
    """A row per operator."""

    def factor(value: float) -> str:
        return f"{value:.2f}" if np.isfinite(value) else "–"

    columns = [
        Column("operator", lambda s: s.operator, key="operator", flexible=True),
        Column("pairs", lambda s: s.pairs, str, key="pairs"),
        Column("factor", lambda s: s.factor, factor, key="factor"),
        Column("below 20 us", lambda s: s.short, factor, key="factor_short"),
        Column("same time", lambda s: s.same_time, factor, key="factor_same_time"),
        Column("bandwidth", lambda s: s.bandwidth, factor, key="factor_bandwidth"),
        Column("FP32", lambda s: s.fp32, factor, key="factor_fp32"),
        Column("both", lambda s: s.both, factor, key="factor_both"),
        Column("inside", lambda s: s.coverage, lambda v: format_percent(v, 0), key="coverage"),
        Column("width", lambda s: s.width, factor, key="width"),
    ]
    return Table(columns, score_operators(dataset))
