"""What own pairs are worth: ``python tools/teach.py learning`` prints the docs' table, and what errors share.

Of every family and directed pair of GPUs some kernels are given as a user's own pairs; kernels of other programs are
scored, with nothing of the family in the model. The shares of variance that the levels begin with come from the other
families.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.forecasting.own_pairs import (
    BELIEFS,
    Observed,
    errors_of_forecasts,
    learn,
    move_rows,
    name_classes,
)
from roofcast.formulas.shrinkage import Shares
from roofcast.kit.table import Table
from roofcast.models.base import Model
from roofcast_evaluate.cases import Cases, program_of
from roofcast_evaluate.datasets import families
from roofcast_evaluate.families import Models, join_outcomes, read_parts
from roofcast_evaluate.scores import by_gpu_pair, kernel_weights
from roofcast_evaluate.teaching import Teacher, lessons

GIVEN = (0, 10, 30, 100)
PAIRS_MOST = 40
"""Directed pairs of GPUs per family that are tried, evenly spread."""
DRAWS = 3
KERNELS_LEAST = 4
"""Programs that a pair of GPUs needs: some give, others are scored."""
ROUNDS = 20
EVEN = 0.1
"""Part of the weights that all beliefs have alike."""


@dataclass(frozen=True)
class Between:
    """Forecasts between two GPUs, ready to be given or scored; arrays are (p,)."""

    measured_s: FloatArray
    ends: tuple[FloatArray, FloatArray, FloatArray]
    kinds: NDArray[np.object_]
    kernel: NDArray[np.object_]
    program: NDArray[np.intp]

    def select(self, rows: NDArray[np.intp]) -> Between:
        """Some of them."""
        low, time, high = (v[rows] for v in self.ends)
        return Between(
            self.measured_s[rows], (low, time, high), self.kinds[rows], self.kernel[rows], self.program[rows]
        )

    def observed(self) -> Observed:
        """As a user's own pairs."""
        return errors_of_forecasts(self.measured_s, self.ends, self.kinds, self.kernel)


