"""What must hold of every answer, whatever was asked of whatever file: machine-checked, for the tests and the night.

Each check yields sentences; no sentence, no fault. An answer is exit code, text and JSON as users get them.
"""

from __future__ import annotations

import contextlib
import csv
import html
import io
import json
import math
import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn

import polars as pl

from contracts.doors import CHECKOUT
from contracts.sentences import check_advice, check_promise, check_sentence, check_shares, check_text
from gate.asking import JSON, TEXT, Question, Said
from roofcast.core.errors import InputError, RoofcastError
from roofcast.core.kernel_table import KernelTable
from roofcast.core.timeline import Collective
from roofcast.core.undecided import DECIDED_WITHIN, UNDECIDED, is_undecided
from roofcast.core.units import format_quantity
from roofcast.ingest.readers import read_stream
from roofcast.ingest.traces.event_names import collective_of

DOCS = (CHECKOUT / "docs" / "output.md").read_text(encoding="utf-8")
HAIR = 1e-6
"""Relative rounding that sums and ratios may have."""
SOMETIMES = frozenset(
    {
        "waterfall",
        "worst",
        "error_points",
        "median_ratio",
        "causes",
        "run",
        "timelines",
        "code",
        "commands",
        "file",
        "kernel",
    }
    | {"binaries", "architectures", "size_bytes", "ptx", "launches", "launches_with_code", "launches_with_counts"}
)
"""Promised keys that only some options or files fill."""

INTERVALS = (
    ("time_low_s", "time_s", "time_high_s"), ("time_low_outer_s", "time_low_s", "time_high_outer_s"),
    ("time_low_outer_s", "time_high_s", "time_high_outer_s"), ("energy_low_j", "energy_j", "energy_high_j"),
    ("energy_low_j", "energy_per_job_j", "energy_high_j"), ("cost_low", "cost_per_job", "cost_high"),
    ("total_cost_low", "total_cost", "total_cost_high"), ("low_s", "high_s", "high_s"),
    ("base_time_low_s", "base_time_s", "base_time_high_s"),
    ("time_device_low_s", "time_device_s", "time_device_high_s"),
)  # fmt: skip
POSITIVE = re.compile(
    r"^(?:(?:source_|measured_|base_)?time|(?:base_)?time_(?:low|high)(?:_outer)?)_s$|^energy\w*_j$|^speedup$"
)
NOT_NEGATIVE = re.compile(r"_(?:s|j|w|hz|bytes|usd|per_s|per_job|high|low)$|^(?:launches|kernels|bytes_|flops_|cost_)")
SIGNED = ("value_per_job", "saved_s", "saved_low_s", "saved_high_s", "change_s")
SHARE = re.compile(r"_fraction$|_fraction_|^share_|_share$|^coverage|^p_(?!\w*usd)|^utilisation$|^probability|^within_")


def faults_of(question: Question, answers: Mapping[str, Said], names: Iterable[str] = ()) -> Iterator[str]:
    """All faults of the answers to one question, by format.

    names : what the file calls its kernels; such words may stand in any text.
    """
    known = " ".join(names)
    # A picture without anything in it is refused where a table still says why nothing could be forecast.
    codes = {form: said.code for form, said in answers.items() if "nothing to draw" not in said.err}
    for form, said in answers.items():
        for fault in (
            *faults_of_exit(said),
            *check_text(readable(form, said), known),
            *check_text(said.err, known),
        ):
            yield f"{form}: {fault}"
    if len(set(codes.values())) > 1:
        yield f"exit codes differ by format: {codes}"
    whole = answers.get(JSON)
    if whole is None or not (whole.made or whole.out).strip():
        return
    try:
        data = json.loads(whole.made or whole.out, parse_constant=refuse_constant)
    except ValueError as error:
        yield f"json: is none: {error}"
        return
    yield from faults_of_data(question, data)
    if TEXT in answers and codes[JSON] == codes[TEXT] == 0:
        yield from faults_of_headline(question, data, answers[TEXT].out)
    for form in ("csv", "parquet"):
        if form in answers and answers[form].code == 0:
            yield from faults_of_rows(question.command, data, table_of(form, answers[form]), form)


def refuse_constant(name: str) -> NoReturn:
    """NaN and Infinity are no JSON."""
    raise ValueError(f"{name} in it")


# ---- texts -----------------------------------------------------------------------------------------------------------


def faults_of_exit(said: Said) -> Iterator[str]:
    """0, or 2 with one line that says what to do."""
    # A list without times is written, then refused: where it went stands before.
    lines = [line for line in said.err.splitlines() if not line.startswith("wrote ")]
    if said.code not in (0, 2):
        yield f"exit {said.code}: {lines[-1] if lines else ''}"
    mine = [line for line in lines if line.startswith("roofcast: ")]
    if said.code == 2 and (len(lines) != 1 or len(mine) != 1 or not lines[0].isprintable()):
        yield f"exit 2 with {len(lines)} lines: {said.err!r}"
    if said.code == 2 and "not enough memory" in said.err:
        yield said.err.strip()


