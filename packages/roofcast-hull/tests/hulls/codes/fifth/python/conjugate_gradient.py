import numpy as np


def conjugate_gradient(A, b, tol=1e-8):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    rr = r @ r
    iterations = 0
    while np.sqrt(rr) > tol:
        Ap = A @ p
        alpha = rr / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        new = r @ r
        p = r + (new / rr) * p
        rr = new
        iterations += 1
    return x, iterations


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    n = 400
    M = rng.normal(size=(n, n))
    A = M @ M.T + n * np.eye(n)
    b = rng.normal(size=n)
    x, iterations = conjugate_gradient(A, b)
    print(iterations, np.linalg.norm(A @ x - b))
