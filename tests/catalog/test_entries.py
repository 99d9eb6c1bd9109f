"""Every shipped entry keeps the contract: valid, found by its names, plausible, and equal to what the vendor prints."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from roofcast import catalog
from roofcast.catalog import finding, library
from roofcast.catalog.entries import MEASUREMENTS, ROOT, load
from roofcast.catalog.gpu_names import flat
from roofcast.catalog.schema import SOURCE, ArchitectureEntry, CpuEntry, GpuEntry, validated
from roofcast.catalog.writing import write_entry
from roofcast.core.machines import Machines
from roofcast.core.processor import Domain, Kind, Processor
from roofcast.core.resource import Resource

# Vendors round to two or three digits: 34 for 33.45 TFLOP/s (FP64 of H100), 2250 for 2225 (tensor of B200).
COMPUTE_TOLERANCE = 0.017
DRAM_TOLERANCE = 0.012
ALL_KEYS = catalog.keys()
GPU_KEYS = [k for k in ALL_KEYS if library.index()["entries"][k]["folder"] == "gpus"]


@pytest.fixture(scope="module")
def processors() -> list[Processor]:
    return catalog.processors()


def test_a_processor_is_what_its_file_says() -> None:
    for key in ALL_KEYS[::20]:
        assert library.processor(key) == library.derive(key), key


def test_entries_are_valid_and_carry_the_name_of_their_file() -> None:
    for folder, model in (("gpus", GpuEntry), ("cpus", CpuEntry), ("architectures", ArchitectureEntry)):
        paths = sorted((ROOT / folder).glob("*.toml"))
        assert paths, folder
        for path in paths:
            assert validated(model, load(path), path.name)["key"] == path.stem


def test_architectures_of_all_entries_exist() -> None:
    for key in GPU_KEYS:
        assert library.architecture(library.entry(key)["architecture"]), key


def test_source_keys_are_described() -> None:
    described = set(load(ROOT / "references.toml"))
    entries = [library.entry(k) for k in ALL_KEYS] + list(library.index()["architectures"].values())
    used = {SOURCE.match(t)["key"] for e in entries for t in e.get("sources", {}).values()}  # type: ignore[index]  # schema
    assert used - described == set(), "describe the keys of these sources in catalog/references.toml"


def test_every_value_has_a_source() -> None:
    identity = {
        "key", "vendor", "architecture", "chip", "segment", "default_for", "notes", "measured", "sources", "limits",
    }  # fmt: skip
    for key in GPU_KEYS:
        entry = library.entry(key)
        if "default" not in entry["sources"]:
            assert set(entry) - identity - {"rates"} <= set(entry["sources"]), key
            assert {f"rates.{n}" for n in entry.get("rates", {})} <= set(entry["sources"]), key


def test_entries_survive_a_round_trip_through_the_writer() -> None:
    for key in GPU_KEYS:
        entry = library.entry(key)
        assert tomllib.loads(write_entry(entry)) == entry


def test_names_and_aliases_find_their_own_entry() -> None:
    for key in ALL_KEYS:
        entry = library.entry(key)
        assert catalog.find(key.upper()).processor.key == key
        for spelling in (entry["name"], *entry.get("aliases", ())):
            for text in (spelling, spelling.upper(), spelling.lower().replace("-", " ")):
                keys = finding.candidates(text)
                assert key in keys, (key, text, keys)
        assert catalog.find(entry["name"]).processor.key == key
        for name in entry.get("default_for", ()):
            assert catalog.find(name).processor.key == key, name


def test_ambiguous_names_have_a_declared_default() -> None:
    index = library.index()
    for model, keys in index["models"].items():
        if len(keys) > 1 and model:
            found = finding.default_of(model, keys)
            spelled = [k for k in index["flat"].get(model, ()) if k in keys]
            named = index["defaults"].get(model) or (spelled[0] if len(spelled) == 1 else None)
            assert found == named, f"{model!r} fits {keys}: one of them needs it in default_for"


def test_no_alias_is_claimed_twice_without_a_default() -> None:
    index = library.index()
    for spelling, keys in index["flat"].items():
        if len(keys) > 1:
            assert index["defaults"].get(spelling) in keys, (spelling, keys)


def test_no_default_is_declared_twice() -> None:
    index = library.index()
    declared = [flat(n) for e in index["entries"].values() for n in e["default_for"]]
    assert len(declared) == len(set(declared)), sorted(n for n in declared if declared.count(n) > 1)


def test_peaks_are_what_vendors_print(processors: list[Processor]) -> None:
    compared = 0
    for p in processors:
        rates = library.architecture(p.architecture).get("rates", {})
        for name, printed in p.published.items():
            resource = Resource(name)
            peak = p.supplies[resource].peak_per_s
            assert peak is not None, (p.name, name)
            # Tensor figures of Hopper and Blackwell are printed at a lower clock: 1830 of 1980 MHz on H100 SXM, and
            # 1835 of 1965 on B200. FP64 tensor figures are not.
            lower = resource.value.startswith(("flops_tensor", "ops_tensor")) and name != "flops_tensor_fp64"
            expected = peak * (rates.get("tensor_clock_fraction", 1.0) if lower else 1.0)
            tolerance = DRAM_TOLERANCE if resource is Resource.BYTES_DRAM else COMPUTE_TOLERANCE
            assert expected == pytest.approx(printed, rel=tolerance), (p.name, name)
            compared += 1
    assert compared > 250


def test_supplies_are_plausible(processors: list[Processor]) -> None:
    for p in processors:
        for name, s in [*p.supplies.items(), *p.variants.items()]:
            assert 0 < s.per_s < 1e17, (p.name, name)
            assert 0 <= s.relative_uncertainty <= 0.95, (p.name, name)
            assert s.source, (p.name, name)
            assert (s.kind is Kind.ESTIMATED) == ("estimated" in s.source), (p.name, name, s.source)
            if s.domain is Domain.SM:
                assert s.clock_hz is not None
                assert 0.3 < s.clock_hz / p.clock_hz_boost < 1.35, (p.name, name)
            if s.peak_per_s is not None:
                at_clock = s.peak_per_s * (s.clock_hz or p.clock_hz_boost) / p.clock_hz_boost
                assert s.per_s <= at_clock * 1.0001, (p.name, name)


def test_every_gpu_has_the_supplies_that_a_roofline_needs(processors: list[Processor]) -> None:
    for p in processors:
        if p.is_gpu:
            assert {Resource.FLOPS_FP32, Resource.BYTES_DRAM} <= set(p.supplies), p.name
            if p.capacity_bytes_l2:
                assert Resource.BYTES_L2 in p.supplies, p.name
            for needed in ("bytes_dram:init", "bytes_dram:read", "bytes_dram:copy", "bytes_dram:triad"):
                assert needed in p.variants, (p.name, needed)
            assert p.launch_floor_s, p.name


def test_measured_values_come_from_the_first_of_a_quantity() -> None:
    a100 = catalog.gpu("A100-SXM4-80GB")
    assert a100.supplies[Resource.BYTES_L2].per_s == pytest.approx(5.4066e12)
    assert a100.supplies[Resource.BYTES_L2].kind is Kind.MEASURED
    assert a100.supplies[Resource.BYTES_L1].per_s == pytest.approx(126.195 * 108 * 1.41e9)
    assert a100.launch_floor_s == pytest.approx(2.61293e-6)
    assert a100.latency_cycles_l2 == 205.7


def test_van_lanker_table_1_is_in_the_catalog() -> None:
    for name, dram, l2, l1 in (("H100 PCIe", 1907, 7758, 25330), ("V100-PCIE-32GB", 846, 2460, 13963)):
        entry = library.entry(catalog.gpu(name).key)
        values = {(i["quantity"], i["value"]) for i in entry["measured"] if i["source"] == "van-lanker-2024"}
        texts = " ".join(v for _, v in values)
        for number in (dram, l2, l1):
            assert f"{number / 1000:g} TB/s" in texts or f"{number:g} GB/s" in texts, (name, number)


def test_estimates_are_marked_and_follow_their_class() -> None:
    rtx = catalog.gpu("RTX 4070")
    l2 = rtx.supplies[Resource.BYTES_L2]
    assert l2.kind is Kind.ESTIMATED
    assert l2.per_s == pytest.approx(15.3646 * 46 * 2.475e9)
    assert 0.08 < l2.relative_uncertainty < 0.15


def test_power_limited_cards_lose_clock_and_not_width() -> None:
    t4 = catalog.gpu("Tesla T4")
    fp32 = t4.supplies[Resource.FLOPS_FP32]
    assert fp32.per_s == pytest.approx(40 * 128 * 805e6)
    assert t4.rate(Resource.FLOPS_FP32) == pytest.approx(fp32.per_s)
    assert t4.rate(Resource.FLOPS_FP32, 585e6) == pytest.approx(40 * 128 * 585e6)


def test_cards_above_their_rated_boost_have_the_peak_at_boost() -> None:
    card = catalog.gpu("RTX 2080 Ti")
    fp32 = card.supplies[Resource.FLOPS_FP32]
    assert fp32.peak_per_s is not None
    assert fp32.per_s > 1.2 * fp32.peak_per_s
    assert card.rate(Resource.FLOPS_FP32) == pytest.approx(fp32.peak_per_s)
    assert card.clock_hz_sustained == pytest.approx(1.943e9, rel=1e-3)


def test_boat_hull_processors_have_the_figures_of_the_paper() -> None:
    i7, q8300 = catalog.gpu("Core i7-930"), catalog.gpu("Q8300")
    assert [p.supplies[Resource.FLOPS_FP32].per_s for p in (q8300, i7)] == [40e9, 90e9]
    assert [p.supplies[Resource.BYTES_DRAM].per_s for p in (q8300, i7)] == [4.7e9, 12.2e9]
    assert [p.sm_count * (p.max_threads_per_sm or 0) for p in (q8300, i7)] == [4, 8]
    assert [p.warp_size for p in (q8300, i7)] == [4, 4]
    gtx470, gts250 = catalog.gpu("GTX470"), catalog.gpu("GTS250")
    for p, peak, dram, scattered, bus in ((gtx470, 1089, 95, 5.9, 5.1), (gts250, 470, 56, 3.5, 2.1)):
        assert p.supplies[Resource.FLOPS_FP32].peak_per_s == pytest.approx(peak * 1e9, rel=1e-3)
        assert p.variants["bytes_dram:copy"].per_s == dram * 1e9
        assert p.variants["bytes_dram:uncoalesced"].per_s == scattered * 1e9
        assert p.variants["bytes_host_link:h2d"].per_s == bus * 1e9


def test_l1_bandwidth_depends_on_load_width_since_ga10x() -> None:
    a40 = catalog.gpu("A40")
    per_clock = 84 * 1.74e9
    assert a40.variants["bytes_l1:load_4b"].per_s / per_clock == pytest.approx(63.99, abs=0.01)
    assert 118 < a40.variants["bytes_l1:load_16b"].per_s / per_clock < 128


def test_absent_stays_absent() -> None:
    old = catalog.gpu("GTS 250")
    assert Resource.FLOPS_FP64 not in old.supplies
    assert Resource.BYTES_L1 not in old.supplies
    assert old.capacity_bytes_dram is None
    assert Resource.FLOPS_TENSOR_FP8 not in catalog.gpu("A100").supplies


def test_arrays_of_machines_agree_with_single_processors(processors: list[Processor]) -> None:
    some = [p for p in processors if p.key in ("nvidia-t4", "nvidia-rtx-2080-ti", "amd-mi300x", "nvidia-gts-250")]
    for clock in (300e6, 805e6, 1.5e9, 2.5e9):
        machines = Machines.of(some, clock_hz=np.full(len(some), clock))
        for resource in Resource:
            single = [p.rate(resource, clock) for p in some]
            assert machines.rate(resource) == pytest.approx(single, rel=1e-12, nan_ok=True), (resource, clock)


def test_own_measurements_stand_beside_those_of_the_entry() -> None:
    """Ours counts, but of rates the higher one; the other is named beside it."""
    for path in sorted(MEASUREMENTS.glob("*.toml")):
        own = load(path)
        assert own["gpu"] == path.stem
        assert all(own[name] for name in ("command", "driver", "tool", "clocks", "date"))
        entry, shipped = library.entry(path.stem), load(ROOT / "gpus" / path.name)
        validated(GpuEntry, entry, path.name)
        assert len(entry["measured"]) == len(own["measured"]) + len(shipped["measured"])
        assert entry["measured"][0]["date"] == own["date"]
        assert own["driver"] in entry["measured"][0]["source"]
    h100 = library.processor("nvidia-h100-sxm5-80gb")
    assert h100.launch_floor_s == pytest.approx(1.66e-6)
    fma = h100.variants["flops_fp64:fma"]
    assert fma.per_s == pytest.approx(33.29e12, rel=1e-3)
    assert "also 31.184 TFLOP/s (ProjectPhysX/OpenCL-Benchmark" in fma.source
    triad = h100.variants["bytes_dram:triad"]
    assert triad.per_s == pytest.approx(2.97e12)
    assert "also 2.8391 TB/s (own" in triad.source


def test_products_are_held_apart_by_how_long_they_ran_and_on_what() -> None:
    rates = {kind: library.processor("nvidia-h100-sxm5-80gb").variants[f"flops_tensor_bf16:{kind}"].per_s / 1e12
             for kind in ("burst", "sustained", "sustained_zeros", "mma")}  # fmt: skip
    assert rates["sustained"] == pytest.approx(671.6, rel=1e-3)
    assert rates["mma"] < rates["sustained"] < rates["sustained_zeros"] < rates["burst"]


def test_instructions_of_one_warp_are_no_ceiling_where_wider_ones_are_faster() -> None:
    h200 = library.processor("nvidia-h200-sxm")
    assert h200.rate(Resource.FLOPS_TENSOR_TF32) > h200.variants["flops_tensor_tf32:mma"].per_s
