"""Map measured ceilings of the source tables to the catalog's vocabulary.

Rows of one quantity and method become one entry (median, spread). The most trusted method of a quantity comes first:
that is the one that the catalog uses.
"""

from __future__ import annotations

import csv
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any

from catalog_today import Entries, reported_products, todays

# (the source's quantity, pattern of its method, quantity here); the most trusted of a quantity first.
RULES: tuple[tuple[str, str, str], ...] = (
    ("dram_bw_init", "", "bytes_dram:init"),
    ("dram_bw_write", "", "bytes_dram:init"),
    ("dram_bw_write_ocl", "", "bytes_dram:init"),
    ("dram_bw_read", "", "bytes_dram:read"),
    ("dram_bw_read_paper", "", "bytes_dram:read"),
    ("dram_bw_read_ocl", "", "bytes_dram:read"),
    ("dram_bw_read_ldg128", "", "bytes_dram:read"),
    ("dram_bw_read_clpeak", "", "bytes_dram:read"),
    ("dram_bw_read_mixbench", "", "bytes_dram:read"),
    ("dram_bw_copy_babel", "", "bytes_dram:copy"),
    ("dram_bw_copy", "", "bytes_dram:copy"),
    ("dram_bw_copy_bandwidthTest", "", "bytes_dram:copy"),
    ("dram_bw_copy_p2ptest", "", "bytes_dram:copy"),
    ("dram_bw_memcpy_d2d_halfcounted", "", "bytes_dram:copy"),
    ("dram_bw_scale", "", "bytes_dram:scale"),
    ("dram_bw_mul_babel", "", "bytes_dram:scale"),
    ("dram_bw_ert", "", "bytes_dram:scale"),
    ("dram_bw_add_babel", "", "bytes_dram:add"),
    ("dram_bw_triad_babel", "", "bytes_dram:triad"),
    ("dram_bw_triad4", "", "bytes_dram:triad"),
    ("dram_bw_triad", "", "bytes_dram:triad"),
    ("dram_bw_triad_fp32", "", "bytes_dram:triad"),
    ("dram_bw_triad_stream", "", "bytes_dram:triad"),
    ("dram_bw_triad_paper", "", "bytes_dram:triad"),
    ("dram_bw_stream", "", "bytes_dram:triad"),
    ("dram_bw_dot_babel", "", "bytes_dram:dot"),
    ("dram_bw_stencil3pt", "", "bytes_dram:stencil"),
    ("dram_bw_lbm_effective", "", "bytes_dram:lattice_boltzmann"),
    ("dram_bw_read_misaligned_ocl", "", "bytes_dram:read_misaligned"),
    ("dram_bw_write_misaligned_ocl", "", "bytes_dram:init_misaligned"),
    ("dram_bw_uncoalesced", "", "bytes_dram:uncoalesced"),
    ("llc_bw_read", "", "bytes_llc:read"),
    ("llc_bw_read_stream", "", "bytes_llc:read_stream"),
    ("llc_bw_write_stream", "", "bytes_llc:write"),
    ("llc_bw_scale_stream", "", "bytes_llc:scale"),
    ("llc_bw_triad4_stream", "", "bytes_llc:triad"),
    ("l2_bw_read", "", "bytes_l2:read"),
    ("l2_bw_ert", "", "bytes_l2:read_write"),
    ("l2_bw_readwrite", "", "bytes_l2:read_write"),
    ("l2_bw_read_shared", "", "bytes_l2:read_shared"),
    ("l2_bw_read_stream", "", "bytes_l2:read_stream"),
    ("l2_bw_write_stream", "", "bytes_l2:write"),
    ("l2_bw_scale_stream", "", "bytes_l2:scale"),
    ("l2_bw_triad4_stream", "", "bytes_l2:triad"),
    ("l1_bytes_per_clk_per_sm", r"\(float loads\)", "bytes_l1:load_4b"),
    ("l1_bytes_per_clk_per_sm_fp64loads", "", "bytes_l1:load_8b"),
    ("l1_bytes_per_clk_per_sm", r"float4|16-byte", "bytes_l1:load_16b"),
    ("l1_bytes_per_clk_per_sm_v4", "", "bytes_l1:load_16b"),
    ("l1_bw", "per paper|cachebench", "bytes_l1"),
    ("shared_bytes_per_clk_per_sm", "", "bytes_shared:load_16b"),
    ("shared_bw", "", "bytes_shared:load_8b"),
    ("fp64_peak_measured", "", "flops_fp64:fma"),
    ("fp64_nofma_peak_measured", "", "flops_fp64:add_mul"),
    ("fp64_dgemm_measured", "", "flops_fp64:matmul"),
    ("fp32_peak_measured", "", "flops_fp32:fma"),
    ("fp32_sgemm_measured", "", "flops_fp32:matmul"),
    ("fp16_peak_measured", "", "flops_fp16:fma"),
    ("int32_peak_measured", "", "ops_int32:mad"),
    ("int32_iadd3_per_clk_per_sm", "", "ops_int32:add"),
    ("mufu_per_clk_per_sm", "", "insts_special"),
    ("tensor_bf16_matmul_measured", "", "flops_tensor_bf16:matmul"),
    ("tensor_fp16_wgmma_measured", "", "flops_tensor_fp16:wgmma"),
    ("tensor_fp16_mma_measured", "", "flops_tensor_fp16:mma"),
    ("tensor_fp8_matmul_measured", "", "flops_tensor_fp8:matmul"),
    ("tensor_fp8_wgmma_measured", "", "flops_tensor_fp8:wgmma"),
    ("tensor_fp8_mma_measured", "", "flops_tensor_fp8:mma"),
    ("tensor_int8_mma_measured", "", "ops_tensor_int8:mma"),
    ("pcie_bw_h2d", "", "bytes_host_link:h2d"),
    ("pcie_bw_d2h", "", "bytes_host_link:d2h"),
    ("pcie_bw_bidir", "", "bytes_host_link:bidirectional"),
    ("pcie_bw_h2d_pageable", "", "bytes_host_link:h2d_pageable"),
    ("latency_l1", "", "latency_cycles:l1"),
    ("latency_shared", "", "latency_cycles:shared"),
    ("latency_l2", "", "latency_cycles:l2"),
    ("latency_l2_far", "", "latency_cycles:l2_far"),
    ("latency_llc", "", "latency_cycles:llc"),
    ("latency_dram", "", "latency_cycles:dram"),
    ("latency_dram_far", "", "latency_cycles:dram_far"),
    ("latency_dram_tlbmiss", "", "latency_cycles:dram_tlb_miss"),
    ("latency_fp32_fma", "", "latency_cycles:fp32_fma"),
    ("latency_fp64_fma", "", "latency_cycles:fp64_fma"),
    ("kernel_overhead_a_stream", "", "launch_floor:stream"),
    ("kernel_overhead_backtoback", "", "launch_floor:stream"),
    ("kernel_overhead_a_graph", "", "launch_floor:graph"),
    ("kernel_overhead_a_gridsync", "", "launch_floor:grid_sync"),
    ("kernel_launch_single", "", "launch_floor:single"),
    ("kernel_launch_latency", "", "launch_floor:opencl"),
    ("clock_under_fp32_load", "", "clock:fp32"),
    ("clock_under_dram_load", "", "clock:dram"),
)
# Above the card's DRAM theory, as its aligned run is (which the exclusions list); packed FP32 instructions, twice the
# width that the vendor's figure and most kernels have; 4.14 TB/s, where another tool reads 6.5 and writes 6.7 TB/s.
LEFT_OUT = {
    ("intel-arc-b580", "dram_bw_read_misaligned_ocl"),
    ("amd-mi250x-gcd", "fp32_peak_measured"),
    ("nvidia-b200", "dram_bw_triad_paper"),
}
# Products with FP16 sums, which only GeForce runs faster than those with FP32 sums.
RENAMED = {("nvidia-rtx-4090", "tensor_fp16_mma_measured"): "flops_tensor_fp16:fp16_accumulate"}
FACTOR = {"dram_bw_memcpy_d2d_halfcounted": 2.0, "mufu_per_clk_per_sm": 1 / 32}
LARGER = {"GB/s": "TB/s", "GFLOP/s": "TFLOP/s", "GOP/s": "TOP/s", "ns": "us"}
# Runs on overclocked cards: source -> the clock that the values hold at.
CLOCKS = {"ekondis/gpumembench": "1550 MHz"}
# The paper does not name its cards: its L1 and DRAM figures fit the PCIe ones (its A100 figures fit both).
STAND_FOR = {
    "nvidia-v100-unspecified": ("nvidia-v100-pcie-16gb", "nvidia-v100-pcie-32gb"),
    "nvidia-a100-40gb-unspecified": ("nvidia-a100-pcie-40gb",),
    "nvidia-a100-80gb-unspecified": ("nvidia-a100-pcie-80gb",),
    "nvidia-h100-unspecified": ("nvidia-h100-pcie-80gb",),
}
METHODS = (
    (r"; \d+ SMs at \d+ MHz$|, median of 31 launches, 2 GB arrays of double.*", ""),
    (r"RRZE gpu-small-kernels \((\w+) mode.*", r"RRZE gpu-small-kernels (\1): T = a + V/b"),
    (r"OpenCL-Benchmark dense FMA / a\*b\+c / dp4a", "OpenCL-Benchmark"),
    (r"FluidX3D D3Q19 FP32: MLUP/s \* 153 B per cell update", "FluidX3D D3Q19: cell updates x 153 B"),
    (r"stas00 MAMF finder: best matmul over shapes \(PyTorch\)", "best matmul over shapes (MAMF finder)"),
    (r"RRZE gpu-latency pointer chase.*at (\d+) MHz.*", r"RRZE gpu-latency pointer chase at \1 MHz"),
    (r"(?:HPL/FMA microbenchmark |STREAM-like )?per paper$", "as printed"),
)


