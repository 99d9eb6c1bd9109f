"""Logistic regression from scratch, full-batch gradient descent with L2 penalty.

By hand: predict_proba is one product of a row and the weights; gradient makes the error (used twice), then two sums.
Verified: run once with NumPy; operations counted twice by reading.
"""
import numpy as np

N_SAMPLES = 20000
N_FEATURES = 50


def predict_proba(X, w, b):
    return 1.0 / (1.0 + np.exp(-(X @ w + b)))


def gradient(X, y, w, b, lam=1e-3):
    err = 1.0 / (1.0 + np.exp(-(X @ w + b))) - y
    grad_w = X.T @ err / N_SAMPLES + lam * w
    grad_b = err.mean()
    return grad_w, grad_b


def fit(X, y, lr=0.5, epochs=30):
    w = np.zeros(X.shape[1])
    b = 0.0
    for _ in range(epochs):
        grad_w, grad_b = gradient(X, y, w, b)
        w -= lr * grad_w
        b -= lr * grad_b
    return w, b


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_SAMPLES, N_FEATURES))
    true_w = rng.standard_normal(N_FEATURES)
    y = (X @ true_w + 0.3 + rng.logistic(size=N_SAMPLES) > 0).astype(float)
    w, b = fit(X, y)
    p = predict_proba(X, w, b)
    print("accuracy", ((p > 0.5) == (y > 0.5)).mean())
