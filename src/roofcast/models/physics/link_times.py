r"""How long several GPUs of one node take to exchange data over their links.

.. math:: T = \frac{f_0}{f} c
    + \min_p \left( \frac{f_0}{f} (c_p + k \alpha_p) + \frac{(k + \kappa) V}{n \, e_p B} \right)

T : s. V : B, what nccl-tests prints as size: all-reduce, what a rank holds; all-gather, what it receives in all;
reduce-scatter and all-to-all, what it puts in. n : GPUs. k : 1, steps of the ring: 2 (n - 1) for all-reduce, n - 1 for
other collectives, 1 from one GPU to another. B : B/s of a GPU's link, per direction. kappa : steps, what the copy of a
rank's own part into its result costs beside the steps of the ring. p : protocol of the library: one that carries a flag
beside every word starts at once and wastes the link, one that waits for whole blocks fills it; the library takes the
quicker. c_p, alpha_p : s to begin and of a step, e_p : 1, share of B. c : s, the launch and the meeting of all.
f : Hz, clock of the SMs at its boost. f_0 : Hz, the geometric mean of the clocks of the GPUs that taught the times.

Where the switch adds (Hopper and later, eight GPUs and more), an all-reduce needs no ring:
:math:`T = (c + c_p) f_0 / f + x V / (0.98 B)` with x = 2 (n - 1) / n, if that is less.

Of n GPUs in k nodes (as few as hold them, alike: g = n / k in each) a collective runs within each node, and between the
nodes each GPU exchanges its part with its likes, at N, B/s of the network for each GPU and direction:

.. math:: T_n = T_g + s \frac{k - 1}{k} \frac{V}{g N}, \qquad
    T_g = T_{reduce-scatter}(V, g) + T_{all-gather}(V, g) \text{ of an all-reduce}

s : 1, twice for an all-reduce, else once. Of an all-to-all, V g / n stays within the node, V (1 - 1 / k) / N crosses;
from one GPU to another V / N. The latency of the network, some microseconds of a node, is not counted.

Reason: a step is made of instructions, fences and polls of memory, which take cycles, so that latency falls with the
clock: of 8 GPUs over 2, which leaves out the launch, a step takes 0.72 on H100 of what it takes on A100; the clocks'
ratio is 0.71. Ring algorithms send every byte at most twice over each link, whatever the GPU's SMs and memory do;
[Thakur2005]. Three protocols: documentation of NCCL (LL, LL128, Simple).
Taught by 1,854 times of NCCL on nodes of A100 and H100 with 2, 4 and 8 GPUs (``python tools/teach.py collectives``):
what one host teaches is 1.13 to 1.14 wrong on the other in the typical case, 1.09 to 1.10 from 16 MB. The same numbers
with another B hold over PCIe, which they have not seen: 1.11 to 1.24.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.timeline import Collective
from roofcast.formulas.values import Values


class Protocol(NamedTuple):
    """One way of a library to send."""

    start_s: float
    """c_p: s."""
    step_s: float
    """alpha_p: s."""
    share: float
    """e_p: 1."""


LL = Protocol(0.0, 0.82e-6, 0.0176)
LL128 = Protocol(2.1e-6, 0.75e-6, 0.356)
SIMPLE = Protocol(18e-6, 0.69e-6, 0.749)
"""Refitted on one host alone, shares move by 15 %, a step of ``LL`` by 17 %; of ``SIMPLE`` the start is 19 us (H100) or
25 us (A100), its step none or 1.7 us: the two are hardly told apart."""
OWN_STEPS = 0.38
"""kappa: 1. 0.36 on H100, 0.37 on A100."""
FLOOR_S = 6e-6
"""c: s. The H100 of the data have 4.6 us, the A100 7.9 us, which is the ratio of their clocks to 1.6."""
SWITCH_SHARE = 0.98
"""Share of the link's rate that the bus rate of an all-reduce reaches where the switch adds: 441 of 450 GB/s."""
CLOCK_HZ = 1.671e9
"""f_0: Hz. A100 (1.41 GHz) and H100 (1.98 GHz)."""
NODE_GPUS = 8
"""GPUs that share one switch, and what a group has whose size was not recorded."""


def steps_of(kind: Values, gpus: Values) -> FloatArray:
    """k: steps of the ring. kind : :class:`Collective`. gpus : n.

    >>> steps_of(Collective.ALL_REDUCE, 8).item(), steps_of(Collective.ALL_GATHER, 8).item()
    (14.0, 7.0)
    """
    kind, n = np.asarray(kind), np.asarray(gpus, np.float64)
    ring = np.where(kind == Collective.ALL_REDUCE, 2.0, 1.0) * (n - 1.0)
    return np.where(kind == Collective.POINT_TO_POINT, 1.0, ring)


