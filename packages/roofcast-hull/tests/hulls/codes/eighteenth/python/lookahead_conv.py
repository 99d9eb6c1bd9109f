"""Row convolution of a streaming recogniser: every channel looks a few frames ahead."""
import torch
import triton
import triton.language as tl

T, C, TAPS = 8192, 512, 5


@triton.jit
def lookahead_kernel(x, w, y, t_out, C: tl.constexpr, TAPS: tl.constexpr, BT: tl.constexpr, BC: tl.constexpr):
    t = tl.program_id(0) * BT + tl.arange(0, BT)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    live = (t < t_out)[:, None]
    acc = tl.zeros((BT, BC), dtype=tl.float32)
    for k in range(TAPS):
        wk = tl.load(w + k * C + c)
        xk = tl.load(x + (t[:, None] + k) * C + c[None, :], mask=live, other=0.0)
        acc += xk * wk[None, :]
    tl.store(y + t[:, None] * C + c[None, :], acc, mask=live)


@triton.jit
def frame_energy_kernel(y, e, C: tl.constexpr):
    row = tl.program_id(0)
    v = tl.load(y + row * C + tl.arange(0, C))
    tl.store(e + row, tl.log(tl.sum(v * v, axis=0) + 1e-6))


def main():
    x = torch.randn(T + TAPS - 1, C, device="cuda")
    w = torch.randn(TAPS, C, device="cuda") * 0.3
    y = torch.empty(T, C, device="cuda")
    e = torch.empty(T, device="cuda")
    lookahead_kernel[(triton.cdiv(T, 32), C // 128)](x, w, y, T, C, TAPS, BT=32, BC=128)
    frame_energy_kernel[(T,)](y, e, C)
    print(e[:4])


if __name__ == "__main__":
    main()
