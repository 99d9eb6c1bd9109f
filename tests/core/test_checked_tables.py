"""Tables of a user's file: every problem is named where it stands, and what is right keeps its kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest

from roofcast.core.checked_tables import WrongFieldsError, above_zero, matching, of_length, read_table, stated, within


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part."""

    name: Annotated[str, of_length(1, 5)]
    kind: Literal["large", "small"] = "small"
    at: float | tuple[float, float] = 0.0
    kept: bool | float | str = False


@dataclass(frozen=True, kw_only=True)
class Whole:
    """Some parts."""

    key: Annotated[str, matching(r"[a-z]+", "small letters")]
    count: Annotated[int, within(1, 9)] | None = None
    of: str = field(default="", metadata={"key": "class"})
    rates: dict[str, Annotated[float, above_zero()]] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Names are there once."""
        if len({p.name for p in self.parts}) < len(self.parts):
            raise ValueError("two parts have one name")


def test_what_is_right_keeps_its_kind_and_what_is_absent_its_default() -> None:
    content = {"key": "a", "class": "c", "rates": {"x": 2}, "parts": [{"name": "p", "at": [1, 2], "kept": True}]}
    found = read_table(Whole, content)
    assert found == Whole(key="a", of="c", rates={"x": 2.0}, parts=[Part(name="p", at=(1.0, 2.0), kept=True)])
    assert isinstance(found.rates["x"], float)
    assert stated(found, content) == {
        "key": "a", "class": "c", "rates": {"x": 2.0}, "parts": [{"name": "p", "at": (1.0, 2.0), "kept": True}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("content", "where", "message"),
    [
        ({}, ("key",), "Field required"),
        ({"key": "A"}, ("key",), "must be small letters"),
        ({"key": "a\n"}, ("key",), "must be small letters"),
        ({"key": "a", "keys": 1}, ("keys",), "no such field"),
        ({"key": "a", "of": "c"}, ("of",), "no such field"),
        ({"key": "a", "count": True}, ("count",), "must be a whole number"),
        ({"key": "a", "count": 3.0}, ("count",), "must be a whole number"),
        ({"key": "a", "count": 0}, ("count",), "must be between 1 and 9"),
        ({"key": "a", "rates": {"x": "3"}}, ("rates", "x"), "must be a number"),
        ({"key": "a", "rates": {"x": float("nan")}}, ("rates", "x"), "must be greater than 0"),
        ({"key": "a", "rates": {"x": float("inf")}}, ("rates", "x"), "must be greater than 0"),
        ({"key": "a", "rates": []}, ("rates",), "must be a table"),
        ({"key": "a", "parts": {"name": "p"}}, ("parts",), "must be a list"),
        ({"key": "a", "parts": ["p"]}, ("parts", 0), "must be a table"),
        ({"key": "a", "parts": [{"name": ""}]}, ("parts", 0, "name"), "must have 1 to 5 letters"),
        ({"key": "a", "parts": [{"name": "p", "kind": "x"}]}, ("parts", 0, "kind"), "must be 'large' or 'small'"),
        ({"key": "a", "parts": [{"name": "p", "at": "1"}]}, ("parts", 0, "at"), "must be a number or a list of two"),
        ({"key": "a", "parts": [{"name": "p"}, {"name": "p"}]}, (), "two parts have one name"),
    ],
)
def test_each_problem_is_named_where_it_stands(
    content: dict[str, Any], where: tuple[str | int, ...], message: str
) -> None:
    with pytest.raises(WrongFieldsError) as caught:
        read_table(Whole, content)
    assert caught.value.problems == [(where, message)]


def test_all_problems_are_named_at_once() -> None:
    with pytest.raises(WrongFieldsError) as caught:
        read_table(Whole, {"count": "x", "colour": 1, "parts": [{"kind": "large"}]})
    assert [where for where, _ in caught.value.problems] == [
        ("key",), ("count",), ("parts", 0, "name"), ("colour",),
    ]  # fmt: skip
