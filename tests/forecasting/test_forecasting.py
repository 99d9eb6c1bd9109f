"""The way from a table and names of GPUs to a forecast."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import model_builders as builders
import roofcast
from roofcast.catalog import find
from roofcast.core.errors import RoofcastError, UnknownProcessorError
from roofcast.core.kernel_table import KernelTable, Provenance
from roofcast.core.resource import Resource
from roofcast.forecasting.forecast import forecast
from roofcast.models import cell_blocks
from roofcast.models.registry import FORECASTERS
from roofcast.reports.ask import ASK

A100, V100, H100 = "NVIDIA A100-SXM4-40GB", "Tesla V100-SXM2-16GB", "H100 SXM5 80GB"
STREAM = {"time_s": 1e-3, "bytes_dram": 1e9}
COMPUTE = {"time_s": 1e-3, "flops_fp64": 1e9}


def on_gpus(*names: str, row: dict[str, float] | None = None, **text: list[str]) -> KernelTable:
    return builders.table([row or STREAM] * len(names), {"gpu": list(names), **text})


def clock_of(kernels: KernelTable, to: str, clock: str | float = "auto", source: str | None = None) -> float:
    """Target clock that a pure compute kernel implies, in units of the target's boost clock."""
    result = forecast(kernels, to, conditions="profiled", clock=clock, source=source, model="van_lanker")
    target = result.targets[0]
    seconds = result.estimate.time_s_by_resource_target[Resource.FLOPS_FP64][0, 0]
    supply = target.supplies[Resource.FLOPS_FP64]
    assert supply.clock_hz is not None
    return float(1e9 / seconds / supply.per_s * supply.clock_hz)


def test_rows_and_targets_keep_their_order() -> None:
    result = forecast(on_gpus(A100, V100), [H100, V100])
    assert [(r["launch"], r["source_gpu"], r["target_gpu"]) for r in result.records()] == [
        (0, "A100 SXM4 40GB", "H100 SXM5 80GB"),
        (0, "A100 SXM4 40GB", find(V100).processor.name),
        (1, find(V100).processor.name, "H100 SXM5 80GB"),
        (1, find(V100).processor.name, find(V100).processor.name),
    ]


@pytest.mark.parametrize("name", FORECASTERS)
def test_the_source_itself_is_exact_at_any_recorded_clock(name: str) -> None:
    rows = [{**STREAM, **COMPUTE, "bytes_l2": 2e9, "clock_hz": hz} for hz in (0.77e9, 1.09e9, 1.41e9, np.nan)]
    result = forecast(builders.table(rows, {"gpu": [A100] * 4}), A100, model=name)
    np.testing.assert_allclose(result.speedup(), 1.0, rtol=1e-12)


def test_unknown_source_is_listed_with_the_reason_first() -> None:
    result = forecast(on_gpus("", "No Such GPU 9000"), H100)
    for record in result.records():
        assert record["time_s"] is None
        assert record["notes"][0] == "source GPU unknown: give --from GPU"
    assert "No Such GPU 9000" in list(result.records())[1]["notes"][1]


def test_from_fills_in_what_the_file_does_not_say() -> None:
    assert forecast(on_gpus("", ""), A100, source=A100).speedup().tolist() == [[1.0], [1.0]]


def test_from_contradicting_the_only_gpu_of_a_file_is_used_and_noted() -> None:
    result = forecast(on_gpus(V100), A100, source=A100)
    assert result.speedup()[0, 0] == 1.0
    assert any(V100 in note and "as named" in note for note in result.notes(0, 0))


def test_from_selects_the_rows_of_that_gpu_in_a_table_of_several() -> None:
    result = forecast(on_gpus(V100, A100, "", A100), H100, source="A100-SXM4-40GB")
    assert len(result.kernels) == 3
    assert {s.name for s in result.sources if s} == {"A100 SXM4 40GB"}
    with pytest.raises(RoofcastError, match=r"no rows of .*T4.*the table has"):
        forecast(on_gpus(V100, A100), H100, source="Tesla T4")


