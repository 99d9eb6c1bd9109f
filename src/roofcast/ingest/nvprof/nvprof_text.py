"""The tables that nvprof prints to the console: its summary, its GPU trace, its metrics and events.

Each table starts with a header of which no column may hold a space-separated word more than its rows do, but for the
names of devices and kernels and for descriptions; rows are therefore matched from both ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

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
    """The table that is being read."""

    kind: str
    """summary, metrics, events or trace."""
    unit: str = ""
    """Unit of the times, where a row below the header says it."""
    kernel: str = ""
    """Kernel whose metrics follow."""
    rest: re.Pattern[str] = SUMMARY_ROW
    """What stands behind the shared memory in a row of a trace."""


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


@dataclass(frozen=True)
class TextLaunch:
    """A line of a trace."""

    kernel: str
    device: str
    time: str
    grid: tuple[str, ...]
    block: tuple[str, ...]
    regs: str
    static: str
    dynamic: str


def launch_of(line: str, table: TextTable) -> TextLaunch | None:
    """The launch of a line of a trace; None where the line is none. A copy or fill has no grid."""
    found = TRACE_START.match(line)
    if found is not None and found["grid"] == "-":
        return TextLaunch("", "", "", (), (), "", "", "")
    rest = table.rest.match(found["rest"]) if found else None
    if found is None or rest is None:
        return None
    grid, block = (tuple(found[which].strip("()-").split()) for which in ("grid", "block"))
    return TextLaunch(
        rest["name"], rest["device"], found["time"], grid, block, found["regs"], found["static"], found["dynamic"]
    )


def metric_of(line: str, table: TextTable) -> tuple[str, str, str] | None:
    """Name, mean and number of launches of a line of metrics or events; None where the line is none."""
    if table.kind == "events":
        event = EVENT_ROW.match(line)
        return (event["name"], event["values"].split()[2], event["count"]) if event else None
    found = METRIC_ROW.match(line)
    return (found["name"], found["avg"], found["count"]) if found else None
