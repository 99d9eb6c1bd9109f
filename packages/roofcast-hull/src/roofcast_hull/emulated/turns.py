r"""Loops of emulated threads: all turns where they are few, else some of them, each for many.

After three turns, what whole numbers and addresses gained in the last two is asked. Where both gains agree a later turn
starts from

.. math:: x(t) = x(3) + (t - 3) \cdot (x(3) - x(2))

x(t) : what a variable holds before turn t. The condition, tried at such states, says how many turns there are; windows
of turns then run, each after a few that warm L1 and count nothing, and count for all turns between them.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from roofcast_hull.emulated.device_memory import DATA, EVEN, UNSAID, Address, Number
from roofcast_hull.emulated.lane_arithmetic import truth
from roofcast_hull.emulated.tensor_loops import (
    COMBINED_STEPS,
    STAGES,
    close_nest,
    combines,
    end_turn,
    is_of_elements,
    open_nest,
)
from roofcast_hull.emulated.thread_state import ENDED, Lanes, Loop, ThreadState, line_of, make_lanes
from roofcast_hull.source.nest import refuse

SEEN = 3
"""Turns that are run before others are left out."""
MOST = 1500
"""Statements of one loop that run without leaving turns out."""
WINDOWS = ((3, 32, 4), (3, 8, 2), (1, 4, 1), (1, 2, 1))
"""Windows of turns, turns of each, and turns before that warm L1; the first that fits. 32 turns of neighbouring
elements touch whole sectors."""
UNROLLED = 4
"""Turns of a loop that compilers overlap where nothing forbids it: no store, no barrier, no loop inside, and a step
that they know. A grid's stride (``i += blockDim.x * gridDim.x``) they do not: each turn waits for its loads."""
UNROLLED_WHOLE, TOGETHER = 32, 8
"""Turns of a loop that goes away, where a compiler knows how many there are; loads that are under way together."""
LONGEST = 1 << 40
"""Turns of a loop beyond which it counts as endless."""


def run_loop(  # noqa: C901
    threads: ThreadState, node: Any, cond: Any, body: Any, following: Any, *, first: bool = False
) -> None:
    """Run a loop to its end. first : whether the first turn asks no condition.

    Raises
    ------
    SourceError : data decide how often it runs.
    """
    outside = threads.frame.loops[-1] if threads.frame.loops else None
    outer = outside.steps if outside else threads.traffic.counts.steps
    if not is_of_elements(threads, node):
        threads.flush()
    loop, nest = Loop(turns=True, asked=find_words(cond) if cond is not None else set()), open_nest(threads, node)
    frame, entry = threads.frame, threads.on
    frame.loops.append(loop)
    live, turn, states = entry, 0, list[dict[str, Any]]()
    weight, watch = threads.weight, threads.watch_loop((cond, body, following))
    while True:
        threads.on = live
        if watch is not None:
            watch.begin()
        if not (first and turn == 0):
            live = restrict(threads, cond, live)
        if not live.count:
            break
        before = threads.statements
        live = run_turn(threads, loop, live, body, following)
        turn += 1
        if not live.count:
            break
        if cond is not None and (turn <= SEEN or (watch is not None and watch.asks)):
            states.append(take_state(threads, cond))
        if watch is not None:
            turn += watch.end(live, states[-SEEN:], threads.statements - before)
        if cond is not None and turn == SEEN:
            rest = leap_over(threads, loop, (cond, body, following), live, states, threads.statements - before)
            if rest is not None:
                turn += rest
                break
    threads.weight = weight
    if watch is not None:
        watch.close()
    frame.loops.pop()
    close_nest(threads, nest)
    add_steps(threads, loop, (cond, body, following), turn, outer, node)
    left = frame.left
    threads.merge(entry, entry.mask & ~left if left is not None else entry.mask)


