import numpy as np

H, W = 1024, 1536


def luma_half(raw):
    """Half-resolution luma straight from an RGGB mosaic."""
    r = raw[0::2, 0::2].astype(np.float32)
    g1 = raw[0::2, 1::2].astype(np.float32)
    g2 = raw[1::2, 0::2].astype(np.float32)
    b = raw[1::2, 1::2].astype(np.float32)
    return 0.299 * r + 0.2935 * (g1 + g2) + 0.114 * b


def black_level(raw, black, gain):
    quads = raw.reshape(H // 2, 2, W // 2, 2).astype(np.float32)
    lifted = np.maximum(quads - black[:, None, :], np.float32(0.0))
    return lifted * gain


def main():
    rng = np.random.default_rng(0)
    raw = rng.integers(0, 4096, size=(H, W), dtype=np.uint16)
    black = np.array([[64.0, 66.0], [66.0, 63.0]], dtype=np.float32)
    y = luma_half(raw)
    lin = black_level(raw, black, np.float32(1.0 / 4032.0))
    print(y.mean(), lin.mean())


main()
