"""From kernels to ranked advice: rules find symptoms, the model says what a cure would save."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from roofcast.advice.case import Case, Symptom
from roofcast.advice.code import special_of
from roofcast.advice.plan import RunPlan
from roofcast.advice.registry import RULES, find_symptoms
from roofcast.advice.runs import RunAdvice
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.results import PRODUCTION, Conditions
from roofcast.forecasting.forecast import forecast
from roofcast.forecasting.forecasts import Forecast
from roofcast.formulas.values import Values
from roofcast.kit.names import versions_of
from roofcast.models.physics.constants import PRIOR

CHUNK = 24
"""Changed kernels that are forecast at once: their table stays small, whatever the number of advices."""
LEAST_GAIN = 0.005
"""Share of the kernel's time below which a cure is not worth telling: what the model resolves."""
LEAST_OF_ALL = 0.001
"""Share of all the time below which nothing is proposed: what it costs to read about it is more."""
CATCH_ALL, EXPLAINED = "idle-roofs", 0.1
"""The rule that says no more than that a kernel waits, and the part of its bound that another cure has to explain."""
BY_SUPPLY = {r.supply: r for r in Resource}


@dataclass(frozen=True, slots=True)
class Finding:
    """One piece of advice on one kernel, over all its launches that show it."""

    rule: str
    title: str
    row: int
    """The row with most time among them."""
    launches: int
    gpu: str
    what: str
    where: str
    evidence: tuple[str, ...]
    remedy: str
    time_s: float
    """Of these launches as they are, on the GPU that the advice is for."""
    time_if_fixed_s: float
    """NaN where nothing can be said."""
    version: str
    """Which version of its kernel it is on; '' where the table has one of each."""
    relief: Mapping[str, float]
    """Supply or field of the GPU -> factor that the cure stands for; empty where no model was asked."""
    waiting: float
    """Share of what no resource explains that leaves with the cure."""
    cost_s: float
    """What the cure itself takes in all launches: part of ``time_if_fixed_s``."""
    lost_s: float
    """What it costs at worst in resident blocks, in all launches: part of ``saved_low_s`` alone."""
    basis: str
    """``forecast`` (of the model, for the cured kernel), ``bound`` (at most, if nothing else changed) or ``none``."""

    @property
    def saved_s(self) -> float:
        """Seconds that the cure would save; NaN where nothing can be said."""
        return self.time_s - self.time_if_fixed_s

    @property
    def saved_low_s(self) -> float:
        """The least that it saves: nothing, less all that the cure costs; NaN where no model says."""
        return -self.cost_s - self.lost_s if self.saved_s > 0 else math.nan

    @property
    def saved_high_s(self) -> float:
        r"""The most that it saves, if all of the time waited for what is relieved.

        .. math:: S = T (1 - 1 / \max_r f_r) - C

        S : s. T : s of these launches. f : factor of each relieved supply. C : s that the cure costs. Reason: no kernel
        gains more from a supply than its whole time in that ratio. A bound is its own most.
        """
        if not self.relief:
            return self.saved_s
        return max(self.time_s * (1 - 1 / max(self.relief.values())) - self.cost_s, self.saved_s)

    @property
    def work(self) -> tuple[str, str]:
        """What advice is ranked within: a GPU's kernels, or one version of a kernel, which no other runs beside."""
        return self.gpu, self.version


@dataclass(frozen=True, slots=True)
class PathStep:
    """One change of a sequence."""

    rule: str
    title: str
    remedy: str
    """What it needs."""
    time_s: float
    """Of all launches, with this change and those before it."""
    alone_s: float
    """What the change would save alone."""
    relief: Mapping[str, float]
    """Supply or field -> factor, of this change and those before it."""


