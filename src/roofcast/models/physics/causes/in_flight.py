r"""Little's law: few threads do not fill a fast DRAM.

.. math:: \tau' = \left(\tau_{DRAM}^r + \Big(\frac{V L}{N b}\Big)^r\right)^{1/r}, \qquad
    b = \max\Big(\frac{V L_s}{N_s T_s \, x_s}, \; b_0\Big), \qquad
    x_s = \mathrm{clip}\Big(\big((T_s / \tau_s)^r - 1\big)^{1/r}, x_0, x_1\Big)

tau' : s, DRAM with requests in flight. V : B read. L : s, an access to idle DRAM. N : threads that the GPU holds at a
time, as registers and shared memory leave room. b : B that a thread asks for at a time; b_0 : ``in_flight_bytes``. x_s
: 1, seconds of the requests over those of the bus on the source, by the norm's own inverse: where the source came to
its bus's rate its requests were no limit, and what they could fill is not seen; x_0 : ``in_flight_full``, x_1 :
``in_flight_most``. r : ``in_flight_norm``. The target's seconds take the ratio of tau' / tau between the sides, at
least 1, to the power of

.. math:: u = \mathrm{clip}\left(\frac{\tau_s / T_s - 0.5}{0.8 - 0.5}, 0, 1\right)

Reason: bandwidth is bytes in flight over latency (Little's law). The source shows how much a thread asks for only where
the bus, and not the requests in flight, may have been its limit; where the bus was full it shows a lower bound alone.
Writes do not wait.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.properties import Property
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.formulas.values import Values, or_zero
from roofcast.models.physics.cause import Cause, Constant, Constants, at
from roofcast.models.physics.kernel_inputs import Kernels
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import DRAM, Pair, Roofs, rows_of

DRAM_BUSY, DRAM_FULL = 0.5, 0.8
"""Share of DRAM's rate on the source from which its bus, and not the requests in flight, may have been the limit."""


def limit_bytes_in_flight(roofs: Roofs, pair: Pair) -> Roofs:
    """Roofs with the DRAM seconds of what the threads can ask for at a time."""
    key, k, c = Resource.BYTES_DRAM, pair.k, pair.c
    if key not in roofs.source or not (stated := (k.bytes_counted > 0) & (k.grid_blocks > 0)).any():
        return roofs
    busy = or_zero(busy_share(roofs.source[key], pair))
    # (n, m) where one side lacks a rate: no row is of one target alone.
    rows = np.flatnonzero(((busy > 0) & stated).any(axis=1))
    if not len(rows):
        return roofs
    # Of most kernels the bus was surely not the limit.
    n, there = len(busy), roofs.target[key]
    busy, execution, here = (rows_of(v, rows, n) for v in (busy, pair.execution_s, roofs.source[key]))
    with quietly():
        asked = pair.once("in flight", lambda: ask_threads(pair, rows, execution, here))
        starved = 1.0 + np.power(asked.target_s / there[rows], c.in_flight_norm)
        factor = np.maximum(starved / asked.starved_source, 1.0) ** (busy / c.in_flight_norm)
        factor = factor if asked.known.all() else np.where(asked.known, factor, 1.0)
        limited = np.array(np.broadcast_to(there, (n, max(there.shape[1], factor.shape[1]))))
        limited[rows] *= factor
    return replace(roofs, target=roofs.target | {key: limited})


@dataclass(frozen=True)
class Asked:
    """What the threads of r kernels ask of DRAM at a time."""

    target_s: FloatArray
    """(r, m) s in which the target's threads can ask for all bytes."""
    starved_source: FloatArray
    """(r, 1) 1, how many times longer than its bus the source took, in powers of the norm."""
    known: NDArray[np.bool_]
    """(r, m) where both sides have latencies and blocks."""


