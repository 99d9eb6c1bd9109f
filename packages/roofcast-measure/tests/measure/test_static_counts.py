"""Machine code against closed forms: every kernel compiles for every architecture and does what its header claims."""

from __future__ import annotations

import numpy as np
import pytest

from roofcast.__main__ import main
from roofcast.core.errors import InputError
from roofcast.sass.blocks import build_graph
from roofcast.sass.cubin import parse_cubin
from roofcast.sass.work import amounts_per_execution
from roofcast_measure import gpp, gpp_code, suite
from roofcast_measure.closed_forms import COSTS, evaluate
from roofcast_measure.compiling import ARCHITECTURES, cache_key, compile_to_cubin
from roofcast_measure.gpp import VERSIONS
from roofcast_measure.programs import Program, parse_program
from static_counts import COUNTED, INSTRUCTIONS, count, loop_bodies, static_sizes, with_rolled_loops

pytestmark = [pytest.mark.usefixtures("nvrtc"), pytest.mark.slow]


@pytest.mark.parametrize("sm", ARCHITECTURES)
def test_every_kernel_does_what_its_header_claims(sm: int) -> None:
    compared = 0
    for program in suite.programs():
        sizes = static_sizes(program)
        for kernel in program.kernels:
            found = count(program, kernel, sm, sizes)
            for column in COUNTED:
                stated = kernel.amount(column, sizes) if column in kernel.amounts else 0.0
                if kernel.static == "exact":
                    assert found.per_launch[column] == pytest.approx(stated, rel=1e-12), (kernel.name, column)
                    compared += stated > 0
                else:
                    assert found.per_launch[column] >= stated, (kernel.name, column)
            for column in INSTRUCTIONS if kernel.static == "exact" else ():
                stated = kernel.amount(column, sizes) if column in kernel.amounts else 0.0
                assert found.per_launch[column] == pytest.approx(stated, rel=1e-12), (kernel.name, column)
            assert not found.frame_bytes, f"{kernel.name} spills"
    assert compared > 90


def test_the_mix_and_the_flops_of_a_header_agree() -> None:
    for program in suite.programs():
        sizes = static_sizes(program)
        for kernel in program.kernels:
            for precision in ("fp32", "fp64"):
                if f"insts_{precision}_fma" in kernel.amounts:
                    add, mul, fma = (kernel.amount(f"insts_{precision}_{k}", sizes) for k in ("add", "mul", "fma"))
                    assert add + mul + 2 * fma == kernel.amount(f"flops_{precision}", sizes), kernel.name


def test_exact_is_the_rule_and_bound_the_exception() -> None:
    kernels = [k for p in suite.programs() for k in p.kernels]
    assert {k.static for k in kernels} == {"exact", "bound"}
    assert sum(k.static == "bound" for k in kernels) <= 9


@pytest.mark.parametrize("sm", [70, 90, 120])
def test_the_eight_steps_compile_and_their_inner_loops_hold_the_stated_work(sm: int) -> None:
    program = suite.load(suite.EIGHT_STEPS)
    cubin = parse_cubin(compile_to_cubin(with_rolled_loops(program.text), program.name, sm))
    one = {"nbands": 1, "ngpown": 1, "ncouls": 1, "nw": 2, "blocks": 1, "p_first": 1, "p_second": 1}
    two = {**one, "ncouls": 2}
    for version in range(9):
        kernel = program.kernel(f"gpp_v{version}")
        function = cubin.function(kernel.name)
        assert function is not None
        graph = build_graph(function, sm)
        each = amounts_per_execution(graph.code)[0]["flops_fp64"]
        inner = max(
            sum(float(each[graph.blocks[b].first : graph.blocks[b].end].sum()) for b in body if b < len(graph.blocks))
            for body in loop_bodies(graph)
        )
        # Both branches stand in the code; compilers share and hoist a little of it.
        stated = kernel.amounts["flops_fp64"]
        assert inner == pytest.approx(evaluate(stated, two) - evaluate(stated, one), rel=0.12), kernel.name
        assert function.registers is not None
        assert function.registers <= (128 if version == 8 else 255)


@pytest.mark.parametrize("sm", gpp_code.ARCHITECTURES)
def test_the_cause_of_each_step_of_the_paper_shows_in_the_machine_code(sm: int) -> None:
    v = gpp_code.read_code([sm])
    assert [c.version for c in v] == list(VERSIONS)
    assert (v[0].divides, v[0].reciprocals) == (12, 0), "two per complex division, two frequencies"
    assert (v[1].divides, v[1].reciprocals) == (0, 6)
    assert v[2].branches < v[1].branches
    assert v[2].roots == 7
    assert v[3].roots == 0
    assert v[4].loaded_bytes < 0.6 * v[3].loaded_bytes
    assert v[4].registers > v[3].registers
    assert v[4].warps_per_sm < v[3].warps_per_sm
    assert v[5].registers < v[4].registers
    assert v[5].branches < v[4].branches
    assert v[5].warps_per_sm > v[4].warps_per_sm
    assert v[6].loaded_bytes < 0.4 * v[5].loaded_bytes, "the tile is loaded once"
    assert v[7].index_instructions < 0.6 * v[6].index_instructions
    paper = {s.version: s for s in gpp.published().of("Si-214")}
    for c in v[6:]:
        assert c.registers == pytest.approx(paper[c.version].regs_per_thread, rel=0.09)
        assert c.warps_per_sm == paper[c.version].warps_per_sm
    assert v[8].spilled_bytes > 0 == v[7].spilled_bytes
    assert all(0.45 < c.fma_fraction < 0.65 for c in v), "the paper counts 58 %"


