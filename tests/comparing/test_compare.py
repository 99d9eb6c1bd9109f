"""Comparing profiles: matching, noise, what moved, exit codes, and a saved forecast against a measurement."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import roofcast
from report_builders import HOSTILE, forecast, table
from roofcast.__main__ import main
from roofcast.comparing.before_after import Comparison, compare, match_kernels
from roofcast.comparing.saved import read_saved_forecast
from roofcast.comparing.show import render_comparison
from roofcast.core.columns import Origin
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable
from roofcast.ingest.saved_forecasts import is_saved_forecast
from roofcast.reports.data import render_forecast_json


def launches(names: Sequence[str], times: Sequence[float], **columns: Sequence[float]) -> KernelTable:
    numeric = {"time_s": times, "launch": [float(i) for i in range(len(names))], **columns}
    text = {"kernel": list(names), "gpu": ["Source GPU"] * len(names)}
    return KernelTable.from_columns(text, {k: (list(v), Origin.COUNTED) for k, v in numeric.items()})


def versus(before: KernelTable, after: KernelTable) -> Comparison:
    return compare(before, after, ("a", "b"))


def test_launches_match_by_name_and_geometry_then_by_name() -> None:
    before = launches(["f", "g", "f", "gone"], [1, 1, 1, 1], grid_blocks=[10, 5, 20, 1])
    after = launches(["f", "new", "f", "g"], [1, 1, 1, 1], grid_blocks=[20, 1, 10, 6])
    found = [(g.before, g.after) for g in match_kernels(before, after)]
    assert found == [
        ((0,), (2,)), ((1,), (3,)), ((2,), (0,)), ((3,), ()), ((), (1,)),
    ]  # fmt: skip


def test_spacing_of_names_does_not_matter() -> None:
    assert len(match_kernels(launches(["f(int *, int)"], [1]), launches(["f(int*,int)"], [1]))) == 1


def test_a_single_launch_needs_more_than_assumed_noise() -> None:
    verdicts = [versus(launches(["f"], [1.0]), launches(["f"], [t])).changes[0].verdict for t in (1.05, 1.07, 0.93)]
    assert verdicts == ["same", "slower", "faster"]


def test_repeated_launches_measure_their_own_noise() -> None:
    # Launches differ by a factor of 100 in work, but each is 1 % slower: paired, the change is certain.
    work = np.array([1.0, 10.0, 100.0, 3.0])
    steady = versus(
        launches(["f"] * 4, list(work)), launches(["f"] * 4, list(work * [1.011, 1.012, 1.011, 1.012]))
    ).changes[0]
    assert (steady.verdict, steady.noise_assumed) == ("slower", False)
    shaky = versus(launches(["f"] * 4, [1.0] * 4), launches(["f"] * 4, [1.3, 0.8, 1.25, 0.85])).changes[0]
    assert shaky.verdict == "same"
    recorded = launches(["f"], [1.0], time_std_s=[0.2])
    assert versus(recorded, launches(["f"], [1.3], time_std_s=[0.2])).changes[0].verdict == "same"


def test_what_moved_with_the_time_comes_first() -> None:
    before = launches(["f"], [1.0], bytes_dram=[1e9], clock_hz=[1.5e9], l2_hit_fraction=[0.5], regs_per_thread=[32])
    after = launches(["f"], [2.0], bytes_dram=[2e9], clock_hz=[1.6e9], l2_hit_fraction=[0.2], regs_per_thread=[64])
    moved = versus(before, after).changes[0].moved
    assert [(m.name, m.explains) for m in moved] == [
        ("bytes_dram", True), ("l2_hit_fraction", True), ("regs_per_thread", False), ("clock_hz", False),
    ]  # fmt: skip


def test_totals_count_all_launches_of_both() -> None:
    result = versus(launches(["f", "f", "gone"], [1.0, 1.0, 5.0]), launches(["f", "new"], [1.5, 9.0]))
    assert (result.total_before_s, result.total_after_s) == (7.0, 10.5)
    assert [c.verdict for c in result.changes] == ["fewer launches", "only before", "only after"]
    assert any("launch counts differ" in n for n in result.notes)


def test_more_launches_fail_the_gate() -> None:
    before = launches(["f", "g"], [1e-3, 1e-3], launches=[200.0, 200.0], time_std_s=[1e-5, 1e-5])
    after = launches(["f", "g"], [1e-3, 1e-3], launches=[600.0, 200.0], time_std_s=[1e-5, 1e-5])
    result = versus(before, after)
    assert [(c.verdict, round(c.ratio, 6), round(c.total_ratio, 6)) for c in result.changes] == [
        ("more launches", 1.0, 3.0), ("same", 1.0, 1.0),
    ]  # fmt: skip
    assert result.ratio == pytest.approx(2.0)
    assert result.failures(0.05) == ["total", "f"]
    assert versus(after, before).failures(0.05) == []
    assert versus(before, before).failures(0.0) == []
    assert "more launches (200x, 600x)" in render_comparison(result, "table")


def test_failures_need_share_size_and_certainty() -> None:
    before = launches(["big", "small"], [1.0, 0.001])
    assert versus(before, launches(["big", "small"], [1.0, 0.01])).failures(0.05) == []
    assert versus(before, launches(["big", "small"], [1.2, 0.001])).failures(0.05) == ["total", "big"]
    assert versus(before, launches(["big", "small"], [1.2, 0.001])).failures(0.3) == []
    assert versus(before, launches(["big", "small"], [1.04, 0.001])).failures(0.01) == []


def test_times_that_are_none_do_no_harm() -> None:
    bad = launches(["a", "b", "c"], [0.0, math.nan, math.inf])
    result = versus(bad, launches(["a", "b", "c"], [1.0, 1.0, 1.0]))
    assert {c.verdict for c in result.changes} == {"no time"}
    for form in ("table", "markdown", "json"):
        assert render_comparison(result, form, 0.05)
    assert render_comparison(versus(launches([], []), launches([], [])), "table", 0.05)


def test_markdown_shows_names_as_they_are() -> None:
    kernels = table([*HOSTILE, "a|b", "[x](http://e)", "@someone", "</script><img src=x onerror=alert(1)>"])
    text = render_comparison(versus(kernels, kernels), "markdown")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({row.replace("\\|", "").count("|") for row in rows}) == 1
    assert "<img" not in text.replace("\\<", "")
    assert "](" not in text.replace("\\]", "")
    assert "://" not in text
    assert "@someone" not in text


def write_csv(path: Path, rows: Sequence[tuple[str, float]]) -> str:
    path.write_text("kernel,gpu,time_s\n" + "".join(f"{n},Tesla V100,{t}\n" for n, t in rows))
    return str(path)


def test_the_command_fails_with_three(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a = write_csv(tmp_path / "a.csv", [("f", 1e-3), ("g", 1e-3)])
    b = write_csv(tmp_path / "b.csv", [("f", 1.2e-3), ("g", 1e-3)])
    assert main(["compare", a, b]) == 0
    assert main(["compare", a, b, "--fail-above", "5%"]) == 3
    assert "FAILED: slower by more than 5 %: total, f" in capsys.readouterr().out
    assert main(["compare", a, b, "--fail-above", "0.5"]) == 0
    assert main(["compare", b, a, "--fail-above", "5%"]) == 0
    assert main(["compare", a, b, "--fail-above", "5"]) == 2
    assert main(["compare", a, str(tmp_path / "none.csv")]) == 2
    capsys.readouterr()
    assert main(["compare", a, b, "--format", "json", "--kernel", "f"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [(k["kernel"], k["verdict"]) for k in data["kernels"]] == [("f", "slower")]
    assert data["kernels"][0]["ratio"] == pytest.approx(1.2)
    assert main(["compare", a, b, "-o", str(tmp_path / "c.md")]) == 0
    assert (tmp_path / "c.md").read_text().startswith("### Total")


def test_a_forecast_meets_its_measurement(tmp_path: Path) -> None:
    kernels = table(["a", "b", "c"], time_s=[2.0, 2.0, 2.0])
    file = tmp_path / "f.json"
    file.write_text(render_forecast_json(forecast(kernels)))
    assert is_saved_forecast(str(file))
    saved = read_saved_forecast(str(file))
    measured = launches(["a", "b", "c"], [1.1, 1.5, 0.7], grid_blocks=[1, 2, 3])
    result = compare(saved.kernels, measured, ("f", "m"), saved)
    assert [c.verdict for c in result.changes] == ["inside", "above", "below"]
    assert result.inside == (1, 3)
    assert "1 of 3 kernels inside their interval; 90 % claimed" in render_comparison(result, "table")
    assert result.failures(0.2) == ["b"]


def test_the_target_is_the_gpu_that_was_measured_on(tmp_path: Path) -> None:
    rows = [
        {"kernel": "a", "launch": 0, "target_gpu": g, "model": "m", "time_s": t, "time_low_s": t, "time_high_s": t,
         "coverage": None} for g, t in (("H100 SXM5 80GB", 1.0), ("B200", 2.0))
    ]  # fmt: skip
    file = tmp_path / "f.json"
    file.write_text(json.dumps({"roofcast": "0", "forecasts": rows}))
    assert read_saved_forecast(str(file), ["NVIDIA H100 80GB HBM3"]).target == "H100 SXM5 80GB"
    assert read_saved_forecast(str(file), ["b200"]).kernels.column("time_s").tolist() == [2.0]
    with pytest.raises(RoofcastError, match="--target"):
        read_saved_forecast(str(file), ["Tesla T4"])


def test_a_table_of_two_gpus_is_compared_gpu_by_gpu(tmp_path: Path) -> None:
    """The example has 12 configurations on two GPUs: each is a kernel, and the forecast's GPU is compared."""
    path, saved = str(Path(__file__).parents[2] / "examples" / "convolution.csv"), str(tmp_path / "f.json")
    assert main(["forecast", path, "--from", "RTX 2080 Ti", "--to", "RTX 3090", "--format", "json", "-o", saved]) == 0
    assert roofcast.compare(saved, path).found.inside == (12, 12)
    assert [c.launches_before for c in roofcast.compare(path, path).found.changes] == [1] * 24
    assert [c.verdict for c in roofcast.compare(saved, saved).found.changes] == ["same"] * 12


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"forecasts": 3}', '{"forecasts": [3]}', '{"forecasts": []}', "[" * 100_000, "\x00"]
)
def test_damaged_forecasts_are_one_line(tmp_path: Path, content: str) -> None:
    file = tmp_path / "f.json"
    file.write_text(content)
    with pytest.raises(RoofcastError) as caught:
        read_saved_forecast(str(file))
    assert "\n" not in str(caught.value)


