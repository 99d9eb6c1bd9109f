"""Grey from colours."""

import numpy as np


def grey(rgb):
    return 0.299 * rgb[..., 0] + 0.587 * rgb[..., 1] + 0.114 * rgb[..., 2]


if __name__ == "__main__":
    print(grey(np.zeros((1080, 1920, 3), dtype=np.float32)).shape)
