"""What the default model learns from measurements, and the same without some of them.

A lesson is a data set, paired as a user's file is, with what the fits need of it computed once: leaving a family, some
programs or some GPUs out is then a mask over arrays. Whatever is fitted to data must be fitted here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import KernelTable
from roofcast.core.processor import Processor
from roofcast.evaluation.calibrate import SETS, TIMES_ALONE, Errors, errors_of, join_errors, table_of, thin_cases
from roofcast.evaluation.cases import FOLDS, Cases, cases_of, folds_of
from roofcast.evaluation.datasets import DATASETS, load
from roofcast.evaluation.ladder import STEPS, drop_columns
from roofcast.evaluation.screening import accepted, screen
from roofcast.evaluation.train import TRAINING_SETS, learn, nothing_learned, samples_of
from roofcast.models.base import Model
from roofcast.models.learned.hybrid import Hybrid
from roofcast.models.learned.residual import Residual, shipped
from roofcast.models.physics.model import Mechanistic

AS_GIVEN, TIME_ALONE = STEPS[0].name, STEPS[-1].name

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Lesson:
    """One data set with its columns, or with fewer of them, as something to learn from."""

    family: str
    dataset: str
    step: str
    """Name of the step of the ladder (:data:`roofcast.evaluation.ladder.STEPS`)."""
    cases: Cases

    @cached_property
    def program_fold(self) -> NDArray[np.intp]:
        """(p,) fold of each pair's program."""
        return folds_of(self.cases.kernels.strings("kernel"))

    @cached_property
    def gpu_folds(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """(p,) folds of the source and of the target GPU, by the catalog's keys: the same in all data sets."""
        return gpu_folds(self.cases)

    @cached_property
    def errors(self) -> Errors:
        """How far the physics as it is shipped is off."""
        return errors_of(self.cases, Mechanistic())


def gpu_folds(cases: Cases) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(p,) folds of the source and of the target GPU of each pair."""

    def fold(p: Processor) -> int:
        return int(hashlib.sha256(p.key.rstrip("*").encode()).hexdigest(), 16) % FOLDS

    source, target = (
        np.array([fold(p) for p in m.processors] + [0], np.intp)[m.index] for m in (cases.sources, cases.targets)
    )
    return source, target[:, 0]


def sound_rows(kernels: KernelTable) -> Mask:
    """(n,) rows that screening leaves."""
    return accepted(kernels, screen(kernels))


def lessons() -> Iterator[Lesson]:
    """Every data set that anything is learned from, screened and thinned."""
    for name in SETS:
        kernels = load(name)[1]
        keep, family = sound_rows(kernels), DATASETS[name].family or name
        yield Lesson(family, name, AS_GIVEN, thin_cases(cases_of(name, kernels, accepted=keep)))
        if name in TIMES_ALONE:
            alone = drop_columns(kernels, TIME_ALONE)
            yield Lesson(family, name, TIME_ALONE, thin_cases(cases_of(name, alone, accepted=keep)))


def everything(lesson: Lesson) -> Mask:
    """A mask that leaves nothing out."""
    return np.ones(len(lesson.cases), np.bool_)


@dataclass(frozen=True)
class Teacher:
    """All lessons, ready to be taught without some of their pairs."""

    lessons: tuple[Lesson, ...]

    @classmethod
    def of(cls, given: Iterable[Lesson]) -> Teacher:
        """With these lessons."""
        return cls(tuple(given))

    def teach(self, keep: Callable[[Lesson], Mask] = everything) -> Model:
        """The default model from the pairs that ``keep`` leaves of each lesson."""
        kept = [(lesson, keep(lesson)) for lesson in self.lessons]
        intervals = table_of(join_errors([lesson.errors.select(mask) for lesson, mask in kept if mask.any()]))
        return Hybrid(Mechanistic(intervals=intervals), residual_from(kept))


def residual_from(kept: list[tuple[Lesson, Mask]]) -> Residual:
    """The trees from what is kept: the shipped ones where nothing of theirs is left out."""
    own = [(lesson, mask) for lesson, mask in kept if lesson.dataset in TRAINING_SETS and lesson.step == AS_GIVEN]
    if own and all(mask.all() for _, mask in own):
        return shipped()
    own = [(lesson, mask) for lesson, mask in own if mask.any()]
    if not own:
        return nothing_learned()
    ((lesson, mask),) = own
    return learn(samples_of(lesson.cases.select(mask), Mechanistic()))
