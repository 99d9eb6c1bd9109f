"""Evaluations as tables, JSON, CSV, pictures and a self-contained page."""

from __future__ import annotations

import base64
import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from roofcast.core.errors import one_line
from roofcast.core.results import PROFILED
from roofcast.evaluation.datasets import DATASETS, load
from roofcast.evaluation.experiments import REPORT_EXPERIMENTS, Result, run_experiment, run_report_experiment
from roofcast.evaluation.plots import render_picture
from roofcast.evaluation.scores import rankings
from roofcast.evaluation.screening import screen
from roofcast.evaluation.worst import worst_kernels
from roofcast.kit.output import chosen_format, deliver
from roofcast.kit.page import render_document
from roofcast.models.registry import DEFAULT_MODEL

COLUMNS = (
    *("dataset", "experiment", "model", "source_gpu", "target_gpu", "pairs", "mape", "median_ape"),
    *("within_10", "within_25", "within_50", "median_ratio", "coverage"),
)
FINDINGS_SHOWN = 12


@dataclass(frozen=True)
class Evaluation:
    """Results of one or more models, and what a reader must know of the data."""

    results: tuple[Result, ...]
    remarks: tuple[str, ...]

    def draw(self, path: str) -> str:
        """Write the picture of predicted against measured; returns the line that says so."""
        from roofcast.evaluation.plots import draw

        draw(self.results, Path(path))
        return f"wrote {one_line(path)}"


def evaluate(
    dataset: str, models: Sequence[str], experiment: str, *, screened: bool = False, floors: bool = False,
    cache: str = "auto", conditions: str = PROFILED,
) -> Evaluation:  # fmt: skip
    """Score models on a registered data set or a file.

    Raises
    ------
    RoofcastError : an unknown model. DatasetError, InputError : data that is absent or cannot be read.
    """
    names = list(models) or [DEFAULT_MODEL]
    if experiment in REPORT_EXPERIMENTS and dataset == "micro16":
        results = tuple(run_report_experiment(name, experiment) for name in names)
        return Evaluation(results, beside_table_6(results, experiment))
    name, kernels = load(dataset)
    results = tuple(
        run_experiment(
            name, kernels, model, experiment, screened=screened, floors=floors, cache=cache, conditions=conditions
        )
        for model in names
    )
    remarks = list_published(name) + note_training(name, names, experiment)
    if screened:
        remarks += screening_remarks(
            [(f.rule, f.reason, f.row) for f in screen(kernels)], list(kernels.strings("kernel"))
        )
    remarks += tuple(line for result in results for line in (*result.remarks, *width_of(result), *rankings_of(result)))
    if floors:
        remarks += (
            "launch floors: the shortest time of each GPU, of each kernel where many configurations were measured",
        )
    cases = next((r.cases for r in results if r.cases is not None), None)
    if experiment == "pairs" and cases is not None:
        remarks += (describe_forecast(name, floors, cache, cases.named),)
    return Evaluation(results, remarks)


def describe_forecast(name: str, floors: bool, cache: str, conditions: str) -> str:
    """The command whose forecasts the pairs are scored by."""
    dataset = DATASETS.get(name)
    options = f" --conditions {conditions}"
    options += f" --cache {cache}" if cache != "auto" else ""
    options += " --launch-floor SOURCE,TARGET" if floors else ""
    options += " --clock TARGET" if dataset is not None and dataset.within_gpu else ""
    return f"scored: roofcast forecast {dataset.file if dataset else name} --from SOURCE --to TARGET{options}"


def beside_table_6(results: Sequence[Result], experiment: str) -> tuple[str, ...]:
    """The report's own numbers for the same experiment, all models, with ours where they were asked for."""
    from roofcast.evaluation.report_experiments import TABLE_6

    position = REPORT_EXPERIMENTS.index(experiment)
    ours = {r.model: 100 * r.scores[0].mape for r in results}
    lines = ["MAPE in %, as printed (Tables 3 to 6 of the report) and here:"]
    for model, printed in TABLE_6.items():
        here = f"{ours[model]:10.2f}" if model in ours else f"{'–':>10}"
        lines.append(f"  {model:22}{printed[position]:10.2f}{here}")
    lines += [f"  {model:22}{'–':>10}{value:10.2f}" for model, value in ours.items() if model not in TABLE_6]
    return tuple(lines)


def note_training(name: str, models: Sequence[str], experiment: str) -> tuple[str, ...]:
    """Says where a score is that of the training data."""
    if "hybrid" not in models or experiment != "pairs":
        return ()
    from roofcast.models.learned.residual import shipped

    if name not in shipped().provenance.get("data sets", {}):
        return ()
    return ("hybrid as shipped has learned from these very pairs: --experiment folds says how it does on new programs",)


def width_of(result: Result) -> tuple[str, ...]:
    """How wide the intervals are, where the model claims any: coverage alone is easily bought."""
    o = result.outcome
    if o is None or not np.isfinite(o.time_high_s).any():
        return ()
    with np.errstate(divide="ignore", invalid="ignore"):
        width = o.time_high_s / o.time_low_s
    return (f"{result.model}: median high / low of the intervals {np.nanmedian(width):.2f}",)


