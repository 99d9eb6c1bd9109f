"""Feature propagation of PointNet++: each point takes the weighted features of three coarse points."""
import torch
import triton
import triton.language as tl


@triton.jit
def three_interp(idx_ptr, w_ptr, feat_ptr, out_ptr, C: tl.constexpr):
    p = tl.program_id(0)
    c = tl.arange(0, C)
    i0 = tl.load(idx_ptr + 3 * p)
    i1 = tl.load(idx_ptr + 3 * p + 1)
    i2 = tl.load(idx_ptr + 3 * p + 2)
    w0 = tl.load(w_ptr + 3 * p)
    w1 = tl.load(w_ptr + 3 * p + 1)
    w2 = tl.load(w_ptr + 3 * p + 2)
    f = w0 * tl.load(feat_ptr + i0 * C + c)
    f += w1 * tl.load(feat_ptr + i1 * C + c)
    f += w2 * tl.load(feat_ptr + i2 * C + c)
    tl.store(out_ptr + p * C + c, f)


FINE, COARSE, CHANNELS = 65536, 4096, 128
idx = torch.randint(0, COARSE, (FINE, 3), device="cuda", dtype=torch.int32)
w = torch.rand(FINE, 3, device="cuda")
w = w / w.sum(dim=1, keepdim=True)
feat = torch.randn(COARSE, CHANNELS, device="cuda")
out = torch.empty(FINE, CHANNELS, device="cuda")
three_interp[(FINE,)](idx, w, feat, out, C=CHANNELS)
