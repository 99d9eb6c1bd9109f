"""Scores of advice: what was advised for a kernel, and what it gained when somebody did it.

A step is two versions of one kernel on one GPU. Advice is asked of the first as a user asks it. Where people wrote
down what they changed, `advice_ladders.toml` says which rules ask for it. Where nobody did (tuning configurations, two
builds of a program), the counters say which advice a change followed, and how much of it: logarithms of what it lowered
over what was asked. The advised gain is taken for that part. A change that followed several pieces of advice is held
against their gain together, as a sequence of `roofcast advise --paths` forecasts it.

Half of the tuning configurations and of the HeCBench programs were never looked at while rules and gains were made:
:data:`LEFT_OUT`.
"""

from __future__ import annotations

import itertools
import math
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from operator import attrgetter

import numpy as np

from roofcast.advice.case import Case, Symptom
from roofcast.advice.paths import time_changes
from roofcast.advice.ranking import BY_SUPPLY, Advice, Finding, advise
from roofcast.core.errors import DatasetError
from roofcast.core.kernel_table import KernelTable
from roofcast.core.resource import Resource
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import Column, Table
from roofcast_evaluate.datasets import folder, load
from roofcast_evaluate.paper_items import STEPS

FASTER = 0.05
"""Share of the time from which a change counts as a cause that advice should have named."""
NOISE = 0.01
"""Share of the time that two runs of one kernel differ by."""
TUNED_EACH = 20
"""Every so many of the tuning configurations is asked for advice: 264 of 5,280, with all their neighbours."""
SAME_WORK = 0.1
"""Logarithm of the FLOPs of two builds within which they do the same work."""
LEAST_DONE = 0.25
"""Part of what a finding asks from which a change counts as having followed it."""
UNTOLD = 3 * math.sqrt(2) * NOISE
"""Share of the time below which the noise of two runs is a third of what was saved: it hides a factor of 1.5."""
ALIKE = 10
"""Steps of one rule that are taken together."""
NEVER_ASKED = 10
"""Of the tuning configurations that nobody looked at, the first."""
WAITING = "idle-roofs"
PROFILES = "fixtures"
"""The folder of profiles beside the one of data sets."""


COUNTED = dict.fromkeys((*(r.value for r in Resource), "insts_executed", "insts_thread"), 1) | {
    "occupancy_fraction": -1
}
"""Column -> 1 where less of it is faster, -1 where more."""


@dataclass(frozen=True)
class Step:
    """One change of a kernel."""

    ladder: str
    change: str
    before: KernelTable
    after: KernelTable
    """One row each."""
    gpu: str = ""
    """Where the file does not say."""
    files: tuple[str, ...] = ()
    cures: tuple[str, ...] | None = None
    """Rules that ask for the change; None: the counters say."""

    @property
    def gain(self) -> float:
        """Share of the time that the change took off, measured."""
        return 1 - float(self.after.column("time_s")[0]) / float(self.before.column("time_s")[0])

    @property
    def is_untold(self) -> bool:
        """Whether nothing that was counted changed by half as much as the time, in logarithms.

        Counted are the amounts of resources, instructions, and the warps that an SM held, which a change raises.
        """
        before, after = ({c: float(k.column(c)[0]) for c in COUNTED} for k in (self.before, self.after))
        fell = [math.log(before[c] / after[c]) * way for c, way in COUNTED.items() if before[c] > 0 and after[c] > 0]
        return max(fell, default=0.0) < 0.5 * -math.log(max(1 - self.gain, 1e-9))


@dataclass(frozen=True)
class Tried:
    """A piece of advice that somebody followed; rule '' where nothing was advised that the change is."""

    ladder: str
    change: str
    rule: str
    place: int
    """Among the advice on this kernel, from 1; 0 without any."""
    is_forecast: bool
    """Whether a model said the gain; a bound says the most."""
    advised: float
    """Share of the time that it would save; NaN where no model said."""
    low: float
    high: float
    measured: float
    source: str = ""
    """Of steps."""
    together: float = math.nan
    """Share of the time that all forecast advice which the step followed would save at once; NaN without any."""
    is_untold: bool = False
    """Whether nothing that was counted tells of the step."""