@dataclass(frozen=True, slots=True)
class ChangePath:
    """Several changes of one kernel on one GPU, in the order in which each leaves least."""

    kernel: str
    version: str
    target: Processor
    """The GPU that it is for."""
    measured: KernelTable
    """The launch, one row."""
    time_now_s: float
    """Of all launches as they are."""
    time_low_s: float
    """If all of the time waited for what each change relieves."""
    time_high_s: float
    """If nothing were gained, with what the changes cost."""
    steps: tuple[PathStep, ...]

    @property
    def gpu(self) -> str:
        """Name of the GPU that it is for."""
        return self.target.name

    @property
    def time_s(self) -> float:
        """Forecast with all changes."""
        return self.steps[-1].time_s

    @property
    def together_s(self) -> float:
        """What they save together beyond the sum of what each saves alone; below 0 where they overlap."""
        return self.time_now_s - self.time_s - sum(s.alone_s for s in self.steps)


@dataclass(frozen=True)
class Advice:
    """Ranked advice, and the forecast that it rests on."""

    findings: tuple[Finding, ...]
    forecasts: tuple[Forecast, ...]
    """One per GPU: the one of ``--on``, or each that kernels were measured on."""
    runs: tuple[RunAdvice, ...] = ()
    """Of traces, what to change in each run."""
    plans: tuple[tuple[RunPlan, ...], ...] = ()
    """Per run what each change would save, a plan per GPU."""
    kernels: int = 0
    """How many there were."""
    paths: tuple[ChangePath, ...] = ()
    """Sequences of changes, best first on each GPU; empty where nobody asked."""

    @property
    def is_unknown(self) -> bool:
        """Whether nothing can be said because nobody knows where the kernels ran."""
        return bool(self.kernels and not self.forecasts and not self.runs)

    def times_of_works(self) -> dict[tuple[str, str], float]:
        """Seconds of each GPU's kernels, of versions of a kernel apart, in the order of the files."""
        seconds: dict[tuple[str, str], float] = {}
        for f in self.forecasts:
            for version, time in zip(versions_of(f.kernels), f.time_total_s[:, 0].tolist(), strict=True):
                work = (f.targets[0].name, version)
                seconds[work] = seconds.get(work, 0.0) + (time if time > 0 else 0.0)
        return seconds

    @property
    def time_s(self) -> float:
        """Seconds of all launches of all kernels on the GPUs that the advice is for; NaN where none is known."""
        times = np.concatenate([np.empty(0), *(f.time_total_s[:, 0] for f in self.forecasts if len(f.targets))])
        return float(np.nansum(times)) if np.isfinite(times).any() else math.nan


def advise(
    kernels: KernelTable,
    on: str | Processor | None = None,
    *,
    source: str | Processor | None = None,
    model: str | None = None,
    files: Sequence[str] = (),
    together: bool = False,
    conditions: str | Conditions = PRODUCTION,
) -> Advice:
    """Ranked advice for kernels on a GPU (default: each on its own).

    files : where the kernels were read from; reports that hold machine code tell more. together, conditions :
        as in :func:`roofcast.forecasting.forecast.forecast`.
    """
    groups = own_groups(kernels, source) if on is None else [(on, kernels)]
    findings: list[Finding] = []
    forecasts = []
    for target, part in groups:
        answer = forecast(part, target, source=source, model=model, together=together, conditions=conditions)
        forecasts.append(answer)
        case = Case(answer.kernels, answer, special_of(answer.kernels, files))
        findings += findings_of(case, source, model)
    advice = Advice((), tuple(forecasts), kernels=len(kernels))
    times = advice.times_of_works()
    # Versions of a kernel are alternatives: no share of one is a share of another.
    together_s = sum(t for (_, version), t in times.items() if not version)
    whole = {work: t if work[1] else together_s for work, t in times.items()}
    place = {work: i if work[1] else -1 for i, work in enumerate(times)}
    findings = [f for f in findings if (f.time_s if f.basis == "none" else f.saved_s) >= LEAST_OF_ALL * whole[f.work]]
    findings.sort(key=lambda f: (place[f.work], -(f.saved_s if f.saved_s > 0 else 0.0), f.basis == "none", -f.time_s))
    return replace(advice, findings=tuple(findings))


def own_groups(kernels: KernelTable, source: str | Processor | None) -> list[tuple[str | Processor, KernelTable]]:
    """Kernels by the GPU that they were measured on; those of unknown GPUs are left out."""
    from roofcast.forecasting.sources import resolve_sources

    resolved = resolve_sources(kernels, source)
    return [
        (p, resolved.kernels.select(resolved.index == k))
        for k, p in enumerate(resolved.processors)
        if (resolved.index == k).any()
    ]


