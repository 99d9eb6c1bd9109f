# State of linear attention: for every head S = K^T V and z = sum of the keys over the sequence.
# Verified: 2*T*D*E + T*D operations per head by running the kernel itself on counting numbers (a stand-in for triton.language), reduced size.
import torch
import triton
import triton.language as tl


@triton.jit
def kv_state_kernel(
    k_ptr, v_ptr, s_ptr, z_ptr,
    T,
    D: tl.constexpr, E: tl.constexpr,
    BLOCK_T: tl.constexpr, BLOCK_D: tl.constexpr,
):
    bh = tl.program_id(0)
    d_offs = tl.program_id(1) * BLOCK_D + tl.arange(0, BLOCK_D)
    e_offs = tl.arange(0, E)
    k_base = k_ptr + bh * T * D
    v_base = v_ptr + bh * T * E
    acc = tl.zeros((BLOCK_D, E), dtype=tl.float32)
    z = tl.zeros((BLOCK_D,), dtype=tl.float32)
    for t0 in range(0, T, BLOCK_T):
        t = t0 + tl.arange(0, BLOCK_T)
        t_ok = t < T
        k = tl.load(k_base + t[:, None] * D + d_offs[None, :], mask=t_ok[:, None], other=0.0)
        v = tl.load(v_base + t[:, None] * E + e_offs[None, :], mask=t_ok[:, None], other=0.0)
        acc += tl.dot(tl.trans(k), v)
        z += tl.sum(k.to(tl.float32), axis=0)
    tl.store(s_ptr + bh * D * E + d_offs[:, None] * E + e_offs[None, :], acc)
    tl.store(z_ptr + bh * D + d_offs, z)


def kv_state(k: torch.Tensor, v: torch.Tensor):
    bh, t, d = k.shape
    e = v.shape[-1]
    s = torch.empty((bh, d, e), device=k.device, dtype=torch.float32)
    z = torch.empty((bh, d), device=k.device, dtype=torch.float32)
    BLOCK_D = 32
    kv_state_kernel[(bh, d // BLOCK_D)](k, v, s, z, t, D=d, E=e, BLOCK_T=64, BLOCK_D=BLOCK_D, num_warps=4)
    return s, z


def main():
    heads, seq, dim = 16, 1000, 64
    k = torch.rand(heads, seq, dim, device="cuda", dtype=torch.float16)
    v = torch.randn(heads, seq, dim, device="cuda", dtype=torch.float16)
    s, z = kv_state(k, v)
    torch.testing.assert_close(s, k.float().transpose(1, 2) @ v.float(), rtol=1e-2, atol=1e-1)
    torch.testing.assert_close(z, k.float().sum(1), rtol=1e-3, atol=1e-2)
    print("ok")


if __name__ == "__main__":
    main()
