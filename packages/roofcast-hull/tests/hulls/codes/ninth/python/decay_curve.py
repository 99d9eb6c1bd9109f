"""Energy decay curves (Schroeder's backward integration) of room responses."""
import numpy as np

CHANNELS = 32
SAMPLES = 48_000          # one second


def schroeder_decay(response):
    """Decay in dB, 0 at the start; response is (channels, samples)."""
    energy = response * response
    edc = np.cumsum(energy[:, ::-1], axis=1)[:, ::-1]
    return 10.0 * np.log10(np.maximum(edc / edc[:, :1], 1e-12))


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    t = np.arange(SAMPLES) / 48_000.0
    ir = rng.standard_normal((CHANNELS, SAMPLES)) * np.exp(-6.9 * t / 0.6)
    db = schroeder_decay(ir)
    i5 = np.argmax(db < -5.0, axis=1)
    i35 = np.argmax(db < -35.0, axis=1)
    print("T30:", np.round(2.0 * (t[i35] - t[i5]), 3)[:4])
