"""Window and level of a CT volume in Hounsfield units to 8 bits for display.

By hand for a voxel: subtraction, division, two for the clip, one multiplication.
Verified: run once with NumPy; operations counted twice by reading.
"""
from typing import NamedTuple

import numpy as np

SLICES, ROWS, COLS = 64, 256, 256


class Window(NamedTuple):
    level: float
    width: float


PRESETS = {
    "lung": Window(-600.0, 1500.0),
    "soft": Window(40.0, 400.0),
    "bone": Window(480.0, 2500.0),
}


def apply_window(hu: np.ndarray, level: float = 40.0, width: float = 400.0) -> np.ndarray:
    low = level - width / 2
    scaled = np.clip((hu - low) / width, 0.0, 1.0)
    return (scaled * 255.0).astype(np.uint8)


def main():
    rng = np.random.default_rng(5)
    volume = rng.integers(-1000, 2000, size=(SLICES, ROWS, COLS), dtype=np.int16)
    for name, preset in PRESETS.items():
        shown = apply_window(volume, preset.level, preset.width)
        print(name, shown.dtype, shown.mean())


if __name__ == "__main__":
    main()
