"""Names of library kernels as public profiles have them."""

from __future__ import annotations

import pytest

from roofcast.core.precision import pipe_of
from roofcast.core.resource import Resource
from roofcast.operators.kernel_names import LibraryKernel, Operation, head_of, library_kernel

CUTE = (
    "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int, int>, cutlass::gemm::"
    "collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecializedFP8<5, cute::tuple<cute::C<2>, "
    "cute::C<1>, cute::C<1>>>, cute::tuple<cute::C<128>, cute::C<64>, cute::C<128>>, cutlass::float_e4m3_t>>>"
)
FLASH = (
    "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::half_t>, false, true>"
    "(Flash_fwd_params)"
)
ANON = "void at::native::(anonymous namespace)::"

Tile = tuple[int | None, int | None, int | None]
MATRIX_NAMES: list[tuple[str, str, str, Tile, int | None, int | None, str]] = [
    # name, operation, precision, tile m n k, stages, split, architecture
    ("ampere_sgemm_128x64_nn", "gemm", "fp32", (128, 64, None), None, None, "sm_80"),
    ("volta_sgemm_32x32_sliced1x4_tn", "gemm", "fp32", (32, 32, None), None, 4, "sm_70"),
    ("maxwell_sgemm_128x128_nn", "gemm", "fp32", (128, 128, None), None, None, "sm_50"),
    ("sgemm_128x128x8_NT_vec", "gemm", "fp32", (128, 128, 8), None, None, ""),
    ("volta_dgemm_64x64_tn", "gemm", "fp64", (64, 64, None), None, None, "sm_70"),
    ("ampere_gcgemm_64x64_nt", "gemm", "fp32", (64, 64, None), None, None, "sm_80"),
    ("volta_h884gemm_64x128_ldg8_nn", "gemm", "fp16", (64, 128, None), None, None, "sm_70"),
    ("volta_s884gemm_fp16_128x64_ldg8_f2f_nn", "gemm", "fp16", (128, 64, None), None, None, "sm_70"),
    ("turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn", "gemm", "fp16", (128, 128, None), None, None, "sm_75"),
    ("ampere_bf16_s16816gemm_bf16_128x64_ldg8_relu_f2f_stages_64x4_tn", "gemm", "bf16", (128, 64, 64), 4, None,
     "sm_80"),
    ("ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8_f2f_stages_64x5_tn", "gemm", "fp16", (64, 64, 64), 5, 2,
     "sm_80"),
    ("ampere_tf32_s1688gemm_tf32_128x128_ldg8_f2f_stages_32x3_nn", "gemm", "tf32", (128, 128, 32), 3, None, "sm_80"),
    ("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4>(Params)", "gemm", "tf32",
     (128, 128, 16), 5, None, "sm_80"),
    ("void cutlass::Kernel<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(Params)", "gemm", "fp32", (256, 128, 8), 4,
     None,
     "sm_80"),
    ("cutlass_sm80_tensorop_f16_s16x8x16gemm_f16_1x1x1_128x256_64x3_tt_align4", "gemm", "fp16", (128, 256, 64), 3, None,
     "sm_80"),
    ("cutlass3x_sm90_tensorop_s64x128x16gemm_f16_f16_f32_f16_f16_128x128x64_2x1x1_0_tnn_align8_warpspecialized", "gemm",
     "fp16", (128, 128, 64), None, None, "sm_90"),
    ("sm100_tensorop_s64x256x32gemm_f8_f8_f32_f16_f16_64x256x128_1x1x1_0_tnn_align4_1sm_bias_f16_relu", "gemm", "fp8",
     (64, 256, 128), None, None, "sm_100"),
    ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel",
     "gemm", "bf16", (128, 128, 64), None, None, "sm_90"),
    ("sm89_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize128x64x64_stage4_warpsize2x2x1_tensor16x8x32_kernel", "gemm",
     "fp8", (128, 64, 64), 4, None, "sm_89"),
    ("sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x64x32_stage3_warpsize2x2x1_ffma_aligna4_alignc4", "gemm",
     "fp32", (128, 64, 32), 3, None, "sm_80"),
    ("nvjet_hsh_256x128_64x4_1x2_h_bz_coopA_NTT", "gemm", "fp16", (256, 128, 64), 4, None, ""),
    ("nvjet_tst_192x8_64x8_4x1_v_bz_TNT", "gemm", "bf16", (192, 8, 64), 8, None, ""),
    ("nvjet_qqtst_128x128_128x6_2x1_v_bz_TNN", "gemm", "fp8", (128, 128, 128), 6, None, ""),
    ("bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_cga1x1x1_sm100f", "gemm", "fp8",
     (128, 16, 256), 3, None, "sm_100"),
    (CUTE, "gemm", "fp8", (128, 64, 128), None, None, ""),
    ("_ZN7cutlass7Kernel2I66cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8EEvNT_6ParamsE", "gemm",
     "bf16", (64, 64, 64), 6, None, "sm_80"),
    ("Cijk_Ailk_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT16x64x64_MI16x16x1_SN_LDSB0", "gemm", "bf16", (16, 64, 64), None,
     None, ""),
    ("Cijk_Alik_Bljk_HHS_BH_MT256x128x32_MI32x32x8x1_SN_GSU4_GSUASB", "gemm", "fp16", (256, 128, 32), None, 4, ""),
    ("Cijk_Ailk_Bjlk_SB_MT128x64x16_SE_K1", "gemm", "fp32", (128, 64, 16), None, None, ""),
    ("volta_scudnn_128x64_relu_interior_nn_v1", "convolution", "fp32", (128, 64, None), None, None, "sm_70"),
    ("turing_fp16_s1688cudnn_fp16_256x64_ldg8_relu_f2f_exp_small_nhwc_tn_v1", "convolution", "fp16", (256, 64, None),
     None, None, "sm_75"),
    ("sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16_stage4_warpsize2x2x1",
     "convolution", "tf32", (128, 128, 16), 4, None, "sm_80"),
    ("igemm_fwd_gtcx2_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2", "convolution", "bf16", (128, 128, 32),
     None,
     None, ""),
    ("void cudnn::winograd_nonfused::winogradForwardFilter4x4<float, float>(Params)", "convolution", "fp32",
     (None, None, None), None, None, ""),
    (FLASH, "attention", "fp16", (128, 64, 128), None, None, ""),
    ("fmha_cutlassF_f16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<cutlass::half_t>::Params)",
     "attention", "fp16", (64, 64, None), None, None, "sm_80"),
    ("fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext", "attention", "fp8",
     (128, 128, None), None, None, ""),
    ("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1_kernel0_0", "attention",
     "fp16", (64, 128, 128), None, None, "sm_90"),
]  # fmt: skip

