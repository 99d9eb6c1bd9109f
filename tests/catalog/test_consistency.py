"""What entries of one architecture, one die and one vendor must agree in, and what no rate may exceed."""

from __future__ import annotations

from collections import defaultdict

import pytest

from roofcast import catalog
from roofcast.catalog import library
from roofcast.catalog.audit import audit_estimates, fit_catalog
from roofcast.catalog.vocabulary import RATES
from roofcast.core.processor import Kind, Processor
from roofcast.core.resource import FLOPS_TENSOR, FLOPS_VECTOR, Resource

GPUS = [p for p in catalog.processors() if p.is_gpu]
TENSOR = (*FLOPS_TENSOR, Resource.OPS_TENSOR_INT8)
# The GPUs used most today: each has every resource that models use.
TODAY = (
    "V100 SXM2 16GB", "V100 PCIe 16GB", "V100 SXM2 32GB", "Tesla T4", "A100 SXM4 40GB", "A100 SXM4 80GB",
    "A100 PCIe 80GB", "A30", "A10", "A10G", "A40", "A800 SXM4 80GB", "RTX 3090", "RTX A4000", "RTX A5000", "RTX A6000",
    "L4", "L20", "L40", "L40S", "RTX 4090", "RTX 6000 Ada", "H100 PCIe 80GB", "H100 SXM5 80GB", "H100 NVL",
    "H200 SXM 141GB", "H20", "H800 PCIe", "H800 SXM5", "GH200 96GB HBM3", "GH200 144GB HBM3e", "B200", "GB200", "B300",
    "GB300", "RTX 5080", "RTX 5090", "RTX PRO 6000", "RTX PRO 6000 Blackwell Server", "MI100", "MI210", "MI250X",
    "MI300A", "MI300X", "MI325X", "MI350X", "MI355X", "RX 6900 XT", "RX 7900 XTX", "RX 9070 XT", "Arc A770",
    "Arc B580", "Max 1100", "Max 1550",
)  # fmt: skip
EVERY_GPU_HAS = (
    Resource.FLOPS_FP32, Resource.FLOPS_FP16, Resource.FLOPS_BF16, Resource.OPS_INT32, Resource.INSTS_ISSUED,
    Resource.INSTS_SPECIAL, Resource.INSTS_LSU, Resource.BYTES_L1, Resource.BYTES_SHARED, Resource.BYTES_L2,
    Resource.BYTES_DRAM, Resource.ATOMICS_L2,
)  # fmt: skip
# Entries of one die and segment that differ in what it decides, and why.
CUT_BY_DRIVER = {
    "fp64_fma": "the vendor cuts FP64 on some boards of a die (Kepler, Hawaii, H20 and H800)",
    "tensor_fp64_flop": "as FP64",
}
OTHER_MATRIX_RATE = {
    "nvidia-a10g": "NVIDIA and AWS print 70 TFLOP/s for this board, half of the die's rate",
    "nvidia-l40": "181 TFLOP/s printed, half of the die's rate; L40S has it whole",
    "nvidia-l20": "cut for export: 119.5 TFLOP/s printed, half of the die's rate",
    "nvidia-h20": "cut for export: 148 TFLOP/s printed, a quarter of the die's rate",
}
MEASUREMENT = 0.10
"""What two tools may differ by on one card, and power lets a card exceed its rated boost by."""


def rates(p: Processor) -> dict[str, float]:
    entry = library.entry(p.key)
    return {**library.architecture(p.architecture).get("rates", {}), **entry.get("rates", {})}


@pytest.mark.parametrize("name", TODAY)
def test_todays_gpus_have_every_resource_with_its_source(name: str) -> None:
    p = catalog.gpu(name)
    needed = [*EVERY_GPU_HAS, *((Resource.BYTES_LLC,) if p.capacity_bytes_llc else ())]
    assert not [r for r in needed if r not in p.supplies], name
    assert all(p.supplies[r].source for r in needed)
    for latency in ("l1", "shared", "l2", "dram"):
        assert getattr(p, f"latency_cycles_{latency}"), (name, latency)
        assert p.facts[f"latency_cycles_{latency}"].source
    for kind in ("distinct", "same_address", "beyond_l2"):
        assert f"atomics_l2:{kind}" in p.variants, (name, kind)
    texts = [s.source for s in p.supplies.values()] + [f.source for f in p.facts.values()]
    assert not [t for t in texts if "mean of all classes" in t or "any other" in t]


