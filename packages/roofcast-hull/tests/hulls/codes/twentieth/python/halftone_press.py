"""Plates for a four-colour press: dot gain, screening, ink coverage."""
import numpy as np

H, W = 2048, 3072
CELL = 16


def ink_gain(plate, curve):
    return curve[plate]


def screen(plate, spot):
    cells = plate.reshape(H // CELL, CELL, W // CELL, CELL)
    return (cells > spot[None, :, None, :]).reshape(H, W)


def coverage_profile(dots):
    # ink keys of the press are 32 columns wide
    return dots.reshape(H, W // 32, 32).sum(axis=(0, 2))


def under_colour(c, m, y, strength):
    grey = np.minimum(np.minimum(c, m), y)
    k = strength * grey
    return c - k, m - k, y - k, k


def trap_edges(plate):
    padded = np.pad(plate, 1, mode="edge")
    up = np.maximum(padded[:-2, 1:-1], padded[2:, 1:-1])
    side = np.maximum(padded[1:-1, :-2], padded[1:-1, 2:])
    return np.maximum(plate, np.maximum(up, side))


def main():
    rng = np.random.default_rng(1881)
    plate = rng.integers(0, 256, (H, W), dtype=np.uint8)
    curve = (255 * (np.arange(256) / 255.0) ** 0.8).astype(np.uint8)
    spot = rng.permutation(CELL * CELL).reshape(CELL, CELL).astype(np.uint8)
    dots = screen(ink_gain(plate, curve), spot)
    print(coverage_profile(dots)[:4])
    c, m, y = (rng.random((H, W), dtype=np.float32) for _ in range(3))
    print([float(t.mean()) for t in under_colour(c, m, y, np.float32(0.6))])
    print(trap_edges(plate).mean())


if __name__ == "__main__":
    main()
