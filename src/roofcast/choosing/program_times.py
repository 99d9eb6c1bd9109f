"""What one job of each program takes on each candidate: the kernels of profiles, or a trace with its host and gaps."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.applications.recorded import forecast_runs, read_run_windows
from roofcast.applications.result import ApplicationForecast
from roofcast.applications.show import describe_unit
from roofcast.catalog import parse_target
from roofcast.catalog.instances import find_instance
from roofcast.catalog.prices import Price
from roofcast.choosing.workload_file import Program
from roofcast.core.absent import quietly
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable, rows_matching
from roofcast.core.launch_totals import find_ends_of_targets, name_board, number_kernels
from roofcast.core.machines import columns_of
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.results import Conditions
from roofcast.core.timeline import Collective
from roofcast.forecasting.forecast import forecast
from roofcast.forecasting.forecasts import Forecast
from roofcast.forecasting.pages import has_pages
from roofcast.forecasting.prepared import prepare
from roofcast.forecasting.unmeasured_steps import HELD, NOT_MEASURED, forecast_operators
from roofcast.formulas.values import combine
from roofcast.ingest.text.files import files_in, is_folder
from roofcast.ingest.timelines import is_timeline
from roofcast.kit.answer import SHARE_LEAST
from roofcast.models.physics.causes.collectives import links_among, spread_of_links
from roofcast.operators.recorded_operators import RecordedOperators, read_operators
from roofcast.reading import read
from roofcast.scaling.measured_run import BACKWARD
from roofcast.scaling.training_model import find_record
from roofcast.store.set_names import is_stored
from roofcast.sweeps.workload import weights_of

CELLS = 1_500_000
"""Kernels x GPUs that are forecast at once: some 250 MB."""
RUNS_AT_ONCE = 4
"""Targets that a trace is replayed on at once: each holds the whole run."""
UNCLAIMED = (
    "for some of the GPUs the intervals claim nothing: from a time alone nothing was calibrated between GPUs so far "
    "apart as they and the profile's; measure there, or give counters"
)
NEVER_RAN = (
    "a job is one step of a model that never ran: its operators by what libraries usually reach, its host of an "
    "unknown speed; one profile on any GPU narrows this"
)
PAGED = (
    "Unified memory moved pages: times are of kernels and pages together, their intervals hold the bounds by each "
    "GPU's link to the host."
)


@dataclass(frozen=True)
class ProgramTimes:
    """One job of a program on c candidates; arrays are (c,), NaN where there is no forecast."""

    time_s: FloatArray
    low_s: FloatArray
    high_s: FloatArray
    low_outer_s: FloatArray
    """If all kernels erred the same way."""
    high_outer_s: FloatArray
    kernels_s: FloatArray
    """All launches of kernels one after the other, without the host."""
    energy_j: FloatArray
    energy_low_j: FloatArray
    energy_high_j: FloatArray
    limits: tuple[str | None, ...]
    """What takes most of the time: a resource, or the host."""
    kernels: int
    """With a weight and a forecast somewhere."""
    missing: int
    """With a weight and no forecast anywhere."""
    rows: int
    coverage: float | None
    claimed: NDArray[np.bool_]
    """Whether the intervals claim the coverage; False where nothing was calibrated between GPUs so far apart."""
    told: Mapping[str, Any] = field(default_factory=dict)
    """Conditions of the forecasts."""
    notes: tuple[str, ...] = ()
    run: str = ""
    """Of a recorded run with its host and gaps: what a job is of it; '' of kernels alone."""

    @property
    def energies(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """J of one GPU in a job, with their ends."""
        return self.energy_j, self.energy_low_j, self.energy_high_j

    def scaled(
        self, factor: FloatArray | float, added_s: FloatArray | float = 0.0, added_high_s: FloatArray | float = 0.0
    ) -> ProgramTimes:
        """Times (and energy) times a factor, and seconds beside them, which may be none and at most so many."""
        extra = {"time_s": added_s, "low_s": 0.0, "high_s": added_high_s}
        extra |= {"low_outer_s": 0.0, "high_outer_s": added_high_s, "kernels_s": added_s}
        times = {n: getattr(self, n) * factor + more for n, more in extra.items()}
        energy = {n: getattr(self, n) * factor for n in ("energy_j", "energy_low_j", "energy_high_j")}
        return dataclasses.replace(self, **times, **energy)


def read_program(program: Program) -> KernelTable | None:
    """The kernels of a program; None where its times are given, or follow from a language model's config."""
    if program.times or program.served:
        return None
    if (recorded := read_record(program)) is not None:
        return recorded.table
    table = program.kernels if program.kernels is not None else read(list(program.files), program.input_format)
    if program.pattern is None:
        return table
    return table.select(rows_matching([str(name) for name in table.strings("kernel")], program.pattern))


