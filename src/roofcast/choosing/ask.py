"""The question `choose`: which GPU to buy or rent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.core.display import View
from roofcast.core.errors import RoofcastError
from roofcast.kit.asked import Ask, Found, make_view

if TYPE_CHECKING:
    from roofcast.choosing.show import Told
    from roofcast.core.processor import Processor


@dataclass(frozen=True, repr=False)
class Chosen(Found):
    """Which GPU; a row per candidate."""

    kind = "choose"
    found: Told

    @property
    def total(self) -> float:
        """S of one job on the candidate that is named first."""
        return self.found.decision.first.time_s

    def shown(self) -> View:
        """The view of a choice."""
        return view_choice()


def choose(
    work: Any, *, budget: str | float | None = None, power: str | float | None = None,
    rack: str | float | None = None, deadline: str | float | None = None, memory: str | float | None = None,
    candidates: str | Path | None = None, prices: Any = None, weights: str | Mapping[str, float] | None = None,
    among: str | Processor | Sequence[str | Processor] | None = None, segment: str | None = None,
    best: str | None = None, years: str | float | None = None, utilisation: str | float | None = None,
    jobs_per_day: str | float | None = None, probability: str | float | None = None,
    source: str | Processor | None = None, together: bool = False, model: str | None = None, coverage: float = 0.9,
    conditions: Any = "production", clock: str | float = "auto", cache: str = "auto", load: str = "auto",
    launch_floor: str | Sequence[str | float] | None = None, kernel: str | None = None,
    input_format: str | None = None,
) -> Chosen:  # fmt: skip
    """Which GPU to buy or rent: time, cost, energy, what is certain, what would change it; a row per candidate.

    work : a workload file (.toml), profiles and traces that are one job together, or what :func:`roofcast.read` takes.
    budget, power, rack, deadline, memory : limits, ``"250kUSD"``, ``"10kW"``, ``"20ms"``, ``"40GB"``, or SI numbers.
    candidates : a file of GPUs with their prices. prices : a price file (.toml), or ``public``.
    weights : how often kernels run, ``"gemm=1000"`` or a dict. best : cost, time, energy or throughput.
    years, utilisation : life of what is bought, share of the hours in which it works.
    jobs_per_day : demand that a fleet of least cost has to meet, probability : with which (default 0.9).
    """
    from roofcast.choosing import show
    from roofcast.choosing.candidates import name_candidates, read_named
    from roofcast.choosing.decision import choose as decide
    from roofcast.choosing.workload_file import state_limits, state_terms
    from roofcast.forecasting.conditions import make_conditions
    from roofcast.reading import read_kernels
    from roofcast.sweeps.stated import parse_weights, quantity

    stated = candidates if candidates is not None else prices
    if candidates is not None and (prices is not None or among is not None):
        raise RoofcastError("candidates name the GPUs and their prices: leave prices and among out")
    limits = state_limits(budget, power, rack, deadline, memory)
    terms, given = state_terms(best, years, utilisation, probability), parse_weights(weights)
    asked = make_conditions(coverage, clock, cache, launch_floor, conditions, load)
    named = read_named(candidates) if candidates is not None else name_candidates(among)
    files = [work] if isinstance(work, (str, Path)) else work
    is_files = isinstance(files, (list, tuple)) and bool(files) and all(isinstance(f, (str, Path)) for f in files)
    found = decide(
        list(files) if is_files else read_kernels(work, input_format, None), named, prices=stated, limits=limits,
        terms=terms, weights=given, per_day=quantity("jobs_per_day", jobs_per_day, ""),
        segment=segment, source=source, model=model, together=together, pattern=kernel,
        input_format=input_format, conditions=asked,
    )  # fmt: skip
    return Chosen(show.Told(found))


def view_choice() -> View:
    """How a choice shows itself."""
    from roofcast.choosing import show
    from roofcast.choosing.pictures import main_figure
    from roofcast.kit.output import Picture

    return make_view(
        show.render_choice, show.decision_record, "candidates", show.tabulate, show.choice_page,
        lambda told: Picture(lambda: main_figure(told.decision)), state=show.state_choice,
    )  # fmt: skip


ASK = Ask(
    name="choose",
    run=choose,
    view=view_choice,
    examples=(
        'roofcast choose run.ncu-rep --among "H100 SXM5 80GB,A100-SXM4-40GB,L40S"',
        "roofcast choose run.ncu-rep trace.json.gz --template decision/     writes workload.toml and candidates.toml",
        "roofcast choose workload.toml --candidates candidates.toml -o decision.html",
        "roofcast choose jan.csv feb.csv --budget 250000 --prices prices.toml --years 4",
        "roofcast choose run.ncu-rep --power 10kW --memory 40GB --format json",
    ),
)
"""The question, in every door."""
