"""Evaluations as tables, JSON, CSV, pictures and a self-contained page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.errors import one_line
from roofcast.core.results import PROFILED, or_none
from roofcast.kit.output import Render, chosen_format, deliver, dump_json, text_width
from roofcast.kit.page import Page, Section, notes_section, render_page
from roofcast.kit.quantities import ABSENT, format_percent, in_percent
from roofcast.kit.table import Column, Table, show_text
from roofcast.models.registry import DEFAULT_MODEL
from roofcast_evaluate.datasets import dataset_of, load
from roofcast_evaluate.experiments import REPORT_EXPERIMENTS, Result, run_experiment, run_report_experiment
from roofcast_evaluate.plots import render_picture
from roofcast_evaluate.scores import Outcome, rankings, summary
from roofcast_evaluate.screening import screen
from roofcast_evaluate.worst import worst_kernels

COLUMNS = (
    *("dataset", "experiment", "model", "source_gpu", "target_gpu", "pairs", "mape", "median_ape"),
    *("within_10", "within_25", "within_50", "median_ratio", "coverage"),
)
FINDINGS_SHOWN = 12
"""Findings of a kind that the text lists."""


@dataclass(frozen=True)
class Evaluation:
    """Results of one or more models, and what a reader must know of the data."""

    results: tuple[Result, ...]
    remarks: tuple[str, ...]

    def draw(self, path: str) -> str:
        """Write the picture of predicted against measured; returns the line that says so."""
        from roofcast_evaluate.plots import draw

        draw(self.results, Path(path))
        return f"wrote {one_line(path)}"


def evaluate(
    dataset: str, models: Sequence[str], experiment: str, *, screened: bool = False, floors: bool = False,
    cache: str = "auto", conditions: str = PROFILED, without: Sequence[str] = (),
) -> Evaluation:  # fmt: skip
    """Score models on a registered data set or a file. without : steps of preparation that are left out."""
    names = list(models) or [DEFAULT_MODEL]
    if experiment in REPORT_EXPERIMENTS and dataset == "micro16":
        results = tuple(run_report_experiment(name, experiment) for name in names)
        return Evaluation(results, beside_table_6(results, experiment))
    name, kernels = load(dataset)
    ways = partial(
        run_experiment, name, kernels, experiment=experiment, screened=screened, floors=floors, cache=cache,
        conditions=conditions,
    )  # fmt: skip
    results = tuple(ways(model, without=without) for model in names)
    remarks = list_published(name) + note_training(name, names, experiment)
    if screened:
        remarks += screening_remarks(
            [(f.rule, f.reason, f.row) for f in screen(kernels)], list(kernels.strings("kernel"))
        )
    remarks += tuple(line for result in results for line in (*result.remarks, *width_of(result), *rankings_of(result)))
    if without:
        remarks += tuple(tell_worth(r, ways(r.model), without) for r in results)
    if floors:
        remarks += (
            "launch floors: the shortest time of each GPU, of each kernel where many configurations were measured",
        )
    cases = next((r.cases for r in results if r.cases is not None), None)
    if experiment == "pairs" and cases is not None:
        remarks += (describe_forecast(name, floors, cache, cases.named),)
    return Evaluation(results, remarks)


def tell_worth(result: Result, whole: Result, without: Sequence[str]) -> str:
    """What steps that were left out are worth."""
    left, right = (
        f"{format_percent(s.mape, 2)} / {format_percent(s.median_ape, 2)}"
        for s in (summary(list(r.scores)) for r in (result, whole))
    )
    return f"{result.model}: without {', '.join(without)} {left}, with all steps {right} (mean / median error)"


def describe_forecast(name: str, floors: bool, cache: str, conditions: str) -> str:
    """The command whose forecasts the pairs are scored by."""
    dataset = dataset_of(name)
    options = f" --conditions {conditions}"
    options += f" --cache {cache}" if cache != "auto" else ""
    options += " --launch-floor SOURCE,TARGET" if floors else ""
    options += " --clock TARGET" if dataset is not None and dataset.within_gpu else ""
    return f"scored: roofcast forecast {dataset.file if dataset else name} --from SOURCE --to TARGET{options}"


def beside_table_6(results: Sequence[Result], experiment: str) -> tuple[str, ...]:
    """The report's own numbers for the same experiment, all models, with ours where they were asked for."""
    from roofcast_evaluate.report_experiments import SEEDED, TABLE_6, XGBOOST

    position = REPORT_EXPERIMENTS.index(experiment)
    ours = {r.model: r.scores[0].mape for r in results}
    columns = (
        Column("model", str),
        Column("printed", lambda m: TABLE_6[m][position] / 100 if m in TABLE_6 else None, in_percent(2)),
        Column("here", ours.get, in_percent(2)),
    )
    lines = ["MAPE as printed (Tables 3 to 6 of the report) and here:"]
    lines += [f"  {line}" for line in Table(columns, list(dict.fromkeys((*TABLE_6, *ours)))).lines(100)]
    forest, boosting = (SEEDED[m][position] for m in ("random_forest", "gradient_boosting"))
    lines.append(
        f"by the seed of the trees (20 seeds): random_forest {forest[0]:.1f} to {forest[1]:.1f}, gradient_boosting "
        f"{boosting[0]:.1f} to {boosting[1]:.1f}; XGBoost, as the report names it: {XGBOOST[position]:.1f}"
    )
    return (*lines, *tabulate_kernels(results))


