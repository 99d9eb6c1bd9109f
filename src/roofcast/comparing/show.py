"""A comparison as a table, as Markdown for a pull request, as JSON, and as a page."""

from __future__ import annotations

import dataclasses
import math
import textwrap
from collections.abc import Sequence
from typing import Any

from roofcast.applications.run_view import read_run_script
from roofcast.applications.show import draw_beside
from roofcast.comparing.before_after import Change, Comparison, Moved
from roofcast.core.columns import ALL_NUMERIC
from roofcast.core.errors import one_line
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.core.version import VERSION
from roofcast.kit.answer import ROWS_SHOWN, render_answer, summarise_rest
from roofcast.kit.output import dump_json
from roofcast.kit.page import Card, Lead, Page, Section, notes_section, provenance_section
from roofcast.kit.quantities import count_of, format_count, format_interval, format_percent, format_seconds, in_percent
from roofcast.kit.returned import Statement
from roofcast.kit.table import Column, Table, make_plain

LABELS = {
    "clock_hz": "SM clock", "clock_hz_dram": "memory clock", "threads_per_inst": "threads per instruction",
    "occupancy_fraction": "occupancy", "l1_hit_fraction": "L1 hit rate", "l2_hit_fraction": "L2 hit rate",
    "regs_per_thread": "registers", "smem_bytes_per_block": "shared memory per block", "grid_blocks": "blocks",
    "block_threads": "threads per block", "divergent_branch_fraction": "divergent branches",
    "insts_executed": "instructions", "bytes_local": "local memory", "shared_bank_conflicts": "bank conflicts",
    "sectors_uncoalesced": "uncoalesced sectors", "working_set_bytes": "working set", "flops": "FLOPs",
}  # fmt: skip
ESCAPED = str.maketrans({c: "\\" + c for c in "\\`*_{}[]<>#|~@!$"})
MARKDOWN_ROWS = 100
"""Rows of the Markdown table, which a comment of a code review has to hold."""


def render_comparison(
    comparison: Comparison, form: str, above: float | None = None, width: int = 120, notes: bool = False
) -> str:
    """The comparison as ``table``, ``markdown`` or ``json``; ``above`` is the slow-down that fails it."""
    if form == "json":
        return dump_json(record_comparison(comparison, above))
    return render_markdown(comparison, above) if form == "markdown" else render_table(comparison, above, width, notes)


def render_table(comparison: Comparison, above: float | None, width: int, notes: bool = False) -> str:
    """The verdict, one line per kernel, what moved below it. notes : all of them, not the first few."""
    width = max(width, 60)
    verdict, *sentences = sum_up(comparison, above)
    verdict += f". {sentences.pop(0)}." if above is not None else "."
    changes = list_by_total(comparison)
    table = build_table(comparison, changes[:ROWS_SHOWN]).lines(width)
    table += summarise_rest(len(changes) - ROWS_SHOWN, "row")
    moved = [f"{c.name}: {describe_moved(c.moved)}" for c in comparison.changes if c.moved and c.verdict != "same"]
    below: Any = {"initial_indent": "  ", "subsequent_indent": "    ", "break_on_hyphens": False}
    causes = [line for text in moved[:ROWS_SHOWN] for line in textwrap.wrap(text, width, **below)]
    causes = ["What moved (what moved with the time first):", *causes] if causes else []
    runs = build_runs(comparison).lines(width) if comparison.runs else []
    return render_answer(verdict, [runs, table, causes], sentences, width, every=notes)


def build_runs(comparison: Comparison) -> Table:
    """What two recorded runs took."""

    def render_side(value: tuple[str, float]) -> str:
        return format_seconds(value[1]) if value[0] == "s" else f"{value[1]:.0f}"

    columns = (
        Column("run", lambda m: m.name),
        Column("before", lambda m: (m.unit, m.before), render_side),
        Column("after", lambda m: (m.unit, m.after), render_side),
        Column("change", lambda m: m.ratio - 1, in_percent(1, signed=True), right=False),
    )
    return Table(columns, comparison.runs)


def build_table(comparison: Comparison, changes: Sequence[Change], *more: Column) -> Table:
    """Kernels with their times on both sides, the difference and the verdict."""
    change = Column("change", lambda c: c.ratio - 1, in_percent(1, signed=True), right=False)
    if comparison.forecast_of:
        columns = [
            Column("forecast", lambda c: c.before_s, format_seconds),
            Column("measured", lambda c: c.after_s, format_seconds),
            Column("interval", lambda c: (c.low_s, c.high_s), lambda v: format_interval(*v), right=False),
            # The error of a forecast is told of the measured time, as everywhere else.
            dataclasses.replace(change, head="error", value=lambda c: 1 / c.ratio - 1),
        ]
    else:
        several = any(max(c.launches_before, c.launches_after) > 1 for c in comparison.changes)
        columns = [
            Column("before", lambda c: c.total_before_s or math.nan, format_seconds),
            Column("after", lambda c: c.total_after_s or math.nan, format_seconds),
            dataclasses.replace(change, value=lambda c: c.total_ratio - 1),
            *([dataclasses.replace(change, head="one launch")] if several else []),
            Column("noise", render_noise, right=False),
        ]
    names, verdict = Column("kernel", lambda c: c.name), Column("verdict", render_verdict)
    return Table([names, *columns, verdict, *more], changes, lambda c: str(c.full_name[:300]))


