"""Grey-level co-occurrence of horizontal neighbours, and two texture measures."""
import numpy as np
from numba import njit

SIZE = 2048
LEVELS = 16


@njit
def glcm(image, counts):
    rows, cols = image.shape
    for i in range(rows):
        for j in range(cols - 1):
            counts[image[i, j], image[i, j + 1]] += 1


@njit
def texture(counts, pairs):
    energy = 0.0
    entropy = 0.0
    for a in range(LEVELS):
        for b in range(LEVELS):
            p = counts[a, b] / pairs
            energy += p * p
            if p > 0.0:
                entropy -= p * np.log2(p)
    return energy, entropy


def main():
    y, x = np.mgrid[0:SIZE, 0:SIZE]
    image = ((np.sin(x / 40.0) + np.cos(y / 55.0) + 2.0) * 3.99).astype(np.uint8)
    counts = np.zeros((LEVELS, LEVELS), dtype=np.int64)
    glcm(image, counts)
    energy, entropy = texture(counts, float(SIZE * (SIZE - 1)))
    print(f"energy {energy:.4f}, entropy {entropy:.4f} bits")


if __name__ == "__main__":
    main()
