"""Classes from what results are computed from: kernels of which the class is known, however they are written."""

from __future__ import annotations

import pytest

from roofcast_hull.source.classify import classify_or_count
from roofcast_hull.source.footprint_class import classify_footprint
from roofcast_hull.source.nest import SourceError

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")

HOST = """
int main() {
    int n = 8192, w = 192, h = 160, k = 48;
    float *x, *y, *z;
    cudaMalloc(&x, %s * sizeof(float)); cudaMalloc(&y, %s * sizeof(float)); cudaMalloc(&z, %s * sizeof(float));
    f<<<%s, %s>>>(x, y, z%s);
}
"""
KERNELS = {
    "ring": (
        "__global__ void f(const float *x, float *y, float *z, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;"
        " if (i < n) y[i] = x[(i + n - 1) % n] + x[i] + x[(i + 1) % n]; }",
        HOST % ("n", "n", "n", "n / 128", "128", ", n"),
        "8192|neighbourhood(3) → 8192|element", 16384,
    ),
    "a bias by how far apart positions are": (
        "__global__ void f(float *x, const float *t, float *z, int w, int h) { int j = threadIdx.x, i = blockIdx.x;"
        " x[i * w + j] += t[j - i + h - 1]; }",
        HOST % ("w * h", "(w + h - 1)", "n", "h", "w", ", w, h"),
        "351|gather ∧ 30720|element → 30720|element", 30720,
    ),
    "faces of a staggered grid": (
        "__global__ void f(const float *x, const float *y, float *z, int w) { int j = blockIdx.x * 32 + threadIdx.x,"
        " i = blockIdx.y, k = i * (w + 1) + j;"
        " z[i * w + j] = x[k] + x[k + 1] - y[i * w + j] - y[(i + 1) * w + j]; }",
        HOST % ("h * (w + 1)", "(h + 1) * w", "h * w", "dim3(6, 160)", "32", ", w"),
        "160x193|neighbourhood(2) ∧ 161x192|neighbourhood(2x1) → 160x192|element", 92160,
    ),
    "half empty warps": (
        "__global__ void f(const float *x, float *y, float *z) { int r = (blockIdx.x * 128 + threadIdx.x) / 16,"
        " l = threadIdx.x % 16; float v = l < 10 ? x[r * 10 + l] : 0.f; v *= v;"
        " for (int o = 8; o; o >>= 1) v += __shfl_down_sync(~0u, v, o, 16); if (!l) y[r] = v; }",
        HOST % ("10 * n", "n", "n", "n / 8", "128", ""),
        "81920|tile(10) → 8192|element", 155648,
    ),
    "product by flat tiles": (
        "__global__ void f(const float *x, const float *y, float *z, int w, int k) { __shared__ float s[512];"
        " int t = threadIdx.y * 16 + threadIdx.x, r = blockIdx.y * 16, c = blockIdx.x * 16; float a = 0;"
        " for (int m = 0; m < k; m += 16) { s[t] = x[(r + t / 16) * k + m + t % 16];"
        " s[256 + t] = y[(m + t / 16) * w + c + t % 16]; __syncthreads();"
        " for (int q = 0; q < 16; q++) a += s[threadIdx.y * 16 + q] * s[256 + q * 16 + threadIdx.x]; __syncthreads(); }"
        " z[(r + threadIdx.y) * w + c + threadIdx.x] = a; }",
        HOST % ("h * k", "k * w", "h * w", "dim3(12, 10)", "dim3(16, 16)", ", w, k"),
        "7680|tile(48) ∧ 48x192|tile(48x1) → 160x192|element", 2949120,
    ),
    "total variation": (
        "__global__ void f(const float *x, float *y, float *z, int w, int h) { int j = blockIdx.x * 32 + threadIdx.x,"
        " i = blockIdx.y * 8 + threadIdx.y; float v = 0; if (i + 1 < h && j + 1 < w) {"
        " float a = x[i * w + j + 1] - x[i * w + j], b = x[(i + 1) * w + j] - x[i * w + j]; v = a * a + b * b; }"
        " for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); if (threadIdx.x == 0) atomicAdd(y, v); }",
        HOST % ("h * w", "1", "n", "dim3(6, 20)", "dim3(32, 8)", ", w, h"),
        "160x192|neighbourhood(2x2) → 1|shared", 182214,
    ),
    "energy of a torus": (
        "__global__ void f(const float *x, float *y, float *z, int w, int h) { int j = blockIdx.x * 32 + threadIdx.x,"
        " i = blockIdx.y * 8 + threadIdx.y; __shared__ float s; if (threadIdx.x + threadIdx.y == 0) s = 0;"
        " __syncthreads(); atomicAdd(&s, x[i * w + j] * (x[i * w + (j + 1) % w] + x[(i + 1) % h * w + j]));"
        " __syncthreads(); if (threadIdx.x + threadIdx.y == 0) atomicAdd(y, s); }",
        HOST % ("h * w", "1", "n", "dim3(6, 20)", "dim3(32, 8)", ", w, h"),
        "160x192|neighbourhood(2x2) → 1|shared", 92160,
    ),
    "norm of a residual": (
        "__global__ void f(const float *x, const float *b, float *z, int n) { int i = blockIdx.x * 128 + threadIdx.x;"
        " if (i == 0 || i >= n - 1) return; float r = b[i] - (x[i - 1] - 2 * x[i] + x[i + 1]); atomicAdd(z, r * r); }",
        HOST % ("n", "n", "1", "n / 128", "128", ", n"),
        "8192|element ∧ 8192|neighbourhood(3) → 1|shared", 49140,
    ),
    "counters of blocks that go to those of all": (
        "__global__ void f(const float *x, float *y, int *z, int n) { __shared__ int s[64]; int t = threadIdx.x;"
        " if (t < 64) s[t] = 0; __syncthreads();"
        " for (int i = blockIdx.x * 128 + t; i < n; i += 2048) atomicAdd(&s[(int)(x[i] * 3.f)], 1);"
        " __syncthreads(); if (t < 64) atomicAdd(&z[t], s[t]); }",
        (HOST % ("n", "n", "64", "16", "128", ", n")).replace("*z;", "*q; int *z;"),
        "8192|element → 64|shared", 16384,
    ),
    "counters that each block stores": (
        "__global__ void f(const float *x, float *y, int *z, int n) { __shared__ int s[64]; int t = threadIdx.x;"
        " if (t < 64) s[t] = 0; __syncthreads();"
        " atomicAdd(&s[(__float_as_uint(x[blockIdx.x * 128 + t]) >> 3) & 63], 1);"
        " __syncthreads(); if (t < 64) z[t * gridDim.x + blockIdx.x] = s[t]; }",
        (HOST % ("n", "n", "64 * (n / 128)", "n / 128", "128", ", n")).replace("*z;", "*q; int *z;"),
        "8192|tile(128) → 64x64|tile(64x1)", 24576,
    ),
    "sine and cosine at once": (
        "__global__ void f(const float *x, float *y, float *z) { int i = blockIdx.x * 128 + threadIdx.x; float s, c;"
        " sincosf(x[threadIdx.x], &s, &c); y[i] = y[i] * c - s; }",
        HOST % ("128", "n", "n", "n / 128", "128", ""),
        "128|element ∧ 8192|element → 8192|element", 24576,
    ),
    "members of a vector by a pointer": (
        "__global__ void f(const float4 *x, float4 *y, float *z, int n) { int i = blockIdx.x * 128 + threadIdx.x;"
        " float4 v = x[i], w = y[i]; float *p = &v.x; const float *q = reinterpret_cast<float *>(&w);"
        " for (int k = 0; k < 4; k++) p[k] = p[k] * q[k] + 1.f; y[i] = v; }",
        (HOST % ("n * 4", "n * 4", "n", "n / 128", "128", ", n")).replace("(x, y,", "((float4 *)x, (float4 *)y,"),
        "8192|element ∧ 8192|element → 8192|element", 65536,
    ),
    "sums of rows by shuffles": (
        "__global__ void f(const float *x, float *y, float *z) { float s = 0; int r = blockIdx.x, t = threadIdx.x;"
        " for (int i = t; i < 512; i += 32) s += x[r * 512 + i];"
        " for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o); if (t == 0) y[r] = s; }",
        HOST % ("n * 512", "n", "n", "n", "32", ""),
        "4194304|tile(512) → 8192|element", 4194304,
    ),
    "sum of everything": (
        "__global__ void f(const float *x, float *y, float *z, int n) { __shared__ float s[128]; int t = threadIdx.x;"
        " s[t] = x[blockIdx.x * 128 + t] * x[blockIdx.x * 128 + t]; __syncthreads();"
        " for (int o = 64; o > 0; o /= 2) { if (t < o) s[t] += s[t + o]; __syncthreads(); }"
        " if (t == 0) atomicAdd(y, s[0]); }",
        HOST % ("n", "1", "n", "n / 128", "128", ", n"),
        "8192|element → 1|shared", 16384,
    ),
    "halves of a chequered grid": (
        "__global__ void f(const float *x, float *y, float *z, int w, int h) { int j = blockIdx.x * 32 + threadIdx.x,"
        " i = blockIdx.y * 8 + threadIdx.y; if (i >= h || j >= w) return;"
        " int s = (i & 1) ? (j + 1 == w ? 0 : j + 1) : (j == 0 ? w - 1 : j - 1);"
        " y[i * w + j] = x[i * w + j] + x[i * w + s]; }",
        HOST % ("h * w", "h * w", "n", "dim3(6, 20)", "dim3(32, 8)", ", w, h"),
        "160x192|neighbourhood(3) → 160x192|element", 30720,
    ),
    "rows that end inside a line of blocks": (
        "__global__ void f(const float *x, const float *y, float *z, int w, int h) {"
        " int t = blockIdx.x * 256 + threadIdx.x, i = t % w; float s = 0;"
        " for (int k = 0; k < 5; k++) if (i >= k) s += y[k] * x[t - k]; z[t] = s; }",
        HOST % ("h * w", "5", "h * w", "h * w / 256", "256", ", w, h"),
        "160x192|neighbourhood(5) → 160x192|element", 304000,
    ),
    "rows and columns exchanged": (
        "__global__ void f(const float *x, float *y, float *z, int w, int h) { int i = blockIdx.x * 16 + threadIdx.x,"
        " j = blockIdx.y * 16 + threadIdx.y; y[i * h + j] = x[j * w + i]; }",
        HOST % ("h * w", "h * w", "n", "dim3(12, 10)", "dim3(16, 16)", ", w, h"),
        "unordered 160x192|element → 192x160|element", 0,
    ),
    "columns there and back, of which the first row takes no factor": (
        "__global__ void f(const float *x, float *y, float *z, int w, int h) { int t = blockIdx.x * 64 + threadIdx.x;"
        " float p = y[t]; z[t] = p;"
        " for (int i = 1; i < h; i++) { int k = i * w + t; p = y[k] - x[k] * p; z[k] = p; }"
        " y[(h - 1) * w + t] = p;"
        " for (int i = h - 2; i >= 0; i--) { int k = i * w + t; p = z[k] - 0.5f * p; y[k] = p; } }",
        HOST % ("h * w", "h * w", "h * w", "w / 64", "64", ", w, h"),
        "159x192|tile(159x1) ∧ 160x192|tile(160x1) → 160x192|tile(160x1) ∧ 160x192|tile(160x1)", 192 * 159 * 4,
    ),
    "factors of small matrices, element by element apart": (
        "__global__ void f(const float *x, float *y, float *z, int n) { int t = blockIdx.x * 128 + threadIdx.x;"
        " float a = sqrtf(x[t]), b = x[n + t] / a, c = x[2 * n + t] / a, d = sqrtf(x[3 * n + t] - b * b);"
        " float e = (x[4 * n + t] - b * c) / d; y[t] = a; y[n + t] = b; y[2 * n + t] = c; y[3 * n + t] = d;"
        " y[4 * n + t] = e; y[5 * n + t] = sqrtf(x[5 * n + t] - c * c - e * e); }",
        HOST % ("6 * n", "6 * n", "n", "n / 128", "128", ", n"),
        "6x8192|tile(6x1) → 6x8192|tile(6x1)", 8192 * 14,
    ),
    "products of short rows by warps that fuse": (
        "__global__ void f(const float *x, const float *y, float *z, int n) {"
        " int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, l = threadIdx.x & 31; float s = 0;"
        " for (int k = 0; k < 3; k++) s = fmaf(x[r * 96 + l + 32 * k], y[r * 96 + l + 32 * k], s);"
        " for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(~0u, s, o); if (l == 0) z[r] = s; }",
        HOST % ("n * 96", "n * 96", "n", "n / 4", "128", ", n"),
        "786432|tile(96) ∧ 786432|tile(96) → 8192|element", 2 * 96 * 8192,
    ),
    "one number for each channel": (
        "__global__ void f(const float *x, const float *y, float *z, int w, int k) {"
        " int i = blockIdx.x * 128 + threadIdx.x; z[i] = x[i] * y[i / w % k]; }",
        HOST % ("4 * k * w", "k", "4 * k * w", "4 * k * w / 128", "128", ", w, k"),
        "36864|element ∧ 48|element → 36864|element", 36864,
    ),
    "rows of unit length by warps": (
        "__global__ void f(const float *x, float *y, float *z, int w) { int r = blockIdx.x * 4 + threadIdx.x / 32,"
        " l = threadIdx.x % 32; float s = 0; for (int i = l; i < w; i += 32) s += x[r * w + i] * x[r * w + i];"
        " for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o); float q = rsqrtf(s);"
        " for (int i = l; i < w; i += 32) y[r * w + i] = x[r * w + i] * q; }",
        HOST % ("h * w", "h * w", "n", "h / 4", "128", ", w"),
        "30720|tile(192) → 30720|tile(192)", 3 * 30720 + 160,
    ),
    "a number that all read": (
        "__global__ void f(const float *x, float *y, const float *z, int n) {"
        " int i = blockIdx.x * 128 + threadIdx.x; y[i] = x[i] * *z; }",
        HOST % ("n", "n", "1", "n / 128", "128", ", n"),
        "8192|element ∧ 1|full → 8192|element", 8192,
    ),
    "neighbours that data choose by cases": (
        "__global__ void f(const float *x, float *y, const int *z, int w, int h) {"
        " int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;"
        " if (i < 1 || j < 1 || i > h - 2 || j > w - 2) return; int k = i * w + j;"
        " float a; switch (z[k]) { case 0: a = x[k - 1] + x[k + 1]; break; case 1: a = x[k - w] + x[k + w]; break;"
        " default: a = x[k]; } y[k] = a; }",
        HOST % ("h * w", "h * w", "h * w", "dim3(6, 20)", "dim3(32, 8)", ", w, h"),
        "160x192|neighbourhood(3x3) ∧ 160x192|element → 160x192|element", 30720,
    ),
    "one of two sides, each with a store": (
        "__global__ void f(const float *x, float *y, const float *z, int n) { int i = blockIdx.x * 128 + threadIdx.x;"
        " if (z[i] < 0) { y[i] = x[i] * 2 + 1; } else { y[i] = x[i] * x[i] * x[i] + 1; } }",
        HOST % ("n", "n", "n", "n / 128", "128", ", n"),
        "8192|element ∧ 8192|element → 8192|element", 8192 * 3.5,
    ),
    "turns that data leave out": (
        "__global__ void f(const float *x, float *y, float *z, int n) { int i = blockIdx.x * 128 + threadIdx.x;"
        " float s = 0; for (int k = 0; k < 4; k++) { if (z[i * 4 + k] < 0) continue; s += x[i * 4 + k]; } y[i] = s; }",
        HOST % ("4 * n", "n", "4 * n", "n / 128", "128", ", n"),
        "32768|tile(4) ∧ 32768|tile(4) → 8192|element", 65536,
    ),
    "results that a function returns early": (
        "__device__ float g(float a, float b) { if (b == 0) return 0; return a / b; }"
        "__global__ void f(const float *x, float *y, const float *z, int n) {"
        " int i = blockIdx.x * 128 + threadIdx.x; y[i] = g(x[i], z[i]); }",
        HOST % ("n", "n", "n", "n / 128", "128", ", n"),
        "8192|element ∧ 8192|element → 8192|element", 16384,
    ),
    "elements and a sum of them": (
        "__global__ void f(const float *x, float *y, float *z, int n) { __shared__ float s[128]; int t = threadIdx.x,"
        " i = blockIdx.x * 128 + t; float a = x[i] + y[i]; y[i] = a; s[t] = a * a; __syncthreads();"
        " for (int o = 64; o > 0; o /= 2) { if (t < o) s[t] += s[t + o]; __syncthreads(); }"
        " if (t == 0) atomicAdd(z, s[0]); }",
        HOST % ("n", "n", "1", "n / 128", "128", ", n"),
        "8192|element ∧ 8192|element → 8192|element ∧ 1|shared", 24576,
    ),
    "elements and a sum of each block": (
        "__global__ void f(const float *x, float *y, float *z, int n) { __shared__ float s[128]; int t = threadIdx.x,"
        " i = blockIdx.x * 128 + t; float a = x[i] * x[i]; y[i] = a; s[t] = a; __syncthreads();"
        " for (int o = 64; o > 0; o /= 2) { if (t < o) s[t] += s[t + o]; __syncthreads(); }"
        " if (t == 0) z[blockIdx.x] = s[0]; }",
        HOST % ("n", "n", "n / 128", "n / 128", "128", ", n"),
        "8192|element → 8192|element ∧ 64|shared", 16320,
    ),
    "a flag that data raise": (
        "__global__ void f(const float *x, float *y, int *z, int n) { int i = blockIdx.x * 128 + threadIdx.x;"
        " if (x[i] < 0) *z = 1; y[i] = sqrtf(x[i]); }",
        HOST % ("n", "n", "1", "n / 128", "128", ", n"),
        "8192|element → 8192|element ∧ 1|shared", 16384,
    ),
    "rows that data choose": (
        "__global__ void f(const float *x, float *y, const int *z, int w, int h) { int r = blockIdx.x; float s = 0;"
        " const float *p = x + z[r] * w; for (int j = threadIdx.x; j < w; j += 32) s += p[j];"
        " for (int o = 16; o > 0; o /= 2) s += __shfl_xor_sync(~0u, s, o); if (threadIdx.x == 0) y[r] = s; }",
        HOST % ("h * w", "n", "n", "n", "32", ", w, h"),
        "30720|gather(192) ∧ 8192|element → 8192|element", 192 * 8192,
    ),
    "numbers that no array enters": (
        "__global__ void f(float *x, float *y, float *z, int n) { unsigned s = blockIdx.x * 128 + threadIdx.x;"
        " int i = s; s = s * 2654435761u + 1; s ^= s << 13; s ^= s >> 17; x[i] = s * 2e-10f; }",
        HOST % ("n", "n", "n", "n / 128", "128", ", n"),
        "void → 8192|element", 7 * 8192,
    ),
    "columns of rows that share most of their work": (
        "__global__ void f(const float *x, const float *y, float *z, int w) { int r = blockIdx.x * 32 + threadIdx.x;"
        " float a[8] = {0}; for (int k = 0; k < 48; k++) { float s = 0; for (int d = 0; d < 8; d++)"
        " s += x[r * 8 + d] * y[k * 8 + d]; for (int d = 0; d < 8; d++) a[d] += s * y[k * 8 + d]; }"
        " for (int d = 0; d < 8; d++) z[r * 8 + d] = a[d]; }",
        HOST % ("h * 8", "k * 8", "h * 8", "h / 32", "32", ", w"),
        "1280|tile(8) ∧ 384|full → 1280|tile(8)", 160 * 48 * 32,
    ),
    "structures with arrays": (
        "struct M { float a[3][3]; float w; }; __global__ void f(const M *x, M *y, float *z, int n) {"
        " int i = blockIdx.x * 128 + threadIdx.x; const M m = x[i]; M r; r.w = 2 * m.w;"
        " for (int k = 0; k < 3; k++) for (int j = 0; j < 3; j++) r.a[k][j] = m.a[j][k] * m.w; y[i] = r; }",
        HOST.replace("float *x, *y", "M *x, *y").replace("sizeof(float)", "40")
        % ("n", "n", "n", "n / 128", "128", ", n"),
        "8192|element → 8192|element", 81920,
    ),
    "blocks of bytes with a scale": (
        "struct B { float d; signed char q[28]; }; __global__ void f(const B *x, const float *y, float *z, int n) {"
        " int r = blockIdx.x * 64 + threadIdx.x; float s = 0; for (int b = 0; b < 8; b++) { const B *p = x + r * 8 + b;"
        " float a = 0; for (int j = 0; j < 28; j++) a += p->q[j] * y[b * 28 + j]; s += a * p->d; } z[r] = s; }",
        HOST.replace("float *x, *y", "B *x; float *y").replace("sizeof(float)", "sizeof(B)", 1)
        % ("8 * n", "224", "n", "n / 64", "64", ", n"),
        "65536|tile(8) ∧ 224|full → 8192|element", 8192 * 8 * 58,
    ),
    "keys of hashes, and products of which the upper half counts": (
        "__global__ void f(const unsigned *x, unsigned long long *y, float *z, int n) {"
        " int i = blockIdx.x * 128 + threadIdx.x; unsigned long long h = 0xcbf29ce484222325ULL; unsigned v; "
        " memcpy(&v, x + i, 4); h = (h ^ v) * 0xff51afd7ed558ccdULL; y[i] = h ^ __umulhi(v, 2654435761u); }",
        HOST.replace("float *x, *y", "unsigned *x; unsigned long long *y")
        % ("n", "2 * n", "n", "n / 128", "128", ", n"),
        "8192|element → 8192|element", 4 * 8192,
    ),
    "an element, one of its row and one of its column": (
        "__global__ void f(float *x, float *y, float *z, int w, int h) { int j = blockIdx.x * 32 + threadIdx.x,"
        " i = blockIdx.y * 8 + threadIdx.y, k = h / 2; x[i * w + j] -= x[i * w + k] * x[k * w + j]; }",
        HOST % ("h * w", "n", "n", "dim3(6, 20)", "dim3(32, 8)", ", w, h"),
        "160|element ∧ 192|element ∧ 30720|element → 160x192|element", 2 * 30720,
    ),
    "rows and columns of one matrix, of which a part changes": (
        "__global__ void f(float *x, float *y, float *z, int n) { __shared__ float a[8][8], b[8][8];"
        " int i = threadIdx.y, j = threadIdx.x, r = 8 + blockIdx.y * 8 + i, c = 8 + blockIdx.x * 8 + j, m = n / 64;"
        " a[i][j] = x[r * m + j]; b[i][j] = x[i * m + c]; __syncthreads(); float s = 0;"
        " for (int k = 0; k < 8; k++) s += a[i][k] * b[k][j]; x[r * m + c] -= s; }",
        HOST % ("n / 64 * (n / 64)", "n", "n", "dim3(15, 15)", "dim3(8, 8)", ", n"),
        "960|tile(8) ∧ 8x120|tile(8x1) ∧ 14400|element → 14400|element", 17 * 14400,
    ),
    "elements of rows beside a sum of each": (
        "__global__ void f(const float *x, float *y, float *z, int w) { int r = blockIdx.x * 32 + threadIdx.x;"
        " float s = 0; for (int j = r * w; j < r * w + w; j++) { y[j] = 2 * x[j]; s += x[j]; } z[r] = s; }",
        HOST % ("h * w", "h * w", "h", "h / 32", "32", ", w"),
        "30720|tile(192) → 30720|tile(192) ∧ 160|element", 2 * 30720,
    ),
    "a table in constant memory that data look up": (
        "__constant__ float t[16]; __global__ void f(const unsigned char *x, float *y, float *z, int n) {"
        " int i = blockIdx.x * 128 + threadIdx.x; y[i] = t[x[i] & 15] * t[x[i] >> 4]; }",
        HOST.replace("float *x, *y", "unsigned char *x; float *y") % ("n / 4", "n", "n", "n / 128", "128", ", n"),
        "16|gather(2) ∧ 8192|element → 8192|element", 8192,
    ),
    "pixels beside the mean of four": (
        "__global__ void f(const float *x, float *y, float *z, int w) { int j = blockIdx.x * 16 + threadIdx.x,"
        " i = blockIdx.y * 8 + threadIdx.y; float s = 0; for (int a = 0; a < 2; a++) for (int b = 0; b < 2; b++) {"
        " int k = (2 * i + a) * w + 2 * j + b; y[k] = 0.5f * x[k]; s += x[k]; } z[i * (w / 2) + j] = 0.25f * s; }",
        HOST % ("h * w", "h * w", "h * w / 4", "dim3(6, 10)", "dim3(16, 8)", ", w"),
        "160x192|tile(2x2) → 160x192|tile(2x2) ∧ 7680|element", 9 * 7680,
    ),
}  # fmt: skip

