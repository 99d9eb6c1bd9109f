"""Each rule on whole runs finds the run made for it, is silent on a sound one, and bounds what it promises."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from roofcast.advice.runs import RUN_RULES, Run, RunFinding, advise_on_run, processors_of
from roofcast.applications.run_summary import summarise
from roofcast.commands.group import cli
from roofcast.core.resource import Resource
from roofcast.core.timeline import Activities, Api, HostMemory, Timeline, Way, Work
from roofcast.ingest.traces.nsys import read_windows
from timeline_samples import GEMM, nsys


def made(spans: list[tuple[Work, float, float, dict[str, Any]]], waits: int = 0) -> Timeline:
    """A run of the given work (kind, start, end in seconds, further columns), one call before each launch."""
    base = read_windows(io.BytesIO(nsys()), "run.sqlite").whole()
    like = base.activities
    n = len(spans)

    def column(name: str) -> Any:
        first = getattr(like, name)[:1]
        return np.repeat(first, n, axis=0)

    columns = {f.name: column(f.name) for f in dataclasses.fields(Activities)}
    columns["kind"] = np.array([k for k, *_ in spans], np.uint8)
    columns["start_s"] = np.array([s for _, s, _, _ in spans])
    columns["end_s"] = np.array([e for _, _, e, _ in spans])
    columns["bytes"] = np.array([float(m.get("bytes", np.nan)) for *_, m in spans])
    columns["way"] = np.array([m.get("way", Way.UNKNOWN) for *_, m in spans], np.uint8)
    columns["memory"] = np.array([m.get("memory", HostMemory.UNKNOWN) for *_, m in spans], np.uint8)
    columns["stream"] = np.array([m.get("stream", 7) for *_, m in spans])
    names = [str(m.get("kernel", base.names[int(like.name[0])])) for *_, m in spans]
    known = list(dict.fromkeys([*base.names, *names]))
    columns["name"] = np.array([known.index(name) for name in names])
    columns["call"] = np.arange(n)
    columns["correlation"] = np.arange(n)
    calls = base.calls
    total = n + waits
    at = np.concatenate([columns["start_s"] - 5e-6, np.linspace(0, max(columns["end_s"]), waits)])
    api = np.concatenate([np.full(n, Api.LAUNCH), np.full(waits, Api.SYNCHRONISE)]).astype(np.uint8)
    order = np.argsort(at, kind="stable")
    columns["call"] = np.argsort(order, kind="stable")[:n]
    own = {f.name: np.repeat(getattr(calls, f.name)[:1], total, axis=0) for f in dataclasses.fields(calls)}
    own |= {"api": api[order], "start_s": at[order], "end_s": at[order] + 1e-6}
    nothing = {f.name: getattr(base.waits, f.name)[:0] for f in dataclasses.fields(base.waits)}
    return dataclasses.replace(
        base,
        names=np.array(known, np.object_),
        activities=Activities(**columns),
        calls=type(calls)(**own),
        waits=type(base.waits)(**nothing),
    )


def kernels(
    count: int, each: float, gap: float, start: float = 0.01
) -> list[tuple[Work, float, float, dict[str, Any]]]:
    return [(Work.KERNEL, start + i * (each + gap), start + i * (each + gap) + each, {}) for i in range(count)]


def copies(count: int, size: float, rate: float, memory: HostMemory, start: float) -> Any:
    each = size / rate
    more = {"bytes": size, "way": Way.HOST_TO_DEVICE, "memory": memory, "stream": 9}
    return [(Work.COPY, start + i * each, start + (i + 1) * each, more) for i in range(count)]


ADDITION = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>"
SOUND = [*kernels(20, 5e-3, 1e-6), *copies(1, 1e6, 20e9, HostMemory.PINNED, 0.02)]
SICK = {
    "pageable-copies": [*SOUND, *copies(4, 1e8, 3e9, HostMemory.PAGEABLE, 0.2)],
    "small-copies": [*SOUND, *copies(400, 4096, 0.3e9, HostMemory.PINNED, 0.2)],
    "exposed-copies": [*SOUND, *copies(4, 1e8, 20e9, HostMemory.PINNED, 0.2)],
    "unified-memory": [*SOUND, (Work.MIGRATION, 0.2, 0.25, {"bytes": 1e8})],
    "launch-bound": kernels(200, 5e-6, 2e-5),
    "many-waits": kernels(200, 5e-6, 2e-5),
    "unfused-elementwise": [
        (kind, start, end, {"kernel": ADDITION if i % 4 else GEMM})
        for i, (kind, start, end, _) in enumerate(kernels(40, 1e-3, 1e-6))
    ],
}


def found(rule: str, timeline: Timeline) -> list[RunFinding]:
    return list(RUN_RULES[rule](Run(timeline, summarise(timeline), processors_of(timeline))))


def sick(rule: str) -> Timeline:
    return made(SICK[rule], waits=200 if rule == "many-waits" else 0)


def test_every_rule_has_a_run_made_for_it() -> None:
    assert set(SICK) == set(RUN_RULES)


@pytest.mark.parametrize("rule", RUN_RULES)
def test_the_rule_finds_its_run_and_is_silent_on_a_sound_one(rule: str) -> None:
    assert len(found(rule, sick(rule))) == 1
    assert found(rule, made(SOUND)) == []


@pytest.mark.parametrize("rule", RUN_RULES)
def test_no_more_is_promised_than_the_work_takes(rule: str) -> None:
    (finding,) = found(rule, sick(rule))
    assert finding.evidence
    assert finding.remedy
    if not np.isnan(finding.saved_bound_s):
        assert 0 < finding.saved_bound_s <= finding.time_s * (1 + 1e-9)


def test_pageable_copies_are_bounded_by_the_link() -> None:
    (finding,) = found("pageable-copies", sick("pageable-copies"))
    (processor,) = processors_of(made(SOUND))
    assert processor is not None
    supply = processor.supply(Resource.BYTES_HOST_LINK)
    assert supply is not None
    assert finding.time_s == pytest.approx(4e8 / 3e9)
    assert finding.saved_bound_s == pytest.approx(4e8 / 3e9 - 4e8 / supply.per_s, rel=1e-3)


def test_fusing_saves_what_passes_from_kernel_to_kernel() -> None:
    """Three additions behind a product: each keeps its second operand, one of three arrays."""
    (finding,) = found("unfused-elementwise", sick("unfused-elementwise"))
    assert finding.time_s == pytest.approx(30e-3)
    assert finding.of_s == pytest.approx(40e-3)
    assert finding.saved_bound_s == pytest.approx(20e-3)
    alone = [(k, s, e, {"kernel": ADDITION}) for k, s, e, _ in kernels(4, 1e-3, 1e-6)]
    (finding,) = found("unfused-elementwise", made(alone))
    assert finding.saved_bound_s == pytest.approx(4e-3 * (1 - 6 / 12)), "the first read and the last write stay"


def test_hidden_copies_are_not_exposed() -> None:
    hidden = [*kernels(20, 5e-3, 1e-6), *copies(4, 1e8, 20e9, HostMemory.PINNED, 0.03)]
    assert found("exposed-copies", made(hidden)) == []


def test_a_run_without_anything_has_no_findings() -> None:
    assert advise_on_run(made(kernels(1, 1e-3, 0))).findings == ()


def test_the_command_advises_on_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    path.write_bytes(nsys())
    done = CliRunner().invoke(cli, ["advise", str(path), "--report", str(tmp_path / "r.html")])
    assert done.exit_code == 0, done.output
    assert "whole run run.sqlite" in done.output
    assert "copies" in done.output
    data = json.loads(CliRunner().invoke(cli, ["advise", str(path), "--format", "json"]).output)
    assert {"rule", "evidence", "try", "saved_bound_s", "run_time_s"} <= set(data["run_findings"][0])
    assert "Whole run" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_real_runs_that_wait_for_launches_are_found(fixtures_dir: Path) -> None:
    from roofcast.reading import read_timelines

    trace = next((fixtures_dir / "kineto").glob("h100*bert-small*"))
    rules = {f.rule for f in advise_on_run(read_timelines([trace])[0]).findings}
    assert "launch-bound" in rules
