"""docs/papers.md: its commands exist, its eight-step rows are what is printed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from roofcast.commands.group import cli

PAGE = (Path(__file__).parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")
BLOCK = re.search(r"```\n(.*?)```", PAGE, re.DOTALL)
assert BLOCK is not None
COMMANDS = sorted({
    part.strip()
    for text in [*re.findall(r"`((?:roofcast|measure) [^`]*)`", PAGE), *BLOCK[1].splitlines()]
    for part in re.split(r"&&|;", text.replace("\\|", "|").replace(" ...", "").partition("#")[0])
    if part.strip().startswith(("roofcast ", "measure "))
})  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_is_one(command: str) -> None:
    words = shlex.split(re.sub(r"\[.*?\]", "", command).removeprefix("roofcast "))
    here: click.Command = cli
    context = click.Context(cli)
    while isinstance(here, click.Group):
        found = here.get_command(context, words[0])
        assert found is not None, words[0]
        here, words = found, words[1:]
    known = {name for parameter in here.params for name in (*parameter.opts, *parameter.secondary_opts)}
    own = words[: words.index("--")] if "--" in words else words
    assert {w.partition("=")[0] for w in own if w.startswith("-")} <= known


def test_nothing_is_missing_that_needs_no_gpu() -> None:
    assert "missing" not in PAGE.replace("is missing", "", 1)
    for line in PAGE.splitlines():
        if "*GPU*" in line and line.startswith("|"):
            assert "`" in line, line
