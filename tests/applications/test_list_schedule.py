"""Work played at once gives what the same work gives one piece after the other."""

from __future__ import annotations

import numpy as np
import pytest

from roofcast.applications import list_schedule
from roofcast.applications.dependencies import Dependencies
from roofcast.core.kernel_table import FloatArray
from roofcast.core.timeline import Activities


def play_slowly(
    starts: FloatArray, work: Activities, d: Dependencies, duration: FloatArray, launch_s: float, latency_s: float
) -> tuple[list[float], list[float], list[float]]:
    """One piece of work after the other, as the definition has it."""
    begun: list[float] = []
    ended: list[float] = []
    shift = [0.0] * len(d.wait_end_s)
    over = 0

    def end_wait(k: int) -> None:
        before = shift[d.wait_host[k]] if d.wait_host[k] >= 0 else 0.0
        at = d.wait_start_s[k] + launch_s * d.wait_launches[k] + before
        done = ended[d.wait_for[k]] if d.wait_for[k] < len(ended) else at
        shift[k] = max(at, done) + d.wait_tail_s[k] - d.wait_end_s[k]

    for i in range(len(work)):
        while over < len(shift) and d.wait_end_s[over] <= work.start_s[i]:
            end_wait(over)
            over += 1
        causes = []
        if not np.isnan(d.call_s[i]):
            late = shift[d.host[i]] if d.host[i] >= 0 else 0.0
            causes.append(d.call_s[i] + max(d.latency_s[i] + latency_s, 0.0) + launch_s * d.launches[i] + late)
        if d.previous[i] >= 0:
            causes.append(ended[d.previous[i]] + d.gap_s[i])
        if d.other[i] >= 0:
            causes.append(ended[d.other[i]] + d.lag_s[i])
        begun.append(max(causes, default=starts[i]))
        ended.append(begun[-1] + duration[i])
    while over < len(shift):
        end_wait(over)
        over += 1
    return begun, ended, shift


def draw(seed: int, n: int = 700) -> tuple[Activities, Dependencies]:
    """Work of a few streams with calls, waits and work that waits for other streams."""
    chance = np.random.default_rng(seed)
    streams = int(chance.integers(1, 4))
    start = np.sort(chance.uniform(0, n * 1e-5, n))
    duration = chance.exponential(1e-5, n)
    stream = chance.integers(0, streams, n)
    previous, last = np.full(n, -1), np.full(streams, -1)
    for i, number in enumerate(stream):
        previous[i], last[number] = last[number], i
    waits = int(chance.integers(0, 12))
    wait_end = np.sort(chance.uniform(0, 1.1 * n * 1e-5, waits))
    call = np.where(chance.random(n) < 0.9, start - chance.exponential(3e-5, n), np.nan)
    other = np.where(
        chance.random(n) < chance.choice([0.0, 0.02, 0.5]), (np.arange(n) * chance.random(n)).astype(int), -1
    )
    other[0] = -1
    nobody = np.full(n, -1, np.int64)
    columns = dict.fromkeys(Activities.__dataclass_fields__, nobody)
    work = Activities(**columns | {"start_s": start, "end_s": start + duration, "stream": stream, "process": nobody * 0,
                                   "device": nobody * 0})  # type: ignore[arg-type]  # fmt: skip
    return work, Dependencies(
        previous=previous, gap_s=chance.normal(1e-6, 1e-6, n), call_s=call, latency_s=chance.exponential(5e-6, n),
        other=other, lag_s=np.where(other >= 0, chance.exponential(1e-6, n), np.nan),
        host=np.searchsorted(wait_end, np.nan_to_num(call)) - 1, launches=chance.integers(0, 9, n).astype(float),
        group=nobody, bound=np.zeros(n, np.uint8), wait_call=np.arange(waits),
        wait_start_s=wait_end - chance.exponential(2e-5, waits), wait_end_s=wait_end,
        wait_for=np.maximum(np.searchsorted(start, wait_end) - chance.integers(1, 9, waits), 0),
        wait_tail_s=chance.exponential(1e-6, waits), wait_host=np.arange(-1, waits - 1),
        wait_launches=np.ones(waits), wait_process=np.zeros(waits, np.int64),
    )  # fmt: skip


@pytest.mark.parametrize("least", [1, 48, 10**9])
@pytest.mark.parametrize("seed", range(12))
def test_a_stretch_played_at_once_is_the_pieces_one_after_the_other(
    seed: int, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, deps = draw(seed)
    monkeypatch.setattr(list_schedule, "LEAST_ROWS", least)
    monkeypatch.setattr(list_schedule, "CHUNK", 256)
    duration = work.end_s - work.start_s
    lanes = np.stack([duration, 3.0 * duration, 0.0 * duration])
    played = list_schedule.run(work.start_s, work, deps, lanes, 1e-6, 2e-6)
    for lane, times in enumerate(lanes):
        for quick, slow in zip(played, play_slowly(work.start_s, work, deps, times, 1e-6, 2e-6), strict=True):
            np.testing.assert_allclose(quick[lane], slow, rtol=1e-12, atol=1e-15)


def test_seconds_that_nobody_knows_stay_where_they_are() -> None:
    """An endless duration delays what waits for it, and does not turn all other times into none."""
    work, deps = draw(3)
    duration = work.end_s - work.start_s
    duration[500] = np.nan
    _, end, _ = list_schedule.run(work.start_s, work, deps, duration[None, :], 0.0, 0.0)
    assert np.flatnonzero(np.isnan(end[0])).tolist() == [500]
