"""Advice on whole runs: copies, unified memory, launches that come late, waits. Each rule needs a trace's evidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roofcast.applications.evidence import RunKernels, kernels_of_run
from roofcast.applications.long_runs import middle
from roofcast.applications.parts import covered_s
from roofcast.applications.recorded import Names, Progress, read_run_windows
from roofcast.applications.run_summary import TimelineSummary, summarise
from roofcast.core.kernel_table import KernelTable, concatenate
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.timeline import Api, HostMemory, Timeline, Way, Work
from roofcast.core.units import format_quantity
from roofcast.ingest.readers import from_file, number_files
from roofcast.ingest.timelines import are_timelines
from roofcast.ingest.traces.distinct_kernels import kernel_table_of
from roofcast.kit.quantities import count_of, format_percent
from roofcast.models.physics.host_link import ALPHA_COPY_S, PAGEABLE_SHARE
from roofcast.operators.kernel_names import Operation
from roofcast.reading import read

LEAST_SHARE = 0.01
"""Share of the run below which nothing is said: ours, ten times what is told of kernels, as these are bounds."""
ELEMENTWISE_SHARE = 1 / 3
"""Share of the devices' time in element-wise kernels from which fusing them is told."""
FUSED_STREAMS = 3
"""Arrays that an element-wise operator of two operands moves: two read, one written. Fused, what passes from one to the
next is neither written nor read: of a chain of k are left k operands, one more read and one write, which fall to the
kernel before, where there is one."""
LAUNCH_SHARE = 0.1
"""1; share of a run that its GPU must idle between launches before fewer launches are advised."""
SMALL_BYTES = 64 << 10
"""Copies that small take as long as their latency (about 5 us at 12 GB/s)."""
MANY = 50
"""Of which one may be chance: ours."""
HOST_WAYS = (Way.HOST_TO_DEVICE, Way.DEVICE_TO_HOST)
TYPICAL_LINK_BYTES_PER_S = 12e9
"""PCIe 3.0 x16, sustained, where the catalog does not know the link."""


@dataclass(frozen=True, slots=True)
class RunFinding:
    """One piece of advice on a run."""

    rule: str
    title: str
    what: str
    evidence: tuple[str, ...]
    remedy: str
    time_s: float
    """Of the work that the finding is about."""
    saved_bound_s: float
    """At most so much less, if nothing else changed; NaN where nothing can be said."""
    of_s: float = math.nan
    """What the gain is a share of, where it is not the run: the kernels' time."""


@dataclass(frozen=True)
class Run:
    """A recorded run as the rules see it."""

    timeline: Timeline
    summary: TimelineSummary
    processors: tuple[Processor | None, ...] = ()
    """Per device of the timeline."""

    @cached_property
    def host_copies(self) -> NDArray[np.intp]:
        """Copies between host and device."""
        work = self.timeline.activities
        return np.flatnonzero((work.kind == Work.COPY) & np.isin(work.way, HOST_WAYS))

    @cached_property
    def kernels(self) -> RunKernels:
        """The distinct kernels and what kind of work each is."""
        return kernels_of_run(self.timeline)

    def link_bytes_per_s(self) -> float:
        """Rate of the host's link, of the first device that the catalog knows it of."""
        for processor in self.processors:
            supply = processor.supply(Resource.BYTES_HOST_LINK) if processor else None
            if supply is not None:
                return supply.per_s
        return TYPICAL_LINK_BYTES_PER_S

    def share(self, seconds: float) -> float:
        """Share of the run."""
        return seconds / self.summary.time_s if self.summary.time_s > 0 else 0.0


def pageable_copies(run: Run) -> Iterator[RunFinding]:
    """Copies from and to pageable memory, slower than the link."""
    work = run.timeline.activities
    rows = run.host_copies[work.memory[run.host_copies] == HostMemory.PAGEABLE]
    time, moved = float(work.duration_s[rows].sum()), float(np.nansum(work.bytes[rows]))
    best = moved / run.link_bytes_per_s() + ALPHA_COPY_S * len(rows)
    if run.share(time) < LEAST_SHARE or time <= best or moved / time > PAGEABLE_SHARE * run.link_bytes_per_s():
        return
    yield RunFinding(
        "pageable-copies", "copies from pageable memory",
        f"copies of pageable memory ({len(rows)}) take {format_percent(run.share(time))} of the run",
        (f"{format_quantity(moved, 'B')} at {format_quantity(moved / time, 'B/s')}; the link sustains "
         f"{format_quantity(run.link_bytes_per_s(), 'B/s')}",),
        "allocate the host's side pinned (cudaMallocHost, pin_memory=True) and copy asynchronously",
        time, time - best,
    )  # fmt: skip


