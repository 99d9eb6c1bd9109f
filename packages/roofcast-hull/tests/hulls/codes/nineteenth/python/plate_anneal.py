"""A square plate that is hot along one edge; explicit in time."""
import numpy as np

# with the rim
EDGE = 258
STEPS = 50


def anneal(t, k):
    for _ in range(STEPS):
        t[1:-1, 1:-1] += k * (t[:-2, 1:-1] + t[2:, 1:-1] + t[1:-1, :-2] + t[1:-1, 2:] - 4.0 * t[1:-1, 1:-1])
    return t


def main():
    # degrees Celsius
    plate = np.full((EDGE, EDGE), 20.0)
    plate[0] = 180.0
    anneal(plate, 0.2)
    for row in (1, 2, 4, 8):
        print(row, plate[row, EDGE // 2])


if __name__ == "__main__":
    main()
