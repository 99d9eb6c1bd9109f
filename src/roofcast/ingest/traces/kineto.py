"""JSON traces of the PyTorch profiler (Kineto) and of tools that write Chrome traces; plain, compressed, cut short.

Some Chrome traces say by the names of their processes and threads what ran where. XLA (JAX, TensorFlow) calls its
devices ``/device:GPU:0`` and writes one thread per stream; rocprof calls them ``GPU0``. Other threads of such a device
repeat the same time by operator and module, and are passed over. Intel's unitrace marks work of a device by the
category ``gpu_op`` and puts the geometry behind the kernel's name.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
import zlib
from collections.abc import Callable
from dataclasses import field
from functools import partial
from typing import Any, BinaryIO

import numpy as np

from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import KernelTable, Provenance
from roofcast.core.precision import ELEMENT_BYTES, stated_precision
from roofcast.core.records import dataclass
from roofcast.core.timeline import Collective, Device, Operator, Process, RangeKind, Timeline, Way, Work
from roofcast.ingest.text.decoding import head_text, is_text
from roofcast.ingest.traces.distinct_kernels import kernel_table_of
from roofcast.ingest.traces.event_columns import non_negative, positive, whole
from roofcast.ingest.traces.event_layouts import Add, Layouts, Reads
from roofcast.ingest.traces.event_names import api_of, collective_of, host_memory_of, named_collective, way_of
from roofcast.ingest.traces.json_events import JsonEvents
from roofcast.ingest.traces.windows import WORK, WORK_DEFAULTS, Builder, Repeats, Windows

CAPTURE = "StreamBeginCapture"
"""Of CUDA's and HIP's call after which launches go into a graph and not to the device."""
KEYS = ("deviceProperties", "traceEvents", "schemaVersion", "torch_profiler_kwargs", "distributedInfo")
EXTENDED = re.compile(r"^hip(?:Ext|Hcc)ModuleLaunchKernel")
MAX_SHAPES = 64
"""Inputs of an operator that are kept, and shapes of an input that is a list."""
MAX_TEXT = 256
"""Characters of a type, and of a name that decides what an event is."""
MOST_DETAILED = 100_000
"""Distinct operators beyond which strides and scalars are no longer told apart: they may differ at every call."""

XLA_GPU = re.compile(r"^/device:GPU:(\d{1,4})")
OTHER_DEVICE = re.compile(r"^/device:(?!CPU|GPU)(\w{1,20}):")
ROCPROF_GPU = re.compile(r"^GPU\s?(\d{1,4})$")
ROCPROF_CALLS = re.compile(r"^CPU HIP API$")
ROCPROF_COPIES = re.compile(r"^COPY$")
STREAM = re.compile(r"^Stream\s*#?\s*(\d{1,9})", re.I)
CALL = re.compile(r"^(?:cuda|cu|hip)(?=[A-Z])")
COPY = re.compile(r"^(?:Memcpy|Copy|hipMemcpy|zeCommandListAppendMemoryCopy|clEnqueue\w*(?:Read|Write|Copy))", re.I)
FILL = re.compile(r"^(?:Memset|FillBuffer|hipMemset|zeCommandListAppendMemoryFill|clEnqueueFill)", re.I)
NO_WORK = re.compile(
    r"^(?:zeCommandListAppend(?:Barrier|SignalEvent|WaitOnEvents|EventReset)|clEnqueue(?:Barrier|Marker))"
)
SHAPE = re.compile(r"\[SIMD\w*\s*\{(\d+); (\d+); (\d+)\}\s*\{(\d+); (\d+); (\d+)\}\]\s*$")
INTEL_BYTES = re.compile(r"[\[<(](\d{1,15}) bytes[\])>]")
PAIR = re.compile(r"(\w+):\s*([\w.,+-]+)")
MOST_PLACES = 100_000
"""Processes and threads whose names are kept."""


def recognises(head: bytes, name: str) -> bool:
    """Whether the head is of a JSON trace."""
    if not is_text(head):
        return False
    start = head_text(head).lstrip()
    if not start.startswith(("{", "[")) or re.match(r"\[[^\"{\[\]]*[A-Za-z]", start):
        return False
    return any(f'"{key}"' in start for key in KEYS) or ('"ph"' in start and '"ts"' in start)


def read(stream: BinaryIO, name: str) -> KernelTable:
    """One row per distinct kernel and geometry (see :func:`read_windows`)."""
    return kernel_table_of(read_windows(stream, name))


def read_windows(stream: BinaryIO, name: str) -> Windows:
    """The timeline of a trace, in windows."""
    stream.seek(0)
    layouts = Layouts()
    source, reading = JsonEvents(stream, layouts=layouts), Reading(Builder())
    file = one_line(name)
    try:
        for event in source.events():
            layouts.learn(source.written, event, *reading.take(event))
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    if not source.complete and source.is_cut:
        raise InputError(
            f"{file}: the file ends early, before its first event: copy it again from where it was made, or record it "
            "again"
        )
    if not source.complete:
        raise InputError(f"{file}: no trace: JSON without a single complete event")
    reading.end(source.header)
    if not len(reading.builder.work):
        foreign = reading.foreign or reading.places.foreign()
        hint = "record it with ProfilerActivity.CUDA (or XPU)" if reading.hosts else "its events name no kernels"
        if any(CAPTURE in name for name in reading.builder.names):
            hint = "it captures a CUDA graph, whose kernels run when it is replayed: record a replay (graph.replay())"
        if reading.builder.damaged:
            hint = f"{reading.builder.damaged} events have no usable times"
        hint = f"it is of {foreign}, which roofcast does not model" if foreign else hint
        if source.is_cut and not foreign:
            raise InputError(
                f"{file}: the file ends early, before any work of a GPU ({source.complete} complete events): copy it "
                "again from where it was made, or record it again"
            )
        raise InputError(f"{file}: a trace without work of a GPU: {hint}")
    notes = (*source.notes, *reading.notes())
    held = max(reading.memory.values(), default=None)
    provenance = Provenance(file=name, format="kineto", tool=tool_of(source.header), notes=notes, memory_bytes=held)
    return dataclasses.replace(reading.builder.windows(name, provenance), mend=in_blocks)


def in_blocks(timeline: Timeline) -> Timeline:
    """Grids in blocks: HIP's extended launch counts work-items, and its traces repeat what the call was given."""
    work = timeline.activities
    if not len(timeline.calls):
        return timeline
    names = timeline.names[timeline.calls.name]
    extended = np.array([EXTENDED.search(n) is not None for n in names] + [False])[work.call]
    rows = extended & (work.block > 0).all(axis=1) & (work.grid % np.maximum(work.block, 1) == 0).all(axis=1)
    grid = np.where(rows[:, None], work.grid // np.maximum(work.block, 1), work.grid)
    return dataclasses.replace(timeline, activities=dataclasses.replace(work, grid=grid))


def tool_of(header: dict[str, Any]) -> str:
    """What recorded the trace."""
    if "roctracer_version" in header or "hip_runtime_version" in header:
        return "PyTorch profiler (ROCm)"
    return "PyTorch profiler" if "schemaVersion" in header or "deviceProperties" in header else "Chrome trace"


@dataclass
class Places:
    """Processes and threads by the names that a trace gave them."""

    processes: dict[str, str] = field(default_factory=dict)
    threads: dict[tuple[str, str], str] = field(default_factory=dict)

    def learn(self, event: dict[str, Any]) -> None:
        """Take a metadata event."""
        arguments = event.get("args")
        name = arguments.get("name") if isinstance(arguments, dict) else None
        if not isinstance(name, str) or len(self.processes) + len(self.threads) > MOST_PLACES:
            return
        if event.get("name") == "process_name":
            self.processes[str(event.get("pid"))] = name[:200]
        elif event.get("name") == "thread_name":
            self.threads[str(event.get("pid")), str(event.get("tid"))] = name[:200]

    def foreign(self) -> str:
        """A kind of device in the trace that is no GPU; '' where there is none."""
        matches = (OTHER_DEVICE.match(name) for name in self.processes.values())
        return next((m[1] for m in matches if m), "")

    def translated(self, event: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
        """Category of the event in Kineto's words, and its arguments in the same; None for all other events."""
        process = self.processes.get(str(event.get("pid")), "")
        given = event.get("args")
        arguments: dict[str, Any] = given if isinstance(given, dict) else {}
        name = str(event.get("name", ""))
        if match := XLA_GPU.match(process):
            stream = STREAM.match(self.threads.get((str(event.get("pid")), str(event.get("tid"))), ""))
            return xla_work(name, arguments, int(match[1]), int(stream[1])) if stream else None
        if match := ROCPROF_GPU.match(process):
            return rocprof_work(name, arguments, int(match[1]), event.get("tid"))
        if ROCPROF_COPIES.match(process):
            return "gpu_memcpy", {"device": 0, "stream": event.get("tid")}
        if ROCPROF_CALLS.match(process) or (CALL.match(name) and "correlation_id" in arguments):
            return "cuda_runtime", {"correlation": arguments.get("correlation_id", arguments.get("corr-id"))}
        return None


def kind_of(name: str) -> str:
    """Category of work of a device, by its name."""
    return "gpu_memcpy" if COPY.match(name) else "gpu_memset" if FILL.match(name) else "kernel"


def pairs(found: Any) -> dict[str, str]:
    """Parts of a text such as ``regs:32 grid:8,1,1``."""
    return dict(PAIR.findall(found[:500])) if isinstance(found, str) else {}


def xla_work(name: str, a: dict[str, Any], device: int, stream: int) -> tuple[str, dict[str, Any]]:
    """Work that XLA recorded."""
    place = {"device": device, "stream": stream, "correlation": a.get("correlation_id")}
    copied = pairs(a.get("memcpy_details"))
    if copied or COPY.match(name):
        ends = f"{copied.get('kind_src', '')} {copied.get('kind_dst', '')}"
        way = re.sub(r"([HDP])2([HDP])", r"\1to\2", name)
        return "gpu_memcpy", place | {"bytes": amount(copied.get("size")), "kind": f"{way} {ends}"}
    filled = pairs(a.get("memset_details"))
    if filled or FILL.match(name):
        return "gpu_memset", place | {"bytes": amount(filled.get("size", filled.get("num_bytes")))}
    details = pairs(a.get("kernel_details"))
    shared = [amount(details.get(k)) for k in ("static_shared", "dynamic_shared")]
    return "kernel", place | {
        "grid": sizes(details.get("grid")), "block": sizes(details.get("block")),
        "registers per thread": amount(details.get("regs")),
        "shared memory": sum(s for s in shared if s is not None) if any(s is not None for s in shared) else None,
    }  # fmt: skip


def rocprof_work(name: str, a: dict[str, Any], device: int, thread: Any) -> tuple[str, dict[str, Any]]:
    """Work that rocprof recorded."""
    number = a.get("corr-id", a.get("CorrelationId"))
    return kind_of(name), {"device": device, "stream": a.get("queue-id", thread), "correlation": number}


def intel_work(event: dict[str, Any]) -> tuple[str, str, dict[str, Any]] | None:
    """Category, name and arguments of work that unitrace or onetrace recorded; None for what is no work.

    >>> intel_work({"name": "gemm[SIMD16 {128; 1; 1} {16; 2; 8}]", "pid": 1, "tid": 2})[1:]
    ('gemm', {'device': 0, 'stream': 2, 'grid': [128, 1, 1], 'block': [16, 2, 8]})
    """
    name = str(event.get("name", ""))
    place = {"device": 0, "stream": event.get("tid")}
    if NO_WORK.match(name):
        return None
    if COPY.match(name):
        moved = INTEL_BYTES.search(name[-80:])
        way = name.replace("M2D", "HtoD").replace("D2M", "DtoH").replace("D2D", "DtoD").replace("M2M", "HtoH")
        return "gpu_memcpy", name, place | {"kind": way, "bytes": int(moved[1]) if moved else None}
    if FILL.match(name):
        return "gpu_memset", name, place
    shape = SHAPE.search(name[-200:])
    if shape is None:
        return "kernel", name, place
    counts = [int(x[:9]) for x in shape.groups()]
    return "kernel", name[: -len(shape[0])].rstrip(), place | {"grid": counts[:3], "block": counts[3:]}


def amount(text: str | None) -> int | None:
    """A whole number of a text."""
    return int(text) if text is not None and re.fullmatch(r"\d{1,15}", text) else None


def sizes(text: str | None) -> list[int] | None:
    """Three sizes of a text such as "8,1,1"."""
    numbers = [amount(x) or 0 for x in (text or "").split(",")]
    return numbers if len(numbers) == 3 else None


@dataclass
class Reading:
    """State while going through the events."""

    builder: Builder
    pending: list[int] = field(default_factory=list)
    """Numbers of the devices that work ran on, in order of appearance."""
    hosts: int = 0
    shapes: dict[str, int] = field(default_factory=dict)
    threads: dict[object, int] = field(default_factory=dict)
    places: Places = field(default_factory=Places)
    foreign: str = ""
    """Another kind of device that the trace is of."""
    memory: dict[tuple[object, object], float] = field(default_factory=dict)
    """Process and device -> bytes that PyTorch's allocator held at most."""

    def __post_init__(self) -> None:
        self.works, self.calls, self.spans = (
            Repeats(columns) for columns in (self.builder.work, self.builder.calls, self.builder.ranges)
        )

    def take(self, event: dict[str, Any]) -> tuple[Reads | None, Add | None]:
        """Take one event; those of other kinds are passed over.

        What is read of events of its kind (None where these are to be decoded each time), and what takes times and
        number of those that are alike.
        """
        if event.get("ph") != "X":
            self.take_beside(event)
            return (FLOW_READS if event.get("ph") in FLOWS else None), None
        category = str(event.get("cat", "")).lower()
        arguments = event.get("args")
        reads = READS.get(category)
        if not category or category in PLACED or category == "gpu_op":
            in_kineto = self.translated(event, category)
            if in_kineto is None:
                return None, None
            category, event["name"], arguments = in_kineto
        handler = HANDLERS.get(category)
        if handler is None:
            self.foreign = self.foreign or FOREIGN.get(category, "")
            return OTHER_READS, None
        a = arguments if isinstance(arguments, dict) else {}
        try:
            start_us, length_us = float(event["ts"]), float(event.get("dur", 0))
            add = handler(self, event, a)
            if add is not None:
                add(start_us, length_us, whole(a.get("correlation", a.get("External id")), -1))
        except (KeyError, TypeError, ValueError, OverflowError):
            self.builder.damaged += 1
            return None, None
        return (None, None) if add is None else (reads, add)

    def translated(self, event: dict[str, Any], category: str) -> tuple[str, str, dict[str, Any]] | None:
        """Category, name and arguments in Kineto's words; None for what is nothing there."""
        if category == "gpu_op":
            return intel_work(event)
        in_kineto = self.places.translated(event)
        return None if in_kineto is None else (in_kineto[0], event.get("name", ""), in_kineto[1])

    def take_beside(self, event: dict[str, Any]) -> None:
        """Take an event that has no duration."""
        if event.get("ph") == "M":
            self.places.learn(event)
        elif event.get("name") == "[memory]":
            self.hold(event)

    def hold(self, event: dict[str, Any]) -> None:
        """An allocation: what PyTorch holds after it, where it is of a device's memory."""
        given = event.get("args")
        a = given if isinstance(given, dict) else {}
        held, kind = a.get("Total Allocated"), a.get("Device Type")
        if isinstance(held, (int, float)) and 0 < held < 1e15 and isinstance(kind, int) and kind > 0:
            # Other processes (ranks) have devices of their own by the same numbers.
            key = str(event.get("pid")), str(a.get("Device Id"))
            self.memory[key] = max(self.memory.get(key, 0.0), float(held))

    def thread(self, event: dict[str, Any]) -> int:
        """Position of the host thread of an event."""
        key = (str(event.get("pid")), str(event.get("tid")))
        return self.threads.setdefault(key, len(self.threads))

    def work(self, kind: Work, event: dict[str, Any], a: dict[str, Any], **more: float) -> Add:
        """One piece of work of a device."""
        number = whole(a.get("device", event.get("pid")), 0)
        device = self.builder.device(number, Device(number=number))
        values = WORK_DEFAULTS | more | {
            "kind": kind, "name": self.builder.name(str(event.get("name", ""))), "device": device,
            "stream": whole(a.get("stream", event.get("tid")), -1), "process": 0,
        }  # fmt: skip
        return partial(self.works.add, tuple(values[n] for n in WORK))

    def span(self, kind: RangeKind, event: dict[str, Any], name: str, operator: int) -> Add:
        """A range of the host."""
        self.hosts += 1
        return partial(self.spans.add, (kind, 0, 0, self.builder.name(name), self.thread(event), 0, operator))

    def end(self, header: dict[str, Any]) -> None:
        """Complete what only the header knows: the devices, the rank."""
        for repeats in (self.works, self.calls, self.spans):
            repeats.flush()
            self.builder.damaged += repeats.damaged
        distributed = header.get("distributedInfo")
        rank = whole(distributed.get("rank"), -1) if isinstance(distributed, dict) else -1
        self.builder.process(0, Process(rank=rank))
        listed = header.get("deviceProperties")
        properties = [p for p in listed if isinstance(p, dict)] if isinstance(listed, list) else []
        named = {whole(p.get("id"), i): device_of(p, i) for i, p in enumerate(properties)}
        distinct = {(d.name, d.sm_count) for d in named.values()}
        alike = next(iter(named.values())) if len(distinct) == 1 else None
        for i, known in enumerate(self.builder.device_facts):
            facts = named.get(known.number) or alike
            if facts is not None:
                self.builder.device_facts[i] = Device(
                    facts.name, known.number, facts.sm_count, facts.capacity_bytes_dram, facts.compute_capability
                )

    def notes(self) -> list[str]:
        """What a reader of the result must know."""
        nameless = not any(d.name for d in self.builder.device_facts)
        return ["the trace does not name its GPU: give --from GPU"] if nameless else []


def device_of(p: dict[str, Any], position: int) -> Device:
    """A device of the header."""
    major, minor = whole(p.get("computeMajor"), -1), whole(p.get("computeMinor"), 0)
    name = str(p.get("name") or "")[:MAX_TEXT]
    is_amd = "AMD" in name or "Radeon" in name or whole(p.get("warpSize"), 32) == 64
    return Device(
        name=name,
        number=whole(p.get("id"), position),
        sm_count=positive(p.get("numSms")),
        capacity_bytes_dram=positive(p.get("totalGlobalMem")),
        compute_capability="" if major < 0 or is_amd else f"{major}.{minor}",
    )


def take_kernel(r: Reading, event: dict[str, Any], a: dict[str, Any]) -> Add:
    """A kernel."""
    grid, block = triple(a.get("grid")), triple(a.get("block"))
    name = str(event.get("name", ""))
    collective, group, size, meeting = collective_of(name), math.nan, math.nan, -1
    stated = a.get("Collective name")
    if isinstance(stated, str) and stated:
        collective = named_collective(stated)
        group, size = positive(a.get("Group size")), collective_bytes(a, collective)
        meeting = number_meeting(a)
    return r.work(
        Work.KERNEL, event, a, gx=grid[0], gy=grid[1], gz=grid[2], bx=block[0], by=block[1], bz=block[2],
        regs=positive(a.get("registers per thread")), smem=non_negative(a.get("shared memory")), collective=collective,
        group=group, meeting=meeting, bytes=size,
        graph=whole(a.get("graph node id"), -1) if a.get("graph node id") else -1,
    )  # fmt: skip


def number_meeting(a: dict[str, Any]) -> int:
    """A number of communicator and sequence, the same on all ranks; -1 where the trace does not say both.

    >>> number_meeting({"Process Group Name": "1", "Process Group Ranks": "[0, 1]", "Seq": 7}) > 0
    True
    """
    sequence, name = whole(a.get("Seq"), -1), a.get("Process Group Name")
    if sequence < 0 or not isinstance(name, str):
        return -1
    communicator = f"{name} {a.get('Process Group Ranks', '')}".encode()
    return (zlib.crc32(communicator) & 0x3FFFFFFF) << 32 | (sequence & 0xFFFFFFFF)


def collective_bytes(a: dict[str, Any], collective: Collective) -> float:
    """Bytes per rank of the larger side of a collective."""
    elements = [positive(a.get(k)) for k in ("In msg nelems", "Out msg nelems")]
    known = [e for e in elements if not math.isnan(e)]
    item = ELEMENT_BYTES.get(stated_precision(str(a.get("dtype", "")).rpartition(":")[2]), 0.0)
    return max(known) * item if known and item else math.nan


def take_copy(r: Reading, event: dict[str, Any], a: dict[str, Any]) -> Add:
    """A copy."""
    name = f"{event.get('name', '')} {a.get('kind', '')}"
    return r.work(Work.COPY, event, a, bytes=non_negative(a.get("bytes")), way=way_of(name[:MAX_TEXT]),
                  memory=host_memory_of(name))  # fmt: skip


def take_memset(r: Reading, event: dict[str, Any], a: dict[str, Any]) -> Add:
    """A memory set."""
    return r.work(Work.MEMSET, event, a, bytes=non_negative(a.get("bytes")), way=Way.UNKNOWN)


def take_call(r: Reading, event: dict[str, Any], a: dict[str, Any]) -> Add:
    """A call of the runtime or the driver."""
    name = str(event.get("name", ""))
    r.hosts += 1
    return partial(r.calls.add, (api_of(name[:MAX_TEXT]), 0, 0, r.builder.name(name), r.thread(event), 0, 0))


def take_sync(r: Reading, event: dict[str, Any], a: dict[str, Any]) -> None:
    """A record of a synchronisation: streams that wait for events of other streams."""
    if "wait" in str(a.get("cuda_sync_kind", event.get("name"))).lower():
        record = whole(a.get("wait_on_cuda_event_record_corr_id"), -1)
        device = r.builder.device(whole(a.get("device"), 0), Device(number=whole(a.get("device"), 0)))
        stream, other = whole(a.get("stream"), -1), whole(a.get("wait_on_stream"), -1)
        if record >= 0:
            r.builder.waits.append((0, whole(a.get("correlation"), -1), device, stream, record, other))


def take_operator(r: Reading, event: dict[str, Any], a: dict[str, Any]) -> Add:
    """An operator of the framework."""
    name = str(event.get("name", ""))[:MAX_TEXT]
    detailed = len(r.builder.operators) < MOST_DETAILED
    operator = Operator(
        name, dims(a.get("Input Dims", a.get("Input dims"))), texts(a.get("Input type")),
        dims(a.get("Input Strides")) if detailed else (), texts(a.get("Concrete Inputs")) if detailed else (),
    )  # fmt: skip
    return r.span(RangeKind.OPERATOR, event, name, r.builder.operator(operator))


def take_annotation(r: Reading, event: dict[str, Any], a: dict[str, Any]) -> Add:
    """A range that the user named."""
    return r.span(RangeKind.ANNOTATION, event, str(event.get("name", "")), -1)


CALL_CATEGORIES = (
    *("cuda_runtime", "cuda_driver", "hip_runtime", "hip_driver", "xpu_runtime", "xpu_driver"),
    *("runtime", "driver"),
)
FOREIGN = {
    **dict.fromkeys(("mtia_runtime", "mtia_ccp_events", "mtia_workloadd"), "Meta's MTIA"), "hpu_op": "Intel's Gaudi",
    **dict.fromkeys(("privateuse1_runtime", "privateuse1_driver"), "an accelerator of its own kind"),
    "glow_runtime": "Glow",
}  # fmt: skip
"""Categories of devices that are no GPUs."""
PLACED = frozenset({"op", "unknown", "hip", "hipapi"})
"""Categories that say nothing: process and thread do."""
HANDLERS: dict[str, Callable[[Reading, dict[str, Any], dict[str, Any]], Add | None]] = {
    "kernel": take_kernel,
    **dict.fromkeys(("gpu_memcpy", "memcpy"), take_copy),
    **dict.fromkeys(("gpu_memset", "memset"), take_memset),
    **dict.fromkeys(CALL_CATEGORIES, take_call),
    **dict.fromkeys(("cuda_sync", "hip_sync"), take_sync),
    **dict.fromkeys(("cpu_op", "operator"), take_operator),
    "user_annotation": take_annotation,
}
"""Category in lower case -> what takes its events: not their times and numbers, but all else."""

PLACE, NUMBERED = frozenset({"name", "pid", "tid"}), ("correlation", "External id")
DEVICE = frozenset({"device", "stream"})
KERNEL_READS = Reads(
    PLACE, DEVICE | {"grid", "block", "registers per thread", "shared memory", "graph node id", "Collective name",
                     "Group size", "In msg nelems", "Out msg nelems", "dtype", "Process Group Name",
                     "Process Group Ranks", "Seq"}, NUMBERED,
)  # fmt: skip
MEMORY_READS = Reads(PLACE, DEVICE | {"bytes", "kind"}, NUMBERED)
OPERATOR_READS = Reads(PLACE, frozenset({"Input Dims", "Input dims", "Input type", "Input Strides", "Concrete Inputs"}))
READS = {
    "kernel": KERNEL_READS,
    **dict.fromkeys(("gpu_memcpy", "memcpy", "gpu_memset", "memset"), MEMORY_READS),
    **dict.fromkeys(CALL_CATEGORIES, Reads(PLACE, number=NUMBERED)),
    **dict.fromkeys(("cpu_op", "operator"), OPERATOR_READS),
    "user_annotation": Reads(PLACE),
}
"""Category in lower case -> what its handler reads, times aside."""
FLOWS = frozenset({"s", "t", "f"})
"""Phases of arrows from calls to work: passed over."""
FLOW_READS, OTHER_READS = Reads(literal=("ph", "cat", "name")), Reads()


def dims(given: Any) -> tuple[tuple[int, ...], ...]:
    """Shapes or strides of the inputs; a list of tensors counts with each of its tensors."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return ()
    if not isinstance(given, list):
        return ()
    result: list[tuple[int, ...]] = []
    for shape in given[:MAX_SHAPES]:
        nested = isinstance(shape, list) and any(isinstance(x, list) for x in shape)
        for tensor in shape[:MAX_SHAPES] if nested else [shape]:
            good = isinstance(tensor, list) and all(type(x) is int and 0 <= x < 1 << 48 for x in tensor)
            result.append(tuple(tensor) if good else ())
    return tuple(result)


def texts(given: Any) -> tuple[str, ...]:
    """A list of short texts."""
    if not isinstance(given, list):
        return ()
    return tuple(x[:MAX_TEXT] if isinstance(x, str) else "" for x in given[:MAX_SHAPES])


def triple(given: Any) -> tuple[int, int, int]:
    """Three positive whole numbers; -1 where they are not."""
    if isinstance(given, list) and len(given) == 3:
        x, y, z = (whole(v, -1) for v in given)
        if min(x, y, z) >= 1 and max(x, y, z) < 1 << 32:
            return x, y, z
    return -1, -1, -1
