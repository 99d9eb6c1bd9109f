"""Loops over tiles and over the elements of a tile as one loop over all elements."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from roofcast_hull.source.c_tree import find_names
from roofcast_hull.source.index_names import walk_nodes
from roofcast_hull.source.loop_facts import read_header
from roofcast_hull.source.numbers_of_loops import count_turns, evaluate

MOST_TILES = 4096
"""Tiles of a loop of which each is looked at."""


def join_tiles(chain: Sequence[Any], known: Mapping[str, int], ast: Any) -> Any:
    """The outermost of some loops that hold nothing but each other, those over tiles joined with those inside of them.

    ``for (ii = 0; ii < n; ii += 32) ... for (i = ii; i < min(ii + 32, n); i++)`` is ``for (i = 0; i < n; i++)`` where
    nothing else asks for ii: turns follow each other without gaps.
    """
    loops = list(chain)
    for outer in chain:
        inner = find_inside(outer, [loop for loop in loops if loop is not outer], chain)
        ends = measure_tiles(outer, inner, known, ast) if inner is not None else None
        if inner is None or ends is None:
            continue
        joined = write_loop(inner, *ends, known, ast)
        loops = [joined if loop is inner else loop for loop in loops if loop is not outer]
    if len(loops) == len(chain):
        return chain[0]
    statement = loops[-1]
    for loop, old in reversed(list(zip(loops[:-1], list_old(loops[:-1], chain), strict=True))):
        around = copy.copy(loop)
        around.stmt = wrap(old, chain, statement, ast)
        statement = around
    return statement


def list_old(loops: Sequence[Any], chain: Sequence[Any]) -> list[Any]:
    """The loop of a chain that each of some loops was, told by its body."""
    return [next(c for c in chain if c.stmt is loop.stmt) for loop in loops]


def wrap(old: Any, chain: Sequence[Any], statement: Any, ast: Any) -> Any:
    """What a loop of a chain holds beside the next one, with another loop in place of that."""
    following = chain[next(k for k, c in enumerate(chain) if c is old) + 1]
    items = [i for i in getattr(old.stmt, "block_items", None) or () if not any(n is following for n in walk_nodes(i))]
    return ast.Compound([*items, statement], old.coord)


def find_inside(outer: Any, loops: Sequence[Any], chain: Sequence[Any]) -> Any | None:
    """The one loop whose turns are those of a tile: it alone asks for the outer counter, where it begins and ends."""
    name = read_name(outer)
    if not name:
        return None
    places = [loop for loop in loops if loop.init is not None and name in find_names(loop.init)]
    if len(places) != 1:
        return None
    header = [places[0].init, places[0].cond]
    asked = sum(1 for part in header for n in walk_nodes(part) if type(n).__name__ == "ID" and n.name == name)
    total = sum(1 for n in walk_nodes(chain[0]) if type(n).__name__ == "ID" and n.name == name)
    mine = sum(
        1 for part in (outer.init, outer.cond, outer.next) for n in walk_nodes(part)
        if type(n).__name__ == "ID" and n.name == name
    )  # fmt: skip
    return places[0] if asked + mine == total else None


def read_name(loop: Any) -> str:
    """The counter that a loop declares or sets; '' for others."""
    decls = getattr(loop.init, "decls", None)
    if decls is not None:
        return str(decls[0].name) if len(decls) == 1 else ""
    return str(getattr(getattr(loop.init, "lvalue", None), "name", "") or "")


def measure_tiles(outer: Any, inner: Any, known: Mapping[str, int], ast: Any) -> tuple[int, int] | None:
    """(first, turns) of an inner loop over all tiles; None where these leave gaps, or are not known."""
    around, inside = read_header(outer, ast), read_header(inner, ast)
    if around is None or inside is None:
        return None
    tiles = count_turns(outer.cond, *around, known)
    first, by, step = evaluate(around[1], known), evaluate(around[2], known), evaluate(inside[2], known)
    if not tiles or tiles > MOST_TILES or first is None or by is None or not step:
        return None
    ends = list[tuple[int, int]]()
    for tile in range(tiles):
        at = {**known, around[0]: first + by * tile}
        start, turns = evaluate(inside[1], at), count_turns(inner.cond, *inside, at)
        if start is None or turns is None:
            return None
        ends.append((start, turns))
    if any(start + turns * step != following for (start, turns), (following, _) in pairwise(ends)):
        return None
    return ends[0][0], sum(turns for _, turns in ends)


def write_loop(inner: Any, first: int, turns: int, known: Mapping[str, int], ast: Any) -> Any:
    """An inner loop with the turns of all tiles."""
    header = read_header(inner, ast)
    assert header is not None
    name, _, step = header
    number = evaluate(step, known) or 1
    copied = copy.deepcopy(inner)
    copied.stmt = inner.stmt
    start = ast.Constant("int", str(first), inner.coord)
    if getattr(copied.init, "decls", None) is not None:
        copied.init.decls[0].init = start
    else:
        copied.init.rvalue = start
    last = ast.Constant("int", str(first + number * turns), inner.coord)
    copied.cond = ast.BinaryOp("<" if number > 0 else ">", ast.ID(name, inner.coord), last, inner.coord)
    return copied
