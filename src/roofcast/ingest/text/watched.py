"""A file that says how far it has been read, so that a bar can show it; everything else about it stays the same."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import BinaryIO, cast

STEP_BYTES = 1 << 20

Reached = Callable[[float], None]
"""Called with the share that is done, in [0, 1]."""


class WatchedFile(io.BufferedReader):
    """A buffered file that tells a function how far it was read."""

    def __init__(self, raw: io.RawIOBase, size: int, reached: Reached) -> None:
        super().__init__(raw, 1 << 18)
        self.size = max(size, 1)
        self.reached = reached
        self.told = 0

    def tell_progress(self) -> None:
        """Say it, unless hardly anything changed."""
        at = self.tell()
        if abs(at - self.told) >= STEP_BYTES:
            self.told = at
            self.reached(min(at / self.size, 1.0))

    def read(self, size: int | None = -1, /) -> bytes:
        """See :class:`io.BufferedReader`."""
        found = super().read(size)
        self.tell_progress()
        return found

    def read1(self, size: int = -1, /) -> bytes:
        """See :class:`io.BufferedReader`."""
        found = super().read1(size)
        self.tell_progress()
        return found


def watched(raw: BinaryIO, size: int, reached: Reached) -> BinaryIO:
    """The same file with its progress told; streams that are no files stay as they are."""
    if isinstance(raw, io.BufferedReader) and not isinstance(raw, WatchedFile):
        raw.seek(0)
        return cast("BinaryIO", WatchedFile(cast("io.RawIOBase", raw.raw), size, reached))
    return raw


def progress_of(stream: object) -> Reached | None:
    """What to tell about a stream that is not read byte by byte (a database); None where nobody watches."""
    return stream.reached if isinstance(stream, WatchedFile) else None
