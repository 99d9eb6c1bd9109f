from __future__ import annotations

import io

import numpy as np
import pytest

from roofcast.core.errors import InputError
from roofcast.core.kernel_table import KernelTable
from roofcast.ingest.ncu import text as ncu_text
from text_samples import NCU_TEXT, NCU_TEXT_2020, long_csv


def read(text: str) -> KernelTable:
    return ncu_text.read(io.BytesIO(text.encode()), "log.txt")


@pytest.mark.parametrize("text", [NCU_TEXT, NCU_TEXT.replace("\n", "\r\n"), "\n".join(NCU_TEXT.splitlines())])
def test_sections_of_the_console_listing(text: str) -> None:
    assert ncu_text.recognises(text.encode(), "log.txt")
    table = read(text)
    assert list(table.strings("kernel")) == ["scale(float *, int)"]
    assert list(table.strings("grid")) == ["(64, 2, 1)"]
    assert list(table.strings("compute_capability")) == ["8.0"]
    np.testing.assert_allclose(table.column("time_s"), [117.34e-6])
    np.testing.assert_allclose(table.column("clock_hz"), [1.08e9])
    assert table.counter("dram__bytes.sum.per_second")[0] == 45.33e9
    assert table.counter("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed")[0] == 85.69
    assert table.column("regs_per_thread")[0] == 16
    assert np.isnan(table.column("l2_hit_fraction")[0])
    assert "someone" not in repr(table)


def test_listing_of_2020_without_titles_and_sizes() -> None:
    assert ncu_text.recognises(NCU_TEXT_2020.encode(), "log.txt")
    table = read(NCU_TEXT_2020)
    assert list(table.strings("kernel")) == ["scale(float *, int)", "add(float *, int)"]
    np.testing.assert_allclose(table.column("time_s"), [1.25e-3, 2.5e-6])
    np.testing.assert_allclose(table.column("bytes_dram_read"), [9.45e6, 512e3])


def test_launches_of_one_kernel_are_never_merged() -> None:
    assert len(read(NCU_TEXT + NCU_TEXT)) == 2


def test_summary_over_launches_takes_the_mean() -> None:
    text = """\
  scale(float *), Device 0, CC 8.6, Invocations 14
    Section: GPU Speed Of Light Throughput
    -------------------- ----------- ------- ------- -------
    Metric Name          Metric Unit Minimum Maximum Average
    -------------------- ----------- ------- ------- -------
    Duration                      us    1.00    3.00    2.25
    -------------------- ----------- ------- ------- -------
"""
    table = read(text.replace("scale(float *)", "scale(float *) (8, 1, 1)x(32, 1, 1)"))
    np.testing.assert_allclose(table.column("time_s"), [2.25e-6])
    assert "mean of 14 launches" in table.flags[0][0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hello\n", "not console text"),
        (long_csv(), "not console text"),
        (NCU_TEXT.split("    Section")[0], "no metrics"),
    ],
)
def test_other_files_are_refused(text: str, says: str) -> None:
    assert not ncu_text.recognises(text.encode(), "log.txt")
    with pytest.raises(InputError, match=says):
        read(text)
