r"""The table of families: how far off the default model is on kinds of work that nothing in it was fitted to.

A family is a kind of work from one origin. It is scored by a model that was taught without it, on the forecasts that
``roofcast forecast`` prints for its files as a user has them; and once more with its other programs, then with other
GPUs, among the lessons. Beside it stand the naive ratios.

.. math:: E = \exp\left(\sum_i w_i \left|\ln(\hat T_i / T_i)\right|\right) - 1

with the same weight for every directed pair of GPUs, and for every kernel in it; over families the mean of the
logarithms.
"""

from __future__ import annotations

import dataclasses
import math
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.errors import DatasetError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.results import PRODUCTION
from roofcast.models.base import Model
from roofcast.models.physics.law import OPERATOR, LawInputs
from roofcast.models.physics.model import Mechanistic
from roofcast.models.physics.stages import has_no_counters
from roofcast_evaluate.baseline import baseline_log_ratio
from roofcast_evaluate.cases import FOLDS, Cases, cases_of, folds_of, forecast_parts, program_of
from roofcast_evaluate.datasets import JUDGES, Dataset, dataset_of, families, load
from roofcast_evaluate.floors import measured_floors
from roofcast_evaluate.scores import Outcome, pair_weights, weighted_quantile
from roofcast_evaluate.screening import sound_rows
from roofcast_evaluate.teaching import Lesson, Mask, Teacher, gpu_folds, lessons

MISSING = math.log(2.0)
"""Log error of a missing forecast."""

PAIR_ROWS_LEAST = 50
"""Rows of a pair of GPUs whose coverage says anything by itself."""

NOMINAL = 0.9
"""1; coverage that the intervals claim."""

FLOOR_LONGEST_S = 100e-6
"""No launch floor is longer: a shortest time above it is work."""

BY_PROGRAM = {"hecbench": "its programs, in five folds"}
"""Families scored with only the programs of the test left out, and how that is said: nothing else has its evidence."""

LEFT_OUT = "the family"
ALWAYS_KNOWN = "constants of causes and operators set by hand with most families in sight"
NAIVE = ("bandwidth", "fp32", "both")


@dataclass(frozen=True)
class Errors:
    """How far forecasts of p pairs are from measurements, as sums that families share."""

    error: float
    """exp(mean |ln|) - 1"""
    coverage: float
    worst_pair_coverage: float | None
    """Of pairs of GPUs with at least :data:`PAIR_ROWS_LEAST` rows."""
    width: float
    """Median of high over low."""
    width_needed: float
    """What the median would be with all intervals scaled (in logarithms) until 90 % are inside."""


@dataclass(frozen=True)
class Row:
    """One family."""

    family: str
    own: Errors
    bandwidth: float
    fp32: float
    both: float
    rows: int
    gpus: int
    program: Errors | None
    """With only the programs of the test left out; None where there is one program."""
    gpu: Errors | None
    """With only the target GPU left out, of this and all other families."""
    floors: Errors | None
    """As ``own``, with launch floors given: of the times that were measured on both GPUs."""
    warm: Errors | None
    """As ``own``, with ``--cache warm``."""
    left_out: str
    commands: tuple[str, ...]
    """What prints the forecasts, one per file, for the two GPUs with most rows."""
    yardsticks: Yardsticks | None = None
    """None for profiles with counters."""
    noise: float | None = None
    """What even the ratio of two single runs is off by; None where no repeats were recorded."""


@dataclass(frozen=True)
class Table:
    """All families, and their mean."""

    rows: tuple[Row, ...]

    def mean(self, of: Callable[[Row], float | None]) -> float:
        """exp(mean ln(1 + error)) - 1 of an error over families that have it."""
        values = [v for row in self.rows if (v := of(row)) is not None and math.isfinite(v)]
        return math.expm1(sum(math.log1p(v) for v in values) / len(values)) if values else float("nan")

    def against_ratios(self) -> list[tuple[str, float, float, int]]:
        r"""Kind of work, the model's error over the best ratio's and over the log-mean's, families.

        .. math:: \frac{\sum_f E_f}{\sum_f \min_r E_{fr}}

        E : mean log error of a family, of the model and of ratio r: the best in hindsight, chosen family by family.
        """
        known = [row.yardsticks.work for row in self.rows if row.yardsticks]
        kinds = []
        for name in dict.fromkeys(name for work in known for name in work):
            errors = np.array([work[name] for work in known if name in work])
            ours, best, both = errors[:, 0].sum(), errors[:, 1:].min(axis=1).sum(), errors[:, 3].sum()
            kinds.append((name, float(ours / best), float(ours / both), len(errors)))
        return kinds

    def within_best_ratio(self, factor: float) -> tuple[int, int]:
        """Count the families without counters whose error (logarithms) is within a factor of the best ratio's."""
        known = [row.yardsticks.work["all"] for row in self.rows if row.yardsticks]
        return sum(ours <= factor * min(ratios) for ours, *ratios in known), len(known)

    def behind_formula(self) -> list[str]:
        """Families that err more than the formula, beyond the noise."""
        return [row.family for row in self.rows if row.yardsticks and row.yardsticks.behind_formula > 0]


