"""Results of benchmarks in the forms that their tools document: what is read of each, and refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import roofcast
from contracts.doors import run
from roofcast.core.errors import InputError
from roofcast.serving.measured_runs import AIPERF, INFERENCEX, LLAMA, MLPERF, SGLANG, VLLM, read_run
from serving.test_language_model import LLAMA as CONFIG
from timeline_samples import event

TIMES = {"mean_ttft_ms": 150.0, "mean_tpot_ms": 12.5, "completed": 4, "total_input_tokens": 4096,
         "total_output_tokens": 1024}  # fmt: skip
SAMPLES: dict[str, Any] = {
    VLLM: {"model_id": "m", "backend": "vllm", "max_concurrency": 16, **TIMES},
    SGLANG: {"backend": "sglang", "max_concurrency": 16, **TIMES},
    AIPERF: {
        "time_to_first_token": {"unit": "ms", "avg": 150.0}, "inter_token_latency": {"unit": "ms", "avg": 12.5},
        "input_sequence_length": {"unit": "tokens", "avg": 1024}, "input_config": {"loadgen": {"concurrency": 16}},
        "output_sequence_length": {"unit": "tokens", "avg": 256},
    },
    INFERENCEX: [{
        "hw": "h200", "conc": 16, "model": "m", "isl": 1024, "osl": 256, "tput_per_gpu": 9.0, "mean_ttft": 0.15,
        "mean_tpot": 0.0125,
    }],
    LLAMA: [
        {"n_prompt": 1024, "n_gen": 0, "avg_ts": 1024 / 0.15, "model_type": "llama 8B"},
        {"n_prompt": 0, "n_gen": 256, "avg_ts": 80.0, "model_type": "llama 8B"},
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_form_says_the_same_times(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(SAMPLES[kind]))
    found = read_run(path)
    assert found.format == kind
    assert found.tpot_s == pytest.approx(12.5e-3)
    assert found.ttft_s == pytest.approx(0.15)
    assert (found.input, found.output) == (1024, 256)
    assert found.concurrency == (1 if kind == LLAMA else 16)
    assert "roofcast llm config.json --measured" in run(str(path))


SUMMARY = """\
================================================
MLPerf Results Summary
================================================
SUT name : engine
Scenario : Server
Completed tokens per second          : 900.5
Mean First Token latency (ns)        : 150000000
Mean Time to Output Token (ns)       : 12500000
"""


def test_a_summary_of_mlperf_is_a_run(tmp_path: Path) -> None:
    path = tmp_path / "mlperf_log_summary.txt"
    path.write_text(SUMMARY)
    found = read_run(path)
    assert (found.format, found.input, found.concurrency) == (MLPERF, None, None)
    assert (found.tpot_s, found.ttft_s) == pytest.approx((12.5e-3, 0.15))
    assert "roofcast llm config.json --measured" in run(str(path))
    path.write_text(SUMMARY.partition("Completed")[0])
    with pytest.raises(InputError, match="no mean time to output token"):
        read_run(path)


@pytest.mark.parametrize(("name", "content", "said"), [
    ("run.hatchet", [{"frame": {"name": "ROOT"}, "metrics": {}, "children": []}, {"CUDA": {}}], "Proton"),
    ("run.json", {"meta": {}, "devices": [], "benchmarks": [{"name": "sort", "states": []}]}, "nvbench"),
])  # fmt: skip
def test_profiles_without_launches_name_what_records_them(name: str, content: Any, said: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(json.dumps(content))
    told = run(str(path))
    assert said in told
    assert "roofcast measure profile -- " in told


def test_of_json_lines_the_last_run_counts(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    lines = [SAMPLES[SGLANG] | {"mean_tpot_ms": t} for t in (99.0, 12.5)]
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    assert read_run(path).tpot_s == pytest.approx(12.5e-3)


@pytest.mark.parametrize("content", ["", "{}", "[]", "[[1]]", '{"mean_ttft_ms": 1, "mean_tpot_ms": null}', "x\ny",
                                     '[{"n_prompt": 5, "n_gen": 0, "avg_ts": 3}]'])  # fmt: skip
def test_what_states_no_time_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        read_run(path)
    assert "\n" not in str(caught.value)


def test_a_measured_level_moves_what_a_rate_keeps_in_flight(tmp_path: Path) -> None:
    config, path = tmp_path / "config.json", tmp_path / "run.json"
    config.write_text(json.dumps(CONFIG))
    plain = roofcast.llm(config, "H100", tp=1, rate="1/s", input=1024, output=256).found.best
    held = []
    for tpot in (12.5, 25.0):
        path.write_text(json.dumps(SAMPLES[VLLM] | {"mean_tpot_ms": tpot}))
        best = roofcast.llm(config, "H100", tp=1, rate="1/s", input=1024, output=256, measured=path, source="H100")
        held.append(best.found.best.in_flight)
    assert plain.tokens_per_s == pytest.approx(256, rel=1e-3)
    # Little's law: requests in flight grow with the time that each takes.
    assert held[1] > 1.7 * held[0]


def test_a_trace_of_decode_steps_is_a_measured_run(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    names = ("qkv", "attention_decode", "mlp_up", "mlp_down")
    events = [
        event("kernel", f"void {name}()", 9000.0 * step + 2000.0 * i, 1900.0, device=0, stream=1,
              correlation=10 * step + i)
        for step in range(6) for i, name in enumerate(names)
    ]  # fmt: skip
    trace = tmp_path / "decode.json"
    trace.write_text(json.dumps({"traceEvents": events}))
    (found,) = roofcast.llm(tmp_path, "H100 SXM5 80GB", gpus=1, concurrency=32, measured=trace,
                            source="H100 SXM5 80GB").found.deployments  # fmt: skip
    step_s = roofcast.app(trace, "H100 SXM5 80GB", source="H100 SXM5 80GB").found[0].answer.time_s
    assert found.tpot_s == pytest.approx(step_s)
    trace.write_text(json.dumps({"traceEvents": events[:4]}))
    with pytest.raises(InputError, match="no steps repeat"):
        roofcast.llm(tmp_path, "H100 SXM5 80GB", gpus=1, concurrency=32, measured=trace, source="H100 SXM5 80GB")