def leap_over(
    threads: ThreadState, loop: Loop, parts: tuple[Any, Any, Any], live: Lanes, states: list[dict[str, Any]], cost: int
) -> int | None:
    """How many turns were left out, where they are many; None where they are not."""
    tells = not threads.exact and (cost * 64 > MOST or not threads.silent)
    rest = count_rest(threads, parts[0], live, states) if tells else None
    if rest is None or rest * cost <= MOST or not leap(threads, loop, parts, live, states, rest, cost):
        return None
    return rest


def add_steps(
    threads: ThreadState, loop: Loop, parts: tuple[Any, Any, Any], turn: int, outer: dict[Any, float], node: Any
) -> None:
    """Add the loads of a loop that threads wait for in turn to those of what is outside of it. turn : how many ran."""
    outside = threads.frame.loops[-1] if threads.frame.loops else None
    cond, body, following = parts
    whole = turn <= UNROLLED_WHOLE and not loop.rolled and is_counted(threads, cond, following)
    if outside is not None:
        outside.rolled |= not whole
    if threads.tensors:
        elements = is_of_elements(threads, node)
        overlap = float(max(1, turn)) if elements else float(STAGES) if loop.multiplies else 1.0
        if elements and turn and combines(node):
            outer[False, frozenset[str]()] += threads.weight * COMBINED_STEPS
    else:
        known = is_steady(threads, cond, body, following)
        threads.traffic.counts.turns_rolled += 0.0 if whole or known else loop.taken
        free = not loop.waits and (threads.restricted or not loop.stores) and not is_chain(threads, body)
        steady = free and not loop.rolled and known
        overlap = float(min(turn, TOGETHER if whole else UNROLLED)) if turn and ((free and whole) or steady) else 1.0
    for key, value in loop.steps.items():
        outer[key] += value / overlap


def is_chain(threads: ThreadState, body: Any) -> bool:
    """Whether a turn's addresses wait for what the turn before loaded: ``p = next[p]``."""
    given, asked = set[str](), set[str]()

    def walk(node: Any) -> None:
        kind = type(node).__name__
        if kind == "Assignment" and type(node.lvalue).__name__ == "ID":
            given.add(str(node.lvalue.name))
        elif kind == "ArrayRef":
            asked.update(find_words(node.subscript))
        for _, child in node.children():
            walk(child)

    walk(body)
    held = (threads.find(name) for name in given & asked)
    return any(h is not None and isinstance(h.value, Number) and h.value.data == DATA for h in held)


def is_counted(threads: ThreadState, cond: Any, following: Any) -> bool:
    """Whether a compiler knows how many turns a loop takes: from bound and step; its start is taken to be known."""
    bounds = [c for _, c in cond.children()] if type(cond).__name__ == "BinaryOp" else []
    return bool(bounds) and threads.is_known(bounds[-1]) and following is not None and is_step_known(threads, following)


def is_steady(threads: ThreadState, cond: Any, body: Any, following: Any) -> bool:
    """Whether a compiler knows by how much a loop's variable grows; without a step of its own, all that grow in it."""
    if following is not None:
        asked = find_words(cond) if cond is not None else set()
        parts = following.exprs if type(following).__name__ == "ExprList" else [following]
        of_condition = [p for p in parts if find_words(p) & asked] or parts
        return all(is_step_known(threads, p) for p in of_condition)
    steps: list[Any] = []

    def walk(node: Any) -> None:
        if type(node).__name__ == "Assignment" and node.op in ("+=", "-=") and type(node.lvalue).__name__ == "ID":
            held = threads.find(str(node.lvalue.name))
            if held is not None and isinstance(held.value, Number) and not held.value.t.real:
                steps.append(node)
        for _, child in node.children():
            walk(child)

    walk(body)
    return bool(steps) and all(is_step_known(threads, s) for s in steps)


