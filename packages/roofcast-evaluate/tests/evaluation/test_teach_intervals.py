"""Widths of kernels with counters: what each group of pairs teaches, and what nobody taught."""

from __future__ import annotations

import numpy as np

from roofcast.models.physics.intervals import COVERAGES, GROUPS
from roofcast_evaluate.teach_intervals import Errors, table_of


def test_a_group_that_nobody_measured_takes_the_narrowest_that_knows_no_more() -> None:
    taught = {
        "counters/sms/1": 0.1,
        "counters/architecture/1": 0.2,
        "counters/architecture/2": 0.25,
        "stalls/other/3": 0.4,
    }
    drawn = np.random.default_rng(1).uniform(0.0, 1.0, 2000)
    each = [GROUPS.index(name) for name in taught]
    errors = Errors(
        np.concatenate([most * drawn for most in taught.values()]),
        np.ones(len(taught) * len(drawn)),
        np.repeat(each, len(drawn)),
        # So many pairs of GPUs that each group stands for itself.
        np.tile(np.array([f"a | {i}" for i in range(len(drawn))]), len(taught)),
    )
    at_90 = {name: q[COVERAGES.index(0.9)] for name, q in table_of(errors).quantiles.items()}
    assert abs(at_90["counters/sms/1"] - 0.09) < 0.005
    # Not what all doubts together need: more doubt does not widen less.
    assert at_90["counters/architecture/0"] == at_90["counters/architecture/1"] < at_90["counters/architecture/2"]
    assert at_90["stalls/sms/0"] == at_90["stalls/sms/1"] == at_90["counters/sms/1"]
    assert at_90["counters/sms/2"] == at_90["counters/architecture/2"]
    assert at_90["stalls/memory/3"] == at_90["stalls/other/3"] <= at_90["counters/other/3"]
