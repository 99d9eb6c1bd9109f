"""Results of serving benchmarks (vLLM, SGLang, AIPerf, llama-bench, InferenceX, MLPerf) and what they state."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.core.errors import InputError, one_line
from roofcast.core.records import dataclass
from roofcast.ingest.timelines import are_timelines

if TYPE_CHECKING:
    from roofcast.core.processor import Processor

VLLM, SGLANG, AIPERF, LLAMA = "vLLM bench", "SGLang bench", "AIPerf", "llama-bench"
INFERENCEX, MLPERF = "InferenceX", "MLPerf summary"
MLPERF_HEAD = "MLPerf Results Summary"
"""Within the frame that LoadGen's mlperf_log_summary.txt begins with."""
TRACE = "a trace of decode steps"


@dataclass(frozen=True)
class MeasuredRun:
    """One run; None where the file does not say."""

    format: str
    tpot_s: float
    """Mean."""
    ttft_s: float | None
    """Mean."""
    input: float | None
    output: float | None
    """Tokens of a request, mean."""
    concurrency: float | None
    model: str = ""
    gpu: str = ""


def name_format(content: object) -> str:
    """Whose result it is; '' of anything else."""
    first = content[0] if isinstance(content, list) and content else content
    if isinstance(content, str):
        return MLPERF if MLPERF_HEAD in content[:1000] else ""
    if not isinstance(first, Mapping):
        return ""
    if "tput_per_gpu" in first and {"mean_tpot", "median_tpot"} & first.keys():
        return INFERENCEX
    if isinstance(content, list):
        return LLAMA if {"n_prompt", "n_gen", "avg_ts"} <= first.keys() else ""
    if "mean_tpot_ms" in first and "mean_ttft_ms" in first:
        return SGLANG if str(first.get("backend", "")).startswith("sglang") or "concurrency" in first else VLLM
    return AIPERF if "time_to_first_token" in first and "inter_token_latency" in first else ""


MOST_BYTES = 64 * 2**20
"""Of a result; larger files are traces."""
KNOWN = "vLLM bench, SGLang bench, AIPerf, llama-bench, InferenceX or MLPerf"
NO_RUN = f"not JSON; give what {KNOWN} wrote"


def parse_json(path: str | Path) -> Any:
    """The content; of JSON lines the last one, as SGLang appends a line per run; of a summary of MLPerf its text."""
    try:
        with Path(path).open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: {NO_RUN}") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {one_line(str(error), 120)}") from error
    if len(content) > MOST_BYTES:
        raise InputError(f"{path}: more than {MOST_BYTES // 2**20} MB: {NO_RUN}")
    if MLPERF_HEAD in text[:1000]:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            return json.loads(lines[-1]) if lines else None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}: {NO_RUN}") from error


def read_traced(path: str | Path, source: Processor) -> MeasuredRun:
    """The run of a trace of decode steps: each gives every sequence in flight one token.

    Raises
    ------
    InputError : no steps repeat in it.
    """
    from roofcast.applications.recorded import forecast_given

    (run,) = forecast_given([str(path)], source, source=source)
    if run.part is None or run.part.kind != "steps":
        raise InputError(f"{path}: no steps repeat in this trace: record several decode steps of a batch that stays")
    return MeasuredRun(TRACE, run.answer.time_s, None, None, None, None)


def read_run(path: str | Path, source: Processor | None = None) -> MeasuredRun:
    """The run of a file. source : the GPU that it ran on, where it is a trace.

    Raises
    ------
    InputError : no such file, no benchmark's result, or no time per token in it.
    """
    if source is not None and Path(path).is_file() and are_timelines([path]):
        return read_traced(path, source)
    content = parse_json(path)
    kind = name_format(content)
    if not kind:
        raise InputError(f"{path}: no result of {KNOWN}")
    readers: dict[str, Callable[[str | Path, Any], MeasuredRun]] = {
        LLAMA: read_llama, AIPERF: read_aiperf, INFERENCEX: read_inferencex, MLPERF: read_mlperf,
    }  # fmt: skip
    if kind in readers:
        return readers[kind](path, content)
    done = number(content, "completed") or number(content, "num_prompts") or math.nan

    def each(name: str) -> float | None:
        total = number(content, name)
        return None if total is None or not done > 0 else total / done

    tpot = number(content, "mean_tpot_ms")
    if tpot is None:
        raise InputError(f"{path}: mean_tpot_ms is no time: every request had one token, or none ended")
    ttft = number(content, "mean_ttft_ms")
    in_flight = number(content, "max_concurrency") or number(content, "concurrency")
    model = str(content.get("model_id") or "")
    return MeasuredRun(kind, tpot * 1e-3, None if ttft is None else ttft * 1e-3, each("total_input_tokens"),
                       each("total_output_tokens"), in_flight, model)  # fmt: skip


