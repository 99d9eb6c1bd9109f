"""Models that never ran, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import roofcast.torch
from roofcast.__main__ import main
from roofcast.commands.group import cli

RESNET = Path(__file__).parents[1] / "unmeasured" / "resnet50_amp.json"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments), catch_exceptions=False)


def test_forecast_prints_what_python_returns(tmp_path: Path) -> None:
    made = json.loads(run("forecast", str(RESNET), "--to", "H100,L40S", "--host-us", "30", "--format", "json").stdout)
    found = roofcast.torch.forecast(json.loads(RESNET.read_text()), to=["H100", "L40S"], host_us=30.0)
    assert [t["time_s"] for t in made["totals"]] == [t.time_s for t in found.totals]
    assert len(made["forecasts"]) == len(found)
    assert "one step" in run("forecast", str(RESNET), "--to", "H100").stdout
    for suffix in ("csv", "html", "svg"):
        path = tmp_path / f"made.{suffix}"
        assert run("forecast", str(RESNET), "--to", "H100", "-o", str(path)).exit_code == 0
        assert path.stat().st_size > 1000


def test_a_file_alone_is_looked_at() -> None:
    text = run(str(RESNET)).stdout
    assert "a model that never ran" in text
    assert "device" in text
    assert f"roofcast choose {RESNET}" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["forecast", str(RESNET), "--to", "H100", "--model", "mechanistic"], "--model says nothing of a model"),
        (["forecast", str(RESNET), str(RESNET), "--to", "H100"], "forecast alone"),
        (["forecast", "examples/convolution.csv", "--to", "H100", "--mode", "graph"], "--mode is of models that never"),
        (["forecast", str(RESNET), "--to", "H100", "--host-us", "nan"], "microseconds of the host"),
        (["inspect", str(RESNET)], "a model that never ran"),
        (["app", str(RESNET), "--to", "H100"], "a model that never ran"),
    ],
)
def test_what_says_nothing_there_is_refused(
    arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    assert main(arguments) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1
