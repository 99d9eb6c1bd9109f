"""Chrome traces whose events say by the names of their processes and threads what ran where.

XLA (JAX, TensorFlow) calls its devices ``/device:GPU:0`` and writes one thread per stream; rocprof calls them ``GPU0``.
Other threads of such a device repeat the same time by operator and module, and are passed over. Intel's unitrace marks
work of a device by the category ``gpu_op`` and puts the geometry behind the kernel's name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

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
        found = (OTHER_DEVICE.match(name) for name in self.processes.values())
        return next((m[1] for m in found if m), "")

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
    found = [amount(x) or 0 for x in (text or "").split(",")]
    return found if len(found) == 3 else None
