"""Velocity analysis of a seismic gather: semblance of NMO-corrected panels, best velocity at each time.

Verified by arrays that count their operations.
"""
import numpy as np

N_VEL, N_TIME, N_TRACE = 64, 1000, 48
EPS = np.float32(1e-9)


def pick_velocities(panels: np.ndarray, velocities: np.ndarray):
    """panels: float32 (N_VEL, N_TIME, N_TRACE), one panel a trial velocity; velocities: float64 (N_VEL,)."""
    n_trace = panels.shape[2]
    stack = panels.sum(axis=2)
    energy = np.square(panels).sum(axis=2)
    sembl = stack * stack / (n_trace * energy + EPS)
    best = sembl.argmax(axis=0)
    return sembl, velocities[best]


def synthetic_panels(seed: int = 2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    panels = rng.standard_normal((N_VEL, N_TIME, N_TRACE)).astype(np.float32)
    panels[N_VEL // 2, ::100] += 3.0
    return panels


if __name__ == "__main__":
    velocities = np.linspace(1500.0, 4650.0, N_VEL)
    sembl, picked = pick_velocities(synthetic_panels(), velocities)
    print(sembl.shape, picked[::100])