def betweens(cases: Sequence[Cases], model: Model) -> Iterator[Between]:
    """Forecasts of the pairs of GPUs of a family, evenly spread."""
    found = [part.forecast(model) for part in cases]
    kinds = [name_classes(c.kernels, np.asarray(o.limit)) for c, o in zip(cases, found, strict=True)]
    named = [dataclasses.replace(o, limit=k) for o, k in zip(found, kinds, strict=True)]
    parts = list(by_gpu_pair(join_outcomes(named)))
    for part in parts[:: max(1, -(-len(parts) // PAIRS_MOST))]:
        known = part.select(np.isfinite(part.time_s) & (part.time_high_s > part.time_low_s))
        if not len(known) or known.limit is None:
            continue
        programs: dict[str, int] = {}
        program = np.array([programs.setdefault(program_of(k), len(programs)) for k in known.kernel], np.intp)
        ends = known.time_low_s, known.time_s, known.time_high_s
        yield Between(known.time_s_measured, ends, known.limit, known.kernel, program)


def evidence_of(found: Iterable[Between]) -> FloatArray:
    """(pairs of GPUs, beliefs) log evidence of every belief from some pairs of each two GPUs."""
    rows = []
    for one in found:
        if int(one.program.max(initial=-1)) + 1 >= KERNELS_LEAST:
            order = np.random.default_rng(0).permutation(len(one.kernel))[: GIVEN[-1]]
            rows.append([p.log_evidence for p in learn(one.select(order).observed()).posterior.parts])
    return np.array(rows).reshape(-1, len(BELIEFS))


def weigh_beliefs(parts: Sequence[FloatArray]) -> dict[Shares, float]:
    """How far each belief is held before: what families' pairs of GPUs hold on average, each family the same.

    A part of it is held by all beliefs alike. parts : what :func:`evidence_of` says of each family.
    """
    weight = np.full(len(BELIEFS), 1.0 / len(BELIEFS))
    for _ in range(ROUNDS):
        held = []
        for evidence in (p for p in parts if len(p)):
            log_weight = np.log(weight) + evidence
            each = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
            held.append((each / each.sum(axis=1, keepdims=True)).mean(axis=0))
        weight = (1.0 - EVEN) * np.mean(held, axis=0) + EVEN / len(BELIEFS)
    return {belief: round(float(w), 3) for belief, w in zip(BELIEFS, weight, strict=True)}


@dataclass(frozen=True)
class Gain:
    """Error and width of other programs after a number of pairs was given."""

    given: int
    error: float
    width: float
    coverage: float


def gains_of(found: Sequence[Between], beliefs: dict[Shares, float]) -> list[Gain]:
    """What pairs gain in one family: means of log errors, each pair of GPUs and kernel the same."""
    rows: dict[int, list[tuple[float, float, float]]] = {n: [] for n in GIVEN}
    for one in found:
        count = int(one.program.max(initial=-1)) + 1
        if count < KERNELS_LEAST:
            continue
        for draw in range(DRAWS):
            random = np.random.default_rng(draw)
            giving = random.permutation(count)[: count // 2]
            gives = np.isin(one.program, giving)
            scored = one.select(np.flatnonzero(~gives))
            order = random.permutation(np.flatnonzero(gives))
            for n in GIVEN:
                rows[n].append(score_after(scored, one.select(order[:n]), beliefs))
    return [
        Gain(n, math.expm1(float(np.mean([r[0] for r in v]))), math.exp(float(np.mean([r[1] for r in v]))),
             float(np.mean([r[2] for r in v])))
        for n, v in rows.items()
        if v
    ]  # fmt: skip


def score_after(scored: Between, given: Between, beliefs: dict[Shares, float]) -> tuple[float, float, float]:
    """Mean log error, mean log width and coverage of some forecasts after pairs were given; each kernel the same."""
    low, time, high = scored.ends
    if len(given.kernel):
        low, time, high = move_rows(learn(given.observed(), beliefs), scored.kinds, scored.kernel, low, time, high)
    weight = kernel_weights(scored.kernel)
    inside = (low <= scored.measured_s) & (scored.measured_s <= high)
    error = np.abs(np.log(time / scored.measured_s))
    return float(weight @ error), float(weight @ np.log(high / low)), float(weight @ inside)


def learn_everywhere(teacher: Teacher | None = None) -> tuple[Mapping[str, list[Gain]], dict[Shares, float]]:
    """Gains per family, and the beliefs that all families together lead to."""
    models = Models(teacher or Teacher.of(lessons()))
    found: dict[str, list[Between]] = {}
    for family in families():
        found[family] = [*betweens([part.cases for part in read_parts(family)], models.without_family(family))]
    parts = {family: evidence_of(own) for family, own in found.items()}
    gains = {
        family: gains_of(own, weigh_beliefs([p for name, p in parts.items() if name != family]))
        for family, own in found.items()
    }
    return {family: g for family, g in gains.items() if g}, weigh_beliefs([*parts.values()])


def learning_cells(gains: Mapping[str, list[Gain]]) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the table: error in % / width, and the share inside, per number of pairs given."""
    header = ["family", *("none" if n == 0 else f"{n} pairs" for n in GIVEN), "covered"]
    lines = [
        [family, *(f"{100 * g.error:.1f}/{g.width:.2f}" for g in own),
         " ".join(f"{100 * g.coverage:.0f}" for g in own)]
        for family, own in gains.items()
    ]  # fmt: skip
    means = ["mean"]
    for position in range(len(GIVEN)):
        each = [own[position] for own in gains.values()]
        error = math.expm1(float(np.mean([math.log1p(g.error) for g in each])))
        means.append(f"{100 * error:.1f}/{math.exp(float(np.mean([math.log(g.width) for g in each]))):.2f}")
    covered = [float(np.mean([own[position].coverage for own in gains.values()])) for position in range(len(GIVEN))]
    return header, [*lines, [*means, " ".join(f"{100 * c:.0f}" for c in covered)]]


if __name__ == "__main__":
    everywhere, usual = learn_everywhere()
    for belief, held in usual.items():
        sys.stdout.write(f"{belief}: {held}\n")
    sys.stdout.write("\n".join(Table.of_cells(*learning_cells(everywhere)).lines(160)) + "\n")
