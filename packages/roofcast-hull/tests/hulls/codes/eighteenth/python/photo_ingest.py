"""Camera JPEGs (decoded elsewhere) to network input, and a contact sheet.

Only the one resolution that the cameras deliver.
"""

import numpy as np

H, W = 1080, 1920
MEAN = np.array([0.485, 0.456, 0.406], dtype=np.float32)
INV_STD = np.array([4.367, 4.464, 4.444], dtype=np.float32)


def to_chw(img, mean, inv_std):
    planes = np.empty((3, H, W), dtype=np.float32)
    for c in range(3):
        planes[c] = (img[:, :, c] * np.float32(1 / 255.0) - mean[c]) * inv_std[c]
    return planes


def thumbnail(planes):
    return planes.reshape(3, H // 8, 8, W // 8, 8).mean(axis=(2, 4))


if __name__ == "__main__":
    img = np.random.default_rng(2).integers(0, 256, (H, W, 3)).astype(np.uint8)
    x = to_chw(img, MEAN, INV_STD)
    print(thumbnail(x).shape)
