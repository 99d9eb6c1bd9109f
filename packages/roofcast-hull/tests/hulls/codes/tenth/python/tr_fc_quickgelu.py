"""CLIP MLP first layer: y = quick_gelu(x @ w.T + b) with the weight as torch.nn.Linear keeps it.

By hand: 2*K operations for a product, 4 for bias and x * sigmoid(1.702 x).
Verified: counted twice by reading; py_compile only.
"""
import torch
import triton
import triton.language as tl


def get_configs():
    return [
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP_M": 8}, num_stages=4, num_warps=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP_M": 8}, num_stages=4, num_warps=4),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64, "GROUP_M": 8}, num_stages=3, num_warps=8),
    ]


@triton.autotune(configs=get_configs(), key=["M", "N", "K"])
@triton.jit
def fc_quickgelu_kernel(
    x_ptr, w_ptr, b_ptr, y_ptr,
    M, N, K,
    stride_xm, stride_xk, stride_wn, stride_wk, stride_ym, stride_yn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):
    pid = tl.program_id(0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    num_in_group = GROUP_M * num_pid_n
    group = pid // num_in_group
    first_m = group * GROUP_M
    group_size = min(num_pid_m - first_m, GROUP_M)
    pid_m = first_m + (pid % num_in_group) % group_size
    pid_n = (pid % num_in_group) // group_size

    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + (rm % M)[:, None] * stride_xm + rk[None, :] * stride_xk
    w_ptrs = w_ptr + (rn % N)[None, :] * stride_wn + rk[:, None] * stride_wk

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        x = tl.load(x_ptrs, mask=rk[None, :] < K - k * BLOCK_K, other=0.0)
        w = tl.load(w_ptrs, mask=rk[:, None] < K - k * BLOCK_K, other=0.0)
        acc = tl.dot(x, w, acc)
        x_ptrs += BLOCK_K * stride_xk
        w_ptrs += BLOCK_K * stride_wk

    bias = tl.load(b_ptr + rn, mask=rn < N, other=0.0).to(tl.float32)
    h = acc + bias[None, :]
    y = h * tl.sigmoid(1.702 * h)
    y_ptrs = y_ptr + rm[:, None] * stride_ym + rn[None, :] * stride_yn
    tl.store(y_ptrs, y.to(tl.float16), mask=(rm[:, None] < M) & (rn[None, :] < N))


def fc_quickgelu(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    M, K = x.shape
    N = weight.shape[0]
    assert weight.shape[1] == K and bias.shape == (N,)
    y = torch.empty((M, N), device=x.device, dtype=x.dtype)
    grid = lambda META: (triton.cdiv(M, META["BLOCK_M"]) * triton.cdiv(N, META["BLOCK_N"]),)
    fc_quickgelu_kernel[grid](
        x, weight, bias, y, M, N, K,
        x.stride(0), x.stride(1), weight.stride(0), weight.stride(1), y.stride(0), y.stride(1),
    )
    return y


class QuickGeluLinear(torch.nn.Module):
    def __init__(self, d_in: int = 768, d_out: int = 3072):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(d_out, d_in) * d_in**-0.5)
        self.bias = torch.nn.Parameter(torch.zeros(d_out))

    def forward(self, x):
        return fc_quickgelu(x, self.weight, self.bias)


if __name__ == "__main__":
    layer = QuickGeluLinear().to(device="cuda", dtype=torch.float16)
    tokens = torch.randn(2048, 768, device="cuda", dtype=torch.float16)
    with torch.no_grad():
        y = layer(tokens)
        h = torch.nn.functional.linear(tokens, layer.weight, layer.bias)
        print(torch.allclose(y, h * torch.sigmoid(1.702 * h), atol=2e-2, rtol=1e-2))
