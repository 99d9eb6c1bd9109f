"""Income tax over brackets, and what a reform of the allowance moves."""
import numpy as np

HOUSEHOLDS = 1_500_000
EDGES = [0.0, 11_600.0, 47_150.0, 100_525.0, 191_950.0, 243_725.0]
RATES = [0.10, 0.12, 0.22, 0.24, 0.32]


def bracket_tax(income):
    tax = np.zeros(HOUSEHOLDS)
    for lo, hi, rate in zip(EDGES[:-1], EDGES[1:], RATES):
        tax += rate * np.clip(income - lo, 0.0, hi - lo)
    return tax


def reform_gain(income, tax, children):
    credit = np.where(income < 75_000.0, 2000.0 * children, 1200.0 * children)
    return np.minimum(credit, tax)


def main():
    rng = np.random.default_rng(3)
    income = rng.lognormal(10.7, 0.8, HOUSEHOLDS)
    children = rng.integers(0, 4, HOUSEHOLDS).astype(np.float64)
    tax = bracket_tax(income)
    gain = reform_gain(income, tax, children)
    print(tax.mean(), gain.mean())


if __name__ == "__main__":
    main()
