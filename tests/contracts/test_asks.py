"""Contract: every question of the list stands behind every door, and each door says the same of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import click
import pytest
import write_questions

import roofcast
from contracts.doors import run
from roofcast.asks import find_ask, list_places
from roofcast.commands.asked import FOR_PROGRAMS, make_params
from roofcast.commands.group import cli
from roofcast.commands.registry import list_commands, list_groups
from roofcast.kit.asked import Ask
from roofcast.kit.returned import Answer, Result
from roofcast.web.tabs import TABS
from timeline_samples import TIMELINE_SAMPLES

DOCS = Path(__file__).parents[2] / "docs"
TABLE = (
    "kernel,config,gpu,time_s,flops_fp32,bytes_dram,launches,blocks,threads_per_block\n"
    "axpy,n=1,V100,1e-3,1e9,6e8,2,85,64\ngemm,n=2,V100,2e-3,2e10,,1,81,1024\ndot,n=3,V100,5e-4,1e9,4e8,1,9,64\n"
)
SPACE = 'base = "H100 SXM5 80GB"\n[axes]\ndram = ["2 TB/s", "4 TB/s"]\nsm = [100, 132]\n'
MODEL = {
    "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
    "intermediate_size": 14336, "vocab_size": 128256,
}  # fmt: skip
CLASS = "1024x1024|element -> 1024x1024|element"


@dataclass(frozen=True)
class Asked:
    """One question in the words of both doors; FILE, TRACE and SPACE stand for files."""

    python: Callable[[dict[str, str]], Any]
    command: tuple[str, ...]
    key: str = ""
    """Where its rows stand in the JSON."""


ASKED = {
    "forecast": Asked(lambda f: roofcast.forecast(f["FILE"], "B200,L40S"), ("FILE", "--to", "B200,L40S"), "forecasts"),
    "app": Asked(lambda f: roofcast.app(f["TRACE"], "B200", source="A100-SXM4-80GB"),
                 ("TRACE", "--to", "B200", "--from", "A100-SXM4-80GB")),
    "llm": Asked(lambda f: roofcast.llm(f["CONFIG"], "B200"), ("CONFIG", "--to", "B200"), "deployments"),
    "scale": Asked(lambda _: roofcast.scale("8 x H200 SXM", "H100", "8,64", step_time="94ms", global_batch=768),
                   ("8 x H200 SXM", "--step-time", "94ms", "--global-batch", "768", "--to", "H100", "--gpus", "8,64"),
                   "scales"),
    "roofline": Asked(lambda f: roofcast.roofline(f["FILE"], "B200"), ("FILE", "--to", "B200")),
    "advise": Asked(lambda f: roofcast.advise(f["FILE"], "H100"), ("FILE", "--on", "H100"), "findings"),
    "choose": Asked(lambda f: roofcast.choose(f["FILE"], among="B200,L40S"), ("FILE", "--among", "B200,L40S"),
                    "candidates"),
    "compare": Asked(lambda f: roofcast.compare(f["FILE"], f["FILE"]), ("FILE", "FILE"), "kernels"),
    "sweep": Asked(lambda f: roofcast.sweep(f["FILE"], f["SPACE"]), ("FILE", "--space", "SPACE"), "fastest"),
    "gpus": Asked(lambda _: roofcast.gpus(search="hopper"), ("--search", "hopper"), "processors"),
    "hull": Asked(lambda _: roofcast.hull(CLASS, on="H100"), (CLASS, "--on", "H100")),
}  # fmt: skip
"""Every question, once: one that the list has and this has not fails below."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A table, a trace and a design space."""
    folder = tmp_path_factory.mktemp("asks")
    found = {"FILE": folder / "table.csv", "TRACE": folder / "trace.json", "SPACE": folder / "space.toml",
             "CONFIG": folder / "config.json"}  # fmt: skip
    found["FILE"].write_text(TABLE)
    found["TRACE"].write_bytes(TIMELINE_SAMPLES["kineto"][1])
    found["SPACE"].write_text(SPACE)
    found["CONFIG"].write_text(json.dumps(MODEL))
    return {k: str(v) for k, v in found.items()}


def test_every_question_is_asked_here() -> None:
    assert set(ASKED) == set(list_places()), "say here how the new question is asked in Python and on the command line"


@pytest.mark.parametrize("name", ASKED)
def test_python_and_the_command_line_hold_the_same_values(name: str, files: dict[str, str], tmp_path: Path) -> None:
    asked = ASKED[name]
    answer = asked.python(files)
    assert isinstance(answer, Answer)
    words = tuple(files.get(w, w) for w in asked.command)
    printed = json.loads(run(name, *words, "--format", "json"))
    run(name, *words, "-o", tmp_path / "found.json")
    assert json.loads((tmp_path / "found.json").read_text()) == printed
    assert json.loads(answer.to_json()) == printed
    rows = printed[asked.key] if asked.key else printed if isinstance(printed, list) else [printed]
    assert answer.rows() == rows
    assert rows


@pytest.mark.parametrize("name", ASKED)
def test_every_question_is_in_every_door(name: str) -> None:
    ask, place = find_ask(name), list_places()[name]
    assert ask.name == name
    assert getattr(roofcast, name) is ask.run
    assert name in dir(roofcast)
    assert list_commands()[name][1] == place.summary
    assert name in list_groups()[place.group]
    if place.tab:
        assert TABS[place.tab].command == name
        assert TABS[place.tab].forms == place.forms
    shown = " ".join(run(name, "--help").split())
    for example in ask.examples:
        assert example.startswith(f"roofcast {name} ")
        assert " ".join(example.split()) in shown
    for word in ("json", "csv", "parquet"):
        assert word in shown, f"roofcast {name} writes no {word}"


@pytest.mark.parametrize("name", ASKED)
def test_the_answer_of_every_question_has_its_type(name: str, files: dict[str, str]) -> None:
    """No attribute of an answer is guessed: what the analysis returned is ``found``, of the type that it declares."""
    answer = ASKED[name].python(files)
    assert "__getattr__" not in vars(type(answer))
    held = [a for c in type(answer).__mro__ for base in vars(c).get("__orig_bases__", ()) for a in get_args(base)]
    assert held[0] not in (Any, Result), "say of what type the answer is: Found[...], Answer[...]"
    with pytest.raises(AttributeError):
        answer.no_such_attribute  # noqa: B018


ALIASES = {"to": "targets", "kernel": "pattern", "kernels": "files", "work": "files",
           "form": "variant", "sass": "no_sass"}  # fmt: skip
"""Parameter of Python -> what commands that do more than ask call it."""


@pytest.mark.parametrize("name", ASKED)
def test_what_python_takes_the_command_takes_and_explains(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    params = {p.name: p for p in command.params}
    for parameter in find_ask(name).parameters:
        if parameter in FOR_PROGRAMS:
            continue
        found = params.get(parameter) or params.get(ALIASES.get(parameter, ""))
        assert found is not None, f"roofcast {name} has no option for {parameter}"
        assert isinstance(found, click.Argument) or getattr(found, "help", None), f"--{parameter} has no help"


def test_a_parameter_that_nobody_explains_is_refused() -> None:
    def run_it(kernels: Any, depth: int = 1) -> Any:
        """Ask something."""

    ask = Ask("advise", run_it, ())
    with pytest.raises(LookupError, match="does not say how depth is written"):
        list(make_params(ask))


def test_the_reference_has_every_question() -> None:
    stored = (DOCS / "questions.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\w+)$", stored, re.M) == list(list_places())
    assert stored == write_questions.write_page(), "python tools/write_questions.py writes it anew"
