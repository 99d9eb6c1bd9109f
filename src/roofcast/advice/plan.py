r"""What each change of a run would save on each GPU: the run is played again with the change.

.. math:: S = T(d, h) - \max\left(T(d', c \, h), \; \sum_{k \in L} d_k / n\right)

T : s of a step (else of the part of the run that matters). d : (n,) s of each piece of work, as `roofcast app`
forecasts them on that GPU. d' : the same with the change. h : what the host takes, over what was recorded; c : what of
it is left with the change; each launch has the same part in it. L : copies that the change hides, which the link still
has to move. n : steps. Reason: what a change takes off is a gain only where nothing else is waited for, which another
GPU changes: so the order of the changes differs from GPU to GPU. S is the most: a change is taken to be perfect.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from roofcast.advice.runs import (
    FUSED_STREAMS,
    LEAST_SHARE,
    SMALL_BYTES,
    Run,
    RunFinding,
    find_chains,
    processors_of,
)
from roofcast.applications.replay import replay
from roofcast.applications.result import ApplicationForecast
from roofcast.applications.run_summary import summarise
from roofcast.applications.steps import Part
from roofcast.applications.whole_run import Play, choose_part, forecast_application
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.results import Conditions
from roofcast.core.timeline import HostMemory, Timeline, Work
from roofcast.core.units import format_quantity
from roofcast.kit.quantities import count_of, format_percent
from roofcast.models.physics.host_link import ALPHA_COPY_S, PAGEABLE_SHARE, link_rate

STEPS, KEPT = 3, 3
"""Changes in a sequence, and sequences that are told."""
MOST_WORK = 300_000
"""Pieces of work of a part of a run that are played again: ten seconds for all changes."""
TITLES = {
    "launch-bound": ("CUDA graph", "capture the sequence in a CUDA graph (torch.compile "
                     "mode='reduce-overhead'), or enlarge the batch"),
    "larger-batch": ("twice the batch", "twice the samples a step, where memory and accuracy allow: times are of as "
                     "many as before"),
    "unfused-elementwise": ("fused element-wise", "torch.compile, nvFuser, XLA, or the epilogue of a product"),
    "pageable-copies": ("pinned memory", "cudaMallocHost, pin_memory=True"),
    "small-copies": ("gathered copies", "one pinned buffer, copied once"),
    "exposed-copies": ("copies behind kernels", "copy the next part in a stream of its own"),
    "unified-memory": ("prefetched pages", "cudaMemPrefetchAsync before each phase"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a run as its replay sees it."""

    rule: str
    evidence: str
    durations: Callable[[FloatArray, Processor], FloatArray]
    """(n,) s of each piece of work on a GPU -> the same with the change."""
    host_left: float = 1.0
    """What is left of the host's own time."""
    hidden: NDArray[np.intp] | None = None
    """Copies that the link still moves, beside other work."""


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """Changes of one run on one GPU."""

    rules: tuple[str, ...]
    """In the order in which each leaves least; one for a single change."""
    time_s: float
    """With them."""
    saved_s: float
    """At most."""
    evidence: str = ""

    @property
    def title(self) -> str:
        """In words."""
        return " + ".join(TITLES[r][0] for r in self.rules)

    @property
    def remedy(self) -> str:
        """What to try."""
        return "; ".join(TITLES[r][1] for r in self.rules)


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What pays on one GPU, the most first."""

    gpu: str
    unit: str
    """What the times are of: a step, a range, the run."""
    time_s: float
    time_low_s: float
    time_high_s: float
    """As they are, with the forecast's interval."""
    changes: tuple[PlannedChange, ...]
    paths: tuple[PlannedChange, ...] = ()
    """Sequences; empty where nobody asked."""


def unchanged(duration_s: FloatArray, gpu: Processor) -> FloatArray:
    """The durations as they are."""
    return duration_s


def list_changes(run: Run) -> Iterator[Change]:
    """Every change that the run has something for."""
    work = run.timeline.activities
    launches = len(run.timeline.kernels())
    if launches and len(run.timeline.calls):
        yield Change("launch-bound", f"{count_of(launches, 'kernel launch', 'es')} by the host", unchanged, 0.0)
    if launches and run.timeline.operators:
        yield enlarge_batch(run)
    chains, mine = find_chains(run)
    if chains:
        left = np.ones(len(work))
        fused = 0
        for rows, is_first in chains:
            streams = len(rows) + (FUSED_STREAMS - 1 if is_first else 0)
            left[rows] = min(streams / (FUSED_STREAMS * len(rows)), 1.0)
            fused += len(rows) - 1
        spent, every = float(work.duration_s[mine].sum()), float(work.duration_s[run.kernels.launches].sum())
        yield Change(
            "unfused-elementwise",
            f"{len(mine)} element-wise kernels, {format_percent(spent / every if every > 0 else 0.0)} of the kernels' "
            f"time where it was recorded, in {count_of(len(chains), 'chain')}",
            lambda d, _: d * left, 1 - fused / max(launches, 1),
        )  # fmt: skip
    yield from list_copy_changes(run)


