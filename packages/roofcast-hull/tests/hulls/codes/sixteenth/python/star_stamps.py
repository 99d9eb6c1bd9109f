"""Photometry on stamps cut around stars: sky, flux in an aperture, centroid."""
import numpy as np

STARS, SIDE = 20_000, 16


def sky_level(stamps):
    edge = np.concatenate([stamps[:, 0, :], stamps[:, -1, :]], axis=1)
    return edge.mean(axis=1)


def flux(stamps, sky, aperture):
    return ((stamps - sky[:, None, None]) * aperture).sum(axis=(1, 2))


def centroid_x(stamps):
    columns = stamps.sum(axis=1)
    ax = np.arange(SIDE) - (SIDE - 1) / 2
    return columns @ ax / columns.sum(axis=1)


if __name__ == "__main__":
    rng = np.random.default_rng(2)
    stamps = rng.poisson(200, (STARS, SIDE, SIDE)).astype(float)
    yy, xx = np.mgrid[:SIDE, :SIDE] - 7.5
    aperture = np.exp(-(xx * xx + yy * yy) / 18)
    print(flux(stamps, sky_level(stamps), aperture).mean(), centroid_x(stamps).std())
