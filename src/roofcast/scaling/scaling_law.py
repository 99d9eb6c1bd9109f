r"""How fast a measured training run is on another count of GPUs, or on as many of another GPU.

.. math:: \frac{R_t}{R_s} = \frac{m}{n} \left(\frac{b_t}{b_s}\right)^{\gamma} \lambda^{x}
    \left(\frac{B_t}{B_s}\right)^{w} \left(\frac{P_t}{P_s}\right)^{1 - w}

R : samples/s. n, m : GPUs of source and target. b : samples of a step per GPU, the global batch over the GPUs.
gamma : 1, how much less a GPU does whose share of a step is smaller. B : B/s of DRAM. P : FLOP/s of matrix products in
BF16, both as sustained. w : 1, weight of memory. gamma holds from four samples a GPU; below, lambda does: 1, what a run
keeps that leaves its node, with x = 1 from one node to several, -1 back and 0 else.

Reason: what a step takes whatever its batch (the sum over the links, the optimiser, launches) is shared by fewer
samples where a fixed batch is divided among more GPUs; a batch that grows with the GPUs keeps each as busy. With less
than four samples a GPU a sample is large (a sequence of a language model) and is itself divided: that costs little, but
leaving the node costs once. A training step is matrix products beside memory-bound layers: two roofs.
Taught by MLPerf Training v5.0 and v5.1 (``roofcast evaluate mlperf_training``, each benchmark left out). lambda is told
by one benchmark alone, on three GPUs alike (0.88 to 0.94 from 8 to 16).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.formulas.values import Values
from roofcast.models.physics.link_times import NODE_GPUS

FEW_SAMPLES = 4.0
"""Samples per GPU below which a sample is large."""


class Law(NamedTuple):
    """Constants."""

    gamma: float = 0.27
    """gamma: 1."""
    leaving: float = 0.12
    """-ln lambda: 1."""
    weight: float = 0.3
    """w: 1."""


SPREAD_RUN, SPREAD_GPU, SPREAD_COUNT, SPREAD_SHARE = 0.10, 0.17, 0.25, 0.06
"""Logarithms of the factor either way within which 90 % lie: two runs of one system; another GPU; twice or half the
GPUs and beyond; per e-fold of samples per GPU. What lies outside: embedding tables over two nodes (dlrm_dcnv2, 1.6), a
small language model from 64 to 128 GPUs (1.4) and one submitter's 32 GPUs (1.3)."""


def gain_of_gpus(gpus: Values, gpus_to: Values, share: Values = 1.0, share_to: Values = 1.0,
                 law: Law = Law(),  # noqa: B008 - a tuple, which nothing changes
                 node: int = NODE_GPUS, node_to: int = NODE_GPUS) -> FloatArray:  # fmt: skip
    """Samples per second with m GPUs over those with n.

    gpus, gpus_to : n, m. share, share_to : samples of a step per GPU, b. node, node_to : GPUs of a node.

    >>> [float(gain_of_gpus(8, m, b, b_to).round(2)) for m, b, b_to in ((64, 96, 96), (64, 96, 12), (16, 1, 1))]
    [8.0, 4.56, 1.77]
    """
    n, m = np.asarray(gpus, np.float64), np.asarray(gpus_to, np.float64)
    b, b_to = np.asarray(share, np.float64), np.asarray(share_to, np.float64)
    few = np.sqrt(b * b_to) < FEW_SAMPLES
    left = np.asarray(m > node_to, np.float64) - np.asarray(n > node, np.float64)
    return m / n * np.exp(np.where(few, -law.leaving * left, law.gamma * np.log(b_to / b)))


def gain_of_gpu(source: Processor, target: Processor, law: Law = Law()) -> float:  # noqa: B008
    """Samples per second on as many of another GPU over those on this one; NaN where a rate is not known."""
    memory, matrix = (target.rate(r) / source.rate(r) for r in (Resource.BYTES_DRAM, Resource.FLOPS_TENSOR_BF16))
    return float(memory**law.weight * matrix ** (1 - law.weight))


def spread_of_run(other_gpu: bool, count_ratio: Values, share_ratio: Values = 1.0) -> FloatArray:
    """Factor between a time and the ends of its interval, 90 %.

    count_ratio : m / n. share_ratio : b_t / b_s.

    >>> float(spread_of_run(False, 1.0).round(2)), float(spread_of_run(True, 8.0, 0.125).round(2))
    (1.11, 1.41)
    """
    several = SPREAD_COUNT * np.minimum(np.abs(np.log2(count_ratio)), 1.0)
    parts = (SPREAD_RUN, SPREAD_GPU * other_gpu, several, SPREAD_SHARE * np.log(share_ratio))
    return np.asarray(np.exp(np.sqrt(sum(np.square(p) for p in parts))))
