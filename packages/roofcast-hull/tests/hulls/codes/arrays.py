"""Loops and whole-array statements in Python."""

import numpy as np


def moving_mean(x: "float32[8192]", y: "float32[8188]"):
    for i in range(8188):
        total = 0.0
        for k in range(5):
            total += x[i + k]
        y[i] = total / 5


def cumulative(x: "float32[8192]", y: "float32[8192]"):
    total = 0.0
    for i in range(8192):
        total = total + x[i]
        y[i] = total


def heat(u: "float64[256, 512]", v: "float64[256, 512]"):
    for t in range(10):
        v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        u, v = v, u


def normalise(x: "float32[2048, 256]"):
    mean = x.mean(axis=1)
    return x - mean[:, None]


def pairwise(a: "float32[512, 3]", b: "float32[512, 3]", d: "float32[512, 512]"):
    for i in range(512):
        for j in range(512):
            s = 0.0
            for k in range(3):
                s += (a[i, k] - b[j, k]) ** 2
            d[i, j] = s


def bins(x: "int32[8192]", count: "int32[64]"):
    for i in range(8192):
        count[x[i] % 64] += 1
