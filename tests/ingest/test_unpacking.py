"""A few bytes that hold a lot: one budget for every container."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from roofcast.core.errors import InputError
from roofcast.core.extras import load_zstd
from roofcast.ingest.readers import decompressed
from roofcast.ingest.tables import frame
from roofcast.ingest.text import files
from roofcast.ingest.text.files import read_at_most
from roofcast.reading import read
from roofcast.sass.binaries import read_bytes

BUDGET = 1 << 20


def zipped(content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", content)
    return out.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress, "zip": zipped, "zst": load_zstd().compress,
}  # fmt: skip


@pytest.fixture(autouse=True)
def budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_UNPACKED_BYTES", BUDGET)
    monkeypatch.setattr(frame, "MOST_UNPACKED_BYTES", BUDGET)


@pytest.mark.parametrize("suffix", PACKERS)
def test_what_holds_more_than_the_budget_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"bomb.csv.{suffix}"
    path.write_bytes(PACKERS[suffix](b"kernel,time_s\n" + b"a,1e-3\n" * BUDGET))
    with pytest.raises(InputError, match=rf"bomb.csv.{suffix}: holds more than .* when decompressed"):
        read(path)


def test_a_table_of_runs_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    pl.select(kernel=pl.repeat("a", BUDGET), time_s=pl.repeat(1e-3, BUDGET)).write_parquet(path)
    assert path.stat().st_size < BUDGET // 100
    with pytest.raises(InputError, match=r"bomb\.parquet: holds more than"):
        read(path)


@pytest.mark.parametrize("suffix", PACKERS)
def test_what_fits_is_a_file_like_any_other(suffix: str) -> None:
    content = bytes(range(256)) * (BUDGET // 256)
    with decompressed(io.BytesIO(PACKERS[suffix](content))) as stream:
        assert stream.read() == content
        assert stream.seek(-10, io.SEEK_END) == BUDGET - 10
        assert stream.read() == content[-10:]
        assert stream.seek(300) == 300
        assert stream.read(5) == content[300:305]
        assert stream.seek(1000, io.SEEK_CUR) == 1305
        assert stream.read(5) == content[1305:1310]


@pytest.mark.parametrize("suffix", ["gz", "zip"])
@pytest.mark.parametrize("place", [(BUDGET * 10, io.SEEK_SET), (0, io.SEEK_END)], ids=["forward", "end"])
def test_going_forward_counts_too(suffix: str, place: tuple[int, int]) -> None:
    with (
        decompressed(io.BytesIO(PACKERS[suffix](bytes(BUDGET * 4)))) as stream,
        pytest.raises(InputError, match="the input: holds more than"),
    ):
        stream.seek(*place)


def test_a_small_file_takes_little_memory_however_large_one_may_be(tmp_path: Path) -> None:
    path = tmp_path / "small.bin"
    path.write_bytes(b"x" * 5000)
    tracemalloc.start()
    try:
        assert len(read_bytes(path)) == 5000
        assert tracemalloc.get_traced_memory()[1] < 2**24
        with path.open("rb") as file:
            assert len(read_at_most(file, 100)) == 101
    finally:
        tracemalloc.stop()
