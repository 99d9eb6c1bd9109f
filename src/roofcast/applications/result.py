"""What the forecast of an application holds."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from roofcast.applications.dependencies import Dependencies
from roofcast.applications.replay import Replay
from roofcast.applications.slot_trees import BothTrees
from roofcast.applications.waiting import Waiting
from roofcast.core.equality import Alike
from roofcast.core.kernel_table import FloatArray, TextArray
from roofcast.core.launch_totals import Total
from roofcast.core.machines import columns_of
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.results import or_none
from roofcast.core.timeline import Timeline
from roofcast.core.undecided import tell_undecided
from roofcast.models.power import idle_w

PROFILED = (
    "the profiler slowed the host: 2.9 us for each operator and call that it recorded are taken out of the host's time "
    "(1.1 to 4.4 were measured), on both sides; `--step-time 42ms` says what the step takes unprofiled"
)
"""A note of a run whose trace holds the framework's operators, where nobody says what it takes without a profiler."""


@dataclass(frozen=True, slots=True)
class PartTime:
    """Device time of one kind of work, before and after."""

    name: str
    launches: int
    source_time_s: float
    time_s: float
    time_low_s: float
    time_high_s: float


NO_OPERATOR = "without operator"
"""Work that no operator launched, so that the parts by operator are all work of the devices."""


def name_operators(parts: Sequence[PartTime]) -> tuple[PartTime, ...]:
    """The parts by operator; none where no operator is known."""
    return tuple(parts) if any(p.name != NO_OPERATOR for p in parts) else ()


@dataclass(frozen=True, slots=True)
class RangeTime:
    """All runs of one named range: from its start to the end of what it launched."""

    name: str
    runs: int
    source_time_s: float
    time_s: float
    source_device_s: float
    """Time of the work that it launched."""
    device_s: float


def known(time_s: float) -> float | None:
    """A time for JSON; None where none was recorded or forecast."""
    return float(time_s) if 0 < time_s < float("inf") else None


@dataclass(frozen=True, slots=True)
class KernelTime:
    """One distinct kernel."""

    name: str
    launches: int
    evidence: str
    """counters, shapes, name or time; links for communication."""
    source_time_s: float
    time_s: float
    """The recorded time where there is no forecast."""
    time_low_s: float
    """NaN where there is no forecast."""
    time_high_s: float
    limit_source: str | None
    """None, as the other, where no time was recorded."""
    limit_target: str | None
    energy_j: float
    """Of all launches; NaN, as its ends, where there is no forecast or no power model."""
    energy_low_j: float
    energy_high_j: float
    reason: str = ""
    """Why there is no forecast; '' where there is one."""


@dataclass(frozen=True, slots=True)
class Span:
    """Seconds from one point of a run to another, before and after."""

    source_time_s: float
    time_s: float
    time_low_s: float
    time_high_s: float
    fixed_time_s: float
    """What is left when all work of devices takes no time."""
    bounds_s: tuple[float, ...] = ()
    """The lower and the upper forecast where the trace does not tell whether the host waits for the devices."""

    def one_of(self, count: int) -> Span:
        """The mean of so many."""
        times = (self.source_time_s, self.time_s, self.time_low_s, self.time_high_s, self.fixed_time_s)
        source, time, low, high, fixed = (t / count for t in times)
        return Span(source, time, low, high, fixed, tuple(b / count for b in self.bounds_s))

    def plus(self, other: Span) -> Span:
        """One after the other."""
        sums = (getattr(self, n) + getattr(other, n)
                for n in ("source_time_s", "time_s", "time_low_s", "time_high_s", "fixed_time_s"))  # fmt: skip
        bounds = (a + b for a, b in zip(self.bounds_s, other.bounds_s, strict=False))
        source, time, low, high, fixed = sums
        return Span(source, time, low, high, fixed, tuple(bounds))


@dataclass(frozen=True, slots=True)
class PartForecast:
    """The part of a run that matters, before and after."""

    kind: str
    """range, steps or devices (all between the first and the last work of one)."""
    name: str
    said: str
    """How it was found, and what is left out."""
    count: int
    """Runs of the range, or steps."""
    span: Span
    """Of all of them."""

    @property
    def each(self) -> Span:
        """The span of one run of the range, or of one step."""
        return self.span.one_of(self.count)

    def record(self) -> dict[str, Any]:
        """Values for JSON; the times are of one run or step."""
        speedup = self.span.source_time_s / self.span.time_s if self.span.time_s > 0 else None
        return {"kind": self.kind, "name": self.name, "said": self.said, "count": self.count, "speedup": speedup,
                **dataclasses.asdict(self.each), "bounds_s": list(self.each.bounds_s) or None,
                "total_source_time_s": self.span.source_time_s,
                "total_time_s": self.span.time_s}  # fmt: skip


