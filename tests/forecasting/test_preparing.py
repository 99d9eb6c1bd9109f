"""Steps of preparation: each says what it does, writes what it declares, and is named for what it said."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import roofcast
from frozen_kinds import draw_calls, draw_convolutions, draw_row_operators
from frozen_values import draw_all_columns, draw_operators, draw_several
from roofcast.commands.group import cli
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable
from roofcast.core.results import Conditions
from roofcast.forecasting.conditions import check_conditions
from roofcast.forecasting.prepared import prepare
from roofcast.forecasting.preparing.in_order import NAMES, STEPS
from roofcast.forecasting.preparing.step import Step
from roofcast.forecasting.said_amounts import FILE, list_changed, list_said

TABLE = """kernel,gpu,time_s,shape_m,shape_n,shape_k,precision
ampere_sgemm_128x64_nn,A100,1e-3,1024,1024,1024,fp32
axpy,A100,2e-3,,,,
"""


def tables(fixtures_dir: Path) -> Iterator[KernelTable]:
    yield from (draw_all_columns(1), draw_operators(2), draw_several(3), draw_calls(4), draw_row_operators(5),
                draw_convolutions(6))  # fmt: skip
    for trace in sorted((fixtures_dir / "kineto").glob("*bert-small*")):
        yield roofcast.read(trace)


@pytest.mark.parametrize("cache", ["auto", "warm"])
def test_a_step_writes_what_it_declares(fixtures_dir: Path, cache: str) -> None:
    found = []

    def watch(step: Step, before: KernelTable, after: KernelTable) -> None:
        for name, _, _ in list_changed(before, after):
            if not any(fnmatch(name, pattern) for pattern in step.writes):
                found.append((step.name, name))

    for table in tables(fixtures_dir):
        prepare(table, (), conditions=check_conditions(Conditions(cache=cache)), watch=watch)
    assert sorted(set(found)) == []


def test_steps_have_names_and_reasons_of_their_own() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for step in STEPS:
        assert step.sentence != step.reason
        assert all((step.sentence, step.reason, step.reads, step.source))


def test_every_amount_has_one_who_said_it(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TABLE, encoding="utf-8")
    said = {(s.row, s.amount): s for s in list_said(roofcast.read(path))}
    assert said[0, "shape_m"].by == FILE
    work = said[0, "flops_fp32"]
    assert work.by == "shapes"
    assert work.value == 2.0 * 1024**3
    assert {s.by for (row, _), s in said.items() if row == 1} == {FILE}
    ready = prepare(roofcast.read(path), (), conditions=check_conditions(Conditions()))
    for (row, amount), s in said.items():
        if isinstance(s.value, float):
            assert ready.kernels.column(amount)[row] == s.value


def test_a_step_left_out_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TABLE, encoding="utf-8")
    ready = prepare(roofcast.read(path), (), conditions=check_conditions(Conditions()), without=("shapes",))
    assert np.isnan(ready.kernels.column("flops_fp32")).all()
    with pytest.raises(RoofcastError, match="no step 'shape': steps are source_times"):
        prepare(roofcast.read(path), (), conditions=check_conditions(Conditions()), without=("shape",))


def test_the_command_line_says_who_said_what(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TABLE, encoding="utf-8")
    shown = CliRunner().invoke(cli, ["inspect", str(path), "--why", "--top", "3"])
    assert shown.exit_code == 0
    assert "shapes said " in shown.output
    assert "more rows (--top N" in shown.output
    rows = CliRunner().invoke(cli, ["inspect", str(path), "--why", "--format", "csv"]).output.splitlines()
    assert rows[0] == "kernel,amount,value,said_by,why,in_place_of"
    assert any(",flops_fp32,2147483648.0,shapes," in row for row in rows)


def test_a_score_says_what_a_step_is_worth(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    gemm = "ampere_sgemm_128x64_nn,{},{},{n},{n},{n},fp32"
    rows = [gemm.format(gpu, n**3 * scale, n=n) for gpu, scale in (("A100", 2e-13), ("A10", 3e-13))
            for n in (512, 1024, 2048)]  # fmt: skip
    path.write_text("kernel,gpu,time_s,shape_m,shape_n,shape_k,precision\n" + "\n".join(rows), encoding="utf-8")
    shown = CliRunner().invoke(cli, ["evaluate", str(path), "--without", "shapes", "--without", "blocks"])
    assert shown.exit_code == 0, shown.output
    assert "without shapes, blocks " in shown.output
    assert "with all steps " in shown.output
