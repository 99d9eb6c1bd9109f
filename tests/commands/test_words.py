"""Words that a newcomer understands: the glossary in the terminal, groups of commands, a file alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from roofcast.__main__ import main
from roofcast.commands.group import cli
from roofcast.commands.registry import list_groups
from roofcast.core.resource import Resource
from roofcast.kit.quantities import label_limit
from roofcast.kit.words import explain, explain_limit, find_meaning, load_words

ROOT = Path(__file__).parents[2]
EXAMPLE = str(ROOT / "examples" / "convolution.csv")


def run(*words: str) -> str:
    return CliRunner().invoke(cli, list(words), catch_exceptions=False).stdout


@pytest.mark.parametrize("resource", list(Resource))
def test_every_limit_is_explained(resource: Resource) -> None:
    assert find_meaning(resource.label)
    assert find_meaning(label_limit(resource.value))
    assert run("explain", resource.value) == run("explain", resource.label).replace("\r", "")


def test_a_change_of_limits_explains_both_sides_however_it_is_written() -> None:
    assert explain("FP32 -> load/store") == explain("FP32→load/store")
    words = [word for word, _ in explain("FP32 -> load/store")]
    assert words[1:] == ["FP32", "load/store"]
    assert all(word in run("explain", "FP32 -> load/store") for word in words)
    assert explain_limit("–") == ""


def test_a_word_that_is_not_there_names_its_neighbours(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "limmit"]) == 2
    said = capsys.readouterr().err
    assert "limit" in said
    assert said.count("\n") == 1


def test_the_glossary_is_the_one_source() -> None:
    rows = [r for r in (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines() if r.startswith("- *")]
    assert len(load_words()) == len(rows)
    said = " ".join(run("explain").split())  # however wide the terminal
    assert all(said.count(f"{word}: ") >= 1 for word in load_words())
    assert "glossary.md" in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["forecast", "roofline", "app", "advise"])
def test_help_explains_the_words_of_the_table(command: str) -> None:
    said = " ".join(run(command, "--help").split())
    for word in ("limit", "issue", "load/store"):
        assert f"{word} {find_meaning(word)[:40]}" in said
    assert "FP32 -> load/store" in said


def test_help_groups_the_commands() -> None:
    said = run("--help")
    places = [said.index(f"\n{title}:\n") for title in list_groups()]
    assert places == sorted(places)
    assert "Not installed" not in said


def test_a_file_alone_says_what_it_is_how_it_would_run_and_what_is_next() -> None:
    said = run(EXAMPLE, "--from", "RTX 2080 Ti")
    assert said.startswith("convolution.csv: table")
    assert "12 launches of 1 kernel measured on GeForce RTX 2080 Ti take " in said
    assert sum(bool(re.match(r"(H100|H200|B200|Instinct)\S* .*\dx", line)) for line in said.splitlines()) == 3
    for command in ("forecast", "roofline", "advise", "choose", "inspect", "serve"):
        assert f"  roofcast {command} " in said
    assert run(str(ROOT / "examples" / "space.toml")).count("roofcast sweep") == 1


def test_a_commands_name_wins_over_a_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gpus").write_bytes(Path(EXAMPLE).read_bytes())
    monkeypatch.chdir(tmp_path)
    assert "Instinct MI300X" in run("gpus")
    assert run("./gpus", "--from", "RTX 2080 Ti").startswith("gpus: table")


def test_a_file_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nosuch.ncu-rep"]) == 2
    assert capsys.readouterr().err == "roofcast: no file and no command 'nosuch.ncu-rep'\n"


@pytest.mark.slow
def test_next_commands_can_be_typed(fixtures_dir: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What a trace's first look proposes runs as it stands."""
    import shlex

    trace = next(iter(sorted((fixtures_dir / "kineto").glob("h100*bert-small*"))), None)
    if trace is None:
        pytest.skip("no trace here")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a run.json.gz").write_bytes(trace.read_bytes())
    said = run("a run.json.gz")
    for line in re.findall(r"^  roofcast (.*)$", said, re.MULTILINE):
        words = shlex.split(line)
        if words[0] in ("app", "advise", "inspect"):
            done = CliRunner().invoke(cli, words)
            assert done.exit_code == 0, line
    assert (tmp_path / "run.html").stat().st_size > 10_000
