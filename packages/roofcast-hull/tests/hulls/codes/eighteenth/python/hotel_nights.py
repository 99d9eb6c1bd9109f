import numpy as np

HOTELS, NIGHTS = 3000, 366


def occupied(checkins, checkouts):
    # rooms in use each night, from daily counts of both desks
    return np.cumsum(checkins - checkouts, axis=1)


def revpar(occ, rate, rooms):
    income = (occ * rate).sum(axis=1)
    return income / (rooms * NIGHTS)


def busiest(occ):
    return occ.argmax(axis=1)


if __name__ == "__main__":
    rng = np.random.default_rng(5)
    ins = rng.poisson(20, (HOTELS, NIGHTS)).astype(np.float64)
    outs = rng.poisson(19, (HOTELS, NIGHTS)).astype(np.float64)
    occ = occupied(ins, outs)
    rate = rng.uniform(60, 220, (HOTELS, NIGHTS))
    rooms = rng.integers(80, 400, HOTELS).astype(np.float64)
    print(revpar(occ, rate, rooms)[:4], busiest(occ)[:4])
