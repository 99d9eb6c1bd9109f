"""Nsight Compute reports: the binaries in them and how often each instruction was executed.

Source messages hold a module's number, its cubin, and where its functions were loaded. Nothing that tells about persons
or machines is read.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Collection, Mapping
from dataclasses import field
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import InputError, one_line
from roofcast.core.records import dataclass
from roofcast.sass.cubin import INSTRUCTION_BYTES, Cubin, Function, parse_cubin

THREADS, WARPS = "thread_inst_executed_true", "inst_executed"
MAX_SOURCE_BYTES = 2**29
"""B of the source pages of a report, which the memory has to hold."""
NEAR_BYTES = 4096
"""The first counted instruction of a function is at most so far behind its start."""
Counts = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Module:
    """One loaded binary of a report."""

    key: int
    cubin_bytes: bytes
    loaded_at: dict[str, int] = field(default_factory=dict)
    """Function -> address, where recorded."""


@dataclass(frozen=True, slots=True)
class SourceCounters:
    """Per instruction address: executions by warps, and by threads whose predicate was on."""

    addresses: Addresses
    threads: Counts
    warps: Counts


@dataclass(frozen=True, slots=True)
class ReportLaunch:
    """One launch of a report."""

    index: int
    kernel: str
    mangled: str
    module: int
    """Position in ``Report.modules``; -1 where the report holds no code for it."""
    counters: SourceCounters | None


@dataclass(frozen=True, slots=True)
class Report:
    """Binaries and launches of one report."""

    modules: tuple[Module, ...]
    launches: tuple[ReportLaunch, ...]


def merge_source(modules: dict[int, Module], order: list[int], message: bytes) -> None:
    """Add what one source message says; a later message about the same module adds symbols or replaces the code."""
    from google.protobuf.message import DecodeError

    from roofcast.ingest.ncu.container import CLASSES

    try:
        source = CLASSES["Source"].FromString(message)
    except DecodeError:  # what is damaged tells nothing: the launches of this code go without
        return
    key, code = source.module, source.cubin
    known = (s for s in source.loaded.function if s.HasField("name") and s.HasField("address"))
    symbols = {s.name.decode("utf-8", "replace"): s.address for s in known}
    old = modules.get(key)
    replaces = old is not None and bool(code) and bool(old.cubin_bytes) and code != old.cubin_bytes
    if old is None or replaces or not code:
        # Module numbers repeat within a report, so that code and symbols that come together belong together.
        if old is not None and not code:
            modules[key] = Module(key, old.cubin_bytes, {**old.loaded_at, **symbols})
            return
        while key in modules:
            key += 1 << 64
        modules[key] = Module(key, code, symbols)
        order.append(key)
    else:
        modules[key] = Module(key, code, {**old.loaded_at, **symbols})


def read_report(stream: BinaryIO, name: str, counted: frozenset[int] | None = None) -> Report:
    """Binaries and launches of a report, in file order.

    counted : launches whose execution counts are wanted (default: all).
    """
    from roofcast.ingest.ncu.report import walk_blocks

    modules: dict[int, Module] = {}
    order: list[int] = []
    known: dict[tuple[int, str], tuple[int, ...]] = {}
    launches: list[ReportLaunch] = []
    size = 0
    try:
        for block in walk_blocks(stream, with_sources=True):
            for message in block.sources:
                size += len(message)
                if size > MAX_SOURCE_BYTES:
                    raise InputError("more than 512 MiB of code")
                merge_source(modules, order, message)
            wanted = {text: i for i, text in enumerate(block.strings) if text in (THREADS.encode(), WARPS.encode())}
            for result in block.results:
                counters = read_counters(result, wanted) if counted is None or len(launches) in counted else None
                mangled = result.mangled.decode("utf-8", "replace")
                readable = (result.demangled or result.function or result.mangled).decode("utf-8", "replace")
                module = find_module([modules[k] for k in order], mangled, counters, known)
                launches.append(ReportLaunch(len(launches), readable, mangled, module, counters))
    except InputError as error:
        raise InputError(f"{one_line(name)}: {error}") from None
    return Report(tuple(modules[k] for k in order), tuple(launches))


def read_counters(result: object, wanted: dict[bytes, int]) -> SourceCounters | None:
    """Executions per address; None where they were not collected."""
    from roofcast.ingest.ncu.report import instances_of

    by_index = {index: text.decode() for text, index in wanted.items()}
    columns: dict[str, dict[int, float]] = {}
    for metric in result.metric:  # type: ignore[attr-defined]  # generated message class
        label = by_index.get(metric.name)
        if label is not None and len(metric.instance):
            columns[label] = {
                int(k): float(v)
                for k, v in instances_of(metric)
                if isinstance(k, float) and isinstance(v, float) and math.isfinite(k) and 0 <= k < 2.0**63
            }
    if THREADS not in columns and WARPS not in columns:
        return None
    keys = sorted(set().union(*columns.values()))
    if not keys:
        return None
    empty: dict[int, float] = {}
    pick = {label: np.array([columns.get(label, empty).get(k, np.nan) for k in keys]) for label in (THREADS, WARPS)}
    return SourceCounters(np.array(keys, np.uint64), pick[THREADS], pick[WARPS])


def find_module(
    modules: list[Module], mangled: str, counters: SourceCounters | None, known: dict[tuple[int, str], tuple[int, ...]]
) -> int:
    """The module whose code a launch ran: by address, else the newest one that has a function of that name.

    known : what was found before, by number of modules and name (searching code takes a while).
    """
    key = len(modules), mangled
    if key not in known:
        name = mangled.encode()
        known[key] = tuple(
            i
            for i in range(len(modules) - 1, -1, -1)
            if name and (mangled in modules[i].loaded_at or name in modules[i].cubin_bytes)
        )
    for index in known[key]:
        start = modules[index].loaded_at.get(mangled)
        if start is not None and counters is not None:
            at = bisect.bisect_left(counters.addresses, start)
            if at < len(counters.addresses) and int(counters.addresses[at]) - start < NEAR_BYTES:
                return index
    if known[key]:
        return known[key][0]
    return 0 if len(modules) == 1 else -1


@dataclass(frozen=True, slots=True)
class Executions:
    """How often each instruction of each function that a launch touched was executed."""

    threads: dict[str, Counts]
    """Function -> (instructions,) thread executions with the predicate on."""
    warps: dict[str, Counts]
    is_complete: bool
    """Whether every counted address found its instruction."""

    def total_threads(self) -> float:
        """Thread instructions."""
        return float(sum(np.nansum(v) for v in self.threads.values()))


def executions_of(launch: ReportLaunch, cubin: Cubin, module: Module) -> Executions | None:
    """Counts per function and instruction; None where the report has none by threads."""
    if launch.counters is None or np.all(np.isnan(launch.counters.threads)):
        return None
    counters = launch.counters
    placement = place_addresses(counters.addresses, cubin, launch.mangled, module.loaded_at)
    # Counts laid out over the functions that were touched; addresses without an instruction are left out.
    threads: dict[str, Counts] = {}
    warps: dict[str, Counts] = {}
    for index in np.unique(placement.function[placement.function >= 0]):
        function = cubin.functions[index]
        rows = (placement.function == index) & (placement.instruction < function.instruction_count)
        for target, values in ((threads, counters.threads), (warps, counters.warps)):
            column = np.zeros(function.instruction_count)
            column[placement.instruction[rows]] = values[rows]
            target[function.name] = column
    return Executions(threads, warps, placement.is_complete)


def open_report(path: str | Path, counted: frozenset[int] | None = None) -> Report:
    """Read a report from a file (``.gz`` and zstd content too).

    counted : launches whose execution counts are wanted (default: all).
    """
    from roofcast.reading import opened

    with opened(path) as stream:
        return read_report(stream, Path(path).name, counted)


def parse_modules(report: Report, wanted: Collection[int] | None = None) -> list[Cubin | None]:
    """The cubin of each module; None where it cannot be read (another GPU generation, no code recorded).

    wanted : positions of the modules to read (default: all).
    """
    parsed: list[Cubin | None] = []
    for index, module in enumerate(report.modules):
        try:
            parsed.append(parse_cubin(module.cubin_bytes) if wanted is None or index in wanted else None)
        except InputError:
            parsed.append(None)
    return parsed


Addresses = NDArray[np.uint64]
SMALL_GAP_BYTES = 128
"""Instructions that a profiler leaves out inside a function; functions are at least 128 bytes apart."""
NOP = 0x118
"""Opcode of NOP in the nine low bits of an instruction, since Volta."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where counted addresses are: (n,) index into ``Cubin.functions`` and instruction number, -1 where unknown."""

    function: NDArray[np.intp]
    instruction: NDArray[np.intp]

    @property
    def is_complete(self) -> bool:
        """Whether every address has its instruction."""
        return bool(np.all(self.function >= 0))


