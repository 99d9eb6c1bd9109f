"""A comparison as a table, as Markdown for a pull request, as JSON, and as a page."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Sequence
from typing import Any

from roofcast.analyses.comparing.before_after import Change, Comparison, Moved
from roofcast.core.columns import ALL_NUMERIC
from roofcast.core.errors import one_line
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.core.version import VERSION
from roofcast.kit.page import Card, Page, PageRow, Section, notes_section, provenance_section
from roofcast.kit.quantities import format_count, format_interval, format_percent
from roofcast.kit.table import aligned

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


def render_comparison(comparison: Comparison, form: str, above: float | None = None, width: int = 120) -> str:
    """The comparison as ``table``, ``markdown`` or ``json``; ``above`` is the slow-down that fails it."""
    if form == "json":
        return render_json(comparison, above)
    return render_markdown(comparison, above) if form == "markdown" else render_table(comparison, above, width)


def render_table(comparison: Comparison, above: float | None, width: int) -> str:
    """One line per kernel, what moved below it."""
    header = ["kernel", *head_columns(comparison)]
    rows = [[c.name, *render_cells(comparison, c)] for c in comparison.changes]
    right = [False, True, True, *[False] * (len(header) - 3)]
    lines = aligned(header, rows, right, max(width, 60))
    changed = [f"{c.name}: {describe_moved(c.moved)}" for c in comparison.changes if c.moved and c.verdict != "same"]
    causes = [line for text in changed for line in wrap_below(text, max(width, 60))]
    if causes:
        lines += ["", "What moved (what moved with the time first):", *causes]
    return "\n".join([*lines, "", *sum_up(comparison, above)])


def wrap_below(text: str, width: int) -> list[str]:
    """Lines below a heading."""
    return textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


def render_markdown(comparison: Comparison, above: float | None) -> str:
    """For a pull request: the verdict, a table, and what moved."""
    header = ["kernel", *head_columns(comparison), "what moved"]
    order = sorted(comparison.changes, key=lambda c: -abs(find_change_s(c)))
    lines = [f"### {escape_markdown(sum_up(comparison, above)[0])}", ""]
    lines += ["| " + " | ".join(header) + " |", "|:--|--:|--:|" + ":--|" * (len(header) - 3)]
    for change in order[:MARKDOWN_ROWS]:
        moved = describe_moved(change.moved[:3]) if change.verdict != "same" else ""
        lines.append(
            "| "
            + " | ".join(escape_markdown(t) for t in (change.name, *render_cells(comparison, change), moved))
            + " |"
        )
    if len(order) > MARKDOWN_ROWS:
        lines += ["", f"{len(order) - MARKDOWN_ROWS} more kernels changed less."]
    lines += ["", *(f"- {escape_markdown(t)}" for t in sum_up(comparison, above)[1:])]
    return "\n".join(lines).rstrip()


def find_change_s(change: Change) -> float:
    """Seconds by which a kernel changed; what only one side has counts in full."""
    before = change.before_s * change.launches_before if change.before_s > 0 else 0.0
    after = change.after_s * change.launches_after if change.after_s > 0 else 0.0
    return after - before


def head_columns(comparison: Comparison) -> list[str]:
    """Heads of the columns beside the kernel."""
    if comparison.forecast_of:
        return ["forecast", "measured", "interval", "error", "verdict"]
    return ["before", "after", "change", "noise", "verdict"]


def render_cells(comparison: Comparison, change: Change) -> list[str]:
    """One kernel."""
    times = [format_quantity(v, "s") for v in (change.before_s, change.after_s)]
    relative = format_percent(change.ratio - 1, 1, signed=True)
    counts = (change.launches_before, change.launches_after)
    often = (
        "" if max(counts) <= 1 else f" ({counts[0]}x)" if counts[0] == counts[1] else f" ({counts[0]}x, {counts[1]}x)"
    )
    if comparison.forecast_of:
        verdict = f"{change.verdict} the interval" if change.verdict in ("above", "below", "inside") else change.verdict
        return [*times, format_interval(change.low_s, change.high_s), relative, verdict + often]
    noise = "" if math.isnan(change.ratio) else f"± {format_percent(change.noise, 1)}" + "*" * change.noise_assumed
    return [*times, relative, noise, change.verdict + often]


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


def sum_up(comparison: Comparison, above: float | None) -> list[str]:
    """The verdict on the whole, then what a reader must know."""
    total = f"{format_quantity(comparison.total_before_s, 's')} → {format_quantity(comparison.total_after_s, 's')}"
    change = format_percent(comparison.ratio - 1, 1, signed=True)
    if math.isnan(comparison.ratio):
        lines = ["No kernel could be compared"]
    elif comparison.forecast_of:
        inside, judged = comparison.inside
        claim = f"; {format_percent(comparison.coverage, 0)} claimed" if comparison.coverage else ""
        lines = [
            f"Forecast {total.replace(' → ', ', measured ')} ({change}): "
            f"{inside} of {judged} kernels inside their interval{claim}"
        ]
    else:
        lines = [f"Total of the kernels that both have: {total} ({change})"]
    if above is not None:
        failed = comparison.failures(above)
        named = ", ".join(failed[:5]) + (", …" if len(failed) > 5 else "")
        limit = f"{100 * above:g} %"
        lines.append(
            f"FAILED: slower by more than {limit}: {named}" if failed else f"Nothing is slower by more than {limit}"
        )
    lines += comparison.notes
    return [one_line(line) for line in lines]


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is; no name can become a link, a mention or markup."""
    return one_line(text).translate(ESCAPED).replace("\\@", "@\u200b").replace("://", ":\u200b//")


