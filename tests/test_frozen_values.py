"""What forecasts of drawn kernels were, they are: a change of the code that moves one must be meant."""

from __future__ import annotations

import json

import numpy as np
import pytest

from frozen_values import FILE, SUMS, compute_sums, compute_values

FROZEN: dict[str, list[list[float]]] = json.loads(FILE.read_text(encoding="utf-8"))
TABLES = ("counted 1", "counted 2", "operators", "collectives", "sample")
NEAR = 1e-6
FROZEN_SUMS: dict[str, dict[str, float]] = json.loads(SUMS.read_text(encoding="utf-8"))
ANSWERS = ("all columns", "pages", "operators", "several", "sizes", "much known", "little known", "more",
           "counted again", "recorded", "kind convolutions", "kind rows", "kind calls", "kind hot", "kind implausible",
           "kind code", "kind pairs", "kind unknown", "kind learned", "kind slots", "kind borders",
           "kind sizes", "kind old", "many")  # fmt: skip


def test_every_frozen_case_is_compared() -> None:
    assert [k for k in FROZEN if not k.startswith(TABLES)] == []
    assert [k for k in FROZEN_SUMS if not k.startswith(ANSWERS)] == []


@pytest.mark.parametrize("table", TABLES)
def test_forecasts_are_what_they_were(table: str) -> None:
    now, then = compute_values(table), {k: v for k, v in FROZEN.items() if k.startswith(table)}
    assert now.keys() == then.keys()
    moved = {}
    for case, values in now.items():
        apart = np.abs(np.log(np.abs(np.array(values)) / np.abs(np.array(then[case]))))
        if (apart > NEAR).any() or (np.sign(values) != np.sign(then[case])).any():
            moved[case] = f"{(apart > NEAR).sum()} of {apart.size}, by a factor of up to {np.exp(apart.max()):.4g}"
    assert not moved, f"forecasts moved; where that was meant, run `python tests/frozen_values.py`: {moved}"


@pytest.mark.parametrize("answers", ANSWERS)
def test_every_key_of_the_answers_is_what_it_was(answers: str) -> None:
    now, then = compute_sums(answers), {k: v for k, v in FROZEN_SUMS.items() if k.startswith(answers)}
    assert now.keys() == then.keys()
    moved = {
        case: keys for case in now
        if (keys := sorted(k for k in now[case].keys() | then[case].keys()
                           if now[case].get(k) != pytest.approx(then[case].get(k), rel=NEAR / 100)))
    }  # fmt: skip
    assert not moved, f"answers moved; where that was meant, run `python tests/frozen_values.py`: {moved}"
