import numpy as np

# a board of 1024 x 1024 cells with a rim of empty ones around it
ROWS, COLS = 1026, 1026


def adjacent_mines(b):
    """How many of the eight cells around are mined; 0 on mines themselves."""
    near = (b[:-2, :-2] + b[:-2, 1:-1] + b[:-2, 2:]
            + b[1:-1, :-2] + b[1:-1, 2:]
            + b[2:, :-2] + b[2:, 1:-1] + b[2:, 2:])
    return near * (1 - b[1:-1, 1:-1])


def mines_per_row(b):
    return np.sum(b, axis=1)


rng = np.random.default_rng(99)
board = np.zeros((ROWS, COLS), dtype=np.uint8)
board[1:-1, 1:-1] = rng.random((ROWS - 2, COLS - 2)) < 0.16
hints = adjacent_mines(board)
print("largest hint", hints.max(), "mines", mines_per_row(board).sum())
