r"""What several GPUs run together is limited by the links between them.

.. math:: \frac{T_t}{T_s} = \frac{T(V, n, B_t, f_t)}{T(V, n, B_s, f_s)}

T : s, the law of :mod:`roofcast.models.physics.link_times`. V : B, data of a rank, the larger of what goes in and
what comes out. n : GPUs. B : B/s of a GPU's links, per direction. f : Hz, clock of the SMs. Where V was not recorded,
half of the source's time is latency; where more than eight GPUs take part, a network is in the way that no GPU brings
along, and the time stays.

Reason: a library's ring sends every byte at most twice over each link, whatever the GPU's SMs and memory do.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Columns, Machines
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.core.timeline import Collective
from roofcast.formulas.values import Values
from roofcast.models.physics.cause import Cause, Subject, at
from roofcast.models.physics.library_times import replace_rows
from roofcast.models.physics.link_times import NODE_GPUS, collective_s
from roofcast.models.physics.stages import OPERATORS, ROOFS, Pair, PairRoofs, Result, Roofs, SecondsByResource

SPREAD_LEAST = 1.6
"""Factor between a time and the ends of its interval where no size says what of it is latency."""
SPREAD_LATENCY = 1.4
"""The same for a time that is latency: 90 % of the times of NCCL below 64 kB lie within 1.26 and 1.30 of what the other
host teaches, over PCIe, which taught nothing, within 1.36 to 1.45."""
SPREAD_WIRE = 1.3
"""The same for a time that is bytes on a link: 90 % of those from 16 MB lie within 1.25 and 1.32 of what the other host
teaches."""
SWITCH_ADDS = {"sm_90", "sm_100", "sm_103"}
"""Architectures whose modules hang on a switch that adds (NVLink SHARP, as published)."""

SLOT_RATE = 12e9
"""Where the catalog knows neither links between GPUs nor that to the host: PCIe 3.0 x16 as copies reach it."""

Side = tuple[Values, Values, Values]
"""B of a GPU's links, whether its switch adds, and its clock, Hz."""
KINDS = {kind.name.lower(): kind for kind in Collective if kind is not Collective.NONE}
"""Text of a table -> collective; another text is some other one."""


def module_rate(p: Columns) -> FloatArray:
    """B of links that the board brings along; NaN of cards in slots and where the catalog knows none.

    Whether a server's cards have their bridges is not known: their link is the slot.
    """
    return np.where(p.number("peer_bridge_gpus") > 0, np.nan, p.number("bytes_per_s_peer"))


def peer_rate(p: Columns) -> FloatArray:
    """B: bytes per second to another GPU of the node."""
    module, link = module_rate(p), p.supply(Resource.BYTES_HOST_LINK).per_s
    return np.where(np.isnan(module), np.where(link > 0, link, SLOT_RATE), module)


def switch_adds(p: Columns) -> FloatArray:
    """1 where the GPU's modules hang on a switch that adds, else 0."""
    adds = p.told("architecture", lambda architecture: architecture in SWITCH_ADDS) > 0
    return np.asarray(adds & ~np.isnan(module_rate(p)), np.float64)


def spread_of_links(wire: FloatArray, doubt: Values = 1.0) -> FloatArray:
    """Factor between a time and the ends of its interval.

    wire : 1, share of the time that is bytes on a link; NaN where no size says it. doubt : 1, factor either way by
    which the links' rate is not known.

    >>> spread_of_links(np.array([0.0, 1.0, np.nan])).tolist()
    [1.4, 1.3, 1.6]
    """
    spread = SPREAD_LATENCY ** (1.0 - wire) * (SPREAD_WIRE * np.asarray(doubt)) ** wire
    return np.where(np.isnan(spread), SPREAD_LEAST * np.asarray(doubt), spread)


def both_sides_s(
    kind: Values, volume: Values, gpus: Values, time_s: Values, sides: tuple[Side, Side]
) -> tuple[FloatArray, FloatArray, tuple[FloatArray, FloatArray]]:
    """S over the links of source and target: their ratio is that of the times; then the shares of bytes of both.

    time_s : s on the source. sides : B, whether the switch adds, and f, of both.
    """
    (here, wire_here), (there, wire) = (
        collective_s(kind, volume, gpus, rate, adds, clock_hz=clock) for rate, adds, clock in sides
    )
    half = np.asarray(time_s) * (0.5 * clock_ratio(sides) + 0.5 * np.asarray(sides[0][0]) / sides[1][0])
    unknown, large = np.isnan(volume), np.asarray(gpus) > NODE_GPUS
    here = np.where(unknown, time_s, here)
    found = np.where(large, here, np.where(unknown, half, there))
    told = unknown | large
    return here, found, (np.where(told, np.nan, wire_here), np.where(told, np.nan, wire))


