"""What a recorded run spent its time on: work, idle devices, launches that came late, the longest chain of causes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from roofcast.applications.dependencies import Dependencies, dependencies
from roofcast.applications.evidence import Evidence, kernels_of_run
from roofcast.applications.parts import (
    OTHER,
    Labels,
    classes_of,
    covered_s,
    operator_labels,
    parts,
    range_times,
    share,
)
from roofcast.applications.replay import Replay
from roofcast.applications.result import PartTime, RangeTime, name_operators
from roofcast.core.kernel_table import TextArray, as_text
from roofcast.core.records import dataclass
from roofcast.core.timeline import Collective, Timeline, Work
from roofcast.forecasting.preparing.in_order import add_told_amounts

HOST, LAUNCH, WAIT, GAP = "host", "launch latency", "return of a wait", "between kernels"


@dataclass(frozen=True)
class TimelineSummary:
    """A recorded run in figures."""

    timeline: Timeline
    time_s: float
    busy_s: float
    """At least one device worked."""
    idle_s: float
    """Between the first and the last work of the devices, none worked."""
    launch_bound_s: float
    """Part of it that ended when a launch arrived: the host was too slow."""
    copy_s: float
    """Time of copies, as they add up."""
    classes: tuple[PartTime, ...]
    kernels: tuple[PartTime, ...]
    """By name, whatever the geometry."""
    operators: tuple[PartTime, ...]
    ranges: tuple[RangeTime, ...]
    critical: Mapping[str, float]
    """Kind of work, or the host -> seconds on the longest chain of causes; they add up to the run."""
    activity_class: TextArray
    """(n,) kind of each activity of the timeline; empty of a long run."""
    dependencies: Dependencies
    """What waited for what; of nothing where the run is long."""
    shapes_share: float
    """Share of the kernels' time whose work is known from shapes."""
    counts: Mapping[str, int]
    """How many kernels, copies, ... there were."""

    @property
    def source_gpu(self) -> str:
        """The GPUs that the trace names."""
        return ", ".join(dict.fromkeys(d.name for d in self.timeline.devices)) or "GPU unknown"

    def list_measures(self) -> list[tuple[str, float, str, bool]]:
        """What two recordings of a run are compared by: name, value, unit, whether its rise is a fault by itself."""
        return [
            ("run", self.time_s, "s", True), ("devices busy", self.busy_s, "s", True),
            ("gaps between work", self.idle_s, "s", False), ("copies", self.copy_s, "s", False),
            ("launches of kernels", float(self.counts["kernels"]), "", False),
            ("distinct kernels", float(len(self.kernels)), "", False),
            ("copies, number", float(self.counts["copies"]), "", False),
            ("calls of the host", float(self.counts["calls"]), "", False),
        ]  # fmt: skip

    def record(self) -> dict[str, Any]:
        """Values for JSON."""
        return {
            "time_s": self.time_s, "device_busy_s": self.busy_s, "device_idle_s": self.idle_s,
            "launch_bound_s": self.launch_bound_s, "copy_s": self.copy_s,
            "gpus": list(dict.fromkeys(d.name for d in self.timeline.devices)),
            "devices": len(self.timeline.devices), "processes": len(self.timeline.processes),
            **self.counts,
            "by_class": {c.name: c.source_time_s for c in self.classes},
            "by_kernel": {c.name: c.source_time_s for c in self.kernels},
            "by_operator": {c.name: c.source_time_s for c in name_operators(self.operators)},
            "by_range": [
                {"name": r.name, "runs": r.runs, "time_s": r.source_time_s, "device_s": r.source_device_s}
                for r in self.ranges
            ],
            "critical_path": dict(self.critical), "shapes_share": self.shapes_share,
        }  # fmt: skip


