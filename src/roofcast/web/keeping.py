"""Profiles and results that the page holds in memory: bounded in number, bytes and age, found by unguessable names."""

from __future__ import annotations

import math
import secrets
import sys
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import is_dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from roofcast.core.joined_parts import KERNELS
from roofcast.core.kernel_table import KernelTable, as_text
from roofcast.core.records import dataclass


class Closing(Protocol):
    """Something that ends well."""

    def close(self) -> None:
        """End it."""
        ...


MANY = 512
"""Items of a sequence beyond which evenly spaced ones stand for all."""


def count_bytes(value: object) -> int:
    """Roughly the memory of a value and of all that only data lead to; long sequences are sampled.

    >>> count_bytes((np.zeros(1000), {"a": np.zeros(500)})) // 1000
    12
    """
    total, seen = 0.0, set[int]()
    stack: list[tuple[Any, float]] = [(value, 1.0)]
    while stack:
        item, weight = stack.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        parts: Any = ()
        if isinstance(item, np.ndarray):
            total += weight * item.nbytes
            parts = item.ravel() if item.dtype.hasobject else ()
        else:
            total += weight * sys.getsizeof(item)
            if isinstance(item, Mapping):
                parts = [*item.keys(), *item.values()]
            elif isinstance(item, (tuple, list, set, frozenset)):
                parts = list(item)
            elif is_dataclass(type(item)) or type(item).__module__.startswith("roofcast."):
                slots = (getattr(item, name, None) for name in getattr(type(item), "__slots__", ()))
                parts = [*getattr(item, "__dict__", {}).values(), *slots]
        step = max(1, len(parts) // MANY)
        stack += [(part, weight * step) for part in parts[::step]]
    return int(total)


NO_KERNELS = KernelTable(numeric={}, origin={}, text={"kernel": as_text([]), "gpu": as_text([])})
"""What a model or a list of operators holds: neither ran."""
T = TypeVar("T", bound=Closing)
NAME_BYTES = 16
"""B of chance in the address of a kept page: nobody guesses 128 bits."""


@dataclass(frozen=True)
class Profile:
    """One profile that was dropped."""

    name: str
    kernels: KernelTable
    folder: TemporaryDirectory[str] | None = None
    """Holds the file, which the views' commands read; deleted when the profile leaves."""
    source: str = ""
    """What a command takes for it: a file, a folder, or a set of the store."""
    kind: str = KERNELS
    """One of :mod:`roofcast.asks`: what the file is."""
    input_format: str | None = None
    """Where the command line stated one."""

    @property
    def disk_bytes(self) -> int:
        """B of the file where it is this server's, else 0."""
        return Path(self.source).stat().st_size if self.folder and Path(self.source).is_file() else 0

    def close(self) -> None:
        """Delete the file."""
        if self.folder is not None:
            self.folder.cleanup()


class Kept(Generic[T]):
    """Values by random name, bounded in number and bytes; the one that was used longest ago leaves first.

    >>> from io import StringIO
    >>> kept = Kept[StringIO](2, 10**6, 60.0)
    >>> first, *others = (StringIO() for _ in range(3))
    >>> names = [kept.add(v) for v in (first, *others)]
    >>> kept.get(names[0]), kept.get(names[2]) is others[1], len(kept), first.closed
    (None, True, 2, True)
    """

    def __init__(self, count: int, most_bytes: int, keep_s: float) -> None:
        self._count, self._most_bytes, self._keep_s = count, most_bytes, keep_s
        self._found: OrderedDict[str, tuple[float, T]] = OrderedDict()
        self._bytes: dict[str, int] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._found)

    def add(self, value: T, *, for_ever: bool = False) -> str:
        """Keep a value; returns its name. What is kept for ever counts beside the others; the newest always stays."""
        name = secrets.token_urlsafe(NAME_BYTES)
        size = 0 if for_ever else count_bytes(value) + getattr(value, "disk_bytes", 0)
        with self._lock:
            self._drop_old()
            self._found[name] = math.inf if for_ever else time.monotonic(), value
            self._bytes[name] = size
            passing = [n for n, (used, _) in self._found.items() if used < math.inf]
            while len(passing) > self._count or (len(passing) > 1 and sum(self._bytes.values()) > self._most_bytes):
                self._drop(passing.pop(0))
        return name

    def get(self, name: str) -> T | None:
        """The value, which counts as used now; None where it is gone."""
        with self._lock:
            self._drop_old()
            held = self._found.pop(name, None)
            if held is None:
                return None
            self._found[name] = max(held[0], time.monotonic()), held[1]
            return held[1]

    def remove(self, name: str) -> None:
        """Forget a value."""
        with self._lock:
            if name in self._found:
                self._drop(name)

    def clear(self) -> None:
        """Forget everything."""
        for name in list(self._found):
            self.remove(name)

    def _drop_old(self) -> None:
        oldest = time.monotonic() - self._keep_s
        for name in [n for n, (used, _) in self._found.items() if used < oldest]:
            self._drop(name)

    def _drop(self, name: str) -> None:
        del self._bytes[name]
        self._found.pop(name)[1].close()
