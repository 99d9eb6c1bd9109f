"""Amounts on the target: what moves, what stays, what is absent."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from roofcast.catalog import gpu
from roofcast.core.columns import Origin
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import KernelTable
from roofcast.reading import read_one
from roofcast.sass.sass_amounts import SassAmounts, sm_of
from sass_builders import apply_sass, small_cubin


def table() -> KernelTable:
    return KernelTable.from_columns(
        {"kernel": ["a", "b"]},
        {
            "flops_fp64": ([100.0, np.nan], Origin.COUNTED),
            "bytes_l1": ([1000.0, 50.0], Origin.COUNTED),
            "bytes_local": ([np.nan, 40.0], Origin.COUNTED),
            "regs_per_thread": ([32.0, 32.0], Origin.COUNTED),
        },
    )


def test_amounts_move_by_their_ratio_and_absent_stays_absent() -> None:
    amounts = SassAmounts(
        table(),
        ratios={"flops_fp64": np.array([[1.5, 1.0], [2.0, 1.0]])},
        bytes_local_added=np.array([[200.0, 0.0], [-90.0, 0.0]]),
        regs_per_thread=np.array([[40.0, np.nan], [np.nan, np.nan]]),
    )
    there = amounts.on_target(0)
    assert there.column("flops_fp64").tolist()[0] == 150.0
    assert np.isnan(there.column("flops_fp64")[1])
    assert there.column("bytes_l1").tolist() == [1200.0, 0.0]  # never below nothing
    assert np.isnan(there.column("bytes_local")[0])
    assert there.column("regs_per_thread").tolist() == [40.0, 32.0]
    assert there.origin_of("flops_fp64").tolist() == [Origin.DERIVED, Origin.ABSENT]
    assert there.origin_of("regs_per_thread").tolist() == [Origin.DERIVED, Origin.COUNTED]
    assert amounts.on_target(1) is amounts.kernels


@pytest.mark.parametrize(
    ("name", "sm"), [("V100-SXM2-16GB", 70), ("B200", 100), ("MI300X", None), ("Tesla P100-PCIE-16GB", None)]
)
def test_targets_without_code_of_ours_are_left_alone(name: str, sm: int | None) -> None:
    assert sm_of(gpu(name)) == sm


def test_a_report_without_counts_changes_nothing_on_its_own_gpu(fixtures_dir: Path) -> None:
    path = next((fixtures_dir / "ncu_rep").glob("*prof1024*"))
    kernels = read_one(path)
    amounts = apply_sass(kernels, path, [gpu("A100-PCIE-40GB"), gpu("MI300X")])
    assert dict(amounts.ratios) == {}
    assert np.isnan(amounts.coverage).all()
    assert all(not notes[1] for notes in amounts.target_notes)


def test_rows_are_found_by_their_launch_and_others_left_alone(fixtures_dir: Path) -> None:
    path = next((fixtures_dir / "ncu_rep").glob("h100-pcie*KernelBench*"))
    whole = read_one(path)
    twice = whole.select([0, 0])
    amounts = apply_sass(twice, path, [], rows=[1])
    assert np.isnan(amounts.kernels.column("bytes_local")[0]) or whole.column("bytes_local")[0] >= 0
    assert amounts.kernels.column("bytes_local")[1] == 0.0


def test_a_given_binary_is_used_and_a_bad_one_refused(fixtures_dir: Path, tmp_path: Path) -> None:
    path = next((fixtures_dir / "ncu_rep").glob("h100-pcie*KernelBench*"))
    kernels, target = read_one(path), [gpu("A100-SXM4-40GB")]
    other = tmp_path / "other.cubin"
    other.write_bytes(small_cubin())
    amounts = apply_sass(kernels, path, target, target_sass=other)
    told = "SASS: target code unknown (the target's binary does not hold this kernel): counts unchanged"
    assert amounts.target_notes[0][0] == (told,)
    assert dict(amounts.ratios) == {}
    other.write_bytes(b"")
    with pytest.raises(InputError, match="empty"):
        apply_sass(kernels, path, target, target_sass=other)
