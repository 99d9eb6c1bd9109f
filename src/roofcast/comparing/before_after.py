"""What changed between two profiles: which kernels are the same, their time with its noise, what --fail-above fails."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roofcast.comparing.saved import SavedForecast
from roofcast.core.kernel_table import FloatArray, KernelTable, Provenance
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.kit.names import compact_shape, full_name, short_name, table_names
from roofcast.kit.quantities import format_percent

if TYPE_CHECKING:
    from roofcast.applications.run_summary import TimelineSummary


@dataclass(frozen=True, slots=True)
class Group:
    """Launches of one kernel in both profiles; one side is empty where the other profile lacks the kernel."""

    before: tuple[int, ...]
    after: tuple[int, ...]


def match_kernels(before: KernelTable, after: KernelTable) -> list[Group]:
    """Groups in the order of the first profile, then what only the second has.

    Launches of one name, geometry and GPU form one group; what is left is grouped by name and geometry, then by name
    alone. A geometry that one side does not record (a saved forecast) fits any.
    """
    names = list_names(before), list_names(after)
    shapes = list_shapes(before), list_shapes(after)
    gpus = before.strings("gpu"), after.strings("gpu")
    left = set(range(len(before))), set(range(len(after)))
    groups: list[Group] = []
    for key in (
        lambda s, i: (names[s][i], shapes[s][i], str(gpus[s][i])),
        lambda s, i: (names[s][i], shapes[s][i]),
        lambda s, i: names[s][i],
    ):
        both = [g for g in collect(left, key) if g.before and g.after]
        left[0].difference_update(i for g in both for i in g.before)
        left[1].difference_update(i for g in both for i in g.after)
        groups += both
    groups += collect(left, lambda s, i: (names[s][i], shapes[s][i]))
    return sorted(groups, key=lambda g: g.before[0] if g.before else len(before) + g.after[0])


def collect(left: tuple[set[int], set[int]], key: Callable[[int, int], Hashable]) -> list[Group]:
    """The launches that are left, those that share a key together."""
    rows: dict[Hashable, tuple[list[int], list[int]]] = {}
    for side in (0, 1):
        for i in sorted(left[side]):
            rows.setdefault(key(side, i), ([], []))[side].append(i)
    return [Group(tuple(a), tuple(b)) for a, b in rows.values()]


def list_names(kernels: KernelTable) -> list[str]:
    """(n,) names without differences of spacing, with what distinguishes runs of a table."""
    mangled, config = kernels.strings("kernel_mangled"), kernels.strings("config")
    return [
        "".join(full_name(str(n), str(m)).split()) + (f"|{c}" if c else "")
        for n, m, c in zip(kernels.strings("kernel"), mangled, config, strict=True)
    ]


def list_shapes(kernels: KernelTable) -> list[str]:
    """(n,) grid and block; '' where not recorded."""
    grid, block = kernels.column("grid_blocks"), kernels.column("block_threads")
    recorded = kernels.strings("grid"), kernels.strings("block")
    shapes = []
    for i in range(len(kernels)):
        texts = [compact_shape(str(column[i])) for column in recorded]
        numbers = ["" if np.isnan(v[i]) else f"{v[i]:.0f}" for v in (grid, block)]
        parts = [t or n for t, n in zip(texts, numbers, strict=True)]
        shapes.append("·".join(parts) if any(parts) else "")
    return shapes


IndexArray = NDArray[np.intp]

SINGLE_NOISE = 0.02
"""Relative standard deviation taken for one launch whose spread nobody measured."""
LEAST_NOISE = 0.002
"""1; standard deviation of ln(time) below which repeats agree by accident."""
SIGMAS = 2.0
"""Standard deviations of a difference beyond which it is none of noise: 95 %."""
MIN_REPEATS = 3
"""Repeats from which their own scatter is the noise; fewer take the assumed one."""
FAIL_SHARE = 0.01
"""Kernels below this share of the time cannot fail a comparison on their own."""
MOVED_RATIO, MOVED_SHARE = 1.03, 0.02
MAX_CAUSES = 5
"""Amounts that a row names as what changed with the time."""

AMOUNTS = (
    *(r.value for r in Resource), "flops", "insts_executed", "bytes_local", "shared_bank_conflicts",
    "sectors_uncoalesced", "working_set_bytes",
)  # fmt: skip
"""More of these takes more time."""
RATES = ("clock_hz", "clock_hz_dram", "threads_per_inst", "occupancy_fraction", "l1_hit_fraction", "l2_hit_fraction")
"""Less of these takes more time."""
SETTINGS = ("regs_per_thread", "smem_bytes_per_block", "grid_blocks", "block_threads", "divergent_branch_fraction")
"""These explain the others."""


@dataclass(frozen=True, slots=True)
class Moved:
    """One quantity that changed."""

    name: str
    before: float
    after: float
    explains: bool
    """Whether it moved in the direction that the time did."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure of two recorded runs."""

    name: str
    before: float
    after: float
    unit: str
    """s, or '' for a count."""
    gates: bool
    """Whether its rise fails a comparison; the others tell why the run moved."""

    @property
    def ratio(self) -> float:
        """After over before; NaN where there was none before."""
        return self.after / self.before if self.before > 0 else math.nan


