"""Parts of a GPU, GPUs under a power cap, instances of clouds, and names that people leave half of."""

from __future__ import annotations

import pytest

from roofcast import catalog
from roofcast.catalog.instances import instances
from roofcast.catalog.partitions import SMS
from roofcast.catalog.prices import parse_prices, read_prices
from roofcast.core.errors import CatalogEntryError, RoofcastError, UnknownProcessorError
from roofcast.core.resource import Resource


@pytest.mark.parametrize(
    ("name", "sms", "gib"),
    [
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", 14, 5),
        ("A100-SXM4-40GB{mig=7g.40gb}", 98, 40),
        ("A100 SXM4 80GB MIG 1g.20gb", 14, 20),
        ("NVIDIA H100 80GB HBM3 MIG 3g.40gb", 60, 40),
        ("H100 SXM5 80GB{mig=3g.40gb}", 60, 40),
        ("H100 PCIe MIG 2g.20gb     Device  0: (UUID: MIG-1)", 30, 20),
        ("A30 MIG 2g.12gb", 28, 12),
        ("H200 SXM{mig=1g.18gb}", 16, 17.625),
        ("B200{mig=7g.180gb}", 126, 180),
    ],
)
def test_slices_have_the_sms_and_memory_of_the_vendors_table(name: str, sms: int, gib: float) -> None:
    part = catalog.gpu(name)
    assert part.sm_count == sms
    assert part.capacity_bytes_dram == pytest.approx(gib * 2**30)
    board = catalog.gpu(name.partition(" MIG")[0].partition("{")[0])
    assert board.capacity_bytes_dram is not None
    assert part.capacity_bytes_dram is not None
    memory = part.capacity_bytes_dram / board.capacity_bytes_dram
    assert part.rate(Resource.BYTES_DRAM) == pytest.approx(board.rate(Resource.BYTES_DRAM) * memory)
    assert part.rate(Resource.BYTES_L2) == pytest.approx(board.rate(Resource.BYTES_L2) * memory)
    assert part.rate(Resource.FLOPS_FP32) == pytest.approx(board.rate(Resource.FLOPS_FP32) * sms / board.sm_count)


def test_a_profile_recorded_on_a_slice_finds_it() -> None:
    found = catalog.find("NVIDIA A100-SXM4-40GB MIG 3g.20gb", sm_count=42, compute_capability="8.0")
    assert found.processor.sm_count == 42


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("MIG 3g.40gb Device 0: (UUID: MIG-1)", "name the GPU too"),
        ("H100 SXM5 80GB MIG 5g.50gb", "unknown GPU"),
        ("H100 SXM5 80GB{mig=3g.20gb}", "no MIG profile"),
        ("RTX 4090{mig=1g.3gb}", "no MIG slices"),
        ("GRID A100-10C", "vGPU"),
        ("NVIDIA A40-48Q", "vGPU"),
        ("Apple M3 Max", "Apple"),
        ("MI300X{partition=XYZ}", "no partition"),
        ("H100 SXM5 80GB{power=50W}", "draws idle"),
        ("H100 SXM5 80GB{power=lots}", "power"),
    ],
)
def test_what_is_no_part_is_refused_in_one_line(name: str, says: str) -> None:
    with pytest.raises((UnknownProcessorError, CatalogEntryError), match=says) as error:
        catalog.gpu(name)
    assert "\n" not in str(error.value)


def test_seven_slices_are_never_more_than_the_board() -> None:
    for (_, board), counts in SMS.items():
        assert all(sms <= board for sms in counts.values())
        assert sorted(counts.values()) == [counts[c] for c in sorted(counts)]


def test_amd_partitions_by_mode() -> None:
    for name in ("MI300X{partition=CPX/NPS4}", "MI300X{partition=cpx}", "MI300X CPX"):
        assert catalog.gpu(name).sm_count == 38