def test_from_finds_rows_by_the_very_name_that_the_table_prints() -> None:
    own = builders.processor("mystery", {Resource.BYTES_DRAM: 1e12})
    result = forecast(on_gpus("Mystery GPU", A100), H100, source=replace(own, key=find(A100).processor.key))
    assert result.kernels.strings("gpu").tolist() == [A100]


def test_several_gpus_without_from_are_each_their_own_source() -> None:
    result = forecast(on_gpus(V100, A100), [V100, A100])
    np.testing.assert_allclose(np.diag(result.speedup()), 1.0)
    assert result.speedup()[0, 1] > 1 > result.speedup()[1, 0]


def test_recorded_capability_and_sm_count_name_the_gpu() -> None:
    kernels = builders.table(
        [{**STREAM, "sm_count": 108.0, "capacity_bytes_dram": 42_298_834_944.0}],
        {"gpu": ["NVIDIA A100-PCIE-40GB"], "compute_capability": ["8.0"]},
    )
    assert forecast(kernels, H100).sources[0] == find("A100-PCIE-40GB").processor


def test_clock_follows_the_kind_that_was_recorded() -> None:
    source, target = find(A100).processor, find(H100).processor
    assert source.clock_hz_base
    assert target.clock_hz_base
    for recorded, expected in (
        (source.clock_hz_base * 1.004, target.clock_hz_base),
        (source.clock_hz_base * 1.03, target.clock_hz_boost * 1.03 * source.clock_hz_base / source.clock_hz_boost),
        (source.clock_hz_boost * 0.97, target.clock_hz_boost * 0.97),
        (source.clock_hz_boost * 0.9, target.clock_hz_boost * 0.9),
    ):
        kernels = on_gpus(A100, row={**COMPUTE, "clock_hz": recorded})
        assert clock_of(kernels, H100) == pytest.approx(expected)
        assert clock_of(kernels, A100) == pytest.approx(recorded)
        assert clock_of(kernels, f"{A100}{{dram=3TB/s}}") == pytest.approx(recorded)


def test_production_lifts_the_lock_and_nothing_else() -> None:
    source, target = find(A100).processor, find(H100).processor
    assert source.clock_hz_base
    for recorded, there, moved in (
        (source.clock_hz_base * 1.004, target.clock_hz_boost, True),
        (source.clock_hz_boost * 0.97, target.clock_hz_boost * 0.97, False),
        (source.clock_hz_boost * 0.9, target.clock_hz_boost * 0.9, False),
    ):
        found = forecast(on_gpus(A100, row={**COMPUTE, "clock_hz": recorded}), [H100, A100])
        assert found.prepared.machines_there(found.targets)[0].clock_hz[0, 0] == pytest.approx(there)
        assert (found.on_source is not None) is moved
        assert found.speedup()[0, 1] == 1.0
        assert found.source_time_s[0] == found.estimate.time_s[0, 1]
        assert bool(found.source_time_s[0] < found.measured_time_s[0]) is moved


def test_unrecorded_clock_is_base_for_ncu_and_boost_for_others() -> None:
    target = find(H100).processor
    plain = on_gpus(A100, row=COMPUTE)
    assert clock_of(plain, H100) == pytest.approx(target.clock_hz_boost)
    assert any("boost" in a for a in forecast(plain, H100).estimate.assumed[0])
    profiled = replace(plain, provenance=(Provenance(format="ncu-rep"),))
    assert clock_of(profiled, H100) == pytest.approx(target.clock_hz_base)
    unlocked = replace(on_gpus(A100, row=COMPUTE, clock_control=["none"]), provenance=profiled.provenance)
    assert clock_of(unlocked, H100) == pytest.approx(target.clock_hz_boost)


