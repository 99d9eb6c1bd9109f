"""The contracts of docs/architecture as properties: on kernels that nobody profiled, on GPUs of the catalog."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import Phase, assume, example, given, settings
from hypothesis import strategies as st

import roofcast

GPUS = ("V100 SXM2 16GB", "A100-SXM4-40GB", "H100 SXM5 80GB", "L40S", "GeForce RTX 4090", "Instinct MI300X")
KNOBS = ("dram", "l2_rate", "fp32", "fp64", "l2")
QUICK = settings(max_examples=12, deadline=None)
UNSHRUNK = settings(QUICK, phases=[Phase.explicit, Phase.reuse, Phase.generate])
"""For what is known to be broken: an example as it is drawn will do."""
NAMES = ("gemm_tiled", "stencil<float>", "spmv_csr", "reduce6", "k")


STALLS = ("long_scoreboard", "lg_throttle", "tex_throttle", "short_scoreboard", "imc_miss", "math_pipe_throttle")
FRACTIONS = ("l1_hit_fraction", "l2_hit_fraction", "atomic_inst_fraction", "sm_active_fraction")


@st.composite
def counters(draw: st.DrawFn, time_s: float, dram: float | None) -> dict[str, Any]:
    """What a profiler counts of the instructions: all of a group or nothing of it."""
    found: dict[str, Any] = {}
    if draw(st.booleans()):
        found["insts_executed"] = draw(st.floats(1e-4, 0.7)) * 5e11 * time_s
        if draw(st.booleans()):
            shares = [draw(st.sampled_from((0.0, 0.02, 0.1, 0.3))) for _ in STALLS]
            latency = draw(st.floats(4.0, 80.0))
            scale = latency / max(1.0, sum(shares))
            found |= {f"stall_{s}_per_inst": share * scale for s, share in zip(STALLS, shares, strict=True)}
            found["warp_latency_cycles_per_inst"] = latency
        for name in FRACTIONS:
            if draw(st.booleans()):
                found[name] = draw(st.sampled_from((0.0, 0.05, 0.5, 0.95)))
        if draw(st.booleans()):
            found["bytes_per_sector_load"] = draw(st.sampled_from((4.0, 16.0, 32.0)))
            found["shared_wavefronts_per_inst"] = draw(st.floats(0.0, 0.5))
    if draw(st.booleans()):
        found["cache_state"] = draw(st.sampled_from(("cold", "warm")))
    if draw(st.booleans()):
        # What was fetched into flushed caches was touched.
        found["working_set_bytes"] = (
            10 ** draw(st.floats(3.0, 10.0)) if dram is None else dram * draw(st.floats(1.0, 4.0))
        )
    return found


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    """One launch: a time, and some of what a profiler counts, in proportions that a kernel can have."""
    time_s = 10 ** draw(st.floats(-5.3, -1.0))

    def some(rate_most: float) -> float | None:
        share = draw(st.none() | st.floats(1e-4, 0.7))
        return None if share is None else share * rate_most * time_s

    dram = some(0.8e12)
    factor = draw(st.floats(1.0, 4.0))
    return {
        "kernel": draw(st.sampled_from(NAMES)), "time_s": time_s, "bytes_dram": dram,
        "bytes_l2": None if dram is None else dram * factor, "flops_fp32": some(12e12), "flops_fp64": some(6e12),
        "grid_blocks": draw(st.none() | st.integers(1, 10**5)), "block_threads": draw(st.sampled_from((64, 256, 1024))),
        "regs_per_thread": draw(st.none() | st.integers(16, 64)), **draw(counters(time_s, dram)),
    }  # fmt: skip


def forecast(table: list[dict[str, Any]], source: str | None, targets: list[str]) -> Any:
    """The public door."""
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        pl.DataFrame(table, infer_schema_length=None).write_csv(file.name)
        return roofcast.forecast(roofcast.read(file.name), to=targets, source=source)


def ends(found: Any) -> dict[str, Any]:
    """Times and interval ends, (n, m)."""
    return {name: getattr(found.estimate, name) for name in ("time_s", "time_low_s", "time_high_s")}


TABLES = st.lists(rows(), min_size=1, max_size=4)
SOURCES, TARGETS = st.sampled_from(GPUS[:4]), st.sampled_from(GPUS)


@pytest.mark.slow
@QUICK
@example(
    table=[
        {
            "kernel": "gemm_tiled",
            "time_s": 0.1,
            "bytes_dram": 1e10,
            "bytes_l2": 1e10,
            "block_threads": 64,
            "cache_state": "cold",
        }
    ],
    gpu="V100 SXM2 16GB",
)
@given(table=TABLES, gpu=SOURCES)
def test_the_source_is_forecast_with_the_measured_time(table: list[dict[str, Any]], gpu: str) -> None:
    result = forecast(table, gpu, [gpu])
    found = result.estimate.time_s[:, 0]
    np.testing.assert_array_equal(found, result.source_time_s)
    # Production finds warm caches where flushed ones were recorded: other conditions, another time.
    kept = np.array([r.get("cache_state") != "cold" for r in table])
    # The parts of a time sum to it but for their rounding.
    time = np.array([r["time_s"] for r in table])
    np.testing.assert_allclose(found[kept], time[kept], rtol=4 * np.finfo(np.float64).eps)


WITHOUT_GRID: list[dict[str, Any]] = [
    {"kernel": "gemm_tiled", "time_s": 0.0624, "bytes_dram": 3.0e10, "flops_fp32": 1e11, "block_threads": 64},
    {"kernel": "gemm_tiled", "time_s": 0.0625, "bytes_dram": 1.5e10, "bytes_l2": 2.5e10, "block_threads": 256},
]
"""What no row says of its grid, a foreign row must not make the model ask: 79.950 ms alone, 80.245 beside one."""
WITH_GRID: list[dict[str, Any]] = [{**row, "kernel": "k", "grid_blocks": 3000} for row in WITHOUT_GRID]
V100, A100 = GPUS[:2]


@pytest.mark.slow
@QUICK
@example(table=WITHOUT_GRID, others=WITH_GRID, source=V100, elsewhere=V100, target=A100, place=0)
@given(table=TABLES, others=TABLES, source=SOURCES, elsewhere=SOURCES, target=TARGETS, place=st.integers(0, 4))
def test_other_kernels_change_no_bit(
    table: list[dict[str, Any]], others: list[dict[str, Any]], source: str, elsewhere: str, target: str, place: int
) -> None:
    """Neither before, between nor behind them, nor of another GPU."""
    own = [{**row, "gpu": source} for row in table]
    foreign = [{**row, "kernel": f"other_{row['kernel']}", "gpu": elsewhere} for row in others]
    mixed = [*own[:place], *foreign, *own[place:]]
    rows = [i for i, row in enumerate(mixed) if row in own]
    alone, beside = (ends(forecast(t, None, [target])) for t in (own, mixed))
    for name, values in alone.items():
        np.testing.assert_array_equal(values, beside[name][rows], err_msg=name)


@pytest.mark.slow
@QUICK
@given(table=TABLES, source=SOURCES, target=TARGETS, knob=st.sampled_from(KNOBS), factor=st.floats(1.0, 8.0))
def test_more_supply_is_never_slower_and_what_does_not_exist_never_surer(
    table: list[dict[str, Any]], source: str, target: str, knob: str, factor: float
) -> None:
    from roofcast.sweeps.space import base_values

    own = base_values(roofcast.gpu(target)).get(knob)
    assume(own is not None)
    assert own is not None
    more = f"{target}{{{knob}={own * factor!r}}}"
    found = ends(forecast(table, source, [target, more]))
    assert (found["time_s"][:, 1] <= found["time_s"][:, 0] * (1 + 1e-9)).all()
    width = found["time_high_s"] / found["time_low_s"]
    assert (width[:, 1] >= width[:, 0] * (1 - 1e-9)).all()


@pytest.mark.slow
@UNSHRUNK
@given(table=TABLES, source=SOURCES, target=TARGETS)
def test_counted_work_is_never_faster_than_the_peak(table: list[dict[str, Any]], source: str, target: str) -> None:
    gpu = roofcast.gpu(target)
    found = forecast(table, source, [target]).estimate
    for i, row in enumerate(table):
        for name, resource in (("flops_fp32", "flops_fp32"), ("flops_fp64", "flops_fp64")):
            supply = next((s for r, s in gpu.supplies.items() if r.value == resource), None)
            own = next((s for r, s in roofcast.gpu(source).supplies.items() if r.value == resource), None)
            # A count that the source itself did faster than its peak is no count: it bounds nothing.
            if own is not None and row[name] and row[name] / max(own.per_s, own.peak_per_s or 0.0) > row["time_s"]:
                continue
            if row[name] and supply is not None:
                least = row[name] / max(supply.per_s, supply.peak_per_s or 0.0)
                assert found.time_low_s[i, 0] >= least * (1 - 1e-9)
                assert found.time_s[i, 0] >= least * (1 - 1e-9)


KEPT = {"kernel", "time_s", "cache_state", *(f"stall_{s}_per_inst" for s in STALLS)}
"""What is not dropped by itself: stall reasons come with the latency that they are part of."""
DOUBTS = {"atomic_inst_fraction"}


@pytest.mark.slow
@UNSHRUNK
@given(table=TABLES, source=SOURCES, target=TARGETS, data=st.data())
def test_less_information_is_never_narrower(
    table: list[dict[str, Any]], source: str, target: str, data: st.DataObject
) -> None:
    """Flushed caches are not drawn: they are no knowledge of a kernel but another run than the one asked for, whose
    interval holds both runs, the wider the more is known of what caches keep. Nor are atomics, which foretell misses.
    """
    assume(roofcast.gpu(source).key != roofcast.gpu(target).key)
    table = [{k: v for k, v in row.items() if (k, v) != ("cache_state", "cold") and k not in DOUBTS} for row in table]
    dropped = data.draw(st.sampled_from(sorted({k for row in table for k, v in row.items() if v is not None} - KEPT)))
    less = [{**row, dropped: None} for row in table]
    full, poor = (ends(forecast(t, source, [target])) for t in (table, less))
    width, wider = (f["time_high_s"] / f["time_low_s"] for f in (full, poor))
    assert (wider >= width * (1 - 1e-9)).all()
