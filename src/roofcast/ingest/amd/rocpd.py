"""Databases of AMD's tracers (SQLite): rocpd of rocprofv3 and rocprof-sys, and the older RPD of rocmProfileData."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, BinaryIO

import numpy as np

from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import KernelTable, Provenance
from roofcast.core.records import dataclass
from roofcast.core.timeline import Device, IntArray, Process, RangeKind, Work
from roofcast.ingest.amd.amd_amounts import System, is_counter
from roofcast.ingest.amd.dispatches import Dispatch, described, table_of
from roofcast.ingest.traces.distinct_kernels import kernel_table_of
from roofcast.ingest.traces.event_columns import code_each, non_negative, whole
from roofcast.ingest.traces.event_names import api_of, collective_of, way_of
from roofcast.ingest.traces.nsys import MAGIC, ROCPD
from roofcast.ingest.traces.sqlite import Database, numbers, open_database, whole_numbers
from roofcast.ingest.traces.windows import NEVER, Builder, Windows

AXES = "xyz"
SIZES = tuple(f"{what}_size_{axis}" for what in ("grid", "workgroup") for axis in AXES)
WHERE = ("start", "end", "queue_id", "pid", "event_id")
MAX_COUNTED = 5_000_000
"""Values of counters that are read."""


def recognises(head: bytes, name: str) -> bool:
    """Whether this is an SQLite file whose first pages name tables of rocpd."""
    return head.startswith(MAGIC) and ROCPD.search(head) is not None


def read(stream: BinaryIO, name: str) -> KernelTable:
    """Every dispatch with its counters where they were collected, else one row per distinct kernel and geometry."""
    file = one_line(name)
    try:
        with open_database(stream) as database:
            counted = counted_dispatches(database, name)
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    if counted is not None:
        return counted
    stream.seek(0)
    return kernel_table_of(read_windows(stream, name))


def read_windows(stream: BinaryIO, name: str) -> Windows:
    """The timeline of a database, in windows."""
    file = one_line(name)
    try:
        with open_database(stream) as database:
            return windows_of(database, name)
    except InputError as error:
        text = str(error)
        raise InputError(text if text.startswith(file) else f"{file}: {text}") from error


def windows_of(database: Database, name: str) -> Windows:
    """The timeline of an open database."""
    reading = Reading(database, Builder())
    if tables_of(database, "rocpd_kernel_dispatch"):
        reading.rocprofv3()
    elif "rocpd_op" in database:
        reading.rpd()
    else:
        raise InputError("an SQLite file that is no database of rocprofv3 or RPD: no table of dispatches is there")
    return reading.builder.windows(name, Provenance(file=name, format="rocpd", tool="rocprof (rocpd)"))


@dataclass
class Reading:
    """State while reading the tables; their names end in the number of the run."""

    database: Database
    builder: Builder

    def lookup(self, prefix: str, key: str, *columns: str) -> dict[Any, tuple[Any, ...]]:
        """Key -> values, over the tables of one kind."""
        by_key: dict[Any, tuple[Any, ...]] = {}
        for table in tables_of(self.database, prefix):
            if self.database.has(table, key):
                for number, *values in self.database.rows(table, (key, *columns)):
                    by_key[number] = tuple(values)
        return by_key

    def rocprofv3(self) -> None:
        """The tables of rocprofv3."""
        strings = {k: str(v[0]) for k, v in self.lookup("rocpd_string", "id", "string").items()}
        agents = self.lookup("rocpd_info_agent", "id", "type", "type_index", "product_name", "model_name", "name")
        symbols = self.lookup("rocpd_info_kernel_symbol", "id", "display_name", "kernel_name", "arch_vgpr_count")
        pids = {k: whole(v[0], 0) for k, v in self.lookup("rocpd_info_process", "id", "pid").items()}
        Sdk(self.database, self.builder, strings, agents, symbols, pids, self.correlations()).all()

    def correlations(self) -> tuple[IntArray, IntArray]:
        """Numbers of events in order, and the number that ties each to its call."""
        parts: tuple[list[IntArray], list[IntArray]] = ([], [])
        for table in tables_of(self.database, "rocpd_event"):
            for block in self.database.blocks(table, ("id", "correlation_id")):
                for part, column in zip(parts, ("id", "correlation_id"), strict=True):
                    part.append(small(whole_numbers(block[column])))
        number, correlation = (np.concatenate(p) if p else np.zeros(0, np.int64) for p in parts)
        if len(number) and (np.diff(number) < 0).any():
            order = np.argsort(number, kind="stable")
            number, correlation = number[order], correlation[order]
        return number, correlation

    def rpd(self) -> None:
        """The tables of rocmProfileData."""
        strings = {k: str(v[0]) for k, v in self.lookup("rocpd_string", "id", "string").items()}
        api_of_op = {op: (api,) for api, op in self.database.rows("rocpd_api_ops", ("api_id", "op_id"))}
        axes = ("gridX", "gridY", "gridZ", "workgroupX", "workgroupY", "workgroupZ", "groupSegmentSize")
        kernels = self.lookup("rocpd_kernelapi", "api_ptr_id", *axes)
        copies = self.lookup("rocpd_copyapi", "api_ptr_id", "size", "kind")
        process, named = self.builder.process(0, Process()), self.builder.name
        wanted = ("id", "gpuId", "queueId", "start", "end", "description_id", "opType_id")
        for number, gpu, queue, start, end, text, kind in self.database.rows("rocpd_op", wanted):
            api = api_of_op.get(number, (None,))[0]
            common = {
                "start": whole(start, 0), "end": whole(end, NEVER), "process": process, "correlation": whole(api, -1),
                "device": self.builder.device(gpu, Device(number=whole(gpu, 0))), "stream": whole(queue, -1),
            }  # fmt: skip
            operation, name = strings.get(kind, ""), strings.get(text, "")
            if "copy" in operation.lower() or api in copies:
                operation, size = operation or "copy", non_negative(copies.get(api, (None,))[0])
                way = way_of(operation[:200])
                self.builder.add_work(kind=Work.COPY, name=named(operation), bytes=size, way=way, **common)
            elif "fill" not in operation.lower():
                # Unlike other tools RPD stores grids in blocks.
                *sizes, lds = kernels.get(api, (None,) * 7)
                known = [whole(s, -1) for s in sizes]
                shape = dict(zip(("gx", "gy", "gz", "bx", "by", "bz"), known, strict=True)) if min(known) > 0 else {}
                collective = collective_of(name)
                self.builder.add_work(
                    kind=Work.KERNEL, name=named(name), smem=non_negative(lds), collective=collective, **shape, **common
                )
        calls = self.database.rows("rocpd_api", ("id", "tid", "start", "end", "apiName_id", "args_id"))
        for number, tid, start, end, text, arguments in calls:
            name = strings.get(text, "")
            marker = name == "UserMarker"
            name = strings.get(arguments, name) if marker else name
            begin, finish, thread = whole(start, 0), whole(end, NEVER), whole(tid, 0)
            if name.startswith("hip") and not marker:
                row = (api_of(name[:200]), begin, finish, named(name), thread, process, whole(number, -1))
                self.builder.add_call(row)
            elif name and (marker or not name.startswith(("hsa", "roctx", "rocprof"))):
                self.builder.add_range((RangeKind.ANNOTATION, begin, finish, named(name), thread, process, -1))


def tables_of(database: Database, prefix: str) -> list[str]:
    """The tables of one kind, one per run."""
    return sorted(t for t in database.columns if t == prefix or t.startswith(prefix + "_"))


def small(values: IntArray) -> IntArray:
    """The same numbers in half the room where they fit."""
    fits = len(values) and values.min() >= -(1 << 31) and values.max() < 1 << 31
    return values.astype(np.int32) if fits else values


Rows = Mapping[Any, tuple[Any, ...]]
Block = dict[str, Sequence[Any]]


@dataclass
class Sdk:
    """State while reading; every table comes in blocks, so that millions of rows fit."""

    database: Database
    builder: Builder
    strings: dict[Any, str]
    agents: Rows
    symbols: Rows
    pids: dict[Any, int]
    correlations: tuple[IntArray, IntArray]
    devices: dict[Any, int] = field(default_factory=dict)

    def all(self) -> None:
        """Every table that is there."""
        for table in tables_of(self.database, "rocpd_kernel_dispatch"):
            wanted = (*WHERE, "kernel_id", "group_segment_size", "agent_id", *SIZES)
            for block in self.database.blocks(table, wanted):
                self.dispatches(block)
        for table in tables_of(self.database, "rocpd_memory_copy"):
            for block in self.database.blocks(table, (*WHERE, "name_id", "size", "dst_agent_id", "src_agent_id")):
                self.copies(block)
        for table in tables_of(self.database, "rocpd_region"):
            for block in self.database.blocks(table, (*WHERE, "name_id", "tid")):
                self.regions(block)

    def correlation(self, block: Block) -> IntArray:
        """(n,) what ties each row to its call; -1 where nothing does."""
        number, correlation = self.correlations
        if not len(number):
            return np.full(len(block["event_id"]), -1, np.int64)
        # In the numbers' own type: another one would copy all of them for every block.
        event = np.minimum(whole_numbers(block["event_id"]), np.iinfo(number.dtype).max).astype(number.dtype)
        at = np.minimum(np.searchsorted(number, event), len(number) - 1)
        return np.where(number[at] == event, correlation[at], -1).astype(np.int64)

    def device(self, agent: Any) -> int:
        """Position of an agent."""
        if agent not in self.devices:
            _, number, *names = self.agents.get(agent, ("GPU", agent, ""))
            name = next((str(n) for n in names if n), "")
            self.devices[agent] = self.builder.device(agent, Device(name[:200], whole(number, 0)))
        return self.devices[agent]

    def process(self, key: Any) -> int:
        """Position of a process."""
        return self.builder.process(key, Process(self.pids.get(key, 0)))

    def common(self, block: Block) -> dict[str, Any]:
        """Times, process and correlation."""
        return {
            "start": whole_numbers(block["start"], 0), "end": whole_numbers(block["end"], NEVER),
            "process": code_each(block["pid"], self.process, np.int64),
            "correlation": self.correlation(block),
        }  # fmt: skip

    def dispatches(self, block: Block) -> None:
        """Kernels; grids count work-items."""
        sizes = np.stack([whole_numbers(block[c]) for c in SIZES])
        items, group = sizes[:3], sizes[3:]
        known = (sizes > 0).all(axis=0)
        grid = np.where(known, -(-items // np.maximum(group, 1)), -1)
        group = np.where(known, group, -1)
        kernels = [name_of(self.symbols.get(k, ("", ""))) for k in block["kernel_id"]]
        registers = numbers([self.symbols.get(k, (None,) * 3)[2] for k in block["kernel_id"]])
        self.builder.add_works(self.common(block) | {
            "kind": np.full(len(kernels), Work.KERNEL), "name": code_each(kernels, self.builder.name, np.int64),
            "device": code_each(block["agent_id"], self.device, np.int64), "stream": whole_numbers(block["queue_id"]),
            "gx": grid[0], "gy": grid[1], "gz": grid[2], "bx": group[0], "by": group[1], "bz": group[2],
            "regs": np.where(registers > 0, registers, np.nan), "smem": numbers(block["group_segment_size"]),
            "collective": code_each(kernels, collective_of, np.int64),
        })  # fmt: skip

    def copies(self, block: Block) -> None:
        """Copies, on the GPU that takes part."""
        names = [self.strings.get(n, "copy") for n in block["name_id"]]
        ends = zip(block["dst_agent_id"], block["src_agent_id"], strict=True)
        agents = [t if str(self.agents.get(t, ("GPU",))[0]).upper() == "GPU" else s for t, s in ends]
        self.builder.add_works(self.common(block) | {
            "kind": np.full(len(names), Work.COPY), "name": code_each(names, self.builder.name, np.int64),
            "device": code_each(agents, self.device, np.int64), "stream": whole_numbers(block["queue_id"]),
            "bytes": numbers(block["size"]), "way": code_each(names, lambda n: way_of(n[:200]), np.int64),
        })  # fmt: skip

    def regions(self, block: Block) -> None:
        """Calls of HIP; other regions are ranges that the user named, without those of the HSA runtime."""
        names = [self.strings.get(n, "") for n in block["name_id"]]
        call = np.array([n.startswith("hip") for n in names], np.bool_)
        of_user = np.array([bool(n) and not n.startswith(("hip", "hsa", "roctx", "rocprof")) for n in names], np.bool_)
        common = self.common(block) | {
            "name": code_each(names, self.builder.name, np.int64),
            "thread": whole_numbers(block["tid"], 0),
        }
        calls = common | {"api": code_each(names, lambda n: api_of(n[:200]), np.int64)}
        self.builder.add_calls({k: v[call] for k, v in calls.items()})
        del common["correlation"]
        spans = common | {"kind": np.full(len(names), RangeKind.ANNOTATION), "operator": np.full(len(names), -1)}
        self.builder.add_ranges({k: v[of_user] for k, v in spans.items()})


def name_of(symbol: tuple[Any, ...]) -> str:
    """A kernel's name without what the loader appends."""
    return str(symbol[0] or symbol[1] or "").removesuffix(".kd")


