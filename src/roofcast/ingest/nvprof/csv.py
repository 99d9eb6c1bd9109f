"""nvprof output: metrics, events, ``--print-gpu-trace`` and the summary, with ``--csv`` or as printed to the console.

A file may hold several runs one after the other, and a script may have put a column of its own (the input size)
before nvprof's. Copies and fills are no kernels: they are counted in the notes. On the console each table starts with a
header of which no column may hold a space-separated word more than its rows do, but for the names of devices and
kernels and for descriptions; rows are therefore matched from both ends.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import BinaryIO

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable, OriginArray, Provenance
from roofcast.core.records import dataclass
from roofcast.core.timeline import Way
from roofcast.core.unified_memory import PageTraffic, find_stalls
from roofcast.ingest.nvprof.nvprof_metrics import amounts_from_nvprof
from roofcast.ingest.text.decoding import head_text, is_text, open_text
from roofcast.ingest.text.lines import read_lines
from roofcast.ingest.text.numbers import parse_number
from roofcast.ingest.traces.event_names import way_of

SUMMARY_HEADER = re.compile(r"^\s*(?:Type\s+)?Time\(%\)\s+Time\s+Calls\s+Avg\s+Min\s+Max\s+Name\s*$")
METRIC_HEADER = re.compile(r"^\s*Invocations\s+(?:Metric|Event) Name\s.*\bMin\s+Max\s+Avg\b")
TRACE_HEADER = re.compile(
    r"^\s*Start\s+Duration\s+Grid Size\s+Block Size\s+Regs\*?\s.*\bDevice\s+Context\s+Stream\b.*\bName$"
)
UNITS = re.compile(r"^\s*%\s+(?P<time>\w+)\s+(?P<avg>\w+)\s+\w+\s+\w+\s*$")
SUMMARY_ROW = re.compile(
    r"^\s*(?P<type>GPU activities:|API calls:)?\s*(?P<percent>[\d.]+)%?\s+(?P<time>\S+)\s+(?P<calls>\d{1,15})\s+"
    r"(?P<avg>\S+)\s+(?P<min>\S+)\s+(?P<max>\S+)\s+(?P<name>\S.*?)\s*$"
)
WORD = r"(?:[A-Za-z]+ \(\d+\)|\S+)"
METRIC_ROW = re.compile(
    rf"^\s*(?P<count>\d{{1,15}})\s+(?P<name>\w+)\s(?P<rest>.*?)\s(?P<min>{WORD})\s+(?P<max>{WORD})\s+(?P<avg>{WORD})\s*$"
)
EVENT_ROW = re.compile(r"^\s*(?P<count>\d{1,15})\s+(?P<name>\w+)(?P<values>(?:\s+[\d.e+<>A-Z]+){3,4})\s*$")
DEVICE = re.compile(r'Device "(?P<name>[^"]{1,200})"')
KERNEL = re.compile(r"^\s*Kernel:\s*(?P<name>\S.*?)\s*$")
TRACE_START = re.compile(
    r"^\s*(?P<start>[\d.]+\w*)\s+(?P<time>[\d.]+\w*)\s+(?P<grid>-|\([\d ]+\))\s+(?P<block>-|\([\d ]+\))\s+"
    r"(?P<regs>-|\d+)\s+(?P<static>\S+)\s+(?P<dynamic>\S+)\s+(?P<rest>\S.*)$"
)


@dataclass
class TextTable:
    """A table of the console."""

    kind: str
    """summary, metrics, events or trace."""
    kernel: str = ""
    """Kernel whose metrics follow."""
    rest: re.Pattern[str] = SUMMARY_ROW
    """What stands behind the shared memory in a row of a trace."""

    def values(self, line: str, reading: Reading) -> dict[str, str] | None:
        """The cells of a line by the columns that nvprof's CSV has; none where it only says what follows belongs to.

        None where the line is none of the table.
        """
        if self.kind == "summary":
            return summary_values(line, reading)
        return trace_values(line, self.rest) if self.kind == "trace" else self.metric_values(line, reading)

    def metric_values(self, line: str, reading: Reading) -> dict[str, str] | None:
        """A line of metrics or events, below the kernel that they are of."""
        if match := KERNEL.match(line):
            self.kernel = match["name"]
            return {}
        row = (EVENT_ROW if self.kind == "events" else METRIC_ROW).match(line)
        if row is None or not self.kernel:
            return None
        value = row["values"].split()[2] if self.kind == "events" else row["avg"]
        return {"Kernel": self.kernel, "Device": reading.device, "Metric Name": row["name"], "Avg": value,
                "Invocations": row["count"]}  # fmt: skip


def summary_values(line: str, reading: Reading) -> dict[str, str] | None:
    """A line of the summary, or of the units below its header."""
    if match := UNITS.match(line):
        reading.units = {"Avg": match["avg"]}
        return {}
    row = SUMMARY_ROW.match(line)
    if row and row["type"]:
        reading.in_api = row["type"] == "API calls:"
    return {"Name": row["name"], "Avg": row["avg"], "Calls": row["calls"]} if row else None


def trace_values(line: str, behind: re.Pattern[str]) -> dict[str, str] | None:
    """A launch; a copy, a fill or pages that moved, which have no grid."""
    match = TRACE_START.match(line)
    if match is None:
        return None
    times = {"Start": match["start"], "Duration": match["time"]}
    if match["grid"] == "-":
        paged = PAGES_ROW.search(line)
        return times | ({"Name": paged["name"], "Unified Memory": paged["value"]} if paged else {"Name": COPIES})
    rest = behind.match(match["rest"])
    if rest is None:
        return None
    sizes = {
        f"{what} {axis}": size
        for what in ("Grid", "Block")
        for axis, size in zip("XYZ", match[what.lower()].strip("()").split(), strict=False)
    }
    return times | sizes | {
        "Name": rest["name"], "Device": rest["device"], "Registers Per Thread": match["regs"],
        "Static SMem": match["static"], "Dynamic SMem": match["dynamic"],
    }  # fmt: skip


def start_of_table(line: str) -> TextTable | None:
    """The table whose header a line is; None where it is none.

    >>> start_of_table("Invocations      Metric Name      Metric Description      Min      Max      Avg").kind
    'metrics'
    """
    if "Name" not in line:
        return None
    if SUMMARY_HEADER.match(line):
        return TextTable("summary")
    if METRIC_HEADER.match(line):
        return TextTable("metrics") if "Metric Name" in line else TextTable("events")
    if not TRACE_HEADER.match(line.rstrip()):
        return None
    names = re.split(r"\s{2,}", line.strip())
    if not {"DSMem*", "Device", "Stream", "Name"} <= set(names):
        return None
    before = names.index("Device") - names.index("DSMem*") - 1
    after = names.index("Name") - names.index("Stream") - 1
    rest = re.compile(
        rf"(?:\S+\s+){{{before}}}(?P<device>\S.*?)\s{{2,}}(?P<context>\d+)\s+(?P<stream>\d+)\s+"
        rf"(?:\S+\s+){{{after}}}(?P<name>\S.*?)\s*$"
    )
    return TextTable("trace", rest=rest)


@dataclass
class Row:
    """One launch, or the mean over the launches of a kernel."""

    kernel: str
    gpu: str = ""
    config: str = ""
    start_s: float = math.nan
    time_s: float = math.nan
    calls: float = math.nan
    grid: tuple[int, ...] = ()
    block: tuple[int, ...] = ()
    regs: float = math.nan
    smem: float = math.nan
    metrics: dict[str, float] = field(default_factory=dict)


def table_of(reading: Reading) -> KernelTable:
    """The kernel table of all rows."""
    rows, copies = reading.rows, reading.copies
    time_s = np.array([r.time_s for r in rows], dtype=np.float64)
    flags: list[list[str]] = [[f"mean of {r.calls:.0f} launches (nvprof summary)"] if r.calls > 1 else [] for r in rows]
    for i in np.flatnonzero(time_s <= 0):
        flags[i].append("recorded time is not positive: taken as absent")
    time_s = np.where(time_s > 0, time_s, np.nan)
    names = list(dict.fromkeys(name for r in rows for name in r.metrics))
    metrics = {n: np.array([r.metrics.get(n, math.nan) for r in rows], dtype=np.float64) for n in names}
    metrics = {n: v for n, v in metrics.items() if not np.isnan(v).all()}
    launch: dict[str, FloatArray] = {
        "launch": np.arange(len(rows), dtype=np.float64),
        "time_s": time_s,
        "launches": np.array([r.calls if r.calls > 1 else math.nan for r in rows], dtype=np.float64),
        "grid_blocks": np.array([math.prod(r.grid) if r.grid else math.nan for r in rows], dtype=np.float64),
        "block_threads": np.array([math.prod(r.block) if r.block else math.nan for r in rows], dtype=np.float64),
        "regs_per_thread": np.array([r.regs for r in rows], dtype=np.float64),
        "smem_bytes_per_block": np.array([r.smem for r in rows], dtype=np.float64),
    }
    columns: dict[str, tuple[FloatArray, Origin | OriginArray]] = {
        name: (values, Origin.COUNTED) for name, values in launch.items() if not np.isnan(values).all()
    }
    columns |= {name: (values, Origin.COUNTED) for name, values in paging_columns(reading, time_s).items()}
    columns |= amounts_from_nvprof(metrics, time_s)
    # The sums of unified memory name the GPU where the summary does not.
    if reading.pages and not any(r.gpu for r in rows) and len(reading.paged_devices) == 1:
        for row in rows:
            row.gpu = device_name(*reading.paged_devices)
    text = {
        "kernel": [r.kernel for r in rows],
        "gpu": [r.gpu for r in rows],
        "config": [r.config for r in rows],
        "grid": [str(r.grid) if r.grid else "" for r in rows],
        "block": [str(r.block) if r.block else "" for r in rows],
    }
    left_out = [f"copies and fills left out: {copies}"] if copies else []
    left_out += [reading.pages.describe()] if reading.pages else []
    return KernelTable.from_columns(
        {k: v for k, v in text.items() if k == "kernel" or any(v)},
        columns,
        counters=metrics,
        flags=flags,
        provenance=Provenance(tool="nvprof", notes=tuple(left_out)),
    )


SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "µs": 1e-6, "min": 60.0, "h": 3600.0}
BYTES = {"B": 1.0, "KB": 2.0**10, "MB": 2.0**20, "GB": 2.0**30, "TB": 2.0**40}
"""nvprof's KB is 1024 bytes."""

