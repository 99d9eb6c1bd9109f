"""Forecast: seconds, interval, limit and reasons for every kernel on every target."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
from numpy.typing import NDArray

from roofcast.core import remarks
from roofcast.core.absent import quietly
from roofcast.core.equality import Alike
from roofcast.core.extras import require_polars
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.launch_totals import Total, add_energy, find_totalled, number_kernels, sum_times
from roofcast.core.processor import Processor
from roofcast.core.properties import PROPERTIES, Property
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions, Energy, Estimate, OnSource, largest
from roofcast.forecasting.prepared import Prepared
from roofcast.forecasting.waterfall import Explainer, Waterfall
from roofcast.kit.returned import Row, Statement
from roofcast.models.power import measure_energy

if TYPE_CHECKING:
    import polars


FLOAT_KEYS = (
    *("measured_time_s", "source_time_s", "time_s", "time_low_s", "time_high_s", "time_total_s"),
    *("energy_j", "energy_low_j", "energy_high_j", "coverage", "speedup"),
)
ALL = slice(None)
RECORD_KEYS = (
    *("kernel", "launch", "launches", "source_gpu", "target_gpu", "model", *FLOAT_KEYS, "limit_source", "limit_target"),
    *("time_s_by_resource_source", "time_s_by_resource_target", "assumed", "notes", "config"),
)
"""Keys of one forecast in every machine-readable output, in this order."""


@dataclass(frozen=True)
class Chosen:
    """An explainer of some rows of another one's table."""

    whole: Explainer
    index: NDArray[np.intp]

    def __call__(self, rows: NDArray[np.intp], time_s: FloatArray) -> Waterfall:
        """Waterfalls of rows of the part."""
        return self.whole(self.index[rows], time_s)


