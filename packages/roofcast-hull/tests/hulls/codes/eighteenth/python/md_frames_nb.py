import numpy as np
from numba import njit, prange

FRAMES, ATOMS = 2000, 1500


@njit(parallel=True)
def rmsd_to_reference(traj, ref):
    nf = traj.shape[0]
    na = traj.shape[1]
    out = np.empty(nf)
    for f in prange(nf):
        acc = 0.0
        for a in range(na):
            for c in range(3):
                d = traj[f, a, c] - ref[a, c]
                acc += d * d
        out[f] = np.sqrt(acc / na)
    return out


@njit(parallel=True)
def atom_fluctuation(traj, mean):
    # mean square fluctuation of every atom about its mean place
    na = traj.shape[1]
    msf = np.zeros(na)
    for a in prange(na):
        for f in range(traj.shape[0]):
            dx = traj[f, a, 0] - mean[a, 0]
            dy = traj[f, a, 1] - mean[a, 1]
            dz = traj[f, a, 2] - mean[a, 2]
            msf[a] += dx * dx + dy * dy + dz * dz
        msf[a] /= traj.shape[0]
    return msf


traj = np.random.default_rng(3).normal(0, 1, (FRAMES, ATOMS, 3))
print(rmsd_to_reference(traj, traj[0])[:3])
print(atom_fluctuation(traj, traj[0])[:3])
