r"""Sequences of changes: several cures of one kernel together, because steps pay together.

.. math:: T' = \max\Big(L(M(T, f), w) + \sum_k C_k, \; T / \prod_k f_k, \; \max_r \tau_r\Big), \quad
    f = \max_k f_k, \; w = \max_k w_k

T' : s. M : what the model says on a GPU with f times each supply. f_k : what cure k relieves, w_k its share of the
waiting, C_k its cost in s, as of the single cures; L : what is left once that waiting has left too
(:func:`roofcast.advice.ranking.leave_waiting`), of the waiting that more resident warps have left. tau_r : s that a
resource alone needs there (:func:`slowest_roof_s`), asked of several cures. Reason: two cures of one resource may be
about the same instructions or bytes, so that the larger counts alone; different resources add up as the model adds
them, and what one cure costs another may pay.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from roofcast.advice.case import Case, Symptom
from roofcast.advice.code import special_of
from roofcast.advice.ranking import (
    BY_SUPPLY,
    CHUNK,
    LEAST_GAIN,
    ChangePath,
    PathStep,
    leave_waiting,
    lost_times,
    own_groups,
    relieved,
)
from roofcast.advice.registry import RULES, find_symptoms
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable, concatenate
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions, Estimate
from roofcast.forecasting.forecast import forecast
from roofcast.formulas.values import combine as join
from roofcast.formulas.values import or_zero
from roofcast.kit.names import versions_of

KERNELS, CURES, STEPS, KEPT = 3, 8, 3, 3
"""Kernels (or versions) with most time that are looked at, cures of each that are combined, changes in a sequence, and
sequences that are told: 92 combinations a kernel, under a second."""
Subset = tuple[int, ...]


@dataclass(frozen=True)
class Search:
    """The cures of one launch, and what the model says of each combination of them."""

    case: Case
    row: int
    cures: tuple[tuple[str, Symptom], ...]
    times: Mapping[Subset, float]
    lost: Mapping[tuple[int, float], float]
    """Seconds that resident blocks cost at worst, of those cures that take more registers or shared memory."""

    def time_s(self, chosen: Subset) -> float:
        """Seconds with these cures."""
        return self.times[tuple(sorted(chosen))] if chosen else float(self.case.time_s[self.row])

    def order(self, chosen: Subset) -> Subset:
        """Each time the change that leaves least."""
        done: Subset = ()
        while len(done) < len(chosen):
            done += (min((k for k in chosen if k not in done), key=lambda k: self.time_s((*done, k))),)
        return done

    def is_useful(self, chosen: Subset) -> bool:
        """Whether it saves something, and no change of it could be left out for the same."""
        least = LEAST_GAIN * self.time_s(())
        rest = [tuple(k for k in chosen if k != left) for left in chosen]
        return all(self.time_s(r) - self.time_s(chosen) >= least for r in rest)


def find_paths(
    kernels: KernelTable, on: str | Processor | None, source: str | Processor | None, model: str | None,
    conditions: Conditions, files: Sequence[str] = (), *, together: bool = False,
    of_run: bool = False,
) -> tuple[ChangePath, ...]:  # fmt: skip
    """Ranked sequences for the kernels with most time, on the GPU where they were measured and on ``on``.

    of_run : as in :func:`paths_of`.
    """
    asked = own_groups(kernels, source)
    names = {p.name for p, _ in asked if isinstance(p, Processor)}
    paths: list[ChangePath] = []
    for target, part in [*asked, *([(on, kernels)] if on is not None else [])]:
        answer = forecast(part, target, source=source, model=model, together=together, conditions=conditions)
        if target is on and answer.targets[0].name in names:
            continue
        case = Case(answer.kernels, answer, special_of(answer.kernels, files))
        paths += paths_of(case, source, model, of_run=of_run)
    return tuple(paths)


def paths_of(
    case: Case, source: str | Processor | None, model: str | None, *, of_run: bool = False
) -> list[ChangePath]:  # fmt: skip
    """The best sequences of each kernel of one case.

    of_run : whether it is of a recorded run, of which :mod:`roofcast.advice.plan` says what a graph gives.
    """
    symptoms: dict[int, dict[str, Symptom]] = {}
    for name, s in find_symptoms(case):
        if s.relief or (s.removed_s > 0 and not of_run):
            symptoms.setdefault(s.row, {}).setdefault(name, s)
    versions = versions_of(case.kernels)
    rows: dict[tuple[str, str], int] = {}
    for i in case.rows:
        rows.setdefault((str(case.kernels.strings("kernel")[i]), versions[i]), i)
    chosen = [i for i in rows.values() if i in symptoms]
    several = len({v for v in versions if v}) > 1
    paths: list[ChangePath] = []
    for i in sorted(chosen) if several else chosen[:KERNELS]:
        search = combine(case, i, symptoms[i], source, model)
        useful = sorted(filter(search.is_useful, search.times), key=search.time_s)
        paths += [make_path(search, subset, versions[i]) for subset in useful[:KEPT]]
    return paths


def combine(
    case: Case, row: int, found: Mapping[str, Symptom], source: str | Processor | None, model: str | None
) -> Search:
    """What the model says of every combination of up to three cures of a launch."""
    cures = tuple(found.items())
    single = time_changes(case, row, [(s,) for _, s in cures], source, model)
    best = sorted(range(len(cures)), key=lambda k: float(single[k]))[:CURES]
    cures = tuple(cures[k] for k in sorted(best))
    subsets = [c for n in range(1, STEPS + 1) for c in itertools.combinations(range(len(cures)), n)]
    times = time_changes(case, row, [tuple(cures[k][1] for k in c) for c in subsets], source, model)
    lost = lost_times(case, [s for _, s in cures], source, model)
    return Search(case, row, cures, dict(zip(subsets, times.tolist(), strict=True)), lost)


def join_reliefs(symptoms: Sequence[Symptom]) -> dict[str, float]:
    """Supply or field -> the largest factor that one of the cures relieves it by."""
    joined: dict[str, float] = {}
    for s in symptoms:
        for name, factor in s.relief.items():
            joined[name] = max(joined.get(name, 0.0), factor)
    return joined


def least_s(case: Case, row: int, symptoms: Sequence[Symptom]) -> float:
    r"""Seconds if all of the time waited for what each of the cures relieves, and a removed launch left nothing.

    .. math:: T_{least} = (T - \sum_k S_k) / \prod_k f_k

    S : s, the most that a cure removes of a launch: its bound, else what is forecast.
    """
    removed = sum(s.saved_bound_s if s.saved_bound_s > 0 else s.removed_s for s in symptoms if not s.relief)
    factors = [max(s.relief.values()) for s in symptoms if s.relief]
    return float(max(case.time_s[row] - removed, 0.0) / np.prod(factors))


def remove_launch(time_s: float, symptoms: Sequence[Symptom]) -> float:
    r"""Seconds of a launch after what leaves whatever the rest takes.

    .. math:: T' = \max(T - S, \; \min(T, t_g))

    T : s with the other cures. S : ``removed_s``. t_g : ``kept_s``. Reason: of a launch that other cures made shorter
    no more can leave than what is above the least that it takes.

    >>> graph = Symptom(0, "", (), "", removed_s=1e-6, kept_s=0.75e-6)
    >>> [round(remove_launch(t, [graph]) * 1e6, 3) for t in (5e-6, 1e-6, 0.5e-6)]
    [4.0, 0.75, 0.5]
    """
    for s in symptoms:
        if s.removed_s > 0:
            time_s = max(time_s - s.removed_s, min(time_s, s.kept_s))
    return time_s


def time_changes(
    case: Case, row: int, chosen: Sequence[Sequence[Symptom]], source: str | Processor | None, model: str | None
) -> FloatArray:
    """(k,) seconds of a launch with each of these combinations of cures."""
    times, roof_s = np.empty(len(chosen)), np.empty(len(chosen))
    kernel = case.kernels.select([row])
    for start in range(0, len(chosen), CHUNK):
        part = chosen[start : start + CHUNK]
        targets = [relieved(case.target, join_reliefs(symptoms)) for symptoms in part]
        answer = forecast(kernel, targets, source=source, model=model, conditions=case.forecast.conditions)
        times[start : start + CHUNK] = answer.estimate.time_s[0]
        roof_s[start : start + CHUNK] = slowest_roof_s(answer.estimate)[0]
    waiting = np.array([max(s.waiting for s in symptoms) for symptoms in chosen])
    before = time_capacities(case, kernel, chosen, source, model)
    left = leave_waiting(
        times, before, np.minimum(case.busiest_fraction(row) * case.time_s[row] / before, 1.0), waiting
    )
    several = np.array([len(symptoms) > 1 for symptoms in chosen])
    least = np.fmax([least_s(case, row, symptoms) for symptoms in chosen], np.where(several, roof_s, 0.0))
    cost = np.array([sum(s.cost_s for s in symptoms) for symptoms in chosen])
    times = np.fmin(times, np.fmax(left, least))
    removed = [remove_launch(time, symptoms) for time, symptoms in zip(times.tolist(), chosen, strict=True)]
    return np.asarray(removed + cost)


def slowest_roof_s(estimate: Estimate) -> FloatArray:
    r"""(n, m) seconds that several cures leave at least: what the slowest resource alone needs, 0 where none is known.

    .. math:: T' \ge \max_r \tau_r

    tau_r : s of a resource on the target, which has more of what the cures relieve. Reason: what leaves is waiting, and
    the bytes and operations that are left still take their time. Of a single cure it is not asked: who followed one
    advice mostly lowered other amounts with it (``evaluate advice``: 58 % of all gains within 1.5 with it, 60 without).
    """
    seconds = [or_zero(s) for s in estimate.time_s_by_resource_target.values()]
    return join(np.maximum, seconds) if seconds else np.zeros(estimate.time_s.shape)


def time_capacities(
    case: Case, kernel: KernelTable, chosen: Sequence[Sequence[Symptom]], source: str | Processor | None,
    model: str | None,
) -> FloatArray:  # fmt: skip
    """(k,) seconds of a launch with those cures alone that let an SM hold more warps: less waits for the others.

    kernel : one row.
    """
    held = [
        {name: factor for name, factor in join_reliefs(symptoms).items() if name not in BY_SUPPLY}
        for symptoms in chosen
    ]  # fmt: skip
    distinct = {tuple(h.items()): h for h in held}
    targets = [relieved(case.target, h) for h in distinct.values()]
    answer = forecast(kernel, targets, source=source, model=model, conditions=case.forecast.conditions)
    times = dict(zip(distinct, answer.estimate.time_s[0].tolist(), strict=True))
    return np.array([times[tuple(h.items())] for h in held])


def make_path(search: Search, subset: Subset, version: str) -> ChangePath:
    """One sequence, its changes in the order in which each leaves least."""
    case, row, order = search.case, search.row, search.order(subset)
    launches = float(case.kernels.launches[row])
    symptoms = [search.cures[k][1] for k in order]
    steps = tuple(
        PathStep(
            search.cures[k][0], RULES[search.cures[k][0]].title, search.cures[k][1].remedy,
            launches * search.time_s(order[: n + 1]), launches * (search.time_s(()) - search.time_s((k,))),
            join_reliefs(symptoms[: n + 1]),
        )
        for n, k in enumerate(order)
    )  # fmt: skip
    cost = sum(s.cost_s for s in symptoms)
    lost = max((search.lost.get((row, s.holds), 0.0) for s in symptoms), default=0.0)
    return ChangePath(
        str(case.kernels.strings("kernel")[row]), version, case.target, case.kernels.select([row]),
        launches * float(case.time_s[row]), launches * min(least_s(case, row, symptoms) + cost, search.time_s(subset)),
        launches * (float(case.time_s[row]) + cost + lost), steps,
    )  # fmt: skip


def table_of(path: ChangePath) -> KernelTable:
    """The kernel on the path's GPU as it is and after each change: versions, as a roofline takes them.

    Times are the forecasts', amounts those that the cures ask for; clocks of the measurement are left out.
    """
    measured, launches = path.measured, path.measured.launches
    lasting = {k: v for k, v in measured.numeric.items() if not k.startswith("clock_hz")}
    now = dataclasses.replace(measured, numeric=lasting, counters={}, flags=())
    versions = [now.with_columns(time_s=(path.time_now_s / launches, Origin.DERIVED))]
    for step in path.steps:
        changed = {
            r.value: (now.column(r.value) / step.relief[r.supply], Origin.DERIVED)
            for r in Resource if r.value in now.numeric and r.supply in step.relief
        }  # fmt: skip
        versions.append(now.with_columns(**changed, time_s=(step.time_s / launches, Origin.DERIVED)))
    table = concatenate(versions)
    labels = np.array(["now", *(s.rule for s in path.steps)], dtype=np.object_)
    on = np.full(len(table), path.target.name, dtype=np.object_)
    return dataclasses.replace(table, text={**table.text, "gpu": on}, extra={"version": labels})