def rankings_of(result: Result) -> tuple[str, ...]:
    """How well forecasts rank GPUs, of kernels that were measured on many."""
    if result.outcome is None:
        return ()
    return tuple(
        f"{result.model}: spearman {r.spearman:.3f} between measured times and forecasts on {r.gpus} GPUs (from one "
        f"GPU alone {r.spearman_single:.3f} in the mean): {one_line(r.kernel, 60)}"
        for r in rankings(result.outcome)[:FINDINGS_SHOWN]
    )


def list_published(name: str) -> tuple[str, ...]:
    """What others printed for the same data."""
    found = DATASETS.get(name)
    return tuple(f"published: {text}" for text in found.published) if found else ()


def screening_remarks(findings: Sequence[tuple[str, str, int]], kernels: Sequence[str]) -> tuple[str, ...]:
    """One line per rule and reason, the most frequent first."""
    if not findings:
        return ("screening: nothing found",)
    example: dict[tuple[str, str], str] = {}
    count: Counter[tuple[str, str]] = Counter()
    for rule, reason, row in findings:
        key = (rule, reason if rule == "GPU" else reason.split(" times")[0].lstrip("0123456789.e+- ") or reason)
        count[key] += 1
        example.setdefault(key, f"{one_line(str(kernels[row]), 50)}: {one_line(reason, 120)}")
    rows = len({row for _, _, row in findings})
    lines = [f"screening: {rows} of {len(kernels)} rows left out"]
    lines += [f"  {rule} x {n}, e.g. {example[rule, key]}" for (rule, key), n in count.most_common(FINDINGS_SHOWN)]
    return tuple(lines)


def render(found: Evaluation, worst: int | None = None) -> dict[str, Callable[[], str]]:
    """Format -> function that renders it as text."""
    return {
        "table": lambda: as_table(found, worst),
        "json": lambda: json.dumps(records(found, worst), indent=1, ensure_ascii=False),
        "csv": lambda: as_csv(found, worst),
    }


def records(found: Evaluation, worst: int | None = None) -> list[dict[str, Any]]:
    """One dict per directed pair of GPUs and model; keys :data:`COLUMNS`.

    worst : adds the key ``worst`` to the summary row of each model (it has no GPUs): that many kernels with most of the
    error, each with ``kernel``, ``error_points`` (percentage points of the mean error), ``median_ratio`` (forecast over
    measurement) and ``causes``.
    """
    rows = []
    for result in found.results:
        own = [dict(row) for row in result.rows()]
        if worst:
            for row in own:
                row["worst"] = worst_records(result, worst) if row["source_gpu"] is None else []
        rows += own
    return rows


def worst_records(result: Result, count: int) -> list[dict[str, Any]]:
    """The kernels with most of the error, for machines."""
    if result.outcome is None:
        return []
    return [
        {
            "kernel": w.kernel,
            "error_points": w.points,
            "median_ratio": w.ratio if np.isfinite(w.ratio) else None,
            "causes": list(w.causes),
        }
        for w in worst_kernels(result.outcome, result.cases, count)
    ]