@dataclass(frozen=True, eq=False)
class ApplicationForecast(Alike):
    """An application on another GPU.

    Times of classes, operators and kernels add up work of devices and count what overlaps twice; ``time_s`` is the
    run from its first to its last event.
    """

    timeline: Timeline
    dependencies: Dependencies
    source_gpu: str
    target: Processor
    model: str
    coverage: float | None
    source_time_s: float
    time_s: float
    time_low_s: float
    time_high_s: float
    fixed_time_s: float
    """What is left when all work of devices takes no time: the host, which no GPU speeds up."""
    busy_source_s: float
    """Time in which at least one device worked."""
    busy_s: float
    classes: tuple[PartTime, ...]
    operators: tuple[PartTime, ...]
    ranges: tuple[RangeTime, ...]
    kernels: tuple[KernelTime, ...]
    evidence: Mapping[str, float]
    """Share of the kernels' source time that rests on counters, shapes, names, the time alone."""
    kernels_total: Total
    """All launches of all kernels, as `forecast` sums them up."""
    activity_class: TextArray
    """(n,) class of each activity."""
    replay: Replay
    duration_s: FloatArray
    """(n,) seconds of each activity on the target."""
    notes: tuple[str, ...]
    part: PartForecast | None = None
    """What matters of the run: its steps, a range."""
    is_part: bool = False
    """Whether all times here are of that part alone, not of the whole run."""
    bounds_s: tuple[float, ...] = ()
    """The lower and the upper ``time_s`` where the trace does not tell whether the host waits for the devices."""
    drawn: ApplicationForecast | None = None
    """Of a long run the short part that its picture shows; timeline, dependencies and replay are of that part."""
    waiting: Waiting | None = None
    """What of collectives is no transfer; None where there are none, or it is not known."""
    regrouped_s: Mapping[int, float] = field(default_factory=dict)
    """GPUs -> s of the answer with collectives among so many (1: without any); empty where there are none."""
    summed_bytes: float = math.nan
    """B that each device's all-reduces add up in the answer; NaN where sizes are unknown."""
    trees: BothTrees | None = None
    """Both answers where a collective meets a host's slots that nobody describes; None elsewhere."""
    conditions: Mapping[str, Any] = field(default_factory=dict)
    """Of both sides, in words and numbers."""

    run: str = ""
    """Which of several runs it is; '' of one."""

    @property
    def answer(self) -> Span:
        """What a user asks for: one step or run of the range; the run where nothing of it matters more."""
        if self.part is not None:
            return self.part.each
        return Span(
            self.source_time_s, self.time_s, self.time_low_s, self.time_high_s, self.fixed_time_s, self.bounds_s
        )

    @property
    def devices(self) -> int:
        """GPUs that worked."""
        return max(len(np.unique(self.timeline.activities.device)), 1)

    @property
    def energy_j(self) -> tuple[float, float, float]:
        r"""J of the run's boards, and both ends; NaN without a power model.

        .. math:: E = \sum_k E_k + P_{idle} \max\left(n T - \sum_k T_k, 0\right)

        E_k, T_k : J and s of the kernels. n : GPUs that worked. T : s of the run. Between kernels boards draw what they
        draw without work. Ends: those of the kernels' energy, with the gaps at the same ends of both times.
        """
        total, idle = self.kernels_total, float(idle_w(columns_of([self.target]))[0])
        ends = ((self.time_s, total.time_s), (self.time_low_s, total.time_low_s), (self.time_high_s, total.time_high_s))
        gap, least, most = (idle * max(self.devices * run - kernels, 0.0) for run, kernels in ends)
        return total.energy_j + gap, total.energy_low_j + min(least, gap), total.energy_high_j + max(most, gap)

    def record(self) -> dict[str, Any]:
        """Values for JSON."""
        energy, least, most = (or_none(v) for v in self.energy_j)
        return ({"run": self.run} if self.run else {}) | {
            "source_gpu": self.source_gpu, "target_gpu": self.target.name, "model": self.model,
            "coverage": self.coverage, "conditions": dict(self.conditions),
            "source_time_s": self.source_time_s, "time_s": self.time_s,
            "time_low_s": self.time_low_s, "time_high_s": self.time_high_s,
            "energy_j": energy, "energy_low_j": least, "energy_high_j": most,
            "speedup": self.source_time_s / self.time_s if self.time_s > 0 else None,
            "fixed_time_s": self.fixed_time_s, "device_busy_source_s": self.busy_source_s, "device_busy_s": self.busy_s,
            "by_class": {c.name: c.time_s for c in self.classes},
            "by_class_source": {c.name: c.source_time_s for c in self.classes},
            "classes": list(map(dataclasses.asdict, self.classes)),
            "operators": list(map(dataclasses.asdict, name_operators(self.operators))),
            "by_range": list(map(dataclasses.asdict, self.ranges)),
            "kernels": [
                {"kernel": k.name, "launches": k.launches, "evidence": k.evidence,
                 "source_time_s": known(k.source_time_s), "time_s": known(k.time_s),
                 "time_low_s": known(k.time_low_s), "time_high_s": known(k.time_high_s),
                 "reason": k.reason or tell_undecided(k.time_low_s, k.time_high_s) or None,
                 "energy_j": or_none(k.energy_j), "energy_low_j": or_none(k.energy_low_j),
                 "energy_high_j": or_none(k.energy_high_j),
                 "limit_source": k.limit_source, "limit_target": k.limit_target}
                for k in self.kernels
            ],
            "kernels_total": self.kernels_total.record(), "of": "part" if self.is_part else "run",
            "part": self.part.record() if self.part else None, "bounds_s": list(self.bounds_s) or None,
            "evidence": dict(self.evidence), "notes": list(self.notes),
            "waiting": None if self.waiting is None else self.waiting.record(),
            "regrouped_s": {str(m): s for m, s in self.regrouped_s.items()}, "summed_bytes": or_none(self.summed_bytes),
            "slot_trees": None if self.trees is None else self.trees.record(),
        }  # fmt: skip
