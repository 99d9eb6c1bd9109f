r"""What several GPUs run together is limited by the links between them.

.. math:: \frac{T_t}{T_s} = \frac{k \alpha + x V / B_t}{k \alpha + x V / B_s}

V : B, data of a rank, the larger of what goes in and what comes out. n : GPUs. k : 1, steps of the ring: 2 (n - 1) for
all-reduce, n - 1 for other collectives, 1 from one GPU to another. x : 1, share of V that a link carries: k / n, 1 from
one GPU to another. alpha : s of a step. B : B/s of a GPU's links, per direction. Where V was not recorded, half of the
source's time is latency; where more than eight GPUs take part, a network is in the way that no GPU brings along, and
the time stays.

Reason: ring algorithms send every byte at most twice over each link, whatever the GPU's SMs and memory do; R. Thakur,
R. Rabenseifner, W. Gropp, Int. J. of High Performance Computing Applications 19 (2005) 49.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Columns
from roofcast.core.resource import Resource
from roofcast.core.timeline import Collective
from roofcast.core.waterfall import Cause as Step
from roofcast.formulas.values import Values
from roofcast.models.physics.cause import Cause, Subject, at
from roofcast.models.physics.library_times import replace_rows
from roofcast.models.physics.stages import OPERATORS, ROOFS, Forecast, Pair, Result, Roofs, SecondsByResource

ALPHA_STEP_S = 4e-6
"""One step of a ring between GPUs; NCCL's small-message times over NVLink are near this per step pair."""
NODE_GPUS = 8
"""GPUs that share one switch, and what a group has whose size was not recorded."""
SPREAD_LEAST = 1.6
"""Factor between a time and the ends of its interval, at least: no public pair of machines calibrates it."""

PEER_RATES = {"sm_60": 80e9, "sm_70": 150e9, "sm_80": 300e9, "sm_90": 450e9, "sm_100": 900e9, "sm_103": 900e9,
              "gfx908": 46e9, "gfx90a": 200e9, "gfx942": 448e9, "gfx950": 538e9}  # fmt: skip
"""Bytes per second and direction between GPUs of one node, by architecture of data-centre modules (NVLink and Infinity
Fabric as published: half of the total that vendors print); cards in slots go over the host's link."""
SLOT_RATE = 12e9
"""Where the catalog does not know that link: PCIe 3.0 x16 as copies reach it."""

KINDS = {kind.name.lower(): kind for kind in Collective if kind is not Collective.NONE}
"""Text of a table -> collective; another text is some other one."""


def peer_rate(p: Columns) -> FloatArray:
    """B: bytes per second to another GPU of the node."""
    module = p.told("architecture", lambda architecture: PEER_RATES.get(architecture, np.nan))
    in_slot = (p.told("segment", lambda segment: segment != "datacentre") > 0) | (
        p.told("name", lambda name: "PCIE" in name.upper()) > 0
    )
    link = p.supply(Resource.BYTES_HOST_LINK).per_s
    return np.where(in_slot | np.isnan(module), np.where(link > 0, link, SLOT_RATE), module)


def ring_s(kind: Values, volume: Values, gpus: Values, bytes_per_s: Values) -> FloatArray:
    """S of a collective over the links of its GPUs; NaN where its size is not known.

    kind : :class:`Collective`. volume : B, V. gpus : n, NaN for a node's. bytes_per_s : B.

    >>> float(ring_s(Collective.ALL_REDUCE, 1e9, 4, 300e9).round(6))   # 6 steps, 1.5 GB
    0.005024
    """
    n = np.where(np.asarray(gpus) > 1, gpus, float(NODE_GPUS))
    kind = np.asarray(kind)
    direct = kind == Collective.POINT_TO_POINT
    steps = np.where(direct, 1.0, np.where(kind == Collective.ALL_REDUCE, 2.0, 1.0) * (n - 1.0))
    share = np.where(direct, 1.0, steps / n)
    return np.asarray(steps * ALPHA_STEP_S + share * np.asarray(volume) / bytes_per_s)


def both_sides_s(
    kind: Values, volume: Values, gpus: Values, time_s: Values, rates: tuple[Values, Values]
) -> tuple[FloatArray, FloatArray]:
    """S over the links of source and target: their ratio is that of the times.

    time_s : s on the source. rates : B of both.
    """
    here, there = (ring_s(kind, volume, gpus, rate) for rate in rates)
    half = np.asarray(time_s) * (0.5 + 0.5 * np.asarray(rates[0]) / rates[1])
    unknown = np.isnan(volume)
    here = np.where(unknown, time_s, here)
    return here, np.where(np.asarray(gpus) > NODE_GPUS, here, np.where(unknown, half, there))


def find_collectives(table: KernelTable) -> NDArray[np.intp]:
    """Rows that several GPUs run together."""
    return np.flatnonzero(table.strings("collective") != "") if "collective" in table.text else np.zeros(0, np.intp)


def links_s(pair: Pair, chosen: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
    """S of some collectives over the links of the source (r, 1) and of the targets (r, m)."""
    table, part = pair.table, pair.rows(chosen)
    texts = table.strings("collective")[chosen]
    kind = np.array([KINDS.get(str(t).strip().lower(), Collective.OTHER) for t in texts])[:, None]
    volume, gpus = (table.column(name)[chosen][:, None] for name in ("bytes_collective", "gpus_collective"))
    source, target = (side.machines.gather(peer_rate) for side in (part.source, part.target))
    return both_sides_s(kind, volume, gpus, part.time_s, (source, target))


def take_links(roofs: Roofs, pair: Pair) -> Roofs:
    """Roofs: of collectives the links alone."""
    chosen = find_collectives(pair.table)
    if not len(chosen):
        return roofs
    seconds = links_s(pair, chosen)
    source, target = (
        links_alone(of, chosen, s, len(pair.table)) for of, s in zip((roofs.source, roofs.target), seconds, strict=True)
    )
    return replace(roofs, source=source, target=target)


def links_alone(roofs: SecondsByResource, chosen: NDArray[np.intp], links: FloatArray, n: int) -> SecondsByResource:
    """Seconds per resource of one side, of some of n kernels those over the links alone."""
    found = {resource: seconds.copy() for resource, seconds in roofs.items()}
    for seconds in found.values():
        seconds[chosen] = np.nan
    own = found.setdefault(Resource.BYTES_HOST_LINK, np.full((n, links.shape[1]), np.nan))
    own[chosen] = links
    return found


def follow_links(result: Result, read: Forecast) -> Result:
    """Forecasts, those of collectives by the links."""
    chosen = find_collectives(read.pair.table)
    if not len(chosen):
        return result
    here, there = links_s(read.pair, chosen)
    linked = np.zeros(len(read.pair.table), np.bool_)
    linked[chosen] = True
    return replace(replace_rows(result, chosen, read.pair.time_s[chosen] * (there / here)), linked=linked)


CAUSE = Cause(
    name="collectives",
    sentence="what several GPUs run together is limited by the links between them",
    when="a trace or table names a collective",
    corrects="all-reduce and the like",
    taught_by="published rates of NVLink and Infinity Fabric; no public pair of machines to check it on",
    acts=(at(ROOFS, take_links), at(OPERATORS, follow_links)),
    steps=(Step.DRAM, Step.OTHER),
    subject=Subject.COLLECTIVE,
)
