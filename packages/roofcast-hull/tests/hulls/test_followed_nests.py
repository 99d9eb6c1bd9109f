"""Nests of loops in C whose turns were followed: which are independent, which add up, and which wait for each other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roofcast_hull.source.nest import SourceError

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")
from pycparser import c_ast

from roofcast_hull.source.c_text import preprocess
from roofcast_hull.source.c_tree import parse
from roofcast_hull.source.classify import classify_or_count, classify_text, refuse_false_steps
from roofcast_hull.source.followed_nests import classify_nests, open_nests
from roofcast_hull.source.scratch_arrays import sink_scratch

CODES = {
    "a sum": (
        "double f(const double *a, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i] * a[i]; return s; }",
        "4096|element → 1|shared",
        8192,
    ),
    "a sum under conditions of which one ends the turn": (
        "float f(const float *a, const float *b, const float *c, int n) { float s = 0; for (int i = 0; i < n; i++) "
        "{ if (a[i] < 1 || b[i] > 3) continue; if (b[i] > 2) s += c[i]; } return s; }",
        "4096|element ∧ 4096|element ∧ 4096|element → 1|shared",
        4 * 4096,
    ),
    "a largest number": (
        "float f(const float *a, int n) { float m = a[0]; for (int i = 1; i < n; i++) if (a[i] > m) m = a[i]; "
        "return m; }",
        "4095|element → 1|shared",
        4095,
    ),
    "a function that looks up an array of the file": (
        "static float tint[300]; static int kind[4096]; static float look(int k) { return 2 * tint[k]; } "
        "void f(float *a) { for (int i = 0; i < 4096; i++) a[i] = look(kind[i]); }",
        "4096|element ∧ 300|gather → 4096|element",
        4096,
    ),
    "functions of neighbours in an array of the file": (
        "static double h[64][66]; static double east(int r, int c) { return h[r][c + 1]; } static double rise(int r, "
        "int c) { return east(r, c) - h[r][c - 1]; } static double g[64][64]; "
        "void f(void) { for (int r = 0; r < 64; r++) for (int c = 1; c < 65; c++) g[r][c - 1] = rise(r, c); }",
        "64x66|neighbourhood(3) → 64x64|element",
        4096,
    ),
    "a truth that turns over, behind a turn that goes on early": (
        "#include <stdbool.h>\nvoid f(const float *x, const float *c, bool *in, int n) { for (int i = 0; i < n; i++) { "
        "bool odd = false; for (int k = 0; k < 12; k++) { if (c[k] > x[i]) continue; if (c[k] * x[i] > 2.f) "
        "odd = !odd; } in[i] = odd; } }",
        "12|full ∧ 4096|element → 4096|element",
        3 * 12 * 4096,
    ),
    "a number that counts behind a turn that goes on early": (
        "int f(const double *d, int n) { int many = 0; for (int i = 0; i < n; i++) { if (d[i] <= 50.0) continue; "
        "many++; } return many; }",
        "4096|element → 1|shared",
        2 * 4096,
    ),
    "a remainder of a place by a mask": (
        "static float seen[64][64]; void f(const float *x, const float *y) { for (int i = 0; i < 4096; i++) "
        "seen[(int)y[i] & 63][(int)x[i] & 63] += 1.0f; }",
        "4096|element ∧ 4096|element → 4096|shared",
        4096,
    ),
    "a remainder of a place that has a name": (
        "static float t[4096]; void f(const int *k, float *o, int n) { for (int i = 0; i < n; i++) "
        "{ int at = k[i] % 4096; o[i] = t[at]; } }",
        "4096|element ∧ 4096|gather → 4096|element",
        0,
    ),
    "a key of bits of products": (
        "static unsigned h[64]; void f(const unsigned *a, int n) { for (int i = 0; i < n; i++) "
        "h[a[i] * 2654435761u >> 26]++; }",
        "4096|element → 64|shared",
        3 * 4096,
    ),
    "a view that the function makes": (
        "typedef struct { float *d; int rows, cols; } view; void f(float *g) { view v = { g, 32, .cols = 128 }; "
        "for (int r = 0; r < v.rows; r++) for (int c = 0; c < v.cols; c++) v.d[r * v.cols + c] *= 2.0f; }",
        "32x128|element → 32x128|element",
        4096,
    ),
    "a copy of a record that says which sum": (
        "typedef struct { double deep; unsigned char kind; } probe; static long n[3]; static probe p[4096]; "
        "void f(void) { for (int i = 0; i < 4096; i++) { probe q = p[i]; ++n[q.kind]; } }",
        "4096|element → 3|shared",
        4096,
    ),
    "an array called like its structure": (
        "struct beam { float a, b; }; static struct beam beam[4096]; void f(float *o) { "
        "for (int i = 0; i < 4096; i++) { const struct beam *s = &beam[i]; o[i] = s->a * s->b; } }",
        "4096|element → 4096|element",
        4096,
    ),
    "literals of <stdint.h>": (
        "#include <stdint.h>\nvoid f(uint64_t *w, int n) { for (int i = 0; i < n; i++) "
        "w[i] = (w[i] ^ UINT64_C(0x9E3779B97F4A7C15)) + INT8_C(3); }",
        "4096|element → 4096|element",
        2 * 4096,
    ),
    "pointers that walk": (
        "void f(const float *a, float *b, int n) { const float *end = a + n; while (a != end) *b++ = 2 * *a++; }",
        "4096|element → 4096|element",
        4096,
    ),
    "a pointer that walks beside the one that ends": (
        "void f(const float *a, const float *b, float *c, int n) { float *o = c; "
        "for (const float *p = a, *q = b, *end = a + n; p != end; p++, q++, ++o) *o = *p - *q; }",
        "4096|element ∧ 4096|element → 4096|element",
        4096,
    ),
    "a number that counts down": (
        "void f(float *a, int n) { while (n-- > 0) *a++ *= 3.0f; }",
        "4096|element → 4096|element",
        4096,
    ),
    "steps around one nest": (
        "void f(float *a, const float *b, int n) { for (int t = 0; t < 10; t++) for (int i = 0; i < n; i++) "
        "a[i] = a[i] * b[i]; }",
        "4096|element ∧ 4096|element → 4096|element",
        40960,
    ),
    "rows of another length": (
        "void f(const float *a, float *b, int n) { for (int y = 1; y < 63; y++) for (int x = 1; x < n - 1; x++) "
        "b[(y - 1) * (n - 2) + x - 1] = a[y * n + x - 1] + a[y * n + x + 1] + a[(y + 1) * n + x] "
        "+ a[(y - 1) * n + x]; }",
        "64x4096|neighbourhood(3x3) → 62x4094|element",
        3 * 62 * 4094,
    ),
    "what is set to 0 before it is added to": (
        "void f(const int *a, int *h, int n) { for (int k = 0; k < 64; k++) h[k] = 0; "
        "for (int i = 0; i < n; i++) h[a[i] & 63]++; }",
        "4096|element → 64|shared",
        4096,
    ),
    "a member that is only read": (
        "typedef struct { double x, y, vx, vy, mass, pad; } body; void f(body *p, int n, double dt) "
        "{ for (int i = 0; i < n; i++) { p[i].x += dt * p[i].vx; p[i].y += dt * p[i].vy; } }",
        "4096|element → 4096|element",
        4 * 4096,
    ),
    "a structure that a function returns": (
        "typedef struct { double x, y; } v2; v2 twice(v2 a) { return (v2){2 * a.x, 2 * a.y}; } void f(v2 *p, int n) "
        "{ for (int i = 0; i < n; i++) p[i] = twice(p[i]); }",
        "4096|element → 4096|element",
        2 * 4096,
    ),
    "arrays of a structure": (
        "enum { N = 4096 }; struct mesh { int n; double *u, *v; }; void f(struct mesh *m) "
        "{ for (int i = 0; i < m->n; i++) m->v[i] = m->u[i] / 3.0; } "
        "int main(void) { double u[N], v[N]; struct mesh m = { N, u, v }; f(&m); return 0; }",
        "4096|element → 4096|element",
        4096,
    ),
    "tiles of a loop": (
        "void f(const float *a, float *b, int n) { for (int ii = 0; ii < n; ii += 64) for (int jj = 0; jj < 32; "
        "jj += 16) for (int i = ii; i < ii + 64; i++) for (int j = jj; j < jj + 16; j++) b[i * 32 + j] = 2 * "
        "a[i * 32 + j]; }",
        "4096x32|element → 4096x32|element",
        4096 * 32,
    ),
    "a count under a condition": (
        "void f(const unsigned char *a, int *b, int n) { for (int i = 0; i < n; i++) { int k = 0; for (int j = "
        "0; j < 50; j++) if (a[i * 50 + j] > 9) ++k; b[i] = k; } }",
        "204800|tile(50) → 4096|element",
        2 * 4096 * 50,
    ),
    "an array in a structure, filled by a list without braces inside": (
        "typedef struct { double v[2]; } pair; pair turn(pair a, double m) { return (pair){a.v[1], m * a.v[0]}; } "
        "void f(pair *p, const double *m, int n) { for (int i = 0; i < n; i++) { pair s = p[i]; pair t = "
        "turn(s, m[i]); t.v[0] += s.v[0]; p[i] = t; } }",
        "4096|element ∧ 4096|element → 4096|element",
        2 * 4096,
    ),
    "a table of which each turn takes a number": (
        "static const double w[8] = {1, 2, 3, 4, 5, 6, 7, 8}; void f(const double *a, double *b, int n) "
        "{ for (int k = 0; k < 8; k++) for (int i = 0; i < n; i++) b[k * n + i] = w[k] * a[i]; }",
        "4096|element ∧ 8|element → 8x4096|element",
        8 * 4096,
    ),
    "lengths in structures that the file names": (
        "#define K 32\ntypedef struct { float d; signed char q[K / 2]; } block; void f(const float *x, block "
        "*b, int n) { for (int i = 0; i < n; i++) { b[i].d = x[i]; for (int k = 0; k < K / 2; k++) b[i].q[k] = "
        "x[i] * k; } }",
        "4096|element → 4096|element",
        16 * 4096,
    ),
    "a structure of one array that is read back": (
        "typedef struct { float f[5]; } cell; void f(cell *c, int n) { for (int i = 0; i < n; i++) { float *q = "
        "c[i].f; float s = q[0] + q[1] + q[2] + q[3] + q[4]; for (int k = 0; k < 5; k++) q[k] += 0.2f * s; } }",
        "20480|tile(5) → 20480|tile(5)",
        14 * 4096,
    ),
    "loops that write a row twice": (
        "void f(double *d, int n) { for (int l = 0; l < 64; l++) { double *x = d + l * 100; for (int i = 1; i < "
        "100; i++) x[i] -= x[i - 1]; for (int i = 98; i >= 0; i--) x[i] -= x[i + 1]; } } "
        "int main(void) { double *d = malloc(8 * 90000); f(d, 1); }",
        "6400|tile(100) → 6400|tile(100)",
        2 * 99 * 64,
    ),
    "a number that loops inside of a turn add to": (
        "double f(const double *x, const double *q, const double *u, int n) { double c = 0; for (int p = 0; p < n; "
        "p++) { for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) c += x[p * 3 + i] * q[i * 3 + j] "
        "* x[p * 3 + j]; for (int k = 0; k < 2; k++) c += 0.1 * u[p * 2 + k]; } return c; }",
        "9|full ∧ 8192|tile(2) ∧ 12288|tile(3) → 1|shared",
        (3 * 9 + 2 * 2) * 4096,
    ),
    "colours that data choose of those that a turn makes": (
        "void f(const unsigned *a, unsigned char *b, int n) { for (int i = 0; i < n; i++) { int p[3]; p[0] = a[i] & 255"
        "; p[1] = (a[i] >> 8) & 255; p[2] = (p[0] + p[1]) / 2; for (int k = 0; k < 4; k++) "
        "b[i * 4 + k] = p[(a[i] >> (16 + 2 * k)) % 3]; } }",
        "4096|element → 16384|tile(4)",
        5 * 4096,
    ),
    "a constant of literals": (
        "void f(const int *a, int *b, int n) { for (int i = 0; i < n; i++) "
        "b[i] = (int)(((long)a[i] * 77 + (1LL << 30)) >> 31); }",
        "4096|element → 4096|element",
        3 * 4096,
    ),
    "bits of words": (
        "void f(const unsigned long *a, const unsigned long *b, int *c, int n) { for (int i = 0; i < n; i++) "
        "c[i] = __builtin_popcountl(a[i] ^ b[i]); }",
        "4096|element ∧ 4096|element → 4096|element",
        2 * 4096,
    ),
    "continue": (
        "void f(const float *a, float *b, int n) { for (int i = 0; i < n; i++) { if (i % 4 == 3) continue; "
        "b[i] = a[i] + 1; } }",
        None,
        0,
    ),
}
REFUSED = {
    "what is filled behind a turn that goes on early": (
        "int f(const double *d, double *o, int n) { int at = 0; for (int i = 0; i < n; i++) { if (d[i] <= 0.5) "
        "continue; o[at++] = d[i]; } return at; }"
    ),
    "a recurrence": "void f(float *a, const float *b, int n) { for (int i = 1; i < n; i++) a[i] = a[i - 1] * b[i]; }",
    "a neighbour in place": "void f(float *a, int n) { for (int i = 0; i + 1 < n; i++) a[i] = a[i] + a[i + 1]; }",
    "an element far away in place": (
        "void f(float *a, int n) { for (int i = 0; i < 500 * n; i++) a[i] = 2 * a[i + 333 * n]; }"
    ),
    "a first element that changes": "void f(float *a, int n) { for (int i = 0; i < n; i++) a[i] = a[i] / a[0]; }",
    "a number that goes from turn to turn": (
        "void f(const float *a, float *b, int n) { float s = 0; for (int i = 0; i < n; i++) { s = 0.9f * s + a[i]; "
        "b[i] = s; } }"
    ),
    "a loop that data end": (
        "void f(const float *a, float *b, int n) { for (int i = 0; i < n; i++) { float x = a[i]; int k = 0; "
        "do { x = x * x - 1; k++; } while (x < 4); b[i] = k; } }"
    ),
    "bins of which nothing says how many": (
        "void f(const int *a, int *h, int n) { for (int i = 0; i < n; i++) h[a[i]] += 1; }"
    ),
}


@pytest.mark.parametrize("kind", [k for k, (_, c, _) in CODES.items() if c])
def test_classes_of_nests(kind: str) -> None:
    code, wanted, operations = CODES[kind]
    [followed] = classify_nests(code, {"n": 4096}, "f")
    assert str(followed.found) == wanted
    assert followed.operations == pytest.approx(operations, rel=0.01)
    assert followed.checked.startswith("checked at 1 size")


TURNS = {
    "sums of products of a turn's own sums": (
        "static double x[2000][8][3], e[2000][8], m[3][3]; void f(int n) { for (int i = 0; i < 2000; i++) { "
        "double s[3]; for (int k = 0; k < 3; k++) { s[k] = 0; for (int t = 0; t < 8; t++) "
        "s[k] += x[i][t][k] * e[i][t]; } for (int k = 0; k < 3; k++) "
        "for (int l = 0; l < 3; l++) m[k][l] += s[k] * s[l]; } }",
        "16000|tile(8) ∧ 48000|tile(24) → 9|shared",
        2000 * (48 + 18),
    ),
    "rows of a matrix times what each turn has": (
        "static double q[2000][40], c[40][40], g[40]; void f(const double *w, int n) { "
        "for (int i = 0; i < 2000; i++) { double s[40]; for (int k = 0; k < 40; k++) { s[k] = 0; "
        "for (int l = 0; l < 40; l++) s[k] += c[k][l] * q[i][l]; } "
        "for (int k = 0; k < 40; k++) g[k] += s[k] * w[i]; } }",
        "1600|full ∧ 80000|tile(40) ∧ 2000|element → 40|shared",
        2000 * 40 * 82,
    ),
    "a picture that is turned": (
        "static float a[512][512], b[512][512]; void f(float c, float s, int n) { for (int y = 0; y < 512; y++) "
        "for (int x = 0; x < 512; x++) { int u = (int)(c * (x - 256) + s * (y - 256)) + 256; "
        "int v = (int)(c * (y - 256) - s * (x - 256)) + 256; "
        "b[y][x] = u >= 0 && u < 512 && v >= 0 && v < 512 ? a[v][u] : 0; } }",
        "262144|gather → 512x512|element",
        6 * 512 * 512,
    ),
    "more look-ups than a table has entries": (
        "static unsigned char code[4096][40]; static float table[24], y[4096]; void f(int n) { "
        "for (int i = 0; i < 4096; i++) { float s = 0; for (int j = 0; j < 40; j++) s += table[code[i][j]]; "
        "y[i] = s; } }",
        "163840|tile(40) ∧ 24|gather(40) → 4096|element",
        40 * 4096,
    ),
    "look-ups in arrays inside of a structure": (
        "struct Card { float base, woe[12][16]; }; static struct Card card; static unsigned char bin[4096][12]; "
        "static float y[4096]; void f(int n) { for (int i = 0; i < 4096; i++) { float s = 0; "
        "for (int j = 0; j < 12; j++) s += card.woe[j][bin[i][j]]; y[i] = s; } }",
        "49152|tile(12) ∧ 192|gather(12) → 4096|element",
        12 * 4096,
    ),
}
VECTORS = {
    "rows that a vector made for them adds up": (
        "#include <vector>\nstruct Px { unsigned char a, b; };\n"
        "std::vector<long> f(const std::vector<Px> &v) { std::vector<long> s(600, 0); "
        "for (int y = 0; y < 600; ++y) for (int x = 0; x < 80; ++x) s[y] += v[y * 80 + x].a + v[y * 80 + x].b; "
        "return s; }\nint main() { std::vector<Px> v(48000); f(v); }",
        "48000|tile(80) → 600|element",
        2 * 48000,
    ),
    "the place of a largest element": (
        "#include <vector>\n#include <algorithm>\nstruct Plane { std::vector<float> v; const float *row(int y) const "
        "{ return v.data() + (size_t)y * 50; } };\nvoid f(const Plane &p, std::vector<int> &at) "
        "{ for (int y = 0; y < 900; ++y) at[y] = std::max_element(p.row(y), p.row(y) + 50) - p.row(y); }\n"
        "int main() { Plane p; p.v.resize(45000); std::vector<int> at(900); f(p, at); }",
        "45000|tile(50) → 900|element",
        45000,
    ),
    "a smallest and a largest element at once": (
        "#include <vector>\n#include <algorithm>\nfloat f(const std::vector<float> &v) { "
        "auto [low, high] = std::minmax_element(v.begin(), v.end()); return *high - *low; }\n"
        "int main() { std::vector<float> v(4096); f(v); }",
        "4096|element → 1|shared ∧ 1|shared",
        2 * 4096,
    ),
    "sums that data choose in a vector with a value": (
        "#include <vector>\nvoid f(const float *a, const unsigned char *b, int *h) { for (int i = 0; i < 5000; i++) "
        "h[b[i] * 10 + (int)(a[i] * 10)]++; }\nint main() { std::vector<float> a(5000); "
        "std::vector<unsigned char> b(5000); std::vector<int> h(2 * 10, 0); f(a.data(), b.data(), h.data()); }",
        "5000|element ∧ 5000|element → 20|shared",
        2 * 5000,
    ),
    "rows of a vector of vectors": (
        "#include <vector>\nvoid f(const std::vector<std::vector<float>> &a, std::vector<float> &s) { "
        "for (size_t i = 0; i < a.size(); ++i) { float m = 0; for (float v : a[i]) m += v * v; s[i] = m; } }\n"
        "int main() { std::vector<std::vector<float>> a(1000, std::vector<float>(64)); std::vector<float> s(1000); "
        "f(a, s); }",
        "64000|tile(64) → 1000|element",
        128_000,
    ),
    "a row for each of a few vectors": (
        "#include <vector>\n#include <array>\nvoid f(const std::array<std::vector<float>, 4> &a, "
        "std::vector<float> &s) { "
        "for (size_t i = 0; i < s.size(); ++i) s[i] = a[0][i] + a[1][i] + a[2][i] + a[3][i]; }\n"
        "int main() { std::array<std::vector<float>, 4> a; for (auto &v : a) v.resize(4096); "
        "std::vector<float> s(4096); f(a, s); }",
        "4x4096|tile(4x1) → 4096|element",
        3 * 4096,
    ),
    "a chain of a turn's own that a sum takes": (
        "#include <vector>\nfloat f(const std::vector<std::vector<float>> &a, int n) { float s = 0; "
        "for (int i = 0; i < 1000; ++i) { float v = 1; for (int k = 0; k < 64; ++k) v *= a[i][k]; s += v; } "
        "return s; }\n"
        "int main() { std::vector<std::vector<float>> a(1000, std::vector<float>(64)); return f(a, 1) > 0; }",
        "64000|tile(64) → 1|shared",
        65_000,
    ),
    "look-ups in what a vector holds": (
        "#include <vector>\nvoid f(const float *t, const float *x, float *y, int n) { for (int i = 0; i < n; ++i) "
        "{ int k = (int)x[i]; y[i] = t[k] + (x[i] - k) * (t[k + 1] - t[k]); } }\n"
        "int main() { std::vector<float> t(5000), x(4096), y(4096); f(t.data(), &x[0], y.data(), 4096); }",
        "5000|gather(2) ∧ 4096|element → 4096|element",
        4 * 4096,
    ),
}


@pytest.mark.parametrize("kind", TURNS)
def test_classes_of_nests_whose_turns_compute_several_numbers(kind: str) -> None:
    code, wanted, operations = TURNS[kind]
    [followed] = classify_nests(code, {"n": 4096}, "f")
    assert str(followed.found) == wanted
    assert followed.operations == pytest.approx(operations, rel=0.02)


def test_steps_of_a_loop_that_only_adds_up_are_refused() -> None:
    code = TURNS["sums of products of a turn's own sums"][0]
    [followed] = classify_nests(code, {"n": 4096}, "f")
    refuse_false_steps([followed], None, code, "c", {"n": 4096}, "f")
    with pytest.raises(SourceError, match="add up"):
        refuse_false_steps([replace(followed, repetitions=2000)], None, code, "c", {"n": 4096}, "f")


NAMED = {
    "a structure": "S &s = a[i]; float m = s.x + s.y; s.x = m; s.y = 2 * m;",
    "a structure that is read": "const S &s = a[i]; float m = s.x + s.y; a[i].x = m; a[i].y = 2 * m;",
    "an element behind a step": "S &s = a[i + 0]; S &t = s; float m = t.x + s.y; t.x = m; t.y = 2 * m;",
}


@pytest.mark.parametrize("kind", NAMED)
def test_another_name_of_an_element_is_that_element(kind: str) -> None:
    pytest.importorskip("clang", reason="the extra 'source' is not installed")
    code = (
        "#include <vector>\nstruct S { float x, y; }; void f(std::vector<S> &a, int n) { for (int i = 0; i < n; i++) { "
        f"{NAMED[kind]} }} }}\nint main() {{ std::vector<S> a(4096); f(a, 4096); }}"
    )
    [followed] = classify_nests(code, {}, "f")
    assert str(followed.found) == "4096|element → 4096|element"
    assert followed.operations == 2 * 4096


def test_another_name_of_an_element_whose_index_goes_on_stays_that_element() -> None:
    pytest.importorskip("clang", reason="the extra 'source' is not installed")
    code = (
        "#include <vector>\nvoid f(std::vector<float> &a, int n) { for (int i = 0; i < n; i++) { int k = i; "
        "float &v = a[k]; k++; v = 2 * v; } }\nint main() { std::vector<float> a(4096); f(a, 4095); }"
    )
    try:
        [followed] = classify_nests(code, {}, "f")
    except SourceError:
        return
    assert followed.found.elements_out == 4095


@pytest.mark.parametrize("kind", VECTORS)
def test_classes_of_nests_over_vectors(kind: str) -> None:
    pytest.importorskip("clang", reason="the extra 'source' is not installed")
    code, wanted, operations = VECTORS[kind]
    [followed] = classify_nests(code, {}, "f")
    assert str(followed.found) == wanted
    assert followed.operations == pytest.approx(operations, rel=0.02)


@pytest.mark.parametrize("kind", REFUSED)
def test_turns_that_wait_are_refused(kind: str) -> None:
    with pytest.raises(SourceError):
        classify_nests(REFUSED[kind], {"n": 4096}, "f")


def test_a_turn_that_ends_early_is_a_thread_that_does() -> None:
    [launch] = open_nests(CODES["continue"][0], {"n": 4096}, "f")
    assert "Return" in {type(n).__name__ for n in walk(launch.opened.function)}


def walk(node: object) -> list[object]:
    """A tree's nodes."""
    return [node, *(inner for _, child in node.children() for inner in walk(child))]  # type: ignore[attr-defined]


