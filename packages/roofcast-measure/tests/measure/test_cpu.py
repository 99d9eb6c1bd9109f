"""The CPU probe: it measures whatever machine this is, so only relations are checked."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from roofcast.__main__ import main
from roofcast.core.resource import Resource
from roofcast_measure import host_cpu as cpu

needs_compiler = pytest.mark.skipif(
    not any(shutil.which(c) for c in cpu.COMPILERS), reason="no C compiler on this machine"
)


@needs_compiler
def test_vector_and_scalar_code_compute_the_same_function() -> None:
    with cpu.compiled() as probe:
        count = 64 * 8 * probe.lanes
        source = np.linspace(0, 1, count, dtype=np.float32)
        expected = source.copy()
        for _ in range(5):
            expected = expected * np.float32(0.999) + np.float32(0.001)
        for vector in (True, False):
            for all_threads in (True, False):
                target = np.full(count, -1, np.float32)
                probe.run(source, target, 10, vector=vector, all_threads=all_threads)
                np.testing.assert_allclose(target, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
@needs_compiler
def test_the_machine_becomes_a_processor() -> None:
    with cpu.compiled() as probe:
        found = cpu.measure_cpu(probe)
        times = cpu.measure_primitives(probe, 1 << 16, (2, 512), repeats=2)
    assert not found.is_gpu
    assert found.sm_count == cpu.usable_threads()
    assert 1 <= found.warp_size <= probe.lanes
    assert 1e8 < found.rate(Resource.BYTES_DRAM) < 1e13
    assert 1e8 < found.rate(Resource.FLOPS_FP32) < 1e14
    assert times["c3", 512] > 10 * times["c3", 2]
    assert times["c3", 512] > times["c2", 512]


def test_no_compiler_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(cpu, "COMPILERS", ())
    assert main(["hull", "--measure-here"]) == 2
    assert "C compiler" in capsys.readouterr().err


@pytest.mark.slow
@needs_compiler
def test_model_beside_measurement_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hull", "512x512|element -> 512x512|element", "--measure-here", "--format", "json"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert {r["code"] for r in records} == {
        "all threads, vector", "all threads, scalar", "one thread, vector", "one thread, scalar",
    }  # fmt: skip
    assert all(r["model_s"] > 0 and r["measured_s"] > 0 for r in records)
