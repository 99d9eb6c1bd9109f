"""Trams at stops: regularity of headways from lists of arrival times, in seconds."""
import math
import random

STOPS = 220
ARRIVALS = 301


def irregularity(arrivals):
    """Coefficient of variation of the headways at each stop."""
    out = [0.0] * STOPS
    for stop in range(STOPS):
        s = 0.0
        ss = 0.0
        for k in range(ARRIVALS - 1):
            gap = arrivals[stop][k + 1] - arrivals[stop][k]
            s += gap
            ss += gap * gap
        mean = s / (ARRIVALS - 1)
        out[stop] = math.sqrt(ss / (ARRIVALS - 1) - mean * mean) / mean
    return out


def mean_wait(arrivals, weight):
    """Wait of a passenger who comes at random: half of squared gaps over gaps, weighted by stop."""
    top = 0.0
    for stop in range(STOPS):
        for k in range(1, ARRIVALS):
            gap = arrivals[stop][k] - arrivals[stop][k - 1]
            top += 0.5 * weight[stop] * gap * gap
    return top


def hold_back(times, least):
    """One tram after the other leaves no sooner than `least` after the one before."""
    out = list(times)
    i = 1
    while i < len(out):
        if out[i] - out[i - 1] < least:
            out[i] = out[i - 1] + least
        i += 1 if out[i] < 86400.0 else len(out)
    return out


if __name__ == "__main__":
    random.seed(3)
    arrivals = []
    for stop in range(STOPS):
        t = 0.0
        row = []
        for _ in range(ARRIVALS):
            t += random.expovariate(1 / 240)
            row.append(t)
        arrivals.append(row)
    weight = [random.random() for _ in range(STOPS)]
    print(max(irregularity(arrivals)), mean_wait(arrivals, weight), hold_back(arrivals[0], 90.0)[-1])