@dataclass(frozen=True, repr=False, eq=False)
class Forecast(Alike):
    """Forecasts of one model for n kernels on m targets, with all that made them."""

    kernels: KernelTable
    sources: tuple[Processor | None, ...]
    """Per kernel."""
    targets: tuple[Processor, ...]
    model: str
    conditions: Conditions
    estimate: Estimate
    prepared: Prepared = field(repr=False, compare=False)
    """What it rests on, for those who look closer."""
    target_notes: tuple[tuple[str, ...], ...] = ()
    """Per target: which variant of an ambiguous name was taken, which clock."""
    kernel_notes: tuple[tuple[str, ...], ...] = ()
    """Per kernel: how its source GPU was found, doubtful data."""
    cell_notes: tuple[tuple[tuple[str, ...], ...], ...] = ()
    """Per kernel and target: what the target's own code changes."""
    provenance: Mapping[str, str] = field(default_factory=dict)
    """Version, model and what was asked; what was read is in that of ``kernels``."""
    explainer: Explainer | None = field(default=None, repr=False, compare=False)
    """Takes the forecasts apart by cause when asked to; None where nothing but the result is known."""
    on_source: OnSource | None = None
    """The kernels on their own GPUs under the same conditions; None where they were measured under them."""
    conditions_told: Mapping[str, Any] = field(default_factory=dict)
    """The conditions in words and numbers, as JSON shows them."""
    runs: tuple[Statement, ...] = ()
    """What is said of the recorded runs that the kernels are from, as `app` says it."""

    def __len__(self) -> int:
        return len(self.kernels) * len(self.targets)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        """One row (kernel and target) by its position, or several by a slice."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"no row {index}: the forecast has {len(self)}")
        kernel, target = divmod(index % len(self), len(self.targets))
        return [Row(r) for r in self.select([kernel]).records()][target]

    def select(self, rows: Sequence[int]) -> Self:
        """The given kernels, in the given order, on all targets."""
        index = np.asarray(rows, dtype=np.intp)
        estimate = self.estimate

        def picked(parts: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
            return tuple(parts[i] for i in rows) if parts else ()

        return dataclasses.replace(
            self,
            kernels=self.kernels.select(index),
            sources=tuple(self.sources[i] for i in rows),
            kernel_notes=picked(self.kernel_notes),
            cell_notes=tuple(self.cell_notes[i] for i in rows) if self.cell_notes else (),
            explainer=None if self.explainer is None else Chosen(self.explainer, index),
            prepared=self.prepared.select(index),
            on_source=None if self.on_source is None else self.on_source.select(index),
            estimate=dataclasses.replace(
                estimate,
                time_s=estimate.time_s[index],
                time_low_s=estimate.time_low_s[index],
                time_high_s=estimate.time_high_s[index],
                time_s_by_resource_source={r: v[index] for r, v in estimate.time_s_by_resource_source.items()},
                time_s_by_resource_target={
                    r: np.broadcast_to(v, estimate.time_s.shape)[index]
                    for r, v in estimate.time_s_by_resource_target.items()
                },
                reasons=estimate.reasons[index],
                assumed=picked(estimate.assumed),
                notes=picked(estimate.notes),
                pages=None if estimate.pages is None else estimate.pages.select(index),
                unclaimed=None if estimate.unclaimed is None else estimate.unclaimed[index],
            ),
        )

    def explain(self, i: int | Sequence[int] | None = None) -> Waterfall:
        """Go from the source's seconds to the targets', by property (:class:`roofcast.core.properties.Property`).

        i : a kernel, several, or all of them. The steps of each kernel and target add up to forecast minus source:
        ``forecast.explain(3).of(0, j)`` is a mapping from property to seconds for kernel 3 on target j.
        """
        n = len(self.kernels)
        chosen = range(n) if i is None else [i] if isinstance(i, int) else list(i)
        if any(not -n <= k < n for k in chosen):
            raise IndexError(f"no kernel {next(k for k in chosen if not -n <= k < n)}: the forecast has {n}")
        rows = np.asarray(chosen, dtype=np.intp)
        time = self.estimate.time_s[rows]
        names = tuple(str(name) for name in self.kernels.strings("kernel")[rows])
        targets = tuple(t.name for t in self.targets)
        if self.explainer is not None:
            return dataclasses.replace(self.explainer(rows, time), kernels=names, targets=targets)
        # Nothing known between the ends: the whole difference is one step.
        levels = np.repeat(self.source_time_s[rows][:, None, None], time.shape[1], axis=1)
        levels = np.repeat(levels, len(PROPERTIES) + 1, axis=2)
        levels[..., PROPERTIES.index(Property.OTHER) + 1 :] = time[..., None]
        return Waterfall(np.where(np.isfinite(time)[..., None], levels, np.nan), names, targets)

    @property
    def measured_time_s(self) -> FloatArray:
        """(n,) s of one launch: what the file says, under whatever conditions it was taken."""
        return self.kernels.column("time_s")

    @property
    def source_time_s(self) -> FloatArray:
        """(n,) s of one launch on the source under the conditions of the forecasts: as measured where it ran so."""
        return self.measured_time_s if self.on_source is None else self.on_source.time_s

    @property
    def source_total_s(self) -> FloatArray:
        """(n,) seconds of all launches of each row on the source."""
        return self.source_time_s * self.kernels.launches

    @property
    def time_total_s(self) -> FloatArray:
        """(n, m) seconds of all launches of each row on the targets."""
        return self.estimate.time_s * self.kernels.launches[:, None]

    def speedup(self) -> FloatArray:
        """(n, m) source seconds over forecast seconds, both under the conditions asked for.

        NaN where pages of unified memory moved as well.
        """
        if self.estimate.pages is not None:
            return np.full_like(self.estimate.time_s, np.nan)
        with quietly():
            return self.source_time_s[:, None] / self.estimate.time_s

    @cached_property
    def energy(self) -> Energy:
        """Joules of one launch of each kernel on each target, at the clocks and with the amounts of the forecast."""
        ready = self.prepared
        there, _ = ready.machines_there(self.targets, noted=False)
        here, claimed = ready.machines_here(), self.conditions.coverage
        return measure_energy(self.kernels, here, there, self.estimate, claimed, ready.changes)

    def repeated(self) -> list[NDArray[np.intp]]:
        """Groups of rows of one work that was measured on several GPUs."""
        return [group for _, groups in self.prepared.groups.patterns for group in groups]

    def each_work_once(self) -> Self:
        """The forecast with each work once: of several GPUs the row that comes first."""
        groups = self.repeated()
        if not groups:
            return self
        left_out = {int(i) for group in groups for i in np.sort(group)[1:]}
        return self.select([i for i in range(len(self.kernels)) if i not in left_out])

    @cached_property
    def totals(self) -> tuple[Total, ...]:
        """Per target the sum over all launches; work that was measured on several GPUs counts once."""
        once = self.each_work_once()
        kernel = number_kernels(once.kernels.strings("kernel"), [s.name if s else "" for s in once.sources])
        e, joules, launches, source = once.estimate, once.energy, once.kernels.launches, once.source_time_s
        totals = []
        for j, target in enumerate(once.targets):
            pages = None if e.pages is None else (e.pages.source_s, e.pages.low_s[:, j], e.pages.high_s[:, j])
            time, low, high = (v[:, j] for v in (e.time_s, e.time_low_s, e.time_high_s))
            total = sum_times(target.name, source, time, low, high, launches, kernel, pages)
            both = find_totalled(time, source)
            parts = [v[both, j] for v in (joules.energy_j, joules.low_j, joules.high_j)]
            whole = add_energy(total, parts, launches[both], kernel[both])
            totals.append(dataclasses.replace(whole, unclaimed_fraction=once.unclaimed_fraction(j, both)))
        return tuple(totals)

    def unclaimed_fraction(self, j: int, rows: NDArray[np.bool_]) -> float:
        """Share of the forecast time of (n,) rows on a target whose intervals claim nothing; 1 of a model without."""
        time = np.where(rows, np.nan_to_num(self.time_total_s[:, j]), 0.0)
        if self.estimate.coverage is None or self.estimate.unclaimed is None or not time.sum() > 0:
            return 1.0 if self.estimate.coverage is None else 0.0
        return float(time[self.estimate.unclaimed[:, j]].sum() / time.sum())

    def coverage(self) -> FloatArray:
        """(n, m) share of measured times that each interval claims to hold; NaN where it claims nothing."""
        claimed = np.full(self.estimate.time_s.shape, np.nan if (c := self.estimate.coverage) is None else c)
        return claimed if self.estimate.unclaimed is None else np.where(self.estimate.unclaimed, np.nan, claimed)

    @property
    def total(self) -> Total:
        """The sum over all launches on the target that the verdict names: the one with the greatest speed-up."""
        if not self.totals:
            return sum_times("", *(np.zeros(0),) * 5)
        return min(self.totals, key=Total.order)

    def limits_source(self, rows: slice = ALL) -> list[str | None]:
        """Per kernel, the resource that needs the most seconds on the source."""
        seconds = {r: v[rows] for r, v in self.estimate.time_s_by_resource_source.items()}
        return list(largest(seconds, (len(range(len(self.kernels))[rows]),)))

    def limits_target(self, rows: slice = ALL) -> NDArray[np.object_]:
        """(n, m) the resource that needs the most seconds on the target, None where unknown.

        Work of a matrix pipe that a target lacks is named by the pipe that does it there.
        """
        shape = self.estimate.time_s.shape
        seconds = {r: np.broadcast_to(v, shape)[rows] for r, v in self.estimate.time_s_by_resource_target.items()}
        limits = largest(seconds, self.estimate.time_s[rows].shape)
        for j, target in enumerate(self.targets):
            for resource, others in STAND_INS.items():
                if resource not in target.supplies:
                    instead = next((r for r in others if r in target.supplies), resource)
                    limits[limits[:, j] == resource.value, j] = instead.value
        return limits

    def records(self) -> Iterator[dict[str, Any]]:
        """One dict per kernel and target, file order then target order, keys of the JSON output."""
        estimate, energy, configs = self.estimate, self.energy, self.kernels.strings("config")
        launch, launches = self.kernels.column("launch"), self.kernels.launches
        limit_s, limit_t = self.limits_source(), self.limits_target()
        names = [t.name for t in self.targets]
        printed, kernels = self.kernels.strings("gpu"), self.kernels.strings("kernel")
        of_kernels = {"measured_time_s": self.measured_time_s, "source_time_s": self.source_time_s}
        pairs = {
            "time_s": estimate.time_s, "time_low_s": estimate.time_low_s, "time_high_s": estimate.time_high_s,
            "time_total_s": self.time_total_s, "energy_j": energy.energy_j, "energy_low_j": energy.low_j,
            "energy_high_j": energy.high_j, "coverage": self.coverage(), "speedup": self.speedup(),
        }  # fmt: skip
        for first in range(0, len(kernels), RECORDS_AT_ONCE):
            rows = slice(first, first + RECORDS_AT_ONCE)
            alone_rows = zip(*(list_numbers(v[rows]) for v in of_kernels.values()), strict=True)
            pair_rows = zip(*(list_numbers(v[rows]) for v in pairs.values()), strict=True)
            source_s = list_seconds(estimate.time_s_by_resource_source, rows)
            target_s = list_seconds(estimate.time_s_by_resource_target, rows)
            for i, kernel_values, both in zip(
                range(first, first + RECORDS_AT_ONCE), alone_rows, pair_rows, strict=False
            ):
                source = self.sources[i]
                for j, (name, cell) in enumerate(zip(names, zip(*both, strict=True), strict=True)):
                    yield {
                        "kernel": kernels[i],
                        "launch": int(launch[i]) if np.isfinite(launch[i]) else i,
                        "launches": round(float(launches[i])),
                        "source_gpu": source.name if source else (printed[i] or None),
                        "target_gpu": name,
                        "model": self.model,
                        **dict(zip(of_kernels, kernel_values, strict=True)),
                        **dict(zip(pairs, cell, strict=True)),
                        "limit_source": limit_s[i],
                        "limit_target": limit_t[i, j],
                        "time_s_by_resource_source": source_s(i - first),
                        "time_s_by_resource_target": target_s(i - first, j),
                        "assumed": list(estimate.assumed[i]) if estimate.assumed else [],
                        "notes": self.notes(i, j),
                        "config": configs[i] or None,
                    }

    def notes(self, i: int, j: int) -> list[str]:
        """Everything a reader must know about one forecast; the reason first where there is none."""
        reason = self.estimate.first_note(i, j)
        parts = [reason] if reason else []
        for group, at in ((self.kernel_notes, i), (self.estimate.notes, i), (self.target_notes, j)):
            if group:
                parts += group[at]
        if self.cell_notes:
            parts += self.cell_notes[i][j]
        return list(dict.fromkeys(parts))

    def __repr__(self) -> str:
        """One line: the numbers are in ``str`` and :meth:`to_polars`."""
        names, n = ", ".join(t.name for t in self.targets), len(self.kernels)
        return f"<Forecast of {n} kernel{'s' * (n != 1)} on {names} by {self.model}>"

    def to_polars(self) -> polars.DataFrame:
        """One row per kernel and target; nested values become struct and list columns."""
        require_polars("a Polars frame")
        import polars as pl

        columns = self.columns()
        n, m = self.estimate.time_s.shape
        absent = np.full(n * m, np.nan)
        for key, by_resource in (
            ("time_s_by_resource_source", self.estimate.time_s_by_resource_source),
            ("time_s_by_resource_target", self.estimate.time_s_by_resource_target),
        ):
            every = {r.value: self.flatten_seconds(by_resource[r]) if r in by_resource else absent for r in Resource}
            columns[key] = pl.DataFrame({r: number_series(r, v) for r, v in every.items()}).to_struct(key)
        columns |= {
            "assumed": list_texts("assumed", self.code_assumed()),
            "notes": list_texts("notes", self.code_notes()),
        }
        return pl.DataFrame({key: columns[key] for key in RECORD_KEYS})

    def columns(self, rows: slice = ALL) -> dict[str, polars.Series]:
        """The plain columns of the n x m forecasts, file order then target order, without a row of Python objects.

        rows : only some kernels.
        """
        import polars as pl

        every = np.arange(len(self.kernels))
        chosen = every[rows]
        n, m = len(chosen), len(self.targets)
        kernels, estimate, energy = self.kernels, self.estimate, self.energy
        launch, launches = kernels.column("launch"), kernels.launches[rows]
        printed = kernels.strings("gpu")
        sources = [s.name if (s := self.sources[i]) else (str(printed[i]) or None) for i in chosen.tolist()]

        def repeat(values: Sequence[str | None] | NDArray[np.object_]) -> polars.Series:
            return pl.Series(values, dtype=pl.String).gather(np.repeat(np.arange(n), m))

        texts: dict[str, polars.Series] = {
            "kernel": repeat([str(k) for k in kernels.strings("kernel")[rows].tolist()]),
            "source_gpu": repeat(sources),
            "target_gpu": pl.Series([t.name for t in self.targets], dtype=pl.String).gather(np.tile(np.arange(m), n)),
            "model": pl.repeat(self.model, n * m, eager=True, dtype=pl.String),
            "config": repeat([str(c) or None for c in kernels.strings("config")[rows].tolist()]),
            "limit_source": repeat(self.limits_source(rows)),
            "limit_target": pl.Series(self.limits_target(rows).ravel().tolist(), dtype=pl.String),
        }
        pairs = {
            "time_s": estimate.time_s, "time_low_s": estimate.time_low_s, "time_high_s": estimate.time_high_s,
            "time_total_s": self.time_total_s, "energy_j": energy.energy_j, "energy_low_j": energy.low_j,
            "energy_high_j": energy.high_j, "coverage": self.coverage(), "speedup": self.speedup(),
        }  # fmt: skip
        numbers = {
            "measured_time_s": np.repeat(self.measured_time_s[rows], m),
            "source_time_s": np.repeat(self.source_time_s[rows], m),
            **{name: values[rows].ravel() for name, values in pairs.items()},
        }
        place = np.where(np.isfinite(launch), launch, every)[rows].astype(np.int64)
        series = {name: values.alias(name) for name, values in texts.items()}
        series |= {name: number_series(name, values) for name, values in numbers.items()}
        series["launch"] = pl.Series("launch", np.repeat(place, m))
        series["launches"] = pl.Series("launches", np.repeat(np.rint(launches).astype(np.int64), m))
        return series

    def flatten_seconds(self, seconds: FloatArray, rows: slice = ALL) -> FloatArray:
        """Seconds of one resource, (n,) on the source or (n, m) on the targets, as one value per forecast."""
        shape = self.estimate.time_s.shape
        return np.broadcast_to(seconds if np.ndim(seconds) == 2 else seconds[:, None], shape)[rows].ravel()

    def notes_column(self) -> polars.Series:
        """:meth:`notes` of every forecast, as lists."""
        import polars as pl

        return list_texts("notes", self.code_notes()).cast(pl.List(pl.String))

    def code_assumed(self, rows: slice = ALL) -> list[Coded]:
        """What each forecast assumes."""
        assumed: Sequence[tuple[str, ...]] = self.estimate.assumed or [()] * len(self.kernels)
        return [encode(assumed[rows], len(self.targets))]

    def code_notes(self, rows: slice = ALL) -> list[Coded]:
        """What :meth:`notes` says of each forecast, in the parts that it is put together from: what is said of cells,
        kernels and targets.
        """
        n, m = self.estimate.time_s[rows].shape
        absent: Sequence[tuple[str, ...]] = ((),) * n
        of_kernels, of_estimates = (
            (notes[rows] if notes else absent) for notes in (self.kernel_notes, self.estimate.notes)
        )
        about, pairs = remarks.encode_pairs(of_kernels, of_estimates)
        parts: list[Coded] = [(np.repeat(about, m), [(*first, *second) for first, second in pairs])]
        reasons, undecided = self.estimate.reasons[rows], self.estimate.undecided[rows]
        if undecided.any():
            reasons = reasons.copy()
            first = rows.start or 0
            for i, j in np.argwhere(undecided & (reasons == "")).tolist():
                reasons[i, j] = self.estimate.first_note(first + i, j)
        if (is_given := reasons != "").any():
            reason, texts = encode([(), *((text,) for text in reasons[is_given])])
            codes = np.zeros(n * m, np.intp)
            codes[is_given.ravel()] = reason[1:]
            parts.insert(0, (codes, texts))
        if self.target_notes:
            parts.append((np.tile(np.arange(m), n), [*self.target_notes]))
        if self.cell_notes:
            parts.append(encode([notes for row in self.cell_notes[rows] for notes in row]))
        return parts


Coded = tuple[NDArray[np.intp], list[Any]]
"""Codes of rows, and what each code stands for."""


def find_alike(parts: Sequence[Coded]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first of all rows that have the same in every part, and which of these each row is like."""
    key = np.zeros(len(parts[0][0]), np.int64)
    for codes, texts in parts:
        key = key * len(texts) + codes
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    return first, which


