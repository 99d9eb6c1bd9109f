"""Threads of the linear algebra under NumPy: one in a process of the command line, as many as ever in a user's own."""

from __future__ import annotations

import os

VARIABLE = "OPENBLAS_NUM_THREADS"
"""What OpenBLAS reads when NumPy is loaded; unlike OMP_NUM_THREADS no other library heeds it."""
STATED = (VARIABLE, "OMP_NUM_THREADS", "GOTO_NUM_THREADS")
"""Variables by which a user has decided."""
HELD: list[str] = []
"""The variable, where this process set it."""


def keep_to_one_thread() -> None:
    """Have NumPy start no threads, unless the user said how many: to be called before NumPy is loaded.

    OpenBLAS starts one for each processor and lets them spin whenever it was asked for something: a third of the
    processor time of a forecast, for matrices of a few rows.
    """
    if not any(name in os.environ for name in STATED):
        os.environ[VARIABLE] = "1"
        HELD.append(VARIABLE)


def environment_of_user() -> dict[str, str]:
    """The environment that this process was given: for programs of the user, which have their own matrices."""
    return {name: value for name, value in os.environ.items() if name not in HELD}