def test_damaged_compression_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "f.json.gz"
    packed = bytearray(gzip.compress(bytes(range(256)) * 64))
    packed[12:60] = b"\xff" * 48
    file.write_bytes(packed)
    assert not is_saved_forecast(str(file))
    with pytest.raises(RoofcastError, match="cannot be read"):
        read_saved_forecast(str(file))


def test_two_versions_of_a_real_program(fixtures_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NCAR's miniWeather workshop: divisions replaced by multiplications in compute_tendencies_x_279."""
    stem = "tesla-v100-sxm2-32gb__NCAR-GPU-workshop-10-HandsOnNsight-ncu-MW-"
    files = [str(fixtures_dir / "ncu_rep" / f"{stem}{name}.ncu-rep") for name in ("Baseline", "DivToMult")]
    assert main(["compare", *files, "--format", "json"]) == 0
    kernels = {k["kernel"].partition("(")[0]: k for k in json.loads(capsys.readouterr().out)["kernels"]}
    changed = kernels["compute_tendencies_x_279_gpu"]
    assert (changed["verdict"], round(changed["ratio"], 2)) == ("faster", 0.56)
    assert {"insts_special", "flops_fp64"} <= {m["quantity"] for m in changed["moved"] if m["explains"]}
    assert kernels["compute_tendencies_x_309_gpu"]["verdict"] == "same"
    assert main(["compare", *files[::-1], "--fail-above", "5%"]) == 3


def test_what_moved_fits_the_width(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = ["flops_fp64", "flops_fp32", "bytes_dram", "bytes_l2", "insts_issued"]
    for name, factor in (("a", 1), ("b", 2)):
        row = ",".join(str(1e6 * factor * (k + 3)) for k in range(len(columns)))
        text = f"kernel,gpu,time_s,{','.join(columns)}\n{'long_name_' * 4},V100,{factor * 1e-3},{row}\n"
        (tmp_path / f"{name}.csv").write_text(text)
    assert main(["compare", str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]) == 0
    moved = capsys.readouterr().out.partition("What moved")[2].partition("\n\n")[0].splitlines()[1:]
    assert len(moved) > 1
    assert max(map(len, moved)) <= 120