TRACE = {"Duration", "Name"}
METRICS = {"Kernel", "Invocations", "Avg"}
SUMMARY = {"Time(%)", "Calls", "Avg", "Name"}
PER_LAUNCH = {"Device", "Kernel", "Correlation_ID"}
PAGING = {"Count", "Total Size", "Total Time", "Name"}
"""Sums of unified memory."""
COPIES = "[CUDA mem"
"""How names of copies and fills begin."""
UNIFIED_MEMORY, PAGES_MOVED, CPU_FAULTS = "[Unified Memory", "[Unified Memory Memcpy", "[Unified Memory CPU page faults"
"""How names of a trace's rows begin that are about unified memory."""
PAGES_ROW = re.compile(r"\s(?P<value>\S+)\s+0x[0-9a-fA-F]+\s+(?P<name>\[Unified Memory .*\])\s*$")
PAGES_TOTAL = re.compile(
    r"^\s*(?P<count>\d{1,15})\s+\S+\s+\S+\s+\S+\s+(?P<bytes>-|[\d.]+\w*B)\s+(?P<time>[\d.]+[num]?s)\s{2,}"
    r"(?P<name>[A-Z]\w.*?)\s*$"
)
CPU_FAULTS_TOTAL = re.compile(r"Total CPU Page faults:\s*(?P<count>\d{1,12})")
PAGE_TOTALS = {
    "Host To Device": Way.HOST_TO_DEVICE, "Device To Host": Way.DEVICE_TO_HOST,
    "Device To Device": Way.DEVICE_TO_DEVICE,
}  # fmt: skip
VALUE = re.compile(r"(?P<number>[+-]?[0-9.,]+(?:[eE][+-]?[0-9]+)?)\s*(?P<unit>%|[A-Za-zµ]+(?:/s)?)?$")
CORRELATION = re.compile(r"\s*\[(\d+)\]$")
DEVICE_NUMBER = re.compile(r"\s*\(\d+\)\s*$")
OWN_MESSAGE = re.compile(r"^=+(?:\d+=+)? (?P<kind>Error|Warning): (?P<text>.+)$")
TRACE_OWN = {
    *("Start", "Duration", "Grid X", "Grid Y", "Grid Z", "Block X", "Block Y", "Block Z", "Registers Per Thread"),
    *("Static SMem", "Dynamic SMem", "Size", "Throughput", "Device", "Context", "Stream", "Name", "Kernel"),
    *("Correlation_ID", "SrcMemType", "DstMemType", "Unified Memory", "Virtual Address"),
}
MAX_LINE_CHARS = 2**22
"""Characters of a line that are read: a header of all counters takes a small part of them."""
MAX_SIZE = 2**31
"""Counts from here on are damage: nvprof counts in 32 bits with sign."""
Values = Mapping[str, str]
"""The cells of a line by their columns."""


