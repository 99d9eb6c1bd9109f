"""What knowing more is worth: error and width of every family on every step of the ladder of information."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from roofcast.models.base import Model
from roofcast_evaluate.cases import FOLDS, cases_of, folds_of, usable_rows
from roofcast_evaluate.datasets import DATASETS, families, load
from roofcast_evaluate.families import (
    BY_PROGRAM,
    Errors,
    Models,
    errors_of,
    folded_outcome,
    outcome_of,
    paired_excess,
)
from roofcast_evaluate.ladder import BY_NAME, RUNGS, drop_columns, steps_of
from roofcast_evaluate.scores import Outcome
from roofcast_evaluate.screening import sound_rows
from roofcast_evaluate.teaching import Teacher, lessons

SLACK = 0.01
"""A step may err by a point more than one that knows less."""
HAIR = 1.005
"""Medians of widths differ by less where bounds of physics cut some of the intervals."""


@dataclass(frozen=True)
class Rung:
    """A family on one step."""

    family: str
    step: str
    errors: Errors
    rows: int
    above: tuple[str, ...]
    """Steps of this family that know more."""
    excess: float
    """By how much its error lies below that of the worst step above it, as a fraction: 0 where knowing more helps."""
    excess_noise: float
    """The least that this is in 19 of 20 draws of programs and GPUs: its 90 % interval."""
    narrower: float
    """By which factor its median width (high over low) lies below that of a step above it; 1 where it does not."""


def rungs_of(family: str, without: Model, by_program: list[Model]) -> Iterator[Rung]:
    """All steps of a family. without : the model taught without it. by_program : those without folds of programs."""
    tables = {name: load(name)[1] for name in families()[family]}
    steps = [s.name for s in RUNGS if any(s.name in steps_of(k) for k in tables.values())]
    known: dict[str, Outcome] = {}
    widths: dict[str, float] = {}
    for step in steps:
        cases = []
        for name, kernels in tables.items():
            keep = usable_rows(name, kernels)
            keep &= sound_rows(kernels) if DATASETS[name].screened else True
            cases.append(cases_of(name, drop_columns(kernels, step), accepted=keep))
        if family in BY_PROGRAM:
            folds = [folds_of(c.kernels.strings("kernel")) for c in cases]
            outcome = folded_outcome(cases, folds, by_program)
        else:
            outcome = outcome_of(cases, without)
        above = tuple(a for a in nearest_above(step, steps) if len(known[a]) == len(outcome))
        better = [paired_excess(known[a], outcome) for a in above]
        errors = errors_of(outcome)
        narrower = max((widths[a] / errors.width for a in above), default=1.0)
        known[step], widths[step] = outcome, errors.width
        most = max(better, default=(0.0, 0.0))
        yield Rung(family, step, errors, len(outcome), above, *most, max(narrower, 1.0))


def nearest_above(step: str, steps: list[str]) -> list[str]:
    """The steps that know more, the nearest ones that a family has.

    >>> nearest_above("time alone", ["as given", "bytes", "time alone"])
    ['bytes', 'as given']
    """
    names: list[str] = []
    for name in BY_NAME[step].above:
        names += [name] if name in steps else nearest_above(name, steps)
    return list(dict.fromkeys(names))


@dataclass(frozen=True)
class Ladder:
    """All families on all their steps."""

    rungs: tuple[Rung, ...]

    def faults(self) -> list[str]:
        """Where knowing more errs more, beyond a point and the noise, or knowing less is narrower."""
        sentences = []
        for rung in self.rungs:
            if rung.excess > SLACK and rung.excess_noise > 0:
                sentences.append(
                    f"{rung.family}, {rung.step}: errs {100 * math.expm1(rung.excess):.1f} points less than "
                    f"{' or '.join(rung.above)}"
                )
            if rung.narrower > HAIR:
                sentences.append(
                    f"{rung.family}, {rung.step}: {rung.narrower:.2f} times narrower than {' or '.join(rung.above)}"
                )
        return sentences

    def means(self) -> list[tuple[str, float, float]]:
        """Per step: its name, error and width over all families (in logarithms).

        A family that has no such step knows as much as on the one above it.
        """
        known: dict[str, dict[str, Errors]] = {}
        for rung in self.rungs:
            known.setdefault(rung.family, {})[rung.step] = rung.errors
        rows = []
        for step in RUNGS:
            if not any(step.name in by_step for by_step in known.values()):
                continue
            nearest = [
                by_step[step.name if step.name in by_step else nearest_above(step.name, [*by_step])[0]]
                for by_step in known.values()
            ]
            error = math.expm1(float(np.mean([math.log1p(e.error) for e in nearest])))
            rows.append((step.name, error, math.exp(float(np.mean([math.log(e.width) for e in nearest])))))
        return rows


def climb(
    names: Iterable[str] | None = None, teacher: Teacher | None = None, *, tell: Callable[[str], None] | None = None
) -> Ladder:
    """The ladder of every family (default: all).

    Raises
    ------
    DatasetError : files that are absent.
    """
    models = Models(teacher or Teacher.of(lessons()))
    rungs: list[Rung] = []
    for family in names or families():
        if tell:
            tell(family)
        rungs += rungs_of(family, *taught(family, models))
    return Ladder(tuple(rungs))


def taught(family: str, models: Models) -> tuple[Model, list[Model]]:
    """The model without a family, and those without folds of programs where the family is scored by them."""
    by_program = [models.without_programs(k) for k in range(FOLDS)] if family in BY_PROGRAM else []
    return models.without_family(family), by_program
