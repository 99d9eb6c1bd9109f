"""The figures of the papers: each is drawn, or says why not; what they state is counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofcast.core.errors import DatasetError, RoofcastError
from roofcast_evaluate import paper_figures
from roofcast_evaluate.paper_figures import Projection, draw_projections, figure_sections, project_hopper
from roofcast_evaluate.paper_items import PAPERS


def test_projections_are_counted() -> None:
    found = [Projection("a", "g", 1.0, 2.0, 3.0, 2.5), Projection("b", "g", 1.0, 1.0, 1.0, 2.0)]
    text = paper_figures.state_projections(found)
    assert text == "2 projections, mean error 35.0 %, 1 measured times inside the interval"


def test_nothing_measured_is_said() -> None:
    with pytest.raises(RoofcastError, match="no kernel was measured on both"):
        draw_projections([])


@pytest.mark.parametrize("paper", ["yang", "nugteren"])
def test_figures_are_drawn_without_data(paper: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROOFCAST_DATA", str(tmp_path))
    sections = list(figure_sections(paper))
    assert len(sections) >= 2
    assert all("<svg" in s.picture for s in sections)


def test_without_data_a_figure_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROOFCAST_DATA", str(tmp_path))
    told = [s for s in figure_sections("van_lanker") if not s.picture]
    assert len(told) == 5
    assert all(s.paragraphs[0].startswith("Not drawn: ") for s in told)


def test_every_figure_is_of_a_paper() -> None:
    assert {f.paper for f in paper_figures.list_figures()} <= set(PAPERS)


def test_kernels_are_projected_onto_a_gpu_where_they_ran(data_dir: Path) -> None:
    try:
        found = project_hopper(filled=True)
    except DatasetError as error:
        pytest.skip(str(error))
    assert len(found) > 10
    assert all(p.low_s <= p.time_s <= p.high_s and p.measured_s > 0 for p in found)
    assert {p.target for p in found} == {"H200 SXM 141GB"}
