"""Longitudinal profile of a branch line, surveyed every 20 m.  Used on a field tablet, so only the standard library."""
import math

POINTS = 12000
SPACING = 20.0
TRAINS = 48


def gradients(height):
    # per mille, between neighbouring pegs
    return [1000.0 * (height[i + 1] - height[i]) / SPACING for i in range(POINTS - 1)]


def tractive_effort(mass, grade, drag):
    """Greatest effort of each train anywhere on the line (kN)."""
    effort = []
    for m in mass:
        worst = 0.0
        for k in range(POINTS - 1):
            f = m * 9.81 * (grade[k] * 0.001 + 0.002) + drag[k]
            if f > worst:
                worst = f
        effort.append(worst)
    return effort


def subdivide(height, lo, hi, tol):
    """Pegs that a polyline within tol needs (Douglas-Peucker)."""
    if hi - lo < 2:
        return [lo]
    best, at = 0.0, lo
    for i in range(lo + 1, hi):
        line = height[lo] + (height[hi] - height[lo]) * (i - lo) / (hi - lo)
        if abs(height[i] - line) > best:
            best, at = abs(height[i] - line), i
    if best < tol:
        return [lo]
    return subdivide(height, lo, at, tol) + subdivide(height, at, hi, tol)


if __name__ == "__main__":
    height = [300.0 + 40.0 * math.sin(i / 700.0) + 8.0 * math.sin(i / 90.0) for i in range(POINTS)]
    grade = gradients(height)
    mass = [200.0 + 15.0 * t for t in range(TRAINS)]
    drag = [1.5 + 0.2 * math.cos(i / 300.0) for i in range(POINTS - 1)]
    print(max(tractive_effort(mass, grade, drag)))
    print(len(subdivide(height, 0, POINTS - 1, 1.0)))
