"""CUDA in C++ as people write it, read by way of libclang: bytes and operations of launches derived by hand."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from roofcast_hull.source.c_files import count_launches, read_c
from roofcast_hull.source.code_rows import derive_row
from roofcast_hull.source.nest import SourceError
from roofcast_hull.spelled.plain_c import PlainC, ask_process, write_plain_c

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("clang", reason="the extra 'source' is not installed")
HERE = Path(__file__).parent
EXPECTED: dict[str, dict[str, float]] = tomllib.loads((HERE / "modern.toml").read_text(encoding="utf-8"))


def read(name: str) -> str:
    return (HERE / "modern" / f"{name}.cu").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", EXPECTED)
def test_amounts_are_those_derived_by_hand(name: str) -> None:
    file, _, kernel = name.partition(":")
    row: dict[str, Any] = derive_row(read(file), kernel, launch=0)
    expected = EXPECTED[name]
    assert row["bytes_dram"] == pytest.approx(expected["bytes_dram"], rel=0.05)
    if "flops" in expected:
        flops = sum(float(row.get(f"flops_{kind}") or 0) for kind in ("fp64", "fp32", "fp16"))
        assert flops == pytest.approx(expected["flops"], rel=0.05)
    if "tensor" in expected:
        assert row["flops_tensor_fp16"] == pytest.approx(expected["tensor"])


def test_a_kernel_that_launches_kernels_is_refused_alone() -> None:
    text = read("launches_of_kernels")
    assert count_launches(text)["scale"] == 1
    with pytest.raises(SourceError, match="dynamic parallelism"):
        derive_row(text, "parent", launch=0)


def test_every_file_is_written_as_plain_c() -> None:
    """All kernels of all files stand in the text, on their lines, and nothing of C++ does."""
    for path in sorted((HERE / "modern").glob("*.cu")):
        found = write_plain_c(path.read_text(encoding="utf-8"))
        assert found is not None, path.name
        assert set(count_launches(path.read_text(encoding="utf-8"))) == set(found.kernels)
        assert not any(word in found.text for word in ("template", "auto ", "operator ", "class ", "::"))


def test_lines_are_those_of_the_file() -> None:
    text = read("soa_struct")
    found = write_plain_c(text)
    assert found is not None
    line = text[: text.index("void push(")].count("\n")
    assert "void push(" in found.text.split("\n")[line]


def test_names_say_what_a_template_was_made_for() -> None:
    found = write_plain_c(read("dyn_shared_gemm"))
    assert found is not None
    assert found.kernels == {"gemm": "gemm<double, 16>"}


def test_a_macro_that_is_a_number_stays_a_size() -> None:
    """`#define N 2048` is a name that the user may give another value."""
    text = (
        "#define N 4096\n__global__ void f(float *x) { int i = blockIdx.x * 256 + threadIdx.x; if (i < N) x[i] = 0; }"
    )
    text += "\nint main() { f<<<(N + 255) / 256, 256>>>(x); }"
    assert read_c(text, {}, "f").sizes["gridDim.x"] == 16
    assert read_c(text, {"N": 1024}, "f").sizes["gridDim.x"] == 4


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void f() {" + "(" * 4000, "__global__" + "\x00\x01\x02\xff" * 50,
        '__global__ void f(float *x) { x[0] = 1; }\n#include "/dev/zero"\n%:include "/etc/hostname"',
        "template <int N, int M> struct T { static const int v = T<N - 1, M * 2>::v + T<N - 1, M * 2 + 1>::v; };"
        "__global__ void f(float *x) { x[0] = T<60, 1>::v; } int main() { f<<<1, 1>>>(x); }",
        "__global__ void f(float *x) { x[0] = ; } int main() { f<<<1, 1>>>(x); }",
        "template <class T> __global__ void f(T *x) { x->nothing(); } int main() { float *p; f<<<1, 1>>>(p); }",
        "__global__ void f(int *x) { asm(\"trap;\"); x[0] = 1; } int main() { f<<<1, 32>>>(x); }",
    ],
)  # fmt: skip
def test_any_text_gives_a_row_or_one_line(text: str) -> None:
    said = ""
    try:
        for kernel in count_launches(text):
            derive_row(text, kernel)
    except SourceError as error:
        said = str(error)
    assert "\n" not in said


def test_what_is_in_other_files_is_not_read() -> None:
    """Inclusions are dropped, however they are spelled; nothing of a file stands in an answer."""
    secret = HERE / "modern.toml"
    for spelled in (
        f'#include "{secret}"',
        f'/**/ # include "{secret}"',
        f'%:include "{secret}"',
        f'#inc\\\nlude "{secret}"',
    ):
        found = ask_process(f"{spelled}\n__global__ void f(float *x) {{ x[0] = 1; }}\n", ())
        assert isinstance(found, PlainC)
        assert "accessor" not in found.text


def test_the_reason_names_the_line() -> None:
    reason = ask_process("__global__ void f(float *x) {\n  x[0] = ;\n}\nint main() { f<<<1, 1>>>(0); }", ())
    assert isinstance(reason, str)
    assert reason.startswith("line 2: ")
