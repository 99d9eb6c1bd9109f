"""The complete flow on the CPU in the place of a GPU: compile, check, time, refuse, write, read again."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from roofcast.__main__ import main
from roofcast.core.columns import Origin
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable
from roofcast.reading import read
from roofcast_measure import cuda_driver, suite
from roofcast_measure.driver import Conditions, Launch, Work
from roofcast_measure.programs import Program, Sizes
from roofcast_measure.running import run_suite, shrunk
from roofcast_measure.tables import write_table
from roofcast_measure.timing import SERVICE, Clockwork, Effort, settled
from shim_driver import INFO, InOrder, ShimDriver

BRIEF = Effort(2, 1e-6, 0.0)
SMALL: dict[str, Sequence[Sizes]] = {
    "saxpy": [{"n": 2000}, {"n": 200_000}],
    "matmul_tiled": [{"n": 16}, {"n": 48}],
    "fdtd2d_polybench": [{"nx": 40, "ny": 40, "tmax": 3}],
}


def small() -> list[Program]:
    return [shrunk(suite.load(n), c) for n, c in SMALL.items()]


@pytest.fixture(scope="module")
def measured(cpu: ShimDriver) -> KernelTable:
    return run_suite(cpu, small(), effort=BRIEF).table


@pytest.mark.slow
def test_every_program_is_measured(cpu: ShimDriver) -> None:
    programs = [shrunk(p, [p.check]) for p in suite.programs()]
    seen: list[str] = []
    steps: list[int] = []
    result = run_suite(cpu, programs, effort=BRIEF, watch=seen.append, advance=lambda: steps.append(1))
    assert len(result.table) == 2 * sum(len(p.kernels) for p in programs) == 120
    assert result.refused == result.skipped == ()
    assert set(result.deviations) == set(suite.SUITE)
    assert len(steps) == len(programs)
    assert "saxpy: check" in seen
    assert cpu.allocated == 0
    assert (result.table.column("time_s") > 0).all()


def test_the_table_says_what_was_measured_and_what_follows(measured: KernelTable) -> None:
    table = measured
    row = list(table.strings("config")).index("n=200000;cache=cold")
    assert table.strings("kernel")[row] == "saxpy"
    assert table.column("flops_fp32")[row] == 400_000
    assert table.column("bytes_dram")[row] == table.column("bytes_compulsory")[row] == 2_400_000
    assert table.column("working_set_bytes")[row] == 1_600_000
    assert table.column("grid_blocks")[row] == 782
    assert table.strings("grid")[row] == "(782, 1, 1)"
    assert table.column("clock_hz")[row] == INFO.clock_hz_boost
    assert table.origin_of("time_s")[row] == Origin.COUNTED
    assert table.origin_of("flops_fp32")[row] == Origin.DERIVED
    assert np.isnan(table.column("regs_per_thread")).all()


def test_warm_data_that_fit_the_cache_have_no_known_dram_traffic(measured: KernelTable) -> None:
    table = measured
    for i, config in enumerate(table.strings("config")):
        held = (
            table.strings("cache_state")[i] == "warm" and table.column("working_set_bytes")[i] <= INFO.capacity_bytes_l2
        )
        assert np.isnan(table.column("bytes_dram")[i]) == held, config


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_are_read_as_they_were_written(measured: KernelTable, tmp_path: Path, suffix: str) -> None:
    table = measured
    path = tmp_path / f"suite.{suffix}"
    write_table(table, path)
    again = read(path)
    assert list(again.strings("config")) == list(table.strings("config"))
    for name, values in table.numeric.items():
        np.testing.assert_array_equal(again.column(name), values, err_msg=name)
        same = again.origin_of(name) == table.origin_of(name)
        assert same.all(), name
    assert all(not f for f in again.flags)


def renamed(table: KernelTable, gpu: str) -> KernelTable:
    frame = {**table.text, "gpu": np.array([gpu] * len(table), dtype=object)}
    return dataclasses.replace(table, text=frame)


def test_forecast_and_evaluate_read_the_table(
    measured: KernelTable, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = measured
    one, both = tmp_path / "suite.csv", tmp_path / "two.csv"
    write_table(renamed(table, "NVIDIA A100-SXM4-40GB"), one)
    write_table(renamed(table, "NVIDIA H100 80GB HBM3"), both)
    both.write_text(both.read_text() + "".join(one.read_text().splitlines(keepends=True)[1:]))
    assert main(["forecast", str(one), "--to", "H100 SXM5 80GB", "--format", "csv"]) == 0
    assert capsys.readouterr().out.count("saxpy") == 4
    assert main(["evaluate", str(both)]) == 0
    assert str(len(table)) in capsys.readouterr().out, "cold and warm rows are pairs of their own"


class Stuck(ShimDriver):
    """A device whose times do not depend on what it is asked to do."""

    def time(self, work: Work) -> float:
        super().time(work)
        assert isinstance(work, InOrder)
        return sum(1e-6 if one.kernel.name.startswith("roofcast_") else 1e-3 for one in work.launches)


class SameSize(ShimDriver):
    """The fault behind such data: the size that is stated is not the size that runs."""

    def prepare(self, launches: Sequence[Launch]) -> Work:
        return super().prepare(
            [dataclasses.replace(one, grid=(1,)) if one.kernel.name == "saxpy" else one for one in launches]
        )


@pytest.mark.slow
def test_times_that_do_not_move_are_refused(compiler: str) -> None:
    with pytest.raises(RoofcastError, match=r"no measurement can be believed.* in 1\.00 times its time"):
        run_suite(Stuck(), [small()[0]], effort=BRIEF)


@pytest.mark.slow
def test_one_stuck_program_does_not_take_the_others_down(compiler: str) -> None:
    lone = shrunk(suite.load("vector_add"), [{"n": 5000}])
    result = run_suite(Stuck(), [small()[0], lone], effort=BRIEF)
    assert set(result.table.strings("kernel")) == {"vector_add"}
    assert len(result.refused) == 4
    assert all(line.startswith("refused saxpy n=") for line in result.refused)


def test_a_size_that_is_not_run_shows_in_the_results(compiler: str) -> None:
    lone = shrunk(suite.load("vector_add"), [{"n": 5000}])
    result = run_suite(SameSize(), [small()[0], lone], effort=BRIEF)
    assert any("saxpy: y is wrong" in line for line in result.refused)
    assert "saxpy" not in set(result.table.strings("kernel"))


def test_rates_above_the_memorys_roof_are_refused(cpu: ShimDriver) -> None:
    slow = ShimDriver(info=dataclasses.replace(INFO, bytes_per_s_dram_peak=1e3))
    slow.libraries = cpu.libraries
    with pytest.raises(RoofcastError, match="DRAM peak of the GPU"):
        run_suite(slow, [shrunk(suite.load("saxpy"), [{"n": 2_000_000}])], effort=BRIEF)


def test_what_does_not_fit_is_skipped_and_said(cpu: ShimDriver) -> None:
    cramped = ShimDriver(info=dataclasses.replace(INFO, capacity_bytes_dram=4 * 2**20))
    cramped.libraries = cpu.libraries
    result = run_suite(cramped, [shrunk(suite.load("saxpy"), [{"n": 2000}, {"n": 10**6}])], effort=BRIEF)
    assert result.skipped == ("saxpy n=1000000: needs 0.0 GB of device memory",)
    assert len(result.table) == 2
    with pytest.raises(RoofcastError, match="nothing was measured: saxpy n=1000000"):
        run_suite(cramped, [shrunk(suite.load("saxpy"), [{"n": 10**6}])], effort=BRIEF)


def test_long_kernels_are_repeated_less_and_short_ones_show_no_power(cpu: ShimDriver) -> None:
    class Slow(ShimDriver):
        def time(self, work: Work) -> float:
            return 1.0

        def conditions(self) -> Conditions:
            return Conditions(1e9, 1e9, 300.0)

    slow = Slow()
    slow.libraries = cpu.libraries
    clockwork = Clockwork(slow)
    launch = Launch(next(iter(slow.load(SERVICE).values())), (1,), (1,))
    found = clockwork.warm(launch, Effort(20, 1e-6, 0.0))
    assert (found.time_s, found.repetitions, found.conditions.power_w) == (1.0, 3, 300.0)
    assert np.isnan(settled(Conditions(1e9, 1e9, 300.0), 0.1).power_w)


def test_cold_batches_use_their_own_data_and_warm_ones_do_not(cpu: ShimDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[tuple[bool, int, int]] = []
    original = Clockwork.batches

    def spy(self: Clockwork, launches, effort, before):  # type: ignore[no-untyped-def]  # the signature of batches
        places = {id(v.handle) for one in launches for kind, v in one.arguments if not kind}
        batches.append((before is not None, len(launches), len(places)))
        return original(self, launches, effort, before)

    monkeypatch.setattr(Clockwork, "batches", spy)
    # A batch of 20 ms holds several launches of some microseconds also where the machine is busy.
    run_suite(cpu, [shrunk(suite.load("saxpy"), [{"n": 1000}])], effort=Effort(2, 2e-2, 0.0))
    assert (batches[0][0], batches[1][0]) == (True, False)
    assert batches[0][1] > 1
    assert batches[0][2] == 2 * batches[0][1], "each launch of a cold batch has its own two arrays"
    assert batches[1][2] == 2


@pytest.mark.slow
def test_the_command(
    cpu: ShimDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    closed: list[bool] = []
    monkeypatch.setattr(cpu, "close", lambda: closed.append(True))
    monkeypatch.setattr(cuda_driver, "open_driver", lambda _: cpu)
    monkeypatch.setattr(suite, "selected", lambda _: small()[1:])
    assert main(["measure", "suite", "--quick"]) == 0
    out, err = capsys.readouterr()
    assert "matmul_tiled" in out
    assert "FLOP/s" in out
    assert "is not in the catalog" in err
    path = tmp_path / "suite.csv"
    path.write_text("old")
    assert main(["measure", "suite", "--quick", "-o", str(path)]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert f"wrote {path}" in err
    assert set(read(path).strings("kernel")) == {"matmul_tiled", "fdtd2d_ey", "fdtd2d_ex", "fdtd2d_hz"}
    assert [p.name for p in tmp_path.iterdir()] == ["suite.csv"]
    assert closed == [True, True]


def test_a_bad_output_name_shows_before_anything_is_measured(
    cpu: ShimDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cuda_driver, "open_driver", lambda _: cpu)
    monkeypatch.setattr("roofcast_measure.running.run_suite", lambda *_, **__: pytest.fail("measured"))
    assert main(["measure", "suite", "-o", str(tmp_path / "none" / "suite.csv")]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_tables_of_two_machines_have_the_same_columns(measured: KernelTable, tmp_path: Path) -> None:
    write_table(measured, tmp_path / "suite.csv")
    header = (tmp_path / "suite.csv").read_text().splitlines()[0].split(",")
    assert {"power_w", "regs_per_thread", "smem_bytes_per_block", "time_std_s"} <= set(header)


def test_the_list_needs_no_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "suite", "--list"]) == 0
    assert "34 programs, 60 kernels, 111 configurations" in capsys.readouterr().out
    assert main(["measure", "suite", "--list", "--kernel", "nothing"]) == 2


def test_help_shows_the_subcommands_without_loading_them() -> None:
    for name in [m for m in sys.modules if m.startswith("roofcast_measure.commands.measure_")]:
        del sys.modules[name]
    assert main(["measure", "--help"]) == 0
    assert not [m for m in sys.modules if m.startswith("roofcast_measure.commands.measure_")]