@dataclass(frozen=True, slots=True)
class Change:
    """One kernel, with all its launches, in both profiles."""

    name: str
    full_name: str
    launches_before: int
    launches_after: int
    before_s: float
    """Mean per launch; NaN where absent."""
    after_s: float
    ratio: float
    """After over before, per launch."""
    noise: float
    """Relative change that chance alone can make (two standard deviations)."""
    noise_assumed: bool
    verdict: str
    share: float
    """Share of the time, of the side where it has more."""
    moved: tuple[Moved, ...] = ()
    low_s: float = math.nan
    high_s: float = math.nan

    @property
    def is_noticed(self) -> bool:
        """Whether it has so much of the time that it can fail a comparison on its own."""
        return self.share >= FAIL_SHARE

    @property
    def total_before_s(self) -> float:
        """Seconds of all launches before; 0 where there are none."""
        return self.before_s * self.launches_before if self.launches_before else 0.0

    @property
    def total_after_s(self) -> float:
        """Seconds of all launches after; 0 where there are none."""
        return self.after_s * self.launches_after if self.launches_after else 0.0

    @property
    def total_ratio(self) -> float:
        """After over before, of all launches; NaN where a side has none."""
        if not (self.total_before_s > 0 and self.total_after_s > 0):
            return math.nan
        return self.total_after_s / self.total_before_s


@dataclass(frozen=True, slots=True)
class Comparison:
    """All kernels of two profiles."""

    before: str
    after: str
    changes: tuple[Change, ...]
    total_before_s: float
    """All launches of all kernels with a time; against a saved forecast, of those that both have, as often as the fewer
    launches."""
    total_after_s: float
    forecast_of: str = ""
    """Target GPU, where the first side is a saved forecast."""
    coverage: float | None = None
    notes: tuple[str, ...] = field(default=())
    origins: tuple[Provenance, ...] = ()
    """The profiles that were read."""
    runs: tuple[Measure, ...] = ()
    """Of two timelines, what the recorded runs took."""
    recorded: tuple[TimelineSummary, ...] = ()
    """The two runs, the longest of each side, where both are short enough to be drawn."""

    @property
    def ratio(self) -> float:
        """Total after over total before; NaN where nothing could be compared."""
        return self.total_after_s / self.total_before_s if self.total_before_s > 0 else math.nan

    @property
    def inside(self) -> tuple[int, int]:
        """How many measured kernels lie inside their forecast interval, of how many."""
        judged = [c for c in self.changes if c.verdict in ("inside", "above", "below")]
        return sum(c.verdict == "inside" for c in judged), len(judged)

    def failures(self, above: float) -> list[str]:
        """What takes more than allowed, whatever the cause: the run, the devices, the total, and kernels with a
        noticeable share of the time. Kernels count with all their launches, and must rise beyond noise.
        """
        if self.forecast_of:
            slower = [c.name for c in self.changes if c.ratio > 1 + above and c.verdict == "above" and c.is_noticed]
            return ["total", *slower] if self.ratio > 1 + above else slower
        slower = [
            c.name
            for c in self.changes
            if c.total_ratio > 1 + above and c.is_noticed and math.log(c.total_ratio) > c.noise
        ]
        spread = [c.noise * c.total_before_s for c in self.changes if c.total_ratio > 0]
        noise = math.sqrt(sum(s * s for s in spread)) / self.total_before_s if self.total_before_s > 0 else 0.0
        risen = [m.name for m in self.runs if m.gates and m.ratio > 1 + above]
        return [*risen, *(["total"] if self.ratio > 1 + max(above, noise) else []), *slower]


