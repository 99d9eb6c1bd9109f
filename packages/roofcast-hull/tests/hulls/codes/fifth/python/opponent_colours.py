"""Opponent colours: every pixel of a photograph times a matrix."""
import numpy as np

OPPONENT = np.array([[0.299, 0.587, 0.114], [0.5, -0.5, 0.0], [0.25, 0.25, -0.5]], dtype=np.float32)


def transform(image, matrix):
    return np.einsum("yxc,dc->yxd", image, matrix)


if __name__ == "__main__":
    image = np.random.default_rng(1).random((480, 640, 3), dtype=np.float32)
    planes = transform(image, OPPONENT)
    print(planes.dtype, planes.reshape(-1, 3).mean(axis=0))
