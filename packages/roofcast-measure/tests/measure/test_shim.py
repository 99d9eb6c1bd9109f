"""The same .cu files as C++ on the CPU: they compute what float64 references say."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from roofcast.core.errors import RoofcastError
from roofcast_measure import shim, suite
from roofcast_measure.driver import Source
from roofcast_measure.inputs import compare, make_inputs
from roofcast_measure.programs import Program
from roofcast_measure.references import expected_of
from roofcast_measure.running import verify
from shim_driver import ShimDriver


@pytest.mark.parametrize("name", list(suite.SUITE))
def test_every_program_gives_the_references_numbers(cpu: ShimDriver, name: str) -> None:
    program = suite.load(name)
    off = verify(cpu, program, cpu.load(program.code))
    assert off <= program.tolerance
    assert cpu.allocated == 0


@pytest.mark.parametrize("name", list(suite.SUITE))
def test_other_sizes_and_data_too(cpu: ShimDriver, name: str) -> None:
    """Sizes that are no multiples of anything; kernels with fixed block shapes keep what they require."""
    program = suite.load(name)
    further = {"n": 61, "rows": 33, "cols": 65, "ni": 6, "nj": 35, "nk": 67, "m": 19, "nx": 5, "ny": 66, "nb": 70}
    fixed = {"gramschm_polybench": {"n": 5, "m": 30}, "strided_copy_8": {"n": 2104}}
    sizes = {k: further.get(k, v) for k, v in program.check.items()} | fixed.get(name, {})
    verify(cpu, dataclasses.replace(program, check=sizes), cpu.load(program.code))


def test_references_leave_their_inputs_alone(everything: list[Program]) -> None:
    for program in everything:
        sizes = program.sizes(program.check)
        inputs = make_inputs(program, sizes)
        before = {n: a.copy() for n, a in inputs.items()}
        expected_of(program, inputs, sizes)
        assert all(np.array_equal(before[n], inputs[n]) for n in inputs), program.name


MUTATIONS = {
    "saxpy": ("alpha * x[i]", "x[i]"),
    "matmul_tiled": ("left[y][k] * right[k][x]", "left[k][y] * right[k][x]"),
    "conv2d_7x7": ("max(r + i, 0)", "max(r - i, 0)"),
    "reduce_sum": ("half > 0", "half > 1"),
    "shared_transpose": ("r < cols && c < rows", "r < rows && c < cols"),
    "gramschm_polybench": ("j <= step", "j < step"),
    "knn": ("held == k && here >=", "held == k && here <"),
    "hydro1d": ("jump < 0.0", "jump > 0.0"),
    "corr_polybench": ("found <= 0.005f", "found <= 5.0f"),
    "random_access": ("a[index[i]]", "a[i]"),
    "histogram": ("atomicAdd(&bins[t], mine[t])", "bins[t] = mine[t]"),
    "corners": ("force * w", "force * v"),
    "transport": ("draw < absorb", "draw <= 2 * absorb"),
    "docking": ("sum < best", "sum > best"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(MUTATIONS))
def test_a_wrong_kernel_is_refused(compiler: str, name: str) -> None:
    old, new = MUTATIONS[name]
    program = suite.load(name)
    assert old in program.text
    wrong = dataclasses.replace(program, text=program.text.replace(old, new))
    driver = ShimDriver()
    with pytest.raises(RoofcastError, match=f"{name}: .* is wrong: off by"):
        verify(driver, wrong, driver.load(wrong.code))


@pytest.mark.slow
def test_without_its_barrier_a_kernel_is_wrong(compiler: str) -> None:
    """Threads take turns at barriers only, so a missing one shows on the CPU as well."""
    program = suite.load("matmul_tiled")
    wrong = dataclasses.replace(program, text=program.text.replace("__syncthreads();", "", 1))
    driver = ShimDriver()
    with pytest.raises(RoofcastError, match="is wrong"):
        verify(driver, wrong, driver.load(wrong.code))


def test_a_program_without_a_reference_is_not_run(cpu: ShimDriver) -> None:
    stranger = dataclasses.replace(suite.load("saxpy"), name="stranger")
    with pytest.raises(RoofcastError, match="no reference"):
        expected_of(stranger, make_inputs(stranger, stranger.sizes(stranger.check)), stranger.check)


@pytest.mark.slow
def test_launch_dimensions_atomics_and_shared_memory(compiler: str) -> None:
    text = """
extern "C" __global__ void count(int* total, int* last) {
  __shared__ int here;
  if (threadIdx.x == 0 && threadIdx.y == 0) here = 0;
  __syncthreads();
  atomicAdd(&here, 1);
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) atomicAdd(total, here * (int)gridDim.z);
  *last = blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z + 1000 * threadIdx.y;
}
"""
    library = shim.compiled((Source("count", text, ("count",)),))
    total, last = np.zeros(1, np.int32), np.zeros(1, np.int32)
    library.launch("count", (2, 3, 4), (5, 6), [("", total), ("", last)])
    assert total[0] == 2 * 3 * 4 * 30 * 4
    assert last[0] == 1 + 10 * 2 + 100 * 3 + 1000 * 5


@pytest.mark.slow
def test_unknown_kernels_and_broken_sources_are_one_line(compiler: str) -> None:
    library = shim.compiled((Source("one", 'extern "C" __global__ void one() {}', ("one",)),))
    with pytest.raises(RoofcastError, match="no such kernel"):
        library.launch("two", (1,), (1,), [])
    with pytest.raises(RoofcastError, match="cannot compile the suite") as found:
        shim.compiled((Source("bad", "void bad( {", ("bad",)),))
    assert "\n" not in str(found.value)


def test_without_a_compiler_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shim, "COMPILERS", ())
    with pytest.raises(RoofcastError, match="needs a C\\+\\+ compiler"):
        shim.build((suite.load("saxpy").code,))


def test_results_are_compared_by_name(cpu: ShimDriver) -> None:
    program = suite.load("saxpy")
    sizes = program.sizes(program.check)
    expected = expected_of(program, make_inputs(program, sizes), sizes)
    with pytest.raises(RoofcastError, match="y is wrong: off by inf"):
        compare(program, {"y": np.full(len(expected["y"]), np.nan)}, expected)
