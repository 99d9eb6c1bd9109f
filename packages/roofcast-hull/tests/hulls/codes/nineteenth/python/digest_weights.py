#!/usr/bin/env python
# tryptic peptides: masses and a hydropathy trace
import numpy as np

WATER = 18.010565
NPEP, LEN = 4096, 32
NRES = 200_000


def chain_mass(seq, table):
    return table[seq].sum(axis=1) + WATER


def hydropathy_trace(protein, scale):
    h = scale[protein]
    return (h[:-4] + h[1:-3] + h[2:-2] + h[3:-1] + h[4:]) / 5.0


rng = np.random.default_rng(7)
residue = rng.uniform(57.0, 187.0, size=26)
kyte = rng.uniform(-4.5, 4.5, size=26)
peptides = rng.integers(0, 26, size=(NPEP, LEN), dtype=np.uint8)
protein = rng.integers(0, 26, size=NRES, dtype=np.uint8)

print(chain_mass(peptides, residue).mean())
print(hydropathy_trace(protein, kyte).max())
