"""What copies, memory sets and collectives will take on another GPU: seconds over links, not over kernels' roofs.

A copy takes a fixed time and bytes over a rate. What it took on the source tells how much of it was which; only the
part that the link or memory limits changes with the GPU.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.timeline import Activities, Collective, HostMemory, Way, Work

ALPHA_COPY_S = 1.2e-6
"""A copy of nothing on the device: the shortest copies in public traces take 0.9 to 2 us."""
ALPHA_STEP_S = 4e-6
"""One step of a ring between GPUs; NCCL's small-message times over NVLink are near this per step pair."""
PAGEABLE_SHARE = 0.6
"""Pageable copies are staged by the host: above this share of the link's rate the link counts, below it the host."""
SPREAD = {"link": 1.25, "memory": 1.15, "collective": 1.6, "staged": 3.5}
"""Factor between a time and the ends of its interval. Hosts and slots differ, and no public calibration exists: the
same pageable copy took 3.2 times as long beside one host as beside another, which is what ``staged`` holds."""
NODE_GPUS = 8
"""GPUs that share one switch; larger groups also cross a network, which no GPU brings along."""

PEER_RATES = {"sm_60": 80e9, "sm_70": 150e9, "sm_80": 300e9, "sm_90": 450e9, "sm_100": 900e9, "sm_103": 900e9,
              "gfx908": 46e9, "gfx90a": 200e9, "gfx942": 448e9, "gfx950": 538e9}  # fmt: skip
"""Bytes per second and direction between GPUs of one node, by architecture of data-centre modules (NVLink and Infinity
Fabric as published: half of the total that vendors print); cards in slots go over the host's link."""


@dataclass(frozen=True)
class Scaled:
    """(n,) seconds of work that is no kernel."""

    time_s: FloatArray
    low_s: FloatArray
    high_s: FloatArray


def scaled_links(
    work: Activities, source: list[Processor | None], target: Processor
) -> tuple[Scaled, NDArray[np.bool_]]:
    """Seconds on the target of everything that links and memory limit, and (n,) which work that is.

    source : per device of the timeline.
    """
    n = len(work)
    time = work.duration_s.copy()
    spread = np.ones(n)
    done = (work.kind != Work.KERNEL) & (work.kind != Work.GRAPH) | (work.collective != Collective.NONE)
    for device, processor in enumerate(source):
        mine = done & (work.device == device)
        if processor is None or not mine.any():
            continue
        same = processor.key == target.key
        for rows, factor, kind in factors(work, mine, processor, target):
            rate_bound = np.clip(1.0 - ALPHA_COPY_S / np.maximum(time[rows], 1e-12), 0.0, 1.0)
            time[rows] *= (1.0 - rate_bound) + rate_bound * factor
            staged = (kind == "link") & np.isin(work.memory[rows], (HostMemory.UNKNOWN, HostMemory.PAGEABLE))
            spread[rows] = 1.0 if same else np.where(staged, SPREAD["staged"], SPREAD[kind])
    return Scaled(time, time / spread, time * spread), done


def factors(
    work: Activities, mine: NDArray[np.bool_], source: Processor, target: Processor
) -> list[tuple[NDArray[np.intp], FloatArray, str]]:
    """Groups of rows, the factor on their rate-bound part, and what limits them."""
    host = (work.way == Way.HOST_TO_DEVICE) | (work.way == Way.DEVICE_TO_HOST)
    copies = mine & ((work.kind == Work.COPY) | (work.kind == Work.MIGRATION))
    collective = mine & (work.collective != Collective.NONE)
    groups = [
        (np.flatnonzero(copies & host), "link"),
        (np.flatnonzero(copies & (work.way == Way.PEER)), "collective"),
        (np.flatnonzero((copies & (work.way == Way.DEVICE_TO_DEVICE)) | (mine & (work.kind == Work.MEMSET))), "memory"),
        (np.flatnonzero(collective), "collective"),
    ]
    found: list[tuple[NDArray[np.intp], FloatArray, str]] = []
    for rows, kind in groups:
        if not len(rows):
            continue
        if kind == "link":
            found.append((rows, host_link_factor(work, rows, source, target), kind))
        elif kind == "memory":
            ratio = rate(source, Resource.BYTES_DRAM) / rate(target, Resource.BYTES_DRAM)
            found.append((rows, np.full(len(rows), known(ratio)), kind))
        else:
            found.append((rows, collective_factor(work, rows, source, target), kind))
    return found


def host_link_factor(work: Activities, rows: NDArray[np.intp], source: Processor, target: Processor) -> FloatArray:
    """(n,) factor of copies between host and device."""
    link_s, link_t = rate(source, Resource.BYTES_HOST_LINK), rate(target, Resource.BYTES_HOST_LINK)
    ratio = known(link_s / link_t)
    with np.errstate(divide="ignore", invalid="ignore"):
        reached = work.bytes[rows] / np.maximum(work.duration_s[rows] - ALPHA_COPY_S, 1e-12)
    share = np.nan_to_num(reached / link_s, nan=1.0, posinf=1.0)
    # What the host limits stays, unless the target's link is slower still than what was reached.
    staged = (work.memory[rows] == HostMemory.PAGEABLE) | (work.memory[rows] == HostMemory.MANAGED)
    limited = np.where(staged & (share < PAGEABLE_SHARE), np.maximum(1.0, np.nan_to_num(share) * ratio), ratio)
    return np.asarray(limited)


def collective_factor(work: Activities, rows: NDArray[np.intp], source: Processor, target: Processor) -> FloatArray:
    """(n,) factor of collectives and copies between GPUs, by the alpha-beta model of a ring."""
    size = np.where(work.group_size[rows] > 1, work.group_size[rows], NODE_GPUS)
    volume = work.bytes[rows]
    kind = work.collective[rows]
    steps = np.where(kind == Collective.ALL_REDUCE, 2.0, 1.0) * (size - 1.0)
    share = np.where(kind == Collective.NONE, 1.0, steps / size)
    steps = np.where((kind == Collective.NONE) | (kind == Collective.POINT_TO_POINT), 1.0, steps)
    peer_s, peer_t = peer_rate(source), peer_rate(target)
    with np.errstate(invalid="ignore"):
        before = steps * ALPHA_STEP_S + share * volume / peer_s
        after = steps * ALPHA_STEP_S + share * volume / peer_t
    # Without its size, half of a collective is taken for latency. Across nodes the network stays what it was.
    factor = np.where(np.isnan(volume), 0.5 + 0.5 * peer_s / peer_t, after / before)
    return np.asarray(np.where(size > NODE_GPUS, 1.0, np.nan_to_num(factor, nan=1.0)))


def peer_rate(processor: Processor) -> float:
    """Bytes per second to another GPU of the node."""
    link = rate(processor, Resource.BYTES_HOST_LINK)
    module = PEER_RATES.get(processor.architecture)
    if module is not None and processor.segment == "datacentre" and "PCIE" not in processor.name.upper():
        return module
    return link if link > 0 else 12e9


def rate(processor: Processor, resource: Resource) -> float:
    """Supply per second; NaN where the catalog knows none."""
    return processor.rate(resource)


def known(ratio: float) -> float:
    """A ratio of rates; 1 where one of them is unknown."""
    return ratio if 0 < ratio < float("inf") else 1.0
