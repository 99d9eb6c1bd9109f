# Lindley's recursion for many checkouts at once: waiting time of customer t at till q.
import numpy as np

CUSTOMERS = 500
TILLS = 20_000


def waiting_times(service, gaps):
    w = np.zeros((CUSTOMERS, TILLS))
    for t in range(1, CUSTOMERS):
        w[t] = np.maximum(w[t - 1] + service[t - 1] - gaps[t - 1], 0.0)
    return w


if __name__ == "__main__":
    rng = np.random.default_rng(6)
    service = rng.exponential(0.9, (CUSTOMERS, TILLS))
    gaps = rng.exponential(1.0, (CUSTOMERS, TILLS))
    print(waiting_times(service, gaps)[-1].mean())
