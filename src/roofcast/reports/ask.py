"""The question `forecast`: how long each kernel takes on other GPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.records import dataclass
from roofcast.forecasting.forecasts import Forecast
from roofcast.kit.asked import Act, Ask, Option
from roofcast.kit.returned import IMAGES, Answer, Row, View

if TYPE_CHECKING:
    from roofcast.core.kernel_table import KernelTable
    from roofcast.core.processor import Processor
    from roofcast.forecasting.forecast import Question
    from roofcast.kit.asked import Progress
    from roofcast.reports.waterfall_figure import Waterfalls
    from roofcast.rooflines.picture import Roofline

NO_PAIRS = "none"


@dataclass(frozen=True, repr=False, eq=False)
class Forecasted(Forecast, Answer[Forecast]):
    """A forecast that shows itself; a row per kernel and target."""

    kind = "forecast"

    @classmethod
    def of(cls, made: Forecast) -> Self:
        """The forecast, with all that made it."""
        return cls(**{f.name: getattr(made, f.name) for f in fields(made)})

    def answered(self) -> Forecast:
        """The forecast itself."""
        return self

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: not what was made of it here."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def rows(self) -> list[Row]:
        """All rows: file order, then the order of the targets."""
        return [Row(r) for r in self.records()]

    def roofline(self) -> Roofline:
        """The hierarchical roofline of source and targets; shows itself in a notebook (``.save()``)."""
        from roofcast.rooflines.picture import Roofline
        from roofcast.rooflines.placement import build_roofline

        return Roofline(build_roofline(self.kernels, self.sources, self))

    def shown(self) -> View[Forecast]:
        """How a forecast shows itself."""
        from roofcast.reports import data, show
        from roofcast.reports.verdict import state_forecast

        # Pages and pictures bring more along than all else that a forecast takes.
        def draw(forecast: Forecast, path: Path, top: int | None = None) -> None:
            from roofcast.reports.waterfall_figure import write_waterfalls

            write_waterfalls(show.select_longest(forecast, top), path)

        def page(forecast: Forecast, top: int | None = None, command: str = "") -> str:
            from roofcast.reports.forecast_page import render_forecast_html

            return render_forecast_html(show.select_longest(forecast, top), command)

        def whole_page(forecast: Forecast, command: str = "") -> str:
            return page(forecast, None, command)

        def picture(forecast: Forecast) -> Waterfalls:
            from roofcast.reports.waterfall_figure import Waterfalls

            return Waterfalls(forecast)

        return View(
            show.render_forecast, data.record_forecast, show.tabulate_longest, whole_page, picture,
            key="forecasts", state=state_forecast, html=show.show_forecast_html,
            texts={"json": data.stream_forecast_json, "csv": data.render_forecast_csv, "html": page},
            files={"csv": data.write_forecast_csv, "parquet": data.write_whole_parquet, **dict.fromkeys(IMAGES, draw)},
        )  # fmt: skip


def ask_forecast(
    kernels: Any, to: str | Processor | Sequence[str | Processor], *, source: str | Processor | None = None,
    together: bool = False, model: str | None = None, coverage: float = 0.9, conditions: Any = "production",
    clock: str | float = "auto", cache: str = "auto", load: str = "auto",
    launch_floor: str | Sequence[str | float] | None = None, target_sass: str | Path | None = None,
    sass: str = "auto", size: Mapping[str, float] | str | None = None, pairs: Any = None, kernel: str | None = None,
    input_format: str | None = None, progress: Progress | None = None,
) -> Question:  # fmt: skip
    """What :func:`forecast` asks, not yet answered: it can be answered whole or in parts."""
    from roofcast.applications.asked_runs import with_runs
    from roofcast.catalog.targets import list_gpus
    from roofcast.forecasting.conditions import make_conditions
    from roofcast.forecasting.forecast import ask
    from roofcast.forecasting.problem_size import at_size, list_code_sizes
    from roofcast.ingest.readers import at_code_sizes
    from roofcast.models.kernel_amounts import is_from_code
    from roofcast.reading import read_kernels

    targets = list_gpus(to)
    with at_code_sizes({} if size is None else list_code_sizes(size)):
        table = read_kernels(kernels, input_format, kernel, progress)
    # Source code was read at its sizes; what was measured is carried to others.
    of_code = len(table) > 0 and bool(is_from_code(table).all())
    if size is not None and not of_code:
        table = at_size(table, size, source=source)
    question = ask(
        table, targets, source=source, model=model, sass=sass,
        target_sass=target_sass, together=together, pairs=read_pairs(pairs, kernels, targets),
        conditions=make_conditions(coverage, clock, cache, launch_floor, conditions, load),
    )  # fmt: skip
    if size is not None:
        sizes = size if isinstance(size, str) else ",".join(f"{k}={v:g}" for k, v in size.items())
        question = replace(question, told={**question.told, "problem size": sizes})
    return question if kernel is not None else with_runs(question, kernels, input_format, source)


def forecast(
    kernels: Any, to: str | Processor | Sequence[str | Processor], *, source: str | Processor | None = None,
    together: bool = False, model: str | None = None, coverage: float = 0.9, conditions: Any = "production",
    clock: str | float = "auto", cache: str = "auto", load: str = "auto",
    launch_floor: str | Sequence[str | float] | None = None, target_sass: str | Path | None = None,
    sass: str = "auto", size: Mapping[str, float] | str | None = None, pairs: Any = None, kernel: str | None = None,
    input_format: str | None = None, progress: Progress | None = None,
) -> Forecasted:  # fmt: skip
    """Forecast every kernel of FILE on other GPUs: seconds, interval, limit, speed-up.

    FILE may also be a model that never ran: a list of roofcast.torch.record as JSON, or source code: CUDA, HIP, Triton.

    target_sass : Binary that will run on the targets: cubin, executable or PTX (default: the report's PTX, compiled).
    sass : Leave aside the machine code in reports (default: it corrects the counts).
    size : Another problem size, e.g. "N=8192": needs at least two measured ones. Of source code: what it leaves open.
    pairs : Own kernels timed on both GPUs correct these forecasts; stored ones do unless: none.

    A row per kernel and target. In Python `kernels` is a profile in any form that :func:`roofcast.read` knows, `sass`
    auto or off, and everything else as :func:`roofcast.forecasting.forecast.ask` has it; a model that never ran is for
    :func:`roofcast.torch.forecast`.
    """
    return Forecasted.of(ask_forecast(
        kernels, to, source=source, together=together, model=model, coverage=coverage, conditions=conditions,
        clock=clock, cache=cache, load=load, launch_floor=launch_floor, target_sass=target_sass, sass=sass, size=size,
        pairs=pairs, kernel=kernel, input_format=input_format, progress=progress,
    ).answer())  # fmt: skip


def read_pairs(pairs: Any, kernels: Any, targets: Sequence[str | Processor]) -> KernelTable | None:
    """The user's own pairs: those given, else those that the sets of the store among the files hold of a target."""
    from roofcast.reading import read
    from roofcast.store.set_names import is_stored

    if isinstance(pairs, str) and pairs == NO_PAIRS:
        return None
    if pairs is not None:
        return read(pairs)
    files = kernels if isinstance(kernels, (list, tuple)) else [kernels]
    stored = [f for f in files if isinstance(f, (str, Path)) and is_stored(f)]
    if not stored:
        return None
    from roofcast.forecasting.own_pairs import base_key, measured_between
    from roofcast.forecasting.sources import resolve_target

    pairs_of_store = read(stored)
    wanted = {base_key(resolve_target(t).processor) for t in targets}
    return pairs_of_store if any(target in wanted for _, target in measured_between(pairs_of_store)) else None


def refuse_unknown(answer: Forecast | Question) -> None:
    """End the command where no kernel's GPU is known, or no kernel's time: its rows are written, and hold no forecast.

    Kernels of source code ran nowhere, and are forecast from their amounts.
    """
    from roofcast.models.kernel_amounts import is_from_code

    kernels = answer.kernels
    if not len(kernels) or is_from_code(kernels).any():
        return
    if all(s is None for s in answer.sources):
        names = list(dict.fromkeys(one_line(str(g), 60) for g in kernels.strings("gpu") if str(g).strip()))
        unknown = f" ({', '.join(names[:3])}{', …' if len(names) > 3 else ''} not in the catalog)" if names else ""
        raise RoofcastError(f"source GPU unknown{unknown}: give --from GPU; the rows are written without a time")
    if not (kernels.column("time_s") > 0).any():
        raise RoofcastError(
            "no kernel has a time, and none is forecast: collect gpu__time_duration.sum with ncu, or fill the column "
            "time_s of a table"
        )


def warn_implausible(answer: Forecast | Question) -> str:
    """One line where something in the profile cannot be true."""
    from roofcast.forecasting.plausible import summarise_implausible

    return summarise_implausible(answer.kernels)


def keep_forecast(answer: Forecast, name: str) -> str:
    """Store a forecast under a name; the line that says so."""
    from roofcast.core.version import VERSION
    from roofcast.store.adding import add_forecast
    from roofcast.store.database import import_duckdb
    from roofcast.store.set_names import checked_name

    import_duckdb()
    rows = add_forecast(name, answer.columns() | {"notes": answer.notes_column()}, VERSION)
    name_of_set = one_line(f"store:{checked_name(name)}", 80)
    return f"kept {rows} forecasts in {name_of_set}" if rows else f"{name_of_set} holds this forecast already"


def write_parts(question: Question, path: Path) -> None:
    """Parquet of a question that is answered a part after the other."""
    from roofcast.reports.data import PART_CELLS, write_parquet

    write_parquet(question.parts(PART_CELLS), path)


ASK = Ask(
    name="forecast",
    run=forecast,
    options={
        "target_sass": Option("CUBIN", kind="path"),
        "sass": Option(flag="--no-sass", kind="off"),
        "size": Option("NAME=N,...", kind="list"),
        "pairs": Option("OWN.csv|store:NAME|none"),
    },
    shows={
        "explain": "Why: seconds per resource, and per cause from source to target; -o F.svg draws it.",
        "notes": "",
        "full_names": "Full kernel names instead of short ones.",
        "top": "Only the N kernels with most time.",
    },
    acts={"save": Act(Option("NAME"), "Keep the forecast in the store too, under NAME.", keep_forecast)},
    formats=("table", "json", "csv", "parquet", "html", *IMAGES),
    limits=True,
    begun=ask_forecast,
    streamed={"parquet": write_parts},
    warned=warn_implausible,
    ended=refuse_unknown,
    examples=(
        'roofcast forecast run.ncu-rep --to "H100 SXM5 80GB,B200"',
        'roofcast forecast run.ncu-rep --to "H100 SXM5 80GB{dram=4.8TB/s,l2=60MB}" --explain',
        'roofcast forecast run.ncu-rep --to "H100 SXM5 80GB" --target-sass app_sm90.cubin',
        'roofcast forecast table.csv --to "H100 SXM5 80GB" --size "N=8192"',
        "roofcast forecast kernel.cu --to H100,A100",
        'roofcast forecast run.ncu-rep --to "Instinct MI300X" --pairs both.csv',
        'roofcast forecast table.csv --from "RTX 2080 Ti" --to "RTX 3090" --format json -o out.json',
    ),
)
"""The question, in every door."""
