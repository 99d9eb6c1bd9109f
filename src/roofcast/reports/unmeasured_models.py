"""A model on GPUs where it never ran: operators from shapes, times from what libraries usually reach; none measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from roofcast.catalog.targets import list_gpus
from roofcast.core.errors import one_line
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.results import or_none
from roofcast.core.version import VERSION
from roofcast.forecasting.sources import resolve_target
from roofcast.kit.asked import Ask, Option
from roofcast.kit.quantities import format_interval, format_percent, format_seconds, label_limit
from roofcast.kit.returned import IMAGES, Found, View
from roofcast.kit.table import Column, Table, folded, rank_longest

if TYPE_CHECKING:
    # Every `forecast` looks at this question, and few ask it: what answers it is loaded by who does.
    from roofcast.forecasting.unmeasured_steps import ModelForecast, StepTotal
    from roofcast.kit.page import Page

SHOWN = 20
"""Operators that the printed table lists, the longest of them."""
MODE = {"eager": "", "compile": " compiled", "graph": " as one CUDA graph"}


@dataclass(frozen=True, repr=False, eq=False)
class UnmeasuredSteps(Found["ModelForecast"]):
    """One step of a model that never ran; a row per distinct operator and GPU."""

    kind = "torch.forecast"

    @property
    def total(self) -> StepTotal:
        """The step on the first GPU."""
        return self.found.totals[0]

    @property
    def totals(self) -> tuple[StepTotal, ...]:
        """The step on each GPU."""
        return self.found.totals

    def shown(self) -> View[ModelForecast]:
        """How a step shows itself."""
        from roofcast.kit.bars import Bar, BarPicture

        return View(
            render_model, record_model, lambda f: tabulate_operators(f, 0), model_page,
            lambda f: BarPicture("one step, no time measured", "s",
                                 [Bar(t.target, t.time_s, t.time_low_s, t.time_high_s) for t in f.totals]),
            key="forecasts", rows=lambda f: Table.of_records(list_records(f)),
        )  # fmt: skip


def forecast_recorded(
    kernels: Any, to: str | Processor | Sequence[str | Processor], *, host_us: float | None = None, mode: str = "eager"
) -> UnmeasuredSteps:
    """Forecast one step of a model that never ran, from the list of its operators.

    host_us : Of a model that never ran: microseconds of the host per operator.
    mode : Of a model that never ran: how its step is launched.
    """
    from roofcast.forecasting.unmeasured_steps import forecast_operators
    from roofcast.operators.recorded_operators import read_operators

    targets = [resolve_target(t).processor for t in list_gpus(to)]
    return UnmeasuredSteps(forecast_operators(read_operators(kernels), targets, host_us=host_us, mode=mode))


ASK = Ask(
    name="forecast",
    run=forecast_recorded,
    options={
        "host_us": Option("US", kind="number"),
        "mode": Option(choices=("eager", "compile", "graph")),
    },
    formats=("table", "json", "csv", "parquet", "html", *IMAGES),
    examples=(),
)
"""What the command ``forecast`` asks of such a list."""


def render_model(found: ModelForecast, width: int) -> str:
    """The step on each GPU, then the operators with most time on the first."""
    from roofcast.forecasting.unmeasured_steps import HELD

    held = "assumed" if found.mode == "compile" else f"made to hold {format_percent(HELD, 0)}"
    head = f"{one_line(found.what, 80)}: one step{MODE[found.mode]}, no time measured; intervals {held}"
    lines = [head, "", *tabulate_totals(found).lines(width), "", tell_step(found), ""]
    order = rank_operators(found, 0)
    lines += Table(tabulate_operators(found, 0).columns, order[:SHOWN]).lines(width)
    if len(order) > SHOWN:
        lines.append(f"and {len(order) - SHOWN} more operators")
    return folded("\n".join([*lines, "", *(f"- {n}" for n in found.notes)]), width)


def tabulate_totals(found: ModelForecast) -> Table:
    """The step on each GPU."""
    return Table(
        [
            Column("GPU", lambda t: one_line(t.target, 60), flexible=True),
            Column("device", lambda t: t.device_time_s, format_seconds),
            Column("interval", lambda t: (t.device_low_s, t.device_high_s), lambda v: format_interval(*v), right=False),
            Column("one step", lambda t: t.time_s, format_seconds),
            Column("interval", lambda t: (t.time_low_s, t.time_high_s), lambda v: format_interval(*v), right=False),
            Column("decided by", lambda t: t.decided_by + " (either)" * t.is_open, right=False),
        ],
        found.totals,
    )


def tell_step(found: ModelForecast) -> str:
    """What decides on the first GPU: device or host, and the operators with most of the device's time."""
    t = found.totals[0]
    host = f"{t.operators:.0f} {'kernels' if found.mode == 'compile' else 'operators'}"
    host_speed = (
        "its speed as stated" if t.is_host_stated else "its speed unknown: state it, host_us=30 or --host-us 30"
    )
    host_speed = "launched as one graph" if found.mode == "graph" else host_speed
    kernels = [str(k) for k in found.operators.table.strings("kernel")]
    seconds = np.nan_to_num(found.time_s[:, 0] * found.launches)
    sums: dict[str, float] = {}
    for kernel, seconds_each in zip(kernels, seconds.tolist(), strict=True):
        sums[kernel] = sums.get(kernel, 0.0) + seconds_each
    most = sorted(sums, key=lambda k: -sums[k])[:DECIDING]
    listed = ", ".join(f"{one_line(k, 60)} {format_percent(sums[k] / t.device_time_s, 0)}" for k in most)
    return (
        f"{one_line(t.target, 60)}: the {t.decided_by} decides the step{' (either may)' * t.is_open}: "
        f"{format_seconds(t.device_time_s)} of the device, {format_seconds(t.host_time_s)} of the host ({host}, "
        f"{host_speed}); most of the device's time: {listed}"
    )


