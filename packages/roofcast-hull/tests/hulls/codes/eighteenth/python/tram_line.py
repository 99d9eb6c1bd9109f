import numpy as np

STOPS = 64
TRIPS = 100000


def propagate(dep, run, sched):
    """dep[0] is given; a tram may not leave before its time and cannot catch up faster than run."""
    for s in range(1, STOPS):
        dep[s] = np.maximum(dep[s - 1] + run[s], sched[s])
    return dep


def lateness(dep, sched):
    late = dep - sched
    return np.where(late > 180.0, late, 0.0).sum(axis=0)


rng = np.random.default_rng(7)
sched = np.cumsum(rng.uniform(60, 120, (STOPS, TRIPS)), axis=0)
run = rng.normal(80, 25, (STOPS, TRIPS))
dep = np.zeros((STOPS, TRIPS))
dep[0] = sched[0] + rng.exponential(60, TRIPS)
propagate(dep, run, sched)
print(lateness(dep, sched).mean())