def render_json(comparison: Comparison, above: float | None) -> str:
    """One object with a list of kernels; absent numbers are null."""
    inside, judged = comparison.inside
    data: dict[str, Any] = {
        "roofcast": VERSION, "before": comparison.before, "after": comparison.after,
        "total_before_s": drop_absent(comparison.total_before_s),
        "total_after_s": drop_absent(comparison.total_after_s),
        "ratio": drop_absent(comparison.ratio),
        "forecast_of": comparison.forecast_of or None, "coverage_claimed": comparison.coverage,
        "coverage_achieved": inside / judged if judged else None,
        "fail_above": above, "failed": comparison.failures(above) if above is not None else None,
        "notes": list(comparison.notes),
        "kernels": [
            {
                "kernel": c.full_name, "name": c.name,
                "launches_before": c.launches_before, "launches_after": c.launches_after,
                "before_s": drop_absent(c.before_s), "after_s": drop_absent(c.after_s), "ratio": drop_absent(c.ratio),
                "noise": drop_absent(c.noise), "noise_assumed": c.noise_assumed, "verdict": c.verdict,
                "time_low_s": drop_absent(c.low_s), "time_high_s": drop_absent(c.high_s),
                "moved": [{"quantity": m.name, "before": m.before, "after": m.after, "explains": m.explains}
                          for m in c.moved],
            }
            for c in comparison.changes
        ],
    }  # fmt: skip
    return json.dumps(data, indent=1, ensure_ascii=False)


def drop_absent(amount: float) -> float | None:
    """A JSON number; None where absent."""
    return amount if math.isfinite(amount) else None


def build_page(comparison: Comparison, above: float | None = None) -> Page:
    """Totals, every kernel with what moved, and what a reader must know."""
    first, *notes = sum_up(comparison, above)
    change = format_percent(comparison.ratio - 1, 1, signed=True)
    names = ("forecast", "measured") if comparison.forecast_of else ("before", "after")
    cards = (
        Card(f"{names[0]}: {comparison.before}", format_quantity(comparison.total_before_s, "s"), plain=True),
        Card(f"{names[1]}: {comparison.after}", format_quantity(comparison.total_after_s, "s"), change),
    )
    header = ("kernel", *head_columns(comparison), "what moved")
    right = (False, True, True, *[False] * (len(header) - 3))
    order = sorted(comparison.changes, key=lambda c: -abs(find_change_s(c)))
    rows = tuple(build_page_row(comparison, c) for c in order)
    table = Section("Kernels", header=header, right=right, rows=rows)
    return Page("What changed", cards, (first,), (table, *notes_section(notes), provenance_section(comparison.origins)))


def build_page_row(comparison: Comparison, change: Change) -> PageRow:
    """One kernel."""
    shown = render_cells(comparison, change)
    moved = describe_moved(change.moved) if change.verdict != "same" else ""
    times = (drop_absent(change.before_s), drop_absent(change.after_s))
    # The third column is the change, or, for a forecast, the interval with the error behind it.
    ratio = (None, drop_absent(change.ratio)) if comparison.forecast_of else (drop_absent(change.ratio), None)
    return PageRow((change.name, *shown, moved), (None, *times, *ratio), change.full_name[:300])
