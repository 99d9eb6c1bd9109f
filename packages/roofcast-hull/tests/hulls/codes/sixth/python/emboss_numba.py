# Emboss filter as a Numba stencil.
# Verified: 9 operations per interior pixel by running the kernel's body with counting numbers at reduced size.
import numpy as np
from numba import njit, stencil


@stencil
def emboss(img):
    return 0.25 * (
        2.0 * img[1, 1] + img[0, 1] + img[1, 0] - img[0, -1] - img[-1, 0] - 2.0 * img[-1, -1]
    ) + 0.5


@njit(parallel=True)
def apply_emboss(img):
    return emboss(img)


def main():
    rng = np.random.default_rng(0)
    img = rng.random((720, 1000))
    out = apply_emboss(img)
    print(out.shape, out[1:-1, 1:-1].mean())


if __name__ == "__main__":
    main()
