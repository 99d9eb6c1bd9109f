"""Scores of training runs on other GPUs and counts: MLPerf Training, every benchmark by a law that has not seen it."""

from __future__ import annotations

import csv
import gzip
import itertools
from dataclasses import dataclass
from functools import cache
from statistics import median

import numpy as np

from roofcast.catalog.finding import find
from roofcast.catalog.nodes import gpus_sharing_links
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import Column, Table
from roofcast.models.physics.link_times import NODE_GPUS
from roofcast.scaling.scaling_law import Law, gain_of_gpu, gain_of_gpus, spread_of_run
from roofcast_evaluate.datasets import paths_of

GRIDS = (np.linspace(0.0, 0.6, 31), np.linspace(0.0, 0.4, 41), np.linspace(0.0, 1.0, 21))
LANGUAGE = "llama"
SAME_BATCH = 0.1
"""Log of the ratio of global batches that count as one."""
SAME, OTHER, LANGUAGE_MODELS = "same count, another GPU", "other counts", "other counts, language models"


@dataclass(frozen=True)
class Cell:
    """What the submitters of one benchmark measured on so many GPUs with one global batch; their median."""

    benchmark: str
    stack: str
    """Who wrote the software where it is not the vendor's: its runs are compared with each other."""
    gpu: Processor
    gpus: int
    batch: float
    samples_per_s: float

    @property
    def share(self) -> float:
        """Samples of a step per GPU."""
        return self.batch / self.gpus


@dataclass(frozen=True)
class Pair:
    """Two cells of a benchmark, from the one to the other."""

    source: Cell
    target: Cell

    @property
    def measured(self) -> float:
        """Log of the gain."""
        return float(np.log(self.target.samples_per_s / self.source.samples_per_s))

    @property
    def moves(self) -> bool:
        """Whether the GPU is another one."""
        return self.source.gpu.key != self.target.gpu.key

    def forecast(self, law: Law) -> float:
        """Log of the gain by the law."""
        s, t = self.source, self.target
        here, there = (gpus_sharing_links(c.gpu, NODE_GPUS) for c in (s, t))
        gain = float(gain_of_gpus(s.gpus, t.gpus, s.share, t.share, law, here, there))
        return float(np.log(gain * (gain_of_gpu(s.gpu, t.gpu, law) if self.moves else 1.0)))

    def naive(self) -> float:
        """Linear in the GPUs; to another GPU the geometric mean of the ratios of bandwidth and matrix products."""
        rates = (Resource.BYTES_DRAM, Resource.FLOPS_TENSOR_BF16)
        ratios = [peak_of(self.target.gpu, r) / peak_of(self.source.gpu, r) for r in rates]
        return float(np.log(self.target.gpus / self.source.gpus) + 0.5 * np.log(ratios).sum())

    def spread(self) -> float:
        """Log of the factor to the ends of the interval."""
        s, t = self.source, self.target
        return float(np.log(spread_of_run(self.moves, t.gpus / s.gpus, t.share / s.share)))


def peak_of(gpu: Processor, resource: Resource) -> float:
    """The data sheet's rate per second; the sustained one where no sheet says it."""
    supply = gpu.supplies[resource]
    return supply.peak_per_s or supply.per_s


def read_cells() -> list[Cell]:
    """Cells of the data set."""
    (path,) = paths_of("mlperf_training")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = [r for r in csv.DictReader(file) if r["rate_suspect"] != "True" and r["samples_per_s"]]
    samples: dict[tuple[str, str, str, int, float], list[float]] = {}
    for r in rows:
        stack = "tinygrad" if "tinygrad" in r["software"].lower() or r["submitter"] == "tinycorp" else ""
        key = r["benchmark"], stack, r["gpu"], int(r["accelerators"]), float(r["global_batch_size"])
        samples.setdefault(key, []).append(float(r["samples_per_s"]))
    gpus = {name: find(name).processor for name in {key[2] for key in samples}}
    return [Cell(b, stack, gpus[g], n, batch, median(v)) for (b, stack, g, n, batch), v in samples.items()]


def list_pairs(cells: list[Cell]) -> dict[str, list[Pair]]:
    """Experiment -> pairs, in both directions."""
    pairs = [Pair(a, b) for a, b in itertools.permutations(cells, 2)
             if (a.benchmark, a.stack) == (b.benchmark, b.stack)]  # fmt: skip
    same = [p for p in pairs if p.moves and p.source.gpus == p.target.gpus]
    # Another batch is other work: its steps differ, and so does what a step must add up.
    other = [p for p in pairs if not p.moves and p.source.gpus != p.target.gpus
             and abs(np.log(p.source.batch / p.target.batch)) < SAME_BATCH]  # fmt: skip
    return {SAME: same, OTHER: other, LANGUAGE_MODELS: [p for p in other if p.source.benchmark.startswith(LANGUAGE)]}


def fit(pairs: list[Pair]) -> Law:
    """The law that explains pairs best, each constant by a grid."""
    law = Law()
    for name, grid in zip(Law._fields, GRIDS, strict=True):
        tried = [law._replace(**{name: float(v)}) for v in grid]
        law = tried[int(np.argmin([sum(abs(p.measured - p.forecast(t)) for p in pairs) for t in tried]))]
    return law


@dataclass(frozen=True)
class Score:
    """Of one experiment."""

    experiment: str
    pairs: int
    factor: float
    """Typical factor between forecast and measured, each benchmark forecast by the law of the others."""
    naive: float
    shipped: float
    """By the shipped constants, which saw them all."""
    coverage: float
    width: float
    """Upper over lower end."""


def score_training() -> list[Score]:
    """Every experiment."""
    every = list_pairs(read_cells())
    taught = every[SAME] + every[OTHER]

    @cache
    def law_without(benchmark: str) -> Law:
        return fit([p for p in taught if p.source.benchmark != benchmark])

    scores = []
    for experiment, pairs in every.items():
        errors = np.array([p.forecast(law_without(p.source.benchmark)) - p.measured for p in pairs])
        spreads = np.array([p.spread() for p in pairs])
        factor, naive, shipped = (
            float(np.exp(np.mean(np.abs(e))))
            for e in (errors, [p.naive() - p.measured for p in pairs], [p.forecast(Law()) - p.measured for p in pairs])
        )
        scores.append(Score(experiment, len(pairs), factor, naive, shipped, float(np.mean(np.abs(errors) <= spreads)),
                            float(np.exp(2 * np.median(spreads)))))  # fmt: skip
    return scores


def tabulate_training() -> Table:
    """A row per experiment."""
    columns = [
        Column("experiment", lambda s: s.experiment, key="experiment"),
        Column("pairs", lambda s: s.pairs, str, key="pairs"),
        Column("factor", lambda s: s.factor, "{:.3f}".format, key="factor"),
        Column("naive", lambda s: s.naive, "{:.3f}".format, key="factor_naive"),
        Column("shipped", lambda s: s.shipped, "{:.3f}".format, key="factor_shipped"),
        Column("inside", lambda s: s.coverage, lambda v: format_percent(v, 0), key="coverage"),
        Column("width", lambda s: s.width, "{:.2f}".format, key="width"),
    ]
    return Table(columns, score_training())
