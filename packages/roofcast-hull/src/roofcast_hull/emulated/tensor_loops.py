r"""Loops over the elements of a tensor, as a Triton kernel is written for rows: threads hold elements side by side.

Neighbours in memory are taken by vectors of up to 16 bytes, whichever way the written loops go over them, and loads of
all elements are under way together:

.. math:: i = \frac{a}{\max(1, \min(16 / s, e))}

i : 1, instructions of a warp. a : 1, its accesses element by element. s : B of an element. e : 1, elements of a thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast_hull.emulated.thread_state import Lanes, Nest, ThreadState
from roofcast_hull.emulated.traffic import SECTOR_BYTES, Counts

STAGES = 3
"""Turns of a Triton loop with products whose loads are under way together: ``num_stages`` where none is said."""
COMBINED_STEPS = 6.0
"""Loads from L1 that a sum over threads waits as long as: five shuffles in turn, and shared memory between warps."""
VECTOR_BYTES, LINE_BYTES = 16, 128
"""That a thread takes of neighbouring elements by one instruction, and a pass of L1."""


def is_of_elements(threads: ThreadState, node: Any) -> bool:
    """Whether a loop goes over elements; the loops of the Triton program itself have counters of turns."""
    items: Any = getattr(getattr(node, "init", None), "decls", None) or ()
    return threads.tensors and bool(items) and not str(items[0].name).startswith("turn")


def open_nest(threads: ThreadState, node: Any) -> Nest | None:
    """The nest that a loop begins; None inside of one, or where it goes over no elements."""
    if not is_of_elements(threads, node):
        return None
    if threads.nest is not None:
        threads.nest.innermost = False
        return None
    threads.nest = Nest(threads.weight)
    return threads.nest


def end_turn(nest: Nest, lanes: int, weight: float) -> None:
    """Count the elements of a turn."""
    if nest.innermost and nest.entered:
        nest.elements += lanes * weight / nest.entered
    nest.innermost = False


def take_element(
    nest: Nest,
    counts: Counts,
    array: str,
    at: NDArray[np.int64],
    size: int,
    on: Lanes,
    before: tuple[float, float, float, float],
) -> None:
    """Count an access to elements that lie side by side as threads make it that share them.

    before : accesses, sectors, passes of L1 and sectors uncoalesced without it.
    """
    last, nest.last[array] = nest.last.get(array), at
    along_lanes = int(np.ptp(at[on.mask])) < size * on.count
    if not along_lanes and (last is None or not bool((at - last == size)[on.mask].all())):
        return
    accesses = counts.accesses - before[0]
    nest.wide[size] += accesses
    counts.accesses, counts.sectors_uncoalesced = before[0], before[3]
    if not along_lanes:
        moved = accesses * size * on.count / max(1, on.warps)
        counts.sectors_l1, counts.wavefronts_l1 = before[1] + moved / SECTOR_BYTES, before[2] + moved / LINE_BYTES


def close_nest(threads: ThreadState, nest: Nest | None) -> None:
    """Count accesses to elements side by side."""
    if nest is None:
        return
    threads.nest = None
    held = nest.elements / max(1, threads.all.count)
    for size, accesses in nest.wide.items():
        threads.traffic.counts.accesses += accesses / max(1.0, min(VECTOR_BYTES / size, held))


def combines(node: Any) -> bool:
    """Whether a loop over elements makes one of them: threads then ask each other."""
    if str(node.init.decls[0].name).startswith("r"):
        return True
    items = node.stmt.block_items or () if type(node.stmt).__name__ == "Compound" else [node.stmt]
    sums = [x for x in items if type(x).__name__ == "Assignment" and type(x.lvalue).__name__ == "ID"]
    return any(x.op == "+=" or type(x.rvalue).__name__ == "FuncCall" for x in sums)
