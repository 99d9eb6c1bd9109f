import numpy as np

N_TICKETS = 1_500_000
N_ZONES = 96
MINUTES = 1440


def zone_takings(zone, minutes, cents_per_min):
    """zone: int32 per ticket, minutes: float32, price list per zone"""
    paid = minutes * cents_per_min[zone]
    return np.bincount(zone, weights=paid, minlength=N_ZONES)


def occupancy(starts, ends):
    arrive = np.bincount(starts, minlength=MINUTES)
    leave = np.bincount(ends, minlength=MINUTES)
    return np.cumsum(arrive - leave)


def overstays(minutes, limit, fine):
    over = minutes > limit
    return np.where(over, fine + 0.5 * (minutes - limit), 0.0).sum()


rng = np.random.default_rng(12)
zone = rng.integers(0, N_ZONES, N_TICKETS).astype(np.int32)
minutes = rng.gamma(2.0, 40.0, N_TICKETS)
price = np.linspace(2.0, 9.0, N_ZONES)
print(zone_takings(zone, minutes, price)[:5])

starts = rng.integers(0, 1300, N_TICKETS)
ends = np.minimum(starts + minutes.astype(np.int64), MINUTES - 1)
occ = occupancy(starts, ends)
print("busiest minute", int(occ.argmax()))
print("fines", overstays(minutes, 120.0, 25.0))
