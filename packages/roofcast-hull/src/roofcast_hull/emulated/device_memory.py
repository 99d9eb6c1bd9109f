"""What emulated threads hold: numbers and structures of all lanes, addresses, and the memories behind them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast_hull.emulated.value_types import DOUBLE, INT, Type

KNOWN, EVEN, DATA, UNSAID = 0, 1, 2, 3
"""Where a value comes from: the code alone, an assumption that rows are alike, data, a host that does not say it."""
HASH = 2654435761
"""Knuth's multiplier, 2^32 over the golden ratio: an element's made-up value is always the same."""
MOST_UNITS = 1 << 22
"""Scalars of an array that a block or a thread may hold."""
OPEN_UNITS = 1 << 16
"""Scalars of shared memory whose size the launch says."""


@dataclass(slots=True)
class Number:
    """A number, one for all lanes or one for each."""

    v: Any
    t: Type = INT
    data: int = KNOWN
    step: int = -1
    """Of the work on whole numbers that made it, the last (:class:`.whole_work.WholeWork`)."""
    origin: Any = None
    """What it follows from where it is known because the host fills an array with it, as :mod:`.origins` names that."""


@dataclass(slots=True)
class Global:
    """An array in memory: its elements are data."""

    name: str
    extent: float | None
    """Bytes, where the file says them."""
    base: int
    """First sector."""
    total: float | None = None
    """Of an array of offsets: what the last of them is, where the file lets one say it."""
    top: int = 0
    """Bytes from its start to the end of the last element that was touched; negative where data choose elements."""
    filled: NDArray[np.int64] | None = None
    """What its elements are, where the host fills it with numbers that no data enter."""


@dataclass(slots=True)
class Held:
    """An array that a block shares or a thread has for itself, scalar by scalar."""

    name: str
    unit: int
    """Bytes of a scalar."""
    values: NDArray[np.float64]
    """(scalars) where it is shared, else (scalars, lanes)."""
    shared: bool
    data: int = KNOWN
    open: bool = False
    """Whether the launch says how large it is."""
    top: int = 0
    """Bytes up to the last that was used."""
    constant: bool = False
    step: int = -1
    """Of the work on whole numbers that made what it holds, the last."""


@dataclass(slots=True)
class Address:
    """A place in a memory."""

    memory: Global | Held
    at: Any
    """Bytes from the start."""
    t: Type
    dims: tuple[int, ...] = ()
    """Sizes of the dimensions behind the next one."""
    data: int = KNOWN
    origin: Any = None
    """What it follows from where data say it, as :mod:`.origins` names that."""


@dataclass(slots=True)
class Structure:
    """A structure that a thread holds."""

    t: Type
    fields: dict[str, Any]


@dataclass(slots=True)
class Reference:
    """A variable, or a member of one, that has another name here."""

    names: dict[str, Any]
    name: str


Slot = Number | Address | Structure | Reference


def make_held(name: str, t: Type, dims: tuple[int, ...], lanes: int, *, shared: bool) -> Held | None:
    """An array of a block or of each thread; None where it is larger than either can have."""
    unknown = any(d <= 0 for d in dims)
    units = OPEN_UNITS if unknown else math.prod(dims) * t.size // t.unit
    if units > MOST_UNITS // (1 if shared else lanes):
        return None
    shape = (units,) if shared else (units, lanes)
    return Held(name, t.unit, np.zeros(shape), shared, open=unknown)


def read_held(memory: Held, at: Any, t: Type, lanes: Any) -> Number:
    """A scalar of each lane."""
    index = at // memory.unit % len(memory.values)
    if isinstance(index, np.ndarray) and not memory.shared:
        values = memory.values[index, lanes]
    else:
        values = memory.values[index]
    if np.ndim(values) == 0:
        return Number(float(values) if t.real else int(values), t, memory.data, memory.step)
    return Number(values if t.real else values.astype(np.int64), t, memory.data, memory.step)


def copy_held(value: Any) -> Any:
    """A member of a structure as a copy of that holds it: its arrays are arrays of its own."""
    if isinstance(value, Structure):
        return Structure(value.t, {n: copy_held(v) for n, v in value.fields.items()})
    if isinstance(value, Address) and isinstance(value.memory, Held) and not value.memory.name:
        return replace(value, memory=replace(value.memory, values=value.memory.values.copy()))
    return value


def write_held(memory: Held, at: Any, value: Number, mask: NDArray[np.bool_], lanes: Any) -> None:
    """Store a scalar of each active lane; the last lane wins."""
    memory.data = max(memory.data, value.data)
    index = at // memory.unit % len(memory.values)
    many = isinstance(index, np.ndarray)
    active = value.v[mask] if isinstance(value.v, np.ndarray) else value.v
    if memory.shared:
        if many:
            memory.values[index[mask]] = active
        else:
            memory.values[index] = active[-1] if isinstance(active, np.ndarray) else active
    elif many:
        memory.values[index[mask], lanes[mask]] = active
    else:
        memory.values[index, mask] = active


def make_up(memory: Global, at: Any, t: Type) -> Number:
    """An element's value: what the host fills it with, an offset where the array holds offsets, else any number."""
    index = at // max(1, t.size)
    if memory.filled is not None and not t.real:
        held = memory.filled[np.clip(index, 0, len(memory.filled) - 1)]
        return Number(held if isinstance(index, np.ndarray) else int(held), t)
    if memory.total is not None and not t.real and memory.extent:
        count = max(1.0, memory.extent / t.size - 1)
        value = np.minimum(index, count) * (memory.total / count)
        return Number(value.astype(np.int64) if isinstance(value, np.ndarray) else int(value), t, EVEN)
    mixed = (index * HASH) >> 9
    if t.real:
        return Number((mixed & 0xFFFF) * 1.5e-5 + 1e-5, t, DATA)
    return Number(mixed & (0xFF if t.size == 1 else 0x7FFFFFF), t, DATA)


UNKNOWN = Number(None, DOUBLE)
"""A number that the file does not say."""
