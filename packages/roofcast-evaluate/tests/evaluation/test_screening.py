"""Bad measurements are found by rule; sound ones raise no alarm."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from model_builders import table
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast_evaluate.datasets import load
from roofcast_evaluate.screening import above_a_roof, accepted, context_of, screen

A100, V100 = "A100-SXM4-40GB", "Tesla V100-SXM2-16GB"


def streams(gpu: str, seconds_per_byte: float, sizes: list[float], kernel: str = "copy") -> list[dict[str, object]]:
    """Rows of a streaming kernel."""
    return [
        {"kernel": kernel, "config": f"{s:g}", "gpu": gpu, "time_s": s * seconds_per_byte, "bytes_compulsory": s}
        for s in sizes
    ]


def kernels(rows: list[dict[str, object]]) -> KernelTable:
    """A table of analytic amounts."""
    text = {name: [str(r[name]) for r in rows] for name in ("kernel", "config", "gpu")}
    numbers = [{k: float(v) for k, v in r.items() if isinstance(v, float)} for r in rows]
    found = table(numbers, text)
    names = [n for n in found.numeric if n != "time_s"]
    return found.with_columns(**{n: (found.column(n), Origin.DERIVED) for n in names})


SIZES = [2e6, 2e7, 2e8, 2e9, 8e9]


def test_sound_measurements_raise_no_alarm() -> None:
    rows = streams(A100, 1 / 1.3e12, SIZES) + streams(V100, 1 / 0.8e12, SIZES)
    assert screen(kernels(rows)) == []


def test_a_rate_above_dram_is_found() -> None:
    rows = streams(A100, 1 / 3e12, [8e9]) + streams(V100, 1 / 0.8e12, [8e9])
    (finding,) = screen(kernels(rows))
    assert (finding.row, finding.rule) == (0, "R1")
    assert "peak DRAM bandwidth" in finding.reason


def test_work_of_a_pipe_that_a_gpu_has_not_is_found_without_an_infinite_rate() -> None:
    context = context_of(kernels(streams(A100, 1 / 1.3e12, [8e9])))
    none = replace(context, flops=np.ones(1), flops_per_s_peak=np.zeros(1))
    (finding,) = above_a_roof(none)
    assert finding.reason == "work of a pipe that the GPU has not"


def test_a_time_that_does_not_grow_is_found() -> None:
    rows: list[dict[str, object]] = [r | {"time_s": 5e-3} for r in streams(A100, 1.0, [1e6, 1e7, 1e8, 1e9])]
    found = screen(kernels(rows))
    assert {f.rule for f in found} == {"R2"}
    assert {f.row for f in found} == {0, 1, 2, 3}


def test_amounts_in_another_unit_are_blamed_on_the_minority() -> None:
    rows = [r for g in (A100, V100, "RTX 3090") for r in streams(g, 1 / 0.5e12, [2e7])]
    rows[1]["bytes_compulsory"] = 2e7 / 4
    found = [f for f in screen(kernels(rows)) if f.rule == "R4"]
    assert [f.row for f in found] == [1]
    assert "0.25 times" in found[0].reason


def test_more_work_in_less_time_is_found_in_a_sweep_of_sizes() -> None:
    rows = streams(A100, 1 / 1.3e12, SIZES)
    rows[2]["time_s"] = 5e-3
    found = screen(kernels(rows))
    assert {(f.row, f.rule) for f in found} == {(2, "R9"), (3, "R9")}
    # Many configurations of one kernel are shapes, of which a larger one may be faster.
    many = streams(A100, 1 / 1.3e12, [2e6 * 1.9**i for i in range(10)])
    assert not [f for f in screen(kernels(many)) if f.rule == "R9"]
    shapes = [
        r | {"time_s": 1e-3 * (1 + i % 3)} for i, r in enumerate(streams(A100, 1.0, list(np.geomspace(1e6, 1e9, 40))))
    ]
    assert not [f for f in screen(kernels(shapes)) if f.rule == "R9"]


@pytest.mark.parametrize("name", ["bench/vector_add", "saxpy", "stream_triad<float>"])
def test_a_streaming_kernel_far_below_the_memory_is_found(name: str) -> None:
    rows = streams(A100, 1 / 0.3e12, [8e9], name) + streams(V100, 1 / 0.8e12, [8e9], name)
    (finding,) = screen(kernels(rows))
    assert (finding.row, finding.rule) == (0, "R10")
    for other in ("vector_add_divergent", "StreamCompaction", "transpose", "matvec"):
        assert not screen(kernels(streams(A100, 1 / 0.3e12, [8e9], other)))


def test_a_gpu_whose_kernels_are_impossible_is_rejected_whole() -> None:
    rows = [r for k in ("a", "b", "c") for r in streams(A100, 1 / 9e12, [8e9], k)]
    rows += streams(A100, 1 / 1.2e12, [8e9], "sound") + streams(V100, 1 / 0.7e12, [8e9], "sound")
    table_ = kernels(rows)
    keep = accepted(table_, screen(table_))
    np.testing.assert_array_equal(keep, [False, False, False, False, True])


@pytest.mark.usefixtures("data_dir")
def test_the_broken_gpu_of_real_measurements_is_found() -> None:
    table_ = load("micro16")[1]
    whole = {f.row for f in screen(table_) if f.rule == "GPU"}
    gpu = table_.strings("gpu")
    assert {str(gpu[row]) for row in whole} == {"GTX Titan X (Maxwell)"}
    assert len(whole) == 60


@pytest.mark.slow
@pytest.mark.usefixtures("data_dir")
@pytest.mark.parametrize("name", ["bat", "dvfs_hkbu", "llm_ops_moe", "hecbench_ncu"])
def test_no_false_alarm_on_sound_measurements(name: str) -> None:
    table_ = load(name)[1]
    found = [f for f in screen(table_) if f.rule in ("R1", "R2", "GPU")]
    assert len({f.row for f in found}) <= 0.002 * len(table_), [f.reason for f in found[:5]]


def test_files_are_not_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROOFCAST_DATA", str(tmp_path))
    assert screen(kernels(streams(A100, 1 / 1.3e12, SIZES))) == []
