"""What was read from a profile: counted, derived, assumed, missing, doubtful; its code; how to collect the rest."""

from __future__ import annotations

import math
import shlex
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from roofcast.core.columns import ALL_NUMERIC, Origin
from roofcast.core.errors import InputError, one_line
from roofcast.core.extras import has_polars, require_polars
from roofcast.core.kernel_table import KernelTable
from roofcast.core.records import dataclass
from roofcast.core.resource import FLOPS_TENSOR, FLOPS_VECTOR
from roofcast.core.results import or_none
from roofcast.core.units import format_quantity
from roofcast.kit.names import table_names
from roofcast.kit.output import render_json
from roofcast.kit.page import Lead, Page, Section, notes_section, provenance_section
from roofcast.kit.quantities import count_kernels, count_of, format_percent, format_seconds
from roofcast.kit.table import Column, Table, cells, escape_formulas, rank_longest, render_columns
from roofcast.models.kernel_amounts import is_from_code
from roofcast.operators.operator_rows import find_operators, unrecognised_operators
from roofcast.reports.missing_columns import list_missing, read_value, suggest_collection

if TYPE_CHECKING:
    import polars

NAME_MORE = 10
"""Columns that names want beyond the least that a table leaves them; else the geometry goes."""

GROUPS = {Origin.COUNTED: "counted", Origin.DERIVED: "derived", Origin.ASSUMED: "assumed"}


def build_records(kernels: KernelTable) -> Iterator[dict[str, Any]]:
    """One dict per launch, keys of ``inspect --format json``."""
    launch = kernels.column("launch")
    time, refused = kernels.column("time_s"), kernels.strings("refused")
    present = [column for column in ALL_NUMERIC if column in kernels.numeric]
    for i, name in enumerate(kernels.strings("kernel")):
        values: dict[str, dict[str, float]] = {group: {} for group in GROUPS.values()}
        for column in present:
            origin = Origin(int(kernels.origin_of(column)[i]))
            if origin is not Origin.ABSENT and column != "launch":
                values[GROUPS[origin]][column] = float(kernels.column(column)[i])
        yield {
            "kernel": name,
            "launch": i if np.isnan(launch[i]) else int(launch[i]),
            "gpu": kernels.strings("gpu")[i] or None,
            "time_s": or_none(time[i]),
            **values,
            "missing": list_missing(kernels, i),
            "flags": [*([f"no amounts: {why}"] if (why := str(refused[i])) else []), *kernels.flags[i]],
        }


def render_inspection_json(kernels: KernelTable, timelines: list[dict[str, Any]] | None = None) -> Iterator[str]:
    """The JSON object of ``inspect --format json`` in parts; of reports also their code, of traces their figures."""
    content: dict[str, Any] = {"kernels": build_records(kernels)}
    code = [c.record() for c in find_code(kernels)]
    if code:
        content["code"] = code
    if timelines:
        content["timelines"] = timelines
    return render_json(content)


def build_kernel_frame(kernels: KernelTable) -> polars.DataFrame:
    """Everything that was read as a kernel table, which every command reads again; without columns that are empty."""
    require_polars("Parquet")
    import polars as pl

    frame = kernels.to_polars().with_columns(pl.col(pl.String).replace("", None))
    return frame.select([c for c in frame.get_columns() if c.null_count() < len(c) or c.name == "kernel"])


def render_kernel_csv(kernels: KernelTable) -> str:
    """The same as CSV."""
    if has_polars():
        return escape_formulas(build_kernel_frame(kernels)).write_csv()
    columns = {**kernels.text, **kernels.numeric}
    empty = [k for k, v in columns.items() if (np.isnan(v).all() if v.dtype.kind == "f" else not any(v))]
    return render_columns({k: v for k, v in columns.items() if k == "kernel" or k not in empty})


