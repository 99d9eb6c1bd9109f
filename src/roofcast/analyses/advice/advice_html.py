"""Advice as a self-contained page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from roofcast.analyses.advice.advice_run import run_sections
from roofcast.analyses.advice.ranking import Advice, Finding
from roofcast.analyses.advice.show import gain_text, headline, kernel_name, moves
from roofcast.analyses.advice.timelines import RunAdvice
from roofcast.core.errors import one_line
from roofcast.core.units import format_quantity
from roofcast.forecasting.notes import list_general_texts
from roofcast.kit.page import Card, Item, Page, Section, notes_section, provenance_section


def advice_page(advice: Advice, top: int | None = None, runs: Sequence[RunAdvice] = ()) -> Page:
    """Totals, findings with their evidence, and what the numbers rest on."""
    shown = advice.findings[:top] if top else advice.findings
    left = len(advice.findings) - len(shown)
    gpus = ", ".join(one_line(f.targets[0].name, 80) for f in advice.forecasts)
    cards = [Card(gpus or "no GPU", format_quantity(advice.time_s, "s"), "all kernels, as they are", plain=True)]
    if advice.findings and advice.findings[0].saved_s > 0:
        best = advice.findings[0]
        text = f"{best.title}: {kernel_name(advice, best)}"
        cards.append(Card("largest single gain", format_quantity(best.saved_s, "s"), text))
    intro = [headline(f) for f in advice.forecasts]
    intro += [line for f in advice.forecasts for line in moves(f)]
    said = [f"{left} more findings save less."] if left else []
    if not shown:
        said = ["Nothing found: no rule has evidence in these counters."]
    findings = Section("Findings", tuple(said), items=tuple(item(advice, f, n) for n, f in enumerate(shown, 1)))
    notes = [f"{scope}: {text}" for f in advice.forecasts for text, scope in dict.fromkeys(list_general_texts(f))]
    provenance = provenance_section(p for f in advice.forecasts for p in f.kernels.provenance)
    sections = (*run_sections(runs), findings, *notes_section(list(dict.fromkeys(notes)), "Data quality"), provenance)
    return Page("What to change, and what it would save", tuple(cards), tuple(intro), sections)


def item(advice: Advice, finding: Finding, number: int) -> Item:
    """One finding."""
    head = f"{number}. {kernel_name(advice, finding)}: {finding.title}"
    if finding.launches > 1:
        head += f" ({finding.launches} launches)"
    facts = [("what", finding.what), ("evidence", "; ".join(finding.evidence)), ("where", finding.where)]
    facts += [("try", finding.remedy), ("GPU", finding.gpu)]
    share = 100 * finding.saved_s / finding.time_s if finding.time_s > 0 else math.nan
    bar = min(max(share, 0.0), 100.0) if math.isfinite(share) else None
    shown = tuple((name, one_line(text)) for name, text in facts if text)
    return Item(one_line(head), gain_text(advice, finding), shown, bar)
