"""The ladder of information: what each step keeps, and that knowing more never errs more."""

from __future__ import annotations

import numpy as np
import pytest

from roofcast.core.errors import DatasetError
from roofcast.core.kernel_table import KernelTable
from roofcast_evaluate.datasets import folder
from roofcast_evaluate.families import paired_excess
from roofcast_evaluate.information import climb, nearest_above
from roofcast_evaluate.ladder import RUNGS, drop_columns, steps_of
from roofcast_evaluate.scores import Outcome

COLUMNS = {
    "time_s": 1e-3, "clock_hz": 1.4e9, "flops_fp32": 1e9, "bytes_dram": 2e9, "block_threads": 256.0,
    "stall_barrier_per_inst": 0.5, "l2_hit_fraction": 0.4,
}  # fmt: skip


def absent() -> bool:
    try:
        return not folder()
    except DatasetError:
        return True


def table(**columns: float) -> KernelTable:
    text = {
        name: np.array([value], dtype=np.object_)
        for name, value in (
            ("kernel", "k"),
            ("config", "m=8;n=8"),
            ("gpu", "A100-SXM4-40GB"),
            ("precision", "fp32"),
            ("cache_state", "cold"),
        )
    }
    numeric = {n: np.array([v]) for n, v in columns.items()}
    return KernelTable(
        numeric, {n: np.zeros(1, np.uint8) for n in columns}, text, extra={"m": np.array([8.0])},
        counters={"smsp__stall_x": np.array([1.0]), "dram__bytes.sum": np.array([2e9])},
    )  # fmt: skip


def test_each_step_keeps_what_it_says() -> None:
    kernels = table(**COLUMNS)
    kept = {s.name: drop_columns(kernels, s.name) for s in RUNGS}
    assert kept["as given"] is kernels
    assert set(kept["no stalls"].numeric) == set(COLUMNS) - {"stall_barrier_per_inst"}
    assert set(kept["no stalls"].counters) == {"dram__bytes.sum"}
    amounts = {"time_s", "clock_hz", "flops_fp32", "bytes_compulsory"}
    assert set(kept["amounts, launch"].numeric) == amounts | {"block_threads"}
    assert set(kept["amounts"].numeric) == amounts
    assert set(kept["bytes"].numeric) == amounts - {"flops_fp32"}
    assert set(kept["FLOPs"].numeric) == amounts - {"bytes_compulsory"}
    assert set(kept["time alone"].numeric) == {"time_s", "clock_hz"}
    for step in RUNGS[2:]:
        assert not kept[step.name].extra
        assert not kept[step.name].counters
        assert kept[step.name].strings("config").tolist() == ["0"]
    assert kept["FLOPs"].strings("precision").tolist() == ["fp32"]
    assert kept["time alone"].strings("precision").tolist() == [""]


def test_steps_that_tell_nothing_else_are_left_out() -> None:
    assert steps_of(table(**COLUMNS)) == [s.name for s in RUNGS]
    assert steps_of(table(time_s=1.0, bytes_compulsory=1e6)) == ["as given", "amounts, launch", "time alone"]
    assert nearest_above("time alone", ["as given", "bytes", "time alone"]) == ["bytes", "as given"]


def test_the_noise_of_a_step_is_over_programs() -> None:
    """One program that gains proves nothing, however many rows it has."""
    names = np.array([*["one:a"] * 50, *(f"p{i}:a" for i in range(20))], dtype=np.object_)
    gpu = np.full(70, "X", np.object_)

    def off(factor: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Outcome:
        return Outcome(names, gpu, gpu, np.ones(70), factor, factor, factor)

    worse = np.ones(70)
    worse[:50] = 3.0
    excess, noise = paired_excess(off(worse), off(np.ones(70)))
    assert excess == pytest.approx(np.log(3.0) / 21)
    assert noise == 0.0
    assert paired_excess(off(np.full(70, 1.5)), off(np.ones(70)))[1] > 0.3
    assert paired_excess(off(np.ones(70)), off(worse)) == (0.0, 0.0)


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.skipif(absent(), reason="data sets are absent: set ROOFCAST_DATA")
def test_knowing_more_never_errs_more_and_knowing_less_is_never_narrower() -> None:
    """But for convolutions on AMD: times of one solver by other versions of the library (docs/accuracy.md)."""
    assert [fault for fault in climb().faults() if "narrower" in fault or not fault.startswith("miopen")] == []
