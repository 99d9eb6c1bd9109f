"""Kaplan-Meier curves for many cohorts together; one row is a cohort, one column a week."""
import numpy as np


def survival(deaths, at_risk):
    return np.cumprod(1.0 - deaths / at_risk, axis=1)


def restricted_mean(curve, width):
    """Area below each curve (weeks of life inside of the study)."""
    return np.sum(curve * width, axis=1)


def demo():
    cohorts, weeks = 128, 600
    rng = np.random.default_rng(31)
    at_risk = np.linspace(5000.0, 100.0, weeks) + rng.uniform(0, 50, (cohorts, weeks))
    deaths = np.floor(at_risk * 0.002 * rng.random((cohorts, weeks)))
    width = np.full(weeks, 1.0)
    curve = survival(deaths, at_risk)
    area = restricted_mean(curve, width)
    print(curve[:, -1].mean(), area.mean())


demo()
