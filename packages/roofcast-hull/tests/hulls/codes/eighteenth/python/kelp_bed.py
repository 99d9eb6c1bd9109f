# Logistic growth of a kelp bed, patch by patch.
# Carrying capacity 12 kg/m2; growth follows the light that reaches the patch.
# Harvest is limited by licence.

import numpy as np

PATCHES = 1 << 20
DAYS = 60


def season(biomass, light):
    for _ in range(DAYS):
        biomass = biomass + 0.08 * light * biomass * (1.0 - biomass / 12.0)
    return biomass


def harvest_value(biomass, quota, price):
    taken = np.minimum(biomass * 0.35, quota)
    return (taken * price).sum()


rng = np.random.default_rng(11)
bed = rng.uniform(0.1, 4.0, PATCHES)
light = rng.uniform(0.2, 1.0, PATCHES)
bed = season(bed, light)
print(harvest_value(bed, np.full(PATCHES, 2.5), rng.uniform(1, 3, PATCHES)))
