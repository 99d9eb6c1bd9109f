"""Numbers that nothing can have, in files that are sound otherwise: an answer or one line, and no warning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NoReturn

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from damage import ROUNDS, SEEDS, content_of, damage_numbers, mutate, real_files
from roofcast.__main__ import describe
from roofcast.commands.group import cli
from roofcast.core.columns import Origin
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import LARGEST, KernelTable
from roofcast.reading import read

LARGEST_FILE = 600_000
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
    """The exit code of a command: it answers in JSON that is JSON, or in one line. Warnings are errors here."""
    done = CliRunner().invoke(cli, [str(path) if a == "FILE" else a for a in arguments])
    code = done.exit_code
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        said, code = describe(done.exception)
        if code == 1:
            raise done.exception
        assert said.isprintable()
    if code == 0 and "json" in arguments:
        json.loads(done.stdout, parse_constant=refuse_constant)
    return code


def refuse_constant(name: str) -> NoReturn:
    """NaN and Infinity are no JSON."""
    raise AssertionError(f"{name} in JSON")


def damage(data: bytes, seed: int, *, numbers: bool) -> bytes:
    """One way or the other."""
    return damage_numbers(data, seed) if numbers else mutate(data, seed)


@settings(max_examples=20 * ROUNDS, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.sampled_from(SEEDS), seed=st.integers(0, 2**32), numbers=st.booleans(), command=st.sampled_from(COMMANDS)
)
def test_commands_answer_on_damaged_samples(
    data: bytes, seed: int, numbers: bool, command: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "damaged.bin"
    path.write_bytes(damage(data, seed, numbers=numbers))
    assert ask(command, path) in (0, 2)


@settings(max_examples=10 * ROUNDS, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), seed=st.integers(0, 2**32), numbers=st.booleans(), command=st.sampled_from(COMMANDS))
def test_commands_answer_on_damaged_real_files(
    data: st.DataObject, seed: int, numbers: bool, command: tuple[str, ...], fixtures_dir: Path, tmp_path: Path
) -> None:
    files = real_files(fixtures_dir, LARGEST_FILE * (4 if ROUNDS > 1 else 1))
    real = data.draw(st.sampled_from(files), label="file")
    path = tmp_path / "damaged.bin"
    path.write_bytes(damage(content_of(real), seed, numbers=numbers))
    assert ask(command, path) in (0, 2)


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