def read_record(program: Program) -> RecordedOperators | None:
    """The operators of a program that is a model which never ran; None where it is something else.

    Raises
    ------
    RoofcastError : a list of operators beside other files; a part of it, or its host, asked for.
    """
    if program.kernels is not None or program.input_format is not None:
        return None
    records = [r for r in map(find_record, program.files) if r is not None]
    if not records:
        return None
    if len(program.files) > 1:
        raise RoofcastError("a list of operators (roofcast.torch.record) is a program of its own: give it alone")
    if program.pattern or program.counts or program.range_name or program.step or program.host_speed != 1.0:
        raise RoofcastError("a list of operators is one step: leave out kernels, weights, range, step and host_speed")
    return read_operators(records[0])


def time_record(recorded: RecordedOperators, targets: Sequence[Processor]) -> ProgramTimes:
    """One step of a model that never ran, on each target: what its operators take, or the host of an unknown speed."""
    model = forecast_operators(recorded, targets)
    names = ("time_s", "time_low_s", "time_high_s", "time_low_outer_s", "time_high_outer_s", "device_time_s")
    time, low, high, low_outer, high_outer, device = np.array([[getattr(t, n) for t in model.totals] for n in names])
    joules = np.array([model.step_energy(j) for j in range(len(targets))]).T
    spent = np.nan_to_num(model.time_s * model.launches[:, None])
    limits = spend_most(model.limit, spent)
    return ProgramTimes(
        time, low, high, low_outer, high_outer, device, joules[0], joules[1], joules[2],
        tuple("host" if t.decided_by == "host" else limit for t, limit in zip(model.totals, limits, strict=True)),
        len(recorded.table), 0, len(recorded.table), HELD, np.ones(len(targets), np.bool_), {"text": NOT_MEASURED},
        (NEVER_RAN,),
    )  # fmt: skip


def is_run(program: Program) -> bool:
    """Whether a program is a recorded run, whose host counts; single kernels of one are no run."""
    named = [f for f in program.files if f != "-"]
    plain = [str(p) for f in named for p in (files_in(f) if is_folder(f) else [f])]
    traces = [not is_stored(f) and is_timeline(f, program.input_format) for f in plain]
    asked = program.range_name is not None or program.step or program.host_speed != 1.0
    recorded = bool(named) and len(named) == len(program.files) and all(traces)
    if asked and not recorded:
        raise RoofcastError(f"program {program.name}: range, step and host_speed are of traces, and it has none alone")
    if asked and (program.counts or program.pattern):
        raise RoofcastError(f"program {program.name}: a part of a run has all of its kernels: leave kernels out")
    return recorded and not program.counts and program.pattern is None


def take_given(program: Program, targets: Sequence[Processor], names: Sequence[str], coverage: float) -> ProgramTimes:
    """The times that are given for targets by their names, or by any name of their GPU; NaN without.

    coverage : that the given ends are meant for.
    """
    keys = {name_board(parse_target(n).processor): given for n, given in program.times.items() if not find_instance(n)}
    given = [
        program.times.get(n, program.times.get(n.partition(" (")[0], keys.get(name_board(p), (np.nan,) * 3)))
        for n, p in zip(names, targets, strict=True)
    ]
    low, time, high = np.array(given, float).T
    none = np.full(len(targets), np.nan)
    limits = (None,) * len(targets)
    return ProgramTimes(time, low, high, low, high, time, none, none, none, limits, 0, 0, 0, coverage,
                        np.ones(len(targets), np.bool_))  # fmt: skip


