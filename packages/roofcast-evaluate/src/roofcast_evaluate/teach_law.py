r"""Fit the law without counters (:mod:`roofcast.models.physics.law`) to pairs of any families.

.. math:: \min_c \sum_i w_i \sqrt{(y_i - x_i(c))^2 + \delta^2} + \lambda \sum_j \left(\frac{c_j - c_j^0}{s_j}\right)^2

y : measured logarithm of target over source seconds. x : the law's. w : every family the same, in it every pair of
GPUs and every kernel of the pair. delta : 0.05. lambda : pull towards the start c^0, of constants whose scale is s.
Source: iteratively reweighted Gauss-Newton steps within bounds (Huber, Robust Statistics, 1981, chapter 7). No chance
in it: the same pairs give the same constants.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.models.physics.law import BOUNDS, LawConstants, LawInputs, forecast_log_ratio
from roofcast.models.physics.model import Mechanistic
from roofcast.models.physics.stages import has_no_counters
from roofcast_evaluate.cases import Cases
from roofcast_evaluate.ladder import BYTES, is_flops

SOFTENING = 0.05
"""delta: log errors below count about quadratically."""
PULL = 4e-3
"""lambda: constants that the lessons leave open stay where they begin, whichever family is left out."""
ROUNDS = 25
"""Rounds of the search at most."""
ENOUGH = 1e-6
"""Gain of a round at which the search ends."""
ROWS_MOST = 400
"""Pairs of a data set and step of the ladder: more of the same programs say nothing new."""

NAMES = tuple(f.name for f in dataclasses.fields(LawConstants))


@dataclass(frozen=True)
class LawPairs:
    """Measured pairs as the law reads them; arrays are (p,)."""

    inputs: LawInputs
    """Flat."""
    log_ratio: FloatArray
    """ln of the measured seconds on the target over the source's."""
    weight: FloatArray

    def __len__(self) -> int:
        return len(self.log_ratio)

    def select(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> LawPairs:
        """Some of the pairs."""
        return LawPairs(self.inputs.select(chosen), self.log_ratio[chosen], self.weight[chosen])


def read_pairs(cases: Cases, weight: float = 1.0) -> LawPairs | None:
    """What the law reads of a table's pairs, without weight those with counters; None where all have them.

    weight : of the table, beside others.
    """
    parts = Mechanistic().parts(cases.kernels, cases.sources, cases.targets, cases.given, cases.changes)
    if parts.law is None:
        return None
    time_s = cases.kernels.column("time_s")
    with quietly():
        ratio = np.log(cases.time_s_measured / time_s)
    free = has_no_counters(parts.kernels)[:, 0] & np.isfinite(parts.time_s[:, 0]) & np.isfinite(ratio)
    weights = np.where(free, cases.weights, 0.0)
    total = weights.sum()
    if not total:
        return None
    return LawPairs(parts.law.flat(), np.where(free, ratio, 0.0), weights * (weight / total))


def join_inputs(parts: list[LawInputs]) -> LawInputs:
    """Several flat inputs as one."""
    return LawInputs(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in dataclasses.fields(LawInputs)))


def join_pairs(parts: Iterable[LawPairs]) -> LawPairs:
    """Several tables as one."""
    pairs = list(parts)
    return LawPairs(
        join_inputs([p.inputs for p in pairs]),
        np.concatenate([p.log_ratio for p in pairs]),
        np.concatenate([p.weight for p in pairs]),
    )


@dataclass(frozen=True)
class Hidden:
    """A table as somebody has it who knows less."""

    name: str
    keeps: Callable[[str], bool]
    """Whether a numeric column is still there."""
    weight: float
    """Beside the other tables of a data set."""
    names: bool = False
    """Whether kernels keep their names."""
    precision: bool = True


TIMES = frozenset({"time_s", "clock_hz", "clock_hz_dram", "launch"})
LAUNCH = frozenset({"grid_blocks", "block_threads", "regs_per_thread", "smem_bytes_per_block"})
STEPS = (
    Hidden("amounts, launch", lambda n: is_flops(n) or n in LAUNCH | BYTES, 0.6),
    Hidden("amounts", lambda n: is_flops(n) or n in BYTES, 0.6),
    Hidden("bytes", lambda n: n in BYTES, 0.3),
    Hidden("FLOPs", is_flops, 0.3),
    Hidden("time", lambda _: False, 0.5, precision=False),
    Hidden("time and name", lambda _: False, 0.3, names=True),
)
"""Beside the table as it is, which weighs 1: every kind of knowledge is taught by every family that can show it."""


