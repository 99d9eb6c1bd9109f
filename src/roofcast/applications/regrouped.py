r"""A run whose collectives join other counts of GPUs, behind what hid them when it was recorded.

.. math:: T_i' = T_i \\frac{T(V_i, m)}{T(V_i, n)}

T_i : s of collective i on the target, among n GPUs. T(V, n) : s by the law of the target's links
(:class:`roofcast.models.physics.causes.collectives.Links`). m : GPUs that are asked for; 1: nothing is exchanged. Only
collectives of all GPUs of the run change; groups within it (tensor parallelism) stay.

Reason: with data parallelism every GPU computes what it did, and exchanges as many bytes with more others. What hides
behind compute stays hidden as far as the framework's streams let it: the run is played again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from roofcast.catalog.nodes import gpus_sharing_links
from roofcast.core.kernel_table import FloatArray
from roofcast.core.processor import Processor
from roofcast.core.timeline import Activities, Collective
from roofcast.models.physics.causes.collectives import links_of
from roofcast.models.physics.link_times import NODE_GPUS


def time_regrouped(
    work: Activities,
    target: Processor,
    duration_s: FloatArray,
    counts: Sequence[int],
    answer: Callable[[FloatArray], float],
) -> dict[int, float]:
    """GPUs -> s of the answer; counts that need a network that nobody states are left out.

    duration_s : (n,) on the target. answer : seconds of what is asked, of durations.
    """
    rows = np.flatnonzero(work.collective != Collective.NONE)
    if not len(rows):
        return {}
    sizes = work.group_size[rows]
    whole = float(np.nanmax(sizes, initial=1.0))
    chosen = rows[~(sizes < whole)]
    kind, volume = work.collective[chosen].astype(np.float64), work.bytes[chosen]
    links = links_of(target)
    if target.node_gpus is None:
        links = links._replace(node_gpus=float(gpus_sharing_links(target, NODE_GPUS)))
    size = np.where(np.isnan(work.group_size[chosen]), whole, work.group_size[chosen])
    volume = np.where(np.isnan(volume), links.explain_volume(kind, duration_s[chosen], size), volume)
    here_s = links.at_middle(size).time_s(kind, volume, size)[0]
    by_count = {}
    for m in counts:
        seconds = duration_s.copy()
        if m > 1:
            group = np.full(len(chosen), float(m))
            seconds[chosen] *= links.at_middle(group).time_s(kind, volume, group)[0] / here_s
        else:
            seconds[rows] = 0.0
        if np.isfinite(seconds).all():
            by_count[m] = answer(seconds)
    return by_count
