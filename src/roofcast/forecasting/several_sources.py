r"""Several source GPUs for one kernel: which rows measured the same work, and their forecasts as one.

The same work: file, kernel, configuration and, where every such row names it, precision. Rows without a configuration
must agree in grid, block and sizes as well. Several launches of one work on a GPU pair in their order, where every GPU
has as many; where counts of FLOPs part, the inputs were not the same and the rows stay apart. Files were not measured
together unless the user says so: two traces of one library hold kernels of one name that did other work.

What a model misses of a kernel is taken as a random function over GPUs: near where GPUs have like supplies, further
apart the more they differ. Each source's forecast of a target errs by the difference of that function between the two,
so that errors of sources that are alike are correlated, and the sources that surround the target in the space of
supplies tell most: with two sources that differ in bandwidth and in clock, whether the rest follows the one or the
other is found by interpolation. The weights are those of ordinary kriging.

.. math::
    C_{ij} = \tfrac12 (g(i, t) + g(j, t) - g(i, j)) + \delta_{ij} n^2, \quad g(a, b) = v \, |x_a - x_b|^p

x : logarithms of a GPU's supplies, and its architecture, as the catalog has them. The weights are not negative and do
not move when a supply of the target is varied, so that more supply is never slower. The interval's width is that of
the weighted sum, and no less than the sources disagree.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.processor import Processor
from roofcast.core.properties import PROPERTIES
from roofcast.core.records import dataclass
from roofcast.core.resource import FLOPS_TENSOR, FLOPS_VECTOR, Resource
from roofcast.core.results import Estimate
from roofcast.forecasting.waterfall import Explainer, Waterfall
from roofcast.models.promises import catalogued
from roofcast.operators.operator_rows import ROW_COLUMNS, SHAPE_COLUMNS, WIDTH_COLUMNS

Index = NDArray[np.intp]

FLOPS_APART = 1.5
"""Ratio of two counts of FLOPs beyond which they are not of the same work."""

SIZE_COLUMNS = frozenset({*SHAPE_COLUMNS, *ROW_COLUMNS, *WIDTH_COLUMNS, "size", "input_size", "n_elements", "iters"})
GEOMETRY = ("grid_blocks", "block_threads", "smem_bytes_per_block", "shape_m", "shape_n", "shape_k", "shape_batch")

WORK_COLUMNS = (
    *(r.value for r in Resource),
    *("flops", "flops_phantom_fp16", "bytes_dram_read", "bytes_dram_write", "bytes_shared_useful", "shared_wavefronts"),
    *(f"insts_{p}_{kind}" for p in ("fp64", "fp32", "fp16") for kind in ("add", "mul", "fma")),
    *("bytes_compulsory", "working_set_bytes", "threads_per_inst", "grid_blocks", "block_threads", "regs_per_thread"),
    *("smem_bytes_per_block", "bytes_per_sector_load", "bytes_per_sector_store"),
)
"""What belongs to the work rather than to the GPU that it was counted on, or nearly so."""

AMOUNT_COLUMNS = (*(r.value for r in Resource), "flops", "bytes_compulsory", "bytes_dram_read", "insts_executed")


@dataclass(frozen=True)
class SameWork:
    """Groups of rows with the same work, by the set of GPUs that they were measured on."""

    patterns: tuple[tuple[tuple[int, ...], Index], ...]
    """(positions of s GPUs, (g, s) rows of g groups)"""
    apart: NDArray[np.bool_]
    """(n,) rows that stay alone because the counts of their group contradict each other."""

    def select(self, rows: Index) -> SameWork:
        """The groups among some rows; one row of a group is none."""
        place = np.full(len(self.apart), -1, np.intp)
        place[rows] = np.arange(len(rows))
        patterns = []
        for gpus, groups in self.patterns:
            at = place[groups]
            for present in np.unique(at >= 0, axis=0):
                if present.sum() > 1:
                    same = ((at >= 0) == present).all(axis=1)
                    patterns.append((tuple(np.array(gpus)[present].tolist()), at[same][:, present]))
        return SameWork(tuple(patterns), self.apart[rows])


def codes(values: Iterable[object]) -> Index:
    """(n,) integer per distinct value, -1 for what is empty."""
    seen: dict[object, int] = {"": -1}
    return np.array([seen.setdefault(v, len(seen) - 1) for v in values], dtype=np.intp)


def same_work(kernels: KernelTable, index: Index, *, together: bool = False) -> SameWork:
    """Groups of a table, in time that grows with the rows and not with the pairs.

    index : (n,) position of each row's GPU, -1 where unknown: those rows stay alone.
    together : whether rows of several files were measured together; else only rows of one file are of one work.
    """
    apart = np.zeros(len(kernels), np.bool_)
    rows = np.flatnonzero(index >= 0)
    if not len(rows) or (index[rows] == index[rows[0]]).all():
        return SameWork((), apart)
    work = works_of(kernels, rows, together=together)
    gpu = index[rows]
    order = np.lexsort((rows, gpu, work))
    rows, work, gpu = rows[order], work[order], gpu[order]
    # Runs of one work on one GPU; the place within the run is the number of the launch.
    starts = np.r_[True, (work[1:] != work[:-1]) | (gpu[1:] != gpu[:-1])]
    run = np.cumsum(starts) - 1
    launch = np.arange(len(rows)) - np.flatnonzero(starts)[run]
    length = np.bincount(run)[run]
    _, which = np.unique(work, return_inverse=True)
    least = np.full(which.max() + 1, length.max())
    np.minimum.at(least, which, length)
    most = np.zeros_like(least)
    np.maximum.at(most, which, length)
    even = (least == most)[which]
    order = np.lexsort((gpu, launch, which))
    order = order[even[order]]
    rows, which, launch, gpu = rows[order], which[order], launch[order], gpu[order]
    begin = np.flatnonzero(np.r_[True, (which[1:] != which[:-1]) | (launch[1:] != launch[:-1])]) if len(rows) else rows
    sizes = np.diff(np.r_[begin, len(rows)])
    patterns = []
    for size in np.unique(sizes[sizes > 1]).tolist():
        at = begin[sizes == size][:, None] + np.arange(size)
        groups, gpus = rows[at], gpu[at]
        differ = contradicting(kernels, groups)
        apart[groups[differ].ravel()] = True
        groups, gpus = groups[~differ], gpus[~differ]
        kinds, member = np.unique(gpus, axis=0, return_inverse=True)
        for k, kind in enumerate(kinds.tolist()):
            patterns.append((tuple(kind), groups[member.ravel() == k]))
    return SameWork(tuple(patterns), apart)


def works_of(kernels: KernelTable, rows: Index, *, together: bool, by_precision: bool = True) -> Index:
    """(r,) integer per distinct work of some rows. together : as in :func:`same_work`.

    by_precision : whether the precision tells works apart; not where each GPU's profile worked it out for itself.
    """
    config = kernels.strings("config")[rows]
    work = codes(kernels.strings("kernel")[rows] + "\x00" + config)
    if not together:
        # First of all: what the rows of one file name decides nothing in another.
        work = refined(work, kernels.files()[rows].astype(np.intp) + 1)
    named = config != ""
    if by_precision:
        work = refined(work, codes(str(v).strip().lower() for v in kernels.strings("precision")[rows]))
    if named.all():
        return work
    attributes = [codes(kernels.strings(name)[rows]) for name in ("grid", "block") if name in kernels.text]
    attributes += [number_codes(kernels.column(name)[rows]) for name in GEOMETRY if name in kernels.numeric]
    sizes = [v for name, v in kernels.extra.items() if name in SIZE_COLUMNS]
    attributes += [
        number_codes(v[rows]) if v.dtype.kind == "f" else codes("" if str(x) == "nan" else str(x) for x in v[rows])
        for v in sizes
    ]
    for attribute in attributes:
        # One code for all rows with a configuration: it says what the rest would.
        work = refined(work, np.where(named, 0, attribute))
    return work


def number_codes(values: FloatArray) -> Index:
    """(n,) integer per distinct number, -1 for NaN."""
    numbered = np.unique(values, return_inverse=True)[1].astype(np.intp).ravel()
    return np.where(np.isnan(values), -1, numbered)


def refined(work: Index, attribute: Index) -> Index:
    """Works split by an attribute where every row of the work has it."""
    unknown = np.zeros(work.max(initial=0) + 2, np.bool_)
    unknown[work[attribute < 0]] = True
    attribute = np.where(unknown[work], 0, attribute)
    both = work * (attribute.max(initial=0) + 1) + attribute
    return np.asarray(np.unique(both, return_inverse=True)[1], dtype=np.intp).ravel()


def contradicting(kernels: KernelTable, groups: Index) -> NDArray[np.bool_]:
    """(g,) groups of which two rows count far other FLOPs."""
    names = [n for n in ("flops", *(r.value for r in FLOPS_VECTOR + FLOPS_TENSOR)) if n in kernels.numeric]
    flops = np.zeros(groups.shape)
    for name in names:
        flops += np.nan_to_num(kernels.column(name)[groups], nan=0.0, posinf=0.0, neginf=0.0)
    known = flops > 0
    most = np.where(known, flops, 0.0).max(axis=1, initial=0.0)
    least = np.where(known, flops, np.inf).min(axis=1, initial=np.inf)
    return np.asarray(most > FLOPS_APART * least)


def with_amounts_of_others(kernels: KernelTable, found: SameWork) -> KernelTable:
    """The table with the work that was counted on another GPU, for rows of which only the time is known."""
    present = [kernels.column(name) > 0 for name in AMOUNT_COLUMNS if name in kernels.numeric]
    if not present or not found.patterns:
        return kernels
    empty = np.asarray(~np.any(np.stack(present), axis=0), dtype=np.bool_)
    giver = np.full(len(kernels), -1, np.intp)
    for _, groups in found.patterns:
        counted = ~empty[groups]
        able: NDArray[np.bool_] = np.asarray(counted.any(axis=1), dtype=np.bool_)
        first = groups[np.arange(len(groups)), counted.argmax(axis=1)]
        taking = able[:, None] & ~counted
        giver[groups[taking]] = np.broadcast_to(first[:, None], groups.shape)[taking]
    takes = giver >= 0
    if not takes.any():
        return kernels
    columns = {}
    for name in WORK_COLUMNS:
        if name in kernels.numeric:
            values, origin = kernels.column(name), kernels.origin_of(name)
            fill = takes & np.isnan(values) & ~np.isnan(values[giver])
            columns[name] = (np.where(fill, values[giver], values), np.where(fill, np.uint8(Origin.ASSUMED), origin))
    filled = kernels.with_columns(**columns)
    precision = kernels.strings("precision")
    text = {**filled.text, "precision": np.where(takes & (precision == ""), precision[giver], precision)}
    return dataclasses.replace(filled, text=text)


MISSED_VARIANCE, MISSED_EXPONENT = 0.04, 1.5
"""v and p: GPUs a factor of e apart in one supply differ by 20 % in what the model misses."""

NOISE = 0.05
"""n: what is each measurement's own."""