def counted_dispatches(database: Database, name: str) -> KernelTable | None:
    """Every dispatch with its counters (``rocprofv3 --pmc``), in order; None where none were collected."""
    rows: list[Dispatch] = []
    agents: dict[Any, System] = {}
    used: set[Any] = set()
    for events in tables_of(database, "rocpd_pmc_event"):
        run = events.removeprefix("rocpd_pmc_event")
        named = {i: str(s or n or "") for i, n, s in database.rows(f"rocpd_info_pmc{run}", ("id", "name", "symbol"))}
        values: dict[Any, dict[str, float]] = {}
        for number, (event, counter, value) in enumerate(database.rows(events, ("event_id", "pmc_id", "value"))):
            key = named.get(counter, "")
            if number > MAX_COUNTED:
                raise InputError(f"more than {MAX_COUNTED:,} values of counters: profile fewer kernels at once")
            if not is_counter(key) or not isinstance(value, (int, float)) or value < 0:
                continue
            of_event = values.setdefault(event, {})
            # Several values of one counter are instances of a unit, or passes of a process: they are added up.
            of_event[key] = of_event.get(key, 0.0) + float(value)
        if not values:
            continue
        agents |= agents_of(database, f"rocpd_info_agent{run}")
        wanted = ("id", "display_name", "kernel_name", "arch_vgpr_count", "accum_vgpr_count")
        symbols = {k: tuple(v) for k, *v in database.rows(f"rocpd_info_kernel_symbol{run}", wanted)}
        of_kernel = ("agent_id", "kernel_id", "start", "end", "event_id", "group_segment_size")
        columns = ("id", "dispatch_id", *of_kernel, *SIZES)
        for cells in database.rows(f"rocpd_kernel_dispatch{run}", columns):
            if cells[6] in values:
                used.add(cells[2])
                rows.append(dispatch_of(cells, symbols.get(cells[3], ("", "", None, None)), values[cells[6]]))
    if not rows:
        return None
    alike = {agents.get(a) for a in used}
    system = next(iter(alike)) if len(alike) == 1 else None
    return described(table_of(rows, name, "rocprofv3 (rocpd)"), system or System())


