"""What anybody would expect of forecasts without counters, one case at a time, on GPUs of the catalog."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import roofcast
from roofcast.forecasting.forecasts import Forecast

HEAD = "kernel,config,gpu,time_s,precision,flops,bytes_compulsory\n"
GTX, TURING, AMPERE = "GeForce GTX 1080 Ti", "GeForce RTX 2080 Ti", "GeForce RTX 3090"
V100, A100, H100, AMD = "Tesla V100-SXM2-16GB", "A100-SXM4-40GB", "H100 SXM5 80GB", "Instinct MI300X"


def ask(folder: Path, source: str, target: str, *rows: str) -> Forecast:
    """Forecast rows ``name,seconds,precision,flops,bytes``."""
    path = folder / "run.csv"
    path.write_text(HEAD + "".join("{},1,{},{},{},{},{}\n".format(n, source, *rest) for n, *rest in map(split, rows)))
    return roofcast.forecast(roofcast.read(path), target)


def split(row: str) -> list[str]:
    return row.split(",")


def speedups(found: Forecast) -> list[float]:
    return [float(v) for v in found.kernels.column("time_s") / found.estimate.time_s[:, 0]]


def widths(found: Forecast) -> list[float]:
    return [float(v) for v in (found.estimate.time_high_s / found.estimate.time_low_s)[:, 0]]


def test_a_time_alone_goes_between_the_ratios_of_the_data_sheets(tmp_path: Path) -> None:
    (gain,) = speedups(ask(tmp_path, GTX, TURING, "graph,1e-2,,,"))
    assert 616 / 484 * 0.8 < gain < 616 / 484 * 1.25
    (gain,) = speedups(ask(tmp_path, V100, H100, "fft,1e-2,,,"))
    assert 1.5 < gain < 67 / 15.7


def test_zero_or_tiny_amounts_are_no_knowledge(tmp_path: Path) -> None:
    alone, zero, tiny = speedups(ask(tmp_path, V100, H100, "a,1e-2,,,", "b,1e-2,fp32,0,", "c,1e-2,fp32,1e3,1e2"))
    assert zero == alone
    assert tiny == pytest.approx(alone, rel=0.02)


def test_what_flops_explain_follows_them_and_what_bytes_explain_follows_those(tmp_path: Path) -> None:
    compute, memory = speedups(ask(tmp_path, V100, H100, "a,1e-2,fp32,1.4e11,1e6", "b,1e-2,fp32,1e6,8e9"))
    assert 3.0 < compute < 5.0
    assert 3.0 < memory < 4.3


def test_half_precision_without_fast_fp16_is_fp32_with_half_the_bytes(tmp_path: Path) -> None:
    (gain,) = speedups(ask(tmp_path, GTX, TURING, "cnn,1e-1,fp16,8e11,"))
    assert 1.0 < gain < 5.0


def test_double_precision_between_poor_and_rich_gpus(tmp_path: Path) -> None:
    (gain,) = speedups(ask(tmp_path, GTX, V100, "solver,1e-1,fp64,3.2e10,"))
    (loss,) = speedups(ask(tmp_path, V100, GTX, "solver,1e-2,fp64,7e10,"))
    assert gain > 4.0
    assert loss < 0.25


def test_products_above_the_fp32_peak_are_tensor_work(tmp_path: Path) -> None:
    """100 TFLOP/s in FP32 on an A100 is TF32: 495 of dense TF32 on an H100 are 3.2 times as many."""
    (gain,) = speedups(ask(tmp_path, A100, H100, "gemm/fp32,1e-2,fp32,1e12,1e9"))
    assert 1.5 < gain < 4.0


def test_integer_work_follows_the_integer_rate(tmp_path: Path) -> None:
    """Turing has as many INT32 lanes as Ampere's GeForce, and half of its FP32 rate."""
    integer, floats = speedups(ask(tmp_path, TURING, AMPERE, "hash,1e-1,int32,,", "other,1e-1,fp32,2.5e12,"))
    assert 0.9 < integer < 2.0
    assert floats > integer


def test_launches_of_nothing_are_no_faster_on_a_faster_gpu(tmp_path: Path) -> None:
    short, long = speedups(ask(tmp_path, V100, H100, "tiny,4e-6,,,", "big,4e-3,,,"))
    assert short < 1.3 < long


def test_a_stated_floor_is_taken_off_first(tmp_path: Path) -> None:
    found = roofcast.forecast(ask(tmp_path, V100, H100, "k,2e-5,,,").kernels, H100, launch_floor="19us,4us")
    assert 2e-5 / float(found.estimate.time_s[0, 0]) > 3.0


def test_amd_has_a_forecast_from_any_knowledge_and_no_false_certainty(tmp_path: Path) -> None:
    rows = ("a,1e-2,,,", "b,1e-2,fp32,5e10,", "c,1e-2,fp32,5e10,4e9", "gemm/fp16,1e-2,fp16,8e11,1e9")
    found = ask(tmp_path, V100, AMD, *rows)
    assert all(1.5 < gain < 15.0 for gain in speedups(found))
    near = ask(tmp_path, V100, A100, *rows)
    assert all(far > 1.3 * own for far, own in zip(widths(found), widths(near), strict=True))


def test_less_and_less_known_is_wider_and_wider(tmp_path: Path) -> None:
    rows = ("a,1e-2,fp32,5e10,7.6e9", "b,1e-2,fp32,5e10,", "c,1e-2,,,")
    found = widths(ask(tmp_path, V100, A100, *rows))
    assert found == sorted(found)
    assert math.isfinite(found[-1])


def test_half_precision_on_a_gpu_without_matrix_units_is_limited_by_what_does_it() -> None:
    row = {"kernel": ["gemm"], "gpu": ["Tesla V100 SXM2 16GB"], "time_s": [1.5e-3], "operator": ["matmul"],
           "m": [4096], "n": [4096], "k": [4096], "precision": ["fp16"]}  # fmt: skip
    found = roofcast.forecast(roofcast.read(row), to=["GTX 1080 Ti", "T4"])
    assert found.limits_target().tolist() == [["flops_fp32", "flops_tensor_fp16"]]
    assert not any("no rate" in text for notes in found.target_notes for text in notes)