OTHER_ARCHITECTURE = 1.0
"""Distance between two architectures, as if one supply differed by a factor of e."""

UNKNOWN_WIDTH = 1.0
"""Half width in log units of a forecast that claims none."""

CellNotes = tuple[tuple[tuple[str, ...], ...], ...]


@dataclass(frozen=True)
class Together:
    """An estimate in which sources were combined, and what was done."""

    estimate: Estimate
    notes: CellNotes
    """(n, m) per row and target; () where nothing was combined."""


@dataclass(frozen=True)
class BesideOthers:
    """Explains combined forecasts: each row's own chain, and then what the other sources add."""

    own: Explainer
    time_s: FloatArray
    """(n, m) s, the forecasts from each row alone."""

    def __call__(self, rows: NDArray[np.intp], time_s: FloatArray) -> Waterfall:
        """Waterfalls of some kernels. time_s : (r, m) s, their combined forecasts."""
        own_s = self.time_s[rows]
        alone_s = self.own(rows, own_s)
        levels = alone_s.levels_s.copy()
        source = self.source_time(rows, time_s)
        only_others = np.isfinite(time_s) & ~np.isfinite(own_s)
        levels[only_others] = source[only_others][:, None]
        levels[..., len(PROPERTIES)] = np.where(np.isfinite(levels[..., 0]), time_s, np.nan)
        return dataclasses.replace(alone_s, levels_s=levels)

    def source_time(self, rows: NDArray[np.intp], time_s: FloatArray) -> FloatArray:
        """(r, m) s measured on the source of each row."""
        kernels = getattr(self.own, "kernels", None)
        seconds = np.full(len(rows), np.nan) if kernels is None else kernels.column("time_s")[rows]
        return np.repeat(seconds[:, None], time_s.shape[1], axis=1)


