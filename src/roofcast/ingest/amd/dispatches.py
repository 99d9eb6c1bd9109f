"""Dispatches of AMD's profilers as a kernel table, and what files beside them add: GPU, times, ceilings."""

from __future__ import annotations

import csv
import dataclasses
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.columns import Origin
from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable, Provenance, as_text
from roofcast.core.processor import Domain, Kind, Supply
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.formulas.values import combine
from roofcast.ingest.amd.amd_amounts import LANES, System, amounts_from_counters
from roofcast.ingest.text.decoding import MAX_CELL_CHARS, head_text

DISPATCH = "dispatch"
"""Extra column: the profiler's number of the dispatch, by which files of one run are joined."""
WAVE = "wave_size"
UNNAMED = "the file does not name its GPU: give --from GPU, or keep the tool's description of it beside the file"
NO_TRANS = "transcendental operations were not collected: counted as none"
MOST_BESIDE_BYTES = 64 * 2**20
"""B of a description beside the counters; a larger file is something else."""
MAX_WAVES = {"gfx906": 40.0, "gfx908": 40.0, "gfx900": 40.0, "gfx90a": 32.0, "gfx942": 32.0, "gfx950": 32.0}
FAMILIES = ("MI300", "MI350")
"""Names that say no more than the architecture does."""
INSTANCE = re.compile(r"^(.*)\[\d+\]$")
CEILINGS: dict[str, Resource] = {
    "hbmbw": Resource.BYTES_DRAM, "mallbw": Resource.BYTES_LLC, "l2bw": Resource.BYTES_L2, "l1bw": Resource.BYTES_L1,
    "ldsbw": Resource.BYTES_SHARED, "fp64flops": Resource.FLOPS_FP64, "fp32flops": Resource.FLOPS_FP32,
    "fp16flops": Resource.FLOPS_FP16, "bf16flops": Resource.FLOPS_BF16, "mfmaf64flops": Resource.FLOPS_TENSOR_FP64,
    "mfmaf16flops": Resource.FLOPS_TENSOR_FP16, "mfmabf16flops": Resource.FLOPS_TENSOR_BF16,
    "mfmaf32flops": Resource.FLOPS_TENSOR_FP32, "mfmaxf32flops": Resource.FLOPS_TENSOR_TF32,
    "mfmaf8flops": Resource.FLOPS_TENSOR_FP8, "mfmaf4flops": Resource.FLOPS_TENSOR_FP4,
    "mfmai8ops": Resource.OPS_TENSOR_INT8,
}  # fmt: skip
"""Column of the file, in GB/s, GFLOP/s or GOP/s -> what it measures."""
GIGA = 1e9
"""Rates of the file are in units of 1e9 per second."""
SOURCE = "rocprof-compute roofline.csv of this machine"


@dataclass
class Dispatch:
    """One kernel launch as the profiler printed it."""

    kernel: str
    number: float = math.nan
    items: float = math.nan
    """Work-items of the whole launch."""
    group: float = math.nan
    """Work-items of a group."""
    vgprs: float = math.nan
    lds_bytes: float = math.nan
    wave: float = math.nan
    time_s: float = math.nan
    counters: dict[str, float] = field(default_factory=dict)


def plain(name: str) -> str:
    """A kernel's name without what the loader appends."""
    return name.strip().removesuffix(" [clone .kd]").removesuffix(" (.kd)").removesuffix(".kd")


def number(text: str) -> float:
    """A number of a cell; NaN where there is none or it is negative."""
    try:
        value = float(text[:64].strip().replace(",", ""))
    except ValueError:
        return math.nan
    return value if 0 <= value < 1e300 else math.nan


def seconds(start: str, end: str) -> float:
    """Seconds between two times in nanoseconds; NaN where either is none or they do not follow each other."""
    try:
        # Whole numbers: nanoseconds since the epoch do not fit a float.
        span = int(end[:32]) - int(start[:32])
    except ValueError:
        span_s = number(end) - number(start)
        return span_s * 1e-9 if 0 < span_s < 1e15 else math.nan
    return span * 1e-9 if 0 < span < 10**15 else math.nan


def summed(names: Iterable[str]) -> dict[str, list[str]]:
    """Name of a counter -> the columns that make it: instances of a unit are added up where the sum is not printed."""
    groups: dict[str, list[str]] = {}
    present = set(names)
    for name in dict.fromkeys(names):
        match = INSTANCE.match(name)
        if match is None:
            groups[name] = [name]
        elif f"{match[1]}_sum" not in present and match[1] not in present:
            groups.setdefault(f"{match[1]}_sum", []).append(name)
    return groups