def enlarge_batch(run: Run) -> Change:
    r"""Twice the samples in one step, of which half counts here.

    .. math:: d' = d \cdot \mathrm{clip}(b / N, 1/2, 1), \qquad h' = h / 2

    b : 1, blocks of a kernel. N : 1, SMs of the GPU. Reason: twice the samples are twice the blocks; those that find
    SMs idle take no longer, and the host launches as many kernels for both halves. Collectives exchange gradients,
    which are as many. Kernels of an unknown grid, and copies, take twice as long.
    """
    kernels, work = run.kernels, run.timeline.activities
    blocks = np.full(len(work), np.inf)
    blocks[kernels.launches] = np.nan_to_num(kernels.table.column("grid_blocks"), nan=np.inf)[kernels.row]
    blocks[kernels.launches[kernels.communicates[kernels.row]]] = 0.0

    def halved(duration_s: FloatArray, gpu: Processor) -> FloatArray:
        return duration_s * np.clip(blocks / gpu.sm_count, 0.5, 1.0) if gpu.sm_count > 0 else duration_s

    here = next((p.sm_count for p in run.processors if p is not None), 0)
    few = int((blocks[kernels.launches] < here).sum())
    return Change(
        "larger-batch",
        f"fewer blocks than SMs in {few} of {count_of(len(kernels.launches), 'kernel launch', 'es')} where recorded",
        halved, 0.5,
    )  # fmt: skip


def list_copy_changes(run: Run) -> Iterator[Change]:
    """Changes of copies between host and device, and of pages."""
    work = run.timeline.activities
    rows, sizes = run.host_copies, np.nan_to_num(work.bytes)

    def at_link(chosen: NDArray[np.intp], latency_s: float) -> Callable[[FloatArray, Processor], FloatArray]:
        def changed(duration_s: FloatArray, gpu: Processor) -> FloatArray:
            rate = link_rate(gpu)
            if not rate > 0:
                return duration_s
            result = duration_s.copy()
            result[chosen] = np.minimum(duration_s[chosen], sizes[chosen] / rate + latency_s)
            return result

        return changed

    pageable = rows[(work.memory[rows] == HostMemory.PAGEABLE) & (sizes[rows] > 0)]
    moved, time = float(sizes[pageable].sum()), float(work.duration_s[pageable].sum())
    if time > 0 and moved / time < PAGEABLE_SHARE * run.link_bytes_per_s():
        yield Change(
            "pageable-copies", f"{count_of(len(pageable), 'pageable copy', 'pageable copies')} at "
            f"{format_quantity(moved / time, 'B/s')}", at_link(pageable, ALPHA_COPY_S),
        )  # fmt: skip
    small = rows[(sizes[rows] > 0) & (sizes[rows] < SMALL_BYTES)]
    if len(small) > 1:
        yield Change(
            "small-copies", f"{len(small)} copies of {format_quantity(float(sizes[small].mean()), 'B')}",
            at_link(small, 0.0),
        )  # fmt: skip
    if len(rows):
        factor = np.ones(len(work))
        factor[rows] = 0.0
        yield Change(
            "exposed-copies", f"{count_of(len(rows), 'copy', 'copies')} of "
            f"{format_quantity(float(sizes[rows].sum()), 'B')}", lambda d, _: d * factor, hidden=rows,
        )  # fmt: skip
    pages = np.flatnonzero((work.kind == Work.MIGRATION) & (sizes > 0))
    if len(pages):
        yield Change(
            "unified-memory", f"{count_of(len(pages), 'migration')} of "
            f"{format_quantity(float(sizes[pages].sum()), 'B')}", at_link(pages, 0.0),
        )  # fmt: skip


