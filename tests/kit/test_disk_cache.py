"""The cache of derived binaries."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from roofcast.kit.disk_cache import cached, folder, key_of, key_of_file, load, shrink, store


def test_a_second_look_does_not_compute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOFCAST_CACHE", str(tmp_path))
    calls: list[int] = []

    def make() -> bytes:
        calls.append(1)
        return b"result" * 1000

    key = key_of("a", b"b")
    assert cached(key, make) == cached(key, make) == b"result" * 1000
    assert len(calls) == 1
    assert not list(tmp_path.glob("*/.new-*"))


def test_a_damaged_entry_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOFCAST_CACHE", str(tmp_path))
    key = key_of("x")
    cached(key, lambda: b"good")
    path = tmp_path / key[:2] / key
    path.write_bytes(path.read_bytes()[:-1] + b"\0")
    assert load(path) is None
    assert cached(key, lambda: b"again") == b"again"


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("ROOFCAST_CACHE", str(blocked))
    assert cached(key_of("y"), lambda: b"value") == b"value"


def test_parts_of_a_key_do_not_run_together() -> None:
    assert key_of("ab", "c") != key_of("a", "bc")


def test_the_oldest_entries_go_first(tmp_path: Path) -> None:
    for number in range(5):
        path = tmp_path / "aa" / f"entry{number}"
        store(path, os.urandom(1000))
        os.utime(path, (number, number))
    shrink(tmp_path, limit=3000)
    assert sorted(p.name for p in tmp_path.glob("aa/*")) == ["entry3", "entry4"]


def test_the_folder_follows_the_desktop_standard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROOFCAST_CACHE")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert folder() == tmp_path / "roofcast"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # the standard: relative paths are ignored
    assert folder() == Path.home() / ".cache" / "roofcast"


def test_the_key_of_a_file_is_of_its_content(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"x" * 300_000)
    second.write_bytes(b"x" * 300_000)
    assert key_of_file(first) == key_of_file(second) != ""
    second.write_bytes(b"x" * 299_999 + b"y")
    assert key_of_file(first) != key_of_file(second)
    assert not key_of_file(tmp_path / "absent")