@dataclass(frozen=True)
class Part:
    """One data set of a family, paired as the file is."""

    dataset: str
    kernels: KernelTable
    cases: Cases

    @property
    def within(self) -> bool:
        """Whether pairs are settings of one GPU."""
        return facts_of(self.dataset).within_gpu


def facts_of(name: str) -> Dataset:
    """The registry's entry of a data set with pairs."""
    entry = dataset_of(name)
    assert entry is not None
    return entry


def scored_families() -> dict[str, tuple[str, ...]]:
    """Family -> its data sets; those that only judge last, each by itself."""
    return families() | {name: (name,) for name in JUDGES}


def read_parts(family: str) -> list[Part]:
    """The data sets of a family."""
    return [read_part(name) for name in scored_families()[family]]


def read_part(name: str) -> Part:
    """One data set; with broken measurements in it screened."""
    kernels = load(name)[1]
    keep = sound_rows(kernels) if facts_of(name).screened else None
    return Part(name, kernels, cases_of(name, kernels, accepted=keep))


def outcome_of(parts: Sequence[Cases], model: Model) -> Outcome:
    """Forecasts of all pairs of a family."""
    return join_outcomes([cases.forecast(model) for cases in parts])


def join_outcomes(parts: Sequence[Outcome]) -> Outcome:
    """Several outcomes as one."""
    if len(parts) == 1:
        return parts[0]
    names = [f.name for f in dataclasses.fields(Outcome)]
    return Outcome(**{name: np.concatenate([getattr(p, name) for p in parts]) for name in names})


def weights_of(outcome: Outcome) -> FloatArray:
    """(p,) of every pair (:func:`roofcast_evaluate.scores.pair_weights`)."""
    return pair_weights(outcome.kernel, outcome.source_gpu, outcome.target_gpu)


def log_errors(time_s: FloatArray, measured_s: FloatArray) -> FloatArray:
    """|ln(forecast / measured)|; :data:`MISSING` where there is no forecast."""
    with quietly():
        errors = np.abs(np.log(time_s / measured_s))
    return np.where(np.isfinite(errors), errors, MISSING)


def errors_of(outcome: Outcome) -> Errors:
    """Error, coverage and width of forecasts."""
    weight, error = weights_of(outcome), log_errors(outcome.time_s, outcome.time_s_measured)
    with quietly():
        below = np.log(outcome.time_s / outcome.time_low_s)
        above = np.log(outcome.time_high_s / outcome.time_s)
    signed = np.log(outcome.time_s_measured) - np.log(np.where(outcome.time_s > 0, outcome.time_s, np.nan))
    side = np.where(signed > 0, above, below)
    inside = (outcome.time_low_s <= outcome.time_s_measured) & (outcome.time_s_measured <= outcome.time_high_s)
    claimed = np.isfinite(below) & np.isfinite(above)
    share = float(np.sum(weight * inside) / np.sum(weight * claimed)) if claimed.any() else float("nan")
    # How much longer each side would have to be for its measured time to be inside.
    with quietly():
        missed = np.where(claimed, np.where(np.abs(signed) > 0, np.abs(signed) / side, 0.0), np.nan)
    width = below + above
    middle = weighted_quantile(width[claimed], weight[claimed], 0.5)
    factor = weighted_quantile(missed[claimed], weight[claimed], NOMINAL)
    return Errors(
        error=math.expm1(float(np.sum(weight * error))),
        coverage=share,
        worst_pair_coverage=worst_pair_coverage(outcome, inside),
        width=math.exp(middle),
        width_needed=math.exp(min(weighted_quantile((width * factor)[claimed], weight[claimed], 0.5), 700.0)),
    )


