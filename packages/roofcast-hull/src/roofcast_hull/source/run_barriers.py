"""Where a thread waits for the others of its block."""

from __future__ import annotations

from typing import Any

from roofcast_hull.source.exchanges import is_barrier
from roofcast_hull.source.run_check import Machine
from roofcast_hull.source.run_frames import LeaveError, Running

TOGETHER = ("__shfl", "__ballot", "__reduce", "__any", "__all", "__match", "__syncthreads_")
"""Beginnings of what a thread asks the others of its warp or block."""


def waits(node: Any) -> bool:
    """Whether a statement has a barrier inside."""
    return is_barrier(node) or any(waits(child) for _, child in node.children())


def goes_on(thread: Running, machine: Machine) -> bool:
    """Run a thread to its next barrier; whether it came to one."""
    machine.touched = set()
    try:
        next(thread)
    except (StopIteration, LeaveError):
        return False
    finally:
        machine.most_of_thread = max(machine.most_of_thread, len(machine.touched))
    return True
