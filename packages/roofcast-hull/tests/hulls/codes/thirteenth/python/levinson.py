"""Linear prediction by Levinson and Durbin: coefficients of order p from those of order p - 1."""
import numpy as np


def levinson_durbin(r, order):
    a = np.zeros(order + 1)
    a[0] = 1.0
    err = r[0]
    for m in range(1, order + 1):
        k = -np.dot(a[:m], r[m:0:-1]) / err
        a[1:m + 1] = a[1:m + 1] + k * a[m - 1::-1][:m]
        err = err * (1.0 - k * k)
    return a, err


signal = np.random.default_rng(14).normal(size=20000).cumsum()
signal -= signal.mean()
lags = np.array([signal[:20000 - k] @ signal[k:] for k in range(65)])
print(levinson_durbin(lags, 64)[1])

# an autoregression is found again
noise = np.random.default_rng(15).normal(size=50000)
series = [0.0, 0.0]
for shock in noise:
    series.append(1.2 * series[-1] - 0.5 * series[-2] + shock)
series = np.array(series)
lags = np.array([series[:len(series) - k] @ series[k:] for k in range(65)])
print(levinson_durbin(lags, 64)[0][:4])