def test_rates_per_clock_are_whole_numbers() -> None:
    for key in {p.architecture for p in GPUS}:
        found = library.architecture(key).get("rates", {})
        assert set(found) <= set(RATES)
        fractions = {n: v for n, v in found.items() if n != "tensor_clock_fraction" and v != int(v)}
        assert not fractions, (key, fractions)
    for p in GPUS:
        own = library.entry(p.key).get("rates", {})
        assert all(v == int(v) for n, v in own.items() if n != "tensor_clock_fraction"), p.name


def test_boards_of_one_die_and_segment_agree_in_what_the_die_decides() -> None:
    groups: dict[tuple[str, str, bool], list[Processor]] = defaultdict(list)
    for p in GPUS:
        # Laptops hold GeForce and professional cards: a vendor sells them as two segments.
        groups[library.chip_of(p.key), p.segment, p.name.startswith("GeForce")].append(p)
    compared = 0
    for (chip, _, _), every in groups.items():
        # Mining cards (CMP) have units switched off.
        boards = [p for p in every if p.key not in OTHER_MATRIX_RATE and not p.name.startswith("CMP")]
        for other in boards[1:]:
            assert other.architecture == boards[0].architecture, (chip, other.name)
            first, second = rates(boards[0]), rates(other)
            differ = {n for n in {*first, *second} if first.get(n) != second.get(n)} - set(CUT_BY_DRIVER)
            # GeForce and TITAN or Tesla share a die in one segment: the vendor halves FP32 sums of GeForce alone.
            differ -= (
                {"tensor_fp16_fp32acc_flop", "tensor_bf16_flop", "tensor_tf32_flop"}
                if "TITAN" in (boards[0].name + other.name)
                else set()
            )
            assert not differ, (chip, boards[0].name, other.name, differ)
            compared += 1
    assert compared > 250


def highest_clock(p: Processor) -> float:
    """What the board is known to reach: rated, sustained, or proven by a measured rate of its vector units."""
    proven = [s.clock_hz or 0.0 for s in p.supplies.values()]
    return max(p.clock_hz_boost, p.clock_hz_sustained or 0.0, *proven)


def test_nothing_is_faster_than_its_units_at_the_highest_clock() -> None:
    for p in GPUS:
        clock = highest_clock(p) / p.clock_hz_boost
        for resource, s in p.supplies.items():
            if s.peak_per_s is None or resource in (Resource.BYTES_DRAM, Resource.BYTES_HOST_LINK):
                assert s.peak_per_s is None or s.per_s <= 1.0001 * s.peak_per_s, (p.name, resource)
                continue
            assert s.per_s <= s.peak_per_s * clock * (1 + MEASUREMENT), (p.name, resource)
            if resource in (*FLOPS_VECTOR, *TENSOR) and s.kind is Kind.MEASURED and s.per_s > s.peak_per_s:
                # A measurement above the rated boost proves a higher clock, which is stored.
                assert (s.clock_hz or 0.0) > p.clock_hz_boost, (p.name, resource)


def test_no_current_target_lacks_what_its_vendor_has_elsewhere() -> None:
    for name in TODAY:
        p = catalog.gpu(name)
        lacking = [r for r in EVERY_GPU_HAS if r not in p.supplies]
        assert not lacking, (name, lacking)


def test_professional_blackwell_has_the_full_rate_and_geforce_half_of_it() -> None:
    boards = [p for p in GPUS if p.architecture == "sm_120" and p.name.startswith("RTX PRO")]
    assert len(boards) >= 8
    for p in boards:
        full = 1024 * p.sm_count * p.clock_hz_boost
        assert p.supplies[Resource.FLOPS_TENSOR_BF16].peak_per_s == pytest.approx(full), p.name
    geforce = catalog.gpu("RTX 5090")
    assert geforce.supplies[Resource.FLOPS_TENSOR_BF16].peak_per_s == pytest.approx(512 * 170 * geforce.clock_hz_boost)


def test_memory_with_ecc_is_slower() -> None:
    for name in ("Tesla T4", "A10", "L4"):
        s = catalog.gpu(name).supplies[Resource.BYTES_DRAM]
        assert s.peak_per_s is not None
        assert 0.74 < s.per_s / s.peak_per_s < 0.84, name


@pytest.mark.slow
def test_stated_uncertainties_hold_for_gpus_that_were_left_out() -> None:
    lines = audit_estimates(fit_catalog())
    assert sum(len(line.errors) for line in lines) > 500
    wrong = {(line.quantity, line.name): line.held for line in lines if not line.is_calibrated}
    assert not wrong


@pytest.mark.slow
def test_the_index_has_the_rules_that_the_entries_give() -> None:
    fitted = [{k: v for k, v in rule.items() if v is not None} for rule in fit_catalog().rules()]
    assert fitted == [rule for rules in library.index()["rules"].values() for rule in rules]
