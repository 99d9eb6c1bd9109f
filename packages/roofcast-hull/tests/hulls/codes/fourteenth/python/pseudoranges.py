import numpy as np

C_LIGHT = 299_792_458.0
N_RECEIVERS = 20_000
N_SATS = 32


def predicted_ranges(receivers, sats, clock_bias):
    """Geometric distance plus the receiver's clock error, in metres."""
    diff = receivers[:, np.newaxis, :] - sats[np.newaxis, :, :]
    rho = np.sqrt(np.sum(diff ** 2, axis=-1))
    return rho + clock_bias[:, np.newaxis]


def residual_norm(measured, predicted):
    r = measured - predicted
    return np.sqrt((r * r).mean(axis=1))


if __name__ == "__main__":
    rng = np.random.default_rng(17)
    u = rng.normal(size=(N_SATS, 3))
    sats = 26.56e6 * u / np.linalg.norm(u, axis=1, keepdims=True)
    w = rng.normal(size=(N_RECEIVERS, 3))
    receivers = 6.371e6 * w / np.linalg.norm(w, axis=1, keepdims=True)
    clock_bias = C_LIGHT * rng.normal(0.0, 1e-6, N_RECEIVERS)
    pred = predicted_ranges(receivers, sats, clock_bias)
    meas = pred + rng.normal(0.0, 5.0, pred.shape)
    print(residual_norm(meas, pred)[:4])
