"""Pairs share kernel and configuration on two GPUs, in both directions; splits keep programs together."""

from __future__ import annotations

import numpy as np

from model_builders import table
from roofcast.core.kernel_table import KernelTable
from roofcast_evaluate.cases import codes, fold_of, folds_of, pairs_of, program_of


def kernels(rows: list[tuple[str, str, str, float]]) -> KernelTable:
    """Rows given as kernel, config, GPU, seconds."""
    text = {name: [str(r[i]) for r in rows] for i, name in enumerate(("kernel", "config", "gpu"))}
    return table([{"time_s": r[3]} for r in rows], text)


def test_every_directed_pair_once() -> None:
    found = pairs_of(
        kernels(
            [("k", "1", g, 1.0) for g in "ABC"] + [("k", "2", "A", 1.0), ("j", "1", "A", 1.0), ("j", "1", "B", 0.0)]
        )
    )
    assert sorted(zip(found.source.tolist(), found.target.tolist(), strict=True)) == [
        (i, j) for i in range(3) for j in range(3) if i != j
    ]


def test_the_first_row_per_gpu_counts() -> None:
    found = pairs_of(kernels([("k", "1", "A", 1.0), ("k", "1", "A", 2.0), ("k", "1", "B", 3.0)]))
    assert found.source.tolist() == [0, 2]
    assert found.target.tolist() == [2, 0]


def test_against_a_plain_loop() -> None:
    generator = np.random.default_rng(7)
    rows = [(f"k{a}", f"{b}", f"G{c}", 1.0) for a, b, c in generator.integers(0, 4, (60, 3))]
    found = pairs_of(kernels(rows))
    first: dict[tuple[str, str, str], int] = {}
    for i, (kernel, config, gpu, _) in enumerate(rows):
        first.setdefault((kernel, config, gpu), i)
    slow = {
        (i, j) for (k, c, g), i in first.items() for (k2, c2, g2), j in first.items() if (k, c) == (k2, c2) and g != g2
    }
    assert set(zip(found.source.tolist(), found.target.tolist(), strict=True)) == slow


def test_no_pairs_of_nothing() -> None:
    assert len(pairs_of(kernels([]))) == 0
    assert codes(np.array(["b", "a", "b"], dtype=np.object_)).tolist() == [0, 1, 0]


def test_kernels_of_a_program_share_a_fold() -> None:
    names = np.array(["ace-cuda:_Z1a", "ace-cuda:_Z1b", "bfs-cuda:_Z1a"], dtype=np.object_)
    folds = folds_of(names)
    assert folds[0] == folds[1] == fold_of("ace-cuda")
    assert program_of("ace-omp:_Z1a") == "ace"
    assert sorted({fold_of(f"program {i}") for i in range(200)}) == [0, 1, 2, 3, 4]
