r"""What several GPUs run together is limited by the links between them.

.. math:: \frac{T_t}{T_s} = \frac{T(V, n, B_t, f_t)}{T(V, n, B_s, f_s)}

T : s, the law of :mod:`roofcast.models.physics.link_times`. V : B, data of a rank, the larger of what goes in and
what comes out. n : GPUs. B : B/s of a GPU's links, per direction. f : Hz, clock of the SMs. Where V was not recorded,
it is what explains the source's time. Where nobody knows the tree of PCIe of the source's host, and the target's links
are known, the law of the target is its time: what the source took says more of its host. Where more GPUs take part
than share links, a network is in the way that no GPU brings along: what users state of the target's is its time, unless
the source's is stated too; where they state nothing, the time stays.

Reason: a library's ring sends every byte at most twice over each link, whatever the GPU's SMs and memory do.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Columns, Machines, columns_of
from roofcast.core.processor import Processor
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.core.timeline import Collective
from roofcast.formulas.values import Values
from roofcast.models.physics.cause import Cause, Subject, at
from roofcast.models.physics.library_times import replace_rows
from roofcast.models.physics.link_times import FLOOR_S, NODE_GPUS, across_nodes_s, collective_s, explain_volume
from roofcast.models.physics.stages import OPERATORS, ROOFS, Pair, PairRoofs, Result, Roofs

SPREAD_LEAST = 1.6
"""Factor between a time and the ends of its interval where no size says what of it is latency."""
SPREAD_LATENCY, SPREAD_LATENCY_SLOTS = 1.3, 1.45
"""The same for a time that is latency, between modules and between cards in slots: 90 % of the times of NCCL below
64 kB lie within 1.26 and 1.30 of what the other host teaches, over PCIe, which taught nothing, within 1.36 to 1.45."""
SPREAD_WIRE, SPREAD_WIRE_SLOTS = 1.3, 1.45
"""The same for a time that is bytes on a link; over PCIe, which taught nothing, as for latency. 90 % of those from 16
MB lie within 1.25 and 1.32 of what the other host teaches."""
SWITCH_ADDS = {"sm_90", "sm_100", "sm_103"}
"""Architectures whose modules hang on a switch that adds (NVLink SHARP, as published)."""

SOCKET_GPUS = 4
"""Cards that hang on one socket of a host with eight."""
SLOT_RATE = 12e9
"""Where the catalog knows neither links between GPUs nor that to the host: PCIe 3.0 x16 as copies reach it."""

KINDS = {kind.name.lower(): kind for kind in Collective if kind is not Collective.NONE}
"""Text of a table -> collective; another text is some other one."""


def module_rate(p: Columns) -> FloatArray:
    """B of links that the board brings along; NaN of cards in slots and where the catalog knows none.

    Whether a server's cards have their bridges is not known: their link is the slot.
    """
    return np.where(p.number("peer_bridge_gpus") > 0, np.nan, p.number("bytes_per_s_peer"))


def peer_rate(p: Columns) -> FloatArray:
    """B: bytes per second to another GPU of the node; of cards in slots as users state it, else the slot's own."""
    module, slot, link = module_rate(p), p.number("bytes_per_s_slot"), p.supply(Resource.BYTES_HOST_LINK).per_s
    of_card = np.where(np.isnan(slot), np.where(link > 0, link, SLOT_RATE), slot)
    return np.where(np.isnan(module), of_card, module)


def switch_adds(p: Columns) -> FloatArray:
    """1 where the GPU's modules hang on a switch that adds, else 0."""
    adds = p.told("architecture", lambda architecture: architecture in SWITCH_ADDS) > 0
    return np.asarray(adds & ~np.isnan(module_rate(p)), np.float64)


def hangs_in_slots(p: Columns) -> FloatArray:
    """1 where cards hang in slots, else 0."""
    return np.asarray(np.isnan(module_rate(p)), np.float64)


def has_unknown_tree(p: Columns) -> FloatArray:
    """1 where cards hang in slots of a host whose tree of PCIe nobody states, else 0."""
    silent = np.isnan(p.number("bytes_per_s_slot")) & np.isnan(p.number("slots_share_host"))
    return np.asarray(np.isnan(module_rate(p)) & silent, np.float64)


def shares_host(p: Columns) -> FloatArray:
    """1 where cards are said to exchange through the host's memory, else 0."""
    return np.asarray((p.number("slots_share_host") > 0) & np.isnan(module_rate(p)), np.float64)


def node_size(p: Columns) -> FloatArray:
    """GPUs that share links: as users state it, else those of one board."""
    stated = p.number("node_gpus")
    return np.where(np.isnan(stated), float(NODE_GPUS), stated)


def network_rate(p: Columns) -> FloatArray:
    """N: B/s of the network for each GPU; NaN where users do not state it."""
    return p.number("bytes_per_s_network")