def test_a_power_cap_lowers_the_clock_and_not_the_memory() -> None:
    free = catalog.gpu("H100 SXM5 80GB")
    clocks = [catalog.gpu(f"H100 SXM5 80GB{{power={w}W}}").clock_hz_boost for w in (300, 500, 650)]
    assert clocks == sorted(clocks)
    assert clocks[-1] < free.clock_hz_boost
    assert catalog.gpu("H100 SXM5 80GB{power=700W}").clock_hz_boost == free.clock_hz_boost
    capped = catalog.gpu("H100 SXM5 80GB{power=500W}")
    assert capped.tdp_w == 500
    assert capped.clock_hz_boost == pytest.approx(free.clock_hz_boost * (360 / 560) ** (1 / 3))
    assert capped.rate(Resource.BYTES_DRAM) == free.rate(Resource.BYTES_DRAM)
    assert capped.rate(Resource.FLOPS_FP32) < free.rate(Resource.FLOPS_FP32)


@pytest.mark.parametrize(
    ("name", "gpu", "count"),
    [
        ("p5.48xlarge", "H100 SXM5 80GB", 8),
        ("a2-highgpu-1g", "A100 SXM4 40GB", 1),
        ("Standard_ND96isr_H100_v5", "H100 SXM5 80GB", 8),
        ("nd96isr_h100_v5", "H100 SXM5 80GB", 8),
        ("g5.12xlarge", "A10G", 4),
        ("BM.GPU.MI355X.8", "Instinct MI355X", 8),
    ],
)
def test_instances_are_their_gpu_and_count(name: str, gpu: str, count: int) -> None:
    match = catalog.parse_target(name)
    assert (match.processor.name, match.count) == (gpu, count)
    assert (f"{count} x" in " ".join(match.notes)) == (count > 1)


def test_every_instance_has_a_gpu_of_the_catalog() -> None:
    assert len({i.name for i in instances().values()}) > 100
    for gpu in {i.gpu for i in instances().values()}:
        assert catalog.find(gpu).processor.is_gpu
        assert catalog.find(gpu).notes == (), gpu


@pytest.mark.parametrize(
    ("short", "name"),
    [("4090", "GeForce RTX 4090"), ("7900 XTX", "Radeon RX 7900 XTX"), ("A6000", "RTX A6000"), ("B580", "Arc B580")],
)
def test_a_number_alone_is_the_card(short: str, name: str) -> None:
    assert catalog.gpu(short).name == name


def test_prices_name_whatever_a_target_may_be() -> None:
    prices = parse_prices(
        {
            "gpus": {
                "p5.48xlarge": {"rent_usd_per_hour": 80.0},
                "H100 SXM5 80GB{power=500W}": {"price_usd": 20000.0},
                "MI300X CPX": {"rent_usd_per_hour": 1.0},
            }
        }
    )
    assert prices.of(catalog.gpu("H100 SXM5 80GB")).rent_usd_per_hour == 10.0
    assert prices.of(catalog.gpu("H100 SXM5 80GB")).gpus == 8
    assert prices.of(catalog.gpu("MI300X CPX")).rent_usd_per_hour == 1.0
    with pytest.raises(RoofcastError, match="given twice"):
        parse_prices({"gpus": {"p5.48xlarge": {"price_usd": 1.0}, "P5.48XLARGE": {"price_usd": 1.0}}})


def test_public_prices_are_few_dated_and_sourced() -> None:
    prices = read_prices("public")
    rows = [*prices.by_instance.values(), *prices.by_key.values()]
    assert 20 < len(prices.by_instance) <= 50
    assert all(p.source and p.date for p in rows)
    assert "2026" in prices.note
    assert read_prices("public").of(catalog.gpu("RTX 4090")).rent_usd_per_hour is None


def test_server_cpus_are_there_for_the_boat_hull() -> None:
    for name in ("EPYC Milan", "EPYC Genoa", "EPYC Turin", "Xeon Ice Lake", "Xeon Sapphire Rapids", "Grace"):
        p = catalog.gpu(name)
        assert not p.is_gpu
        assert {Resource.FLOPS_FP32, Resource.BYTES_DRAM} <= set(p.supplies)
        cycles = p.supplies[Resource.FLOPS_FP32].per_s / (p.sm_count * p.clock_hz_boost)
        assert cycles == pytest.approx(
            64 if name in ("EPYC Turin", "Xeon Ice Lake", "Xeon Sapphire Rapids") else 32, rel=0.01
        )
