"""Cost is time times the user's rate, and nothing without one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from report_builders import SOURCE, TARGET, forecast, table
from roofcast.analyses.report.forecast_page import render_forecast_html
from roofcast.analyses.report.show import render_forecast_table
from roofcast.analyses.report.totals import price_forecast, read_rates
from roofcast.commands.group import cli
from roofcast.core.errors import RoofcastError
from roofcast.kit.quantities import choose_runs, format_cost

PROFILE = "kernel,gpu,time_s,flops_fp32,bytes_dram\na,A100 SXM4 80GB,0.36,1e9,3e11\nb,A100 SXM4 80GB,0.72,1e9,6e11\n"


def test_the_cost_is_the_time_at_the_rate() -> None:
    result = forecast(table(["a", "b", "c"]))
    source, (there,) = price_forecast(result, {SOURCE.name: 1.8, TARGET.name: 3.6})
    assert source
    assert there
    assert source.usd == pytest.approx(result.kernels.column("time_s").sum() * 0.0005)
    assert there.usd == pytest.approx(result.estimate.time_s.sum() * 0.001)
    assert there.low_usd <= there.usd <= there.high_usd
    assert price_forecast(result, {TARGET.name: 3.6})[0] is None
    assert price_forecast(result, {}) == (None, [None])


def test_a_cost_stands_in_the_table_and_on_the_card() -> None:
    result, rates = forecast(table(["a", "b"])), {TARGET.name: 3.6}
    cost = price_forecast(result, rates)[1]
    text = format_cost(cost[0], choose_runs(cost))
    assert text in " ".join(render_forecast_table(result, rates=rates).split())
    page = render_forecast_html(result, rates)
    assert text in page
    assert "--price" in page
    assert "USD" not in render_forecast_html(result)
    assert "USD" not in render_forecast_table(result)


def test_the_command_takes_rates_and_price_files(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(PROFILE)
    (tmp_path / "p.toml").write_text('[gpus."H100 SXM5 80GB"]\nrent_usd_per_hour = 3.6\n[gpus.B200]\nprice_usd = 4\n')
    found = []
    for price in ("H100 SXM5 80GB=$3.6/h", str(tmp_path / "p.toml")):
        done = CliRunner().invoke(
            cli, ["forecast", str(tmp_path / "t.csv"), "--to", "H100 SXM5 80GB,B200", "--price", price,
                  "--format", "json"]
        )  # fmt: skip
        assert done.exit_code == 0, done.output
        rows = json.loads(done.stdout)["forecasts"]
        assert [r["cost_usd"] is None for r in rows] == [False, True] * 2
        assert rows[0]["cost_usd"] == pytest.approx(rows[0]["time_s"] * 0.001)
        found.append(rows)
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no rate"), (",", "no rate"), ("3.6", "write GPU=USD"), ("=3", "write GPU=USD"),
        ("Source GPU=", "above 0"), ("Source GPU=x", "above 0"), ("Source GPU=-1", "above 0"),
        ("Source GPU=nan", "above 0"), ("Source GPU=inf", "above 0"), ("Source GPU=1,Source GPU=2", "twice"),
        ("B200=3", "neither source nor target"), ("\x1b[31m=3", "unknown|no GPU|not"), ("nowhere.toml", "cannot read"),
    ],
)  # fmt: skip
def test_wrong_rates_are_named(text: str, said: str) -> None:
    with pytest.raises(RoofcastError, match=said) as caught:
        read_rates(text, [SOURCE, TARGET])
    assert "\x1b" not in str(caught.value)
