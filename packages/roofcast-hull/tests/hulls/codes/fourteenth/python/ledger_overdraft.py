"""Balances of accounts, day by day (columns of a ledger that has been pivoted)."""
import numpy as np

N_ACCOUNTS = 4096
N_DAYS = 365


def running_balance(opening, flows):
    balance = np.cumsum(flows, axis=1)
    balance += opening[:, None]
    return balance


def overdraft_days(balance, limit):
    return (balance < limit[:, None]).sum(axis=1)


def main():
    rng = np.random.default_rng(0)
    opening = rng.normal(2_000.0, 500.0, size=N_ACCOUNTS)
    flows = rng.normal(0.0, 120.0, size=(N_ACCOUNTS, N_DAYS))
    limit = np.full(N_ACCOUNTS, -500.0)
    balance = running_balance(opening, flows)
    days = overdraft_days(balance, limit)
    print(f"{(days > 0).sum()} of {N_ACCOUNTS} accounts were overdrawn")


if __name__ == "__main__":
    main()
