"""An epidemic in counties with age groups: force of infection, one step, the growth of cases."""
import numpy as np

COUNTIES, AGES, DAYS = 40_000, 16, 60


def force(contacts, infected, population):
    prevalence = infected / population
    return 0.035 * (prevalence @ contacts)


def advance(s, i, lam, gamma=0.2, dt=0.5):
    new = s * -np.expm1(-lam * dt)
    s -= new
    i += new - gamma * dt * i
    return new


def doubling_days(daily):
    """From the slope of log cases over time (least squares)."""
    t = np.arange(DAYS) - (DAYS - 1) / 2.0
    slope = (np.log(daily + 1.0) * t).sum(axis=1) / np.square(t).sum()
    return np.log(2.0) / slope


if __name__ == "__main__":
    rng = np.random.default_rng(101)
    n = rng.uniform(500, 5000, (COUNTIES, AGES))
    i = rng.uniform(0, 5, (COUNTIES, AGES))
    s = n - i
    lam = force(rng.uniform(0.1, 4, (AGES, AGES)), i, n)
    print(advance(s, i, lam).sum())
    print(np.median(doubling_days(rng.poisson(30, (COUNTIES, DAYS)).astype(float))))
