"""Requests from a file: lengths, and arrivals where it has them.

CSV with a header or JSON lines, a request each, under the names that public traces use (Azure's LLM traces, BurstGPT,
Mooncake, LLMServingSim), or a detailed result of vLLM's benchmark (``input_lens``, ``output_lens``).
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from roofcast.core.errors import InputError, one_line, why_not
from roofcast.core.kernel_table import FloatArray
from roofcast.core.records import dataclass
from roofcast.serving.request_replay import MOST_REQUESTS

INPUTS = (
    "inputtokens", "inputlength", "inputlen", "prompttokens", "promptlen", "isl", "requesttokens", "contexttokens",
)  # fmt: skip
OUTPUTS = (
    "outputtokens", "outputlength", "outputlen", "completiontokens", "osl", "responsetokens", "generatedtokens",
)  # fmt: skip
ARRIVALS = {"arrivals": 1.0, "arrival": 1.0, "timestamp": 1.0, "arrivalms": 1e-3, "timestampms": 1e-3}
"""Name of a column -> seconds of its unit; Mooncake's ``timestamp`` is in milliseconds (:data:`MOONCAKE`)."""
MOONCAKE = "hash_ids"
LONGEST = 10_000_000
"""Tokens of a request; more are a slip of the file."""
MOST_BYTES = 256 * 2**20
"""Of a file: a million requests as JSON lines take half of it."""
FORMS = "a CSV or JSON lines with input_tokens and output_tokens of each request, arrival_s if known"


MLPERF: Mapping[str, tuple[float, float]] = {
    "llama2-70b": (294, 294), "llama3.1-8b": (778, 73), "llama3.1-405b": (9500, 684), "gptj": (924, 69),
}  # fmt: skip
"""Benchmark of MLPerf Inference -> mean tokens in and out of its data (OpenOrca, CNN and Daily Mail, long text)."""
MLPERF_PREFIX = "mlperf:"


def find_benchmark(text: str) -> tuple[float, float] | None:
    """Mean tokens in and out of a benchmark that a traffic names; None where it names a file.

    >>> find_benchmark("mlperf:llama2-70b"), find_benchmark("requests.csv")
    ((294, 294), None)
    """
    if not text.lower().startswith(MLPERF_PREFIX):
        return None
    name = text[len(MLPERF_PREFIX) :].lower().strip()
    if name not in MLPERF:
        raise InputError(f"--traffic {one_line(text, 60)}: MLPerf has {', '.join(MLPERF)}")
    return MLPERF[name]


@dataclass(frozen=True)
class RequestList:
    """n requests in the order of their arrival."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    """Tokens."""
    arrival_s: FloatArray | None = None
    """(n,) from the first on; None where the file does not say."""

    @property
    def rate_per_s(self) -> float | None:
        """Requests/s; None without arrivals, or where all come at once."""
        if self.arrival_s is None or len(self.inputs) < 2 or not self.arrival_s[-1] > 0:
            return None
        return (len(self.inputs) - 1) / float(self.arrival_s[-1])


def read_traffic(path: str | Path) -> RequestList:
    """The requests of a file.

    Raises
    ------
    InputError : no such file, none of these forms, no or too many requests, or a length that is none.
    """
    try:
        with Path(path).open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {why_not(error)}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: no text in UTF-8; give {FORMS}") from error
    if len(content) > MOST_BYTES:
        raise InputError(f"{path}: more than {MOST_BYTES // 2**20} MB; give {FORMS}")
    rows = list(list_rows(text))[: MOST_REQUESTS + 1]
    if not rows or len(rows) > MOST_REQUESTS:
        raise InputError(
            f"{path}: {'no requests' if not rows else f'more than {MOST_REQUESTS:,} requests'}; give {FORMS}"
        )
    names = {normalise(name): name for name in reversed(list(rows[0]))}
    given, output_name = (next((names[n] for n in known if n in names), None) for known in (INPUTS, OUTPUTS))
    if given is None or output_name is None:
        raise InputError(f"{path}: no lengths in {one_line(', '.join(map(str, rows[0])), 100)}; give {FORMS}")
    inputs, outputs = (
        [read_length(row.get(name), path, i) for i, row in enumerate(rows, 1)] for name in (given, output_name)
    )
    when = next((n for n in ARRIVALS if n in names), None)
    if when is None:
        return RequestList(tuple(inputs), tuple(outputs))
    unit = 1e-3 if MOONCAKE in rows[0] else ARRIVALS[when]
    arrival = np.array([read_time(row.get(names[when]), path, i) for i, row in enumerate(rows, 1)]) * unit
    order = np.argsort(arrival, kind="stable")
    inputs, outputs = ([values[k] for k in order.tolist()] for values in (inputs, outputs))
    return RequestList(tuple(inputs), tuple(outputs), arrival[order] - arrival[order[0]])


def list_rows(text: str) -> Iterable[Mapping[str, Any]]:
    """A mapping per request; none of a text of another form."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            content = json.loads(text)
        except (ValueError, RecursionError):
            return list_lines(text)
        if isinstance(content, Mapping):
            given, outputs = content.get("input_lens"), content.get("output_lens")
            if isinstance(given, list) and isinstance(outputs, list):
                return [{"input_len": a, "output_len": b} for a, b in zip(given, outputs, strict=False)]
            content = [content]
        return [row for row in content if isinstance(row, Mapping)]
    try:
        return list(csv.DictReader(text.splitlines()))
    except csv.Error:
        return []


def list_lines(text: str) -> list[Mapping[str, Any]]:
    """The objects of JSON lines; none where one of them is something else."""
    try:
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return []
    return rows if all(isinstance(row, Mapping) for row in rows) else []


def normalise(name: Any) -> str:
    """A column's name without case, signs and unit of seconds: ``Request tokens`` -> ``requesttokens``."""
    return re.sub(r"[^a-z]", "", str(name).lower())


def read_length(value: Any, path: str | Path, row: int) -> int:
    """A number of tokens from 1 on; what a trace counts as 0 is one."""
    try:
        tokens = float(value)
    except (TypeError, ValueError):
        tokens = math.nan
    if not 0 <= tokens <= LONGEST:
        raise InputError(f"{path}: request {row} has no length: {one_line(str(value), 40)!r}")
    return max(round(tokens), 1)


def read_time(value: Any, path: str | Path, row: int) -> float:
    """A time in the file's unit, or a date in seconds."""
    text = str(value).strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            # Azure's traces have seven digits of a second.
            seconds = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text)).timestamp()
        except ValueError:
            seconds = math.nan
    if not math.isfinite(seconds):
        raise InputError(f"{path}: request {row} has no time of arrival: {one_line(text, 40)!r}")
    return seconds
