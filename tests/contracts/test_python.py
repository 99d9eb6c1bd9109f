"""Contract 5: Python returns what the command line prints, from whatever holds a profile, as one kind of answer."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import roofcast
from contracts.doors import RefusedError, named, run
from roofcast.core.kernel_table import KernelTable
from roofcast.kit.returned import Answer

NAMES = ["__version__", "advise", "app", "choose", "compare", "forecast", "gpu", "gpus", "hull", "llm", "read",
         "roofline", "scale", "sweep", "torch"]  # fmt: skip
QUICK = ("healthy", "saxpy", "a40..schnett-IndexSpaces-jl", "mi200..vcopy-MI200-pmc", "gtx-1660-ti", "data/hecbench")
AMONG = "H100 SXM5 80GB,L40S,Instinct MI300X"
SPACE: dict[str, Any] = {"base": "H100 SXM5 80GB", "axes": {"dram": ["2TB/s", "4TB/s"], "sm": [100, 132]}}
QUESTIONS: dict[str, tuple[Callable[..., Any], tuple[str, ...], dict[str, Any]]] = {
    "forecast": (
        lambda p, **k: roofcast.forecast(p, "B200,L40S", **k),
        ("--to", "B200,L40S", "--clock", "1.2 GHz"),
        {"clock": "1.2 GHz"},
    ),
    "app": (
        lambda p, **k: roofcast.app(p, ["B200"], **k),
        ("--to", "B200", "--host-speed", "1.5x"),
        {"host_speed": "1.5x"},
    ),
    "advise": (roofcast.advise, ("--on", "H100 SXM5 80GB"), {"on": "H100 SXM5 80GB"}),
    "choose": (roofcast.choose, ("--among", AMONG), {"among": AMONG}),
}


def thinned(paths: list[Any], every: int = 25) -> list[Any]:
    """The quick ones, and some of the others: the commands call what Python calls, so that a few of each kind do."""
    slow = [p for p in paths if p.marks]
    return [p for p in paths if not p.marks] + slow[::every]


def printed(command: str, path: Path, *options: str) -> Any:
    """What the command prints as JSON; skips where it refuses, in one line."""
    try:
        return json.loads(run(command, path, *options, "--format", "json"))
    except RefusedError as error:
        pytest.skip(str(error)[:120])


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("path", thinned(named("", QUICK)))
def test_python_returns_what_the_command_prints(path: Path, question: str) -> None:
    ask, options, said = QUESTIONS[question]
    shown = printed(question, path, *options)
    answer = ask(str(path), **said)
    assert isinstance(answer, Answer)
    assert json.loads(answer.to_json()) == shown


@pytest.mark.parametrize("path", named("ncu_csv|nvprof", ("saxpy", "gtx-1660-ti")))
def test_comparing_and_drawing_from_python_is_the_command(path: Path, tmp_path: Path) -> None:
    shown = json.loads(run("compare", path, path, "--format", "json"))
    assert json.loads(roofcast.compare(path, path).to_json()) == shown
    run("roofline", path, "-o", tmp_path / "r.json")
    assert json.loads(roofcast.roofline(path).to_json()) == json.loads((tmp_path / "r.json").read_text())


def test_the_catalog_and_hulls_from_python_are_the_commands() -> None:
    for arguments, answer in (
        (("gpus", "--search", "hopper"), roofcast.gpus(search="hopper")),
        (("gpus", "B200"), roofcast.gpus("B200")),
        (
            ("hull", "1024x1024|element -> 1024x1024|element", "--on", "H100,GTX 470", "--complexity", "6.5"),
            roofcast.hull("1024x1024|element -> 1024x1024|element", on=["H100", "GTX 470"], complexity=6.5),
        ),
    ):
        assert json.loads(answer.to_json()) == json.loads(run(*arguments, "--format", "json"))


TABLE = (
    "kernel,config,gpu,time_s,flops_fp32,bytes_dram,launches\n"
    "axpy,n=1,V100,1e-3,1e9,6e8,2\ngemm,n=2,V100,2e-3,2e10,,1\ndot,n=3,V100,5e-4,1e9,4e8,1\n"
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small table as a file."""
    found = tmp_path_factory.mktemp("python") / "frame"
    found.write_text(TABLE)
    return found


