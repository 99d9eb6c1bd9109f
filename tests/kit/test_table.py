"""A table says the same in every form, fits its width, and gives machines numbers."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import polars as pl
import pytest

from roofcast.kit.quantities import format_seconds, in_percent
from roofcast.kit.table import Column, Table, cells

ROWS = [("gemm <b>", 1.25e-3, 0.5, ["a", "b"]), ("=SUM(A1)", math.nan, None, [])]
TABLE = Table(
    [
        Column("kernel", lambda r: r[0], key="kernel"),
        Column("time", lambda r: r[1], format_seconds, "time_s"),
        Column("share", lambda r: r[2], in_percent(0), "share_fraction"),
        Column("", lambda r: r[3], key="notes"),
        Column("never", lambda _: None, format_seconds, optional=True),
    ],
    ROWS,
)


def test_people_see_headings_and_units() -> None:
    header, rule, *rows = TABLE.lines(80)
    assert header.split() == ["kernel", "time", "share"]
    assert set(rule) == {"─"}
    assert rows == ["gemm <b>  1.25 ms   50 %", "=SUM(A1)        –      –"]


def test_machines_get_numbers_under_their_keys(tmp_path: Path) -> None:
    wanted = [
        {"kernel": "gemm <b>", "time_s": 1.25e-3, "share_fraction": 0.5, "notes": ["a", "b"]},
        {"kernel": "=SUM(A1)", "time_s": None, "share_fraction": None, "notes": []},
    ]
    assert list(TABLE.records()) == wanted
    TABLE.write_parquet(tmp_path / "t.parquet")
    assert pl.read_parquet(tmp_path / "t.parquet").to_dicts() == wanted
    read = list(csv.DictReader(io.StringIO(TABLE.csv())))
    assert [r["kernel"] for r in read] == ["gemm <b>", "'=SUM(A1)"]
    assert [r["time_s"] for r in read] == ["0.00125", ""]
    assert [r["notes"] for r in read] == ["a; b", ""]


def test_html_escapes_texts_and_sorts_by_values() -> None:
    page = TABLE.html("t1", kind="sortable")
    assert "<td>gemm &lt;b&gt;</td>" in page
    assert '<td class="num" data-v="0.00125">1.25 ms</td>' in page
    assert '<td class="num" data-v="">–</td>' in page
    assert "never" not in page


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_a_folded_column_goes_on_below_and_fits(width: int) -> None:
    text = "a long source of a value that nobody wants to lose the middle of"
    table = Table([Column("what", lambda r: r), Column("source", lambda _: text, fold=True)], ["x", "y"])
    lines = table.lines(width)
    assert max(map(cells, lines)) <= width
    assert " ".join(" ".join(line.split()).removeprefix("x ") for line in lines[2:]).startswith(text)
