"""The text table of forecasts: alignment at any width, totals, reasons, notes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from report_builders import HOSTILE, SOURCE, TARGET, forecast, processor, table
from roofcast.core.launch_totals import find_ends
from roofcast.core.units import format_quantity
from roofcast.forecasting.forecasts import Forecast
from roofcast.kit.quantities import format_interval, label_limit
from roofcast.kit.returned import Statement
from roofcast.kit.table import aligned, cells, fitted, padded
from roofcast.reports.forecast_page import build_causes
from roofcast.reports.show import format_limits, render_explanation, render_forecast_table
from roofcast.reports.totals import sum_up
from roofcast.reports.verdict import state_forecast


def without(result: Forecast, row: int, reason: str) -> Forecast:
    """The forecast with one kernel that has none."""
    estimate = result.estimate
    times = [a.copy() for a in (estimate.time_s, estimate.time_low_s, estimate.time_high_s)]
    for a in times:
        a[row] = np.nan
    reasons = estimate.reasons.copy()
    reasons[row] = reason
    changed = dataclasses.replace(estimate, time_s=times[0], time_low_s=times[1], time_high_s=times[2], reasons=reasons)
    return dataclasses.replace(result, estimate=changed)


@pytest.mark.parametrize("claimed", ["intervals for 90 %", "intervals that claim nothing"])
def test_kernels_promise_what_the_run_does_or_say_what_they_promise(claimed: str) -> None:
    made = forecast(table(["a"]), speedup=2.0)
    promise = state_forecast(made).promise
    run = Statement("the run", f"The run takes 1 s ({claimed}).", claimed, "Another GPU")
    told = state_forecast(dataclasses.replace(made, runs=(run,))).verdict
    assert told.startswith(run.verdict)
    assert told.removeprefix(run.verdict).count(promise) == (claimed != promise)


@pytest.mark.parametrize("width", [60, 80, 120, 160])
@pytest.mark.parametrize("targets", [1, 2, 5])
def test_every_line_fits(width: int, targets: int) -> None:
    gpus = [processor(f"A GPU with a long name {i}", 1e12, 2e12, 3e12, 1e13) for i in range(targets)]
    result = forecast(table(["short", "a_rather_long_kernel_name_that_does_not_fit", *HOSTILE]), gpus)
    lines = render_forecast_table(result, width=width).splitlines()
    assert max(map(cells, lines)) <= max(width, 76)
    assert all(line.isprintable() for line in lines)
    assert sum(any(g.name[:20] in line for line in lines) for g in gpus) == targets


def test_total_and_interval_are_sums() -> None:
    kernels = table(["a", "b"], time_s=[3e-3, 1e-3])
    text = render_forecast_table(forecast(kernels, speedup=2.0), width=100)
    total = next(line for line in text.splitlines() if line.startswith("total (2)"))
    time = np.array([1.5e-3, 0.5e-3])
    interval = format_interval(*find_ends(time, 0.8 * time, 1.3 * time))
    assert total.split() == ["total", "(2)", "4.00", "ms", "2.00", "ms", *interval.split(), "2.00x"]
    bound = f"{TARGET.name} {format_interval(1.6e-3, 2.6e-3)}"
    assert bound in " ".join(render_forecast_table(forecast(kernels, speedup=2.0), width=100, notes=True).split())


def test_totals_count_every_launch_and_rows_stand_in_their_order() -> None:
    kernels = table(["rare", "frequent", "one"], time_s=[3e-3, 1e-3, 5e-3], launches=[1.0, 400.0, np.nan])
    lines = render_forecast_table(forecast(kernels, speedup=2.0), width=120).splitlines()
    names = [line.split()[0] for line in lines if line.startswith(("rare", "frequent", "one"))]
    assert names == ["frequent", "one", "rare"]
    assert next(x for x in lines if x.startswith("frequent")).split()[1:8] == [
        *("400", "1.00", "ms", "400", "ms", "200", "ms")
    ]
    time = np.array([200e-3, 5e-3 / 2, 3e-3 / 2])
    interval = format_interval(*find_ends(time, 0.8 * time, 1.3 * time))
    assert next(x for x in lines if x.startswith("total (3)")).split()[2:8] == [
        "402",
        "408",
        "ms",
        "204",
        "ms",
        interval.split()[0],
    ]


def test_total_leaves_out_what_has_no_forecast_and_says_so() -> None:
    kernels = table(["a", "b"], time_s=[3e-3, 1e-3])
    lacking = without(forecast(kernels), 1, "source GPU unknown: give --from GPU")
    assert ", without 1 kernel that has no forecast, mostly" in state_forecast(lacking).verdict
    text = render_forecast_table(lacking, width=100)
    row = next(line for line in text.splitlines() if line.startswith("b "))
    total = next(line for line in text.splitlines() if line.startswith("total (2)"))
    assert "–  source GPU unknown  a" in row
    assert "1.50 ms" in total
    assert "2.00x" in total
    assert "1 of 2" in total
    assert "[a] source GPU unknown: give --from GPU" in text


def test_notes_are_numbered_once_and_common_ones_apart() -> None:
    result = forecast(table(["a", "b", "c"], time_s=[3e-3, 2e-3, 1e-3]))
    notes = (("cold", "odd"), ("cold",), ("cold", "odd"))
    result = dataclasses.replace(result, estimate=dataclasses.replace(result.estimate, notes=notes))
    lines = render_forecast_table(result, width=120, notes=True).splitlines()
    assert lines.count("- cold") == 1
    assert lines.count("[a] odd") == 1
    assert [line.endswith("  a") for line in lines if line[:2] in ("a ", "b ", "c ")] == [True, False, True]
    assert f"- {TARGET.name}: estimated, not measured: DRAM ± 10 %, L2 ± 10 %" in lines


def test_top_says_what_it_leaves_out() -> None:
    kernels = table(["a", "b", "c", "d"], time_s=[6e-3, 1e-3, 2e-3, 1e-3])
    text = render_forecast_table(forecast(kernels), width=100, top=2)
    rest = next(line for line in text.splitlines() if line.startswith("… 2 more"))
    assert rest.split()[:8] == ["…", "2", "more", "(20", "%)", "2.00", "ms", "1.00"]
    assert "10.0 ms" in next(line for line in text.splitlines() if line.startswith("total (4)"))
    assert not [line for line in text.splitlines() if line.startswith(("b ", "d "))]


def test_several_sources_are_named_per_row() -> None:
    result = forecast(table(["a", "b"]))
    other = processor("Other GPU", 1e12, 2e12, 3e12, 1e13)
    text = render_forecast_table(dataclasses.replace(result, sources=(SOURCE, other)), width=120)
    assert "Other GPU" in next(line for line in text.splitlines() if line.startswith("b "))
    unknown = render_forecast_table(dataclasses.replace(result, sources=(None, None)), width=80)
    assert "measured on Source GPU (not in the catalog)" in unknown


def test_no_kernels_and_no_targets() -> None:
    assert "0 kernels" in render_forecast_table(forecast(table([])))
    assert "1 kernel " in render_forecast_table(forecast(table(["a"]), []))


def test_full_names() -> None:
    name = "void space::kernel<float>(float*)"
    assert name in render_forecast_table(forecast(table([name])), width=160, full_names=True)
    assert name not in render_forecast_table(forecast(table([name])), width=160)


@settings(max_examples=60)
@example("\u6838", 1, False)
@given(st.text(max_size=40), st.integers(1, 40), st.booleans())
def test_padding_is_exact(text: str, width: int, right: bool) -> None:
    assert cells(fitted(text, width)) <= width
    assert cells(padded(text, width, right)) == width


def test_aligned_shrinks_the_flexible_column() -> None:
    lines = aligned(["name", "value"], [["x" * 50, "1"], ["核" * 20, "22"]], [False, True], 30)
    assert {cells(line) for line in lines} == {30}


def test_names_that_are_cut_stay_apart_and_limits_are_not_cut() -> None:
    names = [f"compute_tendencies_of_everything_x_{n}_gpu" for n in (279, 309)]
    lines = render_forecast_table(forecast(table([*names])), width=76).splitlines()
    shown = [line.split("  ")[0] for line in lines if line.startswith("compute_")]
    assert len(set(shown)) == 2
    for width in (7, 11, 13, 19):
        for source, target in (("insts_lsu", "bytes_shared"), ("flops_tensor_bf16", "insts_lsu")):
            text = format_limits(source, target, width)
            assert text.endswith(label_limit(target))
            assert "…" not in text


def test_references_are_letters_that_no_width_cuts() -> None:
    result = forecast(table([f"k{i}" for i in range(3)], time_s=[3e-3, 2e-3, 1e-3]))
    notes = (tuple(f"note {i}" for i in range(9)), ("note 0", "note 5"), ())
    result = dataclasses.replace(result, estimate=dataclasses.replace(result.estimate, notes=notes))
    lines = render_forecast_table(result, width=80, notes=True).splitlines()
    rows = {line[:2]: line.split()[-1] for line in lines if line.startswith("k")}
    assert rows["k0"] == "abcdef+"
    assert rows["k1"] == "af"
    lines = render_forecast_table(result, width=80).splitlines()
    shown = [line for line in lines if line.startswith(("- ", "["))]
    assert len(shown) == 3
    assert int(lines[-1].removesuffix(" more: --notes")) == len(notes[0]) + 3 - 3


def test_a_thousand_kernels_are_twenty_and_a_row_for_the_rest() -> None:
    result = forecast(table([f"k{i:04}" for i in range(1000)], time_s=[1e-3 + 1e-6 * i for i in range(1000)]))
    lines = render_forecast_table(result).splitlines()
    assert [line.split()[0] for line in lines if line.startswith("k0")] == [f"k{i:04}" for i in range(999, 979, -1)]
    rest, total = (next(line for line in lines if line.startswith(t)) for t in ("… 980 more (97 %)", "total (1000)"))
    assert len(rest.split()) == len(total.split()) + 3
    assert sum(line.startswith("k0") for line in render_forecast_table(result, top=30).splitlines()) == 30


def test_the_verdict_is_one_sentence_that_names_time_target_and_limit() -> None:
    text = state_forecast(forecast(table(["a", "b"], time_s=[3e-3, 1e-3]), speedup=2.0)).verdict
    assert text.startswith(f"2 kernels measured on {SOURCE.name} take 2.00 ms (")
    assert f"on {TARGET.name} instead of 4.00 ms: 2.00x as fast, mostly limited by " in text
    assert text.endswith("intervals for 90 %).")


def test_columns_that_do_not_fit_follow_below() -> None:
    header = ["name", *(f"column {n}" for n in range(8))]
    rows = [[f"a rather long name {i}", *(f"{i}.{n} ms" for n in range(8))] for i in range(2)]
    lines = aligned(header, rows, [False, *[True] * 8], 50)
    assert max(map(len, lines)) <= 50
    text = "\n".join(lines)
    assert all(text.count(f"column {n}") == 1 for n in range(8))
    assert all(f"1.{n} ms" in text for n in range(8))
    assert sum(line.startswith("name") for line in lines) > 1


def test_an_interval_beyond_a_factor_of_50_is_undecided_wherever_the_forecast_is_shown() -> None:
    made = forecast(table(["sure", "unsure"]))
    low, high = made.estimate.time_low_s.copy(), made.estimate.time_high_s.copy()
    low[1], high[1] = low[1] / 10, high[1] * 10
    made = dataclasses.replace(made, estimate=dataclasses.replace(made.estimate, time_low_s=low, time_high_s=high))
    told = made.notes(1, 0)[0]
    assert told.startswith("undecided: its interval spans a factor of 162; measure")
    assert not any("undecided" in note for note in made.notes(0, 0))
    assert [notes[0] for notes in made.to_polars()["notes"].to_list() if notes] == [told]
    lines = render_forecast_table(made, width=160).splitlines()
    assert {line.split()[0]: line.count("undecided") for line in lines if "sure " in line[:8]} == {
        "unsure": 1,
        "sure": 0,
    }
    assert "measure the kernel on the target" in " ".join(lines)
    shown = build_causes(made)["kernels"]
    assert shown[0]["f"][0][0] > 0
    assert shown[1]["f"][0][0] is None
    assert told in build_causes(made)["texts"]
    assert [row["time_s"] for row in made.records()] == made.estimate.time_s[:, 0].tolist()


def widen(made: Forecast, row: int, factor: float) -> Forecast:
    e = made.estimate
    low, high = e.time_low_s.copy(), e.time_high_s.copy()
    low[row], high[row] = low[row] / factor, high[row] * factor
    return dataclasses.replace(made, estimate=dataclasses.replace(e, time_low_s=low, time_high_s=high))


def test_a_total_beyond_a_factor_of_50_is_undecided_in_headline_table_and_explanation() -> None:
    made = widen(forecast(table(["only"])), 0, 10.0)
    (total,) = made.totals
    assert total.is_undecided
    time = format_quantity(total.time_s, "s")
    told = state_forecast(made).verdict
    assert "undecided: its interval spans a factor of 162; measure" in told
    assert time not in told
    assert "as fast" not in told
    (cell,) = sum_up(made).totals
    assert (cell.time, cell.speedup) == ("undecided", "undecided")
    line = next(t for t in render_explanation(made).splitlines() if t.lstrip().startswith("measured ") and "[" in t)
    assert "forecast undecided [" in line
    assert "speed-up" not in line
    assert total.record()["time_s"] == total.time_s
    several = widen(forecast(table(["a", "b"])), 0, 1e4)
    assert several.totals[0].is_undecided
    foot = next(t for t in render_forecast_table(several, width=160).splitlines() if t.startswith("total"))
    assert "undecided" in foot