def recognises(head: bytes, name: str) -> bool:
    """Whether a header of nvprof stands in the head."""
    if not is_text(head):
        return False
    text = head_text(head)
    if "NVPROF is profiling" in text or re.search(
        r"^==\d+== (?:Profiling result|Metric result|Event result)", text, re.M
    ):
        return True
    return any(Layout.of(cells) is not None for cells in rows_of(text.split("\n"))) or any(
        start_of_table(line) for line in text.split("\n")
    )


@dataclass(frozen=True)
class Layout:
    """Columns of one nvprof CSV."""

    kind: str
    """trace, metrics or summary."""
    at: dict[str, int]
    offset: int
    """Columns before nvprof's own."""

    @classmethod
    def of(cls, cells: list[str]) -> Layout | None:
        """The layout that header cells describe; None where they are no header."""
        names = {cell: i for i, cell in reversed(list(enumerate(cells)))}
        present = set(names)
        if present >= TRACE and ("Start" in present or "Grid X" in present) and "Stream" in present:
            return cls("trace", names, min(names[n] for n in TRACE_OWN & present))
        if present >= METRICS and ("Metric Name" in present or "Event Name" in present):
            return cls("metrics", names, min(names[n] for n in ("Device", "Kernel") if n in names))
        if present >= SUMMARY:
            first = names["Type"] if "Type" in present else names["Time(%)"]
            return cls("summary", names, first)
        if present >= PAGING:
            return cls("paging", names, min(names[n] for n in PAGING))
        if present >= PER_LAUNCH:
            return cls("trace", names, min(names[n] for n in TRACE_OWN & present))
        return None


