"""Programs that are held back: scored as a whole, refused to everything else, each look written down."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from roofcast.core.errors import DatasetError
from roofcast_evaluate import datasets, fresh
from roofcast_evaluate.datasets import CEILINGS, DATASETS, FRESH, HELD_BACK, load

TABLE = "\n".join((
    "kernel,config,gpu,time_s,bytes_dram,flops_fp32,grid_blocks,block_threads,model,same_work",
    *(f"{program}-cuda:secret_kernel_{program},n,{gpu},{time},2e9,1e9,10000,256,cuda,True"
      for program in ("a", "b") for gpu, time in (("A10", 4.5e-3), ("A100-SXM4-40GB", 1.5e-3))),
))  # fmt: skip


@pytest.fixture
def held_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of data whose check part is a small table."""
    (known,) = HELD_BACK
    path = tmp_path / HELD_BACK[known].file
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress(TABLE.encode()))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setitem(datasets.HELD_BACK, known, replace(HELD_BACK[known], sha256=digest))
    monkeypatch.setenv("ROOFCAST_DATA", str(tmp_path))
    return path


def test_what_is_held_back_is_refused_by_name_and_by_content(held_back: Path) -> None:
    copied = held_back.parent / "harmless.csv.gz"
    copied.write_bytes(held_back.read_bytes())
    for name in (*HELD_BACK, str(held_back), str(copied)):
        with pytest.raises(DatasetError, match="held back"):
            load(name)
    assert not HELD_BACK.keys() & (DATASETS.keys() | FRESH.keys() | CEILINGS.keys())


def test_a_look_tells_no_row_and_is_written_down(
    held_back: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = held_back.parent / "looks.csv"
    monkeypatch.setattr("sys.argv", ["fresh", str(log)])
    for looks in (1, 2):
        assert fresh.main() == 0
        assert len(log.read_text().splitlines()) == 1 + looks
    told = capsys.readouterr().out
    assert "secret_kernel" not in told
    assert "A10" not in told
    found = fresh.score_held_back(*HELD_BACK)
    assert (found.programs, found.dataset) == (2, *HELD_BACK)
    assert 0 < found.mean_of_programs < 60
    with pytest.raises(DatasetError, match="not held back"):
        fresh.score_held_back("hecbench_fresh")
