r"""CUDA kernels that no class of the notation fits: a stand-in with the bytes and operations that running blocks count.

.. math:: U k b + U m b = V_r + V_w, \qquad k : m \approx V_r : V_w, \qquad c = \frac{N_{op}}{U k}

U : 1, threads of the launch, each a unit of the class ``(U k)|tile(k) -> (U m)|tile(m)``. k, m : 1, elements that
one takes and makes. b : B, of an element in the mean. V_r, V_w : B, distinct bytes that the launch reads and writes.
c : 1, complexity, operations for each element taken. Reason: hull and floors ask for bytes, operations and units alone.
Example: 2^20 threads that read 8 MB and write 4 MB are ``2097152|tile(2) -> 1048576|tile(1)`` of 4 B.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from roofcast.core.resource import Resource
from roofcast_hull.classes import count_all_applications
from roofcast_hull.emulated.kernel_text import open_kernel
from roofcast_hull.emulated.launch import emulate
from roofcast_hull.notation import parse_class
from roofcast_hull.source.found_class import Found
from roofcast_hull.source.nest import SourceError

WIDEST = 64
"""B of an element of the notation."""
ELEMENTS = {Resource.FLOPS_FP64: ("fp64", 8), Resource.FLOPS_FP32: ("fp32", 4), Resource.FLOPS_FP16: ("fp16", 2)}


def count_kernel(text: str, kernel: str, sizes: Mapping[str, int], why: str) -> Found:
    """What one launch of a kernel moves and computes, where it has no class.

    why : why it has none.

    Raises
    ------
    SourceError : it cannot be run either, or the file does not say its launch.
    """
    opened = open_kernel(text, kernel, sizes, None)
    if not opened.is_launched:
        raise SourceError("the file does not say its launch")
    amounts = emulate(
        opened.tree, opened.function, opened.sizes, opened.allocated, templates=opened.templates, filled=opened.filled
    )  # fmt: skip
    units = math.prod(opened.sizes.get(f"{n}.{a}", 1) for n in ("gridDim", "blockDim") for a in "xyz")
    operations = sum(amounts.flops.values())
    kind, size = ELEMENTS.get(
        max(amounts.flops, key=amounts.flops.__getitem__, default=Resource.FLOPS_FP32), ("fp32", 4)
    )
    pipes = tuple((r, n / operations) for r, n in amounts.flops.items() if n > 0) if operations else ()
    read, written = amounts.bytes_read, amounts.bytes_written
    if read + written <= 0:
        raise SourceError("it moves no bytes of memory")
    least = max(size, (read + written) / units / 2 / WIDEST)
    taken, given = (max(1, round(v / units / least)) for v in (read, written))
    algorithm = parse_class(f"{units * taken}|tile({taken}) -> {units * given}|tile({given})")
    applications = count_all_applications(algorithm)
    notes = (*opened.notes, *amounts.notes)
    if any("data decide" in n for n in notes):
        notes += ("what data decide happens always here: code that does less may be faster than this hull",)
    return Found(
        kernel, int(opened.function.coord.line), algorithm, operations / applications, operations, 1, kind,
        (read + written) / units / (taken + given), notes,
        "not checked: counted by running blocks of the launch itself", no_class=why, pipes=pipes,
    )  # fmt: skip