def ask_threads(pair: Pair, rows: NDArray[np.intp], execution: FloatArray, here: FloatArray) -> Asked:
    """What no cache moves of it. execution, here : (r, 1) s on the source, and of its DRAM roof."""
    single = [seconds_one_at_a_time(pair.k, side, rows) for side in (pair.source, pair.target)]
    thread_bytes = bytes_of_a_thread(single[0], execution, here, pair.c)
    starved = 1.0 + np.power(single[0] / thread_bytes / here, pair.c.in_flight_norm)
    return Asked(single[1] / thread_bytes, starved, (single[0] > 0) & (single[1] > 0))


def seconds_one_at_a_time(k: Kernels, side: Side, rows: NDArray[np.intp]) -> FloatArray:
    """V L / N: s for the bytes read if each thread of some kernels asks for one byte at a time. rows : (r,)."""
    n = len(k.time_s)

    def of(values: FloatArray) -> FloatArray:
        return rows_of(values, rows, n)

    read = k.amounts.get(Resource.BYTES_DRAM)[rows] * (1.0 - or_zero(k.amounts.bytes_dram_write_fraction)[rows])
    blocks = np.fmin(of(side.blocks_per_sm) * of(side.sm_count), k.grid_blocks[rows])
    near = side.machines.gather("latency_cycles_l2")
    far = side.machines.gather("latency_cycles_dram")
    # DRAM itself keeps its own time; the catalog's cycles are those of a boost clock.
    boost = side.machines.gather("clock_hz_boost")
    latency = of(near / side.machines.clock_hz + (far - near) / boost)
    return (read[:, None] / k.block_threads[rows]) * latency / blocks


def bytes_of_a_thread(single_s: FloatArray, execution_s: FloatArray, dram_s: FloatArray, c: Constants) -> FloatArray:
    """b: (n, 1) B that a thread asks for at a time. Of the source, s: a byte at a time, executing, of its DRAM roof."""
    return np.fmax(single_s / execution_s / starved_share(execution_s / dram_s, c), c.in_flight_bytes)


def starved_share(slowdown: Values, c: Constants) -> FloatArray:
    r"""x_s: seconds of the requests over the bus's, if nothing but both made the source slower than its bus.

    slowdown : (...) 1. T_s / tau_s.

    >>> from roofcast.models.physics.constants import PRIOR
    >>> starved_share(np.array([0.97, 1.05, 1.5]), PRIOR).round(2).tolist()
    [0.3, 0.68, 0.83]
    """
    r = c.in_flight_norm
    seen = np.power(np.power(np.fmax(slowdown, 1.0), r) - 1.0, 1.0 / r)
    return np.clip(seen, c.in_flight_full, c.in_flight_most)


def busy_share(dram_s: FloatArray, pair: Pair) -> FloatArray:
    """u: (n, 1) how surely the bus was the source's limit. dram_s : (n, 1) s of its DRAM roof."""
    return np.asarray(np.clip((dram_s / pair.execution_s - DRAM_BUSY) / (DRAM_FULL - DRAM_BUSY), 0.0, 1.0))


CAUSE = Cause(
    name="in_flight",
    sentence="Little's law: few threads do not fill a fast DRAM",
    when="DRAM bytes were counted, grid and latencies are known, the source used over half of its DRAM",
    corrects="bandwidth-bound kernels of few threads",
    taught_by="hecbench_ncu 13.8 / 8.0 to 13.4 / 7.7 %",
    acts=(at(DRAM, limit_bytes_in_flight),),
    properties=(Property.DRAM, Property.SMS, Property.LATENCY),
    constants=(
        Constant("in_flight_bytes", 8.0, 2.0, 40.0, "bytes that a thread asks of DRAM at a time: two loads of 4"),
        Constant("in_flight_most", 0.83, 0.3, 1.0, "seconds of the requests over the bus's on the source, at most"),
        Constant("in_flight_norm", 4.0, 1.2, 8.0, "p of the norm of bus and requests in flight"),
        Constant("in_flight_full", 0.3, 0.1, 0.8, "the same where the source's bus was full, which shows no more"),
    ),
)