def small_copies(run: Run) -> Iterator[RunFinding]:
    """Many copies too small to use the link."""
    work = run.timeline.activities
    sizes = work.bytes[run.host_copies]
    rows = run.host_copies[(sizes > 0) & (sizes < SMALL_BYTES)]
    time, moved = float(work.duration_s[rows].sum()), float(work.bytes[rows].sum())
    best = moved / run.link_bytes_per_s() + ALPHA_COPY_S
    if len(rows) < MANY or run.share(time) < LEAST_SHARE or time <= best:
        return
    yield RunFinding(
        "small-copies", "many small copies",
        f"{len(rows)} copies of {format_quantity(moved / len(rows), 'B')} on average between host and device",
        (f"{format_quantity(time, 's')} on the device, {format_percent(run.share(time))} of the run, at "
         f"{format_quantity(moved / time, 'B/s')}",),
        "gather them in one pinned buffer and copy once; keep small results on the device",
        time, time - best,
    )  # fmt: skip


def exposed_copies(run: Run) -> Iterator[RunFinding]:
    """Copies during which no kernel runs."""
    work = run.timeline.activities
    kernels = run.timeline.kernels()
    rows = run.host_copies
    exposed_s = union(run, np.concatenate([rows, kernels])) - union(run, kernels)
    if run.share(exposed_s) < LEAST_SHARE or not len(kernels):
        return
    time = float(work.duration_s[rows].sum())
    yield RunFinding(
        "exposed-copies", "copies that nothing hides",
        f"for {format_percent(run.share(exposed_s))} of the run only copies between host and device run",
        (f"copies ({len(rows)}) of {format_quantity(float(np.nansum(work.bytes[rows])), 'B')} together, "
         f"{format_quantity(time, 's')}; {format_quantity(exposed_s, 's')} of it beside no kernel",),
        "copy the next part in a stream of its own while the present one is computed; keep data on the device",
        time, exposed_s,
    )  # fmt: skip


def unified_memory(run: Run) -> Iterator[RunFinding]:
    """Pages that unified memory moves on demand."""
    work = run.timeline.activities
    rows = np.flatnonzero(work.kind == Work.MIGRATION)
    time, moved = float(work.duration_s[rows].sum()), float(np.nansum(work.bytes[rows]))
    if run.share(time) < LEAST_SHARE:
        return
    best = moved / run.link_bytes_per_s()
    yield RunFinding(
        "unified-memory", "unified memory that moves on demand",
        f"{len(rows)} migrations of {format_quantity(moved / max(len(rows), 1), 'B')} on average",
        (f"{format_quantity(time, 's')}, {format_percent(run.share(time))} of the run, {format_quantity(moved, 'B')}",),
        "prefetch (cudaMemPrefetchAsync) and advise (cudaMemAdvise) what each phase needs, or allocate on the device",
        time, max(time - best, 0.0),
    )  # fmt: skip


def late_launches(run: Run) -> Iterator[RunFinding]:
    """Devices that wait for the host's next launch."""
    idle = run.summary.launch_bound_s
    if run.share(idle) < LAUNCH_SHARE:
        return
    kernels = run.timeline.kernels()
    time = run.timeline.activities.duration_s[kernels]
    median = float(np.median(time)) if len(time) else float("nan")
    yield RunFinding(
        "launch-bound", "devices that wait for launches",
        f"for {format_percent(run.share(idle))} of the run the devices have nothing to do until the host launches",
        (f"{count_of(len(kernels), 'kernel launch', 'es')}, median {format_quantity(median, 's')}",
         f"idle until a launch arrives: {format_quantity(idle, 's')}"),
        "capture the sequence in a CUDA graph (torch.compile mode='reduce-overhead'), fuse small kernels, enlarge the "
        "batch; no faster GPU shortens this part",
        idle, idle,
    )  # fmt: skip


def many_waits(run: Run) -> Iterator[RunFinding]:
    """The host waits after nearly every kernel."""
    calls = run.timeline.calls
    waits = int((calls.api == Api.SYNCHRONISE).sum()) if len(calls) else 0
    kernels = len(run.timeline.kernels())
    idle = run.summary.idle_s
    if kernels < MANY or waits < 0.5 * kernels or run.share(idle) < LAUNCH_SHARE:
        return
    yield RunFinding(
        "many-waits", "the host waits after nearly every kernel",
        f"{waits} synchronising calls for {kernels} kernel launches",
        (f"the devices are idle for {format_percent(run.share(idle))} of the run",),
        "wait once where the host needs a result (no .item(), .cpu() or print of tensors in the loop)",
        idle, float("nan"),
    )  # fmt: skip


