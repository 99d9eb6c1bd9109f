"""The suite's programs: complete, and each header says something that can be true."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from roofcast.core.errors import InputError, RoofcastError
from roofcast.core.resource import Resource
from roofcast_measure import suite
from roofcast_measure.closed_forms import evaluate
from roofcast_measure.inputs import MOST_RANDOM, deviation, make_inputs
from roofcast_measure.programs import Kernel, Program, configuration_name, parse_program
from roofcast_measure.references import REFERENCES

NAMES = [*suite.SUITE, suite.EIGHT_STEPS]
REPORT = [n for n, source in suite.SUITE.items() if source == "Srivastava2025"]
HEADER = suite.load("saxpy").text


def amounts(program: Program, kernel: Kernel, number: int) -> dict[str, float]:
    sizes = program.sizes(program.configurations[number]) | {"p_first": 0.5, "p_second": 0.5}
    return {name: kernel.amount(name, sizes) for name in kernel.amounts}


def test_the_reports_16_kernels_have_its_71_configurations() -> None:
    programs = [suite.load(n) for n in REPORT]
    assert len(programs) == 16
    assert sum(len(p.configurations) for p in programs) == 71
    assert all(len(p.kernels) == 1 and p.kernels[0].name == p.name for p in programs)
    lengths = {c["n"] for p in programs for c in p.configurations if set(c) == {"n"}}
    assert {262144, 1048576, 4194304, 16777216} <= lengths
    assert {(c["rows"], c["cols"]) for p in programs for c in p.configurations if "rows" in c} == {
        (n, n) for n in (512, 1024, 2048, 4096)
    }
    assert [c["n"] for c in suite.load("matmul_tiled").configurations] == [256, 512, 1024, 2048]


def test_the_papers_programs_are_there_in_its_sizes() -> None:
    assert sum(n.endswith("_polybench") for n in suite.SUITE) == 13
    assert {"n": 131072 // 4, "m": 131072} in [dict(c) for c in suite.load("gramschm_polybench").configurations]
    assert suite.load("knn").configurations[-1]["nb"] == 16384
    assert len([k for k in suite.load("hydro1d").kernels if not k.once]) == 9
    assert suite.load("hydro1d").configurations[-1]["n"] == 50_000_000


def test_every_file_is_in_the_registry_and_every_program_has_a_reference() -> None:
    assert sorted(p.stem for p in suite.FOLDER.glob("*.cu")) == sorted(NAMES)
    assert set(REFERENCES) == set(NAMES)


def test_kernel_names_are_unique() -> None:
    names = Counter(k.name for n in NAMES for k in suite.load(n).kernels)
    assert max(names.values()) == 1


def expanded(text: str) -> str:
    """The text with its macros for lists of parameters, and for whole kernels, in their places."""
    lines = text.replace("\\\n", " ")
    lists = dict(re.findall(r"^#define ([A-Z]+) (.*)$", lines, re.MULTILINE))
    kernels = [*re.finditer(r"^KERNEL\((\w+), \(.*?\), \w+<\w+>\(.*?\), (.*)\)$", lines, re.MULTILINE)]
    lines += "".join(f'extern "C" __global__ void {k[1]}(ARRAYS, double* partial, SIZES, {k[2]})' for k in kernels)
    for name, what in lists.items():
        lines = re.sub(rf"\b{name}\b", what, lines)
    return lines


@pytest.mark.parametrize("name", NAMES)
def test_the_header_describes_the_code(name: str) -> None:
    program = suite.load(name)
    kernel_head = r'extern "C" __global__ void (?:__launch_bounds__\([^)]*\) )?(\w+)\(([^)]*)\)'
    in_code = re.findall(kernel_head, expanded(program.text))
    # In the macro that defines kernels the name is a parameter.
    in_code = [(k, p) for k, p in in_code if k != "name"]
    assert sorted(k for k, _ in in_code) == sorted(k.name for k in program.kernels)
    parameters = dict(in_code)
    sizes = program.sizes(program.check) | {"p_first": 0.5, "p_second": 0.5}
    for kernel in program.kernels:
        stated = [
            re.split(r"[ *]+", p.replace("__restrict__ ", "").strip())[-1] for p in parameters[kernel.name].split(",")
        ]
        assert [n.removesuffix("_by_band") for n, _ in kernel.arguments] == stated, kernel.name
        kinds = {"i32": "int ", "f32": "float ", "f64": "double "}
        for (_, kind), text in zip(kernel.arguments, parameters[kernel.name].split(","), strict=True):
            assert ("*" in text) == (not kind)
            assert not kind or text.strip().startswith(kinds[kind])
        for further in kernel.repeat or ():
            sizes.setdefault(further, 0)
        grid, block = kernel.launch(sizes)
        assert 1 <= np.prod(block) <= 1024
        assert np.prod(grid) * np.prod(block) >= evaluate(kernel.threads, sizes) > 0, kernel.name
        assert kernel.access
        assert {"bytes_dram_read", "bytes_dram_write"} <= set(kernel.amounts)
        assert kernel.name.startswith("gpp_") or "bytes_l2" in kernel.amounts


@pytest.mark.parametrize("name", list(suite.SUITE))
def test_every_size_changes_the_work(name: str) -> None:
    """The fault of the report's own data: sizes that change nothing."""
    program = suite.load(name)
    for kernel in program.kernels:
        seen = [tuple(sorted(amounts(program, kernel, i).items())) for i in range(len(program.configurations))]
        assert len(set(seen)) == len(seen), kernel.name
        assert all(v >= 0 for a in seen for _, v in a)
    first, last = (amounts(program, program.kernels[-1], i) for i in (0, -1))
    assert max(last[n] / first[n] for n in first if first[n]) >= 4 or name == "shared_bank_conflict"


