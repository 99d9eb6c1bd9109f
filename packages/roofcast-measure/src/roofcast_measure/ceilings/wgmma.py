"""Text of kernels for Hopper's warpgroup products (wgmma), whose operand lists are too long to write by hand.

A warpgroup of 128 threads multiplies 64 x k by k x 256 from shared memory into registers. Descriptors and layouts: PTX
ISA 8.7, section on wgmma.mma_async.
"""

from __future__ import annotations

from dataclasses import dataclass

from roofcast_measure.ceilings.tensor_operands import ROW_BYTES
from roofcast_measure.driver import Source

COLUMNS = 256
"""Columns of a product, the most that an instruction has."""
ROWS = 64
"""Rows of a product, which the instruction fixes."""
PER_ROUND = 4
"""Products per round of the loop, one group that is waited for together."""
THREADS = 128
"""Threads of a warpgroup."""


@dataclass(frozen=True, slots=True)
class WideProduct:
    """One type of operands."""

    kernel: str
    operands: str
    """Types as PTX has them: accumulator, a, b."""
    k: int
    accumulator: str
    """C++ type of the sums."""
    transposable: bool
    """16-bit operands take two more immediates."""
    scaled: bool = True
    """Integers take no signs."""

    @property
    def flops(self) -> int:
        """FLOPs of one product."""
        return 2 * ROWS * COLUMNS * self.k


PRODUCTS = (
    WideProduct("wgmma_fp16", "f32.f16.f16", 16, "float", transposable=True),
    WideProduct("wgmma_bf16", "f32.bf16.bf16", 16, "float", transposable=True),
    WideProduct("wgmma_tf32", "f32.tf32.tf32", 8, "float", transposable=False),
    WideProduct("wgmma_fp8", "f32.e4m3.e4m3", 32, "float", transposable=False),
    WideProduct("wgmma_int8", "s32.s8.s8", 32, "int", transposable=False, scaled=False),
)


def kernel_text(product: WideProduct) -> str:
    """CUDA C++ of one kernel: ``name(out, operands, rounds)``; out: the sums of each thread, 128 threads together."""
    words = (ROWS + COLUMNS) * ROW_BYTES // 4
    sums = ROWS * COLUMNS // THREADS
    letter = "f" if product.accumulator == "float" else "r"
    registers = ", ".join(f"%{i}" for i in range(sums))
    immediates = ", 1, 1" * product.scaled + ", 0, 0" * product.transposable
    outputs = ", ".join(f'"+{letter}"(c[{i}])' for i in range(sums))
    call = (
        f'asm volatile("{{ .reg .pred p; setp.ne.b32 p, %{sums + 2}, 0; wgmma.mma_async.sync.aligned.'
        f'm{ROWS}n{COLUMNS}k{product.k}.{product.operands} {{{registers}}}, %{sums}, %{sums + 1}, p{immediates}; }}"\n'
        f'        : {outputs} : "l"(a), "l"(b), "r"(1));'
    )
    return f"""
extern "C" __global__ void __launch_bounds__({THREADS}) {product.kernel}({product.accumulator}* out,
                                                                  const unsigned* operands, int rounds) {{
  __shared__ __align__(1024) unsigned tile[{words}];
  for (int i = threadIdx.x; i < {words}; i += blockDim.x) tile[i] = operands[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  /* descriptors: address / 16, distances between core matrices of 8 x 16 bytes along k and along rows; no swizzle */
  unsigned long long at = (unsigned long long)__cvta_generic_to_shared(tile);
  unsigned long long shape = (8ull << 16) | (16ull << 32);
  unsigned long long a = ((at & 0x3FFFF) >> 4) | shape, b = (((at + {ROWS * ROW_BYTES}) & 0x3FFFF) >> 4) | shape;
  {product.accumulator} c[{sums}];
#pragma unroll
  for (int i = 0; i < {sums}; i++) c[i] = 0;
#pragma unroll 1
  for (int k = 0; k < rounds; k++) {{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int j = 0; j < {PER_ROUND}; j++) {{
      {call}
    }}
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }}
#pragma unroll
  for (int i = 0; i < {sums}; i++) out[i * {THREADS} + threadIdx.x] = c[i];
}}
"""


def source() -> Source:
    """All kernels, for ``sm_90a`` alone."""
    text = "".join(kernel_text(p) for p in PRODUCTS)
    return Source("wgmma", text, tuple(p.kernel for p in PRODUCTS), feature="a")
