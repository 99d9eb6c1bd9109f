"""Specular lobe of a GGX surface, for all pixels of a deferred frame at once."""
import numpy as np

PIXELS = 1_500_000
ROUGH = 0.35
A2 = ROUGH ** 4
K = (ROUGH + 1.0) ** 2 / 8.0
F0 = 0.04


def ggx_specular(ndh, ndv, ndl, vdh):
    # Trowbridge-Reitz distribution
    d = ndh * ndh * (A2 - 1.0) + 1.0
    dist = A2 / (np.pi * d * d)

    # Smith's masking, Schlick's form of it
    gv = ndv / (ndv * (1.0 - K) + K)
    gl = ndl / (ndl * (1.0 - K) + K)

    fresnel = F0 + (1.0 - F0) * np.power(1.0 - vdh, 5.0)
    return dist * gv * gl * fresnel / (4.0 * ndv * ndl)


if __name__ == "__main__":
    rng = np.random.default_rng(5)
    ndh = np.clip(rng.random(PIXELS, dtype=np.float32), 0.01, 1.0)
    ndv = np.clip(rng.random(PIXELS, dtype=np.float32), 0.01, 1.0)
    ndl = np.clip(rng.random(PIXELS, dtype=np.float32), 0.01, 1.0)
    vdh = np.clip(rng.random(PIXELS, dtype=np.float32), 0.01, 1.0)
    spec = ggx_specular(ndh, ndv, ndl, vdh)
    print(spec.mean(), spec.dtype)
