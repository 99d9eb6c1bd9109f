"""PTX without the kernels that did not run, and one process for several binaries."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from roofcast.core.errors import InputError, MissingExtraError
from roofcast.sass.cubin import parse_cubin
from roofcast.sass.jit_link import pack
from roofcast.sass.retarget import ENTRY, Job, only_kernels, retarget_all, retarget_ptx
from roofcast.sass.toolkit import find_jit_link, linker_wheel_version

PTX = b"""//
.version 8.0
.target sm_80
.func (.param .b32 r) helper(.param .b32 x) {
  ret;
}
.visible .entry first(
  .param .u64 a
)
.maxntid 128, 1, 1
{
  { // call } that opens and closes
  .pragma "nounroll {";
  }
  /* } */ ret;
}
.weak .entry second()
{
  ret;
}
\t.entry third() { ret; }
"""


def kernels_of_ptx(ptx: bytes) -> tuple[str, ...]:
    """Names of the kernels in a PTX text."""
    return tuple(m[1].decode() for m in ENTRY.finditer(ptx))


def test_other_kernels_leave_their_lines_behind() -> None:
    assert kernels_of_ptx(PTX) == ("first", "second", "third")
    kept = only_kernels(PTX, {"second"})
    assert kernels_of_ptx(kept) == ("second",)
    assert kept.count(b"\n") == PTX.count(b"\n")
    assert kept.split(b"\n").index(b".weak .entry second()") == PTX.split(b"\n").index(b".weak .entry second()")
    assert b"helper" in kept
    assert kernels_of_ptx(only_kernels(PTX, {"first", "third"})) == ("first", "third")


@pytest.mark.parametrize(
    "text", [PTX.replace(b"ret; }", b"ret;"), b"", b".entry a {", b"}" * 50 + b".entry a() {}\n.entry b() }", b"\0\xff"]
)
def test_a_text_that_is_not_understood_stays_whole(text: bytes) -> None:
    assert only_kernels(text, {"second"}) == text
    assert only_kernels(text, set()) == text


def test_sliced_code_is_the_same_code(corpus_ptx: Callable[..., bytes]) -> None:
    try:
        find_jit_link()
    except MissingExtraError as error:
        pytest.skip(str(error))
    ptx = corpus_ptx("control", "compute_70")
    whole, part = retarget_ptx((ptx,), 80), retarget_ptx((ptx,), 80, None, frozenset({"nested_loops"}))
    assert [f.name for f in part.functions if f.is_kernel] == ["nested_loops"]
    a, b = whole.function("nested_loops"), part.function("nested_loops")
    assert a is not None
    assert b is not None
    assert a.code == b.code
    assert whole.ptx_lines("nested_loops").tolist() == part.ptx_lines("nested_loops").tolist()  # type: ignore[union-attr]
    assert part.ptx == whole.ptx == (ptx,)


def test_one_process_makes_several_binaries(corpus_ptx: Callable[..., bytes]) -> None:
    try:
        find_jit_link()
    except MissingExtraError as error:
        pytest.skip(str(error))
    good, bad = corpus_ptx("halves", "compute_70"), b".version 8.0\n.target sm_70\n.address_size 64\ngarbage"
    made = retarget_all(
        [Job((good,), 70), Job((bad,), 80), Job((good,), 90), Job((good.replace(b"sm_70", b"sm_90"),), 80)]
    )
    assert [parse_cubin(m).sm if isinstance(m, bytes) else 0 for m in made] == [70, 0, 90, 0]
    assert "does not take this code" in str(made[1])
    assert "sm_90 and newer" in str(made[3])
    assert all("\n" not in str(m) for m in made if isinstance(m, InputError))


def test_another_process_goes_on_after_an_abort(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [pack([b"0first"]), pack([b"0third"])]

    def child(*_: Any, **__: Any) -> subprocess.CompletedProcess[bytes]:
        return subprocess.CompletedProcess([], -6, answers.pop(0), b"")

    monkeypatch.setattr("roofcast.sass.retarget.find_jit_link", lambda: "a library")
    monkeypatch.setattr("subprocess.run", child)
    made = retarget_all([Job((b"",), 80)] * 3)
    assert [m if isinstance(m, bytes) else "aborted" in str(m) for m in made] == [b"first", True, b"third"]


def test_the_compilers_version_is_told_without_loading_it() -> None:
    version = linker_wheel_version()
    assert version == "" or version.split(".")[0].isdigit()
