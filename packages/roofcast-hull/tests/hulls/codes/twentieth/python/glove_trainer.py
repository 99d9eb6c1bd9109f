import numpy as np

BATCH, DIM, WORDS = 16384, 128, 30000
F = np.float32


def forward(W, C, bw, bc, i, j):
    return np.einsum("nd,nd->n", W[i], C[j]) + bw[i] + bc[j]


def weight_of(x, xmax, alpha):
    return np.minimum((x / xmax) ** alpha, F(1.0))


def loss_grad(score, logx, f):
    err = score - logx
    g = f * err
    return g, F(0.5) * np.sum(g * err)


def apply_rows(W, i, step):
    np.subtract.at(W, i, step)


if __name__ == "__main__":
    rng = np.random.default_rng(2014)
    W = rng.normal(0, 0.05, (WORDS, DIM)).astype(F)
    C = rng.normal(0, 0.05, (WORDS, DIM)).astype(F)
    bw = np.zeros(WORDS, F)
    bc = np.zeros(WORDS, F)
    i = rng.integers(0, WORDS, BATCH)
    j = rng.integers(0, WORDS, BATCH)
    x = rng.pareto(1.2, BATCH).astype(F) + F(1.0)
    s = forward(W, C, bw, bc, i, j)
    f = weight_of(x, F(100.0), F(0.75))
    g, loss = loss_grad(s, np.log(x), f)
    step = (F(0.05) * g)[:, None] * C[j]
    apply_rows(W, i, step)
    print(float(loss))
