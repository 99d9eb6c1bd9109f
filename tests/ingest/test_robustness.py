"""Any bytes give a table or one line of explanation, never anything else (damage drawn by chance: tests/gate)."""

from __future__ import annotations

import gzip
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damage import SEEDS, mutate
from gate.checks import survives
from roofcast.core.errors import InputError
from roofcast.ingest.readers import READERS
from roofcast.reading import read
from text_samples import SAMPLES


@pytest.mark.parametrize("reader", [None, *sorted(READERS)])
@settings(max_examples=40, deadline=None)
@given(data=st.one_of(st.binary(max_size=400), st.text(max_size=300).map(lambda t: t.encode("utf-8", "replace"))))
def test_random_bytes(reader: str | None, data: bytes) -> None:
    survives(data, reader)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n\t\r\n",
        b"\0" * 1000,
        b"x" * 10_000_000,
        b'"' * 100_001,
        b'"ID","Process ID","Kernel Name","Metric Name","Metric Value"\n' + b'"' + b"a\n" * 200_000,
        b"kernel,time_s\n" + b'"' * 99_999 + b",1\n",
        b"kernel,time_s\n" + b"," * 1_000_000 + b"\n",
        ("kernel" + ",c" * 30_000 + "\nk\n").encode(),
        b"\xff\xfe" + b"\xd8\x00" * 500,
        b"==ERROR== " + b"\xff" * 100 + b"\n",
        b"\n" * 100_000,
        b"Start,Duration,Stream,Name\n" + b"\x80," * 1000,
        b"kernel,time_s,kernel,time_s\na,1,b,2\n",
        b"kernel,time_s,,,\na,1,2,3,4\n",
    ],
    ids=lambda data: repr(data[:30]),
)
@pytest.mark.parametrize("reader", [None, *sorted(READERS)])
def test_odd_files(data: bytes, reader: str | None) -> None:
    survives(data, reader)


@pytest.mark.parametrize(
    ("content", "says"), [(b"", "empty"), (b" \n ", "empty"), (gzip.compress(b"", mtime=0), "empty")]
)
def test_empty_files_say_that_they_are(content: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_bytes(content)
    with pytest.raises(InputError, match=says):
        read(tmp_path / "e.csv")


def test_damaged_gzip_is_one_line(tmp_path: Path) -> None:
    whole = gzip.compress(SAMPLES["ncu-csv"] * 50)
    for damaged in (whole[:40], whole[: len(whole) // 2], whole[:30] + b"\0\0\0" + whole[33:]):
        (tmp_path / "d.csv.gz").write_bytes(damaged)
        with pytest.raises(InputError) as found:
            read(tmp_path / "d.csv.gz")
        assert str(found.value).isprintable()


def test_names_from_a_file_stay_what_they_are() -> None:
    hostile = "k\x1b[31m<script>alert(1)</script>\u202e"
    table = survives(f'kernel,time_s\n"{hostile}",1\n'.encode())
    assert table is not None
    assert table.strings("kernel")[0] == hostile


def boundaries(data: bytes) -> list[int]:
    """Where a file may be cut off: at, before and behind what structures it, and inside of what it says."""
    structure = b'"\n,;:=- (\xc3\x00'
    at = {i + shift for i, byte in enumerate(data) if byte in structure for shift in (0, 1)}
    return sorted(at | set(range(0, len(data), 37)))


@pytest.mark.parametrize("data", SEEDS, ids=lambda data: repr(data[:20]))
def test_files_cut_off_anywhere(data: bytes) -> None:
    cuts = boundaries(data)
    # Sixty cuts of each file keep the test quick; which ones are the same in every run.
    for cut in random.Random(len(data)).sample(cuts, min(60, len(cuts))):
        survives(data[:cut])


@pytest.mark.slow
@pytest.mark.parametrize("data", SEEDS, ids=lambda data: repr(data[:20]))
def test_a_damaged_file_of_a_megabyte_is_done_within_two_seconds(data: bytes) -> None:
    large = data * (2**20 // len(data))
    for step in range(20):
        large = mutate(large, step) if len(large) > 2**19 else data * (2**20 // len(data))
    start = time.process_time()
    survives(large[: 2**20])
    assert time.process_time() - start < 2.0
