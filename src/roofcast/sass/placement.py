"""From program counters to instructions: which function of a binary each counted address belongs to.

The driver loads every function on its own, so the addresses of one launch come in several runs: the kernel and each
separately linked subroutine. Newer reports record where each symbol was loaded; else a run is told by its length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.sass.cubin import INSTRUCTION_BYTES, Cubin, Function

Addresses = NDArray[np.uint64]
SMALL_GAP_BYTES = 128
"""Instructions that a profiler leaves out inside a function; functions are at least 128 bytes apart."""
NOP, BRANCH = 0x118, 0x147


@dataclass(frozen=True, slots=True)
class Placement:
    """Where counted addresses are: (n,) index into ``Cubin.functions`` and instruction number, -1 where unknown."""

    function: NDArray[np.intp]
    instruction: NDArray[np.intp]

    @property
    def is_complete(self) -> bool:
        """Whether every address has its instruction."""
        return bool(np.all(self.function >= 0))


def place(addresses: Addresses, cubin: Cubin, kernel: str, loaded_at: Mapping[str, int]) -> Placement:
    """Find the instruction of each address.

    addresses : (n,) program counters of one launch. kernel : its linker name.
    loaded_at : function -> address, as far as the report says.
    """
    by_symbol = place_by_symbols(addresses, cubin, loaded_at)
    return by_symbol if by_symbol.is_complete else place_by_length(addresses, cubin, kernel)


def place_by_symbols(addresses: Addresses, cubin: Cubin, loaded_at: Mapping[str, int]) -> Placement:
    """Placement by recorded load addresses."""
    function = np.full(len(addresses), -1, np.intp)
    instruction = np.full(len(addresses), -1, np.intp)
    for index, found in enumerate(cubin.functions):
        start = loaded_at.get(found.name)
        if start is None:
            continue
        inside = (addresses >= np.uint64(start)) & (addresses < np.uint64(start + len(found.code)))
        function[inside] = index
        instruction[inside] = (addresses[inside] - np.uint64(start)) // np.uint64(INSTRUCTION_BYTES)
    return Placement(function, instruction)


def place_by_length(addresses: Addresses, cubin: Cubin, kernel: str) -> Placement:
    """Placement of each run of addresses onto the function of the same length, the kernel's own first."""
    function = np.full(len(addresses), -1, np.intp)
    instruction = np.full(len(addresses), -1, np.intp)
    order = np.argsort(addresses, kind="stable")
    ordered = addresses[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - np.uint64(2**40)) > SMALL_GAP_BYTES)
    runs = [part for part in np.split(order, starts[1:] if len(starts) and starts[0] == 0 else starts) if len(part)]
    free = {i: used_instructions(f) for i, f in enumerate(cubin.functions)}
    reached = reached_from(cubin, kernel)
    for run in sorted(runs, key=len, reverse=True):
        numbers = (addresses[run] - addresses[run[0]]) // np.uint64(INSTRUCTION_BYTES)
        index = fitting(numbers.astype(np.int64), free, cubin, reached)
        if index is None:
            continue
        del free[index]
        function[run] = index
        instruction[run] = numbers
    return Placement(function, instruction)


def fitting(
    numbers: NDArray[np.int64], free: Mapping[int, int], cubin: Cubin, reached: Mapping[str, int]
) -> int | None:
    """The function that a run of instruction numbers belongs to; None where none has that length.

    Profilers leave out the branch to itself that ends a function, and sometimes the padding behind it.
    """
    span = int(numbers[-1]) + 1
    left_out = set(range(span)) - set(numbers.tolist())
    fits = [i for i, used in free.items() if used - 1 <= span <= cubin.functions[i].instruction_count]

    def rank(index: int) -> tuple[bool, int, bool, int]:
        found = cubin.functions[index]
        last = free[index] - 1
        explained = left_out == {last} if span > last else not left_out
        return (not explained, reached.get(found.name, 99), found.is_kernel, index)

    return min(fits, key=rank, default=None)


def reached_from(cubin: Cubin, kernel: str) -> dict[str, int]:
    """Function -> calls between it and the kernel (0 for the kernel itself), by the relocations of its code."""
    depth = {kernel: 0}
    front = [kernel]
    while front:
        found = cubin.function(front.pop())
        for name, _ in found.calls.values() if found else ():
            if name not in depth:
                depth[name] = depth[found.name] + 1 if found else 0
                front.append(name)
    return depth


def used_instructions(function: Function) -> int:
    """Instructions without the padding at the end (the branch to itself before it counts)."""
    words = np.frombuffer(function.code, "<u8").reshape(-1, 2)[:, 0] & np.uint64(0x1FF)
    used = np.flatnonzero(words != np.uint64(NOP))
    return int(used[-1]) + 1 if len(used) else 0
