"""What copies and memory sets will take on another GPU: seconds over links, not over kernels' roofs.

A copy takes a fixed time and bytes over a rate. What it took on the source tells how much of it was which; only the
part that the link or memory limits changes with the GPU.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.timeline import Activities, Collective, HostMemory, Way, Work
from roofcast.models.physics.causes.collectives import SPREAD_LEAST, both_sides_s, links_of
from roofcast.models.physics.host_link import find_copy_factor, find_move_factors, known_ratio, share_bound_by_rate

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
    paging = np.isin(work.kind, (Work.MIGRATION, Work.FAULT))
    done = (work.kind != Work.KERNEL) & (work.kind != Work.GRAPH) & ~paging
    for device, processor in enumerate(source):
        mine = done & (work.device == device)
        if processor is None or not mine.any():
            continue
        same = processor.key == target.key
        for rows, factor, kind in factors(work, mine, processor, target):
            rate_bound = share_bound_by_rate(time[rows])
            time[rows] *= (1.0 - rate_bound) + rate_bound * factor
            staged = (kind == "link") & np.isin(work.memory[rows], (HostMemory.UNKNOWN, HostMemory.PAGEABLE))
            spread[rows] = 1.0 if same else np.where(staged, SPREAD["staged"], SPREAD[kind])
    low, high = time / spread, time * spread
    for device, processor in enumerate(source):
        rows = np.flatnonzero(paging & (work.device == device))
        if processor is not None and len(rows):
            recorded = work.duration_s[rows]
            moves = find_move_factors(processor, target, float(np.nansum(work.bytes[rows])), float(recorded.sum()))
            time[rows], low[rows], high[rows] = (recorded * f for f in (moves.middle, moves.low, moves.high))
    return Scaled(time, low, high)


def factors(
    work: Activities, mine: NDArray[np.bool_], source: Processor, target: Processor
) -> list[tuple[NDArray[np.intp], FloatArray, str]]:
    """Groups of rows, the factor on their rate-bound part, and what limits them."""
    host = (work.way == Way.HOST_TO_DEVICE) | (work.way == Way.DEVICE_TO_HOST)
    copies = mine & (work.kind == Work.COPY)
    groups = [
        (np.flatnonzero(copies & host), "link"),
        (np.flatnonzero(copies & (work.way == Way.PEER)), "peer"),
        (np.flatnonzero((copies & (work.way == Way.DEVICE_TO_DEVICE)) | (mine & (work.kind == Work.MEMSET))), "memory"),
    ]
    listed: list[tuple[NDArray[np.intp], FloatArray, str]] = []
    for rows, kind in groups:
        if not len(rows):
            continue
        if kind == "link":
            listed.append((rows, host_link_factor(work, rows, source, target), kind))
        elif kind == "memory":
            ratio = source.rate(Resource.BYTES_DRAM) / target.rate(Resource.BYTES_DRAM)
            listed.append((rows, np.full(len(rows), known_ratio(ratio)), kind))
        else:
            listed.append((rows, peer_factor(work, rows, source, target), kind))
    return listed


def host_link_factor(work: Activities, rows: NDArray[np.intp], source: Processor, target: Processor) -> FloatArray:
    """(n,) factor of copies between host and device."""
    staged = (work.memory[rows] == HostMemory.PAGEABLE) | (work.memory[rows] == HostMemory.MANAGED)
    return find_copy_factor(work.bytes[rows], work.duration_s[rows], staged, source, target)


def peer_factor(work: Activities, rows: NDArray[np.intp], source: Processor, target: Processor) -> FloatArray:
    """(n,) factor of copies between GPUs."""
    sides = links_of(source), links_of(target)
    here, there, _ = both_sides_s(Collective.POINT_TO_POINT, work.bytes[rows], 2.0, work.duration_s[rows], sides)
    return there / here
