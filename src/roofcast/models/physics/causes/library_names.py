r"""Names tell memory-bound from compute-bound where only times are known.

.. math:: \frac{T_t}{T_s} = \left(\frac{P_{DRAM,s}}{P_{DRAM,t}}\right)^{v} \left(\frac{P_s}{P_t}\right)^{1 - v}

T : s without launch. P_DRAM : B/s. P : supply of the pipe that the name tells, SMs x clock where it tells none. v : 1,
how far the operation in the name usually follows the bus, :data:`BUS_SHARE`.

Reason: the commonest profiles are timelines, names and times. An element-wise kernel follows the bus, a matrix product
the pipe that its name tells, and most others stand between.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import rate
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.models.physics.cause import Cause, Subject, at
from roofcast.models.physics.library_times import carry_over, replace_rows
from roofcast.models.physics.stages import OPERATORS, Kept, Pair, PairRoofs, Result
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


def follow_names(result: Result, read: PairRoofs) -> Result:
    """Forecasts, those of kernels of which only name and time are known by the operation in the name."""
    named = None
    for pair, chosen, operation, pipe in named_groups(read.pair):
        ratio = operation_ratio(pair, None if operation in OFF_THE_PIPE else pipe, BUS_SHARE[operation])
        result = replace_rows(result, chosen, carry_over((np.ones((1, 1)), ratio), pair, Kept(operation, 1.0)))
        named = np.zeros(len(read.pair.table), np.bool_) if named is None else named
        named[chosen] = True
    return replace(result, named=named)


def named_groups(pair: Pair) -> Iterator[tuple[Pair, NDArray[np.intp], Operation, Resource | None]]:
    """Kernels of which only name and time are known, by operation and pipe: their pair and rows."""
    time_only = pair.k.time_alone[:, 0] > 0
    if not time_only.any():
        return
    rows = np.flatnonzero(time_only)
    table = pair.table
    names, precisions = table.strings("kernel")[rows].tolist(), table.strings("precision")[rows].tolist()
    kinds, code = kinds_of(names, precisions)
    for position, (operation, pipe) in enumerate(kinds):
        if operation in BUS_SHARE:
            chosen = rows[code == position]
            yield pair.rows(chosen), chosen, operation, pipe


def operation_ratio(pair: Pair, pipe: Resource | None, bus_share: float) -> FloatArray:
    """Seconds on the target over the source's for an operation that uses bus and pipe by given shares."""
    source, target = pair.source.machines, pair.target.machines
    bus = rate(source, Resource.BYTES_DRAM) / rate(target, Resource.BYTES_DRAM)
    counts = [machines.gather("sm_count") * machines.clock_hz for machines in (source, target)]
    cores = counts[0] / counts[1]
    if pipe is None:
        return np.asarray(np.power(bus, bus_share) * np.power(cores, 1.0 - bus_share))
    pipes = rate(source, pipe) / rate(target, pipe)
    pipes = np.where(np.isnan(pipes), cores, pipes)
    return np.asarray(np.power(bus, bus_share) * np.power(pipes, 1.0 - bus_share))


CAUSE = Cause(
    name="library_names",
    sentence="names tell memory-bound from compute-bound where only times are known",
    when="nothing but time and name is known, and the name is a library's",
    corrects="timelines",
    taught_by="neusight and llm_ops with all amounts taken away: element-wise 35 to 8 %, GEMM bf16 57 to 24 %",
    acts=(at(OPERATORS, follow_names),),
    properties=(Property.DRAM, Property.PIPES, Property.TENSOR, Property.SMS, Property.CLOCK),
    subject=Subject.NAME,
)