def hide(kernels: KernelTable, step: Hidden) -> KernelTable:
    """The table with less in it. Counted DRAM bytes stand for the algorithm's where it has no others."""
    numeric, origin = dict(kernels.numeric), dict(kernels.origin)
    if "bytes_compulsory" not in numeric and "bytes_dram" in numeric:
        numeric["bytes_compulsory"], origin["bytes_compulsory"] = numeric["bytes_dram"], origin["bytes_dram"]
    held = [n for n in numeric if n in TIMES or step.keeps(n)]
    text = {n: v for n, v in kernels.text.items() if step.precision or n != "precision"}
    if not step.names:
        words: dict[str, str] = {}
        names = kernels.strings("kernel").tolist()
        text["kernel"] = np.array([words.setdefault(name, f"kernel {len(words)}") for name in names], np.object_)
    extra = {n: v for n, v in kernels.extra.items() if n in ROW_COLUMNS}
    return dataclasses.replace(
        kernels, numeric={n: numeric[n] for n in held}, origin={n: origin[n] for n in held}, text=text, counters={},
        extra=extra,
    )  # fmt: skip


ROW_COLUMNS = frozenset({"config_app", "model", "same_work", "same_graph"})
"""Further columns that say which rows are pairs."""


def fit_law(pairs: LawPairs, start: LawConstants | None = None) -> LawConstants:
    """The constants that err least on some pairs, in seconds. start : where the search begins."""
    pairs = pairs.select(pairs.weight > 0)
    low, high = (np.array([BOUNDS.get(name, (0.0, 1.0))[i] for name in NAMES]) for i in (0, 1))
    first = np.array(dataclasses.astuple(start or LawConstants()))
    scale = high - low
    weight = pairs.weight / pairs.weight.sum()

    def error(c: FloatArray) -> FloatArray:
        return np.asarray(pairs.log_ratio - forecast_log_ratio(pairs.inputs, LawConstants(*c.tolist())))

    def loss(c: FloatArray, e: FloatArray) -> float:
        return float(np.sum(weight * np.sqrt(e**2 + SOFTENING**2)) + PULL * np.sum(((c - first) / scale) ** 2))

    c = np.clip(first, low, high)
    e = error(c)
    best, damping = loss(c, e), 1e-3
    for _ in range(ROUNDS):
        step = gauss_newton_step(c, e, error, weight, (first, scale, damping), (low, high))
        for shorter in (1.0, 0.5, 0.2, 0.05):
            tried = np.clip(c + shorter * step, low, high)
            there = error(tried)
            cost = loss(tried, there)
            if cost < best:
                break
        else:
            if damping > 1.0:
                break
            damping *= 30.0
            continue
        gain, c, e, best, damping = best - cost, tried, there, cost, max(damping / 3.0, 1e-4)
        if gain < ENOUGH:
            break
    return LawConstants(*c.tolist())


def gauss_newton_step(
    c: FloatArray, e: FloatArray, error: Callable[[FloatArray], FloatArray], weight: FloatArray,
    pull: tuple[FloatArray, FloatArray, float], bounds: tuple[FloatArray, FloatArray],
) -> FloatArray:  # fmt: skip
    """One step in units of the constants; those at a bound that it would leave stay."""
    first, scale, damping = pull
    low, high = bounds
    jacobian = np.empty((len(e), len(c)))
    for j in range(len(c)):
        h = 1e-3 * scale[j] * (1.0 if c[j] + 1e-3 * scale[j] <= high[j] else -1.0)
        moved = c.copy()
        moved[j] += h
        jacobian[:, j] = (error(moved) - e) / h * scale[j]
    w = weight / np.sqrt(e**2 + SOFTENING**2)
    # d error / d constant; the loss falls along minus its gradient.
    normal = jacobian.T @ (jacobian * w[:, None])
    gradient = jacobian.T @ (w * e) + 2.0 * PULL * (c - first) / scale
    normal[np.diag_indices_from(normal)] += 2.0 * PULL + damping * np.diag(normal).max()
    free = ~(((c <= low) & (gradient > 0)) | ((c >= high) & (gradient < 0)))
    step = np.zeros(len(c))
    step[free] = -np.linalg.solve(normal[np.ix_(free, free)], gradient[free])
    return step * scale