STRIDED = (
    "__global__ void f(const float *x, const float *y, float *z, int n) { float s = 0;"
    " for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { BODY }"
    " for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);"
    " if ((threadIdx.x & 31) == 0) atomicAdd(z, s); }"
)
LARGEST = (
    "__global__ void f(const float *x, float *y, float *z, int n) { __shared__ float b[128]; float m = -1e30f;"
    " for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) { float v = x[i]; BODY }"
    " b[threadIdx.x] = m; __syncthreads(); for (int o = 64; o; o /= 2) { if (threadIdx.x < o)"
    " { if (b[threadIdx.x + o] > b[threadIdx.x]) b[threadIdx.x] = b[threadIdx.x + o]; } __syncthreads(); }"
    " if (threadIdx.x == 0) z[blockIdx.x] = b[0]; }"
)
UNDER_CONDITIONS = {
    "terms that several conditions let in": (
        STRIDED.replace("BODY", "if (y[i] < 0.1f) continue; if (y[i] > 0.9f) continue; s += x[i] * y[i];"),
        "8192|element ∧ 8192|element → 1|shared", 4 * 8192,
    ),
    "terms chosen by an operator": (
        STRIDED.replace("BODY", "s = y[i] > 0.5f ? s + x[i] : s;"), "8192|element ∧ 8192|element → 1|shared", 2 * 8192
    ),
    "numbers counted by votes": (
        "__global__ void f(const float *x, const float *y, float *z, int n) {"
        " for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {"
        " unsigned b = __ballot_sync(~0u, x[i] > y[i]);"
        " if ((threadIdx.x & 31) == 0 && b) atomicAdd(z, (float)__popc(b)); } }",
        "8192|element ∧ 8192|element → 1|shared", 1.1 * 8192,
    ),
    "largest by a condition": (LARGEST.replace("BODY", "if (v > m) m = v;"), "8192|element → 16|shared", 8192),
    "largest by an operator": (LARGEST.replace("BODY", "m = v < m ? m : v;"), "8192|element → 16|shared", 8192),
    "largest of some": (
        LARGEST.replace("BODY", "if (v != 0 && m < v) m = v;"), "8192|element → 16|shared", 2 * 8192
    ),
}  # fmt: skip


