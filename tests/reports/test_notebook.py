"""What forecasts, tables and rooflines show in a notebook, and the example notebook itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import roofcast
from report_builders import HOSTILE, SOURCE, TARGET, forecast, table
from roofcast.core.errors import RoofcastError
from roofcast.kit.returned import MAX_ROWS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", [n for n in HOSTILE if "\ud800" not in n])
def test_names_are_only_ever_text(name: str) -> None:
    plain, hostile = forecast(table(["x"])), forecast(table([name]))
    assert hostile._repr_html_().count("<") == plain._repr_html_().count("<")
    assert table([name])._repr_html_().count("<") == table(["x"])._repr_html_().count("<")


def test_long_tables_show_the_kernels_with_most_time() -> None:
    kernels = table([f"kernel_{i:03}" for i in range(100)])
    shown = forecast(kernels)._repr_html_()
    longest = int(kernels.column("time_s").argmax())
    assert f"kernel_{longest:03}" in shown
    assert shown.count("<tr>") == MAX_ROWS + 4, "two rows of heads, the rest and the total"
    assert "… 60 more" in shown
    shown = kernels._repr_html_()
    assert "60 not shown" in shown
    assert shown.count("<tr>") == 41
    assert '<th scope="col">kernel</th>' in shown


def test_text_is_the_table_of_the_command() -> None:
    made = forecast(table(["axpy"]))
    assert "axpy" in str(made)
    assert str(table(["axpy"])).startswith("KernelTable: 1 row,")


@pytest.mark.slow
def test_a_roofline_shows_a_picture_and_text() -> None:
    shown = forecast(table(["a", "b"])).roofline()
    assert shown._repr_png_().startswith(b"\x89PNG")
    assert "FLOP/B" in repr(shown)


@pytest.mark.slow
def test_the_forecast_writes_its_report(tmp_path: Path) -> None:
    made = forecast(table(["axpy"]), [TARGET, SOURCE])
    made.report(str(tmp_path / "out.html"))
    assert "axpy" in (tmp_path / "out.html").read_text(encoding="utf-8")
    made.roofline().save(str(tmp_path / "out.svg"))
    assert (tmp_path / "out.svg").stat().st_size > 1000


def test_kernels_draw_their_roofline_with_targets(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("kernel,gpu,time_s,flops_fp32,bytes_dram\naxpy,V100,1e-3,1e9,6e8\n")
    view = roofcast.roofline(roofcast.read(path), to=["A100"]).found
    assert [p.role for p in view.panels] == ["source", "target"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["forecast", "language-model"])
def test_an_example_notebook_runs(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    pytest.importorskip("ipykernel")
    nbclient = pytest.importorskip("nbclient")
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import example_notebook

    assert set(example_notebook.NOTEBOOKS) == {"forecast", "language-model"}
    path, cells = example_notebook.NOTEBOOKS[name]
    notebook = example_notebook.made(cells)
    folder = {"metadata": {"path": str(path.parent)}}
    client = nbclient.NotebookClient(notebook, timeout=120, resources=folder)
    client.execute()
    kinds = [[o.output_type for o in c.get("outputs", [])] for c in notebook.cells if c.cell_type == "code"]
    assert all("execute_result" in k or "display_data" in k for k in kinds), kinds
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert ["".join(c["source"]) for c in stored["cells"]] == [text for _, text in cells]


def test_a_waterfall_shows_itself_in_words_and_as_a_table() -> None:
    result = forecast(table(["a", "<b>"]), [TARGET, TARGET])
    chain = result.explain()
    assert repr(chain) == "<Waterfall of 2 kernels on 2 targets>"
    assert f"a on {TARGET.name}" in str(chain)
    assert str(chain).count("forecast") == 4
    page = chain._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    frame = result.explain(1).to_polars()
    assert set(frame["kernel"]) == {"<b>"}
    seconds = dict(zip(frame["cause"], frame["seconds"], strict=False))
    first = result.kernels.column("time_s")[1]
    assert sum(seconds.values()) == pytest.approx(result.estimate.time_s[1, 0] - first)
    with pytest.raises(IndexError, match="no kernel 7: the forecast has 2"):
        result.explain(7)


def test_forecasts_are_data_frames_and_processors_are_one_line() -> None:
    result = forecast(table(["a"]))
    assert result.to_pandas().equals(result.to_polars().to_pandas())
    assert repr(SOURCE).startswith("<Processor 'Source GPU': ")
    assert len(repr(SOURCE)) < 160


def test_what_is_no_kernel_table_is_refused_in_words() -> None:
    with pytest.raises(RoofcastError, match=r"run.ncu-rep: cannot be read: No such file"):
        roofcast.forecast("run.ncu-rep", to="B200")
    with pytest.raises(RoofcastError, match="two durations"):
        roofcast.forecast(table(["a"]), to="B200", launch_floor=4e-6)  # type: ignore[arg-type]  # what a user may try
