"""A bare name means the usual board, unless its rows reached what that board cannot."""

from __future__ import annotations

import pytest

import model_builders as builders
from roofcast.catalog import gpu
from roofcast.catalog.library import names
from roofcast.forecasting.forecast import forecast
from roofcast.forecasting.sources import CACHE_MOST

TARGET = "B200"


def took(gpu: str, row: dict[str, float], source: str | None = None) -> tuple[str, str]:
    """The board that was taken for rows of a GPU, and the notes."""
    kernels = builders.table([{"time_s": 1e-3, **row}] * 3, {"gpu": [gpu] * 3})
    found = forecast(kernels, TARGET, source=source)
    assert found.sources[0] is not None
    return found.sources[0].name, " ".join(found.notes(0, 0))


def test_the_usual_board_is_taken_and_said() -> None:
    name, notes = took("H800", {"bytes_dram": 1e9})
    assert name == "H800 SXM5"
    assert "took H800 SXM5" in notes


@pytest.mark.parametrize(
    ("gpu", "row", "board"),
    [
        ("A100-PCIE", {"bytes_dram": 1.9e9}, "A100 PCIe 80GB"),
        ("A100-PCIE", {"bytes_dram": 1.0e9}, "A100 PCIe 40GB"),
        ("A100-PCIE", {"bytes_compulsory": 2.3e9}, "A100 PCIe 80GB"),
        ("A100-PCIE", {"bytes_dram": 1.0e9, "clock_hz": 1.41e9}, "A100 PCIe 40GB"),
    ],
)
def test_rates_of_the_rows_rule_boards_out(gpu: str, row: dict[str, float], board: str) -> None:
    name, notes = took(gpu, row)
    assert name == board
    assert ("the kernels reach" in notes) is (board == "A100 PCIe 80GB")
    assert took("", row, source=gpu)[0] == board


def test_a_full_name_is_not_doubted() -> None:
    name, notes = took("NVIDIA A100-PCIE-40GB", {"bytes_dram": 1.9e9})
    assert name == "A100 PCIe 40GB"
    assert "the kernels reach" not in notes


def test_rates_that_no_board_reaches_leave_the_usual_one() -> None:
    assert took("A100-PCIE", {"bytes_dram": 9e9})[0] == "A100 PCIe 40GB"


def test_no_gpu_keeps_more_than_the_cache_that_counts_as_the_largest() -> None:
    kept = [max(p.capacity_bytes_l2 or 0, p.capacity_bytes_llc or 0) for p in map(gpu, names())]
    assert max(kept) <= CACHE_MOST < 1.25 * max(kept)
