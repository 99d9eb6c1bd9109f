"""Text of kernels for the matrix units of compute capability 10 (tcgen05), which take operands from shared memory and
keep their sums in a memory of their own.

One thread of a block issues products of 128 x k by k x 256; the block waits for a round by a barrier in shared memory
while the next round is already on its way. Descriptors and layouts: PTX ISA 8.7, sections on tcgen05.
"""

from __future__ import annotations

from dataclasses import dataclass

from roofcast_measure.ceilings.tensor_operands import ROW_BYTES
from roofcast_measure.driver import Source

ROWS, COLUMNS = 128, 256
PER_ROUND = 8
"""Products per round of the loop."""
THREADS = 128
"""Threads of a block: a thread for each of the 128 rows of sums."""
COLUMNS_ALLOCATED = 512
"""All of the sums' memory, so that one block runs per SM."""
SCALES_A, SCALES_B = 256, 288
"""Columns behind the sums that hold the operands' scales."""
PATIENCE = 1 << 20
"""Polls of a barrier before a round counts as lost: the result is then wrong, and nothing is measured."""


@dataclass(frozen=True, slots=True)
class TensorMemoryProduct:
    """One type of operands."""

    kernel: str
    kind: str
    """As PTX has it, with its qualifiers."""
    k: int
    formats: int
    """Bits 4 to 12 of the instruction descriptor: types of the sums, of a and of b."""
    scale_format: int | None = None
    """Bit 23, for operands with scales: 0 for E4M3, 1 for powers of two; None without."""
    integer: bool = False

    @property
    def flops(self) -> int:
        """FLOPs of one product."""
        return 2 * ROWS * COLUMNS * self.k

    @property
    def descriptor(self) -> int:
        """Instruction descriptor: types, both operands along k, N / 8 from bit 17, M / 16 from bit 24.

        >>> hex(PRODUCTS[0].descriptor), hex(PRODUCTS[-1].descriptor)
        ('0x8400010', '0x8400480')
        """
        return self.formats | (self.scale_format or 0) << 23 | (COLUMNS >> 3) << 17 | (ROWS >> 4) << 24


def formats(sums: int, operand: int) -> int:
    """Bits of the descriptor for sums (0 FP16, 1 FP32, 2 INT32) and for both operands of one type."""
    return sums << 4 | operand << 7 | operand << 10


PRODUCTS = (
    TensorMemoryProduct("tcgen05_fp16", "kind::f16", 16, formats(1, 0)),
    TensorMemoryProduct("tcgen05_bf16", "kind::f16", 16, formats(1, 1)),
    TensorMemoryProduct("tcgen05_tf32", "kind::tf32", 8, formats(1, 2)),
    TensorMemoryProduct("tcgen05_fp8", "kind::f8f6f4", 32, formats(1, 0)),
    TensorMemoryProduct("tcgen05_fp6", "kind::f8f6f4", 32, formats(1, 3)),
    TensorMemoryProduct("tcgen05_int8", "kind::i8", 32, formats(2, 1), integer=True),
    TensorMemoryProduct("tcgen05_fp4", "kind::mxf4nvf4.block_scale.scale_vec::4X", 64, formats(0, 1), scale_format=0),
)
ONLY_WITHOUT = {"tcgen05_int8": (103,)}
"""Architectures that lack a type."""


def available(product: TensorMemoryProduct, sm: int) -> bool:
    """Whether an architecture has the instruction of a product."""
    return sm // 10 in (10, 11) and sm not in ONLY_WITHOUT.get(product.kernel, ())


HEADER = f"""
#define ALL_32(f) {", ".join(f"f({i})" for i in range(32))}
#define IN(i) "r"(v[i])
#define OUT(i) "=r"(v[i])
#define SHARED(x) (unsigned)__cvta_generic_to_shared(x)

__device__ __forceinline__ void load_columns(unsigned (&v)[32], unsigned from) {{
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x32.b32 {{{", ".join(f"%{i}" for i in range(32))}}}, [%32];"
               : ALL_32(OUT) : "r"(from));
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}}

__device__ __forceinline__ void store_columns(unsigned to, unsigned value) {{
  unsigned v[32];
#pragma unroll
  for (int i = 0; i < 32; i++) v[i] = value;
  asm volatile("tcgen05.st.sync.aligned.32x32b.x32.b32 [%0], {{{", ".join(f"%{i}" for i in range(1, 33))}}};"
               :: "r"(to), ALL_32(IN));
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}}

/* one thread of a warp: the compiler then knows that a single one issues products */
__device__ __forceinline__ bool elected() {{
  unsigned mine;
  asm volatile("{{ .reg .pred q; elect.sync _|q, 0xFFFFFFFF; selp.u32 %0, 1, 0, q; }}" : "=r"(mine));
  return mine;
}}

/* waits for a phase of a barrier, but not for ever */
__device__ __forceinline__ void wait_for(unsigned barrier, unsigned parity) {{
  for (unsigned done = 0, k = 0; !done && k < {PATIENCE}u; k++)
    asm volatile("{{ .reg .pred q; mbarrier.test_wait.parity.shared::cta.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }}"
                 : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
}}
"""


