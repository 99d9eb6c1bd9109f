"""A question that is answered in parts has the same rows as the whole answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from roofcast.core.kernel_table import concatenate
from roofcast.reports.ask import ask_forecast
from roofcast.reports.data import write_parquet
from sweep_builders import a_table

TARGETS = ["H100 SXM5 80GB", "RTX 3080", "MI300X"]


@pytest.mark.slow
@pytest.mark.parametrize("cells", [1, 10, 1000])
def test_a_file_written_in_parts_is_the_whole(tmp_path: Path, cells: int) -> None:
    table = concatenate([a_table(evidence, 5, 3) for evidence in ("stalls", "counters", "analytic", "time")])
    question = ask_forecast(table, TARGETS)
    parts = list(question.parts(cells))
    assert len(parts) == -(-len(table) // max(1, cells // len(TARGETS)))
    write_parquet(parts, tmp_path / "parts.parquet")
    answer = question.answer()
    whole = answer.to_polars()
    for name in ("assumed", "notes"):
        assert whole[name].to_list() == [row[name] for row in answer.records()]
        # Texts are kept once, rows hold their numbers.
        assert whole.schema[name] == pl.List(pl.Categorical)
    assert pl.read_parquet(tmp_path / "parts.parquet").equals(whole)
    assert np.isfinite(whole["time_s"].to_numpy()).any()