def clock_ratio(sides: tuple[Side, Side]) -> FloatArray:
    """Seconds of latency on the target over those on the source; 1 where a clock is not known."""
    ratio = np.asarray(sides[0][2]) / np.asarray(sides[1][2])
    return np.where(ratio > 0, ratio, 1.0)


def doubt_tree(own: Machines, other: Machines, gpus: FloatArray) -> FloatArray:
    r"""Factor either way by which the rate between cards in slots is not known beside modules: :math:`\sqrt{2 n}`.

    n : 1, GPUs, three and more. The host's tree of PCIe decides, not the GPU: from all pairs at the link's rate to all
    GPUs through one link, by way of the host's memory. Two hosts of the same card: 20 GB/s with 8 GPUs, and 2.
    Between cards in slots the host is taken to stay. 1 where the own side has modules.
    """
    slots = np.isnan(own.gather(module_rate)) & ~np.isnan(other.gather(module_rate))
    n = np.where(gpus > 1, gpus, float(NODE_GPUS))
    return np.where(slots & (n > 2) & (n <= NODE_GPUS), np.sqrt(2.0 * n), 1.0)


def find_collectives(table: KernelTable) -> NDArray[np.intp]:
    """Rows that several GPUs run together."""
    return np.flatnonzero(table.strings("collective") != "") if "collective" in table.text else np.zeros(0, np.intp)


def links_s(pair: Pair, chosen: NDArray[np.intp]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """S of some collectives over the links of the source (r, 1) and of the targets (r, m), and their spread (r, m)."""
    table, part = pair.table, pair.rows(chosen)
    texts = table.strings("collective")[chosen]
    kind = np.array([KINDS.get(str(t).strip().lower(), Collective.OTHER) for t in texts])[:, None]
    volume, gpus = (table.column(name)[chosen][:, None] for name in ("bytes_collective", "gpus_collective"))
    (rate, adds, clock), (rate_there, adds_there, clock_there) = (
        (side.machines.gather(peer_rate), side.machines.gather(switch_adds), side.machines.gather("clock_hz_boost"))
        for side in (part.source, part.target)
    )
    here, there = part.source.machines, part.target.machines
    doubt, doubt_there = doubt_tree(here, there, gpus), doubt_tree(there, here, gpus)
    sides = (rate / doubt, adds, clock), (rate_there / doubt_there, adds_there, clock_there)
    here_s, there_s, (wire_here, wire) = both_sides_s(kind, volume, gpus, part.time_s, sides)
    # What nobody knows of the source's tree counts for as much of its time as was bytes.
    doubt = np.where(np.isnan(wire_here), doubt, doubt**wire_here)
    return here_s, there_s, spread_of_links(wire, doubt_there) * doubt


def take_links(roofs: Roofs, pair: Pair) -> Roofs:
    """Roofs: of collectives the links alone."""
    chosen = find_collectives(pair.table)
    if not len(chosen):
        return roofs
    seconds = links_s(pair, chosen)
    sides = zip((roofs.source, roofs.target), seconds[:2], strict=True)
    source, target = (links_alone(of, chosen, s, len(pair.table)) for of, s in sides)
    return replace(roofs, source=source, target=target)


def links_alone(roofs: SecondsByResource, chosen: NDArray[np.intp], links: FloatArray, n: int) -> SecondsByResource:
    """Seconds per resource of one side, of some of n kernels those over the links alone."""
    found = {resource: seconds.copy() for resource, seconds in roofs.items()}
    for seconds in found.values():
        seconds[chosen] = np.nan
    own = found.setdefault(Resource.BYTES_HOST_LINK, np.full((n, links.shape[1]), np.nan))
    own[chosen] = links
    return found


def follow_links(result: Result, read: PairRoofs) -> Result:
    """Forecasts, those of collectives by the links."""
    chosen = find_collectives(read.pair.table)
    if not len(chosen):
        return result
    here, there, spread = links_s(read.pair, chosen)
    linked = np.full((len(read.pair.table), there.shape[1]), np.nan)
    linked[chosen] = spread
    return replace(replace_rows(result, chosen, read.pair.time_s[chosen] * (there / here)), link_spread=linked)


CAUSE = Cause(
    name="collectives",
    sentence="what several GPUs run together is limited by the links between them",
    when="a trace or table names a collective",
    corrects="all-reduce and the like",
    taught_by="2,358 times of NCCL over NVLink and PCIe; published rates of NVLink and Infinity Fabric",
    acts=(at(ROOFS, take_links), at(OPERATORS, follow_links)),
    properties=(Property.DRAM, Property.OTHER),
    subject=Subject.COLLECTIVE,
)
