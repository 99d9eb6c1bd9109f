"""A function run at given sizes: all threads of a launch, barrier by barrier, or the function alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from roofcast_hull.source.c_declarations import collect_structures
from roofcast_hull.source.c_tree import find_calls
from roofcast_hull.source.run_arithmetic import find_number
from roofcast_hull.source.run_barriers import TOGETHER, goes_on
from roofcast_hull.source.run_c import Code
from roofcast_hull.source.run_check import Machine, StopError
from roofcast_hull.source.run_frames import Frame, LeaveError, Running, Slot

LARGEST_BLOCK = 4096
"""Threads of a block that is run: GPUs have 1024 at most."""
SAMPLED = 4
"""Threads that run where few do."""


def run_function(
    tree: Any, function: Any, functions: Mapping[str, Any], sizes: Mapping[str, int], launch: Mapping[str, int] | None,
    *, sampled: bool = False, machine: Machine,
) -> Machine:  # fmt: skip
    """What a function does at given sizes, for every thread of a launch where it is a kernel, or for a few.

    sampled : whether of a launch a few threads alone run. machine : with nothing in its memory.
    """
    frame = Frame(machine, Code(functions), sizes)
    declare_file(frame, tree, sizes)
    for parameter in getattr(function.decl.type.args, "params", None) or ():
        if type(parameter).__name__ == "Decl" and parameter.name:
            frame.code.declare(parameter, given=True)(frame)
    try:
        if launch is not None:
            run_kernel(frame, function, launch, sampled=sampled)
        else:
            frame.code.statement(function.body)(frame)
    except LeaveError:
        pass
    except (RecursionError, OverflowError, ValueError, KeyError, AttributeError, TypeError, IndexError) as error:
        # Whatever a tree holds that these few pages do not know.
        raise StopError(f"{type(error).__name__} while it ran") from error
    return machine


def declare_file(frame: Frame, tree: Any, sizes: Mapping[str, int]) -> None:
    """What stands outside of functions; constants of the file are sizes, which may have other values here."""
    frame.code.rows = find_rows(frame, tree)
    for item in tree.ext:
        kind = type(item.type).__name__ if type(item).__name__ == "Decl" else ""
        if kind not in ("TypeDecl", "ArrayDecl", "PtrDecl") or (kind == "TypeDecl" and str(item.name) in sizes):
            continue
        frame.code.declare(item, given=True)(frame)
        if item.init is not None and kind == "TypeDecl":
            frame.names[str(item.name)] = frame.code.expression(item.init)(frame)


def find_rows(frame: Frame, tree: Any) -> dict[str, tuple[int, ...]]:
    """Sizes of members that are arrays, where no structure has another member of the same name."""
    declared: dict[str, set[tuple[int, ...]]] = {}
    for members in collect_structures(tree).values():
        for member in members:
            dims, kind = [], member.type
            while type(kind).__name__ == "ArrayDecl" and kind.dim is not None:
                dims.append(int(find_number(frame.code.expression(kind.dim)(frame)).number))
                kind = kind.type
            declared.setdefault(str(member.name), set()).add(tuple(dims) if type(kind).__name__ == "TypeDecl" else ())
    return {name: next(iter(sizes)) for name, sizes in declared.items() if len(sizes) == 1 and all(sizes)}


def run_kernel(given: Frame, function: Any, grid: Mapping[str, int], *, sampled: bool = False) -> None:
    """All threads of a launch, block by block, barrier by barrier.

    grid : gridDim and blockDim along each axis. sampled : only threads amid the block amid the grid, away from borders.
    """
    counts = {f"{kind}.{a}": grid.get(f"{kind}.{a}", 1) for kind in ("gridDim", "blockDim") for a in "xyz"}
    machine, code = given.machine, given.code
    bodies = [function.body, *(f.body for f in code.functions.values())]
    together = any(name.startswith(TOGETHER) for body in bodies for name in find_calls(body))
    block_count, thread_count = (math.prod(counts[f"{k}.{a}"] for a in "xyz") for k in ("gridDim", "blockDim"))
    middle, half, most = (block_count // 2, thread_count // 2, SAMPLED) if sampled else (0, 0, LARGEST_BLOCK)
    if thread_count > LARGEST_BLOCK:
        raise StopError(f"blocks of {thread_count} threads")
    start = code.steps_of(function.body)
    every = list(list_indices(counts, "blockDim", "threadIdx", half, most))
    for block in list_indices(counts, "gridDim", "blockIdx", middle, 1 if sampled else block_count):
        threads: list[Running] = []
        shared: dict[str, Slot] = {}
        for thread in every:
            frame = Frame(machine, code, {**given.sizes, **counts, **block, **thread}, shared)
            frame.names = dict(given.names)
            threads.append(start(frame))
        waiting = [t for t in threads if goes_on(t, machine)]
        together |= bool(waiting)
        while waiting:
            waiting = [t for t in waiting if goes_on(t, machine)]
    machine.touched = None
    if together:
        machine.most_of_thread = 0


def list_indices(counts: Mapping[str, int], of: str, name: str, first: int, most: int) -> Iterator[dict[str, int]]:
    """Values of the three indices, from one place of their order on; a grid may have billions."""
    width, height, depth = (counts[f"{of}.{axis}"] for axis in "xyz")
    for at in range(first, min(first + most, width * height * depth)):
        yield {f"{name}.x": at % width, f"{name}.y": at // width % height, f"{name}.z": at // (width * height)}