DECIDING = 3
"""Operators that are named first."""


def rank_operators(found: ModelForecast, target: int) -> list[int]:
    """Operators, those with most time first."""
    return rank_longest(found.time_s[:, target] * found.launches)


def tabulate_operators(found: ModelForecast, target: int) -> Table:
    """The operators on one GPU, for people."""
    table, launches = found.operators.table, found.launches
    total = float(np.nansum(found.time_s[:, target] * launches))

    def seconds(i: int) -> float:
        return float(found.time_s[i, target] * launches[i])

    columns = [
        Column("operator", lambda i: one_line(str(table.strings("kernel")[i]), 60), flexible=True),
        Column("result", lambda i: one_line(str(table.strings("config")[i]), 40)),
        Column("count", lambda i: round(float(launches[i])), str),
        Column(f"time on {found.targets[target].name}", seconds, format_seconds),
        Column("share", lambda i: seconds(i) / total, lambda v: format_percent(v, 0)),
        Column("interval of one", lambda i: (found.time_low_s[i, target], found.time_high_s[i, target]),
               lambda v: format_interval(*v), right=False),
        Column("limit", lambda i: found.limit[i, target], label_limit, right=False),
    ]  # fmt: skip
    return Table(columns, rank_operators(found, target))


def list_records(found: ModelForecast) -> list[dict[str, Any]]:
    """One dict per operator and GPU, under the names that a forecast from a profile has."""
    from roofcast.forecasting.unmeasured_steps import HELD

    table, launches = found.operators.table, found.launches
    held = None if found.mode == "compile" else HELD
    return [
        {
            "kernel": str(table.strings("kernel")[i]), "result": str(table.strings("config")[i]), "launch": i,
            "launches": round(float(launches[i])), "source_gpu": None, "target_gpu": t.name, "model": "unmeasured",
            "measured_time_s": None, "source_time_s": None, "time_s": or_none(found.time_s[i, j]),
            "time_low_s": or_none(found.time_low_s[i, j]), "time_high_s": or_none(found.time_high_s[i, j]),
            "time_total_s": or_none(found.time_s[i, j] * launches[i]), "coverage": held, "speedup": None,
            "limit_source": None, "limit_target": found.limit[i, j],
            "bytes_compulsory": or_none(table.column("bytes_compulsory")[i]), "notes": list(found.notes[:1]),
        }
        for i in range(len(table))
        for j, t in enumerate(found.targets)
    ]  # fmt: skip


def record_model(found: ModelForecast) -> dict[str, Any]:
    """What JSON holds: one object, as `roofcast forecast` writes it."""
    from roofcast.forecasting.unmeasured_steps import NOT_MEASURED

    totals = [{k: None if isinstance(v, float) and math.isnan(v) else v for k, v in t.record().items()}
              for t in found.totals]  # fmt: skip
    conditions = {"text": NOT_MEASURED, "mode": found.mode}
    return {"roofcast": VERSION, "conditions": conditions, "forecasts": list_records(found), "totals": totals,
            "notes": list(found.notes)}  # fmt: skip


def model_page(found: ModelForecast) -> Page:
    """The step on each GPU, and the operators on each."""
    from roofcast.forecasting.unmeasured_steps import NOT_MEASURED
    from roofcast.kit.page import Card, Page, Section, notes_section

    cards = tuple(
        Card(one_line(t.target, 60), format_seconds(t.time_s), format_interval(t.time_low_s, t.time_high_s))
        for t in found.totals
    )
    sections = tuple(
        Section(f"Operators on {p.name}", table=tabulate_operators(found, j)) for j, p in enumerate(found.targets)
    )
    return Page(f"{one_line(found.what, 80)}: one step{MODE[found.mode]}", cards, (NOT_MEASURED,),
                (*sections, *notes_section(found.notes)))  # fmt: skip
