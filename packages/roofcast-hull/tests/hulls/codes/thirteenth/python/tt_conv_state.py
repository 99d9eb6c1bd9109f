"""One token through a causal convolution of four taps whose last three inputs are kept, then SiLU."""
import torch
import triton
import triton.language as tl

BATCH, DIM = 256, 4096


@triton.jit
def conv_step(state_ptr, x_ptr, w_ptr, bias_ptr, y_ptr, dim, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    d = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    at = state_ptr + (b * dim + d) * 3
    s0 = tl.load(at)
    s1 = tl.load(at + 1)
    s2 = tl.load(at + 2)
    x = tl.load(x_ptr + b * dim + d)
    w = w_ptr + d * 4
    y = s0 * tl.load(w) + s1 * tl.load(w + 1) + s2 * tl.load(w + 2) + x * tl.load(w + 3) + tl.load(bias_ptr + d)
    tl.store(at, s1)
    tl.store(at + 1, s2)
    tl.store(at + 2, x)
    tl.store(y_ptr + b * dim + d, y / (1.0 + tl.exp(-y)))


state = torch.randn(BATCH, DIM, 3, device="cuda")
x = torch.randn(BATCH, DIM, device="cuda")
w = torch.randn(DIM, 4, device="cuda")
bias = torch.randn(DIM, device="cuda")
y = torch.empty(BATCH, DIM, device="cuda")
conv_step[(BATCH, DIM // 512)](state, x, w, bias, y, DIM, BLOCK=512)
print(y.mean().item())
