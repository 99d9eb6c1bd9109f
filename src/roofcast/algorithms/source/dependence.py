"""Which loops of a group can run in parallel, and which must run one step after the other."""

from __future__ import annotations

from roofcast.algorithms.source.nest import Access, Loop, extreme


def conflict(write: Access, read: Access, loops: tuple[Loop, ...], fixed: frozenset[str]) -> list[str]:
    """Variables over which iterations depend on each other because of one read of the written array.

    loops : all loops around either access, outermost first.
    fixed : variables that already run one step after the other; constants here.

    Empty where there is no dependence: the element read is the one written, is never written, or is written later
    (reading its old value, as a copy would).
    """
    if len(write.indices) != len(read.indices):
        return [loop.name for loop in loops if loop.name not in fixed]
    steps = [r - w for r, w in zip(read.indices, write.indices, strict=True)]
    if all(not s.factors and s.constant == 0 for s in steps):
        return []
    if any(disjoint(write, read, d, loops, fixed) for d in range(len(steps))):
        return []
    if all(only_later(write, d, steps[d], loops) for d in range(len(steps)) if steps[d].factors or steps[d].constant):
        return []
    found: set[str] = set()
    for step, write_index, read_index in zip(steps, write.indices, read.indices, strict=True):
        if step.factors or step.constant:
            found |= (write_index.variables | read_index.variables) - fixed
    slices = [
        r for s, w, r in zip(steps, write.indices, read.indices, strict=True)
        if (s.factors or s.constant) and r.variables <= fixed and w.variables - fixed
    ]  # fmt: skip
    if slices:
        # A row or column that one step of an outer loop picks: taken to be from before that step.
        return []
    return [loop.name for loop in loops if loop.name in found]


def disjoint(write: Access, read: Access, at: int, loops: tuple[Loop, ...], fixed: frozenset[str]) -> bool:
    """Whether no iteration writes what is read, by the ranges of one index."""
    low_w, high_w = (extreme(write.indices[at], loops, big, fixed) for big in (False, True))
    low_r, high_r = (extreme(read.indices[at], loops, big, fixed) for big in (False, True))
    above, below = low_w - high_r, low_r - high_w
    for gap in (above, below):
        least = extreme(gap, loops, False)
        if not least.variables and least.constant > 0:
            return True
    return False


def only_later(write: Access, at: int, step: object, loops: tuple[Loop, ...]) -> bool:
    """Whether the element read always lies ahead in the order of the loop that writes this dimension."""
    from roofcast.algorithms.source.nest import Affine

    assert isinstance(step, Affine)
    owner = [loop for loop in loops if loop.name in write.indices[at].variables]
    if not owner:
        return False
    ahead = step.times(-1) if owner[0].descends else step
    least = extreme(ahead, loops, False)
    return not least.variables and least.constant > 0