@dataclass(frozen=True)
class Played:
    """A forecast run, ready to be played with changes."""

    forecast: ApplicationForecast
    part: Part | None

    def time_s(self, changes: Sequence[Change]) -> float:
        """Seconds of a step (of the run) with some changes."""
        f = self.forecast
        durations, host = f.duration_s, f.replay.host_factor
        for change in changes:
            durations, host = change.durations(durations, f.target), host * change.host_left
        again = replay(f.timeline, f.dependencies, durations, host_factor=host)
        count = self.part.count if self.part is not None else 1
        time = self.part.time_s(f.timeline, f.dependencies, again) / count if self.part is not None else again.time_s
        rows = np.ones(len(f.duration_s), np.bool_) if self.part is None else self.part.rows(f.timeline, f.dependencies)
        hidden = [float(f.duration_s[c.hidden][rows[c.hidden]].sum()) / count for c in changes if c.hidden is not None]
        return max([time, *hidden])

    @property
    def unit(self) -> str:
        """What the times are of."""
        if self.part is None:
            return "the run"
        return {"steps": "a step", "range": self.part.name}.get(self.part.kind, "the devices' work")


def plan_run(
    timeline: Timeline, found: Sequence[RunFinding], on: str | Processor | None, source: str | Processor | None,
    model: str | None, conditions: Conditions, *, paths: bool = False,
) -> tuple[RunPlan, ...]:  # fmt: skip
    """What pays in a run, on the GPU of the recording and on ``on``; nothing where that GPU is unknown.

    found : what the rules say of the run: their evidence.
    """
    gpu = source or next((p for p in processors_of(timeline) if p is not None), None)
    if gpu is None or not 0 < len(timeline.activities) <= MOST_WORK or not len(timeline.kernels()):
        return ()
    targets = [gpu] if on is None else [gpu, on]
    try:
        forecasts = forecast_application(timeline, targets, source=source, model=model, conditions=conditions)
    except RoofcastError:
        return ()
    run = Run(timeline, summarise(timeline), processors_of(timeline))
    reasons = {f.rule: f"{f.what}; {'; '.join(f.evidence)}" for f in found}
    changes = list(list_changes(run))
    names = dict.fromkeys(f.target.name for f in forecasts)
    by_name = {name: next(f for f in forecasts if f.target.name == name) for name in names}
    return tuple(plan_on(f, changes, reasons, paths=paths) for f in by_name.values())


def plan_on(f: ApplicationForecast, changes: Sequence[Change], told: dict[str, str], *, paths: bool) -> RunPlan:
    """What pays on one GPU."""
    played = Played(f, choose_part(f.timeline, f.dependencies, Play()))
    whole = played.time_s(())

    def planned(chosen: Sequence[Change], time: float) -> PlannedChange:
        reason = "; ".join(told.get(c.rule, c.evidence) for c in chosen)
        return PlannedChange(tuple(c.rule for c in chosen), time, whole - time, reason)

    single = [planned((c,), played.time_s((c,))) for c in changes]
    paying = [p for p in single if p.saved_s >= LEAST_SHARE * whole]
    paying.sort(key=lambda p: -p.saved_s)
    # With interval only where the forecast's answer is of the same part.
    share = [v / f.answer.time_s if f.answer.time_s > 0 else 1.0 for v in (f.answer.time_low_s, f.answer.time_high_s)]
    ways = find_sequences(played, changes, whole, planned) if paths else ()
    return RunPlan(f.target.name, played.unit, whole, whole * share[0], whole * share[1], tuple(paying), ways)


def find_sequences(
    played: Played, changes: Sequence[Change], whole: float,
    planned: Callable[[Sequence[Change], float], PlannedChange],
) -> tuple[PlannedChange, ...]:  # fmt: skip
    """Sequences of two or three changes of which none could be left out, the best first."""
    times: dict[tuple[int, ...], float] = {(): whole}
    for n in range(1, STEPS + 1):
        for chosen in itertools.combinations(range(len(changes)), n):
            times[chosen] = played.time_s([changes[k] for k in chosen])
    useful = [
        c for c in times if len(c) > 1 and all(
            times[tuple(k for k in c if k != left)] - times[c] >= LEAST_SHARE * whole for left in c
        )
    ]  # fmt: skip
    best = sorted(useful, key=lambda c: times[c])[:KEPT]

    def order(chosen: tuple[int, ...]) -> list[Change]:
        done: tuple[int, ...] = ()
        while len(done) < len(chosen):
            done += (min((k for k in chosen if k not in done), key=lambda k: times[tuple(sorted((*done, k)))]),)
        return [changes[k] for k in done]

    return tuple(planned(order(c), times[c]) for c in best)
