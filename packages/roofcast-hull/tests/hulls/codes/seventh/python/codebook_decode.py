"""Product-quantisation decode: each of 32 byte codes of a vector picks 4 numbers of its codebook, times the vector's norm.
1 operation a number (by hand; run with counting numbers at reduced size).  All of the codebook is taken as touched."""
import torch
import triton
import triton.language as tl


@triton.jit
def pq_decode_kernel(codes_ptr, books_ptr, norms_ptr, out_ptr, N,
                     M: tl.constexpr, D: tl.constexpr, KSUB: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j = tl.arange(0, M * D)
    m = j // D
    d = j % D
    row_ok = rows[:, None] < N
    code = tl.load(codes_ptr + rows[:, None] * M + m[None, :], mask=row_ok, other=0).to(tl.int32)
    entry = tl.load(books_ptr + (m[None, :] * KSUB + code) * D + d[None, :], mask=row_ok, other=0.0)
    norm = tl.load(norms_ptr + rows, mask=rows < N, other=0.0)
    tl.store(out_ptr + rows[:, None] * (M * D) + j[None, :], entry * norm[:, None], mask=row_ok)


def pq_decode(codes: torch.Tensor, books: torch.Tensor, norms: torch.Tensor) -> torch.Tensor:
    n, m = codes.shape
    _, ksub, d = books.shape
    out = torch.empty((n, m * d), device=codes.device, dtype=torch.float32)
    ROWS = 16
    pq_decode_kernel[(triton.cdiv(n, ROWS),)](codes, books, norms, out, n,
                                              M=m, D=d, KSUB=ksub, ROWS=ROWS)
    return out


def main():
    n, m, ksub, d = 16384, 32, 256, 4
    codes = torch.randint(0, ksub, (n, m), device="cuda", dtype=torch.uint8)
    books = torch.randn(m, ksub, d, device="cuda")
    norms = torch.rand(n, device="cuda") + 0.5
    y = pq_decode(codes, books, norms)
    ref = books[torch.arange(m, device="cuda"), codes.long()].reshape(n, m * d) * norms[:, None]
    print("max diff", (y - ref).abs().max().item())


if __name__ == "__main__":
    main()
