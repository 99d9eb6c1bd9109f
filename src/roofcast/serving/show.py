"""Deployments of a language model as text, JSON, a table, a page and a picture."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

from roofcast.core.records import dataclass
from roofcast.core.results import or_none
from roofcast.core.version import VERSION
from roofcast.kit.names import clipped
from roofcast.kit.page import Lead, Page, Section
from roofcast.kit.palette import BLUE, GREEN, INK, ORANGE
from roofcast.kit.quantities import format_dollars, format_interval, format_percent, format_seconds, in_unit
from roofcast.kit.returned import Statement
from roofcast.kit.table import Column, Table, folded
from roofcast.serving.deployments import Deployment, Traffic
from roofcast.serving.language_model import LanguageModel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PROMISE = (
    "intervals made for 90 % of runs on H100 and H200; of a model family that taught neither constants nor widths they "
    "held 88 % (TPOT) and 83 % (TTFT) (evaluate serving); no other GPU has judged them"
)
CARRIED = (
    "carried from the measured run; widths from 43 loads of one model and engine on H100 and H200 (Llama-3.1-70B, "
    "vLLM), other models, engines and GPUs may err more"
)
SHOWN = 12
"""Deployments in the table of a terminal."""


@dataclass(frozen=True)
class ServingAnswer:
    """What `roofcast llm` found, best candidate first."""

    model: LanguageModel
    traffic: Traffic
    deployments: tuple[Deployment, ...]
    is_carried: bool = False

    @property
    def best(self) -> Deployment:
        """The first candidate."""
        return self.deployments[0]


COLOURS = (BLUE, ORANGE, GREEN, INK)


def state_traffic(traffic: Traffic) -> str:
    """The load in words."""
    load = (
        f"{traffic.rate_per_s:.4g} requests/s" if traffic.rate_per_s is not None else f"{traffic.concurrency:g} at once"
    )
    engine = f", {traffic.engine}" if traffic.engine else ""
    return f"{traffic.input:,.0f} in, {traffic.output:,.0f} out, {load}{engine}"


def state_deployment(a: ServingAnswer) -> Statement:
    """The answer in one sentence."""
    best = a.best
    where = f"{a.model.name}, {state_traffic(a.traffic)}, on {best.plan.gpus} x {best.gpu.name}"
    if not best.fits:
        return Statement(a.model.name, f"{where}: {best.notes[0]}", "", best.gpu.name)
    cost = (
        f", {format_dollars(best.usd_per_million)} USD per million tokens"
        if math.isfinite(best.usd_per_million)
        else ""
    )
    # Of more requests than are served each waits longer than the one before it.
    endless = best.is_endless
    first = f"{format_seconds(best.ttft_s)} ({format_interval(*best.ttft_ends)})"
    verdict = (
        f"{where}: TTFT {'that grows without end' if endless else first}, TPOT "
        f"{format_seconds(best.tpot_s)} ({format_interval(*best.tpot_ends)}), {best.tokens_per_s:,.0f} tokens/s{cost}; "
        f"limited by {best.limit}"
    )
    if not best.is_within:
        verdict += f"; no candidate {'keeps up with the rate' if endless else 'is within the limits'}"
    return Statement(a.model.name, f"{verdict}.", CARRIED if a.is_carried else PROMISE, best.gpu.name)


def tabulate_deployments(a: ServingAnswer) -> Table:
    """A row per candidate."""
    gb, rate = in_unit("B"), in_unit("")
    columns = [
        Column("GPU", lambda d: d.gpu.name, key="gpu", flexible=True),
        Column("GPUs", lambda d: d.plan.gpus, str, key="gpus"),
        Column("plan", lambda d: str(d.plan), key="plan"),
        Column("TTFT", first_token_s, format_seconds, key="ttft_s"),
        Column(
            "interval",
            lambda d: (math.nan, math.nan) if d.is_endless else d.ttft_ends,
            lambda v: format_interval(*v),
            key="ttft_interval_s",
            spare=True,
        ),
        Column("TPOT", lambda d: d.tpot_s, format_seconds, key="tpot_s"),
        Column("interval", lambda d: d.tpot_ends, lambda v: format_interval(*v), key="tpot_interval_s", spare=True),
        Column("tokens/s", lambda d: d.tokens_per_s, rate, key="tokens_per_s"),
        Column("per GPU", lambda d: d.tokens_per_s / d.plan.gpus, rate, key="tokens_per_s_gpu"),
        Column("USD/M", lambda d: d.usd_per_million, show_dollars, key="cost_per_million_tokens", optional=True),
        Column("memory", lambda d: d.memory_bytes, gb, key="memory_bytes"),
        Column("most at once", lambda d: math.floor(d.most_in_flight), str, key="most_concurrency"),
        Column("limited by", lambda d: d.limit, key="limit"),
    ]
    return Table(columns, list(a.deployments))


def first_token_s(d: Deployment) -> float:
    """TTFT; NaN where it grows without end."""
    return math.nan if d.is_endless else d.ttft_s


def show_dollars(value: float) -> str:
    """Dollars; nothing where unknown."""
    return "" if not math.isfinite(value) else format_dollars(value)


def tell_parts(best: Deployment) -> str:
    """What a token's time goes into, longest first."""
    total = sum(best.parts.values())
    parts = ", ".join(f"{name} {format_percent(s / total, 0)}" for name, s in
                      sorted(best.parts.items(), key=lambda p: -p[1]) if s >= 0.005 * total)  # fmt: skip
    return f"A token's time: {parts}."


