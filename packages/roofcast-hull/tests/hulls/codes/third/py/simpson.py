import math


def adaptive(f, a, b, eps, whole, fa, fb, fm):
    m = (a + b) / 2
    fl, fr = f((a + m) / 2), f((m + b) / 2)
    left = (m - a) / 6 * (fa + 4 * fl + fm)
    right = (b - m) / 6 * (fm + 4 * fr + fb)
    if abs(left + right - whole) < 15 * eps:
        return left + right
    return adaptive(f, a, m, eps / 2, left, fa, fm, fl) + adaptive(f, m, b, eps / 2, right, fm, fb, fr)


print(adaptive(math.sin, 0.0, 3.0, 1e-9, 2.0, 0.0, math.sin(3.0), math.sin(1.5)))