def build_inspection_page(kernels: KernelTable, command: str = "") -> Page:
    """What was read as a page."""
    rows = rank_longest(kernels.column("time_s") * kernels.launches)
    intro = tuple(line for line in render_header(kernels, 10_000) if line)
    notes = [line for line in render_footer(kernels, rows, 10_000) if line]
    sections = (Section("Launches", table=tabulate_launches(kernels, rows)), *notes_section(notes, "Data"))
    lead = Lead(intro[0], "; ".join(intro[1:3]), "; ".join(notes[:2]))
    return Page("What was read", (), intro, (*sections, provenance_section(kernels.provenance)), command, lead=lead)


def find_unit(column: str) -> str:
    """Unit of a vocabulary column, '' for plain numbers."""
    unit = ALL_NUMERIC[column].partition(";")[0]
    return "" if unit == "1" else unit


def format_value(column: str, value: float) -> str:
    """A value of a column with its unit; fractions as percent, counts in full, an en dash where absent."""
    if not np.isfinite(value):
        return "–"
    if column.endswith("_fraction"):
        return format_percent(value, 1)
    unit = find_unit(column)
    if not unit:
        return f"{value:.4g}" if value != int(value) else f"{int(value):,}"
    return format_quantity(value, unit, 4)


def render_inspection(
    kernels: KernelTable, width: int, *, details: bool | None = None, top: int | None = None, files: bool = True
) -> str:
    """The text of ``roofcast inspect``.

    details : list every value of every kernel; by default only where there are at most 3 kernels.
    top : list only the kernels with most time.
    files : name the files first, with their notes.
    """
    detailed = len(kernels) <= 3 if details is None else details
    time = kernels.column("time_s") * kernels.launches
    rows = rank_longest(time, top)
    parts = list(render_header(kernels, width, files))
    parts += render_details(kernels, rows, width) if detailed else [render_overview(kernels, rows, width)]
    if len(rows) < len(kernels):
        rest = float(np.nansum(np.delete(time, rows)) / max(float(np.nansum(time)), 1e-300))
        parts.append(f"… and {len(kernels) - len(rows)} more launches ({format_percent(rest, 0)} of the time)")
    parts += list(render_footer(kernels, rows, width))
    return "\n".join(parts)


def render_header(kernels: KernelTable, width: int, files: bool = True) -> Iterator[str]:
    """File, tool, GPUs, launches and total time."""
    for p in kernels.provenance if files else ():
        yield from wrap_paragraph(one_line(f"{p.file}: {p.format}" + (f", {p.tool}" if p.tool else "")), width)
        for note in p.notes:
            yield from wrap_paragraph(f"  note: {one_line(note)}", width, "  ")
    gpus = Counter(str(g) or "GPU not named" for g in kernels.strings("gpu"))
    times = kernels.column("time_s") * kernels.launches
    timed = times[~np.isnan(times)]
    total = f"{format_quantity(float(timed.sum()), 's')} in all" if len(timed) else "times absent"
    if 0 < len(timed) < len(kernels):
        total += f" ({len(kernels) - len(timed)} without a time)"
    counts = count_kernels(map(str, kernels.strings("kernel")), float(kernels.launches.sum()))
    listed = ", ".join(one_line(g, 60) for g in gpus)
    yield from wrap_paragraph(f"{counts}, {total}; {listed}", width)
    for line in render_code(find_code(kernels)):
        yield from [line] if line.startswith(" ") else wrap_paragraph(line, width)
    yield ""


