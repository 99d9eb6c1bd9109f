"""Loss of v-prediction for diffusion training: the mean square of each sample, one program a sample."""
import torch
import triton
import triton.language as tl


@triton.jit
def vpred_loss_kernel(x0_ptr, noise_ptr, pred_ptr, alpha_ptr, sigma_ptr, loss_ptr, PIX: tl.constexpr, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    alpha = tl.load(alpha_ptr + b)
    sigma = tl.load(sigma_ptr + b)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, PIX, BLOCK):
        at = b * PIX + start + tl.arange(0, BLOCK)
        x0 = tl.load(x0_ptr + at)
        noise = tl.load(noise_ptr + at)
        v = alpha * noise - sigma * x0
        diff = tl.load(pred_ptr + at) - v
        acc += diff * diff
    tl.store(loss_ptr + b, tl.sum(acc, axis=0) / PIX)


if __name__ == "__main__":
    batch, pixels = 64, 3 * 128 * 128
    x0 = torch.randn(batch, pixels, device="cuda")
    noise = torch.randn(batch, pixels, device="cuda")
    pred = torch.randn(batch, pixels, device="cuda")
    t = torch.rand(batch, device="cuda")
    alpha, sigma = torch.cos(t), torch.sin(t)
    loss = torch.empty(batch, device="cuda")
    vpred_loss_kernel[(batch,)](x0, noise, pred, alpha, sigma, loss, PIX=pixels, BLOCK=1024)
    print(loss.mean().item())