@dataclass(frozen=True)
class Score:
    """Of all steps of one source."""

    name: str
    steps: int
    advised: int
    """Steps that advice had named."""
    faster: float
    """Share of them that became faster."""
    near: float
    """Share of those with a forecast whose saved time is within a factor of 1.5 of the measured, each alone."""
    near_together: float
    """The same of steps, each by all the advice that it followed, as a sequence."""
    noise: float
    """Share of them that saved so little that two runs do not tell 1.5."""
    reach: float
    """Share of them that any curve over the advised gain would bring within 1.5, drawn for each rule in hindsight."""
    inside: float
    """Share of them whose measured gain lies inside the interval."""
    false: int
    """Advice that was followed and saved nothing."""
    causes: int
    """Steps that took off a twentieth or more."""
    missed: int
    """Of them, those that no advice had named."""
    untold: int
    """Of these, those of which nothing that was counted tells."""
    best: float
    """Share of kernels whose best step is among the first two pieces of advice."""


def steps_of_gpp() -> Iterator[Step]:
    """The eight steps of Yang 2020 on V100, by derived counters; the fifth both widens occupancy and drops branches."""
    from roofcast_measure.gpp import derived_table

    table = derived_table()
    for v, rule in enumerate(STEPS):
        cures = (rule, "divergence") if rule == "occupancy" and v == 4 else (rule,)
        yield Step("GPP, V100", f"v{v} to v{v + 1}", table.select([v]), table.select([v + 1]), cures=cures)


def steps_of_ladders() -> Iterator[Step]:
    """Ladders of public profiles and of our own on Hopper; those whose files are not there are left out."""
    from roofcast.reading import read_kernels

    listed = tomllib.loads(files("roofcast_evaluate").joinpath("advice_ladders.toml").read_text(encoding="utf-8"))
    for ladder in listed["ladder"]:
        root = folder() if ladder.get("data") else folder().parent / PROFILES
        paths = [root / f for f in ladder["files"]]
        if not all(p.is_file() for p in paths):
            continue
        tables = [read_kernels(str(p), None, None) for p in paths]
        versions = [first_named(tables[min(k, len(tables) - 1)], p) for k, p in enumerate(ladder["kernels"])]
        names = tuple(str(p) for p in paths)
        for (before, after), change, cures in zip(
            itertools.pairwise(versions), ladder["changes"], ladder["cures"], strict=True
        ):
            yield Step(ladder["name"], change, before, after, ladder["gpu"], names, tuple(cures))


def first_named(table: KernelTable, pattern: str) -> KernelTable:
    """The first launch of a kernel whose name fits."""
    names = table.strings("kernel").tolist()
    return table.select([next(i for i, name in enumerate(names) if re.search(pattern, str(name)))])


def steps_of_tuning(first: int = 0) -> Iterator[Step]:
    """Configurations of one convolution on RTX 2080 Ti and those that differ from them by one parameter, one notch.

    first : the first configuration that is asked for advice.
    """
    _, table = load("kernel_tuner")
    table = table.select(np.flatnonzero(np.isfinite(table.column("insts_executed"))))
    configs = [dict(part.split("=") for part in str(c).split(";")) for c in table.strings("config")]
    keys = [frozenset(c.items()) for c in configs]
    place = {key: i for i, key in enumerate(keys)}
    values = {p: sorted({float(c[p]) for c in configs}) for p in configs[0]}
    written = {(p, float(c[p])): c[p] for c in configs for p in c}
    for i in range(first, len(configs), TUNED_EACH):
        for p, among in values.items():
            at = among.index(float(configs[i][p]))
            for value in among[max(at - 1, 0) : at + 2]:
                other = frozenset({**configs[i], p: written[p, value]}.items())
                if other != keys[i] and other in place:
                    change = f"{p} {configs[i][p]} to {written[p, value]}"
                    yield Step(f"convolution {i}", change, table.select([i]), table.select([place[other]]))


