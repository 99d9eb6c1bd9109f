"""The checkout that skeletons are written into: files that must not be there yet, lists that get a line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parents[4]
"""The checkout that this file is part of."""


class Refused(Exception):  # noqa: N818 - read as what happened
    """What was asked cannot be written; its text says in one line what to do."""


@dataclass
class Checkout:
    """A checkout, and what has been written into it."""

    root: Path = HERE
    written: list[str] = field(default_factory=list)
    """``path`` or ``path: what was added``, in the order of writing."""

    def path(self, relative: str) -> Path:
        """Where a file of the checkout lies.

        Raises
        ------
        Refused : the folder is none of a checkout of roofcast.
        """
        if not (self.root / "src" / "roofcast" / "asks.py").is_file():
            raise Refused(f"{self.root}: no checkout of roofcast; run this inside one, or give --checkout FOLDER")
        return self.root / relative

    def create(self, relative: str, text: str) -> Path:
        """Write a file that is not there yet.

        Raises
        ------
        Refused : it is there.
        """
        path = self.path(relative)
        if path.exists():
            raise Refused(f"{relative} is there already: choose another name, or change that file")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.written.append(relative)
        return path

    def insert(self, relative: str, line: str, *, before: str | None = None, after: str | None = None) -> None:
        """Put a line into a file, in front of or behind the only line that a regular expression finds.

        Raises
        ------
        Refused : no line, or more than one, is found: the list has moved.
        """
        path = self.path(relative)
        lines = path.read_text(encoding="utf-8").split("\n")
        pattern = before or after or ""
        places = [i for i, text in enumerate(lines) if re.search(pattern, text)]
        if len(places) != 1:
            raise Refused(
                f"{relative}: {len(places)} lines like {pattern!r}, where one was expected: add by hand: {line}"
            )
        lines.insert(places[0] + (before is None), line)
        path.write_text("\n".join(lines), encoding="utf-8")
        self.written.append(f"{relative}: {line.strip()}")


def check_name(name: str, example: str) -> str:
    """A name that can be a Python module.

    Raises
    ------
    Refused : it is none.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise Refused(f"{name!r} is no name of a module: small letters, digits and _, such as {example}")
    return name
