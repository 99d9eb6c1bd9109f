"""The CPU's ceilings: measured here, plausible, and an entry that the catalog takes."""

from __future__ import annotations

import ctypes
import shutil
from pathlib import Path

import numpy as np
import pytest

from roofcast.__main__ import main
from roofcast.catalog.own import load_own
from roofcast.core.errors import RoofcastError
from roofcast.core.resource import Resource
from roofcast_measure.ceilings import cpu_ceilings as cpu
from roofcast_measure.host_cpu import COMPILERS

needs_compiler = pytest.mark.skipif(not any(shutil.which(c) for c in COMPILERS), reason="no C compiler")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "ELEMENTS_QUICK", 2**20)
    monkeypatch.setattr(cpu, "ROUNDS_QUICK", 2**16)


@needs_compiler
@pytest.mark.usefixtures("small")
def test_the_entry_is_taken_as_a_processor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "my-cpu.toml"
    assert main(["measure", "ceilings", "--cpu", "--quick", "-o", str(path)]) == 0
    assert "STREAM triad" in capsys.readouterr().out
    processor = load_own(path).processor
    assert not processor.is_gpu
    assert processor.key == "my-cpu"
    assert 1e8 < processor.rate(Resource.BYTES_DRAM) < 1e13
    assert processor.rate(Resource.BYTES_DRAM) == processor.variants["bytes_dram:triad"].per_s
    # Which of the two is faster is a matter of timing, and of who else uses the machine.
    assert min(processor.rate(Resource.FLOPS_FP32), processor.rate(Resource.FLOPS_FP64)) > 1e8
    assert main(["gpus", "--validate", str(path)]) == 0
    assert main(["hull", "512x512|element -> 512x512|element", "--on", str(path)]) == 0
    assert "(measured)" in capsys.readouterr().out


@needs_compiler
def test_streams_compute_what_stream_says(tmp_path: Path) -> None:
    library = cpu.load_kernels(tmp_path)
    n = 1001
    b, c = np.random.default_rng(1).random((2, n))
    a = np.zeros(n)
    places = [ctypes.c_void_p(x.ctypes.data) for x in (a, b, c)]
    for name, wanted in (("copy", b), ("scale", 3 * b), ("add", b + c), ("triad", b + 3 * c), ("init", np.ones(n))):
        getattr(library, name)(*places, n)
        np.testing.assert_allclose(a, wanted, err_msg=name)
    for name in cpu.CHAINS:
        starts = np.float64(0.25) + 0.5 * np.arange(cpu.CHAINS_AT_ONCE)
        for _ in range(5):
            starts = starts * 0.5 + 0.25
        assert getattr(library, name)(0.5, 0.25, 5) == pytest.approx(starts.sum(), rel=1e-5)


def test_no_compiler_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("roofcast_measure.host_cpu.COMPILERS", ())
    assert main(["measure", "ceilings", "--cpu", "--quick"]) == 2
    assert "C compiler" in capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong", ['quantity = "latency_cycles:l1"\nvalue = "4 cycles"', 'quantity = "bytes_l1"\nvalue = "64 B/clk/SM"'],
)  # fmt: skip
def test_a_cpu_file_with_what_no_cpu_has_is_refused(tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "x.toml"
    head = 'key = "x"\nname = "x"\nvendor = "x"\narchitecture = "x86"\ncores = 1\nthreads = 2\nvector_bits = 128\n'
    path.write_text(f'{head}clock = "1 GHz"\n[[measured]]\n{wrong}\nmethod = "m"\nsource = "s"\n')
    with pytest.raises(RoofcastError, match="rates per second alone"):
        load_own(path)
