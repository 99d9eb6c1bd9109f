# Statistics over dealt mahjong hands: a hand is a row of 34 counters.
import numpy as np

HANDS = 200000
KINDS = 34


def pairs_and_triplets(counts):
    """uint8 counters -> number of pairs, number of triplets"""
    pairs = (counts >= 2).sum(axis=1)
    trips = (counts >= 3).sum(axis=1)
    return pairs, trips


def runs_started(counts):
    # suits only: 3 suits of nine, runs of three neighbours inside of a suit
    suits = counts[:, :27].reshape(HANDS, 3, 9)
    lowest = np.minimum(np.minimum(suits[:, :, :7], suits[:, :, 1:8]), suits[:, :, 2:])
    return lowest.sum(axis=(1, 2))


def dora_value(counts, dora):
    return counts.astype(np.int32) @ dora


def main():
    rng = np.random.default_rng(136)
    wall = np.repeat(np.arange(KINDS), 4)
    counts = np.zeros((HANDS, KINDS), dtype=np.uint8)
    for _ in range(13):
        pick = wall[rng.integers(0, wall.size, HANDS)]
        np.add.at(counts, (np.arange(HANDS), pick), 1)
    p, t = pairs_and_triplets(counts)
    r = runs_started(counts)
    dora = np.zeros(KINDS, dtype=np.int32)
    dora[[4, 13, 22, 31]] = 1
    print(p.mean(), t.mean(), r.mean(), dora_value(counts, dora).mean())


main()