def compare(
    before: KernelTable, after: KernelTable, names: tuple[str, str], saved: SavedForecast | None = None,
    runs: tuple[Measure, ...] = (),
) -> Comparison:  # fmt: skip
    """Compare two profiles, or a saved forecast with a measurement.

    before, after : the profiles; ``before`` is ``saved.kernels`` for a saved forecast.
    names : what to call them. runs : of two timelines, what the recorded runs took.
    """
    groups = match_kernels(before, after)
    first, second = (float(np.nansum(keep_positive(k.column("time_s")) * k.launches)) for k in (before, after))
    whole = first, second
    labels = name_groups(before, after, groups)
    changes = tuple(describe_change(before, after, g, n, whole, saved) for g, n in zip(groups, labels, strict=True))
    if saved:
        both = [(c, min(c.launches_before, c.launches_after)) for c in changes if c.ratio > 0]
        whole = sum(c.before_s * n for c, n in both), sum(c.after_s * n for c, n in both)
    notes = list_notes(before, after, changes, saved)
    return Comparison(
        *names, changes, *whole, saved.target if saved else "", saved.coverage if saved else None, notes,
        (*before.provenance, *after.provenance), runs,
    )  # fmt: skip


def name_groups(before: KernelTable, after: KernelTable, groups: list[Group]) -> list[str]:
    """Readable names; kernels that share one are told apart as the tables do."""
    unique = table_names(before), table_names(after)
    names = [(k.strings("kernel"), k.strings("kernel_mangled")) for k in (before, after)]
    # A saved forecast has no geometry to tell kernels apart by: the measurement's names are those of `forecast`.
    order = (0, 1) if any(list_shapes(before)) else (1, 0)
    places = [next((s, rows[0]) for s in order if (rows := (g.before, g.after)[s])) for g in groups]
    short = [short_name(str(names[s][0][i]), mangled=str(names[s][1][i])) for s, i in places]
    repeated = {n for n, count in Counter(short).items() if count > 1}
    return [unique[s][i] if n in repeated else n for (s, i), n in zip(places, short, strict=True)]


def describe_change(
    before: KernelTable, after: KernelTable, group: Group, name: str, whole: tuple[float, float],
    saved: SavedForecast | None,
) -> Change:  # fmt: skip
    """One kernel in both profiles. whole : seconds of all kernels on either side."""
    a, b = np.array(group.before, dtype=np.intp), np.array(group.after, dtype=np.intp)
    times = keep_positive(before.column("time_s")[a]), keep_positive(after.column("time_s")[b])
    counts = before.launches[a], after.launches[b]
    means = take_mean(times[0], counts[0]), take_mean(times[1], counts[1])
    launches = round(float(counts[0].sum())), round(float(counts[1].sum()))
    ratio = means[1] / means[0] if means[0] > 0 and means[1] > 0 else math.nan
    noise, assumed = estimate_noise(before, after, a, b)
    side = (before, int(a[0])) if len(a) else (after, int(b[0]))
    full = full_name(str(side[0].strings("kernel")[side[1]]), str(side[0].strings("kernel_mangled")[side[1]]))
    low, high = (
        (take_mean(keep_positive(v[a]), counts[0]) for v in (saved.low_s, saved.high_s))
        if saved
        else (math.nan, math.nan)
    )
    if not len(a) or not len(b):
        verdict = "only before" if len(a) else "only after"
    elif math.isnan(ratio):
        verdict = "no time"
    elif saved:
        verdict = "no interval" if math.isnan(low) else is_within(means[1], low, high)
    else:
        verdict = judge(ratio, launches[1] / launches[0], noise)
    moved = () if saved or math.isnan(ratio) else list_moved(before, after, a, b, ratio, verdict)
    shares = [m * n / t if n and t > 0 else math.nan for m, n, t in zip(means, launches, whole, strict=True)]
    share = float(np.nanmax(shares)) if np.isfinite(shares).any() else math.nan
    return Change(name, full, *launches, *means, ratio, noise, assumed, verdict, share, moved, low, high)


def judge(ratio: float, count_ratio: float, noise: float) -> str:
    """What became of a kernel, all its launches counted.

    ratio : per launch, after over before. count_ratio : of the launches, which are known without noise.

    >>> judge(1.2, 1.0, 0.02), judge(1.0, 3.0, 0.02), judge(0.5, 2.0, 0.02), judge(0.9, 0.5, 0.02)
    ('slower', 'more launches', 'same', 'faster')
    """
    total = ratio * count_ratio
    if abs(math.log(total)) <= noise:
        return "same"
    if total > 1:
        return "slower" if math.log(ratio) > noise else "more launches"
    return "faster" if math.log(ratio) < -noise else "fewer launches"


def is_within(value: float, low: float, high: float) -> str:
    """Where a measured time lies with respect to its forecast interval."""
    return "below" if value < low else "above" if value > high else "inside"


def keep_positive(values: FloatArray) -> FloatArray:
    """Values without what is no time."""
    return np.where((values > 0) & np.isfinite(values), values, np.nan)


def take_mean(values: FloatArray, launches: FloatArray) -> float:
    """Mean of what is present, over launches; NaN where nothing is."""
    known = np.isfinite(values)
    return float(np.average(values[known], weights=launches[known])) if known.any() else math.nan