def read_aiperf(path: str | Path, content: Mapping[str, Any]) -> MeasuredRun:
    """AIPerf's summary."""

    def mean(name: str, scale: bool = False) -> float | None:
        metric = content.get(name)
        if not isinstance(metric, Mapping):
            return None
        value = number(metric, "avg")
        unit = {"ms": 1e-3, "s": 1.0, "us": 1e-6}.get(str(metric.get("unit", "ms")), 1e-3) if scale else 1.0
        return None if value is None else value * unit

    tpot = mean("inter_token_latency", True)
    if tpot is None:
        raise InputError(f"{path}: inter_token_latency has no avg")
    config = content.get("input_config")
    load = config.get("loadgen") if isinstance(config, Mapping) else None
    in_flight = number(load, "concurrency") if isinstance(load, Mapping) else None
    return MeasuredRun(AIPERF, tpot, mean("time_to_first_token", True), mean("input_sequence_length"),
                       mean("output_sequence_length"), in_flight)  # fmt: skip


def read_inferencex(path: str | Path, content: Any) -> MeasuredRun:
    """A row of InferenceX, in seconds; of several the first."""
    row = content[0] if isinstance(content, list) else content
    tpot = number(row, "mean_tpot") or number(row, "median_tpot")
    if tpot is None:
        raise InputError(f"{path}: mean_tpot is no time")
    return MeasuredRun(
        INFERENCEX, tpot, number(row, "mean_ttft") or number(row, "median_ttft"), number(row, "isl"),
        number(row, "osl"), number(row, "conc"), str(row.get("model") or ""), str(row.get("hw") or ""),
    )  # fmt: skip


def read_mlperf(path: str | Path, content: str) -> MeasuredRun:
    """LoadGen's summary of a language model's run, which states times in nanoseconds; not its lengths."""
    lines = (line.partition(":") for line in content.splitlines() if ":" in line)
    values = {" ".join(name.split()).lower(): value.strip() for name, _, value in lines}

    def mean(name: str) -> float | None:
        try:
            value = float(values.get(name, ""))
        except ValueError:
            return None
        return value * 1e-9 if math.isfinite(value) and value > 0 else None

    tpot = mean("mean time to output token (ns)")
    if tpot is None:
        raise InputError(f"{path}: no mean time to output token: not a language model, or run without token latencies")
    return MeasuredRun(MLPERF, tpot, mean("mean first token latency (ns)"), None, None, None)


def read_llama(path: str | Path, content: list[Any]) -> MeasuredRun:
    """llama-bench: rows of prompts alone and of tokens alone, one sequence."""
    rows = [r for r in content if isinstance(r, Mapping)]
    tokens = [r for r in rows if (number(r, "n_gen") or 0) > 0 and not number(r, "n_prompt") and number(r, "avg_ts")]
    if not tokens:
        raise InputError(f"{path}: no row with n_gen above 0 and n_prompt 0: nothing says the time per token")
    prompts = [r for r in rows if (number(r, "n_prompt") or 0) > 0 and not number(r, "n_gen") and number(r, "avg_ts")]
    first = prompts[0] if prompts else None
    ttft = None if first is None else first["n_prompt"] / first["avg_ts"]
    return MeasuredRun(
        LLAMA, 1.0 / float(tokens[0]["avg_ts"]), ttft, None if first is None else float(first["n_prompt"]),
        float(tokens[0]["n_gen"]), 1.0, str(tokens[0].get("model_type") or ""), str(tokens[0].get("gpu_info") or ""),
    )  # fmt: skip


def number(content: Mapping[str, Any], name: str) -> float | None:
    """A number above 0."""
    value = content.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value <= 0:
        return None
    return float(value)
