"""Naive Bayes with a Gaussian for each feature."""
import numpy as np


def log_posterior(x, mean, var, log_prior):
    norm = log_prior - 0.5 * np.sum(np.log(2.0 * np.pi * var), axis=1)
    return norm - 0.5 * np.sum((x[:, None, :] - mean) ** 2 / var, axis=2)


class NaiveBayes:
    def fit(self, x, y):
        classes = np.unique(y)
        self.mean = np.array([x[y == c].mean(axis=0) for c in classes])
        self.var = np.array([x[y == c].var(axis=0) + 1e-9 for c in classes])
        self.log_prior = np.log(np.array([(y == c).mean() for c in classes]))
        return self


if __name__ == "__main__":
    rng = np.random.default_rng(9)
    mean = rng.normal(size=(10, 13))
    var = rng.uniform(0.5, 2.0, size=(10, 13))
    log_prior = np.log(np.full(10, 0.1))
    x = rng.normal(size=(4000, 13))
    scores = log_posterior(x, mean, var, log_prior)
    print(np.bincount(scores.argmax(axis=1)))