def render_answer(a: ServingAnswer, width: int) -> str:
    """The sentence, the best candidate's parts, the candidates."""
    best = a.best
    lines = [*textwrap.wrap(state_deployment(a).verdict, width), ""]
    if best.fits:
        lines.append(folded(tell_parts(best), width))
    if best.replayed is not None:
        seen = best.replayed
        for name, values in (("TTFT", seen.ttft_s), ("TPOT", seen.tpot_s)):
            if best.is_endless and name == "TTFT":
                continue
            p50, p90, p99 = (format_seconds(v) for v in seen.percentiles(values))
            lines.append(f"Replayed {name}: p50 {p50}, p90 {p90}, p99 {p99}")
        lines.append(folded(tell_replay(a.traffic, len(best.replayed.ttft_s), endless=best.is_endless), width))
    lines += ["", *Table(tabulate_deployments(a).columns, list(a.deployments[:SHOWN])).lines(width), ""]
    left = len(a.deployments) - SHOWN
    if left > 0:
        lines.append(f"{left} more candidates: --format csv has all")
    lines += [
        folded(f"{d.plan.gpus} x {d.gpu.name}, {d.plan}: {n}", width) for d in a.deployments[:SHOWN] for n in d.notes
    ]
    lines += [folded(n, width) for n in a.model.notes]
    lines.append(folded(narrowing(a), width))
    return "\n".join(lines)


def tell_replay(traffic: Traffic, requests: int, *, endless: bool) -> str:
    """Which requests were replayed, beside the first line's."""
    if traffic.requests is None:
        how = (
            "arrivals at random"
            if traffic.rate_per_s is not None
            else ("clients that start together and send the next request when one ends")
        )
        means = "" if endless else "; the first line has their means"
        return f"Replayed: {requests:,} requests, {how}, lengths within 10 % of the stated{means}."
    timed = traffic.requests.arrival_s is not None
    return (
        f"Replayed: the file's {requests:,} requests {'as they arrive' if timed else 'at random times'}, from an idle "
        f"engine on{'' if endless else '; the first line has their means'}."
    )


def narrowing(a: ServingAnswer) -> str:
    """The promise, and what would narrow the intervals most."""
    promise = state_deployment(a).promise
    if a.is_carried:
        return promise
    how = "one run of this model on any GPU narrows them most: --measured FILE --from GPU"
    return f"{promise}; {how}" if promise else how


def record_answer(a: ServingAnswer) -> dict[str, Any]:
    """Values for JSON."""
    t, m = a.traffic, a.model
    return {
        "roofcast": VERSION,
        "conditions": {
            "model": m.name, "parameters": m.parameters, "active_parameters": m.active_parameters,
            "kv_bytes_per_token": m.kv_bytes_per_token(), "input_tokens": t.input, "output_tokens": t.output,
            "concurrency": t.concurrency if t.rate_per_s is None else None, "rate_per_s": t.rate_per_s,
            "ttft_limit_s": t.ttft_limit_s, "tpot_limit_s": t.tpot_limit_s, "engine": t.engine,
            "measured": a.is_carried, "notes": list(m.notes), **state_deployment(a).record(),
        },
        "deployments": [d.record() for d in a.deployments],
    }  # fmt: skip


