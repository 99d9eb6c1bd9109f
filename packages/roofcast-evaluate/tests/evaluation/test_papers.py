"""The papers item by item: what stands in the document is what is computed."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from roofcast.__main__ import main
from roofcast.core.errors import DatasetError
from roofcast_evaluate.paper_items import PAPERS, Item, list_items
from roofcast_evaluate.papers import Compared, compare_papers, markdown_cells, render_document

DOCUMENT = Path(__file__).resolve().parents[4] / "docs" / "papers.md"


@pytest.mark.slow
def test_the_document_is_what_is_computed() -> None:
    """All rows where the files and the compiler are there, else those that need neither."""
    found = compare_papers()
    text = DOCUMENT.read_text(encoding="utf-8")
    complete = not any(c.missing for c in found)
    if complete:
        assert render_document(found).strip() == text.strip(), "print it anew: roofcast papers -o docs/papers.md"
    lines = text.splitlines()
    for c in found:
        if not c.missing:
            assert f"|{'|'.join(markdown_cells(c))}|" in lines, "print it anew: roofcast papers -o docs/papers.md"
    if importlib.util.find_spec("sklearn") and os.environ.get("ROOFCAST_DATA"):
        assert [c.missing for c in found if c.item.data and c.missing] == []


def test_what_needs_no_data_is_near_what_is_printed() -> None:
    found = {c.item.name: c for c in compare_papers(["van_lanker", "nugteren"])}
    assert found["Table 1: classes"].deviation == 0
    roofs = [c for name, c in found.items() if name.startswith("Table 1: ") and c.item.unit]
    assert len(roofs) == 4
    assert all(abs(c.deviation) < 0.16 for c in roofs)


def test_every_item_has_a_paper_and_a_place() -> None:
    items = list_items()
    assert {i.paper for i in items} == set(PAPERS)
    assert all(i.command and i.name for i in items)
    assert len({(i.paper, i.name) for i in items}) == len(items)


def test_the_deviation_is_the_farthest_of_the_row() -> None:
    item = Item("yang", "x", "y", (2.0, 4.0), lambda: (2.0, 3.0))
    assert Compared(item, (2.2, 3.0)).deviation == pytest.approx(-0.25)
    assert Compared(item, ()).deviation != Compared(item, ()).deviation


def test_steps_are_forecast_well_where_the_same_programs_ran() -> None:
    """From H100 to H200, the same code: blocking makes both slower, the launch bounds both faster."""
    found = {c.item.name: c for c in compare_papers(["yang"])}["each step on H200, forecast from H100"]
    assert isinstance(found.item.printed, tuple)
    assert all(abs(o - p) < 13 for o, p in zip(found.found, found.item.printed, strict=True))
    assert [o > 5 for o in found.found] == [p > 5 for p in found.item.printed]


def test_an_unknown_paper_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DatasetError, match="use one of van_lanker"):
        compare_papers(["nobody"])
    assert main(["papers", "nobody"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_files_that_are_absent_are_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROOFCAST_DATA", str(tmp_path))
    missing = {c.missing for c in compare_papers(["srivastava"]) if c.item.data}
    assert all("micro16" in m for m in missing)