def is_step_known(threads: ThreadState, node: Any) -> bool:
    """Whether the step of a loop is a number that a compiler knows."""
    kind = type(node).__name__
    if kind == "UnaryOp":
        return True
    if kind != "Assignment":
        return False
    value = node.rvalue
    if node.op == "=" and type(value).__name__ == "BinaryOp":
        value = value.right if type(value.left).__name__ == "ID" else value.left
    return threads.is_known(value)


def run_turn(threads: ThreadState, loop: Loop, live: Lanes, body: Any, following: Any) -> Lanes:
    """One turn; the lanes that may take another."""
    threads.on = live
    threads.traffic.counts.turns += threads.weight * live.warps
    loop.taken += threads.weight * live.warps
    if threads.nest is not None:
        threads.nest.innermost = True
    threads.run(body)
    if threads.nest is not None:
        # Loads of several tensors are under way together, until a turn of the program ends.
        end_turn(threads.nest, live.count, threads.weight)
    else:
        threads.end_turn()
    mask = threads.on.mask
    if loop.waiting is not None:
        mask, loop.waiting = mask | loop.waiting, None
    threads.merge(live, mask)
    after = threads.on
    if after.count and following is not None:
        threads.evaluate(following)
    return after


def restrict(threads: ThreadState, cond: Any, live: Lanes) -> Lanes:
    """Lanes for which a loop goes on."""
    if cond is None:
        return live
    wanted = ask(threads, cond)
    if not isinstance(wanted, np.ndarray):
        return live if wanted else threads.none
    mask = live.mask & wanted
    return live if (mask == live.mask).all() else make_lanes(mask)


def ask(threads: ThreadState, cond: Any) -> Any:
    """A loop's condition; of one that data decide in part, the part that they do not.

    Raises
    ------
    SourceError : data decide it.
    """
    condition = threads.number(cond)
    threads.note_asked(condition)
    if condition.data == EVEN:
        threads.tell(cond, "rows are taken to be equally long")
    if condition.data < DATA:
        return truth(condition.v)
    if type(cond).__name__ == "BinaryOp" and cond.op == "&&":
        known = []
        for part in (cond.left, cond.right):
            value = threads.number(part)
            if value.data < DATA:
                known.append(truth(value.v))
        if known:
            threads.tell(cond, f"the loop {ENDED}: counted to its other bound")
            return known[0] if len(known) == 1 else known[0] & known[1]
    if condition.data == UNSAID:
        threads.refuse_unsaid(cond)
    if type(cond).__name__ == "BinaryOp" and cond.op in ("<", "<=", ">", ">=", "!=") and threads.on.count > 1:
        # From a start that data choose, as far for all lanes: the distance itself is no data.
        left, right = threads.number(cond.left), threads.number(cond.right)
        apart = np.broadcast_to(np.asarray(right.v - left.v), (threads.lanes,))[threads.on.mask]
        if left.data == right.data == DATA and (apart == apart[0]).all():
            return bool(np.broadcast_to(np.asarray(truth(condition.v)), (threads.lanes,))[threads.on.mask][0])
    raise refuse(line_of(cond), "data decide how often this loop runs")


def take_state(threads: ThreadState, cond: Any) -> dict[str, Any]:
    """Whole numbers and addresses that the function holds, and the real numbers that a loop's condition asks for."""
    state: dict[str, Any] = {}
    asked = find_words(cond)
    for name, held in threads.frame.names.items():
        value = held.value
        if isinstance(value, Number) and value.data < DATA:
            # What nothing was stored in holds no number.
            state |= {name: value.v} if value.v is not None and (not value.t.real or name in asked) else {}
        elif isinstance(value, Address) and value.data < DATA:
            state[name] = value.at
    return state


def find_gains(states: list[dict[str, Any]]) -> dict[str, Any]:
    """What each variable gains in a turn; without those whose gains differ."""
    first, two, three = states
    gains = {}
    for name, last in three.items():
        if name not in first or name not in two or is_truth(last):
            continue
        gain = last - two[name]
        if np.array_equal(
            np.broadcast_to(gain, np.shape(last)), np.broadcast_to(two[name] - first[name], np.shape(last))
        ):
            gains[name] = gain
    return gains