def steps_of_builds(data: str = "hecbench_ncu") -> Iterator[Step]:
    """Programs of HeCBench with one kernel, in CUDA and by OpenMP: the same FLOPs, from either to the other."""
    _, table = load(data)
    by_program: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    labels = (table.extra["benchmark"], table.strings("gpu"), table.extra["model"])
    for i, (program, gpu, build) in enumerate(zip(*labels, strict=True)):
        by_program[str(program), str(gpu)][str(build)].append(i)
    flops = table.column("flops_fp64") + table.column("flops_fp32")
    for (program, gpu), builds in by_program.items():
        rows = [i for b in ("cuda", "omp") for i in builds.get(b, ())]
        if len(rows) != 2 or len(builds) != 2 or not all(flops[i] > 0 for i in rows):
            continue
        if abs(math.log(flops[rows[0]] / flops[rows[1]])) < SAME_WORK:
            for a, b in (rows, rows[::-1]):
                yield Step(f"{program} {gpu} {a}", "the other build", table.select([a]), table.select([b]))


SOURCES: dict[str, Callable[[], Iterator[Step]]] = {
    "GPP": steps_of_gpp, "profiles": steps_of_ladders, "tuning": steps_of_tuning, "builds": steps_of_builds,
}  # fmt: skip
LEFT_OUT: dict[str, Callable[[], Iterator[Step]]] = {
    "tuning, left out": partial(steps_of_tuning, NEVER_ASKED),
    "builds, left out": partial(steps_of_builds, "hecbench_fresh"),
}
"""Further configurations and other programs: scored, and looked at no closer, since 2026-11-26."""


def try_steps(steps: Iterable[Step]) -> list[Tried]:
    """What was advised before each step that the step did; a step that nothing advised is told without a rule."""
    tried: list[Tried] = []
    asked: tuple[str, KernelTable, Advice] | None = None
    for step in steps:
        key = f"{step.ladder} {step.change}" if step.cures is not None else step.ladder
        if asked is None or asked[0] != key:
            asked = key, step.before, advise(step.before, source=step.gpu or None, files=step.files)
        advice = asked[2]
        source = step.gpu or None
        after = advise(step.after, source=step.gpu or None) if step.cures is None and advice.findings else None
        parts = [
            float(f.rule in step.cures) if step.cures is not None else done_part(f, advice, after) if after else 0.0
            for f in advice.findings
        ]
        followed = [
            (n, f, min(part, 1.0))
            for n, (f, part) in enumerate(zip(advice.findings, parts, strict=True), 1) if part >= LEAST_DONE
        ]  # fmt: skip
        together = save_together(advice, [(f, part) for _, f, part in followed], source)
        tried += [
            Tried(step.ladder, step.change, f.rule, n, *scaled(f, part), step.gain, together=together)
            for n, f, part in followed
        ] or [
            Tried(step.ladder, step.change, "", 0, False, math.nan, math.nan, math.nan, step.gain,
                  is_untold=step.is_untold)
        ]  # fmt: skip
    return tried


def save_together(advice: Advice, followed: Sequence[tuple[Finding, float]], source: str | None) -> float:
    """Share of a kernel's time that parts of several findings would save at once; NaN where no model said of any."""
    cures = [
        Symptom(0, "", (), "", {k: v**part for k, v in f.relief.items()}, waiting=1 - (1 - f.waiting) ** part,
                cost_s=part * f.cost_s / f.launches)
        for f, part in followed if f.relief
    ]  # fmt: skip
    if not cures:
        return math.nan
    forecast = advice.forecasts[0]
    case = Case(forecast.kernels, forecast)
    return 1 - float(time_changes(case, 0, [cures], source, None)[0]) / float(case.time_s[0])


