"""`roofcast explain`: what a word of the output means."""

from __future__ import annotations

import click

from roofcast.commands import options

EPILOG = """\b
Examples:
  roofcast explain limit
  roofcast explain "FP32 -> load/store"
  roofcast explain latency               # a cause of the model: equation, symbols, reason
  roofcast explain                       # every word"""


@click.command("explain", epilog=EPILOG, context_settings={"ignore_unknown_options": True})
@click.argument("term", nargs=-1, metavar="[TERM]")
@options.output_options(*options.TABLE_FORMATS)
def command(term: tuple[str, ...], form: str | None, output: str | None) -> None:
    """Say what TERM means, as the columns, notes and pages use it: a word or a cause of the model. Alone: all words."""
    from operator import itemgetter

    from roofcast.commands.typed import typed_command
    from roofcast.core.resource import Resource
    from roofcast.kit.output import text_width
    from roofcast.kit.page import Page, deliver_table
    from roofcast.kit.table import Column, Table, folded
    from roofcast.kit.words import explain, find_meaning, load_words
    from roofcast.models.physics.causes.registry import describe_cause

    # Columns of files are named after their resource.
    asked = " ".join(term)
    asked = Resource(asked).label if asked in list(Resource) else asked
    meanings = describe_cause("_".join(asked.lower().split())) if term else [*load_words().items()]
    if term and (not meanings or find_meaning(asked)):
        meanings = explain(asked) + meanings
    columns = [Column("word", itemgetter(0), key="word"), Column("meaning", itemgetter(1), key="meaning")]
    deliver_table(
        form, output, Table(columns, meanings), Page("Words", command=typed_command()),
        text=lambda: folded("\n".join(map(": ".join, meanings)), text_width(output)),
    )  # fmt: skip
