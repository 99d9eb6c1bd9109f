"""`roofcast sweep` and `roofcast choose` from end to end, without files of others."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from roofcast.__main__ import main
from sweep_builders import SOURCE, a_table

SPACE = """
base = "H100 SXM5 80GB"
cost = "sm + dram/1e11"
goal = 1.2
[axes]
sm = { from = 100, to = 180, step = 20 }
dram = { from = "2 TB/s", to = "8 TB/s", count = 4 }
"""


@pytest.fixture
def table(tmp_path: Path) -> str:
    kernels = a_table("stalls", 4)
    columns = {"kernel": [f"k{i}" for i in range(4)], "gpu": [SOURCE] * 4} | {
        n: kernels.column(n).tolist() for n in kernels.numeric
    }
    path = tmp_path / "kernels.csv"
    pl.DataFrame(columns).write_csv(path)
    return str(path)


@pytest.fixture
def space(tmp_path: Path) -> str:
    path = tmp_path / "space.toml"
    path.write_text(SPACE)
    return str(path)


@pytest.mark.slow
def test_a_sweep_prints_writes_and_resumes(
    table: str, space: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, report, pictures = tmp_path / "out", tmp_path / "r.html", tmp_path / "pictures"
    arguments = [
        "sweep",
        table,
        "--space",
        space,
        "--out",
        str(out),
        "--report",
        str(report),
        "--pictures",
        str(pictures),
    ]
    assert main(arguments) == 0
    first = capsys.readouterr()
    assert "20 processors around H100 SXM5 80GB, for 4 kernels that take" in first.out
    assert "Pareto front of time and cost" in first.out
    assert "to be 1.2x as fast" in first.out
    assert report.read_text(encoding="utf-8").count("<svg") >= 3
    assert len(list(pictures.glob("*.svg"))) == 3
    assert pl.read_parquet(out / "forecasts-*.parquet").height == 80
    assert main([*arguments[:6], "--format", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    times = [p["time_s"] for p in content["fastest"]]
    assert times == sorted(times)
    front = content["pareto"]
    assert all(a["cost"] < b["cost"] and a["time_s"] > b["time_s"] for a, b in pairwise(front))


@pytest.mark.slow
def test_csv_lists_fastest_and_front(table: str, space: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", table, "--space", space, "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("set,processor,sm,dram,time_s")
    assert len(lines) > 20


@pytest.mark.parametrize(
    ("command", "more", "said"),
    [
        ("sweep", ["--space", "nowhere.toml"], "cannot read nowhere.toml"),
        ("sweep", ["--space", "SPACE", "--cluster", "here"], "tcp://host:port"),
        ("sweep", ["--space", "SPACE", "--weights", "k0"], "NAME=NUMBER"),
        ("sweep", ["--space", "SPACE", "--weights", "nothing=3"], "no kernel nothing"),
        ("sweep", ["--space", "TABLE"], "no TOML file"),
        ("choose", ["--budget", "3"], "single GPU"),
        ("choose", ["--budget", "3 GHz"], "--budget"),
        ("choose", ["--budget", "-3"], "above 0"),
        ("choose", ["--deadline", "1e-320"], "above 0"),
        ("choose", ["--budget", "9" * 400], "not a finite number"),
        ("choose", ["--memory", "1 PB"], "no GPU is left"),
        ("choose", ["--prices", "nowhere.toml"], "cannot read"),
        ("choose", ["--weights", "k0=-1"], "NAME=NUMBER"),
        ("choose", ["--rack", "4"], "no GPU is left"),
        ("choose", ["--among", ","], "at least one"),
        ("choose", ["--years", "1000"], "--years: give the life"),
        ("choose", ["--utilisation", "0"], "above 0"),
        ("choose", ["--utilisation", "170%"], "--utilisation: give the share"),
    ],
)
def test_what_is_wrong_ends_in_one_line(
    table: str, space: str, command: str, more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [{"SPACE": space, "TABLE": table}.get(m, m) for m in more]
    among = ["--among", "RTX 4090,RTX 3090"] if command == "choose" else []
    assert main([command, table, *among, *given]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.slow
def test_a_choice_ranks_in_every_format(table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[gpus."L40S"]\nprice_usd = 8000\nsource = "x"\n[gpus."H100 SXM5 80GB"]\nprice_usd = 30000\n')
    among = ["choose", table, "--among", "L40S,H100 SXM5 80GB,T4", "--prices", str(prices), "--budget", "90 kUSD"]
    assert main([*among, "--report", str(tmp_path / "c.html")]) == 0
    shown = capsys.readouterr().out
    assert "recommended: buy " in shown
    assert "not ranked (has no price: state one with --prices or --candidates): Tesla T4" in shown
    assert main([*among, "--format", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert {o["gpu"] for o in content["candidates"]} == {"L40S", "H100 SXM5 80GB"}
    assert sum(p["cost"] for p in content["fleet"]) == content["total_cost"] <= 90_000
    assert main([*among, "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert "<table" in (tmp_path / "c.html").read_text(encoding="utf-8")


def test_weights_move_the_ranking(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    times = []
    for weight in ("1", "1000"):
        assert main(["choose", table, "--among", "L40S", "--weights", f"k0={weight}", "--format", "json"]) == 0
        times.append(json.loads(capsys.readouterr().out)["candidates"][0]["time_s"])
    assert times[1] > times[0]
    assert np.isfinite(times).all()