WHOLE_FILES = {
    "structures that data choose": (
        "struct Point { float x, y, z; }; __global__ void f(const int2 *edge, const Point *p, float *length) {"
        " int i = blockIdx.x * 128 + threadIdx.x; Point a = p[edge[i].x], b = p[edge[i].y];"
        " length[i] = fabsf(a.x - b.x) + fabsf(a.y - b.y) + fabsf(a.z - b.z); }"
        " int main() { int2 *e; Point *p; float *l; cudaMalloc(&e, 8192 * sizeof(int2));"
        " cudaMalloc(&p, 3000 * sizeof(Point)); cudaMalloc(&l, 8192 * sizeof(float)); f<<<64, 128>>>(e, p, l); }",
        "8192|element ∧ 3000|gather(2) → 8192|element", 8 * 8192,
    ),
    "structures in constant memory": (
        "struct Lamp { float x, y, power; }; __constant__ Lamp lamps[12];"
        " __global__ void f(const float2 *at, float *light) { int i = blockIdx.x * 128 + threadIdx.x; float s = 0;"
        " float2 p = at[i]; for (int k = 0; k < 12; k++) { float x = p.x - lamps[k].x, y = p.y - lamps[k].y;"
        " s += lamps[k].power / (x * x + y * y); } light[i] = s; }"
        " int main() { float2 *a; float *l; cudaMalloc(&a, 8192 * sizeof(float2)); cudaMalloc(&l, 8192 * 4);"
        " f<<<64, 128>>>(a, l); }",
        "8192|element ∧ 12|full → 8192|element", 12 * 7 * 8192,
    ),
    "pairs of rows": (
        "__global__ void f(const float *x, float *y) { int a = threadIdx.y, b = threadIdx.x; float s = 0;"
        " for (int k = 0; k < 64; k++) s += x[(blockIdx.x * 16 + a) * 64 + k] * x[(blockIdx.x * 16 + b) * 64 + k];"
        " y[(blockIdx.x * 16 + a) * 16 + b] = s; }"
        " int main() { float *x, *y; cudaMalloc(&x, 40 * 16 * 64 * 4); cudaMalloc(&y, 40 * 256 * 4);"
        " f<<<40, dim3(16, 16)>>>(x, y); }",
        "40960|tile(64) ∧ 40960|tile(64) → 10240|element", 2 * 64 * 10240,
    ),
    "terms of an element each, to sums that data choose": (
        "__global__ void f(const int *id, const float *g, const float *w, float *sum) {"
        " int d = threadIdx.x, i = blockIdx.x * 4 + threadIdx.y;"
        " atomicAdd(&sum[(id[i] % 50) * 32 + d], g[i * 32 + d] * w[(id[i] / 50) * 32 + d]); }"
        " int main() { int *i; float *g, *w, *s; cudaMalloc(&i, 4000 * 4); cudaMalloc(&g, 4000 * 32 * 4);"
        " cudaMalloc(&w, 20 * 32 * 4); cudaMalloc(&s, 50 * 32 * 4); f<<<1000, dim3(32, 4)>>>(i, g, w, s); }",
        "128000|element ∧ 4000|element ∧ 640|gather → 1600|shared", 2 * 128000,
    ),
    "elements of a table in shared memory that data choose": (
        "__global__ void f(const unsigned char *q, const float *book, const float *scale, float *y) {"
        " __shared__ float s[128]; s[threadIdx.x] = book[threadIdx.x]; __syncthreads();"
        " int i = blockIdx.x * 128 + threadIdx.x; y[i] = s[q[i]] * scale[i / 64]; }"
        " int main() { unsigned char *q; float *b, *s, *y; cudaMalloc(&q, 8192); cudaMalloc(&b, 128 * 4);"
        " cudaMalloc(&s, 128 * 4); cudaMalloc(&y, 8192 * 4); f<<<64, 128>>>(q, b, s, y); }",
        "128|gather ∧ 8192|element ∧ 128|element → 8192|element", 8192,
    ),
    "place of the smallest, element by element of the grid": (
        "__global__ void f(const float *x, float *low, int *where, int n) {"
        " __shared__ float v[64]; __shared__ int w[64]; float m = 1e30f;"
        " int at = 0, t = threadIdx.x; for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64)"
        " if (x[i] < m) { at = i; m = x[i]; } v[t] = m; w[t] = at; __syncthreads();"
        " for (int o = 32; o; o /= 2) { if (t < o && v[t + o] < v[t]) { v[t] = v[t + o]; w[t] = w[t + o]; }"
        " __syncthreads(); } if (t == 0) { low[blockIdx.x] = v[0]; where[blockIdx.x] = w[0]; } }"
        " int main() { float *x, *l; int *w; cudaMalloc(&x, 9000 * 4); cudaMalloc(&l, 20 * 4); cudaMalloc(&w, 20 * 4);"
        " f<<<20, 64>>>(x, l, w, 9000); }",
        "9000|element → 20|shared ∧ 20|shared", 9000,
    ),
    "small products in batches": (
        "__global__ void f(const float *a, const float *b, float *c) { __shared__ float s[64], t[64];"
        " int r = threadIdx.y, q = threadIdx.x, i = blockIdx.x * 64 + r * 8 + q; s[r * 8 + q] = a[i];"
        " t[r * 8 + q] = b[i]; __syncthreads(); float v = 0;"
        " for (int k = 0; k < 8; k++) v += s[r * 8 + k] * t[k * 8 + q]; c[i] = v; }"
        " int main() { float *a, *b, *c; cudaMalloc(&a, 500 * 256); cudaMalloc(&b, 500 * 256);"
        " cudaMalloc(&c, 500 * 256); f<<<500, dim3(8, 8)>>>(a, b, c); }",
        "32000|tile(8) ∧ 4000x8|tile(8x1) → 32000|element", 16 * 32000,
    ),
    "weights of which the first rows take some": (
        "__global__ void f(const float *x, const float *w, float *y, int c) { int i = threadIdx.x, t = blockIdx.x;"
        " float s = 0; for (int k = 0; k < 4; k++) if (t - 3 + k >= 0) s += w[i * 4 + k] * x[(t - 3 + k) * c + i];"
        " y[t * c + i] = s; }"
        " int main() { float *x, *w, *y; cudaMalloc(&x, 96 * 200 * 4); cudaMalloc(&w, 96 * 4 * 4);"
        " cudaMalloc(&y, 96 * 200 * 4); f<<<200, 96>>>(x, w, y, 96); }",
        "384|tile(4) ∧ 200x96|neighbourhood(4x1) → 200x96|element", 8 * 96 * 200,
    ),
    "sums of a few more than a warp, and constants of one line": (
        "constexpr int ROWS = 4096, NEAR = 16, SPAN = 2 * NEAR + 1; __global__ void f(float *p) { int l = threadIdx.x;"
        " float *r = p + blockIdx.x * SPAN; float s = 0; for (int k = l; k < SPAN; k += 32) s += r[k];"
        " for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);"
        " for (int k = l; k < SPAN; k += 32) r[k] /= s; }"
        " int main() { float *p; cudaMalloc(&p, ROWS * SPAN * 4); f<<<ROWS, 32>>>(p); }",
        "135168|tile(33) → 135168|tile(33)", 2 * 33 * 4096,
    ),
    "structures that an alignment fills up": (
        "struct __align__(16) Hit { float a, t, q; };"
        " __global__ void f(const Hit *h, float *e) { int i = blockIdx.x * 128 + threadIdx.x;"
        " e[i] = h[i].q * h[i].t + h[i].a; }"
        " int main() { Hit *h; float *e; cudaMalloc(&h, 8192 * sizeof(Hit)); cudaMalloc(&e, 8192 * 4);"
        " f<<<64, 128>>>(h, e); }",
        "8192|element → 8192|element", 2 * 8192,
    ),
    "structures that a structure leads to": (
        "struct V { float x, y, z; }; struct World { V *at, *speed; float *mass; int count; };"
        " __global__ void f(World w, float t) { int i = blockIdx.x * 128 + threadIdx.x; if (i >= w.count) return;"
        " V p = w.at[i], v = w.speed[i]; float k = t / w.mass[i]; p.x += k * v.x; p.y += k * v.y; p.z += k * v.z;"
        " w.at[i] = p; }"
        " int main() { World w; w.count = 10000; cudaMalloc(&w.at, w.count * sizeof(V));"
        " cudaMalloc(&w.speed, w.count * sizeof(V)); cudaMalloc(&w.mass, w.count * sizeof(float));"
        " f<<<(w.count + 127) / 128, 128>>>(w, 0.1f); }",
        "10000|element ∧ 10000|element ∧ 10000|element → 10000|element", 7 * 10000,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WHOLE_FILES)
def test_class_of_what_a_whole_file_launches(name: str) -> None:
    text, wanted, operations = WHOLE_FILES[name]
    found = classify_footprint(text, {}, "f")
    assert str(found.found) == wanted
    assert found.operations == pytest.approx(operations, rel=0.01)


NUMBA = """
import numpy as np
from numba import cuda, float32

@cuda.jit
def f(x, best):
    s = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    m = -1e30
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] > m:
            m = x[i]
    s[t] = m
    cuda.syncthreads()
    o = 32
    while o > 0:
        if t < o:
            s[t] = max(s[t], s[t + o])
        cuda.syncthreads()
        o //= 2
    if t == 0:
        best[cuda.blockIdx.x] = s[0]

x = cuda.to_device(np.zeros(9000, np.float32))
best = cuda.device_array(20, np.float32)
f[20, 64](x, best)
"""


def test_kernels_of_numba_are_followed_as_the_cuda_that_they_stand_for() -> None:
    [found] = classify_or_count(NUMBA, "python", {}, "f", counted=False)
    assert str(found.found) == "9000|element → 20|shared"
    assert "followed" in found.checked


@pytest.mark.parametrize("name", UNDER_CONDITIONS)
def test_sums_that_go_on_under_conditions(name: str) -> None:
    kernel, wanted, operations = UNDER_CONDITIONS[name]
    found = classify_footprint(kernel + HOST % ("n", "n", "16", "16", "128", ", n"), {}, "f")
    assert str(found.found) == wanted
    assert found.operations == pytest.approx(operations, rel=0.06)


def test_the_last_block_counts_as_the_part_of_the_grid_that_it_is() -> None:
    kernel = (
        "__global__ void f(const float *x, float *y, float *z, int n) { int c = blockIdx.x * 256 + threadIdx.x;"
        " if (c >= n) return; float s = 0; for (int r = 0; r < 90; r++) s += x[r * n + c]; y[c] = s; }"
    )
    found = classify_footprint(kernel + HOST % ("8200 * 90", "8200", "n", "33", "256", ", 8200"), {}, "f")
    assert str(found.found) == "90x8200|tile(90x1) → 8200|element"
    assert found.operations == pytest.approx(90 * 8200, rel=0.005)


def test_values_that_go_from_turn_to_turn_through_an_array() -> None:
    """A window of nine rows in registers, moved on by one row in each of many turns."""
    kernel = (
        "__global__ void f(const float *x, float *y, float *z) { int c = threadIdx.x, r = blockIdx.x * 40; float p[9];"
        " for (int k = 0; k < 8; k++) p[k + 1] = x[(r + k) * 32 + c];"
        " for (int n = r; n < r + 40; n++) { for (int k = 0; k < 8; k++) p[k] = p[k + 1];"
        " p[8] = x[(n + 8) * 32 + c]; float s = 0; for (int k = 0; k < 9; k++) s += p[k]; y[n * 32 + c] = s; } }"
    )
    found = classify_footprint(kernel + HOST % ("808 * 32", "800 * 32", "n", "20", "32", ""), {}, "f")
    assert str(found.found) == "808x32|neighbourhood(9x1) → 808x32|element"
    assert found.operations == pytest.approx(9 * 800 * 32, rel=0.01)


def test_neighbours_that_end_with_a_block_are_of_no_whole_line() -> None:
    kernel = (
        "__global__ void f(const float *x, float *y, float *z) { __shared__ float s[128]; int t = threadIdx.x;"
        " int i = blockIdx.x * 128 + t; s[t] = x[i]; __syncthreads(); float d = 0; if (t > 0) d = s[t] - s[t - 1];"
        " y[i] = d; __syncthreads(); s[t] = d; __syncthreads();"
        " for (int o = 64; o; o /= 2) { if (t < o) s[t] = fmaxf(s[t], s[t + o]); __syncthreads(); }"
        " if (t == 0) z[blockIdx.x] = s[0]; }"
    )
    with pytest.raises(SourceError):
        classify_footprint(kernel + HOST % ("n", "n", "n / 128", "n / 128", "128", ""), {}, "f")


@pytest.mark.parametrize("name", KERNELS)
def test_class_of_what_results_are_computed_from(name: str) -> None:
    kernel, host, wanted, operations = KERNELS[name]
    found = classify_footprint(kernel + host, {}, "f")
    assert str(found.found) == wanted
    assert found.operations == pytest.approx(operations, rel=0.005)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("y[(int)x[i]] = z[i];", "data decide where it writes"),
        ("y[i] = x[z[i] > 0 ? i : n - 1 - i];", "data decide between elements"),
        ("const float *p = x; if (z[i] > 0) p = y; y[i] = p[i];", "data decide which array"),
        ("int k = 0; for (; k < 9; k++) if (x[i] > z[k]) break; y[i] = k;", "data decide how often"),
        ("float s = 0; for (int k = 0; k < x[i]; k++) s += z[k]; y[i] = s;", "data decide how often"),
        ("float s = 0; for (int k = 0; k <= i % 8; k++) s += x[i + k]; y[i] = s;", "differs"),
        ("if (i > 0 && i < n - 1 && (i & 1)) y[i] = y[i - 1] + y[i + 1];", "different numbers|few|others read"),
        ("if (2 * i < n) y[i] = x[2 * i];", "leave out"),
        ("y[i] = x[(i * 7) % n];", "order that is not followed"),
        ("y[i] = x[i] + x[n - 1 - i];", "differs"),
        (
            "if (i < n / 2) { float a = x[i], b = x[i + n / 2]; y[i] = a + b; y[i + n / 2] = (a - b) * z[i]; }",
            "few|one is not told",
        ),
        (
            "__shared__ float s[128]; s[threadIdx.x] = x[i]; __syncthreads(); y[i] = s[(int)z[i] & 127];",
            "data decide which element of shared memory",
        ),
        (
            "__shared__ float s[128]; int t = threadIdx.x; s[t] = x[i]; __syncthreads();"
            " for (int o = 1; o < 128; o *= 2) { float v = t >= o ? s[t - o] : 0; __syncthreads(); s[t] += v;"
            " __syncthreads(); } y[i] = s[t]; if (t == 127) z[blockIdx.x] = s[t];",
            "different numbers",
        ),
    ],
)
def test_what_data_decide_or_differs_is_refused(body: str, reason: str) -> None:
    head = "__global__ void f(const float *x, float *y, float *z, int n) { int i = blockIdx.x * 128 + threadIdx.x; "
    with pytest.raises(SourceError, match=reason):
        classify_footprint(head + body + " }" + HOST % ("n", "n", "n", "n / 128", "128", ", n"), {}, "f")


