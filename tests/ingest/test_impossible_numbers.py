"""Numbers that nothing can have, in files that are sound otherwise: an answer or one line, and no warning."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from gate import asking
from gate.asking import JSON, TEXT, Question
from gate.checks import faults_of
from roofcast.core.columns import Origin
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import LARGEST, KernelTable
from roofcast.reading import read

COMMANDS = [
    ("inspect", "FILE", "--format", "json"),
    ("inspect", "FILE"),
    ("forecast", "FILE", "--from", "A100-SXM4-40GB", "--to", "H100 SXM5 80GB", "--format", "json"),
    ("forecast", "FILE", "--from", "A100-SXM4-40GB", "--to", "L40S", "--explain"),
    ("app", "FILE", "--from", "A100-SXM4-40GB", "--to", "L40S", "--format", "json"),
    ("roofline", "FILE", "--from", "A100-SXM4-40GB"),
    ("advise", "FILE"),
    ("compare", "FILE", "FILE"),
    ("choose", "FILE", "--from", "A100-SXM4-40GB", "--format", "json"),
]


def ask(arguments: tuple[str, ...], path: Path) -> int:
    """The exit code of a command that answers as every command must. Warnings are errors here."""
    argv = tuple(str(path) if a == "FILE" else a for a in arguments)
    form = JSON if JSON in argv else TEXT
    said = asking.ask(argv)
    found = list(faults_of(Question(argv[0], str(path), argv), {form: said}, ["k1", "k2", str(path)]))
    assert not found, "\n".join(found)
    return said.code


@pytest.mark.parametrize("time_s", ["1e308", "1.7e308", "1e25", "5e-324", "1e-25", "9" * 400, "-1", "0", "inf"])
@pytest.mark.parametrize("command", [*COMMANDS, ("sweep", "FILE", "--space", "SPACE")], ids=lambda c: " ".join(c[:4:3]))
def test_times_that_no_launch_takes(time_s: str, command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "space.toml").write_text('base = "H100 SXM5 80GB"\n[axes]\nsm = [100, 120]\n')
    path = tmp_path / "t.csv"
    rows = f"k1,{time_s},1e9,1e9,1000,256\nk2,{time_s},1e308,1e9,1e300,1e308\n"
    path.write_text(f"kernel,time_s,bytes_dram,flops_fp32,grid_blocks,block_threads\n{rows}")
    assert ask(tuple(a.replace("SPACE", str(tmp_path / "space.toml")) for a in command), path) in (0, 2)


def test_numbers_beyond_any_launch_are_absent_and_flagged() -> None:
    given = {"time_s": np.array([1e308, 1.0, 0.5 / LARGEST]), "bytes_dram": np.array([1.0, -np.inf, LARGEST])}
    table = KernelTable.from_columns({"kernel": ["a", "b", "c"]}, {k: (v, Origin.COUNTED) for k, v in given.items()})
    np.testing.assert_array_equal(table.column("time_s"), [np.nan, 1.0, np.nan])
    np.testing.assert_array_equal(table.column("bytes_dram"), [1.0, np.nan, LARGEST])
    assert table.origin_of("time_s").tolist() == [Origin.ABSENT, Origin.COUNTED, Origin.ABSENT]
    assert table.flags == (
        ("time_s is 1e+308: taken as absent",),
        ("bytes_dram is -inf: taken as absent",),
        ("time_s is 5e-25: taken as absent",),
    )


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_table_of_too_many_columns_is_refused_by_its_number(suffix: str, tmp_path: Path) -> None:
    count = 2_000_000 if suffix == ".csv" else 30_000
    path = tmp_path / f"wide{suffix}"
    if suffix == ".csv":
        path.write_bytes(b"kernel,time_s" + b",c" * count + b"\nk,1" + b",1" * count + b"\n")
    else:
        pl.DataFrame({"kernel": ["k"], "time_s": [1.0], **{f"c{i}": [1] for i in range(count)}}).write_parquet(path)
    with pytest.raises(InputError, match=r"more than 20,000 columns"):
        read(path)


def test_a_format_that_does_not_exist_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("kernel,time_s\nk,1\n")
    for command in COMMANDS:
        assert ask((*command, "--input-format", "no such"), path) == 2
