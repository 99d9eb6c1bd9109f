"""A file that was cut off says so in one line with what to do, or keeps what is complete with a note."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from long_traces import write
from roofcast.core.errors import InputError
from roofcast.ingest.readers import read_file
from roofcast.ingest.timelines import read_run

ROWS = "kernel,gpu,time_s,grid_blocks,block_threads\n" + "".join(
    f"k{i},A100-SXM4-40GB,1e-5,64,128\n" for i in range(50)
)


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A whole trace of each kind."""
    folder = tmp_path_factory.mktemp("whole")
    paths = {"kineto": folder / "a.json", "nsys": folder / "a.sqlite"}
    for form, path in paths.items():
        write(form, 400_000, path)
    return paths


def cut(path: Path, share: float, into: Path) -> Path:
    """The first part of a file."""
    content = path.read_bytes()
    into.write_bytes(content[: max(int(share * len(content)), 1)])
    return into


@pytest.mark.parametrize("share", [0.2, 0.5, 0.99])
@pytest.mark.parametrize("form", ["kineto", "nsys"])
def test_a_trace_that_was_cut_says_so(form: str, share: float, traces: dict[str, Path], tmp_path: Path) -> None:
    path = cut(traces[form], share, tmp_path / traces[form].name)
    try:
        said = " ".join(read_run(path).provenance.notes)
    except InputError as error:
        said = str(error)
    assert ("ends early" in said and "again" in said) or "were kept" in said


def test_a_trace_cut_before_its_first_kernel_is_none_without_work(traces: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"ends early, before any work of a GPU \(\d+ complete events\): copy it again"
    ):
        read_run(cut(traces["kineto"], 700 / 400_000, tmp_path / "a.json"))


@pytest.mark.parametrize("form", ["kineto", "nsys"])
def test_compressed_data_that_end_early_say_what_to_do(form: str, traces: dict[str, Path], tmp_path: Path) -> None:
    packed = tmp_path / "whole.gz"
    packed.write_bytes(gzip.compress(traces[form].read_bytes()))
    for share in (0.01, 0.6):
        path = cut(packed, share, tmp_path / f"{traces[form].name}.gz")
        try:
            said = " ".join(read_run(path).provenance.notes)
        except InputError as error:
            said = str(error)
        assert "compressed data end early" in said


def test_a_table_that_was_cut_says_so_and_a_whole_one_does_not(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for content, told in ((ROWS, False), (ROWS.rstrip("\n"), False), (ROWS[:-12], True)):
        path.write_text(content)
        assert any("middle of a row" in n for n in read_file(path).provenance[0].notes) is told
