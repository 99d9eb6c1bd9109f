"""What the name of a library's kernel says: the operation, its precision, the tile of one thread block.

Libraries compile one kernel per tile, precision and layout, and write them into its name. Source: names in public
profiles of cuBLAS, cuDNN, CUTLASS, PyTorch, Triton, FlashAttention, vLLM, TensorRT-LLM, hipBLASLt, MIOpen and others.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from roofcast.core.patterns import compile_later
from roofcast.core.precision import PRECISION_WORDS, pipe_of
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource


class Operation(StrEnum):
    """What a kernel computes, as far as its cost is concerned."""

    GEMM = "gemm"
    GEMV = "gemv"
    CONVOLUTION = "convolution"
    ATTENTION = "attention"
    MIXTURE_OF_EXPERTS = "mixture_of_experts"
    SOFTMAX = "softmax"
    NORMALISATION = "normalisation"
    REDUCTION = "reduction"
    ELEMENTWISE = "elementwise"
    COPY = "copy"
    GATHER = "gather"
    POOLING = "pooling"
    FFT = "fft"
    SORT = "sort"
    RECURRENT = "recurrent"
    COMMUNICATION = "communication"

    @property
    def is_matrix(self) -> bool:
        """Whether the work is matrix products, which half precision runs on tensor pipes."""
        return self in MATRIX


MATRIX = frozenset(
    {Operation.GEMM, Operation.CONVOLUTION, Operation.ATTENTION, Operation.MIXTURE_OF_EXPERTS, Operation.RECURRENT}
)


@dataclass(frozen=True, slots=True)
class LibraryKernel:
    """What a name says; '' and None where it does not."""

    operation: Operation
    library: str = ""
    precision: str = ""
    """Of the operands: fp64, fp32, tf32, bf16, fp16, fp8, fp4, int8."""
    tensor: bool = False
    """Whether the name says that the products run on tensor pipes."""
    tile_m: int | None = None
    tile_n: int | None = None
    tile_k: int | None = None
    split_k: int | None = None
    """Thread blocks that share one tile's sum, where the name has a number."""
    stages: int | None = None
    """Tiles in flight per block."""
    architecture: str = ""
    """Oldest architecture that the kernel was compiled for: sm_80 ..."""

    @property
    def tile(self) -> tuple[int, int] | None:
        """Rows and columns of the result that one thread block computes."""
        return None if self.tile_m is None or self.tile_n is None else (self.tile_m, self.tile_n)

    @property
    def resource(self) -> Resource | None:
        """The pipe of its floating-point work; None where the name does not say."""
        return pipe_of(self.precision, matrix=self.operation.is_matrix or self.tensor, tensor=self.tensor)


