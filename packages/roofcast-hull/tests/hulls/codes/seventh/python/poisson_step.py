"""One gradient step of Poisson regression (log link, ridge penalty), from scratch.
Operations counted by a counting array subclass at full size."""
import numpy as np


def poisson_step(X, y, w, b=0.1, lr=0.05, lam=1e-3):
    n = X.shape[0]
    eta = X @ w + b
    mu = np.exp(eta)
    loss = (mu - y * eta).mean()
    resid = mu - y
    grad_w = X.T @ resid / n + lam * w
    grad_b = resid.sum() / n
    return w - lr * grad_w, b - lr * grad_b, loss


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 32)) * 0.3
    true_w = rng.normal(size=32) * 0.5
    y = rng.poisson(np.exp(X @ true_w + 0.2)).astype(np.float64)
    w = np.zeros(32)
    w, b, loss = poisson_step(X, y, w)
    print("loss", loss, "bias", b)
