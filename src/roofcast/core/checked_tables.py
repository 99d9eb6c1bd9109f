"""Tables of a user's file, checked field by field: every problem is named, none is converted away.

A kind of table is a frozen dataclass whose annotations say what its fields hold. ``Annotated[type, check, ...]`` adds
checks: functions that return the value, perhaps as another, or raise ValueError with what is wrong. What fields must
fulfil together stands in ``__post_init__``, which raises ValueError as well.
"""

from __future__ import annotations

import dataclasses
import math
import re
import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Made = TypeVar("Made")
Where = tuple[str | int, ...]
"""Fields and positions from the outermost table to a value."""
Check = Callable[[Any], Any]

NO_FIELD = "no such field"
NO_LIST = "must be a list"
REQUIRED = "Field required"


class WrongFieldsError(ValueError):
    """Fields of a table that are wrong. problems : where, and what is wrong there."""

    def __init__(self, problems: list[tuple[Where, str]]) -> None:
        super().__init__("; ".join(f"{'.'.join(map(str, where))}: {message}" for where, message in problems))
        self.problems = problems


def read_table(kind: type[Made], content: Mapping[str, Any]) -> Made:
    """A table of a kind from what a file holds.

    Raises
    ------
    WrongFieldsError : it is none, with every problem.
    """
    problems: list[tuple[Where, str]] = []
    table_read = converted(kind, content, (), problems)
    if problems:
        raise WrongFieldsError(problems)
    return cast("Made", table_read)


def stated(found: Any, content: Any) -> Any:
    """The fields of a table that its file states, as a plain dict. content : what the file holds."""
    if dataclasses.is_dataclass(found):
        names = {key_of(f): f.name for f in dataclasses.fields(found)}
        return {key: stated(getattr(found, names[key]), value) for key, value in content.items()}
    if isinstance(found, dict):
        return {key: stated(found[key], value) for key, value in content.items()}
    if isinstance(found, list):
        return [stated(item, value) for item, value in zip(found, content, strict=True)]
    return found


def key_of(field: dataclasses.Field[Any]) -> str:
    """The name that a file has for a field: its own, but for words that Python keeps."""
    return str(field.metadata.get("key", field.name))


def within(least: float, most: float) -> Check:
    """A check of a number between two, both included."""

    def check(value: float) -> float:
        if not least <= value <= most:
            raise ValueError(f"must be between {least:g} and {most:g}")
        return value

    return check


def above_zero(most: float = math.inf) -> Check:
    """A check of a finite number above 0."""

    def check(value: float) -> float:
        if not (0 < value <= most and value < math.inf):
            raise ValueError("must be greater than 0" + (f", at most {most:g}" if most < math.inf else ""))
        return value

    return check


def matching(pattern: str, told: str) -> Check:
    """A check of a text as a whole. told : what it must be, in words."""
    compiled = re.compile(pattern)

    def check(text: str) -> str:
        if not compiled.fullmatch(text):
            raise ValueError(f"must be {told}")
        return text

    return check


def of_length(least: int, most: int) -> Check:
    """A check of a text or a list by its length."""

    def check(value: Any) -> Any:
        if not least <= len(value) <= most:
            raise ValueError(f"must have {least} to {most} {'letters' if isinstance(value, str) else 'entries'}")
        return value

    return check


SCALARS: Mapping[Any, tuple[Callable[[Any], bool], str]] = {
    bool: (lambda v: isinstance(v, bool), "true or false"),
    int: (lambda v: isinstance(v, int) and not isinstance(v, bool), "a whole number"),
    float: (lambda v: isinstance(v, (int, float)) and not isinstance(v, bool), "a number"),
    str: (lambda v: isinstance(v, str), "a text in quotes"),
    type(None): (lambda v: v is None, "absent"),
}
"""Type of a value -> whether one is it, and what it must be in words."""


Problems = list[tuple[Where, str]]