def table_of(
    rows: list[Dispatch], name: str, tool: str, columns_of_counters: Mapping[str, FloatArray] | None = None
) -> KernelTable:
    """The kernel table of dispatches, without what other files say of the GPU.

    columns_of_counters : name -> (n,) summed counters, where they are not with the dispatches.
    """
    if not rows:
        raise InputError(f"{one_line(name)}: no dispatches with counters in it")
    counters = gathered_counters(rows) if columns_of_counters is None else dict(columns_of_counters)
    counters = {k: np.asarray(v, dtype=np.float64) for k, v in counters.items() if not np.isnan(v).all()}

    def each(attribute: str) -> FloatArray:
        return np.array([getattr(r, attribute) for r in rows], dtype=np.float64)

    items, group = each("items"), each("group")
    with quietly():
        blocks = np.ceil(items / group)
    columns = {
        "launch": np.arange(len(rows), dtype=np.float64),
        "time_s": each("time_s"),
        "grid_blocks": np.where(np.isfinite(blocks) & (blocks > 0), blocks, np.nan),
        "block_threads": np.where(group > 0, group, np.nan),
        "regs_per_thread": each("vgprs"),
        "smem_bytes_per_block": each("lds_bytes"),
    }
    table = KernelTable.from_columns(
        {"kernel": [plain(r.kernel) for r in rows]},
        {k: (v, Origin.COUNTED) for k, v in columns.items() if not np.isnan(v).all()},
        counters=counters,
        extra={DISPATCH: each("number"), WAVE: each("wave")},
        provenance=Provenance(tool=tool),
    )
    return described(table, System())


def gathered_counters(rows: list[Dispatch]) -> dict[str, FloatArray]:
    """Counters that stand with the dispatches, as columns."""
    keys = list(dict.fromkeys(key for r in rows for key in r.counters))
    return {
        total: combine(np.add, [np.array([r.counters.get(part, math.nan) for r in rows]) for part in parts])
        for total, parts in summed(keys).items()
    }


def described(table: KernelTable, system: System) -> KernelTable:
    """The table with all amounts that its counters give on a GPU of which so much is known."""
    size = len(table)
    wave = float(np.nanmax(table.extra[WAVE])) if np.isfinite(table.extra[WAVE]).any() else math.nan
    waves = system.max_waves_per_sm
    full = dataclasses.replace(
        system,
        lanes=wave if wave in (32.0, 64.0) else LANES,
        max_waves_per_sm=waves if waves > 0 else MAX_WAVES.get(system.arch, math.nan),
    )
    columns = amounts_from_counters(table.counters, table.column("time_s"), full)
    if system.sm_count > 0:
        columns["sm_count"] = (np.full(size, system.sm_count), Origin.COUNTED)
    whole = table.with_columns(**dict(columns))
    gpu = system.gpu or system.arch
    notes = () if gpu else (UNNAMED,)
    return dataclasses.replace(
        whole,
        text={**whole.text, "gpu": as_text([gpu] * size), "compute_capability": as_text([system.arch] * size)},
        flags=flags_of(whole),
        provenance=tuple(dataclasses.replace(p, notes=notes) for p in whole.provenance),
    )


def flags_of(table: KernelTable) -> tuple[tuple[str, ...], ...]:
    """Per row, what is doubtful about its amounts."""
    trans = np.zeros(len(table), dtype=np.bool_)
    for kind in ("F64", "F32", "F16"):
        trans |= (table.counter(f"SQ_INSTS_VALU_FMA_{kind}") > 0) & np.isnan(
            table.counter(f"SQ_INSTS_VALU_TRANS_{kind}")
        )
    return tuple((NO_TRANS,) if missing else () for missing in trans.tolist())


def with_times(table: KernelTable, times: Mapping[float, float]) -> KernelTable:
    """The table with times of another file of the same run where it has none of its own."""
    of_table = table.column("time_s")
    beside = np.array([times.get(float(d), math.nan) for d in table.extra[DISPATCH]], dtype=np.float64)
    merged = np.where(np.isnan(of_table), beside, of_table)
    return table.with_columns(time_s=(merged, Origin.COUNTED)) if not np.isnan(merged).all() else table


