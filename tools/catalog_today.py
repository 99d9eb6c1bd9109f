"""Map the facts gathered for today's GPUs (``today/facts.csv``) and the best products that PyTorch users report
(``torch_gemm_peak``) to measured values of the catalog.

Each becomes one value with its own source and licence; no table is copied. They stand behind what an entry already has
of the same quantity unless ``FIRST`` says why they are the better founded.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from roofcast.catalog import find, library
from roofcast.catalog.vocabulary import measured_unit

Entries = dict[str, list[dict[str, Any]]]

# Quantities of the table that are spelled otherwise here.
SPELLED = {
    "atomics_dram:scattered": "atomics_l2:beyond_l2",
    "bytes_dram:read_tma": "bytes_dram:read",
    "bytes_dram:read_cp_async": "bytes_dram:read",
    "flops_fp32:matmul sustained": "flops_fp32:matmul",
    "flops_tensor_bf16:matmul sustained": "flops_tensor_bf16:matmul",
}
# (GPU, source) whose products are the best of short runs, before the power limit bites.
BURST = {
    ("nvidia-l4", "zzc0721/torch-performance-test-data issue #120"),
    ("nvidia-l40s", "zzc0721/torch-performance-test-data@9d82827:database.md"),
}
# A loop that reaches little of what another tool reads is no ceiling: it stands under a kind that is asked last.
LESSER_LOOPS = {("amd-mi300x", "bytes_l2:read", "caps-tum/mt4g"): "bytes_l2:read_stream"}
# An addition to neighbouring words of a sector counts once in L2, where profilers count sectors: eight to one.
FACTOR = {("nvidia-b200", "atomics_l2:distinct"): 1 / 8, ("nvidia-b300", "atomics_l2:distinct"): 1 / 8}
IN_SECTORS = "8 neighbouring additions are one sector operation"

# Measured on another board whose memory is the same.
CARRIED = {("amd-mi355x", "bytes_dram:read"), ("amd-mi355x", "bytes_dram:copy")}
SAME_MEMORY = "on MI350X, which has the same memory"

# In front of what the entry has: (GPU, quantity) -> why.
FIRST = {
    ("nvidia-t4", "flops_tensor_fp16:matmul"): "three cards",
    ("amd-mi355x", "bytes_dram:read"): "plain loads of another tool reach 4.9 TB/s: no ceiling",
    ("nvidia-b300", "bytes_dram:read"): "wide loads; plain ones do not saturate the memory",
    ("nvidia-b300", "bytes_dram:init"): "wide stores",
}

# (GPU, quantity, beginning of the source or of the conditions) -> why it is not taken.
LEFT_OUT = (
    ("nvidia-b200", "bytes_dram:copy", "", "6.06 TB/s, less than the 6.45 that lattice-Boltzmann kernels move there"),
    ("nvidia-b200", "bytes_l2:read", "", "17.6 to 21.2 TB/s by method: the middle stands in catalog_curated.toml"),
    ("nvidia-b300", "flops_tensor_bf16:matmul", "", "zeros draw less power than data; the other row is an old one"),
    ("nvidia-b200", "flops_tensor_bf16:matmul", "torch 2.7.1", "in the older tables"),
    ("nvidia-gb200", "flops_tensor_bf16:matmul", "torch 2.10", "in the older tables"),
    ("amd-mi350x", "flops_tensor_fp16:mma", "", "instruction shapes of CDNA3, at half rate"),
    ("amd-mi100", "bytes_shared:load_4b", "", "its own maintainers call figures of this run too high"),
    ("nvidia-t4", "flops_tensor_fp16:matmul", "torch matmul sweep", "a third card at 0.6 of three others"),
    ("nvidia-h800-pcie", "latency_cycles:l2", "", "in the older tables"),
    ("nvidia-rtx-3090", "bytes_dram:read", "", "an 'achievable' figure without a method"),
    ("nvidia-b300", "insts_lsu", "1.0 / clk", "arithmetic"),
)
SOURCES = (
    (r"GitHub index file id 61157311288.*", "notes of a run on 8 B200, public repository, owner unknown"),
    (r", as quoted in .*", ""),
    (r"GitHub index 'Blackwell-MatMul' README.*", "README of 'Blackwell-MatMul', owner unknown"),
    (r" branch f2fp-deep-dive, b300_clean/", "@f2fp-deep-dive:b300_clean/"),
    (r"; (?:index file|justification of).*| \(index file id \d+\)", ""),
    (r":latency/README.md \+ latency/data/\*\.dat", ":latency/README.md"),
)
METHOD_NOTE = re.compile(r"^same memory, carried over from MI350X; original: ")
LICENCES = {"MIT": "MIT", "Apache": "Apache-2.0", "CC BY-SA": "CC BY-SA 4.0"}
PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"))
UNITS = {"atomics_l2": "atomic/s", "insts_special": "inst/s", "insts_lsu": "inst/s"}
METHODS = (
    (
        r"^no lock unless stated; random permutation chain.*?, 1 thread; ?(.*)$",
        r"random pointer chain, one thread, clock not locked",
    ),
    (r"^torch\.matmul, square, best of n=1024\.\.10240, ?(.*)$", r"torch.matmul, best of n = 1024 to 10240"),
    (r"^8xB200, driver [^;]*; ?", ""),
    (r"^B300 SXM6 AC, driver [^;]*; ?", ""),
    (r"^clpeak 2\.0\.18 CUDA, driver 13\.3, real clock about 2\.75 GHz \(rated 2497\)(?:; )?", "clpeak 2.0.18, "),
    (r"^MI200-class with 104 CUs.*$", "AMD's roofline micro-benchmark, ROCm 6.0.2"),
    (r"^torch matmul sweep.*$", "torch.matmul, best of a sweep to n = 6888"),
    (r"^torch tensor copy.*$", "torch tensor copy of up to 1 GB"),
)


def rows(folder: Path) -> Iterator[tuple[str, str, dict[str, str]]]:
    """(GPU, quantity here, row) of the facts that the catalog has a place for."""
    with (folder / "facts.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            gpu, quantity = row["gpu"], quantity_of(row)
            if row["kind"] != "measured" and (gpu, quantity) not in CARRIED:
                continue
            if measured_unit(quantity) is not None and not left_out(gpu, quantity, row):
                yield gpu, quantity, row


def quantity_of(row: dict[str, str]) -> str:
    """The catalog's quantity of a row: what was measured, and by which kind of access or use."""
    stated = row["quantity"]
    quantity = SPELLED.get(stated, stated)
    origin = row["source"].partition("@")[0]
    if (row["gpu"], row["source"]) in BURST and stated.startswith("flops_tensor") and stated.endswith(":matmul"):
        return stated.replace("matmul", "burst")
    if (row["gpu"], quantity, origin) in LESSER_LOOPS:
        return LESSER_LOOPS[row["gpu"], quantity, origin]
    if quantity == "bytes_dram:copy" and row["conditions"].startswith("torch tensor copy"):
        return "bytes_dram:tensor_copy"
    return "flops_tensor_fp16:fp16_accumulate" if "fp16 sum" in row["conditions"] else quantity


