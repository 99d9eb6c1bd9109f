"""An integral by trapezoids."""

import numpy as np


def integrate(f, dx):
    return 0.5 * dx * np.sum(f[1:] + f[:-1])


if __name__ == "__main__":
    x = np.linspace(0.0, 1.0, 1000000)
    print(integrate(np.sin(x), x[1] - x[0]))