OTHER_NAMES = [
    ("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, array<char*>>",
     "elementwise", "bf16"),
    ("void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl<at::native::direct_copy_kernel_cuda",
     "elementwise", ""),
    ("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEENS_6detail5ArrayIPcLi3EEEEEviT0_T1_",
     "elementwise", "fp32"),
    (ANON + "softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 3, false, false>(c10::BFloat16*)", "softmax",
     "bf16"),
    (ANON + "cunn_SoftMaxForward<4, float, float, float, at::na", "softmax", "fp32"),
    (ANON + "vectorized_layer_norm_kernel<float, float>(int, fl", "normalisation", "fp32"),
    ("std::enable_if<(((8)>(0)))&&vllm::_typeConvert<c10::BFloat16>::exists, void>::type vllm::"
     "fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*)", "normalisation", "bf16"),
    ("void at::native::batch_norm_collect_statistics_kernel<at::native::Var, c10::Half, c10::Half, float, int>()",
     "normalisation", "fp16"),
    ("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::NormTwoOps<float, float>>>",
     "reduction", "fp32"),
    ("void cublasLt::splitKreduce_kernel<32, 16, int, double, double, double, double, true, false, false>()",
     "reduction", "fp64"),
    ("void gemv2T_kernel_val<int, int, __half, __half, __half, float, 128, 16, 4, 4, false, false, cublasGemvParams>",
     "gemv", "fp16"),
    ("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, __nv_bfloat16, float, false, 7, false>",
     "gemv", "bf16"),
    ("triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_3", "normalisation", ""),
    ("triton_poi_fused_mul_silu_2", "elementwise", ""),
    ("triton_per_fused__softmax_1", "softmax", ""),
    ("fused_moe_kernel", "mixture_of_experts", ""),
    ("void moe::dev::routing::routingIndicesHistogramKernel<moe::dev::routing::KernelParams<float>>", "sort", "fp32"),
    ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "communication", "bf16"),
    ("cupy_multiply__float64_float64_float64", "elementwise", "fp64"),
    (ANON + "CatArrayBatchedCopy<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 3, 64, 64>",
     "copy", ""),
    ("void fft2d_r2c_32x32<float, false, 0u, false>(float2*, float const*, cudnn::reduced_divisor)", "fft", "fp32"),
]  # fmt: skip

