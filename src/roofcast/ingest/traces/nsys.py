"""Nsight Systems exports (SQLite, schema 2.x and 3.x) and the captures of nvprof and the Visual Profiler (.nvvp).

Tables and columns come and go between versions: whatever is there is read, whatever is not is absent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import KernelTable, Provenance
from roofcast.core.numbering import number_values
from roofcast.core.records import dataclass
from roofcast.core.timeline import Api, Device, HostMemory, IntArray, Process, RangeKind, Way, Work
from roofcast.core.unified_memory import PageTraffic
from roofcast.ingest.traces.distinct_kernels import grouped, kernel_table_of
from roofcast.ingest.traces.event_columns import Columns, positive
from roofcast.ingest.traces.event_names import api_of, collective_of
from roofcast.ingest.traces.sqlite import Database, absent, numbers, open_database, whole_numbers
from roofcast.ingest.traces.sqlite_pages import PageColumn
from roofcast.ingest.traces.windows import NEVER, Builder, Windows

MAGIC = b"SQLite format 3\0"
ROCPD = re.compile(rb"CREATE\s+(?:TABLE|VIEW)[^(]{0,60}rocpd_", re.I)
"""A table of AMD's tracers in the first pages, where SQLite keeps its schema."""
KERNELS = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL")
COPIES = ("CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMCPY2")
CALLS = ("CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER")
MEMSETS = "CUPTI_ACTIVITY_KIND_MEMSET"
GPU_FAULTS, CPU_FAULTS = "CUDA_UM_GPU_PAGE_FAULT_EVENTS", "CUDA_UM_CPU_PAGE_FAULT_EVENTS"
ALLOCATIONS = "CUDA_GPU_MEMORY_USAGE_EVENTS"
DEVICE_MEMORY, ALLOCATED, FREED = (2, 3, 4, 5, 6), 0, 1
"""Kinds of memory on a device (device, array, managed, static), and what an event does with it."""
COUNTERS = "CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER"
COUNTED_TO_DEVICE, COUNTED_CPU_FAULT, COUNTED_GPU_FAULTS = 1, 3, 4
COUNTED_WAYS = {1: Way.HOST_TO_DEVICE, 2: Way.DEVICE_TO_HOST, 8: Way.DEVICE_TO_DEVICE}
"""Kinds of CUPTI's counters of unified memory."""
FAULT_NAME = "page faults of the GPU"
GRAPHS = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
SYNCS = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"
EVENTS = "CUPTI_ACTIVITY_KIND_CUDA_EVENT"
NVTX = "NVTX_EVENTS"
GPUS = "TARGET_INFO_GPU"
CUDA_NUMBERS = "TARGET_INFO_CUDA_DEVICE"
OLD_GPUS = "CUPTI_ACTIVITY_KIND_DEVICE"
MAX_NAME = 200
"""Characters of a GPU's name."""

WAYS = {1: Way.HOST_TO_DEVICE, 2: Way.DEVICE_TO_HOST, 3: Way.HOST_TO_DEVICE, 4: Way.DEVICE_TO_HOST,
        **dict.fromkeys((5, 6, 7, 8, 13), Way.DEVICE_TO_DEVICE), 9: Way.HOST_TO_HOST, 10: Way.PEER,
        11: Way.HOST_TO_DEVICE, 12: Way.DEVICE_TO_HOST}  # fmt: skip
"""copyKind -> way (arrays count as device memory)."""
MIGRATIONS = (11, 12, 13)
MEMORY = {0: HostMemory.PAGEABLE, 1: HostMemory.PINNED, 4: HostMemory.MANAGED, 6: HostMemory.MANAGED}
NVVP_MEMORY = {1: HostMemory.PAGEABLE, 2: HostMemory.PINNED, 5: HostMemory.MANAGED}
"""The captures of nvprof hold CUPTI's own numbers, one higher."""
NVTX_SPANS = frozenset({59, 60, 71, 70})
"""Push / pop and start / end ranges, also of imported NVTX text."""
STREAM_WAIT = 2
"""CUPTI's number of a synchronisation in which a stream waits for an event."""
PROCESS_MASK = ~0xFFFFFF
"""A global thread number without its lowest 24 bits, the thread, names the process."""
MAX_STRINGS = 5_000_000
"""Distinct texts of a report, which the memory has to hold."""


