"""Two-port response of a passive crossover: series L+R, shunt C, over a frequency sweep."""
import numpy as np

POINTS = 262144


def section_gain(jw, load, L=1.2e-3, R=0.4, C=8.2e-6):
    series = jw * L + R
    shunt = 1.0 / (jw * C + 1.0 / load)
    return shunt / (series + shunt)


def level(gain):
    return 20.0 * np.log10(np.abs(gain))


# 8 ohm woofer with a little voice-coil inductance; the tweeter branch is
# padded to the same load, so one sweep serves both sides of the box
freq = np.geomspace(10.0, 40e3, POINTS)
jw = 2j * np.pi * freq
load = 8.0 + 0.05e-3 * jw
g = section_gain(jw, load)
db = level(g)
print("lowest, middle and highest point of the sweep, dB:")
print(db[[0, POINTS // 2, -1]])
