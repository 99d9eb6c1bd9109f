import numpy as np

ROWS = 2400
COLS = 3200


def coarse_depth(depth, cell=8):
    r, c = depth.shape[0] // cell, depth.shape[1] // cell
    return depth.reshape(r, cell, c, cell).max(axis=(1, 3))


def slope_aspect(z, dx):
    gx = (z[1:-1, 2:] - z[1:-1, :-2]) / (2.0 * dx)
    gy = (z[2:, 1:-1] - z[:-2, 1:-1]) / (2.0 * dx)
    return np.hypot(gx, gy)


def volume_curve(z, levels):
    """water volume below every level of the staff gauge"""
    return np.array([np.maximum(lv - z, np.float32(0.0)).sum() for lv in levels])


def tide_correct(z, tide, draught):
    # one tide value a survey line (row), one draught a beam (column)
    return z - tide[:, np.newaxis] + draught


def main():
    rng = np.random.default_rng(18)
    yy, xx = np.mgrid[0:ROWS, 0:COLS].astype(np.float32)
    z = 40.0 * np.exp(-((yy - 1200) / 700) ** 2 - ((xx - 1600) / 900) ** 2)
    z = (z + rng.normal(0, 0.1, z.shape)).astype(np.float32)
    tide = rng.normal(0.0, 0.2, ROWS).astype(np.float32)
    draught = np.full(COLS, 0.45, dtype=np.float32)
    z = tide_correct(z, tide, draught)
    print(coarse_depth(z).shape, slope_aspect(z, np.float32(2.0)).max())
    levels = np.linspace(0.0, 40.0, 10).astype(np.float32)
    print(volume_curve(z, levels))


if __name__ == "__main__":
    main()