@dataclass
class Reading:
    """State while going through the lines."""

    rows: list[Row] = field(default_factory=list)
    index: dict[tuple[object, ...], Row] = field(default_factory=dict)
    layout: Layout | None = None
    units: dict[str, str] = field(default_factory=dict)
    """Column -> unit, where a row below the header says it."""
    runs: int = 0
    copies: int = 0
    in_api: bool = False
    seen_header: bool = False
    text: TextTable | None = None
    device: str = ""
    """Device that a line of its own named last."""
    messages: list[str] = field(default_factory=list)
    """What nvprof says went wrong."""
    pages: PageTraffic = field(default_factory=PageTraffic)
    paged_devices: set[str] = field(default_factory=set)
    page_spans_s: list[tuple[float, float]] = field(default_factory=list)
    """Start and end of page moves and faults, where a trace tells them."""

    def start(self, layout: Layout | TextTable) -> None:
        """A header was found."""
        self.layout, self.text = (layout, None) if isinstance(layout, Layout) else (None, layout)
        self.units, self.seen_header, self.in_api = {}, True, False
        self.runs += 1

    def note(self, line: str) -> None:
        """Take a message of nvprof's own."""
        self.in_api = "API calls" in line
        if "NVPROF is profiling" in line:
            self.device = ""
        elif match := OWN_MESSAGE.match(line):
            self.messages.append(match["text"])

    def add(self, cells: list[str]) -> None:
        """Take the cells of one line below a header."""
        layout = self.layout
        assert layout is not None
        if not self.units and is_units(cells, layout):
            self.units = {name: cells[at].strip() for name, at in layout.at.items() if at < len(cells)}
        elif layout.kind != "trace" or len(cells) > layout.offset + 3:
            columns = {name: at for name, at in layout.at.items() if at >= layout.offset}
            values = {name: cells[at].strip() if at < len(cells) else "" for name, at in columns.items()}
            HANDLERS[layout.kind](self, values, ",".join(c.strip() for c in cells[: layout.offset]))

    def add_pages(self, name: str, start_s: float, time_s: float, value: str) -> None:
        """Take a row of a trace about unified memory: pages that moved, faults of the GPU or of the CPU."""
        if name.startswith(CPU_FAULTS):
            self.pages.cpu_faults += 1
            return
        amount, time_s = scaled(value, BYTES), time_s if time_s >= 0 else 0.0
        if name.startswith(PAGES_MOVED):
            self.pages.move(way_of(name[:200]), 1, amount if amount >= 0 else 0.0, time_s)
        else:
            self.pages.fault(1, int(amount) if 0 <= amount < MAX_SIZE else 0, time_s)
        if start_s >= 0:
            self.page_spans_s.append((start_s, start_s + time_s))

    def quantity(self, values: Values, name: str, factors: dict[str, float]) -> float:
        """A number with its unit, from the cell or from the row of units; NaN without."""
        return scaled(values.get(name, ""), factors, self.units.get(name, ""))


