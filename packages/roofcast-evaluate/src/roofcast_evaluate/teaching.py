"""What the default model learns from measurements (law, intervals, trees), and the same without some of them.

A lesson is a data set, paired as a user's file is, with what the fits need of it computed once: leaving a family, some
programs or some GPUs out is then a mask over arrays. Whatever is fitted to data must be fitted here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roofcast.core.processor import Processor
from roofcast.models.base import Model
from roofcast.models.learned.hybrid import Hybrid
from roofcast.models.learned.residual import Residual, shipped
from roofcast.models.physics.intervals import shipped as shipped_intervals
from roofcast.models.physics.law import shipped_law
from roofcast.models.physics.model import Mechanistic
from roofcast_evaluate.cases import FOLDS, Cases, cases_of, folds_of
from roofcast_evaluate.datasets import families, load
from roofcast_evaluate.ladder import NO_STALLS, RUNGS, drop_columns, steps_of
from roofcast_evaluate.screening import sound_rows
from roofcast_evaluate.teach_intervals import SETS, errors_of, join_errors, table_of
from roofcast_evaluate.teach_law import ROWS_MOST, LawPairs, fit_law, hide, join_pairs, read_pairs
from roofcast_evaluate.teach_law import STEPS as HIDDEN
from roofcast_evaluate.teach_widths import fit_widths
from roofcast_evaluate.train import TRAINING_SET, learn, nothing_learned, samples_of

AS_GIVEN = RUNGS[0].name

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Lesson:
    """One data set with its columns, or with fewer of them, as something to learn from."""

    family: str
    dataset: str
    step: str
    """Name of the step of the ladder (:data:`roofcast_evaluate.ladder.RUNGS`)."""
    cases: Cases
    weight: float = 0.0
    """In the law without counters, beside other data sets; 0 where it calibrates intervals."""

    @property
    def is_whole(self) -> bool:
        """Whether it is a data set as given, thinned for nothing but its length."""
        return self.step == AS_GIVEN and not self.weight

    @cached_property
    def program_fold(self) -> NDArray[np.intp]:
        """(p,) fold of each pair's program."""
        return folds_of(self.cases.kernels.strings("kernel"))

    @cached_property
    def gpu_folds(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """(p,) folds of the source and of the target GPU, by the catalog's keys: the same in all data sets."""
        return gpu_folds(self.cases)

    @cached_property
    def law_pairs(self) -> LawPairs | None:
        """What it teaches the law; None where all kernels have counters."""
        return read_pairs(self.cases, self.weight)

    def law_pairs_of(self, kept: Mask) -> LawPairs | None:
        """The same from some of its pairs, which then weigh as much less."""
        if self.law_pairs is None or kept.all():
            return self.law_pairs
        pairs = self.law_pairs.select(kept)
        return pairs if pairs.weight.sum() > 0 else None


def gpu_folds(cases: Cases) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(p,) folds of the source and of the target GPU of each pair."""

    def fold(p: Processor) -> int:
        return int(hashlib.sha256(p.key.rstrip("*").encode()).hexdigest(), 16) % FOLDS

    source, target = (
        np.array([fold(p) for p in m.processors] + [0], np.intp)[m.index] for m in (cases.sources, cases.targets)
    )
    return source, target[:, 0]


ERRORS_MOST = 8000
"""Pairs of a lesson whose errors calibrate intervals."""


def lessons(errors_most: int = ERRORS_MOST) -> Iterator[Lesson]:
    """Every data set that anything is learned from, screened and thinned; for the law with less in it as well."""
    for family, names in families().items():
        for name in names:
            kernels = load(name)[1]
            keep = sound_rows(kernels)
            whole = cases_of(name, kernels, accepted=keep)
            if name in SETS:
                yield Lesson(family, name, AS_GIVEN, whole.thin(errors_most))
                if NO_STALLS in steps_of(kernels):
                    less = cases_of(name, drop_columns(kernels, NO_STALLS), accepted=keep)
                    yield Lesson(family, name, NO_STALLS, less.thin(errors_most))
            yield Lesson(family, name, AS_GIVEN, whole.thin(ROWS_MOST, centred=True), 1.0 / len(names))
            for step in HIDDEN:
                cases = cases_of(name, hide(kernels, step), accepted=keep)
                if len(cases):
                    yield Lesson(family, name, step.name, cases.thin(ROWS_MOST, centred=True), step.weight / len(names))


def everything(lesson: Lesson) -> Mask:
    """A mask that leaves nothing out."""
    return np.ones(len(lesson.cases), np.bool_)


@dataclass(frozen=True)
class Teacher:
    """All lessons, ready to be taught without some of their pairs."""

    lessons: tuple[Lesson, ...]
    without_family: dict[str, Model] = field(default_factory=dict)
    """What was taught without a family, where a table asked for it."""

    @classmethod
    def of(cls, given: Iterable[Lesson]) -> Teacher:
        """A teacher with these lessons."""
        return cls(tuple(given))

    def teach(self, keep: Callable[[Lesson], Mask] = everything) -> Model:
        """The default model from the pairs that ``keep`` leaves of each lesson."""
        parts = [(lesson, keep(lesson)) for lesson in self.lessons]
        pairs = law_pairs_from(parts)
        law = fit_law(join_pairs(pairs.values())) if pairs else shipped_law()
        physics = Mechanistic(law=law)
        errors = [
            errors_of(lesson.cases.select(mask), physics) for lesson, mask in parts if not lesson.weight and mask.any()
        ]
        table = table_of(join_errors(errors))
        table = replace(table, law=fit_widths(pairs, law) if pairs else shipped_intervals().law)
        return Hybrid(replace(physics, intervals=table), residual_from(parts))


def law_pairs_from(kept: list[tuple[Lesson, Mask]]) -> dict[str, LawPairs]:
    """What teaches the law without counters of what is kept, by family."""
    parts: dict[str, list[LawPairs]] = {}
    for lesson, mask in kept:
        rest = lesson.law_pairs_of(mask) if lesson.weight else None
        if rest is not None:
            parts.setdefault(lesson.family, []).append(rest)
    return {family: join_pairs(pairs) for family, pairs in parts.items()}


def residual_from(kept: list[tuple[Lesson, Mask]]) -> Residual:
    """The trees from what is kept: the shipped ones where nothing of theirs is left out."""
    training = [(lesson, mask) for lesson, mask in kept if lesson.dataset == TRAINING_SET and lesson.is_whole]
    if training and all(mask.all() for _, mask in training):
        return shipped()
    training = [(lesson, mask) for lesson, mask in training if mask.any()]
    if not training:
        return nothing_learned()
    ((lesson, mask),) = training
    return learn(samples_of(lesson.cases.select(mask), Mechanistic()))
