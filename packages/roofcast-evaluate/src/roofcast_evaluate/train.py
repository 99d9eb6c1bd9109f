"""Train the learned residual: ``python -m roofcast_evaluate.train`` writes the one that roofcast ships.

It learns from public profiles with stall reasons (docs/accuracy.md says why from no others), by the errors of the
mechanistic model as it is: train again after a change of that model. No row of the data enters the file.

One set of trees for the factor, one for its doubt. The factor minimises the absolute percentage error: least absolute
deviations of measured / physics, weighted by the inverse root of it, half-way between the mean error and the median
one. The doubt is learned from errors on programs and GPUs that were left out; for a GPU that was left out another of
its kind stands, as for every GPU that taught nothing. Single-threaded, with fixed seeds and rounded features: the same
pairs give the same trees bit for bit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import roofcast
from roofcast.core.absent import quietly
from roofcast.core.errors import DatasetError, MissingExtraError
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import column
from roofcast.core.results import Conditions
from roofcast.core.version import VERSION
from roofcast.kit.output import write_text
from roofcast.models.learned.boosted_trees import Features, Trees
from roofcast.models.learned.features import ABSENT, FEATURES, features_of
from roofcast.models.learned.hybrid import counted, look_at_taught
from roofcast.models.learned.residual import (
    DISTANCES,
    FAMILIARITY,
    FILE,
    GROUPS,
    RATIO_RANGE,
    SCALE_LEAST,
    Residual,
    apartness,
    distances,
    nearest_of_kind,
    ranges_of,
    taught_gpus,
)
from roofcast.models.physics.intervals import COVERAGES
from roofcast.models.physics.model import Mechanistic
from roofcast.models.promises import sold_of
from roofcast_evaluate.cases import FOLDS, Cases, cases_of, folds_of, program_of
from roofcast_evaluate.datasets import DATASETS, load
from roofcast_evaluate.grown_trees import from_lightgbm
from roofcast_evaluate.scores import conformal_quantile
from roofcast_evaluate.screening import sound_rows

SHRINK = 0.8
"""Part of the learned log factor that is used: the rest is what new programs do not share. From 0.6 to 0.9 the error
stays within 0.03 points, programs left out and with the target GPU left out as well; the medians, and the 49 new
programs, would have more (docs/accuracy.md)."""

SEEDS = (1, 2)
"""One set of trees each; their mean is the model."""

LEFT_OUT = frozenset({
    *("time", "generation_source", "generation_target", "regs_per_thread", "smem_per_block", "insts_per_thread"),
    "bytes_per_thread",
})  # fmt: skip
"""Features that name a program or a GPU rather than a cause: without them new ones are forecast better."""

COMMON: dict[str, Any] = {
    "lambda_l2": 5.0, "feature_fraction": 0.3, "bagging_fraction": 0.7, "bagging_freq": 1, "max_bin": 63,
    "use_missing": False, "num_threads": 1, "deterministic": True, "force_row_wise": True, "verbose": -1,
}  # fmt: skip
RATIO: dict[str, Any] = COMMON | {
    "objective": "regression_l1", "learning_rate": 0.08, "num_leaves": 31, "min_data_in_leaf": 10,
}  # fmt: skip
RATIO_TREES = 80
"""Trees of each model of the ratio."""
SCALE: dict[str, Any] = COMMON | {
    "objective": "quantile", "alpha": 0.7, "learning_rate": 0.06, "num_leaves": 8, "min_data_in_leaf": 60,
}  # fmt: skip
SCALE_TREES = 60
"""Trees of each model of the error's scale."""

PAIRS_LEAST = 200
"""Fewer training pairs teach nothing: the residual is then 1."""

GROUP_LEAST = 100
"""Pairs that a group of intervals needs; smaller ones take all pairs'."""

DIGITS = 4
"""Digits after the point of the training features: rounding errors of another machine make no other tree."""


