# Pattern of a linear antenna array over angle.
import numpy as np

# half a wavelength between elements, as in the coastal array

ANGLES = 720
ELEMENTS = 64


def pattern(sin_t, kpos, amp):
    ph = sin_t[:, None] * kpos
    re = (amp * np.cos(ph)).sum(axis=1)
    im = (amp * np.sin(ph)).sum(axis=1)
    return re * re + im * im


theta = np.linspace(-np.pi / 2, np.pi / 2, ANGLES)
kpos = np.pi * np.arange(ELEMENTS, dtype=float)
amp = np.hamming(ELEMENTS)
p = pattern(np.sin(theta), kpos, amp)
db = 10.0 * np.log10(p / p.max() + 1e-9)
main_lobe = np.flatnonzero(db > -3.0)
width = np.degrees(theta[main_lobe[-1]] - theta[main_lobe[0]])
print(f"3 dB beam width {width:.2f} degrees")
outside = np.delete(db, np.arange(main_lobe[0] - 20, main_lobe[-1] + 20))
print(f"highest side lobe {outside.max():.1f} dB")
