"""What joins core: distributions of their own that add questions, commands, readers of files and public names.

Each names one :class:`Part` as an entry point of the group ``roofcast.parts``. Core knows which extra installs what it
offers, and nothing else of them.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cache

from roofcast.core.errors import MissingExtraError, RoofcastError
from roofcast.core.records import dataclass

GROUP = "roofcast.parts"
OFFERED = {"hull": "hull", "measure": "measure", "evaluate": "evaluate", "papers": "evaluate"}
"""Command -> the extra that installs the distribution which has it."""
OFFERED_NAMES = {"hull": "hull", "select": "hull"}
"""Public name of Python -> the same."""

KERNELS, RUN, MODEL, OPERATORS = "kernels", "run", "model", "operators"
"""What a file may be: kernels, a recorded run, the config of a language model, a list of operators that never ran."""
MEASURED = (KERNELS, RUN)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a question is answered, and which doors lead there."""

    module: str
    """Exports ``ASK`` and the function of the question's name."""
    summary: str
    """One line for ``roofcast --help``."""
    group: str
    """Section of ``roofcast --help``: what a user wants."""
    tab: str = ""
    """View of the page; '' where it has none."""
    title: str = ""
    """What the view is called."""
    forms: tuple[str, ...] = ()
    """Suffixes that the page offers of it."""
    of_models: str = ""
    """Module whose ``ASK`` the command asks instead where the file is a list of operators that never ran."""
    takes: tuple[str, ...] = MEASURED
    """The kinds of files that the tab is of."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one distribution adds."""

    asks: Mapping[str, Place] = field(default_factory=dict)
    """Name of a question -> its place."""
    commands: Mapping[str, Mapping[str, tuple[str, str]]] = field(default_factory=dict)
    """Section of ``roofcast --help`` -> name of a command that is no question -> module, and one line for the help."""
    readers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Format -> module that reads it, and its title."""
    names: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Name of Python that is no question, ``roofcast.<name>`` -> module and attribute."""


@cache
def find_parts() -> dict[str, Part]:
    """Name of an entry point -> its part, of all that are installed.

    Raises
    ------
    RoofcastError : one of them does not fit this version of core.
    """
    parts: dict[str, Part] = {}
    for name, value in read_entries():
        if name in parts:
            continue
        module, _, attribute = value.partition(":")
        try:
            parts[name] = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            package = module.partition(".")[0].replace("_", "-")
            raise RoofcastError(
                f"{package} does not fit roofcast ({error}): pip install --upgrade roofcast {package}"
            ) from error
    return parts


def read_entries() -> Iterator[tuple[str, str]]:
    """Name and value of every entry point of the group, from what installers wrote into the folders of ``sys.path``.

    ``importlib.metadata`` says the same in 35 ms, which is two thirds of what ``roofcast --help`` takes; this in one.
    """
    for folder in sys.path:
        try:
            entries = sorted(e.path for e in os.scandir(folder or ".") if e.name.endswith(".dist-info"))
        except OSError:
            continue
        for path in entries:
            try:
                with open(os.path.join(path, "entry_points.txt"), encoding="utf-8") as file:  # noqa: PTH118, PTH123
                    text = file.read()
            except OSError:
                continue
            for line in text.partition(f"[{GROUP}]\n")[2].partition("[")[0].splitlines():
                name, is_entry, value = line.partition("=")
                if is_entry:
                    yield name.strip(), value.strip()


def name_install(extra: str) -> str:
    """The command that installs an extra."""
    return f"pip install 'roofcast[{extra}]'"


def refuse_absent(extra: str | None, what: str) -> None:
    """Say what to install for a command or a public name. extra : what installs it; None: nothing. what : as written.

    Raises
    ------
    MissingExtraError : a distribution that is not installed has it.
    """
    if extra is not None:
        raise MissingExtraError(f"{what} needs roofcast-{extra}: {name_install(extra)}")


def list_further_readers() -> dict[str, tuple[str, str]]:
    """Format -> module and title, of what parts read."""
    return {key: reader for part in find_parts().values() for key, reader in part.readers.items()}