def recognises(head: bytes, name: str) -> bool:
    """Whether this is an SQLite file; which profiler wrote it is told by its tables, which may stand anywhere."""
    return head.startswith(MAGIC) and not ROCPD.search(head)


def read(stream: BinaryIO, name: str) -> KernelTable:
    """One row per distinct kernel and geometry (see :func:`read_windows`)."""
    return kernel_table_of(read_windows(stream, name))


def read_windows(stream: BinaryIO, name: str) -> Windows:
    """The timeline of an export, in windows."""
    file = one_line(name)
    try:
        with open_database(stream) as database:
            if any(t.startswith("rocpd_") for t in database.columns):
                raise InputError("a database of AMD's tracers: read it with --input-format rocpd")
            return windows_of_export(database, name)
    except InputError as error:
        text = str(error)
        raise InputError(text if text.startswith(file) else f"{file}: {text}") from error


def windows_of_export(database: Database, name: str) -> Windows:
    """The timeline of an open export."""
    known = (*KERNELS, *COPIES, COUNTERS, MEMSETS, *CALLS, NVTX, GRAPHS, "TARGET_INFO_GPU", "TARGET_INFO_SYSTEM_ENV")
    if not any(t in database for t in known):
        raise InputError("an SQLite file that is no export of Nsight Systems: none of its tables is there")
    if not any(t in database for t in (*KERNELS, *COPIES, MEMSETS, GRAPHS)):
        raise InputError(
            "an Nsight Systems export without GPU work: its CUDA tables are missing. Record with "
            "`nsys profile --trace=cuda,nvtx ./application` and export again"
        )
    reading = Reading(database, Builder(), strings_of(database), read_devices(database))
    reading.all()
    tool = "nvprof" if "StringTable" in database else tool_of(database)
    notes = (reading.pages.describe(),) if reading.pages else ()
    held = read_held(database)
    provenance = Provenance(file=name, format="nsys-sqlite", tool=tool, notes=notes, memory_bytes=held)
    return reading.builder.windows(name, provenance)


def read_held(database: Database) -> float | None:
    """Bytes that CUDA's allocations on one device held at most (`--cuda-memory-usage=true`); None without a record."""
    now: dict[object, int] = {}
    most = 0
    wanted = ("start", "deviceId", "bytes", "memKind", "memoryOperationType")
    rows = (r for r in database.rows(ALLOCATIONS, wanted) if all(isinstance(v, int) for v in r))
    for _, device, size, kind, operation in sorted(rows):
        if kind in DEVICE_MEMORY and operation in (ALLOCATED, FREED):
            now[device] = now.get(device, 0) + (size if operation == ALLOCATED else -size)
            most = max(most, now[device])
    return float(most) if most > 0 else None


def strings_of(database: Database) -> dict[int, str]:
    """Number -> text of the file's table of strings."""
    table, key = ("StringTable", "_id_") if "StringTable" in database else ("StringIds", "id")
    texts: dict[int, str] = {}
    for number, text in database.rows(table, (key, "value")):
        if isinstance(number, int) and isinstance(text, str):
            texts[number] = text
        if len(texts) > MAX_STRINGS:
            raise InputError("more than 5 million strings: not an export of Nsight Systems")
    return texts


