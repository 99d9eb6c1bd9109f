"""Theoretical supplies: counts x widths x clocks, as every data sheet multiplies them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from roofcast.core.resource import Resource
from roofcast.core.units import parse_quantity

Entry = Mapping[str, Any]

# Resource -> (rate in [rates], operations that one unit of the rate is).
FROM_RATES: dict[Resource, tuple[str, float]] = {
    Resource.FLOPS_FP64: ("fp64_fma", 2), Resource.FLOPS_FP32: ("fp32_fma", 2), Resource.FLOPS_FP16: ("fp16_fma", 2),
    Resource.FLOPS_BF16: ("bf16_fma", 2), Resource.FLOPS_TENSOR_FP64: ("tensor_fp64_flop", 1),
    Resource.FLOPS_TENSOR_FP32: ("tensor_fp32_flop", 1), Resource.FLOPS_TENSOR_TF32: ("tensor_tf32_flop", 1),
    Resource.FLOPS_TENSOR_FP16: ("tensor_fp16_flop", 1), Resource.FLOPS_TENSOR_BF16: ("tensor_bf16_flop", 1),
    Resource.FLOPS_TENSOR_FP8: ("tensor_fp8_flop", 1), Resource.FLOPS_TENSOR_FP4: ("tensor_fp4_flop", 1),
    Resource.OPS_TENSOR_INT8: ("tensor_int8_op", 1), Resource.OPS_INT32: ("int32_add", 1),
    Resource.BYTES_L1: ("l1_bytes_load_4b", 1), Resource.BYTES_SHARED: ("shared_bytes", 1),
}  # fmt: skip
# Thread operations per clock and SM; the resources count warp instructions.
PER_WARP = {Resource.INSTS_SPECIAL: "special", Resource.INSTS_LSU: "lsu_lanes"}

# Bytes per second, direction and lane, after line coding (PCI-SIG base specifications).
PCIE_LANE = {1: 0.25e9, 2: 0.5e9, 3: 8e9 * 128 / 130 / 8, 4: 16e9 * 128 / 130 / 8, 5: 32e9 * 128 / 130 / 8, 6: 7.563e9}
PCIE = re.compile(r"PCIe (\d)\.0 x(\d+)$")


def merged_rates(entry: Entry, architecture: Entry) -> dict[str, float]:
    """Per-SM rates of an entry: its architecture's, with its own over them."""
    return {**architecture.get("rates", {}), **entry.get("rates", {})}


def merged_limits(entry: Entry, architecture: Entry) -> dict[str, Any]:
    """Launch limits of an entry: its architecture's, with its own over them."""
    return {**architecture.get("limits", {}), **entry.get("limits", {})}


def dram_bytes_per_s(entry: Entry) -> float | None:
    """Data rate x bus / 8, unless the bandwidth itself is all that is known.

    >>> dram_bytes_per_s({"memory_bus_bits": 5120, "memory_data_rate": "5.238 Gbit/s"}) / 1e12
    3.35232
    """
    if "memory_bandwidth" in entry:
        return parse_quantity(entry["memory_bandwidth"], "B/s")
    if "memory_bus_bits" in entry and "memory_data_rate" in entry:
        return parse_quantity(entry["memory_data_rate"], "bit/s") * int(entry["memory_bus_bits"]) / 8
    return None


def host_link_bytes_per_s(entry: Entry) -> float | None:
    """Bytes per second and direction of the link to the host; None where it is not PCIe and has no figure."""
    if "host_link_bandwidth" in entry:
        return parse_quantity(entry["host_link_bandwidth"], "B/s")
    match = PCIE.match(entry.get("host_link", ""))
    return PCIE_LANE[int(match[1])] * int(match[2]) if match else None


def peaks(entry: Entry, architecture: Entry) -> dict[Resource, float]:
    """Theoretical supply per second of every resource whose counts are known, at the boost clock."""
    rates, limits = merged_rates(entry, architecture), merged_limits(entry, architecture)
    clocks = int(entry["sm_count"]) * parse_quantity(entry["clock_boost"], "Hz")
    rates_per_s = {r: rates[name] * unit * clocks for r, (name, unit) in FROM_RATES.items() if name in rates}
    warp = limits.get("warp_size")
    if warp:
        rates_per_s |= {r: rates[name] / warp * clocks for r, name in PER_WARP.items() if name in rates}
    if Resource.BYTES_L1 not in rates_per_s and "l1_bytes_load_16b" in rates:
        rates_per_s[Resource.BYTES_L1] = rates["l1_bytes_load_16b"] * clocks
    issue = rates.get("issue", limits.get("subpartitions_per_sm"))
    if issue is not None:
        rates_per_s[Resource.INSTS_ISSUED] = issue * clocks
    for resource, value in (
        (Resource.BYTES_DRAM, dram_bytes_per_s(entry)),
        (Resource.BYTES_HOST_LINK, host_link_bytes_per_s(entry)),
    ):
        if value is not None:
            rates_per_s[resource] = value
    return rates_per_s


def per_second(text: str, unit: str, entry: Entry) -> float:
    """A measured value in base units per second; values per clock are taken at the boost clock.

    >>> per_second("126 B/clk/SM", "B/s", {"sm_count": 132, "clock_boost": "1.98 GHz"}) / 1e12
    32.93136
    """
    head, per_clock, tail = text.partition("/clk")
    if not per_clock:
        return parse_quantity(text, unit)
    value = float(head.split()[0]) * parse_quantity(entry["clock_boost"], "Hz")
    return value * int(entry["sm_count"]) if tail == "/SM" else value
