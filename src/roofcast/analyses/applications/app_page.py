"""The forecast of an application as a self-contained page: totals, the run before and after, what dominates."""

from __future__ import annotations

from collections.abc import Sequence

from roofcast.analyses.applications.app_timeline import timeline_picture
from roofcast.analyses.applications.result import ApplicationForecast, PartTime
from roofcast.analyses.applications.run_cost import app_costs
from roofcast.analyses.applications.show import percent, ratio, seconds
from roofcast.core.errors import one_line
from roofcast.kit.names import short_name
from roofcast.kit.page import Card, Page, PageRow, Section, notes_section, provenance_section
from roofcast.kit.quantities import Rates, choose_runs, format_cost, label_limit

MAX_ROWS = 300


def app_page(forecasts: Sequence[ApplicationForecast], rates: Rates | None = None) -> Page:
    """One page for all targets. rates : USD per hour by GPU; the cards then say what a run costs."""
    first = forecasts[0]
    source, targets = app_costs(forecasts, rates or {})
    runs = choose_runs([source, *targets])
    said = "; ".join(t for t in ("measured", format_cost(source, runs)) if t)
    cards = [Card(first.source_gpu, seconds(first.source_time_s), said, plain=True)]
    for f, cost in zip(forecasts, targets, strict=True):
        text = (
            f"{ratio(f.source_time_s, f.time_s)}; interval {seconds(f.time_low_s)} … {seconds(f.time_high_s)}; "
            f"{percent(f.fixed_time_s, f.time_s)} of it is the host's"
        )
        text += f"; {format_cost(cost, runs)}" if cost else ""
        cards.append(Card(f.target.name, seconds(f.time_s), text))
    files = ", ".join(one_line(p.file, 120) for p in first.timeline.provenance)
    sections = [s for f in forecasts for s in sections_of(f)]
    sections.append(provenance_section(first.timeline.provenance))
    return Page(f"The whole run elsewhere: {files}", tuple(cards), (), tuple(sections))


def sections_of(f: ApplicationForecast) -> list[Section]:
    """Everything about one target."""
    name = f.target.name
    found = [Section(f"The run on {name}", picture=timeline_picture(f.drawn or f))]
    found.append(part_section(f"What dominates before and after: {name}", "kind of work", f.classes))
    if f.ranges:
        rows = tuple(
            PageRow((one_line(r.name, 200), str(r.runs), seconds(r.source_time_s), seconds(r.time_s),
                     ratio(r.source_time_s, r.time_s), seconds(r.source_device_s), seconds(r.device_s)),
                    (None, r.runs, r.source_time_s, r.time_s, None, r.source_device_s, r.device_s))
            for r in f.ranges[:MAX_ROWS]
        )  # fmt: skip
        columns = ("range", "runs", "time", "forecast", "speed-up", "devices", "devices, forecast")
        found.append(Section(f"Ranges on {name}", header=columns, right=(False, *[True] * 6), rows=rows))
    if f.operators:
        found.append(part_section(f"Operators on {name}", "operator", f.operators))
    rows = tuple(
        PageRow((short_name(k.name, 90), str(k.launches), k.evidence, seconds(k.source_time_s), seconds(k.time_s),
                 ratio(k.source_time_s, k.time_s), label_limit(k.limit_source), label_limit(k.limit_target)),
                (None, k.launches, None, k.source_time_s, k.time_s), one_line(k.name, 300))
        for k in f.kernels[:MAX_ROWS]
    )  # fmt: skip
    header = ("kernel", "launches", "known by", "time", "forecast", "speed-up", "limit", "limit there")
    right = (False, True, False, True, True, True, False, False)
    found.append(Section(f"Kernels on {name}", header=header, right=right, rows=rows))
    return [*found, *notes_section([one_line(n) for n in f.notes], f"Notes on {name}")]


def part_section(title: str, what: str, parts: Sequence[PartTime]) -> Section:
    """A table of parts of the devices' time."""
    before, after = sum(p.source_time_s for p in parts), sum(p.time_s for p in parts)
    rows = tuple(
        PageRow((one_line(p.name, 200), str(p.launches), seconds(p.source_time_s), percent(p.source_time_s, before),
                 seconds(p.time_s), percent(p.time_s, after), f"{seconds(p.time_low_s)} … {seconds(p.time_high_s)}",
                 ratio(p.source_time_s, p.time_s)),
                (None, p.launches, p.source_time_s, p.source_time_s, p.time_s, p.time_s))
        for p in parts[:MAX_ROWS]
    )  # fmt: skip
    header = (what, "count", "time", "share", "forecast", "share there", "interval", "speed-up")
    return Section(title, header=header, right=(False, *[True] * 7), rows=rows)