def findings_of(case: Case, source: str | Processor | None, model: str | None) -> list[Finding]:
    """What all rules find in one case, worth telling."""
    symptoms = list(find_symptoms(case))
    cured = cured_times(case, [s for _, s in symptoms], source, model)
    symptoms, cured = leave_out_catch_all(case, symptoms, cured)
    lost = lost_times(case, [s for _, s in symptoms], source, model)
    groups: dict[tuple[str, ...], list[tuple[Symptom, float]]] = {}
    versions = versions_of(case.kernels)
    for (name, symptom), time in zip(symptoms, cured.tolist(), strict=True):
        before = float(case.time_s[symptom.row])
        if symptom.relief and not before - time >= LEAST_GAIN * before:
            continue
        names = (case.kernels.strings("kernel"), case.kernels.strings("config"), versions)
        groups.setdefault((name, *(str(n[symptom.row]) for n in names)), []).append((symptom, time))
    return [finding(case, name, version, members, lost) for (name, *_, version), members in groups.items()]


def leave_out_catch_all(
    case: Case, symptoms: list[tuple[str, Symptom]], cured: FloatArray
) -> tuple[list[tuple[str, Symptom]], FloatArray]:
    """Symptoms without "nothing is busy" where another cure explains a tenth of what that could save."""
    explained: dict[int, float] = {}
    for (name, s), time in zip(symptoms, cured.tolist(), strict=True):
        if name != CATCH_ALL and time < case.time_s[s.row]:
            explained[s.row] = max(explained.get(s.row, 0.0), float(case.time_s[s.row] - time))
    places = [
        k for k, (name, s) in enumerate(symptoms)
        if name != CATCH_ALL or explained.get(s.row, 0.0) < EXPLAINED * s.saved_bound_s
    ]  # fmt: skip
    return [symptoms[k] for k in places], cured[places]


def finding(
    case: Case, name: str, version: str, members: list[tuple[Symptom, float]], lost: Mapping[tuple[int, float], float]
) -> Finding:
    """Launches of one kernel with one symptom as one finding; the longest speaks for all."""
    first = members[0][0]
    rows = {s.row: t for s, t in members}
    launches = case.kernels.launches
    basis = "forecast" if first.relief else "bound" if first.saved_bound_s > 0 else "none"
    return Finding(
        rule=name, title=RULES[name].title, row=first.row,
        launches=round(float(sum(launches[row] for row in rows))), gpu=case.target.name, what=first.what,
        where=first.where, evidence=first.evidence, remedy=first.remedy,
        time_s=float(sum(case.total_s[row] for row in rows)),
        time_if_fixed_s=float(sum(launches[row] * time for row, time in rows.items())), version=version,
        relief=first.relief, waiting=first.waiting, cost_s=sum(float(launches[s.row]) * s.cost_s for s, _ in members),
        lost_s=sum(float(launches[s.row]) * lost.get((s.row, s.holds), 0.0) for s, _ in members), basis=basis,
    )  # fmt: skip


def cured_times(
    case: Case, symptoms: Sequence[Symptom], source: str | Processor | None, model: str | None
) -> FloatArray:
    """(k,) seconds if each symptom were cured: the model's answer, else the bound, else NaN."""
    times = np.array([case.time_s[s.row] - s.saved_bound_s for s in symptoms])
    asked = [k for k, s in enumerate(symptoms) if s.relief]
    for start in range(0, len(asked), CHUNK):
        part = asked[start : start + CHUNK]
        kernels = case.kernels.select([symptoms[k].row for k in part])
        targets = [relieved(case.target, symptoms[k].relief) for k in part]
        answer = forecast(kernels, targets, source=source, model=model, conditions=case.forecast.conditions)
        cured_s = answer.estimate.time_s[np.arange(len(part)), np.arange(len(part))]
        rows = [symptoms[k].row for k in part]
        busiest, waiting = np.array([(case.busiest_fraction(symptoms[k].row), symptoms[k].waiting) for k in part]).T
        left = leave_waiting(cured_s, case.time_s[rows], busiest, waiting)
        least = [case.time_s[symptoms[k].row] / max(symptoms[k].relief.values()) for k in part]
        times[part] = np.fmin(cured_s, np.fmax(left, least))
    return np.asarray(times + np.array([s.cost_s for s in symptoms]))


