"""The answer in words: one sentence, and the notes that a reader must know, those first that change it most."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from roofcast.analyses.report.next_measurement import advise_next
from roofcast.analyses.report.totals import TOTAL_INTERVAL, group_by_gpu
from roofcast.core.errors import one_line
from roofcast.core.launch_totals import Total
from roofcast.core.processor import Kind
from roofcast.core.resource import Resource
from roofcast.core.results import Forecast
from roofcast.core.units import format_quantity
from roofcast.forecasting.notes import SAME_CLOCK, list_kernel_texts, list_reasons, list_target_texts
from roofcast.kit.answer import NOTES_SHOWN
from roofcast.kit.quantities import count_of, format_factor, format_interval, format_percent, format_total_speedup

ASSUMED = "assumed: "
TAKEN = ": took "
"""In the note of a name that fits several GPUs."""
MEASURED_TWICE = (
    "Totals per GPU of the profile: works that were measured on several GPUs would count more than once in one total; "
    "each row shows the forecast from all of them together."
)


def write_verdict(forecast: Forecast) -> str:
    """One sentence: how long, where, how sure, what limits; the fastest target first."""
    once = forecast.each_work_once()
    start = f"{count_of(len(forecast.kernels), 'kernel')} measured on {name_sources(forecast)}"
    found = sorted((t for t in once.totals if t.kernels), key=lambda t: t.time_s / (t.time_source_s or np.inf))
    if not found:
        reasons = [r for r in forecast.estimate.reasons.ravel() if r] if forecast.targets else []
        why = f" ({one_line(str(reasons[0]), 200)})" if reasons else ""
        return f"{start}: no forecast{why}." if len(forecast.kernels) else f"{start}: nothing to forecast."
    best, *others = found
    interval = format_interval(best.time_low_s, best.time_high_s)
    source = format_quantity(best.time_source_s, "s")
    text = f"{start} take {format_quantity(best.time_s, 's')} ({interval}) on {one_line(best.target, 80)}"
    text = text.replace(" take ", " takes ", 1) if len(forecast.kernels) == 1 else text
    if best.time_source_s > 0:
        text += f" instead of {source}: {tell_speedup(best)}"
    limit = name_main_limit(once, [t.target for t in once.totals].index(best.target))
    text += f", mostly limited by {limit}" if limit else ""
    if others:
        listed = [f"{one_line(t.target, 60)} {tell_speedup(t, short=True)}" for t in others[:2]]
        more = f" and {count_of(len(others) - 2, 'more GPU')}" if len(others) > 2 else ""
        text += f"; {', '.join(listed)}{more}"
    return f"{text} ({describe_claim(forecast)})."


def tell_speedup(total: Total, *, short: bool = False) -> str:
    """How many times as fast, and whether the interval leaves open which side is faster."""
    if total.speedup_with_pages is not None or not np.isfinite(total.speedup):
        return format_total_speedup(total)
    text = format_factor(total.speedup) + ("" if short else " as fast")
    open_ = total.time_low_s < total.time_source_s < total.time_high_s
    return f"{text}, though the interval leaves open which is faster" if open_ and not short else text


def name_sources(forecast: Forecast) -> str:
    """The GPUs of the profile, at most three."""
    kernels = forecast.kernels
    names = list(dict.fromkeys(s.name for s in forecast.sources if s))
    lost = dict.fromkeys(str(g) for g, s in zip(kernels.strings("gpu"), forecast.sources, strict=True) if not s)
    names += [f"{one_line(name, 40)} (not in the catalog)" if name else "an unknown GPU" for name in lost]
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "") or "an unknown GPU"


def name_main_limit(forecast: Forecast, j: int) -> str:
    """What limits most of the time on one target; '' where nothing is known."""
    time: defaultdict[str, float] = defaultdict(float)
    for limit, seconds in zip(forecast.limits_target()[:, j], forecast.time_total_s[:, j], strict=True):
        if limit and seconds > 0:
            time[Resource(limit).label] += float(seconds)
    return max(time, key=time.__getitem__) if time else ""


def describe_claim(forecast: Forecast) -> str:
    """The conditions and what the interval claims, in a few words."""
    coverage = forecast.estimate.coverage
    claim = f"intervals for {format_percent(coverage, 0)}" if coverage else "intervals without a claim"
    named = str(forecast.conditions_told.get("name", ""))
    return f"conditions of both sides: {named}; {claim}" if named else claim


def describe_forecast(forecast: Forecast) -> str:
    """Model, source, what the interval claims, and the conditions in full."""
    coverage = forecast.estimate.coverage
    claim = f"claim to hold {format_percent(coverage, 0)} of measured times" if coverage else "claim no coverage"
    return f"model {forecast.model}; intervals {claim}" + (f"; {told}" if (told := tell_usual(forecast)) else "")


def tell_usual(forecast: Forecast) -> str:
    """The conditions of both sides."""
    return str(forecast.conditions_told.get("text", "")).partition("; ")[0]


def list_notes(forecast: Forecast, rows: Sequence[int]) -> list[tuple[str, bool]]:
    """(note, whether it is of some kernels only), those first that change the answer most.

    What has no forecast and why; which GPU a name was taken for; what was measured under other conditions; what is said
    of kernels, by the time that they take; the targets' notes; what was assumed and estimated; at last how all of it is
    meant. What a further measurement would narrow is always among those that are shown.
    """
    common = set(list_shared_texts(forecast))
    reasons: list[str] = []
    said: list[str] = []
    assumed: list[str] = []
    for i in rows:
        reasons += [one_line(t) for t in list_reasons(forecast, i)]
        for text in map(one_line, list_kernel_texts(forecast, i)):
            (assumed if text.startswith(ASSUMED) else said).append(text)
    advice = advise_next(forecast)
    told = str(forecast.conditions_told.get("text", "")).partition("; ")[2]
    taken: list[str] = []
    first: list[str] = []
    later: list[str] = []
    for name, text in list_target_texts(forecast):
        shown = one_line(text if name in text else f"{name}: {text}")
        (taken if TAKEN in shown else later if shown.endswith(SAME_CLOCK) else first).append(shown)
    twice = [MEASURED_TWICE] if len(group_by_gpu(forecast)) > 1 else []
    many = len(forecast.kernels) > 1 and (forecast.estimate.time_s > 0).any()
    general = [
        *reasons, *taken, *([told] if told else []), *twice, *said, *first, *assumed, *list_estimated(forecast), *later,
        describe_forecast(forecast), *([describe_totals(forecast)] if many else []),
    ]  # fmt: skip
    if advice:
        general.insert(0 if advice.first else NOTES_SHOWN - 1, advice.text)
    own = {*reasons, *said, *assumed} - common
    return [(text, text in own) for text in dict.fromkeys(general)]


def list_texts(forecast: Forecast, i: int) -> list[str]:
    """Notes, assumptions and reasons of one kernel."""
    texts = [*list_kernel_texts(forecast, i), *list_reasons(forecast, i)]
    return [one_line(t) for t in dict.fromkeys(texts)]


def list_shared_texts(forecast: Forecast) -> list[str]:
    """What holds for every kernel (none where there is only one kernel to hold for: then its notes are these)."""
    if not len(forecast.kernels):
        return []
    common = list_texts(forecast, 0)
    for i in range(1, len(forecast.kernels)):
        if not common:
            break
        own = set(list_texts(forecast, i))
        common = [t for t in common if t in own]
    return common


def list_estimated(forecast: Forecast) -> Iterator[str]:
    """The estimated ceilings that the forecast rests on, by GPU."""
    used = [r for r, v in forecast.estimate.time_s_by_resource_target.items() if np.nanmax(np.append(v, 0.0)) > 0]
    for processor in {p.name: p for p in (*(s for s in forecast.sources if s), *forecast.targets)}.values():
        supplies = [(r, processor.supply(r)) for r in used]
        doubtful = [
            f"{r.label} ± {format_percent(s.relative_uncertainty, 0)}"
            for r, s in supplies
            if s and s.kind is Kind.ESTIMATED
        ]
        if doubtful:
            yield f"{processor.name}: estimated, not measured: {', '.join(doubtful)}"


def describe_totals(forecast: Forecast) -> str:
    """What the totals count, how their intervals come about, and the outer bound of each."""
    bounds = [
        f"{one_line(t.target, 60)} {format_interval(t.time_low_outer_s, t.time_high_outer_s)}"
        for t in forecast.totals
        if t.kernels > 1
    ]
    return f"{TOTAL_INTERVAL}: {', '.join(bounds)}" if bounds else TOTAL_INTERVAL
