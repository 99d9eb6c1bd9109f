"""Advice on whole runs, as text, JSON records and a section of the page."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from roofcast.analyses.advice.timelines import RunAdvice, RunFinding
from roofcast.core.errors import one_line
from roofcast.core.units import format_quantity
from roofcast.kit.page import Item, Section
from roofcast.kit.quantities import format_percent

INDENT = "   "


def run_lines(runs: Sequence[RunAdvice], width: int) -> Iterator[str]:
    """Every run with its findings, numbered."""
    for run in runs:
        yield from textwrap.wrap(one_line(f"whole run {run.file}: {format_quantity(run.time_s, 's')}"), width)
        for number, finding in enumerate(run.findings, 1):
            yield ""
            yield from textwrap.wrap(f"{number}. {finding.title}", width, subsequent_indent=INDENT)
            parts = [(gain(run, finding), ""), (finding.what, ""), ("; ".join(finding.evidence), "evidence: ")]
            for text, label in [*parts, (finding.remedy, "try: ")]:
                indent = INDENT + " " * len(label)
                yield from textwrap.wrap(label + text, width, initial_indent=INDENT, subsequent_indent=indent)
        if not run.findings:
            yield "Nothing found between the kernels: no rule has evidence in this trace."
        yield ""


def gain(run: RunAdvice, finding: RunFinding) -> str:
    """What the cure would save at most."""
    if math.isnan(finding.saved_bound_s):
        return f"{format_quantity(finding.time_s, 's')}; nothing says what this would save"
    share = f" ({format_percent(finding.saved_bound_s / run.time_s)} of the run)" if run.time_s > 0 else ""
    return f"up to {format_quantity(finding.saved_bound_s, 's')}{share} less"


def run_records(runs: Sequence[RunAdvice]) -> list[dict[str, Any]]:
    """One record per finding; absent numbers are null."""
    return [
        {
            "file": run.file, "rule": f.rule, "title": f.title, "what": f.what, "evidence": list(f.evidence),
            "try": f.remedy, "time_s": f.time_s, "run_time_s": run.time_s,
            "saved_bound_s": None if math.isnan(f.saved_bound_s) else f.saved_bound_s,
        }
        for run in runs
        for f in run.findings
    ]  # fmt: skip


def run_sections(runs: Sequence[RunAdvice]) -> tuple[Section, ...]:
    """A section of the page per run."""
    return tuple(
        Section(
            f"Whole run {one_line(run.file, 80)}: {format_quantity(run.time_s, 's')}",
            () if run.findings else ("No rule has evidence in this trace.",),
            items=tuple(
                Item(
                    f.title,
                    gain(run, f),
                    (("what", f.what), ("evidence", "; ".join(f.evidence)), ("try", f.remedy)),
                    min(100 * f.saved_bound_s / run.time_s, 100.0) if f.saved_bound_s > 0 and run.time_s > 0 else None,
                )
                for f in run.findings
            ),
        )
        for run in runs
    )