def find_chains(run: Run) -> tuple[list[tuple[NDArray[np.intp], bool]], NDArray[np.intp]]:
    """Element-wise kernels that follow each other in a stream, and all of them, as positions among the activities.

    Of each chain also whether it begins its stream: no kernel before could take its read.
    """
    kernels, work = run.kernels, run.timeline.activities
    kind = np.array([o in (Operation.ELEMENTWISE, Operation.COPY) for o in kernels.operation], np.bool_)
    mine = kind[kernels.row]
    if not mine.any():
        return [], np.zeros(0, np.intp)
    order = np.lexsort((work.start_s[kernels.launches], work.stream[kernels.launches], work.device[kernels.launches]))
    queue = np.stack([work.device[kernels.launches], work.stream[kernels.launches]])[:, order]
    another = np.append(True, (np.diff(queue) != 0).any(axis=0))
    # A chain begins at another kind of kernel and on another stream.
    begins = np.flatnonzero(another | np.append(True, np.diff(mine[order]) != 0))
    chains = [
        (kernels.launches[chain], bool(another[first]))
        for first, chain in zip(begins, np.split(order, begins[1:]), strict=True) if mine[chain[0]]
    ]  # fmt: skip
    return chains, kernels.launches[mine]


def unfused(run: Run) -> Iterator[RunFinding]:
    """A third or more of the devices' time in element-wise kernels, which move arrays that one kernel need not."""
    time = run.timeline.activities.duration_s
    chains, mine = find_chains(run)
    spent, every = float(time[mine].sum()), float(time[run.kernels.launches].sum())
    if not every > 0 or spent < ELEMENTWISE_SHARE * every:
        return
    saved = 0.0
    for chain, is_first in chains:
        left = len(chain) + (FUSED_STREAMS - 1 if is_first else 0)
        saved += float(time[chain].sum()) * max(1 - left / (FUSED_STREAMS * len(chain)), 0.0)
    yield RunFinding(
        "unfused-elementwise", "element-wise kernels that could be one",
        f"{format_percent(spent / every)} of the devices' kernel time is element-wise work, which only moves arrays",
        (f"{len(mine)} element-wise kernels and copies of {len(run.kernels.launches)}, {format_quantity(spent, 's')}",),
        "fuse chains into one kernel (torch.compile, nvFuser, XLA) or into the epilogue of the product before them: "
        "results in between stay in registers",
        spent, saved, every,
    )  # fmt: skip


RUN_RULES: dict[str, Callable[[Run], Iterator[RunFinding]]] = {
    "pageable-copies": pageable_copies,
    "small-copies": small_copies,
    "exposed-copies": exposed_copies,
    "unified-memory": unified_memory,
    "launch-bound": late_launches,
    "many-waits": many_waits,
    "unfused-elementwise": unfused,
}


@dataclass(frozen=True, slots=True)
class RunAdvice:
    """Advice on one recorded run."""

    file: str
    time_s: float
    findings: tuple[RunFinding, ...]
    timeline: Timeline
    """The run, or the part of it that was looked at."""


def advise_on_run(timeline: Timeline) -> RunAdvice:
    """What to change in a run, most time first."""
    run = Run(timeline, summarise(timeline), processors_of(timeline))
    findings = [finding for rule in RUN_RULES.values() for finding in rule(run)]
    findings.sort(key=lambda f: -(f.saved_bound_s if f.saved_bound_s > 0 else 0.0))
    file = timeline.provenance[0].file if timeline.provenance else ""
    return RunAdvice(file, run.summary.time_s, tuple(findings), timeline)


def read_advised(
    files: Names, input_format: str | None, step: Progress | None = None
) -> tuple[KernelTable, list[RunAdvice]]:
    """The kernels of the files, and of traces what to change in each run."""
    if not are_timelines(files, input_format):
        return read(files, input_format), []
    runs = read_run_windows(files, input_format, step)
    tables = [from_file(kernel_table_of(run), run.provenance.file) for run in runs]
    return concatenate(number_files(tables)), [advise_on_run(middle(run)) for run in runs]


def processors_of(timeline: Timeline) -> tuple[Processor | None, ...]:
    """Per device, its catalog entry; None where there is none."""
    from roofcast.catalog import find
    from roofcast.core.errors import RoofcastError

    processors: list[Processor | None] = []
    for device in timeline.devices:
        try:
            processors.append(find(device.name).processor if device.name else None)
        except RoofcastError:
            processors.append(None)
    return tuple(processors)


def union(run: Run, rows: NDArray[np.intp]) -> float:
    """Seconds that at least one of these activities covers."""
    work = run.timeline.activities
    return covered_s(work.start_s[rows], work.end_s[rows])
