"""What copies and memory sets will take on another GPU: seconds over links, not over kernels' roofs.

A copy takes a fixed time and bytes over a rate. What it took on the source tells how much of it was which; only the
part that the link or memory limits changes with the GPU.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import columns_of
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.timeline import Activities, Collective, HostMemory, Way, Work
from roofcast.models.physics.causes.collectives import SPREAD_LEAST, both_sides_s, peer_rate

ALPHA_COPY_S = 1.2e-6
"""A copy of nothing on the device: the shortest copies in public traces take 0.9 to 2 us."""
PAGEABLE_SHARE = 0.6
"""Pageable copies are staged by the host: above this share of the link's rate the link counts, below it the host."""
SPREAD = {"link": 1.25, "memory": 1.15, "peer": SPREAD_LEAST, "staged": 3.5}
"""Factor between a time and the ends of its interval. Hosts and slots differ, and no public calibration exists: the
same pageable copy took 3.2 times as long beside one host as beside another, which is what ``staged`` holds."""


@dataclass(frozen=True)
class Scaled:
    """(n,) seconds of work that is no kernel."""

    time_s: FloatArray
    low_s: FloatArray
    high_s: FloatArray


def scaled_links(work: Activities, source: list[Processor | None], target: Processor) -> Scaled:
    """Seconds on the target of everything that links and memory limit; of kernels those that were recorded.

    source : per device of the timeline.
    """
    n = len(work)
    time = work.duration_s.copy()
    spread = np.ones(n)
    done = (work.kind != Work.KERNEL) & (work.kind != Work.GRAPH)
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
    return Scaled(time, time / spread, time * spread)


def factors(
    work: Activities, mine: NDArray[np.bool_], source: Processor, target: Processor
) -> list[tuple[NDArray[np.intp], FloatArray, str]]:
    """Groups of rows, the factor on their rate-bound part, and what limits them."""
    host = (work.way == Way.HOST_TO_DEVICE) | (work.way == Way.DEVICE_TO_HOST)
    copies = mine & ((work.kind == Work.COPY) | (work.kind == Work.MIGRATION))
    groups = [
        (np.flatnonzero(copies & host), "link"),
        (np.flatnonzero(copies & (work.way == Way.PEER)), "peer"),
        (np.flatnonzero((copies & (work.way == Way.DEVICE_TO_DEVICE)) | (mine & (work.kind == Work.MEMSET))), "memory"),
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
            found.append((rows, peer_factor(work, rows, source, target), kind))
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


def peer_factor(work: Activities, rows: NDArray[np.intp], source: Processor, target: Processor) -> FloatArray:
    """(n,) factor of copies between GPUs."""
    here_per_s, there_per_s = peer_rate(columns_of([source, target])).tolist()
    rates = here_per_s, there_per_s
    here, there = both_sides_s(Collective.POINT_TO_POINT, work.bytes[rows], 2.0, work.duration_s[rows], rates)
    return there / here


def rate(processor: Processor, resource: Resource) -> float:
    """Supply per second; NaN where the catalog knows none."""
    return processor.rate(resource)


def known(ratio: float) -> float:
    """A ratio of rates; 1 where one of them is unknown."""
    return ratio if 0 < ratio < float("inf") else 1.0
