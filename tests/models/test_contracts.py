"""What every model of the registry keeps, on kernels and processors that hypothesis makes up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import model_builders as builders
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions, Estimate
from roofcast.models.registry import DEFAULT_MODEL, FORECASTERS, MODELS, load_model

TIME_ALONE_SUFFICES = {"mechanistic", "hybrid"}
PHYSICS = [name for name, entry in MODELS.items() if entry.is_physics or name == "hybrid"]
PUBLISHED = ["van_lanker", "occupancy_efficiency"]
"""These know nothing but bytes and FLOPs; a model that also knows latencies may forecast without them."""
PATIENT = settings(max_examples=60, deadline=None)


def estimate(name: str, rows: list[dict[str, float]], source: Processor, targets: list[Processor]) -> Estimate:
    kernels = builders.table(rows)
    count = len(rows)
    return load_model(name).estimate(kernels, builders.on(source, count), builders.onto(targets, count), Conditions())


@pytest.mark.parametrize("name", MODELS)
def test_an_entry_describes_its_model(name: str) -> None:
    model = load_model(name)
    assert (model.name, model.summary, model.is_physics) == (name, MODELS[name].summary, MODELS[name].is_physics)
    assert DEFAULT_MODEL in MODELS


@pytest.mark.slow
@pytest.mark.parametrize("name", PHYSICS)
@PATIENT
@given(kernels=st.lists(builders.rows(), min_size=1, max_size=4), gpu=builders.processors())
def test_the_source_is_forecast_exactly(name: str, kernels: list[dict[str, float]], gpu: Processor) -> None:
    found = estimate(name, kernels, gpu, [gpu])
    ratio = found.time_s[:, 0] / [row["time_s"] for row in kernels]
    np.testing.assert_allclose(ratio[~np.isnan(ratio)], 1.0, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", PHYSICS)
@PATIENT
@given(data=st.data(), kernels=st.lists(builders.rows(), min_size=1, max_size=4), source=builders.processors())
def test_more_supply_is_never_slower(
    name: str, data: st.DataObject, kernels: list[dict[str, float]], source: Processor
) -> None:
    target = data.draw(builders.processors())
    if not target.supplies:
        return
    grown: Resource = data.draw(st.sampled_from(sorted(target.supplies)))
    factor = data.draw(st.floats(1.0, 100.0))
    better = target.replace(**{grown.supply: target.supplies[grown].per_s * factor})
    found = estimate(name, kernels, source, [target, better])
    before, after = found.time_s[:, 0], found.time_s[:, 1]
    np.testing.assert_array_equal(np.isnan(before), np.isnan(after))
    known = ~np.isnan(before)
    assert (after[known] <= before[known] * (1 + 1e-12)).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", FORECASTERS)
@PATIENT
@given(
    kernels=st.lists(builders.rows(), min_size=1, max_size=4),
    source=builders.processors(),
    target=builders.processors(),
)
def test_shapes_and_reasons(name: str, kernels: list[dict[str, float]], source: Processor, target: Processor) -> None:
    n, targets = len(kernels), [target, source, target]
    found = estimate(name, kernels, source, targets)
    for values in (found.time_s, found.time_low_s, found.time_high_s, found.reasons):
        assert values.shape == (n, 3)
    assert all(v.shape == (n,) for v in found.time_s_by_resource_source.values())
    assert all(v.shape == (n, 3) for v in found.time_s_by_resource_target.values())
    assert {len(found.assumed), len(found.notes)} <= {0, n}
    np.testing.assert_array_equal(np.isnan(found.time_s), found.reasons != "")
    known = ~np.isnan(found.time_s)
    assert (found.time_s[known] > 0).all()
    assert np.isfinite(found.time_s[known]).all()
    inside = known & ~np.isnan(found.time_low_s)
    assert (found.time_low_s[inside] <= found.time_s[inside]).all()
    assert (found.time_s[inside] <= found.time_high_s[inside]).all()


@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"time_s": 1e-3}, "needs bytes or FLOPs: collect with"),
        ({"time_s": 1e-3, "bytes_dram": 0.0, "flops_fp32": 0.0}, "are 0"),
        ({"bytes_dram": 1e6}, "no duration"),
        ({"time_s": 0.0, "bytes_dram": 1e6}, "no duration"),
        ({"time_s": 1e-3, "bytes_dram": -5.0}, "needs bytes or FLOPs"),
        ({"time_s": 1e-3, "flops_fp64": 1e6}, "no supply"),
    ],
)
def test_what_is_absent_is_not_forecast(name: str, row: dict[str, float], reason: str) -> None:
    gpu = builders.processor("p", {Resource.BYTES_DRAM: 1e12, Resource.FLOPS_FP32: 1e13})
    found = estimate(name, [row], gpu, [gpu])
    if name in TIME_ALONE_SUFFICES and reason.startswith("needs bytes or FLOPs"):
        assert found.time_s[0, 0] == row["time_s"]
        assert any("only the time is known" in text for text in found.assumed[0])
        return
    assert np.isnan(found.time_s).all()
    assert reason in found.reasons[0, 0]


@pytest.mark.parametrize("name", FORECASTERS)
def test_an_unknown_source_is_listed_without_a_time(name: str) -> None:
    gpu = builders.processor("p", {Resource.BYTES_DRAM: 1e12})
    kernels = builders.table([{"time_s": 1.0, "bytes_dram": 1e9}] * 2)
    sources = builders.on(gpu, 2)
    sources.index[1] = -1
    found = load_model(name).estimate(kernels, sources, builders.onto([gpu], 2), Conditions())
    assert found.time_s[0, 0] == 1.0
    assert np.isnan(found.time_s[1, 0])
    assert found.reasons[:, 0].tolist() == ["", "source GPU unknown: give --from GPU"]


@pytest.mark.parametrize("name", FORECASTERS)
def test_no_kernels_is_an_empty_estimate(name: str) -> None:
    gpu = builders.processor("p", {Resource.BYTES_DRAM: 1e12})
    found = estimate(name, [], gpu, [gpu, gpu])
    assert found.time_s.shape == (0, 2)
    assert found.notes == ()
