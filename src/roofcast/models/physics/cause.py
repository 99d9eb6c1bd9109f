"""What a cause is: a name, a reason, constants, and what it does at which stage of a forecast.

A stage starts with the form that no cause has touched. The causes that are on change it one after the other, in the
order of the registry (:mod:`roofcast.models.physics.causes.registry`). A cause that is an alternative inside a formula
gives both forms: ``at(..., without=True)`` is what stands where it is switched off.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.properties import Property
from roofcast.core.records import dataclass
from roofcast.formulas.values import check_cells
from roofcast.models.physics.carried import SecondsByResource

State = TypeVar("State")
Read = TypeVar("Read")


@dataclass(frozen=True)
class Constant:
    """A number that is no fact of a GPU or a kernel."""

    name: str
    value: float
    low: float
    """Bounds for fitting."""
    high: float
    why: str
    """Meaning, reason and source."""


@dataclass(frozen=True, eq=True)
class Constants:
    """Values of constants, read as attributes by their names."""

    values: Mapping[str, float]

    def __getattr__(self, name: str) -> float:
        # Copies and pickles ask for attributes before there are values.
        if name.startswith("__") or name == "values":
            raise AttributeError(name)
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(f"no cause has a constant {name!r}") from None

    def __hash__(self) -> int:
        return self.number

    @cached_property
    def number(self) -> int:
        """The hash, for which thirty values are looked at once."""
        return hash(tuple(self.values.items()))

    def replace(self, **changes: float) -> Constants:
        """A copy with some constants changed."""
        unknown = sorted(set(changes) - set(self.values))
        if unknown:
            raise AttributeError(f"no cause has a constant {unknown[0]!r}")
        return Constants({**self.values, **changes})


@dataclass(frozen=True, eq=False)
class Stage(Generic[State, Read]):
    """A step of the model at which causes act.

    State : what they change. Read : what they read beside it.
    """

    name: str
    what: str
    cells: Callable[[State, Read], tuple[int, int]]
    """Kernels and machines of the state, given what is read: the shape that all its arrays broadcast to."""


def arrays_in(state: Any, before: Any = None) -> list[NDArray[Any]]:
    """The arrays of a state: its own, those of its members and of its fields; not those that stood there before."""
    if state is before:
        return []
    if isinstance(state, np.ndarray):
        return [state]
    arrays: list[NDArray[Any]] = []
    known, of_fields = parts_of(before), type(state) not in MEMBERS
    for name, part in parts_of(state).items():
        if part is known.get(name):
            continue
        if isinstance(part, np.ndarray):
            arrays.append(part)
        elif not of_fields or type(part) in LOOKED_INTO:
            arrays += arrays_in(part, known.get(name))
    return arrays


MEMBERS: dict[type, Callable[[Any], Mapping[Any, Any]]] = {
    dict: lambda state: state,
    list: lambda state: dict(enumerate(state)),
    SecondsByResource: lambda state: {**state.found, None: state.fill_ratio},
}
"""How the members of a collection are told apart. A dataclass without slots has its fields in its ``__dict__``."""
LOOKED_INTO = frozenset({dict, SecondsByResource})
"""What a field of a state may be beside an array."""


def parts_of(state: Any) -> Mapping[Any, Any]:
    """The members of a collection, the fields of a dataclass; none of anything else."""
    members = MEMBERS.get(type(state))
    return getattr(state, "__dict__", {}) if members is None else members(state)


@dataclass(frozen=True)
class Act:
    """What a cause does at a stage; made by :func:`at`, which checks the types."""

    stage: Stage[Any, Any]
    run: Callable[[Any, Any], Any]
    without: bool
    """Whether this is the form that stands where the cause is switched off."""


def at(stage: Stage[State, Read], run: Callable[[State, Read], State], *, without: bool = False) -> Act:
    """What a cause does at a stage: a function of the state and of what it may read, to the new state."""
    return Act(stage, run, without)


class Subject(StrEnum):
    """What a cause speaks of."""

    KERNEL = "any kernel"
    OPERATOR = "library operators"
    NAME = "kernels of which only name and time are known"
    COLLECTIVE = "kernels that several GPUs run together"


@dataclass(frozen=True)
class Cause:
    """One reason why a kernel takes another time elsewhere. Its module's docstring has equation, symbols and reason."""

    name: str
    """What ``without=`` takes; the name of its file."""
    sentence: str
    when: str
    """Where it applies."""
    corrects: str
    """What the model gets wrong without it."""
    taught_by: str
    """Data or publication that it was learned from."""
    acts: tuple[Act, ...]
    properties: tuple[Property, ...]
    """Properties of a GPU that it is about: the steps of ``--explain`` that it moves."""
    constants: tuple[Constant, ...] = ()
    levels: tuple[str, ...] = ()
    """Fields of :class:`roofcast.models.operators.levels.LibraryConstants` that it reads."""
    subject: Subject = Subject.KERNEL


class Walk:
    """The causes that are on, stage by stage, in the order of the registry."""

    def __init__(self, causes: Sequence[Cause], without: Collection[str] = ()) -> None:
        """Leave out the named causes."""
        names = [cause.name for cause in causes]
        unknown = [name for name in without if name not in names]
        if unknown:
            raise RoofcastError(f"no cause {one_line(unknown[0], 40)!r}: use some of {', '.join(names)}")
        self.causes = tuple(cause for cause in causes if cause.name not in without)
        self.acted: set[str] = set()
        """Names of those that have changed anything since this walk was made."""
        acts: dict[Stage[Any, Any], list[tuple[str, Callable[[Any, Any], Any]]]] = {}
        for cause in causes:
            for act in cause.acts:
                if act.without == (cause not in self.causes):
                    acts.setdefault(act.stage, []).append((cause.name, act.run))
        self.acts = {stage: tuple(runs) for stage, runs in acts.items()}

    def through(self, stage: Stage[State, Read], state: State, read: Read) -> State:
        """The state after all causes that act at a stage.

        Raises
        ------
        ValueError : a cause made an array that does not broadcast to kernels x machines.
        """
        for name, run in self.acts.get(stage, ()):
            after = run(state, read)
            if after is state:
                continue
            self.acted.add(name)
            before, state = state, after
            cells = stage.cells(state, read)
            usual = {cells, (cells[0], 1), (1, cells[1]), (1, 1)}
            for values in arrays_in(state, before):
                if values.shape in usual:
                    continue
                # A mask of kernels says so by having one dimension.
                of_kernels = values.ndim == 1 and values.dtype == np.bool_
                check_cells(values.shape, cells[:1] if of_kernels else cells, name)
        return state

    def speaks_of(self, subject: Subject) -> bool:
        """Return whether any cause that is on is about such kernels."""
        return any(cause.subject is subject for cause in self.causes)