def record_vllm(a: ServingAnswer) -> dict[str, Any]:
    """The best candidate as ``vllm bench serve`` writes a result, for dashboards that read those."""
    d, t = a.best, a.traffic
    made_per_s, done = d.tokens_per_s, 1 if d.replayed is None else len(d.replayed.ttft_s)
    record: dict[str, Any] = {
        "model_id": a.model.name, "backend": "roofcast forecast", "request_rate": t.rate_per_s or "inf",
        "max_concurrency": round(d.in_flight), "output_throughput": d.tokens_per_s,
        "total_token_throughput": d.tokens_per_s * (1.0 + t.input / t.output),
        "request_throughput": d.tokens_per_s / t.output, "mean_ttft_ms": or_none(1e3 * first_token_s(d)),
        "mean_tpot_ms": 1e3 * d.tpot_s,
        "mean_itl_ms": 1e3 * d.tpot_s, "completed": done, "num_prompts": done, "duration": done * t.output / made_per_s,
        "total_input_tokens": round(done * t.input), "total_output_tokens": round(done * t.output),
    }  # fmt: skip
    if d.replayed is not None:
        for name, values in (("ttft", d.replayed.ttft_s), ("tpot", d.replayed.tpot_s)):
            if d.is_endless and name == "ttft":
                continue
            p50, p90, p99 = (1e3 * v for v in d.replayed.percentiles(values))
            record |= {f"median_{name}_ms": p50, f"p90_{name}_ms": p90, f"p99_{name}_ms": p99}
    return record


def serving_page(a: ServingAnswer) -> Page:
    """The answer as a page."""
    sections = (Section("Candidates", table=tabulate_deployments(a)),)
    lead = Lead(state_deployment(a).verdict, tell_parts(a.best) if a.best.fits else "", narrowing(a))
    return Page(f"{a.model.name} under traffic", intro=(lead.verdict, lead.sure), sections=sections, lead=lead)


def draw_front(deployments: Sequence[Deployment]) -> Figure:
    """Tokens/s per GPU against tokens/s per user, with intervals: up and right is better."""
    from roofcast.kit.output import empty_figure, thin_ticks

    figure = empty_figure(7.2, 4.6)
    axes = figure.add_subplot()
    for name, colour in zip(dict.fromkeys(d.gpu.name for d in deployments), cycle(COLOURS)):
        of_gpu = [d for d in deployments if d.gpu.name == name and d.fits]
        if not of_gpu:
            continue
        x, y = [1.0 / d.tpot_s for d in of_gpu], [d.tokens_per_s / d.plan.gpus for d in of_gpu]
        across = [
            [1 / d.tpot_s - 1 / d.tpot_ends[1] for d in of_gpu],
            [1 / d.tpot_ends[0] - 1 / d.tpot_s for d in of_gpu],
        ]
        up = [[(d.tokens_per_s - d.tokens_per_s_ends[0]) / d.plan.gpus for d in of_gpu],
              [(d.tokens_per_s_ends[1] - d.tokens_per_s) / d.plan.gpus for d in of_gpu]]  # fmt: skip
        axes.errorbar(x, y, yerr=up, xerr=across, fmt="o", markersize=4, linewidth=0.6, color=colour,
                      label=clipped(name, 60))  # fmt: skip
        for d, at, height in zip(of_gpu, x, y, strict=True):
            # Labels of what nothing beats in both: the others would stand on each other.
            if not any(a >= at and b >= height and (a, b) != (at, height) for a, b in zip(x, y, strict=True)):
                axes.annotate(f"{d.plan}", (at, height), fontsize=7, xytext=(3, 3), textcoords="offset points")
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        thin_ticks(axes, axis)
        axis.set_major_formatter(lambda v, _: f"{v:,.0f}")
    axes.set_xlabel("tokens/s per user (1 / TPOT)")
    axes.set_ylabel("output tokens/s per GPU")
    axes.legend(fontsize=8, frameon=False)
    figure.tight_layout()
    return figure
