# for the tuning app: which unisons beat
import numpy as np

STRINGS = 4096
PARTIALS = 256


def partial_table(f0, inharm, n):
    """Stiff-string partials, f_n = n f0 sqrt(1 + B n^2)."""
    return n * f0[:, None] * np.sqrt(1.0 + inharm[:, None] * n * n)


def beating(table_a, table_b):
    d = table_a - table_b
    return np.exp(d * d * -0.00125).sum()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    f0 = 27.5 * 2.0 ** rng.uniform(0, 7, STRINGS)
    B = rng.uniform(1e-4, 1e-2, STRINGS)
    n = np.arange(1, PARTIALS + 1, dtype=np.float64)
    a = partial_table(f0, B, n)
    b = partial_table(f0 * 1.001, B, n)
    print(beating(a, b))