@dataclass(frozen=True)
class Samples:
    """p training pairs between g GPUs; arrays are (p,)."""

    features: NDArray[np.float32]
    """(g, features, p), all of :data:`FEATURES`, of each pair's kernel as it would run on each of the GPUs."""
    log_ratio: FloatArray
    """log of measured over physics."""
    weight: FloatArray
    fold: NDArray[np.intp]
    source: NDArray[np.intp]
    """Position in ``gpus``."""
    target: NDArray[np.intp]
    """Position in ``gpus``."""
    distance: NDArray[np.intp]
    apart: FloatArray
    gpus: tuple[str, ...]
    """Keys in the catalog."""

    def __len__(self) -> int:
        return len(self.log_ratio)

    def on(self, gpu: NDArray[np.intp], rows: NDArray[np.bool_], chosen: tuple[int, ...]) -> Features:
        """(chosen, rows) features of some pairs. gpu : (p,) on which GPU each, position in ``gpus``."""
        return np.ascontiguousarray(self.features[gpu[rows], :, np.flatnonzero(rows)][:, list(chosen)].T)

    def stand_ins(self) -> NDArray[np.intp]:
        """(p,) which of the other GPUs would stand for each pair's target; -1 where none or the source would."""
        others = [tuple(g for g in self.gpus if g != gpu) for gpu in self.gpus]
        place = np.full(len(self.gpus), -1, np.intp)
        for i, rest in enumerate(others):
            nearest = int(nearest_of_kind(taught_gpus(rest), sold_of(taught_gpus(self.gpus).columns))[i])
            place[i] = self.gpus.index(rest[nearest]) if nearest >= 0 else -1
        stand_in = place[self.target]
        return np.where(stand_in == self.source, -1, stand_in)


def samples_of(cases: Cases, physics: Mechanistic) -> Samples:
    """The pairs of a data set that the residual may learn from: with stall reasons, between GPUs of the catalog."""
    runs = [samples_of_run(cases, rows, conditions, physics) for rows, conditions in cases.groups()]
    ratio, usable = (np.concatenate(values) for values in zip(*runs, strict=True))
    here = column(cases.sources)
    apart = apartness(here, cases.targets)[:, 0]
    usable &= np.isfinite(ratio) & (apart > 0)
    keys = [m.columns.text("key")[m.index.ravel()[usable]].astype(str) for m in (here, cases.targets)]
    keys = [np.char.rstrip(k, "*") for k in keys]
    gpus = tuple(np.unique(keys).tolist())
    source, target = (np.searchsorted(gpus, k) for k in keys)
    chosen = cases.select(usable)
    every = np.arange(len(gpus), dtype=np.intp)[None, :]
    features = features_of(look_at_taught(physics, chosen.kernels, chosen.sources, gpus, every)) if gpus else ratio[:0]
    kernel = cases.kernels.strings("kernel")
    programs = np.array([program_of(k) for k in kernel], dtype=np.object_)
    return Samples(
        np.round(features, DIGITS).reshape(len(FEATURES), len(chosen), len(gpus)).transpose(2, 0, 1),
        ratio[usable],
        program_weights(programs, cases.source_gpu, cases.target_gpu)[usable],
        folds_of(kernel)[usable],
        source,
        target,
        distances(here, cases.targets)[usable, 0],
        apart[usable],
        gpus,
    )


