import torch
import triton
import triton.language as tl

P, Q = 16384, 4096


@triton.jit
def overlap_kernel(px, py, qx, qy, out, nq, inv, BP: tl.constexpr, BQ: tl.constexpr):
    i = tl.program_id(0) * BP + tl.arange(0, BP)
    x = tl.load(px + i)
    y = tl.load(py + i)
    acc = tl.zeros((BP,), tl.float32)
    for j0 in range(0, nq, BQ):
        j = j0 + tl.arange(0, BQ)
        dx = x[:, None] - tl.load(qx + j)[None, :]
        dy = y[:, None] - tl.load(qy + j)[None, :]
        acc += tl.sum(tl.exp(-(dx * dx + dy * dy) * inv), axis=1)
    tl.store(out + i, acc)


def overlap(p, q, sigma):
    out = torch.empty(P, device=p.device)
    overlap_kernel[(P // 64,)](p[0], p[1], q[0], q[1], out, Q, 0.5 / sigma**2, BP=64, BQ=64)
    return out


if __name__ == "__main__":
    p = torch.rand(2, P, device="cuda")
    q = torch.rand(2, Q, device="cuda")
    print(overlap(p, q, 0.05).mean().item())
