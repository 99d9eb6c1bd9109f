"""`roofcast hull` as users meet it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from roofcast.__main__ import main

CLASS = "2048x2048|element -> 2048x2048|element"
EXAMPLES = Path(__file__).parents[4] / "examples"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["hull", *arguments]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["hull", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_json_has_the_promised_keys(capsys: pytest.CaptureFixture[str]) -> None:
    records = json.loads(run(capsys, CLASS, "--on", "GTX 470,H100{dram=4TB/s,l2=60MB},i7-930", "--format", "json"))
    assert [r["processor"] for r in records] == ["GeForce GTX 470", "H100{dram=4TB/s,l2=60MB}", "Core i7-930"]
    for r in records:
        [stage] = r["stages"]
        assert stage["low_s"] == r["kernels_low_s"] == r["total_low_s"]
        assert stage["high_s"] == r["kernels_high_s"] == r["total_high_s"]
        assert stage["limit"] in ("memory", "compute")
        assert r["transfers_s"] == 0


def test_a_product_has_two_operations_where_none_are_given(capsys: pytest.CaptureFixture[str]) -> None:
    product = "64x32|tile(1x32) & 32x16|tile(32x1) -> 64x16|element"
    for text, usual in ((product, 2.0), (CLASS, 1.0)):
        [r] = json.loads(run(capsys, text, "--on", "A100", "--format", "json"))
        assert r["stages"][0]["complexity"] == [usual, usual]


@pytest.mark.parametrize("on", [(), ("--on", "A100")])
def test_json_says_where_a_class_of_code_was_checked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, on: tuple[str, ...]
) -> None:
    pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
    pytest.importorskip("islpy", reason="the extra 'source' is not installed")
    (tmp_path / "one.c").write_text("void f(int n, float *x) { for (int i = 0; i < n; i++) x[i] += 1; }")
    (tmp_path / "two.py").write_text("import numpy as np\ndef g(x):\n    return np.sort(x)\ng(np.zeros(4096))\n")
    found = []
    for name in ("one.c:f", "two.py:g"):
        [r] = json.loads(run(capsys, "--from-source", f"{tmp_path / name}", *on, "--format", "json"))
        found.append(r["stages"][0] if on else r)
    assert found[0]["checked"]["agrees"]
    assert found[0]["checked"]["sizes"] == [{"n": 1024}]
    assert found[0]["why_not_checked"] is None
    assert found[1]["checked"] is None
    assert "a function of a library" in found[1]["why_not_checked"]


def test_a_range_of_complexities_spans_the_range(capsys: pytest.CaptureFixture[str]) -> None:
    [r] = json.loads(run(capsys, CLASS, "--on", "GTX 470", "--complexity", "1:1000", "--format", "json"))
    assert r["total_high_s"] == pytest.approx(2 * 2048 * 2048 * 1016 / 1088.64e9)
    assert r["total_low_s"] == pytest.approx(2 * 2048 * 2048 * 4 / 95e9)
    rows = list(
        csv.DictReader(io.StringIO(run(capsys, CLASS, "--on", "GTX 470", "--complexity", "1:1000", "--format", "csv")))
    )
    assert float(rows[0]["complexity"]) == 1
    assert float(rows[-1]["complexity"]) == 1000
    times = [float(row["low_s"]) for row in rows]
    assert times == sorted(times)


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf", "html", "csv", "json"])
def test_the_graph_in_every_format(capsys: pytest.CaptureFixture[str], tmp_path: Path, suffix: str) -> None:
    points = tmp_path / "points.csv"
    points.write_text("complexity,time_us,label,processor\n2,400,<b>mine</b>,GTX 470\n50,500,other,\n")
    out = tmp_path / f"hull.{suffix}"
    run(
        capsys, CLASS, "--on", "GTX 470,H100", "--complexity", "1:1000", "--transfers", "--form", "both", "--measured",
        str(points), "-o", str(out),
    )  # fmt: skip
    assert out.stat().st_size > 500
    if suffix == "html":
        text = out.read_text()
        assert "<b>mine</b>" not in text
        assert 'src="http' not in text


@pytest.mark.slow
def test_the_same_graph_gives_the_same_bytes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        run(capsys, str(EXAMPLES / "fast_focus_on_structures.toml"), "-o", str(tmp_path / name))
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_fit_finds_the_first_that_meets_a_budget(capsys: pytest.CaptureFixture[str]) -> None:
    on = ["--on", "GTS 250,GTX 470,H100"]
    assert run(capsys, CLASS, *on, "--fit", "400us").startswith("first to meet 400 us: GeForce GTX 470")
    assert run(capsys, CLASS, *on, "--fit", "1us").startswith("none meets")
    rows = json.loads(run(capsys, CLASS, "--fit", "1ms", "--format", "json"))
    dates = [r["launch_date"] or "9999" for r in rows]
    assert dates == sorted(dates)
    assert len(rows) > 100


@pytest.mark.slow
def test_from_source_and_forecast(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source = tmp_path / "k.py"
    source.write_text("def f(a, b):\n    for i in range(4096):\n        b[i] = 3 * a[i]\n")
    [row] = json.loads(run(capsys, "--from-source", f"{source}:f", "--format", "json"))
    assert (row["class"], row["complexity"], row["line"]) == ("4096|element → 4096|element", 1, 3)
    [forecast] = json.loads(run(capsys, "--from-source", str(source), "--on", "H100", "--format", "json"))
    assert forecast["stages"][0]["class"] == row["class"]
    assert "no function" in refused(capsys, "--from-source", f"{source}:g")
    source.write_text("for i in range(9):\n    b[i] = a[k[i]]\n")
    assert "k.py: line 2" in refused(capsys, "--from-source", str(source))


@pytest.mark.slow
def test_compare_says_how_far_kernels_are_from_the_class(capsys: pytest.CaptureFixture[str]) -> None:
    table = str(EXAMPLES / "convolution.csv")
    rows = json.loads(
        run(capsys, "4096x4096|neighbourhood(15x15) -> 4096x4096|element", "--complexity", "2", "--compare", table,
            "--on", "RTX 3090", "--format", "json")
    )  # fmt: skip
    assert len(rows) == 24
    for r in rows:
        assert r["times_hull"] == pytest.approx(r["measured_s"] / r["hull_low_s"])
        [on] = r["on"]
        assert on["from_profile_s"] > 0
        assert on["hull_low_s"] <= on["hull_high_s"]
    assert "times the hull" in run(capsys, CLASS, "--compare", table)


def test_the_list_of_classes(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "--classes")
    assert "x-projection" in out
    assert "alpha and beta" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "give a class"),
        ([CLASS], "--on"),
        (["4x4|eleent -> 1|shared", "--on", "H100"], "character 5 ('eleent"),
        ([CLASS, "--on", "H101"], "H100"),
        ([CLASS, "--on", "H100", "--complexity", "9:1"], "--complexity"),
        ([CLASS, "--on", "H100", "--complexity", "x"], "--complexity"),
        ([CLASS, "--on", "H100", "--assume", "fast"], "no-fma"),
        ([CLASS, "--on", "H100", "--element", "fp3"], "fp32"),
        ([CLASS, "--on", "GTS 250", "--element", "fp64"], "FP64"),
        ([CLASS, "--on", "H100", "--offset", "-1"], "offset"),
        ([CLASS, "--on", "H100", "--fit", "soon"], "number"),
        (["AxB|element -> 1|shared", "--on", "H100", "--size", "A"], "--size"),
        ([CLASS, "--on", "H100", "--measured", "nosuch.csv"], "No such file"),
        (["nosuch.toml"], "No such file"),
        (["--from-source", "nosuch.c"], "No such file"),
    ],
)
def test_what_the_user_can_fix_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], says: str) -> None:
    assert says in refused(capsys, *arguments)


@pytest.mark.parametrize(
    "content",
    ["", "a,b\n1,2\n", "complexity,time_s\n1,x\n", "complexity,time_s\n-1,2\n", "complexity,time_s\n1\n", "\x00"],
)
def test_bad_points_are_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str) -> None:
    file = tmp_path / "p.csv"
    file.write_text(content)
    said = refused(capsys, CLASS, "--on", "H100", "--measured", str(file), "-o", str(tmp_path / "x.svg"))
    assert "p.csv" in said, "the file at fault is named"
    assert [f.name for f in tmp_path.iterdir()] == ["p.csv"], "nothing is half written"


@pytest.mark.slow
def test_code_goes_from_the_command_line_to_a_forecast(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
    pytest.importorskip("islpy", reason="the extra 'source' is not installed")
    code = tmp_path / "sweep.c"
    code.write_text(
        "void f(int n, double a[n][n], double b[n][n]) {\n for (int t = 0; t < 7; t++) {\n"
        "  for (int i = 1; i < n - 1; i++) for (int j = 0; j < n; j++) b[i][j] = a[i-1][j] + a[i+1][j];\n"
        "  for (int i = 1; i < n - 1; i++) for (int j = 0; j < n; j++) a[i][j] = b[i][j] * 0.5;\n } }\n"
    )
    found = json.loads(run(capsys, "--from-source", str(code), "--size", "n=2048", "--format", "json"))
    assert [f["class"] for f in found] == [
        "2048x2048|neighbourhood(3x1) → 2046x2048|element",
        "2046x2048|element → 2046x2048|element",
    ]
    assert [f["repetitions"] for f in found] == [7, 7]
    assert {f["element"] for f in found} == {"fp64"}
    asked = ("--from-source", f"{code}:f", "--size", "n=2048", "--on", "GTX 470", "--format", "json")
    [record] = json.loads(run(capsys, *asked))
    # 7 sweeps that read and write 2046 x 2048 doubles at 95 GB/s, by the second class alone.
    assert record["stages"][1]["low_s"] == pytest.approx(7 * 2 * 2046 * 2048 * 8 / 95e9, rel=1e-3)
    [single] = json.loads(run(capsys, *asked, "--element", "fp32"))
    assert single["stages"][1]["low_s"] == pytest.approx(record["stages"][1]["low_s"] / 2, rel=1e-3)
    assert "line 2" in refused_source(tmp_path, capsys)


def refused_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    code = tmp_path / "sparse.c"
    code.write_text("void f(float *v, int *c, float *y) {\n for (int i = 0; i < 9; i++) y[i] = v[c[i]]; }\n")
    return refused(capsys, "--from-source", str(code))


def test_a_profile_without_a_gpu_is_compared_with_one_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "run.csv"
    table.write_text("kernel,time_s,bytes_dram,flops_fp32\nsaxpy,293e-6,178e6,33554432\n")
    text = "16777216|element & 16777216|element -> 16777216|element"
    assert "--from GPU" in refused(capsys, text, "--compare", str(table))
    [row] = json.loads(
        run(capsys, text, "--complexity", "2", "--compare", str(table), "--from", "RTX 5090", "--on", "H100",
            "--format", "json")
    )  # fmt: skip
    assert row["gpu"] == "GeForce RTX 5090"
    assert row["times_hull"] == pytest.approx(293e-6 / row["hull_low_s"])
    assert row["on"][0]["hull_low_s"] < row["on"][0]["from_profile_s"]


def test_public_measurements_lie_where_the_model_says(data_dir: Path, capsys: pytest.CaptureFixture[str],
                                                      monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    from roofcast_evaluate.datasets import load
    from roofcast_hull.public_data import PRIMITIVES, compare_public

    monkeypatch.setenv("ROOFCAST_DATA", str(data_dir))
    rows = compare_public(lambda dataset: load(dataset)[1], [p for p in PRIMITIVES if p.dataset == "micro16"])
    sums = [r for r in rows if r.kernel in ("vector_add", "saxpy")]
    assert len(sums) == 8
    assert all(0.9 < r.times_hull < 1.1 for r in sums)
    assert all(r.low_s <= r.high_s for r in rows)
    assert sum(r.inside * r.sizes for r in rows) / sum(r.sizes for r in rows) > 0.6


def test_the_page_has_the_graph_and_its_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "hull.html"
    run(capsys, CLASS, "--complexity", "1:1000", "--on", "GTX 470,GTS 250,i7-930", "-o", str(page))
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == 1
    assert "prefers-color-scheme: dark" in text
    assert "no fused multiply-add" in text
    assert "roofcast hull" in text


@pytest.mark.slow
def test_the_hull_is_a_lower_end_that_the_best_code_comes_near(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """95 % of public measurements lie on the hull or above it; of products and rows the best tenth is near it."""
    from teaching.hull_intervals import FILE, teach_factors

    from roofcast_evaluate.datasets import load
    from roofcast_hull.public_data import compare_public

    monkeypatch.setenv("ROOFCAST_DATA", str(data_dir))
    rows = compare_public(lambda dataset: load(dataset)[1])
    sizes = sum(r.sizes for r in rows)
    assert sum(r.below * r.sizes for r in rows) / sizes < 0.05
    good = [r for r in rows if r.group in ("matrix product", "rows", "element-wise")]
    assert len(good) > 60
    assert all(r.best <= 3 for r in good)
    shipped = json.loads(FILE.read_text(encoding="utf-8"))["factors"]
    taught = {group: list(factors) for group, factors in teach_factors(rows).items()}
    assert taught.keys() == shipped.keys()
    assert all(taught[g] == pytest.approx(shipped[g], rel=0.05) for g in shipped)


@pytest.mark.slow
def test_stages_stand_on_a_roofline_beside_their_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "fig1.svg"
    run(capsys, str(EXAMPLES / "fast_focus_on_structures.toml"), "--roofline", "-o", str(picture))
    text = picture.read_text(encoding="utf-8")
    assert text.startswith("<?xml")
    assert len(text) > 10_000


def test_a_stage_lies_on_the_memory_roof_where_its_hull_is_memory_bound() -> None:
    from roofcast.catalog import gpu
    from roofcast_hull.application import load_application, place
    from roofcast_hull.hull_roofline import place_primitives
    from roofcast_hull.published import dram_rate

    processor = gpu("GTX 470")
    application = load_application(str(EXAMPLES / "fast_focus_on_structures.toml"))
    stage = next(s for s in application.stages if "threshold" in s.name)
    [found] = place_primitives([place(application, stage, "", processor)], 4)
    assert found.fastest == pytest.approx(found.intensity * dram_rate(processor), rel=0.01)


def test_check_of_a_source_is_json_in_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = "for i in range(64):\n    b[i] = 2 * a[i] + 5\n"
    (tmp_path / "code.py").write_text(code)
    found = run(capsys, "--from-source", str(tmp_path / "code.py"), "--format", "csv")
    [row] = csv.DictReader(io.StringIO(found))
    assert json.loads(row["checked"])["agrees"] is True


SEVERAL = """
#define N 4096
float a[N], b[N];
float halve(float x) { return x / 2; }
void twice(void) { for (int i = 0; i < N; i++) a[i] = halve(b[i]) * 4; }
void both(void) { for (int k = 0; k < 2; k++) twice(); for (int i = 0; i < N; i++) b[i] = a[i] + 1; }
void wait(char *s) { int n = 0; while (s[n]) n++; s[0] = n; }
void jump(float *c, int n) { int i = 0; again: c[i] = 0; if (++i < n) goto again; }
"""


@pytest.mark.parametrize("form", ["table", "json", "csv"])
@pytest.mark.parametrize("on", [(), ("--on", "A100")])
def test_every_form_has_each_function_with_its_class_or_reason(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, form: str, on: tuple[str, ...]
) -> None:
    (tmp_path / "several.c").write_text(SEVERAL)
    text = run(capsys, "--from-source", str(tmp_path / "several.c"), *on, "--format", form)
    if form == "table":
        assert "no class for jump: " in text
        assert "no class for wait: " in text
        assert "twice is part of both: no time beside it" in text
    elif form == "csv" or not on:
        rows = json.loads(text) if form == "json" else list(csv.DictReader(io.StringIO(text)))
        why = {r["function"]: r["why_no_class"] for r in rows if r["function"]}
        assert {"jump", "wait", "both", "twice"} <= set(why)
        assert why["jump"]
        assert why["wait"]
        assert not why["both"]
        assert any(r["function"] == "both" and (r["checked"] or r["why_not_checked"]) for r in rows)
    else:
        [record] = json.loads(text)
        assert {s["function"] for s in record["stages"]} == {"both"}
        assert {r["function"] for r in record["no_class"]} == {"jump", "wait"}
        assert record["part_of"] == {"twice": "both"}
        assert all(s["line"] and s["operations"] and (s["checked"] or s["why_not_checked"]) for s in record["stages"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--complexity", "5"), "leave out --complexity"),
        (("--fit", "1ms"), "leave out --fit"),
        (("4|element -> 4|element",), "leave out the class"),
        (("--size", "zzz=5"), "the file has no 'zzz'"),
        (("--size", "n=-7"), "whole number"),
        (("--size", "n=banana"), "whole number"),
    ],
)
def test_what_code_does_not_take_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    (tmp_path / "a.c").write_text("void f(int n, float *x) { for (int i = 0; i < n; i++) x[i] += 1; }")
    assert says in refused(capsys, *arguments, "--from-source", str(tmp_path / "a.c"))


def test_sizes_of_code_may_have_exponents_and_its_stages_a_graph(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "a.c").write_text("void f(int n, float *x) { for (int i = 0; i < n; i++) x[i] += 1; }")
    graph = tmp_path / "a.svg"
    run(capsys, "--from-source", str(tmp_path / "a.c"), "--size", "n=1e6", "--on", "A100", "-o", str(graph))
    assert "1000000|element" in graph.read_text()


def test_kernels_say_what_stands_beside_them(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(
        "__global__ void f(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }\n"
        "template <class T> void never(T *p) { *p = 0; }\n"
        "int main() { float *x; int n = 1 << 20; cudaMalloc(&x, n * 4);\n"
        "for (int k = 0; k < 9; k++) f<<<n / 256, 256>>>(x, n);\n"
        "thrust::sort(x, x + n); }"
    )
    text = run(capsys, "--from-source", str(tmp_path / "a.cu"))
    assert "line 4: launched in a loop of the host code: one launch is counted" in text
    assert "no class for thrust::sort: line 5" in text
    assert "no class for never: line 2: a template that nothing in the file calls" in text


def test_a_kernel_of_python_has_a_line_of_its_own_beside_what_numba_compiles(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "both.py").write_text(
        "import numpy as np\nfrom numba import cuda, njit\n\n@cuda.jit\ndef scale(a, x):\n    i = cuda.grid(1)\n"
        "    if i < x.size:\n        x[i] = a * x[i]\n\n@njit\ndef twice(x, y):\n"
        "    for i in range(x.shape[0]):\n        y[i] = 2 * x[i]\n\ndef host(x):\n    scale[4, 256](2.0, x)\n\n"
        "x = cuda.to_device(np.ones(1024, np.float32))\nscale[4, 256](2.0, x)\ntwice(np.ones(1000), np.ones(1000))\n"
    )
    rows = json.loads(run(capsys, "--from-source", str(tmp_path / "both.py"), "--format", "json"))
    lines = {r["function"]: r["line"] for r in rows}
    assert 5 <= lines["scale"] <= 8
    assert 11 <= lines["twice"] <= 13
    assert lines["host"] is None
    assert "launches scale" in next(r["why_no_class"] for r in rows if r["function"] == "host")
