"""Nsight Compute reports (``.ncu-rep``): every launch with all its scalar metrics and what they amount to.

Nothing that identifies a person or a machine leaves this module: host names, addresses, users, command lines and
paths are not even parsed, but for the options on ncu's own command line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, BinaryIO

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable, Provenance
from roofcast.core.records import dataclass
from roofcast.ingest.ncu.container import CLASSES, MAGIC, Block, walk_blocks
from roofcast.ingest.ncu.flags import flags_of
from roofcast.ingest.ncu.metrics import amounts_from_ncu
from roofcast.ingest.ncu.opcodes import OPCODE_METRICS, OpcodeCounts, metrics_from_opcodes

CLOCK_CONTROL = re.compile(rb"--clock-control[=\s\x00]+\"?(base|none|reset|boost)\b", re.IGNORECASE)
CACHE_CONTROL = re.compile(rb"--cache-control[=\s\x00]+\"?(all|none|flush-none)\b", re.IGNORECASE)
PREFIX = "device__attribute_"


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU of the session."""

    name: str
    numbers: Mapping[str, float]
    """Metric name of each attribute -> value."""


@dataclass
class Session:
    """Facts about the whole report, gathered from all its blocks."""

    devices: dict[int, Device] = field(default_factory=dict)
    tool: str = ""
    clock_control: str = "base"
    cache_state: str = "cold"
    said: set[str] = field(default_factory=set)
    """Options that the report itself states."""

    @property
    def assumed(self) -> tuple[str, ...]:
        """What is ncu's default because the report does not say."""
        missing = [
            n for n, key in (("locked base clock", "clock"), ("flushed caches", "cache")) if key not in self.said
        ]
        return (f"assumed ncu's default: {' and '.join(missing)} (the report does not say)",) if missing else ()

    def device_of(self, numbers: Mapping[str, float]) -> Device | None:
        """The GPU that ran a launch, by its index; the only one where the launch does not say."""
        for key in (f"{PREFIX}device_index", "launch__device_id"):
            index = numbers.get(key)
            if index is not None and math.isfinite(index) and int(index) in self.devices:
                return self.devices[int(index)]
        return next(iter(self.devices.values())) if len(self.devices) == 1 else None


def gather_session(session: Session, header: Any) -> None:
    """Add what one block header tells."""
    described = header.session
    for device in described.device:
        numbers = {}
        for attribute in device.attribute:
            kind = attribute.value.WhichOneof("kind")
            if kind not in (None, "text"):
                name = attribute.name.decode("utf-8", "replace")
                numbers[name if name.startswith(PREFIX) else PREFIX + name] = float(getattr(attribute.value, kind))
        session.devices[device.id] = Device(device.name.decode("utf-8", "replace"), numbers)
    for version in described.version:
        if version.key == b"Nsight Compute Target":
            session.tool = f"Nsight Compute {version.value.decode('utf-8', 'replace').partition(' ')[0]}"
    read_options(session, described.command, described.options.clock_control)


def read_options(session: Session, command: bytes, clock_control: bytes) -> None:
    """Clock and cache control where the report states them; nothing else of the command line is kept.

    A command line that names neither means ncu's defaults. Options of ncu come before the profiled program and its
    arguments, so the first match is the right one.
    """
    if command.strip():
        clock, cache = CLOCK_CONTROL.search(command), CACHE_CONTROL.search(command)
        session.clock_control = "none" if clock and clock.group(1).lower() != b"base" else "base"
        session.cache_state = "warm" if cache and cache.group(1).lower() != b"all" else "cold"
        session.said |= {"clock", "cache"}
    elif clock_control.lower() in (b"base", b"none"):
        session.clock_control = clock_control.lower().decode("ascii")
        session.said.add("clock")


__all__ = ["Block", "Launch", "instances_of", "parse_results", "read", "recognises", "walk_blocks"]

SUMMED_PREFIXES = ("inst_executed", "thread_inst_executed", "sass__", "smsp__pcsamp_", "memory_l")
"""Source counters: where no total is stored, it is the sum over the instances."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One profile result, decoded."""

    kernel: str
    mangled: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    context: int
    stream: int
    numbers: dict[str, float]
    """Metric -> stored scalar, base units; NaN where the report stored a NaN."""
    texts: dict[str, str]
    """Metric -> stored text."""
    opcodes: dict[str, OpcodeCounts] = field(default_factory=dict)
    """Metric of OPCODE_METRICS -> executions per opcode."""
    sums: dict[str, float] = field(default_factory=dict)
    """Source counter without a stored total -> sum over its instances."""


def recognises(head: bytes, name: str) -> bool:
    """Whether the content is an Nsight Compute report."""
    return head[:4] == MAGIC


def read(stream: BinaryIO, name: str) -> KernelTable:
    """All launches of a report in file order."""
    launches: list[Launch] = []
    session = Session()
    try:
        for block in walk_blocks(stream):
            gather_session(session, block.header)
            launches.extend(parse_results(block))
    except InputError as error:
        raise InputError(f"{one_line(name)}: {error}") from None
    if not launches:
        raise InputError(
            f"{one_line(name)}: the report holds no kernel results: profile with a filter that matches a kernel"
        )
    return table_of(launches, session, name)


def parse_results(block: Block) -> Iterator[Launch]:
    """The profile results of a block, decoded; what a metric holds per instruction stays in :func:`instances_of`."""
    names = [text.decode("utf-8", "replace") for text in block.strings]
    for result in block.results:
        yield parse_result(result, names)


