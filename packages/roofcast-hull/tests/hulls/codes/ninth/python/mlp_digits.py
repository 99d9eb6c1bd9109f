"""Inference of a two-layer perceptron on flattened digit images (NumPy only)."""
from dataclasses import dataclass

import numpy as np

BATCH, PIXELS, HIDDEN, CLASSES = 1024, 784, 256, 10


@dataclass
class Params:
    w1: np.ndarray
    b1: np.ndarray
    w2: np.ndarray
    b2: np.ndarray

    @classmethod
    def random(cls, seed: int = 0) -> "Params":
        rng = np.random.default_rng(seed)
        f32 = np.float32
        return cls(
            (rng.standard_normal((PIXELS, HIDDEN)) / np.sqrt(PIXELS)).astype(f32),
            np.zeros(HIDDEN, f32),
            (rng.standard_normal((HIDDEN, CLASSES)) / np.sqrt(HIDDEN)).astype(f32),
            np.zeros(CLASSES, f32),
        )


def forward(x, w1, b1, w2, b2):
    h = np.maximum(x @ w1 + b1, 0.0)
    logits = h @ w2 + b2
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def main() -> None:
    x = np.random.default_rng(1).random((BATCH, PIXELS), dtype=np.float32)
    p = Params.random()
    probs = forward(x, p.w1, p.b1, p.w2, p.b2)
    print(np.bincount(probs.argmax(axis=1), minlength=CLASSES))


if __name__ == "__main__":
    main()
