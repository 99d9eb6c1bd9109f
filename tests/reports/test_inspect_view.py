"""What `inspect` says of machine code, of columns on a narrow terminal, and of the profiler that collects the rest."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import roofcast
from roofcast.commands.group import cli
from roofcast.core.kernel_table import KernelTable
from roofcast.kit.table import cells
from roofcast.reports.inspect import render_inspection, render_inspection_json
from roofcast.reports.missing_columns import suggest_collection
from text_samples import TABLE

V100 = "tesla-v100-sxm2-32gb__NCAR-GPU-workshop-10-HandsOnNsight-ncu-MW-Baseline.ncu-rep"


def table_of(tmp_path: Path, gpu: str, rows: int = 5) -> KernelTable:
    """Kernels with long names on one GPU, of which only times and FLOPs are known."""
    name = "a_kernel_with_a_rather_long_name_that_must_be_cut_somewhere"
    lines = [f"{name}_{i},{gpu},{i + 1}e-3,22.8e9,65535,128" for i in range(rows)]
    path = tmp_path / "t.csv"
    head = "kernel,gpu,time_s,flops_fp32,grid_blocks,block_threads"
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return roofcast.read(str(path))


@pytest.mark.parametrize("width", [80, 100, 160])
def test_the_table_of_launches_fits(tmp_path: Path, width: int) -> None:
    text = render_inspection(table_of(tmp_path, "V100"), width)
    table = [line for line in text.splitlines() if not line.startswith("  ncu ")]
    assert max(map(cells, table)) <= width
    assert ("grid x block" in text) == (width > 80)


@pytest.mark.parametrize(
    ("gpu", "tool"),
    [("A100", "ncu --metrics"), ("GTX 750", "nvprof --csv"), ("MI300X", "rocprof-compute"), ("Nobody's 1", "ncu ")],
)
def test_the_profiler_is_the_one_that_the_gpu_has(tmp_path: Path, gpu: str, tool: str) -> None:
    assert suggest_collection(table_of(tmp_path, gpu), ["bytes_dram", "insts_executed"]).startswith(tool)


def test_no_profiler_is_invented_for_other_vendors(tmp_path: Path) -> None:
    assert suggest_collection(table_of(tmp_path, "Arc A770"), ["bytes_dram"]) == ""


def test_embedded_code_is_said_with_the_command_that_shows_it(fixtures_dir: Path) -> None:
    kernels = roofcast.read(str(fixtures_dir / "ncu_rep" / V100))
    text = render_inspection(kernels, 200)
    assert "machine code: a binary (sm_70, 177 kB) with the code of 5 of 5 launches; PTX" in text
    assert f"  roofcast sass {V100}" in text
    (code,) = json.loads("".join(render_inspection_json(kernels)))["code"]
    assert code == {
        "file": V100, "binaries": 1, "architectures": ["sm_70"], "size_bytes": 177448, "ptx": True, "launches": 5,
        "launches_with_code": 5, "launches_with_counts": 5,
    }  # fmt: skip


def test_files_without_code_say_nothing_of_it(tmp_path: Path) -> None:
    kernels = table_of(tmp_path, "V100")
    assert "machine code" not in render_inspection(kernels, 120)
    assert "code" not in json.loads("".join(render_inspection_json(kernels)))


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_what_was_read_is_a_table_that_is_read_the_same(tmp_path: Path, form: str) -> None:
    (tmp_path / "in.csv").write_text(TABLE.replace("saxpy", "=saxpy"), encoding="utf-8")
    kernels, out = roofcast.read(str(tmp_path / "in.csv")), tmp_path / f"t.{form}"
    assert CliRunner().invoke(cli, ["inspect", str(tmp_path / "in.csv"), "-o", str(out)]).exit_code == 0
    again = roofcast.read(str(out))
    assert again.strings("kernel").tolist() == ["=saxpy", "gemm"]
    for name in kernels.numeric:
        np.testing.assert_array_equal(again.column(name), kernels.column(name), err_msg=name)