def scaled(finding: Finding, part: float) -> tuple[bool, float, float, float]:
    """Whether a model said the gain, and share of the time saved, least and most, by a part of what was asked."""
    shares = [v / finding.time_s for v in (finding.saved_s, finding.saved_low_s, finding.saved_high_s)]
    advised, low, high = (1 - (1 - min(v, 0.999)) ** part for v in shares)
    return finding.basis == "forecast", advised, low, high


def done_part(finding: Finding, before: Advice, after: Advice) -> float:
    """How much of what a finding asks a change did, by counters: logarithms of what was relieved over those asked.

    Of a bound: 1 where its cause is gone; where a kernel waits, each thread that does twice the work is 1.
    """
    if not after.forecasts:
        return 0.0
    if finding.rule == WAITING:
        return changed_by("threads", before, after) / math.log(2)
    if not finding.relief:
        return float(finding.basis == "bound" and all(f.rule != finding.rule for f in after.findings))
    lowered = {name: changed_by(name, before, after) for name in finding.relief}
    known = [name for name, value in lowered.items() if math.isfinite(value)]
    asked = sum(math.log(finding.relief[name]) for name in known)
    return sum(lowered[name] for name in known) / asked if asked > 0 else 0.0


def changed_by(name: str, before: Advice, after: Advice) -> float:
    """Logarithm of how much less a change needs of a supply, or how many more threads an SM holds; NaN unknown."""
    old, new = before.forecasts[0], after.forecasts[0]
    if name == "threads":
        held = [float((f.kernels.column("block_threads") * f.kernels.column("grid_blocks"))[0]) for f in (old, new)]
    elif (resource := BY_SUPPLY.get(name)) is None:
        held = [
            Case(f.kernels, f).resident_blocks[0] * f.kernels.column("block_threads")[0] for f in (new, old)
        ]  # fmt: skip
    else:
        held = [
            float(np.ravel(np.broadcast_to(s, f.estimate.time_s.shape))[0])
            if (s := f.estimate.time_s_by_resource_target.get(resource)) is not None else math.nan
            for f in (old, new)
        ]  # fmt: skip
    return math.log(held[0] / held[1]) if held[0] > 0 and held[1] > 0 else math.nan


def score(name: str, tried: Sequence[Tried]) -> Score:
    """Shares of one source; NaN where nothing is counted."""
    steps: dict[tuple[str, str], list[Tried]] = defaultdict(list)
    for t in tried:
        steps[t.ladder, t.change].append(t)
    followed = [t for t in tried if t.rule]
    known = [t for t in followed if t.advised > 0]
    forecast_tries = [t for t in known if t.is_forecast]
    causes = [tries for tries in steps.values() if tries[0].measured >= FASTER]
    best: dict[str, list[Tried]] = {}
    for tries in causes:
        kernel = tries[0].ladder if not tries[0].change.startswith("v") else tries[0].change
        if kernel not in best or best[kernel][0].measured < tries[0].measured:
            best[kernel] = tries
    return Score(
        name, len(steps), sum(any(t.rule for t in tries) for tries in steps.values()),
        share(t.measured > NOISE for t in followed),
        share(is_near(t.advised, t.measured) for t in forecast_tries),
        share(is_near(tries[0].together, tries[0].measured) for tries in steps.values() if tries[0].together > 0),
        share(t.measured < UNTOLD for t in forecast_tries), find_reach(forecast_tries),
        share(t.low <= t.measured <= t.high for t in known if math.isfinite(t.low)),
        sum(t.measured <= NOISE for t in followed), len(causes),
        sum(not any(t.rule for t in tries) for tries in causes), sum(tries[0].is_untold for tries in causes),
        share(any(0 < t.place <= 2 for t in tries) for tries in best.values()),
    )  # fmt: skip


