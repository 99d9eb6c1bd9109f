"""A forecast beside a recording of the same application on the target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from roofcast.analyses.applications.result import ApplicationForecast, PartTime
from roofcast.analyses.applications.run_summary import TimelineSummary, summarise
from roofcast.core.timeline import Timeline

DEVICES, RUN = "all work of the devices", "the whole run"


@dataclass(frozen=True, slots=True)
class Difference:
    """One part forecast and measured."""

    name: str
    source_time_s: float
    time_s: float
    time_low_s: float
    time_high_s: float
    measured_s: float
    """NaN where the recording has no such part."""

    @property
    def error(self) -> float:
        """Signed, relative to the measured time; NaN where there is none."""
        return self.time_s / self.measured_s - 1 if self.measured_s > 0 else math.nan

    @property
    def covered(self) -> bool | None:
        """Whether the interval holds the measured time."""
        return self.time_low_s <= self.measured_s <= self.time_high_s if self.measured_s > 0 else None

    def record(self) -> dict[str, Any]:
        """Values for JSON."""
        return {"name": self.name, "source_time_s": self.source_time_s, "time_s": self.time_s,
                "measured_s": self.measured_s, "error": self.error, "covered": self.covered}  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """Every part of a run, forecast and measured."""

    totals: tuple[Difference, ...]
    """Devices and run."""
    classes: tuple[Difference, ...]
    operators: tuple[Difference, ...]

    def record(self) -> dict[str, Any]:
        """Values for JSON."""
        return {"totals": [d.record() for d in self.totals], "classes": [d.record() for d in self.classes],
                "operators": [d.record() for d in self.operators]}  # fmt: skip


def compare_measured(forecast: ApplicationForecast, recording: Timeline) -> Comparison:
    """Set a forecast beside a recording on its target.

    The run's totals differ by the hosts as well; the devices' work does not.
    """
    found = summarise(recording)
    return Comparison(
        totals=(devices_of(forecast, found), run_of(forecast, found)),
        classes=differences(forecast.classes, found.classes),
        operators=differences(forecast.operators, found.operators),
    )


def devices_of(forecast: ApplicationForecast, found: TimelineSummary) -> Difference:
    """The sum of the devices' work."""
    parts = forecast.classes
    return Difference(
        DEVICES, sum(c.source_time_s for c in parts), sum(c.time_s for c in parts), sum(c.time_low_s for c in parts),
        sum(c.time_high_s for c in parts), sum(c.source_time_s for c in found.classes),
    )  # fmt: skip


def run_of(forecast: ApplicationForecast, found: TimelineSummary) -> Difference:
    """From the first event to the last."""
    f = forecast
    return Difference(RUN, f.source_time_s, f.time_s, f.time_low_s, f.time_high_s, found.time_s)


def differences(parts: Sequence[PartTime], measured: Sequence[PartTime]) -> tuple[Difference, ...]:
    """Parts of one name, longest first; parts that only the recording has come last."""
    there = {p.name: p.source_time_s for p in measured}
    found = [
        Difference(p.name, p.source_time_s, p.time_s, p.time_low_s, p.time_high_s, there.pop(p.name, math.nan))
        for p in parts
    ]
    nan = math.nan
    return (*found, *(Difference(name, nan, nan, nan, nan, time) for name, time in there.items()))
