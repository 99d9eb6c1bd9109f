"""Dataclasses that cost a start little: of their methods only ``__init__`` is compiled, with the first object.

The standard library writes six methods of a class as text and compiles them when its module is imported: 0.27 ms for a
class, and a forecast imports some 150 and makes objects of two thirds. Here all classes share five of the six, which
look the fields up: equality, hash, text, and what refuses changes. All else is the standard library's, and what it says
of its own holds for these: ``fields``, ``replace``, ``asdict``, ``match``. A class that inherits from a dataclass is
left to it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, field, fields, is_dataclass
from functools import cache
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform, overload

Class = TypeVar("Class", bound=type)


@overload
def dataclass(cls: Class, /) -> Class: ...
@overload
def dataclass(
    *, frozen: bool = False, eq: bool = True, repr: bool = True, kw_only: bool = False, slots: bool = False
) -> Callable[[Class], Class]: ...
@dataclass_transform(field_specifiers=(field,))
def dataclass(cls: Any = None, /, **options: bool) -> Any:
    """Make a class a dataclass; options as of :func:`dataclasses.dataclass`."""

    def complete(given: Any) -> Any:
        if any(map(is_dataclass, given.__bases__)):
            return dataclasses.dataclass(**options)(given)
        bare = dataclasses.dataclass(**options | {"init": False, "repr": False, "eq": False, "frozen": False})(given)
        add_methods(bare, **options)
        return bare

    return complete if cls is None else complete(cls)


def add_methods(bare: Any, *, frozen: bool = False, eq: bool = True, repr: bool = True, **others: bool) -> None:  # noqa: A002 - its name
    """Give a class the methods that it does not have by itself. Options as of :func:`dataclass`."""
    params, methods = bare.__dataclass_params__, dict[str, Any](__init__=FirstInit(bare))
    # Whoever inherits must be frozen as well.
    params.frozen, params.eq, params.repr, params.init = frozen, eq, repr, True
    if repr:
        methods["__repr__"] = show
    if eq:
        methods["__eq__"] = equals
        # A class that says when its objects are equal has no hash of its own until here, either.
        if vars(bare).get("__hash__") is None:
            bare.__hash__ = hash_of if frozen else None
    if frozen:
        methods |= {"__setattr__": refuse_change, "__delattr__": refuse_removal}
        if others.get("slots"):
            methods |= {"__getstate__": list_state, "__setstate__": take_state}
    for name, method in methods.items():
        if name not in vars(bare):
            setattr(bare, name, method)


class FirstInit:
    """What stands for ``__init__`` until it is asked for."""

    def __init__(self, cls: Any) -> None:
        """Of a class."""
        self.cls = cls

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        self.cls.__init__ = init = compile_init(self.cls)
        return init.__get__(instance, owner)


def compile_init(cls: Any) -> Any:
    """The function that takes the fields of a class."""
    every: tuple[Field[Any], ...] = fields(cls)
    scope: dict[str, Any] = {"_put": object.__setattr__, "_absent": MISSING}
    frozen, parameters, body = cls.__dataclass_params__.frozen, ["self"], list[str]()
    for f in sorted(every, key=lambda f: f.kw_only is True):
        if f.kw_only and f.init and "*" not in parameters:
            parameters.append("*")
        default = ""
        if f.default is not MISSING:
            scope[f"_of_{f.name}"], default = f.default, f"=_of_{f.name}"
        elif f.default_factory is not MISSING:
            scope[f"_make_{f.name}"], default = f.default_factory, "=_absent"
        if f.init:
            parameters.append(f.name + default)
    for f in every:
        value = f.name if f.init else f"_of_{f.name}" if f.default is not MISSING else ""
        if f.default_factory is not MISSING:
            value = f"_make_{f.name}() if {f.name} is _absent else {f.name}" if f.init else f"_make_{f.name}()"
        if value:
            body.append(f"_put(self, {f.name!r}, {value})" if frozen else f"self.{f.name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    lines = "\n ".join(body or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):\n {lines}", scope)  # noqa: S102 - of names of fields alone
    init = scope["__init__"]
    init.__qualname__, init.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    init.__annotations__ = {f.name: f.type for f in every if f.init} | {"return": None}
    return init


@cache
def list_compared(cls: Any) -> tuple[str, ...]:
    """Names of the fields that make objects of a class equal."""
    return tuple(f.name for f in fields(cls) if f.compare)


@cache
def list_hashed(cls: Any) -> tuple[str, ...]:
    """Names of the fields that a hash is of."""
    return tuple(f.name for f in fields(cls) if (f.compare if f.hash is None else f.hash))


def equals(self: Any, other: object) -> Any:
    """Return whether both are of one class and have equal fields."""
    if other.__class__ is not self.__class__:
        return NotImplemented
    cls: Any = type(self)
    names = list_compared(cls)
    return tuple(getattr(self, n) for n in names) == tuple(getattr(other, n) for n in names)


def hash_of(self: Any) -> int:
    """Hash of the fields."""
    cls: Any = type(self)
    return hash(tuple(getattr(self, n) for n in list_hashed(cls)))


@recursive_repr()
def show(self: Any) -> str:
    """Name of the class and fields."""
    inside = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{self.__class__.__qualname__}({inside})"


def is_fixed(self: Any, name: str) -> bool:
    """Return whether an attribute must not change: any of a frozen class, the fields where another inherits from it."""
    return "__dataclass_params__" in vars(type(self)) or name in type(self).__dataclass_fields__


def refuse_change(self: Any, name: str, value: Any) -> None:
    """Set an attribute that is no field of a frozen object."""
    if is_fixed(self, name):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def refuse_removal(self: Any, name: str) -> None:
    """Remove an attribute that is no field of a frozen object."""
    if is_fixed(self, name):
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def list_state(self: Any) -> list[Any]:
    """What travels of an object without a dictionary."""
    return [getattr(self, f.name) for f in fields(self)]


def take_state(self: Any, state: list[Any]) -> None:
    """Take what travelled."""
    for f, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, f.name, value)
