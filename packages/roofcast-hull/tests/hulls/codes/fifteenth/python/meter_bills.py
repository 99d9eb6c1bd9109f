"""Bills of electricity meters from hourly readings, and a smoothed load of each for the planner."""
import random

METERS = 400
HOURS = 24 * 28


def bills(kwh, tariff, standing):
    out = [0.0] * METERS
    for m in range(METERS):
        cost = 0.0
        for h in range(HOURS):
            cost += kwh[m][h] * tariff[h]
        out[m] = cost + standing
    return out


def smooth_load(kwh, alpha):
    load = [[0.0] * HOURS for _ in range(METERS)]
    for m in range(METERS):
        level = kwh[m][0]
        for h in range(HOURS):
            level = level + alpha * (kwh[m][h] - level)
            load[m][h] = level
    return load


def main():
    random.seed(4)
    kwh = [[random.expovariate(2.0) for _ in range(HOURS)] for _ in range(METERS)]
    tariff = [0.31 if 7 <= h % 24 < 22 else 0.17 for h in range(HOURS)]
    print(sum(bills(kwh, tariff, 11.2)))
    print(smooth_load(kwh, 0.2)[0][-1])


if __name__ == "__main__":
    main()
