"""Every level of the memory: DRAM, L2, L1, shared memory, atomics, and the link to the host."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from roofcast.core.errors import RoofcastError
from roofcast_measure.ceilings.bench import BLOCK, Bench, Ceiling, summary
from roofcast_measure.ceilings.compute import WARP
from roofcast_measure.ceilings.host import DIRECTIONS, transfer_bytes
from roofcast_measure.driver import Buffer, Launch

ARRAY_BYTES, ARRAY_BYTES_QUICK = 2**30, 2**27
"""Long enough that the first and the last microseconds of a launch are below 1 % at 5 TB/s; with ``--quick`` they are
not."""
BEYOND_L2 = 4
"""Size of an array in sizes of the L2 cache."""
LEAST_BEYOND_L2 = 2
"""Size of an array in sizes of the L2 cache, below which a stream does not measure DRAM."""
STREAMS = {"init": 1, "read": 1, "copy": 2, "scale": 2, "triad": 3}
"""Kernel -> arrays that it touches."""
IN_FLIGHT = {"1": 1, "4": 4, "8": 8, "4_cs": 4, "8_cs": 8}
"""End of a kernel's name -> accesses that a thread asks for before it waits."""
TRIES = 3
"""Launches of each way of a stream, of which the shortest counts; rounds of an unsteady link."""
STEADY = 0.05
"""Relative deviation of copies over the link above which they are measured again."""
DRIVERS = {"memcpy": 2, "memset": 1}
"""What the driver does itself -> arrays that it touches."""
GOLDEN = 0x9E3779B1 - 2**32
"""Odd, so that multiplying by it permutes the residues of a power of two."""
L2_SHARES = (1 / 8, 1 / 4, 3 / 8)
L2_COMMON_BYTES = 2**18
"""B that all SMs read at once: they stay in L2, and are more than an L1 holds beside other lines."""
LOADS = 16
"""Per thread and round."""
WIDTHS = {"4b": 4, "8b": 8, "16b": 16}
CONFLICTS = (2, 32)
ATOMICS_PER_ROUND = 8
"""Atomics of a thread in a round."""
SECTOR_WORDS = 8
"""Words of 4 bytes in a sector of L2."""
PLACES = {
    0: ("atomics_l2:same_address_per_lane", "all on one address, a request for each lane"),
    1: ("atomics_l2:coalesced", "a warp on neighbouring words"),
    SECTOR_WORDS: ("atomics_l2:distinct", "each thread on its own sector of 32 bytes"),
}
"""Words from one thread's address to the next -> quantity, and where the additions are."""
L1_BYTES = 2**14
"""Room for what one round reads: 8 KiB, a little more in waves of 64 threads."""