def says_once(parts: Sequence[Coded]) -> bool:
    """Return whether no text is said in two parts, or twice in one."""
    sets = [{text for texts in part for text in texts} for _, part in parts]
    return len(set().union(*sets)) == sum(map(len, sets)) and all(len({*t}) == len(t) for _, p in parts for t in p)


def list_texts(name: str, parts: Sequence[Coded]) -> polars.Series:
    """Lists of the texts of all parts, each text once, as categories: a text is held once and its rows as numbers."""
    import polars as pl

    # Lists are put together once for rows that have the same in all parts.
    first, which = find_alike(parts)
    lists = [pl.Series(name, texts, dtype=pl.List(pl.Categorical)).gather(codes[first]) for codes, texts in parts]
    lists_of_texts = pl.select(pl.concat_list(lists)).to_series()
    return (lists_of_texts if says_once(parts) else lists_of_texts.list.unique(maintain_order=True)).gather(which)


def join_texts(parts: Sequence[Coded], between: str, render: Callable[[str], str] = str) -> polars.Series:
    """The texts of all parts in one, each text once; '' where there is none. render : what becomes of each text."""
    import polars as pl

    first, which = find_alike(parts)
    if says_once(parts):
        texts = [
            pl.Series([between.join(map(render, t)) or None for t in of], dtype=pl.String).gather(codes[first])
            for codes, of in parts
        ]
        return pl.select(pl.concat_str(texts, separator=between, ignore_nulls=True)).to_series().gather(which)
    rows = zip(*([of[code] for code in codes[first].tolist()] for codes, of in parts), strict=True)
    joined = [between.join(map(render, dict.fromkeys(text for texts in row for text in texts))) for row in rows]
    return pl.Series(joined, dtype=pl.String).gather(which)


