import numpy as np


def blend(front, back, alpha):
    """Lay a picture over another one."""
    a = alpha[:, :, np.newaxis]
    return front * a + back * (1 - a)


front = np.zeros((720, 1280, 3), dtype="float32")
back = np.ones((720, 1280, 3), dtype="float32")
alpha = np.full((720, 1280), 0.3, dtype="float32")
result = blend(front, back, alpha)
