# Fair-isle chart helpers. No numpy on the old laptop in the shop.
ROWS = 400
COLS = 600


def floats_too_long(chart, rows, cols, limit):
    """How many stitches carry the second yarn behind more than `limit` columns each."""
    bad = [0] * rows
    for r in range(rows):
        total = 0
        for c in range(limit, cols):
            if chart[r][c] != chart[r][c - limit]:
                total += 1
        bad[r] = total
    return bad


def yarn_weight(chart, grams, rows, cols):
    used = 0.0
    for r in range(rows):
        for c in range(cols):
            used += chart[r][c] * grams[c] + 0.02
    return used


def main():
    chart = [[float((r * 7 + c * 3) % 5 % 2) for c in range(COLS)] for r in range(ROWS)]
    grams = [0.05 + 0.0001 * c for c in range(COLS)]
    print(sum(floats_too_long(chart, ROWS, COLS, 5)))
    print(yarn_weight(chart, grams, ROWS, COLS))


if __name__ == "__main__":
    main()
