"""Optical kerning from glyph profiles, widths of set lines, and how bad each line is."""
import numpy as np

GLYPHS, SCANS = 256, 64
LINES, COLUMNS = 30_000, 80
MEASURE = 40_000.0
STRETCH, SHRINK = 166.0, 111.0


def optical_gaps(right, left):
    space = right[:, None, :] + left[None, :, :]
    return space.min(axis=2)


def line_widths(text, advance, kern):
    set_width = advance[text]
    pulled = kern[text[:, :-1], text[:, 1:]]
    return set_width.sum(axis=1) + pulled.sum(axis=1)


def badness(width, spaces):
    slack = MEASURE - width
    room = np.where(slack > 0.0, STRETCH, SHRINK) * spaces
    return np.minimum(100.0 * np.abs(slack / room) ** 3, 10_000.0)


if __name__ == "__main__":
    rng = np.random.default_rng(8)
    right = rng.uniform(0.0, 90.0, (GLYPHS, SCANS))
    left = rng.uniform(0.0, 90.0, (GLYPHS, SCANS))
    kern = -0.5 * optical_gaps(right, left)
    advance = rng.uniform(240.0, 760.0, GLYPHS)
    text = rng.integers(0, GLYPHS, (LINES, COLUMNS), dtype=np.uint8)
    spaces = rng.integers(8, 16, LINES).astype(np.float64)
    w = line_widths(text, advance, kern)
    b = badness(w, spaces)
    print(w.mean(), b.mean())
