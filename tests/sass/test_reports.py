"""Counts of real reports: counts times class table equal the hardware's own FLOP counters, launch by launch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from roofcast.core.errors import InputError
from roofcast.core.kernel_table import KernelTable
from roofcast.reading import read_one
from roofcast.sass.carry import carry, sum_executed
from roofcast.sass.cubin import Cubin
from roofcast.sass.executions import (
    Executions,
    Module,
    ReportLaunch,
    executions_of,
    merge_source,
    open_report,
    parse_modules,
    place_by_length,
    place_by_symbols,
)
from roofcast.sass.kernel_summary import sum_counters
from roofcast.sass.work import PHANTOM
from sass_builders import apply_sass


@pytest.fixture(scope="module")
def reports(fixtures_dir: Path) -> list[Path]:
    return sorted((fixtures_dir / "ncu_rep").glob("*.ncu-rep*"))


@dataclass(frozen=True)
class Counted:
    """One launch of a real report with its code and its execution counts."""

    path: Path
    launch: ReportLaunch
    module: Module
    cubin: Cubin
    executions: Executions
    table: KernelTable


@pytest.fixture(scope="module")
def counted(reports: list[Path]) -> list[Counted]:
    """Every launch of the real reports that has both; all of its counted addresses must find their instruction."""
    found = []
    for path in reports:
        report, table = open_report(path), read_one(path)
        cubins = parse_modules(report)
        for launch in report.launches:
            cubin = cubins[launch.module] if launch.module >= 0 else None
            if cubin is None or launch.counters is None:
                continue
            module = report.modules[launch.module]
            executions = executions_of(launch, cubin, module)
            assert executions is not None
            assert executions.is_complete
            found.append(Counted(path, launch, module, cubin, executions, table))
    return found


@pytest.mark.slow
def test_counts_times_class_table_equal_the_flop_counters(counted: list[Counted]) -> None:
    proven = 0
    for each in counted:
        by_metrics = sum_counters(each.table, each.launch.index)
        done = sum_executed(each.cubin, each.executions)
        for name in ("flops_fp64", "flops_fp32", "flops_fp16"):
            if name in by_metrics:
                assert math.isclose(done.get(name, 0.0), by_metrics[name], rel_tol=1e-12, abs_tol=0.5), (each, name)
        proven += bool(by_metrics)
    assert proven >= 26, f"only {proven} launches had both"


def test_tensor_work_equals_what_the_report_counts(counted: list[Counted]) -> None:
    compared = 0
    for each in counted:
        done = sum_executed(each.cubin, each.executions)
        for name in ("flops_tensor_fp16", "flops_tensor_fp64", "flops_tensor_bf16", "ops_tensor_int8"):
            by_metrics = float(each.table.column(name)[each.launch.index])
            if by_metrics > 0:
                assert math.isclose(done.get(name, 0.0), by_metrics, rel_tol=1e-9), (each.path, name)
                compared += 1
    assert compared >= 3


def test_placement_by_length_agrees_with_recorded_addresses(counted: list[Counted]) -> None:
    compared = 0
    for each in counted:
        assert each.launch.counters is not None
        addresses = each.launch.counters.addresses
        by_length = place_by_length(addresses, each.cubin, each.launch.mangled)
        assert by_length.is_complete, (each.path, each.launch.mangled)
        by_symbol = place_by_symbols(addresses, each.cubin, each.module.loaded_at)
        if by_symbol.is_complete:
            np.testing.assert_array_equal(by_length.function, by_symbol.function)
            np.testing.assert_array_equal(by_length.instruction, by_symbol.instruction)
            compared += 1
    assert compared >= 20


def test_every_report_matches_itself_exactly(counted: list[Counted]) -> None:
    for each in counted:
        carried = carry(each.cubin, each.executions, each.launch.mangled, each.cubin)
        assert carried is not None
        assert carried.coverage == 1.0
        assert dict(carried.source) == dict(carried.target)


def test_phantom_flops_of_a_single_precision_kernel(fixtures_dir: Path) -> None:
    path = next((fixtures_dir / "ncu_rep").glob("h100-pcie*KernelBench*"))
    table = read_one(path)
    amounts = apply_sass(table, path, [])
    assert float(amounts.kernels.column(PHANTOM)[0]) == 4 * 2**24
    assert float(amounts.kernels.column("flops_fp16")[0]) == 0.0
    assert float(amounts.kernels.column("flops_fp32")[0]) == pytest.approx(2.0 * 4096**3, rel=1e-12)


@pytest.mark.slow
def test_v100_to_a100_is_exactly_one_with_one_compiler(fixtures_dir: Path) -> None:
    from roofcast.catalog import gpu
    from roofcast.core.errors import MissingExtraError
    from roofcast.sass.toolkit import find_jit_link

    try:
        find_jit_link()
    except MissingExtraError as error:
        pytest.skip(str(error))
    path = next((fixtures_dir / "ncu_rep").glob("*MW-Baseline*"))
    table = read_one(path)
    targets = [gpu("A100-SXM4-40GB"), gpu("H100-SXM5-80GB"), gpu("V100-SXM2-16GB")]
    amounts = apply_sass(table, path, targets)
    assert amounts.coverage.min() == 1.0
    for name in amounts.ratios:
        assert amounts.ratios[name].tolist() == [[1.0, 1.0, 1.0]] * 5, name
    assert all("FLOPs unchanged" in notes[0][0] and not notes[2] for notes in amounts.target_notes)
    assert any("11.4" in note and "12." in note and "x 1.29" in note for note in amounts.notes[2])
    assert amounts.on_target(0).column("flops_fp64").tolist() == amounts.kernels.column("flops_fp64").tolist()


@pytest.mark.slow
def test_the_toolkit_effect_is_reported_and_not_applied(counted: list[Counted]) -> None:
    from roofcast.sass.code_comparison import compare
    from roofcast.sass.toolkit import find_jit_link

    pytest.importorskip("nvidia")
    find_jit_link()
    each = next(c for c in counted if "MW-Baseline" in c.path.name and c.launch.index == 2)
    found = compare(each.cubin, each.launch.mangled, each.executions, 80)
    effect = next(r for r in found.reasons if "alone would give" in r)
    assert 1.28 <= float(effect.partition("fp64 x ")[2].split(";")[0].split(" ")[0]) <= 1.31
    assert found.flops_there["flops_fp64"] == sum_executed(each.cubin, each.executions)["flops_fp64"]


def test_a_cut_report_and_a_foreign_file_end_in_one_line(reports: list[Path], tmp_path: Path) -> None:
    cut = tmp_path / "cut.ncu-rep"
    cut.write_bytes(reports[0].read_bytes()[:-1000])
    other = tmp_path / "other.ncu-rep"
    other.write_bytes(b"kernel,time_s\na,1\n")
    for path in (cut, other, tmp_path / "absent.ncu-rep"):
        with pytest.raises(InputError) as caught:
            open_report(path)
        assert "\n" not in str(caught.value)


def test_a_damaged_source_message_tells_nothing() -> None:
    modules: dict[int, Module] = {}
    merge_source(modules, [], b"\x08\x01\x22\xff\xff\xff\xff\x0fabc")
    assert not modules
    merge_source(modules, [], b"\x08\x96\x01\x22\x02hi\x4a\x07\x0a\x05\x0a\x01k\x10\x07")
    assert modules == {150: Module(150, b"hi", {"k": 7})}
