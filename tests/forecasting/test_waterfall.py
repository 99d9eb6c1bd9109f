"""Waterfalls: the steps add up, each shows its own cause, and models of every kind can be taken apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from matplotlib.figure import Figure

import model_builders as builders
from frozen_kinds import draw_calls, draw_convolutions, draw_hot, draw_row_operators
from roofcast.catalog import find
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.processor import Processor
from roofcast.core.properties import PROPERTIES, Property
from roofcast.core.resource import Resource
from roofcast.forecasting.explain import FIELDS, LINKS, SUPPLIES, chain
from roofcast.forecasting.forecast import forecast
from roofcast.forecasting.waterfall import ROUNDING
from roofcast.models.physics.model import Mechanistic
from roofcast.models.registry import MODELS
from roofcast.reading import read
from roofcast.reports.waterfall_figure import draw_steps

PHYSICS = [name for name, entry in MODELS.items() if entry.is_physics or name == "hybrid"]
GPUS = ("Tesla V100-SXM2-16GB", "A100-SXM4-40GB", "H100 SXM5 80GB", "RTX 3090", "L4", "MI250X")


def profile(n: int = 40, gpus: tuple[str, ...] = GPUS[:3]) -> KernelTable:
    draw = np.random.default_rng(5)
    values = {
        "time_s": 10 ** draw.uniform(-5.7, -2, n), "bytes_dram": 10 ** draw.uniform(4, 9, n),
        "bytes_l2": 10 ** draw.uniform(4, 9.5, n), "bytes_l1": 10 ** draw.uniform(4, 10, n),
        "flops_fp32": 10 ** draw.uniform(4, 11, n), "flops_fp64": 10 ** draw.uniform(4, 10, n),
        "grid_blocks": draw.integers(1, 5000, n), "block_threads": draw.integers(1, 9, n) * 128.0,
        "regs_per_thread": draw.integers(16, 128, n), "threads_per_inst": np.full(n, 32.0),
    }  # fmt: skip
    text = {"kernel": [f"k{i}" for i in range(n)], "gpu": [gpus[i % len(gpus)] for i in range(n)]}
    return KernelTable.from_columns(text, {k: (np.asarray(v, float), Origin.COUNTED) for k, v in values.items()})


@pytest.mark.parametrize("model", PHYSICS)
@pytest.mark.parametrize("floor", [None, (3e-6, 5e-6)])
def test_the_steps_add_up_exactly(model: str, floor: tuple[float, float] | None) -> None:
    found = forecast(profile(), list(GPUS), model=model, launch_floor=floor)
    chains = found.explain()
    time, there = found.kernels.column("time_s")[:, None], found.estimate.time_s
    assert np.isfinite(there).mean() > 0.9
    known = np.isfinite(there)
    np.testing.assert_array_equal(np.isfinite(chains.levels_s).all(axis=-1), known)
    total = (time + chains.steps_s.sum(axis=-1))[known]
    np.testing.assert_allclose(total, there[known], rtol=1e-12)
    summed = [sum(chains.of(i, j).values()) for i, j in np.argwhere(known)]
    # What is rounding of the times, up to 10 ms, is no step.
    np.testing.assert_allclose(summed, (there - time)[known], rtol=1e-9, atol=ROUNDING * 0.01)


def test_a_part_is_explained_as_in_the_whole() -> None:
    found = forecast(profile(), list(GPUS[:2]))
    whole = found.explain().levels_s
    np.testing.assert_array_equal(found.explain([7, 3]).levels_s, whole[[7, 3]])
    np.testing.assert_array_equal(found.explain(-1).levels_s, whole[-1:])
    np.testing.assert_array_equal(found.select([9, 4]).select([1]).explain(0).levels_s, whole[[4]])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "cause"),
    [
        ({"bytes_per_s_dram": 3e12}, Property.DRAM),
        ({"flops_per_s_fp32": 9e13}, Property.PIPES),
        ({"flops_per_s_fp64": 9e12}, Property.FP64),
        ({"latency_cycles_dram": 900.0, "latency_cycles_l2": 400.0}, Property.LATENCY),
    ],
)
def test_a_change_of_one_property_is_its_own_step(changed: dict[str, float], cause: Property) -> None:
    source = find("A100-SXM4-40GB").processor
    target = source.replace(**changed)
    found = forecast(profile(gpus=("A100-SXM4-40GB",)), target, model="mechanistic")
    moved = {c for i in range(len(found.kernels)) for c, s in found.explain(i).of(0).items() if abs(s) > 1e-15}
    # One kernel is at DRAM's peak on both sides: what keeps its forecast there is no cause's step.
    assert moved - {Property.LEARNED} == {cause}


def test_the_clock_and_the_floor_are_told_apart() -> None:
    """A kernel at its launch floor gains from the clock only through that floor."""
    counted = {"time_s": 2.3e-6, "bytes_dram": 1e3, "insts_issued": 9.0, "clock_hz": 1.41e9}
    kernels = KernelTable.from_columns(
        {"kernel": ["k"], "gpu": ["A100-SXM4-40GB"]}, {n: ([v], Origin.COUNTED) for n, v in counted.items()}
    )
    steps = forecast(kernels, "A100-SXM4-40GB{clock=1.8GHz}", model="mechanistic").explain(0).of(0)
    assert set(steps) <= {Property.FLOOR, Property.CLOCK}
    assert steps[Property.FLOOR] < 0


@settings(max_examples=30, deadline=None)
@given(source=builders.processors(), target=builders.processors())
def test_a_chain_leads_from_source_to_target(source: Processor, target: Processor) -> None:
    links = dict(chain(source, target))
    assert tuple(links) == LINKS == PROPERTIES[:-2]
    assert links[Property.OTHER] is target
    before = links[Property.CODE]
    assert dict(before.supplies) == dict(target.supplies)
    assert links[Property.FLOOR].supplies == source.supplies


def test_every_supply_and_field_belongs_to_one_cause() -> None:
    moved = [r for group in SUPPLIES.values() for r in group]
    assert sorted(moved) == sorted(Resource)
    fields = [name for group in FIELDS.values() for name in group]
    assert len(fields) == len(set(fields))
    assert set(fields) <= set(Processor.__dataclass_fields__)


def test_what_cannot_be_forecast_has_no_waterfall() -> None:
    kernels = KernelTable.from_columns(
        {"kernel": ["a", "b"], "gpu": ["A100-SXM4-40GB", "no such GPU"]}, {"time_s": ([np.nan, 1e-3], Origin.COUNTED)}
    )
    found = forecast(kernels, "RTX 3090")
    assert np.isnan(found.explain().levels_s).all()
    assert found.explain(0).of(0) == {}


def test_labels_stand_within_the_picture_however_wide_the_interval() -> None:
    axis = Figure().subplots()
    draw_steps(axis, [("measured", 0.0, 1.0), ("forecast", 0.0, 1.0)], (0.01, 100.0))
    assert max(text.get_position()[0] for text in axis.texts) < axis.get_xlim()[1]


def test_causes_are_weighed_by_the_forecast_without_each(tmp_path: Path) -> None:
    names = ("ncclDevKernel_AllReduce_Sum_f16_RING_LL", "volta_sgemm_128x64_nn", "own")
    path = tmp_path / "times.csv"
    path.write_text("kernel,gpu,time_s\n" + "".join(f"{name},A100-SXM4-40GB,1e-3\n" for name in names))
    drawn = (draw_hot(1, 4), draw_convolutions(2, 6), draw_row_operators(3, 6), draw_calls(4, 6))
    for kernels in (profile(4), read(str(path)), *drawn):
        check_influences(kernels)


def check_influences(kernels: KernelTable) -> None:
    """Whether each cause is weighed by the whole forecast over the whole one without it, to the last bit."""
    found = forecast(kernels, ["H100 SXM5 80GB", "L4"], model="mechanistic", conditions="profiled")
    influences = {i.name: i.factor for i in found.explain().influences}
    assert influences.keys() == {cause.name for cause in Mechanistic().walk.causes}
    here, there = found.prepared.machines_here(), found.prepared.machines_there(found.targets)[0]

    def time_s(*names: str) -> FloatArray:
        return Mechanistic(without=names).parts(found.prepared.kernels, here, there, found.conditions).time_s

    whole = time_s()
    for name, factor in influences.items():
        np.testing.assert_array_equal(factor, whole / time_s(name), err_msg=name)
