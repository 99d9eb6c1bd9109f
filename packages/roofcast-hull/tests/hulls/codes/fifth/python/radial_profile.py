"""Mean brightness of an image in rings around its middle."""
import numpy as np


def radial_profile(image, ring, bins):
    total = np.zeros(bins)
    count = np.zeros(bins)
    np.add.at(total, ring, image)
    np.add.at(count, ring, 1.0)
    return total / np.maximum(count, 1.0)


def main():
    h, w = 400, 500
    yy, xx = np.mgrid[0:h, 0:w]
    ring = np.hypot(yy - h / 2, xx - w / 2).astype(np.int64)
    image = np.random.default_rng(2).poisson(30.0, (h, w)).astype(float)
    profile = radial_profile(image, ring, 330)
    print(profile[:5], profile[300:305])


if __name__ == "__main__":
    main()
