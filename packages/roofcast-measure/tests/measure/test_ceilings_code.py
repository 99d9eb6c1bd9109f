"""The kernels behind the ceilings: machine code against closed forms, and results on the CPU."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from roofcast import catalog
from roofcast.core.errors import InputError
from roofcast.core.resource import Resource
from roofcast.sass.blocks import Graph, build_graph, find_loops
from roofcast.sass.cubin import parse_cubin
from roofcast.sass.special_functions import read_destination, read_operands
from roofcast_measure import suite
from roofcast_measure.ceilings import compute, latencies, memory, tcgen05, tensor, wgmma
from roofcast_measure.ceilings import kernel_texts as sources
from roofcast_measure.compiling import ARCHITECTURES, compile_to_cubin
from roofcast_measure.driver import Launch, Source
from shim_driver import ShimDriver
from virtual_gpu import loop_counts, votes

pytestmark = pytest.mark.slow

ARITHMETIC = {
    "f64": ("DFMA", "DADD", "DMUL"), "f32": ("FFMA", "FADD", "FMUL", "MUFU"), "i32": ("IMAD", "IADD3", "IADD"),
    "fp16": ("HFMA2", "HADD2", "HMUL2"), "bf16": ("HFMA2", "HADD2", "HMUL2"),
}  # fmt: skip
LOADS = {"l1": "LDG", "shared": "LDS"}
UNITS = {"int8": "IMMA", "fp64": "DMMA", "e4m3": "QMMA", "e2m3": "QMMA", "e2m1": "OMMA"}


def code(name: str, sm: int) -> tuple[Source, bytes]:
    source = sources.source(name, sm)
    return source, compile_to_cubin(source.text, name, f"{sm}{source.feature}")


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize("sm", ARCHITECTURES)
def test_machine_code_holds_what_a_round_is_said_to_be(sm: int) -> None:
    source, arithmetic = code("arithmetic", sm)
    for chain in compute.CHAINS:
        if chain.kernel not in source.kernels:
            continue
        counts = loop_counts(arithmetic, chain.kernel)
        found = sum(counts[o] for o in ARITHMETIC[chain.constants])
        # The loop's own counter may be an addition too.
        assert found - compute.INSTRUCTIONS in ((0, 1) if chain.constants == "i32" else (0,)), (chain.kernel, counts)
        assert counts["LDG"] == counts["STG"] == counts["LDL"] == 0
    assert loop_counts(arithmetic, "clock_fp32")["FFMA"] == compute.INSTRUCTIONS
    assert all_counts(arithmetic, "clock_fp32")["BAR"] == 2, "from the first warp's start to the last one's end"
    _, products = code("tensor", sm) if sm >= sources.OLDEST_MMA else ("", b"")
    for product in tensor.PRODUCTS:
        if sources.available(product.kernel, sm):
            counts = loop_counts(products, product.kernel)
            assert counts[UNITS.get(product.operands, "HMMA")] == tensor.PER_ROUND, (product.kernel, counts)
    _, caches = code("caches", sm)
    for level, load in LOADS.items():
        for width in memory.WIDTHS:
            counts = loop_counts(caches, f"{level}_{width}")
            assert counts[load] == memory.LOADS, (level, width, counts)
    assert loop_counts(code("atomics", sm)[1], "atomics")["RED"] == memory.ATOMICS_PER_ROUND
    assert loop_counts(code("atomics", sm)[1], "atomics_summed")["RED"] == memory.ATOMICS_PER_ROUND
    assert votes(code("atomics", sm)[1], "atomics_summed"), "the compiler sums over a warp"
    assert not votes(code("atomics", sm)[1], "atomics"), "each lane asks"
    assert loop_counts(code("atomics", sm)[1], "atomics_shared")["ATOMS"] == memory.ATOMICS_PER_ROUND
    _, chases = code("latency", sm)
    for name, step in (("chase_ca", "LDG"), ("chase_cg", "LDG"), ("chase_shared", "LDS"), ("chain_fp32", "FFMA"),
                       ("chain_fp64", "DFMA")):  # fmt: skip
        every = all_counts(chases, name)
        assert every[step] >= latencies.STEPS, (name, every)
        assert every["UFFMA"] == 0
    _, products = code("products", sm)
    assert loop_counts(products, "product_fp32")["FFMA"] == 8 * 8 * 8
    assert loop_counts(products, "product_fp64")["DFMA"] == 8 * 4 * 4


def all_counts(content: bytes, name: str) -> Counter[str]:
    """Operations of a kernel, wherever they stand."""
    cubin = parse_cubin(content)
    function = cubin.function(name)
    assert function is not None
    return Counter(str(n) for n in build_graph(function, cubin.sm).code.name)


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize("sm", ARCHITECTURES)
def test_nothing_spills_and_everything_fits(sm: int) -> None:
    for name in sources.KERNELS:
        if name == "tensor" and sm < sources.OLDEST_MMA:
            continue
        source, content = code(name, sm)
        cubin = parse_cubin(content)
        for kernel in source.kernels:
            function = cubin.function(kernel)
            assert function is not None, kernel
            assert not function.frame_bytes, f"{kernel} spills"
            # All blocks of the grid are resident at once: 8 (or 6) of 256 threads per SM.
            if name in ("arithmetic", "atomics"):
                most = 40 if sm in (86, 89, 120) else 64 if sm == 75 else 32
                assert (function.registers or 0) <= most, (kernel, function.registers)


FLAGSHIPS = {
    70: "V100 SXM2 32GB", 75: "RTX 2080 Ti", 80: "A100 SXM4 80GB", 86: "RTX 3090 Ti", 89: "RTX 4090", 90: "H200",
    100: "B200", 120: "RTX 5090",
}  # fmt: skip
UNDER_LOAD = 2.0
"""A latency near the roof over the idle one that a chase measures: queues fill as bandwidth saturates."""
SECTOR_LOADS = {"stream_gather": 8.0}
"""Bytes that move for each byte asked for."""


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize("sm", ARCHITECTURES)
def test_enough_bytes_are_in_flight_to_fill_the_memory(sm: int) -> None:
    """Little's law: bandwidth per SM times latency, by compute capability; one access per thread is 32 KiB at most."""
    gpu = catalog.gpu(FLAGSHIPS[sm])
    assert gpu.sm_count
    assert gpu.clock_hz_boost
    for text, level, kernels in (
        (
            "streams",
            "dram",
            (*(f"stream_{k}_{w}" for k in ("read", "copy", "scale", "triad") for w in ("4", "8_cs")), "stream_gather"),
        ),
        ("caches", "l2", ("l2",)),
    ):
        _, content = code(text, sm)
        cycles = getattr(gpu, f"latency_cycles_{level}")
        rate = gpu.rate(Resource(f"bytes_{level}"))
        if level == "dram":
            rate = max(rate, gpu.published.get("bytes_per_s_dram", 0.0))
        needed = UNDER_LOAD * rate / gpu.sm_count * cycles / gpu.clock_hz_boost
        for kernel in kernels:
            graph = graph_of(content, kernel)
            registers = -(-(graph.function.registers or 0) // 8) * 8
            threads = min((gpu.max_warps_per_sm or 0) * 32, (gpu.regs_per_sm or 0) // registers // 256 * 256)
            held = bytes_in_flight(graph) * SECTOR_LOADS.get(kernel, 1.0) * threads
            assert held >= needed, (kernel, held, needed)


def graph_of(content: bytes, name: str) -> Graph:
    cubin = parse_cubin(content)
    function = cubin.function(name)
    assert function is not None
    return build_graph(function, cubin.sm)


def bytes_in_flight(graph: Graph) -> float:
    """Most bytes that a thread has asked for in a loop before it reads the first of them."""
    code, most = graph.code, 0.0
    for body in find_loops([b.successors for b in graph.blocks]).values():
        waiting: dict[int, float] = {}
        for at in (i for b in sorted(body) for i in range(graph.blocks[b].first, graph.blocks[b].end)):
            for register in read_operands(code, at, str(code.name[at])):
                waiting.pop(register, None)
            if str(code.name[at]) == "LDG":
                # A wide load fills neighbouring registers; each is waited for by itself.
                first = read_destination(code, at)
                waiting |= {first + k: 4.0 for k in range(int(code.width_bytes[at]) // 4)}
                most = max(most, sum(waiting.values()))
    return most


def test_one_access_per_thread_would_not_have_filled_an_h200() -> None:
    gpu = catalog.gpu("B200")
    assert gpu.sm_count
    assert gpu.latency_cycles_dram
    assert gpu.clock_hz_boost
    needed = UNDER_LOAD * gpu.rate(Resource.BYTES_DRAM) / gpu.sm_count * gpu.latency_cycles_dram / gpu.clock_hz_boost
    assert needed > 2048 * 16


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize("sm", [60, 70])
def test_everything_compiles_for_what_the_papers_had(sm: int) -> None:
    for name in sources.KERNELS:
        source = sources.source(name, sm)
        assert source.kernels or name == "tensor"
        if source.kernels:
            compile_to_cubin(source.text, name, sm)
    for program in [*suite.programs(), suite.load(suite.EIGHT_STEPS)]:
        compile_to_cubin(program.text, program.name, sm)


@pytest.mark.usefixtures("nvrtc")
def test_warpgroup_products_of_hopper() -> None:
    source = wgmma.source()
    content = compile_to_cubin(source.text, source.name, "90a")
    cubin = parse_cubin(content)
    for product in wgmma.PRODUCTS:
        function = cubin.function(product.kernel)
        assert function is not None
        counts = loop_counts(content, product.kernel)
        assert counts["HGMMA"] + counts["QGMMA"] + counts["IGMMA"] == wgmma.PER_ROUND
        assert counts["WARPGROUP"] == 2, "one arrival and one wait: the compiler did not put the products in series"
        assert not function.frame_bytes
        # Three warpgroups per SM: registers come in units of 256 per warp.
        assert -(-(function.registers or 0) * 32 // 256) * 256 * 4 * tensor.WARPGROUPS_PER_SM <= 65536
        operands = (wgmma.ROWS + wgmma.COLUMNS) * 32
        assert (function.shared_bytes or 0) >= operands
    assert {p.kernel for p in (*wgmma.PRODUCTS, *tcgen05.PRODUCTS)} == set(tensor.WIDE_QUANTITIES)


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize("sm", [100, 101, 103, 110])
def test_products_of_datacentre_blackwell(sm: int) -> None:
    source = tcgen05.source(sm)
    assert ("tcgen05_int8" in source.kernels) == (sm != 103)
    try:
        content = compile_to_cubin(source.text, source.name, f"{sm}a")
    except InputError as error:
        # Toolkit 13 calls 10.1 by its later number, 11.0.
        if sm in (101, 110) and "gpu-architecture" in str(error):
            pytest.skip(str(error))
        raise
    cubin = parse_cubin(content)
    for kernel in source.kernels:
        function = cubin.function(kernel)
        assert function is not None
        counts = loop_counts(content, kernel)
        assert counts["UTCMMA"] == tcgen05.PER_ROUND, (kernel, counts)
        assert counts["UTCBAR"] == 1
        assert counts["ELECT"] == 0, "one thread issues them, and the compiler knows"
        assert not function.frame_bytes


NAMES = ("arithmetic", "streams", "caches", "latency", "atomics", "products")
ON_CPU = {
    "arithmetic": ("fma_fp64", "add_mul_fp64", "fma_fp32", "add_int32", "mul_int32", "mad_int32", "special_fp32"),
}
"""What is plain C++ of a text, where not all is."""


@pytest.fixture(scope="module")
def cpu(compiler: str) -> dict[str, Any]:
    """(driver, kernels) of everything that is plain C++."""
    texts = []
    for name in NAMES:
        text = sources.source(name, 120)
        texts.append(Source(name, text.text, ON_CPU.get(name, text.kernels)))
    driver = ShimDriver(texts)
    kernels: dict[str, Any] = {}
    for source in texts:
        kernels |= driver.load(source)
    return {"driver": driver, **kernels}


def run(cpu: dict[str, Any], name: str, grid: tuple[int, ...], block: int, *arguments: tuple[str, Any]) -> None:
    work = cpu["driver"].prepare([Launch(cpu[name], grid, (block,), arguments)])
    work.run()


def placed(cpu: dict[str, Any], values: np.ndarray) -> tuple[str, Any]:
    buffer = cpu["driver"].allocate(values.nbytes)
    cpu["driver"].upload(buffer, values)
    return "", buffer


def back(cpu: dict[str, Any], argument: tuple[str, Any], like: np.ndarray) -> np.ndarray:
    found = np.empty_like(like)
    cpu["driver"].download(argument[1], found)
    return found


def test_chains_compute_what_they_are_named_after(cpu: dict[str, Any]) -> None:
    out = placed(cpu, np.zeros(64))
    run(cpu, "fma_fp64", (2,), 32, out, ("f64", 0.99), ("f64", 0.25), ("i32", 3))
    start = (np.arange(64) % 32)[:, None] + 0.99 * np.arange(8)
    for _ in range(3 * 16):
        start = start * 0.99 + 0.25
    np.testing.assert_allclose(back(cpu, out, np.zeros(64)), start.sum(axis=1), rtol=1e-12)
    whole = placed(cpu, np.zeros(32, np.int32))
    run(cpu, "mad_int32", (1,), 32, whole, ("i32", 3), ("i32", 7), ("i32", 2))
    values = (np.arange(32)[:, None] + 3 * np.arange(8)).astype(np.int32)
    for _ in range(2 * 16):
        values = values * np.int32(3) + np.int32(7)
    assert (back(cpu, whole, np.zeros(32, np.int32)) == np.bitwise_xor.reduce(values, axis=1)).all()


@pytest.mark.parametrize("way", memory.IN_FLIGHT)
@pytest.mark.parametrize("blocks", [1, 3, 40])
def test_streams_move_what_they_say(cpu: dict[str, Any], way: str, blocks: int) -> None:
    n = 1000
    rng = np.random.default_rng(1)
    a, b = rng.random(2 * n), rng.random(2 * n)
    one, two, three = placed(cpu, a), placed(cpu, b), placed(cpu, np.zeros(2 * n))
    run(cpu, f"stream_triad_{way}", (blocks,), 64, one, two, three, ("f64", 0.5), ("i32", n))
    np.testing.assert_allclose(back(cpu, three, a), a + 0.5 * b)
    run(cpu, f"stream_scale_{way}", (blocks,), 64, one, three, ("f64", 0.5), ("i32", n))
    np.testing.assert_allclose(back(cpu, three, a), 0.5 * a)
    run(cpu, f"stream_copy_{way}", (blocks,), 64, two, three, ("i32", n))
    assert (back(cpu, three, a) == b).all()
    run(cpu, f"stream_init_{way}", (blocks,), 64, three, ("f64", 0.0), ("i32", n))
    assert (back(cpu, three, a) == 0).all()
    total = placed(cpu, np.zeros(1))
    # The sum is written only where it is -1: one pair of halves is all that is not zero.
    seen = np.zeros(2 * n)
    seen[[2 * (n - 1), 2 * n - 1]] = -0.5
    run(cpu, f"stream_read_{way}", (blocks,), 64, placed(cpu, seen), total, ("i32", n))
    assert back(cpu, total, np.zeros(1))[0] == -1.0


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize("sm", ARCHITECTURES)
def test_a_thread_asks_for_all_its_loads_before_it_waits(sm: int) -> None:
    """16 bytes an access, every load of a stretch in flight before the first store; stores of 16 bytes too."""
    _, content = code("streams", sm)
    for way, many in memory.IN_FLIGHT.items():
        graph = graph_of(content, f"stream_copy_{way}")
        assert bytes_in_flight(graph) >= 16 * many
        moved = [w for n, w in zip(graph.code.name, graph.code.width_bytes, strict=True) if str(n) in ("LDG", "STG")]
        assert set(moved) == {16}


def test_gather_reads_each_sector_once(cpu: dict[str, Any]) -> None:
    n = 1024
    at = (np.arange(n, dtype=np.uint64) * np.uint64(memory.GOLDEN % 2**32)) & np.uint64(n - 1)
    assert sorted(at.tolist()) == list(range(n))
    assert np.median(np.abs(np.diff(at.astype(int)))) > 16, "neighbours are far apart"
    data = np.zeros(8 * n, np.int32)
    data[8 * 5] = -1
    out = placed(cpu, np.zeros(1, np.int32))
    run(cpu, "stream_gather", (4,), 64, placed(cpu, data), out, ("i32", memory.GOLDEN), ("i32", n))
    assert back(cpu, out, np.zeros(1, np.int32))[0] == -1


@pytest.mark.parametrize("common", [0, 1])
def test_the_cache_kernel_reads_everything_in_every_pass(cpu: dict[str, Any], common: int) -> None:
    data = np.random.default_rng(2).integers(0, 2**32, 4 * 257, np.uint32)
    blocks, threads = 3, 32
    out = placed(cpu, np.zeros(blocks * threads, np.uint32))
    run(cpu, "l2", (blocks,), threads, placed(cpu, data), out, ("i32", 257), ("i32", 3), ("i32", common))
    found = back(cpu, out, np.zeros(blocks * threads, np.uint32)).reshape(blocks, threads)
    every = np.bitwise_xor.reduce(data)  # three passes: an odd number leaves one
    if common:
        assert (np.bitwise_xor.reduce(found, axis=1) == every).all()
    else:
        assert np.bitwise_xor.reduce(found.ravel()) == every


@pytest.mark.parametrize("width", [4, 8, 16])
def test_loads_of_l1_and_shared_memory_take_their_width(cpu: dict[str, Any], width: int) -> None:
    data = np.random.default_rng(4).integers(0, 2**32, 2**12, np.uint32)
    out = placed(cpu, np.zeros(32, np.uint32))
    run(cpu, f"l1_{width}b", (1,), 32, placed(cpu, data), out, ("i32", 0), ("i32", 1))
    words = width // 4
    tile = np.arange(3072, dtype=np.uint32) * np.uint32(2654435761)
    for name, table, stride in (("l1", data, words), ("shared", tile, 2)):
        if name == "shared":
            run(cpu, f"shared_{width}b", (1,), 32, out, ("i32", 2), ("i32", 0), ("i32", 1))
        found = back(cpu, out, np.zeros(32, np.uint32))
        for lane in range(32):
            first = lane * stride // words * words
            each = [table[first + 128 * load + i] for load in range(16) for i in range(words)]
            assert found[lane] == np.bitwise_xor.reduce(each), (name, lane)


def test_a_chase_in_shared_memory_steps_by_33(cpu: dict[str, Any]) -> None:
    result = placed(cpu, np.zeros(2, np.int64))
    run(cpu, "chase_shared", (1,), 1, ("i32", 3), result)
    assert back(cpu, result, np.zeros(2, np.int64))[1] == 33 * 48 % 1024 * 4


def test_atomics_add_once_per_thread_and_step(cpu: dict[str, Any]) -> None:
    words = 1024
    for stride, first in ((0, 3 * 32 * 16), (8, 16)):
        data = placed(cpu, np.zeros(words, np.uint32))
        run(cpu, "atomics", (3,), 32, data, ("i32", stride), ("i32", words), ("i32", 2))
        found = back(cpu, data, np.zeros(words, np.uint32))
        assert found.sum() == 3 * 32 * 2 * memory.ATOMICS_PER_ROUND
        assert found[0] == first


def test_swaps_count_their_tries(cpu: dict[str, Any]) -> None:
    data, tries = placed(cpu, np.zeros(4, np.uint32)), placed(cpu, np.zeros(64, np.uint32))
    run(cpu, "atomics_swap", (2,), 32, data, tries, ("i32", 3))
    assert back(cpu, data, np.zeros(4, np.uint32))[0] == 2 * 32 * 3
    # One thread after the other here: each but the first is surprised once.
    assert back(cpu, tries, np.zeros(64, np.uint32)).tolist() == [3, *[4] * 63]
    run(cpu, "atomics_summed", (2,), 32, data, ("i32", 2))
    assert back(cpu, data, np.zeros(4, np.uint32))[0] == 2 * 32 * (3 + 2 * memory.ATOMICS_PER_ROUND)


def test_a_chase_follows_the_ring(cpu: dict[str, Any]) -> None:
    lines, stride = 37, latencies.LINE_WORDS
    following = latencies.random_ring(lines)
    at, seen = 0, []
    for _ in range(lines):
        seen.append(at)
        at = int(following[at])
    assert sorted(seen) == list(range(lines)), "one cycle through all lines"
    ring, result = placed(cpu, np.zeros(lines * stride)), placed(cpu, np.zeros(2, np.int64))
    run(cpu, "build", (2,), 16, ring, placed(cpu, following), ("i32", lines), ("i32", stride))
    run(cpu, "chase_cg", (1,), 1, ring, ("i32", 5 * stride), ("i32", 2), result)
    stop = 5
    for _ in range(32):
        stop = int(following[stop])
    assert back(cpu, result, np.zeros(2, np.int64))[1] == stop * stride


@pytest.mark.parametrize(
    ("name", "tile", "kind"), [("product_fp32", 128, np.float32), ("product_fp64", 64, np.float64)]
)
def test_matrix_products(cpu: dict[str, Any], name: str, tile: int, kind: type) -> None:
    n = 2 * tile if tile == 64 else tile
    rng = np.random.default_rng(3)
    a: np.ndarray = rng.random((n, n)).astype(kind)
    b: np.ndarray = rng.random((n, n)).astype(kind)
    c = placed(cpu, np.zeros((n, n), kind))
    run(cpu, name, (n // tile, n // tile), 256, placed(cpu, a), placed(cpu, b), c, ("i32", n))
    np.testing.assert_allclose(back(cpu, c, a), a.astype(np.float64) @ b, rtol=1e-4 if kind is np.float32 else 1e-12)
