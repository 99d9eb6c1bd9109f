"""Code as people write it: macros, pointers, conditions, blocks, helpers, whole-array NumPy; and what is refused."""

from __future__ import annotations

import pytest

from roofcast.core.errors import RoofcastError
from roofcast_hull.source.c_tree import find_recursion
from roofcast_hull.source.classify import classify_or_count, classify_text
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.python_code import read_python

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

TWO = "for (int i = 0; i < 64; i++) for (int j = 0; j < 32; j++)"
FIVE = "a[i-1][j]+a[i+1][j]+a[i][j-1]+a[i][j+1]"
# code, class, repetitions, operations
C = {
    "cache blocks": (
        "#define T 8\nvoid f(float A[64][64], float B[64][64], float C[64][64]) { for (int ii=0;ii<64;ii+=T)"
        " for (int jj=0;jj<64;jj+=T) for (int kk=0;kk<64;kk+=T) for (int i=ii;i<ii+T;i++) for (int j=jj;j<jj+T;j++)"
        " for (int k=kk;k<kk+T;k++) C[i][j]+=A[i][k]*B[k][j]; }",
        # C is added to and never begun here: what the caller left in it is read.
        "64x64|tile(1x64) ∧ 64x64|tile(64x1) ∧ 64x64|element → 64x64|element", 1, 2 * 64**3,
    ),
    "uneven blocks": (
        "#define MIN(a,b) ((a)<(b)?(a):(b))\nvoid f(float *a, float *b) { for (int ii=0;ii<1000;ii+=16)"
        " for (int i=ii;i<MIN(ii+16,1000);i++) b[i]=2*a[i]; }",
        "1000|element → 1000|element", 1, 1000,
    ),
    "steps of two, windows that overlap": (
        "void f(float in[133][133], float w[5][5], float out[64][64]) { for (int i=0;i<64;i++)"
        " for (int j=0;j<64;j++) { float s=0; for (int u=0;u<5;u++) for (int v=0;v<5;v++)"
        " s += in[2*i+u][2*j+v]*w[u][v]; out[i][j]=s; } }",
        "131x131|neighbourhood(5x5) → 64x64|element", 1, 64 * 64 * 50,
    ),
    "members of structures": (
        "typedef struct { double x, y; float m[4]; } P;\nvoid f(P p[64], float *o) { for (int i=0;i<64;i++) {"
        " float s=0; for (int k=0;k<4;k++) s+=p[i].m[k]; o[i]=s*p[i].x; } }",
        "64x4|tile(1x4) ∧ 64|element → 64|element", 1, 64 * 5,
    ),
    "structures that are read as a whole": (
        "typedef struct { float x, y, z; } P;\nvoid f(const P *p, float *o) { for (int i=0;i<64;i++)"
        " o[i]=p[i].x+p[i].y*p[i].z; }",
        "64|element → 64|element", 1, 64 * 2,
    ),
    "arrays that a structure leads to": (
        "typedef struct { float *x, *y; } P;\nvoid f(P p, float *o) { for (int i=0;i<64;i++) o[i]=p.x[i]*p.y[i]; }",
        "64|element ∧ 64|element → 64|element", 1, 64,
    ),
    "what reads no array": (
        "void f(float a[64][32]) { for (int i=0;i<64;i++) for (int j=0;j<32;j++) a[i][j]=1.5f*i; }",
        "void → 64x32|element", 1, 64 * 32,
    ),
    "two sums by turns": (
        "void f(const float *z, float *o) { float re=0, im=0; for (int i=0;i<128;i+=2) { re+=z[i]; im+=z[i+1]; }"
        " o[0]=re; o[1]=im; }",
        "128|element → 1|shared ∧ 1|shared", 1, 128,
    ),
    "one sum in four scalars, and its rest": (
        "void f(const float *x, float *o) { float a=0, b=0, c=0, d=0; int i; for (i=0;i<1022-3;i+=4) { a+=x[i];"
        " b+=x[i+1]; c+=x[i+2]; d+=x[i+3]; } for (;i<1022;i++) a+=x[i]; a+=b; c+=d; o[0]=a+c; }",
        "1022|element → 1|shared", 1, 1022,
    ),
    "names for arrays": (
        "typedef short plane[64][32];\nvoid f(plane *a, short o[64][32]) { for (int i=0;i<64;i++)"
        " for (int j=0;j<32;j++) { int s=0; for (int k=0;k<8;k++) s+=a[k][i][j]; o[i][j]=s; } }",
        "8x64x32|tile(8x1x1) → 64x32|element", 1, 64 * 32 * 8,
    ),
    "products of four bytes": (
        "void f(const int *a, const int *b, int *o) { for (int i=0;i<64;i++) o[i]=__dp4a(a[i],b[i],1); }",
        "64|element ∧ 64|element → 64|element", 1, 64 * 8,
    ),
    "unsigned, counted down": (
        "void f(const unsigned char *a, unsigned *b) { for (size_t i = 64; i-- > 0; ) b[i]=a[i]*3u; }",
        "64|element → 64|element", 1, 64,
    ),
    "quotients": (
        "void f(float A[64][32], float B[128][64]) { for (int i=0;i<128;i++) for (int j=0;j<64;j++)"
        " B[i][j]=A[i/2][j/2]; }",
        "64x32|element → 128x64|tile(2x2)", 1, 0,
    ),
    "one counter for two dimensions": (
        "void f(float *A, float *B) { for (int t=0;t<64*32;t++) { int i=t/32; int j=t%32; B[i*32+j]=A[i*32+j]*2; } }",
        "64x32|element → 64x32|element", 1, 2048,
    ),
    "pointers": (
        "void f(float *A, float *B, int n) { for (int i=0;i<n;i++) *(B+i) = *(A+i) * 3; }",
        "100|element → 100|element", 1, 100,
    ),
    "index macro": (
        "#define W 32\n#define AT(i,j) ((i)*W+(j))\nvoid f(double *A, double *B) { for (int i=0;i<64;i++)"
        " for (int j=0;j<W;j++) B[AT(i,j)]=A[AT(i,j)]+1.0; }",
        "64x32|element → 64x32|element", 1, 2048,
    ),
    "small functions": (
        "static inline float square(float x) { return x*x; }\nstatic float positive(float x) { if (x<0) return 0;"
        " return x; }\nvoid f(float a[100], float b[100]) { for (int i=0;i<100;i++) b[i]=positive(square(a[i])+1); }",
        "100|element → 100|element", 1, 300,
    ),
    "red and black": (
        "void f(float a[66][66]) { for (int t=0;t<10;t++) for (int i=1;i<65;i++) for (int j=1;j<65;j++)"
        f" if ((i+j)%2==0) a[i][j]=0.25f*({FIVE}); }}",
        "66x66|neighbourhood(3x3) → 66x66|element", 10, 10 * 64 * 32 * 4,
    ),
    "largest": (
        "void f(float a[100], float *out) { float m=0; for (int i=0;i<100;i++) if (a[i]>m) m=a[i]; *out=m; }",
        "100|element → 1|shared", 1, 100,
    ),
    "border": (
        "void f(float a[64][64], float b[64][64]) { for (int i=0;i<64;i++) for (int j=0;j<64;j++) {"
        " if (i==0||j==0||i==63||j==63) b[i][j]=0; else b[i][j]=a[i-1][j]+a[i+1][j]; } }",
        "64x64|neighbourhood(3x1) → 64x64|element", 1, 62 * 62,
    ),
    "continue": (
        "void f(float a[64], float b[64]) { for (int i=0;i<64;i++) { if (i < 2) continue; b[i]=a[i-2]*3; } }",
        "64|element → 64|element", 1, 62,
    ),
    "periodic": (
        "void f(float a[64], float b[64]) { for (int i=0;i<64;i++) b[i]=a[(i+1)%64]+a[(i+63)%64]; }",
        "64|neighbourhood(3) → 64|element", 1, 64,
    ),
    "rows of a scan": (
        f"void f(float a[64][32], float b[64][32]) {{ {TWO} if (j > 0) b[i][j]=b[i][j-1]+a[i][j]; }}",
        "64x32|tile(1x32) → 64x32|tile(1x32)", 1, 64 * 31,
    ),
    "edit distance": (
        "void f(int d[65][65], char *a, char *b) { for (int i=1;i<65;i++) for (int j=1;j<65;j++) {"
        " int m = d[i-1][j]+1; if (d[i][j-1]+1<m) m=d[i][j-1]+1; d[i][j]=m; } }",
        "6x6|neighbourhood(2x2) → 6x6|element", 127, 64 * 64 * 4,
    ),
    "right-looking elimination": (
        "void f(double A[40][40]) { for (int k=0;k<40;k++) { for (int i=k+1;i<40;i++) A[i][k]/=A[k][k];"
        " for (int i=k+1;i<40;i++) for (int j=k+1;j<40;j++) A[i][j]-=A[i][k]*A[k][j]; } }",
        "23|element ∧ 23x23|element ∧ 23|element ∧ 23|element → 23x23|element", 40, 41860,
    ),
    "bodies": (
        "void f(float p[256], float v[256]) { for (int i=0;i<256;i++) { float s=0; for (int j=0;j<256;j++) {"
        " float d=p[j]-p[i]; s+=d/(d*d+0.01f); } v[i]=s; } }",
        "256|element ∧ 256|full → 256|element", 1, 256 * 256 * 5,
    ),
    "blocks of a transform": (
        "void f(float in[64][64], float out[64][64], float c[8][8]) { for (int by=0;by<64;by+=8)"
        " for (int bx=0;bx<64;bx+=8) for (int u=0;u<8;u++) for (int v=0;v<8;v++) { float s=0; for (int x=0;x<8;x++)"
        " for (int y=0;y<8;y++) s+=in[by+x][bx+y]*c[u][x]*c[v][y]; out[by+u][bx+v]=s; } }",
        "64x64|tile(8x8) → 64x64|tile(8x8)", 1, 3 * 64**3,
    ),
    "layers": (
        "void f(float *in, float *w, float *out) { const int C=8, H=34, W=34; for (int k=0;k<16;k++)"
        " for (int y=0;y<32;y++) for (int x=0;x<32;x++) { float s=0; for (int c=0;c<C;c++) for (int r=0;r<3;r++)"
        " for (int q=0;q<3;q++) s+=in[(c*H+y+r)*W+x+q]*w[((k*C+c)*3+r)*3+q]; out[(k*32+y)*32+x]=s; } }",
        # A unit reads the 3x3 around it in each of 8 channels, and its own layer's weights.
        "8x32x32|neighbourhood(8x3x3) ∧ 16x8x3x3|tile(1x8x3x3) → 16x32x32|element", 1, 2 * 16 * 32 * 32 * 72,
    ),
    "kept inside": (
        "void f(float a[100], float b[100]) { for (int i=0;i<100;i++) b[i]=a[i>0?i-1:0]+a[i]+a[i<99?i+1:99]; }",
        "100|neighbourhood(3) → 100|element", 1, 200,
    ),
    "sizes of an enumeration": (
        "enum { LENGTH = 100 };\nvoid f(float a[LENGTH], float b[LENGTH]) { for (int i=0;i<LENGTH;i++) b[i]=a[i]*2; }",
        "100|element → 100|element", 1, 100,
    ),
    "parameters declared below": (
        "void f(a, b, n) double *a, *b; int n; { int i; for (i=0;i<n;i++) b[i]=a[i]*2; }",
        "100|element → 100|element", 1, 100,
    ),
    "a header's macros, and a main that is no plain C": (
        "#include <polybench.h>\n#define DATA_TYPE double\nstatic void kernel(int ni, int nj, DATA_TYPE"
        " POLYBENCH_2D(A,NI,NJ,ni,nj)) {\n#pragma scop\n for (int i=0;i<_PB_NI;i++) for (int j=0;j<_PB_NJ;j++)"
        " A[i][j] = SQRT_FUN(A[i][j]) + SCALAR_VAL(1.0);\n#pragma endscop\n}\n"
        "int main() { POLYBENCH_2D_ARRAY_DECL(A, DATA_TYPE, NI, NJ, ni, nj); return 0; }",
        "64x32|element → 64x32|element", 1, 2 * 64 * 32,
    ),
    "arms by remainders of counters": (
        "void f(float a[16][16], float b[16][16]) { for (int i=0;i<16;i++) for (int j=0;j<16;j++) { float v=0;"
        " if ((i & 1) == 0 && (j & 1) == 0) v=a[i][j]*2+1; else if (i % 2 == 0) v=a[i][j]*3;"
        " else if (((i >> 1) ^ j) & 1) v=a[i][j]*4-b[i][j]*7; b[i][j]=v; } }",
        "16x16|element ∧ 16x16|element → 16x16|element", 1, 64 * 2 + 64 + 64 * 3,
    ),
    "a diamond": (
        "void f(float a[12][12], float b[12][12]) { for (int i=2;i<10;i++) for (int j=2;j<10;j++) { float s=0;"
        " for (int u=-2;u<=2;u++) { int reach = 2-(u<0?-u:u); for (int v=-reach;v<=reach;v++) s+=a[i+u][j+v]; }"
        " b[i][j]=s; } }",
        "12x12|neighbourhood(5x5) → 12x12|element", 1, 64 * 13,
    ),
    "several planes of one array": (
        "void f(float *a) { for (int i=0;i<64;i++) { float x=a[i], y=a[64+i]; a[i]=x+y; a[64+i]=x-y; } }",
        "2x64|tile(2x1) → 2x64|tile(2x1)", 1, 128,
    ),
    "an index of two counters": (
        "void f(float l[8][32], float r[8][32], float c[4][8][32]) { for (int y=0;y<8;y++) for (int x=0;x<32;x++)"
        " for (int d=0;d<4;d++) c[d][y][x]=l[y][x]-r[y][x-d<0?0:x-d]; }",
        "8x32|element ∧ 8x32|element → 4x8x32|element", 1, 1024,
    ),
    "a column of a wider array": (
        "void f(double *m, double *c) { for (int i=0;i<64;i++) m[100*i+3] += c[i]; }",
        "64|element ∧ 64|element → 64|element", 1, 64,
    ),
    "a pointer to an array in a structure": (
        "typedef struct { float m[4]; } Q;\nvoid f(const Q *q, Q *o) { for (int i=0;i<64;i++) { const float *m=q[i].m;"
        " float *t=o[i].m; t[0]=m[3]*2; t[1]=m[2]*2; t[2]=m[1]*2; t[3]=m[0]*2; } }",
        "64x4|tile(1x4) → 64x4|tile(1x4)", 1, 256,
    ),
}  # fmt: skip
SIZES = {"n": 100, "NI": 64, "NJ": 32, "N": 64, "M": 32, "K": 16}