def worst_pair_coverage(outcome: Outcome, inside: Mask) -> float | None:
    """Least share of measured times inside, of pairs of GPUs with rows enough; each kernel the same."""
    _, pair = np.unique((outcome.source_gpu + "\x00" + outcome.target_gpu).astype(str), return_inverse=True)
    weight = weights_of(outcome)
    whole, within = np.bincount(pair, weight), np.bincount(pair, weight * inside)
    shares = (within / whole)[np.bincount(pair) >= PAIR_ROWS_LEAST]
    return float(shares.min()) if len(shares) else None


def naive_times(part: Part) -> FloatArray:
    """(3, p) source times by the ratio of published bandwidths, of FP32 peaks at boost, and by their geometric mean."""
    cases = part.cases
    time_s = cases.kernels.column("time_s")
    targets = cases.targets.cells(cases.targets.index[:, 0], cases.targets.clock_hz[:, 0])
    sides = (cases.sources, targets)
    bandwidth = np.stack([m.spread(m.columns.each(published_bandwidth)) for m in sides])
    fp32 = np.stack([m.spread(m.columns.supply(Resource.FLOPS_FP32).theory_per_s) for m in sides])
    if part.within:
        fp32 = fp32 * np.stack([m.clock_hz / m.gather("clock_hz_boost") for m in sides])
    ratios = [time_s * v[0] / v[1] for v in (bandwidth, fp32)]
    return np.stack([*ratios, np.sqrt(ratios[0] * ratios[1])])


FORMULA_ROWS = 20000
"""Pairs of a data set that the formula is scored on, evenly spread."""
WORK_LEAST = 0.02
"""Share of a family's weight below which it says nothing of a kind of work."""


@dataclass(frozen=True)
class Yardsticks:
    """A family without counters beside the formula and the naive ratios, of the same pairs with the same weights."""

    formula: float
    """Error of the formula to beat (:mod:`roofcast_evaluate.baseline`)."""
    behind_formula: float
    """Mean log error beyond the formula's, as far as it exceeds the noise of programs and GPUs."""
    work: Mapping[str, tuple[float, float, float, float]]
    """Kind of work -> mean log error of the model and of the three naive ratios; kinds that the family has."""


def kinds_of_work(x: LawInputs) -> dict[str, Mask]:
    """What the limits speak of apart. x : what the law reads of pairs."""
    u, kind = np.broadcast_to(x.share, x.physics.shape)[:, 0], np.broadcast_to(x.kind, x.physics.shape)[:, 0]
    return {
        "all": np.ones(len(u), np.bool_),
        "roofs explain 0.6 to 0.8": (u >= 0.6) & (u <= 0.8),
        "roofs explain more": u > 0.8,
        "operators of known shape": kind == OPERATOR,
    }