def as_csv(found: Evaluation, worst: int | None = None) -> str:
    """One line per directed pair of GPUs and model; with ``worst`` a last column that holds the JSON list."""
    text = io.StringIO()
    rows = records(found, worst)
    for row in rows if worst else ():
        row["worst"] = json.dumps(row["worst"], ensure_ascii=False) if row["worst"] else ""
    writer = csv.DictWriter(text, [*COLUMNS, "worst"] if worst else COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().rstrip("\n")


HEADER = ("model", "source", "target", "pairs", "MAPE", "median", "<10 %", "<25 %", "<50 %", "ratio", "covered")


def table_lines(results: Sequence[Result]) -> list[list[str]]:
    """Cells of the table below :data:`HEADER`, in percent."""
    lines = []
    for result in results:
        for row in result.rows():
            gpus = [one_line(str(row[key] or "mean"), 28) for key in ("source_gpu", "target_gpu")]
            shares = [percent(row[key]) for key in ("mape", "median_ape", "within_10", "within_25", "within_50")]
            ratio = "–" if row["median_ratio"] is None else f"{row['median_ratio']:.3f}"
            lines.append([result.model, *gpus, str(row["pairs"]), *shares, ratio, percent(row["coverage"])])
    return lines


def as_table(found: Evaluation, worst: int | None) -> str:
    """Aligned columns in percent."""
    lines = [list(HEADER), *table_lines(found.results)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADER))]
    text = [
        "  ".join(
            cell.ljust(w) if i < 3 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    ]
    title = f"{found.results[0].dataset}, {found.results[0].experiment}"
    shown = [title, text[0], "─" * len(text[0]), *text[1:]]
    for result in found.results if worst else ():
        shown += ["", f"{result.model}: kernels with most of the error (points of the mean, typical ratio, why)"]
        shown += worst_lines(result, worst or 0)
    return "\n".join(line.rstrip() for line in shown)


def worst_lines(result: Result, count: int) -> list[str]:
    """The kernels with most of the error, and below each what is known of why."""
    if result.outcome is None:
        return []
    lines = []
    for w in worst_kernels(result.outcome, result.cases, count):
        lines.append(f"  {w.points:6.2f}  {w.ratio:6.2f}  {w.kernel}")
        lines += [f"{'':18}{cause}" for cause in w.causes]
    return lines


def percent(share: float | None) -> str:
    """A fraction in percent."""
    return "–" if share is None else f"{100 * share:.2f}"


STYLE = """
:root { color-scheme: light dark; --ink: #1c2126; --paper: #ffffff; --line: #dfe3e6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --paper: #14181d; --line: #333b45; } }
@media print { :root { --ink: #000000; --paper: #ffffff; --line: #bbbbbb; } tr, img { break-inside: avoid; } }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 24px auto; max-width: 1240px; padding: 0 16px; }
h1 { font-size: 21px; } h2 { font-size: 16px; margin-top: 28px; } code { overflow-wrap: anywhere; }
img { max-width: 100%; height: auto; background: #ffffff; border-radius: 6px; }
table { border-collapse: collapse; font-size: 12.5px; }
th, td { padding: 3px 9px; border-bottom: 1px solid var(--line); }
td { text-align: right; } td.word, th { text-align: left; vertical-align: top; } tr.mean td { font-weight: 650; }
.scroll { overflow-x: auto; } li { margin: 2px 0; }
"""
WORST = 15
WORDS = 3
"""Columns of names at the left of the scores."""


def render_evaluation_html(found: Evaluation, worst: int | None = None, command: str = "") -> str:
    """The page; the same evaluation gives the same text.

    worst : kernels to list per model.
    command : what makes the page again, shown at its end.
    """
    first = found.results[0]
    name = one_line(f"{first.dataset}, {first.experiment}", 120)
    title = escape(name)
    parts = [f"<h1>{title}</h1>", scores(found), *(worst_table(found, worst or WORST))]
    if found.remarks:
        parts += ["<h2>Remarks</h2>", render_list(found.remarks)]
    image = base64.b64encode(render_picture(found.results, "svg")).decode()
    parts += ["<h2>Pictures</h2>", f'<img alt="{title}: pictures" src="data:image/svg+xml;base64,{image}">']
    if command:
        parts.append(f"<p>Made by <code>{escape(command)}</code></p>")
    body = "<body>\n" + "\n".join(parts) + "\n</body>"
    return render_document(name, body, STYLE, images="data:")


def scores(found: Evaluation) -> str:
    """The table of scores in percent."""
    rows = [f"<tr>{''.join(f'<th>{escape(name)}</th>' for name in HEADER)}</tr>"]
    for line in table_lines(found.results):
        kind = ' class="mean"' if line[1] == "mean" else ""
        cells = (
            f"<td{' class=' + chr(34) + 'word' + chr(34) if i < WORDS else ''}>{escape(c)}</td>"
            for i, c in enumerate(line)
        )
        rows.append(f"<tr{kind}>{''.join(cells)}</tr>")
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def worst_table(found: Evaluation, count: int) -> list[str]:
    """Per model, the kernels with most of the error and what is known of why."""
    parts = []
    for result in found.results:
        if result.outcome is None or not len(result.outcome):
            continue
        rows = ["<tr><th>points of the mean</th><th>forecast / measured</th><th>kernel</th><th>why</th></tr>"]
        for w in worst_kernels(result.outcome, result.cases, count):
            why = escape("; ".join(w.causes))
            name = escape(w.kernel)
            rows.append(
                f'<tr><td>{w.points:.2f}</td><td>{w.ratio:.2f}</td><td class="word">{name}</td>'
                f'<td class="word">{why}</td></tr>'
            )
        parts.append(f"<h2>{escape(result.model)}: kernels with most of the error</h2>")
        parts.append(f'<div class="scroll"><table>{"".join(rows)}</table></div>')
    return parts


def render_list(lines: Sequence[str]) -> str:
    """Remarks as a list."""
    return f"<ul>{''.join(f'<li>{escape(one_line(line, 400))}</li>' for line in lines)}</ul>"


PICTURES = ("svg", "png", "pdf")


def deliver_evaluation(
    found: Evaluation, form: str | None, output: str | None, worst: int | None, command: str = ""
) -> None:
    """Print or write an evaluation (see :func:`roofcast.kit.output.deliver`). worst : kernels to list per model.

    command : what makes the page again, shown at its end.
    """

    def picture(path: Path) -> None:
        found.draw(str(path))

    def page() -> str:

        return render_evaluation_html(found, worst, command)

    texts = render(found, worst) | {"html": page}
    deliver(chosen_format(form, output), output, texts, dict.fromkeys(PICTURES, picture))
