"""The table of errors per operator: samples are even, operators keep apart."""

from __future__ import annotations

import numpy as np
from teaching.operators import sample_cases, scores

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.models.physics.model import Mechanistic
from roofcast.operators.amounts import elementwise_amounts
from roofcast_evaluate.cases import cases_of

SIZES = np.geomspace(1e6, 1e9, 30)


def operators() -> KernelTable:
    """Two operators at 30 sizes on two GPUs; the second takes twice as long on the target as the bus needs."""
    kernels = np.repeat(["torch/add", "torch/mul", "torch/softmax"], len(SIZES))
    sizes = np.tile(SIZES, 3)
    columns = elementwise_amounts(np.tile(sizes, 2), reads=2).columns()
    rate = np.repeat([1.5e12, 3.0e12], len(sizes))
    time = np.tile(sizes, 2) * 12 / rate * np.tile(np.where(kernels == "torch/softmax", 5.0, 1.0), 2)
    text = {
        "kernel": [*kernels, *kernels],
        "config": [f"{n:.0f}" for n in np.tile(sizes, 2)],
        "gpu": ["A100"] * len(sizes) + ["H100"] * len(sizes),
    }
    return KernelTable.from_columns(text, {"time_s": (time, Origin.COUNTED)}).with_columns(**columns)


def test_a_sample_is_even_and_whole_where_it_fits() -> None:
    cases = cases_of("made", operators())
    few = sample_cases(cases, 6)
    names, count = np.unique((few.kernels.strings("kernel") + few.source_gpu).astype(str), return_counts=True)
    assert len(names) == 6
    assert (count == 6).all()
    taken = few.kernels.column("bytes_compulsory")[:6]
    assert np.diff(np.log(np.sort(taken))).max() < 2.2 * np.log(SIZES[5] / SIZES[0])
    assert len(sample_cases(cases, 30)) == len(sample_cases(cases, 1000)) == len(cases)


def test_operators_of_one_kind_count_together() -> None:
    found = {row.operator: row.score for row in scores("made", operators(), Mechanistic(), 100)}
    assert set(found) == {"torch/element-wise", "torch/softmax"}
    assert found["torch/element-wise"].pairs == 4 * len(SIZES)
    assert found["torch/element-wise"].mape < 0.25
