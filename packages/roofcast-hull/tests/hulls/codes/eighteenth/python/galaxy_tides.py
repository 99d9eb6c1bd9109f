import torch
import triton
import triton.language as tl

PROBES = 65536
MASSES = 2048


@triton.jit
def potential_kernel(px, py, pz, mx, my, mz, m, phi, N_MASS: tl.constexpr, BP: tl.constexpr, BM: tl.constexpr):
    i = tl.program_id(0) * BP + tl.arange(0, BP)
    x = tl.load(px + i)[:, None]
    y = tl.load(py + i)[:, None]
    z = tl.load(pz + i)[:, None]
    acc = tl.zeros((BP,), dtype=tl.float32)
    for start in range(0, N_MASS, BM):
        j = start + tl.arange(0, BM)
        dx = x - tl.load(mx + j)[None, :]
        dy = y - tl.load(my + j)[None, :]
        dz = z - tl.load(mz + j)[None, :]
        r2 = dx * dx + dy * dy + dz * dz + 0.01
        acc += tl.sum(tl.load(m + j)[None, :] / tl.sqrt(r2), axis=1)
    tl.store(phi + i, acc)


def potential(probe, mass):
    phi = torch.empty(PROBES, device="cuda")
    potential_kernel[(PROBES // 64,)](probe[0], probe[1], probe[2], mass[0], mass[1], mass[2], mass[3], phi,
                                      MASSES, BP=64, BM=64)
    return phi


probe = [torch.randn(PROBES, device="cuda") for _ in range(3)]
mass = [torch.randn(MASSES, device="cuda") for _ in range(3)] + [torch.rand(MASSES, device="cuda")]
print(potential(probe, mass).max())