MOE = r"fused_moe|moe_(?:mmk|gemm|kernel|align|sum)|grouped_?gemm|group_gemm|ptrgroupedgemm|moe::dev"
ATTENTION = (
    r"flash_(?:fwd|bwd|attn)|flash.?attention|fmha|attn_(?:fwd|bwd)|paged_attention|unified_attention|\bmha_|mmha|"
    r"multihead_attention|withpagedkvcache|withraggedkvcache|prefillwithkvcache|decodewithkvcache|(?<![a-z])sdpa|"
    r"query_cached_kv_attention|flash_mla|\bmla_|_attention_(?:kernel|fwd|bwd)|fused_attention|decode_attention|"
    r"_fwd_grouped_kernel_stage|_fwd_kernel_stage|cached_kv"
)
CONVOLUTION = (
    r"scudnn|h?cudnn_(?:fp|bf|\d)|[shi]\d{3,5}cudnn|convolve|(?<![a-z])conv(?:olution)?(?:\d?d)?(?![a-z])|fprop|dgrad|"
    r"wgrad|bprop|winograd|igemm_(?:fwd|bwd|wrw)|miopensp3|implicit_gemm|conv_depthwise|conv_bias|conv_fwd|conv_bwd|"
    r"(?<![a-z])conv(?:ocl|asm|hip|bin|mlir|ck|mp)[a-z0-9]|(?<![a-z])gemm(?:fwd|bwd|wrw)(?:\d|rest|universal)"
)
GEMV = r"gemv|gevm|splitk_?gemv|(?<![a-z])dot_kernel"
SPLIT_SUM = r"splitk_?reduce|split_?k_?reduction|reducesplitk"
GEMM = r"gemm|nvjet|cijk_|matmul|(?<![a-z])b?mm(?:_|$)|(?<![a-z])addmm|triton_(?:mm|tem_fused)|syrk"
SOFTMAX = r"soft_?max"
NORMALISATION = (
    r"layer_?norm|rms_?norm|batch_?norm|group_?norm|instance_?norm|gammabeta|rowwisemoments|(?<![a-z])bn_(?:fw|bw)|"
    r"computefusedparams|add_norm|norm_kernel|normalize_kernel|_ln_(?:fwd|bwd)|ln_(?:fwd|bwd)_kernel"
)
ROUTING = r"topk|top_k|radix|sort|scan|bitonic|moe_align|routing|histogram|nonzero|devicepartition|deviceselect|unique"
COMMUNICATION = r"nccl|rccl|all_?reduce|all_?gather|reduce_?scatter|alltoall|sendrecv|nvshmem|broadcast_kernel"
GATHER = (
    r"index_?select|gather|scatter|embedding|index_(?:put|get|elementwise|kernel|copy|add)|take_kernel|cache_kernel|"
    r"reshape_and_cache"
)
COPY = r"catarray|transpose|copy|nchwto|nhwcto|im2col|col2im|memset|(?:^|_)fill|tensor_?permut|permute|pad_kernel|roll_"
POOLING = r"pool(?:ing)?|upsample|interpolat"
REDUCTION = r"reduce|triton_(?:red|per)_|mean_kernel|sum_kernel|nll_loss|cross_?entropy|argmax|argmin|cumsum|norm"
ELEMENTWISE = (
    r"elementwise|triton_poi_|triton_for_|cupy_|optensor|op_tensor|act_and_mul|activation|rotary|rope|dropout|"
    r"multi_tensor_apply|multitensorapply|quant|gelu|silu|relu|sigmoid|tanh|swiglu|addcmul|masked_|add_kernel|"
    r"mul_kernel|scale_kernel|cast_kernel|convert|epilogue|tensorop|adam|sgd_"
)

RULES: tuple[tuple[Operation, re.Pattern[str]], ...] = tuple(
    (operation, compile_later(pattern))
    for operation, pattern in (
        (Operation.ELEMENTWISE, r"triton_poi_"),
        (Operation.SOFTMAX, r"triton_(?:red|per)_\w*softmax"),
        (Operation.NORMALISATION, r"triton_(?:red|per)_\w*(?:norm|rsqrt)"),
        (Operation.REDUCTION, r"triton_(?:red|per)_|moe::dev::finalize|moe_sum"),
        (Operation.COMMUNICATION, COMMUNICATION),
        (Operation.REDUCTION, SPLIT_SUM),
        (Operation.SORT, r"topk|top_k|moe_align|routing"),
        (Operation.MIXTURE_OF_EXPERTS, MOE),
        (Operation.GATHER, r"reshape_and_cache|cache_kernel"),
        (Operation.ATTENTION, ATTENTION),
        (Operation.FFT, r"fft"),
        (Operation.COPY, r"im2col|col2im|nchwto|nhwcto|batched_transpose"),
        (Operation.CONVOLUTION, CONVOLUTION),
        (Operation.GEMV, GEMV),
        (Operation.GEMM, GEMM),
        (Operation.RECURRENT, r"(?<![a-z])(?:lstm|gru|rnn)"),
        (Operation.SOFTMAX, SOFTMAX),
        (Operation.NORMALISATION, NORMALISATION),
        (Operation.ELEMENTWISE, r"rotary|rope_|quantize|for_each|transform_kernel"),
        (Operation.GATHER, GATHER),
        (Operation.COPY, COPY),
        (Operation.POOLING, POOLING),
        (Operation.ELEMENTWISE, ELEMENTWISE),
        (Operation.SORT, ROUTING),
        (Operation.REDUCTION, REDUCTION),
    )
)
"""First match wins: what is particular stands before what is general."""