# Ids and detours that only their collector can resolve.
UNRESOLVED = r" \(GitHub file ids? [^)]*\)|, read through .*?(?= Table|$)| as quoted in GitHub.*"


def measured(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Measured entries per GPU key, the most trusted first within each quantity."""
    with (folder / "rule_exclusions.csv").open(newline="") as file:
        excluded = {(r["gpu"], r["quantity"]) for r in csv.DictReader(file)}
    groups: dict[str, dict[tuple[int, str], list[dict[str, str]]]] = defaultdict(lambda: defaultdict(list))
    with (folder / "measured_ceilings.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if (row["gpu"], row["quantity"]) in excluded or "theor" in row["note"].partition(";")[2]:
                continue
            if (row["gpu"], row["quantity"]) in LEFT_OUT:
                continue
            rank = rule_of(row)
            if rank is not None:
                for gpu in STAND_FOR.get(row["gpu"], (row["gpu"],)):
                    groups[gpu][rank, short_method(row["method"])].append(row)
    old = {gpu: [entry(rank, method, rows) for (rank, method), rows in sorted(found.items())]
           for gpu, found in groups.items()}  # fmt: skip
    return with_todays(folder, old)


def with_todays(folder: Path, old: Entries) -> Entries:
    """What was measured lately before or behind what the older tables have, and what users report behind both."""
    first, behind = todays(folder / "today")
    by_hand = tomllib.loads((Path(__file__).parent / "catalog_curated.toml").read_text(encoding="utf-8"))["measured"]
    for item in by_hand:
        gpu, ahead = item.pop("gpu"), item.pop("first", False)
        (first if ahead else behind)[gpu].append(item)
    keys = {*old, *first, *behind}
    together = {k: [*first.get(k, ()), *old.get(k, ()), *behind.get(k, ())] for k in keys}
    reported = reported_products(folder.parent / "data" / "torch_gemm_peak" / "gemm_peak.csv.gz", together)
    return {k: [*together.get(k, ()), *reported.get(k, ())] for k in {*keys, *reported}}


def rule_of(row: dict[str, str]) -> int | None:
    """Index of the rule that takes a row; None where the catalog has no use for it."""
    for index, (quantity, method, _) in enumerate(RULES):
        if quantity == row["quantity"] and re.search(method, row["method"]):
            return index
    return None


def short_method(text: str) -> str:
    for pattern, replacement in METHODS:
        text = re.sub(pattern, replacement, text)
    return text.strip(" ;,")


def entry(rank: int, method: str, rows: list[dict[str, str]]) -> dict[str, Any]:
    """One measured entry from all rows of a method: their median, with half the range as spread."""
    values = [float(r["value"]) * FACTOR.get(r["quantity"], 1.0) for r in rows]
    unit = rows[0]["unit"].replace("op/clk", "OP/clk")
    if rows[0]["quantity"] == "mufu_per_clk_per_sm":
        unit = "inst/clk/SM"
    middle = median(values)
    if unit in LARGER and middle >= 1000:
        middle, unit, values = middle / 1000, LARGER[unit], [v / 1000 for v in values]
    quantity = RENAMED.get((rows[0]["gpu"], rows[0]["quantity"]), RULES[rank][2])
    found: dict[str, Any] = {"quantity": quantity, "value": f"{middle:.6g} {unit}", "method": method}
    found["source"] = short_source(r["source"] for r in rows)
    if len(values) > 1 and max(values) > min(values):
        found["spread"] = round((max(values) - min(values)) / (2 * middle), 4)
    found["clock"] = next((c for start, c in CLOCKS.items() if rows[0]["source"].startswith(start)), None)
    found["note"] = note_of(rows)
    return {k: v for k, v in found.items() if v}


def short_source(texts: Iterable[str]) -> str:
    """The first source, and how many more there are."""
    names = list(dict.fromkeys(re.sub(UNRESOLVED, "", t) for t in texts))
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    if names[0].startswith("VanLanker2024"):
        return "van-lanker-2024"
    return ("run log in a public repository" if names[0] == "log" else names[0].strip()) + more


def note_of(rows: list[dict[str, str]]) -> str:
    """The first note, where it says something about the value rather than about the run."""
    note = rows[0]["note"]
    keep = "not named|of which|throttl|host-|suspect|W$|compared|includes|per card|one t|reaches|rated"
    return note if re.search(keep, note) and len(note) < 160 else ""
