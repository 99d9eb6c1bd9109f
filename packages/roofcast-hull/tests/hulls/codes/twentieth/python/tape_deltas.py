import math

N = 65536


def encode(samples):
    out = [samples[0]]
    for i in range(1, len(samples)):
        out.append(samples[i] - samples[i - 1])
    return out


def decode(deltas):
    level = 0
    samples = []
    for d in deltas:
        level += d
        samples.append(level)
    return samples


def block_energy(deltas, size=256):
    """sum of squares of every block, the block switcher looks at them"""
    res = []
    for b in range(len(deltas) // size):
        acc = 0
        for k in range(size):
            v = deltas[b * size + k]
            acc += v * v
        res.append(acc)
    return res


def main():
    x = [int(8000 * math.sin(0.01 * i) + 900 * math.sin(0.31 * i)) for i in range(N)]
    d = encode(x)
    assert decode(d) == x
    e = block_energy(d)
    print(len(e), max(e))


if __name__ == "__main__":
    main()
