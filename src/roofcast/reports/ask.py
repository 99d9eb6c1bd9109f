"""The question `forecast`: how long each kernel takes on other GPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.core.display import View
from roofcast.kit.asked import Ask

if TYPE_CHECKING:
    from roofcast.core.processor import Processor
    from roofcast.forecasting.forecast import Question
    from roofcast.forecasting.forecasts import Forecast


def ask_forecast(
    kernels: Any, to: str | Processor | Sequence[str | Processor], *, source: str | Processor | None = None,
    model: str | None = None, coverage: float = 0.9, conditions: Any = "production", clock: str | float = "auto",
    cache: str = "auto", load: str = "auto",
    launch_floor: str | Sequence[str | float] | None = None, sass: str = "auto",
    target_sass: str | Path | None = None, size: Mapping[str, float] | str | None = None, together: bool = False,
    pairs: Any = None, kernel: str | None = None, input_format: str | None = None,
) -> Question:  # fmt: skip
    """What :func:`forecast` asks, not yet answered: it can be answered whole or in parts."""
    from roofcast.applications.asked_runs import with_runs
    from roofcast.catalog.targets import list_gpus
    from roofcast.forecasting.conditions import make_conditions
    from roofcast.forecasting.forecast import ask
    from roofcast.reading import read, read_kernels

    question = ask(
        read_kernels(kernels, input_format, kernel), list_gpus(to), source=source, model=model, sass=sass,
        target_sass=target_sass, size=size, together=together, pairs=None if pairs is None else read(pairs),
        conditions=make_conditions(coverage, clock, cache, launch_floor, conditions, load),
    )  # fmt: skip
    return question if kernel is not None else with_runs(question, kernels, input_format, source)


def forecast(
    kernels: Any, to: str | Processor | Sequence[str | Processor], *, source: str | Processor | None = None,
    model: str | None = None, coverage: float = 0.9, conditions: Any = "production", clock: str | float = "auto",
    cache: str = "auto", load: str = "auto",
    launch_floor: str | Sequence[str | float] | None = None, sass: str = "auto",
    target_sass: str | Path | None = None, size: Mapping[str, float] | str | None = None, together: bool = False,
    pairs: Any = None, kernel: str | None = None, input_format: str | None = None,
) -> Forecast:  # fmt: skip
    """Forecast every kernel of a profile on other GPUs: seconds, interval, limit, speed-up.

    kernels : a profile in any form that :func:`roofcast.read` knows. to : GPUs, also as one text, ``"B200,L40S"``.
    clock : auto, boost, base, or e.g. ``"1.4 GHz"``. launch_floor : ``"4us,6us"``, source and target.
    pairs : own kernels timed on both GPUs, in any form. kernel : only kernels whose name matches.
    Everything else as :func:`roofcast.forecasting.forecast.forecast` has it.
    """
    return ask_forecast(
        kernels, to, source=source, model=model, coverage=coverage, conditions=conditions, clock=clock, cache=cache,
        load=load, launch_floor=launch_floor, sass=sass, target_sass=target_sass, size=size, together=together,
        pairs=pairs, kernel=kernel, input_format=input_format,
    ).answer()  # fmt: skip


def view_forecast() -> View:
    """How a forecast shows itself."""
    from roofcast.reports.notebook import FORECAST

    return FORECAST


ASK = Ask(
    name="forecast",
    run=forecast,
    view=view_forecast,
    examples=(
        'roofcast forecast run.ncu-rep --to "H100 SXM5 80GB,B200"',
        'roofcast forecast run.ncu-rep --to "H100 SXM5 80GB{dram=4.8TB/s,l2=60MB}" --explain',
        'roofcast forecast run.ncu-rep --to "H100 SXM5 80GB" --target-sass app_sm90.cubin',
        'roofcast forecast table.csv --to "H100 SXM5 80GB" --size "N=8192"',
        'roofcast forecast run.ncu-rep --to "Instinct MI300X" --pairs both.csv',
        'roofcast forecast table.csv --from "RTX 2080 Ti" --to "RTX 3090" --format json -o out.json',
    ),
)
"""The question, in every door."""
