"""Clocks that one access or operation takes, and seconds that an empty launch takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from roofcast_measure.ceilings.bench import BLOCK, MOST_ROUNDS, Bench, Ceiling, summary
from roofcast_measure.ceilings.memory import array_bytes
from roofcast_measure.driver import Buffer, Launch
from roofcast_measure.timing import SERVICE

STEPS = 16
"""Per round of a chase."""
LINE_WORDS = 16
"""8-byte words of a line of 128 bytes."""
ROUNDS = 64
"""Rounds of a chase that is timed."""
LINES = 512
"""Lines of L2 whose latency is taken one by one."""
LINE_STRIDE = 4096 // 8 + LINE_WORDS
"""Words between the lines whose latency is taken one by one: other pages, other slices."""
APART = 0.06
"""Two partitions of the L2 show when their clocks differ by more than this share."""
BATCH = 256
"""Empty launches at once."""
QUEUEING_S = 0.02
"""A host queues that many launches in less."""


def ring(bench: Bench, buffer: Buffer, following: NDArray[np.int32], stride: int) -> None:
    """Link the places of a buffer by their addresses."""
    with bench.memory(following.nbytes) as (table,):
        bench.driver.upload(table, following)
        arguments = (("", buffer), ("", table), ("i32", len(following)), ("i32", stride))
        bench.once(Launch(bench.kernel("latency", "build"), (bench.grid,), (BLOCK,), arguments))


def random_ring(lines: int) -> NDArray[np.int32]:
    """One cycle through all lines in an order that no prefetcher knows."""
    order = np.random.default_rng(7).permutation(lines).astype(np.int32)
    following = np.empty(lines, np.int32)
    following[order] = np.roll(order, -1)
    return following


def chase(bench: Bench, quantity: str, kernel: str, size: int, method: str) -> Ceiling:
    """Clocks per dependent load in a ring of a size; each repetition goes on where the last one stopped."""
    lines = max(2, size // (8 * LINE_WORDS))
    counted = np.zeros(2, np.int64)
    with bench.memory(lines * 8 * LINE_WORDS, 16) as (buffer, result):
        ring(bench, buffer, random_ring(lines), LINE_WORDS)
        loaded = bench.kernel("latency", kernel)

        def walk(start: int, rounds: int) -> Launch:
            return Launch(loaded, (1,), (1,), (("", buffer), ("i32", start), ("i32", rounds), ("", result)))

        if lines <= ROUNDS * STEPS * 32:
            bench.once(walk(0, -(-lines // STEPS)))
        at, clocks = 0, []
        for _ in range(bench.effort.repetitions):
            bench.once(walk(at, ROUNDS))
            bench.driver.download(result, counted)
            clocks.append(float(counted[0]) / (ROUNDS * STEPS))
            at = int(counted[1])
    return summary(quantity, clocks, method, bench.aside())


def chained(bench: Bench, quantity: str, kernel: str, arguments: Sequence[tuple[str, object]], method: str) -> Ceiling:
    """Clocks per step of a kernel that needs no ring."""
    counted = np.zeros(2, np.int64)
    with bench.memory(16) as (result,):
        launch = Launch(bench.kernel("latency", kernel), (1,), (1,), (*arguments, ("i32", ROUNDS), ("", result)))
        clocks = []
        for _ in range(bench.effort.repetitions + 1):
            bench.once(launch)
            bench.driver.download(result, counted)
            clocks.append(float(counted[0]) / (ROUNDS * STEPS))
    return summary(quantity, clocks[1:], method, bench.aside())


def l1(bench: Bench) -> Ceiling:
    """A ring of 4 KiB."""
    return chase(bench, "latency_cycles:l1", "chase_ca", 4096, "pointer chase in 4 KiB")


def l2(bench: Bench) -> Ceiling:
    """A ring well within L2, past L1."""
    size = min(bench.driver.info.capacity_bytes_l2 // 8, 2**21)
    return chase(bench, "latency_cycles:l2", "chase_cg", size, f"pointer chase past L1 in {size // 1024} KiB")


def dram(bench: Bench) -> Ceiling:
    """A ring far beyond L2, no line twice."""
    size = min(array_bytes(bench), max(4 * bench.driver.info.capacity_bytes_l2, 2**26))
    return chase(bench, "latency_cycles:dram", "chase_cg", size, f"pointer chase in {size // 2**20} MiB, no line twice")


def far(bench: Bench) -> Ceiling | None:
    """L2 lines of the other partition, seen from one SM; None where all lines take the same clocks."""
    counted = np.zeros(LINES, np.int32)
    with bench.memory(LINES * LINE_STRIDE * 8, 4 * LINES) as (buffer, clocks):
        ring(bench, buffer, np.arange(LINES, dtype=np.int32), LINE_STRIDE)
        arguments = (("", buffer), ("i32", LINES), ("i32", LINE_STRIDE), ("i32", 4), ("", clocks))
        launch = Launch(bench.kernel("latency", "chase_lines"), (1,), (1,), arguments)
        bench.once(launch)
        bench.once(launch)
        bench.driver.download(clocks, counted)
    clocks_each = counted / (4 * STEPS)
    split = two_groups(clocks_each)
    if split is None:
        return None
    method = f"pointer chase on each of {LINES} lines from one SM: the slower group, {len(split[1])} lines"
    return summary("latency_cycles:l2_far", split[1], method, bench.aside())


def two_groups(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Values as a low and a high group (least squares), or None where they are one.

    >>> two_groups(np.array([200.0, 201, 199, 262, 260, 261]))[1].tolist()
    [260.0, 261.0, 262.0]
    >>> two_groups(np.array([200.0, 205, 203, 210, 201])) is None
    True
    """
    ordered = np.sort(values)
    cuts = np.arange(1, len(ordered))
    left, right = ordered.cumsum()[:-1], ordered.sum() - ordered.cumsum()[:-1]
    between = left**2 / cuts + right**2 / (len(ordered) - cuts)
    at = int(cuts[np.argmax(between)])
    low, high = ordered[:at], ordered[at:]
    gap = float(np.median(high) / np.median(low) - 1)
    # Lines that a refresh or another user of the memory delayed are few; a partition holds about half of all.
    return (low, high) if gap > APART and min(at, len(ordered) - at) >= len(ordered) // 8 else None


