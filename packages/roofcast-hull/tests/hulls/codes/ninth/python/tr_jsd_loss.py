"""Jensen-Shannon divergence between student and teacher for distillation.

Both inputs are log-probabilities. The gradient with respect to the student is
made in the forward pass, as the loss of a row and its gradient read the same data.
Operation count: self-counting scalar translation of one row of 8 entries.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def jsd_kernel(
    X_ptr,            # student log-probs, [rows, vocab]
    X_stride,
    Y_ptr,            # teacher log-probs, [rows, vocab]
    Y_stride,
    dX_ptr,           # gradient, [rows, vocab]
    dX_stride,
    loss_ptr,         # [rows]
    beta,
    scale,            # 1 / rows
    n_cols,
    BLOCK_SIZE: tl.constexpr,
):
    pid = tl.program_id(0).to(tl.int64)
    X_ptr += pid * X_stride
    Y_ptr += pid * Y_stride
    dX_ptr += pid * dX_stride

    acc = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    for start in range(0, n_cols, BLOCK_SIZE):
        offs = start + tl.arange(0, BLOCK_SIZE)
        mask = offs < n_cols
        X = tl.load(X_ptr + offs, mask=mask, other=float("-inf")).to(tl.float32)
        Y = tl.load(Y_ptr + offs, mask=mask, other=float("-inf")).to(tl.float32)

        qb = (1 - beta) * tl.exp(X)
        pb = beta * tl.exp(Y)
        log_m = tl.log(pb + qb)
        qx = qb * (X - log_m)
        py = pb * (Y - log_m)
        acc += tl.where(mask, qx + py, 0.0)
        tl.store(dX_ptr + offs, qx * scale, mask=mask)

    tl.store(loss_ptr + pid, tl.sum(acc, axis=0) * scale)


class JSDFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, student, teacher, beta=0.5):
        rows, vocab = student.shape
        dX = torch.empty_like(student)
        loss = torch.empty(rows, dtype=torch.float32, device=student.device)
        jsd_kernel[(rows,)](
            student, student.stride(0),
            teacher, teacher.stride(0),
            dX, dX.stride(0),
            loss, beta, 1.0 / rows, vocab,
            BLOCK_SIZE=4096, num_warps=8,
        )
        ctx.save_for_backward(dX)
        return loss.sum()

    @staticmethod
    def backward(ctx, grad_output):
        (dX,) = ctx.saved_tensors
        return dX * grad_output, None, None


class JSDLoss(torch.nn.Module):
    def __init__(self, beta: float = 0.5):
        super().__init__()
        self.beta = beta

    def forward(self, student, teacher):
        return JSDFunction.apply(student, teacher, self.beta)


def main():
    rows, vocab = 2048, 32000
    student = torch.randn(rows, vocab, device="cuda").log_softmax(-1).requires_grad_(True)
    teacher = torch.randn(rows, vocab, device="cuda").log_softmax(-1)
    loss = JSDLoss()(student, teacher)
    loss.backward()
    print("loss", loss.item(), "grad", student.grad.abs().sum().item())


if __name__ == "__main__":
    main()
