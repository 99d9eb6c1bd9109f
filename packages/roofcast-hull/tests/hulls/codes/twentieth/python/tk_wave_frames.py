import torch
import triton
import triton.language as tl

CH, T = 64, 65536
TAPS = 5


@triton.jit
def causal_taps(x_ptr, w_ptr, y_ptr, T, NT: tl.constexpr, BLOCK: tl.constexpr):
    ch = tl.program_id(1)
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in range(NT):
        src = t - k
        v = tl.load(x_ptr + ch * T + src, mask=(src >= 0) & (t < T), other=0.0)
        acc += v * tl.load(w_ptr + ch * NT + k)
    tl.store(y_ptr + ch * T + t, acc, mask=t < T)


@triton.jit
def running_phase(f_ptr, p_ptr, T: tl.constexpr):
    row = tl.program_id(0)
    t = tl.arange(0, T)
    f = tl.load(f_ptr + row * T + t)
    tl.store(p_ptr + row * T + t, tl.cumsum(f, axis=0))


@triton.jit
def loud_counts(x_ptr, hist_ptr, n, scale, BINS: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    bin = (tl.abs(x) * scale).to(tl.int32)
    bin = tl.minimum(bin, BINS - 1)
    tl.atomic_add(hist_ptr + bin, 1, mask=mask)


x = torch.randn(CH, T, device="cuda")
w = torch.randn(CH, TAPS, device="cuda")
y = torch.empty_like(x)
causal_taps[(T // 512, CH)](x, w, y, T, NT=TAPS, BLOCK=512)
freq = torch.rand(4096, 1024, device="cuda") * 0.05
phase = torch.empty_like(freq)
running_phase[(4096,)](freq, phase, T=1024)
hist = torch.zeros(128, device="cuda", dtype=torch.int32)
loud_counts[(CH * T // 1024,)](y, hist, CH * T, 12.0, BINS=128, BLOCK=1024)
print(hist[:6].tolist(), phase[0, -1].item())
