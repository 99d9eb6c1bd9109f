"""What holds for every reader of the registry."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import numpy as np
import pytest

from amd_samples import AMD_SAMPLES
from roofcast.core.columns import Origin
from roofcast.core.errors import InputError
from roofcast.ingest.readers import READERS, find_reader
from roofcast.reading import read
from text_samples import NCU_TEXT_2020, NVPROF_METRICS, NVPROF_TEXT, SAMPLES, wide_csv
from timeline_samples import TIMELINE_SAMPLES

FILES: dict[str, tuple[bytes, ...]] = {
    "ncu-rep": (b"NVR\0" + bytes(200),),
    "ncu-csv": (SAMPLES["ncu-csv"], wide_csv().encode(), SAMPLES["ncu-csv"].decode().encode("utf-16")),
    "ncu-text": (SAMPLES["ncu-text"], NCU_TEXT_2020.encode()),
    "nvprof-csv": (SAMPLES["nvprof-csv"], NVPROF_METRICS.encode(), NVPROF_TEXT.encode()),
    "nccl-tests": (SAMPLES["nccl-tests"],),
    "llm-operators": (SAMPLES["llm-operators"],),
    "table": (SAMPLES["table"], b"kernel\ttime_ms\nk\t1\n"),
    **TIMELINE_SAMPLES,
    **AMD_SAMPLES,
}
CASES = [(key, data) for key, several in FILES.items() for data in several]


def test_the_hash_is_that_of_what_was_read_or_none(tmp_path: Path) -> None:
    same, changed, gone = (tmp_path / name for name in ("same.csv", "changed.csv", "gone.csv"))
    for path in (same, changed, gone):
        path.write_bytes(SAMPLES["table"])
    found = [read(path).provenance[0] for path in (same, changed, gone)]
    changed.write_bytes(SAMPLES["table"] + b"\n")
    gone.unlink()
    assert [p.sha256 for p in found] == [hashlib.sha256(SAMPLES["table"]).hexdigest(), "", ""]
    assert str(tmp_path) not in repr(found)


def test_every_reader_has_a_file() -> None:
    assert set(FILES) == set(READERS), "add a sample of each format to tests/text_samples.py"


@pytest.mark.parametrize(("key", "data"), CASES)
def test_each_file_finds_its_reader(key: str, data: bytes) -> None:
    assert find_reader(io.BytesIO(data), "profile.dat")[0] == key


@pytest.mark.parametrize("reader", sorted(READERS))
@pytest.mark.parametrize(("key", "data"), CASES)
def test_a_reader_that_is_forced_on_anothers_file_says_so(reader: str, key: str, data: bytes, tmp_path: Path) -> None:
    if reader == key:
        return
    path = tmp_path / "profile.dat"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"profile\.dat: ") as found:
        read(path, input_format=reader)
    assert str(found.value).isprintable()


@pytest.mark.parametrize("key", sorted(set(READERS) - {"ncu-rep"}))
def test_what_a_table_of_launches_looks_like(key: str, tmp_path: Path) -> None:
    path = tmp_path / "profile.dat"
    path.write_bytes(SAMPLES[key] if key in SAMPLES else FILES[key][0])
    table = read(path)
    assert list(table.column("launch")) == list(range(len(table))), "count launches from 0 in file order"
    assert all(table.strings("kernel"))
    assert (table.column("time_s") > 0).all()
    assert table.provenance[0].format == key
    assert table.provenance[0].file == "profile.dat"
    for name, values in table.numeric.items():
        absent = table.origin_of(name) == Origin.ABSENT
        assert (absent == np.isnan(values)).all(), name
    assert table.select([0]).to_polars().height == 1


@pytest.mark.parametrize(("key", "data"), [case for case in CASES if case[0] != "ncu-rep"])
def test_profilers_time_on_the_device(key: str, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "profile.dat"
    path.write_bytes(data)
    assert set(read(path).strings("timer").tolist()) == ({""} if key == "table" else {"device"})


def test_a_table_may_say_who_timed(tmp_path: Path) -> None:
    table = tmp_path / "said.csv"
    table.write_text("kernel,gpu,time_s,timer,insts_executed\na,V100,1e-3,host,5\nb,V100,1e-3,,5\nc,V100,1e-3,,\n")
    assert read(table).strings("timer").tolist() == ["host", "device", ""]


@pytest.mark.parametrize("reader", sorted(READERS))
def test_readers_reject_real_files_of_other_formats(reader: str, fixtures_dir: Path) -> None:
    groups = {"ncu-rep": "ncu_rep", "nvprof-csv": "nvprof"}
    for key, group in groups.items():
        if key == reader:
            continue
        path = min((fixtures_dir / group).iterdir(), key=lambda p: p.stat().st_size)
        with pytest.raises(InputError) as found:
            read(path, input_format=reader)
        assert str(found.value).isprintable()