@pytest.mark.parametrize("name", ["u", "field"])
def test_half_of_a_chequered_grid_in_place_is_no_average_of_wavefronts(name: str) -> None:
    kernel = (
        "__global__ void f(float *u, int n, int colour) { int j = blockIdx.x * 32 + threadIdx.x + 1,"
        " i = blockIdx.y * 8 + threadIdx.y + 1; if (i >= n - 1 || j >= n - 1 || ((i + j) & 1) != colour) return;"
        " u[i * n + j] = 0.25f * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]); }"
        " int main() { int n = 258; float *u; cudaMalloc(&u, n * n * 4); f<<<dim3(8, 32), dim3(32, 8)>>>(u, n, 0); }"
    )
    with pytest.raises(SourceError, match="would wait for each other"):
        classify_or_count(kernel.replace("u[", f"{name}[").replace("*u,", f"*{name},"), "c", {}, "f", False)


def test_rows_shorter_than_the_warps_that_add_them_up() -> None:
    kernel = (
        "__global__ void f(const int *p, const int *c, const float *v, const float *x, float *y, int n) {"
        " int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = threadIdx.x % 32; if (r >= n) return; float s = 0;"
        " for (int k = p[r] + l; k < p[r + 1]; k += 32) s += v[k] * x[c[k]];"
        " for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o); if (l == 0) y[r] = s; }"
        " int main() { int n = 4096, m = 6 * n, *p, *c; float *v, *x, *y; cudaMalloc(&p, (n + 1) * 4);"
        " cudaMalloc(&c, m * 4); cudaMalloc(&v, m * 4); cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);"
        " f<<<n / 4, 128>>>(p, c, v, x, y, n); }"
    )
    [found] = classify_or_count(kernel, "c", {}, "f", False)
    assert [str(p.pattern) for p in found.found.inputs].count("gather") == 1
    assert found.operations == pytest.approx(2 * 6 * 4096, rel=0.02)