@pytest.mark.slow
@pytest.mark.parametrize("name", C)
def test_c(name: str) -> None:
    code, text, steps, operations = C[name]
    found = classify_text(code, sizes=SIZES)
    assert (str(found[-1].found), found[-1].repetitions) == (text, steps)
    assert sum(f.operations for f in found) == operations


PYTHON = {
    "sum of two": ('def f(a: "N", b: "N"):\n    c = a + b', [("64|element ∧ 64|element → 64|element", 64)]),
    "total": ('def f(a: "N,M"):\n    return a.sum()', [("64x32|element → 1|shared", 2048)]),
    "row sums": ('def f(a: "N,M"):\n    s = a.sum(axis=1)', [("64x32|tile(1x32) → 64|element", 2048)]),
    "column means": ('def f(a: "N,M"):\n    return a.mean(axis=0)', [("64x32|tile(64x1) → 32|element", 2080)]),
    "product": (
        'def f(A: "N,M", B: "M,K"):\n    return A @ B',
        [("64x32|tile(1x32) ∧ 32x16|tile(32x1) → 64x16|element", 2 * 64 * 32 * 16)],
    ),
    "rows times vector": (
        'import numpy as np\ndef f(A: "N,M", x: "M"):\n    y = np.zeros(64)\n    for i in range(64):\n'
        "        y[i] = A[i] @ x",
        [("64x32|tile(1x32) ∧ 32|full → 64|element", 2 * 64 * 32)],
    ),
    "stencil of slices": (
        'def f(a: "float32[N]", b: "float32[N]"):\n    a[1:-1] = (b[:-2] + b[2:]) / 2',
        [("64|neighbourhood(3) → 64|element", 2 * 62)],
    ),
    "steps in place": (
        'def f(a: "N,M", steps=10):\n  for t in range(steps):\n    a[1:-1,1:-1] = 0.25*(a[:-2,1:-1] + a[2:,1:-1])',
        [("64x32|neighbourhood(3x1) → 64x32|element", 10 * 62 * 30 * 2)],
    ),
    "where": (
        "import numpy as np\na = np.zeros((64, 64))\nb = np.where(a > 0.5, a, 0)\n",
        [("64x64|element → 64x64|element", 4096)],
    ),
    "softmax": (
        'import numpy as np\ndef f(x: "N,M"):\n    e = np.exp(x - x.max(axis=1, keepdims=True))\n'
        "    return e / e.sum(axis=1, keepdims=True)",
        [
            ("64x32|tile(1x32) → 64x1|element", 2048), ("64x32|element ∧ 64|element → 64x32|element", 4096),
            ("64x32|tile(1x32) → 64x1|element", 2048), ("64x32|element ∧ 64|element → 64x32|element", 2048),
        ],
    ),
    "transposed": ('def f(a: "N,M"):\n    b = a.T.copy()', [("unordered 64x32|element → 32x64|element", 0)]),
    "every second": ("def f(a, count=64):\n    s = 0\n    for i in range(0, count, 2):\n        s += a[i]",
                     [("64|tile(2) → 1|shared", 32)]),
    "sizes that are numbers here and names there": (
        'def f(a: "N,M", y: "N"):\n    for i in range(64):\n        y[i] = (a[i] * a[i]).sum()',
        [("64x32|tile(1x32) → 64|element", 2 * 64 * 32)],
    ),
    "Python's own max": (
        "def f(a, n):\n    m = 0.0\n    for i in range(n):\n        m = max(m, a[i])",
        [("100|element → 1|shared", 100)],
    ),
    "shapes from use": (
        "def f(A, x):\n    return A @ x", [("1024x1024|tile(1x1024) ∧ 1024|full → 1024|element", 2 * 1024**2)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PYTHON)
def test_python(name: str) -> None:
    code, expected = PYTHON[name]
    found = classify_text(code, "python", SIZES)
    assert [(str(f.found), f.operations) for f in found] == expected
    # Whole arrays are run as loops run: what the interpreter does is what the classes say, at small sizes.
    small = {"N": 8, "M": 6, "K": 4, "A.shape[0]": 5, "A.shape[1]": 7, "len(x)": 7}
    classes = classify_text(code, "python", small)
    assert read_python(code, small).run().operations == sum(f.operations for f in classes)


REFUSED = {
    "gather": ("void f(float *v, int *c, float *y) {\n for (int i=0;i<9;i++)\n y[i]=v[c[i]]; }", "line 3"),
    "do": ("void f(float *a) { int i=0;\n do { a[i]=0; i++; } while (a[i]<10); }", "line 2"),
    "list that is walked": (
        "struct P { float x; struct P *next; };\nvoid f(struct P *p, float *o) {\n for (int i=0;i<9;i++) {\n"
        " o[i]=p->x;\n p=p->next; } }",
        "line 4",
    ),
    "whole structure": (
        "typedef struct { float x[4]; } P;\nvoid f(P *p, P *q) {\n for (int i=0;i<9;i++) q[i]=p[i]; }",
        "line 3",
    ),
    "endless macro": (
        "#define A B B\n#define B C C\n#define C A A\nvoid f(float *x) { for (int i=0;i<9;i++) x[i]=A; }",
        "line",
    ),
    "two counters": ("void f(float *a) {\n for (int i=0,j=9;i<j;i++,j-=i) a[i]=j; }", "line 2"),
    "octal": ("void f(float *a) {\n for (int i=0;i<09;i++) a[i]=1; }", "line"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_name_line_and_reason(name: str) -> None:
    code, line = REFUSED[name]
    with pytest.raises(SourceError) as caught:
        classify_text(code)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("code", [
    "import numpy as np\ndef f(a: 'N'):\n    return np.median(a)",
    "def f(a: 'N', b: 'M'):\n    return a + b",
    "def f(a: 'N'):\n    return a[5:2] + 1",
    "def f(a: 'N,M', i: 'K'):\n    return a[i, :, None] + 1",
    "def f(a: 'N'):\n    return a[a > 0] + 1",
])  # fmt: skip
def test_arrays_without_a_class_are_refused(code: str) -> None:
    with pytest.raises(SourceError, match=r"line \d"):
        classify_text(code, "python", SIZES)


@pytest.mark.slow
def test_damaged_code_is_classified_or_refused() -> None:
    refusals = []
    for code, language in [*((c[0], "c") for c in C.values()), *((p[0], "python") for p in PYTHON.values())]:
        for cut in range(3, len(code), 97):
            try:
                classify_text(code[:cut] + code[cut + 3 :], language, SIZES)
            except RoofcastError as error:
                refusals.append(str(error))
    assert len(refusals) > 20
    assert not any("\n" in refusal for refusal in refusals)


@pytest.mark.parametrize(
    ("body", "operations", "element"),
    [
        ("u, v = 2 * x - y, x * y\n    return u, v", (2000, 1000), "fp32"),
        ("for i in range(len(x)):\n        a, b = x[i], 1.0\n        for k in range(3):\n            a, b = b, a + b\n"
         "        y[i] = a", (3000,), "fp32"),
        ("p = x[:, None]\n    return p * 2.0", (1000,), "fp32"),
    ],
)  # fmt: skip
def test_values_assigned_at_once_and_types_of_parts(body: str, operations: tuple[int, ...], element: str) -> None:
    made = "np.ones(1000, dtype='float32')"
    found = classify_text(f"import numpy as np\ndef f(x, y):\n    {body}\nf({made}, {made})", "python", {}, "f")
    assert tuple(f.operations for f in found) == operations
    assert {f.element for f in found} == {element}
    assert not any("taken as" in n for f in found for n in f.notes)


LENGTHS = {
    "numbers that the file has": (
        "static const float w[] = {1.5f, 2.5f, 3.5f}; void f(const float *a, float *b) { for (int i = 0; i < 998; i++) "
        "{ float s = 0; for (unsigned k = 0; k < sizeof w / sizeof *w; k++) s += w[k] * a[i + k]; b[i] = s; } }",
        "1000|neighbourhood(3) → 998|element", 6 * 998
    ),
    "a macro that counts rows": (
        "#define COUNT(a) (sizeof(a) / sizeof((a)[0]))\nstatic int m[64][32]; void f(void) "
        "{ for (size_t i = 0; i < COUNT(m); i++) for (size_t j = 0; j < COUNT(m[i]); j++) m[i][j] *= 3; }",
        "64x32|element → 64x32|element", 64 * 32
    ),
    "bytes of a type": (
        "#define N 1000\nvoid f(void) { static double t[N]; "
        "for (int i = 0; i < (int)(sizeof(t) / sizeof(double)); i++) t[i] *= 2.0; }",
        "1000|element → 1000|element", 1000
    ),
    "bytes alone": (
        "static unsigned char b[1000]; void f(void) { for (size_t i = 0; i < sizeof b; i++) b[i] ^= 90; }",
        "1000|element → 1000|element", 1000
    ),
    "records": (
        "struct r { float w; int k; }; static struct r r[] = {{1, 2}, {3, 4}, {5, 6}}; "
        "void f(const float *a, float *b) { for (int i = 0; i < 1000; i++) { float s = 0; "
        "for (int k = 0; k < sizeof r / sizeof r[0]; k++) s += r[k].w * a[i]; b[i] = s; } }",
        "1000|element ∧ 3|full → 1000|element", 6 * 1000
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", LENGTHS)
def test_lengths_that_code_asks_for_by_bytes_are_numbers(kind: str) -> None:
    code, wanted, operations = LENGTHS[kind]
    (found_class,) = classify_or_count(code, "c", {}, "f", counted=False)
    assert (str(found_class.found), found_class.operations) == (wanted, operations)


def test_bytes_of_an_address_are_no_length() -> None:
    with pytest.raises(SourceError, match="sizeof"):
        classify_or_count(
            "void f(float y[64]) { for (int i = 0; i < sizeof y / sizeof *y; i++) y[i] *= 2; }",
            "c",
            {},
            "f",
            counted=False,
        )


RECURSIONS = {
    "itself": (
        "int fill(int *s, int y) { if (y < 0 || s[y])\nreturn 0; s[y] = 1;\nreturn 1 + fill(s, y - 1); }", "fill", 3
    ),
    "another one that calls it": (
        "int odd(int n);\nint even(int n) { return n == 0 ? 1 : odd(n - 1); }\n"
        "int odd(int n) { return n == 0 ? 0 : even(n - 1); }", "even", 2
    ),
    "text that is no C": (
        "#include <vector>\nstruct T { std::vector<T> below; double b; };\ndouble sum(const T &t) { double s = t.b; "
        "// sum(\nfor (const T &u : t.below) s += sum(u); return s; }", "sum", 4
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", RECURSIONS)
def test_a_recursion_in_c_is_refused_as_one(kind: str) -> None:
    code, function, line = RECURSIONS[kind]
    with pytest.raises(SourceError, match=f"line {line}: '{function}' calls itself"):
        classify_or_count(code, "c", {}, function, counted=False)


def test_a_function_with_the_name_of_another_one_is_no_recursion() -> None:
    assert find_recursion("double f(double x) { return x; }\nvoid f(double *a) { a[0] = f(a[1]); }", "f") == 0
    assert find_recursion("int size(const V &v) { return v.size(); }", "size") == 0


def test_a_recursion_in_python_is_refused_as_one() -> None:
    with pytest.raises(SourceError, match="line 2: 'f' calls itself"):
        classify_text("def f(a, n):\n    return a[n] + f(a, n - 1)", "python", {}, "f")


STORES = """
import torch, triton
import triton.language as tl

@triton.jit
def decay(p_ptr, m_ptr, g_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    ok = i < n
    m = tl.load(m_ptr + i, mask=ok)
    m = m + 0.5 * tl.load(g_ptr + i, mask=ok)
    tl.store(p_ptr + i, tl.load(p_ptr + i, mask=ok) - m, mask=ok)
    tl.store(m_ptr + i, m, mask=ok)

def run(*tensors, **options):
    n = tensors[0].numel()
    decay[lambda meta: (triton.cdiv(n, meta["B"]),)](*tensors, n, **options)

run(*(torch.zeros(100_000, device="cuda") for _ in range(3)), B=256)
"""


def test_stores_of_a_triton_kernel_share_what_they_need() -> None:
    [found] = classify_text(STORES, "python", {}, "decay")
    assert str(found.found).endswith("→ 100000|element ∧ 100000|element")
    assert found.operations == 300_000


@pytest.mark.parametrize("total", ["x.sum()", "x.max()", "(y @ y)"])
def test_a_number_of_a_whole_array_is_used_by_each_element(total: str) -> None:
    made = "np.ones(9000)"
    code = f"import numpy as np\ndef f(x, y):\n    return x / {total}\nf({made}, {made})"
    found = classify_text(code, "python", {}, "f")
    assert [str(f.found) for f in found] == ["9000|element → 1|shared", "9000|element → 9000|element"]
    assert [f.checked for f in found] == ["checked at 3 sizes"] * 2
    assert not any("taken as" in n for f in found for n in f.notes)


def test_names_for_arrays_keep_the_type_of_their_elements() -> None:
    (found,) = classify_text("typedef short row[32];\nvoid f(row *a, row *o) { for (int i=0;i<64;i++)"
                             " for (int j=0;j<32;j++) o[i][j]=a[i][j]; }")  # fmt: skip
    assert (found.element, found.element_bytes) == ("int16", None)


SHUFFLED = """__global__ void d2s(const float *in, float *out, int C, int H, int W, int r) {
  int i = blockIdx.x * 128 + threadIdx.x; if (i >= C * H * W * r * r) return;
  int x = i % (W * r), y = i / (W * r) % (H * r), c = i / (W * r) / (H * r);
  out[i] = in[((c * r * r + (y % r) * r + x % r) * H + y / r) * W + x / r]; }
int main() { float *a, *o; cudaMalloc(&a, 144000 * 4); cudaMalloc(&o, 144000 * 4);
  d2s<<<1125, 128>>>(a, o, 3, 100, 120, 2); }
"""


def test_what_is_left_of_a_quotient_is_divided() -> None:
    (read,) = classify_text(SHUFFLED, function="d2s")
    assert str(read.found) == "unordered 3x2x2x100x120|element → 3x100x2x120x2|element"
