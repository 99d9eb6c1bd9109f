r"""Kernels at another problem size on the GPU that they were measured on: amounts by fit, time by the model's residual.

Amounts of work (FLOPs, bytes, instructions, blocks) are fitted as sums of monomials in the sizes; rates and shares
(hit rates, occupancy, stalls) are interpolated. Bytes of DRAM are fitted on the side of the cache's capacity on which
the new size lies. The time follows the model:

.. math:: T(x) = a + M(x) \, e^{r(x)}, \quad r(x_i) = \log ((T_i - a) / M_i)

M are the seconds that the mechanistic model's resources need together, floor included; r, what the kernel takes beside
them, is interpolated in the logarithm of the sizes; a, the same at all sizes, is there where left-out sizes show it.
It is the amounts that grow by laws, not the time: T bends where a cache, a floor or a wave ends, and M has these bends.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.columns import Origin
from roofcast.core.errors import InputError, RoofcastError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable, concatenate, split_configuration
from roofcast.core.machines import columns_of, last_capacity_bytes
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.results import PROFILED, Conditions, Estimate
from roofcast.forecasting.prepared import prepare
from roofcast.forecasting.sources import Sources, resolve_sources
from roofcast.models.physics.intervals import widened
from roofcast.models.physics.model import Mechanistic
from roofcast.models.physics.resource_seconds import overlapped_s

Index = NDArray[np.intp]

NUMBER = re.compile(r"(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\s*(?:\^\s*(\d+))?\s*([kKMG]i?)?")
FACTORS = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30}

FOLLOWS = frozenset({"grid", "gridsize", "grid_size", "blocks"})
"""Parts of a configuration that follow from the size and the block: no parameters of their own."""

EXTENSIVE = frozenset(
    {
        *(r.value for r in Resource), "flops", "flops_phantom_fp16", "bytes_dram_read", "bytes_dram_write",
        "bytes_l2_sm", "bytes_shared_useful", "bytes_local", "bytes_compulsory", "shared_wavefronts",
        "shared_bank_conflicts", "insts_thread", "insts_executed", "insts_tensor", "insts_shared", "grid_blocks",
        "sectors_uncoalesced", "working_set_bytes",
        *(f"insts_{p}_{kind}" for p in ("fp64", "fp32", "fp16") for kind in ("add", "mul", "fma")),
    }
)  # fmt: skip
"""Amounts that grow with the problem; everything else is a rate, a share or a property of the launch."""

CACHED = frozenset({"bytes_dram", "bytes_dram_read", "bytes_dram_write", "bytes_llc"})
DROPPED = frozenset({"time_s", "time_std_s", "time_total_s", "launches", "waves_per_sm"})


@dataclass(frozen=True)
class SizeGroup:
    """Rows that differ in the sizes alone, and the row to come of them."""

    rows: Index
    """(n,) with distinct sizes, smallest first."""
    sizes: FloatArray
    """(n, k)"""
    wanted: FloatArray
    """(k,)"""
    reason: str = ""
    """Why there is no answer; '' where there is one."""

    @property
    def extrapolation(self) -> float:
        """How far the wanted sizes lie beyond the measured ones, in units of their span in logarithms."""
        logs, at = np.log(self.sizes), np.log(self.wanted)
        low, high = logs.min(axis=0), logs.max(axis=0)
        beyond = np.maximum(np.maximum(low - at, at - high), 0.0)
        return float(np.max(beyond / np.maximum(high - low, np.log(1.5))))


@dataclass(frozen=True)
class Fitted:
    """Amounts of one group at the wanted sizes."""

    values: Mapping[str, float]
    error: float
    """Relative error of the amounts that matter most, as far as it is known."""


def parse_sizes(text: str) -> dict[str, float]:
    """Sizes as users write them.

    >>> parse_sizes("N=8192"), parse_sizes("rows=4Ki; cols=1e3, iters=2^4")
    ({'N': 8192.0}, {'rows': 4096.0, 'cols': 1000.0, 'iters': 16.0})

    Raises
    ------
    RoofcastError : not a list of NAME=NUMBER, or a size that is not positive.
    """
    sizes: dict[str, float] = {}
    for part in re.split(r"[;,]", text):
        name, mark, value = part.partition("=")
        number = size_value(value) if mark else float("nan")
        if not name.strip() or not 0 < number < np.inf:
            raise RoofcastError(
                f'size {one_line(part, 40)!r}: write NAME=NUMBER, e.g. "N=8192" or "rows=4096,cols=512"'
            )
        if sizes.get(name.strip(), number) != number:
            raise RoofcastError(f"size {one_line(name, 40)} is given twice: {sizes[name.strip()]:g} and {number:g}")
        sizes[name.strip()] = number
    return sizes


def list_code_sizes(given: str | Mapping[str, float]) -> dict[str, int]:
    """Sizes that source code is read at: whole numbers of those that users give.

    Raises
    ------
    RoofcastError : not a list of NAME=NUMBER.
    """
    sizes = parse_sizes(given) if isinstance(given, str) else given
    return {n: int(v) for n, v in sizes.items() if float(v).is_integer()}


def size_value(text: str) -> float:
    """A number of a size; NaN for anything else."""
    match = NUMBER.fullmatch(text.strip())
    if match is None:
        return float("nan")
    number, power, unit = match.groups()
    try:
        value = float(number) ** int(power) if power and len(power) < 4 else float(number) if not power else np.nan
    except OverflowError:
        return float("nan")
    return value * FACTORS["k" + (unit or "")[1:] if (unit or "").startswith("K") else unit or ""]


def size_groups(kernels: KernelTable, wanted: Mapping[str, float], gpu: Index) -> list[SizeGroup]:
    """One group per kernel, GPU and remaining configuration, in the order of their first rows.

    Raises
    ------
    InputError : no row states one of the sizes, or no group holds enough of them.
    """
    parts = {text: split_configuration(text) for text in dict.fromkeys(map(str, kernels.strings("config")))}
    texts = [str(t) for t in kernels.strings("config")]
    columns = np.stack([parameter(kernels, name, texts, parts) for name in wanted], axis=1)
    for k, name in enumerate(wanted):
        if not (columns[:, k] > 0).any():
            raise InputError(f"no kernel states a size {one_line(name, 40)!r}: {known_sizes(kernels, parts)}")
    block, precision = kernels.column("block_threads"), kernels.strings("precision")
    members: dict[tuple[object, ...], list[int]] = {}
    for i, text in enumerate(texts):
        others = tuple((k, v) for k, v in parts[text].items() if k not in wanted and k.lower() not in FOLLOWS)
        key = (kernels.strings("kernel")[i], int(gpu[i]), str(precision[i]), float(np.nan_to_num(block[i])), others)
        members.setdefault(key, []).append(i)
    target = np.array(list(wanted.values()))
    groups = [one_group(np.array(rows, dtype=np.intp), columns, kernels.column("time_s"), target, list(wanted))
              for rows in members.values()]  # fmt: skip
    if all(g.reason for g in groups):
        raise InputError(f"{groups[0].reason} ({known_sizes(kernels, parts)})")
    return groups


def parameter(kernels: KernelTable, name: str, texts: list[str], parts: Mapping[str, Mapping[str, str]]) -> FloatArray:
    """(n,) values of one size: from the configuration, else from a column of that name."""
    value = {text: size_value(parts_of_row.get(name, "")) for text, parts_of_row in parts.items()}
    stated = np.array([value[text] for text in texts])
    column = kernels.extra.get(name)
    if name in kernels.numeric:
        column = kernels.column(name)
    if column is not None:
        numbers = column if column.dtype.kind == "f" else np.array([size_value(str(v)) for v in column])
        stated = np.where(stated > 0, stated, numbers)
    stated = np.asarray(stated, dtype=np.float64)
    return np.where((stated > 0) & (stated < np.inf), stated, np.nan)


def known_sizes(kernels: KernelTable, parts: Mapping[str, Mapping[str, str]]) -> str:
    """What the table could be asked for."""
    names = dict.fromkeys(
        name for parts_of_row in parts.values() for name, value in parts_of_row.items() if size_value(value) > 0
        and name.lower() not in FOLLOWS
    )  # fmt: skip
    listed = ", ".join(one_line(name, 30) for name in list(names)[:8])
    return f"its configurations name {listed}" if listed else "its configurations name no sizes such as N=1024"


def one_group(rows: Index, columns: FloatArray, time_s: FloatArray, wanted: FloatArray, names: list[str]) -> SizeGroup:
    """Rows of one kernel: the first of each size, and whether they suffice."""
    usable = rows[(columns[rows] > 0).all(axis=1) & (time_s[rows] > 0) & np.isfinite(time_s[rows])]
    _, first = np.unique(columns[usable], axis=0, return_index=True)
    usable = usable[np.sort(first)]
    sizes = columns[usable]
    order = np.lexsort(sizes.T[::-1]) if len(usable) else np.zeros(0, np.intp)
    usable, sizes = usable[order], sizes[order]
    varied = sum(len(np.unique(sizes[:, k])) > 1 for k in range(sizes.shape[1])) if len(usable) else 0
    stuck = [
        name for k, name in enumerate(names)
        if len(usable) and len(np.unique(sizes[:, k])) == 1 and sizes[0, k] != wanted[k]
    ]  # fmt: skip
    needed = max(2, varied + 1)
    if len(usable) < needed:
        reason = f"sizes of {', '.join(names)}: {len(usable)} measured with a time, at least {needed} are needed"
    elif stuck:
        reason = f"only one {stuck[0]} was measured: at least 2 are needed to forecast another"
    else:
        reason = ""
    return SizeGroup(usable if len(usable) else rows[:1], sizes, wanted, one_line(reason, 200))


# Amounts beyond all reason overflow, and are then as absent as they should have been.
@quietly(overflow=True)
def fit_amounts(kernels: KernelTable, group: SizeGroup, capacity_bytes: float) -> Fitted:
    """Amounts of a group at the wanted sizes.

    capacity_bytes : last-level cache of the source GPU; NaN where unknown.
    """
    values: dict[str, float] = {}
    errors: dict[str, float] = {}
    if group.reason:
        return Fitted(values, 0.0)
    touched, touched_wanted = working_sets(kernels, group)
    for name in kernels.numeric:
        column = kernels.column(name)[group.rows]
        known = np.isfinite(column) & (column >= 0)
        if name in DROPPED or not known.any():
            continue
        if name not in EXTENSIVE:
            values[name] = interpolated(group.sizes, column, group.wanted)
            continue
        if name in CACHED and capacity_bytes > 0 and np.isfinite(touched_wanted):
            same_side = known & ((touched > capacity_bytes) == (touched_wanted > capacity_bytes))
            known = same_side if same_side.sum() >= 2 else known
        if known.sum() < 2:
            continue
        values[name], errors[name] = amount_at(group, group.sizes[known], column[known])
    if "grid_blocks" in values:
        values["grid_blocks"] = max(1.0, float(np.round(values["grid_blocks"])))
    weighty = [errors[n] for n in ("bytes_dram", "bytes_compulsory", "flops", "flops_fp32", "flops_fp64",
                                   "insts_executed") if n in errors]  # fmt: skip
    return Fitted(values, max(weighty, default=0.0))


def amount_at(group: SizeGroup, sizes: FloatArray, values: FloatArray) -> tuple[float, float]:
    """An amount at the wanted sizes, and its relative error: by its law, or between neighbours where that errs less."""
    fit = fit_sizes(sizes, values)
    if fit.error == 0 or group.extrapolation > 0 or len(values) < 3 or (values <= 0).any():
        return float(fit.at(group.wanted[None])[0]), error_at(fit, group)
    logs = np.log(values)
    rest = logs - left_out(sizes, logs)
    inner = np.isfinite(rest)
    inner[[0, -1]] = False
    error = float(np.sqrt(np.mean(np.square(rest[inner])))) if inner.any() else np.inf
    if not error < fit.error:
        return float(fit.at(group.wanted[None])[0]), error_at(fit, group)
    return float(np.exp(interpolated(sizes, logs, group.wanted))), error


def working_sets(kernels: KernelTable, group: SizeGroup) -> tuple[FloatArray, float]:
    """(n,) bytes that the measured sizes touch, and those of the wanted one; NaN where nothing tells."""
    for name in ("working_set_bytes", "bytes_compulsory", "bytes_l2", "bytes_dram"):
        column = kernels.column(name)[group.rows]
        if ((column > 0) & (column < np.inf)).all():
            return column, float(fit_sizes(group.sizes, column).at(group.wanted[None])[0])
    return np.full(len(group.rows), np.nan), float("nan")


UNTESTED_ERROR = 0.1
"""Relative error per span of extrapolation where no point could be left out of the fit."""


def error_at(fit: SizeFit, group: SizeGroup) -> float:
    """Relative error of a fit at the wanted sizes: grows with the distance beyond the measured ones."""
    if np.isnan(fit.error):
        return UNTESTED_ERROR * (0.5 + group.extrapolation)
    return fit.error * (1.0 + group.extrapolation)


def sized_table(kernels: KernelTable, groups: list[SizeGroup], found: list[Fitted], names: list[str]) -> KernelTable:
    """One row per group at the wanted sizes, without a time. Rows without an answer carry the reason as a flag."""
    base = kernels.select(np.array([g.rows[0] for g in groups], dtype=np.intp))
    numeric: dict[str, tuple[FloatArray, NDArray[np.uint8]]] = {}
    for name in kernels.numeric:
        if name in DROPPED:
            continue
        values = np.array([f.values.get(name, np.nan) for f in found])
        origin = base.origin_of(name) if name not in EXTENSIVE else np.full(len(groups), Origin.DERIVED, np.uint8)
        numeric[name] = (values, np.asarray(origin, dtype=np.uint8))
    text = {k: v for k, v in base.text.items() if k not in ("grid", "config")}
    text["config"] = np.array(
        [sized_config(str(t), names, g.wanted) for t, g in zip(base.strings("config"), groups, strict=True)], object
    )
    extra = {k: np.array(v) for k, v in base.extra.items()}
    for k, name in enumerate(names):
        if name in extra and extra[name].dtype.kind == "f":
            extra[name] = np.array([g.wanted[k] for g in groups])
    table = KernelTable.from_columns(text, numeric, extra=extra, flags=[remarks_of(g, names) for g in groups])
    return dataclasses.replace(table, provenance=kernels.provenance, file=base.file)


def sized_config(text: str, names: list[str], wanted: FloatArray) -> str:
    """A configuration with the wanted sizes in place of the measured ones."""
    new = dict(zip(names, wanted.tolist(), strict=True))
    parts = {k: v for k, v in split_configuration(text).items() if k and k.lower() not in FOLLOWS}
    for name, value in new.items():
        parts[name] = f"{value:.0f}" if value == round(value) else f"{value:g}"
    return ";".join(f"{k}={v}" if v else k for k, v in parts.items())


def remarks_of(group: SizeGroup, names: list[str]) -> tuple[str, ...]:
    """What a reader must know of a row at another size."""
    if group.reason:
        return (group.reason,)
    spans = ", ".join(
        f"{name} from {group.sizes[:, k].min():g} to {group.sizes[:, k].max():g}" for k, name in enumerate(names)
    )
    text = f"not measured at this size: amounts fitted over {len(group.rows)} sizes ({one_line(spans, 120)})"
    far = group.extrapolation
    return (text, f"{far:.1f} times the measured span beyond it") if far > 0 else (text,)


UNCERTAINTY = "size_uncertainty"
"""Extra column: relative standard deviation that the step to another size adds."""

UNCERTAINTY_MOST = 3.0
"""Beyond this an interval says nothing more."""

STEADY_SHARES = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98)
"""Parts of the shortest time that may be the same at all sizes: the host's launch floor, which no counter shows.
Between measured sizes only: beyond them a steady part found in few sizes did harm."""

STEADY_GAIN = 0.9
"""A steady part must lower the error of left-out sizes by this factor."""

BETWEEN_SHARE = 0.7
"""Part of the left-out error that remains where all sizes are there: neighbours are then nearer."""

FEW_SIZES = 3.0
"""An error that n left-out sizes show is the surer the more they are: times 1 + this / n."""

TIME_FIT_ERROR = 0.05
"""Error of the time that no fit shows: measurements scatter."""


# Amounts and times beyond all reason end in a time that is not finite, and so in none.
@quietly(overflow=True)
def at_size(
    kernels: KernelTable, sizes: Mapping[str, float] | str, *, source: str | Processor | None = None
) -> KernelTable:
    """Kernels at other sizes than measured: one row per kernel, GPU and remaining configuration.

    kernels : measured at several sizes, stated in configurations (``N=1024;M=512``) or in columns of that name.
    sizes : name -> size, or text such as ``"N=8192,M=512"``. source : as in :func:`roofcast.forecast`.

    Rows that lack sizes stay without a time, with the reason among their flags. Counts are fitted as sums of
    monomials, rates interpolated; the time follows the mechanistic model, scaled as it errs at the measured sizes.

    Raises
    ------
    RoofcastError : sizes that are none. InputError : no kernel states them, or none at least twice.
    """
    wanted = parse_sizes(sizes) if isinstance(sizes, str) else parse_sizes(as_text(sizes))
    resolved = resolve_sources(kernels, source)
    kernels = resolved.kernels
    groups = size_groups(kernels, wanted, resolved.index)
    capacity = last_capacity_bytes(columns_of(resolved.processors)).tolist()
    answers = [fit_amounts(kernels, g, [*capacity, np.nan][resolved.index[g.rows[0]]]) for g in groups]
    table = sized_table(kernels, groups, answers, list(wanted))
    rough = np.array([np.nan if g.reason else rough_time(kernels, g) for g in groups])
    model_s, new_model_s = model_seconds(resolved, table.with_columns(time_s=(rough, Origin.ASSUMED)), groups, source)
    time, error = np.full((2, len(groups)), np.nan)
    for i, group in enumerate(groups):
        if not group.reason:
            time[i], error[i] = time_at(group, kernels.column("time_s")[group.rows], model_s, new_model_s[i])
    amounts = np.array([answer.error for answer in answers])
    time = np.where((time > 0) & np.isfinite(time), time, np.nan)
    error, amounts = np.minimum(error, UNCERTAINTY_MOST), np.minimum(amounts, UNCERTAINTY_MOST)
    extra = {**table.extra, UNCERTAINTY: np.sqrt(np.square(error) + np.square(amounts))}
    table = table.with_columns(time_s=(time, Origin.DERIVED))
    return dataclasses.replace(table, extra=extra)


def as_text(sizes: Mapping[str, float]) -> str:
    """Sizes as users write them, so that one check serves both."""
    numbers = {name: float(value) if isinstance(value, (int, float)) else value for name, value in sizes.items()}
    return ",".join(f"{name}={value!r}" for name, value in numbers.items())


def rough_time(kernels: KernelTable, group: SizeGroup) -> float:
    """A time at the wanted sizes from the times alone: the model asks for one, and its roofs hardly use it."""
    fit = fit_sizes(group.sizes, kernels.column("time_s")[group.rows])
    return float(fit.at(group.wanted[None])[0])


@quietly(overflow=True)
def model_seconds(
    found: Sources, table: KernelTable, groups: list[SizeGroup], source: str | Processor | None
) -> tuple[FloatArray, FloatArray]:
    """(n,) seconds that resources and floor need on the source for measured rows, and (g,) for the new ones."""
    if not found.processors:
        return np.full(len(found.kernels), np.nan), np.full(len(groups), np.nan)
    as_measured = Conditions(named=PROFILED)
    ready = prepare(
        concatenate([found.kernels, table]), (), source=source, conditions=as_measured, sass="off", alone=True
    )
    both, here = ready.kernels, ready.machines_here()
    there = here.cells(np.maximum(here.index, 0)[:, None], here.clock_hz[:, None])
    model = Mechanistic()
    parts = model.parts(both, here, there, as_measured)
    roofs = overlapped_s(list(parts.roofs.source.values()), model.constants.overlap) if parts.roofs.source else 0.0
    total = np.broadcast_to(roofs + parts.pair.floor_source_s, (len(both), 1))[:, 0]
    bare = np.broadcast_to(np.asarray(roofs) > 0, (len(both), 1))[:, 0]
    total = np.where(bare & (total > 0) & np.isfinite(total), total, np.nan)
    return total[: len(found.kernels)], total[len(found.kernels) :]


@quietly(overflow=True)
def time_at(group: SizeGroup, time_s: FloatArray, model_s: FloatArray, new_model_s: float) -> tuple[float, float]:
    """Seconds at the wanted sizes, and their relative error as points left out show it."""
    measured = model_s[group.rows]
    if not np.isfinite(measured).all() or not np.isfinite(new_model_s):
        # Nothing but times: their own law.
        fit = fit_sizes(group.sizes, time_s)
        error = 0.2 if np.isnan(fit.error) else fit.error
        return float(fit.at(group.wanted[None])[0]), (error + TIME_FIT_ERROR) * (1 + group.extrapolation)
    steady, rest, left = 0.0, np.log(time_s / measured), np.zeros(len(time_s))
    best = np.inf
    for share in STEADY_SHARES if group.extrapolation == 0 else (0.0,):
        constant = share * float(time_s.min())
        remains = np.log((time_s - constant) / measured)
        left_here = constant + measured * np.exp(left_out(group.sizes, remains))
        error = float(np.mean(np.abs(np.log(left_here / time_s))))
        if error < best * STEADY_GAIN:
            best, steady, rest, left = error, constant, remains, np.log(left_here / time_s)
    error = float(np.sqrt(np.mean(np.square(left))))
    result = steady + new_model_s * np.exp(interpolated(group.sizes, rest, group.wanted))
    few = 1.0 + FEW_SIZES / len(time_s)
    error = few * (TIME_FIT_ERROR + error * (BETWEEN_SHARE + group.extrapolation))
    return between_neighbours(float(result), group, time_s), error


def between_neighbours(result: float, group: SizeGroup, time_s: FloatArray) -> float:
    """A time no shorter than that of any smaller problem and no longer than that of any larger one."""
    smaller, larger = (group.sizes <= group.wanted).all(axis=1), (group.sizes >= group.wanted).all(axis=1)
    least = float(time_s[smaller].max(initial=0.0))
    most = float(time_s[larger].min(initial=np.inf))
    # Where measurements contradict this themselves, they cannot bound anything.
    return min(max(result, least), most) if least <= most else result


def widened_by_size(estimate: Estimate, kernels: KernelTable) -> Estimate:
    """The estimate with intervals that hold the step to another size as well."""
    uncertainty = kernels.extra.get(UNCERTAINTY)
    if uncertainty is None or uncertainty.dtype.kind != "f" or estimate.coverage is None:
        return estimate
    with quietly():
        half = 0.5 * np.log(estimate.time_high_s / estimate.time_low_s)
        spread = np.exp(widened(half, uncertainty[:, None]))
    return dataclasses.replace(estimate, time_low_s=estimate.time_s / spread, time_high_s=estimate.time_s * spread)


Term = tuple[tuple[float, ...], int]
"""Exponents of the sizes, and the power of the logarithm of their product."""

EXACT = 1e-6
"""Relative error of a fit that is the law itself."""

TERMS_MOST = 4
"""Powers of the size that a law may add: more fit any noise."""
TERM_PENALTY = 1.25
"""A further term must lower the error of left-out points by more than this factor."""

NEAR_HALF_STEP = 0.03
"""Two points give a power law; an exponent this near to a multiple of one half is that."""

SETS_ALL, SETS_KEPT = 1000, 12
"""Up to so many sums are tried one and all; of more, the best so many are tried with one term more."""


@dataclass(frozen=True)
class SizeFit:
    """A sum of monomials in the sizes of a problem."""

    terms: tuple[Term, ...]
    coefficients: tuple[float, ...]
    error: float
    """Relative error at points left out of the fit; 0 where the law is exact, NaN where no point could be left out."""

    def at(self, sizes: FloatArray) -> FloatArray:
        """(r,) values at (r, k) sizes; never below 0."""
        values = basis(sizes, self.terms) @ np.array(self.coefficients)
        return np.asarray(np.maximum(values, 0.0))


def candidate_terms(count: int) -> tuple[Term, ...]:
    """Monomials that work in loops and arrays grows by; the lowest first."""
    if count == 1:
        powers: list[Term] = [((p,), 0) for p in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)]
        return (*powers, ((0.0,), 1), ((1.0,), 1))
    most, total = (3, 3) if count == 2 else (2, 3) if count == 3 else (1, min(count, 4))
    grid = itertools.product(range(most + 1), repeat=count)
    return tuple(sorted(((tuple(map(float, e)), 0) for e in grid if sum(e) <= total), key=lambda t: sum(t[0])))


def basis(sizes: FloatArray, terms: tuple[Term, ...]) -> FloatArray:
    """(r, t) values of each term at (r, k) sizes."""
    logs = np.log(sizes)
    columns = [np.exp(logs @ np.array(e)) * (logs.sum(axis=1) ** log if log else 1.0) for e, log in terms]
    return np.stack(columns, axis=1)


@quietly(overflow=True)
def fit_sizes(sizes: FloatArray, values: FloatArray) -> SizeFit:
    r"""Fit the sum of fewest monomials that meets the values, else the one that foretells left-out values best.

    .. math:: y(x) = \sum_j c_j \prod_i x_i^{e_{ij}} (\log \prod_i x_i)^{l_j}

    sizes : (n, k) > 0, distinct rows, n >= 2. values : (n,) >= 0. Inexact fits have no negative terms: they
    extrapolate. Source: least squares of relative errors; left-out errors e_i / (1 - h_ii), e.g. Hastie et al.,
    "The Elements of Statistical Learning", 2nd ed., Eq. 5.26.

    >>> n = np.array([[256.0], [512.0], [1024.0], [1536.0]])
    >>> law = fit_sizes(n, 2 * n[:, 0] ** 3 + 5 * n[:, 0] ** 2)
    >>> law.terms, round(float(law.at(np.array([[4096.0]]))[0]) / (2 * 4096**3 + 5 * 4096**2), 9)
    ((((2.0,), 0), ((3.0,), 0)), 1.0)
    """
    largest = float(np.max(np.abs(values), initial=0.0))
    # Below the least normal number relative errors are undefined: such values are as good as none.
    if not largest > 1e3 * np.finfo(np.float64).tiny or np.ptp(values) <= EXACT * largest:
        return SizeFit((((0.0,) * sizes.shape[1], 0),), (float(np.mean(values)),), 0.0)
    if len(values) == 2:
        return through_two(sizes, values)
    # Relative to the largest size, so that no power leaves the range of floats.
    unit = sizes.max(axis=0)
    terms = candidate_terms(sizes.shape[1])
    scale = np.maximum(np.abs(values), 1e-3 * largest)
    logs = np.log(sizes)
    columns = [
        np.exp((logs - np.log(unit)) @ np.array(e)) * (logs.sum(axis=1) ** log if log else 1.0) for e, log in terms
    ]
    matrix = np.stack(columns, axis=1) / scale[:, None]
    wanted = values / scale
    best: tuple[float, tuple[int, ...], FloatArray, float] | None = None
    tried: list[tuple[int, ...]] = [()]
    for _ in range(min(len(values) - 1, TERMS_MOST)):
        sets = sorted({tuple(sorted((*s, j))) for s in tried for j in range(len(terms)) if j not in s})
        index = np.array(sets, dtype=np.intp)
        design = np.moveaxis(matrix[:, index], 1, 0)
        inverse = np.linalg.pinv(design, rcond=1e-12)
        coefficients = inverse @ wanted
        rest = (design @ coefficients[..., None])[..., 0] - wanted
        leverage = np.einsum("cnm,cmn->cn", design, inverse)
        outside = np.sqrt(np.mean(np.square(rest / np.maximum(1 - leverage, 1e-6)), axis=1))
        exact = np.abs(rest).max(axis=1) <= EXACT
        if exact.any():
            at = int(np.flatnonzero(exact)[0])
            return scaled(terms, sets[at], coefficients[at], unit, 0.0)
        usable = np.where((coefficients >= 0).all(axis=1) & np.isfinite(outside), outside, np.inf)
        at = int(np.argmin(usable))
        if np.isfinite(usable[at]) and (best is None or usable[at] * TERM_PENALTY < best[0]):
            best = (float(usable[at]), sets[at], coefficients[at], float(usable[at]))
        many = len(sets) * len(terms) > SETS_ALL
        tried = [sets[i] for i in np.argsort(np.abs(rest).max(axis=1), kind="stable")[:SETS_KEPT]] if many else sets
    if best is None:
        return SizeFit((((0.0,) * sizes.shape[1], 0),), (float(np.mean(values)),), float(np.std(values / largest)))
    return scaled(terms, best[1], best[2], unit, best[3])


def scaled(
    terms: tuple[Term, ...], chosen: tuple[int, ...], coefficients: FloatArray, unit: FloatArray, error: float
) -> SizeFit:
    """A fit in units of the largest size, in plain sizes."""
    picked = tuple(terms[j] for j in chosen)
    factors = [float(np.exp(-(np.log(unit) @ np.array(e)))) for e, _ in picked]
    return SizeFit(picked, tuple(float(c) * f for c, f in zip(coefficients, factors, strict=True)), error)


def through_two(sizes: FloatArray, values: FloatArray) -> SizeFit:
    """The power law through two points, in the product of the sizes that differ."""
    steps = np.log(sizes[1] / sizes[0])
    if (values <= 0).any() or not np.any(np.abs(steps) > 0):
        return SizeFit((((0.0,) * sizes.shape[1], 0),), (float(np.mean(values)),), float("nan"))
    power = float(np.log(values[1] / values[0]) / np.sum(steps)) if abs(np.sum(steps)) > 0 else 0.0
    if not np.isfinite(power):
        return SizeFit((((0.0,) * sizes.shape[1], 0),), (float(np.mean(values)),), float("nan"))
    half = round(2 * power) / 2
    power = half if abs(power - half) < NEAR_HALF_STEP else power
    exponents = tuple(power if step else 0.0 for step in steps.tolist())
    at = basis(sizes, ((exponents, 0),))[:, 0]
    return SizeFit(((exponents, 0),), (float(np.exp(np.mean(np.log(values / at)))),), float("nan"))


def interpolated(places: FloatArray, values: FloatArray, at: FloatArray) -> float:
    """A smooth quantity between measured places, in logarithms of sizes; beyond them that of the nearest.

    places : (n, k) > 0. values : (n,). at : (k,). One size: straight lines; several: weights of inverse squares.

    >>> interpolated(np.array([[1.0], [4.0]]), np.array([0.0, 2.0]), np.array([2.0]))
    1.0
    """
    known: NDArray[np.bool_] = np.isfinite(values)
    if not known.any():
        return float("nan")
    logs, wanted, values = np.log(places[known]), np.log(at), values[known]
    if logs.shape[1] == 1:
        order = np.argsort(logs[:, 0], kind="stable")
        return float(np.interp(wanted[0], logs[order, 0], values[order]))
    weight = 1.0 / np.maximum(np.square(logs - wanted).sum(axis=1), 1e-12)
    return float(np.sum(weight * values) / np.sum(weight))


def left_out(places: FloatArray, values: FloatArray) -> FloatArray:
    """(n,) each value as the others foretell it by :func:`interpolated`.

    >>> left_out(np.array([[1.0], [2.0], [4.0]]), np.array([0.0, 5.0, 2.0])).round(9).tolist()
    [5.0, 1.0, 5.0]
    """
    return np.array(
        [interpolated(np.delete(places, i, 0), np.delete(values, i), places[i]) for i in range(len(values))]
    )