def test_what_the_compiler_does_by_itself_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "gpp", "--code", "--sm", "70", "--plain"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "left to the compiler (--plain): v1 has the hot loop of v2" in out
    plain = {c.version: c for c in gpp_code.read_code([70], plain=True)}
    assert plain["v7"].registers < 128, "so that the cap of v8 would not bind"
    assert main(["measure", "gpp", "--code", "--sm", "x"]) == 2
    assert "--sm x: want architectures such as 70,80,90" in capsys.readouterr().err


@pytest.mark.parametrize("sm", [75, 80, 120])
def test_divisions_and_roots_cost_what_the_closed_forms_say(sm: int) -> None:
    forms = ("a[0] / x", "sqrtf(x)", "a[0] / x", "1.0 / x", "sqrt(x)")
    operations = list(zip(("float", "float", "double", "double", "double"), forms, strict=True))
    text = "".join(
        f'extern "C" __global__ void k{i}({t}* a) {{ {t} x = a[threadIdx.x]; a[threadIdx.x] = {e}; }}\n'
        for i, (t, e) in enumerate(operations)
    )
    cubin = parse_cubin(compile_to_cubin(text, "costs", sm))
    for i, name in enumerate(("DIV32", "SQRT32", "DIV64", "RCP64", "SQRT64")):
        function = cubin.function(f"k{i}")
        assert function is not None
        graph = build_graph(function, sm)
        each = amounts_per_execution(graph.code)[0][f"flops_fp{name[-2:]}"]
        own = [b for b in graph.blocks if b.part == f"k{i}"]
        assert sum(float(each[b.first : b.end].sum()) for b in own) == COSTS[name], name


def changed(program: Program, old: str, new: str) -> Program:
    assert old in program.text
    return parse_program(program.text.replace(old, new), program.name)


@pytest.mark.parametrize(
    ("name", "old", "new", "column"),
    [
        ("saxpy", "alpha * x[i] + y[i]", "alpha * x[i] + y[i] + 1.5f", "flops_fp32"),
        ("saxpy", 'flops_fp32 = "2 * n"', 'flops_fp32 = "3 * n"', "flops_fp32"),
        ("matmul_naive", "a[row * n + k] * b", "a[row * n + k] * a[k] * b", "bytes_l1"),
        ("hydro1d", "gamma_minus_1 * density[i]", "density[i]", "flops_fp64"),
    ],
)
def test_the_check_sees_a_header_that_lies(name: str, old: str, new: str, column: str) -> None:
    program = changed(suite.load(name), old, new)
    sizes = static_sizes(program)
    wrong = [
        k.name
        for k in program.kernels
        if count(program, k, 80, sizes).per_launch[column] != pytest.approx(k.amount(column, sizes))
    ]
    assert wrong


def test_another_number_of_loops_is_refused() -> None:
    program = changed(suite.load("matmul_naive"), 'loops = ["n"]\n', "")
    with pytest.raises(InputError, match="1 loops in the code of sm_80, 0 in the header"):
        count(program, program.kernels[0], 80, static_sizes(program))


def test_compilation_errors_are_one_line() -> None:
    for text, sm in (("void f( {", 80), ('extern "C" __global__ void f() {}', 33)):
        with pytest.raises(InputError) as found:
            compile_to_cubin(text, "broken", sm)
        assert "\n" not in str(found.value)


def test_equal_texts_share_one_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'extern "C" __global__ void f(int* a) { *a = 7; }'
    first = compile_to_cubin(text, "f", 80)
    monkeypatch.setattr("roofcast_measure.compiling.load_nvrtc", lambda: pytest.fail("compiled again"))
    assert compile_to_cubin(text, "g", 80) == first
    assert cache_key(text, 80) != cache_key(text, 86)
    assert np.frombuffer(first, np.uint8)[:4].tobytes() == b"\x7fELF"


def test_a_machine_without_the_compiler_runs_what_was_compiled_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    code = suite.load("vector_add").code
    first = compile_to_cubin(code.text, code.name, 90)
    monkeypatch.setattr("roofcast_measure.compiling.load_nvrtc", lambda: pytest.fail("compiled again"))
    assert compile_to_cubin(code.text, code.name, 90) == first