def kernel_text(product: TensorMemoryProduct) -> str:
    """CUDA C++ of one kernel: ``name(out, operands, rounds)``; out is 128 x 256, row after row."""
    value = "int" if product.integer else "float"
    words = (ROWS + COLUMNS) * ROW_BYTES // 4
    scales = ", [%5], [%6]" if product.scale_format is not None else ""
    scaled = f', "r"(sums + {SCALES_A}), "r"(sums + {SCALES_B})' if product.scale_format is not None else ""
    stores = (
        f"""  store_columns(mine + {SCALES_A}, operands[{words}]);
  store_columns(mine + {SCALES_B}, operands[{words + 1}]);
"""
        if product.scale_format is not None
        else ""
    )
    call = (
        f'asm volatile("{{ .reg .pred p; setp.ne.b32 p, %4, 0; tcgen05.mma.cta_group::1.{product.kind} '
        f'[%0], %1, %2, %3{scales}, p; }}"\n            :: "r"(sums), "l"(a), "l"(b), "r"({product.descriptor:#x}u), '
        f'"r"((unsigned)(k + j)){scaled} : "memory");'
    )
    return f"""
extern "C" __global__ void __launch_bounds__({THREADS}) {product.kernel}({value}* out, const unsigned* operands,
                                                                  int rounds) {{
  __shared__ __align__(1024) unsigned tile[{words}];
  __shared__ __align__(8) unsigned long long barriers[2];
  __shared__ unsigned allocated;
  for (int i = threadIdx.x; i < {words}; i += blockDim.x) tile[i] = operands[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  if (threadIdx.x < 32) {{
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], {COLUMNS_ALLOCATED};"
                 :: "r"(SHARED(&allocated)) : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }}
  if (threadIdx.x == 0) {{
    for (int i = 0; i < 2; i++)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(SHARED(barriers + i)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }}
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  unsigned sums = *(volatile unsigned*)&allocated, mine = sums + (threadIdx.x / 32 << 21);
{stores}  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  /* descriptors: address / 16, distances between core matrices of 8 x 16 bytes along k and along rows, 0b001;
     no swizzle */
  unsigned long long at = SHARED(tile), shape = (8ull << 16) | (16ull << 32) | (1ull << 46);
  unsigned long long a = ((at & 0x3FFFF) >> 4) | shape, b = (((at + {ROWS * ROW_BYTES}) & 0x3FFFF) >> 4) | shape;
  if (threadIdx.x < 32 && elected()) {{
#pragma unroll 1
    for (int k = 0; k < rounds; k++) {{
#pragma unroll
      for (int j = 0; j < {PER_ROUND}; j++) {{
        {call}
      }}
      asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];"
                   :: "r"(SHARED(barriers + k % 2)) : "memory");
      if (k > 0) wait_for(SHARED(barriers + (k - 1) % 2), (k - 1) / 2 % 2);
    }}
    if (rounds > 0) wait_for(SHARED(barriers + (rounds - 1) % 2), (rounds - 1) / 2 % 2);
  }}
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
#pragma unroll 1
  for (int column = 0; column < {COLUMNS}; column += 32) {{
    unsigned v[32];
    load_columns(v, mine + column);
#pragma unroll
    for (int i = 0; i < 32; i++) ((unsigned*)out)[threadIdx.x * {COLUMNS} + column + i] = v[i];
  }}
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  if (threadIdx.x < 32)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, {COLUMNS_ALLOCATED};" :: "r"(sums));
}}
"""


def source(sm: int) -> Source:
    """All kernels of an architecture, for it alone (``sm_100a``)."""
    products = [p for p in PRODUCTS if available(p, sm)]
    text = HEADER + "".join(kernel_text(p) for p in products)
    return Source("tcgen05", text, tuple(p.kernel for p in products), feature="a")
