"""What is known of a function while it is written as plain C, and the words that such text is made of."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

REFERENCE = "__by_reference"
SELF = "self"
MAKER = "construct_"
CONFIGURE = "cudaConfigureCall"
ENTRY = ("main",)
UNKNOWN = "Unknown_"
"""The type of what nothing declares."""
ROW_LENGTH = re.compile(r"\.data_\[[^\[\]]*\]\.n_\b")
"""How many elements a vector in a vector has: all have as many as the first was made with."""
ROW_IN_BRACKETS = re.compile(r"\(([\w.]+\.data_\[[^\[\]]*\])\)(?=\.n_\b)")
DEEPEST = 400
"""Levels of nesting, far from Python's own limit of recursion."""


def write_row_lengths(text: str) -> str:
    """A text with lengths of rows as members of what holds the rows: ``v.data_[i].n_`` is ``v.row_n_``."""
    return ROW_LENGTH.sub(".row_n_", ROW_IN_BRACKETS.sub(r"\1", text))


@dataclass
class Function:
    """A function that is written."""

    node: Any
    name: str
    kind: str
    """``__global__``, ``__device__`` or '' for the host's."""
    line: int
    text: str = ""


@dataclass
class Context:
    """Of the function whose body is written."""

    on_host: bool
    meaning: dict[str, str] = field(default_factory=dict)
    """USR of a parameter -> what stands for it, where a call is written in place."""
    captured: dict[str, str] = field(default_factory=dict)
    """USR of a variable -> how a lambda's body names it."""
    this: str = SELF
    locals: dict[str, str] = field(default_factory=dict)
    packed: frozenset[str] = frozenset()
    """USR of parameters of which a pack makes several."""
    before: list[str] = field(default_factory=list)
    """Statements that must come before the one that is written."""
    extremes: dict[str, str] = field(default_factory=dict)
    """USR of a variable that leads to a largest or smallest element -> its index."""
    returns_self: bool = False
    maker: bool = False
    lenient: bool = False
    """Whether statements that nothing is made of are left out: of `main`, of which only sizes are read."""
    argument: bool = False
    """Whether an argument of a call is written."""
    decided: bool = False
    """Whether what is written runs under a condition or once a turn, so that nothing of it may come before."""
    depth: int = 0