CLASS = "1024x1024|element -> 1024x1024|element"
ROWS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "forecast": (lambda p: roofcast.forecast(p, "B200,L40S"), "forecasts"),
    "advise": (roofcast.advise, "findings"),
    "compare": (lambda p: roofcast.compare(p, p), "kernels"),
    "choose": (lambda p: roofcast.choose(p, among=AMONG), "candidates"),
    "roofline": (roofcast.roofline, ""),
    "sweep": (lambda p: roofcast.sweep(p, SPACE), "fastest"),
    "gpus": (lambda _: roofcast.gpus(search="hopper"), "processors"),
    "one GPU": (lambda _: roofcast.gpus("B200"), "values"),
    "hull": (lambda _: roofcast.hull(CLASS, on="H100"), ""),
}
"""Answer -> how it is asked for, and where its rows stand in the JSON."""


@pytest.mark.parametrize("question", ROWS)
def test_rows_are_those_of_the_json_without_a_text_between(
    question: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, key = ROWS[question]
    answer = ask(path)
    content = json.loads(answer.to_json())
    monkeypatch.setattr(json, "loads", lambda *_: pytest.fail("rows are read back from a text"))
    rows = answer.rows()
    assert rows == (content[key] if key else content)
    assert {type(v) for row in rows for v in row.values()} <= {str, int, float, bool, type(None), list, dict}


def forms() -> dict[str, Callable[[], Any]]:
    """The table in every form."""
    frame = pl.read_csv(io.StringIO(TABLE))
    return {
        "polars": lambda: frame, "lazy": frame.lazy, "arrow": frame.to_arrow, "columns": frame.to_dict,
        "rows": frame.to_dicts, "bytes": TABLE.encode, "text file": lambda: io.StringIO(TABLE),
        "binary file": lambda: io.BytesIO(TABLE.encode()), "view": lambda: memoryview(TABLE.encode()),
        "pandas": lambda: pytest.importorskip("pandas").read_csv(io.StringIO(TABLE)),
    }  # fmt: skip


@pytest.mark.parametrize("form", forms())
def test_any_form_of_a_table_gives_the_same_forecast(form: str, path: Path) -> None:
    if form == "arrow":
        pytest.importorskip("pyarrow")
    asked = forms()[form]()
    wanted, found = (json.loads(roofcast.forecast(p, "B200").to_json()) for p in (path, asked))
    assert found == wanted
    assert isinstance(roofcast.read([path, forms()["rows"]()]), KernelTable)


def test_a_report_as_bytes_keeps_its_machine_code(fixtures_dir: Path) -> None:
    report = next(iter(sorted(fixtures_dir.glob("ncu_rep/*.ncu-rep"), key=lambda p: p.stat().st_size)))
    wanted = json.loads(roofcast.forecast(report, "B200").to_json())
    assert json.loads(roofcast.forecast(report.read_bytes(), "B200").to_json()) == wanted
    with report.open("rb") as opened:
        assert json.loads(roofcast.forecast(opened, "B200").to_json()) == wanted


class Hostile:
    """An object that raises when it is looked at."""

    def read(self, _: int) -> bytes:
        raise ZeroDivisionError("a\nb\x1b[31m")


HOSTILE: list[Any] = [
    Hostile(), 5, None, {}, [], [1, 2], b"", b"\x00\x01 garbage", {"kernel": ["a"], "time_s": [1.0, 2.0]},
    {"time_s": [1.0]}, {1: 2}, [{"kernel": "a", "x": object()}], object, "no such file", {"kernel": [{"x": 1}]},
    [["nested", "names"]],
]  # fmt: skip


@pytest.mark.parametrize("given", HOSTILE, ids=lambda g: repr(g)[:30])
def test_hostile_input_is_one_line(given: Any) -> None:
    with pytest.raises(roofcast.RoofcastError) as caught:
        roofcast.read(given)
    assert str(caught.value).isprintable()


MISTAKES: list[Callable[[Any], Any]] = [
    lambda p: roofcast.forecast(p, 5),  # type: ignore[arg-type]  # what a user may try, here and below
    lambda p: roofcast.forecast(p, []),
    lambda p: roofcast.roofline(p, source=7),  # type: ignore[arg-type]
    lambda p: roofcast.forecast(p, "B200", clock=None),  # type: ignore[arg-type]
    lambda p: roofcast.forecast(p, "B200", launch_floor=5),  # type: ignore[arg-type]
    lambda p: roofcast.forecast(p, "B200", kernel="("),
    lambda p: roofcast.choose(p, budget="many"),
    lambda p: roofcast.app(p, "B200"),
    lambda p: roofcast.compare(None, p),
    lambda p: roofcast.hull("bad", on="H100"),
    lambda _: roofcast.gpus("no such GPU"),
    lambda p: roofcast.sweep(p, "no such file.toml"),
    lambda p: roofcast.advise(p, 3),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("ask", MISTAKES, ids=range(len(MISTAKES)))
def test_what_a_caller_can_mend_is_one_line(ask: Callable[[Path], Any], path: Path) -> None:
    with pytest.raises(roofcast.RoofcastError) as caught:
        ask(path)
    assert str(caught.value).isprintable()


@pytest.mark.slow
def test_every_answer_shows_itself_in_every_way(path: Path, tmp_path: Path) -> None:
    answers = [
        roofcast.forecast(path, "B200"), roofcast.advise(path), roofcast.choose(path, among=AMONG),
        roofcast.compare(path, path), roofcast.roofline(path, "B200"),
        roofcast.sweep(path, SPACE), roofcast.gpus(search="hopper"), roofcast.gpus("B200"),
        roofcast.hull("1024x1024|element -> 1024x1024|element", on="H100"),
    ]  # fmt: skip
    for answer in answers:
        assert isinstance(answer, Answer)
        rows = list(answer)
        assert len(rows) == len(answer) == answer.to_polars().height == len(answer.to_pandas())
        assert str(answer)
        assert "<" in answer._repr_html_()
        answer.report(str(tmp_path / "a.html"))
        assert (tmp_path / "a.html").read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html")
        if rows:
            key = next(k for k in rows[0] if k.isidentifier() and k not in dir(dict))
            assert answer[0] == rows[0] == answer[:1][0]
            assert getattr(rows[0], key) == rows[0][key]
            assert str(answer.explain(0))
            answer.plot(str(tmp_path / "a.svg"))
            assert "<svg" in (tmp_path / "a.svg").read_text()
        json.loads(answer.to_json(str(tmp_path / "a.json")))
        assert (tmp_path / "a.json").read_text() == answer.to_json() + "\n"


def test_a_forecast_is_compared_as_its_file_is(path: Path, tmp_path: Path) -> None:
    made, file = roofcast.forecast(path, "V100,B200"), tmp_path / "forecast"
    made.to_json(str(file))
    shown, found = (json.loads(roofcast.compare(f, path, fail_above="5%").to_json()) for f in (file, made))
    assert found == shown
    assert "V100" in found["forecast_of"]
    with pytest.raises(roofcast.RoofcastError, match="give the forecast first"):
        roofcast.compare(path, made)


def test_a_run_shows_itself_too(fixtures_dir: Path, tmp_path: Path) -> None:
    trace = min(fixtures_dir.glob("kineto/*.json.gz"), key=lambda p: p.stat().st_size)
    answer = roofcast.app(trace, "B200")
    assert answer.total.time_s > 0
    assert answer[0].target_gpu == "B200"
    assert answer.to_polars().height == 1
    answer.plot(str(tmp_path / "a.svg"))
    assert json.loads(roofcast.app(trace.read_bytes(), "B200").to_json()) == json.loads(answer.to_json())


def test_changes_in_the_words_of_the_command_line(path: Path) -> None:
    gpu = roofcast.gpu("A100-SXM4-80GB")
    same = roofcast.gpu("A100-SXM4-80GB{dram=4.8TB/s,clock=1.4GHz}")
    for made in (gpu.replace(dram="4.8TB/s", clock="1.4 GHz"), roofcast.gpu("A100-SXM4-80GB", dram="4.8TB/s",
                                                                          clock=1.4e9)):  # fmt: skip
        assert made.replace(name="x") == same.replace(name="x")
    assert gpu.replace(bytes_per_s_dram="2 TB/s", name="x") == gpu.replace(bytes_per_s_dram=2e12, name="x")
    with pytest.raises(roofcast.RoofcastError, match="no such key"):
        gpu.replace(drum="4.8TB/s")
    with pytest.raises(roofcast.RoofcastError, match="GHz"):
        roofcast.forecast(path, "B200", clock=1.4)
    floors = (roofcast.forecast(path, "B200", launch_floor=f) for f in ("4us,6us", (4e-6, 6e-6)))
    assert len({f.to_json() for f in floors}) == 1


def test_the_names_are_these_and_import_costs_nothing() -> None:
    assert dir(roofcast) == NAMES
    for name in (*NAMES, "at_size", "forecast_application", "read_timelines", "select", "RoofcastError"):
        assert getattr(roofcast, name)
    heavy = "{'numpy', 'polars', 'matplotlib', 'plotly', 'duckdb', 'torch', 'pandas'}"
    line = f"import sys, roofcast; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True).stdout == "[]\n"