def scaled(text: str, factors: dict[str, float], unit: str = "") -> float:
    """A number in its base unit; the unit stands behind it, else it is the one given. NaN where it is no number."""
    match = VALUE.match(text.strip())
    if not match:
        return math.nan
    factor = factors.get(match["unit"] or unit)
    number = parse_number(match["number"])[0]
    if factor is None:
        return number if not (match["unit"] or unit) else math.nan
    return number * factor


def parse_metric(text: str) -> float:
    """A metric's value: percentages as printed, rates in bytes per second, levels such as "Low (2)" as their number.

    >>> parse_metric("97.50%"), parse_metric("1.5GB/s"), parse_metric("Low (2)"), parse_metric("1e+09")
    (97.5, 1610612736.0, 2.0, 1000000000.0)
    """
    level = re.fullmatch(r"[A-Za-z]+ \((\d+)\)", text.strip())
    if level:
        return float(level[1])
    rates = {f"{unit}/s": factor for unit, factor in BYTES.items()}
    return scaled(text, {"%": 1.0, **rates, **BYTES})


def is_units(cells: list[str], layout: Layout) -> bool:
    """Whether a row below the header holds units: no number in nvprof's columns, and one of its units."""
    present = [cell.strip() for cell in cells[layout.offset :] if cell.strip()]
    return any(c in SECONDS or c in BYTES or c == "%" for c in present) and not any(
        re.search(r"\d", c) for c in present
    )


