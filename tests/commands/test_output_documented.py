"""The keys of machine-readable output are those that docs/output.md promises, and stay."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gate.checks import promised
from roofcast.commands.group import cli
from roofcast.forecasting.forecasts import RECORD_KEYS
from roofcast_evaluate.reporting import COLUMNS

ROWS = (
    "kernel,config,gpu,time_s,flops_fp32,bytes_dram\n"
    "a,1,A100-SXM4-80GB,1e-3,1e9,1e8\na,1,Tesla V100-SXM2-16GB,1.7e-3,1e9,1e8\n"
)


def output(tmp_path: Path, command: str, *words: str) -> str:
    """What a command prints of the table."""
    path = tmp_path / "t.csv"
    path.write_text(ROWS, encoding="utf-8")
    done = CliRunner().invoke(cli, [command, str(path), *words], standalone_mode=False)
    assert done.exception is None, done.exception
    return done.stdout


def as_json(tmp_path: Path, command: str, *words: str) -> Any:
    """The same as JSON."""
    return json.loads(output(tmp_path, command, *words, "--format", "json"))


def test_forecast(tmp_path: Path) -> None:
    (first, *_) = as_json(tmp_path, "forecast", "--to", "B200", "--explain")["forecasts"]
    assert list(first) == [*RECORD_KEYS, "waterfall"]
    assert set(first) <= set(promised("forecast"))
    rows = list(csv.DictReader(io.StringIO(output(tmp_path, "forecast", "--to", "B200", "--format", "csv"))))
    assert float(rows[0]["time_s"]) == pytest.approx(first["time_s"])


def test_inspect(tmp_path: Path) -> None:
    (first, *_) = as_json(tmp_path, "inspect")["kernels"]
    assert list(first) == promised("inspect")[: len(first)]


def test_evaluate_with_the_worst_kernels(tmp_path: Path) -> None:
    rows = as_json(tmp_path, "evaluate", "--worst", "1")
    assert all(list(row) == [*COLUMNS, "worst"] for row in rows)
    assert [*COLUMNS, "worst"] == promised("evaluate")[: len(COLUMNS) + 1]
    (summary,) = [row for row in rows if row["source_gpu"] is None]
    assert [row["worst"] for row in rows if row["source_gpu"]] == [[], []]
    (worst,) = summary["worst"]
    assert list(worst) == ["kernel", "error_points", "median_ratio", "causes"]
    assert worst["kernel"] == "a"
    assert worst["error_points"] == pytest.approx(100 * summary["mape"])
    table = list(csv.DictReader(io.StringIO(output(tmp_path, "evaluate", "--worst", "1", "--format", "csv"))))
    assert json.loads(table[-1]["worst"]) == [worst]
    assert table[0]["worst"] == ""
    assert "worst" not in as_json(tmp_path, "evaluate")[0]


def test_gpus() -> None:
    done = CliRunner().invoke(cli, ["gpus", "--search", "h100", "--format", "json"], standalone_mode=False)
    (first, *_) = json.loads(done.stdout)["processors"]
    assert list(first) == promised("gpus")[: len(first)]
    with pytest.raises(Exception, match="--vendor 'foo': the catalog has AMD, Intel, NVIDIA"):
        CliRunner().invoke(cli, ["gpus", "--vendor", "foo"], standalone_mode=False, catch_exceptions=False)
