"""`roofcast evaluate`: how far forecasts are from measurements."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from roofcast.commands import completing, options
from roofcast.commands.typed import typed_command
from roofcast.core.errors import RoofcastError
from roofcast.kit.output import chosen_format, deliver, text_width

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from roofcast.kit.table import Table

EPILOG = """\b
Examples:
  roofcast evaluate hecbench_ncu --model mechanistic --experiment folds
  roofcast evaluate micro16 --model occupancy_efficiency --experiment new-gpu
  roofcast evaluate hecbench_ncu --experiment all-sources-new-gpu
  roofcast evaluate micro16 --cache warm --floors --screen
  roofcast evaluate hecbench_ncu --without machine_code
  roofcast evaluate hecbench_ncu --worst 10 -o accuracy.html
  roofcast evaluate my_measurements.csv --screen --format json
  roofcast evaluate hopper_torch
  roofcast evaluate collectives
  roofcast evaluate mlperf_training
  roofcast evaluate serving
  roofcast evaluate llm_operators
  roofcast evaluate mlperf_inference
  roofcast evaluate source
  roofcast evaluate programs
  roofcast evaluate advice
  roofcast evaluate --list
  roofcast evaluate --families -o families.json
  roofcast evaluate --ladder hecbench"""

SOURCE = "source"
PROGRAMS = "programs"
"""No data set: own programs beside the times of two, by :mod:`roofcast_evaluate.source_rows`."""
ADVICE = "advice"
"""Nor is this: versions of kernels from several of them, by :mod:`roofcast_evaluate.advice_scores`."""
EXPERIMENTS = (
    *("pairs", "folds", "folds-new-gpu", "all-sources", "all-sources-new-gpu"),
    *("new-gpu", "new-configuration", "new-kernel"),
)


def complete_dataset(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Registered data sets, and files."""
    from roofcast_evaluate.datasets import DATASETS

    return completing.with_files(completing.items(DATASETS, incomplete), incomplete)


@click.command("evaluate", epilog=EPILOG)
@click.argument("dataset", metavar="DATASET|TABLE", required=False, shell_complete=complete_dataset)
@click.option("--list", "listed", is_flag=True, help="The registered data sets: what was measured, licence, origin.")
@click.option(
    "--families", is_flag=True, help="Every kind of work by a model taught without it, beside naive ratios (minutes)."
)
@click.option("--ladder", is_flag=True, help="The same with less and less known of the kernels (minutes).")
@click.option("--model", "models", multiple=True, metavar="NAME", shell_complete=completing.complete_model,
              help="Model; several times for several (default: the default model).")  # fmt: skip
@click.option("--experiment", type=click.Choice(EXPERIMENTS), default="pairs", show_default=True,
              help="What is held out.")  # fmt: skip
@click.option("--screen", "screened", is_flag=True, help="Leave out bad measurements, and say which and why.")
@click.option("--floors", is_flag=True, help="Give each GPU's shortest time as its launch floor.")
@click.option("--conditions", type=click.Choice(["production", "profiled"]), default="profiled",
              help="Of the forecasts (default: as the pairs were measured; unlocked, both are the same).")  # fmt: skip
@click.option("--cache", type=click.Choice(["auto", "cold", "warm"]), default="auto", show_default=True,
              help="Caches of the runs; auto: as the data recorded.")  # fmt: skip
@click.option("--without", multiple=True, metavar="STEP",
              help="Leave out a step of preparation, and say what it is worth here (several times for several; "
              "names: inspect --why).")  # fmt: skip
