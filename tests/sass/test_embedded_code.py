"""Machine code in a forecast: on reports made by hand, on compiled ones where the compilers are, and on real ones."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

import roofcast
from roofcast.core.columns import Origin
from roofcast.core.errors import InputError, MissingExtraError, RoofcastError
from roofcast.forecasting.forecasts import Forecast
from roofcast.sass.cubin import parse_cubin
from roofcast.sass.retarget import retarget
from roofcast.sass.toolkit import compile_to_ptx, find_jit_link, load_nvrtc
from sass_builders import Launch, apply_sass, report_with_code, small_cubin

ALWAYS = 7 << 12
FFMA, EXIT = 0x223 | ALWAYS, 0x94D | ALWAYS
MOVE = 0x431 | ALWAYS | 0xFF << 24 | 0x3C003C00 << 32
"""HFMA2 R0, -RZ, RZ, 1, 1"""
CODE = struct.pack("<12Q", FFMA, 0, FFMA, 0, MOVE, 0xFF, MOVE, 0xFF, EXIT, 0, 0x118 | ALWAYS, 0)
BASICS = {"gpu__time_duration.sum": 20e3, "dram__bytes.sum": 4e6, "launch__registers_per_thread": 40.0}
COUNTERS = {
    f"smsp__sass_thread_inst_executed_op_{kind}_pred_on.sum": value
    for kind, value in (
        ("ffma", 4096.0), ("fadd", 0.0), ("fmul", 0.0), ("hfma", 0.0), ("hadd", 0.0), ("hmul", 0.0), ("dfma", 0.0),
        ("dadd", 0.0), ("dmul", 0.0),
    )
}  # fmt: skip
THREADS = [2048.0] * 5 + [0.0]
KERNELS = """
extern "C" __global__ void __launch_bounds__(1024, 2) spilling(double *out, const double *a, int n) {
  double x[24];
#pragma unroll
  for (int i = 0; i < 24; ++i) x[i] = a[threadIdx.x + i * n];
  for (int j = 0; j < n; ++j) {
#pragma unroll
    for (int i = 0; i < 24; ++i) x[i] = x[i] * x[(i * 7 + 3) % 24] + a[j * 24 + i];
  }
#pragma unroll
  for (int i = 0; i < 24; ++i) out[threadIdx.x + i * n] = x[i];
}
extern "C" __global__ void other(float *out) { out[threadIdx.x] = 2.0f * out[threadIdx.x]; }
"""


def forecast(path: Path, to: str = "H100 SXM5 80GB", **options: object) -> Forecast:
    return roofcast.forecast(roofcast.read(path), to, **options)  # type: ignore[arg-type]  # keywords of the tests


def told(result: Forecast, i: int = 0, j: int = 0) -> str:
    return "\n".join(n for n in result.notes(i, j) if "SASS" in n)


@pytest.fixture
def by_hand(tmp_path: Path) -> Path:
    path = tmp_path / "run.ncu-rep"
    path.write_bytes(report_with_code(small_cubin(CODE), [Launch("k", THREADS, BASICS)]))
    return path


def test_flops_that_no_metric_counted_come_from_source_counters(by_hand: Path) -> None:
    with_code, without = forecast(by_hand), forecast(by_hand, sass="off")
    assert "source counters" in told(with_code)
    assert with_code.kernels.column("flops_fp32").tolist() == [2.0 * 2 * 2048]
    assert with_code.kernels.column("flops_phantom_fp16").tolist() == [4.0 * 2 * 2048]
    assert with_code.kernels.column("flops_fp16").tolist() == [0.0]
    assert with_code.kernels.origin_of("flops_fp32").tolist() == [Origin.DERIVED]
    assert told(without) == ""
    assert np.isnan(without.kernels.column("flops_fp32")).all()
    assert "van_lanker" in forecast(by_hand, model="van_lanker").model
    assert np.isfinite(forecast(by_hand, model="van_lanker").estimate.time_s).all()


def test_phantom_flops_leave_the_counted_ones(tmp_path: Path) -> None:
    path = tmp_path / "run.ncu-rep"
    counters = COUNTERS | {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum": 2.0 * 2048 + 100}
    path.write_bytes(report_with_code(small_cubin(CODE), [Launch("k", THREADS, BASICS | counters)]))
    before = roofcast.read(path).column("flops_fp16")
    result = forecast(path)
    assert result.kernels.column("flops_fp16").tolist() == [before[0] - 4 * 2 * 2048]
    assert "16.4 kFLOP of constant moves removed from FP16" in told(result)
    assert "no PTX in the report" in told(result)
    assert "no PTX" not in told(forecast(path, "A100-SXM4-80GB"))  # the same code runs there


def test_moves_without_counts_are_named_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "run.ncu-rep"
    counters = COUNTERS | {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum": 5000.0}
    path.write_bytes(report_with_code(small_cubin(CODE), [Launch("k", (), BASICS | counters)]))
    result = forecast(path)
    assert "2 constant moves count as FP16 FLOPs" in told(result)
    assert result.kernels.column("flops_fp16")[0] == roofcast.read(path).column("flops_fp16")[0] > 0


def test_launches_keep_their_number_when_some_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "run.ncu-rep"
    launches = [Launch("k", [n * t for t in THREADS], BASICS) for n in (1, 2, 3)]
    path.write_bytes(report_with_code(small_cubin(CODE), launches))
    kernels = roofcast.read(path).select([2, 1])
    result = roofcast.forecast(kernels, "H100 SXM5 80GB")
    assert result.kernels.column("flops_fp32").tolist() == [3 * 8192.0, 2 * 8192.0]


def test_equally_named_reports_keep_their_own_code(tmp_path: Path) -> None:
    paths = [tmp_path / folder / "run.ncu-rep" for folder in ("a", "b", "c")]
    for n, path in enumerate(paths, 1):
        path.parent.mkdir()
        path.write_bytes(report_with_code(small_cubin(CODE), [Launch("k", [n * t for t in THREADS], BASICS)]))
    result = roofcast.forecast(roofcast.read(paths), "H100 SXM5 80GB")
    assert result.kernels.column("flops_fp32").tolist() == [8192.0, 2 * 8192.0, 3 * 8192.0]


def test_a_report_that_is_gone_costs_a_note_and_no_forecast(by_hand: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = roofcast.read(by_hand)
    by_hand.unlink()
    monkeypatch.setenv("ROOFCAST_CACHE", str(by_hand.parent / "empty"))
    result = roofcast.forecast(kernels, "H100 SXM5 80GB")
    assert "SASS: not used" in told(result)
    assert np.isfinite(result.estimate.time_s).all()


def test_another_file_in_its_place_is_told_by_the_kernels_name(by_hand: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOFCAST_CACHE", str(by_hand.parent / "empty"))
    kernels = roofcast.read(by_hand)
    by_hand.write_bytes(report_with_code(small_cubin(CODE), [Launch("other", [9 * t for t in THREADS], BASICS)]))
    result = roofcast.forecast(kernels, "L40")
    assert np.isnan(result.kernels.column("flops_fp32")).all()


def test_a_second_look_reads_neither_report_nor_binary(by_hand: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = forecast(by_hand, "RTX 4090")

    def refuse(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr("roofcast.sass.report_facts.open_report", refuse)
    assert list(forecast(by_hand, "RTX 4090").records()) == list(first.records())


def test_damaged_cache_entries_are_made_again(by_hand: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROOFCAST_CACHE", str(tmp_path / "cache"))
    first = list(forecast(by_hand).records())
    from roofcast.kit import disk_cache as cache

    for entry in (tmp_path / "cache").glob("??/*"):
        cache.keep(entry.name, b'{"0": {"kernel": 3}}')
    assert list(forecast(by_hand).records()) == first


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sass": "maybe"}, "auto or off"),
        ({"sass": "off", "target_sass": "k.cubin"}, "switched off"),
        ({"target_sass": "absent.cubin"}, "absent.cubin"),
    ],
)
def test_options_that_make_no_sense(by_hand: Path, options: dict[str, str], words: str) -> None:
    with pytest.raises(RoofcastError, match=words) as caught:
        forecast(by_hand, **options)
    assert "\n" not in str(caught.value)


def test_a_binary_for_the_target_must_serve_for_something(by_hand: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.cubin"
    wrong.write_bytes(small_cubin(flags=0x460546))
    with pytest.raises(InputError, match=r"wrong\.cubin: code for sm_70 only"):
        forecast(by_hand, target_sass=wrong)
    with pytest.raises(InputError, match="no target runs NVIDIA code"):
        forecast(by_hand, "MI300X", target_sass=wrong)
    table = tmp_path / "t.csv"
    table.write_text("kernel,gpu,time_s,bytes_dram\nk,V100,1e-3,1e6\n")
    with pytest.raises(InputError, match=r"takes \.ncu-rep files"):
        forecast(table, "A100", target_sass=wrong)
    other = tmp_path / "sm90.cubin"
    other.write_bytes(small_cubin(CODE, flags=0x5A055A))
    result = forecast(by_hand, target_sass=other)
    assert "100 % of the executed work matched: FLOPs unchanged" in told(result)
    mixed = roofcast.forecast(roofcast.read(by_hand), ["H100 SXM5 80GB", "V100-SXM2-16GB"], target_sass=other)
    assert "unknown" in told(mixed, 0, 1)


def test_tables_of_other_formats_are_left_alone(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("kernel,gpu,time_s,bytes_dram\nk,V100,1e-3,1e6\n")
    assert told(forecast(table, "A100")) == ""


@pytest.fixture
def compiled(tmp_path: Path) -> Path:
    """A report whose binary embeds its PTX; every instruction of its spilling kernel ran once per thread."""
    try:
        load_nvrtc()
        find_jit_link()
    except MissingExtraError as error:
        pytest.skip(str(error))
    cubin = retarget((compile_to_ptx(KERNELS.encode(), "k.cu", "compute_70"),), 80)
    function = parse_cubin(cubin).function("spilling")
    assert function is not None
    path = tmp_path / "run.ncu-rep"
    metrics = BASICS | {"launch__registers_per_thread": float(function.registers or 0)}
    path.write_bytes(report_with_code(cubin, [Launch("spilling", [8192.0] * function.instruction_count, metrics)]))
    return path


def test_the_targets_code_brings_its_spills_and_registers(compiled: Path) -> None:
    kernels = roofcast.read(compiled).with_columns(bytes_l1=(np.array([1e6]), Origin.COUNTED))
    targets = ["H100 SXM5 80GB", "A100-SXM4-80GB", "MI300X"]
    result = roofcast.forecast(kernels, targets)
    assert "100 % of the executed work matched" in told(result)
    assert told(result, 0, 1) == told(result, 0, 2)  # nothing about the target: the same code, another vendor

    amounts = apply_sass(kernels, compiled, [*result.targets])
    assert amounts.kernels.column("bytes_local")[0] > 0
    assert amounts.bytes_local_added[0, 1:].tolist() == [0.0, 0.0]
    assert np.isnan(amounts.regs_per_thread[0, 1:]).all()
    assert amounts.coverage[0, :2].tolist() == [1.0, 1.0]
    added, changes = amounts.bytes_local_added[0, 0], amounts.changes
    assert amounts.on_target(0).column("bytes_l1")[0] == 1e6 + added
    assert (changes is None) == (added == 0 and np.isnan(amounts.regs_per_thread[0, 0]))


def test_without_the_extra_the_built_in_table_still_counts(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> str:
        raise MissingExtraError("not here")

    monkeypatch.setattr("roofcast.sass.retarget.find_jit_link", absent)
    for module in ("retarget", "binaries", "sass_amounts", "code_comparison"):
        monkeypatch.setattr(f"roofcast.sass.{module}.ptxas_version", lambda: "")
    monkeypatch.setenv("ROOFCAST_CACHE", str(compiled.parent / "empty"))
    from roofcast.sass.retarget import retarget_ptx

    retarget_ptx.cache_clear()
    result = forecast(compiled)
    assert "needs the extra 'sass'" in told(result)
    assert result.kernels.column("flops_fp64")[0] > 0
    assert np.isfinite(result.estimate.time_s).all()


@pytest.mark.slow
def test_every_real_report_forecasts_with_and_without_its_code(fixtures_dir: Path) -> None:
    with_counters = launches = 0
    for path in sorted((fixtures_dir / "ncu_rep").glob("*.ncu-rep*")):
        kernels = roofcast.read(path)
        targets = ["H100 SXM5 80GB", "MI300X", "V100-SXM2-16GB"]
        code, plain = (roofcast.forecast(kernels, targets, sass=mode) for mode in ("auto", "off"))
        absent, known = np.isnan(code.estimate.time_s), ~np.isnan(plain.estimate.time_s)
        assert not (absent & known).any(), path
        assert not any(told(plain, i, j) for i in range(len(kernels)) for j in range(3)), path
        assert not any("target code" in told(code, i, 1) for i in range(len(kernels))), path  # AMD: nothing to say
        counted = ~np.isnan(code.kernels.column("flops_phantom_fp16"))
        launches += int(counted.sum())
        with_counters += bool(counted.any())
    assert with_counters >= 10, with_counters
    assert launches >= 26, launches