def leave_waiting(found_s: Values, before_s: Values, busiest: Values, waiting: Values) -> FloatArray:
    r"""(k,) seconds of cured kernels once a part of their waiting has left too.

    .. math:: T' = \left(M^q - T^q (1 - b^q) (1 - (1 - w)^q)\right)^{1/q}

    found_s : (k,) s. M, what the model says of the kernel on a GPU with more of what the cure relieves. before_s : (k,)
    s. T. busiest : (k,) 1. b, share of T that the busiest resource explains. waiting : (k,) 1. w, share of the waiting
    that the cure takes away. q : ``overlap_unexplained``.

    Reason: by the model's own equation a time is :math:`T = (C^q + R^q)^{1/q}`, C the roofs, R what they leave
    unexplained, and M still has all of R. That is mostly latency, which each instruction of a warp has its part in; an
    instruction or an access that is not there has none, so that (1 - w) R is left. 0 where less is left than nothing.

    >>> float(leave_waiting(1.0, 1.0, 0.0, 0.25))       # all of it waits: a quarter less to wait for
    0.75
    >>> float(leave_waiting(0.8, 1.0, 1.0, 0.25))       # the busiest resource explains all: nothing waits
    0.8
    """
    q = PRIOR.overlap_unexplained
    m, t, b, w = (np.asarray(v, dtype=np.float64) for v in (found_s, before_s, busiest, waiting))
    left = (m / t) ** q - (1 - b**q) * (1 - (1 - w) ** q)
    return np.asarray(t * np.power(np.maximum(left, 0.0), 1 / q))


def lost_times(
    case: Case, symptoms: Iterable[Symptom], source: str | Processor | None, model: str | None
) -> dict[tuple[int, float], float]:
    r"""(row, ``holds``) of symptoms -> seconds that a launch takes longer where its blocks hold so much more.

    .. math:: L = \max(M(T, b') - T, 0), \quad b' = \max(\lfloor b / h \rfloor, 1)

    L : s. b : blocks that an SM holds of the kernel as it is. h : ``holds``. M : what the model says of the kernel on a
    GPU that holds b' of them. Reason: a cure that keeps several results per thread, or a tile per block, takes
    registers or shared memory for them; what it takes nobody knows before, at worst as many times as it keeps results
    (GPP v6 of Yang 2020: 12 warps became 8, and the step was 17 % slower).
    """
    wanted: dict[int, list[tuple[int, float]]] = {}
    for row, holds in dict.fromkeys((s.row, s.holds) for s in symptoms if s.holds > 1):
        blocks = float(case.resident_blocks[row])
        fewer = max(int(blocks / holds), 1) if blocks >= 1 else 0
        if 0 < fewer < blocks:
            wanted.setdefault(fewer, []).append((row, holds))
    lost: dict[tuple[int, float], float] = {}
    for fewer, pairs in wanted.items():
        rows = [row for row, _ in pairs]
        target = case.target.replace(max_blocks_per_sm=fewer)
        longer_s = forecast(case.kernels.select(rows), target, source=source, model=model,
                         conditions=case.forecast.conditions).estimate.time_s[:, 0]  # fmt: skip
        longer = np.nan_to_num(np.maximum(longer_s - case.time_s[rows], 0.0))
        lost |= dict(zip(pairs, longer.tolist(), strict=True))
    return lost


def relieved(target: Processor, relief: Mapping[str, float]) -> Processor:
    """The GPU with more of some supplies or capacities; what the catalog does not know stays as it is."""
    changes: dict[str, float | int | str] = {}
    for name, factor in relief.items():
        resource = BY_SUPPLY.get(name)
        old = target.rate(resource) if resource else float(getattr(target, name) or math.nan)
        if old > 0 and math.isfinite(old * factor):
            changes[name] = old * factor if resource else int(old * factor)
    return target.replace(**changes) if changes else target