def tabulate_kernels(results: Sequence[Result]) -> list[str]:
    """Mean error of each kernel by each model, and on how many pairs."""
    outcomes = [r.outcome for r in results if r.outcome is not None]
    if not outcomes:
        return []
    names, models = list(dict.fromkeys(sorted(map(str, outcomes[0].kernel)))), [r.model for r in results if r.outcome]

    def mean_of(outcome: Outcome, name: str) -> tuple[int, float]:
        rows = (outcome.kernel == name) & np.isfinite(outcome.time_s)
        error = np.abs(outcome.time_s[rows] / outcome.time_s_measured[rows] - 1)
        return int(rows.sum()), float(error.mean()) if len(error) else float("nan")

    def of(outcome: Outcome) -> Callable[[str], float]:
        return lambda name: mean_of(outcome, name)[1]

    columns = [Column("kernel", lambda n: n), Column("pairs", lambda n: mean_of(outcomes[0], n)[0], str)]
    columns += [Column(m, of(o), in_percent(2)) for m, o in zip(models, outcomes, strict=True)]
    return ["by kernel:", *(f"  {line}" for line in Table(columns, names).lines(120))]


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
    with quietly():
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
    entry = dataset_of(name)
    return tuple(f"published: {text}" for text in entry.published) if entry else ()


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


def records(found: Evaluation, worst: int | None = None) -> list[dict[str, Any]]:
    """One dict per directed pair of GPUs and model; keys :data:`COLUMNS`.

    worst : adds the key ``worst`` to the summary row of each model (it has no GPUs): that many kernels with most of the
    error, each with ``kernel``, ``error_points`` (percentage points of the mean error), ``median_ratio`` (forecast over
    measurement) and ``causes``.
    """
    rows = []
    for result in found.results:
        of_result = [dict(row) for row in result.rows()]
        if worst:
            for row in of_result:
                row["worst"] = worst_records(result, worst) if row["source_gpu"] is None else []
        rows += of_result
    return rows


def worst_records(result: Result, count: int) -> list[dict[str, Any]]:
    """The kernels with most of the error, for machines."""
    if result.outcome is None:
        return []
    return [
        {
            "kernel": w.kernel,
            "error_points": w.points,
            "median_ratio": or_none(w.ratio),
            "causes": list(w.causes),
        }
        for w in worst_kernels(result.outcome, result.cases, count)
    ]


in_hundredths = in_percent(2)
SHOWN: dict[str, tuple[str, Callable[[Any], str]]] = {
    "model": ("model", show_text), "pairs": ("pairs", str), "mape": ("MAPE", in_hundredths),
    "median_ape": ("median", in_hundredths), "within_10": ("<10 %", in_hundredths),
    "within_25": ("<25 %", in_hundredths), "within_50": ("<50 %", in_hundredths),
    "median_ratio": ("ratio", lambda v: ABSENT if v is None else f"{v:.3f}"), "coverage": ("covered", in_hundredths),
}  # fmt: skip
"""Column -> heading and look."""


def show_gpu(name: str | None) -> str:
    """A GPU; the summary row has none."""
    return one_line(name or "mean", 28)