def add_trace(reading: Reading, values: Values, config: str) -> None:
    """A line of the GPU trace: one launch, copy or fill."""
    name = values.get("Name") or values.get("Kernel")
    if not name:
        return
    start_s, time_s = (reading.quantity(values, column, SECONDS) for column in ("Start", "Duration"))
    if name.startswith(UNIFIED_MEMORY):
        reading.add_pages(name, start_s, time_s, values.get("Unified Memory", ""))
        return
    if name.startswith(COPIES):
        reading.copies += 1
        return
    row = Row(CORRELATION.sub("", name), device_name(values.get("Device", "")), config, start_s, time_s)
    row.grid = sizes(values.get(f"Grid {axis}", "") for axis in "XYZ")
    row.block = sizes(values.get(f"Block {axis}", "") for axis in "XYZ")
    row.regs = parse_number(values.get("Registers Per Thread", ""))[0]
    row.smem = reading.quantity(values, "Static SMem", BYTES) + reading.quantity(values, "Dynamic SMem", BYTES)
    row.metrics = {n: parse_metric(value) for n, value in values.items() if n and n not in TRACE_OWN}
    reading.rows.append(row)


def add_metric(reading: Reading, values: Values, config: str) -> None:
    """A line of the metric or event summary: one metric of one kernel on one device."""
    kernel, device, value = (values.get(n, "") for n in ("Kernel", "Device", "Avg"))
    name = values.get("Metric Name") or values.get("Event Name")
    if not kernel or not name or not value or kernel == "Kernel":
        return
    # Metrics and events of one run stand in two tables; a kernel that comes again with a metric it has is a new run.
    key = (config, device, kernel)
    row = reading.index.get(key)
    if row is None or name in row.metrics:
        row = reading.index[key] = Row(CORRELATION.sub("", kernel), gpu=device_name(device), config=config)
        reading.rows.append(row)
    row.metrics[name] = parse_metric(value)
    row.calls = parse_number(values.get("Invocations", ""))[0]


def add_summary(reading: Reading, values: Values, config: str) -> None:
    """A line of the summary: mean time and calls of a kernel."""
    name, time_s = values.get("Name", ""), reading.quantity(values, "Avg", SECONDS)
    if not name or values.get("Type") == "API calls" or reading.in_api:
        return
    calls = parse_number(values.get("Calls", ""))[0]
    if name.startswith(COPIES):
        reading.copies += int(calls) if calls < MAX_SIZE else 1
    elif not math.isnan(time_s):
        gpu = device_name(reading.device)
        reading.rows.append(Row(CORRELATION.sub("", name), gpu, config, time_s=time_s, calls=calls))


def add_paging(reading: Reading, values: Values, config: str) -> None:
    """A line of the sums of unified memory in CSV."""
    reading.paged_devices |= {values.get("Device", "")} - {""}
    size, time_s = reading.quantity(values, "Total Size", BYTES), reading.quantity(values, "Total Time", SECONDS)
    add_page_totals(reading, values.get("Name", ""), values.get("Count", ""), size, time_s)


def add_paging_line(reading: Reading, line: str) -> bool:
    """Take a line about unified memory that stands alone; whether it was one."""
    if match := CPU_FAULTS_TOTAL.search(line):
        reading.pages.cpu_faults += int(match["count"])
    elif match := PAGES_TOTAL.match(line):
        size, time_s = scaled(match["bytes"], BYTES), scaled(match["time"], SECONDS)
        add_page_totals(reading, match["name"], match["count"], size, time_s)
        reading.paged_devices |= {reading.device} - {""}
    elif reading.text is not None and line.rstrip().endswith(f"{CPU_FAULTS}]"):
        reading.pages.cpu_faults += 1
    else:
        return False
    return True


def add_page_totals(reading: Reading, name: str, count: str, size: float, time_s: float) -> None:
    """Take a line of the section "Unified Memory profiling result"."""
    number = parse_number(count)[0]
    if not 1 <= number < MAX_SIZE or not time_s >= 0:
        return
    if way := PAGE_TOTALS.get(name):
        reading.pages.move(way, int(number), size if size >= 0 else 0.0, time_s)
    elif name:
        reading.pages.fault(int(number), 0, time_s)


