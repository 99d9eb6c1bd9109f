"""When an interval is too wide to choose by, and what is said then: the same in every answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from roofcast.core.absent import quietly

UNDECIDED = "undecided"
"""How the note on such a forecast begins, and what stands in tables in place of its time."""
DECIDED_WITHIN = 50.0
"""Factor between the ends of an interval up to which a forecast says something: GPUs of the catalog that one would
choose from differ by less, so that beyond it not even the faster of two is known."""
WHAT_DECIDES = "measure the kernel on the target or on a GPU like it, or count more on its source (roofcast inspect)"


def is_undecided(low_s: Any, high_s: Any) -> Any:
    """Return whether intervals span more than :data:`DECIDED_WITHIN`; False of unknown ends.

    low_s, high_s : numbers, or arrays that broadcast.

    >>> bool(is_undecided(1.0, 40.0)), bool(is_undecided(1.0, 60.0)), bool(is_undecided(float("nan"), 1.0))
    (False, True, False)
    """
    with quietly(overflow=True):
        return np.asarray(high_s) > DECIDED_WITHIN * np.asarray(low_s)


def tell_undecided(low_s: float, high_s: float) -> str:
    """The note on an interval that decides nothing; '' of one that does.

    >>> tell_undecided(1.0, 60.0).partition(";")[0], tell_undecided(1.0, 2.0)
    ('undecided: its interval spans a factor of 60', '')
    """
    if not high_s > DECIDED_WITHIN * low_s:  # of two numbers as `is_undecided`, without arrays
        return ""
    factor = f"a factor of {high_s / low_s:.0f}" if low_s > 0 else "all times"
    return f"{UNDECIDED}: its interval spans {factor}; {WHAT_DECIDES}"
