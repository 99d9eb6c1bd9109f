# spectra from the shop photometer, recipes by mass
"""Kubelka-Munk single constant theory for house paint."""
import numpy as np

# 400 to 700 nm by tens
PIGMENTS, BANDS, RECIPES = 64, 31, 50000


def ks_ratio(refl):
    return (1.0 - refl) ** 2 / (2.0 * refl)


def mixed_reflectance(weights, ks):
    total = weights @ ks
    return 1.0 + total - np.sqrt(total * total + 2.0 * total)


rng = np.random.default_rng(8)
pigment_refl = rng.uniform(0.02, 0.95, (PIGMENTS, BANDS))
recipe = rng.dirichlet(np.ones(PIGMENTS), size=RECIPES)

# absorption over scattering is additive in the recipe, reflectance is not
K = ks_ratio(pigment_refl)
swatches = mixed_reflectance(recipe, K)
print(swatches.min(), swatches.max())