def parse_result(result: Any, names: list[str]) -> Launch:
    """One profile result; ``names`` is the string table."""
    numbers: dict[str, float] = {}
    texts: dict[str, str] = {}
    opcodes: dict[str, OpcodeCounts] = {}
    sums: dict[str, float] = {}
    known = len(names)
    for metric in result.metric:
        index = metric.name
        if index >= known:
            continue
        name, value = names[index], metric.value
        kind = value.WhichOneof("kind")
        if kind == "text":
            texts[name] = value.text.decode("utf-8", "replace")
        elif kind is not None:
            numbers[name] = getattr(value, kind)
        elif name.startswith(SUMMED_PREFIXES) and len(metric.instance):
            sums[name] = math.fsum(v for _, v in instances_of(metric) if isinstance(v, (int, float)))
        if name in OPCODE_METRICS:
            opcodes[name] = {str(k): float(v) for k, v in instances_of(metric) if not isinstance(v, str)}
    mangled = text_of(result.mangled)
    readable = text_of(result.demangled) or text_of(result.function) or mangled or "(unnamed)"
    grid, block = size_of(result.grid), size_of(result.block)
    return Launch(readable, mangled, grid, block, result.context, result.stream, numbers, texts, opcodes, sums)


def size_of(size: Any) -> tuple[int, int, int]:
    """A grid or block size."""
    return int(size.x), int(size.y), int(size.z)


def instances_of(metric: Any) -> Iterator[tuple[str | float, str | float]]:
    """Pairs (correlation id, value) of a metric: per instruction address, per opcode, per unit.

    metric : a metric of ``Block.results[i].metric``. Pairs without both parts are left out.
    """
    from google.protobuf.message import DecodeError

    for raw in metric.instance:
        try:
            pair = CLASSES["Instance"].FromString(raw)
        except DecodeError:
            continue
        key, value = plain(pair.correlation), plain(pair.value)
        if key is not None and value is not None:
            yield key, value


def plain(value: Any) -> str | float | None:
    """The Python value of a stored value; None where it holds none."""
    kind = value.WhichOneof("kind")
    if kind is None:
        return None
    return text_of(value.text) if kind == "text" else float(getattr(value, kind))


def text_of(raw: bytes) -> str:
    """Text of a report, whatever its encoding."""
    return raw.decode("utf-8", "replace")


def table_of(launches: list[Launch], session: Session, name: str) -> KernelTable:
    """The kernel table of decoded launches."""
    size = len(launches)
    counters = columns_of((launch.numbers for launch in launches), size)
    not_numbers = [sorted(k for k, v in launch.numbers.items() if not math.isfinite(v)) for launch in launches]
    sums = {k: v for k, v in columns_of((launch.sums for launch in launches), size).items() if k not in counters}
    devices = [session.device_of(launch.numbers) for launch in launches]
    attributes = columns_of((d.numbers if d else {} for d in devices), size)
    geometry = columns_of((geometry_of(launch) for launch in launches), size)
    opcodes = metrics_from_opcodes([launch.opcodes for launch in launches])
    metrics = {**sums, **filled(filled(counters, attributes), geometry), **opcodes}
    amounts = amounts_from_ncu(metrics)
    amounts["launch"] = (np.arange(size, dtype=np.float64), np.full(size, Origin.COUNTED, np.uint8))
    text = {
        "kernel": [launch.kernel for launch in launches],
        "kernel_mangled": [launch.mangled for launch in launches],
        "gpu": [
            launch.texts.get("device__attribute_display_name", d.name if d else "")
            for launch, d in zip(launches, devices, strict=True)
        ],
        "compute_capability": capabilities(metrics, size),
        "grid": [shown_size(launch.grid) for launch in launches],
        "block": [shown_size(launch.block) for launch in launches],
        "cache_state": [session.cache_state] * size,
        "clock_control": [session.clock_control] * size,
    }
    return KernelTable.from_columns(
        text,
        amounts,
        counters=counters,
        flags=flags_of(metrics, amounts, not_numbers, session.assumed),
        provenance=Provenance(file=name, format="ncu-rep", tool=session.tool),
    )


def columns_of(rows: Iterable[Mapping[str, float]], size: int) -> dict[str, FloatArray]:
    """(n,) columns of n rows of named numbers; NaN where a row lacks a name or its number is not finite."""
    columns: dict[str, FloatArray] = {}
    for index, row in enumerate(rows):
        for name, value in row.items():
            column = columns.get(name)
            if column is None:
                column = columns[name] = np.full(size, np.nan)
            column[index] = value
    for column in columns.values():
        column[~np.isfinite(column)] = np.nan
    return columns


def filled(columns: Mapping[str, FloatArray], others: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Columns whose absent cells come from others."""
    result = dict(columns)
    for name, values in others.items():
        present = result.get(name)
        result[name] = values if present is None else np.where(np.isnan(present), values, present)
    return result


def geometry_of(launch: Launch) -> dict[str, float]:
    """Grid and block as the metrics that say the same; nothing where the workload has no grid."""
    sizes = {"launch__grid_size": math.prod(launch.grid), "launch__block_size": math.prod(launch.block)}
    return {k: float(v) for k, v in sizes.items() if v}


def shown_size(size: tuple[int, int, int]) -> str:
    """``(256, 1, 1)``; empty where there is none."""
    return f"({size[0]}, {size[1]}, {size[2]})" if any(size) else ""


def capabilities(metrics: Mapping[str, FloatArray], size: int) -> list[str]:
    """Compute capability per launch, such as ``8.6``."""
    absent = np.full(size, np.nan)
    major, minor = (metrics.get(f"device__attribute_compute_capability_{p}", absent) for p in ("major", "minor"))
    return [f"{int(a)}.{int(b)}" if a >= 0 and b >= 0 else "" for a, b in zip(major, minor, strict=True)]
