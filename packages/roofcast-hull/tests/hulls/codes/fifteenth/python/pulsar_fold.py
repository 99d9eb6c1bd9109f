"""Fold dedispersed power at a trial period and score the profile."""
import numpy as np

PERIOD = 2048          # samples
TURNS = 1500
N = PERIOD * TURNS


def fold(power):
    return power.reshape(-1, PERIOD).mean(axis=0)


def box_response(profile, width=33):
    kernel = np.ones(width) / width
    return np.convolve(profile, kernel, mode="same")


def main():
    rng = np.random.default_rng(77)
    power = rng.standard_normal(N)
    power[100::PERIOD] += 0.8
    prof = fold(power)
    resp = box_response(prof)
    print(int(resp.argmax()), resp.max() / resp.std())


main()
