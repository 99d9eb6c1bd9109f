"""Errors that a user can act on: one line that says what is wrong and what to do."""

from __future__ import annotations

import re

MESSAGE_MOST = 2000
"""Characters of a message; a table may name a million kernels."""


class RoofcastError(Exception):
    """Base of everything that the user can fix. The command line prints it as one line and exits with 2.

    The message is folded here, so that no name from a file can forge output, whoever catches the error.
    """

    def __init__(self, message: str = "") -> None:
        """Keep the message as one printable line."""
        super().__init__(one_line(message, MESSAGE_MOST))


class InputError(RoofcastError):
    """A file cannot be read as what it claims (or was said) to be."""


class UnknownFormatError(InputError):
    """No reader recognises the file, or its format is one that needs exporting first."""


class UnknownProcessorError(RoofcastError):
    """No catalog entry fits a GPU or CPU name."""


class CatalogEntryError(RoofcastError):
    """A catalog entry (shipped, or a user's own) has bad or missing fields."""


class UnitError(RoofcastError):
    """A quantity with a unit cannot be understood."""


class DatasetError(RoofcastError):
    """A registered data set is absent, or its file is not the one that is registered."""


class MissingExtraError(RoofcastError):
    """An optional dependency is not installed; the message names the extra."""


def why_not(error: BaseException) -> str:
    """What the operating system says of a file, without the number and the path that Python adds.

    >>> why_not(EOFError("Compressed file ended before the end-of-stream marker was reached"))
    'its compressed data end early: copy the file again from where it was made, or compress it again'
    """
    if isinstance(error, EOFError):
        return "its compressed data end early: copy the file again from where it was made, or compress it again"
    reason = getattr(error, "strerror", None)
    return one_line(str(reason) if reason else str(error))


REFUSED = re.compile(r"([^:]+?) \(os error \d+\)")
LOST = "Invalid thrift: transport error"
"""What Polars says where the disk refuses the last part of a Parquet file: it loses the system's reason."""


def refused_by_system(error: BaseException) -> str:
    """What the operating system refused a library, in its words; '' where something else went wrong.

    >>> refused_by_system(ValueError("parquet: underlying IO error: No space left on device (os error 28)"))
    'No space left on device'
    >>> refused_by_system(ValueError("parquet: File out of specification: Invalid thrift: transport error"))
    'the disk takes no more'
    """
    if isinstance(error, OSError):
        return why_not(error)
    if LOST in str(error):
        return "the disk takes no more"
    match = REFUSED.search(str(error))
    return one_line(match[1]) if match else ""


def one_line(text: str, limit: int = 500) -> str:
    """Fold a message into one printable line, so that hostile names cannot forge output."""
    # A profile may have a million names, nearly all of them printable.
    printable = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    folded = " ".join(printable.split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"
