"""Amounts from metrics: the identities, one by one, against real reports, and with counters taken away."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pytest

from roofcast.core.columns import ALL_NUMERIC, Origin
from roofcast.core.kernel_table import FloatArray
from roofcast.ingest.ncu import report as ncu_rep
from roofcast.ingest.ncu.collect import SOURCES, collection_command, metrics_for
from roofcast.ingest.ncu.display_names import DISPLAY_NAMES, metric_of_display_name
from roofcast.ingest.ncu.expressions import Counters, parse
from roofcast.ingest.ncu.flags import flags_of
from roofcast.ingest.ncu.metric_columns import AMOUNTS
from roofcast.ingest.ncu.metrics import amounts_from_ncu, counters_of
from roofcast.ingest.ncu.opcodes import WARPS, metrics_from_opcodes, tensor_flops

TIME = {"gpu__time_duration.sum": 2e6}  # 2 ms
FP32 = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"


def identities_used(metrics: Mapping[str, FloatArray]) -> dict[str, list[str]]:
    """Column -> per launch, the expression of :data:`AMOUNTS` that yielded its value ('' where absent)."""
    counters = counters_of(metrics)
    used: dict[str, list[str]] = {}
    for column in counters.amounts:
        rows = [""] * counters.size
        for expression in AMOUNTS.get(column, ()):
            found = counters.evaluate(expression)
            if found is not None:
                rows = [r or ("" if np.isnan(v) else expression) for r, v in zip(rows, found[0], strict=True)]
        used[column] = rows
    return used


def one(**metrics: float) -> dict[str, FloatArray]:
    return {name: np.array([value]) for name, value in metrics.items()}


def amount(column: str, metrics: dict[str, float]) -> tuple[float, int]:
    found = amounts_from_ncu(one(**metrics)).get(column)
    return (float(found[0][0]), int(found[1][0])) if found else (float("nan"), int(Origin.ABSENT))


def test_every_column_is_in_the_vocabulary() -> None:
    assert not [column for column in (*AMOUNTS, *SOURCES) if column not in ALL_NUMERIC]


def test_columns_use_only_columns_above_them() -> None:
    seen: set[str] = set()
    for column, alternatives in AMOUNTS.items():
        for name in (f.name.lstrip("?~") for e in alternatives for t in parse(e) for f in t.factors if f.name):
            plain = "__" not in name and ":" not in name and "." not in name
            assert (
                not plain
                or name in seen
                or name in ("inst_executed", "thread_inst_executed", "issue_replays")
                or (name.startswith("memory_l"))
            ), (column, name)
        seen.add(column)


@pytest.mark.parametrize(
    ("column", "metrics", "value", "origin"),
    [
        ("time_s", {"gpc__cycles_elapsed.max": 3e6, "gpc__cycles_elapsed.avg.per_second": 1.5e9}, 2e-3, 2),
        ("clock_hz", {**TIME, "sm__cycles_elapsed.max": 3e6}, 1.5e9, 2),
        ("bytes_dram", {**TIME, "dram__bytes.sum": 7e9}, 7e9, 1),
        ("bytes_dram", {**TIME, "dram__bytes.sum.per_second": 1e12}, 2e9, 2),
        ("bytes_dram", {"dram__bytes_read.sum": 3e9, "dram__bytes_write.sum": 1e9}, 4e9, 2),
        ("bytes_dram", {"dram__bytes_op_read.sum": 3e9, "dram__bytes_op_write.sum": 1e9}, 4e9, 2),
        ("bytes_dram", {"dram__sectors_read.sum": 10.0, "dram__sectors_write.sum": 5.0}, 480.0, 2),
        (
            "bytes_dram",
            {
                **TIME,
                "dram__cycles_active.avg.pct_of_peak_sustained_elapsed": 50.0,
                "dram__cycles_elapsed.avg.per_second": 877e6,
                "device__attribute_global_memory_bus_width": 4096.0,
            },
            0.5 * 877e6 * 2 * 4096 / 8 * 2e-3,
            2,
        ),
        ("bytes_l2", {**TIME, "lts__t_sectors.sum.per_second": 1e9}, 32 * 2e6, 2),
        ("bytes_l2", {"lts__t_sectors_op_read.sum": 10.0, "lts__t_sectors_op_write.sum": 5.0}, 480.0, 3),
        (
            "bytes_l1",
            {f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum": n for op, n in (("ld", 4.0), ("st", 2.0))},
            192.0,
            3,
        ),
        ("insts_fp32_add", {"sm__sass_thread_inst_executed_op_fadd_pred_on.sum": 5.0}, 5.0, 1),
        ("flops_fp32", {FP32.format("fadd"): 1, FP32.format("fmul"): 2, FP32.format("ffma"): 10}, 23.0, 2),
        (
            "flops_fp32",
            {
                **{FP32.format(op): 1.0 for op in ("fadd", "fmul", "ffma")},
                **{FP32.format(op): 10.0 for op in ("fadd2", "fmul2", "ffma2")},
            },
            1 + 1 + 2 + 20 + 20 + 40,
            2,
        ),
        ("flops_fp16", {FP32.format("hadd"): 1, FP32.format("hmul"): 2, FP32.format("hfma"): 10}, 46.0, 2),
        ("flops_fp32", {FP32.format("ffma"): 10}, float("nan"), 0),
        ("bytes_shared", {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": 3.0}, 384.0, 2),
        ("threads_per_inst", {"thread_inst_executed": 90.0, "inst_executed": 3.0}, 30.0, 2),
        ("insts_issued", {"smsp__inst_executed.sum": 3.0}, 3.0, 3),
        ("occupancy_fraction", {"sm__warps_active.avg.pct_of_peak_sustained_active": 25.0}, 0.25, 1),
        # Hits and sectors are counted in two passes.
        (
            "l2_write_hit_fraction",
            {"lts__t_sectors_op_write_lookup_hit.sum": 15681.0, "lts__t_sectors_op_write.sum": 15680.0},
            1.0,
            2,
        ),
        (
            "occupancy_fraction",
            {"sm__warps_active.avg.per_cycle_active": 32.0, "device__attribute_max_warps_per_multiprocessor": 64.0},
            0.5,
            2,
        ),
        (
            "smem_bytes_per_block",
            {"launch__shared_mem_per_block": 5120, "launch__shared_mem_per_block_driver": 1024},
            4096,
            2,
        ),
        ("stall_wait_per_inst", {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio": 1.5}, 1.5, 1),
    ],
)  # fmt: skip
def test_one_identity(column: str, metrics: dict[str, float], value: float, origin: int) -> None:
    found, kind = amount(column, metrics)
    assert found == pytest.approx(value, rel=1e-12, nan_ok=True)
    assert kind == origin


def test_rows_fall_back_one_by_one() -> None:
    metrics = {
        "gpu__time_duration.sum": np.array([1e9, 1e9, np.nan]),
        "dram__bytes.sum": np.array([5.0, np.nan, np.nan]),
        "dram__bytes.sum.per_second": np.array([7.0, 8.0, 9.0]),
    }
    values, origin = amounts_from_ncu(metrics)["bytes_dram"]
    assert values[:2].tolist() == [5.0, 8.0]
    assert np.isnan(values[2])
    assert origin.tolist() == [Origin.COUNTED, Origin.DERIVED, Origin.ABSENT]
    used = identities_used(metrics)
    assert used["bytes_dram"] == ["sum:dram__bytes", "sum:dram__bytes", ""]


def test_given_columns_stay_as_they_are() -> None:
    given = {"time_s": (np.array([3.0]), np.array([Origin.COUNTED], np.uint8))}
    amounts = amounts_from_ncu(one(**{"gpu__time_duration.sum": 1.0, "dram__bytes.sum.per_second": 2.0}), given)
    assert amounts["time_s"][0][0] == 3.0
    assert amounts["bytes_dram"][0][0] == 6.0


def test_no_metrics_no_amounts() -> None:
    assert amounts_from_ncu({}) == {}
    assert amounts_from_ncu({"unknown__metric.sum": np.array([1.0, 2.0])}) == {}


def test_division_by_zero_is_absent() -> None:
    assert np.isnan(amount("threads_per_inst", {"thread_inst_executed": 0.0, "inst_executed": 0.0})[0])


@pytest.mark.parametrize(
    ("opcode", "column", "flops"),
    [
        ("HMMA.16816.F32", "flops_tensor_fp16", 4096),
        ("HMMA.1688.F32.TF32", "flops_tensor_tf32", 2048),
        ("HMMA.16816.F32.BF16", "flops_tensor_bf16", 4096),
        ("HMMA.884.F32.F32.STEP0", "flops_tensor_fp16", 512),
        ("HMMA.884.F16.F16.STEP1", "flops_tensor_fp16", 1024),
        ("IMMA.16832.S8.S8", "ops_tensor_int8", 8192),
        ("DMMA.884", "flops_tensor_fp64", 512),
        ("HGMMA.64x256x16.F32.BF16", "flops_tensor_bf16", 2 * 64 * 256 * 16 / 4),
        ("QGMMA.64x128x32.F32.E4M3.E4M3", "flops_tensor_fp8", 2 * 64 * 128 * 32 / 4),
    ],
)
def test_tensor_opcodes(opcode: str, column: str, flops: float) -> None:
    assert tensor_flops(opcode) == (column, flops)


def test_unknown_tensor_shapes_are_absent() -> None:
    metrics = metrics_from_opcodes([{WARPS: {"UTCHMMA": 5.0}}, {WARPS: {"FFMA": 5.0}}])
    assert np.isnan(metrics["opcode__flops_tensor_fp16"][0])
    assert metrics["opcode__flops_tensor_fp16"][1] == 0


def flags(metrics: dict[str, float]) -> list[str]:
    arrays = one(**metrics)
    return flags_of(arrays, amounts_from_ncu(arrays))[0]


def test_flags() -> None:
    ampere = {"device__attribute_compute_capability_major": 8.0, "device__attribute_compute_capability_minor": 0.0}
    half = {FP32.format("hadd"): 0.0, FP32.format("hmul"): 0.0, FP32.format("hfma"): 9.0}
    assert any("register moves" in f for f in flags({**TIME, **ampere, **half}))
    assert not any("register moves" in f for f in flags({**TIME, **ampere, **half, FP32.format("hadd"): 3.0}))
    assert not any("register moves" in f for f in flags(TIME))
    assert any("disagree" in f for f in flags({**TIME, "smsp__inst_executed.sum": 100.0, "inst_executed": 90.0}))
    assert not any("disagree" in f for f in flags({**TIME, "smsp__inst_executed.sum": 100.0, "inst_executed": 99.0}))
    memory = {"dram__cycles_elapsed.avg.per_second": 877e6, "device__attribute_global_memory_bus_width": 4096.0}
    assert any("than the memory" in f for f in flags({**TIME, **memory, "dram__bytes.sum": 2e9}))
    assert not any("than the memory" in f for f in flags({**TIME, **memory, "dram__bytes.sum": 1.7e9}))
    assert any("no usable duration" in f for f in flags({"gpu__time_duration.sum": 0.0}))
    blackwell = {"device__attribute_compute_capability_major": 10.0, "device__attribute_compute_capability_minor": 0.0}
    scalar = {FP32.format(op): 1.0 for op in ("fadd", "fmul", "ffma")}
    assert any("lower bound" in f for f in flags({**TIME, **blackwell, **scalar}))
    assert not any("lower bound" in f for f in flags({**TIME, **blackwell, **scalar, FP32.format("ffma2"): 0.0}))


@pytest.mark.slow
def test_collected_metrics_supply_the_column() -> None:
    """What the command collects is what the identities understand."""
    for capability in ("7.0", "7.5", "8.0", "8.9", "9.0", "10.0", "12.0"):
        for column in SOURCES:
            metrics = metrics_for([column], capability)
            arrays = one(**{"gpu__time_duration.sum": 1e6, **dict.fromkeys(metrics, 4.0)})
            opcodes = metrics_from_opcodes([{m: {"HMMA.16816.F32": 4.0} for m in metrics if m.startswith("sass__")}])
            found = amounts_from_ncu({**arrays, **opcodes})
            assert not metrics or column in found, (capability, column)


def test_commands() -> None:
    assert collection_command(["nonsense", "grid_blocks"]) == ""
    assert "dram__bytes_op_read.sum" in collection_command(["bytes_dram_read"], "12.0")
    assert "op_ffma2_" in collection_command(["flops_fp32"], "10.0")
    assert "op_ffma2_" not in collection_command(["flops_fp32"], "9.0")
    assert collection_command(["bytes_dram"], "8.7") == ""
    command = collection_command(["time_s", "bytes_dram", "bytes_l2", "bytes_l1"], "9.0")
    names = "gpu__time_duration.sum,l1tex__t_bytes.sum,lts__t_bytes.sum,dram__bytes.sum"
    assert command == f"ncu --metrics {names} -o profile ./application"


CHIPS = {
    **{"7.0": ("GV100",), "7.2": ("GV11B",), "7.5": ("TU102", "TU104", "TU106", "TU116", "TU117"), "8.0": ("GA100",)},
    **{"8.6": ("GA102", "GA103", "GA104", "GA106", "GA107"), "8.7": ("GA10B",), "8.9": ("AD102", "AD104", "AD107")},
    **{"9.0": ("GH100",), "10.0": ("GB100", "GB102"), "11.0": ("GB10B",), "12.1": ("GB20B",)},
    "12.0": ("GB202", "GB203", "GB205", "GB206"),
}


def test_metric_names_exist_on_the_chip(fixtures_dir: Path) -> None:
    path = fixtures_dir.parent / "reference" / "ncu_metric_availability_by_chip.csv"
    if not path.is_file():
        pytest.skip("the table of metrics per chip is absent")
    with path.open(newline="") as stream:
        rows = {row["metric"]: row for row in csv.DictReader(stream)}
    for capability, chips in CHIPS.items():
        for column in SOURCES:
            for metric in metrics_for([column], capability):
                counter = metric.partition(".")[0]
                if not counter.startswith("sass__"):  # counted by instrumentation, on every chip
                    assert all(rows[counter][chip] == "1" for chip in chips), (capability, column, metric)


def test_display_names_are_metrics() -> None:
    assert metric_of_display_name("", "No Such Name") is None
    assert all("__" in metric for metric in DISPLAY_NAMES.values())
    assert DISPLAY_NAMES["Stall MIO Throttle"].endswith("stalled_mio_throttle_per_issue_active.ratio")


def details_names(folder: Path, pattern: str = "*") -> Iterable[tuple[str, str, str, str]]:
    """Section, name, unit and value of every row of the details pages among the real CSV files."""
    for path in sorted((folder / "ncu_csv").glob(pattern)):
        lines = path.read_text("utf-8-sig").splitlines()
        start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
        if start is None:
            continue
        for row in csv.DictReader(lines[start:]):
            if row.get("Metric Name") and row["Section Name"] != "Command line profiler metrics":
                yield row["Section Name"], row["Metric Name"], row["Metric Unit"], row["Metric Value"]


def test_display_names_of_real_details_pages(fixtures_dir: Path) -> None:
    names = set(details_names(fixtures_dir))
    assert names
    sampling = {"Dropped Samples", "Maximum Sampling Interval", "Maximum Buffer Size", "# Pass Groups"}
    unknown = {n for s, n, u, _ in names if metric_of_display_name(s, n, u) is None}
    assert unknown <= sampling | {"Enabled TPC IDs"}


@pytest.fixture(scope="module")
def real_counters(fixtures_dir: Path) -> list[tuple[str, dict[str, FloatArray]]]:
    """Name and metrics (with opcode counts) of every real report."""
    found = []
    for path in sorted((fixtures_dir / "ncu_rep").glob("*.ncu-rep")):
        with path.open("rb") as stream:
            launches = [x for block in ncu_rep.walk_blocks(stream) for x in ncu_rep.parse_results(block)]
        metrics = ncu_rep.columns_of((x.numbers for x in launches), len(launches))
        found.append((path.name, {**metrics, **metrics_from_opcodes([x.opcodes for x in launches])}))
    return found


AGREEING = (
    # column, tolerance, expressions that must agree on every launch that has both
    ("time_s", 0.014, ("gpu__time_duration.sum / 1e9", "gpc__cycles_elapsed.max / gpc__cycles_elapsed.avg.per_second")),
    ("time_s", 1e-9, ("gpu__time_duration.sum / 1e9", "dram__bytes_read.sum / dram__bytes_read.sum.per_second")),
    ("bytes_dram", 1e-9, ("dram__bytes.sum.per_second * time_s", "dram__bytes_read.sum + dram__bytes_write.sum")),
    ("bytes_dram_read", 1e-9, ("dram__bytes_read.sum", "32 * dram__sectors_read.sum")),
    ("bytes_l2", 1e-9, ("32 * lts__t_sectors.sum", "32 * lts__t_sectors.sum.per_second * time_s")),
    (
        "bytes_l2",
        1e-9,
        ("lts__t_sectors.sum", "lts__t_sectors.avg.per_cycle_elapsed * count:lts * clock_hz_l2 * time_s"),
    ),
    ("insts_executed", 0.02, ("smsp__inst_executed.sum", "inst_executed")),
    ("insts_fp64_fma", 1e-9, (AMOUNTS["insts_fp64_fma"][0], "opcode__insts_fp64_fma")),
    ("insts_fp64_add", 1e-9, (AMOUNTS["insts_fp64_add"][0], "opcode__insts_fp64_add")),
    ("insts_fp64_mul", 1e-9, (AMOUNTS["insts_fp64_mul"][0], "opcode__insts_fp64_mul")),
    ("insts_fp32_fma", 1e-9, (AMOUNTS["insts_fp32_fma"][0], "opcode__insts_fp32_fma")),
    ("insts_fp32_add", 1e-9, (AMOUNTS["insts_fp32_add"][0], "opcode__insts_fp32_add")),
    ("insts_fp32_mul", 1e-9, (AMOUNTS["insts_fp32_mul"][0], "opcode__insts_fp32_mul")),
    ("insts_special", 0.001, (AMOUNTS["insts_special"][1], "opcode__insts_special")),
    (
        "l2_hit_fraction",
        1e-9,
        ("0.01 * lts__t_sector_hit_rate.pct", "lts__t_sectors_lookup_hit.sum / lts__t_sectors.sum"),
    ),
    ("occupancy_fraction", 1e-9, (AMOUNTS["occupancy_fraction"][0], AMOUNTS["occupancy_fraction"][3])),
)  # fmt: skip


@pytest.mark.parametrize(("column", "tolerance", "expressions"), AGREEING)
def test_two_forms_of_one_quantity_agree(
    real_counters: list[tuple[str, dict[str, FloatArray]]], column: str, tolerance: float, expressions: tuple[str, str]
) -> None:
    compared = 0
    for name, metrics in real_counters:
        counters: Counters = counters_of(metrics)
        one_form, other_form = (counters.evaluate(e) for e in expressions)
        if one_form is None or other_form is None:
            continue
        both = ~np.isnan(one_form[0]) & ~np.isnan(other_form[0])
        assert other_form[0][both] == pytest.approx(one_form[0][both], rel=tolerance), name
        compared += int(both.sum())
    assert compared >= 20


REDUCED = (
    ("bytes_dram", r"dram__bytes.sum.per_second"), ("bytes_dram", r"dram__bytes"), ("bytes_l2", "lts__t_sectors.sum"),
    ("flops_fp64", "smsp__sass_thread_inst_executed_op_d"), ("flops_fp32", "smsp__sass_thread_inst_executed_op_f"),
    ("insts_executed", "smsp__inst_executed.sum"),
)  # fmt: skip


@pytest.mark.parametrize(("column", "dropped"), REDUCED)
def test_values_survive_the_loss_of_a_counter(
    real_counters: list[tuple[str, dict[str, FloatArray]]], column: str, dropped: str
) -> None:
    compared = 0
    for name, metrics in real_counters:
        full = amounts_from_ncu(metrics).get(column)
        kept = {k: v for k, v in metrics.items() if k != dropped and not (dropped[-1] != "m" and k.startswith(dropped))}
        if full is None or len(kept) == len(metrics):
            continue
        reduced = amounts_from_ncu(kept).get(column)
        assert reduced is not None, name
        there = ~np.isnan(full[0])
        assert reduced[0][there] == pytest.approx(full[0][there], rel=0.02 if column == "insts_executed" else 1e-9), (
            name
        )
        compared += 1
    assert compared >= 5


def test_basic_set_still_yields_dram_traffic(real_counters: list[tuple[str, dict[str, FloatArray]]]) -> None:
    """With only what the default set stores, DRAM bytes and instructions equal those of the full set."""
    shares = ("dram__cycles_active.avg", "gpu__dram", "sm__inst_executed.avg", "sm__inst_executed_pipe_xu.avg")
    basic = ("gpu__time", "dram__cycles_elapsed", "sm__cycles", "gpc__", "device__", *shares)
    compared = 0
    for name, metrics in real_counters:
        full = amounts_from_ncu(metrics)
        reduced = amounts_from_ncu({k: v for k, v in metrics.items() if k.startswith(basic)})
        if "bytes_dram_read" in full:
            for column in ("bytes_dram", "insts_executed"):
                assert reduced[column][0] == pytest.approx(full[column][0], rel=1e-3), (name, column)
            compared += 1
    assert compared >= 9


def test_details_page_without_bus_width_yields_the_same_dram_traffic(fixtures_dir: Path) -> None:
    page = {"device__attribute_compute_capability_major": 7.0, "device__attribute_compute_capability_minor": 5.0}
    for section, name, unit, value in details_names(fixtures_dir, "cc-7-5*"):
        metric = metric_of_display_name(section, name, unit)
        if metric and value.replace(",", "").replace(".", "").isdigit():
            page[metric] = float(value.replace(",", ""))
    from_rate = amount("bytes_dram", page)[0]
    del page["dram__bytes.sum.per_second"]
    assert amount("bytes_dram", page)[0] == pytest.approx(from_rate, rel=1e-6)