NOT_A_LIBRARY = [
    "", "matmul(float*, float*, int)", "softmax_kernel(float*, int)", "gemm_naive", "convolution2D", "jacobi_kernel",
    "void reduce5<int, 256>", "attention_kernel1(float*)", "sgemm_shared_mem_block", "sgemm1DBlocktiling<64, 64, 8, 8>",
    "mysgemm_v7", "layernorm_forward_kernel3", "kernel", "<<<>>>", "::::", "(", "_ZN", "_Z9999999x", "\x00\xff",
]  # fmt: skip


@pytest.mark.parametrize(("name", "operation", "precision", "tile", "stages", "split", "architecture"), MATRIX_NAMES)
def test_names_of_matrix_kernels_say_precision_and_tile(
    name: str, operation: str, precision: str, tile: tuple[int | None, ...], stages: int | None, split: int | None,
    architecture: str,
) -> None:  # fmt: skip
    found = library_kernel(name)
    assert found is not None
    assert (found.operation.value, found.precision) == (operation, precision)
    assert (found.tile_m, found.tile_n, found.tile_k) == tile
    assert (found.stages, found.split_k, found.architecture) == (stages, split, architecture)


@pytest.mark.parametrize(("name", "operation", "precision"), OTHER_NAMES)
def test_names_of_other_kernels_say_their_operation(name: str, operation: str, precision: str) -> None:
    found = library_kernel(name)
    assert found is not None
    assert (found.operation.value, found.precision) == (operation, precision)


@pytest.mark.parametrize("name", NOT_A_LIBRARY)
def test_kernels_of_users_are_none(name: str) -> None:
    assert library_kernel(name) is None


def test_any_part_of_a_name_is_read_without_an_error() -> None:
    for name in (*(n[0] for n in MATRIX_NAMES), *(n[0] for n in OTHER_NAMES)):
        for end in range(0, len(name), 3):
            assert library_kernel(name[:end]) is None or isinstance(library_kernel(name[:end]), LibraryKernel)
        assert head_of(name + "<" * 50 + ")" * 50) is not None


@pytest.mark.parametrize(
    ("name", "pipe"),
    [
        ("ampere_sgemm_128x64_nn", Resource.FLOPS_FP32),
        ("nvjet_tst_192x8_64x8_4x1_v_bz_TNT", Resource.FLOPS_TENSOR_BF16),
        (
            "sm80_xmma_gemm_f64f64_f64f64_f64_tn_n_tilesize64x64x16_stage4_tensor8x8x4_kernel",
            Resource.FLOPS_TENSOR_FP64,
        ),
        ("volta_dgemm_64x64_tn", Resource.FLOPS_FP64),
        ("triton_tem_fused_mm_4", None),
    ],
)
def test_the_pipe_follows_precision_and_tensor_use(name: str, pipe: Resource | None) -> None:
    found = library_kernel(name)
    assert found is not None
    assert found.resource is pipe


def test_half_precision_off_the_matrix_stays_on_vector_pipes() -> None:
    assert pipe_of("fp16", matrix=False) is Resource.FLOPS_FP16
    assert pipe_of("int8", matrix=False) is None
    assert Operation.ATTENTION.is_matrix
    assert not Operation.SOFTMAX.is_matrix
