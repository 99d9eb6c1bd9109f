# Float weights to 4-bit codes with one scale a row, two codes packed in a byte (even column in the low nibble).
# Verified: 5 operations per weight + 2 per byte + 1 per row by running the kernel itself on counting numbers (a stand-in for triton.language), reduced size.
# Border: floor may pass for a conversion.
import torch
import triton
import triton.language as tl


@triton.jit
def to_code(x, inv):
    q = tl.floor(x * inv + 8.5)
    q = tl.minimum(tl.maximum(q, 0.0), 15.0)
    return q.to(tl.int32)


@triton.jit
def pack_kernel(w_ptr, scale_ptr, out_ptr, n_cols, n_bytes, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    inv = 1.0 / tl.load(scale_ptr + row)
    for start in range(0, n_bytes, BLOCK):
        b = start + tl.arange(0, BLOCK)
        mask = b < n_bytes
        even = tl.load(w_ptr + row * n_cols + 2 * b, mask=mask, other=0.0)
        odd = tl.load(w_ptr + row * n_cols + 2 * b + 1, mask=mask, other=0.0)
        packed = to_code(even, inv) | (to_code(odd, inv) << 4)
        tl.store(out_ptr + row * n_bytes + b, packed.to(tl.uint8), mask=mask)


def pack_int4(w: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    rows, cols = w.shape
    assert cols % 2 == 0
    out = torch.empty(rows, cols // 2, device=w.device, dtype=torch.uint8)
    pack_kernel[(rows,)](w, scales, out, cols, cols // 2, BLOCK=256)
    return out


def main():
    w = torch.randn(1024, 1300, device="cuda")
    scales = w.abs().amax(dim=1) / 7
    packed = pack_int4(w, scales)
    low = (packed & 15).int() - 8
    high = (packed >> 4).int() - 8
    back = torch.stack([low, high], dim=2).reshape(1024, 1300) * scales[:, None]
    print("worst error in steps", ((back - w) / scales[:, None]).abs().max().item())


if __name__ == "__main__":
    main()
