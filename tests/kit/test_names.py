"""Kernel names: what known compilers and libraries emit, uniqueness, hostile input."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report_builders import HOSTILE, table
from roofcast.core.kernel_table import as_text
from roofcast.kit.names import FULL_LIMIT, full_name, short_name, table_names

KNOWN = {
    "_Z10vector_addPKdS0_mPd": "vector_add",
    "_Z22vectorized_blocktilingILi64ELi64ELi8ELi8ELi8EEviiiPKfS1_Pf": "vectorized_blocktiling<64, 64, 8, 8, 8>",
    "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >"
    "(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)": "vectorized_elementwise_kernel<4, … FillFunctor>",
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<bool, at::native::func_wrapper_t<bool, at::native::"
    "and_kernel_cuda(at::TensorIterator&)::{lambda()#1}::operator()() const::{lambda(bool, bool)#1}>, unsigned int> >"
    "(at::native::ReduceOp<bool>)": "reduce_kernel<512, 1, … and_kernel_cuda>",
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8>(cutlass_80::Params)":
    "cutlass_80_tensorop_bf16_s16816g…_64x6_tn_align8",
    "void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::ParallelForAgent<thrust::cuda_cub::"
    "for_each_f<thrust::zip_iterator<int>, saxpy_functor>, long>, long>(long)": "_kernel_agent<… saxpy_functor>",
    "void cub::CUB_200802_SM_900::DeviceRadixSortHistogramKernel<cub::Policy, false>(int)":
    "DeviceRadixSortHistogramKernel<Policy, …>",
    "__omp_offloading_10302_1b_main_l123": "main:123 [omp]",
    "compute_tendencies_x_279_gpu": "compute_tendencies_x_279_gpu",
    "my conv (3x3) of layer 2": "my conv (3x3) of layer 2",
    "triton_poi_fused_add_mul_0": "triton_poi_fused_add_mul_0",
    "matmul_kernel_0d1d2d3de4de5c": "matmul_kernel",
    "julia_frb_5885": "frb [julia]",
    "_ZN7kernels7vec_add17h9b2b3a0e5b4d1b31E": "kernels::vec_add",
    "_RNvCskwGfYPst2Cb_3foo3bar": "foo::bar",
    "main::{lambda(sycl::_V1::handler&)#1}::operator()(sycl::_V1::handler&) const::{lambda(sycl::_V1::id<1>)#1}":
    "main λ",
    "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float, 7>(int)":
    "gemvx::kernel<int, int, float, 7>",
}  # fmt: skip


@pytest.mark.parametrize(("name", "short"), KNOWN.items())
def test_known_names(name: str, short: str) -> None:
    assert short_name(name) == short


def test_kokkos_is_named_after_the_functor() -> None:
    symbol = (
        "_ZN6Kokkos4Impl36cuda_parallel_launch_constant_memoryINS0_11ParallelForIZ21benchmark_collocation6ConfigEUlRKNS0_"
        "14CudaTeamMemberEE_NS_10TeamPolicyIJNS_4CudaEEEES9_EEEEvv"
    )
    assert short_name(symbol) == "ParallelFor benchmark_collocation [Kokkos]"
    # Nsight Compute gives the bare function name beside the symbol: the symbol says more.
    assert short_name("cuda_parallel_launch_constant_memory", 48, symbol) == short_name(symbol)


def test_mangled_name_only_wins_where_it_says_more() -> None:
    assert full_name("saxpy", "saxpy") == "saxpy"
    assert full_name("saxpy(int)", "_Z5saxpyf") == "saxpy(int)"
    assert full_name("saxpy", "not mangled at all") == "saxpy"


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_give_one_printable_line(name: str) -> None:
    for text, limit in ((short_name(name), 48), (full_name(name), FULL_LIMIT), (short_name(name, 8), 8)):
        assert 0 < len(text) <= limit
        assert text.isprintable()


PIECES = [
    "_Z",
    "_ZN",
    "St",
    "IiE",
    "<",
    ">",
    "(",
    ")",
    "::",
    " ",
    "operator",
    "'lambda'",
    "{",
    "}",
    ",",
    "const",
    "_R",
    "a",
]
SYMBOLS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@pytest.mark.slow
@given(name=st.one_of(st.text(), SYMBOLS), limit=st.integers(8, 80))
def test_any_name_gives_a_short_printable_one(name: str, limit: int) -> None:
    short = short_name(name, limit)
    assert 0 < len(short) <= limit
    assert short.isprintable()
    assert short == short.strip()


@given(
    st.lists(
        st.one_of(st.sampled_from(["k", "k #1", "k ~1", "_Z1kv", "k<1>"]), st.text(max_size=60)),
        min_size=1,
        max_size=12,
    )
)
def test_names_of_a_table_differ(names: list[str]) -> None:
    found = table_names(table(names), 24)
    assert len(set(found)) == len(names)
    assert all(0 < len(n) <= 24 for n in found)


def test_launches_of_one_kernel_are_told_apart_by_what_differs() -> None:
    kernels = table(["k", "k", "other"])
    shapes = {"grid": as_text(["(128, 1, 1)", "(64, 2, 1)", "(1, 1, 1)"]), "block": as_text(["(256, 1, 1)"] * 3)}
    with_grid = dataclasses.replace(kernels, text={**kernels.text, **shapes})
    assert table_names(kernels) == ["k #0", "k #1", "other"]
    assert table_names(with_grid) == ["k [128·256]", "k [64×2·256]", "other"]