LIBRARIES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, compile_later(pattern))
    for name, pattern in (
        ("nccl", r"nccl|rccl"),
        ("tensorrt-llm", r"tensorrt_llm|trtllm|fmhasm\d|^bmm_[a-z]\w+_t\d+x|moe::dev"),
        ("flash-attention", r"flash_(?:fwd|bwd|attn)|flash::|flashattn"),
        ("flashinfer", r"flashinfer|withpagedkvcache|withraggedkvcache|prefillwithkvcache|decodewithkvcache"),
        ("cudnn", r"cudnn|scudnn|fprop|dgrad|wgrad|convolve|implicit_gemm"),
        ("cublas", r"cublas|(?:^|_)(?:maxwell|pascal|volta|turing|ampere|hopper)_|nvjet|sm\d+_xmma|splitkreduce|gemv2|"
                   r"gemvx|gemmsn|gemmk1|magma_[sdcz]gemm|^[sdczh]gemm_\d+x\d+"),
        ("deepgemm", r"deep_gemm"),
        ("cutlass", r"cutlass|cute::|sm\d+_tensorop"),
        ("vllm", r"vllm|paged_attention|reshape_and_cache|act_and_mul|fused_moe_kernel|unified_attention"),
        ("sglang", r"sgl_|sglang"),
        ("triton", r"triton_|_kernel_0d1d|^_?attn_(?:fwd|bwd)"),
        ("tensile", r"cijk_"),
        ("miopen", r"miopen|igemm_(?:fwd|bwd|wrw)|batched_transpose_\d|subtensorop"),
        ("composable-kernel", r"\bck::|ck_tile|kernel_\w*xdl"),
        ("pytorch", r"at::|at_cuda|c10::|2at6native|fmha_cutlass|softmax_warp|cunn_softmax"),
        ("apex", r"multi_tensor_apply|cuapplylayernorm"),
        ("cub", r"\bcub::|thrust::|3cub|rocprim"),
        ("cupy", r"^cupy_"),
        ("jax", r"^(?:loop|input|wrapped|gemm)_\w*fusion"),
    )
)  # fmt: skip

WORDS = (
    *("nccl", "rccl", "flash", "fmha", "kvcache", "cudnn", "prop", "grad", "convolve", "gemm", "cublas", "maxwell_"),
    *("pascal_", "volta_", "turing_", "ampere_", "hopper_", "nvjet", "xmma", "splitk", "gemv", "cutlass", "cute::"),
    *("tensorop", "tensorrt", "trtllm", "bmm_", "moe", "vllm", "paged", "reshape", "act_and", "unified", "sgl"),
    *("triton", "0d1d", "attn_", "cijk", "miopen", "transpose", "ck::", "ck_tile", "xdl", "at::", "at_cuda", "c10::"),
    *("at6native", "softmax", "multi_tensor", "cuapply", "cub", "thrust", "rocprim", "cupy", "fusion"),
)
"""One of these is in every library's name: a search for words costs less than one for patterns."""

ARCHITECTURES = {"maxwell": "sm_50", "pascal": "sm_60", "volta": "sm_70", "turing": "sm_75", "ampere": "sm_80",
                 "hopper": "sm_90"}  # fmt: skip
ARCHITECTURE = compile_later(r"(?<![a-z])(?:sm_?|cutlass(?:3x)?_(?:sm)?)(\d{2,3})a?(?=_|[^0-9]|$)")

