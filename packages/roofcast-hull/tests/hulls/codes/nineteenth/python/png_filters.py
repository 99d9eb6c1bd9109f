"""Three of the line filters of PNG, whole image at a time (grey, 8 bit)."""
import numpy as np

ROWS, COLS = 480, 2560


def filter_up(img):
    out = np.empty_like(img)
    out[0] = img[0]
    out[1:] = img[1:] - img[:-1]
    return out


def filter_average(img):
    left = img[1:, :-1].astype(np.uint16)
    above = img[:-1, 1:]
    return img[1:, 1:] - ((left + above) >> 1).astype(np.uint8)


def undo_up(filt):
    return np.add.accumulate(filt, axis=0, dtype=np.uint8)


img = np.random.default_rng(3).integers(0, 256, (ROWS, COLS), dtype=np.uint8)
up = filter_up(img)
assert (undo_up(up) == img).all()
print(filter_average(img).sum())
