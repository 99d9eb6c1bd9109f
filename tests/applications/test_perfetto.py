"""Runs before and after in the trace-event format: what its documentation asks for, and what Perfetto drops."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from roofcast.commands.group import cli

TRACES = ("kineto/h100*bert-small*", "nsys_sqlite/gtx-1060*", "nsys_sqlite/h200*report2*")


@pytest.mark.parametrize("pattern", TRACES)
def test_events_are_complete_and_no_thread_overlaps_itself(fixtures_dir: Path, tmp_path: Path, pattern: str) -> None:
    found = sorted(fixtures_dir.glob(pattern))
    if not found:
        pytest.skip("the trace is not here")
    out, plain = tmp_path / "run.trace.json", ["app", str(found[0]), "--to", "B200,Instinct MI300X"]
    done = CliRunner().invoke(cli, [*plain, "-o", str(out)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    document = json.loads(out.read_text())
    assert document["displayTimeUnit"] in ("ms", "ns")
    lanes: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    named: dict[int, str] = {}
    for event in document["traceEvents"]:
        assert {"ph", "name", "pid", "tid"} <= set(event)
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "process_sort_index", "thread_name", "thread_sort_index")
            if event["name"] == "process_name":
                named[event["pid"]] = event["args"]["name"]
        else:
            assert event["ph"] == "X"
            assert event["ts"] >= 0
            assert event["dur"] >= 0
            lanes[event["pid"], event["tid"]].append(event)
    assert named[1].startswith("recorded on ")
    assert [named[2], named[3]] == ["forecast for B200", "forecast for Instinct MI300X"]
    work = {pid: [e for (p, _), es in lanes.items() for e in es if p == pid and e["cat"] != "range"] for pid in named}
    assert len(work[1]) == len(work[2]) == len(work[3]) > 0
    for events in lanes.values():
        events.sort(key=lambda e: (e["ts"], -e["dur"]))
        if events[0]["cat"] != "range":
            assert all(round(a["ts"] + a["dur"], 3) <= b["ts"] for a, b in pairwise(events))
    answers = json.loads(CliRunner().invoke(cli, [*plain, "--format", "json"], catch_exceptions=False).stdout)
    for pid, answer in zip((2, 3), answers, strict=True):
        assert sum(e["dur"] for e in work[pid]) == pytest.approx(sum(answer["by_class"].values()) * 1e6, rel=2e-3)
