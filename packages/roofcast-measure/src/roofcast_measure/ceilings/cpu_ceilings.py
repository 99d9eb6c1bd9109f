"""Ceilings of the CPU of this machine: STREAM, multiply-adds, threads, vector width, as a CPU entry of the catalog."""

from __future__ import annotations

import ctypes
import math
import os
import platform
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.catalog.own import key_of
from roofcast.catalog.vocabulary import measured_unit
from roofcast.catalog.writing import write_entry
from roofcast.core.units import format_quantity
from roofcast.core.version import VERSION
from roofcast.kit.output import text_width
from roofcast.kit.quantities import in_percent
from roofcast.kit.table import Column, Table
from roofcast_measure.ceilings.bench import Ceiling
from roofcast_measure.ceilings.entry import scaled
from roofcast_measure.host_cpu import best_of, build, cpu_name, in_threads, usable_threads

STREAMS = {"init": 1, "copy": 2, "scale": 2, "add": 3, "triad": 3}
"""Kernel -> arrays that STREAM counts: a line that is read before it is overwritten is not."""
CHAINS = {"fma_fp64": 8, "fma_fp32": 4}
"""Kernel -> bytes of a lane."""
CHAINS_AT_ONCE = 10
"""Independent chains of multiply-adds: 5 cycles of latency times 2 per cycle, the most that today's cores need."""
ELEMENTS, ELEMENTS_QUICK = 2**25, 2**23
"""Doubles per array: 256 MiB, beyond every last-level cache that one socket has."""
ROUNDS, ROUNDS_QUICK = 2**23, 2**20
ALL_BITS = {"x86_64": "x86", "amd64": "x86", "aarch64": "arm64"}


@dataclass(frozen=True, slots=True)
class MeasuredCpu:
    """What was found on one CPU."""

    name: str
    architecture: str
    cores: int
    threads: int
    vector_bits: int
    clock_hz: float
    """As far as the machine tells; else as if each core started one multiply-add per lane and clock."""
    clock_is_stated: bool
    ceilings: tuple[Ceiling, ...]


def measure(*, quick: bool = False) -> MeasuredCpu:
    """Run everything on all threads that this process may use."""
    threads = usable_threads()
    with tempfile.TemporaryDirectory(prefix="roofcast-cpu-", ignore_cleanup_errors=True) as folder:
        library = load_kernels(Path(folder))
        width = int(library.vector_bytes())
        repeats = 5 if quick else 15
        ceilings = [
            *streams(library, threads, ELEMENTS_QUICK if quick else ELEMENTS, repeats),
            *chains(library, threads, width, ROUNDS_QUICK if quick else ROUNDS, repeats),
        ]
    cores = min(threads, physical_cores() or threads)
    fp32 = next(c.value for c in ceilings if c.quantity == "flops_fp32:fma")
    stated = stated_clock()
    clock = stated or fp32 / (cores * width / 4 * 2)
    architecture = ALL_BITS.get(platform.machine().lower(), platform.machine() or "cpu")
    return MeasuredCpu(cpu_name(), architecture, cores, threads, 8 * width, clock, stated is not None, tuple(ceilings))


def load_kernels(folder: Path) -> Any:
    """Compile and load ``cpu.c``."""
    library = build(folder, "ceilings", Path(__file__).with_name("cpu.c").read_text(encoding="ascii"))
    for name in STREAMS:
        getattr(library, name).argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]
        getattr(library, name).restype = None
    for name in CHAINS:
        getattr(library, name).argtypes = [ctypes.c_double, ctypes.c_double, ctypes.c_long]
        getattr(library, name).restype = ctypes.c_double
    return library


