"""Retargeting PTX: what compiles, what is refused, what must not take the program down."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from roofcast.core.errors import InputError, MissingExtraError
from roofcast.sass.binaries import choose_cubin
from roofcast.sass.cubin import parse_cubin
from roofcast.sass.jit_link import pack, unpack
from roofcast.sass.retarget import ptx_target, ptx_version, retarget
from roofcast.sass.toolkit import compile_to_ptx, find_jit_link, load_nvrtc
from sass_builders import Build


@pytest.fixture(autouse=True)
def tools() -> None:
    try:
        find_jit_link()
    except MissingExtraError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("sm", [70, 75, 80, 86, 89, 90, 100, 103, 120, 121])
def test_one_ptx_for_every_architecture(corpus: Build, sm: int) -> None:
    front = "compute_70" if sm < 75 else "compute_75"
    cubin = corpus("memory", sm, front)
    kernel = cubin.function("stencil")
    assert cubin.sm == sm
    assert kernel is not None
    assert kernel.registers is not None
    assert cubin.toolkit is not None
    assert cubin.toolkit >= (12, 0)
    lines = cubin.ptx_lines("stencil")
    assert lines is not None
    assert lines.max() > 0


def test_a_register_cap_is_obeyed_and_recorded(corpus: Build) -> None:
    free, capped = corpus("memory", 80), corpus("memory", 80, "compute_75", 32)
    for cubin, cap in ((free, None), (capped, 32)):
        kernel = cubin.function("private_array")
        assert kernel is not None
        assert kernel.register_cap == cap
        assert kernel.registers is not None
        assert cap is None or kernel.registers <= cap


def test_ptx_for_a_newer_gpu_is_refused_by_name(corpus_ptx: Callable[..., bytes]) -> None:
    with pytest.raises(InputError, match="sm_75 and newer, not for sm_70"):
        retarget((corpus_ptx("memory"),), 70)
    assert ptx_target(corpus_ptx("memory")) == 75
    assert ptx_version(corpus_ptx("memory")) is not None


@pytest.mark.parametrize(
    "ptx",
    [
        b"", b".version 8.0\n.target sm_80\n", b".version 8.0\n.target sm_80\n.address_size 64\ngarbage {",
        b".version 99.9\n.target sm_80\n.address_size 64\n", b"\xff\xfe\x00\x01", b"\x7fELF\x02\x01\x01 not really",
    ],
)  # fmt: skip
def test_bad_ptx_ends_in_one_line(ptx: bytes) -> None:
    with contextlib.suppress(InputError):
        assert parse_cubin(retarget((ptx,), 80)).functions == ()


def test_an_aborting_compiler_is_an_error_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def crashed(*_: object, **__: object) -> subprocess.CompletedProcess[bytes]:
        return subprocess.CompletedProcess([sys.executable], -signal.SIGABRT, b"", b"free(): invalid pointer")

    monkeypatch.setattr("subprocess.run", crashed)
    with pytest.raises(InputError, match="aborted"):
        retarget((b".version 8.0\n.target sm_80\n",), 80)


def test_requests_keep_their_parts() -> None:
    parts = [b"a", b"", b"x" * 300, b""]
    assert list(unpack(pack(parts))) == parts
    assert list(unpack(pack(parts)[:-1])) == parts[:-1]


def test_source_that_does_not_compile_names_the_first_error() -> None:
    try:
        load_nvrtc()
    except MissingExtraError as error:
        pytest.skip(str(error))
    with pytest.raises(InputError, match=r"k\.cu: does not compile: .*error"):
        compile_to_ptx(b"__global__ void k() { undefined(); }", "k.cu")
    cubin, how = choose_cubin(b'extern "C" __global__ void k(int *p) { *p = 1; }', "k.cu", 90)
    assert cubin.function("k") is not None
    assert "retargeted to sm_90" in how


def test_architecture_specific_ptx_stays_on_its_architecture(corpus_ptx: Callable[..., bytes]) -> None:
    from roofcast.sass.retarget import retarget_ptx

    ptx = corpus_ptx("hopper", "compute_90a")
    kernel = retarget_ptx((ptx,), 90).function("wgmma_64n16k16")
    assert kernel is not None
    with pytest.raises(InputError, match="sm_90a only"):
        retarget_ptx((ptx,), 100)