def number_series(name: str, values: FloatArray) -> polars.Series:
    """Numbers as a column; null where absent or not finite."""
    import polars as pl

    return pl.Series(name, np.where(np.isfinite(values), values, np.nan)).fill_nan(None)


def encode(rows: Sequence[Hashable], times: int = 1) -> Coded:
    """Codes of rows, each ``times`` over, and the different rows.

    >>> encode([("a",), (), ("a",)], 2)
    (array([0, 0, 1, 1, 0, 0]), [('a',), ()])
    """
    codes, distinct = remarks.encode(rows)
    return np.repeat(codes, times), distinct


STAND_INS = {
    Resource.FLOPS_TENSOR_BF16: (Resource.FLOPS_TENSOR_FP16, Resource.FLOPS_FP32),
    Resource.FLOPS_TENSOR_FP16: (Resource.FLOPS_FP32,),
    Resource.FLOPS_TENSOR_TF32: (Resource.FLOPS_FP32,),
    Resource.FLOPS_TENSOR_FP64: (Resource.FLOPS_FP64,),
}
"""Pipes that do the work of a matrix pipe on a GPU without it, the likeliest first."""


def list_numbers(values: FloatArray) -> Any:
    """JSON numbers in lists, as deep as the array; None where absent.

    >>> list_numbers(np.array([[1.0, np.nan]]))
    [[1.0, None]]
    """
    cells = values.astype(np.object_)
    cells[~np.isfinite(values)] = None
    return cells.tolist()


def list_seconds(by_resource: Mapping[Resource, FloatArray], rows: slice) -> Callable[..., dict[str, float]]:
    """A function from the place of a cell among some rows to its seconds per resource, without the absent ones."""
    chosen = {r.value: v[rows] for r, v in by_resource.items()}
    listed = {name: list_numbers(v) for name, v in chosen.items() if np.isfinite(v).any()}

    def of(i: int, j: int | None = None) -> dict[str, float]:
        cells = ((name, v[i] if j is None else v[i][j]) for name, v in listed.items())
        return {name: value for name, value in cells if value is not None}

    return of


RECORDS_AT_ONCE = 4096
"""Kernels whose numbers become lists in one step."""
