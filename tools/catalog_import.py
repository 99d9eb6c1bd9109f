"""Write catalog entries from the tables of GPU facts: ``python tools/catalog_import.py FOLDER``.

FOLDER holds gpus_long.csv, arch.csv, measured_ceilings.csv and rule_exclusions.csv. What was curated by hand (aliases,
declared defaults, the vendors' published figures, corrections) stands in catalog_curated.toml beside this script.
"""

from __future__ import annotations

import csv
import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from catalog_measured import measured

from roofcast.catalog.schema import ArchitectureEntry, CpuEntry, GpuEntry, validated
from roofcast.catalog.writing import write_entry

HERE = Path(__file__).parent
TARGET = HERE.parent / "src" / "roofcast" / "catalog"

RATES = {
    "fp64_fma_per_clk": "fp64_fma", "fp32_fma_per_clk": "fp32_fma", "fp16_fma_per_clk": "fp16_fma",
    "bf16_fma_per_clk": "bf16_fma", "int32_add_per_clk": "int32_add", "int32_mul_per_clk": "int32_mul",
    "mufu_per_clk": "special", "ldst_lanes_per_clk": "lsu_lanes", "shfl_per_clk": "shuffle",
    "l1_b_per_clk_32bit_loads": "l1_bytes_load_4b", "l1_b_per_clk_128bit_loads": "l1_bytes_load_16b",
    "smem_b_per_clk": "shared_bytes", "tensor_fp64_flop_per_clk": "tensor_fp64_flop",
    "tensor_tf32_flop_per_clk": "tensor_tf32_flop", "tensor_fp16_flop_per_clk": "tensor_fp16_flop",
    "tensor_fp16_fp32acc_flop_per_clk": "tensor_fp16_fp32acc_flop", "tensor_bf16_flop_per_clk": "tensor_bf16_flop",
    "tensor_fp8_flop_per_clk": "tensor_fp8_flop", "tensor_fp4_flop_per_clk": "tensor_fp4_flop",
    "tensor_int8_op_per_clk": "tensor_int8_op",
}  # fmt: skip
COUNTS = {
    "max_threads_per_sm": "max_threads_per_sm", "max_warps_per_sm": "max_warps_per_sm",
    "max_blocks_per_sm": "max_blocks_per_sm", "max_threads_per_block": "max_threads_per_block",
    "regs_per_sm": "regs_per_sm", "max_regs_per_thread": "max_regs_per_thread",
    "reg_alloc_granularity": "reg_alloc_granularity", "subpartitions_per_sm": "subpartitions_per_sm",
}  # fmt: skip
KIB = {"smem_per_sm_max_kib": "smem_per_sm", "smem_per_block_optin_kib": "smem_per_block"}
BYTES = {"smem_reserved_per_block_b": "smem_reserved_per_block", "smem_alloc_granularity_b": "smem_alloc_granularity",
         "l1_line_b": "l1_line", "l1_sector_b": "l1_sector"}  # fmt: skip
PLAIN = {
    "sm_count": ("sm_count", "{:d}", int), "boost_clock_mhz": ("clock_boost", "{:g} MHz", float),
    "base_clock_mhz": ("clock_base", "{:g} MHz", float), "mem_type": ("memory_type", "{}", str),
    "mem_size_gb": ("memory_size", "{:g} GiB", float), "mem_bus_bits": ("memory_bus_bits", "{:d}", int),
    "mem_data_rate_gbps": ("memory_data_rate", "{:g} Gbit/s", float),
    "l2_partitions": ("l2_partitions", "{:d}", int), "nvlink_total_gbs": ("peer_link_bandwidth", "{:g} GB/s", float),
    "tdp_w": ("tdp", "{:g} W", float), "launch_date": ("launch_date", "{}", str),
    "launch_price_usd": ("launch_price", "{:g} USD", float),
}  # fmt: skip


def without_ids(text: str) -> str:
    """A list of sources without the ids that only their collector can resolve."""
    return re.sub(r" (?:\(GitHub file ids? [\d, ]+\)|\(id \d+\)|via id \d+|report id \d+)", "", text)


def number(text: str) -> int | float:
    value = float(text)
    return int(value) if value.is_integer() else value