def floor(bench: Bench, kind: str) -> Ceiling:
    """Seconds that the device needs for an empty launch in a stream or in a graph."""
    if "service" not in bench.texts:
        bench.use(SERVICE)
        bench.texts.add("service")
    kernel = bench.loaded["roofcast_nothing"]
    method = f"{BATCH} empty launches in a {kind}"
    if kind == "graph":
        sample = bench.sample([Launch(kernel, (1,), (32,))] * BATCH)
        return summary("launch_floor:graph", [t / BATCH for t in sample.times_s], method, bench.aside())
    busy = bench.driver.prepare([busy_launch(bench)])
    try:
        times = [bench.host.stream_floor_s(kernel, BATCH, busy) for _ in range(bench.effort.repetitions + 1)][1:]
    finally:
        busy.close()
    return summary("launch_floor:stream", times, f"{method}, queued behind a long kernel", bench.aside())


def busy_launch(bench: Bench) -> Launch:
    """Work that keeps the device busy while the host queues ``BATCH`` launches."""
    launch = bench.looped(bench.kernel("arithmetic", "fma_fp32"), ("", bench.results), ("f32", 1.0), ("f32", 0.0))
    rounds = bench.rounds(launch)
    return launch(min(MOST_ROUNDS, rounds * max(1, round(QUEUEING_S / bench.effort.batch_s))))


def steps() -> list[tuple[str, Callable[[Bench], Ceiling | None]]]:
    """(what it is, measurement)."""
    chains = [(f"latency_cycles:fp{b}_fma", f"chain_fp{b}", ((f"f{b}", 1.0), (f"f{b}", 0.5))) for b in (32, 64)]
    return [
        ("latency_cycles:l1", l1),
        ("latency_cycles:shared", lambda b: chained(b, "latency_cycles:shared", "chase_shared", (), "pointer chase")),
        ("latency_cycles:l2", l2),
        ("latency_cycles:l2_far", far),
        ("latency_cycles:dram", dram),
        *((q, lambda b, q=q, k=k, c=c: chained(b, q, k, c, "dependent FMAs")) for q, k, c in chains),
        ("launch_floor:stream", lambda b: floor(b, "stream")),
        ("launch_floor:graph", lambda b: floor(b, "graph")),
    ]
