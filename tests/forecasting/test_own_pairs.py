"""`roofcast forecast --pairs`: own kernels timed on both GPUs move and narrow what is forecast between the two."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import roofcast
from roofcast.commands.group import cli
from roofcast.core.columns import Origin
from roofcast.core.errors import InputError, RoofcastError
from roofcast.core.kernel_table import KernelTable
from roofcast.forecasting.forecasts import Forecast
from roofcast.forecasting.own_pairs import BELIEFS, Observed, learn, name_classes, usual_errors

SOURCE, TARGET = "Tesla V100-SXM2-16GB", "A100-SXM4-40GB"
HEADER = "kernel,config,gpu,time_s,bytes_dram"


def rows(names: range, gpu: str, ratio: float = 1.0, rate: float = 8e11) -> list[str]:
    return [f"copy_{i},1,{gpu},{ratio * (i + 1) * 1e8 / rate},{(i + 1) * 1e8}" for i in names]


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join([HEADER, *lines]) + "\n")
    return path


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return write(tmp_path / "mine.csv", rows(range(100, 110), SOURCE))


def pairs(tmp_path: Path, count: int, ratio: float) -> Path:
    """Kernels that take a share of their V100 time on the A100, where about 0.58 is usual."""
    return write(tmp_path / f"own{count}.csv", rows(range(count), SOURCE) + rows(range(count), TARGET, ratio))


def forecast(mine: Path, own: Path | None = None, to: str = TARGET) -> Forecast:
    return roofcast.forecast(roofcast.read(mine), to, pairs=None if own is None else roofcast.read(own))


def widths(result: Forecast) -> float:
    return float(np.median(result.estimate.time_high_s / result.estimate.time_low_s))


def test_pairs_move_the_level_and_narrow_the_interval_the_more_the_more_there_are(tmp_path: Path, mine: Path) -> None:
    source_s = roofcast.read(mine).column("time_s")
    found = [forecast(mine), *(forecast(mine, pairs(tmp_path, n, 0.7)) for n in (5, 50, 1000))]
    off = [abs(float(np.log(f.estimate.time_s[0, 0] / (0.7 * source_s[0])))) for f in found]
    assert off[0] > off[1] > off[2] > off[3]
    assert off[3] < 0.01
    assert widths(found[0]) > widths(found[1]) > widths(found[2]) > widths(found[3])
    (line,) = [n for n in found[2].target_notes[0] if n.startswith("your ")]
    assert "slower than usual for DRAM-bound kernels; intervals from" in line
    assert line.endswith("from 50 pairs")


def test_pairs_that_are_as_usual_move_nothing_but_the_width(tmp_path: Path, mine: Path) -> None:
    plain = forecast(mine)
    usual = float(plain.estimate.time_s[0, 0] / plain.source_time_s[0])
    again = forecast(mine, pairs(tmp_path, 40, usual))
    np.testing.assert_allclose(again.estimate.time_s, plain.estimate.time_s, rtol=0.02)
    assert widths(again) < widths(plain)


def test_pairs_that_disagree_widen(tmp_path: Path, mine: Path) -> None:
    lines = rows(range(40), SOURCE)
    for i in range(40):
        lines += rows(range(i, i + 1), TARGET, 0.1 if i % 2 else 6.0)
    assert widths(forecast(mine, write(tmp_path / "wild.csv", lines))) > widths(forecast(mine))


def test_other_targets_and_the_source_itself_stay_as_they_are(tmp_path: Path, mine: Path) -> None:
    own = pairs(tmp_path, 20, 0.7)
    both = roofcast.forecast(roofcast.read(mine), [TARGET, "H100 SXM5 80GB", SOURCE], pairs=roofcast.read(own))
    plain = roofcast.forecast(roofcast.read(mine), [TARGET, "H100 SXM5 80GB", SOURCE])
    np.testing.assert_array_equal(both.estimate.time_s[:, 1:], plain.estimate.time_s[:, 1:])
    assert (both.estimate.time_s[:, 0] != plain.estimate.time_s[:, 0]).all()


def test_a_variation_moves_with_the_gpu_that_it_varies(tmp_path: Path, mine: Path) -> None:
    """So that more supply stays no slower, and a hypothetical GPU no surer."""
    own = roofcast.read(pairs(tmp_path, 30, 0.45))
    base, more = TARGET, f"{TARGET}{{dram=1.6TB/s}}"
    found = roofcast.forecast(roofcast.read(mine), [base, more], pairs=own).estimate
    assert (found.time_s[:, 1] <= found.time_s[:, 0]).all()
    width = found.time_high_s / found.time_low_s
    assert (width[:, 1] >= width[:, 0] * (1 - 1e-9)).all()


def test_pairs_of_other_gpus_or_none_are_refused_in_one_line(tmp_path: Path, mine: Path) -> None:
    with pytest.raises(InputError, match=r"timed on other GPUs than these .*V100"):
        forecast(mine, pairs(tmp_path, 5, 0.7), "H100 SXM5 80GB")
    with pytest.raises(RoofcastError, match="timed on two GPUs"):
        forecast(mine, mine)


def test_the_command_takes_pairs_and_says_what_it_learned(tmp_path: Path, mine: Path) -> None:
    own = pairs(tmp_path, 30, 0.7)
    arguments = ["forecast", str(mine), "--to", TARGET, "--format", "json"]
    printed = CliRunner().invoke(cli, [*arguments, "--pairs", str(own)], catch_exceptions=False)
    records = json.loads(printed.stdout)["forecasts"]
    assert records[0]["time_s"] == float(forecast(mine, own).estimate.time_s[0, 0])
    assert any(note.startswith("your ") for note in records[0]["notes"])


@pytest.mark.slow
def test_the_store_learns_by_itself_from_what_it_holds(
    tmp_path: Path, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROOFCAST_STORE", str(tmp_path / "store.duckdb"))
    run = CliRunner().invoke
    for path in (mine, pairs(tmp_path, 30, 0.7)):
        assert run(cli, ["store", "add", "team", str(path)], catch_exceptions=False).exit_code == 0
    arguments = ["forecast", "store:team", "--from", SOURCE, "--to", TARGET, "--format", "json"]
    first, second = (
        {r["kernel"]: r for r in json.loads(run(cli, [*arguments, *more], catch_exceptions=False).stdout)["forecasts"]}
        for more in ([], ["--pairs", "none"])
    )
    own = float(forecast(mine, pairs(tmp_path, 30, 0.7)).estimate.time_s[0, 0])
    assert first["copy_100"]["time_s"] == pytest.approx(own, rel=1e-6)
    assert second["copy_100"]["time_s"] == pytest.approx(float(forecast(mine).estimate.time_s[0, 0]), rel=1e-6)


def test_classes_are_operations_limits_and_short_kernels() -> None:
    """As the model recognises them: by a library's kernel name or by a label."""
    names = ["ampere_sgemm_128x64_tn", "torch/softmax", "my_kernel", "my_kernel", "other"]
    time_s = (np.array([1e-3, 1e-3, 1e-3, 1e-5, 1e-3]), Origin.COUNTED)
    kernels = KernelTable.from_columns({"kernel": names}, {"time_s": time_s})
    limits = np.array(["flops_fp32", "bytes_dram", "bytes_dram", "bytes_dram", ""], dtype=np.object_)
    assert name_classes(kernels, limits).tolist() == [
        *("matrix products", "softmax", "DRAM-bound kernels", "DRAM-bound kernels below 20 us"),
        "kernels with nothing but a time",
    ]


