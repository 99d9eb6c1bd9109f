"""Present value of one stream of cash under many flat rates."""
import numpy as np


def present_values(cash, times, rates):
    """cash[k] is paid at times[k] (years); rates are compounded continuously."""
    return (cash * np.exp(-rates[:, None] * times)).sum(axis=1)


def main():
    rng = np.random.default_rng(7)
    times = np.linspace(0.25, 30.0, 120)
    cash = np.full(120, 1.125)
    cash[-1] += 100.0
    rates = rng.normal(0.03, 0.01, 3000)
    pv = present_values(cash, times, rates)
    print("mean %.3f  5%% quantile %.3f" % (pv.mean(), np.quantile(pv, 0.05)))


if __name__ == "__main__":
    main()