def test_a_kepler_datacentre_card_runs_at_base_until_told_otherwise() -> None:
    k40, titan = find("Tesla K40").processor, find("GTX Titan Black").processor
    assert k40.clock_hz_base
    assert k40.clock_hz_base < k40.clock_hz_boost
    assert clock_of(on_gpus("Tesla K40", row=COMPUTE), "GTX Titan Black") == pytest.approx(titan.clock_hz_boost)
    assert clock_of(on_gpus("GTX Titan Black", row=COMPUTE), "Tesla K40") == pytest.approx(k40.clock_hz_base)
    assert clock_of(on_gpus("GTX Titan Black", row=COMPUTE), "Tesla K40", "boost") == pytest.approx(k40.clock_hz_boost)
    itself = forecast(on_gpus("Tesla K40", row=COMPUTE), "Tesla K40")
    assert itself.speedup()[0, 0] == 1.0
    assert any("base 745 MHz" in said for said in itself.estimate.assumed[0])
    faster = forecast(on_gpus("Tesla K40", row=COMPUTE), ["Tesla K40", "GTX Titan Black", "Tesla K40{clock=875MHz}"])
    assert faster.speedup()[0, 2] >= 1.0


def test_clock_as_asked_for() -> None:
    kernels, target = on_gpus(A100, row={**COMPUTE, "clock_hz": 1.1e9}), find(H100).processor
    for asked, expected in (("boost", target.clock_hz_boost), ("base", target.clock_hz_base), (1.2e9, 1.2e9)):
        assert clock_of(kernels, H100, asked) == pytest.approx(expected)
    assert any("as asked for" in note for note in forecast(kernels, H100, clock=1.2e9).notes(0, 0))


def test_cache_state_is_named() -> None:
    kernels = on_gpus(A100, cache_state=["cold"])
    assert "caches: cold, as the profile's" in forecast(kernels, H100, conditions="profiled").notes(0, 0)
    assert any("warm, as asked for" in note for note in forecast(kernels, H100, cache="warm").notes(0, 0))


def test_caches_are_as_asked_for() -> None:
    """What fits into L2 is not read from DRAM again; a recorded state is left for the one asked for."""
    row = {"time_s": 1e-4, "bytes_compulsory": 2e7, "working_set_bytes": 2e7, "flops_fp32": 1e7}
    for known in (row, {**row, "bytes_dram": 2e7}):
        recorded = {state: on_gpus(A100, row=known, cache_state=[state]) for state in ("", "cold", "warm")}
        found = {(s, a): forecast(recorded[s], H100, cache=a) for s in recorded for a in ("auto", "cold", "warm")}
        time = {key: float(f.estimate.time_s[0, 0]) for key, f in found.items()}
        # Counted from flushed caches: production finds them warm.
        assert time["cold", "auto"] == time["cold", "warm" if "bytes_dram" in known else "cold"]
        assert time["cold", "cold"] > time["cold", "warm"]
        assert time["warm", "warm"] == time["warm", "auto"] <= time["warm", "cold"]
        # Where nothing was recorded, what is asked for is what was measured.
        assert (time["", "cold"], time["", "warm"]) == (time["cold", "cold"], time["warm", "warm"])
        own = found["cold", "warm"].source_time_s[0]
        assert own < 1e-4 == found["cold", "cold"].source_time_s[0]
    told = " ".join(found["", "warm"].notes(0, 0))
    assert "warm, as asked for" in told
    assert "counted DRAM bytes are taken as counted so" in told


def test_variation_of_a_target_scales_what_was_changed() -> None:
    result = forecast(on_gpus(A100), [A100, f"{A100}{{dram=3.11TB/s}}"], model="van_lanker")
    assert result.estimate.time_s[0, 1] < 0.6 * result.estimate.time_s[0, 0]


