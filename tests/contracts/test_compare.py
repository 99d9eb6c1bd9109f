"""Contract: the gate of `compare` fails where a run takes more time, whatever the cause; a run equals itself."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from contracts.doors import named, run_json
from roofcast.__main__ import main

RUNS = "kineto|nsys_sqlite|nvprof"
QUICK = ("bert-small", "healthy", "event-sync")
KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"


@pytest.mark.parametrize("path", named(RUNS, QUICK))
def test_a_file_is_no_slower_than_itself(path: Path) -> None:
    if main(["inspect", str(path), "--format", "json", "-o", "/dev/null"]):
        pytest.skip("cannot be read")
    assert main(["compare", str(path), str(path), "--fail-above", "0.1%"]) == 0


def test_more_launches_of_equal_length_fail_the_gate(fixtures_dir: Path, tmp_path: Path) -> None:
    """Every kernel of a real run once more behind the run: not one launch is slower."""
    before, after = tmp_path / "before.sqlite", tmp_path / "after.sqlite"
    for path in (before, after):
        shutil.copy(next((fixtures_dir / "nsys_sqlite").glob("*healthy*")), path)
    with sqlite3.connect(after) as database:
        names = [row[1] for row in database.execute(f"PRAGMA table_info({KERNELS})")]
        (span,) = database.execute(f"SELECT max(end) - min(start) + 1000 FROM {KERNELS}").fetchone()
        moved = ", ".join(f"{n} + {span}" if n in ("start", "end") else n for n in names)
        database.execute(f"INSERT INTO {KERNELS} SELECT {moved} FROM {KERNELS}")
    result = run_json("compare", before, after)
    assert [k["verdict"] for k in result["kernels"]] == ["more launches"] * 2
    assert all(abs(k["ratio"] - 1) < 1e-6 and abs(k["total_ratio"] - 2) < 1e-6 for k in result["kernels"])
    run = {m["quantity"]: m["ratio"] for m in result["run"]}
    assert run["launches of kernels"] == 2
    assert run["devices busy"] == pytest.approx(2)
    assert main(["compare", str(before), str(after), "--fail-above", "5%"]) == 3
    assert main(["compare", str(after), str(before), "--fail-above", "5%"]) == 0
