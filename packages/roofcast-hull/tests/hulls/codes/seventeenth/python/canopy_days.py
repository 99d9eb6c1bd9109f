"""A season of crops by field: heat and light to leaves and mass; chilling of orchards by the hour."""
import numpy as np

FIELDS, DAYS = 50_000, 120
SITES, HOURS = 2000, 2880
BASE, SPAN = 8.0, 22.0
EXTINCTION = 0.65
RUE = 2.9
SLA = 0.02
LAI_MAX = 6.0


def grow(tmean, light, lai, mass):
    for d in range(DAYS):
        heat = np.clip(tmean[d] - BASE, 0.0, SPAN)
        caught = light[d] * (1.0 - np.exp(-EXTINCTION * lai))
        gain = RUE * caught * heat / SPAN
        mass = mass + gain
        lai = lai + SLA * gain * (1.0 - lai / LAI_MAX)
    return mass


def chill_units(t):
    units = np.where(t < 1.4, 0.0,
                     np.where(t < 2.4, 0.5,
                              np.where(t < 9.1, 1.0,
                                       np.where(t < 12.4, 0.5, 0.0))))
    return units.sum(axis=0)


if __name__ == "__main__":
    rng = np.random.default_rng(31)
    tmean = rng.normal(17.0, 4.0, (DAYS, FIELDS))
    light = rng.uniform(3.0, 12.0, (DAYS, FIELDS))
    mass = grow(tmean, light, np.full(FIELDS, 0.05), np.zeros(FIELDS))
    chill = chill_units(rng.normal(7.0, 5.0, (HOURS, SITES)))
    print(mass.mean(), chill.mean())
