"""Other processes: only where they are allowed, and with what a loop would give."""

from __future__ import annotations

import concurrent.futures
import io
import multiprocessing
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

from long_traces import write
from roofcast.core.workers import allow_processes, make_each, map_each, processes_allowed
from roofcast.ingest import timelines
from roofcast.ingest.traces import event_columns, kineto
from roofcast.ingest.traces.event_columns import Columns


def test_nothing_is_started_where_nobody_allowed_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrent.futures, "ProcessPoolExecutor", lambda *_: pytest.fail("a process was started"))
    assert map_each(int, ["1", "2"], worth=True) == [1, 2]
    with allow_processes(2):
        assert processes_allowed()
        assert map_each(int, ["1", "2"], worth=False) == [1, 2]
        assert map_each(int, ["1"], worth=True) == [1]
    assert not processes_allowed()


@pytest.mark.slow
def test_processes_give_what_a_loop_gives() -> None:
    with allow_processes(2):
        assert map_each(int, [str(i) for i in range(9)], worth=True) == list(range(9))
        assert map_each(os.getenv, ["PATH", "none such"], worth=True) == [os.environ["PATH"], None]
        with pytest.raises(ValueError, match="'x'"):
            map_each(int, ["1", "x", "y"], worth=True)


def square(value: int) -> int:
    """Of a number that is not 13, and of a process that is not to die of it."""
    if value == 13:
        raise ValueError(value)
    if value == 1000 and multiprocessing.parent_process() is not None:
        os._exit(1)
    return value * value


def test_each_is_made_here_where_nobody_allowed_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrent.futures, "ProcessPoolExecutor", lambda *_: pytest.fail("a process was started"))
    asked: list[int] = []
    made = make_each(square, (asked.append(i) or i for i in range(5)), worth=True)  # type: ignore[func-returns-value]
    assert next(made) == (0, 0)
    assert asked == [0]
    with allow_processes(2):
        assert [*made] == [(i, i * i) for i in range(1, 5)]
        assert [*make_each(square, [3], worth=False)] == [(3, 9)]


@pytest.mark.slow
def test_processes_make_each_and_what_one_that_dies_leaves_is_made_here() -> None:
    with allow_processes(2):
        assert dict(make_each(square, range(20, 70), worth=True)) == {i: i * i for i in range(20, 70)}
        assert dict(make_each(square, [1, 1000, *range(20, 40)], worth=True))[1000] == 10**6
        with pytest.raises(ValueError, match="13"):
            dict(make_each(square, range(10, 30), worth=True))
        asked: list[int] = []
        made = make_each(square, (asked.append(i) or i for i in range(20, 1020)), worth=True)  # type: ignore[func-returns-value]
        next(made)
        assert len(asked) < 10
        made.close()


@pytest.mark.slow
def test_ranks_are_the_same_by_several_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files: list[str | Path] = [tmp_path / f"rank{i}.json" for i in range(4)]
    for i, path in enumerate(files):
        write("kineto", 100_000 * (i + 1), Path(path))
    alone = timelines.read_runs(files)
    monkeypatch.setattr(timelines, "SEVERAL_BYTES", 0)
    with allow_processes(2):
        together = timelines.read_runs(files)
    for one, other in zip(alone, together, strict=True):
        assert one.provenance == other.provenance
        assert one.whole().activities.end_s.tolist() == other.whole().activities.end_s.tolist()
        assert one.whole().names.tolist() == other.whole().names.tolist()


def test_columns_travel_with_the_rows_of_their_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_columns, "HELD_ROWS", 4)
    columns = Columns(("start", "end", "name"))
    for first in range(0, 10, 5):
        numbers = np.arange(first, first + 5)
        columns.extend({"start": numbers, "end": numbers + 1, "name": numbers})
    columns.append((10, 11, 10))
    assert columns.stored
    other = pickle.loads(pickle.dumps(columns))
    assert other.stored
    assert len(other) == len(columns) == 11
    assert other.finish()["name"].tolist() == columns.finish()["name"].tolist() == list(range(11))


def test_windows_of_a_trace_travel(tmp_path: Path) -> None:
    write("kineto", 60_000, tmp_path / "run.json")
    found = kineto.read_windows(io.BytesIO((tmp_path / "run.json").read_bytes()), "run.json")
    other = pickle.loads(pickle.dumps(found))
    assert other.whole().activities.start_s.tolist() == found.whole().activities.start_s.tolist()
