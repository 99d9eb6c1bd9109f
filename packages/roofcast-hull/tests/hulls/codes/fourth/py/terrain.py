# Horn's slope of a digital elevation model
import numpy as np

CELL = 30.0


def slope(z, steepness):
    dzdx = ((z[:-2, 2:] + 2 * z[1:-1, 2:] + z[2:, 2:])
            - (z[:-2, :-2] + 2 * z[1:-1, :-2] + z[2:, :-2])) / (8 * CELL)
    dzdy = ((z[2:, :-2] + 2 * z[2:, 1:-1] + z[2:, 2:])
            - (z[:-2, :-2] + 2 * z[:-2, 1:-1] + z[:-2, 2:])) / (8 * CELL)
    steepness[1:-1, 1:-1] = np.hypot(dzdx, dzdy)


if __name__ == "__main__":
    elevation = np.zeros((720, 540), dtype=np.float32)
    elevation += np.arange(540, dtype=np.float32) * 3
    steepness = np.zeros((720, 540), dtype=np.float32)
    slope(elevation, steepness)
    print(steepness[5, 5])
