"""Phase picks of a seismic network: Teager energy, short over long averages, first exceedance."""
import numpy as np

STATIONS = 64
SAMPLES = 60_000
SHORT, LONG = 50, 1000
FLOOR = 1e-12
ON = 4.0


def teager(trace):
    return trace[:, 1:-1] ** 2 - trace[:, :-2] * trace[:, 2:]


def sta_lta(energy):
    c = np.cumsum(energy, axis=1)
    brief = (c[:, LONG:] - c[:, LONG - SHORT:-SHORT]) / SHORT
    lasting = (c[:, LONG:] - c[:, :-LONG]) / LONG
    return brief / np.maximum(lasting, FLOOR)


def first_pick(ratio):
    return np.argmax(ratio > ON, axis=1)


if __name__ == "__main__":
    rng = np.random.default_rng(6)
    trace = rng.normal(0.0, 1.0, (STATIONS, SAMPLES))
    trace[:, 31_000:33_000] *= 9.0
    ratio = sta_lta(teager(trace))
    print(first_pick(ratio)[:8])