CHOICES = {
    "two sides": (
        "if (v > 0) r = v * v + 2; else r = (v - 1) * 3;",
        "r = v > 0 ? v * v + 2 : (v - 1) * 3;", 3,
    ),
    "a side that computes nothing": ("if (v > 0) r = v; else r = (v - 1) * 3;", "r = v > 0 ? v : (v - 1) * 3;", 3),
    "three sides": (
        "if (v > 0) r = v * v; else if (v < -1) r = v * 2; else r = v - 4;",
        "r = v > 0 ? v * v : v < -1 ? v * 2 : v - 4;", 1 + 1 / 3 + 2 / 3 * 2,
    ),
    "the last side by a choice": (
        "if (v > 0) r = v * v; else { r = v < -1 ? v * 2 : v - 4; }",
        "r = !(v > 0) ? v < -1 ? v * 2 : v - 4 : v * v;", 1 + 1 / 3 + 2 / 3 * 2,
    ),
}  # fmt: skip
"""The same by conditions and by choices, and its operations: one comparison, and the mean of the sides that compute."""


@pytest.mark.parametrize("form", [0, 1])
@pytest.mark.parametrize("name", CHOICES)
def test_a_choice_counts_as_the_condition_that_it_stands_for(name: str, form: int) -> None:
    *bodies, operations = CHOICES[name]
    kernel = (
        "__global__ void f(const float *x, float *y, float *z, int n) { int i = blockIdx.x * 128 + threadIdx.x;"
        f" if (i < n) {{ float v = x[i], r; {bodies[form]} y[i] = r; }} }}"
    )
    found = classify_footprint(kernel + HOST % ("n", "n", "n", "n / 128", "128", ", n"), {}, "f")
    assert str(found.found) == "8192|element → 8192|element"
    assert found.operations == pytest.approx(8192 * operations, rel=1e-4)
