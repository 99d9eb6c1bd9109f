"""The library's product through its C interface, against a library without a GPU."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from roofcast.core.errors import RoofcastError
from roofcast_measure.ceilings import compute, cublas
from roofcast_measure.ceilings.bench import Bench
from roofcast_measure.driver import Buffer
from roofcast_measure.timing import CEILINGS_QUICK
from shim_driver import ShimDriver
from virtual_gpu import VirtualGpu

FAKE = Path(__file__).with_name("fake_cublas.cpp")


@pytest.fixture(scope="module")
def library(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    path = tmp_path_factory.mktemp("cublas") / "libcublas.so.12"
    command = [compiler, "-std=c++17", "-O1", "-shared", "-fPIC", "-w", str(FAKE), "-o", str(path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    if done.returncode:
        pytest.skip(f"this compiler has no _Float16: {done.stderr[:80]}")
    return ctypes.CDLL(str(path))


@pytest.mark.parametrize("one", cublas.TYPES, ids=lambda t: t.quantity)
def test_every_type_is_multiplied_as_numpy_does(library: ctypes.CDLL, one: cublas.Type) -> None:
    driver = ShimDriver()
    found = cublas.Cublas(library, 0)
    assert found.name == "cuBLAS 12.8"
    plain = found.multiply

    def by_address(kind: cublas.Type, n: int, a: Buffer, b: Buffer, c: Buffer) -> None:
        a, b, c = (Buffer(x.handle.ctypes.data, x.size_bytes) for x in (a, b, c))
        plain(kind, n, a, b, c)

    bench = Bench(driver, VirtualGpu(), CEILINGS_QUICK)
    compute.check(bench, SimpleNamespace(name="x", multiply=by_address), one)
    wrong = SimpleNamespace(name="x", multiply=lambda kind, n, a, b, c: by_address(kind, n, a, a, c))
    with pytest.raises(RoofcastError, match="differs from NumPy's"):
        compute.check(bench, wrong, one)
    found.close()


def test_a_library_that_refuses_is_one_line(library: ctypes.CDLL) -> None:
    found = cublas.Cublas(library, 0)
    found.handle = ctypes.c_void_p(0)
    with pytest.raises(RoofcastError, match="cublasDestroy_v2 of cuBLAS reports status 1"):
        found.close()


def test_no_library_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cublas, "candidates", lambda: iter(["/nowhere/libcublas.so.12"]))
    assert cublas.open_library(0) is None
    assert all("cublas" in name for name in cublas.NAMES)