def kib(text: str) -> str:
    """A size in KiB as ``48 KiB`` or ``50 MiB``."""
    value = float(text)
    return f"{value / 1024:g} MiB" if value >= 1024 and (value / 1024).is_integer() else f"{value:g} KiB"


def architecture(row: Mapping[str, str], curated: Mapping[str, Any]) -> dict[str, Any]:
    limits: dict[str, Any] = {k2: int(row[k]) for k, k2 in COUNTS.items() if row[k]}
    # Intel compiles kernels for 16 or 32 lanes; 32 is what a warp is elsewhere.
    limits = {"warp_size": int(row["warp_size"].split(";")[-1]), **limits}
    limits |= {"reg_alloc_unit": row["reg_alloc_unit"]} if row["reg_alloc_unit"] else {}
    limits |= {k2: kib(row[k]) for k, k2 in KIB.items() if row[k]}
    configs = row["smem_configs_kib"].split(";") if row["smem_configs_kib"] else []
    limits |= {"smem_configs": [kib(c) for c in configs]} if configs else {}
    limits |= {k2: f"{int(row[k])} B" for k, k2 in BYTES.items() if row[k]}
    limits |= {"l1": kib(row["l1_smem_unified_kib"])} if row["l1_smem_unified_kib"] else {}
    capability = row["arch_key"][3:] if row["arch_key"].startswith("sm_") else ""
    entry: dict[str, Any] = {"key": row["arch_key"], "vendor": row["vendor"], "family": row["architecture"]}
    entry |= {"compute_capability": f"{capability[:-1]}.{capability[-1]}"} if capability else {}
    entry |= {"notes": [n.strip() for n in row["notes"].strip("; ").split(";") if n.strip()]}
    rates = {k2: number(row[k]) for k, k2 in RATES.items() if row.get(k)}
    entry |= {"limits": limits, "rates": rates, "sources": {"default": f"arch: {without_ids(row['sources'])}"}}
    return merged(entry, curated)


def merged(entry: dict[str, Any], curated: Mapping[str, Any]) -> dict[str, Any]:
    """The entry with curated values over it; tables merge key by key, lists and values replace."""
    for key, value in curated.items():
        entry[key] = {**entry.get(key, {}), **value} if isinstance(value, dict) else value
    return entry


def source(row: Mapping[str, str]) -> str:
    """``key[, confidence][: note]`` of one fact."""
    confidence = "" if row["confidence"] in ("high", "") else f", {row['confidence']}"
    # The key itself says so: no second "unverified" for the confidence.
    key = row["source_key"] + ("" if row["source_key"] == "unverified" else confidence)
    return f"{key}: {row['note']}" if row["note"] else key


def gpu(key: str, facts: Mapping[str, Mapping[str, str]], arch: Mapping[str, str]) -> dict[str, Any]:
    entry: dict[str, Any] = {"key": key, "name": short_name(facts["name"]["value"]), "vendor": facts["vendor"]["value"]}
    entry |= {"architecture": facts["arch_key"]["value"], "segment": "datacentre"}
    entry["aliases"] = [a for a in facts["aliases"]["value"].split(";") if not a.startswith("gfx")]
    sources = {"name": source(facts["name"]), "aliases": source(facts["aliases"])}
    for field, (name, form, kind) in PLAIN.items():
        if field in facts:
            value = kind(number(facts[field]["value"]) if kind is not str else facts[field]["value"])
            entry[name] = value if form in ("{:d}", "{}") else form.format(value)
            sources[name] = source(facts[field])
    for field, name in (("l2_kib", "l2"), ("llc_kib", "llc")):
        if field in facts:
            entry[name], sources[name] = kib(facts[field]["value"]), source(facts[field])
    if facts.get("dram_bw_theory_gbs", {}).get("kind") == "spec":
        row = facts["dram_bw_theory_gbs"]
        entry["memory_bandwidth"], sources["memory_bandwidth"] = f"{float(row['value']):g} GB/s", source(row)
        if "memory_data_rate" not in entry or "memory_bus_bits" not in entry:
            for gone in ("memory_data_rate", "memory_bus_bits"):
                entry.pop(gone, None), sources.pop(gone, None)
    host_link(entry, sources, facts)
    per_gpu_rates(entry, sources, facts, arch)
    entry["sources"] = sources
    entry["notes"] = [n.strip() for n in facts["note"]["value"].split(";")] if "note" in facts else []
    return entry


