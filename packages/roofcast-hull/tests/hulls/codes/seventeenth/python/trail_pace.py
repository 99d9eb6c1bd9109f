"""Trail races: metabolic cost of each segment from its grade, then every runner's finishing time."""
import random

RUNNERS = 300
SEGMENTS = 2000


def gradient_cost(grade):
    cost = [0.0] * SEGMENTS
    for s in range(SEGMENTS):
        g = grade[s]
        cost[s] = ((((155.4 * g - 30.4) * g - 43.3) * g + 46.3) * g + 19.5) * g + 3.6
    return cost


def finish_times(watts, metres, cost):
    seconds = [0.0] * RUNNERS
    for r in range(RUNNERS):
        t = 0.0
        for s in range(SEGMENTS):
            t += metres[s] * cost[s] / watts[r]
        seconds[r] = t
    return seconds


def watts_for(limit, metres, cost):
    low, high = 1.0, 40.0
    while high - low > 1e-9 * high:
        mid = 0.5 * (low + high)
        t = 0.0
        for s in range(SEGMENTS):
            t += metres[s] * cost[s] / mid
        if t > limit:
            low = mid
        else:
            high = mid
    return high


if __name__ == "__main__":
    random.seed(42)
    grade = [random.uniform(-0.25, 0.3) for _ in range(SEGMENTS)]
    metres = [random.uniform(10.0, 40.0) for _ in range(SEGMENTS)]
    watts = [random.uniform(9.0, 18.0) for _ in range(RUNNERS)]
    seconds = finish_times(watts, metres, gradient_cost(grade))
    print(watts_for(4.5 * 3600.0, metres, gradient_cost(grade)))
    print(min(seconds) / 3600, max(seconds) / 3600)