PRECISION = compile_later(
    r"(?<![a-z0-9])(?P<word>bf16|fp16|f16|tf32|fp8|f8|e4m3|e5m2|fp4|e2m1|int8|i8|s8|u8|f32|fp32|f64|fp64|"
    r"bfloat16|float16|float32|float64|half|float8|double)(?![a-z0-9])"
)
INSTRUCTION = compile_later(
    r"(?<![a-z0-9])(?P<type>[shdicgz]|h|bf16_|tf32_)(?P<shape>\d{3,6}|\d+x\d+x\d+)(?:tf32)?(?:gemm|cudnn|fprop|dgrad|wgrad)"
)
PLAIN = compile_later(
    r"(?<![a-z])(?P<type>[sdczhi]|gc|gz)(?:gemm|cudnn)(?![a-z]|_(?:fwd|bwd|wrw))|magma_(?P<magma>[sdcz])gemm"
)
TENSILE = compile_later(r"cijk_[a-z]+_[a-z]+_(?P<types>[a-z0-9]+(?:_(?:bs|hs|ss|h|s))?)")
TENSILE_TYPES = (("f8", "fp8"), ("b8", "fp8"), ("i8", "int8"), ("4x", "int8"), ("bb", "bf16"), ("b", "bf16"),
                 ("h", "fp16"), ("x", "tf32"), ("s", "fp32"), ("d", "fp64"), ("c", "fp32"), ("z", "fp64"))  # fmt: skip
NVJET = compile_later(r"nvjet_(?:sm\d+_)?(?P<types>[a-z]+)_")
NVJET_TYPES = {"h": "fp16", "t": "bf16", "s": "tf32", "q": "fp8", "o": "fp8", "r": "fp8", "d": "fp64", "u": "fp4"}
XMMA = compile_later(r"sm\d+_xmma_\w*?(?P<types>(?:bf16|f16|tf32|f32|e4m3|e5m2|i8|f64){1,2}f?(?:32)?)_")
LETTERS = {"s": "fp32", "d": "fp64", "h": "fp16", "i": "int8", "c": "fp32", "z": "fp64", "gc": "fp32", "gz": "fp64"}

GENERATED = compile_later(r"^bmm_[a-z0-9]+_(?P<bmm>[a-z0-9]+)_|fmhasm\w*?qkv(?P<qkv>bfloat16|fp16|e4m3|e2m1)")
GENERATED_TYPES = (("bfloat16", "bf16"), ("fp16", "fp16"), ("e4m3", "fp8"), ("e5m2", "fp8"), ("e2m1", "fp4"))
TENSOR_WORDS = compile_later(r"_tensorop|wmma|gmma|umma|xdl|gtcx|hmma|mma_sync|flash_(?:fwd|bwd)")

TILE_XMMA = compile_later(r"tilesize(\d+)x(\d+)x(\d+)")
TILE_TENSILE = compile_later(r"_mt(\d+)x(\d+)x(\d+)")
TILE_BT = compile_later(r"_(?:b)?t(\d+)x(\d+)x(\d+)")
TILE_STAGED = compile_later(r"_(\d+)x(\d+)_(?:ldg\d+_)?(?:relu_)?(?:f2f_)?(?:stages_)?(\d+)x(\d+)(?=_|$|>)")
DEPTH = compile_later(r"_stages_(\d+)x(\d+)(?=_|$|>)")
TILE_3D = compile_later(r"_(\d+)x(\d+)x(\d+)_")
TILE_2D = compile_later(r"_(\d+)x(\d+)(?=_|$|>|\()")
TILE_CUTE = compile_later(r"tuple<cute::c<(\d+)>, ?cute::c<(\d+)>, ?cute::c<(\d+)> ?>")
TILE_FMHA = compile_later(r"q(\d+)kv(\d+)")
FLASH_TRAITS = compile_later(r"kernel_traits<(?:\(int\))?(\d+), ?(?:\(int\))?(\d+), ?(?:\(int\))?(\d+)")
STAGES = compile_later(r"_stages?(\d+)(?=_|$)|u\d+_s(\d+)_")
SPLIT = compile_later(r"split_?k_?(?:x|slices?)?(\d+)|_gsu(\d+)|sliced\d+x(\d+)")

