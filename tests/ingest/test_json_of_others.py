"""JSON files of other tools are called what they are, with what roofcast reads in their place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from roofcast.__main__ import main

TIMES = {"avg": 1.0, "p50": 1.0, "p99": 2.0, "unit": "ms"}
FILES: dict[str, tuple[Any, str]] = {
    "vllm_serve": (
        {
            "date": "20250101",
            "backend": "vllm",
            "model_id": "m",
            "num_prompts": 10,
            "duration": 9.9,
            "request_throughput": 1.0,
            "output_throughput": 99.0,
            "mean_ttft_ms": 9.0,
            "mean_tpot_ms": 4.0,
        },
        "serving benchmark",
    ),
    "vllm_latency": ({"avg_latency": 1.0, "latencies": [1.0], "percentiles": {"10": 1.0}}, "latency benchmark of vLLM"),
    "vllm_throughput": (
        {
            "elapsed_time": 1.0,
            "num_requests": 3,
            "total_num_tokens": 9,
            "requests_per_second": 3.0,
            "tokens_per_second": 9.0,
        },
        "throughput benchmark of vLLM",
    ),
    "aiperf": (
        {
            "request_throughput": {"avg": 1.0, "unit": "requests/sec"},
            "request_latency": TIMES,
            "time_to_first_token": TIMES,
            "inter_token_latency": TIMES,
            "input_config": {},
        },
        "AIPerf",
    ),
    "llama_bench": (
        [{"build_commit": "abc", "model_filename": "m.gguf", "n_prompt": 512, "n_gen": 0, "avg_ns": 1, "avg_ts": 9.0}],
        "llama-bench",
    ),
    "mlperf": (
        [{"Submitter": "s", "SystemName": "n", "MlperfModel": "m", "Scenario": "Offline", "Performance_Result": 1.0}],
        "summary of MLPerf",
    ),
    "nvbench": (
        {
            "meta": {"argv": ["./a"], "version": {"json": {"major": 1}, "nvbench": {"major": 0}}},
            "devices": [{"id": 0, "name": "GPU"}],
            "benchmarks": [{"name": "b", "axes": [], "states": []}],
        },
        "nvbench",
    ),
    "google_benchmark": (
        {"context": {"host_name": "h"}, "benchmarks": [{"name": "b", "real_time": 1.0, "cpu_time": 1.0}]},
        "benchmark library",
    ),
    "proton": (
        [{"frame": {"name": "ROOT", "type": "function"}, "metrics": {"count": 0, "time (ns)": 0}, "children": []}, {}],
        "proton",
    ),
    "execution_trace": (
        {"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": [{"id": 1, "name": "aten::mm", "ctrl_deps": 0}]},
        "execution trace",
    ),
    "config": ({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096}, "roofcast.torch"),
    "package": ({"name": "x", "version": "1.0.0", "dependencies": {"a": "1"}}, "software package"),
    "cpu_trace": (
        {"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]},
        "without work of a GPU",
    ),
    "unknown": ({"type": "FeatureCollection", "features": []}, "JSON of a kind that roofcast does not know"),
    "list": ([1, 2, 3], "JSON of a kind that roofcast does not know"),
}


@pytest.mark.parametrize("name", FILES)
def test_json_of_another_tool_is_called_what_it_is(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, said = FILES[name]
    path = tmp_path / f"{name}.json"
    for text in (json.dumps(content), json.dumps(content, indent=2)):
        path.write_text(text)
        commands = [["app", str(path), "--to", "H100"], ["forecast", str(path), "--to", "H100"]]
        # What the shapes alone say, `forecast` says.
        for command in commands[: 1 if name == "execution_trace" else 2]:
            assert main(command) == 2
            lines = capsys.readouterr().err.strip().splitlines()
            assert len(lines) == 1
            assert said in lines[0]
            assert "give the .ncu-rep report" not in lines[0]
