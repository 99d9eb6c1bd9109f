"""Every command in the documents runs, and prints what stands below it but for the numbers."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from roofcast.commands.group import cli

ROOT = Path(__file__).parents[2]


def load_samples() -> Any:
    spec = importlib.util.spec_from_file_location("doc_samples", ROOT / "tools" / "doc_samples.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["doc_samples"] = module
    spec.loader.exec_module(module)
    return module


SAMPLES = load_samples()
COMMANDS = [c for page in SAMPLES.list_pages() for c in SAMPLES.list_commands(page)]


def name(command: Any) -> str:
    return f"{command.page.stem}: {command.line[9:70]}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found: Path = SAMPLES.prepare_folder(tmp_path_factory.mktemp("documents"))
    return found


@pytest.mark.parametrize("command", COMMANDS, ids=name)
def test_every_command_parses(command: Any) -> None:
    """Names of commands and options, and choices, are those that there are."""
    words = command.words
    if not words or words[0] not in cli.list_commands(click.Context(cli)):
        assert not words or "." in words[0] or words[0].startswith("-"), "a file alone"
        return
    found: click.Command = cli
    context = click.Context(cli)
    while isinstance(found, click.Group) and words and not words[0].startswith("-"):
        sub = found.get_command(context, words[0])
        assert sub is not None, words[0]
        context, found, words = click.Context(sub, parent=context), sub, words[1:]
    words = [w for w in words if w not in ("--help", "-h")]
    options = {o for p in found.params for o in (*p.opts, *p.secondary_opts)}
    given = words[: words.index("--")] if "--" in words else words
    unknown = [w for w in given if w.startswith("--") and w.partition("=")[0] not in options]
    assert not unknown, f"{unknown} in {command.line}"


@pytest.mark.slow
@pytest.mark.parametrize("command", [c for c in COMMANDS if c.expected is None], ids=name)
def test_every_command_runs(command: Any, folder: Path) -> None:
    run_or_skip(command, folder)


@pytest.mark.slow
@pytest.mark.parametrize("command", [c for c in COMMANDS if c.expected is not None], ids=name)
def test_every_sample_prints_what_stands_below_it(command: Any, folder: Path) -> None:
    printed = run_or_skip(command, folder)
    assert SAMPLES.is_like(command.expected, printed.splitlines()), f"python tools/doc_samples.py renew\n{printed}"


def fill_store(command: Any, folder: Path) -> None:
    """Make the store that a command of it works on: what its page adds before it, in whatever order tests run."""
    if command.words[:1] != ["store"]:
        return
    (folder / "store.duckdb").unlink(missing_ok=True)
    for other in COMMANDS:
        before = other.page == command.page and other.start < command.start
        if before and other.words[:2] == ["store", "add"]:
            SAMPLES.make_inputs(other, folder)
            if not SAMPLES.find_missing(other, folder):
                SAMPLES.run(other, folder)


def run_or_skip(command: Any, folder: Path) -> str:
    SAMPLES.make_inputs(command, folder)
    why = SAMPLES.find_missing(command, folder)
    if why:
        pytest.skip(why)
    fill_store(command, folder)
    done = SAMPLES.run(command, folder)
    assert done.returncode in (0, 3), done.stderr
    assert "Traceback" not in done.stderr
    return str(done.stdout)


def test_values_are_masked_and_words_are_not() -> None:
    like = SAMPLES.is_like
    assert like(("total (12)  31.5 ms  12.6–28.7 ms  1.66x  FP32 → L2",), ["total (9)   931 us  1.6–2.7 s   66x  DRAM"])
    assert like(("two words", "below"), ["two", "words below"])
    assert not like(("12 kernels",), ["12 launches"])
    assert like(("a", "...", "z 1"), ["a", "b", "c", "z 2"])
    assert not like(("a", "..."), ["b", "c"])


def list_anchors(page: Path) -> set[str]:
    """What a link may name in a page: its headings, as GitHub writes them."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


def test_links_lead_to_documents_and_headings() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md"), *(ROOT / "examples").glob("**/*.md")]:
        for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                found = page.parent / target if target else page
                assert found.exists(), f"{page.name}: {target}"
                assert not anchor or anchor in list_anchors(found), f"{page.name}: {target}#{anchor}"


def test_every_command_stands_where_the_tests_see_it() -> None:
    """Not in an indented block: those hold equations."""
    for page in SAMPLES.list_pages():
        assert not re.search(r"^    \$? ?roofcast ", page.read_text(encoding="utf-8"), re.MULTILINE), page.name
