"""More kernels in Triton, launched at the sizes of a model."""

import torch
import triton
import triton.language as tl

DEVICE = "cuda"


@triton.jit
def rms_norm(x_ptr, w_ptr, y_ptr, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    inverse = tl.rsqrt(tl.sum(x * x, axis=0) / n + eps)
    w = tl.load(w_ptr + cols, mask=mask)
    tl.store(y_ptr + row * stride + cols, (x * inverse * w).to(tl.float16), mask=mask)


@triton.jit
def swiglu(gate_ptr, up_ptr, out_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    gate_ptr += row * stride
    up_ptr += row * stride
    out_ptr += row * stride
    g = tl.load(gate_ptr + cols, mask=cols < n, other=0).to(tl.float32)
    u = tl.load(up_ptr + cols, mask=cols < n, other=0)
    tl.store(out_ptr + cols, g * tl.sigmoid(g) * u, mask=cols < n)


@triton.jit
def total(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    tl.atomic_add(out_ptr, tl.sum(x))


@triton.jit
def column_means(x_ptr, y_ptr, rows, cols, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    pid = tl.program_id(0)
    c = pid * BLOCK_C + tl.arange(0, BLOCK_C)
    acc = tl.zeros((BLOCK_C,), dtype=tl.float32)
    for start in range(0, rows, BLOCK_R):
        r = start + tl.arange(0, BLOCK_R)
        mask = (r[:, None] < rows) & (c[None, :] < cols)
        acc += tl.sum(tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=mask, other=0.0), axis=0)
    tl.store(y_ptr + c, acc / rows, mask=c < cols)


@triton.jit
def embedding(ids_ptr, table_ptr, out_ptr, dim, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    which = tl.load(ids_ptr + token)
    row = tl.load(table_ptr + which * dim + cols, mask=cols < dim)
    tl.store(out_ptr + token * dim + cols, row, mask=cols < dim)


@triton.jit
def linear_relu(
    a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):  # fmt: skip
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for k0 in tl.range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        a = tl.load(a_ptr + m[:, None] * K + k[None, :])
        b = tl.load(b_ptr + k[:, None] * N + n[None, :])
        acc += tl.dot(a, b)
    bias = tl.load(bias_ptr + n)
    acc = tl.maximum(acc + bias[None, :], 0.0)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(tl.float16))


def run():
    x = torch.randn((2048, 4096), device=DEVICE, dtype=torch.float16)
    w = torch.ones(4096, device=DEVICE, dtype=torch.float16)
    y = torch.empty_like(x)
    rms_norm[(2048,)](x, w, y, x.stride(0), 4096, 1e-6, BLOCK=4096, num_warps=8)
    gate = torch.randn(2048, 11008, device=DEVICE, dtype=torch.float16)
    up = torch.randn_like(gate)
    out = torch.empty_like(gate)
    swiglu[(2048, triton.cdiv(11008, 1024))](gate, up, out, gate.stride(0), 11008, BLOCK=1024)
    v = torch.rand(10_000_000, device=DEVICE)
    s = torch.zeros(1, device=DEVICE)
    total[(triton.cdiv(v.numel(), 4096),)](v, s, v.numel(), BLOCK=4096)
    z = torch.rand((4096, 1024), device=DEVICE)
    means = torch.empty(1024, device=DEVICE)
    column_means[(1024 // 64,)](z, means, 4096, 1024, BLOCK_R=32, BLOCK_C=64)
    ids = torch.randint(0, 32000, (8192,), device=DEVICE, dtype=torch.int32)
    table = torch.randn(32000, 1024, device=DEVICE)
    rows = torch.empty(8192, 1024, device=DEVICE)
    embedding[(8192,)](ids, table, rows, 1024, BLOCK=1024)
    M, N, K = 1024, 4096, 512
    a = torch.randn(M, K, device=DEVICE, dtype=torch.float16)
    b = torch.randn(K, N, device=DEVICE, dtype=torch.float16)
    bias = torch.randn(N, device=DEVICE, dtype=torch.float16)
    c = torch.empty(M, N, device=DEVICE, dtype=torch.float16)
    grid = lambda meta: (triton.cdiv(M, meta["BM"]), triton.cdiv(N, meta["BN"]))
    linear_relu[grid](a, b, bias, c, M, N, K, BM=128, BN=128, BK=32)


run()