def is_truth(value: Any) -> bool:
    """Whether a value is no number."""
    return isinstance(value, (bool, np.bool_)) or (isinstance(value, np.ndarray) and value.dtype == bool)


def go_to(threads: ThreadState, state: dict[str, Any], gains: dict[str, Any], turns: int) -> None:
    """Let variables hold what they hold some turns later."""
    for name, gain in gains.items():
        held = threads.frame.names.get(name)
        if held is None:
            continue
        value, at = held.value, state[name] + gain * turns
        if isinstance(value, Number):
            held.value = Number(at, value.t, value.data, value.step)
        elif isinstance(value, Address):
            held.value = Address(value.memory, at, value.t, value.dims, value.data)


def count_rest(
    threads: ThreadState, cond: Any, live: Lanes, states: list[dict[str, Any]], *, every: bool = False
) -> int | None:
    """Turns that are left, for the lane with most of them; None where that cannot be told.

    every : for that with fewest.
    """
    gains, last = find_gains(states), states[-1]
    names = find_words(cond)
    if any(n in last and n not in gains for n in names) or not any(np.any(gains.get(n, 0)) for n in names):
        return None
    loaded, notes = dict(threads.loaded), dict(threads.notes)

    def holds(turns: int) -> bool:
        go_to(threads, last, gains, turns)
        threads.on = live
        return restrict(threads, cond, live).count >= (live.count if every else 1)

    threads.silent, before = True, threads.traffic.counts.flops
    threads.traffic.counts.flops = defaultdict(float)
    try:
        high = 1
        while holds(high) and high < LONGEST:
            high *= 2
        low = high // 2
        if not holds(0):
            return 0
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if holds(middle) else (low, middle)
        return None if high >= LONGEST else high
    finally:
        threads.silent, threads.traffic.counts.flops = False, before
        threads.loaded, threads.notes = loaded, notes
        go_to(threads, last, gains, 0)
        threads.on = live


def find_words(node: Any) -> set[str]:
    """Names in an expression."""
    names = {str(node.name)} if type(node).__name__ == "ID" else set[str]()
    return names.union(*(find_words(child) for _, child in node.children()))


def leap(
    threads: ThreadState, loop: Loop, parts: tuple[Any, Any, Any], live: Lanes, states: list[dict[str, Any]], rest: int,
    cost: int,
) -> bool:  # fmt: skip
    """Run windows of the turns that are left, for all of them; whether there were enough to leave some out."""
    cond, body, following = parts
    room = MOST / max(1, cost)
    many, size, warm = next((w for w in WINDOWS if w[0] * (w[1] + w[2]) <= room), WINDOWS[-1])
    if rest <= many * (size + warm):
        return False
    gains, last, weight = find_gains(states), states[-1], threads.weight
    for k in range(many):
        middle = int(rest * (k + 0.5) / many)
        start = max(warm, (SEEN + middle - size // 2) // size * size - SEEN)
        start = min(start, rest - size)
        go_to(threads, last, gains, start - warm)
        now, filled = live, threads.traffic.filled
        for turn in range(-warm, size):
            threads.weight = 0.0 if turn < 0 else weight * rest / (many * size)
            threads.on = now
            now = restrict(threads, cond, now)
            if not now.count:
                break
            now = run_turn(threads, loop, now, body, following)
            if not now.count:
                break
        # What the turns between would have brought into L1.
        threads.traffic.filled += int((rest / (many * size) - 1.0) * (threads.traffic.filled - filled))
    if threads.ends:
        go_to(threads, last, gains, rest - 1)
        threads.weight = 0.0
        run_turn(threads, loop, restrict(threads, cond, live), body, None)
    threads.weight, threads.leapt = weight, True
    go_to(threads, last, gains, rest)
    return True