CLOSED = compile_later(
    r"nccl|fprop|dgrad|wgrad|implicit_gemm|cudnn|cublas|(?:^|_)(?:maxwell|pascal|volta|turing|ampere|hopper)_\w*gemm|nvjet"
    r"|sm\d+_xmma|splitkreduce|gemvnsp|(?:^|<|\s)cutlass_\d{2,3}_|tensorrt_llm|trtllm|fmhasm\d|cijk_"
)
"""Kernels that come compiled with a vendor's library: cuBLAS and cuDNN name those of CUTLASS ``cutlass_80_...``."""


def is_compiled_by_vendor(name: str) -> bool:
    """Whether a kernel's code is not its caller's to change.

    >>> is_compiled_by_vendor("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(Params)")
    True
    >>> is_compiled_by_vendor("void cutlass::device_kernel<MyGemm>(MyGemm::Params)")
    False
    """
    return bool(CLOSED.search(name[:4000].lower()))


ANY_WORD = compile_later("|".join(map(re.escape, WORDS)))


@lru_cache(maxsize=2**18)
def library_kernel(name: str) -> LibraryKernel | None:
    """What a kernel name says if a library made it; None for anybody else's kernel.

    name : demangled or mangled, as a profiler prints it; truncated ones give what is left.

    >>> found = library_kernel("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn")
    >>> found.operation.value, found.precision, found.tile, found.tile_k, found.stages
    ('gemm', 'bf16', (128, 64), 64, 4)
    >>> library_kernel("void at::native::elementwise_kernel<4, at::native::CUDAFunctor_add<float>>").precision
    'fp32'
    >>> library_kernel("my_stencil(float*, int)") is None
    True
    """
    whole = name[:4000].lower()
    if not ANY_WORD.search(whole):
        return None
    library = next((label for label, rule in LIBRARIES if rule.search(whole)), "")
    if not library:
        return None
    head = head_of(name[:4000]).lower()
    operation = operation_in(head) or operation_in(whole)
    if operation is None:
        return None
    precision, tensor = precision_in(head, name[:4000], operation)
    tile = tile_in(whole) if operation.is_matrix or operation is Operation.GEMV else (None, None, None, None)
    return LibraryKernel(
        operation, library, precision, tensor, *tile[:3], split_in(whole), tile[3], architecture_in(whole)
    )


def operation_in(text: str) -> Operation | None:
    """The operation that a lower-case name or part of one speaks of."""
    return next((operation for operation, rule in RULES if rule.search(text)), None)


def precision_in(head: str, name: str, operation: Operation) -> tuple[str, bool]:
    """Precision of the operands, and whether the name says tensor pipes."""
    whole = name.lower()
    tensor = TENSOR_WORDS.search(whole) is not None
    for scheme in (tensile_precision, nvjet_precision, xmma_precision, generated_precision):
        precision = scheme(whole)
        if precision:
            return precision, precision != "fp32"
    instruction, word = INSTRUCTION.search(whole), PRECISION.search(head)
    named = PRECISION_WORDS[word["word"]] if word else ""
    if instruction:
        if named in ("", "fp32"):
            named = {"h": "fp16", "i": "int8", "d": "fp64"}.get(instruction["type"], by_shape(instruction["shape"]))
        return named, True
    plain = PLAIN.search(whole)
    if plain and not named:
        return LETTERS.get(plain["type"] or plain["magma"], ""), tensor
    if not named:
        named = mangled_type(name) if name.startswith("_Z") else type_in(whole)
    if not named and operation.is_matrix:
        word = PRECISION.search(whole)
        named = PRECISION_WORDS[word["word"]] if word else ""
    return named, tensor


