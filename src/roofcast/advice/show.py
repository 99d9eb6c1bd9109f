"""Advice on kernels and whole runs as text, as JSON and as a page."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from roofcast.advice.plan import RunPlan
from roofcast.advice.ranking import Advice, ChangePath, Finding
from roofcast.advice.runs import RunAdvice, RunFinding
from roofcast.core.errors import one_line
from roofcast.core.results import or_none
from roofcast.core.units import format_quantity
from roofcast.core.version import VERSION
from roofcast.forecasting.forecasts import Forecast
from roofcast.forecasting.notes import list_general_texts
from roofcast.kit.names import full_name, short_name
from roofcast.kit.page import Card, Item, Lead, Page, Section, notes_section, provenance_section
from roofcast.kit.quantities import count_kernels, count_of, format_percent, label_limit
from roofcast.kit.returned import Statement
from roofcast.kit.table import Table, folded, rank_longest
from roofcast.models.kernel_amounts import is_from_code

MOVES, FINDINGS_SHOWN, VERSION_FINDINGS = 5, 10, 2
SUBJECTS = 3
"""GPUs and runs that the first sentence names."""
INDENT = "   "


def render_advice(advice: Advice, width: int = 120, top: int | None = None) -> str:
    """Numbered findings, most time saved first; those on whole runs before those on kernels."""
    width = min(max(width, 60), 120)
    lines = [
        *folded(state_advice(advice).verdict, width).splitlines(),
        "",
        *run_lines(advice.runs, advice.plans, width),
    ]
    heads = [headline(f).partition("; gains") for f in advice.forecasts]
    for kernels, _, how in heads:
        heading = f"{kernels}: gains{how}" if len(heads) > 1 else f"gains{how}"
        lines += textwrap.wrap(heading, width)
    for forecast in advice.forecasts:
        lines += moves(forecast)
    left = 0
    for version, groups in by_version(advice):
        lines += ["", version] if version else []
        listed = groups[: top or (VERSION_FINDINGS if version else FINDINGS_SHOWN)]
        for number, (finding, *alike) in enumerate(listed, 1):
            lines += ["", *finding_lines(advice, finding, number, width), *alike_lines(advice, alike, width)]
        left += len(groups) - len(listed)
    if left:
        lines += ["", f"{left} more findings save less (--top)."]
    lines += path_lines(advice, width)
    if not advice.findings:
        heading = "Nothing found: no rule has evidence in these counters (`roofcast inspect` lists what is missing)."
        lines += ["", *textwrap.wrap(heading, width)]
    return "\n".join(lines)


def state_advice(advice: Advice) -> Statement:
    """What advice says first: what was looked at, and the change that saves most."""
    heads = [headline(f).partition("; gains")[0] for f in advice.forecasts]
    heads += [one_line(f"the run {r.file}, {format_quantity(r.time_s, 's')}", 120) for r in advice.runs]
    more = f" and {count_of(len(heads) - SUBJECTS, 'more file')}" if len(heads) > SUBJECTS else ""
    subject = f"{'; '.join(heads[:SUBJECTS])}{more}" or "nothing"
    times = {work: t for work, t in advice.times_of_works().items() if work[1] and t > 0}
    fastest = min(times, key=lambda work: times[work]) if times else None
    findings = [f for f in advice.findings if not f.version or f.work == fastest]
    if fastest:
        subject += f"; versions of one kernel, the fastest is {fastest[1]} with {format_quantity(times[fastest], 's')}"
    gains = [(f.saved_s, f"{f.title} of {kernel_name(advice, f)}: {gain_text(advice, f)}") for f in findings]
    gains += [(f.saved_bound_s, f"{f.title}: {gain(run, f)}") for run in advice.runs for f in run.findings]
    # Of a run the GPU that was asked for, the last: a launch that nobody waits for is no gain there.
    for plan in (plans[-1] for plans in advice.plans if plans):
        gains += [
            (c.saved_s, f"{c.title}: {format_quantity(plan.time_s, 's')} → {format_quantity(c.time_s, 's')} for "
                        f"{plan.unit} on {plan.gpu} if it were perfect")
            for c in plan.changes
        ]  # fmt: skip
    known = [g for g in gains if g[0] > 0]
    if known:
        change = f"what pays most to mend is {max(known, key=lambda g: g[0])[1]}"
    else:
        change = f"{count_of(len(gains), 'finding')} of unknown gain" if gains else "nothing found"
    return Statement(subject, one_line(f"{subject}; {change}.", 600))


def headline(forecast: Forecast) -> str:
    """What the advice is for."""
    known = np.isfinite(forecast.estimate.time_s[:, 0])
    n, launches = int(known.sum()), float(forecast.kernels.launches[known].sum())
    total = format_quantity(float(np.nansum(forecast.time_total_s[:, 0])), "s")
    left = len(forecast.kernels) - n
    missing = f"; {left} without a forecast" if left else ""
    kernels = f"{count_kernels(map(str, forecast.kernels.strings('kernel')[known]), launches)} on"
    kernels += f" {forecast.targets[0].name}"
    conditions = forecast.conditions_told.get("text", "")
    return one_line(f"{kernels}, {total}{missing}; gains by the model {forecast.model}; {conditions}", 400)


def moves(forecast: Forecast) -> list[str]:
    """Kernels whose limit is another one on the GPU that the advice is for."""
    there, here = forecast.limits_source(), forecast.limits_target()[:, 0]
    measured = ~is_from_code(forecast.kernels)
    changed: dict[str, str] = {}
    for i in rank_longest(forecast.time_total_s[:, 0]):
        if measured[i] and there[i] and here[i] and there[i] != here[i]:
            name = short_name(str(forecast.kernels.strings("kernel")[i]))
            changed.setdefault(name, f"{label_limit(there[i])} there, {label_limit(here[i])} here")
    if not changed:
        return []
    listed = [f"  {name}: {text}" for name, text in list(changed.items())[:MOVES]]
    return [f"What limits changes on {one_line(forecast.targets[0].name)}:", *listed]


def group_alike(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Findings, those that say the same of several kernels without a gain together."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for i, f in enumerate(findings):
        key = (f.rule, f.gpu, f.what, f.remedy) if f.basis == "none" and not f.where else (i,)
        groups.setdefault(key, []).append(f)
    return list(groups.values())


def by_version(advice: Advice) -> list[tuple[str, list[list[Finding]]]]:
    """Findings that say the same together, of every version of a kernel apart; the others have no heading."""
    by_work: dict[tuple[str, str], list[Finding]] = {}
    for f in advice.findings:
        by_work.setdefault(f.work if f.version else ("", ""), []).append(f)
    times = advice.times_of_works()
    heads = {work: f"{work[1]} on {work[0]}, {format_quantity(times.get(work, 0.0), 's')}:" for work in by_work}
    return [(one_line(heads[work]) if work[1] else "", group_alike(group)) for work, group in by_work.items()]


def alike_lines(advice: Advice, alike: Sequence[Finding], width: int) -> list[str]:
    """The other kernels of which a finding says the same."""
    if not alike:
        return []
    named = [f"{kernel_name(advice, f)} ({format_quantity(f.time_s, 's')})" for f in alike[:MOVES]]
    more = f" and {len(alike) - MOVES} more" if len(alike) > MOVES else ""
    text = f"the same of {one_line(', '.join(named))}{more}: {format_quantity(sum(f.time_s for f in alike), 's')} more"
    return textwrap.wrap(text, width, initial_indent=INDENT, subsequent_indent=INDENT)


def finding_lines(advice: Advice, finding: Finding, number: int, width: int) -> list[str]:
    """One finding."""
    return [head_of(advice, finding, number), *said_lines(gain_text(advice, finding), finding, width, finding.where)]


def head_of(advice: Advice, finding: Finding, number: int) -> str:
    """Number, kernel, title and launches of a finding."""
    launches = f" ({finding.launches} launches)" if finding.launches > 1 else ""
    return one_line(f"{number}. {kernel_name(advice, finding)}: {finding.title}{launches}")


def said_lines(gain: str, finding: Finding | RunFinding, width: int, where: str = "") -> Iterator[str]:
    """What stands below the head of a finding."""
    parts = ((gain, ""), (finding.what, ""), ("; ".join(finding.evidence), "evidence: "), (where, "where: "),
             (finding.remedy, "try: "))  # fmt: skip
    for text, label in parts:
        if text:
            indent = INDENT + " " * len(label)
            yield from textwrap.wrap(label + one_line(text), width, initial_indent=INDENT, subsequent_indent=indent)


def gain_text(advice: Advice, finding: Finding) -> str:
    """What the cure would save."""
    before = format_quantity(finding.time_s, "s")
    if finding.basis == "none":
        return f"{before}; no model says what this would save"
    saved, whole = format_quantity(finding.saved_s, "s"), finding.version or "all"
    total = advice.times_of_works().get(finding.work, 0.0) if finding.version else advice.time_s
    share = f" ({format_percent(finding.saved_s / total)} of {whole})" if total > 0 else ""
    if finding.basis == "bound":
        return f"{before}; up to {saved}{share} less if nothing else changed"
    after, most = (format_quantity(v, "s") for v in (finding.time_if_fixed_s, finding.saved_high_s))
    return f"{before} → {after} forecast if fixed: saves {saved}{share}, at most {most}"


def kernel_name(advice: Advice, finding: Finding) -> str:
    """Short name of the kernel."""
    kernels = kernels_of(advice, finding).kernels
    name = short_name(
        str(kernels.strings("kernel")[finding.row]), mangled=str(kernels.strings("kernel_mangled")[finding.row])
    )
    return f"{name} {finding.version}" if finding.version else name


def kernels_of(advice: Advice, finding: Finding) -> Forecast:
    """The forecast that a finding belongs to."""
    return next(f for f in advice.forecasts if f.targets[0].name == finding.gpu)


def record_advice(advice: Advice, top: int | None = None) -> dict[str, Any]:
    """What JSON holds: one object with a list of findings, ranked; absent numbers are null."""
    return {
        "roofcast": VERSION,
        **state_advice(advice).record(),
        "time_s": or_none(advice.time_s),
        "gpus": [f.targets[0].name for f in advice.forecasts],
        "model": advice.forecasts[0].model if advice.forecasts else None,
        "conditions": dict(advice.forecasts[0].conditions_told) if advice.forecasts else None,
        **({"run_findings": run_records(advice.runs)} if advice.runs else {}),
        **({"plans": plan_records(advice)} if any(advice.plans) else {}),
        "findings": list_records(advice, top),
        **({"paths": [path_record(p) for p in advice.paths]} if advice.paths else {}),
    }


def list_records(advice: Advice, top: int | None = None) -> list[dict[str, Any]]:
    """The findings on kernels, ranked."""
    return [record(advice, f) for f in (advice.findings[:top] if top else advice.findings)]


def record(advice: Advice, finding: Finding) -> dict[str, Any]:
    """One finding."""
    kernels = kernels_of(advice, finding).kernels
    name, mangled = (str(kernels.strings(c)[finding.row]) for c in ("kernel", "kernel_mangled"))
    launch = kernels.column("launch")[finding.row]
    return {
        "rule": finding.rule, "title": finding.title, "kernel": full_name(name, mangled),
        "launch": int(launch) if np.isfinite(launch) else finding.row, "launches": finding.launches,
        "gpu": finding.gpu, "what": finding.what, "where": finding.where or None, "evidence": list(finding.evidence),
        "try": finding.remedy, "time_s": or_none(finding.time_s), "time_if_fixed_s": or_none(finding.time_if_fixed_s),
        "saved_s": or_none(finding.saved_s), "saved_low_s": or_none(finding.saved_low_s),
        "saved_high_s": or_none(finding.saved_high_s), "basis": finding.basis, "version": finding.version or None,
    }  # fmt: skip


def tabulate_findings(advice: Advice) -> Table:
    """The findings on runs, then those on kernels, a line each."""
    rows = [(f"whole run {one_line(run.file, 80)}", f.title, gain(run, f), f.remedy)
            for run in advice.runs for f in run.findings]  # fmt: skip
    rows += [(kernel_name(advice, f), f.title, gain_text(advice, f), f.remedy) for f in advice.findings]
    return Table.of_cells(("kernel", "finding", "time", "try"), rows)


def advice_page(advice: Advice, top: int | None = None) -> Page:
    """Totals, findings with their evidence, and what the numbers rest on."""
    listed = advice.findings[:top] if top else advice.findings
    left = len(advice.findings) - len(listed)
    gpus = ", ".join(one_line(f.targets[0].name, 80) for f in advice.forecasts)
    cards = [Card(gpus or "no GPU", format_quantity(advice.time_s, "s"), "all launches, as they are", plain=True)]
    if advice.findings and advice.findings[0].saved_s > 0:
        best = advice.findings[0]
        text = f"{best.title}: {kernel_name(advice, best)}"
        cards.append(Card("largest single gain", format_quantity(best.saved_s, "s"), text))
    intro = [state_advice(advice).verdict, *(headline(f) for f in advice.forecasts)]
    intro += [line for f in advice.forecasts for line in moves(f)]
    sentences = [f"{left} more findings save less."] if left else []
    if not listed:
        sentences = ["Nothing found: no rule has evidence in these counters."]
    findings = Section("Findings", tuple(sentences), items=tuple(item(advice, f, n) for n, f in enumerate(listed, 1)))
    notes = [f"{scope}: {text}" for f in advice.forecasts for text, scope in dict.fromkeys(list_general_texts(f))]
    provenance = provenance_section(p for f in advice.forecasts for p in f.kernels.provenance)
    sections = (
        *run_sections(advice.runs),
        *plan_sections(advice),
        findings,
        *path_sections(advice),
        *notes_section(list(dict.fromkeys(notes)), "Data quality"),
        provenance,
    )
    why = advice.findings[0].remedy if advice.findings else ""
    lead = Lead(intro[0], why, next(iter(notes), ""))
    return Page("What to change, and what it would save", tuple(cards), tuple(intro), sections, lead=lead)


def item(advice: Advice, finding: Finding, number: int) -> Item:
    """One finding."""
    facts = [("what", finding.what), ("evidence", "; ".join(finding.evidence)), ("where", finding.where)]
    facts += [("try", finding.remedy), ("GPU", finding.gpu)]
    share = 100 * finding.saved_s / finding.time_s if finding.time_s > 0 else math.nan
    bar = min(max(share, 0.0), 100.0) if math.isfinite(share) else None
    facts_shown = tuple((name, one_line(text)) for name, text in facts if text)
    return Item(head_of(advice, finding, number), gain_text(advice, finding), facts_shown, bar)


def paths_by_gpu(advice: Advice) -> dict[str, list[ChangePath]]:
    """GPU -> its sequences, those of the same kernel behind each other."""
    by_gpu: dict[str, list[ChangePath]] = {}
    for path in advice.paths:
        by_gpu.setdefault(path.gpu, []).append(path)
    return by_gpu


def path_head(path: ChangePath) -> str:
    """Kernel, time now and then, interval."""
    name = one_line(f"{short_name(path.kernel)} {path.version}".strip(), 60)
    now, then, low, high = (
        format_quantity(v, "s") for v in (path.time_now_s, path.time_s, path.time_low_s, path.time_high_s)
    )
    return f"{name}: {now} → {then} ({low} to {high})"


def path_steps(path: ChangePath) -> str:
    """The changes in their order, with the time after each, and whether they pay together."""
    text = ", then ".join(f"{s.title} ({format_quantity(s.time_s, 's')})" for s in path.steps)
    if path.together_s > 0 and len(path.steps) > 1:
        text += f"; together {format_quantity(path.together_s, 's')} more than one by one"
    return text


def path_lines(advice: Advice, width: int) -> Iterator[str]:
    """Sequences of changes on each GPU, the best of each kernel first, with what each change needs."""
    for gpu, paths in paths_by_gpu(advice).items():
        yield from (
            "",
            f"Sequences of changes on {one_line(gpu)} (low end: if all of the time waited for what they mend):",
        )
        for number, path in enumerate(paths, 1):
            yield ""
            yield from textwrap.wrap(f"{number}. {path_head(path)}", width, subsequent_indent=INDENT)
            yield from textwrap.wrap(path_steps(path), width, initial_indent=INDENT, subsequent_indent=INDENT)
            for step in path.steps:
                text = f"{step.title}: {one_line(step.remedy)}"
                yield from textwrap.wrap(text, width, initial_indent=f"{INDENT}- ", subsequent_indent=f"{INDENT}  ")


def path_record(path: ChangePath) -> dict[str, Any]:
    """One sequence; times are of all launches."""
    return {
        "kernel": path.kernel, "version": path.version or None, "gpu": path.gpu, "time_now_s": path.time_now_s,
        "time_s": path.time_s, "time_low_s": path.time_low_s, "time_high_s": path.time_high_s,
        "together_s": path.together_s,
        "steps": [
            {"rule": s.rule, "title": s.title, "needs": s.remedy, "time_s": s.time_s, "saved_alone_s": s.alone_s}
            for s in path.steps
        ],
    }  # fmt: skip


def path_sections(advice: Advice) -> Iterator[Section]:
    """Sequences on each GPU, and the way of the one that saves most under the roofs."""
    for n, (gpu, paths) in enumerate(paths_by_gpu(advice).items()):
        items = tuple(
            Item(
                f"{k}. {path_head(p)}", path_steps(p), tuple((s.title, one_line(s.remedy)) for s in p.steps),
                100 * max(1 - p.time_s / p.time_now_s, 0.0),
            )
            for k, p in enumerate(paths, 1)
        )  # fmt: skip
        sentences = (
            "Forecasts, from what it would take if all of the time waited for what the changes mend, to no gain, with "
            "their cost. The picture: the sequence that saves most, with the amounts that the changes ask for.",
        )
        yield Section(
            f"Sequences of changes on {one_line(gpu, 80)}", sentences, items=items, picture=draw_way(paths, n)
        )


def draw_way(paths: Sequence[ChangePath], number: int) -> str:
    """The kernel under its roofs now and after each change of the sequence that saves most.

    number : tells pictures of one page apart.
    """
    from roofcast.advice.paths import table_of
    from roofcast.kit.output import draw_svg
    from roofcast.rooflines.figure import draw_figure
    from roofcast.rooflines.placement import view_roofline

    best = max(paths, key=lambda p: p.time_now_s - p.time_s)
    view = view_roofline(table_of(best), source=best.target)
    forecast = replace(view, panels=tuple(replace(panel, moved=True) for panel in view.panels))
    return draw_svg(f"way{number}", lambda: draw_figure(forecast))


def run_lines(runs: Sequence[RunAdvice], plans: Sequence[Sequence[RunPlan]], width: int) -> Iterator[str]:
    """Every run with its findings, numbered, and what each change pays."""
    for k, run in enumerate(runs):
        yield from textwrap.wrap(one_line(f"whole run {run.file}: {format_quantity(run.time_s, 's')}"), width)
        for number, finding in enumerate(run.findings, 1):
            yield ""
            yield from textwrap.wrap(f"{number}. {finding.title}", width, subsequent_indent=INDENT)
            yield from said_lines(gain(run, finding), finding, width)
        if not run.findings:
            yield "Nothing found between the kernels: no rule has evidence in this trace."
        yield from plan_lines(plans[k] if k < len(plans) else (), width)
        yield ""


PLAN_HEADS = ("GPU", "change", "now", "then", "saves at most", "share")


def tabulate_plans(plans: Sequence[RunPlan]) -> Table:
    """A row per change and GPU, each GPU's own order."""
    rows = [
        (one_line(plan.gpu), f"{n}. {p.title}", *(format_quantity(v, "s") for v in (plan.time_s, p.time_s, p.saved_s)),
         format_percent(p.saved_s / plan.time_s))
        for plan in plans for n, p in enumerate((*plan.changes, *plan.paths), 1)
    ]  # fmt: skip
    return Table.of_cells(PLAN_HEADS, rows, right={2, 3, 4, 5})