def estimate_noise(before: KernelTable, after: KernelTable, a: IndexArray, b: IndexArray) -> tuple[float, bool]:
    """Relative change of the mean that chance can make, and whether it rests on an assumption.

    Launches are compared in order where both sides have as many, since launches of one kernel often differ in work.
    """
    times = keep_positive(before.column("time_s")[a]), keep_positive(after.column("time_s")[b])
    counts = before.launches[a], after.launches[b]
    single = all((n == 1).all() for n in counts)
    if single and len(a) == len(b) >= MIN_REPEATS and np.isfinite(times[0] * times[1]).all():
        logs = np.log(times[1] / times[0])
        return SIGMAS * max(float(np.std(logs, ddof=1)) / math.sqrt(len(a)), LEAST_NOISE), False
    sides = []
    for kernels, rows, time, count in ((before, a, times[0], counts[0]), (after, b, times[1], counts[1])):
        sigma = kernels.column("time_std_s")[rows] / time
        known = sigma[np.isfinite(sigma)]
        repeats = time[np.isfinite(time)]
        if known.size:
            sides.append((float(np.mean(known)) / math.sqrt(max(float(count.sum()), 1.0)), False))
        elif repeats.size >= MIN_REPEATS:
            sides.append((float(np.std(repeats, ddof=1) / np.mean(repeats)) / math.sqrt(repeats.size), False))
        else:
            sides.append((SINGLE_NOISE / math.sqrt(max(float(count.sum()), 1.0)), True))
    return SIGMAS * max(math.hypot(sides[0][0], sides[1][0]), LEAST_NOISE), sides[0][1] or sides[1][1]


def list_moved(
    before: KernelTable, after: KernelTable, a: IndexArray, b: IndexArray, ratio: float, verdict: str
) -> tuple[Moved, ...]:
    """Quantities that moved, those first that moved as the time did, largest change first."""
    ranked = []
    for sign, names in ((1, AMOUNTS), (-1, RATES), (0, SETTINGS)):
        for name in names:
            if name not in before.numeric or name not in after.numeric:
                continue
            old, new = take_mean_of_any(before.column(name)[a]), take_mean_of_any(after.column(name)[b])
            if math.isnan(old) or math.isnan(new):
                continue
            size = size_change(name, old, new)
            if size > 0:
                explains = verdict in ("slower", "faster") and sign * (new - old) * (ratio - 1) > 0
                ranked.append((not explains, -size, Moved(name, old, new, explains)))
    ranked.sort(key=lambda item: item[:2])
    return tuple(m for _, _, m in ranked[:MAX_CAUSES])


def size_change(name: str, old: float, new: float) -> float:
    """How much a quantity moved; 0 where it did not move noticeably."""
    if name.endswith("_fraction"):
        return abs(new - old) if abs(new - old) >= MOVED_SHARE else 0.0
    if old <= 0 or new <= 0:
        return 1.0 if old != new and max(old, new) > 0 else 0.0
    size = abs(math.log(new / old))
    return size if size >= math.log(MOVED_RATIO) else 0.0


def take_mean_of_any(values: FloatArray) -> float:
    """Mean of the finite values, 0 included."""
    if len(values) == 1:
        return float(values[0]) if math.isfinite(values[0]) else math.nan
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else math.nan


def list_notes(
    before: KernelTable, after: KernelTable, changes: tuple[Change, ...], saved: SavedForecast | None
) -> tuple[str, ...]:
    """What a reader must know about the comparison as a whole."""
    notes = []
    gpus = [{str(g) for g in k.strings("gpu") if g} for k in (before, after)]
    if not saved and gpus[0] and gpus[1] and gpus[0] != gpus[1]:
        notes.append(f"measured on different GPUs: {', '.join(sorted(gpus[0]))} and {', '.join(sorted(gpus[1]))}")
    for column, what in (("cache_state", "caches"), ("clock_control", "clocks")):
        states = [{str(s) for s in k.strings(column) if s} for k in (before, after)]
        if states[0] and states[1] and states[0] != states[1]:
            notes.append(f"{what} differ: {', '.join(sorted(states[0]))} before, {', '.join(sorted(states[1]))} after")
    if not saved and any(c.noise_assumed for c in changes if c.ratio > 0):
        notes.append(f"spread not measured for some kernels: {format_percent(SINGLE_NOISE, 0)} per launch assumed")
    if any(c.launches_before != c.launches_after for c in changes if c.ratio > 0):
        notes.append(
            "launch counts differ: means per launch are compared, and the total counts the fewer launches"
            if saved
            else "launch counts differ: totals count every launch, on both sides"
        )
    return tuple(notes)