@click.option(
    "--worst",
    type=click.IntRange(min=1),
    metavar="N",
    help="Also list the N kernels with most error, and why (JSON, CSV: key worst).",
)
@click.option("--plot", metavar="FILE.svg", type=click.Path(), help="Also draw predicted against measured.")
@options.output_options("table", "json", "csv", "md", "parquet", "html", "svg", "png", "pdf")
def command(
    dataset: str | None, listed: bool, families: bool, ladder: bool, models: tuple[str, ...], experiment: str,
    screened: bool, floors: bool, conditions: str, cache: str, without: tuple[str, ...],
    worst: int | None, plot: str | None, form: str | None, output: str | None,
) -> None:  # fmt: skip
    """Score models on measured pairs of GPUs: registered DATASETs or any kernel TABLE.

    With --families or --ladder a family in place of DATASET (default: all).
    """
    if listed:
        list_datasets(form, output)
        return
    if families or ladder:
        show_families([dataset] if dataset else None, form, output, ladder=ladder)
        return
    if dataset is None:
        raise RoofcastError("name a DATASET (--list) or a TABLE, or ask for --families or --ladder of all")
    from roofcast_evaluate.datasets import JUDGES, LINKS, RESULTS, RUNS, SERVING, STEPS

    special = {
        SOURCE: show_source,
        PROGRAMS: show_programs,
        ADVICE: show_advice,
        **dict.fromkeys(SERVING, show_serving),
        **dict.fromkeys(STEPS, show_steps),
    }
    if dataset in special:
        special[dataset](form, output)
        return
    if dataset in (LINKS | RUNS | RESULTS) or (dataset in JUDGES and not models):
        show_systems(dataset, form, output)
        return
    if chosen_format(form, output) == "md":
        raise RoofcastError("Markdown is of --families and --ladder; formats of pairs: table, json, csv, html, parquet")
    from roofcast_evaluate.reporting import deliver_evaluation, evaluate

    evaluation = evaluate(dataset, models, experiment, screened=screened, floors=floors, cache=cache,
                     conditions=conditions, without=without)  # fmt: skip
    for line in evaluation.remarks:
        click.echo(line, err=True)
    if plot:
        click.echo(evaluation.draw(plot), err=True)
    deliver_evaluation(evaluation, form, output, worst, typed_command())


def show_source(form: str | None, output: str | None) -> None:
    """Score kernels that were read from source code, each program left out of what the others taught."""
    from roofcast.kit.page import Page, deliver_table
    from roofcast_evaluate.source_rows import score_source, tabulate_source

    table = tabulate_source(score_source())
    page = Page("Kernels forecast from source code", command=typed_command())
    deliver_table(form, output, table, page, text=lambda: "\n".join(table.lines(text_width(output))))


def show_programs(form: str | None, output: str | None) -> None:
    """Score kernels of the reader's own tests, read from source code, as the repository's measurements timed them."""
    from roofcast.commands.showing import progress_bar
    from roofcast.kit.page import Page, deliver_table
    from roofcast_evaluate.source_rows import list_measured, list_programs, score_source, tabulate_kinds

    with progress_bar() as step:
        rows = list_programs(step or (lambda doing, share: None))
    if not rows:
        raise RoofcastError("the measured programs are in the repository alone: run this in a checkout of it")
    public = list_measured()
    table = tabulate_kinds(score_source([*public, *rows])[len(public) :])
    page = Page("Programs forecast from source code", command=typed_command())
    deliver_table(form, output, table, page, text=lambda: "\n".join(table.lines(text_width(output))))


def show_advice(form: str | None, output: str | None) -> None:
    """Score advice by what it gained where somebody followed it (a minute)."""
    from roofcast.kit.page import Page, deliver_table
    from roofcast_evaluate.advice_scores import score_advice, tabulate_advice

    def tell(line: str) -> None:
        click.echo(line, err=True)

    table = tabulate_advice(score_advice(tell))
    page = Page("Advice that came true", command=typed_command())
    deliver_table(form, output, table, page, text=lambda: "\n".join(table.lines(text_width(output))))


def show_steps(form: str | None, output: str | None) -> None:
    """Score steps of PyTorch models, recorded on the CPU, and the traces of some of them (minutes)."""
    from roofcast.kit.page import Page, deliver_table
    from roofcast_evaluate.torch_steps import score_models, score_traces, tabulate_scores

    def tell(line: str) -> None:
        click.echo(line, err=True)

    table = tabulate_scores([*score_models(tell=tell), *score_traces()])
    page = Page("Steps of PyTorch", command=typed_command())
    deliver_table(form, output, table, page, text=lambda: "\n".join(table.lines(text_width(output))))


