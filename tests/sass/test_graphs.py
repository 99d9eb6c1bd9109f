"""Control flow, special functions, matching and carried counts, on the corpus and on graphs made by hand."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from roofcast.core.errors import InputError
from roofcast.sass.blocks import build_graph, find_callee, find_loops
from roofcast.sass.carry import align, carry, compare_lines, find_reached_parts, match_blocks, sum_executed
from roofcast.sass.code_comparison import compare
from roofcast.sass.cubin import Cubin, Function
from roofcast.sass.executions import Executions
from roofcast.sass.kernel_summary import Against, Input, summarise
from roofcast.sass.special_functions import find_fast_paths, operation_of_subroutine, stable_name
from roofcast.sass.work import BYTES_LOCAL, PHANTOM
from sass_builders import Build

STEMS = ("arithmetic", "control", "memory", "halves")


def made_up_counts(cubin: Cubin, kernel: str, seed: int = 1) -> Executions:
    """Executions that differ from block to block, for everything that a kernel can reach."""
    generator = np.random.default_rng(seed)
    threads: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = {}
    warps: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = {}
    for parts in find_reached_parts(cubin, kernel).values():
        for part in parts:
            function = part.graph.function
            column = threads.setdefault(function.name, np.zeros(function.instruction_count))
            other = warps.setdefault(function.name, np.zeros(function.instruction_count))
            for number in part.blocks:
                block = part.graph.blocks[number]
                count = int(generator.integers(1, 1000))
                column[block.first : block.end], other[block.first : block.end] = 32.0 * count, count
    return Executions(threads, warps, is_complete=True)


def kernels(cubin: Cubin) -> list[str]:
    return [f.name for f in cubin.functions if f.is_kernel]


def function(cubin: Cubin, name: str) -> Function:
    found = cubin.function(name)
    assert found is not None
    return found


def test_loops_of_a_graph_made_by_hand() -> None:
    # 0 -> 1 (outer head) -> 2 (inner head) -> 3 -> 2, 3 -> 4 -> 1, 4 -> 5
    assert find_loops([(1,), (2,), (3,), (2, 4), (1, 5), ()]) == {1: {1, 2, 3, 4}, 2: {2, 3}}


def test_loops_of_unreachable_and_irreducible_graphs_end() -> None:
    assert find_loops([(1, 2), (2,), (1,)]) == {}  # two entries into one cycle: no natural loop
    assert find_loops([(0,)]) == {0: {0}}
    assert find_loops([(), (2,), (1,)]) == {}  # nothing reaches the cycle: nothing heads it
    assert find_loops([]) == {}


@pytest.mark.parametrize("sm", [70, 80, 90, 100, 120])
def test_nested_loops_are_found_on_every_architecture(corpus: Build, sm: int) -> None:
    graph = build_graph(function(corpus("control", sm, "compute_70"), "nested_loops"), sm)
    assert max(b.depth for b in graph.blocks) == 2
    assert sum(b.end - b.first for b in graph.blocks) == len(graph.code)
    assert all(0 <= t < len(graph.blocks) for b in graph.blocks for t in b.successors)


@pytest.mark.slow
def test_branches_agree_with_the_disassembler(corpus: Build) -> None:
    from nvdisasm import disassemble
    from roofcast.core.errors import MissingExtraError
    from roofcast.sass.blocks import decode_targets

    for sm in (70, 80, 90, 120):
        cubin = corpus("control", sm, "compute_70")
        try:
            text = disassemble(cubin)
        except MissingExtraError as error:
            pytest.skip(str(error))
        compared = 0
        for each in cubin.functions:
            graph = build_graph(each, sm)
            targets = decode_targets(graph.code)
            for index in np.flatnonzero(graph.code.is_one_of("BRA", "BSSY")):
                told = text.instruction(each.name, int(index))
                wanted = int(told.operands.split(",")[-1], 16) // 16 - text.starts[each.name]
                assert int(targets[index]) == wanted, (sm, told)
                compared += 1
        assert compared > 50


@pytest.mark.parametrize("sm", [70, 80, 90, 100, 120])
def test_an_indirect_branch_reaches_every_case(corpus: Build, sm: int) -> None:
    each = function(corpus("control", sm, "compute_70"), "indirect_branch")
    graph = build_graph(each, sm)
    branch = next(b for b in graph.blocks if graph.code.name[b.end - 1] == "BRX")
    assert len(branch.successors) >= 4
    reached = {0}
    while more := {t for i in reached for t in graph.blocks[i].successors} - reached:
        reached |= more
    working = {i for i, b in enumerate(graph.blocks) if graph.code.is_one_of("FMUL", "FFMA")[b.first : b.end].any()}
    assert working <= reached


def test_calls_through_pointers_and_by_name(corpus: Build) -> None:
    cubin = corpus("control", 80, "compute_70")
    graph = build_graph(function(cubin, "function_pointers"), 80)
    called = {c for b in graph.blocks for c in b.calls}
    assert "?" in called
    assert len(find_reached_parts(cubin, "function_pointers")) >= 2


def test_a_call_enters_the_innermost_symbol() -> None:
    """Compilers of whole programs let the kernel's symbol span its subroutines, which name the special function."""
    slow = "$__internal_0_$__cuda_sm20_div_rn_f64_full"
    each = Function("k", bytes(5120), True, parts=((0, 5120, "k"), (3360, 5120, slow)))
    for target, expected in ((3360 // 16, slow), (32, "k"), (5120 // 16, "?"), (-1, "?")):
        assert find_callee(each, "CALL", 0, np.array([target]), False) == (expected,)


@pytest.mark.parametrize(
    ("symbol", "operation"),
    [
        ("__cuda_sm20_div_rn_f64_full", "div.f64"), ("$__internal_0_$__cuda_sm20_div_f64_slowpath_v2", "div.f64"),
        ("__cuda_sm20_dblrcp_rn_slowpath_v3", "rcp.f64"), ("__cuda_sm20_drsqrt_f64_slowpath_v2", "rsqrt.f64"),
        ("__cuda_sm20_dsqrt_rn_f64_mediumpath_v1", "sqrt.f64"), ("__cuda_sm3x_div_rn_noftz_f32_slowpath", "div.f32"),
        ("__cuda_sm20_sqrt_rn_f32_slowpath", "sqrt.f32"), ("__cuda_sm20_rcp_rn_f32_slowpath", "rcp.f32"),
        ("__internal_accurate_pow", "pow.f64"), ("__internal_trig_reduction_slowpathd", "sincos.f64"),
        ("__cuda_sm20_div_s64", "div.s64"), ("__cuda_sm70_warpsync", None), ("div_f64_of_mine", None),
    ],
)  # fmt: skip
def test_subroutines_are_named_by_what_they_compute(symbol: str, operation: str | None) -> None:
    assert operation_of_subroutine(symbol) == operation


@pytest.mark.parametrize("sm", [70, 80, 90, 120])
def test_fast_paths_in_line_are_named(corpus: Build, sm: int) -> None:
    cubin = corpus("arithmetic", sm, "compute_70")

    def found(kernel: str) -> set[str]:
        return set(find_fast_paths(build_graph(function(cubin, kernel), sm)).values())

    assert "div.f64" in found("divide_f64")
    assert {"sqrt.f64", "rcp.f64"} <= found("roots_f64")
    assert {"div.f32", "sqrt.f32"} <= found("divide_f32")
    assert "log.f32" in found("logarithms")
    assert "sincos.f32" in found("waves")
    assert "div.s32" in found("integer_divide")


def test_alignment_keeps_order_and_takes_the_best_sum() -> None:
    score = np.array([[0.9, 0.1, 0.0], [0.0, 0.2, 0.8], [0.95, 0.0, 0.0]])
    assert align(score) == [(0, 0), (1, 2)]
    assert align(np.zeros((3, 2))) == []


@pytest.mark.parametrize("sm", [70, 80, 90, 100, 120])
def test_a_binary_matches_itself_exactly(corpus: Build, sm: int) -> None:
    for stem in STEMS:
        cubin = corpus(stem, sm, "compute_70")
        for kernel in kernels(cubin):
            counts = made_up_counts(cubin, kernel)
            carried = carry(cubin, counts, kernel, cubin)
            assert carried is not None
            assert carried.coverage == 1.0, kernel
            assert all(i == j for _, i, _, j in carried.pairs), kernel
            assert dict(carried.source) == dict(carried.target), kernel
            assert carried.source["insts_thread"] == sum_executed(cubin, counts)["insts_thread"]


def test_volta_to_ampere_with_one_compiler_is_exactly_one(corpus: Build) -> None:
    checked = 0
    for stem in STEMS:
        source, target = corpus(stem, 70, "compute_70"), corpus(stem, 80, "compute_70")
        for kernel in kernels(source):
            carried = carry(source, made_up_counts(source, kernel), kernel, target)
            assert carried is not None
            for amount in ("flops_fp64", "flops_fp32", "flops_fp16"):
                assert carried.ratio_of_work(amount) == 1.0, (kernel, amount)
            checked += 1
    assert checked >= 20


@pytest.mark.parametrize(("here", "there"), [(70, 90), (80, 90), (90, 100), (90, 120)])
def test_match_rates_across_architectures(corpus: Build, here: int, there: int) -> None:
    blocks = matched = applied = total = 0
    for stem in STEMS:
        source, target = corpus(stem, here, "compute_70"), corpus(stem, there, "compute_70")
        for kernel in kernels(source):
            carried = carry(source, made_up_counts(source, kernel), kernel, target)
            assert carried is not None
            blocks += carried.blocks_source
            matched += len(carried.pairs)
            applied += carried.is_applied
            total += 1
    assert matched / blocks > 0.97
    assert applied / total > 0.9


def test_spills_and_registers_show_on_the_other_side(corpus: Build) -> None:
    source, target = corpus("memory", 80, "compute_70"), corpus("memory", 80, "compute_70", 255)
    capped = corpus("memory", 80, "compute_70", 24)
    counts = made_up_counts(source, "stencil")
    found = compare(source, "stencil", counts, 80, capped)
    assert found.here.registers is not None
    assert found.there.registers is not None
    assert found.there.registers <= 24
    spilling = compare(source, "spilling", made_up_counts(source, "spilling"), 80, target)
    assert (spilling.here.frame_bytes or 0) > 0
    assert spilling.bytes_local_here is not None
    assert spilling.bytes_local_here > 0


def test_constant_moves_appear_and_are_no_work(corpus: Build) -> None:
    source, target = corpus("halves", 70, "compute_70"), corpus("halves", 90, "compute_70")
    carried = carry(source, made_up_counts(source, "constants"), "constants", target)
    assert carried is not None
    assert carried.source.get(PHANTOM, 0.0) == 0.0
    assert carried.target.get(PHANTOM, 0.0) > 0.0
    assert carried.ratio_of_work("flops_fp16") == 1.0


def test_tensor_kernels_are_not_transferred(corpus: Build) -> None:
    source, target = corpus("tensor", 80, "compute_80"), corpus("tensor", 90, "compute_80")
    counts = made_up_counts(source, "mma_16816_f16")
    found = compare(source, "mma_16816_f16", counts, 90, target)
    assert not found.is_applied
    assert any("tensor" in r for r in found.reasons)
    assert set(found.ratios.values()) == {1.0}


def test_below_the_coverage_limit_nothing_is_applied(corpus: Build) -> None:
    source, other = corpus("memory", 80, "compute_70"), corpus("arithmetic", 80, "compute_70")
    stand_in = Cubin(80, None, (Function("stencil", function(other, "powers").code, is_kernel=True),))
    found = compare(source, "stencil", made_up_counts(source, "stencil"), 80, stand_in)
    assert found.coverage is not None
    assert found.coverage < 0.95
    assert not found.is_applied
    assert set(found.ratios.values()) == {1.0}
    with pytest.raises(InputError, match="does not hold this kernel"):
        compare(source, "stencil", None, 80, other)


def test_emulated_brain_floats_change_the_work(corpus: Build) -> None:
    source, target = corpus("halves", 75, "compute_75"), corpus("halves", 80, "compute_80")
    carried = carry(source, made_up_counts(source, "brain_math"), "brain_math", target)
    assert carried is not None
    assert carried.source.get("flops_fp32", 0.0) > 0
    assert carried.target.get("flops_fp16", 0.0) > 0


def test_local_memory_is_counted_by_width(corpus: Build) -> None:
    cubin = corpus("memory", 80, "compute_70")
    counts = made_up_counts(cubin, "private_array")
    assert sum_executed(cubin, counts)[BYTES_LOCAL] > 0
    assert BYTES_LOCAL not in sum_executed(cubin, made_up_counts(cubin, "stencil"))


def test_a_summary_says_what_a_kernel_does(corpus: Build) -> None:
    cubin = corpus("arithmetic", 80, "compute_70")
    counts = made_up_counts(cubin, "divide_f64")
    found = summarise(Input("divide_f64", "divide_f64", 0, cubin, counts), Against(90))
    assert {(s.operation, s.path) for s in found.special} == {("div.f64", "fast"), ("div.f64", "slow")}
    assert sum(share for _, share in found.mix.values() if share) == pytest.approx(1.0)
    assert sum(n for n, _ in found.mix.values()) <= found.instructions
    fast = next(s for s in found.special if s.path == "fast")
    assert found.comparison is None or fast.flops_against == pytest.approx(fast.flops, rel=0.2)


def test_matching_stops_at_its_memory_limit(corpus: Build, monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr("roofcast.sass.carry.MAX_CELLS", 4)
    graph = build_graph(function(corpus("control", 80, "compute_70"), "nested_loops"), 80)
    numbers = list(range(len(graph.blocks)))
    assert match_blocks(graph, numbers, graph, numbers) == ()


def test_names_without_the_parts_that_change() -> None:
    assert stable_name("$__internal_12_$__cuda_sm20_div_s64") == "__cuda_sm20_div_s64"
    assert stable_name("_Z4cubef") == "_Z4cubef"


@pytest.mark.parametrize(("here", "there", "least"), [(70, 80, 0.99), (70, 90, 0.98), (90, 100, 0.99), (80, 120, 0.97)])
def test_matches_agree_with_ptx_lines_that_the_matcher_did_not_see(
    corpus: Build, here: int, there: int, least: float
) -> None:
    agreed = known = 0
    for stem in STEMS:
        source, target = corpus(stem, here, "compute_70"), corpus(stem, there, "compute_70")
        for kernel in kernels(source):
            a, b = find_reached_parts(source, kernel)[""][0], find_reached_parts(target, kernel)[""][0]
            shared = compare_lines(a, b)
            assert shared is not None, kernel
            for i, j in match_blocks(a.graph, a.blocks, b.graph, b.blocks):
                share = shared[a.blocks.index(i), b.blocks.index(j)]
                if not np.isnan(share):
                    known += 1
                    agreed += bool(share > 0)
    assert known > 150
    assert agreed / known >= least


def test_a_damaged_line_table_is_no_error() -> None:
    from roofcast.sass.elf import parse_elf
    from roofcast.sass.line_tables import read_ptx_lines
    from sass_builders import elf

    generator = np.random.default_rng(3)
    for size in (0, 5, 12, 40, 200):
        for _ in range(40):
            table = generator.bytes(size)
            body = (max(0, size - 4)).to_bytes(4, "little") + table[4:] if size > 4 else table
            assert isinstance(read_ptx_lines(parse_elf(elf([(".nv_debug_line_sass", 1, body, 0, 0)]))), dict)


def test_source_lines_of_compiled_code(corpus: Build) -> None:
    from roofcast.sass.kernel_summary import list_special_functions

    text = (Path(__file__).parent / "corpus" / "arithmetic.cu").read_text().splitlines()
    for sm in (70, 90, 100):
        cubin = corpus("arithmetic", sm, "compute_70")
        lines = cubin.source_lines("divide_f64")
        each = function(cubin, "divide_f64")
        assert lines is not None
        assert lines.files == ("arithmetic.cu",)
        assert (lines.line[: each.instruction_count // 2] > 0).all()
        start = next(i for i, line in enumerate(text, 1) if "divide_f64" in line)
        end = next(i for i, line in enumerate(text[start:], start + 1) if line.startswith("}"))
        assert set(lines.line[lines.line > 0].tolist()) <= set(range(start, end + 1))
        parts = [p for group in find_reached_parts(cubin, "divide_f64").values() for p in group]
        fast = next(s for s in list_special_functions(parts, None, None, "divide_f64") if s.path == "fast")
        number = int(fast.source.removeprefix("arithmetic.cu:"))
        assert "/" in text[number - 1]
    assert corpus("arithmetic", 80, "compute_70").source_lines("no such function") is None


def test_a_toolkit_headers_line_gives_way_to_its_call() -> None:
    from roofcast.sass.line_tables import find_call

    files = ("k.cu", "cuda_fp16.hpp", "mine.cuh")
    rows = [(1, 0, 12, 1, 0), (1, 16, 900, 2, 1), (1, 32, 5, 3, 1), (1, 48, 901, 2, 2), (1, 64, 902, 2, 99)]
    assert [find_call(rows, r, files) for r in rows] == [(1, 12), (1, 12), (3, 5), (1, 12), (2, 902)]


def test_addresses_of_a_loaded_binary_are_offsets_again(corpus: Build) -> None:
    """The same table with symbols and addresses where the driver had put them."""
    from roofcast.sass.cubin import parse_cubin

    cubin = corpus("memory", 80, "compute_70")
    assert cubin.elf is not None
    data, base = bytearray(cubin.elf.data), 0x7FD5_24FB_8900
    symbols = next(s for s in cubin.elf.sections if s.kind == 2)
    for number, symbol in enumerate(cubin.elf.symbols):
        if symbol.kind == 2:
            struct.pack_into("<Q", data, symbols.offset + 24 * number + 8, base + symbol.value)
    for table in (".debug_line", ".nv_debug_line_sass"):
        content = next(s for s in cubin.elf.sections if s.name == table)
        relocations = next(s for s in cubin.elf.sections if s.name == f".rel{table}")
        for at in range(relocations.offset, relocations.offset + relocations.size, 16):
            place = content.offset + struct.unpack_from("<Q", data, at)[0]
            struct.pack_into("<Q", data, place, base + struct.unpack_from("<Q", data, place)[0])
    loaded = parse_cubin(bytes(data))
    for name in kernels(cubin):
        one, other = cubin.source_lines(name), loaded.source_lines(name)
        assert one is not None
        assert other is not None
        np.testing.assert_array_equal(one.line, other.line)
        np.testing.assert_array_equal(cubin.ptx_lines(name), loaded.ptx_lines(name))
        assert function(cubin, name).parts == function(loaded, name).parts


def test_intensity_per_level_here_and_there(corpus: Build) -> None:
    source, target = corpus("memory", 80, "compute_70"), corpus("memory", 80, "compute_70", 24)
    counts = made_up_counts(source, "spilling")
    item = Input(
        "spilling", "spilling", 0, source, counts, bytes_by_level={"bytes_l1": 1e9, "bytes_dram": float("nan")}
    )
    found = summarise(item, Against(80, target.elf.data if target.elf else b"", "other.cubin"))
    comparison = found.comparison
    assert comparison is not None
    work = sum(found.flops_code.values()) - found.phantom_flops_fp16
    assert dict(found.flops_per_byte) == {"bytes_l1": work / 1e9}
    if comparison.is_applied:
        local = (comparison.bytes_local_there or 0.0) - (comparison.bytes_local_here or 0.0)
        ratio = comparison.carried.ratio_of_work("flops_fp64") if comparison.carried else 1.0
        assert found.flops_per_byte_against["bytes_l1"] == pytest.approx(work * ratio / (1e9 + local))
    else:
        assert dict(found.flops_per_byte_against) == {}
    assert dict(summarise(Input("spilling", "spilling", None, source)).flops_per_byte) == {}
