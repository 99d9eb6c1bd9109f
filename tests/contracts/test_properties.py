"""The contracts of docs/architecture as properties: on kernels that nobody profiled, on GPUs of the catalog."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
import polars as pl
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

import roofcast
from damage import ROUNDS

GPUS = ("V100 SXM2 16GB", "A100-SXM4-40GB", "H100 SXM5 80GB", "L40S", "GeForce RTX 4090", "Instinct MI300X")
KNOBS = ("dram", "l2_rate", "fp32", "fp64", "l2")
QUICK = settings(max_examples=12 * ROUNDS, deadline=None)
UNSHRUNK = settings(QUICK, phases=[Phase.explicit, Phase.reuse, Phase.generate])
"""For what is known to be broken: an example as it is drawn will do."""
NAMES = ("gemm_tiled", "stencil<float>", "spmv_csr", "reduce6", "k")


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
        "regs_per_thread": draw(st.none() | st.integers(16, 64)),
    }  # fmt: skip


def forecast(table: list[dict[str, Any]], source: str, targets: list[str]) -> Any:
    """The public door."""
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        pl.DataFrame(table, infer_schema_length=None).write_csv(file.name)
        return roofcast.forecast(roofcast.read(file.name), to=targets, source=source)


def ends(found: Any) -> dict[str, Any]:
    """Times and interval ends, (n, m)."""
    return {name: getattr(found.estimate, name) for name in ("time_s", "time_low_s", "time_high_s")}


TABLES = st.lists(rows(), min_size=1, max_size=4)
SOURCES, TARGETS = st.sampled_from(GPUS[:4]), st.sampled_from(GPUS)


@QUICK
@given(table=TABLES, gpu=SOURCES)
def test_the_source_is_forecast_with_the_measured_time(table: list[dict[str, Any]], gpu: str) -> None:
    found = forecast(table, gpu, [gpu]).estimate.time_s[:, 0]
    np.testing.assert_array_equal(found, [r["time_s"] for r in table])


@QUICK
@given(table=TABLES, others=TABLES, source=SOURCES, target=TARGETS)
def test_other_kernels_change_no_bit(
    table: list[dict[str, Any]], others: list[dict[str, Any]], source: str, target: str
) -> None:
    others = [{**row, "kernel": f"other_{row['kernel']}"} for row in others]
    alone, beside = (ends(forecast(t, source, [target])) for t in (table, [*table, *others]))
    for name, values in alone.items():
        np.testing.assert_array_equal(values, beside[name][: len(table)], err_msg=name)


@QUICK
@given(table=TABLES, source=SOURCES, target=TARGETS, knob=st.sampled_from(KNOBS), factor=st.floats(1.0, 8.0))
def test_more_supply_is_never_slower_and_what_does_not_exist_never_surer(
    table: list[dict[str, Any]], source: str, target: str, knob: str, factor: float
) -> None:
    from roofcast.analyses.sweeps.space import base_values

    own = base_values(roofcast.gpu(target)).get(knob)
    assume(own is not None)
    assert own is not None
    more = f"{target}{{{knob}={own * factor!r}}}"
    found = ends(forecast(table, source, [target, more]))
    assert (found["time_s"][:, 1] <= found["time_s"][:, 0] * (1 + 1e-9)).all()
    width = found["time_high_s"] / found["time_low_s"]
    assert (width[:, 1] >= width[:, 0] * (1 - 1e-9)).all()


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


@UNSHRUNK
@given(table=TABLES, source=SOURCES, target=TARGETS, data=st.data())
def test_less_information_is_never_narrower(
    table: list[dict[str, Any]], source: str, target: str, data: st.DataObject
) -> None:
    assume(roofcast.gpu(source).key != roofcast.gpu(target).key)
    dropped = data.draw(st.sampled_from(("bytes_dram", "bytes_l2", "flops_fp32", "regs_per_thread", "grid_blocks")))
    less = [{**row, dropped: None} for row in table]
    full, poor = (ends(forecast(t, source, [target])) for t in (table, less))
    width, wider = (f["time_high_s"] / f["time_low_s"] for f in (full, poor))
    assert (wider >= width * (1 - 1e-9)).all()
