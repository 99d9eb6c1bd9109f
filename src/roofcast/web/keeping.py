"""Profiles and results that the page holds in memory: bounded in number and age, found by unguessable names."""

from __future__ import annotations

import math
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Generic, Protocol, TypeVar

from roofcast.core.kernel_table import KernelTable


class Closing(Protocol):
    """Something that ends well."""

    def close(self) -> None:
        """End it."""
        ...


T = TypeVar("T", bound=Closing)
NAME_BYTES = 16


@dataclass(frozen=True)
class Profile:
    """One profile that was dropped."""

    name: str
    kernels: KernelTable
    folder: TemporaryDirectory[str] | None = None
    """Holds the file while forecasts need the code in it; deleted when the profile leaves."""

    def close(self) -> None:
        """Delete the file."""
        if self.folder is not None:
            self.folder.cleanup()


class Kept(Generic[T]):
    """Values by random name; the one that was used longest ago leaves first.

    >>> from io import StringIO
    >>> kept = Kept[StringIO](2, 60.0)
    >>> first, *others = (StringIO() for _ in range(3))
    >>> names = [kept.add(v) for v in (first, *others)]
    >>> kept.get(names[0]), kept.get(names[2]) is others[1], len(kept), first.closed
    (None, True, 2, True)
    """

    def __init__(self, count: int, keep_s: float) -> None:
        self._count, self._keep_s = count, keep_s
        self._found: OrderedDict[str, tuple[float, T]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._found)

    def add(self, value: T, *, for_ever: bool = False) -> str:
        """Keep a value; returns its name. What is kept for ever counts beside the others."""
        name = secrets.token_urlsafe(NAME_BYTES)
        with self._lock:
            self._drop_old()
            self._found[name] = math.inf if for_ever else time.monotonic(), value
            passing = [n for n, (used, _) in self._found.items() if used < math.inf]
            for old in passing[: max(len(passing) - self._count, 0)]:
                self._found.pop(old)[1].close()
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
            held = self._found.pop(name, None)
            if held is not None:
                held[1].close()

    def clear(self) -> None:
        """Forget everything."""
        for name in list(self._found):
            self.remove(name)

    def _drop_old(self) -> None:
        oldest = time.monotonic() - self._keep_s
        for name in [n for n, (used, _) in self._found.items() if used < oldest]:
            self._found.pop(name)[1].close()