def by_shape(shape: str) -> str:
    """Operands of a tensor instruction with FP32 sums whose name has no type: 1688 with FP32 operands is TF32."""
    return {"884": "fp16", "1688": "tf32", "16816": "fp16", "16832": "int8"}.get(shape, "fp16")


def tensile_precision(text: str) -> str:
    """Type letters behind the index names of a Tensile kernel: operands, result, sum."""
    match = TENSILE.search(text)
    return next((p for start, p in TENSILE_TYPES if match["types"].startswith(start)), "") if match else ""


def nvjet_precision(text: str) -> str:
    """First type letter of cuBLAS's nvjet kernels."""
    match = NVJET.search(text)
    return NVJET_TYPES.get(match["types"][0], "") if match else ""


def generated_precision(text: str) -> str:
    """Operands of TensorRT-LLM's generated kernels: of two types the wider one sets the rate."""
    match = GENERATED.search(text)
    if not match:
        return ""
    types = match["bmm"] or match["qkv"]
    return next((p for word, p in GENERATED_TYPES if word in types), "")


def xmma_precision(text: str) -> str:
    """Operand types of cuBLAS's and cuDNN's xmma kernels."""
    match = XMMA.search(text)
    if not match:
        return ""
    names = ("e4m3", "e5m2", "tf32", "bf16", "f16", "i8", "f64", "f32")
    return PRECISION_WORDS[next(n for n in names if match["types"].startswith(n))]


def tile_in(text: str) -> tuple[int | None, int | None, int | None, int | None]:
    """Rows, columns, depth of a block's tile and its stages; None where the name has none."""
    stages = STAGES.search(text)
    count = int(next(g for g in stages.groups() if g)) if stages else None
    for rule in (TILE_XMMA, TILE_TENSILE, TILE_CUTE):
        # Clusters come in the same form as tiles.
        tiles = rule.findall(text)
        if tiles:
            m, n, k = max(tuple(map(int, box)) for box in tiles)
            return sane(m, n, k, count)
    flash = FLASH_TRAITS.search(text)
    if flash:
        return sane(int(flash[2]), int(flash[3]), int(flash[1]), count)
    staged = TILE_STAGED.search(text)
    if staged and int(staged[4]) <= 32:
        return sane(int(staged[1]), int(staged[2]), int(staged[3]), int(staged[4]))
    fused = TILE_FMHA.search(text)
    if fused:
        return sane(int(fused[1]), int(fused[2]), None, count)
    # Clusters and warps stand in such names too (1x1x1, 2x2x1): the largest is the tile.
    boxes = TILE_3D.findall(text.replace("_", "__")) + TILE_BT.findall(text)
    if boxes:
        m, n, k = max((tuple(map(int, box)) for box in boxes), key=lambda box: box[0] * box[1])
        return sane(m, n, k, count)
    flat, depth = TILE_2D.search(text), DEPTH.search(text)
    if not flat:
        return None, None, None, count
    if depth:
        return sane(int(flat[1]), int(flat[2]), int(depth[1]), int(depth[2]))
    return sane(int(flat[1]), int(flat[2]), None, count)


def sane(m: int, n: int, k: int | None, stages: int | None) -> tuple[int | None, int | None, int | None, int | None]:
    """A tile if it can be one: between 4 x 4 and 1024 x 1024."""
    good = 4 <= m <= 1024 and 4 <= n <= 1024
    return (m, n, k if k and 4 <= k <= 1024 else None, stages) if good else (None, None, None, stages)


def split_in(text: str) -> int | None:
    """How many blocks or warps share a sum, where the name has a number above 1."""
    match = SPLIT.search(text)
    count = int(next(g for g in match.groups() if g)) if match else 1
    return count if count > 1 else None


def architecture_in(text: str) -> str:
    """Architecture key that the name carries."""
    match = ARCHITECTURE.search(text)
    if match:
        return f"sm_{match[1]}"
    return next((key for word, key in ARCHITECTURES.items() if f"{word}_" in text), "")