def place(p: Processor) -> FloatArray:
    """(6,) logarithms of a GPU's supplies; NaN where the catalog knows none."""

    def rate(resource: Resource) -> float:
        supply = p.supply(resource)
        return supply.per_s if supply is not None else np.nan

    values = [
        rate(Resource.BYTES_DRAM), rate(Resource.FLOPS_FP32), rate(Resource.FLOPS_FP64),
        p.sm_count * p.clock_hz_boost, p.clock_hz_boost, max(p.capacity_bytes_l2 or 0, p.capacity_bytes_llc or 0),
    ]  # fmt: skip
    supplies = np.array(values, dtype=np.float64)
    return np.log(np.where(supplies > 0, supplies, np.nan))


def distances(gpus: Sequence[Processor], others: Sequence[Processor]) -> FloatArray:
    """(g, o) how far GPUs are from others; what is not known of one of two does not part them."""
    here, there = (np.stack([place(p) for p in several]) for several in (gpus, others))
    apart = np.nan_to_num(here[:, None] - there[None])
    other = np.array([[p.architecture != q.architecture for q in others] for p in gpus])
    return np.asarray(np.sqrt(np.square(apart).sum(axis=-1) + OTHER_ARCHITECTURE**2 * other))


def combine(
    log_time: FloatArray, half_width: FloatArray, sources: Sequence[Processor], targets: Sequence[Processor]
) -> tuple[FloatArray, FloatArray]:
    """One forecast per kernel and target from several sources' forecasts of it.

    log_time, half_width : (r, m, s) log s and half widths of the intervals; NaN where a source has no forecast.
    Returns (r, m) both, NaN where no source has one.
    """
    sources, targets = ([catalogued(p.key) or p for p in several] for several in (sources, targets))
    missed, to_target = (
        power_variogram(d, MISSED_VARIANCE, MISSED_EXPONENT)
        for d in (distances(sources, sources), distances(targets, sources))
    )
    shared = 0.5 * (to_target[:, :, None] + to_target[:, None, :] - missed)
    result, width = np.full((2, *log_time.shape[:2]), np.nan)
    known = np.isfinite(log_time)
    for mask in different_masks(known.reshape(-1, len(sources))):
        cells, at = (known == mask).all(axis=-1), np.flatnonzero(mask)
        if not len(at):
            continue
        e, w = log_time[cells][:, at], half_width[cells][:, at]
        if len(at) == 1:
            result[cells], width[cells] = e[:, 0], w[:, 0]
            continue
        w = np.where(np.isfinite(w), w, UNKNOWN_WIDTH)
        covariance = shared[:, at[:, None], at] + NOISE**2 * np.eye(len(at))
        # The weights are those of a target, whatever the kernel.
        column = np.nonzero(cells)[1]
        weights = kriging_weights(covariance)[column]
        mean = (weights * e).sum(axis=1)
        spread = (weights * np.square(e - mean[:, None])).sum(axis=1)
        result[cells] = mean
        width[cells] = np.sqrt(np.maximum(combined_variance(weights, covariance[column], w), spread))
    return result, width


