"""Contract 5 in words: command line, Python, page and JSON say one verdict; no two sentences contradict each other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import roofcast
from contracts.doors import CHECKOUT, RefusedError, named, origin, run
from contracts.sentences import check_advice, check_promise, check_sentence, check_shares, check_text

QUICK = ("event-sync", "mi210", "saxpy", "gtx-750", "mi200..vcopy-MI200-pmc", "jacobi", "MW-Baseline")
TO = "B200,L40S"
TRACES = "kineto|nsys_sqlite"
EXAMPLE = CHECKOUT / "examples" / "convolution.csv"
COMMANDS = ("forecast", "app", "choose", "compare", "roofline", "advise", "inspect", "first look")


def flat(text: str) -> str:
    """A text on one line."""
    return re.sub(r"\s+", " ", text)


def said(*arguments: str | Path) -> str:
    """What a command prints; '' where it refuses in one line."""
    try:
        return run(*arguments)
    except RefusedError:
        return ""


def asked(command: str, path: Path) -> tuple[str | Path, ...]:
    """The words of a command on one file."""
    source = origin(path)
    words: dict[str, tuple[str | Path, ...]] = {
        "forecast": (path, "--to", TO, *source), "app": (path, "--to", TO, *source), "choose": (path, *source),
        "compare": (path, path), "roofline": (path, "--to", "L40S", *source), "inspect": (path,),
        "advise": (path, *(("--on", source[1]) if source else ())),
    }  # fmt: skip
    return (path, *source) if command == "first look" else (command, *words[command])


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("path", [*named("(?!data).*", QUICK), pytest.param(EXAMPLE, id="example")])
def test_no_command_prints_wrong_plurals_and_numbers_that_are_none(path: Path, command: str) -> None:
    assert not [*check_text(said(*asked(command, path)), str(path))]


@pytest.mark.slow
@pytest.mark.parametrize("path", [*named("(?!data).*", QUICK), pytest.param(EXAMPLE, id="example")])
def test_a_forecast_says_one_verdict_through_every_door(path: Path, tmp_path: Path) -> None:
    words, page = asked("forecast", path), tmp_path / "page.html"
    try:
        answer = json.loads(run(*words, "--format", "json"))
    except RefusedError as error:
        pytest.skip(str(error)[:120])
    made = roofcast.forecast(str(path), TO, source=(origin(path) or ("", None))[1])
    assert not [*check_sentence(answer), *check_promise(answer)]
    assert answer | made.statement.record() == answer
    assert flat(run(*words)).startswith(answer["verdict"])
    run(*words, "-o", page)
    assert answer["verdict"] in unescape(page.read_text(encoding="utf-8"))
    if made.statement.target:
        assert made.total.target == made.statement.target
        assert f" on {made.total.target} " in answer["verdict"] or " there" in answer["verdict"]


@pytest.mark.parametrize("path", named(TRACES, QUICK))
def test_a_run_says_one_verdict_and_its_shares_sum(path: Path) -> None:
    words = asked("app", path)
    rows = json.loads(run(*words, "--format", "json"))
    for row in rows:
        assert not [*check_sentence(row), *check_shares(row)]
    made = roofcast.app(str(path), TO, source=(origin(path) or ("", None))[1])
    assert made.verdict in [r["verdict"] for r in rows]
    assert flat(run(*words)).startswith(made.verdict)
    # The forecast of a trace begins with what `app` says of the run.
    whole = json.loads(run(*asked("forecast", path), "--format", "json"))
    assert whole["verdict"].startswith(made.verdict)
    spent = [sum(r["by_class"].values()) for r in rows]
    collective = sum(r["by_class"].get("collective", 0.0) for r in rows) / sum(spent)
    assert not [*check_advice(whole["narrowing"], collective)]


@pytest.mark.parametrize("command", ["choose", "compare", "advise"])
@pytest.mark.parametrize("path", named("(?!data).*", ("saxpy", "mi210")))
def test_other_questions_say_one_verdict(path: Path, command: str) -> None:
    words = asked(command, path)
    try:
        answer = json.loads(run(*words, "--format", "json"))
    except RefusedError as error:
        pytest.skip(str(error)[:120])
    asks: dict[str, Callable[[], Any]] = {
        "choose": lambda: roofcast.choose(str(path), source=(origin(path) or ("", None))[1]),
        "compare": lambda: roofcast.compare(str(path), str(path)),
        "advise": lambda: roofcast.advise(str(path), on=(origin(path) or ("", None))[1]),
    }
    assert asks[command]().verdict == answer["verdict"]
    assert flat(run(*words)).startswith(answer["verdict"])
    assert not [*check_sentence(answer)]


def test_a_sweep_and_a_roofline_say_one_verdict(tmp_path: Path) -> None:
    words = ("sweep", EXAMPLE, "--space", EXAMPLE.parent / "space.toml")
    answer = json.loads(run(*words, "--format", "json"))
    assert flat(run(*words)).startswith(answer["verdict"])
    assert not [*check_sentence(answer)]
    told = roofcast.roofline(str(EXAMPLE)).verdict
    assert flat(run("roofline", EXAMPLE)).startswith(told)
    run("roofline", EXAMPLE, "-o", tmp_path / "page.html")
    assert told in unescape((tmp_path / "page.html").read_text(encoding="utf-8"))


def test_a_run_of_collectives_is_not_told_to_count() -> None:
    rows = {
        "kernel": ["ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage)", "elementwise_kernel"],
        "time_s": [8e-3, 1e-3], "gpu": ["H100 SXM5 80GB"] * 2, "collective": ["all-reduce", ""],
    }  # fmt: skip
    table = roofcast.read(pl.DataFrame(rows))
    assert table.strings("collective")[0]
    told = json.loads(roofcast.forecast(table, "B200").to_json())
    assert not [*check_advice(told["narrowing"], 8 / 9)]
