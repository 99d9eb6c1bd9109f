"""Kinds of CUDA and C that sets of blind codes brought, each as a small code of its own."""

from __future__ import annotations

import pytest

from roofcast_hull.source.classify import classify_text
from roofcast_hull.source.host_code import HostReader
from roofcast_hull.source.nest import SourceError

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")
pytest.importorskip("clang", reason="the extra 'source' is not installed")

OWN = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
# code, class, operations, bytes of all arrays
KERNELS = {
    "bins that real numbers of data give": (
        "#define BINS 569\n__global__ void f(const float *s, const float *c, float *o) { " + OWN +
        " if (i >= 400) return; float sum = 0; for (int k = 0; k < 100; k++) { float t = i * c[k] + 0.5f * (BINS - 1);"
        " int b = (int)floorf(t); sum += s[k * BINS + b] * t + s[k * BINS + b + 1]; } o[i] = sum; }"
        "int main() { float *s, *c, *o; cudaMalloc(&s, 100 * BINS * 4); cudaMalloc(&c, 400); cudaMalloc(&o, 1600);"
        " f<<<2, 200>>>(s, c, o); }",
        "56900|gather(200) ∧ 100|full → 400|element", 400 * 100 * 6, 4 * (56900 + 100 + 400),
    ),
    "a lambda that changes what is outside of it": (
        "__global__ void f(const float *x, float *o, int n) { " + OWN + " if (i >= n) return; float s = 0;"
        " auto add = [&](float v) { s += v * v; }; for (int k = 0; k < 16; k++) add(x[i * 16 + k]); o[i] = s; }"
        "int main() { const int n = 4096; float *x, *o; cudaMalloc(&x, n * 64); cudaMalloc(&o, n * 4);"
        " f<<<n / 256, 256>>>(x, o, n); }",
        "4096x16|tile(1x16) → 4096|element", 4096 * 32, 4096 * 68,
    ),
    "a lambda that keeps its places inside": (
        "__global__ void f(const float *s, float *d, int h, int w) { int x = blockIdx.x * blockDim.x + threadIdx.x,"
        " y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= w || y >= h) return; auto at = [=](int r, int c) {"
        " r = min(max(r, 0), h - 1); c = min(max(c, 0), w - 1); return s[r * w + c]; }; float sum = 0;"
        " for (int i = -2; i <= 2; i++) for (int j = -2; j <= 2; j++) sum += at(y + i, x + j); d[y * w + x] = sum; }"
        "int main() { const int h = 256, w = 384; float *s, *d; cudaMalloc(&s, h * w * 4); cudaMalloc(&d, h * w * 4);"
        " f<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(s, d, h, w); }",
        "256x384|neighbourhood(5x5) → 256x384|element", 256 * 384 * 25, 2 * 256 * 384 * 4,
    ),
    "results of warps, named first and scaled last": (
        "__global__ void f(const float *x, const float *y, float *o, int n) { __shared__ float ws[32]; " + OWN +
        " float s = 0; if (i < n) { float e = x[i] - y[i]; s = e * e; }"
        " for (int k = 16; k > 0; k >>= 1) s += __shfl_down_sync(~0u, s, k);"
        " int lane = threadIdx.x & 31, warp = threadIdx.x >> 5; if (lane == 0) ws[warp] = s; __syncthreads();"
        " if (warp == 0) { s = lane < (blockDim.x >> 5) ? ws[lane] : 0.0f;"
        " for (int k = 16; k > 0; k >>= 1) s += __shfl_down_sync(~0u, s, k); if (lane == 0) atomicAdd(o, s / n); } }"
        "int main() { const int n = 65536; float *x, *y, *o; cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);"
        " cudaMalloc(&o, 4); f<<<n / 256, 256>>>(x, y, o, n); }",
        "65536|element ∧ 65536|element → 1|shared", 65536 * 3, 65536 * 8 + 4,
    ),
    "rows, and a number of each": (
        "__global__ void f(const float *x, const float *a, float *y, float *m, int w) { " + OWN +
        " int r = blockIdx.y; float g = a[r] * 2.0f; if (i < w) y[r * w + i] = x[r * w + i] - g;"
        " if (i == 0) m[r] = g; }"
        "int main() { const int h = 512, w = 1024; float *x, *a, *y, *m; cudaMalloc(&x, h * w * 4);"
        " cudaMalloc(&y, h * w * 4); cudaMalloc(&a, h * 4); cudaMalloc(&m, h * 4);"
        " f<<<dim3(w / 256, h), 256>>>(x, a, y, m, w); }",
        "512|element ∧ 512x1024|tile(1x1024) → 512x1024|tile(1x1024) ∧ 512|element", 2 * 512 * 1024,
        2 * 4 * 512 * 1025,
    ),
    "a product with a triangle": (
        "__global__ void f(const float *t, const float *b, float *c, int n) { int j = blockIdx.x * blockDim.x +"
        " threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y; if (i < n && j < n) { float s = 0;"
        " for (int k = 0; k <= i; k++) s += t[i * n + k] * b[k * n + j]; c[i * n + j] = s; } }"
        "int main() { const int n = 512; float *t, *b, *c; cudaMalloc(&t, n * n * 4); cudaMalloc(&b, n * n * 4);"
        " cudaMalloc(&c, n * n * 4); f<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(t, b, c, n); }",
        "512x256|tile(1x256) ∧ 512x512|tile(512x1) → 512x512|element", 512 * 512 * 513, 4 * (512 * 256 + 2 * 512 * 512),
    ),
    "a triangle of the results alone": (
        "__global__ void f(const float *q, const float *k, float *p, int n) { int j = blockIdx.x * blockDim.x +"
        " threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y; if (i >= n || j >= n) return;"
        " if (j > i) { p[i * n + j] = -1e30f; return; } float s = 0;"
        " for (int d = 0; d < 64; d++) s += q[i * 64 + d] * k[j * 64 + d]; p[i * n + j] = s * 0.125f; }"
        "int main() { const int n = 512; float *q, *k, *p; cudaMalloc(&q, n * 256); cudaMalloc(&k, n * 256);"
        " cudaMalloc(&p, n * n * 4); f<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(q, k, p, n); }",
        "512x64|tile(1x64) ∧ 512x64|tile(1x64) → 512x512|element", 512 * 513 // 2 * 129, 4 * (512 * 512 + 2 * 512 * 64),
    ),
    "a generator of random numbers that starts from a counter": (
        "__global__ void f(float *a, float *b, unsigned seed, int n) { " + OWN + " if (i >= n) return;"
        " unsigned s = seed ^ i; for (int k = 0; k < 8; k++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; }"
        " b[i] = a[i] + s * 2.3e-10f; }"
        "int main() { const int n = 4000; float *a, *b; cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4);"
        " f<<<(n + 63) / 64, 64>>>(a, b, 7u, n); }",
        "4000|element → 4000|element", 4000 * 51, 32000,
    ),
    "rounds that mix the words of a block": (
        "#define MIX(p, q) p += q; q ^= p;\n"
        "__global__ void f(const unsigned *a, unsigned *b, unsigned key, int n) { " + OWN + " if (i >= n) return;"
        " unsigned x[4]; for (int k = 0; k < 4; k++) x[k] = key + i;"
        " for (int r = 0; r < 10; r++) { MIX(x[0], x[1]) MIX(x[2], x[3]) MIX(x[1], x[2]) MIX(x[3], x[0]) }"
        " for (int k = 0; k < 4; k++) b[4 * i + k] = a[4 * i + k] ^ x[k]; }"
        "int main() { const int n = 4096; unsigned *a, *b; cudaMalloc(&a, n * 16); cudaMalloc(&b, n * 16);"
        " f<<<n / 64, 64>>>(a, b, 7u, n); }",
        "4096x4|tile(1x4) → 4096x4|tile(1x4)", 4096 * (80 + 4 + 4), 131072,
    ),
    "short vectors of which a member is only kept": (
        "__global__ void f(float4 *p, const float4 *v, float dt, int n) { " + OWN + " if (i < n) { float4 a = p[i];"
        " a.x += dt * v[i].x; a.y += dt * v[i].y; a.z += dt * v[i].z; p[i] = a; } }"
        "int main() { const int n = 5000; float4 *p, *v; cudaMalloc(&p, n * 16); cudaMalloc(&v, n * 16);"
        " f<<<(n + 127) / 128, 128>>>(p, v, 0.5f, n); }",
        "5000|element ∧ 5000|element → 5000|element", 30000, 240000,
    ),
    "parameters in a structure": (
        "struct S { double a, b, c; };\n__global__ void f(const S *s, const double *x, double *y, int n) {"
        " int k = blockIdx.x * blockDim.x + threadIdx.x, e = blockIdx.y; if (k >= n) return;"
        " y[e * n + k] = s[e].a * x[k] * x[k] + s[e].b * x[k] + s[e].c; }"
        "int main() { const int n = 1000, m = 20; S *s; double *x, *y; cudaMalloc(&s, m * sizeof(S));"
        " cudaMalloc(&x, n * 8); cudaMalloc(&y, m * n * 8); f<<<dim3((n + 63) / 64, m), 64>>>(s, x, y, n); }",
        "20|element ∧ 1000|element → 20x1000|element", 100000, 20 * 24 + 8000 + 160000,
    ),
    "a picture that reads nothing": (
        "__global__ void f(float *p, int n) { " + OWN + " if (i < n) p[i] = sqrtf(i * 0.25f) + 1.0f; }"
        "int main() { const int n = 6000; float *p; cudaMalloc(&p, n * 4); f<<<(n + 127) / 128, 128>>>(p, n); }",
        "void → 6000|element", 18000, 24000,
    ),
    "two sweeps of a thread over its column": (
        "__global__ void f(const float *t, float *down, float *up, int n, int levels) { " + OWN + " if (i >= n) return;"
        " float s = 0; for (int k = 0; k < levels; k++) { s = s * 0.5f + t[k * n + i]; down[k * n + i] = s; }"
        " s = 1; for (int k = levels - 1; k >= 0; k--) { s = s * 0.25f + t[k * n + i]; up[k * n + i] = s; } }"
        "int main() { const int n = 3000, m = 40; float *t, *d, *u; cudaMalloc(&t, n * m * 4);"
        " cudaMalloc(&d, n * m * 4); cudaMalloc(&u, n * m * 4); f<<<(n + 127) / 128, 128>>>(t, d, u, n, m); }",
        "40x3000|tile(40x1) → 40x3000|tile(40x1) ∧ 40x3000|tile(40x1)", 4 * 40 * 3000, 12 * 40 * 3000,
    ),
    "a launch that is tried, sizes of an array": (
        "#include <array>\n#include <stdexcept>\ntemplate <int R> __global__ void f(const float *x, float *y, int n) { "
        + OWN + " if (i < n) y[i] = x[i] * R; }"
        "int main() { constexpr std::array<int, 2> d{70, 90}; try { const int n = d[0] * d[1]; float *x, *y;"
        " cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4); f<3><<<(n + 127) / 128, 128>>>(x, y, n); }"
        " catch (const std::exception &e) { return 1; } }",
        "6300|element → 6300|element", 6300, 8 * 6300,
    ),
    "many calls of a function in indices": (
        "__device__ int at(int r, int c) { return r * 130 + c; } __device__ float sq(float v) { return v * v; }"
        "__global__ void f(const float *x, float *y) { int c = threadIdx.x, r = blockIdx.x;"
        + " float s = " + " + ".join(f"x[at(r + {a}, c + {b})]" for a in range(3) for b in range(3)) + ";"
        " y[r * 128 + c] = sq(s); }"
        "int main() { float *x, *y;"
        " cudaMalloc(&x, 502 * 130 * 4); cudaMalloc(&y, 500 * 128 * 4); f<<<500, 128>>>(x, y); }",
        "500x128|neighbourhood(3x3) → 500x128|element", 9 * 500 * 128, 8 * 500 * 128,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
def test_class_of_a_kernel(name: str) -> None:
    code, wanted, operations, moved = KERNELS[name]
    [found] = classify_text(code, "c", {}, "f")
    assert str(found.found) == wanted
    assert found.operations == pytest.approx(operations, rel=0.03)
    each = found.element_bytes or (found.bytes_each[0] if found.bytes_each else 4)
    assert each * (found.found.elements_in + found.found.elements_out) == pytest.approx(moved, rel=0.01)


FILES = {
    "an option's name before its number": (
        'int main(int argc, char **argv) { int n = 3000; for (int i = 1; i < argc; i++) if (!strcmp(argv[i], "--n"))'
        " n = atoi(argv[++i]); f(n); }",
        {"n": 3000},
    ),
    "a text that is a number": (
        "int main(int c, char **av) { long n = 70; if (c > 1) n = strtol(av[1], 0, 10); f(n); }",
        {"n": 70},
    ),
    "members in order": (
        "struct G { int nx, ny; float h; }; int main() { struct G n = { 64, 48, 0.5f }; f(&n); }",
        {"n.nx": 64, "n.ny": 48},
    ),
    "members by name": (
        "typedef struct { long m; float *a; } G; int main() { G n = { .m = 500 }; f(&n); }",
        {"n.m": 500},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_numbers_of_a_call(name: str) -> None:
    """What host code says of sizes is never taken for unknown."""
    code, wanted = FILES[name]
    [call] = HostReader(f"void f(int n) {{ }} {code}", {}, {}).follow_calls("f")["f"]
    said = {f"n{k}": v for k, v in call.members[0].items()}
    if call.arguments[0] is not None:
        said["n"] = call.arguments[0]
    assert said.items() >= wanted.items()


def test_size_in_a_structure_that_the_file_fills() -> None:
    code = (
        "#include <stdlib.h>\nstruct soa { size_t n; double *a, *b; };\n"
        "void twice(struct soa *s) { for (size_t i = 0; i < s->n; i++) s->b[i] = 2 * s->a[i]; }\n"
        "int main(void) { struct soa s = { .n = 7000 }; s.a = malloc(8 * s.n); s.b = malloc(8 * s.n); twice(&s); }"
    )
    [found] = classify_text(code, "c", {}, "twice")
    assert str(found.found) == "7000|element → 7000|element"


def test_pairs_of_one_array_move_it_once() -> None:
    code = (
        "double f(const double x[900], const double y[900]) { double s = 0; for (int i = 0; i < 899; i++)"
        " for (int j = i + 1; j < 900; j++) s += (x[i] - x[j]) * (y[i] - y[j]); return s; }"
    )
    [found] = classify_text(code, "c", {}, "f")
    assert sorted(found.arrays) == ["s", "x", "y"]


def test_whole_tiles_are_not_more_than_there_is() -> None:
    """Blocks of 16 by 16 over an array that they do not fill: bytes are those that are touched."""
    code = (
        "__global__ void f(const float *a, float *b, int h, int w) { __shared__ float t[16][17];"
        " int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;"
        " if (r < h && c < w) t[threadIdx.y][threadIdx.x] = a[r * w + c]; __syncthreads();"
        " int tc = blockIdx.y * 16 + threadIdx.x, tr = blockIdx.x * 16 + threadIdx.y;"
        " if (tr < w && tc < h) b[tr * h + tc] = t[threadIdx.x][threadIdx.y]; }"
        "int main() { int h = 100, w = 140; float *a, *b; cudaMalloc(&a, h * w * 4); cudaMalloc(&b, h * w * 4);"
        " f<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(a, b, h, w); }"
    )
    from roofcast_hull.source.classify import classify_or_count

    [found] = classify_or_count(code, "c", {}, "f", False)
    assert found.found.elements_in == found.found.elements_out == 14000


BITS = OWN + " int low = i & ((1 << bit) - 1), z = ((i >> bit) << (bit + 1)) | low;"
MORE = {
    "an index with a bit put in": (
        "__global__ void f(float *a, const float *w, int bit, int n) { " + BITS + " if (i >= n) return; float x = a[z],"
        " y = a[z ^ (1 << bit)] * w[low]; a[z] = x + y; a[z | (1 << bit)] = x - y; }"
        "int main() { const int n = 8192; float *a, *w; cudaMalloc(&a, 2 * n * 4); cudaMalloc(&w, 64 * 4);"
        " f<<<n / 128, 128>>>(a, w, 6, n); }",
        "256x64|tile(2x1) ∧ 64|element → 256x64|tile(2x1)", 3 * 8192,
    ),
    "a table that repeats": (
        "__constant__ float t[16];\n__global__ void f(const float *a, float *b, int w, int h) {"
        " int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y; if (x < w && y < h)"
        " b[y * w + x] = a[y * w + x] > t[(y & 3) * 4 + (x & 3)] ? 1.0f : 0.0f; }"
        "int main() { int w = 96, h = 64; float *a, *b; cudaMalloc(&a, w * h * 4); cudaMalloc(&b, w * h * 4);"
        " f<<<dim3(3, 8), dim3(32, 8)>>>(a, b, w, h); }",
        "16x4x24x4|element ∧ 4x4|element → 16x4x24x4|element", 6144,
    ),
    "several sums by shuffles of a warp": (
        "__device__ float sum(float v) { for (int o = warpSize / 2; o > 0; o >>= 1) v += __shfl_down_sync(~0u, v, o);"
        " return v; }\n__global__ void f(const float2 *p, float *t, int n) { float x = 0, y = 0; for (int i ="
        " blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { x += p[i].x;"
        " y += p[i].y * p[i].y; }"
        " x = sum(x); y = sum(y); if ((threadIdx.x & (warpSize - 1)) == 0) { atomicAdd(&t[0], x);"
        " atomicAdd(&t[1], y); } }"
        "int main() { const int n = 1 << 18; float2 *p; float *t; cudaMalloc(&p, n * 8); cudaMalloc(&t, 8);"
        " f<<<16, 256>>>(p, t, n); }",
        "262144|element → 2|shared", 3 << 18,
    ),
    "states kept beside the sum of them": (
        "__global__ void f(float *s, const float *x, const float *c, float *o, int n) { " + OWN + " if (i >= n) return;"
        " float a = 0; for (int k = 0; k < 8; k++) { float v = s[i * 8 + k] * 0.5f + x[i]; s[i * 8 + k] = v;"
        " a += v * c[k]; } o[i] = a; }"
        "int main() { const int n = 4096; float *s, *x, *c, *o; cudaMalloc(&s, n * 32); cudaMalloc(&x, n * 4);"
        " cudaMalloc(&c, 32); cudaMalloc(&o, n * 4); f<<<n / 128, 128>>>(s, x, c, o, n); }",
        "4096x8|tile(1x8) ∧ 4096|element ∧ 8|full → 4096x8|tile(1x8) ∧ 4096|element", 4096 * 32,
    ),
    "halves of 16 bits in pairs": (
        "#include <cuda_bf16.h>\n__global__ void f(const __nv_bfloat162 *x, __nv_bfloat162 *y, float a, int n) {"
        + OWN + " __nv_bfloat162 k = __float2bfloat162_rn(a);"
        " if (i < n) y[i] = __hmul2(x[i], h2rcp(__hadd2(k, h2exp(x[i])))); }"
        "int main() { const int n = 4096; __nv_bfloat162 *x, *y; cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);"
        " f<<<n / 128, 128>>>(x, y, 1.0f, n); }",
        "4096|element → 4096|element", 4096 * 8,
    ),
    "complex numbers of HIP": (
        "#include <hip/hip_complex.h>\n__global__ void f(hipFloatComplex *a, const hipFloatComplex *b, int n) {"
        " int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x; if (i < n) a[i] = hipCmulf(a[i], b[i]); }"
        "int main() { const int n = 4096; hipFloatComplex *a, *b; hipMalloc((void **)&a, n * 8);"
        " hipMalloc((void **)&b, n * 8); f<<<n / 128, 128>>>(a, b, n); }",
        "4096|element ∧ 4096|element → 4096|element", 4096 * 6,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MORE)
def test_class_and_operations(name: str) -> None:
    code, wanted, operations = MORE[name]
    [found] = classify_text(code, "c", {}, "f")
    assert str(found.found) == wanted
    assert found.operations == pytest.approx(operations, rel=0.04)


DOT = (
    "static double dot(const double *a, const double *b, int n) { double s = 0; for (int k = 0; k < n; k++)"
    " s += a[k] * b[k]; return s; }\n"
)


def test_sums_that_functions_return() -> None:
    """A function with a loop is what its statements are, wherever its result is used."""
    code = DOT + (
        "void f(const double A[300 * 200], const double x[200], double y[300]) { for (int i = 0; i < 300; i++)"
        " y[i] = dot(A + i * 200, x, 200) + 1.0; }"
    )
    [found] = classify_text(code, "c", {}, "f")
    assert str(found.found) == "300x200|tile(1x200) ∧ 200|full → 300|element"
    assert found.operations == 300 * 401
    assert found.checked.startswith("checked at 3")


def test_units_that_blocks_cut() -> None:
    """A row of 320 in blocks of 256: both blocks of a row read what it takes."""
    code = (
        "__global__ void f(const float *t, float *d, int n, int p) { int i = blockIdx.y, j = threadIdx.x + blockIdx.x *"
        " blockDim.x, half = n / 2; if (j >= half) return; float a = t[i] * expf(-logf(p) * j / half);"
        " d[i * n + j] = cosf(a); d[i * n + j + half] = sinf(a); }"
        "int main() { const int rows = 512, n = 640; float *t, *d; cudaMalloc(&t, rows * 4);"
        " cudaMalloc(&d, rows * n * 4); f<<<dim3(2, rows), 256>>>(t, d, n, 10000); }"
    )
    [found] = classify_text(code, "c", {}, "f")
    assert (found.found.elements_in, found.found.elements_out) == (512, 512 * 640)


def test_places_that_no_data_choose_are_told_or_refused() -> None:
    """Channels in another order: what quotients and remainders of a counter choose was told as a histogram."""
    code = (
        "__global__ void f(const float *x, float *y, int per, int n) { " + OWN + " if (i >= n) return;"
        " int p = i % 49, c = (i / 49) % 20, b = i / (49 * 20), to = (c % per) * 4 + c / per;"
        " y[(b * 20 + to) * 49 + p] = x[i]; }"
        "int main() { const int n = 6 * 20 * 49; float *x, *y; cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);"
        " f<<<(n + 127) / 128, 128>>>(x, y, 5, n); }"
    )
    [found] = classify_text(code, "c", {}, "f")
    assert (found.found.elements_in, found.found.elements_out) == (5880, 5880)
    assert "shared" not in str(found.found)


def test_size_of_a_program_that_nothing_followed_says_is_asked_for() -> None:
    code = (
        "__global__ void f(float *a, long n) { " + OWN + " if (i < n) a[i] = 2 * a[i]; }"
        "int main() { float *a = get(); long n = count(a); f<<<(n + 255) / 256, 256>>>(a, n); }"
    )
    with pytest.raises(SourceError, match="--size n=N"):
        classify_text(code, "c", {}, "f")