def array_bytes(bench: Bench) -> int:
    """Size of an array far beyond the caches that fits three times."""
    least = ARRAY_BYTES_QUICK if bench.effort.warm_up_s == 0 else ARRAY_BYTES
    wanted = max(BEYOND_L2 * bench.driver.info.capacity_bytes_l2, least)
    size = min(wanted, bench.driver.free_bytes() // 8) // 4096 * 4096
    if size < max(2**16, LEAST_BEYOND_L2 * bench.driver.info.capacity_bytes_l2):
        raise RoofcastError("too little memory is free to leave the L2 cache: end what else uses this GPU")
    return size


def dram(bench: Bench, kind: str) -> Ceiling:
    """Bytes per second of one kind of streaming access, in the way that moves most here."""
    size = array_bytes(bench)
    with bench.memory(*(size,) * STREAMS[kind]) as buffers:
        clear(bench, buffers)
        way, launch = min(ways(bench, kind, buffers).items(), key=lambda w: min(bench.once(w[1]) for _ in range(TRIES)))
        method = f"{STREAMS[kind]} x {size / 2**20:.0f} MiB, 16 bytes per access, {way}"
        return bench.stream(f"bytes_dram:{kind}", launch, float(STREAMS[kind] * size), method)


def ways(bench: Bench, kind: str, buffers: Sequence[Buffer]) -> dict[str, Launch]:
    """Launches that move the same bytes: by accesses in flight, cache policy and grid."""
    extra: dict[str, tuple[tuple[str, object], ...]] = {
        "init": (("f64", 1.0),), "read": (("", bench.results),), "copy": (), "scale": (("f64", 0.5),),
        "triad": (("f64", 0.5),),
    }  # fmt: skip
    n = buffers[0].size_bytes // 16
    launches = {}
    for suffix, many in IN_FLIGHT.items():
        kernel = bench.kernel("streams", f"stream_{kind}_{suffix}")
        arguments = (*(("", b) for b in buffers), *extra[kind], ("i32", n))
        every = -(-n // (many * BLOCK))
        policy = " evicted first" if suffix.endswith("_cs") else ""
        for blocks, where in ((every, "a block for each stretch"), (min(bench.grid, every), "blocks that stay")):
            launches[f"{many} per thread{policy}, {where}"] = Launch(kernel, (blocks,), (BLOCK,), arguments)
    return launches


def clear(bench: Bench, buffers: Sequence[Buffer]) -> None:
    """Defined content, so that no value is not a number."""
    kernel = bench.kernel("streams", "stream_init_4")
    for buffer in buffers:
        arguments = (("", buffer), ("f64", 0.0), ("i32", buffer.size_bytes // 16))
        bench.once(Launch(kernel, (bench.grid,), (BLOCK,), arguments))


def by_driver(bench: Bench, kind: str) -> Ceiling:
    """Bytes per second of the driver's own copy or fill: what a framework's contiguous copy calls."""
    size = array_bytes(bench)
    with bench.memory(*(size,) * DRIVERS[kind]) as buffers:
        clear(bench, buffers)
        count = bench.effort.launches(bench.host.driver_stream_s(buffers, 1))
        amount = float(DRIVERS[kind] * size * count)
        times = [bench.host.driver_stream_s(buffers, count) for _ in range(bench.effort.repetitions + 1)][1:]
        conditions = bench.aside()
    method = f"the driver's own {'copy' if kind == 'memcpy' else 'fill'} of {size / 2**20:.0f} MiB"
    return summary(f"bytes_dram:{kind}", amount / np.array(times), method, conditions)


def gather(bench: Bench) -> Ceiling:
    """Bytes per second of 32-byte sectors in scattered order."""
    size = 2 ** math.floor(math.log2(array_bytes(bench)))
    with bench.memory(size) as (data,):
        clear(bench, [data])
        n = size // 32
        arguments = (("", data), ("", bench.results), ("i32", GOLDEN), ("i32", n))
        launch = Launch(bench.kernel("streams", "stream_gather"), (bench.grid,), (BLOCK,), arguments)
        return bench.stream("bytes_dram:gather", launch, 32.0 * n, f"each of {n} sectors of 32 bytes once, scattered")


def l2_read(bench: Bench) -> Ceiling:
    """The plateau: reads past L1 in working sets well within L2, all SMs sharing each pass."""
    ceilings = [l2(bench, int(share * bench.driver.info.capacity_bytes_l2), common=False) for share in L2_SHARES]
    values = [f.value for f in ceilings]
    middle = sorted(ceilings, key=lambda f: f.value)[len(ceilings) // 2]
    spread = max(middle.spread, (max(values) - min(values)) / (2 * middle.value))
    method = "16-byte reads past L1, working sets of 1/8 to 3/8 of L2; both partitions"
    return Ceiling("bytes_l2:read", middle.value, spread, middle.repetitions, method, middle.clock_hz,
                   middle.clock_hz_dram, middle.power_w, middle.load)  # fmt: skip


def l2(bench: Bench, size: int, *, common: bool) -> Ceiling:
    """Reads of one working set, by the grid together or by each block."""
    size = max(2**12, size // 4096 * 4096)
    n = size // 16
    kernel = bench.kernel("caches", "l2")
    with bench.memory(size) as (data,):
        clear(bench, [data])

        def launch(passes: int) -> Launch:
            arguments = (("", data), ("", bench.results), ("i32", n), ("i32", passes), ("i32", int(common)))
            return Launch(kernel, (bench.grid,), (BLOCK,), arguments)

        amount = float(size) * (bench.grid if common else 1)
        method = f"each block reads the same {size // 1024} KiB past L1"
        return bench.rate("bytes_l2:read_shared", launch, amount, method)


def l2_shared(bench: Bench) -> Ceiling:
    """All SMs read the same small data."""
    size = min(L2_COMMON_BYTES, bench.driver.info.capacity_bytes_l2 // 8)
    return l2(bench, size, common=True)


def l2_write(bench: Bench) -> Ceiling:
    """Writes that stay in L2."""
    size = max(2**12, bench.driver.info.capacity_bytes_l2 // 8 // 4096 * 4096)
    kernel = bench.kernel("caches", "l2_write")
    with bench.memory(size) as (data,):
        launch = bench.looped(kernel, ("", data), ("i32", size // 16))
        return bench.rate("bytes_l2:write", launch, float(size), f"16-byte writes to {size // 1024} KiB")


def l1(bench: Bench, width: str) -> Ceiling:
    """Loads of one width that hit L1."""
    kernel = bench.kernel("caches", f"l1_{width}")
    with bench.memory(L1_BYTES) as (data,):
        clear(bench, [data])
        launch = bench.looped(kernel, ("", data), ("", bench.results), ("i32", 0))
        amount = float(bench.grid * BLOCK * LOADS * WIDTHS[width])
        return bench.rate(f"bytes_l1:load_{width}", launch, amount, f"loads of {WIDTHS[width]} bytes that hit 8 KiB")


def shared(bench: Bench, width: str, ways: int = 1) -> Ceiling:
    """Loads from shared memory; ``ways`` lanes meet in each bank (4-byte loads only)."""
    kernel = bench.kernel("caches", f"shared_{width}")
    stride = ways * WIDTHS[width] // 4
    launch = bench.looped(kernel, ("", bench.results), ("i32", stride), ("i32", 0))
    amount = float(bench.grid * BLOCK * LOADS * WIDTHS[width])
    if ways > 1:
        method = f"4-byte loads, {ways} lanes on each bank; bytes that the threads ask for"
        return bench.rate(f"bytes_shared:conflict_{ways}", launch, amount, method)
    return bench.rate(f"bytes_shared:load_{width}", launch, amount, f"loads of {WIDTHS[width]} bytes, no conflicts")


def atomics(bench: Bench, stride: int) -> Ceiling:
    """Additions per second in L2: all on one address, or each thread on its own word or sector."""
    words = 2 ** math.floor(math.log2(max(4096, bench.driver.info.capacity_bytes_l2 // 4) // 4))
    kernel = bench.kernel("atomics", "atomics")
    with bench.memory(4 * words) as (data,):
        clear(bench, [data])
        launch = bench.looped(kernel, ("", data), ("i32", stride), ("i32", words))
        quantity, where = PLACES[stride]
        amount = float(bench.grid * BLOCK * ATOMICS_PER_ROUND)
        return bench.rate(quantity, launch, amount, f"32-bit additions without result, {where}")


def shared_atomics(bench: Bench, stride: int) -> Ceiling:
    """Warp instructions per second that add in shared memory: each thread on its own word, or a block on one."""
    launch = bench.looped(bench.kernel("atomics", "atomics_shared"), ("", bench.results), ("i32", stride))
    quantity = "insts_lsu:shared_atomic" if stride else "insts_lsu:shared_atomic_same"
    where = "each thread on its own word" if stride else "a block on one word"
    amount = float(bench.grid * BLOCK * ATOMICS_PER_ROUND / WARP)
    return bench.rate(quantity, launch, amount, f"warps that add in shared memory, {where}")


def summed(bench: Bench) -> Ceiling:
    """Additions per second of atomicAdd on one address, which a compiler sums over each warp."""
    with bench.memory(4096) as (data,):
        clear(bench, [data])
        launch = bench.looped(bench.kernel("atomics", "atomics_summed"), ("", data))
        amount = float(bench.grid * BLOCK * ATOMICS_PER_ROUND)
        method = "atomicAdd without result, all on one address: one request for a warp's 32 additions"
        return bench.rate("atomics_l2:same_address", launch, amount, method)


def swaps(bench: Bench, kind: str) -> Ceiling:
    """Tries per second of compare-and-swap, a warp per SM on one address, or the additions by it that held.

    A try holds where no other came between: with 4224 threads one in about two thousand does. Tries are a rate of L2,
    additions one of how many threads meet.
    """
    kernel = bench.kernel("atomics", "atomics_swap")
    sms = bench.driver.info.sm_count
    tries = np.zeros(sms * WARP, np.uint32)
    with bench.memory(4096, tries.nbytes) as (data, counts):
        clear(bench, [data])
        launch = bench.looped(kernel, ("", data), ("", counts), blocks=sms, threads=WARP)
        rounds = bench.rounds(launch)
        conditions, rates = bench.sample([launch(rounds)]).conditions, []
        for _ in range(bench.effort.repetitions):
            took = bench.once(launch(rounds))
            bench.driver.download(counts, tries)
            amount = float(tries.sum(dtype=np.float64)) if kind == "compare_and_swap" else float(len(tries) * rounds)
            rates.append(amount / took if took > 0 else math.nan)
    what = "tries" if kind == "compare_and_swap" else "additions that held, each tried until it did"
    method = f"{what}, {len(tries)} threads of a warp per SM on one address"
    return summary(f"atomics_l2:{kind}", rates, method, conditions)


def link(bench: Bench, direction: str) -> Ceiling:
    """Bytes per second between pinned host memory and the device."""
    size = transfer_bytes(bench.driver.free_bytes(), bench.effort.warm_up_s == 0)
    bench.host.transfer_s(direction, size)
    for _ in range(TRIES):
        times = np.array([bench.host.transfer_s(direction, size) for _ in range(bench.effort.repetitions)])
        # Another user of the host's memory passes; of an H100 60 GB/s both ways stood for 99, with a spread of 28 %.
        if times.std() <= STEADY * np.median(times):
            break
    amount = size * (2 if direction == "bidirectional" else 1)
    method = f"copies of {size // 2**20} MiB, pinned" + (", both ways at once, both counted" * (amount > size))
    return summary(f"bytes_host_link:{direction}", amount / times, method, bench.aside())


def steps() -> list[tuple[str, Callable[[Bench], Ceiling]]]:
    """(what it is, measurement) of every level."""
    tasks: list[tuple[str, Callable[[Bench], Ceiling]]] = []
    tasks += [(f"bytes_dram:{k}", lambda b, k=k: dram(b, k)) for k in STREAMS]  # type: ignore[misc]  # bound when made
    tasks += [(f"bytes_dram:{k}", lambda b, k=k: by_driver(b, k)) for k in DRIVERS]  # type: ignore[misc]  # bound when made
    tasks += [("bytes_dram:gather", gather), ("bytes_l2:read", l2_read), ("bytes_l2:read_shared", l2_shared)]
    tasks += [("bytes_l2:write", l2_write)]
    tasks += [(f"bytes_l1:load_{w}", lambda b, w=w: l1(b, w)) for w in WIDTHS]  # type: ignore[misc]  # bound when made
    tasks += [(f"bytes_shared:load_{w}", lambda b, w=w: shared(b, w)) for w in WIDTHS]  # type: ignore[misc]  # bound when made
    tasks += [(f"bytes_shared:conflict_{c}", lambda b, c=c: shared(b, "4b", c)) for c in CONFLICTS]  # type: ignore[misc]  # bound when made
    tasks += [(q, lambda b, s=s: atomics(b, s)) for s, (q, _) in PLACES.items()]  # type: ignore[misc]  # bound when made
    tasks += [("atomics_l2:same_address", summed)]
    tasks += [(f"atomics_l2:{k}", lambda b, k=k: swaps(b, k)) for k in ("compare_and_swap", "compare_and_swap_held")]  # type: ignore[misc]  # bound when made
    tasks += [("insts_lsu:shared_atomic", lambda b: shared_atomics(b, 1))]
    tasks += [("insts_lsu:shared_atomic_same", lambda b: shared_atomics(b, 0))]
    tasks += [(f"bytes_host_link:{d}", lambda b, d=d: link(b, d)) for d in DIRECTIONS]  # type: ignore[misc]  # bound when made
    return tasks