def place_addresses(addresses: Addresses, cubin: Cubin, kernel: str, loaded_at: Mapping[str, int]) -> Placement:
    """Find the instruction of each address.

    addresses : (n,) program counters of one launch. kernel : its linker name.
    loaded_at : function -> address, as far as the report says.
    """
    by_symbol = place_by_symbols(addresses, cubin, loaded_at)
    return by_symbol if by_symbol.is_complete else place_by_length(addresses, cubin, kernel)


def place_by_symbols(addresses: Addresses, cubin: Cubin, loaded_at: Mapping[str, int]) -> Placement:
    """Placement by recorded load addresses."""
    function = np.full(len(addresses), -1, np.intp)
    instruction = np.full(len(addresses), -1, np.intp)
    for index, member in enumerate(cubin.functions):
        start = loaded_at.get(member.name)
        if start is None:
            continue
        inside = (addresses >= np.uint64(start)) & (addresses < np.uint64(start + len(member.code)))
        function[inside] = index
        instruction[inside] = (addresses[inside] - np.uint64(start)) // np.uint64(INSTRUCTION_BYTES)
    return Placement(function, instruction)


def place_by_length(addresses: Addresses, cubin: Cubin, kernel: str) -> Placement:
    """Placement of each run of addresses onto the function of the same length, the kernel's own first."""
    function = np.full(len(addresses), -1, np.intp)
    instruction = np.full(len(addresses), -1, np.intp)
    order = np.argsort(addresses, kind="stable")
    ordered = addresses[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - np.uint64(2**40)) > SMALL_GAP_BYTES)
    runs = [part for part in np.split(order, starts[1:] if len(starts) and starts[0] == 0 else starts) if len(part)]
    free = {i: count_used_instructions(f) for i, f in enumerate(cubin.functions)}
    # Function -> calls between it and the kernel (0 for the kernel itself), by the relocations of its code.
    reached = {kernel: 0}
    front = [kernel]
    while front:
        member = cubin.function(front.pop())
        for name, _ in member.calls.values() if member else ():
            if name not in reached:
                reached[name] = reached[member.name] + 1 if member else 0
                front.append(name)
    for run in sorted(runs, key=len, reverse=True):
        numbers = (addresses[run] - addresses[run[0]]) // np.uint64(INSTRUCTION_BYTES)
        index = find_function(numbers.astype(np.int64), free, cubin, reached)
        if index is None:
            continue
        del free[index]
        function[run] = index
        instruction[run] = numbers
    return Placement(function, instruction)


def find_function(
    numbers: NDArray[np.int64], free: Mapping[int, int], cubin: Cubin, reached: Mapping[str, int]
) -> int | None:
    """The function that a run of instruction numbers belongs to; None where none has that length.

    Profilers leave out the branch to itself that ends a function, and sometimes the padding behind it.
    """
    span = int(numbers[-1]) + 1
    left_out = set(range(span)) - set(numbers.tolist())
    fits = [i for i, used in free.items() if used - 1 <= span <= cubin.functions[i].instruction_count]

    def rank(index: int) -> tuple[bool, int, bool, int]:
        function = cubin.functions[index]
        last = free[index] - 1
        explained = left_out == {last} if span > last else not left_out
        return (not explained, reached.get(function.name, 99), function.is_kernel, index)

    return min(fits, key=rank, default=None)


def count_used_instructions(function: Function) -> int:
    """Instructions without the padding at the end (the branch to itself before it counts)."""
    words = np.frombuffer(function.code, "<u8").reshape(-1, 2)[:, 0] & np.uint64(0x1FF)
    used = np.flatnonzero(words != np.uint64(NOP))
    return int(used[-1]) + 1 if len(used) else 0