def write_rows(table: Table) -> list[str]:
    """A table in Markdown."""
    header, *rows = table.render_cells()
    lines = ["| " + " | ".join(header) + " |"]
    lines += ["|" + "|".join("--:" if c.is_right else ":--" for c in table.list_shown()) + "|"]
    return lines + ["| " + " | ".join(escape_markdown(t) for t in row) + " |" for row in rows]


def list_by_total(comparison: Comparison) -> list[Change]:
    """Kernels, those with most time first."""
    totals = [(c.total_before_s, c.total_after_s) for c in comparison.changes]
    order = sorted(range(len(totals)), key=lambda i: -max((t for t in totals[i] if t > 0), default=0.0))
    return [comparison.changes[i] for i in order]


def list_by_change(comparison: Comparison) -> list[Change]:
    """Kernels, those with most seconds of change first."""
    return sorted(comparison.changes, key=lambda c: -abs(find_change_s(c)))


def render_markdown(comparison: Comparison, above: float | None) -> str:
    """For a pull request: the verdict, a table, and what moved."""
    changes = list_by_change(comparison)[:MARKDOWN_ROWS]
    moved = Column("what moved", lambda c: describe_moved(c.moved[:3]) if c.verdict != "same" else "")
    table = build_table(comparison, changes, moved)
    lines = [f"### {escape_markdown(sum_up(comparison, above)[0])}", ""]
    lines += [*write_rows(build_runs(comparison)), ""] if comparison.runs else []
    lines += write_rows(table)
    left = len(comparison.changes) - len(changes)
    lines += ["", f"{left} more kernels changed less."] if left > 0 else []
    lines += ["", *(f"- {escape_markdown(t)}" for t in sum_up(comparison, above)[1:])]
    return "\n".join(lines).rstrip()


def find_change_s(change: Change) -> float:
    """Seconds by which a kernel changed; what only one side has counts in full."""
    before, after = (t if t > 0 else 0.0 for t in (change.total_before_s, change.total_after_s))
    return after - before


def render_noise(change: Change) -> str:
    """How far launches of the kernel scatter; * where that is assumed."""
    return "" if math.isnan(change.ratio) else f"± {format_percent(change.noise, 1)}" + "*" * change.noise_assumed


def render_verdict(change: Change) -> str:
    """The verdict, and how many launches it rests on."""
    counts = (change.launches_before, change.launches_after)
    often = (
        "" if max(counts) <= 1 else f" ({counts[0]}x)" if counts[0] == counts[1] else f" ({counts[0]}x, {counts[1]}x)"
    )
    of = " the interval" if change.verdict in ("above", "below", "inside") else ""
    return change.verdict + of + often


def describe_moved(moved: Sequence[Moved]) -> str:
    """Quantities that moved, in one line."""
    return "; ".join(
        f"{label_quantity(m.name)} {format_moved(m.name, m.before)} → {format_moved(m.name, m.after)}"
        + ("" if m.explains else " (aside)")
        for m in moved
    )


def label_quantity(name: str) -> str:
    """Name of a column for people."""
    if name in LABELS:
        return LABELS[name]
    try:
        return Resource(name).label
    except ValueError:
        return name


def format_moved(name: str, amount: float) -> str:
    """A quantity with its unit."""
    if name.endswith("_fraction"):
        return format_percent(amount, 0)
    unit = ALL_NUMERIC[name].partition(";")[0]
    if unit == "1" and amount < 1e4:
        return f"{amount:.4g}"
    return format_count(amount) if unit == "1" else format_quantity(amount, unit)


def tell_change(comparison: Comparison) -> str:
    """After over before; of a forecast its error, over what was measured."""
    ratio = 1 / comparison.ratio if comparison.forecast_of else comparison.ratio
    return format_percent(ratio - 1, 1, signed=True)


