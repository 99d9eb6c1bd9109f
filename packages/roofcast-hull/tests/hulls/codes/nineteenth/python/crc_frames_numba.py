import numpy as np
from numba import njit, prange, uint32

FRAMES = 8192
PAYLOAD = 64


def make_table():
    t = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        t = np.where(t & 1, (t >> 1) ^ np.uint32(0xEDB88320), t >> 1).astype(np.uint32)
    return t


@njit(parallel=True)
def frame_crcs(frames, table, crcs):
    for f in prange(FRAMES):
        c = uint32(0xFFFFFFFF)
        for k in range(PAYLOAD):
            c = table[(c ^ frames[f, k]) & uint32(0xFF)] ^ (c >> uint32(8))
        crcs[f] = c ^ uint32(0xFFFFFFFF)


@njit
def parity_columns(frames, par):
    # xor of all frames, byte by byte
    for k in range(PAYLOAD):
        p = 0
        for f in range(FRAMES):
            p ^= frames[f, k]
        par[k] = p


if __name__ == "__main__":
    frames = np.random.default_rng(33).integers(0, 256, (FRAMES, PAYLOAD), dtype=np.uint8)
    crcs = np.zeros(FRAMES, dtype=np.uint32)
    par = np.zeros(PAYLOAD, dtype=np.uint8)
    frame_crcs(frames, make_table(), crcs)
    parity_columns(frames, par)
    print(hex(crcs[0]), par[:8])
