"""Help that explains the words of a command's output, from the glossary."""

from __future__ import annotations

import click

WORDS = ("limit", "issue", "load/store", "FP32 -> load/store")


class WordedCommand(click.Command):
    """A command whose table has a column `limit`: its help says what stands there."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The words, then the examples."""
        from roofcast.kit.words import CHANGE, find_meaning

        with formatter.section("Words (roofcast explain WORD)"):
            formatter.write_dl([(word, find_meaning(CHANGE if "->" in word else word)) for word in WORDS])
        super().format_epilog(ctx, formatter)
