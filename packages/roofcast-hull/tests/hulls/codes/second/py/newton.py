"""Roots by Newton, each until it is good."""


def roots(values, out):
    for i in range(len(values)):
        x = values[i]
        while abs(x * x - values[i]) > 1e-12 * values[i]:
            x = 0.5 * (x + values[i] / x)
        out[i] = x


if __name__ == "__main__":
    numbers = [float(k + 1) for k in range(100000)]
    roots(numbers, [0.0] * 100000)
