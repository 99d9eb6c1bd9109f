"""The replay against a slow twin's counts, the closed form, and itself."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

from roofcast.catalog import parse_target
from roofcast.core.errors import InputError
from roofcast.serving.batch_step import Plan, make_node
from roofcast.serving.language_model import parse_config
from roofcast.serving.request_replay import Scheduler, StepTable, draw_arrivals, replay_requests, tabulate_steps
from roofcast.serving.steady_state import find_in_flight

PLAIN = StepTable((1.0, 1000.0), (0.01, 0.01), 0.0, 0.0, 0.0)
"""Every step takes 10 ms."""
GROWING = StepTable((1.0, 100_000.0), (1e-3, 1.0), 1e-5, 1e-8, 1e-10)


def test_one_request_takes_its_steps() -> None:
    seen = replay_requests(np.zeros(1), [100], [11], PLAIN)
    assert seen.ttft_s[0] == pytest.approx(0.01)
    assert seen.tpot_s[0] == pytest.approx(0.01)
    assert seen.end_s == pytest.approx(0.11)
    assert seen.queue_s[0] == 0


def test_long_prompts_come_in_chunks() -> None:
    seen = replay_requests(np.zeros(1), [10_000], [1], PLAIN, Scheduler(64, 1000))
    assert seen.ttft_s[0] == pytest.approx(10 * 0.01)


def test_sequences_beyond_the_limit_wait() -> None:
    seen = replay_requests(np.zeros(3), [1] * 3, [10] * 3, PLAIN, Scheduler(1, 1000))
    assert seen.queue_s == pytest.approx([0.0, 0.1, 0.2])


def test_pages_that_run_out_send_the_youngest_back() -> None:
    seen = replay_requests(np.zeros(2), [50, 50], [50, 50], GROWING, Scheduler(8, 1000), 150)
    assert seen.preemptions > 0
    assert np.isfinite(seen.tpot_s).all()
    assert seen.tpot_s[1] > seen.tpot_s[0]


def test_steps_taken_at_once_are_the_steps_one_by_one() -> None:
    """A scalar twin that makes every step of requests that are all there at the start."""
    inputs, outputs = [30, 50, 20], [7, 12, 4]
    now = GROWING.time_s(100, 0, 0, sum(0.5 * i * i for i in inputs))
    contexts, left, last = [i + 1 for i in inputs], [o - 1 for o in outputs], [math.nan] * 3
    while any(left):
        running = [i for i in range(3) if left[i]]
        now += GROWING.time_s(len(running), len(running), sum(contexts[i] for i in running), 0.0)
        for i in running:
            left[i] -= 1
            contexts[i] += 1
            last[i] = now if not left[i] else last[i]
    seen = replay_requests(np.zeros(3), inputs, outputs, GROWING)
    assert seen.end_s == pytest.approx(now, rel=1e-9)
    made = seen.ttft_s + seen.tpot_s * (np.array(outputs) - 1)
    assert made == pytest.approx(last, rel=1e-9)


def test_the_same_seed_gives_the_same_answer_and_littles_law_holds() -> None:
    n = 4000
    arrival = draw_arrivals(20.0, n, 7)
    first, again = (replay_requests(arrival, [100] * n, [50] * n, PLAIN) for _ in range(2))
    assert np.array_equal(first.ttft_s, again.ttft_s)
    latency = float(np.mean(first.ttft_s + first.tpot_s * 49))
    assert find_in_flight(20.0, lambda b: latency) == pytest.approx(20.0 * latency)
    assert latency == pytest.approx(0.505, rel=0.02)


def test_a_hundred_thousand_requests_are_quick() -> None:
    n = 100_000
    start = time.perf_counter()
    seen = replay_requests(draw_arrivals(300.0, n), [200] * n, [100] * n, PLAIN)
    assert time.perf_counter() - start < 10.0
    assert seen.tokens == n * 100


@pytest.mark.parametrize("wrong", [([], []), ([0], [1]), ([10], [100])])
def test_what_cannot_be_replayed_is_said(wrong: tuple[list[int], list[int]]) -> None:
    with pytest.raises(InputError):
        replay_requests(np.zeros(len(wrong[0])), *wrong, PLAIN, kv_tokens=50)


def test_only_the_last_token_of_a_prompt_passes_the_output_layer() -> None:
    """A model that is nearly all vocabulary: prompts cost little, sequences all of it."""
    facts = {"num_hidden_layers": 1, "hidden_size": 1024, "num_attention_heads": 8, "intermediate_size": 1024}
    wide, narrow = (parse_config(facts | {"vocab_size": n}, "m") for n in (512_000, 1024))
    node = make_node(parse_target("H100").processor)
    many, few = (tabulate_steps(m, Plan(), node) for m in (wide, narrow))
    prompt = many.time_s(4096, 0, 0, 0.0) - few.time_s(4096, 0, 0, 0.0)
    tokens = many.time_s(4096, 4096, 0, 0.0) - few.time_s(4096, 4096, 0, 0.0)
    assert prompt < 0.2 * tokens


def test_prompts_follow_their_own_factor() -> None:
    slow = GROWING.scaled(2.0, 3.0)
    assert slow.time_s(10, 10, 50, 0.0) == pytest.approx(2.0 * GROWING.time_s(10, 10, 50, 0.0))
    assert slow.time_s(100, 0, 0, 9.0) == pytest.approx(3.0 * GROWING.time_s(100, 0, 0, 9.0))


def test_pages_that_nobody_took_are_not_computed_again() -> None:
    """Two that do not fit together: the second comes back as soon as the first ends, with most of its pages."""
    seen = replay_requests(np.zeros(2), [50, 50], [50, 50], GROWING, Scheduler(8, 1000), 150)
    whole = GROWING.time_s(75, 0, 0, 75 * 37.5)
    first_end = seen.ttft_s[0] + 49 * seen.tpot_s[0]
    second_end = seen.ttft_s[1] + 49 * seen.tpot_s[1]
    steps = sum(GROWING.time_s(1, 1, 75 + k, 0.0) for k in range(24))
    assert second_end - first_end < whole + steps
