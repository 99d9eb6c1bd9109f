r"""Without counters, what the roofs explain of the source time decides how much of it follows them.

.. math:: T_t = F_t + (T_s - F_s) \, e^{x}

x : 1, the law of :mod:`roofcast.models.physics.law`, of the share of the source time that its slowest roof explains.
F : s of launches and host.

Reason: there. Kernels with counters keep the forecast of the causes before this one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import code_of, rate
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.formulas.values import or_zero
from roofcast.models.operators.vendors import vendors_differ
from roofcast.models.physics.carried import SecondsByResource
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.kernel_inputs import is_timed_on_device
from roofcast.models.physics.law import ANY, NAMED, OPERATOR, LawInputs, forecast_log_ratio
from roofcast.models.physics.library_times import same_architecture
from roofcast.models.physics.stages import OPERATORS, Pair, PairRoofs, Result, has_no_counters, rows_of
from roofcast.models.physics.unexplained import slowest_share

NO_HOST_S = 1e-12
"""A host that was not timed, as a number that a logarithm has."""


def follow_explained_share(result: Result, read: PairRoofs) -> Result:
    """Forecasts, those of kernels without counters by the law."""
    rows, n = np.flatnonzero(has_no_counters(read.pair.k)[:, 0]), len(read.pair.time_s)
    if not len(rows):
        return result
    inputs = read_law(result, read)
    log_ratio = forecast_log_ratio(rows_of(inputs, rows, n), read.pair.law)
    ours = read.pair.time_s[rows] * np.exp(log_ratio)
    time_s = np.array(np.broadcast_to(result.time_s, (n, max(result.time_s.shape[1], ours.shape[1]))))
    time_s[rows] = ours
    return replace(result, time_s=time_s, law=inputs)


def read_law(result: Result, read: PairRoofs) -> LawInputs:
    """Gather what the law reads of kernels on the way to their targets. result : forecasts of the causes before."""
    with quietly():
        roofs = np.log(read.roofs_target_s / read.roofs_source_s)
        physics = np.log(result.time_s / read.pair.time_s)
    known = read_knowledge(read.pair, read.roofs.source)
    return replace(
        known,
        roofs=np.where(np.isfinite(roofs), roofs, 0.0),
        physics=np.where(np.isfinite(physics), physics, np.nan),
        modelled=np.zeros((1, 1)) if result.needs_s is None else or_zero(result.needs_s / read.pair.time_s),
        kept=np.ones((1, 1)) if result.kept is None else result.kept,
        kind=kinds_of_work(result, read.pair),
    )


def read_knowledge(pair: Pair, roofs_source: SecondsByResource) -> LawInputs:
    """Gather what is known of kernels and pairs of GPUs, without any forecast; (n, 1) or (1, m) each."""
    k = pair.k
    memory = [s for r, s in roofs_source.items() if r.is_memory]
    pipes = [s for r, s in roofs_source.items() if r.is_compute]
    bandwidth, fp32 = (log_supply(pair, r) for r in (Resource.BYTES_DRAM, Resource.FLOPS_FP32))
    int32 = log_supply(pair, Resource.OPS_INT32)
    both = [np.where(np.isnan(a), b, a) for a, b in ((bandwidth, fp32), (fp32, bandwidth), (int32, fp32))]
    seen = pair.table.column("host_floor_s")[:, None]
    host_s = np.where(np.isnan(seen), np.nan, np.maximum(pair.host_s, NO_HOST_S))
    floors = pair.conditions.launch_floor_s or (host_s, host_s)
    same = same_architecture(pair.source, pair.target)
    amd = pair.source.machines.codes("vendor") == code_of("AMD")
    return LawInputs(
        time_s=pair.time_s,
        share=slowest_share(roofs_source, pair.time_s),
        bytes_known=any_positive(memory, pair.time_s),
        flops_known=any_positive(pipes, pair.time_s),
        roofs=np.zeros((1, 1)),
        bandwidth=or_zero(both[0]),
        fp32=or_zero(both[1]),
        clock=or_zero(np.log(pair.source.machines.clock_hz / pair.target.machines.clock_hz)),
        int32=or_zero(both[2]),
        integer=states_integers(pair),
        same_architecture=same,
        other_code=vendors_differ(pair.source.machines, pair.target.machines) | (amd & ~same),
        kind=np.full((1, 1), ANY, np.int8),
        geometry=(k.block_threads > 0) | (k.grid_blocks > 0),
        physics=np.full((1, 1), np.nan),
        modelled=np.zeros((1, 1)),
        kept=np.ones((1, 1)),
        device_source_s=pair.source.floor_s,
        device_target_s=pair.target.floor_s,
        floor_source_s=np.atleast_2d(floors[0]),
        floor_target_s=np.atleast_2d(floors[1]),
        on_device=is_timed_on_device(pair.table)[:, None],
    )


def log_supply(pair: Pair, resource: Resource) -> FloatArray:
    """(n, m) ln of the source's supply over the target's; NaN where one is unknown."""
    return np.asarray(np.log(rate(pair.source.machines, resource) / rate(pair.target.machines, resource)))


def any_positive(seconds: list[FloatArray], like: FloatArray) -> NDArray[np.bool_]:
    """(n, 1) kernels that use at least one of several resources."""
    used = np.zeros(like.shape, np.bool_)
    for s in seconds:
        used = used | (s > 0)
    return used


def states_integers(pair: Pair) -> NDArray[np.bool_]:
    """(n, 1) work whose stated precision is an integer's."""
    stated = pair.table.strings("precision")
    known = {text: str(text).strip().lower().startswith(("int", "uint")) for text in set(stated.tolist())}
    return np.array([known[text] for text in stated.tolist()], np.bool_)[:, None]


def kinds_of_work(result: Result, pair: Pair) -> NDArray[np.int8]:
    """(n, 1) what was recognised (:mod:`roofcast.models.physics.law`)."""
    kind = np.full(len(pair.table), ANY, np.int8)
    rows = pair.operators
    if rows is not None:
        kind[rows.code >= 0] = OPERATOR
    if result.named is not None:
        kind[result.named] = NAMED
    return kind[:, None]


CAUSE = Cause(
    name="explained_share",
    sentence="without counters, what the roofs explain of the source time decides how much of it follows them",
    when="neither bytes, instructions nor stalls were counted",
    corrects="amounts that explain little of a time; short calls of a host",
    taught_by="22 public families, each left out in turn: mean 46 to 32 %, best naive ratio 48 (docs/accuracy.md)",
    acts=(at(OPERATORS, follow_explained_share),),
    properties=(Property.DRAM, Property.PIPES, Property.CLOCK, Property.FLOOR, Property.OTHER),
)