def readable(form: str, said: Said) -> str:
    """What a person reads of an answer, and the numbers of pictures."""
    text = said.out if not said.made or form in ("parquet", "png", "pdf") else said.made.decode("utf-8", "replace")
    if form in ("html", "svg", "perfetto"):
        for noise in (
            r"<script\b.*?</script>",
            r"<style\b.*?</style>",
            r"<defs>.*?</defs>",
            r"<metadata>.*?</metadata>",
        ):
            text = re.sub(noise, " ", text, flags=re.DOTALL)
        numbers = " ".join(re.findall(r'\b(?:[xyrdvhw]\d?|points|width|height|cx|cy|transform|style)="([^"]*)"', text))
        text = html.unescape(re.sub(r"<[^>]*>", " ", text)) + " " + numbers.replace("none", "")
    return re.sub(r"\bnull\b", " ", text) if form in ("json", "perfetto", "html") else text


# ---- numbers ---------------------------------------------------------------------------------------------------------


def promised(command: str) -> list[str]:
    """Keys in the row of a command in docs/output.md, in their order."""
    row = next((line for line in DOCS.splitlines() if line.startswith(f"| `{command}`")), "")
    code = row.partition("` |")[2].split("`")[1::2]
    return [key for part in code if re.fullmatch(r"[a-z0-9_, ]+", part) for key in part.split(", ")]


def faults_of_data(question: Question, data: Any) -> Iterator[str]:
    """JSON of any command, and what its numbers must be among each other."""
    for place, node in objects(data):
        for fault in (*faults_of_numbers(node), *faults_of_intervals(node)):
            yield f"json {place}: {fault}"
    keys = {key for _, node in objects(data) for key in node}
    missing = [k for k in promised(question.command) if k not in keys and k not in SOMETIMES]
    if missing and data and rows_in(data):
        yield f"json: docs/output.md promises {', '.join(missing)}"
    check = BY_COMMAND.get(question.command)
    if check is not None:
        for one in data if isinstance(data, list) and question.command == "app" else [data]:
            yield from check(one)


def rows_in(data: Any) -> list[Any]:
    """The rows of an answer; empty where it has none, so that their keys are absent."""
    if isinstance(data, list):
        return data
    return next((data[k] for k in ("forecasts", "kernels", "candidates", "findings", "fastest") if k in data), [data])


