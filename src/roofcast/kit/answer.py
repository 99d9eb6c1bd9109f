"""What a command prints when nothing else is asked for: a sentence, tables, the notes that matter most."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from roofcast.core.undecided import is_undecided, tell_undecided
from roofcast.kit.quantities import count_of, format_percent, format_speedup

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
    listed = notes if every else notes[:NOTES_SHOWN]
    lines = [line for note in listed for line in textwrap.wrap(f"- {note}", width, subsequent_indent="  ")]
    lines += [f"{len(notes) - len(listed)} more: --notes"] if len(listed) < len(notes) else []
    parts = ["\n".join(textwrap.wrap(verdict, width)), *("\n".join(b) for b in blocks if b), "\n".join(lines)]
    return "\n\n".join(p.rstrip() for p in parts if p)


SHARE_LEAST = 0.005
"""Share of the time below which nothing is said of it."""


def describe_promise(coverage: float | None, unclaimed_fraction: float = 0.0, claims: str = "for {}") -> str:
    """What intervals claim, in a few words.

    unclaimed_fraction : share of the time that kernels take whose intervals claim nothing. claims : words of a claim.

    >>> describe_promise(0.9), describe_promise(None), describe_promise(0.9, 1.0)
    ('intervals for 90 %', 'intervals that claim nothing', 'intervals that claim nothing')
    >>> describe_promise(0.9, 0.37)
    'intervals for 90 %, but for kernels of 37 % of their time they claim nothing'
    """
    if not coverage or unclaimed_fraction > 1 - SHARE_LEAST:
        return "intervals that claim nothing"
    claim = f"intervals {claims.format(format_percent(coverage, 0))}"
    if unclaimed_fraction < SHARE_LEAST:
        return claim
    return f"{claim}, but for kernels of {format_percent(unclaimed_fraction, 0)} of their time they claim nothing"


def describe_conditions(name: str, promise: str) -> str:
    """What a verdict ends with: the conditions of both sides and what the intervals claim.

    >>> describe_conditions("production", "intervals for 90 %")
    ' (conditions of both sides: production; intervals for 90 %)'
    """
    parts = [f"conditions of both sides: {name}"] if name else []
    parts += [promise] if promise else []
    return f" ({'; '.join(parts)})" if parts else ""


def compare_times(source_s: float, time_s: float, low_s: float, high_s: float) -> str:
    """How many times as fast, and whether the interval leaves open which side is faster.

    >>> compare_times(2.0, 1.0, 0.5, 1.5), compare_times(2.0, 1.0, 0.5, 3.0)
    ('2.00x as fast', '2.00x as fast, though the interval leaves open which is faster')
    """
    if is_undecided(low_s, high_s):
        return tell_undecided(low_s, high_s)
    text = f"{format_speedup(source_s, time_s)} as fast"
    return f"{text}, though the interval leaves open which is faster" if low_s < source_s < high_s else text


def summarise_rest(left: int, noun: str, share: str = "") -> list[str]:
    """The line below a table that shows only its first rows; none where it shows all.

    >>> summarise_rest(980, "kernel", "1.2 %")
    ['… and 980 more kernels (1.2 % of the time; --top N, or -o FILE.csv for all)']
    """
    of = f"{share} of the time; " if share else ""
    return [f"… and {count_of(left, f'more {noun}')} ({of}--top N, or -o FILE.csv for all)"] if left > 0 else []
