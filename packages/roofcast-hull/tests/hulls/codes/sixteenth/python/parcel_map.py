"""A map of parcels as lists of lists: smoothed rates, and regions of one use."""
import random

H, W = 240, 320


def smooth_rate(cases, people, out):
    for y in range(1, H - 1):
        for x in range(1, W - 1):
            c = cases[y][x] + 0.5 * (cases[y - 1][x] + cases[y + 1][x] + cases[y][x - 1] + cases[y][x + 1])
            p = people[y][x] + 0.5 * (people[y - 1][x] + people[y + 1][x] + people[y][x - 1] + people[y][x + 1])
            out[y][x] = 1000.0 * c / p


def region_labels(use):
    label = [[0] * W for _ in range(H)]
    count = 0
    for y in range(H):
        for x in range(W):
            if label[y][x]:
                continue
            count += 1
            todo = [(y, x)]
            label[y][x] = count
            while todo:
                a, b = todo.pop()
                for c, d in ((a - 1, b), (a + 1, b), (a, b - 1), (a, b + 1)):
                    if 0 <= c < H and 0 <= d < W and not label[c][d] and use[c][d] == use[a][b]:
                        label[c][d] = count
                        todo.append((c, d))
    return label


def main():
    random.seed(1)
    cases = [[random.randint(0, 5) for _ in range(W)] for _ in range(H)]
    people = [[random.randint(50, 900) for _ in range(W)] for _ in range(H)]
    out = [[0.0] * W for _ in range(H)]
    smooth_rate(cases, people, out)
    use = [[random.randint(0, 2) for _ in range(W)] for _ in range(H)]
    print(out[5][5], max(map(max, region_labels(use))))


main()