LAID_OUT = {
    "a pragma": ("#pragma pack(push, 1)\ntypedef struct { char kind; float v; } R;\n#pragma pack(pop)\n", 5),
    "a pragma of two bytes": ("#pragma pack(2)\ntypedef struct { char kind; double v; } R;\n#pragma pack()\n", 10),
    "a pragma that has ended": ("#pragma pack(1)\n#pragma pack()\ntypedef struct { char kind; float v; } R;", 8),
    "an attribute before": ("typedef struct __attribute__((packed)) { short kind; double v; } R;", 10),
    "an attribute behind": ("struct S { short kind; double v; } __attribute__((packed)); typedef struct S R;", 10),
    "no packing": ("typedef struct { short kind; double v; } R;", 16),
    "bits of one word": ("typedef struct { unsigned kind:4, code:12; unsigned rest:16; float v; } R;", 8),
    "a structure inside": ("typedef struct { char kind; struct { double d; char e; } in; float v; } R;", 32),
}


@pytest.mark.parametrize("kind", LAID_OUT)
def test_structures_are_as_large_as_they_are_laid_out(kind: str) -> None:
    text, size = LAID_OUT[kind]
    code = f"{text}\nvoid f(R *a, int n) {{ for (int i = 0; i < n; i++) {{ a[i].v *= 2; a[i].kind += 1; }} }}"
    (found_class,) = classify_nests(code, {"n": 4096}, "f")
    assert found_class.bytes_each == (size, size)
    assert found_class.operations == 2 * 4096


