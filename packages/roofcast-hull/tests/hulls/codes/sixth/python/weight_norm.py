# Weight normalisation w = g * v / ||v|| with one norm per output row (dim=0 of nn.Linear); the norms are kept for backward.
# Verified: 3*C+2 operations per row in mathematics; run on counting numbers (a stand-in for triton.language) the sum over the
# lanes of a block adds BLOCK-1 a row: 1023 of 9002 at full size (border).
import torch
import triton
import triton.language as tl


@triton.jit
def weight_norm_fwd(v_ptr, g_ptr, w_ptr, norm_ptr, stride_v, stride_w, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    v_row = v_ptr + row * stride_v
    w_row = w_ptr + row * stride_w
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(v_row + cols, mask=cols < n_cols, other=0.0)
        acc += v * v
    norm = tl.sqrt(tl.sum(acc, axis=0))
    tl.store(norm_ptr + row, norm)
    scale = tl.load(g_ptr + row) / norm
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < n_cols
        v = tl.load(v_row + cols, mask=mask, other=0.0)
        tl.store(w_row + cols, v * scale, mask=mask)


def weight_norm(v: torch.Tensor, g: torch.Tensor):
    assert v.dim() == 2 and v.is_cuda and v.stride(1) == 1
    n_rows, n_cols = v.shape
    w = torch.empty_like(v)
    norms = torch.empty(n_rows, device=v.device, dtype=torch.float32)
    weight_norm_fwd[(n_rows,)](v, g, w, norms, v.stride(0), w.stride(0), n_cols, BLOCK=1024, num_warps=4)
    return w, norms


if __name__ == "__main__":
    torch.manual_seed(3)
    v = torch.randn(768, 3000, device="cuda")
    g = torch.rand(768, device="cuda") + 0.5
    w, norms = weight_norm(v, g)
    ref = v * (g / v.norm(dim=1))[:, None]
    torch.testing.assert_close(w, ref, rtol=1e-4, atol=1e-5)
    print("ok", norms.mean().item())
