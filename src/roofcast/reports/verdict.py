"""The answer in words: one sentence, and the notes that a reader must know, those first that change it most."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from roofcast.core.errors import one_line
from roofcast.core.launch_totals import Total
from roofcast.core.processor import Kind
from roofcast.core.resource import Resource
from roofcast.core.undecided import UNDECIDED, tell_undecided
from roofcast.core.units import format_quantity
from roofcast.forecasting.forecasts import Forecast, encode
from roofcast.forecasting.notes import SAME_CLOCK, list_kernel_texts, list_reasons, list_target_texts
from roofcast.kit.answer import NOTES_SHOWN, compare_times, describe_conditions, describe_promise
from roofcast.kit.quantities import (
    count_kernels,
    count_of,
    format_factor,
    format_interval,
    format_percent,
    format_total_speedup,
)
from roofcast.kit.returned import Statement
from roofcast.models.kernel_amounts import is_from_code
from roofcast.reports.next_measurement import advise_next
from roofcast.reports.totals import CLAIMS, TOTAL_INTERVAL, group_by_gpu

ASSUMED = "assumed: "
USUAL = "mean of "
"""What a trace's rows are anyway."""
TAKEN = ": took "
"""In the note of a name that fits several GPUs."""
MEASURED_TWICE = (
    "Totals per GPU of the profile: works that were measured on several GPUs would count more than once in one total; "
    "each row shows the forecast from all of them together."
)


def state_forecast(forecast: Forecast) -> Statement:
    """What a forecast says first: of the run where it was made from one, then of its kernels."""
    once = forecast.each_work_once()
    best = once.total
    names = map(str, forecast.kernels.strings("kernel"))
    counted = count_kernels(names, float(forecast.kernels.launches.sum()))
    derived = bool(len(forecast.kernels)) and bool(is_from_code(forecast.kernels).all())
    subject = (
        f"{counted} of source code, not measured," if derived else f"{counted} measured on {name_sources(forecast)}"
    )
    promise = describe_promise(once.estimate.coverage, best.unclaimed_fraction) if best.kernels else ""
    # What a run's sentence says of the conditions holds for its kernels as well, and its promise where it is the same:
    # the fastest GPU for the run may be another than the fastest for its kernels.
    same = bool(forecast.runs) and all(r.promise == promise for r in forecast.runs)
    name = "" if forecast.runs else str(once.conditions_told.get("name", ""))
    conditions = describe_conditions(name, "" if same else promise)
    verdict = " ".join([*(r.verdict for r in forecast.runs), write_kernels_verdict(once, subject, conditions)])
    return Statement(subject, verdict, promise, best.target if best.kernels else "")


def write_kernels_verdict(once: Forecast, subject: str, told: str) -> str:
    """One sentence: how long, where, how sure, what limits; the fastest target first.

    once : the forecast with each work once. told : conditions and promise, at the end.
    """
    totals = sorted((t for t in once.totals if t.kernels), key=Total.order)
    if not totals:
        reasons = [r for r in once.estimate.reasons.ravel() if r] if once.targets else []
        why = f" ({one_line(str(reasons[0]), 200)})" if reasons else ""
        subject = subject.rstrip(",")
        return f"{subject}: no forecast{why}." if len(once.kernels) else f"{subject}: nothing to forecast."
    best, *others = totals
    single = once.kernels.launches.sum() == 1
    time, target = format_quantity(best.time_s, "s"), one_line(best.target, 80)
    if best.is_undecided:
        told_of = f"{format_interval(best.time_low_s, best.time_high_s)} on {target}"
        return f"{subject}: {told_of}, {tell_undecided(best.time_low_s, best.time_high_s)}{told}."
    if is_where_measured(once, best):
        text = f"{subject} {'takes' if single else 'take'} {time} there"
    else:
        interval = format_interval(best.time_low_s, best.time_high_s)
        text = f"{subject} {'takes' if single else 'take'} {time} ({interval}) on {target}"
        if best.time_source_s > 0:
            text += f" instead of {format_quantity(best.time_source_s, 's')}: {tell_speedup(best)}"
    text += tell_left_out(best)
    limit = tell_main_limit(once, [t.target for t in once.totals].index(best.target))
    text += f", {limit}" if limit else ""
    if others:
        listed = [f"{one_line(t.target, 60)} {tell_beside(t)}" for t in others[:2]]
        more = f" and {count_of(len(others) - 2, 'more GPU')}" if len(others) > 2 else ""
        text += f"; {', '.join(listed)}{more}"
    return f"{text}{told}."


def tell_left_out(total: Total) -> str:
    """What is said of kernels that a total is without; '' where it has all."""
    left = total.kernels_left_out
    return f", without {count_of(left, 'kernel')} that {'has' if left == 1 else 'have'} no forecast" if left else ""


