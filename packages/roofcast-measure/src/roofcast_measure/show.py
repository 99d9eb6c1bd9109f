"""Measurements as text: the suite's programs and times, the eight steps, ceilings beside the catalog's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from roofcast.catalog.vocabulary import measured_unit
from roofcast.core.kernel_table import KernelTable
from roofcast.core.units import format_quantity
from roofcast.formulas.values import combine, or_zero
from roofcast.kit.quantities import ABSENT, format_factor, format_percent, format_seconds, in_percent, in_unit
from roofcast.kit.table import Column, Table
from roofcast_measure.ceilings.comparison import Compared, compare, explanations
from roofcast_measure.ceilings.entry import during, scaled
from roofcast_measure.gpp import Published
from roofcast_measure.programs import Program, configuration_name

if TYPE_CHECKING:
    from roofcast.core.processor import Processor
    from roofcast_measure.ceilings.run import Measured
    from roofcast_measure.gpp_code import VersionCode


def render_programs(programs: Sequence[Program], width: int) -> str:
    """One line per program: kernels, configurations, source, what it computes."""
    columns = (
        Column("program", lambda p: p.name), Column("kernels", lambda p: len(p.kernels), str),
        Column("sizes", lambda p: len(p.configurations), str),
        Column("largest", lambda p: configuration_name(p.configurations[-1])),
        Column("source", lambda p: p.source.partition(",")[0]), Column("computes", lambda p: p.title, flexible=True),
    )  # fmt: skip
    lines = Table(columns, programs).lines(width)
    kernels, sizes = sum(len(p.kernels) for p in programs), sum(len(p.configurations) for p in programs)
    return "\n".join([*lines, "", f"{len(programs)} programs, {kernels} kernels, {sizes} configurations"])


def render_suite(table: KernelTable, width: int) -> str:
    """One line per measured kernel, configuration and cache state."""
    time_s, config = table.column("time_s"), table.strings("config")
    flops = combine(np.add, [or_zero(table.column(f"flops_{p}")) for p in ("fp32", "fp64")])
    rates = np.where(flops > 0, flops, np.nan) / time_s, table.column("bytes_dram") / time_s
    spread = table.column("time_std_s") / time_s
    columns = (
        Column("kernel", lambda i: str(table.strings("kernel")[i])), Column("configuration", lambda i: str(config[i])),
        Column("time", lambda i: float(time_s[i]), format_seconds),
        Column("spread", lambda i: float(spread[i]), in_percent(1)),
        Column("FLOP rate", lambda i: float(rates[0][i]), in_unit("FLOP/s")),
        Column("DRAM rate, at least", lambda i: float(rates[1][i]), in_unit("B/s")),
    )  # fmt: skip
    return "\n".join(Table(columns, range(len(table))).lines(width))


def render_steps(table: KernelTable, width: int) -> str:
    """One line per measured version of the eight steps."""
    time_s, registers = table.column("time_s"), table.column("regs_per_thread")
    rate = table.column("flops_fp64") / time_s
    columns = (
        Column("version", lambda i: str(table.extra["label"][i])),
        Column("step", lambda i: str(table.extra["step"][i]), flexible=True),
        Column("time", lambda i: float(time_s[i]), format_seconds),
        Column("speed-up", lambda i: float(time_s[0] / time_s[i]), format_factor),
        Column("FP64 rate", lambda i: float(rate[i]), in_unit("FLOP/s")),
        Column("registers", lambda i: float(registers[i]), lambda v: ABSENT if math.isnan(v) else f"{v:.0f}"),
    )  # fmt: skip
    where = f"{table.strings('gpu')[0]}, {table.strings('config')[0]}; FLOPs by closed form"
    return "\n".join([*Table(columns, range(len(table))).lines(width), "", where])


def render_code(versions: Sequence[VersionCode], width: int) -> str:
    """One line per version and architecture: what the hot loop holds per (band, igp, ig)."""

    def whole(head: str, name: str) -> Column:
        return Column(head, lambda c: getattr(c, name), str)

    def each(head: str, name: str) -> Column:
        return Column(head, lambda c: getattr(c, name), lambda v: f"{v:.3g}")

    columns = (
        Column("code", lambda c: f"sm_{c.sm}"), Column("step", lambda c: c.version),
        whole("regs", "registers"), whole("warps", "warps_per_sm"), whole("spill B", "spilled_bytes"),
        each("div", "divides"), each("rcp", "reciprocals"), each("root", "roots"),
        each("branch", "branches"), Column("FMA", lambda c: c.fma_fraction, in_percent(0)),
        each("load B", "loaded_bytes"), whole("index", "index_instructions"),
    )  # fmt: skip
    return "\n".join(Table(columns, versions).lines(width))


def render_published(facts: Published, system: str, width: int) -> str:
    """The paper's table, and how its fastest version stands against both peaks."""
    steps = facts.of(system)
    columns = (
        Column("version", lambda s: s.version), Column("step", lambda s: s.step, flexible=True),
        Column("time", lambda s: s.time_s, format_seconds),
        Column("speed-up", lambda s: steps[0].time_s / s.time_s, format_factor),
        Column("FP64 rate", lambda s: s.flops_per_s, in_unit("FLOP/s", 4)),
        Column("warps/SM", lambda s: s.warps_per_sm, str), Column("registers", lambda s: s.regs_per_thread, str),
        Column("threads", lambda s: s.block_threads, str),
    )  # fmt: skip
    lines = Table(columns, steps).lines(width)
    best, peak, most = steps[-1].flops_per_s, facts.flops_per_s_peak, facts.flops_per_s_customised
    return "\n".join(
        [
            *lines,
            "",
            f"{system} on {facts.gpu}; {facts.source}",
            f"{format_percent(facts.fma_fraction, 0)} FMA: {format_percent((1 + facts.fma_fraction) / 2, 0)} "
            f"of the peak of {format_quantity(peak, 'FLOP/s')} can be reached, {format_quantity(most, 'FLOP/s', 2)}; "
            f"v8 is at {format_percent(best / most, 0)} of that and at {format_percent(best / peak, 0)} of the peak",
        ]
    )


