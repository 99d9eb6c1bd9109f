"""The skeleton of a question is one: its command answers before anything of it is changed."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from roofcast.commands import asked
from roofcast_dev.checkout import Checkout, Refused
from roofcast_dev.new_ask import write_ask


def test_a_skeleton_answers_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout = make_checkout(tmp_path)
    write_ask(checkout, "weigh", "weighing")
    path = checkout.path("src/roofcast/weighing/ask.py")
    spec = importlib.util.spec_from_file_location("weighing_ask", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "weighing_ask", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(asked, "find_ask", lambda _: module.ASK)
    monkeypatch.setattr(asked, "find_other", lambda _: None)
    file = tmp_path / "t.csv"
    file.write_text("kernel,gpu,time_s\naxpy,V100,1e-3\ndot,V100,2e-3\n")
    command = asked.make_command("weigh")
    assert isinstance(command, click.Command)
    said = CliRunner().invoke(command, [str(file), "--format", "json"])
    answer = module.weigh(str(file))
    assert json.loads(said.stdout) == json.loads(answer.to_json())
    assert [r.kernel for r in answer] == ["axpy", "dot"]
    answer.report(str(tmp_path / "a.html"))
    answer.plot(str(tmp_path / "a.svg"))
    shown = CliRunner().invoke(command, ["--help"]).stdout
    assert "What this option means" in shown
    assert "roofcast weigh run.ncu-rep" in shown
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--line-length", "120", str(path)]
    assert subprocess.run(ruff, check=False, capture_output=True).returncode == 0


@pytest.mark.parametrize(("room", "name"), [("absent", "weigh"), ("weighing", "Weigh"), ("weighing", "two words")])
def test_what_is_no_question_is_refused(room: str, name: str, tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path)
    with pytest.raises(Refused):
        write_ask(checkout, name, room)
    write_ask(checkout, "weigh", "weighing")
    with pytest.raises(Refused, match="has a question"):
        write_ask(checkout, "weigh", "weighing")


def make_checkout(folder: Path) -> Checkout:
    """A checkout with one room."""
    room = folder / "src" / "roofcast" / "weighing"
    room.mkdir(parents=True)
    (room / "__init__.py").write_text('"""A room."""\n')
    (room.parent / "asks.py").touch()
    return Checkout(folder)
