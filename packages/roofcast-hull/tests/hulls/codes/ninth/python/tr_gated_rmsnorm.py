# RMS norm of groups with a SiLU gate applied before it (the output norm of a Mamba-2 block).
# Grid (rows, groups); rstd is saved for the backward as [groups, rows].
# Counts: self-counting scalar translation of one group of 8 entries.
import torch
import triton
import triton.language as tl


@triton.heuristics({"HAS_BIAS": lambda args: args["B"] is not None})
@triton.heuristics({"HAS_Z": lambda args: args["Z"] is not None})
@triton.jit
def _rms_norm_gated_fwd_kernel(
    X,  # pointer to the input
    Y,  # pointer to the output
    W,  # pointer to the weights
    B,  # pointer to the biases
    Z,  # pointer to the other branch
    Rstd,  # pointer to the 1/std
    stride_x_row,
    stride_y_row,
    stride_z_row,
    M,  # number of rows in X
    N,  # number of columns in a group
    eps,
    BLOCK_N: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    HAS_Z: tl.constexpr,
    NORM_BEFORE_GATE: tl.constexpr,
):
    row = tl.program_id(0)
    group = tl.program_id(1)
    X += row * stride_x_row + group * N
    Y += row * stride_y_row + group * N
    if HAS_Z:
        Z += row * stride_z_row + group * N
    Rstd += group * M
    W += group * N
    if HAS_BIAS:
        B += group * N

    cols = tl.arange(0, BLOCK_N)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    if HAS_Z and not NORM_BEFORE_GATE:
        z = tl.load(Z + cols, mask=cols < N, other=0.0).to(tl.float32)
        x *= z * tl.sigmoid(z)
    xbar = tl.where(cols < N, x, 0.0)
    var = tl.sum(xbar * xbar, axis=0) / N
    rstd = 1 / tl.sqrt(var + eps)
    tl.store(Rstd + row, rstd)

    mask = cols < N
    w = tl.load(W + cols, mask=mask).to(tl.float32)
    x_hat = x * rstd
    if HAS_BIAS:
        b = tl.load(B + cols, mask=mask).to(tl.float32)
        y = x_hat * w + b
    else:
        y = x_hat * w
    if HAS_Z and NORM_BEFORE_GATE:
        z = tl.load(Z + cols, mask=mask).to(tl.float32)
        y *= z * tl.sigmoid(z)
    tl.store(Y + cols, y, mask=mask)


class RMSNormGated(torch.nn.Module):
    def __init__(self, hidden_size, eps=1e-5, group_size=None, norm_before_gate=False, device=None, dtype=None):
        super().__init__()
        self.eps = eps
        self.weight = torch.nn.Parameter(torch.ones(hidden_size, device=device, dtype=dtype))
        self.register_parameter("bias", None)
        self.group_size = group_size or hidden_size
        self.norm_before_gate = norm_before_gate

    @torch.no_grad()
    def forward(self, x, z):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        z = z.reshape(-1, shape[-1])
        M, total = x.shape
        ngroups = total // self.group_size
        y = torch.empty_like(x)
        rstd = torch.empty(ngroups * M, dtype=torch.float32, device=x.device)
        BLOCK_N = triton.next_power_of_2(self.group_size)
        num_warps = min(max(BLOCK_N // 256, 1), 8)
        _rms_norm_gated_fwd_kernel[(M, ngroups)](
            x, y, self.weight, self.bias, z, rstd,
            x.stride(0), y.stride(0), z.stride(0),
            M, self.group_size, self.eps,
            BLOCK_N=BLOCK_N,
            NORM_BEFORE_GATE=self.norm_before_gate,
            num_warps=num_warps,
        )
        return y.reshape(shape)


if __name__ == "__main__":
    norm = RMSNormGated(4096, group_size=512, device="cuda", dtype=torch.bfloat16)
    x = torch.randn(2, 4096, 4096, device="cuda", dtype=torch.bfloat16)
    z = torch.randn_like(x)
    out = norm(x, z)
    print(out.shape, out.float().pow(2).mean().item())