def tool_of(database: Database) -> str:
    """Product and version that exported the file."""
    facts: dict[str, str] = {}
    for table in ("META_DATA_EXPORT", "EXPORT_META_DATA"):
        facts |= {str(k): str(v) for k, v in database.rows(table, ("name", "value"))}
    version = facts.get("EXPORT_PRODUCT_VERSION", "")
    schema = facts.get("EXPORT_SCHEMA_VERSION", "")
    return one_line(f"Nsight Systems {version}" + (f" (schema {schema})" if schema else ""), 80).strip()


def read_devices(database: Database) -> dict[int, Device]:
    """Device number -> what is known of it."""
    devices: dict[int, Device] = {}
    gpus: dict[int, Device] = {}
    wanted = ("id", "cuDevice", "name", "smCount", "totalMemory", "computeMajor", "computeMinor")
    for identity, number, *facts in database.rows(GPUS, wanted):
        if isinstance(identity, int):
            # GPUs that CUDA does not see (integrated graphics) have no number of CUDA and no multiprocessors.
            device = device_of(number if isinstance(number, int) else identity, facts)
            gpus[identity] = device
            if not isinstance(facts[1], int) or facts[1] > 0:
                devices.setdefault(device.number, device)
    for identity, number in database.rows(CUDA_NUMBERS, ("gpuId", "cudaId")):
        if isinstance(number, int) and identity in gpus:
            devices[number] = gpus[identity]
    strings = {k: v for k, v in database.rows("StringTable", ("_id_", "value")) if isinstance(k, int)}
    old = ("id", "name", "numMultiprocessors", "globalMemorySize", "computeCapabilityMajor", "computeCapabilityMinor")
    for identity, name, *facts in database.rows(OLD_GPUS, old):
        if isinstance(identity, int):
            text = strings.get(name, "") if isinstance(name, int) else name
            devices.setdefault(identity, device_of(identity, [text, *facts]))
    return devices


def device_of(number: int, facts: list[Any]) -> Device:
    """A device from name, multiprocessors, memory and compute capability."""
    name, sms, memory, major, minor = facts
    known = isinstance(major, int) and isinstance(minor, int) and major > 0
    return Device(
        name=str(name)[:MAX_NAME] if isinstance(name, str) else "",
        number=number,
        sm_count=positive(sms),
        capacity_bytes_dram=positive(memory),
        compute_capability=f"{major}.{minor}" if known else "",
    )


def code_numbers(numbers: IntArray, code: Callable[[int], int]) -> IntArray:
    """(n,) what a function makes of each number; it is asked once per distinct one, in ascending order."""
    if len(numbers) and (numbers == numbers[0]).all():
        return np.full(len(numbers), code(int(numbers[0])), np.int64)
    distinct, place = number_values(numbers)
    return np.array([code(n) for n in distinct.tolist()], np.int64)[place]


