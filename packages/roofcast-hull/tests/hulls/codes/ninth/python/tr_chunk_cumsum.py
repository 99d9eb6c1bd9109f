# -*- coding: utf-8 -*-
# Cumulative sums of log gates inside of chunks, for chunked gated linear attention.
# The gates come as [B, T, H, S]; each chunk of T starts its sum anew.
# Operation count: by hand (one multiplication and one addition an element), small loop for the additions.
import torch
import triton
import triton.language as tl

RCP_LN2 = 1.4426950216


@triton.heuristics({
    "HAS_SCALE": lambda args: args["scale"] is not None,
})
@triton.autotune(
    configs=[
        triton.Config({"BS": BS}, num_warps=num_warps)
        for BS in [32, 64]
        for num_warps in [2, 4, 8]
    ],
    key=["H", "S", "BT"],
)
@triton.jit(do_not_specialize=["T"])
def chunk_local_cumsum_vector_kernel(
    s,
    o,
    scale,
    T,
    H: tl.constexpr,
    S: tl.constexpr,
    BT: tl.constexpr,
    BS: tl.constexpr,
    HAS_SCALE: tl.constexpr,
):
    i_s, i_t, i_bh = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    i_b, i_h = i_bh // H, i_bh % H

    p_s = tl.make_block_ptr(s + (i_b * T * H + i_h) * S, (T, S), (H * S, 1), (i_t * BT, i_s * BS), (BT, BS), (1, 0))
    p_o = tl.make_block_ptr(o + (i_b * T * H + i_h) * S, (T, S), (H * S, 1), (i_t * BT, i_s * BS), (BT, BS), (1, 0))
    b_s = tl.load(p_s, boundary_check=(0, 1)).to(tl.float32)
    b_o = tl.cumsum(b_s, axis=0)
    if HAS_SCALE:
        b_o *= scale
    tl.store(p_o, b_o.to(p_o.dtype.element_ty), boundary_check=(0, 1))


def chunk_local_cumsum(g: torch.Tensor, chunk_size: int, scale=None) -> torch.Tensor:
    B, T, H, S = g.shape
    assert chunk_size == 2 ** (chunk_size.bit_length() - 1), "chunk_size must be a power of 2"
    out = torch.empty_like(g, dtype=torch.float)

    def grid(meta):
        return (triton.cdiv(meta["S"], meta["BS"]), triton.cdiv(T, chunk_size), B * H)

    chunk_local_cumsum_vector_kernel[grid](g, out, scale, T=T, H=H, S=S, BT=chunk_size)
    return out


if __name__ == "__main__":
    B, T, H, S = 8, 2048, 8, 128
    g = torch.nn.functional.logsigmoid(torch.randn(B, T, H, S, device="cuda")) / 16
    o = chunk_local_cumsum(g, chunk_size=64, scale=RCP_LN2)
    ref = g.view(B, T // 64, 64, H, S).cumsum(2).view_as(g) * RCP_LN2
    print("max diff", (o - ref).abs().max().item())