class Links(NamedTuple):
    """What joins GPUs: arrays that broadcast, of one GPU or of a table's machines."""

    bytes_per_s: Values
    adds: Values
    """1 where their switch adds, else 0."""
    clock_hz: Values
    slots: Values
    """1 where cards hang in slots, else 0."""
    unknown_tree: Values
    """1 where cards hang in slots of a host whose tree nobody states, else 0."""
    through_host: Values
    """1 where cards exchange through the host's memory, as users say, else 0."""
    node_gpus: Values
    network_bytes_per_s: Values

    def shared(self, gpus: Values) -> FloatArray:
        """Return what one GPU gets of its slot where n of them exchange through the host's memory, as a divisor.

        n where three to four share the host's link; 2 n where more of them sit on two sockets, which the bytes cross.
        Reason: all bytes go to memory and back over one link. Of one host of L40S, which gives 20 GB/s of bus rate to
        two GPUs, that makes 5.0 to four and 1.2 to eight; 5.4 and 1.4 were measured.
        """
        gpus = np.asarray(gpus, np.float64)
        n = np.where(gpus > 1, gpus, float(NODE_GPUS))
        through = (np.asarray(self.through_host) > 0) & (n > 2)
        return np.where(through, np.where(n > SOCKET_GPUS, 2.0 * n, n), 1.0)

    def time_s(
        self, kind: Values, volume: Values, gpus: Values, *, floor_s: float = FLOOR_S
    ) -> tuple[FloatArray, FloatArray]:
        """S of a collective over them, and the share of it that is bytes; NaN beyond a node whose network is unknown.

        kind : :class:`Collective`. volume : B. gpus : n, NaN for a node's.
        """
        rate = np.asarray(self.bytes_per_s) / self.shared(gpus)
        near, wire = collective_s(kind, volume, gpus, rate, self.adds, floor_s=floor_s, clock_hz=self.clock_hz)
        beyond = np.asarray(gpus) > np.asarray(self.node_gpus)
        if not beyond.any():
            return near, wire
        far, far_wire = across_nodes_s(
            kind, volume, gpus, self.node_gpus, self.bytes_per_s, self.network_bytes_per_s, self.clock_hz
        )
        return np.where(beyond, far, near), np.where(beyond, far_wire, wire)

    def explain_volume(self, kind: Values, time_s: Values, gpus: Values) -> FloatArray:
        """B of a collective within a node that takes so long (:func:`explain_volume`)."""
        rate = np.asarray(self.bytes_per_s) / self.shared(gpus)
        return explain_volume(kind, time_s, gpus, rate, self.adds, self.clock_hz)

    def doubt(self, gpus: Values) -> FloatArray:
        r"""Factor either way by which the rate within the node is not known: :math:`\sqrt{2 n}` of an unknown tree.

        n : 1, GPUs, three and more. The host's tree of PCIe decides, not the GPU: from all pairs at the link's rate to
        all GPUs through one link, by way of the host's memory. Two hosts of the same card: 20 GB/s with 8 GPUs, and 2.
        """
        gpus = np.asarray(gpus, np.float64)
        n = np.where(gpus > 1, gpus, float(NODE_GPUS))
        unknown = (np.asarray(self.unknown_tree) > 0) & (n > 2) & (n <= NODE_GPUS)
        return np.where(unknown, np.sqrt(2.0 * n), 1.0)

    def at_middle(self, gpus: Values) -> Links:
        """The same with the rate halfway between both trees."""
        return self._replace(bytes_per_s=np.asarray(self.bytes_per_s) / self.doubt(gpus))


def boost_clock(p: Columns) -> FloatArray:
    """f: Hz."""
    return p.number("clock_hz_boost")


LINKS = (peer_rate, switch_adds, boost_clock, hangs_in_slots, has_unknown_tree, shares_host, node_size, network_rate)
"""What gives each field of :class:`Links`."""


def links_of(gpu: Processor) -> Links:
    """The links of one GPU, arrays of one."""
    return links_among(columns_of([gpu]))


def links_among(p: Columns) -> Links:
    """The links of p GPUs, (p,) each."""
    return Links(*(read(p) for read in LINKS))


def gather_links(machines: Machines) -> Links:
    """The links of each machine of a table, shape of the machines' index."""
    return Links(*(machines.gather(read) for read in LINKS))