def wrap_paragraph(text: str, width: int, indent: str = "") -> list[str]:
    """Lines of at most ``width`` columns; what cannot be broken stays whole."""
    return textwrap.wrap(text, max(width, 40), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def render_overview(kernels: KernelTable, rows: list[int], width: int) -> str:
    """One line per launch: time, geometry, amounts, what is missing."""
    table = tabulate_launches(kernels, rows, max(24, width - 88))
    if max(map(cells, table.lines(1, stacked=False))) + NAME_MORE > width:  # narrow: the geometry is in the details
        table = tabulate_launches(kernels, rows, max(24, width - 88), narrow=True)
    return "\n".join([*table.lines(width), ""])


def tabulate_launches(kernels: KernelTable, rows: list[int], name_most: int = 60, *, narrow: bool = False) -> Table:
    """One row per launch: time, geometry, amounts, what is missing."""
    names = table_names(kernels, name_most)

    def amount(head: str, column: str) -> Column:
        return Column(head, lambda i: format_amount(kernels, column, i), right=True)

    def data(i: int) -> str:
        missing = len(list_missing(kernels, i))
        absent = (str(missing) if missing else "none") if narrow else f"{missing} missing" if missing else "full"
        return absent + (" !" if kernels.flags[i] else "")

    launches = kernels.launches
    times = [Column("time", lambda i: read_value(kernels, "time_s", i), format_seconds)]
    if (launches > 1).any():
        times = [
            Column("launches", lambda i: f"{launches[i]:.0f}", right=True), replace(times[0], head="one launch"),
            Column("total", lambda i: launches[i] * read_value(kernels, "time_s", i), format_seconds),
        ]  # fmt: skip
    columns = (
        Column("#", lambda i: i, str), Column("kernel", lambda i: names[i], flexible=True),
        *times, Column("" if narrow else "grid x block", lambda i: format_geometry(kernels, i), right=True),
        Column("FLOP", lambda i: format_flops(kernels, i), right=True),
        *(amount(*c) for c in (("DRAM", "bytes_dram"), ("L2", "bytes_l2"), ("L1", "bytes_l1"))),
        Column("missing" if narrow else "data", data),
    )  # fmt: skip
    return Table(columns, rows)


def format_geometry(kernels: KernelTable, i: int) -> str:
    """Blocks and threads per block."""
    grid, block = read_value(kernels, "grid_blocks", i), read_value(kernels, "block_threads", i)
    return (
        "–"
        if np.isnan(grid) and np.isnan(block)
        else f"{format_value('grid_blocks', grid)} x {format_value('block_threads', block)}"
    )


def format_amount(kernels: KernelTable, column: str, i: int) -> str:
    """An amount, with ~ where it is derived and ? where it is assumed."""
    origins = kernels.origin.get(column)
    mark = "" if origins is None else {Origin.DERIVED: "~", Origin.ASSUMED: "?"}.get(Origin(int(origins[i])), "")
    return mark + format_quantity(read_value(kernels, column, i), find_unit(column))


def format_flops(kernels: KernelTable, i: int) -> str:
    """All floating-point work of a launch."""
    parts = [read_value(kernels, r.value, i) for r in (*FLOPS_VECTOR, *FLOPS_TENSOR)]
    known = [p for p in parts if not math.isnan(p)]
    return format_quantity(sum(known), "FLOP") if known else format_amount(kernels, "flops", i)


def render_details(kernels: KernelTable, rows: list[int], width: int) -> list[str]:
    """Every value of each launch, grouped by where it comes from."""
    blocks = []
    records = list(build_records(kernels))
    for i in rows:
        record = records[i]
        lines = [f"#{i} {one_line(record['kernel'], max(width - 8, 40))}"]
        for group in GROUPS.values():
            if record[group]:
                lines.append(f"  {group}:")
                lines += [f"    {c:34} {format_value(c, v):>14}" for c, v in record[group].items()]
        lines += wrap_paragraph(f"  missing: {', '.join(record['missing']) or 'nothing'}", width, "    ")
        lines += [line for flag in record["flags"] for line in wrap_paragraph(f"  ! {one_line(flag)}", width, "    ")]
        blocks.append("\n".join(lines) + "\n")
    return blocks


NAMES_SHOWN = 5
"""Operators that nobody knows that are named."""


def render_footer(kernels: KernelTable, rows: list[int], width: int) -> Iterator[str]:
    """Flags with their number of launches, and the command that collects what is missing."""
    flags = Counter(flag for f in kernels.flags for flag in f)
    for flag, count in flags.most_common(12):
        yield from wrap_paragraph(
            f"! {one_line(flag)} ({count} of {count_of(len(kernels), 'launch', 'es')})", width, "  "
        )
    strange = unrecognised_operators(kernels, find_operators(kernels))
    names = dict.fromkeys(one_line(str(name), 40) for name in kernels.strings("kernel")[strange])
    if names:
        more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
        sentence = f"operators that no model knows, forecast as any kernel: {', '.join([*names][:NAMES_SHOWN])}{more}"
        yield from wrap_paragraph(sentence, width, "  ")
    missing = dict.fromkeys(name for i in rows for name in list_missing(kernels, i))
    if missing:
        yield from wrap_paragraph(f"missing in at least one launch: {', '.join(missing)}", width, "  ")
        command = "" if is_from_code(kernels).all() else suggest_collection(kernels, list(missing))
        if command:
            yield "collect it with:"
            yield f"  {command}"


REPORT_FORMAT = "ncu-rep"


@dataclass(frozen=True, slots=True)
class Code:
    """What one report embeds."""

    file: str
    path: str
    architectures: tuple[str, ...]
    """Of each binary, ``sm_80``; '' where it cannot be read."""
    size_bytes: int
    ptx: bool
    """Whether the debug sections hold PTX that can be compiled for other GPUs."""
    launches: int
    launches_with_code: int
    launches_with_counts: int
    """Launches with executions per instruction (source counters)."""

    def record(self) -> dict[str, Any]:
        """Values for JSON."""
        known = {"binaries": len(self.architectures), "architectures": sorted({a for a in self.architectures if a})}
        return {"file": self.file} | known | {k: v for k, v in asdict(self).items() if k not in {"path", *known}}


def find_code(kernels: KernelTable) -> list[Code]:
    """What each report of a table embeds, in the order of its files; none for other formats and for streams."""
    from roofcast.sass.executions import open_report, parse_modules

    codes = []
    for p in kernels.provenance:
        if p.format != REPORT_FORMAT or not p.path:
            continue
        try:
            report = open_report(p.path)
        except InputError:  # moved since it was read: what was read stays right
            continue
        cubins = parse_modules(report)
        if not cubins:
            continue
        codes.append(
            Code(
                file=p.file,
                path=p.path,
                architectures=tuple(f"sm_{c.sm}" if c else "" for c in cubins),
                size_bytes=sum(len(m.cubin_bytes) for m in report.modules),
                ptx=any(c.ptx for c in cubins if c),
                launches=len(report.launches),
                launches_with_code=sum(launch.module >= 0 for launch in report.launches),
                launches_with_counts=sum(launch.counters is not None for launch in report.launches),
            )
        )
    return codes


def render_code(code: Sequence[Code]) -> Iterator[str]:
    """What is embedded, and the command that shows it."""
    for c in code:
        kinds = ", ".join(sorted({a or "unreadable" for a in c.architectures}))
        count = "a binary" if len(c.architectures) == 1 else f"{len(c.architectures)} binaries"
        size = f"{c.size_bytes / 1e3:.0f} kB"
        of = f"{c.launches_with_code} of {count_of(c.launches, 'launch', 'es')}"
        parts = [f"{count} ({kinds}, {size}) with the code of {of}"]
        parts.append("PTX" if c.ptx else "no PTX")
        parts.append(
            f"executions per instruction of {count_of(c.launches_with_counts, 'launch', 'es')}"
            if c.launches_with_counts
            else "no executions per instruction (ncu --section SourceCounters)"
        )
        named = f" of {one_line(c.file, 60)}" if len(code) > 1 else ""
        yield f"machine code{named}: {'; '.join(parts)}"
    if code:
        file = shlex.quote(one_line(code[0].file, 200))
        against = " (of another GPU with --against GPU)" if any(c.ptx for c in code) else ""
        yield f"its instruction mix, special functions, FLOPs and registers{against}:"
        yield f"  roofcast sass {file}"
