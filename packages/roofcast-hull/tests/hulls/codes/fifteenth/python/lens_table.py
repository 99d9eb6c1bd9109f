"""Look-up of a lens correction: for every pixel of the table the radial stretch, and its rows' extremes."""
ROWS, COLS = 480, 640
K1, K2, K3 = -0.21, 0.043, -0.0031


def stretch_table(xs, ys):
    table = [0.0] * (ROWS * COLS)
    for r in range(ROWS):
        y2 = ys[r] * ys[r]
        for c in range(COLS):
            r2 = xs[c] * xs[c] + y2
            table[r * COLS + c] = 1.0 + r2 * (K1 + r2 * (K2 + r2 * K3))
    return table


def row_extremes(table):
    least = [0.0] * ROWS
    most = [0.0] * ROWS
    for r in range(ROWS):
        lo = hi = table[r * COLS]
        for c in range(1, COLS):
            v = table[r * COLS + c]
            lo = min(lo, v)
            hi = max(hi, v)
        least[r] = lo
        most[r] = hi
    return least, most


xs = [(c - COLS / 2) / COLS for c in range(COLS)]
ys = [(r - ROWS / 2) / COLS for r in range(ROWS)]
lo, hi = row_extremes(stretch_table(xs, ys))
print(min(lo), max(hi))
