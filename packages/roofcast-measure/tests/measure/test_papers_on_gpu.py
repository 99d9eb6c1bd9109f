"""The papers' items that need a GPU: measured on the CPU in its place, written, read again and told."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from roofcast.__main__ import main
from roofcast.core.errors import RoofcastError
from roofcast.kit.page import render_page
from roofcast_evaluate import on_gpu
from roofcast_evaluate.papers import add_here, compare_papers, heads_of, make_page, render_document
from roofcast_measure import suite
from roofcast_measure.running import shrunk
from shim_driver import ShimDriver

pytestmark = pytest.mark.slow

NAMES = ("hydro1d", "saxpy", "transport")
SMALL: dict[str, float | int] = {"nbands": 5, "ngpown": 3, "ncouls": 70, "nw": 2, "blocks": 2}


def measured(folder: Path, cpu: ShimDriver) -> list[str] | None:
    programs = [shrunk(suite.load(n), [suite.load(n).check]) for n in NAMES]
    return on_gpu.measure_missing(folder, lambda: cpu, quick=True, programs=programs, configuration=SMALL)


def rename(path: Path, gpu: str) -> None:
    """Say that a table is of another GPU: the CPU stands for one of the catalog."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**r, "gpu": gpu} for r in rows)


@pytest.fixture(scope="module")
def folder(cpu: ShimDriver, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("here") / "gpu"
    assert measured(place, cpu) is not None
    for name in (on_gpu.SUITE, on_gpu.STEPS, on_gpu.PLAIN):
        rename(place / name, "NVIDIA A100-SXM4-40GB")
    return place


def test_what_is_there_is_not_measured_again(folder: Path) -> None:
    def never() -> ShimDriver:
        raise AssertionError("all tables are there")

    assert on_gpu.measure_missing(folder, never) is None


def test_the_column_says_what_was_measured(folder: Path) -> None:
    here = on_gpu.read_here(folder, [str(folder / on_gpu.SUITE)])
    assert len(here.steps) == len(here.plain) == 9
    items = compare_papers(["van_lanker", "yang"])
    found = add_here(items, here)
    told = {c.item.name: c.here for c in found}
    assert "20 rows" in told["Fig. 4: Hydro1D"]
    assert "from NVIDIA A100-SXM4-40GB" in told["Fig. 4: Hydro1D"], "its own table stands for another GPU's"
    assert told["Fig. 8: LULESH"] == "", "no row of it was measured"
    assert told["counters"] == "not counted here"
    assert heads_of(found)[-1] == "here"
    assert heads_of(items)[-1] != "here"
    assert "|here|" in render_document(found)
    assert "What was measured here, elsewhere" in render_page(make_page(found, here))


def test_ceilings_are_told_where_they_were_measured(folder: Path, data_dir: Path) -> None:
    measured = data_dir / "hopper_ceilings" / "h100.toml"
    if not measured.is_file():
        pytest.skip("no hopper_ceilings here")
    assert on_gpu.tell_items(on_gpu.read_here(folder))["its micro-benchmarks"] == "not measured here"
    (folder / on_gpu.CEILINGS).write_bytes(measured.read_bytes())
    said = on_gpu.tell_items(on_gpu.read_here(folder))["its micro-benchmarks"]
    (folder / on_gpu.CEILINGS).unlink()
    assert "DRAM 2.84 TB/s" in said
    assert "FP64" in said


def test_forecasts_of_the_own_gpu_are_the_measured_times(folder: Path) -> None:
    here = on_gpu.read_here(folder, [str(folder / on_gpu.SUITE)])
    (said,) = on_gpu.tell_errors(here, on_gpu.PROGRAMS["Fig. 4: Hydro1D"])
    assert " 0 %" in said


def test_tables_of_two_gpus_are_refused(folder: Path, tmp_path: Path) -> None:
    for name in (on_gpu.SUITE, on_gpu.STEPS, on_gpu.PLAIN):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    rename(tmp_path / on_gpu.STEPS, "NVIDIA H100 80GB HBM3")
    with pytest.raises(RoofcastError, match="give each GPU its folder"):
        on_gpu.read_here(tmp_path)


def test_the_command_adds_the_column(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, data = tmp_path / "p.html", tmp_path / "p.json"
    assert main(["papers", "yang", "--on-gpu", str(folder), "-o", str(page)]) == 0
    assert main(["papers", "yang", "--on-gpu", str(folder), "-o", str(data)]) == 0
    assert "took off here" in page.read_text(encoding="utf-8")
    assert any("here" in item for item in json.loads(data.read_text(encoding="utf-8"))["papers"])
    capsys.readouterr()
    assert main(["papers", "--quick"]) == 2
    assert "--on-gpu" in capsys.readouterr().err