def test_bank_conflicts_follow_the_stride() -> None:
    program = suite.load("shared_bank_conflict")
    passes = [amounts(program, program.kernels[0], i)["shared_bank_conflicts"] for i in range(7)]
    loads = [32 * c["blocks"] * c["iters"] for c in program.configurations]
    per_load = [p / n + 1 for p, n in zip(passes, loads, strict=True)]
    assert per_load == [32, 1, 2, 4, 8, 16, 32]


def test_amounts_are_in_the_vocabulary_of_resources() -> None:
    stated = {n for name in NAMES for k in suite.load(name).kernels for n in k.amounts}
    assert {Resource.FLOPS_FP32, Resource.FLOPS_FP64, Resource.BYTES_L2, Resource.ATOMICS_L2} <= stated


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("/* roofcast", "/* other"), "no header"),
        (('grid = ["ceil(n / 256)"]\n', ""), "does not say 'grid'"),
        (("flops_fp32 =", "flops_fp33 ="), "not in the vocabulary: flops_fp33"),
        (('"f32[n] in"', '"f99[n] in"'), "is not e.g."),
        (("tolerance = 1e-6", "tolerance = ["), "bad header"),
        (("tolerance = 1e-6", "tolerance = 1e-6\nspeed = 3"), "unknown in the header: speed"),
    ],
)
def test_a_bad_header_is_one_line(change: tuple[str, str], message: str) -> None:
    assert change[0] in HEADER
    with pytest.raises(InputError, match=re.escape(message)):
        parse_program(HEADER.replace(*change), "saxpy")


def test_selection() -> None:
    assert [p.name for p in suite.selected("^matmul")] == ["matmul_naive", "matmul_tiled"]
    assert [p.name for p in suite.selected("hydro1d_energy")] == ["hydro1d"]
    for pattern in ("(", "no such kernel"):
        with pytest.raises(RoofcastError, match="--kernel"):
            suite.selected(pattern)
    with pytest.raises(RoofcastError, match="--list"):
        suite.load("../../etc/passwd")


def test_inputs_are_the_same_for_the_same_seed_and_bounded_on_the_host() -> None:
    program = suite.load("atax_polybench")
    sizes = program.sizes(program.check)
    first, second, other = (make_inputs(program, sizes, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(first[n], second[n]) for n in first)
    assert not np.array_equal(first["a"], other["a"])
    large = make_inputs(program, program.sizes({"nx": 5000, "ny": 5000}))
    assert len(large["a"]) == MOST_RANDOM < 5000 * 5000
    places = make_inputs(suite.load("random_access"), {"n": 1000})["index"]
    assert places.min() >= 0
    assert places.max() < 1000


def test_a_value_that_is_not_finite_deviates() -> None:
    assert deviation(np.array([1.0, np.nan]), np.array([1.0, 1.0])) == np.inf
    assert deviation(np.array([1.0, 2.0]), np.array([1.0, 4.0])) == 0.5


def test_configuration_names() -> None:
    assert configuration_name({"n": 8, "cache": "cold"}) == "n=8;cache=cold"


PORTABLE = {
    "__global__", "__device__", "__shared__", "__syncthreads", "__restrict__", "__launch_bounds__", "__align__",
    "__noinline__", "__VA_ARGS__",
}  # fmt: skip
"""What CUDA and HIP spell and mean the same, on warps of 32 and wavefronts of 64."""


@pytest.mark.parametrize("name", NAMES)
def test_the_sources_are_hip_as_well(name: str) -> None:
    code = re.sub(r"/\*.*?\*/", "", suite.load(name).text, flags=re.DOTALL)
    assert set(re.findall(r"\b__\w+", code)) <= PORTABLE
    assert not re.search(r"\b(asm|warpSize|cuda\w+|cooperative_groups|#include|double[234]|float[234])\b|<<<", code)
