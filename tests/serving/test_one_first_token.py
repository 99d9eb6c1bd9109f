"""One time to the first token: in the first line, in JSON, in percentiles, and none where requests wait without end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roofcast
from roofcast.serving.measured_runs import VLLM, read_run
from roofcast.serving.request_replay import Scheduler, StepTable, replay_requests
from roofcast.serving.show import record_vllm

CONFIG = {
    "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
    "intermediate_size": 14336, "vocab_size": 128256, "torch_dtype": "bfloat16", "_name_or_path": "Llama-8B",
}  # fmt: skip


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG))
    return path


@pytest.mark.parametrize("load", [{"concurrency": 32}, {"rate": "4/s"}, {"concurrency": 32, "engine": "sglang"}])
def test_the_first_line_has_the_means_of_the_replayed_requests(config: Path, load: dict[str, Any]) -> None:
    best = roofcast.llm(config, "H100", gpus=1, requests=800, **load).found.best
    assert best.replayed is not None
    assert best.ttft_s == pytest.approx(float(best.replayed.ttft_s.mean()))
    assert best.tpot_s == pytest.approx(float(np.nanmean(best.replayed.tpot_s)))
    assert best.ttft_ends[0] < best.replayed.percentiles(best.replayed.ttft_s)[0] < best.ttft_ends[1]
    assert best.tpot_ends[0] < best.replayed.percentiles(best.replayed.tpot_s)[0] < best.tpot_ends[1]


def test_a_measured_level_holds_in_the_replay(config: Path, tmp_path: Path) -> None:
    run = {"mean_tpot_ms": 12.0, "mean_ttft_ms": 400.0, "max_concurrency": 32, "num_prompts": 320, "completed": 320,
           "total_input_tokens": 320 * 1024, "total_output_tokens": 320 * 1024}  # fmt: skip
    (tmp_path / "run.json").write_text(json.dumps(run))
    best = roofcast.llm(config, "H100", gpus=1, requests=320, measured=tmp_path / "run.json", source="H100").found.best
    assert best.ttft_s == pytest.approx(0.4, rel=0.15)
    assert best.ttft_ends[0] < 0.4 < best.ttft_ends[1]
    assert best.tpot_s == pytest.approx(0.012, rel=0.15)


def test_more_requests_than_are_served_have_no_time_to_the_first_token(config: Path) -> None:
    alone, replayed = (
        json.loads(roofcast.llm(config, "H100", gpus=1, rate="500/s", requests=n).to_json())["deployments"][0]
        for n in (0, 500)
    )
    for found in (alone, replayed):
        names = ("ttft_s", "ttft_low_s", "ttft_high_s", "ttft_p50_s", "ttft_p99_s", "queue_s")
        assert all(found[name] is None for name in names)
        assert found["tpot_s"] > 0
    assert alone["tokens_per_s"] == replayed["tokens_per_s"]


def test_clients_send_the_next_request_when_one_ends() -> None:
    table = StepTable((1.0, 65536.0), (1.0, 1.0), 0.0, 0.0, 0.0)
    arrival = np.array([0.0, 0.0, np.inf, np.inf])
    seen = replay_requests(arrival, [1] * 4, [3] * 4, table, Scheduler(8, 100))
    assert seen.queue_s.tolist() == [0.0] * 4
    assert seen.ttft_s.tolist() == [1.0] * 4
    assert seen.end_s == 6.0


@pytest.mark.parametrize("requests", [0, 200])
def test_what_is_written_as_vllm_writes_it_is_read_back(config: Path, tmp_path: Path, requests: int) -> None:
    answer = roofcast.llm(config, "H100", gpus=1, output=256, concurrency=16, requests=requests).found
    written = record_vllm(answer)
    (tmp_path / "vllm.json").write_text(json.dumps(written))
    run = read_run(tmp_path / "vllm.json")
    assert (run.format, run.input, run.output, run.concurrency) == (VLLM, 1024, 256, 16)
    assert run.tpot_s == pytest.approx(answer.best.tpot_s)
    assert run.ttft_s == pytest.approx(answer.best.ttft_s)
    assert written["total_output_tokens"] / written["duration"] == pytest.approx(written["output_throughput"], rel=1e-6)
    assert written["completed"] / written["duration"] == pytest.approx(written["request_throughput"])