def show_systems(dataset: str, form: str | None, output: str | None) -> None:
    """Score collectives between GPUs, runs on many of them, or operators of language models."""
    from roofcast.kit.page import Page, deliver_table
    from roofcast_evaluate.datasets import JUDGES, RESULTS, RUNS
    from roofcast_evaluate.link_scores import tabulate_links
    from roofcast_evaluate.mlperf_inference import tabulate_inference
    from roofcast_evaluate.operator_scores import tabulate_operators
    from roofcast_evaluate.training_scores import tabulate_training

    tables: dict[str, Callable[[], Table]] = {
        **dict.fromkeys(RUNS, tabulate_training), **dict.fromkeys(RESULTS, tabulate_inference),
        **{name: partial(tabulate_operators, name) for name in JUDGES},
    }  # fmt: skip
    table = tables.get(dataset, tabulate_links)()
    page = Page(f"Scores of {dataset}", command=typed_command())
    deliver_table(form, output, table, page, text=lambda: "\n".join(table.lines(text_width(output))))


def show_serving(form: str | None, output: str | None) -> None:
    """Score runs of serving engines, model families and GPUs left out."""
    from roofcast.kit.page import Page, deliver_table
    from roofcast_evaluate.serving_runs import score_serving, tabulate_serving

    table = tabulate_serving(score_serving())
    page = Page("Serving of language models", command=typed_command())
    deliver_table(form, output, table, page, text=lambda: "\n".join(table.lines(text_width(output))))


def list_datasets(form: str | None, output: str | None) -> None:
    """Print what is known of the registered data sets."""
    from operator import itemgetter

    from roofcast.kit.page import Page, deliver_table
    from roofcast.kit.table import Column, Table, folded
    from roofcast_evaluate.datasets import CEILINGS, DATASETS, FRESH, JUDGES, LINKS, RESULTS, RUNS, SERVING, STEPS

    heads = ("data set", "measured", "origin", "licence", "models may train on it", "file")
    keys = ("dataset", "about", "origin", "licence", "training", "file")
    columns = [Column(head, itemgetter(k), key=key) for k, (head, key) in enumerate(zip(heads, keys, strict=True))]
    rows = [
        (name, d.about, d.origin, d.licence, "ceilings" if name in CEILINGS else "yes" if d.training else "no", d.file)
        for name, d in {
            **DATASETS,
            **FRESH,
            **CEILINGS,
            **STEPS,
            **SERVING,
            **LINKS,
            **RUNS,
            **JUDGES,
            **RESULTS,
        }.items()
    ]
    text = "\n".join(f"{r[0]}: {r[1]}\n  {r[2]}; licence: {r[3]}; {heads[4]}: {r[4]}" for r in rows)
    page = Page("Data sets", command=typed_command())
    deliver_table(form, output, Table(columns, rows), page, text=lambda: folded(text, text_width(output)))


def show_families(names: list[str] | None, form: str | None, output: str | None, *, ladder: bool) -> None:
    """Print the table of families, or their ladder."""
    from roofcast.kit.table import Table
    from roofcast_evaluate import show
    from roofcast_evaluate.families import check_families, score_families
    from roofcast_evaluate.information import climb

    def tell(family: str) -> None:
        click.echo(f"scoring {family}", err=True)

    check_families(names)
    width = text_width(output)
    if ladder:
        rungs = climb(names, tell=tell)
        records = show.ladder_records(rungs)
        texts = show.render_cells(show.ladder_cells(rungs), records, lambda: show.ladder_text(rungs, width))
    else:
        table = score_families(names, tell=tell)
        records = show.family_records(table)
        texts = show.render_cells(show.cells_of(table), records, lambda: show.families_text(table, width))
    chosen = "md" if output and output.endswith(".md") and not form else chosen_format(form, output)
    deliver(chosen, output, texts, rows=lambda: Table.of_records(records))