TYPES = compile_later(
    r"(?P<bf16>bfloat16|hip_bfloat16|bf16)|(?P<fp8>float8|fp8_e\dm\d|float_e4m3|float_e5m2)|(?P<fp4>float_e2m1|nvfp4)|"
    r"(?P<fp16>c10::half|__half|half_t|_float16|\bhalf\b|4half)|(?P<fp64>\bdouble\b)|(?P<fp32>\bfloat\b)"
)

WRAPPERS = frozenset({"kernel", "kernel2", "device_kernel", "_kernel", "globalkernel", "run_kernel", "kernel_entry"})
"""Functions that only call what their first template argument names."""

MANGLED = compile_later(r"(\d+)([A-Za-z_])")


def type_in(text: str) -> str:
    """Precision of the first floating-point type that a lower-case name mentions; '' without.

    >>> type_in("softmax_warp_forward<c10::bfloat16, c10::bfloat16, float, 3>"), type_in("sort<int>")
    ('bf16', '')
    """
    match = TYPES.search(text)
    return match.lastgroup or "" if match else ""


MANGLED_TYPE = compile_later(
    r"(?P<bf16>8BFloat16|10bfloat16_t|13__nv_bfloat16)|(?P<fp16>4Half|6half_t|6__half)|(?P<fp8>Float8|e4m3|e5m2)|"
    r"I(?:(?P<fp32>f)|(?P<fp64>d))(?=[fdEIiljmbN0-9LS])"
)


def mangled_type(name: str) -> str:
    """Precision of the first floating-point template argument of an Itanium-mangled name; '' without.

    >>> mangled_type("_ZN6device6reduceIdLi4EEEvPKd")
    'fp64'
    """
    match = MANGLED_TYPE.search(name)
    return match.lastgroup or "" if match else ""


def head_of(name: str) -> str:
    """The function's own name, without return type, namespaces, template and call arguments.

    >>> head_of("void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, float>(float*, int)")
    'cunn_SoftMaxForward'
    >>> head_of("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(Params)")
    'cutlass_80_simt_sgemm_128x64_8x5_nn_align1'
    >>> head_of("_ZN2at6native13reduce_kernelILi512EEEvT_")
    'reduce_kernel'
    """
    if name.startswith("_Z"):
        return mangled_head(name)
    text = name.replace("(anonymous namespace)::", "").replace("<unnamed>::", "").replace("(anonymous namespace)", "")
    head = last_name(without_brackets(text))
    if head.lower() in WRAPPERS and "<" in text:
        inner = text[text.index("<", max(text.lower().find(head.lower() + "<"), 0)) + 1 :]
        last = last_name(without_brackets(re.split(r"[,>(]", inner, maxsplit=1)[0].split("<")[0]))
        return last or head
    return head


def without_brackets(text: str) -> str:
    """Text outside of ``<...>`` and up to the call's parenthesis."""
    outside: list[str] = []
    depth = 0
    for c in text:
        if c == "<":
            depth += 1
        elif c == ">":
            depth = max(depth - 1, 0)
        elif depth == 0:
            if c == "(" and outside:
                break
            outside.append(c)
    return "".join(outside)


def last_name(text: str) -> str:
    """The last identifier behind return types and namespaces."""
    return text.strip().split(" ")[-1].split("::")[-1]


def mangled_head(name: str) -> str:
    """Last source name of an Itanium-mangled function before its template arguments."""
    place, head = 2, ""
    if name[2:3] in ("N", "L"):
        place += 1
    while (match := MANGLED.match(name, place)) is not None:
        size, start = int(match[1]), match.end(1)
        word = name[start : start + size]
        if not word.startswith("_GLOBAL__N"):
            head = word
        place = start + size
        if name[place : place + 1] in ("I", "E") and head and head.lower() not in WRAPPERS:
            break
        if name[place : place + 1] == "I":
            place += 1
            if name[place : place + 1] == "N":
                place += 1
    return head