def streams(library: Any, threads: int, elements: int, repeats: int) -> list[Ceiling]:
    """Bytes per second of the STREAM kernels; each thread has its part of the arrays and touched it first."""
    arrays: list[NDArray[np.float64]] = [np.empty(elements) for _ in range(3)]
    edges = [elements * n // threads for n in range(threads + 1)]

    def run(function: Any) -> Callable[[], None]:
        def part(n: int) -> Callable[[], None]:
            places = [ctypes.c_void_p(a.ctypes.data + 8 * edges[n]) for a in arrays]
            return lambda: function(*places, edges[n + 1] - edges[n])

        parts = [part(n) for n in range(threads)]
        return lambda: in_threads(parts)

    for _ in arrays:  # each array is the first in turn
        arrays.append(arrays.pop(0))
        run(library.init)()
    ceilings = []
    for name, count in STREAMS.items():
        times = [best_of(run(getattr(library, name)), 1, warm=False) for _ in range(repeats + 1)][1:]
        method = f"STREAM {name}, {threads} threads, {count} x {8 * elements / 2**20:.0f} MiB"
        ceilings.append(best(f"bytes_dram:{name}", 8.0 * count * elements / np.array(times), method))
    return ceilings


def chains(library: Any, threads: int, width: int, rounds: int, repeats: int) -> list[Ceiling]:
    """FLOP/s of multiply-adds on all threads."""
    ceilings = []
    for name, lane in CHAINS.items():
        function = getattr(library, name)

        def work(f: Any = function) -> None:
            in_threads([lambda: f(0.999, 0.001, rounds)] * threads)

        times = [best_of(work, 1, warm=False) for _ in range(repeats + 1)][1:]
        flops = 2.0 * CHAINS_AT_ONCE * (width // lane) * rounds * threads
        method = f"{CHAINS_AT_ONCE} chains of multiply-adds, {8 * width}-bit vectors, {threads} threads"
        ceilings.append(best(f"flops_{name.removeprefix('fma_')}:fma", flops / np.array(times), method))
    return ceilings


def best(quantity: str, rates: NDArray[np.float64], method: str) -> Ceiling:
    """The best of several runs, as STREAM has it: other work on the machine only slows."""
    spread = float(rates.std(ddof=1) / rates.mean()) if len(rates) > 1 else 0.0
    return Ceiling(quantity, float(rates.max()), spread, len(rates), f"{method}; best of {len(rates)}")


def physical_cores() -> int | None:
    """Cores under the threads that this process may use; None where nothing tells."""
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    cores = set()
    for n in usable:
        try:
            siblings = Path(f"/sys/devices/system/cpu/cpu{n}/topology/thread_siblings_list").read_text(encoding="ascii")
        except OSError:
            return None
        cores.add(siblings.strip())
    return len(cores) or None


def stated_clock() -> float | None:
    """The highest clock that the machine states; None where it does not."""
    try:
        text = Path("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").read_text(encoding="ascii")
        clock = 1e3 * float(text)
    except (OSError, ValueError):
        return None
    return clock if math.isfinite(clock) and clock > 0 else None


def entry_of(found: MeasuredCpu, key: str) -> dict[str, Any]:
    """Fields of a CPU entry."""
    date = datetime.now(UTC).date().isoformat()
    notes = [f"measured by roofcast {VERSION}"]
    if not found.clock_is_stated:
        notes.append("clock: as if each core started one multiply-add per lane and clock")
    return {
        "key": key, "name": f"{found.name} (measured)", "vendor": vendor(found.name),
        "architecture": found.architecture, "cores": found.cores, "threads": found.threads,
        "vector_bits": found.vector_bits, "clock": f"{found.clock_hz / 1e6:.6g} MHz", "notes": notes,
        "sources": {"default": "measured here"},
        "measured": [
            {"quantity": c.quantity, "value": scaled(c.value, "B/s" if c.quantity.startswith("bytes") else "FLOP/s"),
             "method": c.method, "source": "roofcast measure ceilings --cpu", "spread": round(min(c.spread, 0.99), 5),
             "date": date}
            for c in ordered(found.ceilings)
        ],
    }  # fmt: skip


def ordered(ceilings: Sequence[Ceiling]) -> list[Ceiling]:
    """The most telling kind of each resource first: the first is the one that models take."""
    first = ("bytes_dram:triad", "flops_fp32:fma")
    return sorted(ceilings, key=lambda c: (c.quantity not in first, c.quantity))


def vendor(name: str) -> str:
    """Maker of a CPU, by its name.

    >>> vendor("AMD EPYC 7763 64-Core Processor"), vendor("Neoverse-N1")
    ('AMD', 'unknown')
    """
    return next((v for v in ("Intel", "AMD", "NVIDIA", "Apple", "IBM") if v.lower() in name.lower()), "unknown")


def entry_text(found: MeasuredCpu, output: str | None) -> str:
    """The entry as TOML, checked."""
    from roofcast.catalog.schema import CpuEntry, validated

    entry = entry_of(found, key_of(Path(output or "this-cpu.toml")))
    validated(CpuEntry, entry, "this CPU")
    return write_entry(entry)


def render(found: MeasuredCpu) -> str:
    """One line per ceiling."""
    head = f"{found.name}: {found.cores} cores, {found.threads} threads, {found.vector_bits}-bit vectors"
    columns = (
        Column("quantity", lambda c: c.quantity),
        Column("measured", lambda c: format_quantity(c.value, measured_unit(c.quantity) or "", 4), right=True),
        Column("spread", lambda c: c.spread, in_percent(1)), Column("method", lambda c: c.method, flexible=True),
    )  # fmt: skip
    return "\n".join([head, "", *Table(columns, found.ceilings).lines(text_width(None))])
