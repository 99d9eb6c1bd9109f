"""Several launches: one graph of short ones, one kernel in place of two. A gain is at most what can be removed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import roofcast
from roofcast.advice.case import Case, Symptom
from roofcast.advice.paths import find_paths, remove_launch
from roofcast.advice.ranking import ChangePath, advise
from roofcast.advice.registry import find_symptoms
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.forecasting.forecast import forecast

GPU, OTHER = "Tesla V100 SXM2 32GB", "H100 SXM5 80GB"
STREAMS: dict[str, float] = {
    "time_s": 5e-3, "clock_hz": 1.53e9, "grid_blocks": 65535, "block_threads": 128, "regs_per_thread": 32,
    "smem_bytes_per_block": 0, "threads_per_inst": 32, "occupancy_fraction": 0.95, "flops_fp32": 1e9, "flops_fp64": 0,
    "bytes_l1": 3.7e9, "bytes_l2": 3.7e9, "bytes_dram": 3.6e9, "bytes_dram_read": 2.4e9, "bytes_dram_write": 1.2e9,
    "bytes_shared": 0, "insts_executed": 5e7, "insts_issued": 5e7, "insts_lsu": 1e7, "launches": 1,
}  # fmt: skip
"""A kernel that reads two arrays of 1.2 GB and writes one, at 720 GB/s."""
SHORT = {
    "time_s": 5e-6, "grid_blocks": 8, "bytes_l1": 1e5, "bytes_l2": 1e5, "bytes_dram": 1e5, "flops_fp32": 1e5,
    "bytes_dram_read": 6e4, "bytes_dram_write": 4e4, "insts_executed": 1e4, "insts_issued": 1e4, "insts_lsu": 1e3,
}  # fmt: skip


def table(*rows: Mapping[str, float | str]) -> KernelTable:
    """Launches behind each other in one file."""
    text = ("kernel", "gpu", "source_file")
    whole = [
        {"kernel": f"k{n}", "gpu": GPU, "source_file": "run.ncu-rep", "launch": n, **STREAMS, **row}
        for n, row in enumerate(rows)
    ]
    numbers = [c for c in whole[0] if c not in text]
    return KernelTable.from_columns(
        {c: [str(w[c]) for w in whole] for c in text},
        {c: ([float(w[c]) for w in whole], Origin.COUNTED) for c in numbers},
    )


def found(kernels: KernelTable, *rules: str) -> list[tuple[str, Symptom]]:
    answer = forecast(kernels, GPU)
    return [(name, s) for name, s in find_symptoms(Case(answer.kernels, answer)) if name in rules]


def fused(kernels: KernelTable) -> list[tuple[str, Symptom]]:
    return found(kernels, "fuse-next", "fuse-last")


def paths_with(rule: str, kernels: KernelTable, on: str | None = None) -> list[ChangePath]:
    paths = find_paths(kernels, on, None, None, Conditions())
    return [p for p in paths if [s.rule for s in p.steps] == [rule]]


def test_what_passes_between_two_kernels_leaves_both() -> None:
    """1.2 of 3.6 GB: at half as much again of the supply, the closed form of a third less bytes."""
    both = dict(fused(table({}, {})))
    assert {(n, s.row) for n, s in both.items()} == {("fuse-next", 0), ("fuse-last", 1)}
    for s in both.values():
        assert s.relief[Resource.BYTES_DRAM.supply] == pytest.approx(1.5)
        assert s.relief[Resource.BYTES_L2.supply] == pytest.approx(3.7 / 2.5)
        assert "not proven" in s.evidence[0]


@pytest.mark.parametrize("rule", ["fuse-next", "fuse-last"])
def test_fusion_saves_what_the_bytes_take_at_most(rule: str) -> None:
    kernels = table({"regs_per_thread": 64}, {"regs_per_thread": 64})
    paths = paths_with(rule, kernels, OTHER)
    assert {p.gpu for p in paths} == {GPU, OTHER}
    for path in paths:
        removable = path.time_now_s / 3
        assert 0.5 * removable < path.time_now_s - path.time_s <= removable * (1 + 1e-9)
        assert path.time_low_s <= path.time_s < path.time_now_s <= path.time_high_s
    finding = next(f for f in advise(kernels).findings if f.rule == rule)
    assert finding.saved_low_s <= 0 < finding.saved_s <= finding.time_s / 3 * (1 + 1e-9)


def test_the_registers_of_both_are_charged() -> None:
    """128 threads of 64 and 64 registers: 4 blocks of 65,536 registers where 8 were."""
    charged = fused(table({"regs_per_thread": 64}, {"regs_per_thread": 64}))
    assert [s.holds for _, s in charged] == pytest.approx([2.0, 2.0])
    assert [s.holds for _, s in fused(table({"regs_per_thread": 16}, {"regs_per_thread": 16}))] == [1.0, 1.0]


VENDOR = "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(Params)"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"kernel": "same"}, {"kernel": "same"}),
        ({}, {"launch": 5}),
        ({}, {"source_file": "another.ncu-rep"}),
        ({}, {"grid_blocks": 65536}),
        ({}, {"block_threads": 256}),
        ({}, {"bytes_dram_read": 1.7e9}),
        ({}, {"bytes_dram_read": 0.9e9}),
        ({}, {"bytes_dram_read": 1.2e9 * 7}),
        ({"launches": 3}, {"launches": 3}),
        ({"time_s": 5e-2}, {}),
        ({}, {"kernel": VENDOR}),
        ({"kernel": VENDOR}, {}),
        ({"smem_bytes_per_block": 6e4}, {"smem_bytes_per_block": 6e4}),
        ({"bytes_dram_write": 0}, {}),
        ({"bytes_dram_write": float("nan")}, {}),
    ],
)
def test_fusion_needs_all_of_its_evidence(first: Mapping[str, float | str], second: Mapping[str, float | str]) -> None:
    assert fused(table({}, {}))
    assert not fused(table(first, second))


def test_versions_of_one_kernel_are_no_neighbours() -> None:
    versions = table({"kernel": "step"}, {"kernel": "other"}, {"kernel": "step"})
    assert fused(versions)
    labels = np.array(["v0", "v1", "v2"], dtype=np.object_)
    assert not fused(dataclasses.replace(versions, extra={"version": labels}))


def test_a_graph_saves_the_difference_of_two_empty_launches() -> None:
    kernels = table(*[SHORT] * 4)
    paths = paths_with("launch-bound", kernels, OTHER)
    assert {p.gpu for p in paths} == {GPU, OTHER}
    for path in paths:
        floor, in_graph = path.target.launch_floor_s, path.target.launch_floor_graph_s
        assert floor
        assert in_graph
        assert path.time_now_s - path.time_s == pytest.approx(floor - in_graph)
        assert path.time_now_s - path.time_low_s == pytest.approx(floor)
        assert path.time_high_s == path.time_now_s


def test_no_launch_in_a_graph_is_shorter_than_an_empty_one_there() -> None:
    in_graph = roofcast.gpu(GPU).launch_floor_graph_s
    assert in_graph
    for time, left in ((1.1 * in_graph, in_graph), (0.9 * in_graph, None)):
        paths = paths_with("launch-bound", table(*[{**SHORT, "time_s": time}] * 2))
        assert [p.time_s for p in paths[:1]] == ([pytest.approx(left)] if left else [])


def test_what_takes_less_than_an_empty_launch_is_told_of_the_gap() -> None:
    empty = roofcast.gpu(GPU).launch_floor_s
    assert empty
    for time, gap in ((0.9 * empty, True), (1.5 * empty, False)):
        symptom = found(table(*[{**SHORT, "time_s": time}] * 2), "launch-bound")[0][1]
        assert ("with the gap to the next" in symptom.evidence[0]) is gap


@pytest.mark.parametrize("row", [STREAMS, SHORT])
def test_a_single_launch_has_neither_graph_nor_neighbour(row: Mapping[str, float]) -> None:
    rules = {s.rule for p in find_paths(table(row), OTHER, None, None, Conditions()) for s in p.steps}
    assert not rules & {"launch-bound", "fuse-next", "fuse-last"}


def test_long_kernels_have_no_graph() -> None:
    assert not found(table({}, {}), "launch-bound")


def test_of_a_run_its_plan_says_what_a_graph_gives() -> None:
    kernels = table(*[SHORT] * 4)
    assert not [p for p in find_paths(kernels, None, None, None, Conditions(), of_run=True)
                if any(s.rule == "launch-bound" for s in p.steps)]  # fmt: skip


@given(time=st.floats(1e-7, 1e-2), floor=st.floats(1e-7, 1e-5), share=st.floats(0.1, 1.0))
def test_what_a_graph_removes_is_there(time: float, floor: float, share: float) -> None:
    in_graph = share * floor
    after = remove_launch(time, [Symptom(0, "", (), "", removed_s=floor - in_graph, kept_s=in_graph)])
    assert min(time, in_graph) <= after <= time
    assert time - after <= (floor - in_graph) * (1 + 1e-9)
