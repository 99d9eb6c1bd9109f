import numpy as np

RESAMPLES = 2000
DAYS = 250


def resampled_means(returns, picks):
    sample = returns[picks]
    return sample.mean(axis=1)


def main():
    rng = np.random.default_rng(5)
    returns = rng.standard_normal(5000) * 0.01
    picks = rng.integers(0, 5000, size=(RESAMPLES, DAYS))
    means = resampled_means(returns, picks)
    print(np.percentile(means, [5, 50, 95]))


if __name__ == "__main__":
    main()
