"""Another size on another GPU: ``python -m roofcast.evaluation.problem_sizes DATASET NAME[,NAME]`` prints the errors.

Each size is left out in turn; its amounts and its time on the source come from the other sizes, and the forecast on
every other GPU is compared with what was measured there. Beside it stands the forecast from the measured size.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from roofcast.core.errors import DatasetError, InputError
from roofcast.core.kernel_table import KernelTable, split_configuration
from roofcast.evaluation.datasets import DATASETS, load
from roofcast.evaluation.scores import kernel_weights, weighted_median
from roofcast.evaluation.screening import accepted, screen
from roofcast.forecasting.forecast import forecast
from roofcast.forecasting.problem_size import FOLLOWS, at_size, parameter

SIZES_MOST = 12
"""Sizes that are left out, evenly spread, where there are more."""


@dataclass(frozen=True)
class LeftOut:
    """One forecast of a left-out size."""

    kernel: str
    beyond: bool
    """Whether the size is outside those that were left."""
    measured_s: float
    forecast_s: float
    known_size_s: float
    """Forecast from the source's measurement at this very size."""
    inside: bool
    source_error: float
    """Relative error of the source's own time at the size; NaN where it was not measured."""


def work_key(kernel: str, config: str, names: list[str]) -> tuple[object, ...]:
    """What two rows of one kernel share beside the sizes."""
    parts = split_configuration(config)
    return (kernel, *((k, v) for k, v in parts.items() if k not in names and k.lower() not in FOLLOWS))


def left_out(kernels: KernelTable, names: list[str]) -> Iterator[LeftOut]:
    """Forecasts of every left-out size on every other GPU."""
    texts = [str(t) for t in kernels.strings("config")]
    parts = {t: split_configuration(t) for t in dict.fromkeys(texts)}
    columns = np.stack([parameter(kernels, name, texts, parts) for name in names], axis=1)
    kernels = kernels.select((columns > 0).all(axis=1) & (kernels.column("time_s") > 0))
    columns = columns[(columns > 0).all(axis=1)] if len(kernels) else columns
    gpus = list(dict.fromkeys(map(str, kernels.strings("gpu"))))
    keys = [work_key(str(k), str(c), names) for k, c in zip(kernels.strings("kernel"), kernels.strings("config"),
                                                             strict=True)]  # fmt: skip
    every = np.unique(columns, axis=0)
    for size in every[:: -(-len(every) // SIZES_MOST)]:
        at = (columns == size).all(axis=1)
        truth = {(keys[i], str(kernels.strings("gpu")[i])): i for i in np.flatnonzero(at)[::-1]}
        for source in gpus:
            rows = ~at & (kernels.strings("gpu") == source)
            yield from of_source(kernels, rows, dict(zip(names, size.tolist(), strict=True)), truth, source)


def of_source(
    kernels: KernelTable,
    rows: np.ndarray[tuple[int], np.dtype[np.bool_]],
    size: Mapping[str, float],
    truth: Mapping[tuple[tuple[object, ...], str], int],
    source: str,
) -> Iterator[LeftOut]:
    """Forecasts of one size from one GPU."""
    targets = [g for g in dict.fromkeys(g for _, g in truth) if g != source]
    if not rows.any() or not targets:
        return
    try:
        sized = at_size(kernels.select(rows), size)
    except InputError:
        return
    names, time = list(size), kernels.column("time_s")
    found = forecast(sized, targets)
    own = [i for (_, g), i in truth.items() if g == source]
    known = forecast(kernels.select(own), targets).estimate.time_s if own else np.zeros((0, len(targets)))
    place = {work_key(str(kernels.strings("kernel")[i]), str(kernels.strings("config")[i]), names): n
             for n, i in enumerate(own)}  # fmt: skip
    for i, (kernel, config) in enumerate(zip(sized.strings("kernel"), sized.strings("config"), strict=True)):
        key = work_key(str(kernel), str(config), names)
        beyond = any("beyond" in flag for flag in sized.flags[i])
        for j, target in enumerate(targets):
            row = truth.get((key, target))
            if row is None or key not in place or not np.isfinite(sized.column("time_s")[i]):
                continue
            e = found.estimate
            yield LeftOut(
                str(kernel), beyond, float(time[row]), float(e.time_s[i, j]), float(known[place[key], j]),
                bool(e.time_low_s[i, j] <= time[row] <= e.time_high_s[i, j]),
                float(sized.column("time_s")[i] / time[own[place[key]]] - 1),
            )  # fmt: skip


def main(arguments: list[str]) -> None:
    """Print mean / median errors in percent: inside and beyond the measured sizes."""
    if len(arguments) != 2:
        raise DatasetError("give a data set and the names of its sizes, e.g. nca_nvprof n")
    name, kernels = load(arguments[0])
    kernels = kernels.select(accepted(kernels, screen(kernels))) if name in DATASETS else kernels
    cases = list(left_out(kernels, arguments[1].split(",")))
    write = sys.stdout.write
    write(f"{name}, {arguments[1]}: size left out, other GPU (mean / median %)\n")
    write(f"{'':12}{'forecasts':>10}{'this size':>16}{'size known':>16}{'source time':>16}{'covered':>9}\n")
    for label, beyond in (("between", False), ("beyond", True)):
        part = [c for c in cases if c.beyond is beyond]
        if part:
            write(f"{label:12}{len(part):10}{line_of(part)}\n")


def line_of(part: list[LeftOut]) -> str:
    """Mean / median errors of some forecasts, every kernel weighing the same, and the achieved coverage."""
    weight = kernel_weights(np.array([c.kernel for c in part], dtype=np.object_))
    truth = np.array([c.measured_s for c in part])
    forecasts = ([c.forecast_s for c in part], [c.known_size_s for c in part])
    errors = [np.abs(np.array(v) / truth - 1) for v in forecasts] + [np.abs([c.source_error for c in part])]
    errors = [np.where(np.isfinite(e), e, 1.0) for e in errors]
    cells = "".join(f"{100 * (weight * e).sum():9.1f} /{100 * weighted_median(e, weight):5.1f}" for e in errors)
    return f"{cells}{100 * float(weight @ np.array([c.inside for c in part], dtype=np.float64)):9.1f}"


if __name__ == "__main__":
    main(sys.argv[1:])