def rows_beside(path: Path) -> list[dict[str, str]]:
    """Rows of a small CSV beside a profile, keys in lower case; none where it cannot be read. Never raises."""
    try:
        if not path.is_file() or path.stat().st_size > MOST_BESIDE_BYTES:
            return []
        text = head_text(path.read_bytes())
        csv.field_size_limit(MAX_CELL_CHARS)
        rows = csv.reader(text.split("\n"))
        header = [cell.strip().lower() for cell in next(rows, [])]
        return [dict(zip(header, row, strict=False)) for row in rows if row]
    except (OSError, csv.Error):
        return []


def system_beside(path: Path) -> System:
    """What a ``sysinfo.csv`` of rocprof-compute says of the GPU. Of the host nothing is read."""
    rows = rows_beside(path)
    if not rows:
        return System()
    row = rows[0]

    def cell(*keys: str) -> str:
        text = next((row[k] for k in keys if row.get(k)), "").strip()
        return "" if text.upper() in ("NA", "N/A", "NONE") else text

    arch = cell("gpu_arch", "gpu_soc").lower().partition(":")[0][:20]
    return System(
        gpu=model_of(cell("gpu_model", "gpu_series")),
        arch=arch if re.fullmatch(r"gfx[0-9a-f]{3,5}", arch) else "",
        sm_count=number(cell("cu_per_gpu")),
        max_waves_per_sm=number(cell("max_waves_per_cu")),
        banks=number(cell("lds_banks_per_cu")),
        clock_hz_max=1e6 * number(cell("max_sclk")),
        dies=number(cell("num_xcd")),
    )


def model_of(text: str) -> str:
    """A GPU as rocprof-compute calls it, without the stepping of its silicon; '' for a mere family of GPUs.

    >>> model_of("MI300A_A1"), model_of("MI210"), model_of("MI350")
    ('MI300A', 'MI210', '')
    """
    name = re.sub(r"_A\d$", "", one_line(text, 80))
    return "" if name in FAMILIES else name


def agents_beside(paths: Iterable[Path]) -> System:
    """What the agent list of rocprofv3 says of its GPUs, where all of them are alike."""
    gpus = {
        (row.get("product_name") or row.get("name", ""), row.get("name", ""), row.get("cu_count", ""),
         row.get("num_xcc", ""), row.get("max_waves_per_cu", ""))
        for path in paths for row in rows_beside(path) if row.get("agent_type", "").strip().upper() == "GPU"
    }  # fmt: skip
    if len(gpus) != 1:
        return System()
    ((product, name, units, dies, waves),) = gpus
    arch = name.strip().lower().partition(":")[0]
    arch = arch if re.fullmatch(r"gfx[0-9a-f]{3,5}", arch) else ""
    return System(
        one_line(product, 80), arch, number(units), number(waves) if number(waves) > 0 else math.nan, dies=number(dies)
    )


def times_beside(paths: Iterable[Path]) -> dict[float, float]:
    """Seconds per dispatch from a file of times of the same run."""
    by_dispatch: dict[float, float] = {}
    for path in paths:
        for row in rows_beside(path):
            span = seconds(row.get("start_timestamp", ""), row.get("end_timestamp", ""))
            if span > 0:
                by_dispatch[number(row.get("dispatch_id", ""))] = span
    return by_dispatch


def ceilings_beside(profile: str | Path) -> dict[Resource, Supply]:
    """Measured supplies of the GPU of a counter file; none where no such file lies beside it. Never raises.

    Of several devices the mean counts; the uncertainty covers their spread and that of the repeats.
    """
    path = Path(profile)
    beside = path.with_name("roofline.csv")
    for part in ("pmc_perf", "pmc-perf"):
        if part in path.name and not beside.is_file():
            beside = path.with_name(path.name.replace(part, "roofline").removesuffix(".gz"))
    rows = rows_beside(beside) if beside != path else []
    supplies: dict[Resource, Supply] = {}
    for column, resource in CEILINGS.items():
        values = [number(row.get(column, "")) for row in rows]
        known = [v for v in values if v > 0]
        if not known:
            continue
        mean = float(np.mean(known))
        ends = [number(row.get(f"{column}{end}", "")) for row in rows for end in ("low", "high")]
        spread = max((abs(e - mean) / mean for e in [*known, *ends] if e > 0), default=0.0)
        domain = Domain.MEMORY if resource is Resource.BYTES_DRAM else Domain.SM
        supplies[resource] = Supply(mean * GIGA, Kind.MEASURED, SOURCE, spread, domain=domain)
    return supplies
