"""Gyration tensors of the frames of a polymer trajectory."""
import numpy as np

FRAMES, BEADS = 5000, 128


def gyration(xyz):
    centre = xyz.mean(axis=1, keepdims=True)
    r = xyz - centre
    return np.einsum("fbi,fbj->fij", r, r) / BEADS


def asphericity(tensor):
    trace = np.einsum("fii->f", tensor)
    square = np.einsum("fij,fij->f", tensor, tensor)
    return 1.5 * square / (trace * trace) - 0.5


traj = np.random.default_rng(9).standard_normal((FRAMES, BEADS, 3)).cumsum(axis=1)
print(asphericity(gyration(traj)).mean())
