"""What a command prints when nothing else is asked for: a sentence, tables, the notes that matter most."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from roofcast.kit.quantities import count_of

NOTES_SHOWN = 3
"""Notes below the tables unless --notes asks for all."""
ROWS_SHOWN = 20
"""Rows of a table where nobody asked for another number; all of them are in files."""


def render_answer(
    verdict: str, blocks: Iterable[Sequence[str]], notes: Sequence[str], width: int, *, every: bool = False
) -> str:
    """The verdict, blocks of lines that are laid out already, and notes.

    notes : those that change the answer most come first. every : print all of them.

    >>> print(render_answer("It takes 2 s.", [["a  b"]], ["one", "two", "three", "four"], 40))
    It takes 2 s.
    <BLANKLINE>
    a  b
    <BLANKLINE>
    - one
    - two
    - three
    1 more: --notes
    """
    shown = notes if every else notes[:NOTES_SHOWN]
    told = [line for note in shown for line in textwrap.wrap(f"- {note}", width, subsequent_indent="  ")]
    told += [f"{len(notes) - len(shown)} more: --notes"] if len(shown) < len(notes) else []
    parts = ["\n".join(textwrap.wrap(verdict, width)), *("\n".join(b) for b in blocks if b), "\n".join(told)]
    return "\n\n".join(p.rstrip() for p in parts if p)


def summarise_rest(left: int, noun: str, share: str = "") -> list[str]:
    """The line below a table that shows only its first rows; none where it shows all.

    >>> summarise_rest(980, "kernel", "1.2 %")
    ['… and 980 more kernels (1.2 % of the time; --top N, or -o FILE.csv for all)']
    """
    of = f"{share} of the time; " if share else ""
    return [f"… and {count_of(left, f'more {noun}')} ({of}--top N, or -o FILE.csv for all)"] if left > 0 else []