def paging_columns(reading: Reading, time_s: FloatArray) -> dict[str, FloatArray]:
    """What each launch may have waited for pages, and its share of all moves and faults.

    A trace tells when each happened; a summary only their sum, which each kernel bears by its part of all time.
    """
    if not reading.pages:
        return {}
    calls = np.array([r.calls if r.calls > 1 else 1.0 for r in reading.rows])
    whole = float(np.nansum(time_s * calls))
    if not whole > 0:
        return {}
    starts = np.array([r.start_s for r in reading.rows])
    if reading.page_spans_s and np.isfinite(starts).all():
        begins, ends = np.array(reading.page_spans_s).T
        stall, seconds = find_stalls(starts, starts + np.nan_to_num(time_s), begins, ends)
    else:
        stall, seconds = time_s * (reading.pages.bound_stalls(whole) / whole), reading.pages.time_s
    columns = {"migration_stall_s": np.minimum(stall, time_s), "migration_s": seconds * time_s / whole}
    if reading.pages.resident_bytes > 0:
        columns["migration_resident_bytes"] = np.full(len(time_s), reading.pages.resident_bytes)
    if reading.pages.fault_groups:  # GPUs fault while kernels run, and only on their demand.
        columns["migration_handled_s"] = columns["migration_stall_s"]
    return columns | ({"migration_bytes": reading.pages.bytes * time_s / whole} if reading.pages.bytes > 0 else {})


HANDLERS: dict[str, Callable[[Reading, Values, str], None]] = {
    "trace": add_trace, "metrics": add_metric, "events": add_metric, "summary": add_summary, "paging": add_paging,
}  # fmt: skip


def device_name(text: str) -> str:
    """GPU name without the device number behind it."""
    return DEVICE_NUMBER.sub("", text).strip()


def sizes(cells: Iterable[str]) -> tuple[int, ...]:
    """Three whole numbers, or none."""
    numbers = [parse_number(cell)[0] for cell in cells]
    return tuple(int(n) for n in numbers) if all(1 <= n <= MAX_SIZE for n in numbers) else ()


def rows_of(lines: Iterable[str]) -> Iterator[list[str]]:
    """Cells of each line that is not nvprof's own message."""
    rows = (line[:MAX_LINE_CHARS] for line in lines if "," in line and not line.startswith("=="))
    return read_lines(rows, ",", skip_spaces=False)


def read(stream: BinaryIO, name: str) -> KernelTable:
    """All launches in file order; of summaries, one row per kernel and run with the mean."""
    reading = Reading()
    text = open_text(stream)
    try:
        for line in text:
            read_line(reading, line.rstrip("\n").replace("\0", "")[:MAX_LINE_CHARS])
    finally:
        text.detach()
    file = one_line(name)
    if reading.messages and not reading.rows:
        raise InputError(f"{file}: nvprof recorded no kernels; it says: {one_line(reading.messages[-1], 200)}")
    if not reading.seen_header:
        raise InputError(
            f"{file}: not nvprof output: make it with `nvprof --csv --print-gpu-trace` or `nvprof --csv --metrics ...`"
        )
    if not reading.rows:
        raise InputError(f"{file}: nvprof output without kernels ({reading.copies} copies and fills)")
    return table_of(reading)


def read_line(reading: Reading, line: str) -> None:
    """Take one line of the file."""
    if match := DEVICE.search(line):
        reading.device = match["name"]
    if add_paging_line(reading, line):
        return
    if line.startswith("=="):
        reading.note(line)
        return
    table = start_of_table(line)
    if table is not None:
        reading.start(table)
        return
    if reading.text is not None and (values := reading.text.values(line, reading)) is not None:
        if values:
            HANDLERS[reading.text.kind](reading, values, "")
        return
    if "," not in line:
        return
    cells = next(rows_of([line]), [])
    layout = Layout.of([c.strip() for c in cells])
    if layout is not None:
        reading.start(layout)
    elif reading.layout is not None and reading.layout.kind in HANDLERS:
        reading.add(cells)