def is_near(advised: float, measured: float) -> bool:
    """Whether two shares of the time lie within a factor of 1.5."""
    return measured > 0 and abs(math.log(advised / measured)) <= math.log(1.5)


def find_reach(told: Sequence[Tried]) -> float:
    r"""Share of forecast gains that would be within a factor of 1.5 by the best curve over the advised gain.

    .. math:: R = \frac{1}{n} \sum_{g} \max_c |\{i \in g : |\ln(m_i / c)| \le \ln 1.5\}|

    g : ten steps of one source and rule whose advised gains are next to each other. m : measured gains. c : one gain
    for all of them. Reason: steps that the same rule gives the same gain look alike by what was counted; where their
    measured gains differ, something does that nobody counted, or that the change did besides. Drawn after the fact, so
    that no law of the same counters does better.
    """
    groups: dict[tuple[str, str], list[Tried]] = defaultdict(list)
    for t in told:
        groups[t.source, t.rule].append(t)
    hits = 0
    for steps in groups.values():
        steps.sort(key=lambda t: t.advised)
        count = max(len(steps) // ALIKE, 1)
        for k in range(count):
            near = sorted(t.measured for t in steps[k * len(steps) // count : (k + 1) * len(steps) // count])
            hits += max((sum(m <= other <= 1.5**2 * m for other in near) for m in near if m > 0), default=0)
    return hits / len(told) if told else math.nan


def share(values: Iterable[bool]) -> float:
    """Share of those that hold; NaN of none."""
    holds = list(values)
    return sum(holds) / len(holds) if holds else math.nan


def score_advice(tell: Callable[[str], None] = lambda name: None) -> list[Score]:
    """Every source of steps whose files are there, with a line of all; then the same of what was left out.

    Raises
    ------
    DatasetError : no source has its files.
    """
    return [*score_sources(SOURCES, "all", tell), *score_sources(LEFT_OUT, "all left out", tell)]


def score_sources(
    sources: Mapping[str, Callable[[], Iterator[Step]]], whole: str, tell: Callable[[str], None]
) -> list[Score]:
    """Some sources whose files are there; a line of all at the end."""
    scores, every = [], []
    for name, steps in sources.items():
        tell(name)
        try:
            tried = try_steps(steps())
        except DatasetError as error:
            tell(f"{name}: {error}")
            continue
        if tried:
            tried = [replace(t, source=name) for t in tried]
            scores.append(score(name, tried))
            every += tried
    return [*scores, score(whole, every)] if len(scores) > 1 else scores


def show_share(value: float | None) -> str:
    """A share as people see it; nothing where nothing was counted."""
    return "–" if value is None or math.isnan(value) else format_percent(value)


def tabulate_advice(scores: Sequence[Score]) -> Table:
    """A row per source."""
    columns = [
        Column("changes", attrgetter("name"), key="changes"),
        Column("steps", attrgetter("steps"), key="steps"),
        Column("advised", attrgetter("advised"), key="advised"),
        *(
            Column(head, attrgetter(field), show_share, key=key)
            for head, field, key in (
                ("then faster", "faster", "faster_fraction"),
                ("gain within 1.5", "near", "gain_within_1_5_fraction"),
                ("together", "near_together", "together_within_1_5_fraction"),
                ("within noise", "noise", "within_noise_fraction"),
                ("best curve", "reach", "best_curve_fraction"),
                ("gain inside", "inside", "gain_inside_fraction"),
            )
        ),
        Column("false alarms", attrgetter("false"), key="false_alarms"),
        Column("causes", attrgetter("causes"), key="causes"),
        Column("missed", attrgetter("missed"), key="missed"),
        Column("untold", attrgetter("untold"), key="untold"),
        Column("best among two", attrgetter("best"), show_share, key="best_among_two_fraction"),
    ]  # fmt: skip
    return Table(columns, list(scores))
