"""Logistic regression from scratch, whole-batch gradient descent."""
import numpy as np


def gradient_step(X, y, w, lr):
    z = X @ w
    p = 1.0 / (1.0 + np.exp(-z))
    residual = p - y
    grad = X.T @ residual
    return w - lr * grad


def fit(X, y, epochs=50, lr=1e-4):
    w = np.zeros(X.shape[1])
    for epoch in range(epochs):
        w = gradient_step(X, y, w, lr)
    return w


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    n, d = 20000, 60
    X = rng.standard_normal((n, d))
    truth = rng.standard_normal(d)
    y = (X @ truth > 0).astype(float)
    w = gradient_step(X, y, np.zeros(60), 1e-4)
    # w = fit(X, y)
    print("accuracy", np.mean((X @ w > 0) == (y > 0)))