def collective_s(
    kind: Values,
    volume: Values,
    gpus: Values,
    bytes_per_s: Values,
    adds: Values = 0.0,
    constants: tuple[Sequence[Protocol], float] = ((LL, LL128, SIMPLE), OWN_STEPS),
    floor_s: float = FLOOR_S,
    clock_hz: Values = CLOCK_HZ,
) -> tuple[FloatArray, FloatArray]:
    """S of a collective over the links of its GPUs, and the share of it that is bytes on a link; NaN without a size.

    All arguments broadcast. kind : :class:`Collective`. volume : B, V. gpus : n, NaN for a node's. bytes_per_s : B.
    adds : 1 where the switch adds, else 0. constants : p and kappa, for who refits them. floor_s : c.
    clock_hz : f, NaN for f_0.

    >>> time, wire = collective_s(Collective.ALL_REDUCE, 1e9, 4, 300e9)
    >>> float(time.round(5)), float(wire.round(2))   # 1.6 GB over 225 GB/s
    (0.00713, 1.0)
    >>> time, wire = collective_s(Collective.ALL_REDUCE, 4096, 4, 300e9)
    >>> float(time.round(6)), float(wire.round(2))
    (1.2e-05, 0.1)
    """
    n = np.where(np.asarray(gpus) > 1, gpus, float(NODE_GPUS))
    kind, volume = np.asarray(kind), np.asarray(volume)
    protocols, own_steps = constants
    k = steps_of(kind, n)
    slower = np.where(np.asarray(clock_hz) > 0, CLOCK_HZ / np.asarray(clock_hz), 1.0)
    sent = np.where(kind == Collective.POINT_TO_POINT, 1.0, (k + own_steps) / n) * volume / bytes_per_s
    time, wire = np.asarray(np.nan), np.asarray(np.nan)
    for p in protocols:
        here = slower * (p.start_s + k * p.step_s) + sent / p.share
        wire = np.where(here >= time, wire, sent / p.share)
        time = np.fmin(time, here)
    switched = (np.asarray(adds) > 0) & (kind == Collective.ALL_REDUCE) & (n >= NODE_GPUS)
    added = k / n * volume / bytes_per_s / SWITCH_SHARE
    start_s = slower * protocols[-1].start_s
    less = switched & (start_s + added < time)
    time, wire = np.where(less, start_s + added, time), np.where(less, added, wire)
    # What has no size has no time, although fmin would find one.
    total = slower * floor_s + time
    return total + 0.0 * volume, wire / total


def explain_volume(
    kind: Values, time_s: Values, gpus: Values, bytes_per_s: Values, adds: Values = 0.0, clock_hz: Values = CLOCK_HZ
) -> FloatArray:
    r"""V, B of a collective that takes so long over its links; 0 for a time that is latency alone.

    .. math:: V = \max_p \frac{n \, e_p B}{k + \kappa}
        \left(T - \frac{f_0}{f} (c + c_p + k \alpha_p)\right)^+

    The law is the least of lines that grow with V: its inverse is the most of theirs. What a rank waits for the others
    counts as bytes. All arguments broadcast, as those of :func:`collective_s`.

    >>> time, _ = collective_s(Collective.ALL_REDUCE, 1e9, 4, 300e9)
    >>> float(explain_volume(Collective.ALL_REDUCE, time, 4, 300e9).round(-3))
    1000000000.0
    """
    n = np.where(np.asarray(gpus) > 1, gpus, float(NODE_GPUS))
    kind = np.asarray(kind)
    k = steps_of(kind, n)
    slower = np.where(np.asarray(clock_hz) > 0, CLOCK_HZ / np.asarray(clock_hz), 1.0)
    left = np.asarray(time_s) - slower * FLOOR_S
    s_per_byte = np.where(kind == Collective.POINT_TO_POINT, 1.0, (k + OWN_STEPS) / n) / bytes_per_s
    volume = np.zeros(np.broadcast_shapes(left.shape, s_per_byte.shape))
    for p in (LL, LL128, SIMPLE):
        volume = np.maximum(volume, (left - slower * (p.start_s + k * p.step_s)) * p.share / s_per_byte)
    switched = (np.asarray(adds) > 0) & (kind == Collective.ALL_REDUCE) & (n >= NODE_GPUS)
    added = (left - slower * SIMPLE.start_s) * SWITCH_SHARE * bytes_per_s * n / k
    return np.where(switched, np.maximum(volume, added), volume)


def across_nodes_s(
    kind: Values,
    volume: Values,
    gpus: Values,
    node_gpus: Values,
    bytes_per_s: Values,
    network_bytes_per_s: Values,
    clock_hz: Values = CLOCK_HZ,
) -> tuple[FloatArray, FloatArray]:
    """T_n, s of a collective of more GPUs than share links, and the share of it that is bytes; NaN without a network.

    All arguments broadcast, as those of :func:`collective_s`. node_gpus : n, share links. network_bytes_per_s : N.

    >>> time, _ = across_nodes_s(Collective.ALL_REDUCE, 1e9, 64, 8, 450e9, 50e9)   # 5.4 ms within, 4.4 ms between
    >>> float(time.round(4))
    0.0099
    """
    kind, volume, n = np.asarray(kind), np.asarray(volume, np.float64), np.asarray(gpus, np.float64)
    rate = np.asarray(network_bytes_per_s, np.float64)
    k = np.ceil(n / np.asarray(node_gpus))
    g = n / k
    to_one, whole = kind == Collective.POINT_TO_POINT, kind == Collective.ALL_REDUCE
    exchanged = kind == Collective.ALL_TO_ALL
    inside = np.where(exchanged, volume * g / n, volume)
    parts = np.where(whole, Collective.REDUCE_SCATTER, kind), np.where(whole, Collective.ALL_GATHER, kind)
    time, wire = collective_s(parts[0], inside, g, bytes_per_s, clock_hz=clock_hz)
    again, wire_again = collective_s(parts[1], inside, g, bytes_per_s, clock_hz=clock_hz)
    # What one node holds of a collective is all there is where a node has one GPU, or one GPU sends to another.
    within_node = (g <= 1) | to_one
    total = np.where(within_node, 0.0, time + np.where(whole, again, 0.0))
    sent = np.where(within_node, 0.0, time * wire + np.where(whole, again * wire_again, 0.0))
    crossing = np.where(exchanged, volume * (1 - 1 / k), np.where(whole, 2.0, 1.0) * (k - 1) / k * volume / g)
    crossing = np.where(to_one, volume, crossing) / rate
    return total + crossing, (sent + crossing) / (total + crossing)