@dataclass
class Reading:
    """State while reading the tables."""

    database: Database
    builder: Builder
    strings: dict[int, str]
    facts: dict[int, Device]
    pages: PageTraffic = field(default_factory=PageTraffic)
    codes: dict[int | str | bytes, int] = field(default_factory=dict)
    """Number of a string, or a text -> position among the builder's names."""

    def all(self) -> None:
        """Read every table that is there."""
        of_graphs = [self.kernels(t) for t in KERNELS if t in self.database]
        for table in COPIES:
            if table in self.database:
                self.copies(table)
        self.faults()
        if COUNTERS in self.database:
            self.counters()
        if MEMSETS in self.database:
            self.memsets()
        if GRAPHS in self.database and not any(of_graphs):
            self.graphs()
        for table in CALLS:
            if table in self.database:
                self.calls(table)
        if NVTX in self.database:
            self.ranges()
        if SYNCS in self.database and EVENTS in self.database:
            self.waits()

    def names(self, numbers_of: Sequence[Any]) -> NDArray[np.int64]:
        """Positions of names from numbers of strings (or from the texts themselves)."""
        if isinstance(numbers_of, PageColumn) and numbers_of.is_whole.all():
            distinct, place = number_values(numbers_of.whole)
            new = [n for n in distinct.tolist() if n not in self.codes]
            if new:
                # Positions follow the order in which names appear.
                at = np.flatnonzero(np.isin(numbers_of.whole, new))
                self.know(dict.fromkeys(numbers_of.whole[at].tolist()))
            codes = np.array([*map(self.codes.__getitem__, distinct.tolist())], np.int64)
            return codes[place]
        if not {*map(type, numbers_of)} <= {int, str, bytes}:
            numbers_of = [n if isinstance(n, (int, str)) else "" for n in numbers_of]
        self.know(dict.fromkeys(numbers_of))
        return np.array([*map(self.codes.__getitem__, numbers_of)], np.int64)

    def know(self, numbers_of: Iterable[int | str | bytes]) -> None:
        """Give names their positions, in the order in which they appear."""
        for n in numbers_of:
            if n not in self.codes:
                text = self.strings.get(n, "") if isinstance(n, int) else n
                self.codes[n] = self.builder.name(text.decode("utf-8", "replace") if isinstance(text, bytes) else text)

    def labels(self, block: dict[str, Sequence[Any]]) -> NDArray[np.int64]:
        """Positions of the names of ranges, each of which has a text or the number of one."""
        texts, numbers_of = block["text"], block["textId"]
        if isinstance(texts, PageColumn) and texts.is_text.all():
            place, first = grouped(texts.words)
            return self.names(texts.bytes_of(first))[place]
        if isinstance(texts, PageColumn) and not texts.is_text.any():
            return self.names(numbers_of)
        return self.names([t if isinstance(t, str) else i for t, i in zip(texts, numbers_of, strict=True)])

    def processes(self, block: dict[str, Sequence[Any]], column: str) -> IntArray:
        """Positions of processes from global process or thread numbers."""
        masked = whole_numbers(block[column], 0) & PROCESS_MASK
        return code_numbers(masked, lambda p: self.builder.process(p, Process(p >> 24 & 0xFFFFFF)))

    def devices(self, block: dict[str, Sequence[Any]]) -> IntArray:
        """Positions of devices."""
        # Reports of several machines number their devices alike; the machine is in the process's number.
        pairs = np.stack([whole_numbers(block["globalPid"], 0) >> 56, whole_numbers(block["deviceId"], 0)])
        if pairs.shape[1] and (pairs == pairs[:, :1]).all():
            return np.full(pairs.shape[1], self.device(*pairs[:, 0].tolist()), np.int64)
        distinct, inverse = np.unique(pairs, axis=1, return_inverse=True)
        places = [self.device(machine, number) for machine, number in distinct.T.tolist()]
        return np.array(places, np.int64)[inverse.ravel()]

    def device(self, machine: int, number: int) -> int:
        """Position of a device of a machine."""
        return self.builder.device((machine, number), self.facts.get(number) or Device(number=number))

    def common(self, block: dict[str, Sequence[Any]]) -> tuple[NDArray[np.bool_], dict[str, Any]]:
        """Columns that all device work has, and which rows hold times."""
        start, end = whole_numbers(block["start"], 0), whole_numbers(block["end"], NEVER)
        good = end >= start
        self.builder.damaged += int((~good).sum())
        return good, {
            "start": start, "end": end, "device": self.devices(block), "stream": whole_numbers(block["streamId"]),
            "process": self.processes(block, "globalPid"), "correlation": whole_numbers(block["correlationId"]),
            "graph": whole_numbers(block["graphNodeId"]),
        }  # fmt: skip

    def add(self, good: NDArray[np.bool_], columns: dict[str, Any]) -> None:
        """Hand the good rows to the builder."""
        if not good.all():
            columns = {k: np.asarray(v)[good] for k, v in columns.items()}
        self.builder.add_work_block(int(good.sum()), columns)

    def kernels(self, table: str) -> bool:
        """Kernels; whether any of them is a node of a graph."""
        names = [c for c in ("demangledName", "name", "shortName", "mangledName") if self.database.has(table, c)]
        sizes = ("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ")
        other = ("registersPerThread", "staticSharedMemory", "dynamicSharedMemory")
        wanted = (*COMMON, *names[:1], *sizes, *other)
        nodes = False
        for block in self.database.blocks(table, wanted):
            good, columns = self.common(block)
            columns["kind"] = np.full(len(good), Work.KERNEL)
            columns["name"] = self.names(block[names[0]]) if names else np.full(len(good), self.builder.name(""))
            for column, size in zip(("gx", "gy", "gz", "bx", "by", "bz"), sizes, strict=True):
                of_launch = whole_numbers(block[size])
                columns[column] = np.where(of_launch > 0, of_launch, -1)
            registers = numbers(block["registersPerThread"])
            columns["regs"] = np.where(registers > 0, registers, np.nan)
            columns["smem"] = numbers(block["staticSharedMemory"]) + numbers(block["dynamicSharedMemory"])
            columns["collective"] = self.collectives(columns["name"])
            nodes = nodes or bool((columns["graph"] >= 0).any())
            self.add(good, columns)
        return nodes

    def collectives(self, name: IntArray) -> IntArray:
        """The collective of each kernel, by its name."""
        return self.by_name(name, collective_of)

    def by_name(self, name: IntArray, code: Callable[[str], int]) -> IntArray:
        """(n,) what a function makes of each name, from its position among the builder's."""
        texts = list(self.builder.names)
        return code_numbers(name, lambda i: code(texts[i]))

    def copies(self, table: str) -> None:
        """Copies, and pages that unified memory moved."""
        memory = NVVP_MEMORY if "StringTable" in self.database else MEMORY
        for block in self.database.blocks(table, (*COMMON, *COPY_COLUMNS)):
            good, columns = self.common(block)
            kind = whole_numbers(block["copyKind"], 0)
            way = np.array([WAYS.get(k, Way.UNKNOWN) for k in kind.tolist()], np.int64)
            ends = [whole_numbers(block[c]) for c in ("srcDeviceId", "dstDeviceId")]
            between = (way == Way.DEVICE_TO_DEVICE) & (ends[0] >= 0) & (ends[1] >= 0) & (ends[0] != ends[1])
            way = np.where(between, Way.PEER, way)
            host = np.where(way == Way.DEVICE_TO_HOST, whole_numbers(block["dstKind"]), whole_numbers(block["srcKind"]))
            moved = np.isin(kind, MIGRATIONS)
            columns |= {
                "kind": np.where(moved, Work.MIGRATION, Work.COPY), "way": way, "bytes": numbers(block["bytes"]),
                "memory": np.array([memory.get(h, HostMemory.UNKNOWN) for h in host.tolist()], np.int64),
                "name": np.array([self.builder.name(COPY_NAMES[Way(w)]) for w in way.tolist()], np.int64),
            }  # fmt: skip
            self.add(good, columns)
            self.count_moves(good & moved, columns)

    def count_moves(self, rows: NDArray[np.bool_], columns: dict[str, Any]) -> None:
        """Take pages that moved into the sums of the run."""
        for way in np.unique(columns["way"][rows]).tolist():
            mine = rows & (columns["way"] == way)
            time_s = 1e-9 * float((columns["end"] - columns["start"])[mine].sum())
            self.pages.move(Way(way), int(mine.sum()), float(np.nansum(columns["bytes"][mine])), time_s)

    def faults(self) -> None:
        """Page faults on unified memory: those of the GPU with the time that the driver handles them."""
        if GPU_FAULTS in self.database:
            # Some versions of the schema record only when a fault happened.
            timed = self.database.has(GPU_FAULTS, "end")
            for block in self.database.blocks(GPU_FAULTS, (*COMMON, "numberOfPageFaults")):
                good, columns = self.common(block if timed else block | {"end": block["start"]})
                columns["kind"] = np.full(len(good), Work.FAULT)
                columns["name"] = np.full(len(good), self.builder.name(FAULT_NAME))
                self.add(good, columns)
                self.count_faults(good, columns, whole_numbers(block["numberOfPageFaults"], 0))
        if CPU_FAULTS in self.database:
            self.pages.cpu_faults += sum(len(block["start"]) for block in self.database.blocks(CPU_FAULTS, ("start",)))

    def count_faults(self, rows: NDArray[np.bool_], columns: dict[str, Any], faults: IntArray) -> None:
        """Take faults of the GPU into the sums of the run."""
        time_s = 1e-9 * float((columns["end"] - columns["start"])[rows].sum())
        self.pages.fault(int(rows.sum()), int(np.clip(faults[rows], 0, 2**31).sum()), time_s)

    def counters(self) -> None:
        """The captures of nvprof: pages that moved and faults in one table, told apart by the kind of counter."""
        for block in self.database.blocks(COUNTERS, ("start", "end", "counterKind", "value", "srcId", "dstId")):
            kind = whole_numbers(block["counterKind"], 0)
            ends = [whole_numbers(block[c]) for c in ("srcId", "dstId")]
            absent = dict.fromkeys(COMMON, [None] * len(kind))
            device = np.where(kind == COUNTED_TO_DEVICE, ends[1], ends[0]).tolist()
            good, columns = self.common(absent | block | {"deviceId": device})
            way = np.array([COUNTED_WAYS.get(k, Way.UNKNOWN) for k in kind.tolist()], np.int64)
            moved, faulted = np.isin(kind, tuple(COUNTED_WAYS)), kind == COUNTED_GPU_FAULTS
            self.pages.cpu_faults += int((kind == COUNTED_CPU_FAULT).sum())
            columns |= {
                "kind": np.where(moved, Work.MIGRATION, Work.FAULT), "way": way,
                "bytes": np.where(moved, numbers(block["value"]), np.nan),
                "memory": np.where(moved, HostMemory.MANAGED, HostMemory.UNKNOWN),
                "name": np.where(moved, self.builder.name("pages of unified memory"), self.builder.name(FAULT_NAME)),
            }  # fmt: skip
            self.add(good & (moved | faulted), columns)
            self.count_moves(good & moved, columns)
            self.count_faults(good & faulted, columns, whole_numbers(block["value"], 0))

    def memsets(self) -> None:
        """Memory sets."""
        for block in self.database.blocks(MEMSETS, (*COMMON, "bytes")):
            good, columns = self.common(block)
            columns["kind"] = np.full(len(good), Work.MEMSET)
            columns["bytes"] = numbers(block["bytes"])
            columns["name"] = np.full(len(good), self.builder.name("memset"))
            self.add(good, columns)

    def graphs(self) -> None:
        """Graphs as a whole, where their nodes were not recorded."""
        for block in self.database.blocks(GRAPHS, (*COMMON, "graphId")):
            good, columns = self.common(block)
            columns["kind"] = np.full(len(good), Work.GRAPH)
            graphs = whole_numbers(block["graphId"], 0)
            columns["name"] = np.array([self.builder.name(f"CUDA graph {g}") for g in graphs.tolist()], np.int64)
            columns["graph"] = graphs
            self.add(good, columns)

    def calls(self, table: str) -> None:
        """Calls of the host."""
        wanted = ("start", "end", "globalTid", "threadId", "processId", "correlationId", "nameId", "cbid")
        thread_column = "globalTid" if self.database.has(table, "globalTid") else "threadId"
        for block in self.database.blocks(table, wanted):
            start, end = whole_numbers(block["start"], 0), whole_numbers(block["end"], NEVER)
            good = end >= start
            self.builder.damaged += int((~good).sum())
            name = self.names(block["nameId"])
            api = self.by_name(name, api_of)
            # The captures of nvprof number the calls; what launches shows in what it launched.
            api = np.where(absent(block["nameId"]), Api.LAUNCH, api)
            columns: dict[str, Any] = {
                "api": api, "start": start, "end": end, "name": name, "thread": whole_numbers(block[thread_column]),
                "process": self.processes(block, "globalTid"), "correlation": whole_numbers(block["correlationId"]),
            }  # fmt: skip
            self.extend(self.builder.calls, good, columns)

    def ranges(self) -> None:
        """NVTX ranges."""
        for block in self.database.blocks(NVTX, ("start", "end", "eventType", "text", "textId", "globalTid")):
            start, end = whole_numbers(block["start"], 0), whole_numbers(block["end"], NEVER)
            kind = whole_numbers(block["eventType"], 59)
            good = np.isin(kind, tuple(NVTX_SPANS)) & (end >= start)
            columns = {
                "kind": np.full(len(good), RangeKind.ANNOTATION), "start": start, "end": end,
                "name": self.labels(block), "thread": whole_numbers(block["globalTid"]),
                "process": self.processes(block, "globalTid"), "operator": np.full(len(good), -1),
            }  # fmt: skip
            self.extend(self.builder.ranges, good, columns)

    @staticmethod
    def extend(target: Columns, good: NDArray[np.bool_], columns: dict[str, Any]) -> None:
        """Hand the good rows to a group of columns."""
        target.extend(columns if good.all() else {k: np.asarray(v)[good] for k, v in columns.items()})

    def waits(self) -> None:
        """Streams that wait for events of other streams."""
        wanted = ("globalPid", "contextId", "eventId", "correlationId", "streamId")
        records = self.whole_columns(EVENTS, wanted)
        waits = self.whole_columns(SYNCS, (*wanted, "deviceId", "syncType"))
        waits = waits[:, (waits[6] == STREAM_WAIT) & (waits[:6] >= 0).all(axis=0)]
        if not records.shape[1] or not waits.shape[1]:
            return
        # An event may be recorded again and again: a stream waits for its last record before the wait.
        _, code = np.unique(np.concatenate([records[:3], waits[:3]], axis=1), axis=1, return_inverse=True)
        order = np.argsort(code[: records.shape[1]] << 32 | records[3] & 0xFFFFFFFF, kind="stable")
        records, recorded = records[:, order], code[: records.shape[1]][order]
        keys = recorded << 32 | records[3] & 0xFFFFFFFF
        mine = code[records.shape[1] :]
        place = np.searchsorted(keys, mine << 32 | waits[3] & 0xFFFFFFFF) - 1
        good = (place >= 0) & (recorded[np.maximum(place, 0)] == mine)
        waits, place = waits[:, good], place[good]
        block = {"globalPid": waits[0].tolist(), "deviceId": waits[5].tolist()}
        if len(place):
            self.builder.waits.extend({
                "process": self.processes(block, "globalPid"), "correlation": waits[3], "device": self.devices(block),
                "stream": waits[4], "record": records[3][place], "record_stream": records[4][place],
            })  # fmt: skip

    def whole_columns(self, table: str, columns: tuple[str, ...]) -> IntArray:
        """(columns, n) whole numbers of a table; -1 where a cell is none."""
        blocks = self.database.blocks(table, columns)
        parts = [np.stack([whole_numbers(block[c]) for c in columns]) for block in blocks]
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(columns), 0), np.int64)


COMMON = ("start", "end", "deviceId", "streamId", "correlationId", "globalPid", "graphNodeId")
COPY_COLUMNS = ("bytes", "copyKind", "srcKind", "dstKind", "srcDeviceId", "dstDeviceId")
COPY_NAMES = {
    Way.UNKNOWN: "copy", Way.HOST_TO_DEVICE: "copy host to device", Way.DEVICE_TO_HOST: "copy device to host",
    Way.DEVICE_TO_DEVICE: "copy device to device", Way.PEER: "copy peer to peer", Way.HOST_TO_HOST: "copy host to host",
}  # fmt: skip
