"""Profiles that start behind much output of the profiled program."""

from __future__ import annotations

import io
import time

import numpy as np
import pytest

from roofcast.core.errors import UnknownFormatError
from roofcast.ingest.readers import find_reader
from text_samples import NCU_TEXT, NVPROF_TEXT, TABLE, long_csv, wide_csv

NOISE = [
    "iteration 12, loss 0.5, time 3\n",
    '{"epoch": 1, "loss": 0.5}\n',
    "a line without commas\n",
    "größer\n",
]


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("kilobytes", [70, 1500])
@pytest.mark.parametrize(
    ("text", "key"),
    [(long_csv(), "ncu-csv"), (wide_csv(), "ncu-csv"), (NCU_TEXT, "ncu-text"), (NVPROF_TEXT, "nvprof-csv")],
)
def test_a_profile_behind_a_long_log_is_found_and_read(noise: str, kilobytes: int, text: str, key: str) -> None:
    data = (noise * (kilobytes * 1024 // len(noise)) + text).encode()
    stream = io.BytesIO(data)
    found, module = find_reader(stream, "log.txt")
    assert found == key
    assert stream.tell() == 0
    alone = module.read(io.BytesIO(text.encode()), "x")
    table = module.read(stream, "log.txt")
    assert list(table.strings("kernel")) == list(alone.strings("kernel"))
    np.testing.assert_array_equal(table.column("time_s"), alone.column("time_s"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_the_same_in_another_encoding(encoding: str) -> None:
    data = (NOISE[0] * 5000 + long_csv()).encode(encoding)
    assert find_reader(io.BytesIO(data), "log.txt")[0] == "ncu-csv"


def test_a_long_table_stays_a_table() -> None:
    header, row = TABLE.splitlines()[:2]
    data = f"{header}\n" + f"{row}\n" * 3000
    assert find_reader(io.BytesIO(data.encode()), "t.csv")[0] == "table"


def test_a_long_log_without_a_profile_is_refused_soon() -> None:
    data = b"a line without commas\n" * (40 * 2**20 // 22)
    start = time.process_time()
    with pytest.raises(UnknownFormatError, match="not a format"):
        find_reader(io.BytesIO(data), "log.txt")
    assert time.process_time() - start < 1.0