def short_name(text: str) -> str:
    """``H100 SXM5 80 GB`` as ``H100 SXM5 80GB``: one token for a size."""
    return re.sub(r"(\d+) GB\b", r"\1GB", text)


LINKS = {"C2C": "NVLink-C2C", "IF": "Infinity Fabric", "APU": "APU: memory shared with the CPU"}


def host_link(entry: dict[str, Any], sources: dict[str, str], facts: Mapping[str, Mapping[str, str]]) -> None:
    generation, _, lanes = facts["host_link"]["value"].partition("x")
    if generation.isdigit():
        entry["host_link"] = f"PCIe {generation}.0 x{lanes}"
    else:
        entry["host_link"] = LINKS[facts["host_link"]["value"]]
    sources["host_link"] = source(facts["host_link"])


def per_gpu_rates(
    entry: dict[str, Any], sources: dict[str, str], facts: Mapping[str, Mapping[str, str]], arch: Mapping[str, str]
) -> None:
    """Rates of this GPU that its architecture does not have."""
    changed = {f: n for f, n in RATES.items() if f in facts and facts[f]["value"] != arch.get(f, "")}
    if changed:
        entry["rates"] = {n: number(facts[f]["value"]) for f, n in changed.items()}
        sources |= {f"rates.{n}": source(facts[f]) for f, n in changed.items()}
    if "l1_kib_per_sm" in facts:
        entry["limits"] = {"l1": kib(facts["l1_kib_per_sm"]["value"])}
        sources["limits.l1"] = source(facts["l1_kib_per_sm"])


def segment(name: str, key: str) -> str:
    if any(w in name for w in ("GeForce", "TITAN", "Radeon RX", "Radeon VII", "Arc ")):
        return "consumer"
    return "workstation" if any(w in name for w in ("Quadro", "RTX", "PRO")) else "datacentre"


def geforce_tensor(entry: dict[str, Any], rates: Mapping[str, float]) -> None:
    """GeForce runs matrix products with FP32 accumulation (all of BF16 and TF32) at half rate since Ampere."""
    half = entry["segment"] == "consumer" and entry["architecture"] in ("sm_86", "sm_89", "sm_120")
    for name in ("tensor_bf16_flop", "tensor_tf32_flop"):
        if half and name in rates:
            entry.setdefault("rates", {})[name] = rates[name] / 2
            entry["sources"][f"rates.{name}"] = "arch, medium: half rate on GeForce"


def write(folder: str, model: Any, entry: dict[str, Any]) -> None:
    validated(model, entry, entry["key"])
    shared = ("notes", "limits", "rates", "sources")
    entry = {k: entry[k] for k in (*(f for f in model.model_fields if f not in shared), *shared) if k in entry}
    path = TARGET / folder / f"{entry['key']}.toml"
    path.write_text(write_entry(entry), encoding="utf-8")


def main() -> None:
    folder = Path(sys.argv[1])
    curated = tomllib.loads((HERE / "catalog_curated.toml").read_text(encoding="utf-8"))
    with (folder / "arch.csv").open(newline="") as file:
        rows = {r["arch_key"]: r for r in csv.DictReader(file)}
    shared = {key: architecture(row, curated["architectures"].get(key, {})) for key, row in rows.items()}
    for entry in shared.values():
        write("architectures", ArchitectureEntry, entry)
    facts: dict[str, dict[str, dict[str, str]]] = {}
    with (folder / "gpus_long.csv").open(newline="") as file:
        for fact in csv.DictReader(file):
            facts.setdefault(fact["gpu"], {})[fact["field"]] = fact
    ceilings = measured(folder)
    chips = {key: chip for chip, keys in curated["chips"].items() for key in keys}
    for key, of_gpu in facts.items():
        arch = rows[of_gpu["arch_key"]["value"]]
        entry = gpu(key, of_gpu, arch)
        entry |= {"segment": segment(entry["name"], key), "chip": chips[key]}
        geforce_tensor(entry, shared[entry["architecture"]]["rates"])
        entry["measured"] = ceilings.get(key, [])
        write("gpus", GpuEntry, merged(entry, curated["gpus"].get(key, {})))
    for key, entry in curated["cpus"].items():
        write("cpus", CpuEntry, {"key": key, **entry})


if __name__ == "__main__":
    main()