def plan_head(plans: Sequence[RunPlan]) -> str:
    """What a table of plans is of."""
    times = ", ".join(
        f"{one_line(p.gpu)} {format_quantity(p.time_s, 's')} "
        f"({format_quantity(p.time_low_s, 's')} to {format_quantity(p.time_high_s, 's')})" for p in plans
    )  # fmt: skip
    return f"What each change pays, of {plans[0].unit}, played again with the times forecast there ({times}):"


def plan_said(plans: Sequence[RunPlan]) -> list[str]:
    """The evidence of each change that pays on any GPU, with what to try."""
    by_rule = {p.rules[0]: f"{p.title}: {p.evidence}; try {p.remedy}" for plan in plans for p in plan.changes}
    return [one_line(text, 400) for text in by_rule.values()]


def plan_lines(plans: Sequence[RunPlan], width: int) -> Iterator[str]:
    """What each change of a run pays on each GPU, with the evidence."""
    if not plans:
        return
    yield ""
    yield from textwrap.wrap(plan_head(plans), width)
    if not any(p.changes for p in plans):
        yield "No change of the run pays a hundredth of it."
        return
    yield from tabulate_plans(plans).lines(width)
    for text in plan_said(plans):
        yield from textwrap.wrap(text, width, initial_indent="- ", subsequent_indent="  ")


