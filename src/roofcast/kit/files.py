"""Writing files so that nobody ever sees half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from roofcast.core.errors import RoofcastError, one_line


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary name beside ``path``; renamed onto it when the block ends well, removed when it does not.

    Raises
    ------
    RoofcastError : the folder does not exist or cannot be written.
    """
    target = Path(path)
    shown = one_line(str(path))
    if target.is_dir():
        raise RoofcastError(f"{shown} is a folder; give a file name")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=target.suffix, dir=target.parent)
        os.close(handle)
    except OSError as error:
        raise RoofcastError(f"cannot write {shown}: {error.strerror}") from error
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes files private; the result gets the permissions of any file the user makes.
        temporary.chmod(0o666 & ~current_umask())
        temporary.replace(target)
    except OSError as error:
        raise RoofcastError(f"cannot write {shown}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def current_umask() -> int:
    """The process's umask (reading it means setting it)."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_text(path: str | Path, text: str) -> None:
    """Write a text file in one step, UTF-8."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_with(path: str | Path, write: Callable[[Path], None]) -> None:
    """Let ``write`` fill a temporary file, then rename it onto ``path``."""
    with replacing(path) as temporary:
        write(temporary)