def time_program(
    program: Program, kernels: KernelTable, targets: Sequence[Processor], how: Mapping[str, Any]
) -> ProgramTimes:
    """One job of a program on one GPU of each kind. how : options of ``forecast``."""
    if (recorded := read_record(program)) is not None:
        return time_record(recorded, targets)
    source = program.source or how.get("source")
    part_asked = program.range_name is not None or program.step
    # Waits for pages are bounded kernel by kernel: kernels and pages together are the answer there.
    if is_run(program) and (part_asked or not has_pages(kernels)):
        return time_run(program, targets, {**how, "source": source})
    step = max(1, CELLS // max(len(kernels), 1))
    parts = (
        forecast(kernels, list(targets[i : i + step]), **{**how, "source": source})
        for i in range(0, len(targets), step)
    )
    return add_up_times(parts, program.counts)


def time_run(program: Program, targets: Sequence[Processor], how: Mapping[str, Any]) -> ProgramTimes:
    """A recorded run on each target, as `roofcast app` forecasts it."""
    given: Conditions = how["conditions"]
    options = {
        "source": how["source"], "model": how.get("model"), "coverage": given.coverage, "conditions": given,
        "launch_floor": given.launch_floor_s, "range_name": program.range_name, "step": program.step,
        "host_speed": program.host_speed,
    }  # fmt: skip
    runs = read_run_windows(program.files, program.input_format)
    columns: list[FloatArray] = []
    limits: list[str | None] = []
    launches, how_meant, coverage = 0, {}, None
    vain: list[bool] = []
    for i in range(0, len(targets), RUNS_AT_ONCE):
        some = list(targets[i : i + RUNS_AT_ONCE])
        forecasts = forecast_runs(runs, some, **options)
        # Several runs are one job, one after the other.
        by_target = [[f for f in forecasts if f.target is t or f.target.name == t.name] for t in some]
        columns += [combine(np.add, [np.array(read_run(f, program.gpus)) for f in of]) for of in by_target]
        limits += [limit_of(of) for of in by_target]
        launches = sum(f.kernels_total.launches for f in by_target[0])
        how_meant, coverage = dict(forecasts[0].conditions), forecasts[0].coverage
        vain += [any(f.kernels_total.unclaimed_fraction > SHARE_LEAST for f in of) for of in by_target]
    time, low, high, kernels, low_outer, high_outer, *joules = np.stack(columns, axis=1)
    return ProgramTimes(
        time, low, high, *find_outer_ends(time, low, high, kernels, low_outer, high_outer),
        kernels, joules[0], joules[1], joules[2], tuple(limits), launches, 0, launches, coverage, ~np.array(vain),
        how_meant,
        (UNCLAIMED,) if any(vain) else (), run=describe_unit(forecasts),
    )  # fmt: skip


def find_outer_ends(
    time_s: FloatArray, low_s: FloatArray, high_s: FloatArray, kernels_s: FloatArray, kernels_low_s: FloatArray,
    kernels_high_s: FloatArray,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    r"""Ends of a run whose kernels all err the same way, and no nearer than those where they err apart.

    .. math:: T_{low} = T - \min(K, T) (1 - K_{low} / K), \qquad T_{high} = T + \min(K, T) (K_{high} / K - 1)

    time_s, low_s, high_s : (m,) s, T of the run with its interval. kernels_s and its ends : (m,) s, K of all kernels.
    Reason: kernels on several streams or GPUs run beside each other, so that their sum may exceed the run. The factor
    of the sum holds of the run's part that they are, which is at most all of it: no time is negative.

    >>> [float(v) for v in find_outer_ends(*(np.array(v) for v in (2.0, 1.5, 3.0, 8.0, 4.0, 16.0)))]
    [1.0, 4.0]
    """
    part = np.minimum(kernels_s, time_s)
    with quietly():
        down, up = (np.where(kernels_s > 0, end / kernels_s, 1.0) for end in (kernels_low_s, kernels_high_s))
    return np.fmin(low_s, time_s - part * (1.0 - down)), np.fmax(high_s, time_s + part * (up - 1.0))


def read_run(f: ApplicationForecast, gpus: int) -> list[float]:
    """Times of what `roofcast app` answers (one step or run of a range, else the run), and J of one of so many GPUs, as
    far as the run recorded them: kernels and J are the run's, by the part of its time.
    """
    total, devices, answer = f.kernels_total, min(f.devices, gpus), f.answer
    part = answer.time_s / f.time_s if f.time_s > 0 else 1.0
    return [
        answer.time_s, answer.time_low_s, answer.time_high_s,
        *(part * v for v in (total.time_s, total.time_low_outer_s, total.time_high_outer_s)),
        *(part * joules / devices for joules in f.energy_j),
    ]  # fmt: skip


def limit_of(runs: Sequence[ApplicationForecast]) -> str | None:
    """What takes most of runs: the host, or a resource."""
    if sum(f.fixed_time_s for f in runs) > 0.5 * sum(f.time_s for f in runs):
        return "host"
    spent: dict[str, float] = {}
    for kernel in (k for f in runs for k in f.kernels if k.limit_target):
        spent[str(kernel.limit_target)] = spent.get(str(kernel.limit_target), 0.0) + kernel.time_s
    return max(spent, key=lambda r: spent[r], default=None)


def add_up_times(parts: Iterable[Forecast], counts: Mapping[str, float] | None) -> ProgramTimes:
    """Sums over the kernels of forecasts of the same table on different targets.

    counts : kernel -> how often it runs.
    """
    sums: list[list[FloatArray]] = []
    limits: list[str | None] = []
    known_kernels, reason, coverage, paged = [], "", None, False
    vain: list[bool] = []
    conditions: Mapping[str, Any] = {}
    weight, on_any, kernel = np.zeros(0), np.zeros(0, np.bool_), np.zeros(0, np.intp)
    for result in (part.each_work_once() for part in parts):
        estimate = result.estimate
        if not sums:
            weight = weights_of(result.kernels, counts)
            on_any = np.zeros(len(weight), np.bool_)
            names = [s.name if s else "" for s in result.sources]
            kernel = number_kernels(result.kernels.strings("kernel"), names)
        known = np.isfinite(estimate.time_s)
        on_any |= known.any(axis=1)
        known_kernels.append(known[weight > 0].sum(axis=0))
        time, low, high = (
            np.where(known, weight[:, None] * v, 0.0)
            for v in (estimate.time_s, estimate.time_low_s, estimate.time_high_s)
        )
        ends = find_ends_of_targets(time, low, high, kernel)
        beside = estimate.pages.sums(weight) if estimate.pages is not None else (0.0, 0.0, 0.0)
        paged = paged or estimate.pages is not None
        vain += [bool(t.kernels) and t.unclaimed_fraction > SHARE_LEAST for t in result.totals]
        ends_of_sum = [time.sum(axis=0), *ends, low.sum(axis=0), high.sum(axis=0)]
        total = [value + beside[k] for value, k in zip(ends_of_sum, (0, 1, 2, 1, 2), strict=True)]
        sums.append([*total, total[0], *add_up_energy(result, weight, kernel)])
        limits += spend_most(result.limits_target(), time)
        reason = reason or next((str(r) for r in estimate.reasons.ravel() if r), "")
        coverage, conditions = estimate.coverage, result.conditions_told
    usable = on_any & (weight > 0)
    if not usable.any():
        raise RoofcastError(f"no kernel can be forecast: {reason or 'all weights are 0'}")
    whole = np.concatenate(known_kernels) == usable.sum()
    time, low, high, low_outer, high_outer, kernels_s, *energy = (
        np.where(whole, np.concatenate(column), np.nan) for column in zip(*sums, strict=True)
    )
    return ProgramTimes(
        time, low, high, low_outer, high_outer, kernels_s, energy[0], energy[1], energy[2], tuple(limits),
        int(usable.sum()), int((~on_any & (weight > 0)).sum()), len(weight), coverage, ~np.array(vain), conditions,
        (*((PAGED,) if paged else ()), *((UNCLAIMED,) if any(vain) and coverage else ())),
    )  # fmt: skip


def add_up_energy(result: Forecast, weight: FloatArray, kernel: np.ndarray) -> list[FloatArray]:
    """J of all launches on each target with their ends, (c,) each; NaN where a kernel's is not known."""
    used, joules = weight > 0, result.energy
    energy, low, high = (weight[used, None] * v[used] for v in (joules.energy_j, joules.low_j, joules.high_j))
    known = np.isfinite(energy).all(axis=0)
    ends = find_ends_of_targets(np.nan_to_num(energy), np.nan_to_num(low), np.nan_to_num(high), kernel[used])
    return [np.where(known, v, np.nan) for v in (energy.sum(axis=0), *ends)]


def spend_most(limits: np.ndarray, time_s: FloatArray) -> list[str | None]:
    """Per target the limit with most seconds."""
    names = [str(n) for n in dict.fromkeys(limits.ravel().tolist()) if n]
    if not names:
        return [None] * time_s.shape[1]
    spent = np.stack([np.where(limits == n, time_s, 0.0).sum(axis=0) for n in names])
    return [names[k] if spent[k, j] > 0 else None for j, k in enumerate(spent.argmax(axis=0).tolist())]


def scale_program(
    program: Program, times: ProgramTimes, targets: Sequence[Processor], prices: Sequence[Price]
) -> ProgramTimes:
    r"""One job on the program's GPUs, from one job on one of them.

    .. math:: T_n = \frac{T_1}{n\, e} \text{ (strong)}, \quad \frac{T_1}{e} \text{ (weak)}, \quad
        T_1 + \max(T_{all-reduce}(V, n, B) - b\,T_1, 0) \text{ (data parallel)}

    T_1 : as the file has it. n : GPUs of a job. e : efficiency, stated. V : B of gradients. B : B/s to another GPU.
    b : share of a step that is the backward pass, behind which gradients are added up, as `roofcast scale` has it: the
    interval goes from all of it hidden to nothing hidden, with links :func:`spread_of_links` slower than taught.
    Measured runs and those that divide evenly stay as they are: the former were recorded on as many GPUs. A weak job is
    n times the file's, and a data-parallel one a step of all n with the file's batch on each; the sum over the links
    follows :mod:`roofcast.models.physics.link_times`.
    """
    n = program.gpus
    if program.scaling == "strong":
        return times.scaled(1.0 / (n * program.efficiency))
    if program.scaling == "weak":
        return times.scaled(1.0 / program.efficiency)
    if program.scaling == "data parallel":
        stated = np.array([p.link_bytes_per_s or np.nan for p in prices])
        catalogued, known = links_among(columns_of(list(targets))), ~np.isnan(stated)
        links = catalogued._replace(
            bytes_per_s=np.where(known, stated, catalogued.bytes_per_s), adds=np.where(known, 0.0, catalogued.adds),
            unknown_tree=np.where(known, 0.0, catalogued.unknown_tree), node_gpus=np.inf,
        )  # fmt: skip
        sums_s, wire = links.at_middle(n).time_s(Collective.ALL_REDUCE, program.gradient_bytes or 0.0, n)
        longest_s = sums_s * spread_of_links(wire, links.doubt(n), slots=links.slots)
        return times.scaled(1.0, np.maximum(sums_s - BACKWARD * times.time_s, 0.0), longest_s)
    return times


def memory_of(kernels: KernelTable | None, program: Program, how: Mapping[str, Any]) -> float | None:
    """Bytes that a program needs at least: stated, held as recorded, or what its largest kernel touches; None unknown.

    Of the rows that are forecast: those of other GPUs may have run other work.
    """
    if program.memory_bytes is not None or kernels is None:
        return program.memory_bytes
    if (held := recorded_memory(kernels)) is not None:
        return held
    rows = {"source": program.source or how.get("source"), "together": how.get("together", False)}
    table = prepare(kernels, (), conditions=Conditions(), sass="off", **rows).kernels
    columns = [table.column(name) for name in ("working_set_bytes", "bytes_compulsory")]
    return max((float(np.nanmax(c)) for c in columns if np.isfinite(c).any()), default=0.0) or None


def recorded_memory(kernels: KernelTable) -> float | None:
    """Bytes that the files of a table held at most on a device; None where no allocations were recorded."""
    return max((p.memory_bytes for p in kernels.provenance if p.memory_bytes is not None), default=None)


def describe_missing(name: str, times: ProgramTimes) -> tuple[str, ...]:
    """Say which kernels are left out."""
    if not times.missing:
        return ()
    of = f" of {one_line(name, 60)}" if name else ""
    return (f"kernels{of} that cannot be forecast and are left out: {times.missing} of {times.rows}",)