def dispatch_of(cells: tuple[Any, ...], symbol: tuple[Any, ...], counters: dict[str, float]) -> Dispatch:
    """One dispatch."""
    identity, number, _, _, start, end, _, lds, *sizes = cells
    known = all(isinstance(s, int) and s > 0 for s in sizes)
    span = end - start if isinstance(start, int) and isinstance(end, int) else 0
    vgprs = [float(v) for v in symbol[2:4] if isinstance(v, (int, float)) and v >= 0]
    return Dispatch(
        kernel=name_of(symbol), number=float(whole(number, whole(identity, -1))),
        items=float(math.prod(sizes[:3])) if known else math.nan,
        group=float(math.prod(sizes[3:])) if known else math.nan, vgprs=sum(vgprs) if vgprs else math.nan,
        lds_bytes=float(lds) if isinstance(lds, (int, float)) and lds >= 0 else math.nan,
        time_s=span * 1e-9 if 0 < span < 10**15 else math.nan, counters=counters,
    )  # fmt: skip


def agents_of(database: Database, table: str) -> dict[Any, System]:
    """The GPUs of a run."""
    systems = {}
    columns = ("id", "type", "product_name", "model_name", "name", "extdata")
    for number, kind, product, model, name, more in database.rows(table, columns):
        facts = facts_of(more)
        if str(kind).upper() == "GPU":
            arch = str(name or "").lower().partition(":")[0][:20]
            title = str(product or model or name or "")[:80]
            systems[number] = System(gpu=title, arch=arch if arch.startswith("gfx") else "",
                                   sm_count=facts.get("cu_count", math.nan), dies=facts.get("num_xcc", math.nan),
                                   max_waves_per_sm=facts.get("max_waves_per_cu", math.nan))  # fmt: skip
    return systems


def facts_of(text: Any) -> dict[str, float]:
    """Positive numbers of a JSON object; none where it is none."""
    try:
        content = json.loads(text) if isinstance(text, str) else {}
    except (ValueError, RecursionError):
        return {}
    items = content.items() if isinstance(content, dict) else ()
    return {k: float(v) for k, v in items if type(v) in (int, float) and 0 < v < 1e9}
