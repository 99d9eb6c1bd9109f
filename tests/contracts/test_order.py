"""Contract: what people read stands in the order of its total; what machines read stands in file order."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from contracts.doors import TARGETS, RefusedError, forecast, named, origin, run

QUICK = ("bert-small", "healthy", "MW-Baseline", "mi200..vcopy-MI200-pmc", "nvprof/gtx-750")


class KernelRows(HTMLParser):
    """Positions in the file of the kernels of a report, in the order in which they stand there."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[int] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "tr" and "data-k" in found:
            self.rows.append(int(found["data-k"] or 0))


# The order is made from columns, whatever they were read from: every kind of profile, and one trace.
PROFILES = [*named("(?!data|kineto).*", QUICK), *(p for p in named("kineto", QUICK) if not p.marks)]


@pytest.mark.slow
@pytest.mark.parametrize("path", PROFILES)
def test_people_read_by_total_and_machines_in_file_order(path: Path, tmp_path: Path) -> None:
    words = ("forecast", path, "--to", TARGETS[1], *origin(path))
    try:
        rows = json.loads(run(*words, "--format", "json"))["forecasts"]
    except RefusedError as error:
        pytest.skip(str(error))
    result = forecast(path, (TARGETS[1],), "hybrid")
    names = [str(n) for n in result.kernels.strings("kernel")]
    assert [r["kernel"] for r in rows] == names
    assert [r["kernel"] for r in csv.DictReader(io.StringIO(run(*words, "--format", "csv")))] == [
        f"'{n}" if n[0] in "=+-@\t\r" else n for n in names
    ]
    run(*words, "-o", tmp_path / "f.parquet")
    import polars as pl

    assert pl.read_parquet(tmp_path / "f.parquet")["kernel"].to_list() == names
    assert result.to_polars()["kernel"].to_list() == names
    totals = np.nan_to_num(result.source_total_s, nan=-1.0)
    order = np.argsort(-totals, kind="stable")
    run(*words, "--report", tmp_path / "f.html")
    parser = KernelRows()
    text = (tmp_path / "f.html").read_text(encoding="utf-8")
    parser.feed(text)
    data = re.search(r'<script id="data"[^>]*>(.*?)</script>', text, re.DOTALL)
    assert data is not None
    full = [k["full"] for k in json.loads(data[1])["kernels"]]
    stems = [names[i].replace(" ", "")[:3] for i in order]
    on_page = [full[k].replace(" ", "") for k in parser.rows]
    assert len(on_page) == len(names)
    assert all(a.startswith(b) or "::" in b for a, b in zip(on_page, stems, strict=True)), on_page
    shown = run(*words, "--full-names", "--top", len(names)).splitlines()
    begin = next(k for k, line in enumerate(shown) if set(line) == {"─"})
    listed = [line.split("  ")[0][:12] for line in shown[begin + 1 : begin + 1 + len(names)]]
    agree = sum(a.replace(" ", "").startswith(b) for a, b in zip(listed, stems, strict=False))
    assert agree >= 0.9 * len(stems)  # a name in full may be broken into lines