def converted(kind: Any, value: Any, where: Where, problems: Problems) -> Any:
    """The value as its annotation has it; problems are added where it is not."""
    if dataclasses.is_dataclass(kind):
        return table(kind, value, where, problems)
    made_of = CONVERTERS.get(get_origin(kind))
    if made_of is not None:
        return made_of(kind, value, where, problems)
    fits, expected = SCALARS[kind]
    if not fits(value):
        problems.append((where, f"must be {expected}"))
        return value
    return float(value) if kind is float else value


def checked(kind: Any, value: Any, where: Where, problems: Problems) -> Any:
    """A value with checks of its own."""
    base, *checks = get_args(kind)
    before, value_read = len(problems), converted(base, value, where, problems)
    try:
        for check in checks if len(problems) == before else ():
            value_read = check(value_read)
    except ValueError as error:
        problems.append((where, str(error)))
    return value_read


def one_of(kind: Any, value: Any, where: Where, problems: Problems) -> Any:
    """The value as the first of several kinds that it is; where one is left beside None, the problems of that."""
    kinds = get_args(kind)
    if value is None and type(None) in kinds:
        return None
    left = [option for option in kinds if option is not type(None)]
    if len(left) == 1:
        return converted(left[0], value, where, problems)
    for option in left:
        refusals: Problems = []
        value_read = converted(option, value, where, refusals)
        if not refusals:
            return value_read
    expected = [SCALARS[option][1] if option in SCALARS else "a list of two" for option in left]
    problems.append((where, f"must be {' or '.join(expected)}"))
    return value


def literal(kind: Any, value: Any, where: Where, problems: Problems) -> Any:
    """One of the words that there are."""
    if value not in get_args(kind):
        problems.append((where, f"must be {' or '.join(map(repr, get_args(kind)))}"))
    return value


def several(kind: Any, value: Any, where: Where, problems: Problems) -> Any:
    """A list, as a list or a tuple."""
    if not isinstance(value, (list, tuple)):
        problems.append((where, NO_LIST))
        return value
    origin, parts = get_origin(kind), get_args(kind)
    whole = origin is tuple and parts[1:] != (...,)
    if whole and len(value) != len(parts):
        problems.append((where, f"must be a list of {len(parts)}"))
        return value
    kinds = parts if whole else parts[:1] * len(value)
    items = [converted(k, item, (*where, i), problems) for i, (k, item) in enumerate(zip(kinds, value, strict=True))]
    return tuple(items) if origin is tuple else items


def named(kind: Any, value: Any, where: Where, problems: Problems) -> Any:
    """A table whose names are free."""
    kinds = get_args(kind)
    if not isinstance(value, Mapping):
        problems.append((where, "must be a table"))
        return value
    return {
        converted(kinds[0], key, (*where, key), problems): converted(kinds[1], item, (*where, key), problems)
        for key, item in value.items()
    }


@cache
def fields_of(kind: Any) -> dict[str, tuple[str, Any, bool]]:
    """Name in the file -> name, kind and whether it must be there."""
    hints = get_type_hints(kind, include_extras=True)
    absent = dataclasses.MISSING
    return {
        key_of(f): (f.name, hints[f.name], f.default is absent and f.default_factory is absent)
        for f in dataclasses.fields(kind)
    }


def table(kind: Any, value: Any, where: Where, problems: Problems) -> Any:
    """A table whose fields are known."""
    if not isinstance(value, Mapping):
        problems.append((where, "must be a table"))
        return value
    before, values, known = len(problems), {}, fields_of(kind)
    for key, (name, annotation, required) in known.items():
        if key in value:
            values[name] = converted(annotation, value[key], (*where, key), problems)
        elif required:
            problems.append(((*where, key), REQUIRED))
    problems += [((*where, str(key)), NO_FIELD) for key in value if key not in known]
    if len(problems) > before:
        return value
    try:
        return kind(**values)
    except ValueError as error:
        problems.append((where, str(error)))
        return value


CONVERTERS: Mapping[Any, Callable[[Any, Any, Where, Problems], Any]] = {
    Annotated: checked, Union: one_of, types.UnionType: one_of, Literal: literal, list: several, tuple: several,
    dict: named,
}  # fmt: skip
"""What an annotation is made of -> how its values are read."""