def tabulate_scores(found: Evaluation, worst: int | None = None) -> Table:
    """One row per directed pair of GPUs and model, and the mean of each model; with ``worst`` one more column."""
    gpus = {"source_gpu": "source", "target_gpu": "target"}

    def column(key: str) -> Column:
        if key in gpus:
            gives = key == "target_gpu"
            return Column(gpus[key], itemgetter(key), show_gpu, key, right=False, flexible=gives)
        head, show = SHOWN.get(key, ("", show_text))
        return Column(head, itemgetter(key), show, key)

    return Table([column(key) for key in (*COLUMNS, *(["worst"] if worst else []))], records(found, worst))


def as_csv(found: Evaluation, worst: int | None = None) -> str:
    """One line per directed pair of GPUs and model; with ``worst`` a last column that holds the JSON list."""
    table = tabulate_scores(found, worst)
    rows = [{k: dump_json(v) if v else "" for k, v in r.items() if k == "worst"} for r in table.rows]
    return replace(table, rows=[a | b for a, b in zip(table.rows, rows, strict=True)]).csv()


def as_table(found: Evaluation, worst: int | None, width: int) -> str:
    """Aligned columns in percent."""
    lines = [f"{found.results[0].dataset}, {found.results[0].experiment}", *tabulate_scores(found).lines(width)]
    for result in found.results if worst else ():
        lines += ["", f"{result.model}: kernels with most of the error (points of the mean, typical ratio, why)"]
        lines += worst_lines(result, worst or 0)
    return "\n".join(lines)


def worst_lines(result: Result, count: int) -> list[str]:
    """The kernels with most of the error, and below each what is known of why."""
    if result.outcome is None:
        return []
    lines = []
    for w in worst_kernels(result.outcome, result.cases, count):
        lines.append(f"  {w.points:6.2f}  {w.ratio:6.2f}  {w.kernel}")
        lines += [f"{'':18}{cause}" for cause in w.causes]
    return lines


WORST = 15
"""Pairs that the page lists, the worst of each result."""


def build_evaluation_page(found: Evaluation, worst: int | None = None, command: str = "") -> Page:
    """Scores, the kernels with most of the error, remarks and pictures.

    worst : kernels to list per model.
    command : what makes the page again, shown at its end.
    """
    first = found.results[0]
    sections = [Section("Scores", table=tabulate_scores(found))]
    sections += [section for result in found.results if (section := list_worst(result, worst or WORST))]
    sections += notes_section([one_line(r, 400) for r in found.remarks], "Remarks")
    sections.append(Section("Pictures", image=render_picture(found.results, "svg")))
    return Page(one_line(f"{first.dataset}, {first.experiment}", 120), sections=tuple(sections), command=command)


def list_worst(result: Result, count: int) -> Section | None:
    """The kernels with most of the error of one model, and what is known of why."""
    if result.outcome is None or not len(result.outcome):
        return None
    columns = (
        Column("kernel", lambda w: w.kernel),
        Column("points of the mean", lambda w: w.points, lambda v: f"{v:.2f}"),
        Column("forecast / measured", lambda w: w.ratio, lambda v: f"{v:.2f}"),
        Column("why", lambda w: "; ".join(w.causes)),
    )
    table = Table(columns, worst_kernels(result.outcome, result.cases, count))
    return Section(f"{result.model}: kernels with most of the error", table=table)


PICTURES = ("svg", "png", "pdf")


def deliver_evaluation(
    found: Evaluation, form: str | None, output: str | None, worst: int | None, command: str = ""
) -> None:
    """Print or write an evaluation (see :func:`roofcast.kit.output.deliver`). worst : kernels to list per model.

    command : what makes the page again, shown at its end.
    """

    def picture(path: Path) -> None:
        found.draw(str(path))

    texts: dict[str, Render] = {
        "table": lambda: as_table(found, worst, text_width(output)),
        "json": lambda: dump_json(records(found, worst)),
        "csv": lambda: as_csv(found, worst),
        "html": lambda: render_page(build_evaluation_page(found, worst, command)),
    }
    files = {"parquet": tabulate_scores(found).write_parquet} | dict.fromkeys(PICTURES, picture)
    deliver(chosen_format(form, output), output, texts, files)