def summarise(timeline: Timeline) -> TimelineSummary:
    """A recorded run in figures."""
    work = timeline.activities
    deps = dependencies(timeline)
    labels, known = Labels(as_text([OTHER]), np.zeros(len(work), np.intp)), 0.0
    if len(timeline.kernels()):
        kernels = kernels_of_run(timeline)
        labels = classes_of(work, kernels)
        known = share(kernels.weight, kernels.evidence(add_told_amounts(kernels.table)) == Evidence.SHAPES)
    time = work.duration_s
    rows = timeline.kernels()
    by_name = Labels(timeline.names, work.name[rows])
    first, last = timeline.span_s
    recorded = Replay(work.start_s, work.end_s, np.zeros(len(deps.wait_end_s)), last - first, 1.0, first)
    busy = covered_s(work.start_s, work.end_s)
    reached = float(work.end_s.max() - work.start_s.min()) if len(work) else 0.0
    return TimelineSummary(
        timeline=timeline, time_s=last - first, busy_s=busy, idle_s=reached - busy,
        launch_bound_s=launch_bound_s(timeline, deps), copy_s=float(time[work.kind == Work.COPY].sum()),
        classes=parts(labels, time, time, time, time),
        kernels=parts(by_name, time[rows], time[rows], time[rows], time[rows]),
        operators=parts(operator_labels(timeline), time, time, time, time),
        ranges=range_times(timeline, deps, recorded, time), critical=critical_path(timeline, deps, labels.listed()),
        activity_class=labels.listed(), dependencies=deps, shapes_share=known, counts=counts_of(timeline),
    )  # fmt: skip


def counts_of(timeline: Timeline) -> dict[str, int]:
    """How many kernels, copies, ... there were."""
    work = timeline.activities
    return {
        "streams": len(np.unique(np.stack([work.device, work.stream]), axis=1).T),
        "kernels": int((work.kind == Work.KERNEL).sum()), "copies": int((work.kind == Work.COPY).sum()),
        "memory_sets": int((work.kind == Work.MEMSET).sum()),
        "collectives": int((work.collective != Collective.NONE).sum()), "calls": len(timeline.calls),
    }  # fmt: skip


def launch_bound_s(timeline: Timeline, deps: Dependencies) -> float:
    """Idle time of all devices that ended because a launch arrived."""
    work = timeline.activities
    if not len(work):
        return 0.0
    finish = np.maximum.accumulate(work.end_s)
    gaps = np.maximum(work.start_s[1:] - finish[:-1], 0.0)
    return float(gaps[deps.bound[1:] == 2].sum())


def critical_path(timeline: Timeline, deps: Dependencies, labels: TextArray) -> dict[str, float]:
    """Seconds per kind of work, and of the host, on the chain of causes that leads to the last event."""
    work = timeline.activities
    first, last = timeline.span_s
    seconds: dict[str, float] = {}
    now = last
    i = int(np.argmax(work.end_s)) if len(work) else -1
    waits = np.flatnonzero(deps.wait_process == work.process[i]) if len(work) else np.zeros(0, np.int64)
    k = int(waits[-1]) if len(waits) else -1
    on_host = i < 0 or float(work.end_s[i]) < last

    def spend(kind: str, until: float) -> float:
        if until < now:
            seconds[kind] = seconds.get(kind, 0.0) + now - until
        return min(now, until)

    for _ in range(2 * (len(work) + len(deps.wait_end_s)) + 2):
        if on_host:
            if k < 0:
                break
            now = spend(HOST, float(deps.wait_end_s[k]))
            i = int(deps.wait_for[k])
            waited = float(work.end_s[i]) > float(deps.wait_start_s[k])
            now = spend(WAIT if waited else HOST, float(work.end_s[i]) if waited else float(deps.wait_start_s[k]))
            on_host, k = not waited, int(deps.wait_host[k])
            continue
        now = spend(str(labels[i]), float(work.start_s[i]))
        cause = {1: int(deps.previous[i]), 3: int(deps.other[i])}.get(int(deps.bound[i]), -1)
        if cause >= 0:
            now = spend(GAP, float(work.end_s[cause]))
            i = cause
        elif int(deps.bound[i]) == 2:
            now = spend(LAUNCH, float(deps.call_s[i]))
            on_host, k = True, int(deps.host[i])
        else:
            break
    now = spend(HOST, first)
    return dict(sorted(seconds.items(), key=lambda item: -item[1]))
