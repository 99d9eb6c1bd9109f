"""What host code says of a launch, however it comes by its sizes; and what one nest of C writes, as one class."""

from __future__ import annotations

import pytest

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

from roofcast_hull.source.classify import classify_text
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.whole_cuda import find_launches, read_call

HOSTS = {
    "rounded up": "int n = argc > 1 ? atoi(argv[1]) : 1000; n = (n + 255) / 256 * 256; k<<<n / 256, 256>>>(a, n);",
    "options": "int n = 1024; int c; while ((c = getopt(argc, argv, s)) != -1) { switch (c)"
    " { case 110: n = atoi(optarg); } } k<<<n / 256, 256>>>(a, n);",
    "no arguments": "int n; if (argc < 2) { n = 1024; } else { n = atoi(argv[1]); } k<<<n / 256, 256>>>(a, n);",
    "a case": "int b = 256; int n = 1024; switch (b) { case 128: k<<<8, 128>>>(a, 7); break;"
    " case 256: k<<<4, 256>>>(a, n); break; }",
    "an array": "int sizes[3] = {512, 1024, 2048}; for (int s = 0; s < 3; s++) { int n = sizes[s];"
    " k<<<blocks(n), 256>>>(a, n); }",
    "an address": "int n; size(&n); void *f = &k; f<<<blocks(n), 256>>>(a, n);",
}  # fmt: skip


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_says_its_launch(host: str) -> None:
    blocks = "int blocks(int n) { int b = n / 256; if (b > 64) return 64; return b; }"
    functions = f"{blocks} void size(int *n) {{ *n = 1024; }}"
    text = f"void k(float *a, int n) {{ }} {functions} int main(int argc, char **argv) {{ float *a; {HOSTS[host]} }}"
    launch = find_launches(text, {"k": False}, {})["k"][0][0]
    assert (launch.grid, launch.block, launch.arguments[1]) == ((4, 1, 1), (256, 1, 1), 1024)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # The second statement takes what the first one has written for the same element.
        (
            "for (int i = 0; i < 512; i++) { y[i] = u[i] / v[i]; w[i] = x[i] / (exp(y[i]) - 1.0); }",
            "512|element ∧ 512|element ∧ 512|element → 512|element ∧ 512|element",
        ),
        # Rows are the units of both loops inside.
        (
            "for (int i = 0; i < 512; i++) { double s = 0; for (int j = 0; j < 64; j++) s += u[64 * i + j];"
            " y[i] = s / 64; for (int j = 0; j < 64; j++) w[64 * i + j] = u[64 * i + j] - y[i]; }",
            "512x64|tile(1x64) → 512|element ∧ 512x64|tile(1x64)",
        ),
    ],
)
def test_what_a_nest_writes_is_one_class(body: str, expected: str) -> None:
    head = "void f(double *y, double *w, const double *u, const double *v, const double *x)"
    assert [str(f.found) for f in classify_text(f"{head} {{ {body} }}", function="f")] == [expected]


@pytest.mark.parametrize(
    "host",
    [
        "int main() { Runner r(k); r.go(); }",
        "void start(float *a, int n) { k<<<(n + 255) / 256, 256>>>(a, n); }",
        "int main(int argc, char **argv) { int n = read(argv[1]); float *a; k<<<n / 256, 256>>>(a, n); }",
    ],
)
def test_what_launches_in_other_ways_is_asked_for_sizes(host: str) -> None:
    body = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 2.0f * a[i];"
    with pytest.raises(SourceError, match="give --size n=N"):
        classify_text(f"__global__ void k(float *a, int n) {{ {body} }} {host}", function="k")


ARRAYS = {
    "elements as long as what leads to them": "float *a = malloc(700 * sizeof *a);",
    "elements in parentheses": "float *a = malloc(sizeof(*a) * 700);",
    "elements that are counted": "float *a = calloc(700, sizeof *a);",
    "a type with lengths": "float *a = malloc(sizeof(float[35][2 * 10]));",
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays_are_as_long_as_they_are_allocated(kind: str) -> None:
    code = f"void f(const float *a, int n) {{ }} int main(void) {{ {ARRAYS[kind]} f(a, 4); }}"
    assert read_call(code, "f", {}).allocated == {"a": 700}


def test_arrays_of_structures_are_as_long_as_they_are_allocated() -> None:
    code = (
        "typedef struct { double x[3]; short k; } P; struct Q { P p; char *name; }; void f(P *p, struct Q *q) { } "
        "int main(void) { P *p = malloc(500 * sizeof(P)); struct Q *q = calloc(60, sizeof(struct Q)); f(p, q); }"
    )
    assert read_call(code, "f", {}).allocated == {"p": 500, "q": 60}


def test_addresses_of_rows_lead_to_as_many_numbers_as_are_allocated() -> None:
    code = "void f(const double (*u)[2]) { } int main(void) { double (*u)[2] = malloc(700 * sizeof *u); f(u); }"
    assert read_call(code, "f", {}).allocated == {"u": 1400}