IN_PLACE = {
    "a lambda that takes its argument twice": ("auto g = [](float t) { return t * t; };", "y[i] = g(x[i] - 1.0f)", 2),
    "a lambda of several statements": (
        "auto g = [](float t) { float s = t * t; return s + t; };", "y[i] = g(x[i] + 1.0f) - g(x[i])", 6,
    ),
    "a lambda of what it captures": ("auto g = [&](float t) { return k * t * t; };", "y[i] = g(x[i] / k)", 3),
    "a method": ("Loss g{2.0f};", "y[i] = g(x[i] - y[i])", 5),
    "a method under a condition": ("Loss g{2.0f};", "y[i] = x[i] > 0 ? g(x[i]) : 0.0f", 5),
    "a value between two others": ("", "y[i] = std::clamp(x[i] * k, 0.0f, 1.0f)", 3),
    "several names of one statement": (
        "auto g = [](float t) { return t * t; };", "float a = x[i] + k, b = g(a + k); y[i] = b", 3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", IN_PLACE)
def test_arguments_of_what_is_written_in_place_are_computed_once(kind: str) -> None:
    pytest.importorskip("clang", reason="libclang is not installed")
    declared, statement, operations = IN_PLACE[kind]
    code = (
        "struct Loss { float d; float operator()(float r) const { return r * r / (d + r * r); } };\n"
        f"void f(const std::vector<float>& x, std::vector<float>& y, float k) {{ {declared}\n"
        f"for (int i = 0; i < 4096; ++i) {{ {statement}; }} }}\n"
        "int main() { std::vector<float> x(4096), y(4096); f(x, y, 2.0f); }\n"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert found_class.operations == operations * 4096


def test_memory_that_members_are_given_says_sizes() -> None:
    pytest.importorskip("clang", reason="libclang is not installed")
    code = (
        "struct Mat { std::size_t n; double* d; double operator()(std::size_t i) const { return d[i]; } };\n"
        "double f(const Mat& m) { double s = 0; for (std::size_t i = 0; i < m.n; ++i) s += m(i); return s; }\n"
        "int main() { Mat m{2000, new double[2000]}; return f(m) > 0; }\n"
    )
    assert str(classify_nests(code, {}, "f")[0].found) == "2000|element → 1|shared"


PARTS = {
    "references": ("for (auto& [a, b] : v) { float t = a; a = b * 2; b = t; }", "4096|element → 4096|element", 4096),
    "elements": (
        "for (std::size_t i = 0; i < v.size(); ++i) { auto& [a, b] = v[i]; a += b; }",
        "4096|element → 4096|element", 4096,
    ),
    "what nobody changes": (
        "for (const auto& [a, b] : v) s += a * b; return s;", "4096|element → 1|shared", 2 * 4096,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", PARTS)
def test_names_of_parts_are_these_parts(kind: str) -> None:
    pytest.importorskip("clang", reason="libclang is not installed")
    body, classes, operations = PARTS[kind]
    code = (
        "struct P { float x, y; };\n"
        f"{'float' if 'return' in body else 'void'} f(std::vector<P>& v) {{ float s = 0; {body} }}\n"
        "int main() { std::vector<P> v(4096); f(v); }\n"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found) == classes
    assert found_class.operations == operations


WALKED = {
    "an element": ("for (auto &v : x) v *= 2;", "512|element → 512|element", 512),
    "a constant": ("for (float &v : x) v = 1;", "void → 512|element", 0),
    "rows of rows": ("for (auto &row : a) for (auto &v : row) v += 1;", "512x256|element → 512x256|element", 512 * 256),
    "parts": ("for (auto &[u, v] : p) u += v;", "512|element → 512|element", 512),
    "members": ("for (P &q : p) q.u -= q.v;", "512|element → 512|element", 512),
    "rows nobody changes": (
        "int l = 0; for (const auto &row : a) { float s = 0; for (float v : row) s += v; x[l++] = s; }",
        "131072|tile(256) → 512|element", 512 * 256,
    ),
    "what counts from a constant": (
        "for (auto &n : x) n = 1; for (int l = 0; l < 512; ++l) for (float v : a[l]) x[l] += v;",
        "131072|tile(256) → 512|element", 512 * 256,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", WALKED)
def test_loops_over_plain_arrays_name_their_elements(kind: str) -> None:
    pytest.importorskip("clang", reason="libclang is not installed")
    body, classes, operations = WALKED[kind]
    code = (
        "struct P { float u, v; };\nstatic float x[512]; static float a[512][256]; static P p[512];\n"
        f"void f() {{ {body} }}\nint main() {{ f(); }}\n"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found) == classes
    assert found_class.operations == operations


TRIANGLES = {
    "above the diagonal": (
        "double f(const double *a) { double s = 0; for (int i = 0; i < 900; i++) for (int j = i + 1; j < 900; j++) "
        "s += a[i * 900 + j] * a[i * 900 + j]; return s; }", "404550|element → 1|shared", 2 * 404550,
    ),
    "with the diagonal, in one row": (
        "void f(const double *a, double *b) { for (int i = 0; i < 900; i++) for (int j = 0; j <= i; j++) "
        "b[i * (i + 1) / 2 + j] = 2 * a[i * 900 + j]; }", "405450|element → 405450|element", 405450,
    ),
    "every second element": (
        "double f(const double *a) { double s = 0; for (int i = 0; i < 1000; i += 2) for (int j = 0; j < i; j += 2) "
        "s += a[i * 1000 + j]; return s; }", "124750|element → 1|shared", 124750,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", TRIANGLES)
def test_turns_of_a_triangle_are_counted_exactly(kind: str) -> None:
    code, classes, operations = TRIANGLES[kind]
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found) == classes
    assert found_class.operations == pytest.approx(operations)


def test_macros_that_run_once_are_what_is_in_them() -> None:
    code = (
        "#define SWAP(a, b) do { float *t_ = (a); (a) = (b); (b) = t_; } while (0)\n"
        "void f(float *a, float *b) { for (int t = 0; t < 10; t++) { for (int i = 1; i < 4095; i++) "
        "b[i] = a[i - 1] + a[i + 1]; SWAP(a, b); } }"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found) == "4096|neighbourhood(3) → 4094|element"
    assert (found_class.repetitions, found_class.operations) == (10, 40940)


ROWS = {
    "a chain along a row, beside what it was before": (
        "void f(float *a, float *b) { for (int s = 0; s < 2000; s++) { float p = a[s * 20]; "
        "for (int j = 1; j < 20; j++) { int i = s * 20 + j; float o = a[i]; float v = o + (o - b[i]) * .9f + p; "
        "b[i] = o; a[i] = v; p = v; } } }",
        "40000|tile(20) ∧ 2000x19|tile(1x19) → 2000x19|tile(1x19) ∧ 2000x19|tile(1x19)", 4 * 19 * 2000,
    ),
    "a row less the mean of its end": (
        "void f(float *a) { for (int t = 0; t < 640; t++) { float *r = a + t * 128, m = 0; "
        "for (int i = 96; i < 128; i++) m += r[i]; m /= 32; for (int i = 0; i < 128; i++) r[i] -= m; } }",
        "81920|tile(128) → 81920|tile(128)", 640 * (32 + 1 + 128),
    ),
    "masks of rows and columns": (
        "void f(const unsigned char *a, short *b) { for (int t = 0; t < 5000; t++) { short r[4] = {0}, c[4] = {0}; "
        "for (int k = 0; k < 16; k++) { short bit = 1 << a[t * 16 + k]; r[k / 4] |= bit; c[k % 4] |= bit; } "
        "for (int k = 0; k < 16; k++) b[t * 16 + k] = r[k / 4] | c[k % 4]; } }",
        "80000|tile(16) → 80000|tile(16)", 4 * 16 * 5000,
    ),
    "masks of 64 bits": (
        "void f(const unsigned long *a, unsigned long *b) { const unsigned long m = 0xfefefefefefefefeUL; "
        "for (int i = 0; i < 4096; i++) b[i] = (a[i] << 9) & m; }",
        "4096|element → 4096|element", 2 * 4096,
    ),
    "parts of a number": (
        "void f(const float *a, float *b, int *e) { for (int i = 0; i < 4096; i++) { int k; "
        "b[i] = ldexpf(frexpf(a[i], &k), 3); e[i] = ilogbf(a[i]); } }",
        "4096|element → 4096|element ∧ 4096|element", 3 * 4096,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", ROWS)
def test_results_of_a_turn_that_share_its_work_are_one_unit(kind: str) -> None:
    code, classes, operations = ROWS[kind]
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found) == classes
    assert found_class.operations == operations


def test_functions_that_are_no_plain_c_change_nothing_of_others() -> None:
    code = (
        "float halve(float x) { return x > 1 ? x - 1 : 0; }\nvoid g(float *a) { a[] = 3 }\n"
        "void f(const float *a, float *b) { for (int i = 0; i < 4096; i++) b[i] = halve(a[i]); }"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert found_class.operations == 2 * 4096


SIDES = {
    "a set number, or what was there": (
        "if (b[i] < 2) a[i] = 0; else a[i] /= b[i];", "4096|element ∧ 4096|element → 4096|element", 2 * 4096,
    ),
    "a set number, and the turn's end": (
        "if (b[i] < 2) { a[i] = 1; continue; } a[i] -= b[i];",
        "4096|element ∧ 4096|element → 4096|element", 2 * 4096,
    ),
    "a set number before the condition": (
        "a[i] = 0; if (b[i] < 2) a[i] += b[i];", "4096|element → 4096|element", 2 * 4096,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", SIDES)
def test_sides_of_a_condition_find_what_was_there_before(kind: str) -> None:
    inside, classes, operations = SIDES[kind]
    (found_class,) = classify_nests(
        f"void f(float *a, const float *b) {{ for (int i = 0; i < 4096; i++) {{ {inside} }} }}", {}, "f"
    )
    assert str(found_class.found) == classes
    assert found_class.operations == operations


def test_terms_of_sums_take_neighbourhoods() -> None:
    code = (
        "long f(const char *a) { long e = 0; for (int r = 0; r < 299; r++) for (int c = 0; c < 399; c++) { "
        "e += a[r * 400 + c] != a[r * 400 + c + 1]; e += a[r * 400 + c] != a[(r + 1) * 400 + c]; } return e; }"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found) == "299x399|neighbourhood(2x2) → 1|shared"


STEPS = {
    "beside a counter": "for (int k = 0; k < 80; k++, s++) m += *s;",
    "beside a counter, from a start": "for (int k = 0, j = 79; k < 80; k++, j--) m += s[j]; s += 80;",
}


@pytest.mark.parametrize("kind", STEPS)
def test_what_goes_on_beside_a_counter_goes_on_with_it(kind: str) -> None:
    code = (
        "void f(const float *s, float *e) { float *stop = e + 600; "
        f"while (e < stop) {{ float m = 0; {STEPS[kind]} *e++ = m; }} }}"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert found_class.found.elements_in == 48000
    assert (found_class.found.elements_out, found_class.repetitions) == (600, 1)


def test_constant_tables_of_pairs_are_numbers() -> None:
    pytest.importorskip("clang", reason="the extra 'source' is not installed")
    code = (
        "#include <array>\n#include <utility>\nvoid f(const float *q, float *k) { "
        "static constexpr std::array<std::pair<int, int>, 4> at{{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}}; "
        "for (int r = 1; r < 99; ++r) for (int c = 1; c < 199; ++c) { float s = 0; "
        "for (const auto &[y, x] : at) s += q[(r + y) * 200 + c + x]; k[r * 200 + c] = s; } }"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found).endswith("x200|neighbourhood(3x3) → 98x198|element")


ORDERS = {
    "a running sum": (
        "void f(const float *a, float *b) { float s = 0; for (int i = 0; i < 4096; i++) { s += a[i]; b[i] = s; } }",
        "4096|full → 4096|scan", 4096,
    ),
    "what is left to a running maximum": (
        "void f(const float *a, float *b) { float m = a[0]; for (int i = 0; i < 4096; i++) { if (a[i] > m) m = a[i]; "
        "b[i] = m - a[i]; } }", "4096|full → 4096|scan", 2 * 4096,
    ),
    "products that add up, stored before": (
        "void f(const float *a, const float *b, float *c) { float s = 0; for (int i = 0; i < 4096; i++) { c[i] = s; "
        "s += a[i] * b[i]; } }", "4096|full ∧ 4096|full → 4096|scan", 2 * 4096,
    ),
    "elements that go on from those before": (
        "void f(const double *a, double *b) { b[0] = 0; for (int i = 0; i < 4096; i++) b[i + 1] = b[i] + a[i]; }",
        "4096|full → 4096|scan", 4096,
    ),
    "an array put in order": (
        "int less(const void *p, const void *q); void f(int *a) { qsort(a, 4096, sizeof *a, less); }",
        "4096|full → 4096|sort", 12 * 4096,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", ORDERS)
def test_running_sums_and_orders_of_whole_arrays(kind: str) -> None:
    code, classes, operations = ORDERS[kind]
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found) == classes
    assert found_class.operations == operations


WAITING = {
    "a filter": "s = .9f * s + a[i]; b[i] = s;",
    "a sum that begins again": "if (a[i] < 0) s = 0; s += a[i]; b[i] = s;",
    "a sum of its own products": "s += s * a[i]; b[i] = s;",
    "two sums": "s += a[i]; t += s; b[i] = t;",
}


@pytest.mark.parametrize("kind", WAITING)
def test_what_is_no_running_sum_waits(kind: str) -> None:
    loop = f"for (int i = 0; i < 4096; i++) {{ {WAITING[kind]} }}"
    code = f"void f(const float *a, float *b) {{ float s = 0, t = 0; {loop} }}"
    with pytest.raises(SourceError):
        classify_nests(code, {}, "f")


WORDS = {
    "a union": ("union { float f; unsigned u; } v = {a[i]}; b[i] = v.u >> 16;", 4096),
    "a union that is stored in": ("union { float f; unsigned u; } v; v.f = a[i]; v.u &= 255; b[i] = v.u;", 4096),
    "bytes that are copied": ("unsigned u; memcpy(&u, &a[i], sizeof u); b[i] = u ^ (u >> 16);", 2 * 4096),
}


@pytest.mark.parametrize("kind", WORDS)
def test_bits_of_words_are_these_words(kind: str) -> None:
    code, operations = WORDS[kind]
    (found_class,) = classify_nests(
        f"void f(const float *a, unsigned *b) {{ for (int i = 0; i < 4096; i++) {{ {code} }} }}", {}, "f"
    )
    assert str(found_class.found) == "4096|element → 4096|element"
    assert found_class.operations == operations


INDICES = {
    "an index": "int m = 0; for (int k = 1; k < 24; k++) if (a[t * 24 + k] > a[t * 24 + m]) m = k; b[t] = m;",
    "one of two indices": "const float *r = a + t * 24; int m = 0; for (int k = 1; k < 24; k++) "
    "m = r[k] < r[m] ? k : m; b[t] = m;",
    "the element at the index": "int m = 0; for (int k = 1; k < 24; k++) if (a[t * 24 + m] < a[t * 24 + k]) "
    "{ m = k; } b[t] = m; v[t] = a[t * 24 + m];",
}


@pytest.mark.parametrize("kind", INDICES)
def test_the_element_at_an_index_of_the_largest_is_the_largest(kind: str) -> None:
    code = f"void f(const float *a, int *b, float *v) {{ for (int t = 0; t < 600; t++) {{ {INDICES[kind]} }} }}"
    (found_class,) = classify_nests(code, {}, "f")
    assert found_class.found.elements_in == 600 * 24
    assert found_class.found.elements_out == 600 * (2 if "v[t]" in INDICES[kind] else 1)
    assert found_class.operations == 600 * 23


def test_of_branches_of_the_preprocessor_one_is_taken() -> None:
    branches = "#define A 1\n#if A\n#define K 2\n#elif 1\n#define K 3\n#else\n#define K 4\n#endif\n"
    assert preprocess(branches, {})[1]["K"] == 2


HANDED = {
    "each pixel": (
        "each(300, 400, [&](int y, int x) { float d = x - c; b[y * 400 + x] = a[y * 400 + x] * d; });",
        "300x400|element → 300x400|element", 2 * 120000,
    ),
    "each element": ("all(a.size(), [&](size_t k) { b[k] = 2 * a[k]; });", "120000|element → 120000|element", 120000),
    "two lambdas": (
        "auto at = [&](int y, int x) { return a[y * 400 + x]; }; each(298, 398, [&](int y, int x) { float s = 0; "
        "for (int j = 0; j < 3; ++j) for (int i = 0; i < 3; ++i) s += at(y + j, x + i); b[y * 400 + x] = s; });",
        "300x400|neighbourhood(3x3) → 298x398|element", 9 * 298 * 398,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", HANDED)
def test_functions_of_the_file_call_lambdas(kind: str) -> None:
    pytest.importorskip("clang", reason="the extra 'source' is not installed")
    inside, classes, operations = HANDED[kind]
    code = (
        "#include <vector>\ntemplate <class F> void each(int h, int w, F f) { for (int y = 0; y < h; ++y) "
        "for (int x = 0; x < w; ++x) f(y, x); }\ntemplate <class F> void all(size_t n, const F &f) { "
        "for (size_t i = 0; i < n; ++i) f(i); }\nvoid f(const std::vector<float> &a, std::vector<float> &b, float c) "
        f"{{ {inside} }}\nint main() {{ std::vector<float> a(120000), b(120000); f(a, b, 3); }}"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found) == classes
    assert found_class.operations == pytest.approx(operations)


CALLED_BY = {
    "a lambda with a name": "auto step = [&](int) { f(y.data(), x.data(), n); }; for (int t = 0; t < 5; ++t) step(t);",
    "a function that is given one": "double t = seconds([&] { f(y.data(), x.data(), n); }); return t > 1;",
    "an object that holds one": "std::function<void()> go = [&] { f(y.data(), x.data(), n); }; go();",
}


@pytest.mark.parametrize("kind", CALLED_BY)
def test_lambdas_of_the_first_function_say_sizes(kind: str) -> None:
    pytest.importorskip("clang", reason="the extra 'source' is not installed")
    code = (
        "#include <vector>\n#include <functional>\ntemplate <class F> double seconds(F &&f) { double t = now(); f(); "
        "return now() - t; }\nvoid f(float *y, const float *x, int n) { for (int i = 0; i < n; ++i) y[i] = 3 * x[i]; } "
        f"int main() {{ const int n = 700; std::vector<float> x(n), y(n); {CALLED_BY[kind]} }}"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found) == "700|element → 700|element"


UNDER = {
    "a lambda's argument": ("auto q = [](float v) { return v * v; };", "v[i] > 0 ? q(v[i] - 1) : q(v[i] + 1)", 3),
    "a method's argument": ("K k{2};", "v[i] > 0 ? k.cube(v[i] - 1) : 0", 5),
    "a second condition": ("K k{2};", "v[i] > 0 && k.square(v[i] - 2) < 4 ? v[i] : 1", 4),
}


@pytest.mark.parametrize("kind", UNDER)
def test_arguments_under_a_condition_are_computed_once(kind: str) -> None:
    pytest.importorskip("clang", reason="the extra 'source' is not installed")
    head, value, operations = UNDER[kind]
    code = (
        "#include <vector>\nstruct K { float k; float square(float v) const { return v * v; } "
        "float cube(float v) const { return v * v * v + k; } };\n"
        f"void f(const std::vector<float> &v, std::vector<float> &w) {{ {head} "
        f"for (int i = 0; i < 4096; ++i) w[i] = {value}; }}"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert found_class.operations == operations * 4096


MEMBERS = {
    "members that are arrays, read and written": (
        "typedef struct { double x[8], v[8], f; } P; void f(P *p, const double *g) { for (int i = 0; i < 50; i++) "
        "for (int k = 0; k < 100; k++) { P *q = &p[i * 100 + k]; for (int d = 0; d < 8; d++) { "
        "q->v[d] = .5 * q->v[d] + (g[i * 8 + d] - q->x[d]); q->x[d] += q->v[d]; } } }",
        "400|element ∧ 50x100x8|element ∧ 50x100x8|element → 50x100x8|element ∧ 50x100x8|element", 4 * 40000,
    ),
    "one of several members": (
        "typedef struct { double x[8], v[8], f; } P; void f(const P *p, double *s) { for (int k = 0; k < 5000; k++) { "
        "double m = 0; for (int d = 0; d < 8; d++) m += p[k].x[d] * p[k].x[d]; s[k] = m; } }",
        "40000|tile(8) → 5000|element", 16 * 5000,
    ),
    "rows of which addresses go on": (
        "void f(const char *a, const char *b, char *c) { for (int y = 0; y < 300; y++, a += 700, b += 700, c += 700) "
        "for (int x = 0; x < 700; x++) { int v = (a[x] * 3 + b[x]) >> 2; c[x] = v > 9 ? 9 : v; } }",
        "210000|element ∧ 210000|element → 210000|element", 4 * 210000,
    ),
    "a number that no array enters": (
        "#include <math.h>\nvoid f(const float *a, float *b) { float s = 0; for (int k = 0; k < 9; k++) s += k * k; "
        "for (int i = 0; i < 4096; i++) b[i] = a[i] / s; }", "4096|element → 4096|element", 4096,
    ),
    "a number of the library": (
        "#include <math.h>\nvoid f(const double *a, double *b) { for (int i = 0; i < 4096; i++) "
        "b[i] = cos(2 * M_PI * a[i]); }", "4096|element → 4096|element", 2 * 4096,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", MEMBERS)
def test_members_and_numbers_are_what_they_are(kind: str) -> None:
    code, classes, operations = MEMBERS[kind]
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found) == classes
    assert found_class.operations == operations


ROWS_AND_TURNS = {
    "addresses of rows": (
        "void f(double **a, double **b) { for (int i = 0; i < 300; i++) for (int j = 0; j < 400; j++) "
        "b[i][j] = 2 * a[i][j]; }", "300x400|element → 300x400|element", 1,
    ),
    "a row of addresses of rows": (
        "void f(double **a, double *s) { for (int i = 0; i < 300; i++) { double *r = a[i], t = 0; "
        "for (int j = 0; j < 400; j++) t += r[j]; s[i] = t; } }", "120000|tile(400) → 300|element", 1,
    ),
    "a loop that ends behind its step": (
        "void f(float *a) { float *p = a, *end = a + 4096; do { *p = 2 * *p; } while (++p < end); }",
        "4096|element → 4096|element", 1,
    ),
    "steps that are counted behind them": (
        "void f(double *u, double *v) { int it = 0; do { for (int i = 1; i < 999; i++) v[i] = u[i - 1] + u[i + 1]; "
        "it++; } while (it < 20); }", "1000|neighbourhood(3) → 998|element", 20,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", ROWS_AND_TURNS)
def test_rows_by_addresses_and_loops_that_end_behind_their_steps(kind: str) -> None:
    code, classes, repetitions = ROWS_AND_TURNS[kind]
    (found_class,) = classify_nests(code, {}, "f")
    assert (str(found_class.found), found_class.repetitions) == (classes, repetitions)


def test_rows_are_as_many_as_turns_and_windows_have() -> None:
    pytest.importorskip("clang", reason="the extra 'source' is not installed")
    code = (
        "#include <vector>\nstruct Heat { std::vector<double> u, v; int nx, ny; Heat(int x, int y) : u(size_t(x) * y), "
        "v(u.size()), nx(x), ny(y) {} void step(); };\nvoid Heat::step() { for (int i = 1; i < nx - 1; ++i) "
        "for (int j = 1; j < ny - 1; ++j) v[i * ny + j] = u[(i - 1) * ny + j] + u[(i + 1) * ny + j] "
        "+ u[i * ny + j - 1] + u[i * ny + j + 1]; }\nint main() { Heat h(400, 500); h.step(); }"
    )
    (found_class,) = classify_nests(code, {}, "step")
    assert str(found_class.found) == "400x500|neighbourhood(3x3) → 398x498|element"


def test_arrays_in_vectors_are_rows() -> None:
    pytest.importorskip("clang", reason="the extra 'source' is not installed")
    code = (
        "#include <vector>\n#include <array>\n#include <string>\nusing Row = std::array<double, 64>;\n"
        "void f(const std::array<Row, 64> &a, const std::vector<Row> &x, std::vector<Row> &y) { "
        "for (size_t k = 0; k < x.size(); ++k) for (int i = 0; i < 64; ++i) { double s = 0; "
        "for (int j = 0; j < 64; ++j) s += a[i][j] * x[k][j]; y[k][i] = s; } }\n"
        "int main() { std::array<Row, 64> a; std::vector<Row> x(1000), y(1000); f(a, x, y); }"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found) == "4096|tile(64) ∧ 64000|tile(64) → 1000x64|element"


WALKING = {
    "two members": (
        "auto r = w.b.cbegin(); for (auto l = w.a.begin(); l != w.a.end(); ++l, ++r) *l = *l + 0.5f * *r;",
        "5000|element ∧ 5000|element → 5000|element",
    ),
    "a third at the end of each turn": (
        "auto o = w.c.begin(); auto r = w.b.cbegin(); "
        "for (auto l = w.a.cbegin(); l != w.a.cend(); ++r, ++l) { *o = *l * *r; ++o; }",
        "5000|element ∧ 5000|element → 5000|element",
    ),
    "arrays": (
        "auto h = w.gain.begin(); for (auto g = w.loss.begin(), e = w.loss.end(); g != e; ++g, ++h) *h *= *g;",
        "256|element ∧ 256|element → 256|element",
    ),
}


@pytest.mark.parametrize("kind", WALKING)
def test_iterators_of_members_walk_beside_each_other(kind: str) -> None:
    pytest.importorskip("clang", reason="the extra 'source' is not installed")
    inside, classes = WALKING[kind]
    code = (
        "#include <array>\n#include <vector>\nstruct Wave { std::vector<float> a, b, c = std::vector<float>(5000); "
        "std::array<float, 256> gain, loss; explicit Wave(std::size_t n) : a(n), b(n) {} };\n"
        f"void f(Wave &w) {{ {inside} }}\nint main() {{ Wave w(5000); f(w); }}"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found) == classes


def test_a_pointer_walks_from_row_to_row() -> None:
    code = (
        "void f(const float *a, float *b) { const float *p = a; for (int r = 0; r < 64; r++) { float s = 0; "
        "const float *end = p + 256; while (p != end) s += *p++; b[r] = s; } }"
    )
    (found_class,) = classify_text(code, "c", {}, "f")
    assert str(found_class.found) == "64x256|tile(1x256) → 64|element"


def test_a_pointer_begins_where_the_loop_before_left_it() -> None:
    code = (
        "void f(const float *a, float *b, int n) { const float *p = a; while (p < a + n / 2) *b++ = 2 * *p++; "
        "while (p < a + n) *b++ = 3 * *p++; }"
    )
    assert [f.operations for f in classify_nests(code, {"n": 4096}, "f")] == [2048, 2048]


OBJECTS = {
    "elements that a class gives": ("double s = 0; for (auto x : g) s += x * x; return s;", "24000|element → 1|shared"),
    "what a function asks for": (
        "if (g.n < 1) throw 1; double s = 0; for (int i = 0; i < 24000; ++i) s += g.data_[i]; return s;",
        "24000|element → 1|shared",
    ),
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_objects_that_hold_vectors_are_gone_through(kind: str) -> None:
    pytest.importorskip("clang", reason="the extra 'source' is not installed")
    inside, classes = OBJECTS[kind]
    code = (
        "#include <vector>\ntemplate <class T> struct Grid { int n; std::vector<T> data_; "
        "Grid(int k) : n(k), data_(size_t(k) * 20) {} auto begin() { return data_.begin(); } "
        "auto end() { return data_.end(); } };\n"
        f"double f(Grid<double> &g) {{ {inside} }}\nint main() {{ Grid<double> g(1200); f(g); }}"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found) == classes


def test_a_turn_that_asks_for_what_another_one_holds_is_no_unrolled_one() -> None:
    code = (
        "void f(float *v) { for (int i = 0; i < 4096; i += 2) { float a = v[i], b = v[i + 1]; "
        "v[i] = a < b ? a : b; v[i + 1] = a < b ? b : a; } }"
    )
    (found_class,) = classify_text(code, "c", {}, "f")
    assert str(found_class.found) == "4096|tile(2) → 4096|tile(2)"


def test_rows_that_wait_and_add_up_along_them_have_no_class() -> None:
    code = (
        "void f(const int *a, int *s) { for (int y = 1; y < 400; y++) { int r = 0; for (int x = 0; x < 500; x++) { "
        "r += a[y * 500 + x]; s[y * 500 + x] = r + s[(y - 1) * 500 + x]; } } }"
    )
    with pytest.raises(SourceError) as refusal:
        classify_nests(code, {}, "f")
    assert refusal.value.serial  # type: ignore[attr-defined]


def test_addresses_that_are_given_lead_somewhere() -> None:
    code = (
        "typedef struct { unsigned n; double *x, *m; } C; int f(const C *c, double *o) { "
        "if (!c || c->n == 0) return -1; double s = 0; for (unsigned i = 0; i < 30000; i++) s += c->m[i] * c->x[i]; "
        "if (o != NULL) *o = s; return 0; }"
    )
    (found_class,) = classify_nests(code, {"c.n": 30000}, "f")
    assert str(found_class.found) == "30000|element ∧ 30000|element → 1|shared"


def test_limits_of_whole_numbers_are_known() -> None:
    code = (
        "void f(const int *a, int *b) { for (int z = 0; z < 600; z++) { int m = INT32_MAX; "
        "for (int i = 0; i < 50; i++) if (a[z * 50 + i] < m) m = a[z * 50 + i]; b[z] = m; } }"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found) == "30000|tile(50) → 600|element"
    assert found_class.operations == 30000


def test_grids_have_as_many_blocks_as_fit() -> None:
    code = (
        "void f(const unsigned *a, unsigned char *b) { for (int i = 0; i < 1048576; i++) for (int k = 0; k < 4; k++) "
        "b[k * 1048576 + i] = a[i] >> 8 * k; }"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found) == "1048576|element → 4x1048576|tile(4x1)"


def test_sums_over_addresses_that_loops_declare_are_sums() -> None:
    code = (
        "unsigned long f(const char *a, const char *b) { unsigned long s = 0; for (int y = 0; y < 70; y++) { "
        "const char *p = a + y * 90; const char *q = b + y * 90; for (int x = 0; x < 90; x++) { "
        "const int d = p[x] - q[x]; s += d * d; } } return s; }"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found) == "6300|element ∧ 6300|element → 1|shared"


CALLED_AT_ONCE = {
    "a method that changes its object": ("Filter f;", "return f.step(x[i]);", 5 * 12000),
    "a number that goes on": ("float s = 0;", "s = 0.5f * s + x[i]; return s;", 2 * 12000),
    "a function with a reference": ("float s = 0;", "mark(s, x[i]); return s;", 2 * 12000),
}


@pytest.mark.parametrize("kind", CALLED_AT_ONCE)
def test_lambdas_that_are_called_at_once_change_what_is_around(kind: str) -> None:
    pytest.importorskip("clang", reason="the extra 'source' is not installed")
    declared, body, operations = CALLED_AT_ONCE[kind]
    code = (
        "#include <vector>\nstruct Filter { float a = 0, b = 0; float step(float r) { a = a + 0.01f * (r - b); "
        "b += 0.1f * a; return a; } };\nvoid mark(float &s, float v) { s = 0.5f * s + v; }\n"
        "void f(const float *x, float *y) { for (int d = 0; d < 60; ++d) { "
        + declared
        + " for (int t = 0; t < 200; ++t) "
        "{ const int i = d * 200 + t; y[i] = [&] { " + body + " }(); } } }\n"
        "int main() { std::vector<float> x(12000), y(12000); f(x.data(), y.data()); }"
    )
    (found_class,) = classify_or_count(code, "c", {}, "f", counted=False)
    assert str(found_class.found) in (
        "12000|tile(200) → 12000|tile(200)", "60x200|tile(1x200) → 60x200|tile(1x200)"
    )  # fmt: skip
    assert found_class.operations == operations


FORWARDED = {
    "two loops": (
        "static void g(double *x, double *v, int n, double t) { for (int i = 1; i < n - 1; i++) v[i] += t * (x[i + 1] "
        "- x[i - 1]); for (int i = 1; i < n - 1; i++) x[i] += t * v[i]; } "
        "void f(int n, double *v, double *x, double t) { g(x, v, n, t); }",
        ["4094|element ∧ 4096|neighbourhood(3) → 4094|element", "4094|element ∧ 4094|element → 4094|element"],
    ),
    "numbers": (
        "static double g(const double *x, int n, int m) { double s = 0; for (int i = 0; i < n * m; i++) s += x[i]; "
        "return s; } double f(const double *x, int n) { return g(x, n, 3); }",
        ["12288|element → 1|shared"],
    ),
    "through two": (
        "static void h(float *x, int n) { for (int i = 1; i < n; i++) x[i] += x[i - 1]; } "
        "static void g(float *y, int k) { h(y, k); } void f(float *x, int n) { g(x, n); }",
        ["4096|full → 4096|scan"],
    ),
}


@pytest.mark.parametrize("kind", FORWARDED)
def test_a_function_that_only_calls_another_one_is_that_one(kind: str) -> None:
    code, wanted = FORWARDED[kind]
    classes = classify_or_count(code, "c", {"n": 4096, "k": 4096}, "f", counted=False)
    assert [str(f.found) for f in classes] == wanted


SCRATCH = {
    "a number in an array": (
        "double s[1];", "s[0] = 0; for (int j = 0; j < 300; j++) s[0] += a[i * 300 + j] * a[i * 300 + j]; b[i] = s[0];",
        "2000x300|tile(1x300) → 2000|element", 1.2e6,
    ),
    "a row of constant length": (
        "double w[300]; int i, j;", "double t = 0; for (j = 0; j < 300; j++) { w[j] = a[i * 300 + j] + 1; t += w[j]; } "
        "for (j = 0; j < 300; j++) b[i * 300 + j] = w[j] / t;",
        "2000x300|tile(1x300) → 2000x300|tile(1x300)", 1.8e6,
    ),
    "a longer row of which a part is used": (
        "double w[512];", "double t = 0; for (int j = 0; j < m; j++) { w[j] = a[i * m + j] + 1; t += w[j]; } "
        "for (int j = 0; j < m; j++) b[i * m + j] = w[j] / t;",
        "2000x300|tile(1x300) → 2000x300|tile(1x300)", 1.8e6,
    ),
    "allocated memory": (
        "double *w = (double *)malloc(m * sizeof(double));", "double t = 0; for (int j = 0; j < m; j++) { "
        "w[j] = a[i * m + j] + 1; t += w[j]; } for (int j = 0; j < m; j++) b[i * m + j] = w[j] / t;",
        "2000x300|tile(1x300) → 2000x300|tile(1x300)", 1.8e6,
    ),
    "counters that begin at 0": (
        "int h[16];", "memset(h, 0, sizeof(h)); for (int j = 0; j < 300; j++) h[(int)a[i * 300 + j] & 15]++; "
        "int t = 0; for (int j = 0; j < 16; j++) t += h[j] * h[j]; b[i] = t;",
        "2000x300|tile(1x300) → 2000|element", 2000 * 332,
    ),
    "columns without a neighbour": (
        "static double w[300];", "for (int j = 0; j < 300; j++) w[j] = 2 * a[i * 300 + j]; "
        "for (int j = 1; j < 299; j++) b[i * 300 + j] = w[j - 1] + w[j] + w[j + 1];",
        "2000x300|neighbourhood(3) → 2000x300|element", 600000 + 2 * 2000 * 298,
    ),
    "two rows": (
        "double v[300], w[300]; int i, j;", "double t = 0; for (j = 0; j < 300; j++) { v[j] = 2 * a[i * 300 + j]; "
        "t += v[j]; } for (j = 0; j < 300; j++) w[j] = v[j] / t; "
        "for (j = 0; j < 300; j++) b[i * 300 + j] = v[j] - w[j];",
        "2000x300|tile(1x300) → 2000x300|tile(1x300)", 2.4e6,
    ),
    "sums that go on along a row": (
        "double w[301];", "w[0] = 0; for (int j = 0; j < 300; j++) w[j + 1] = w[j] + a[i * 300 + j]; double s = 0; "
        "for (int j = 299; j >= 0; j--) s += w[j] * w[j + 1]; b[i] = s;",
        "2000x300|tile(1x300) → 2000|element", 1.8e6,
    ),
    "what a function fills": (
        "double w[3];", "g(w, a + 300 * i, 3); b[i] = w[0] * w[1] + w[2];",
        "6000|tile(3) → 2000|element", 2000 * 5,
    ),
}  # fmt: skip
"""What a function declares, what a turn does, the class and its operations."""


@pytest.mark.parametrize("kind", SCRATCH)
def test_what_each_turn_fills_anew_is_its_own(kind: str) -> None:
    declared, body, wanted, operations = SCRATCH[kind]
    counter = "" if "int i" in declared else "int "
    code = (
        "static void g(double *w, const double *x, int k) { for (int q = 0; q < k; q++) w[q] = 2 * x[q]; } "
        f"void f(double *b, const double *a, int n, int m) {{ {declared} for ({counter}i = 0; i < n; i++) {{ {body} }} "
        "} int main() { double *a = malloc(2000 * 300 * 8), *b = malloc(2000 * 300 * 8); f(b, a, 2000, 300); }"
    )
    (found_class,) = classify_or_count(code, "c", {}, "f", counted=False)
    assert str(found_class.found) == wanted
    assert found_class.operations == pytest.approx(operations, rel=0.02)


SHIFTED = {
    "the difference of a row before": (
        "float t[400]; for (int j = 0; j < 400; ++j) t[j] = v[(i - 1) * 400 + j] + v[(i + 1) * 400 + j]; "
        "for (int j = 1; j < 399; ++j) o[i * 400 + j] = t[j + 1] - t[j - 1];",
        "neighbourhood(3x3)",
    ),
    "differences of differences": (
        "float a[400], b[400]; for (int j = 0; j < 400; ++j) a[j] = 3 * v[i * 400 + j]; for (int j = 0; j < 399; ++j) "
        "b[j] = a[j + 1] - a[j]; for (int j = 0; j < 398; ++j) o[i * 400 + j] = b[j + 1] - b[j];",
        "neighbourhood(3)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", SHIFTED)
def test_values_of_a_turn_that_are_read_beside_their_place_take_neighbours(kind: str) -> None:
    body, pattern = SHIFTED[kind]
    code = f"void f(float *o, const float *v) {{ for (int i = 1; i < 1499; ++i) {{ {body} }} }}"
    (found_class,) = classify_text(code, "c", {}, "f")
    assert pattern in str(found_class.found)


@pytest.mark.parametrize("body", [
    "b[i] = w[0] + w[1]; w[0] = a[i]; w[1] = w[0];",
    "if (a[i] > 0) w[0] = a[i]; w[1] = 1; b[i] = w[0] + w[1];",
    "w[1] = w[0]; w[0] = a[i] + w[1]; b[i] = w[0];",
])  # fmt: skip
def test_what_a_turn_takes_of_the_one_before_stays(body: str) -> None:
    code = f"void f(double *b, const double *a) {{ double w[2]; for (int i = 0; i < 4096; i++) {{ {body} }} }}"
    tree = parse(code)
    function = next(n for n in tree.ext if type(n).__name__ == "FuncDef")
    sunk = sink_scratch(function.body, {}, {}, c_ast)
    assert "w" in {str(d.name) for d in sunk.block_items if type(d).__name__ == "Decl"}


FLAT = {
    "rows above and below": (
        "for (int i = w; i < (h - 1) * w; ++i) y[i] = x[i - w] + x[i] + x[i + w];",
        "480x640|neighbourhood(3x1) → 305920|element",
    ),
    "a cross": (
        "for (int i = w + 1; i < (h - 1) * w - 1; ++i) y[i] = x[i - w] + x[i - 1] + x[i + 1] + x[i + w];",
        "480x640|neighbourhood(3x3) → 305918|element",
    ),
    "a cross of three dimensions": (
        "const int s = 64 * 80; for (int i = s; i < h * w - s; ++i) "
        "y[i] = x[i - s] + x[i + s] + x[i - 64] + x[i + 64] + x[i - 1] + x[i + 1];",
        "60x80x64|neighbourhood(3x3x3) → 296960|element",
    ),
    "later elements of the same row": (
        "for (int i = 0; i < h * w - 2 * 64; ++i) y[i] = x[i] - 2 * x[i + 64] + x[i + 128];",
        "307200|neighbourhood(129) → 307072|element",
    ),
    "two far apart": (
        "for (int i = 0; i < h * w - 100; ++i) y[i] = x[i] * x[i + 100];",
        "307200|neighbourhood(101) → 307100|element",
    ),
}


@pytest.mark.parametrize("kind", FLAT)
def test_rows_that_one_loop_goes_through_are_those_of_the_file(kind: str) -> None:
    body, wanted = FLAT[kind]
    code = (
        f"void f(float *y, const float *x, int h, int w) {{ {body} }} int main() {{ "
        "float *x = malloc(480 * 640 * 4), *y = malloc(480 * 640 * 4); f(y, x, 480, 640); }"
    )
    (found_class,) = classify_nests(code, {}, "f")
    assert str(found_class.found) == wanted


COPIED = {
    "bytes": ("memcpy(y, x, sizeof(double) * 4096);", 1),
    "bytes of a part": ("memcpy(y + 1, &x[2], 8 * (n - 2));", 1),
    "after a loop": ("for (int i = 0; i < n; i++) y[i] = 2 * x[i]; memmove(x, y, n * sizeof *x);", 2),
}


@pytest.mark.parametrize("kind", COPIED)
def test_copies_of_bytes_are_passes(kind: str) -> None:
    body, passes = COPIED[kind]
    code = f"void f(double *y, double *x, int n) {{ {body} }}"
    classes = classify_or_count(code, "c", {"n": 4096}, "f", counted=False)
    assert len(classes) == passes
    copied = classes[-1].found
    assert classes[-1].operations == 0
    assert 4094 <= copied.elements_in == copied.elements_out <= 4096


@pytest.mark.parametrize("step", ["u.swap(v);", "std::swap(u, v);", "u = v;"])
def test_vectors_change_places_or_are_copied(step: str) -> None:
    pytest.importorskip("clang", reason="the extra 'source' is not installed")
    code = (
        "#include <vector>\n#include <utility>\nvoid f(std::vector<double> &u) { std::vector<double> v(u); "
        "for (int t = 0; t < 9; ++t) { for (int i = 1; i < 4095; ++i) v[i] = u[i - 1] + u[i + 1]; " + step + " } } "
        "int main() { std::vector<double> u(4096); f(u); }"
    )
    classes = classify_or_count(code, "c", {}, "f", counted=False)
    assert [(f.repetitions, f.operations) for f in classes] == [
        (1, 0), (9, pytest.approx(9 * 4094, rel=0.01)), *([(9, 0)] if "=" in step else [])
    ]  # fmt: skip


ENUMERATIONS = {
    "C": "enum mood : {} {{ CALM, BUSY }}; static enum mood m[4096];",
    "a typedef": "typedef enum : {} {{ CALM, BUSY = 3 }} mood_t; static mood_t m[4096];",
    "C++": "#include <vector>\nenum mood : {} {{ CALM, BUSY }}; static mood m[4096];",
    "a class": "#include <vector>\nenum class Mood : {} {{ Calm, Busy }}; static Mood m[4096];\n"
    "constexpr Mood BUSY = Mood::Busy; constexpr Mood CALM = Mood::Calm;",
}


@pytest.mark.parametrize("kind", ENUMERATIONS)
@pytest.mark.parametrize(("words", "width"), {"unsigned char": 1, "short": 2, "unsigned": 4, "long long": 8}.items())
def test_an_enumeration_is_as_wide_as_it_says(kind: str, words: str, width: int) -> None:
    code = ENUMERATIONS[kind].format(words)
    code += " void f(const float *v) { for (int i = 0; i < 4096; i++) m[i] = v[i] > 2.f ? BUSY : CALM; }"
    (found_class,) = classify_or_count(code, "c", {}, "f", counted=False)
    assert found_class.bytes_each == (4, width)


def test_names_in_records_move_with_them() -> None:
    code = (
        "typedef struct { double lat, lon; int id; char tag[4]; } stop_t; static stop_t s[4096]; static double d[4096];"
        " void f(void) { for (int i = 0; i < 4096; i++) d[i] = s[i].lat * 3.0 + s[i].lon; }"
    )
    (found_class,) = classify_or_count(code, "c", {}, "f", counted=False)
    assert dict(zip(found_class.arrays, found_class.bytes_each, strict=True)) == {"s": 24, "d": 8}


@pytest.mark.parametrize(("words", "width"), {"long double": 16, "double": 8, "band_t": 4}.items())
def test_elements_are_as_large_as_turns_move_them(words: str, width: int) -> None:
    code = f"typedef enum {{ LOW, HIGH }} band_t; static {words} a[4096]; static double b[4096]; "
    code += "void f(void) { for (int i = 0; i < 4096; i++) b[i] = 2 * a[i]; }"
    (found_class,) = classify_or_count(code, "c", {}, "f", counted=False)
    assert found_class.bytes_each == (width, 8)


def test_functions_that_only_call_one_another_end() -> None:
    code = "void c(float *y, int n); void b(float *y, int n) { c(y, n); } void c(float *y, int n) { b(y, n); }"
    with pytest.raises(SourceError, match="calls itself"):
        classify_or_count(code + " void a(float *y, int n) { b(y, n); }", "c", {"n": 64}, "b", counted=False)
    with pytest.raises(SourceError):
        classify_or_count(code + " void a(float *y, int n) { b(y, n); }", "c", {"n": 64}, "a", counted=False)