def sum_up(comparison: Comparison, above: float | None) -> list[str]:
    """The verdict on the whole, then what a reader must know."""
    total = f"{format_quantity(comparison.total_before_s, 's')} → {format_quantity(comparison.total_after_s, 's')}"
    change = tell_change(comparison)
    if math.isnan(comparison.ratio):
        lines = ["No kernel could be compared"]
    elif comparison.forecast_of:
        inside, judged = comparison.inside
        claim = f"; {format_percent(comparison.coverage, 0)} claimed" if comparison.coverage else ""
        lines = [
            f"Forecast {total.replace(' → ', ', measured ')} ({change}): "
            f"{inside} of {count_of(judged, 'kernel')} inside their interval{claim}"
        ]
    else:
        lines = [f"Total of all launches: {total} ({change})"]
        if run := next((m for m in comparison.runs if m.name == "run"), None):
            took = [format_quantity(v, "s") for v in (run.before, run.after)]
            lines[0] = f"Run: {' → '.join(took)} ({format_percent(run.ratio - 1, 1, signed=True)}). {lines[0]}"
    if above is not None:
        failed = comparison.failures(above)
        named = ", ".join(failed[:5]) + (", …" if len(failed) > 5 else "")
        limit = format_percent(above, exact=True)
        lines.append(
            f"FAILED: slower by more than {limit}: {named}" if failed else f"Nothing is slower by more than {limit}"
        )
    lines += comparison.notes
    return [one_line(line) for line in lines]


def state_comparison(comparison: Comparison, above: float | None) -> Statement:
    """What a comparison says first."""
    subject = one_line(f"{comparison.before} → {comparison.after}", 240)
    return Statement(subject, f"{sum_up(comparison, above)[0]}.")


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is; no name can become a link, a mention or markup."""
    return one_line(text).translate(ESCAPED).replace("\\@", "@\u200b").replace("://", ":\u200b//")


def record_comparison(comparison: Comparison, above: float | None) -> Any:
    """What JSON holds: one object with a list of kernels; absent numbers are null."""
    inside, judged = comparison.inside
    data: dict[str, Any] = {
        "roofcast": VERSION, **state_comparison(comparison, above).record(),
        "before": comparison.before, "after": comparison.after,
        "total_before_s": comparison.total_before_s, "total_after_s": comparison.total_after_s,
        "ratio": comparison.ratio,
        "run": [
            {"quantity": m.name, "before": m.before, "after": m.after, "ratio": m.ratio} for m in comparison.runs
        ],
        "forecast_of": comparison.forecast_of or None, "coverage_claimed": comparison.coverage,
        "coverage_achieved": inside / judged if judged else None,
        "fail_above": above, "failed": comparison.failures(above) if above is not None else None,
        "notes": list(comparison.notes),
        "kernels": list_records(comparison),
    }  # fmt: skip
    return make_plain(data)


def list_records(comparison: Comparison) -> list[dict[str, Any]]:
    """What is known of each kernel."""
    return [
        {
            "kernel": c.full_name, "name": c.name,
            "launches_before": c.launches_before, "launches_after": c.launches_after,
            "before_s": c.before_s, "after_s": c.after_s, "ratio": c.ratio,
            "total_before_s": c.total_before_s, "total_after_s": c.total_after_s, "total_ratio": c.total_ratio,
            "noise": c.noise, "noise_assumed": c.noise_assumed, "verdict": c.verdict,
            "time_low_s": c.low_s, "time_high_s": c.high_s,
            "moved": [{"quantity": m.name, "before": m.before, "after": m.after, "explains": m.explains}
                      for m in c.moved],
        }
        for c in comparison.changes
    ]  # fmt: skip


def build_page(comparison: Comparison, above: float | None = None) -> Page:
    """Totals, every kernel with what moved, and what a reader must know."""
    _, *notes = sum_up(comparison, above)
    change = f"forecast {tell_change(comparison)}" if comparison.forecast_of else tell_change(comparison)
    names = ("forecast", "measured") if comparison.forecast_of else ("before", "after")
    cards = (
        Card(f"{names[0]}: {comparison.before}", format_quantity(comparison.total_before_s, "s"), plain=True),
        Card(f"{names[1]}: {comparison.after}", format_quantity(comparison.total_after_s, "s"), change),
    )
    moved = Column("what moved", lambda c: describe_moved(c.moved) if c.verdict != "same" else "")
    table = Section("Kernels", table=build_table(comparison, list_by_change(comparison), moved))
    runs = [Section("Runs", table=build_runs(comparison))] if comparison.runs else []
    live = ("", "")
    if comparison.recorded:
        live = read_run_script()
        runs.append(Section("Before and after on one axis", live=draw_beside(comparison.recorded)))
    sections = (*runs, table, *notes_section(notes), provenance_section(comparison.origins))
    changed = list_by_change(comparison)
    why = f"{changed[0].name}: {describe_moved(changed[0].moved)}" if changed and changed[0].moved else ""
    lead = Lead(state_comparison(comparison, above).verdict, why, "; ".join(notes[:2]))
    return Page("What changed", cards, (lead.verdict,), sections, live=live, lead=lead)