def objects(data: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of a JSON document with its place; what explains a forecast in steps has signs of its own."""
    if isinstance(data, dict):
        yield place or ".", data
        for key, value in data.items():
            if key not in ("waterfall", "elasticities", "elasticity_intervals", "elasticities_by_kernel"):
                yield from objects(value, f"{place}.{key}")
    elif isinstance(data, list):
        for i, value in enumerate(data):
            yield from objects(value, f"{place}[{i}]")


def faults_of_numbers(node: Mapping[str, Any]) -> Iterator[str]:
    """Finite; positive or not negative by the name; shares within 0 and 1."""
    for key, value in node.items():
        if not isinstance(value, (int, float)) or isinstance(value, bool) or key in SIGNED:
            continue
        if not math.isfinite(value):
            yield f"{key} is {value}"
        elif POSITIVE.search(key) and not value > 0:
            yield f"{key} is {value!r}, not positive"
        elif NOT_NEGATIVE.search(key) and value < 0:
            yield f"{key} is {value!r}, negative"
        elif SHARE.search(key) and not -HAIR <= value <= 1 + HAIR:
            yield f"{key} is {value!r}, no share"


def faults_of_intervals(node: Mapping[str, Any]) -> Iterator[str]:
    """An interval holds its value."""
    for low, value, high in INTERVALS:
        if all(isinstance(node.get(k), (int, float)) for k in (low, value, high)):
            a, b, c = node[low], node[value], node[high]
            if not a <= b * (1 + HAIR) or not b <= c * (1 + HAIR):
                yield f"{low}, {value}, {high} are {a!r}, {b!r}, {c!r}"


def unequal(what: str, left: float | None, right: float | None, hair: float = HAIR) -> Iterator[str]:
    """Two numbers that must be the same."""
    if left is not None and right is not None and abs(left - right) > hair * max(abs(left), abs(right)) + 1e-18:
        yield f"{what}: {left!r} against {right!r}"


def summed(rows: Iterable[Mapping[str, Any]], key: str) -> float:
    """Sum of a key over rows; what is unknown adds nothing."""
    return math.fsum(r[key] or 0.0 for r in rows)


def check_forecast(data: Mapping[str, Any]) -> Iterator[str]:
    """Totals are sums over all launches; a speed-up is the ratio of its times; what has no time has a reason."""
    rows = data["forecasts"]
    yield from (*check_sentence(data), *check_promise(data), *faults_of_advice(data))
    for row in rows:
        if row["time_s"] is None:
            if not row["notes"]:
                yield f"{row['kernel'][:40]}: no time and no reason"
            continue
        yield from faults_of_decision(row)
        yield from unequal("speedup", row["speedup"], row["source_time_s"] / row["time_s"])
        yield from unequal("time_total_s", row["time_total_s"], row["time_s"] * row["launches"])
    by_target: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        by_target[row["target_gpu"]].append(row)
    whole = {t["target"]: sum(t[k] for k in ("kernels", "kernels_left_out")) for t in data["totals"]}
    for total in data["totals"]:
        mine = by_target[total["target"]]
        # Of one kernel measured on several GPUs the workload has one; with --top the rows are not all.
        if not mine or len(mine) != whole[total["target"]]:
            continue
        timed = [r for r in mine if r["time_s"] is not None]
        if not timed:
            continue
        yield from unequal("totals.time_s", total["time_s"], summed(timed, "time_total_s"))
        yield from unequal("totals.launches", total["launches"], summed(timed, "launches"))
        source = math.fsum(r["source_time_s"] * r["launches"] for r in timed)
        yield from unequal("totals.time_source_s", total["time_source_s"], source)
        if total["time_s"] and total["speedup"] is not None:
            yield from unequal("totals.speedup", total["speedup"], total["time_source_s"] / total["time_s"])
        outer = math.fsum(r["time_high_s"] * r["launches"] for r in timed)
        yield from unequal("totals.time_high_outer_s", max(total["time_high_outer_s"], outer), outer, 1e-3)


def faults_of_advice(data: Mapping[str, Any]) -> Iterator[str]:
    """What is to be measured next changes something of most of the time."""
    spent = [(r["time_total_s"] or 0.0, collective_of(r["kernel"]) is not Collective.NONE) for r in data["forecasts"]]
    collective = math.fsum(t for t, is_collective in spent if is_collective)
    if collective:
        yield from check_advice(data.get("narrowing"), collective / math.fsum(t for t, _ in spent))


def faults_of_decision(row: Mapping[str, Any]) -> Iterator[str]:
    """An interval beyond a factor of 50 is marked undecided, no other is."""
    spread = row["time_high_s"] / row["time_low_s"] if row["time_low_s"] else math.inf
    marked = any(note.startswith(UNDECIDED) for note in row["notes"])
    # An end that the file rounds may stand on either side.
    if marked != (spread > DECIDED_WITHIN) and abs(spread / DECIDED_WITHIN - 1) > HAIR:
        yield f"{row['kernel'][:40]}: within a factor of {spread:.4g}, {'marked' if marked else 'not'} undecided"


def check_app(data: Mapping[str, Any]) -> Iterator[str]:
    """Parts sum to their wholes; no part is longer than the whole."""
    if data["time_s"] is None:
        return
    yield from (*check_sentence(data), *check_shares(data))
    yield from unequal("speedup", data["speedup"], data["source_time_s"] / data["time_s"])
    for ours, whole in (("source_time_s", "time_source_s"), ("time_s", "time_s")):
        if data["kernels_total"]:
            yield from unequal(f"kernels {ours}", summed(data["kernels"], ours), data["kernels_total"][whole])


def check_roofline(rows: Any) -> Iterator[str]:
    """Shares of the time of one version on one GPU sum to at most 1; nothing is above its ceiling."""
    times: dict[tuple[str, ...], float] = defaultdict(float)
    for row in rows if isinstance(rows, list) else rows["kernels"]:
        times[row["file"], row["version"], row["role"], row["gpu"]] += row["time_fraction"] or 0.0
        for key, value in row.items():
            if key.startswith("share_of_ceiling") and value is not None and value > 1 + HAIR:
                yield f"{row['kernel'][:40]}: {key} {value!r}"
    for whose, share in times.items():
        if share > 1 + HAIR:
            yield f"time_fraction of {whose} sums to {share!r}"


def check_choose(data: Mapping[str, Any]) -> Iterator[str]:
    """Candidates win with probabilities that sum to 1; the verdict is about one of them."""
    yield from check_sentence(data)
    wins = [c["p_best"] for c in data["candidates"] if c["p_best"] is not None]
    if wins and math.fsum(wins) > 1 + 1e-3:
        yield f"p_best sums to {math.fsum(wins)!r}"
    for c in data["candidates"]:
        if c["count"] == 1 and c["jobs_per_day"] and c["time_s"]:
            yield from unequal("jobs_per_day", c["jobs_per_day"], 86400 / c["time_s"])


def check_compare(data: Mapping[str, Any]) -> Iterator[str]:
    """A file beside itself is the same."""
    yield from check_sentence(data)
    yield from unequal("ratio", data["ratio"], 1.0)
    for row in data["kernels"]:
        if row["verdict"] not in ("same", "inside", "no time"):
            yield f"{row['kernel'][:40]} beside itself: {row['verdict']}"


def check_advise(data: Mapping[str, Any]) -> Iterator[str]:
    """Nothing saves more than it takes."""
    for found in data["findings"]:
        saved, time_s = found.get("saved_s"), found.get("time_s")
        if saved is not None and time_s is not None and not -HAIR * time_s <= saved <= time_s * (1 + HAIR):
            yield f"{found['rule']}: saves {saved!r} of {time_s!r}"
    for found in data.get("run_findings", []):
        if found["saved_bound_s"] is not None and found["saved_bound_s"] > found["run_time_s"] * (1 + HAIR):
            yield f"{found['rule']}: saves {found['saved_bound_s']!r} of the run's {found['run_time_s']!r}"


def check_sweep(data: Mapping[str, Any]) -> Iterator[str]:
    """A speed-up is the ratio of its times."""
    for row in (*data["fastest"], *data["pareto"], *data["least_designs"]):
        if row["time_s"] and row.get("speedup"):
            yield from unequal("speedup", row["speedup"], data["base_time_s"] / row["time_s"])


BY_COMMAND = {
    "forecast": check_forecast, "app": check_app, "roofline": check_roofline, "choose": check_choose,
    "compare": check_compare, "advise": check_advise, "sweep": check_sweep,
}  # fmt: skip


# ---- one answer in several forms -------------------------------------------------------------------------------------


def faults_of_headline(question: Question, data: Any, text: str) -> Iterator[str]:
    """The text says the number that the JSON has."""
    shown = re.sub(r"\s+", " ", text)
    rows: list[Mapping[str, Any]] = []
    if question.command == "forecast":
        rows = data["totals"]
    elif question.command == "app":
        apps = data if isinstance(data, list) else [data]
        rows = [x for a in apps for x in (a, a.get("part") or a)]
    elif question.command == "choose":
        rows = data["candidates"][:1]
    times = [None if is_undecided(r["time_low_s"] or 0.0, r["time_high_s"] or 0.0) else r["time_s"] for r in rows]
    if any(t is None and r["time_s"] for r, t in zip(rows, times, strict=True)) and UNDECIDED not in shown:
        yield f"an interval beyond a factor of {DECIDED_WITHIN:.0f}, and the text does not say so: {shown[:200]!r}"
    if question.command == "compare":
        times = [data["total_before_s"]]
    wanted = [format_quantity(t, "s") for t in times if t]
    if wanted and not any(w in shown for w in wanted):
        yield f"the text says none of {', '.join(wanted)}: {shown[:200]!r}"


def table_of(form: str, said: Said) -> list[dict[str, Any]]:
    """Rows of CSV or Parquet."""
    if form == "csv":
        return list(csv.DictReader(io.StringIO(said.made.decode() if said.made else said.out)))
    return pl.read_parquet(io.BytesIO(said.made)).to_dicts()


def faults_of_rows(command: str, data: Any, rows: list[dict[str, Any]], form: str) -> Iterator[str]:
    """CSV and Parquet have the rows and times of the JSON."""
    wanted = {"forecast": "forecasts", "choose": "candidates", "compare": "kernels"}.get(command)
    if wanted is None:
        return
    if len(rows) != len(data[wanted]):
        yield f"{form}: {len(rows)} rows, JSON {len(data[wanted])}"
        return
    for ours, theirs in zip(data[wanted], rows, strict=True):
        for key in ("time_s", "time_low_s", "time_high_s", "before_s"):
            if key in ours and key in theirs:
                with contextlib.suppress(TypeError):
                    value = theirs[key]
                    yield from unequal(f"{form} {key}", ours[key], float(value) if value not in (None, "") else None)
                    if (ours[key] is None) != (value in (None, "")):
                        yield f"{form} {key}: {value!r}, JSON {ours[key]!r}"


# ---- readers ---------------------------------------------------------------------------------------------------------


def survives(data: bytes, reader: str | None = None) -> KernelTable | None:
    """Any bytes are a table, or None where one line said why there is none; never anything else, a warning included."""
    refusal: RoofcastError | None = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            table = read_stream(io.BytesIO(data), "odd\nname.csv", reader)[1]
        except RoofcastError as error:
            refusal = error
        if refusal is not None:
            assert isinstance(refusal, InputError)
            assert str(refusal).isprintable()
            return None
        assert len(table) > 0
        table.to_polars()
    return table
