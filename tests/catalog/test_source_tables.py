"""The entries against the tables of facts that they were made from, read here a second time and independently."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import pytest

from roofcast import catalog
from roofcast.core.resource import Resource

PEAKS = {
    "fp32_peak_gflops": Resource.FLOPS_FP32, "fp64_peak_gflops": Resource.FLOPS_FP64,
    "fp16_vector_peak_gflops": Resource.FLOPS_FP16, "tensor_fp16_peak_gflops": Resource.FLOPS_TENSOR_FP16,
    "tensor_fp64_peak_gflops": Resource.FLOPS_TENSOR_FP64, "dram_bw_theory_gbs": Resource.BYTES_DRAM,
    "smem_bw_theory_gbs": Resource.BYTES_SHARED, "pcie_bw_per_direction_gbs": Resource.BYTES_HOST_LINK,
}  # fmt: skip
# Corrected by hand, for the reasons that the entries state; a PCIe 6 lane carries 242 of 256 bytes of a flit.
CORRECTED = {
    ("nvidia-k80", "fp32_peak_gflops"), ("nvidia-k80", "fp64_peak_gflops"), ("nvidia-k80", "smem_bw_theory_gbs"),
    ("nvidia-b300", "pcie_bw_per_direction_gbs"),
    ("nvidia-h200-sxm", "l2_kib"),
    ("nvidia-h800-pcie", "fp64_peak_gflops"), ("nvidia-h800-pcie", "tensor_fp64_peak_gflops"),
}  # fmt: skip

Facts = dict[str, dict[str, dict[str, str]]]


@pytest.fixture(scope="module")
def facts(catalog_source_dir: Path) -> Facts:
    found: Facts = defaultdict(dict)
    with (catalog_source_dir / "gpus_long.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            found[row["gpu"]][row["field"]] = row
    return found


def test_every_gpu_of_the_tables_is_an_entry(facts: Facts) -> None:
    assert len(facts) == 78
    assert set(facts) <= set(catalog.keys())


def test_derived_peaks_are_those_of_the_tables(facts: Facts) -> None:
    compared = 0
    for key, fields in facts.items():
        p = catalog.processor(key)
        for field, resource in PEAKS.items():
            if field in fields and (key, field) not in CORRECTED:
                peak = p.supplies[resource].peak_per_s
                assert peak == pytest.approx(float(fields[field]["value"]) * 1e9, rel=2e-3), (key, field)
                compared += 1
    assert compared > 400


def test_counts_and_sizes_are_those_of_the_tables(facts: Facts) -> None:
    for key, fields in facts.items():
        p = catalog.processor(key)
        assert p.sm_count == int(float(fields["sm_count"]["value"])), key
        for field, value in (("l2_kib", p.capacity_bytes_l2), ("llc_kib", p.capacity_bytes_llc)):
            if field in fields and (key, field) not in CORRECTED:
                assert value == float(fields[field]["value"]) * 1024, (key, field)
        for field in ("max_threads_per_sm", "max_blocks_per_sm", "regs_per_sm", "reg_alloc_granularity"):
            if field in fields:
                # The tables count RDNA registers per work-group processor, which is two CUs.
                units = 2 if field == "regs_per_sm" and p.architecture in ("gfx1030", "gfx1100") else 1
                assert getattr(p, field) * units == int(fields[field]["value"]), (key, field)


def test_what_was_unverified_stays_so(facts: Facts) -> None:
    names = {"l2_kib": "capacity_bytes_l2", "mem_size_gb": "capacity_bytes_dram", "mem_type": "memory_type"}
    names |= {"boost_clock_mhz": "clock_hz_boost", "sm_count": "sm_count", "launch_price_usd": "launch_price_usd"}
    seen = 0
    for key, fields in facts.items():
        p = catalog.processor(key)
        for field, name in names.items():
            if field in fields and (key, field) != ("nvidia-k80", "boost_clock_mhz"):
                unverified = fields[field]["source_key"] == "unverified"
                assert (p.facts[name].confidence == "unverified") == unverified, (key, field)
                seen += unverified
    assert seen > 50


def test_excluded_measurements_are_not_used(catalog_source_dir: Path) -> None:
    assert catalog.gpu("V100-PCIE-16GB").supplies[Resource.BYTES_L2].per_s > 2.4e12
    assert "bytes_dram:read" not in {i["quantity"] for i in catalog.entry("amd-mi300a")["measured"]}
    assert "flops_fp32:fma" not in {i["quantity"] for i in catalog.entry("nvidia-k40")["measured"]}
    assert "flops_fp32:fma" not in {i["quantity"] for i in catalog.entry("nvidia-gtx-480")["measured"]}