def different_masks(masks: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Each of (c, s) masks once."""
    # As numbers they sort a hundred times as fast as rows.
    words = np.packbits(masks, axis=1)
    keys = np.zeros((len(masks), -(-words.shape[1] // 8) * 8), np.uint8)
    keys[:, : words.shape[1]] = words
    first = np.unique(keys.view(np.uint64), axis=None if keys.shape[1] == 8 else 0, return_index=True)[1]
    return np.asarray(masks[first])


def combine_sources(
    estimate: Estimate, found: SameWork, sources: Sequence[Processor], targets: Sequence[Processor]
) -> Together:
    """The estimate with one forecast per work and target, the same in all rows of the work.

    A target that is among the measured GPUs is forecast from the others; where they have no forecast, rows stay as
    they are. Models that claim no coverage are published ones and stay as published.
    """
    n, m = estimate.time_s.shape
    if not found.patterns or estimate.coverage is None or not n:
        return Together(estimate, ())
    with quietly():
        log_time = np.log(estimate.time_s)
        half = 0.5 * np.log(estimate.time_high_s / estimate.time_low_s)
    time, low, high = (np.array(v) for v in (estimate.time_s, estimate.time_low_s, estimate.time_high_s))
    notes: list[tuple[tuple[str, ...], ...]] = [((),) * m] * n
    for gpus, groups in found.patterns:
        texts = np.full((len(groups), m), "", dtype=np.object_)
        for (used, target_name), columns in alike_targets([sources[g] for g in gpus], targets).items():
            if not used:
                continue
            members, at = [sources[gpus[k]] for k in used], groups[:, list(used)]
            here = np.ix_(range(len(groups)), columns)
            log_times = log_time[at[:, None, :], np.array(columns)[:, None]]
            halves = half[at[:, None, :], np.array(columns)[:, None]]
            result, width = combine(log_times, halves, members, [targets[j] for j in columns])
            several = np.isfinite(log_times)
            done = np.isfinite(result)
            group, place_of = np.nonzero(done)
            cells = groups[group], np.array(columns)[place_of][:, None]
            time[cells] = np.exp(result[done])[:, None]
            low[cells], high[cells] = (np.exp(result[done] + s * width[done])[:, None] for s in (-1, 1))
            # One source left: its forecast as it is, to the last digit.
            group, place_of = np.nonzero(done & (several.sum(axis=-1) == 1))
            column = np.array(columns)[place_of]
            single = at[group, several[group, place_of].argmax(axis=1)]
            for values, of in ((time, estimate.time_s), (low, estimate.time_low_s), (high, estimate.time_high_s)):
                values[groups[group], column[:, None]] = of[single, column][:, None]
            texts_of_group = np.full(done.shape, "", dtype=np.object_)
            for mask in different_masks(several[done]):
                names = [p.name for p, there in zip(members, mask.tolist(), strict=True) if there]
                texts_of_group[done & (several == mask).all(axis=-1)] = note(names, target_name)
            texts[here] = texts_of_group
        spread_notes(notes, groups, texts)
    reasons = np.where(np.isfinite(time), "", estimate.reasons)
    whole = dataclasses.replace(estimate, time_s=time, time_low_s=low, time_high_s=high, reasons=reasons)
    return Together(whole, tuple(notes))


def alike_targets(
    gpus: Sequence[Processor], targets: Sequence[Processor]
) -> dict[tuple[tuple[int, ...], str], list[int]]:
    """Targets by which of some measured GPUs serve them, and by their name where they are one of these themselves."""
    by_sources: dict[tuple[tuple[int, ...], str], list[int]] = {}
    for j, target in enumerate(targets):
        used = tuple(k for k, gpu in enumerate(gpus) if gpu.key != target.key)
        by_sources.setdefault((used, target.name if len(used) < len(gpus) else ""), []).append(j)
    return by_sources


def note(names: Sequence[str], own: str) -> str:
    """What a reader must know of a combined forecast. own : the target, where it was measured itself."""
    listed = " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
    text = f"forecast from {listed} together" if len(names) > 1 else f"forecast from {listed}"
    return f"{text}; the measurement on {own} itself is not used" if own else text


def spread_notes(
    notes: list[tuple[tuple[str, ...], ...]], groups: NDArray[np.intp], texts: NDArray[np.object_]
) -> None:
    """Give the rows of each group its notes; equal notes are one object."""
    cells: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = {}
    for rows, texts_of_group in zip(groups.tolist(), texts.tolist(), strict=True):
        key = tuple(texts_of_group)
        cell = cells.setdefault(key, tuple((text,) if text else () for text in key))
        for row in rows:
            notes[row] = cell


def merge_notes(first: CellNotes, second: CellNotes) -> CellNotes:
    """Notes of both kinds per row and target."""
    if not first or not second:
        return first or second
    return tuple(
        tuple(a + b for a, b in zip(former, latter, strict=True)) for former, latter in zip(first, second, strict=True)
    )


def kriging_weights(covariance: FloatArray) -> FloatArray:
    r"""Weights of the unbiased linear combination with least variance, without negative ones.

    .. math:: \lambda = \frac{C^{-1} 1}{1^T C^{-1} 1}

    covariance : (..., s, s) of the errors, symmetric and positive definite. Returns (..., s), each sum 1.
    Unlike the source, negative weights become 0 and the rest is scaled: several sources are weighed, never
    extrapolated. Source: G. Matheron, "Principles of geostatistics", Economic Geology 58 (1963), ordinary kriging.

    >>> kriging_weights(np.diag([1.0, 3.0])).tolist()
    [0.75, 0.25]
    >>> kriging_weights(np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]])).round(3).tolist()
    [0.256, 0.256, 0.487]
    """
    size = covariance.shape[-1]
    raw = np.linalg.solve(covariance, np.ones((*covariance.shape[:-1], 1)))[..., 0] if size > 1 else covariance[..., 0]
    positive = np.maximum(raw, 0.0)
    total = positive.sum(axis=-1, keepdims=True)
    return np.asarray(np.where(total > 0, positive / np.where(total > 0, total, 1.0), 1.0 / size))


def combined_variance(weights: FloatArray, covariance: FloatArray, widths: FloatArray) -> FloatArray:
    r"""Squared half width of a combination of forecasts.

    .. math:: h^2 = \sum_{ij} \lambda_i \lambda_j \frac{C_{ij}}{\sqrt{C_{ii} C_{jj}}} h_i h_j

    weights : (..., s). covariance : (..., s, s), of which only the correlations count. widths : (..., s) h_i >= 0.
    Source: variance of a sum.

    >>> round(float(combined_variance(np.array([0.5, 0.5]), np.eye(2), np.array([0.2, 0.2]))) ** 0.5, 6)
    0.141421
    """
    sigma = np.sqrt(np.einsum("...ii->...i", covariance))
    scaled = weights * widths / sigma
    return np.asarray(np.einsum("...i,...ij,...j->...", scaled, covariance, scaled))


def power_variogram(distance: FloatArray, variance: float, exponent: float) -> FloatArray:
    r"""Variance of the difference between two places of a random function.

    .. math:: 2 \gamma(d) = v \, d^p

    distance : (...) d >= 0. variance : v at distance 1. exponent : p in (0, 2): 1 is a random walk, near 2 a straight
    line of unknown slope. Source: J.-P. Chiles, P. Delfiner, "Geostatistics", 2nd ed. (2012), sec. 2.5.1.

    >>> power_variogram(np.array([0.0, 4.0]), 0.5, 1.5).tolist()
    [0.0, 4.0]
    """
    return np.asarray(variance * np.power(distance, exponent))
