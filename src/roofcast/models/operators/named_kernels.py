"""Kernels of which only the time is known, but whose name says what they do, and so what they are bound by.

The commonest profiles are timelines: names and times. An element-wise kernel follows the bus, a matrix product the pipe
that its name tells, and most others stand between.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.resource import Resource
from roofcast.models.operators.library import Times, placed, selected, taken, travelled
from roofcast.models.physics.kernels import Kernels
from roofcast.models.physics.roofs import Side, rate
from roofcast.operators.kernel_names import Operation
from roofcast.operators.operator_rows import kinds_of

BUS_SHARE: Mapping[Operation, float] = {
    Operation.ELEMENTWISE: 0.9,
    Operation.COPY: 0.9,
    Operation.GATHER: 0.9,
    Operation.GEMV: 0.9,
    Operation.POOLING: 0.8,
    Operation.NORMALISATION: 0.8,
    Operation.REDUCTION: 0.8,
    Operation.SOFTMAX: 0.7,
    Operation.SORT: 0.6,
    Operation.FFT: 0.6,
    Operation.ATTENTION: 0.6,
    Operation.MIXTURE_OF_EXPERTS: 0.8,
    Operation.RECURRENT: 0.4,
    Operation.GEMM: 0.3,
    Operation.CONVOLUTION: 0.3,
}
"""Exponent of the ratio of DRAM rates; the rest goes to the pipe's, or to SMs x clock where no pipe is known.

Round numbers, checked on neusight and llm_ops with all amounts taken away (docs/accuracy.md). What communicates between
GPUs has none: no property of one GPU tells its time.
"""

OFF_THE_PIPE = frozenset({Operation.ATTENTION, Operation.MIXTURE_OF_EXPERTS})
"""Products that something else holds up: exponentials of softmax, weights that few tokens share."""

CAUSE = "library_names"
WHAT = "names tell memory-bound from compute-bound where only times are known"
ASSUMED = "as memory-bound as the operation in the kernel's name usually is (only the time is known)"


def named(
    result: FloatArray, kernels: KernelTable, k: Kernels, sides: tuple[Side, Side], times: Times, off: Collection[str]
) -> tuple[FloatArray, NDArray[np.bool_] | None]:
    """(n, m) forecasts with those of named kernels by their operation, and (n,) which these are; None for none."""
    alone = k.time_alone[:, 0] > 0
    if CAUSE in off or not alone.any():
        return result, None
    rows = np.flatnonzero(alone)
    names, precisions = kernels.strings("kernel")[rows].tolist(), kernels.strings("precision")[rows].tolist()
    kinds, code = kinds_of(names, precisions)
    if not kinds:
        return result, None
    found, told = result, np.zeros(len(kernels), np.bool_)
    for position, (operation, pipe) in enumerate(kinds):
        share = BUS_SHARE.get(operation)
        chosen = rows[code == position]
        if share is None:
            continue
        here = (selected(sides[0], chosen), selected(sides[1], chosen))
        ratio = operation_ratio(here, None if operation in OFF_THE_PIPE else pipe, share)
        needs = (np.ones((1, 1)), ratio)
        found = placed(found, chosen, travelled(needs, here, taken(times, chosen), 0.0, 1.0))
        told[chosen] = True
    return found, told


def operation_ratio(sides: tuple[Side, Side], pipe: Resource | None, bus_share: float) -> FloatArray:
    """Seconds on the target over the source's for an operation that uses bus and pipe by given shares."""
    source, target = sides
    bus = rate(source.machines, Resource.BYTES_DRAM) / rate(target.machines, Resource.BYTES_DRAM)
    counts = [s.machines.gather(lambda p: p.sm_count) * s.machines.clock_hz for s in sides]
    cores = counts[0] / counts[1]
    if pipe is None:
        return np.asarray(np.power(bus, bus_share) * np.power(cores, 1.0 - bus_share))
    pipes = rate(source.machines, pipe) / rate(target.machines, pipe)
    pipes = np.where(np.isnan(pipes), cores, pipes)
    return np.asarray(np.power(bus, bus_share) * np.power(pipes, 1.0 - bus_share))
