"""fp8 weights with one fp32 scale for every 128 x 128 block -> bf16"""
import torch
import triton
import triton.language as tl

GROUP = 128


@triton.jit
def weight_dequant_kernel(q_ptr, s_ptr, w_ptr, rows, cols, BLOCK: tl.constexpr):
    pid_r = tl.program_id(0)
    pid_c = tl.program_id(1)
    n_col_blocks = tl.cdiv(cols, BLOCK)
    r = pid_r * BLOCK + tl.arange(0, BLOCK)
    c = pid_c * BLOCK + tl.arange(0, BLOCK)
    where = r[:, None] * cols + c[None, :]
    keep = (r[:, None] < rows) & (c[None, :] < cols)
    q = tl.load(q_ptr + where, mask=keep).to(tl.float32)
    s = tl.load(s_ptr + pid_r * n_col_blocks + pid_c)
    tl.store(w_ptr + where, (q * s).to(tl.bfloat16), mask=keep)


def weight_dequant(q, s):
    assert q.is_contiguous() and s.is_contiguous()
    rows, cols = q.size()
    w = torch.empty(rows, cols, dtype=torch.bfloat16, device=q.device)
    grid = lambda meta: (triton.cdiv(rows, meta["BLOCK"]), triton.cdiv(cols, meta["BLOCK"]))
    weight_dequant_kernel[grid](q, s, w, rows, cols, BLOCK=GROUP)
    return w


if __name__ == "__main__":
    q = torch.randn(1536, 7168, device="cuda").to(torch.float8_e4m3fn)
    s = torch.rand(1536 // GROUP, 7168 // GROUP, device="cuda", dtype=torch.float32)
    w = weight_dequant(q, s)
    print(w.dtype, w.shape)