def left_out(gpu: str, quantity: str, row: dict[str, str]) -> bool:
    return any(
        (gpu, quantity) == (g, q) and (row["source"].startswith(start) or row["conditions"].startswith(start))
        for g, q, start, _ in LEFT_OUT
    )


def todays(folder: Path) -> tuple[Entries, Entries]:
    """Measured values per GPU, those that stand first and those that stand behind."""
    first: Entries = defaultdict(list)
    behind: Entries = defaultdict(list)
    for gpu, quantity, row in rows(folder):
        ahead = (gpu, quantity) in FIRST or row["quantity"].endswith("sustained")
        (first if ahead else behind)[gpu].append(entry(gpu, quantity, row))
    return first, behind


def entry(gpu: str, quantity: str, row: dict[str, str]) -> dict[str, Any]:
    """One measured value."""
    value = float(row["value_si"]) * FACTOR.get((gpu, quantity), 1.0)
    notes = [IN_SECTORS] if (gpu, quantity) in FACTOR else []
    notes += [SAME_MEMORY] if (gpu, quantity) in CARRIED else []
    notes += [FIRST[gpu, quantity]] if (gpu, quantity) in FIRST else []
    found: dict[str, Any] = {"quantity": quantity, "value": text(quantity, value), "method": method(row["conditions"])}
    found["source"] = source(row["source"], row["licence_note"])
    spread = re.match(r"([\d.]+)%", row["uncertainty"])
    found["spread"] = float(spread[1]) / 100 if spread and float(spread[1]) > 0 else None
    found["note"] = "; ".join(notes)
    return {k: v for k, v in found.items() if v}


def text(quantity: str, value: float) -> str:
    """A value with its unit, as entries write it."""
    unit = UNITS.get(quantity.partition(":")[0], measured_unit(quantity) or "")
    if unit == "cycles":
        return f"{value:g} cycles"
    if unit == "s":
        return f"{value * 1e6:.4g} us"
    if quantity.startswith("ops_"):
        unit = "OP/s"
    for factor, prefix in PREFIXES:
        if value >= factor:
            return f"{value / factor:.6g} {prefix}{unit}"
    return f"{value:g} {unit}"


def method(conditions: str) -> str:
    conditions = METHOD_NOTE.sub("", conditions)
    for pattern, replacement in METHODS:
        conditions = re.sub(pattern, replacement, conditions)
    return conditions.strip(" ;,") or "as stated"


def source(text_: str, licence: str) -> str:
    for pattern, replacement in SOURCES:
        text_ = re.sub(pattern, replacement, text_)
    known = next((v for k, v in LICENCES.items() if licence.startswith(k)), "no licence stated, number cited")
    return f"{text_} ({known})"


PRECISIONS = {"fp16": "flops_tensor_fp16", "bf16": "flops_tensor_bf16", "tf32": "flops_tensor_tf32"}
GEMM_SOURCE = "zzc0721/torch-performance-test-data@9d82827:database.md (no licence stated, number cited)"
WITH_BF16 = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")


def reported_products(path: Path, known: Entries) -> Entries:
    """Best products that users report for cards with matrix units; laptops left out, whose power limit nobody knows."""
    found: Entries = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            precision = row["kernel"].rpartition("/")[2]
            quantity = f"{PRECISIONS.get(precision, '')}:matmul"
            if precision not in PRECISIONS or "Laptop" in row["gpu"]:
                continue
            p = find(row["gpu"]).processor
            capable = p.architecture in WITH_BF16 or (p.architecture in ("sm_70", "sm_75") and precision == "fp16")
            if (
                not capable
                or library.entry(p.key).get("chip", "").startswith("TU11")
                or any(e["quantity"] == quantity for e in known.get(p.key, ()))
            ):
                continue
            low, high = float(row["tflops_low"]), float(row["tflops_high"])
            spread = (high - low) / (high + low)
            if spread > 0.2:
                continue
            reports = f", {row['reports']} reports" if int(row["reports"]) > 1 else ""
            value = {"quantity": quantity, "value": f"{float(row['tflops']):g} TFLOP/s"}
            value |= {"method": f"torch.matmul, best of n = 1024 to 10240{reports}", "source": GEMM_SOURCE}
            found[p.key].append(value | {"spread": round(max(spread, 0.05), 4)})
    return found
