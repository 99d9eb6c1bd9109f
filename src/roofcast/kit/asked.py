"""What a question is: an :class:`Ask` that its room exports once.

:mod:`roofcast.asks` lists them; the command line, ``roofcast.<name>()``, the page's tab and the reference are made of
it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from roofcast.core.records import dataclass
from roofcast.kit.returned import Answer

Progress = Callable[[str, float], None]
"""Called with what is being done and the share of it that is done, in [0, 1]."""
SENTENCE = re.compile(r"^([a-z_]+) : (.*?)(?=^[a-z_]+ : |^$|\Z)", re.M | re.S)
"""What a docstring says of a parameter: from the start of a line to the next one's."""


@dataclass(frozen=True, slots=True)
class Option:
    """How a parameter of a question is written on the command line; what it means stands in the docstring."""

    metavar: str = ""
    """What stands for the value in the help."""
    flag: str = ""
    """``--from``; else the parameter's name."""
    choices: tuple[str, ...] = ()
    kind: str = ""
    """gpu, model, file: completed with Tab; path: a file or folder; paths, list, gpus: may be given several times; off:
    a flag; floors: times of an empty launch; number, count, year; folder: the value may be left out; '' any text."""
    argument: bool = False
    """Whether it is written without a flag; of kind gpu, all words are one name, which may be left out."""


@dataclass(frozen=True, slots=True)
class Act:
    """What the command also does with an answer; in Python one calls what does it."""

    option: Option
    help: str
    do: Callable[[Any, str], str]
    """Takes the answer and what the option says; returns the line that says what was done."""
    instead: bool = False
    """Whether it is done in place of asking: it takes what was said in place of the answer."""


@dataclass(frozen=True)
class Ask:
    """One question, for Python, the command line, the page and the reference."""

    name: str
    """``roofcast.<name>()`` and ``roofcast <name>``."""
    run: Callable[..., Answer[Any]]
    """Answers it; what its signature takes, the command takes as options of the same meaning."""
    examples: tuple[str, ...]
    """Command lines, most usual first."""
    more: str = ""
    """What the command's help says below the examples."""
    options: Mapping[str, Option] = field(default_factory=dict)
    """Parameters that no other question has, or that mean something else here."""
    shows: Mapping[str, str] = field(default_factory=dict)
    """Options of how the answer is shown, with their help: ``top`` counts rows, others are flags; '' as everywhere."""
    acts: Mapping[str, Act] = field(default_factory=dict)
    """Options of what is done besides."""
    formats: tuple[str, ...] = ("table", "json", "csv", "parquet", "html")
    suffixes: Mapping[str, str] = field(default_factory=dict)
    """Ends of file names that stand for another format: ``.md`` is markdown."""
    reads: bool = False
    """Whether the command reads the files itself, with a bar that shows how far it is."""
    limits: bool = False
    """Whether the answer has a column ``limit``: the help explains its words."""
    pictures: str = ""
    """Help of ``--pictures FOLDER``; '' where there is none."""
    begun: Callable[..., Any] | None = None
    """Takes what was said: the question, not yet answered, for formats that are written in parts."""
    streamed: Mapping[str, Callable[[Any, Any], None]] = field(default_factory=dict)
    """Format -> takes such a question and writes it to a path, a part of the answer after the other."""
    warned: Callable[[Any], str] | None = None
    """Takes the answer: what a reader must know that cannot be true; '' for nothing."""
    ended: Callable[[Any], int | None] | None = None
    """Takes the answer: says with which exit code the command ends, or raises what is still to be said."""

    @property
    def help(self) -> str:
        """What the docstring says before the parameters."""
        text = inspect.getdoc(self.run) or ""
        first = SENTENCE.search(text)
        return text[: first.start() if first else len(text)].strip()

    @property
    def sentences(self) -> dict[str, str]:
        """What the docstring says of each parameter that has a line of its own."""
        lines = SENTENCE.findall(inspect.getdoc(self.run) or "")
        return {name: " ".join(text.replace("``", "").split()) for name, text in lines}

    @property
    def epilog(self) -> str:
        """What ends the command's help."""
        lines = "\n".join(f"  {e}" for e in self.examples)
        return f"\b\nExamples:\n{lines}" + (f"\n\n\b\n{self.more}" if self.more else "")

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """Parameters by name, in the order of the signature."""
        return inspect.signature(self.run).parameters