def test_beliefs_are_probabilities_and_outliers_count_as_less_far() -> None:
    assert sum(BELIEFS.values()) == pytest.approx(1.0, abs=0.01)
    assert usual_errors(np.array([0.1, 0.12, 0.08, 0.1, 50.0])).max() < 1.0
    assert learn.__doc__


def test_few_kernels_say_less_of_a_strange_one_than_of_themselves() -> None:
    def shift(kernels: int, name: str) -> float:
        names = np.array([f"k{i}" for i in range(kernels)], np.object_)
        kind = np.full(kernels, "DRAM-bound kernels", np.object_)
        learned = learn(Observed(np.full(kernels, 0.8), kind, names))
        return float(learned.predict(kind[:1], np.array([name], np.object_))[0][0])

    assert shift(2, "other") < 0.6 * shift(2, "k1")
    assert shift(400, "other") == pytest.approx(shift(400, "k1"), rel=0.05)


def test_one_class_says_little_of_another() -> None:
    few = learn(
        Observed(np.full(40, 0.8), np.full(40, "matrix products", np.object_), np.array([*range(40)], np.object_))
    )
    ask = np.array(["k"], np.object_)
    own, other = (float(few.predict(np.array([k], np.object_), ask)[0][0]) for k in ("matrix products", "softmax"))
    assert 0 < other < 0.1 * own
