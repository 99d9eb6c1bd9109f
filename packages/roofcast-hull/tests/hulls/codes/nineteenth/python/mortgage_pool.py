import numpy as np

POOLS = 2000
TERM = 360


def smm_from_cpr(cpr):
    # annual prepayment speed -> single monthly mortality
    return 1.0 - (1.0 - cpr) ** (1.0 / 12.0)


def survival(smm):
    return np.cumprod(1.0 - smm, axis=1)


def wal_years(principal, months):
    """Weighted average life of each pool."""
    return (principal * months).sum(axis=1) / principal.sum(axis=1) / 12.0


if __name__ == "__main__":
    rng = np.random.default_rng(11)
    ramp = np.minimum(np.arange(1, TERM + 1) / 30.0, 1.0) * 0.06
    cpr = ramp[None, :] * rng.uniform(0.5, 3.0, size=(POOLS, 1))
    smm = smm_from_cpr(cpr)
    alive = survival(smm)
    months = np.arange(1.0, TERM + 1.0)
    pay = alive * smm
    print(wal_years(pay, months)[:5])
