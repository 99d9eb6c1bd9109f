"""Unsharp masking of a grey image with a 3x3 box blur.

By hand for a pixel: 8 additions, a division, 3 to add the detail, 2 to clip.
Verified: run once with NumPy; operations counted twice by reading.
"""
import numpy as np

HEIGHT, WIDTH = 1024, 1536


def unsharp_mask(image, amount=0.8):
    p = np.pad(image, 1, mode="edge")
    blur = (
        p[:-2, :-2] + p[:-2, 1:-1] + p[:-2, 2:]
        + p[1:-1, :-2] + p[1:-1, 1:-1] + p[1:-1, 2:]
        + p[2:, :-2] + p[2:, 1:-1] + p[2:, 2:]
    ) / 9.0
    return np.clip(image + amount * (image - blur), 0.0, 255.0)


if __name__ == "__main__":
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    picture = 127.5 + 100.0 * np.sin(x / 15.0) * np.cos(y / 21.0)
    sharp = unsharp_mask(picture)
    print(sharp.shape, picture.std(), sharp.std())