def samples_of_run(
    cases: Cases, rows: slice, conditions: Conditions, physics: Mechanistic
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Log ratios and usability of consecutive pairs with the same conditions."""
    kernels, sources, targets, _ = cases.part(rows)
    parts = physics.parts(kernels, sources, targets, conditions)
    with quietly():
        ratio = np.log(cases.time_s_measured[rows] / parts.time_s[:, 0])
    return ratio, counted(parts)[:, 0]


def program_weights(
    program: NDArray[np.object_], source: NDArray[np.object_], target: NDArray[np.object_]
) -> FloatArray:
    """(p,) each the root of one over the pairs of a program between the same GPUs: many kernels of one program are
    more evidence than one, but not as much as those of many programs.
    """
    key = (program + "\x00" + source + "\x00" + target).astype(str)
    _, which, count = np.unique(key, return_inverse=True, return_counts=True)
    return np.asarray(1.0 / np.sqrt(count[which]))


def columns_of(samples: Samples) -> tuple[int, ...]:
    """Features that the residual looks at: those that say something in these data."""
    rows = samples.on(samples.target, np.ones(len(samples), np.bool_), tuple(range(len(FEATURES))))
    return tuple(
        i
        for i, (name, row) in enumerate(zip(FEATURES, rows, strict=True))
        if name not in LEFT_OUT and (row != row[:1]).any() and not (row == ABSENT).all()
    )


def boosted(
    features: Features, wanted: FloatArray, weight: FloatArray, names: tuple[str, ...],
    settings: dict[str, Any], rounds: int,
) -> Trees:  # fmt: skip
    """Trees that LightGBM grows."""
    try:
        import lightgbm
    except ImportError as error:
        raise MissingExtraError("training the residual needs LightGBM: pip install 'roofcast[learn]'") from error
    data = lightgbm.Dataset(features.T.astype(np.float64), wanted, weight=weight, free_raw_data=True)
    return from_lightgbm(lightgbm.train(settings, data, rounds).dump_model(), names)


def fit_ratio(samples: Samples, rows: NDArray[np.bool_], chosen: tuple[int, ...], seeds: tuple[int, ...]) -> Trees:
    """Trees for measured / physics - 1, from the pairs of a mask."""
    names = tuple(name for i, name in enumerate(FEATURES) if i in chosen)
    if rows.sum() < PAIRS_LEAST:
        return Trees(names, ())
    features = samples.on(samples.target, rows, chosen)
    ratio = np.clip(np.exp(samples.log_ratio[rows]), *RATIO_RANGE)
    weight = samples.weight[rows] / np.sqrt(ratio)
    grown = [boosted(features, ratio - 1.0, weight, names, RATIO | {"seed": s}, RATIO_TREES) for s in seeds]
    return mean_of(names, grown)


def log_factor(
    trees: Trees, samples: Samples, rows: NDArray[np.bool_], chosen: tuple[int, ...], gpu: NDArray[np.intp]
) -> FloatArray:
    """(rows,) log of what the trees multiply the physics with. gpu : (p,) that stands for each pair's target."""
    predicted = trees.predict(samples.on(gpu, rows, chosen))
    return np.asarray(samples.apart[rows] * SHRINK * np.log(np.clip(1.0 + predicted, *RATIO_RANGE)))


def splits(samples: Samples, *, by_gpu: bool) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Training and test masks: programs in folds; by_gpu: the target GPU left out as well."""
    for fold in range(FOLDS):
        if not by_gpu:
            yield samples.fold != fold, samples.fold == fold
            continue
        for gpu in range(len(samples.gpus)):
            touched = (samples.source == gpu) | (samples.target == gpu)
            yield (samples.fold != fold) & ~touched, (samples.fold == fold) & (samples.target == gpu)


def out_of_fold(samples: Samples, chosen: tuple[int, ...], gpu: NDArray[np.intp], *, by_gpu: bool) -> FloatArray:
    """(p,) |log error| of each pair, by trees that saw neither its program nor (by_gpu) its target; NaN where not used.

    gpu : (p,) that stands for each pair's target, -1 where the residual is not used.
    """
    error = np.full(len(samples), np.nan)
    for train, held_out in splits(samples, by_gpu=by_gpu):
        test = held_out & (gpu >= 0)
        if test.any():
            trees = fit_ratio(samples, train, chosen, SEEDS[:1])
            error[test] = np.abs(samples.log_ratio[test] - log_factor(trees, samples, test, chosen, gpu))
    return error


def fit_scale(
    samples: Samples, error: FloatArray, rows: NDArray[np.bool_], chosen: tuple[int, ...], seeds: tuple[int, ...]
) -> Trees:
    """Trees for the |log error| that few of like pairs exceed."""
    names = tuple(name for i, name in enumerate(FEATURES) if i in chosen)
    features = samples.on(samples.target, rows, chosen)
    grown = [
        boosted(features, error[rows], samples.weight[rows], names, SCALE | {"seed": s}, SCALE_TREES) for s in seeds
    ]
    return mean_of(names, grown)


def mean_of(names: tuple[str, ...], grown: Sequence[Trees]) -> Trees:
    """The mean of several sets of trees as one."""
    trees = [replace(t, value=tuple(float(f"{v / len(grown):.6g}") for v in t.value)) for g in grown for t in g.trees]
    return Trees(names, tuple(trees))


def quantiles_of(
    samples: Samples,
    errors: Mapping[str, FloatArray],
    gpus: Mapping[str, NDArray[np.intp]],
    scaling: FloatArray,
    chosen: tuple[int, ...],
) -> dict[str, tuple[float, ...]]:
    """Conformal quantiles of error / scale per group; the scale of each pair is learned from other programs.

    errors : familiarity -> (p,) errors, NaN where the residual is not used. gpus : familiarity -> (p,) what stands for
    each target. scaling : the errors that the scale is learned from.
    """
    scale = {familiarity: np.full(len(samples), np.nan) for familiarity in FAMILIARITY}
    for train, held_out in splits(samples, by_gpu=False):
        trees = fit_scale(samples, scaling, train, chosen, SEEDS) if held_out.any() else None
        for familiarity, gpu in gpus.items():
            test = held_out & (gpu >= 0)
            if trees is not None and test.any():
                predicted = trees.predict(samples.on(gpu, test, chosen))
                scale[familiarity][test] = np.maximum(predicted, SCALE_LEAST)
    by_group: dict[str, tuple[float, ...]] = {}
    for familiarity in FAMILIARITY:
        score = errors[familiarity] / scale[familiarity]
        used = np.isfinite(score)
        for d, name in enumerate(DISTANCES):
            rows = used & (samples.distance == d)
            rows = rows if rows.sum() >= GROUP_LEAST else used
            values = [conformal_quantile(score[rows], samples.weight[rows], c) for c in COVERAGES]
            by_group[f"{familiarity}/{name}"] = tuple(round(v, 4) for v in values)
    # Trees that left out a GPU have seen one less than those that are shipped: half-way to their errors, never below
    # those on known GPUs.
    for name in DISTANCES:
        known, new = (np.array(by_group[f"{familiarity}/{name}"]) for familiarity in FAMILIARITY)
        between = np.maximum(np.sqrt(known * new), known)
        by_group[f"new/{name}"] = tuple(round(float(v), 4) for v in between)
    return by_group


def nothing_learned() -> Residual:
    """A residual that is used nowhere."""
    certain = (0.0,) * len(COVERAGES)
    return Residual(Trees((), ()), Trees((), ()), {}, (), dict.fromkeys(GROUPS, certain), SHRINK, {})


def learn(samples: Samples, provenance: Mapping[str, Any] | None = None) -> Residual:
    """The residual with its intervals; one that is used nowhere where there are too few pairs to learn from."""
    if len(samples) < PAIRS_LEAST:
        return nothing_learned()
    chosen = columns_of(samples)
    gpus = {"known": samples.target, "new": samples.stand_ins()}
    errors = {name: out_of_fold(samples, chosen, gpu, by_gpu=name == "new") for name, gpu in gpus.items()}
    if not np.isfinite(errors["new"]).any():
        gpus["new"], errors["new"] = gpus["known"], errors["known"]
    known, new = errors["known"], errors["new"]
    doubtful = np.where(np.isnan(new), known, np.where(np.isnan(known), new, (known + new) / 2))
    everything = np.ones(len(samples), np.bool_)
    ratio = fit_ratio(samples, everything, chosen, SEEDS)
    return Residual(
        ratio=ratio,
        scale=fit_scale(samples, doubtful, everything, chosen, SEEDS),
        ranges=ranges_of(ratio.features, samples.on(samples.target, everything, chosen)),
        gpus=samples.gpus,
        quantiles=quantiles_of(samples, errors, gpus, doubtful, chosen),
        shrink=SHRINK,
        provenance=dict(provenance or {}),
    )


TRAINING_SET = "hecbench_ncu"


def physics_hash() -> str:
    """Hash of the mechanistic model's code: what the residual was learned on."""
    root = Path(roofcast.__file__).parent
    parts = ("models/physics/**/*.py", "core/machines.py", "models/kernel_amounts.py")
    sources = sorted(path for part in parts for path in root.glob(part))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


def constants_hash(physics: Mechanistic) -> str:
    """Hash of the mechanistic model's constants."""
    return hashlib.sha256(json.dumps(dict(physics.constants.values), sort_keys=True).encode()).hexdigest()


def train_shipped() -> Residual:
    """The residual of the mechanistic model as it is shipped."""
    physics, kernels, dataset = Mechanistic(), load(TRAINING_SET)[1], DATASETS[TRAINING_SET]
    samples = samples_of(cases_of(TRAINING_SET, kernels, accepted=sound_rows(kernels)), physics)
    origin = {
        "sha256": dataset.sha256,
        "origin": dataset.origin,
        "licence": dataset.licence,
        "pairs": len(samples),
        "weight": 1.0,
    }
    settings = {"ratio": dict(RATIO), "trees": RATIO_TREES, "scale": dict(SCALE), "scale trees": SCALE_TREES}
    provenance = {
        "made by": "python -m roofcast_evaluate.train",
        "roofcast": VERSION,
        "data sets": {TRAINING_SET: origin},
        "mechanistic model": {"code sha256": physics_hash(), "constants sha256": constants_hash(physics)},
        "settings": settings | {"seeds": list(SEEDS)},
    }
    residual = learn(samples, provenance)
    if not residual.gpus:
        raise DatasetError("the data set holds too few pairs to learn from")
    return residual


def main() -> None:
    """Write the residual that roofcast ships."""
    write_text(FILE, json.dumps(train_shipped().content(), separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