def tell_beside(total: Total) -> str:
    """What is said of a further target: its speed-up, or its time where nothing was measured anywhere."""
    if not total.time_source_s > 0:
        return format_quantity(total.time_s, "s")
    return tell_speedup(total, short=True)


def is_where_measured(forecast: Forecast, total: Total) -> bool:
    """Whether the time of a total is the measured one: on the GPU of the profile, under its conditions."""
    same = {s.name if s else "" for s in forecast.sources} == {total.target}
    return same and forecast.on_source is None and math.isclose(total.time_s, total.time_source_s)


def tell_speedup(total: Total, *, short: bool = False) -> str:
    """How many times as fast, and whether the interval leaves open which side is faster."""
    if total.speedup_with_pages is not None or not np.isfinite(total.speedup):
        return format_total_speedup(total)
    if short:
        return UNDECIDED if total.is_undecided else format_factor(total.speedup)
    return compare_times(total.time_source_s, total.time_s, total.time_low_s, total.time_high_s)


def name_sources(forecast: Forecast) -> str:
    """The GPUs of the profile, at most three."""
    kernels = forecast.kernels
    names = list(dict.fromkeys(s.name for s in forecast.sources if s))
    lost = dict.fromkeys(str(g) for g, s in zip(kernels.strings("gpu"), forecast.sources, strict=True) if not s)
    names += [f"{one_line(name, 40)} (not in the catalog)" if name else "an unknown GPU" for name in lost]
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "") or "an unknown GPU"


MOST = 0.5
"""Share of the time from which one limit is that of most of it."""
MUCH = 0.2
"""Share of the time below which no limit is worth a word."""


LINK = "links to the host or to other GPUs"
"""What a limit by a link is called: collectives have it as well as copies."""


def find_main_limit(forecast: Forecast, j: int) -> tuple[str, float]:
    """What limits most of the time on one target, and its share of all of it; '' where nothing is known."""
    seconds = forecast.time_total_s[:, j]
    codes, limits = encode(forecast.limits_target()[:, j].tolist())
    of_limits = np.bincount(codes, np.where(seconds > 0, seconds, 0.0)).tolist()
    time: defaultdict[str, float] = defaultdict(float)
    for limit, total in zip(limits, of_limits, strict=True):
        if limit and total > 0:
            time[LINK if limit == Resource.BYTES_HOST_LINK else Resource(limit).label] += total
    name = max(time, key=time.__getitem__, default="")
    return name, time[name] / float(np.nansum(seconds)) if name else 0.0


def tell_main_limit(forecast: Forecast, j: int) -> str:
    """What limits most of the time on one target, in words; '' where little is known of it."""
    name, share = find_main_limit(forecast, j)
    if share >= MOST:
        return f"mostly limited by {name}"
    return f"limited by {name} for {format_percent(share, 0)} of the time" if share >= MUCH else ""


def name_main_limit(forecast: Forecast, j: int) -> str:
    """What limits most of the time on one target, for a table; '' where little is known of it."""
    name, share = find_main_limit(forecast, j)
    return name if share >= MOST else f"{name} ({format_percent(share, 0)})" if share >= MUCH else ""


def describe_forecast(forecast: Forecast) -> str:
    """Model, source, what the interval claims, and the conditions in full."""
    best = forecast.total
    promise = describe_promise(forecast.estimate.coverage, best.unclaimed_fraction, CLAIMS) if best.kernels else ""
    parts = [f"model {forecast.model}", promise, tell_usual(forecast)]
    return "; ".join(p for p in parts if p)


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
    others: list[str] = []
    assumed: list[str] = []
    for i in rows:
        reasons += [one_line(t) for t in list_reasons(forecast, i)]
        for text in map(one_line, list_kernel_texts(forecast, i)):
            (assumed if text.startswith((ASSUMED, USUAL)) else others).append(text)
    advice = advise_next(forecast)
    how = str(forecast.conditions_told.get("text", "")).partition("; ")[2]
    taken: list[str] = []
    first: list[str] = []
    later: list[str] = []
    for name, text in list_target_texts(forecast):
        note = one_line(text if name in text else f"{name}: {text}")
        (taken if TAKEN in note else later if note.endswith(SAME_CLOCK) else first).append(note)
    twice = [MEASURED_TWICE] if len(group_by_gpu(forecast)) > 1 else []
    many = len(forecast.kernels) > 1 and (forecast.estimate.time_s > 0).any()
    general = [
        *reasons, *taken, *([how] if how else []), *twice, *others, *first, *assumed, *list_estimated(forecast), *later,
        describe_forecast(forecast), *([describe_totals(forecast)] if many else []),
    ]  # fmt: skip
    if advice:
        general.insert(0 if advice.first else NOTES_SHOWN - 1, advice.text)
    of_some = {*reasons, *others, *assumed} - common
    return [(text, text in of_some) for text in dict.fromkeys(general)]


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
        texts = set(list_texts(forecast, i))
        common = [t for t in common if t in texts]
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
