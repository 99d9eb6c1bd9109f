"""Focus stacking: pictures of a stack weighted by their modified Laplacian.
Operations counted by a counting array subclass at full size."""
import numpy as np


def focus_stack(stack):
    centre = stack[:, 1:-1, 1:-1]
    across = np.abs(2.0 * centre - stack[:, 1:-1, :-2] - stack[:, 1:-1, 2:])
    down = np.abs(2.0 * centre - stack[:, :-2, 1:-1] - stack[:, 2:, 1:-1])
    sharpness = across + down + 1e-6
    total = sharpness.sum(axis=0)
    return (sharpness * centre).sum(axis=0) / total


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    stack = rng.random((6, 400, 600))
    fused = focus_stack(stack)
    print(fused.shape, fused.mean())
