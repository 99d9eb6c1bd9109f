"""A step of particle swarm optimisation: new velocities, bounded, and new places."""
import numpy as np

W, C1, C2, VMAX = 0.72, 1.49, 1.49, 0.5


def fly(x, v, best, leader, r1, r2):
    v = np.clip(W * v + C1 * r1 * (best - x) + C2 * r2 * (leader - x), -VMAX, VMAX)
    return x + v, v


rng = np.random.default_rng(1)
shape = (20000, 64)
x = rng.uniform(-5, 5, shape)
v = np.zeros(shape)
best = x + rng.normal(0, 0.1, shape)
leader = rng.uniform(-5, 5, 64)
r1 = rng.random(shape)
r2 = rng.random(shape)
x, v = fly(x, v, best, leader, r1, r2)
print(np.abs(v).max())
