"""Databases of AMD's tracers (SQLite): rocpd of rocprofv3, and the older RPD of rocmProfileData."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import KernelTable, Provenance
from roofcast.core.timeline import Device, IntArray, Process, RangeKind, Timeline, Work
from roofcast.ingest.amd.rocpd_sdk import Sdk, counted_dispatches
from roofcast.ingest.traces.long_tables import kernel_table_of
from roofcast.ingest.traces.names import api_of, collective_of, way_of
from roofcast.ingest.traces.nsys import MAGIC, ROCPD
from roofcast.ingest.traces.sqlite import Database, open_database, whole, whole_numbers
from roofcast.ingest.traces.timeline_build import Builder
from roofcast.ingest.traces.windows import Windows

NEVER = -(1 << 61)


def recognises(head: bytes, name: str) -> bool:
    """Whether this is an SQLite file whose first pages name tables of rocpd."""
    return head.startswith(MAGIC) and ROCPD.search(head) is not None


def read(stream: BinaryIO, name: str) -> KernelTable:
    """Every dispatch with its counters where they were collected, else one row per distinct kernel and geometry.

    Raises
    ------
    InputError : see :func:`read_windows`.
    """
    shown = one_line(name)
    try:
        with open_database(stream) as database:
            found = counted_dispatches(database, name)
    except InputError as error:
        raise InputError(f"{shown}: {error}") from error
    if found is not None:
        return found
    stream.seek(0)
    return kernel_table_of(read_windows(stream, name))


def read_timeline(stream: BinaryIO, name: str) -> Timeline:
    """The whole timeline (see :func:`read_windows`)."""
    return read_windows(stream, name).whole()


def read_windows(stream: BinaryIO, name: str) -> Windows:
    """The timeline of a database, in windows.

    Raises
    ------
    InputError : no database of AMD's tracers, a damaged one, or one without work of a GPU.
    """
    shown = one_line(name)
    try:
        with open_database(stream) as database:
            return windows_of(database, name)
    except InputError as error:
        text = str(error)
        raise InputError(text if text.startswith(shown) else f"{shown}: {text}") from error


def windows_of(database: Database, name: str) -> Windows:
    """The timeline of an open database."""
    reading = Reading(database, Builder())
    if reading.tables("rocpd_kernel_dispatch"):
        reading.rocprofv3()
    elif "rocpd_op" in database:
        reading.rpd()
    else:
        raise InputError("an SQLite file that is no database of rocprofv3 or RPD: no table of dispatches is there")
    return reading.builder.windows(name, Provenance(file=name, format="rocpd", tool="rocprof (rocpd)"))


@dataclass(frozen=True, slots=True)
class Shape:
    """What a dispatch asked for, as stored."""

    items: list[Any]
    """Work-items of the grid, per axis."""
    block: list[Any]
    lds: Any
    registers: Any


@dataclass
class Reading:
    """State while reading the tables; their names end in the number of the run."""

    database: Database
    builder: Builder

    def tables(self, prefix: str) -> list[str]:
        """The tables of one kind, one per run."""
        return sorted(t for t in self.database.columns if t == prefix or t.startswith(prefix + "_"))

    def lookup(self, prefix: str, key: str, *columns: str) -> dict[Any, tuple[Any, ...]]:
        """Key -> values, over the tables of one kind."""
        found: dict[Any, tuple[Any, ...]] = {}
        for table in self.tables(prefix):
            if self.database.has(table, key):
                for number, *values in self.database.rows(table, (key, *columns)):
                    found[number] = tuple(values)
        return found

    def rocprofv3(self) -> None:
        """The tables of rocprofv3."""
        strings = {k: str(v[0]) for k, v in self.lookup("rocpd_string", "id", "string").items()}
        agents = self.lookup("rocpd_info_agent", "id", "type", "type_index", "product_name", "model_name", "name")
        symbols = self.lookup("rocpd_info_kernel_symbol", "id", "display_name", "kernel_name", "arch_vgpr_count")
        pids = {k: whole(v[0], 0) for k, v in self.lookup("rocpd_info_process", "id", "pid").items()}
        Sdk(self.database, self.builder, strings, agents, symbols, pids, self.correlations()).all(self.tables)

    def correlations(self) -> tuple[IntArray, IntArray]:
        """Numbers of events in order, and the number that ties each to its call."""
        parts: tuple[list[IntArray], list[IntArray]] = ([], [])
        for table in self.tables("rocpd_event"):
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
        process = self.builder.process(0, Process())
        wanted = ("id", "gpuId", "queueId", "start", "end", "description_id", "opType_id")
        for number, gpu, queue, start, end, text, kind in self.database.rows("rocpd_op", wanted):
            api = api_of_op.get(number, (None,))[0]
            place = {"device": self.builder.device(gpu, Device(number=whole(gpu, 0))), "stream": whole(queue, -1),
                     "process": process, "correlation": whole(api, -1)}  # fmt: skip
            operation = strings.get(kind, "")
            if "copy" in operation.lower() or api in copies:
                self.copy(operation or "copy", (start, end), place, copies.get(api, (None, None))[0])
            elif "fill" not in operation.lower():
                shape = kernels.get(api, (None,) * 7)
                # RPD stores grids in blocks.
                items = [whole(g, -1) * whole(b, -1) for g, b in zip(shape[:3], shape[3:6], strict=True)]
                self.dispatch(
                    strings.get(text, ""), (start, end), place, Shape(items, list(shape[3:6]), shape[6], None)
                )
        calls = self.database.rows("rocpd_api", ("id", "tid", "start", "end", "apiName_id", "args_id"))
        for number, tid, start, end, text, arguments in calls:
            name = strings.get(text, "")
            marker = name == "UserMarker"
            name = strings.get(arguments, name) if marker else name
            self.region(name, (start, end), whole(tid, 0), process, number, marker=marker)

    def dispatch(self, name: str, times: tuple[Any, Any], place: dict[str, int], shape: Shape) -> None:
        """One kernel."""
        items, block = [whole(c, -1) for c in shape.items], [whole(c, -1) for c in shape.block]
        known = min(*items, *block) > 0
        grid = [-(-i // b) for i, b in zip(items, block, strict=True)] if known else [-1] * 3
        bx, by, bz = block if known else [-1] * 3
        self.builder.add_work(
            kind=Work.KERNEL, start=whole(times[0], 0), end=whole(times[1], NEVER), name=self.builder.name(name),
            gx=grid[0], gy=grid[1], gz=grid[2], bx=bx, by=by, bz=bz, smem=amount(shape.lds),
            regs=amount(shape.registers) or float("nan"), collective=collective_of(name), **place,
        )  # fmt: skip

    def copy(self, name: str, times: tuple[Any, Any], place: dict[str, int], size: Any) -> None:
        """One copy."""
        self.builder.add_work(
            kind=Work.COPY, start=whole(times[0], 0), end=whole(times[1], NEVER), name=self.builder.name(name),
            bytes=amount(size), way=way_of(name[:200]), **place,
        )  # fmt: skip

    def region(
        self, name: str, times: tuple[Any, Any], thread: int, process: int, event: Any, *, marker: bool = False
    ) -> None:
        """A call of HIP; other regions are ranges that the user named, without those of the HSA runtime."""
        begin, finish = whole(times[0], 0), whole(times[1], NEVER)
        if name.startswith("hip") and not marker:
            row = (api_of(name[:200]), begin, finish, self.builder.name(name), thread, process, whole(event, -1))
            self.builder.add_call(row)
        elif name and (marker or not name.startswith(("hsa", "roctx", "rocprof"))):
            self.builder.add_range((RangeKind.ANNOTATION, begin, finish, self.builder.name(name), thread, process, -1))


def amount(value: Any) -> float:
    """A number that is not negative; NaN for anything else."""
    return float(value) if isinstance(value, (int, float)) and 0 <= value < 1e18 else float("nan")


def small(values: IntArray) -> IntArray:
    """The same numbers in half the room where they fit."""
    fits = len(values) and values.min() >= -(1 << 31) and values.max() < 1 << 31
    return values.astype(np.int32) if fits else values
