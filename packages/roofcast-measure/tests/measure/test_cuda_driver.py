"""Opening a GPU where there is none: one line that says what is missing, and exit code 2."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from roofcast.__main__ import main
from roofcast.core.errors import MissingExtraError, RoofcastError
from roofcast_measure import cuda_driver


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize("command", ["suite", "gpp"])
def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str) -> None:
    monkeypatch.setitem(sys.modules, "cuda", None)
    monkeypatch.setitem(sys.modules, "cuda.core", None)
    assert "pip install 'roofcast[cuda]'" in refused(capsys, "measure", command)
    with pytest.raises(MissingExtraError):
        cuda_driver.open_driver()


def with_driver(monkeypatch: pytest.MonkeyPatch, status: str, count: int = 0, raises: bool = False) -> None:
    """A driver that answers so."""
    results = SimpleNamespace(
        CUDA_SUCCESS=FakeStatus("CUDA_SUCCESS", 0), CUDA_ERROR_NO_DEVICE=FakeStatus("CUDA_ERROR_NO_DEVICE", 100),
        CUDA_ERROR_UNKNOWN=FakeStatus("CUDA_ERROR_UNKNOWN", 999),
    )  # fmt: skip

    def init(_: int) -> tuple[object]:
        if raises:
            raise RuntimeError("libcuda.so.1 cannot be found")
        return (getattr(results, status),)

    fake = SimpleNamespace(CUresult=results, cuInit=init, cuDeviceGetCount=lambda: (results.CUDA_SUCCESS, count))
    monkeypatch.setitem(sys.modules, "cuda", SimpleNamespace(core=SimpleNamespace()))
    monkeypatch.setitem(sys.modules, "cuda.core", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "cuda.bindings", SimpleNamespace(driver=fake))


class FakeStatus(int):
    """A status with a name, as the bindings have them."""

    name: str

    def __new__(cls, name: str, value: int) -> FakeStatus:
        made = super().__new__(cls, value)
        made.name = name
        return made


@pytest.mark.parametrize(
    ("status", "count", "raises", "message"),
    [
        ("CUDA_SUCCESS", 0, True, "no NVIDIA driver on this machine"),
        ("CUDA_ERROR_NO_DEVICE", 0, False, "knows no GPU"),
        ("CUDA_SUCCESS", 0, False, "knows no GPU"),
        ("CUDA_ERROR_UNKNOWN", 0, False, "does not start: CUDA_ERROR_UNKNOWN"),
    ],
)
def test_without_a_driver_or_a_gpu(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    status: str,
    count: int,
    raises: bool,
    message: str,
) -> None:
    with_driver(monkeypatch, status, count, raises)
    assert message in refused(capsys, "measure", "suite")


def test_another_gpu_than_there_are(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with_driver(monkeypatch, "CUDA_SUCCESS", 2)
    assert "no GPU 5: the driver knows 2 GPUs" in refused(capsys, "measure", "gpp", "--device", "5")


def test_failed_calls_name_the_error() -> None:
    assert cuda_driver.checked((FakeStatus("CUDA_SUCCESS", 0), 7)) == 7
    with pytest.raises(RoofcastError, match="CUDA_ERROR_OUT_OF_MEMORY"):
        cuda_driver.checked((FakeStatus("CUDA_ERROR_OUT_OF_MEMORY", 2), None))
