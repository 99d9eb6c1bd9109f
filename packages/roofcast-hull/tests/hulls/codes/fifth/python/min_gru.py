"""minGRU: h[t] = f[t] * h[t-1] + (1 - f[t]) * x[t], each channel by itself, one token after the other."""
import torch
import triton
import triton.language as tl


@triton.jit
def min_gru_fwd(gate_ptr, cand_ptr, h_ptr, T, D, BLOCK_D: tl.constexpr):
    i_b = tl.program_id(0)
    i_d = tl.program_id(1)
    d = i_d * BLOCK_D + tl.arange(0, BLOCK_D)
    mask = d < D
    p_gate = gate_ptr + i_b * T * D + d
    p_cand = cand_ptr + i_b * T * D + d
    p_h = h_ptr + i_b * T * D + d
    h = tl.zeros([BLOCK_D], dtype=tl.float32)
    for _ in range(0, T):
        g = tl.load(p_gate, mask=mask, other=0.0)
        x = tl.load(p_cand, mask=mask, other=0.0)
        f = 1.0 / (1.0 + tl.exp(-g))
        h = f * h + (1.0 - f) * x
        tl.store(p_h, h, mask=mask)
        p_gate += D
        p_cand += D
        p_h += D


def min_gru(gate, cand):
    B, T, D = gate.shape
    h = torch.empty_like(gate)
    grid = (B, triton.cdiv(D, 128))
    min_gru_fwd[grid](gate, cand, h, T, D, BLOCK_D=128, num_warps=2)
    return h


if __name__ == "__main__":
    gate = torch.randn(4, 2048, 1024, device="cuda")
    cand = torch.randn(4, 2048, 1024, device="cuda")
    print(min_gru(gate, cand)[:, -1].norm())
