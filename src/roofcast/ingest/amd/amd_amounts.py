"""AMD hardware counters to amounts: floating-point work by precision, bytes by level, occupancy.

One vector instruction works on 64 lanes, one count of a matrix counter stands for 512 operations. Requests have a size
that depends on the generation; where the generation is not known, what depends on it stays absent.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray
from roofcast.core.patterns import compile_later
from roofcast.core.records import dataclass
from roofcast.formulas.values import combine

Columns = dict[str, tuple[FloatArray, Origin]]

LANES = 64.0
"""Lanes of a wavefront of CDNA and GCN; RDNA says 32 in the description beside the counters."""
OPS_PER_MATRIX_COUNT = 512.0
"""Operations that one count of SQ_INSTS_VALU_MFMA_MOPS stands for (AMD's performance counters of MI200)."""
BYTES_PER_L1_ACCESS = 64.0
"""B that one access of TCP_TOTAL_CACHE_ACCESSES moves: a cache line of the vector L1."""
BYTES_PER_BANK = 4.0
"""B that one bank of the LDS moves in a cycle."""
BANKS = 32.0
"""Banks of the LDS where the file describes no GPU."""
BYTES_PER_L2_REQUEST = {"gfx90a": 128.0, "gfx940": 128.0, "gfx941": 128.0, "gfx942": 128.0, "gfx950": 128.0}
"""Cache line of L2; older generations of CDNA and GCN have 64 bytes."""
OLDER_L2_REQUEST = 64.0
"""B; cache line of L2 on :data:`OLDER` architectures."""
OLDER = ("gfx6", "gfx7", "gfx8", "gfx900", "gfx902", "gfx904", "gfx906", "gfx908")
KIB = 1024.0
"""FetchSize and WriteSize are printed in units of this."""
CLOCK_HZ_SPAN = (2e8, 4e9)
CLOCK_TIME_S_LEAST = 1e-4
"""Below this the cycles around the kernel are too large a part of those counted."""

VECTOR = {"flops_fp64": "F64", "flops_fp32": "F32", "flops_fp16": "F16"}
MATRIX = {
    "flops_tensor_fp64": "F64", "flops_tensor_fp32": "F32", "flops_tensor_tf32": "XF32", "flops_tensor_fp16": "F16",
    "flops_tensor_bf16": "BF16",
    "flops_tensor_fp8": "F8", "flops_tensor_fp4": "F6F4", "ops_tensor_int8": "I8",
}  # fmt: skip
KINDS = ("ADD", "MUL", "FMA")

COUNTER_NAME = compile_later(
    r"^(?:SQ|SQC|SPI|GRBM|GRBMH|GL1C|GL2C|GL2A|TA|TCA|TCC|TCP|TD|CPC|CPF|CPG|GDS|RLC|EA|GCEA|UTCL2|ATC|MC|PA|SX|WD|IA)_"
    r"[A-Za-z0-9_]+(?:\[\d+\])?$"
)
DERIVED_NAME = compile_later(
    r"^(?:FETCH_?SIZE|WRITE_?SIZE|WAVEFRONTS|L2CACHEHIT|LDSBANKCONFLICT|[VS]ALU(?:INSTS|BUSY|UTILIZATION)|"
    r"(?:[VS]FETCH|[VS]WRITE|FLATVMEM|FLATLDS|LDS|GDS)INSTS|MEMUNIT(?:BUSY|STALLED)|WRITEUNITSTALLED|GPUBUSY|"
    r"MEANOCCUPANCY\w*|OCCUPANCYPERCENT|TOTAL_\d+_OPS|MAX_WAVE_SIZE|(?:TOTAL|TENSOR|MFMA)\w*(?:FLOPS|UTIL)|"
    r"WRITE_REQ_32B|BYTES_\w+|SIMD_UTILIZATION|ALUSTALLEDBYLDS|MFMAUTIL)$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class System:
    """What the files beside the counters say about the GPU; '' and NaN where they do not."""

    gpu: str = ""
    arch: str = ""
    """Such as gfx90a."""
    sm_count: float = math.nan
    max_waves_per_sm: float = math.nan
    banks: float = math.nan
    clock_hz_max: float = math.nan
    dies: float = math.nan
    """Accelerator dies (XCDs) that work as one GPU: their cycle counters are added up."""
    lanes: float = LANES


def is_counter(name: str) -> bool:
    """Whether a column or a metric is a counter of AMD's hardware or a figure that its tools derive from some.

    >>> is_counter("SQ_WAVES"), is_counter("TCC_HIT[12]"), is_counter("FetchSize"), is_counter("LDS_Per_Workgroup")
    (True, True, True, False)
    """
    return bool(COUNTER_NAME.match(name) or DERIVED_NAME.match(name))


def amounts_from_counters(counters: Mapping[str, FloatArray], time_s: FloatArray, system: System) -> Columns:
    """Columns of the vocabulary that n dispatches' counters supply.

    counters : name -> (n,) values; instances of a unit are summed already (``TCC_HIT_sum`` or ``TCC_HIT``).
    time_s : (n,) s, NaN where absent.
    system : what is known of the GPU.
    """
    reading = Reading(counters, len(time_s))
    columns = vector_work(reading, system.lanes) | matrix_work(reading) | instructions(reading, system)
    columns |= cache_bytes(reading, generation(counters, system)) | device_memory(reading)
    columns |= local_memory(reading, system) | residency(reading, time_s, system)
    return {name: (v, origin) for name, (v, origin) in columns.items() if not np.isnan(v).all()}


class Reading:
    """Counters by name; NaN where one was not collected."""

    def __init__(self, counters: Mapping[str, FloatArray], size: int) -> None:
        self.counters = counters
        self.absent = np.full(size, np.nan)

    def get(self, *names: str) -> FloatArray:
        """(n,) the first of the names that was collected, with or without the suffix of a sum."""
        for name in names:
            for key in (f"{name}_sum", name):
                if key in self.counters:
                    return self.counters[key]
        return self.absent

    def has(self, name: str) -> bool:
        """Whether a counter was collected at all."""
        return f"{name}_sum" in self.counters or name in self.counters


def generation(counters: Mapping[str, FloatArray], system: System) -> str:
    """Architecture as recorded, else as far as the names of the counters tell; '' where they do not."""
    if system.arch:
        return system.arch
    names = [n.partition("[")[0].removesuffix("_sum") for n in counters]
    if any(n.startswith("TCC_EA0_") or n == "TCC_BUBBLE" for n in names):
        return "gfx942"
    # The first generation that counts operations by precision is also the first with long lines in L2.
    if any(re.fullmatch(r"SQ_INSTS_VALU_(?:ADD|MUL|FMA|TRANS)_F\d\d|SQ_INSTS_VALU_MFMA_MOPS_\w+", n) for n in names):
        return "gfx90a"
    return ""


def vector_work(r: Reading, lanes: float) -> Columns:
    """FLOPs of the vector units: lanes x (ADD + MUL + TRANS + 2 FMA), by precision."""
    columns: Columns = {}
    for column, kind in VECTOR.items():
        add, mul, fma = (r.get(f"SQ_INSTS_VALU_{k}_{kind}") for k in KINDS)
        trans = r.get(f"SQ_INSTS_VALU_TRANS_{kind}")
        work = lanes * (add + mul + 2.0 * fma + np.nan_to_num(trans))
        columns[column] = (work, Origin.DERIVED)
        if kind != "F16":
            width = kind.removeprefix("F")
            for k, values in zip(KINDS, (add, mul, fma), strict=True):
                columns[f"insts_fp{width}_{k.lower()}"] = (lanes * values, Origin.DERIVED)
    return columns


def matrix_work(r: Reading) -> Columns:
    """Operations of the matrix units: 512 per count, by type."""
    return {
        column: (OPS_PER_MATRIX_COUNT * r.get(f"SQ_INSTS_VALU_MFMA_MOPS_{kind}"), Origin.DERIVED)
        for column, kind in MATRIX.items()
    }


def instructions(r: Reading, system: System) -> Columns:
    """Wave instructions, lanes that they had, integer and special work."""
    with quietly():
        lanes = r.get("SQ_THREAD_CYCLES_VALU") / r.get("SQ_ACTIVE_INST_VALU")
    lanes = np.where(np.isfinite(lanes) & (lanes > 0), np.minimum(lanes, system.lanes), np.nan)
    share = r.get("VALUUtilization") / 100.0
    lanes = np.where(np.isnan(lanes) & (share > 0) & (share <= 1), share * system.lanes, lanes)
    special = [r.get(f"SQ_INSTS_VALU_TRANS_{kind}") for kind in VECTOR.values()]
    return {
        "insts_executed": (r.get("SQ_INSTS"), Origin.COUNTED),
        "insts_issued": (r.get("SQ_INSTS"), Origin.COUNTED),
        "insts_shared": (r.get("SQ_INSTS_LDS"), Origin.COUNTED),
        "threads_per_inst": (lanes, Origin.DERIVED),
        "ops_int32": (system.lanes * r.get("SQ_INSTS_VALU_INT32"), Origin.DERIVED),
        "insts_special": (system.lanes * combine(np.add, special), Origin.DERIVED),
    }


def cache_bytes(r: Reading, arch: str) -> Columns:
    """Bytes through the vector L1 and L2, and the hit rate of L2."""
    line = BYTES_PER_L2_REQUEST.get(arch, OLDER_L2_REQUEST if arch.startswith(OLDER) else math.nan)
    hits, misses = r.get("TCC_HIT"), r.get("TCC_MISS")
    with quietly():
        rate = hits / (hits + misses)
    printed = r.get("L2CacheHit") / 100.0
    rate = np.where(np.isnan(rate) & (printed >= 0) & (printed <= 1), printed, rate)
    return {
        "bytes_l1": (BYTES_PER_L1_ACCESS * r.get("TCP_TOTAL_CACHE_ACCESSES"), Origin.COUNTED),
        "bytes_l2": (line * r.get("TCC_REQ"), Origin.COUNTED),
        "l2_hit_fraction": (rate, Origin.DERIVED),
    }


def device_memory(r: Reading) -> Columns:
    """Bytes between L2 and memory: requests of 32 and 64 bytes, reads of 128 bytes on MI300 and later."""
    read, write = r.absent, r.absent
    # MI60 has a second interface beside the first.
    for prefix in ("TCC_EA", "TCC_EA0", "TCC_EA1"):
        if r.has(f"{prefix}_RDREQ"):
            read = added(read, bytes_read(r, prefix))
        if r.has(f"{prefix}_WRREQ"):
            full = r.get(f"{prefix}_WRREQ_64B")
            write = added(write, 64.0 * full + 32.0 * np.maximum(r.get(f"{prefix}_WRREQ") - full, 0.0))
    read = np.where(np.isnan(read), KIB * r.get("FetchSize", "FETCH_SIZE"), read)
    write = np.where(np.isnan(write), KIB * r.get("WriteSize", "WRITE_SIZE"), write)
    return {
        "bytes_dram_read": (read, Origin.COUNTED),
        "bytes_dram_write": (write, Origin.COUNTED),
        "bytes_dram": (read + write, Origin.COUNTED),
    }


def bytes_read(r: Reading, prefix: str) -> FloatArray:
    """Bytes that one interface reads from memory; absent where the requests of another size were not counted."""
    every, small = r.get(f"{prefix}_RDREQ"), r.get(f"{prefix}_RDREQ_32B")
    large = r.get("TCC_BUBBLE", f"{prefix}_RDREQ_128B") if prefix == "TCC_EA0" else np.zeros_like(every)
    return 128.0 * large + 64.0 * np.maximum(every - large - small, 0.0) + 32.0 * small


def added(known: FloatArray, more: FloatArray) -> FloatArray:
    """Sum in which an absent first part is none."""
    return np.where(np.isnan(known), more, known + more)


def local_memory(r: Reading, system: System) -> Columns:
    """LDS: cycles that move data x the width of all banks, without the cycles that bank conflicts add."""
    banks = system.banks if system.banks > 0 else BANKS
    active, conflicts = r.get("SQ_LDS_IDX_ACTIVE"), r.get("SQ_LDS_BANK_CONFLICT")
    moved = np.maximum(active - conflicts, 0.0)
    return {
        "bytes_shared": (BYTES_PER_BANK * banks * moved, Origin.COUNTED),
        "shared_wavefronts": (active, Origin.COUNTED),
        "shared_bank_conflicts": (conflicts, Origin.COUNTED),
    }


def residency(r: Reading, time_s: FloatArray, system: System) -> Columns:
    """Achieved occupancy (waves of a busy CU over its most) and the clock."""
    waves = system.max_waves_per_sm
    with quietly():
        # Both count quads of cycles, so their ratio needs no unit.
        occupancy = r.get("SQ_WAVE_CYCLES") / r.get("SQ_BUSY_CU_CYCLES") / waves
        dies = system.dies if system.dies > 0 else math.nan
        clock = r.get("GRBM_GUI_ACTIVE") / (dies if system.arch in ("gfx942", "gfx950") else 1.0) / time_s
    occupancy = np.where((occupancy > 0) & (occupancy <= 1.0), occupancy, np.nan)
    printed = r.get("OccupancyPercent") / 100.0
    occupancy = np.where(np.isnan(occupancy) & (printed > 0) & (printed <= 1), printed, occupancy)
    high = 1.02 * system.clock_hz_max if system.clock_hz_max > 0 else CLOCK_HZ_SPAN[1]
    believable = (clock >= CLOCK_HZ_SPAN[0]) & (clock <= high) & (time_s >= CLOCK_TIME_S_LEAST)
    return {
        "occupancy_fraction": (occupancy, Origin.DERIVED),
        "clock_hz": (np.where(believable, clock, np.nan), Origin.DERIVED),
    }


COLLECT: dict[str, tuple[str, ...]] = {
    **{c: tuple(f"SQ_INSTS_VALU_{k}_{kind}" for k in (*KINDS, "TRANS")) for c, kind in VECTOR.items()},
    **{c: (f"SQ_INSTS_VALU_MFMA_MOPS_{kind}",) for c, kind in MATRIX.items()},
    "bytes_dram": ("FETCH_SIZE", "WRITE_SIZE"),
    "bytes_l2": ("TCC_REQ_sum", "TCC_HIT_sum", "TCC_MISS_sum"),
    "bytes_l1": ("TCP_TOTAL_CACHE_ACCESSES_sum",),
    "bytes_shared": ("SQ_LDS_IDX_ACTIVE", "SQ_LDS_BANK_CONFLICT"),
    "threads_per_inst": ("SQ_THREAD_CYCLES_VALU", "SQ_ACTIVE_INST_VALU"),
    "insts_issued": ("SQ_INSTS",),
    "occupancy_fraction": ("SQ_WAVE_CYCLES", "SQ_BUSY_CU_CYCLES"),
    "clock_hz": ("GRBM_GUI_ACTIVE",),
}
"""Column of the vocabulary -> counters that supply it."""


def amd_collection_command(missing: list[str]) -> str:
    """The command line that collects missing columns; '' where no counter supplies any.

    The hardware counts a few things at a time: rocprof-compute runs the program as often as that needs.

    >>> amd_collection_command(["bytes_l1"])
    'rocprof-compute profile --name profile -- ./application  # counts TCP_TOTAL_CACHE_ACCESSES_sum'
    """
    counters = [name for column, names in COLLECT.items() if column in missing for name in names]
    if not counters:
        return ""
    return f"rocprof-compute profile --name profile -- ./application  # counts {', '.join(dict.fromkeys(counters))}"