def spread_of_links(wire: FloatArray, doubt: Values = 1.0, sized: Values = True, slots: Values = 0.0) -> FloatArray:
    """Factor between a time and the ends of its interval.

    wire : 1, share of the time that is bytes on a link; NaN where nobody knows. doubt : 1, factor either way by which
    the links' rate is not known. sized : whether the size was recorded; else waits may have been taken for bytes.
    slots : 1 where either side has cards in slots.

    >>> spread_of_links(np.array([0.0, 1.0, np.nan])).tolist()
    [1.3, 1.3, 1.6]
    """
    in_slots = np.asarray(slots) > 0
    latency = np.where(in_slots, SPREAD_LATENCY_SLOTS, SPREAD_LATENCY)
    bytes_ = np.where(in_slots, SPREAD_WIRE_SLOTS, SPREAD_WIRE)
    share = np.where(np.isnan(wire), 1.0, wire)
    least = np.where(np.isnan(wire) | ~np.asarray(sized), SPREAD_LEAST, latency ** (1.0 - share) * bytes_**share)
    return np.asarray(least * np.asarray(doubt) ** share, np.float64)


def both_sides_s(
    kind: Values, volume: Values, gpus: Values, time_s: Values, sides: tuple[Links, Links]
) -> tuple[FloatArray, FloatArray, tuple[FloatArray, FloatArray]]:
    """S over the links of source and target: their ratio is that of the times; then the shares of bytes of both.

    time_s : s on the source. sides : links of both.
    """
    here, there = sides
    large = np.asarray(gpus) > np.minimum(here.node_gpus, there.node_gpus)
    unknown = np.isnan(volume)
    volume = np.where(unknown & ~large, here.explain_volume(kind, time_s, gpus), volume)
    (here_s, wire_here), (there_s, wire) = (side.time_s(kind, volume, gpus) for side in sides)
    # Beyond a node the recorded time says nothing of another network, unless its own is known.
    as_here, strange = np.isnan(there_s), np.isnan(here_s)
    here_s = np.where(strange | as_here, time_s, here_s)
    target_s = np.where(as_here, here_s, there_s)
    return here_s, target_s, (np.where(strange | as_here, np.nan, wire_here), np.where(as_here, np.nan, wire))


def doubt_sides(here: Links, there: Links, gpus: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Factors either way by which the rates of source and target are not known.

    Between cards in slots the host is taken to stay: then its tree is in the source's time.
    """
    stays = (np.asarray(here.unknown_tree) > 0) & (np.asarray(there.unknown_tree) > 0)
    return np.where(stays, 1.0, here.doubt(gpus)), np.where(stays, 1.0, there.doubt(gpus))


def find_collectives(table: KernelTable) -> NDArray[np.intp]:
    """Rows that several GPUs run together."""
    return np.flatnonzero(table.strings("collective") != "") if "collective" in table.text else np.zeros(0, np.intp)


def links_s(pair: Pair, chosen: NDArray[np.intp]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """S of some collectives over the links of the source (r, 1) and of the targets (r, m), and their spread (r, m)."""
    table, part = pair.table, pair.rows(chosen)
    texts = table.strings("collective")[chosen]
    kind = np.array([KINDS.get(str(t).strip().lower(), Collective.OTHER) for t in texts])[:, None]
    volume, gpus = (table.column(name)[chosen][:, None] for name in ("bytes_collective", "gpus_collective"))
    here, there = gather_links(part.source.machines), gather_links(part.target.machines)
    doubt, doubt_there = doubt_sides(here, there, gpus)
    sides = (
        here._replace(bytes_per_s=here.bytes_per_s / doubt),
        there._replace(bytes_per_s=there.bytes_per_s / doubt_there),
    )
    here_s, there_s, (wire_here, wire) = both_sides_s(kind, volume, gpus, part.time_s, sides)
    sized = ~np.isnan(volume)
    # A tree that nobody knows says nothing of the target: the law alone does.
    law_only = sized & (doubt > doubt_there)
    here_s = np.where(law_only, part.time_s, here_s)
    doubt = np.where(sized, 1.0, doubt ** np.nan_to_num(wire_here, nan=1.0))
    # Beyond a node nothing of the source speaks for the target, and the latency of a network is not counted.
    strange = np.where(np.isnan(wire_here) & ~np.isnan(wire), SPREAD_LEAST, 1.0)
    spread = spread_of_links(wire, doubt_there, sized, np.maximum(here.slots, there.slots))
    return here_s, there_s, spread * doubt * strange


def take_links(roofs: Roofs, pair: Pair) -> Roofs:
    """Roofs: of collectives the links alone."""
    chosen = find_collectives(pair.table)
    if not len(chosen):
        return roofs
    n, sides = len(pair.table), links_s(pair, chosen)[:2]
    linked = np.isin(np.arange(n), chosen)[:, None]
    for resource in roofs.source:
        roofs = roofs.changed(resource, np.where(linked, np.nan, 1.0))
    here, there = (np.full((n, links.shape[1]), np.nan) for links in sides)
    here[chosen], there[chosen] = sides
    return roofs.put(Resource.BYTES_HOST_LINK, linked, here, linked, there)


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
