"""Events that are read by the layouts of others are what decoding makes of them."""

from __future__ import annotations

import gzip
import io
import json
import random
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import pytest

from long_traces import write
from roofcast.core.errors import InputError
from roofcast.ingest.traces import event_layouts, kineto
from roofcast.ingest.traces.event_layouts import FIRST, Layouts
from roofcast.ingest.traces.windows import Builder

KINETO = sorted((Path(__file__).parents[3] / "shared" / "fixtures" / "kineto").glob("*.gz"))


def read_both(data: bytes, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Any], list[Any], int]:
    """Everything that is read with layouts and without, and how many events needed no decoding."""
    made: list[Layouts] = []

    class Kept(Layouts):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    monkeypatch.setattr(kineto, "Layouts", Kept)
    by_layouts = read_all(data)
    monkeypatch.setattr(Kept, "take", lambda self, text, at: at)
    return by_layouts, read_all(data), made[0].passed


def read_all(data: bytes) -> list[Any]:
    try:
        windows = kineto.read_windows(io.BytesIO(data), "trace.json")
    except InputError as error:
        return [str(error)]
    run = windows.whole()
    tables = [
        [f.name, getattr(table, f.name).tobytes()]
        for table in (run.activities, run.calls, run.ranges, run.waits)
        for f in fields(table)
    ]
    return [tables, run.names.tolist(), run.operators, [astuple(d) for d in run.devices], windows.provenance]


@pytest.mark.parametrize("path", KINETO, ids=lambda p: p.name[:40])
def test_real_traces_are_the_same_by_layouts_and_decoded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by_layouts, decoded, passed = read_both(gzip.decompress(path.read_bytes()), monkeypatch)
    assert by_layouts == decoded
    assert passed or path.stat().st_size < 10_000


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("trace") / "run.json"
    write("kineto", 400_000, path)
    return path.read_text(encoding="utf-8")


def test_most_events_of_a_run_are_not_decoded(trace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    by_layouts, decoded, passed = read_both(trace.encode(), monkeypatch)
    assert by_layouts == decoded
    assert passed > 0.8 * trace.count('"ph"')


@pytest.mark.parametrize("seed", range(12))
def test_damaged_traces_are_the_same_by_layouts_and_decoded(
    seed: int, trace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn, text = random.Random(seed), [*trace]
    pieces = ["", "0", "00", "-", ".", "e9", "\\", '\\"', "\\x", "[", "]", "{", "}", ",", ":", '"', "\n", "NaN", "null"]
    pieces += ["1e999", "9" * 20, '"cat"', "ü", "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")]
    for _ in range(drawn.choice((3, 30, 100))):
        text[drawn.randrange(2000, len(text))] = drawn.choice(pieces)
    cut = drawn.choice((len(text), drawn.randrange(len(text))))
    by_layouts, decoded, _ = read_both("".join(text[:cut]).encode(), monkeypatch)
    assert by_layouts == decoded


def test_layouts_that_change_and_texts_that_never_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_layouts, "MOST_HELD", 20_000)
    events = []
    for i in range(20 * FIRST):
        shape = {"Input Dims": [[i, i]]} if i % 3 else {"Input Dims": [], "Concrete Inputs": ["", f"[{i}]"]}
        events += [
            {"ph": "X", "cat": "cpu_op", "name": f'op "{i}"', "pid": i % 5, "tid": "t", "ts": 10 * i, "dur": 9,
             "args": shape},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": i % 5, "tid": "t", "ts": 10 * i + 1.5,
             "dur": 0.25 if i % 2 else 2, "args": {"correlation": i} if i % 7 else {"External id": i}},
            {"ph": "X", "cat": "kernel", "name": "k\u00e4", "pid": 0, "tid": 7, "ts": 10 * i + 3e0, "dur": 1e-3 * i,
             "args": {"External id": i, "correlation": i if i % 11 else str(i), "device": 0, "stream": 7,
                      "grid": [i + 1, 1, 1], "block": [32, 1, 1], "nested": {"a": 1} if i % 13 == 0 else [1]}},
        ]  # fmt: skip
    by_layouts, decoded, passed = read_both(json.dumps({"traceEvents": events}).encode(), monkeypatch)
    assert by_layouts == decoded
    assert passed > FIRST


class Watched(dict[str, Any]):
    """Notes which members are asked for."""

    def __init__(self, content: dict[str, Any]) -> None:
        super().__init__(content)
        self.asked: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.asked.add(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        self.asked.add(key)
        return super().__getitem__(key)


@pytest.mark.parametrize("category", sorted(kineto.READS))
def test_handlers_read_what_layouts_take_for_read(category: str) -> None:
    reads = kineto.READS[category]
    arguments = Watched({"Collective name": "allreduce", "Process Group Name": "0", "Seq": 1, "dtype": "Float",
                         "grid": [1, 1, 1], "block": [1, 1, 1], "graph node id": 3, "Input Dims": [[1]]})  # fmt: skip
    event = Watched({"ph": "X", "cat": category, "name": "n", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": arguments})
    _, add = kineto.Reading(Builder()).take(event)
    assert add is not None
    assert event.asked <= reads.members | {*reads.literal, "ts", "dur", "args"}
    assert arguments.asked <= reads.arguments | {*kineto.NUMBERED}