def plan_records(advice: Advice) -> list[dict[str, Any]]:
    """One record per run and GPU."""
    return [
        {
            "file": run.file, "gpu": plan.gpu, "of": plan.unit, "time_s": plan.time_s, "time_low_s": plan.time_low_s,
            "time_high_s": plan.time_high_s,
            **{name: [
                {"rules": list(p.rules), "title": p.title, "evidence": p.evidence, "try": p.remedy, "time_s": p.time_s,
                 "saved_s": p.saved_s} for p in part
            ] for name, part in (("changes", plan.changes), ("paths", plan.paths))},
        }
        for run, plans in zip(advice.runs, advice.plans, strict=False) for plan in plans
    ]  # fmt: skip


def plan_sections(advice: Advice) -> Iterator[Section]:
    """A table of each run's plan."""
    for run, plans in zip(advice.runs, advice.plans, strict=False):
        if any(p.changes for p in plans):
            sentences = (plan_head(plans), *plan_said(plans))
            yield Section(f"What pays in {one_line(run.file, 80)}", sentences, table=tabulate_plans(plans))


def gain(run: RunAdvice, finding: RunFinding) -> str:
    """What the cure would save at most."""
    if math.isnan(finding.saved_bound_s):
        return f"{format_quantity(finding.time_s, 's')}; nothing says what this would save"
    whole, name = (finding.of_s, "the kernels' time") if finding.of_s > 0 else (run.time_s, "the run")
    share = f" ({format_percent(finding.saved_bound_s / whole)} of {name})" if whole > 0 else ""
    return f"up to {format_quantity(finding.saved_bound_s, 's')}{share} less"


def run_records(runs: Sequence[RunAdvice]) -> list[dict[str, Any]]:
    """One record per finding; absent numbers are null."""
    return [
        {
            "file": run.file, "rule": f.rule, "title": f.title, "what": f.what, "evidence": list(f.evidence),
            "try": f.remedy, "time_s": f.time_s, "run_time_s": run.time_s,
            "saved_bound_s": or_none(f.saved_bound_s),
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
