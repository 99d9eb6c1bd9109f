"""Blend of two registered exposures along a ramp that differs by column."""
import numpy as np

HEIGHT, WIDTH = 1080, 800


def blend(left, right, ramp):
    w = ramp[None, :, None]
    return left + w * (right - left)


def seam_cost(left, right):
    """Squared colour difference, summed over the channels."""
    d = left - right
    return np.einsum("ijk,ijk->ij", d, d)


if __name__ == "__main__":
    rng = np.random.default_rng(5)
    left = rng.random((HEIGHT, WIDTH, 3), dtype=np.float32)
    right = rng.random((HEIGHT, WIDTH, 3), dtype=np.float32)
    ramp = np.linspace(0, 1, WIDTH, dtype=np.float32)
    out = blend(left, right, ramp)
    cost = seam_cost(left, right)
    print(out.mean(), cost.min())