def test_blocks_of_rows_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[dict[str, float]] = [STREAM, COMPUTE, {"time_s": 1.0}, {**STREAM, **COMPUTE, "bytes_l2": 3e9}, STREAM]
    kernels = builders.table(rows, {"gpu": [A100, "", A100, V100, A100]})
    whole = list(forecast(kernels, [H100, V100]).records())
    monkeypatch.setattr(cell_blocks, "BLOCK_CELLS", 4)
    assert list(forecast(kernels, [H100, V100]).records()) == whole


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"to": []}, "no target"),
        ({"model": "oracle"}, "unknown model 'oracle'"),
        ({"coverage": 1.5}, "coverage"),
        ({"cache": "hot"}, "cache"),
        ({"clock": "warp"}, "clock"),
        ({"clock": -1.0}, "clock"),
        ({"clock": float("nan")}, "clock"),
        ({"launch_floor": (1e-6, -1e-6)}, "launch floor"),
    ],
)
def test_senseless_conditions_are_refused_in_one_line(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(RoofcastError, match=message) as caught:
        forecast(on_gpus(A100), **{"to": H100, **arguments})  # type: ignore[arg-type]  # that is the point
    assert "\n" not in str(caught.value)


def test_unknown_target_is_an_error() -> None:
    with pytest.raises(UnknownProcessorError):
        forecast(on_gpus(A100), "No Such GPU 9000")


def test_no_rows_is_an_empty_forecast() -> None:
    assert list(forecast(builders.table([]), H100).records()) == []


def test_public_names_are_imported_when_used() -> None:
    assert roofcast.gpu(A100).name == "A100 SXM4 40GB"
    assert roofcast.forecast is ASK.run
    assert {"read", "forecast", "gpu"} <= set(dir(roofcast))
    with pytest.raises(AttributeError, match="no attribute 'oracle'"):
        roofcast.oracle  # noqa: B018 - the access is the test
    code = "import sys, roofcast; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.slow
def test_real_reports_are_forecast_onto_themselves_exactly(fixtures_dir: Path) -> None:
    for name in ("tesla-v100-sxm2-32gb", "a100-sxm4-40gb", "h100-pcie", "a10g"):
        for path in sorted((fixtures_dir / "ncu_rep").glob(f"{name}*.ncu-rep")):
            kernels = roofcast.read(path)
            first = forecast(kernels, H100).sources[0]
            assert first is not None
            for model in FORECASTERS:
                speedup = forecast(kernels, first, model=model).speedup()
                known = ~np.isnan(speedup)
                assert known.sum() >= len(kernels) - 1
                np.testing.assert_allclose(speedup[known], 1.0, rtol=1e-12)


def test_damaged_numbers_give_a_reason_and_no_number() -> None:
    bad: list[dict[str, float]] = [
        {"time_s": np.inf, "bytes_dram": 1e9},
        {"time_s": 1.0, "bytes_dram": np.inf},
        {"time_s": 1.0, "flops": np.inf},
        {"time_s": -1.0, "bytes_dram": 1e9},
    ]
    for name in ("van_lanker", "occupancy_efficiency"):
        result = forecast(builders.table(bad, {"gpu": [A100] * 4}), H100, model=name)
        assert np.isnan(result.estimate.time_s).all()
        assert all(result.estimate.reasons[:, 0])


@pytest.mark.parametrize("hertz", [1.41e6, 1.41e12, 0.0, -1.0, np.inf])
def test_a_clock_that_is_none_counts_as_not_recorded(hertz: float) -> None:
    kernels = on_gpus(A100, row={**COMPUTE, "clock_hz": hertz})
    assert clock_of(kernels, H100) == pytest.approx(find(H100).processor.clock_hz_boost)
    assert any("none recorded" in a for a in forecast(kernels, H100).estimate.assumed[0])


def test_an_ambiguous_source_is_the_variant_that_the_table_names() -> None:
    result = forecast(on_gpus("A100-SXM4-40GB", V100), [H100], source="A100")
    assert [p.name for p in result.sources if p] == ["A100 SXM4 40GB"]
    assert any("which the file names" in note for note in result.notes(0, 0))
