"""Worst kernels: each rule holds where its evidence is, and only there; pages and pictures show them."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from roofcast.core.columns import Origin
from roofcast.core.errors import DatasetError
from roofcast.core.kernel_table import KernelTable
from roofcast.models.physics.model import Mechanistic
from roofcast_evaluate.cases import cases_of
from roofcast_evaluate.commands.evaluate import command
from roofcast_evaluate.experiments import run_experiment
from roofcast_evaluate.plots import draw, render_picture
from roofcast_evaluate.worst import RULES, worst_kernels

GPUS = ("A100-SXM4-40GB", "GeForce RTX 3080")
COUNTED = {
    "time_s": 1e-3, "bytes_dram": 7e8, "bytes_l2": 9e8, "bytes_l1": 1.2e9, "flops_fp32": 1e8, "grid_blocks": 8000.0,
    "block_threads": 256.0, "regs_per_thread": 32.0, "warp_latency_cycles_per_inst": 20.0,
    "bytes_per_sector_load": 32.0, "l2_hit_fraction": 0.5,
    **{f"stall_{r}_per_inst": 0.2 for r in ("barrier", "imc_miss", "no_instruction", "membar")},
    "stall_long_scoreboard_per_inst": 10.0,
}  # fmt: skip
ANALYTIC = {"time_s": 1e-3, "flops_fp32": 1e9, "bytes_compulsory": 1e8}


def table(row: dict[str, float], kernel: str = "k", factor: float = 2.0, **extra: str) -> KernelTable:
    """One kernel on two GPUs; the second takes ``factor`` times as long."""
    numeric = {n: ([v, v * (factor if n == "time_s" else 1)], Origin.COUNTED) for n, v in row.items()}
    more = {name: np.array([value] * 2, dtype=object) for name, value in extra.items()}
    text = {"kernel": [kernel] * 2, "config": ["1"] * 2, "gpu": list(GPUS)}
    return KernelTable.from_columns(text, numeric, extra=more)


def causes(kernels: KernelTable) -> str:
    cases = cases_of("t", kernels)
    (worst,) = worst_kernels(cases.forecast(Mechanistic()), cases, 1)
    return "; ".join(worst.causes)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"stall_imc_miss_per_inst": 9.0}, "constant cache"),
        ({"stall_no_instruction_per_inst": 8.0}, "instruction"),
        ({"stall_barrier_per_inst": 8.0}, "barriers"),
        ({"grid_blocks": 12.0}, "few blocks: 12 on 68 to 108"),
        ({"bytes_per_sector_load": 6.0}, "scattered DRAM accesses: 6 of 32"),
        ({"time_s": 3e-6, "bytes_dram": 1e3, "bytes_l2": 2e3, "bytes_l1": 3e3, "flops_fp32": 1e3}, "launch floor"),
        ({"time_std_s": 4e-4}, "scatter by"),
        ({"flops_fp64": 1e8}, "FP64 units"),
        ({"bytes_dram": 1e4, "bytes_l2": 2e4, "bytes_l1": 3e4, "flops_fp32": 1e4}, "no counted resource"),
    ],
)
def test_a_rule_holds_where_its_evidence_is(change: dict[str, float], says: str) -> None:
    assert says in causes(table(COUNTED | change))
    assert says not in causes(table(COUNTED))


def test_amounts_without_counters_say_so() -> None:
    assert "source text" in causes(table(ANALYTIC | {"bytes_dram": 1e8})) or "algorithm" in causes(table(ANALYTIC))
    assert "another kernel on the target" in causes(table(ANALYTIC, kernel="linear 128x128"))
    assert "only its time" in causes(table({"time_s": 1e-3}))
    assert "atomics dominate: 4.5 %" in causes(table(COUNTED, atomic_inst_frac="0.045"))
    assert "not into the other" in causes(table({"time_s": 1e-3, "bytes_compulsory": 2e7, "grid_blocks": 9e3}))


def test_every_rule_has_a_name_and_the_first_two_are_shown() -> None:
    assert all(RULES[name].__doc__ for name in RULES)
    cases = cases_of("t", table(COUNTED | {"stall_imc_miss_per_inst": 9.0, "grid_blocks": 12.0, "time_std_s": 1e-3}))
    (worst,) = worst_kernels(cases.forecast(Mechanistic()), cases, 1)
    assert len(worst.causes) == 2
    assert worst.points > 0


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "t.csv"
    rows = ["kernel,config,gpu,time_s,bytes_dram,flops_fp32"]
    for i, name in enumerate(("copy", "<b>bold</b>", "gemm")):
        rows += [
            f"{name},{c},{gpu},{1e-4 * (i + 1) * (g + 1)},{1e8 * c},1e7" for c in (1, 2) for g, gpu in enumerate(GPUS)
        ]
    path.write_text("\n".join(rows) + "\n")
    return str(path)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["html", "svg", "png", "pdf"])
def test_an_evaluation_is_written_the_same_each_time(file: str, tmp_path: Path, suffix: str) -> None:
    for name in ("a", "b"):
        out = str(tmp_path / f"{name}.{suffix}")
        result = CliRunner().invoke(command, [file, "--model", "mechanistic", "-o", out], catch_exceptions=False)
        assert result.exit_code == 0
    content = (tmp_path / f"a.{suffix}").read_bytes()
    assert content == (tmp_path / f"b.{suffix}").read_bytes()
    assert len(content) > 5000
    if suffix == "html":
        assert b"<b>bold" not in content
        assert b"&lt;b&gt;bold" in content
        assert b"default-src 'none'" in content


def test_worst_kernels_are_listed_with_causes(file: str) -> None:
    result = CliRunner().invoke(command, [file, "--model", "mechanistic", "--worst", "2"], catch_exceptions=False)
    listed = result.stdout.partition("why)")[2]
    assert listed.count("\n  ") >= 4
    assert "of the source time" in listed or "limit moves" in listed


@pytest.mark.slow
def test_results_without_intervals_limits_or_pairs_are_drawn(file: str, tmp_path: Path) -> None:
    from roofcast.reading import read

    result = run_experiment("t", read(file), "van_lanker")
    assert result.outcome is not None
    bare = dataclasses.replace(result.outcome, limit=None, time_s_source=None)
    assert render_picture([dataclasses.replace(result, outcome=bare)]).startswith(b"<?xml")
    assert render_picture([dataclasses.replace(result, outcome=None)]).startswith(b"<?xml")
    with pytest.raises(DatasetError, match="svg"):
        draw([result], tmp_path / "x.bmp")


def test_json_is_as_before(file: str) -> None:
    out = CliRunner().invoke(command, [file, "--model", "mechanistic", "--format", "json"], catch_exceptions=False)
    assert set(json.loads(out.stdout)[0]) >= {"dataset", "mape", "coverage"}
