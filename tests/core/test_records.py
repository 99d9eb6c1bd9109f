"""Dataclasses that compile one method alone behave as the standard library's do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field, fields, replace
from typing import Any, ClassVar

import pytest

from roofcast.core import records

FORMS: list[dict[str, bool]] = [
    {}, {"frozen": True}, {"slots": True}, {"frozen": True, "slots": True}, {"frozen": True, "kw_only": True},
    {"eq": False}, {"frozen": True, "eq": False, "repr": False},
]  # fmt: skip


def declare(make: Callable[..., Any], options: dict[str, bool]) -> Any:
    """A class with every kind of field."""

    class Sample:
        size: int
        name: str = "x"
        parts: list[int] = field(default_factory=list)
        hidden: float = field(default=2.0, repr=False, compare=False)
        only: int = field(default=3, kw_only=True)
        made: int = field(default=5, init=False)
        kept: dict[str, int] = field(default_factory=dict, init=False, repr=False)
        unhashed: tuple[int, ...] = field(default=(), hash=False)
        shared: ClassVar[int] = 7

    return make(**options)(Sample)


def both(options: dict[str, bool]) -> tuple[Any, Any]:
    return declare(records.dataclass, options), declare(dataclasses.dataclass, options)


@pytest.mark.parametrize("options", FORMS, ids=str)
def test_objects_are_made_and_shown_as_the_standard_librarys_are(options: dict[str, bool]) -> None:
    ours, theirs = both(options)
    assert [f.name for f in fields(ours)] == [f.name for f in fields(theirs)]
    taken = ([(p.name, p.kind) for p in inspect.signature(made).parameters.values()] for made in (ours, theirs))
    assert next(taken) == next(taken)
    cases: list[dict[str, Any]] = [
        {"size": 1}, {"size": 1, "name": "y", "parts": [2], "only": 4, "unhashed": (1,)},
    ]  # fmt: skip
    for given in cases:
        one, other = ours(**given), theirs(**given)
        assert {f.name: getattr(one, f.name) for f in fields(one)} == {
            f.name: getattr(other, f.name) for f in fields(other)
        }
        assert (repr(one) == repr(other)) or not options.get("repr", True)
        assert dataclasses.asdict(one) == dataclasses.asdict(other)
        assert replace(one, size=9).size == 9
    assert ours(size=1).parts is not ours(size=1).parts
    wrong_ones: list[dict[str, Any]] = [{}, {"size": 1, "made": 2}, {"size": 1, "other": 2}]
    for wrong in wrong_ones:
        with pytest.raises(TypeError):
            ours(**wrong)


@pytest.mark.parametrize("options", FORMS, ids=str)
def test_they_are_equal_and_hashed_as_those_are(options: dict[str, bool]) -> None:
    samples: list[dict[str, Any]] = [
        {"size": 1}, {"size": 1}, {"size": 2}, {"size": 1, "hidden": 4.0}, {"size": 1, "unhashed": (2,)},
    ]  # fmt: skip
    ours, theirs = ([made(**given) for given in samples] for made in both(options))
    for i in range(len(samples)):
        assert [ours[i] == o for o in ours] == [theirs[i] == o for o in theirs]
        assert ours[i] != theirs[i]
    assert (type(ours[0]).__hash__ is None) == (type(theirs[0]).__hash__ is None)


def test_a_hash_is_of_what_is_compared() -> None:
    @records.dataclass(frozen=True)
    class Point:
        x: float
        y: float = field(default=0.0, hash=False)
        z: float = field(default=0.0, compare=False)

    assert hash(Point(1.0)) == hash(Point(1.0, 2.0, 3.0)) == hash((1.0,))
    assert len({Point(1.0), Point(1.0), Point(2.0)}) == 2


@pytest.mark.parametrize("slots", [False, True])
def test_what_is_frozen_stays_as_it_is(slots: bool) -> None:
    sample = declare(records.dataclass, {"frozen": True, "slots": slots})(size=1)
    for name in ("size", "other"):
        with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
            setattr(sample, name, 2)
        with pytest.raises(FrozenInstanceError, match=f"cannot delete field '{name}'"):
            delattr(sample, name)
    assert sample.size == 1


@records.dataclass(frozen=True, slots=True)
class Travelling:
    """Made at the top of a module, so that it can be sent."""

    a: int
    b: str = "b"


@records.dataclass
class Open:
    """May change."""

    a: int
    twice: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.twice = 2 * self.a


@records.dataclass(frozen=True)
class Base:
    """Others inherit from it."""

    a: int


@records.dataclass(frozen=True)
class Heir(Base):
    """Left to the standard library."""

    b: int = 2


@dataclasses.dataclass(frozen=True)
class Foreign(Base):
    """Of somebody who knows the standard library alone."""

    b: int = 2


class Plain(Base):
    """No dataclass itself: it may have attributes of its own."""


@pytest.mark.parametrize("sample", [Travelling(1), Open(2), Base(3), Heir(4), Foreign(5)], ids=str)
def test_objects_travel_and_are_copied(sample: Any) -> None:
    for other in (pickle.loads(pickle.dumps(sample)), copy.copy(sample), copy.deepcopy(sample)):
        assert other == sample
        assert repr(other) == repr(sample)


def test_an_object_that_came_without_its_init_is_whole() -> None:
    class Unpickled:
        x: int

    made: Any = records.dataclass(frozen=True)(Unpickled)
    sample = made.__new__(made)
    object.__setattr__(sample, "x", 1)
    assert repr(sample).endswith("Unpickled(x=1)")
    assert sample == made(1)


def test_what_is_done_after_init_is_done_and_heirs_are_frozen_too() -> None:
    assert Open(3).twice == 6
    for made in (Heir, Foreign):
        assert (made(1).a, made(1, 3).b) == (1, 3)
        with pytest.raises(FrozenInstanceError):
            made(1).a = 2  # type: ignore[misc]
    with pytest.raises(TypeError, match="frozen"):
        dataclasses.dataclass(type("Thawed", (Base,), {"__annotations__": {"c": "int"}, "c": 1}))
    plain = Plain(1)
    plain.other = 2  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError):
        plain.a = 2  # type: ignore[misc]


def test_a_class_keeps_the_methods_that_it_has() -> None:
    @records.dataclass(frozen=True)
    class Own:
        a: int

        def __repr__(self) -> str:
            return "own"

        def __hash__(self) -> int:
            return 4

    assert (repr(Own(1)), hash(Own(2)), Own(1) == Own(1)) == ("own", 4, True)


def test_patterns_match_by_position_and_what_holds_itself_is_shown() -> None:
    match Base(3):
        case Base(a):
            assert a == 3
    sample = Open(1)
    sample.a = sample  # type: ignore[assignment]
    assert repr(sample) == "Open(a=..., twice=2)"


def test_nothing_is_compiled_before_the_first_object() -> None:
    made = declare(records.dataclass, {"frozen": True})
    assert isinstance(vars(made)["__init__"], records.FirstInit)
    made(1)
    assert inspect.isfunction(vars(made)["__init__"])
    assert list(inspect.signature(made).parameters) == ["size", "name", "parts", "hidden", "unhashed", "only"]