def render_ceilings(measured: Measured, processor: Processor | None, width: int) -> str:
    """One line per ceiling, what is off, and what that usually means."""
    rows = compare(measured, processor) if processor is not None else [
        Compared(c, math.nan, 0.0) for c in measured.ceilings
    ]  # fmt: skip
    info = measured.info
    state, took = measured.state, measured.took_s
    known = (
        info.driver, f"driver {state.driver}" if state.driver else "",
        f"limit {state.power_limit_w:.0f} W" if state.power_limit_w else "",
        "" if math.isnan(took) else f"measured in {format_seconds(took)}",
    )  # fmt: skip
    lines = [
        f"{info.name}: {info.sm_count} SMs, {', '.join(k for k in known if k)}",
        "",
        *tabulate_ceilings(rows).lines(width),
    ]
    if processor is not None:
        off, both = sum(r.is_off for r in rows), sum(not math.isnan(r.expected) for r in rows)
        entry = f"the catalog's entry of {processor.name}"
        lines += ["", f"{off} of {both} values differ from {entry} by more than the uncertainty of both (marked *)"]
        lines += [f"- {line}" for line in explanations(rows, measured, processor)]
    lines += [f"not measured: {line}" for line in measured.failed]
    return "\n".join(lines)


def tabulate_ceilings(rows: Sequence[Compared]) -> Table:
    """Measured ceilings beside the catalog's."""

    def show(r: Compared, value: float) -> str:
        unit = measured_unit(r.ceiling.quantity) or ""
        return scaled(float(f"{value:.4g}"), unit, integer=r.ceiling.quantity.startswith("ops_"))

    columns = (
        Column("quantity", lambda r: r.ceiling.quantity),
        Column("measured", lambda r: show(r, r.ceiling.value), right=True),
        Column("spread", lambda r: r.ceiling.spread, in_percent(1)),
        Column("catalog", lambda r: ABSENT if math.isnan(r.expected) else show(r, r.expected), right=True),
        Column("share", show_share, right=True),
        Column("load", lambda r: r.ceiling.load or ABSENT),
        Column("clocks, power", lambda r: during(r.ceiling).removeprefix("at ")),
        Column("method", lambda r: r.ceiling.method, flexible=True),
    )  # fmt: skip
    return Table(columns, rows)


def show_share(r: Compared) -> str:
    """Measured over expected; * where that is more than both leave open."""
    return ABSENT if math.isnan(r.expected) else f"{format_percent(r.ratio, 0)}{'*' if r.is_off else ' '}"
