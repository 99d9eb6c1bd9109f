"""Measurements as text: the suite's programs and times, the eight steps, ceilings beside the catalog's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from roofcast.catalog.vocabulary import measured_unit
from roofcast.core.kernel_table import KernelTable
from roofcast.core.units import format_quantity
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import aligned
from roofcast.measure.ceilings.comparison import Compared, compare, explanations
from roofcast.measure.ceilings.entry import during, scaled
from roofcast.measure.gpp import Published
from roofcast.measure.programs import Program, configuration_name

if TYPE_CHECKING:
    from roofcast.core.processor import Processor
    from roofcast.measure.ceilings.run import Measured


def render_programs(programs: Sequence[Program], width: int) -> str:
    """One line per program: kernels, configurations, source, what it computes."""
    rows = [
        [p.name, str(len(p.kernels)), str(len(p.configurations)), configuration_name(p.configurations[-1]),
         p.source.partition(",")[0], p.title]
        for p in programs
    ]  # fmt: skip
    header = ["program", "kernels", "sizes", "largest", "source", "computes"]
    lines = aligned(header, rows, (False, True, True, False, False, False), width, flexible=5)
    kernels, sizes = sum(len(p.kernels) for p in programs), sum(len(p.configurations) for p in programs)
    return "\n".join([*lines, "", f"{len(programs)} programs, {kernels} kernels, {sizes} configurations"])


def render_suite(table: KernelTable, width: int) -> str:
    """One line per measured kernel, configuration and cache state."""
    time_s, spread = table.column("time_s"), table.column("time_std_s")
    rows = []
    for i, kernel in enumerate(table.strings("kernel")):
        flops = np.nansum([table.column(f"flops_{p}")[i] for p in ("fp32", "fp64")])
        rows.append(
            [str(kernel), str(table.strings("config")[i]),
             format_quantity(time_s[i], "s"), format_percent(spread[i] / time_s[i], 1),
             format_quantity(flops / time_s[i] if flops else None, "FLOP/s"),
             format_quantity(table.column("bytes_dram")[i] / time_s[i], "B/s")]
        )  # fmt: skip
    header = ["kernel", "configuration", "time", "spread", "FLOP rate", "DRAM rate, at least"]
    return "\n".join(aligned(header, rows, (False, False, True, True, True, True), width))


def render_steps(table: KernelTable, width: int) -> str:
    """One line per measured version of the eight steps."""
    time_s = table.column("time_s")
    rate = table.column("flops_fp64") / time_s
    rows = [
        [str(table.extra["label"][i]), str(table.extra["step"][i]),
         format_quantity(time_s[i], "s"), f"{time_s[0] / time_s[i]:.2f} x",
         format_quantity(rate[i], "FLOP/s"), whole(table.column("regs_per_thread")[i])]
        for i in range(len(table))
    ]  # fmt: skip
    header = ["version", "step", "time", "speed-up", "FP64 rate", "registers"]
    lines = aligned(header, rows, (False, False, True, True, True, True), width, flexible=1)
    where = f"{table.strings('gpu')[0]}, {table.strings('config')[0]}; FLOPs by closed form"
    return "\n".join([*lines, "", where])


def render_published(facts: Published, system: str, width: int) -> str:
    """The paper's table, and how its fastest version stands against both peaks."""
    steps = facts.of(system)
    rows = [
        [s.version, s.step, format_quantity(s.time_s, "s"), f"{steps[0].time_s / s.time_s:.2f} x",
         format_quantity(s.flops_per_s, "FLOP/s", 4), str(s.warps_per_sm), str(s.regs_per_thread), str(s.block_threads)]
        for s in steps
    ]  # fmt: skip
    header = ["version", "step", "time", "speed-up", "FP64 rate", "warps/SM", "registers", "threads"]
    lines = aligned(header, rows, (False, False, *(True,) * 6), width, flexible=1)
    best, peak, own = steps[-1].flops_per_s, facts.flops_per_s_peak, facts.flops_per_s_customised
    return "\n".join(
        [
            *lines,
            "",
            f"{system} on {facts.gpu}; {facts.source}",
            f"{format_percent(facts.fma_fraction, 0)} FMA: {format_percent((1 + facts.fma_fraction) / 2, 0)} "
            f"of the peak of {format_quantity(peak, 'FLOP/s')} can be reached, {format_quantity(own, 'FLOP/s', 2)}; "
            f"v8 is at {format_percent(best / own, 0)} of that and at {format_percent(best / peak, 0)} of the peak",
        ]
    )


def whole(value: float) -> str:
    """A count; a dash where it is not known."""
    return "–" if np.isnan(value) else f"{value:.0f}"


def render_ceilings(measured: Measured, processor: Processor | None, width: int) -> str:
    """One line per ceiling, what is off, and what that usually means."""
    rows = compare(measured, processor) if processor is not None else [
        Compared(c, math.nan, 0.0) for c in measured.ceilings
    ]  # fmt: skip
    info = measured.info
    lines = [f"{info.name}: {info.sm_count} SMs, {info.driver}", "", *table(rows, width)]
    if processor is not None:
        off, known = sum(r.is_off for r in rows), sum(not math.isnan(r.expected) for r in rows)
        entry = f"the catalog's entry of {processor.name}"
        lines += ["", f"{off} of {known} values differ from {entry} by more than the uncertainty of both (marked *)"]
        lines += [f"- {line}" for line in explanations(rows, measured, processor)]
    lines += [f"not measured: {line}" for line in measured.failed]
    return "\n".join(lines)


def table(rows: Sequence[Compared], width: int) -> list[str]:
    """The aligned lines."""
    cells = []
    for r in rows:
        unit = measured_unit(r.ceiling.quantity) or ""
        integer = r.ceiling.quantity.startswith("ops_")
        expected = "–" if math.isnan(r.expected) else shown(r.expected, unit, integer)
        share = "–" if math.isnan(r.expected) else f"{format_percent(r.ratio, 0)}{'*' if r.is_off else ' '}"
        cells.append(
            [r.ceiling.quantity, shown(r.ceiling.value, unit, integer), format_percent(r.ceiling.spread, 1),
             expected, share, during(r.ceiling).removeprefix("at "), r.ceiling.method]
        )  # fmt: skip
    header = ["quantity", "measured", "spread", "catalog", "share", "clocks, power", "method"]
    return aligned(header, cells, (False, True, True, True, True, False, False), width, flexible=6)


def shown(value: float, unit: str, integer: bool) -> str:
    """A value with four digits."""
    return scaled(float(f"{value:.4g}"), unit, integer=integer)
