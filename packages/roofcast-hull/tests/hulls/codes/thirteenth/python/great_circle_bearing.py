"""Initial bearing of the great circle between pairs of places."""
import numpy as np


def bearing(lat1, lon1, lat2, lon2):
    dl = lon2 - lon1
    y = np.sin(dl) * np.cos(lat2)
    x = np.cos(lat1) * np.sin(lat2) - np.sin(lat1) * np.cos(lat2) * np.cos(dl)
    return np.degrees(np.arctan2(y, x)) % 360.0


n = 1_000_000
rng = np.random.default_rng(0)
la1 = rng.uniform(-1.5, 1.5, n)
lo1 = rng.uniform(-3.1, 3.1, n)
la2 = rng.uniform(-1.5, 1.5, n)
lo2 = rng.uniform(-3.1, 3.1, n)
print(bearing(la1, lo1, la2, lo2)[:3])

# from Baghdad to Osaka, about 60 degrees
places = np.radians(np.array([[35.0, 45.0], [35.0, 135.0]]))
for (a, b), (c, d) in ((places[0], places[1]), (places[1], places[0])):
    y = np.sin(d - b) * np.cos(c)
    x = np.cos(a) * np.sin(c) - np.sin(a) * np.cos(c) * np.cos(d - b)
    print(round(float(np.degrees(np.arctan2(y, x)) % 360.0), 1))