def measure_yardsticks(parts: Sequence[Part], outcome: Outcome) -> Yardsticks | None:
    """What others say of a family's pairs; None where profilers counted. outcome : the model's of all pairs."""
    formula, naive, rows, work, first = [], [], [], [], 0
    for part in parts:
        chosen = np.arange(0, len(part.cases), max(-(-len(part.cases) // FORMULA_ROWS), 1))
        some = dataclasses.replace(part, cases=part.cases.select(chosen))
        cases = some.cases
        read = Mechanistic().parts(cases.kernels, cases.sources, cases.targets, cases.given, cases.changes)
        if read.law is None or not has_no_counters(read.kernels).all():
            return None
        formula.append(cases.kernels.column("time_s") * np.exp(baseline_log_ratio(read.law)[:, 0]))
        naive.append(naive_times(some))
        work.append(kinds_of_work(read.law))
        rows.append(first + chosen)
        first += len(part.cases)
    ours = outcome.select(np.concatenate(rows))
    theirs = dataclasses.replace(ours, time_s=np.concatenate(formula))
    weight = weights_of(ours)
    errors = np.stack([log_errors(t, ours.time_s_measured) for t in (ours.time_s, *np.concatenate(naive, axis=1))])
    by_work = {}
    for name in work[0]:
        work_weight = weight * np.concatenate([w[name] for w in work])
        if work_weight.sum() > WORK_LEAST:
            model, *ratios = (errors @ work_weight / work_weight.sum()).tolist()
            by_work[name] = (model, ratios[0], ratios[1], ratios[2])
    error = float(weight @ log_errors(theirs.time_s, ours.time_s_measured))
    return Yardsticks(math.expm1(error), paired_excess(ours, theirs)[1], by_work)


DRAWS = 400
"""Of the bootstrap over programs and GPUs."""


def paired_excess(one: Outcome, other: Outcome) -> tuple[float, float]:
    """Excess of one error over another, in mean log error, and the least of it in 19 of 20 draws.

    Drawn are programs and GPUs: pairs that share a GPU share its clock, driver and library.
    """
    weight = weights_of(one)
    apart = weight * (log_errors(one.time_s, one.time_s_measured) - log_errors(other.time_s, other.time_s_measured))
    programs = {k: program_of(k) for k in set(one.kernel)}
    names, program = np.unique(np.array([programs[k] for k in one.kernel]), return_inverse=True)
    gpus, ends = np.unique(np.concatenate([one.source_gpu, one.target_gpu]).astype(str), return_inverse=True)
    source, target = ends.reshape(2, -1)
    random, means = np.random.default_rng(0), []
    for _ in range(DRAWS):
        times = random.multinomial(len(names), np.full(len(names), 1.0 / len(names)))[program].astype(np.float64)
        drawn = random.multinomial(len(gpus), np.full(len(gpus), 1.0 / len(gpus)))
        times *= drawn[source] * drawn[target]
        if (whole := float(times @ weight)) > 0:
            means.append(float(times @ apart) / whole)
    return max(float(apart.sum()), 0.0), max(float(np.quantile(means, 0.05)), 0.0)


def noise_of(parts: Sequence[Part], outcome: Outcome) -> float | None:
    r"""Error of the ratio of two single runs, from the scatter of repeats; None without.

    .. math:: \exp\left(\mathrm{mean}\, \sqrt{2 / \pi} \, \sqrt 2 \, \sigma / T\right) - 1

    sigma : s, standard deviation of repeats. The mean absolute deviation of a normal distribution; both runs scatter.
    """
    scatter = np.concatenate([p.cases.kernels.column("time_std_s") / p.cases.kernels.column("time_s") for p in parts])
    known, weight = np.isfinite(scatter), weights_of(outcome)
    if not known.any():
        return None
    return math.expm1(2.0 / math.sqrt(math.pi) * float(weight[known] @ scatter[known] / weight[known].sum()))


def published_bandwidth(p: Processor) -> float | None:
    """Bytes per second of the data sheet; of a variation, its DRAM's peak."""
    printed = p.published.get(Resource.BYTES_DRAM.value)
    supply = p.supply(Resource.BYTES_DRAM)
    return printed or (None if supply is None else supply.peak_per_s or supply.per_s)


def naive_errors(parts: Sequence[Part], outcome: Outcome) -> dict[str, float]:
    """Errors of the naive ratios."""
    times = np.concatenate([naive_times(part) for part in parts], axis=1)
    weight = weights_of(outcome)
    errors = (math.expm1(float(np.sum(weight * log_errors(t, outcome.time_s_measured)))) for t in times)
    return dict(zip(NAIVE, errors, strict=True))


def command_of(part: Part) -> str:
    """What prints the forecasts of a file, for the pair of GPUs with most rows of it."""
    cases = part.cases
    (source, target), _ = Counter(zip(cases.source_gpu, cases.target_gpu, strict=True)).most_common(1)[0]
    words = ["--from", source, "--to", target]
    if cases.named != PRODUCTION:
        words += ["--conditions", cases.named]
    file = facts_of(part.dataset).file  # a pattern is the shell's to expand
    return f"roofcast forecast {file} {shlex.join(words)}" + (
        ", at each clock setting of both sides" if part.within else ""
    )


@dataclass(frozen=True)
class Models:
    """Models taught without a family, without a fold of programs, without a fold of GPUs; each made once."""

    teacher: Teacher

    def without_family(self, family: str) -> Model:
        """For forecasts of the family; made once for all tables of a teacher. A judge's relatives are left out."""
        family = JUDGES[family].family if family in JUDGES else family
        models = self.teacher.without_family
        if family not in models:
            models[family] = self.teacher.teach(lambda lesson: np.full(len(lesson.cases), lesson.family != family))
        return models[family]

    def without_programs(self, fold: int) -> Model:
        """For forecasts of the programs of a fold."""
        return self.teacher.teach(lambda lesson: lesson.program_fold != fold)

    def without_gpus(self, fold: int) -> Model:
        """For forecasts on the GPUs of a fold."""

        def untouched(lesson: Lesson) -> Mask:
            source, target = lesson.gpu_folds
            return np.asarray((source != fold) & (target != fold))

        return self.teacher.teach(untouched)


def folded_outcome(
    parts: Sequence[Cases], folds: Sequence[NDArray[np.intp]], models: Sequence[Model]
) -> Outcome:  # fmt: skip
    """Forecasts of every pair by the model that was taught without its fold."""
    folded = zip(parts, folds, strict=True)
    return join_outcomes([forecast_parts(c, ((fold == k, m) for k, m in enumerate(models))) for c, fold in folded])


def check_families(names: Iterable[str] | None) -> None:
    """Raise DatasetError for a name that is no family."""
    for name in names or ():
        if name not in scored_families():
            raise DatasetError(f"unknown family {one_line(name, 60)!r}: use one of {', '.join(scored_families())}")


def score_families(
    names: Iterable[str] | None = None, teacher: Teacher | None = None, *, tell: Callable[[str], None] | None = None
) -> Table:
    """The table of families.

    names : of families (default: all). teacher : with all lessons. tell : takes the name of each before it is scored.

    Raises
    ------
    DatasetError : an unknown family, or files that are absent.
    """
    models = Models(teacher or Teacher.of(lessons()))
    chosen = list(names) if names else list(scored_families())
    by_program = [models.without_programs(k) for k in range(FOLDS)]
    by_gpu = [models.without_gpus(k) for k in range(FOLDS)]
    return Table(tuple(score_all(chosen, models, by_program, by_gpu, tell)))


def score_all(
    names: Sequence[str], models: Models, by_program: Sequence[Model], by_gpu: Sequence[Model],
    tell: Callable[[str], None] | None,
) -> Iterator[Row]:  # fmt: skip
    """The rows of the table, one family after the other: no two tables are held at once."""
    for family in names:
        if tell:
            tell(family)
        yield score_family(family, models, by_program, by_gpu)


def score_family(family: str, models: Models, by_program: Sequence[Model], by_gpu: Sequence[Model]) -> Row:
    """One row of the table."""
    parts = read_parts(family)
    cases = [part.cases for part in parts]
    programs = [folds_of(c.kernels.strings("kernel")) for c in cases]
    program = folded_outcome(cases, programs, by_program) if len(np.unique(np.concatenate(programs))) > 1 else None
    gpus = {name for c in cases for name in (*c.source_gpu, *c.target_gpu)}
    gpu = folded_outcome(cases, [gpu_folds(c)[1] for c in cases], by_gpu) if len(gpus) > 1 else None
    own_model = models.without_family(family)
    whole = outcome_of(cases, own_model)
    naive = naive_errors(parts, whole)
    held = family in BY_PROGRAM and program is not None
    headline = program if held and program is not None else whole
    profiled = all(bool((part.kernels.column("bytes_dram") > 0).any()) for part in parts)
    stated = None if profiled or held else stated_floors(parts)
    warm = None if profiled or held else [stated_caches(part) for part in parts]
    return Row(
        family=family,
        own=errors_of(headline),
        **naive,
        rows=len(whole),
        gpus=len(gpus),
        program=None if program is None else errors_of(program),
        gpu=None if gpu is None else errors_of(gpu),
        floors=None if stated is None else errors_of(outcome_of(stated, own_model)),
        warm=None if warm is None else errors_of(outcome_of(warm, own_model)),
        left_out=f"{JUDGES[family].family}, of the same makers"
        if family in JUDGES
        else BY_PROGRAM.get(family, LEFT_OUT),
        commands=tuple(command_of(part) for part in parts),
        yardsticks=measure_yardsticks(parts, whole),
        noise=noise_of(parts, whole),
    )


def stated_floors(parts: Sequence[Part]) -> list[Cases] | None:
    """The pairs with launch floors, where any of the shortest times may be one; None elsewhere."""
    floored = []
    for part in parts:
        floors = {key: s for key, s in measured_floors(part.kernels).items() if s <= FLOOR_LONGEST_S}
        floored.append(dataclasses.replace(part.cases, floors_s=floors))
    return floored if any(cases.floors_s for cases in floored) else None


def stated_caches(part: Part) -> Cases:
    """The pairs with warm caches."""
    keep = sound_rows(part.kernels) if facts_of(part.dataset).screened else None
    return cases_of(part.dataset, part.kernels, accepted=keep, cache="warm")
