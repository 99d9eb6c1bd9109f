"""The question `choose`: which GPU to buy or rent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.core.errors import RoofcastError
from roofcast.core.records import dataclass
from roofcast.kit.asked import Act, Ask, Option
from roofcast.kit.returned import Found, View

if TYPE_CHECKING:
    from roofcast.choosing.show import Told
    from roofcast.core.processor import Processor


@dataclass(frozen=True, repr=False, eq=False)
class Chosen(Found["Told"]):
    """Which GPU; a row per candidate."""

    kind = "choose"

    @property
    def total(self) -> float:
        """S of one job on the candidate that is named first."""
        return self.found.decision.first.time_s

    def shown(self) -> View[Told]:
        """How a choice shows itself."""
        from roofcast.choosing import show
        from roofcast.choosing.document import choice_page
        from roofcast.choosing.pictures import bind_pictures, main_figure
        from roofcast.choosing.record import decision_record
        from roofcast.kit.output import Picture

        def text(told: Told, width: int, top: int | None = None, notes: bool = False) -> str:
            return show.render_choice(told, width, top, notes)

        return View(
            text, decision_record, show.tabulate, choice_page,
            lambda told: Picture(lambda: main_figure(told.decision)), key="candidates", state=show.state_choice,
            pictures=lambda told: bind_pictures(told.decision),
        )  # fmt: skip


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
    """Rank GPUs for a workload: time, money, energy, what is certain about the order, and what would change it.

    FILE: profiles and traces that are one job together, or a workload file (.toml) that names several programs.

    budget : Money for GPUs, e.g. 250000 or 250kUSD.
    power : Power for GPUs, e.g. 10kW.
    rack : Rack units for GPUs.
    deadline : Time in which a whole job must end, e.g. 20ms.
    memory : Memory that a GPU must have, e.g. 40GB (default: as the profile says).
    candidates : GPUs to choose from with their prices, hosts and dates (docs/choose.md).
    prices : Prices, rents, power and rack units of GPUs; public: the shipped example; or L40S=7500,H100=2.9/h.
    weights : How often kernels run (default: once each launch).
    among : GPUs to choose from (default: those on sale for data centres that the code runs on).
    segment : Segment of the default GPUs.
    best : What is best (default: cost per job where prices are known).
    years : Life of what is bought.
    utilisation : Share of hours in which GPUs work, e.g. 70%.
    jobs_per_day : Jobs that have to be done each day, e.g. 2e6: what fleet costs least?
    probability : With which the demand is met, e.g. 95% (default: 90%).

    A row per candidate. In Python limits may be SI numbers, weights a dict, work what :func:`roofcast.read` takes.
    """
    from roofcast.choosing import show
    from roofcast.choosing.candidates import name_candidates, read_named
    from roofcast.choosing.deciding import choose as decide
    from roofcast.choosing.workload_file import state_limits, state_terms
    from roofcast.forecasting.conditions import make_conditions
    from roofcast.reading import read_kernels
    from roofcast.sweeps.stated import parse_weights, quantity

    if not isinstance(work, str) and isinstance(work, Sequence) and not work:
        raise RoofcastError("name profiles, traces or a workload file, or write one: roofcast choose --template")
    stated = candidates if candidates is not None else prices
    if candidates is not None and (prices is not None or among is not None):
        raise RoofcastError("candidates name the GPUs and their prices: leave prices and among out")
    limits = state_limits(budget, power, rack, deadline, memory)
    terms, given = state_terms(best, years, utilisation, probability), parse_weights(weights)
    asked = make_conditions(coverage, clock, cache, launch_floor, conditions, load)
    named = read_named(candidates) if candidates is not None else name_candidates(among)
    files = [work] if isinstance(work, (str, Path)) else work
    is_files = isinstance(files, (list, tuple)) and bool(files) and all(isinstance(f, (str, Path)) for f in files)
    decision = decide(
        list(files) if is_files else read_kernels(work, input_format, None), named, prices=stated, limits=limits,
        terms=terms, weights=given, per_day=quantity("jobs_per_day", jobs_per_day, ""),
        segment=segment, source=source, model=model, together=together, pattern=kernel,
        input_format=input_format, conditions=asked,
    )  # fmt: skip
    return Chosen(show.Told(decision))


def write_templates(said: Mapping[str, Any], folder: str) -> str:
    """Write both files of a choice to begin with; the folder may be left out, then what follows is the first file.

    said : what the command line says.
    """
    from roofcast.choosing import template

    files: Sequence[str] = said["work"]
    if folder and (folder.startswith("store:") or Path(folder).is_file()):
        files, folder = (folder, *files), ""
    given = (said[k] for k in ("among", "prices", "segment", "source"))
    return "\n".join(f"wrote {path}" for path in template.write_templates(files, folder or ".", *given))


ASK = Ask(
    name="choose",
    run=choose,
    options={
        "budget": Option("USD"),
        "power": Option("W"),
        "rack": Option("UNITS"),
        "deadline": Option("SECONDS"),
        "memory": Option("BYTES"),
        "candidates": Option("FILE.toml", kind="path"),
        "prices": Option("FILE.toml|public", kind="path"),
        "weights": Option("NAME=N[,...]", kind="list"),
        "among": Option("GPU[,GPU...]", kind="gpu"),
        "segment": Option(choices=("datacentre", "workstation", "consumer", "mobile", "all")),
        "best": Option(choices=("cost", "time", "energy", "throughput")),
        "years": Option("N"),
        "utilisation": Option("SHARE"),
        "jobs_per_day": Option("N"),
        "probability": Option("SHARE"),
    },
    shows={"top": "Only the N best GPUs in the table.", "notes": ""},
    acts={
        "template": Act(
            Option("[FOLDER]", kind="folder"),
            "Write workload.toml and candidates.toml, filled in as far as the catalog knows.",
            write_templates,
            instead=True,
        ),
    },
    formats=("table", "json", "csv", "parquet", "html", "svg", "png", "pdf"),
    pictures="Draw cost against time, programs x candidates.",
    examples=(
        'roofcast choose run.ncu-rep --among "H100 SXM5 80GB,A100-SXM4-40GB,L40S"',
        "roofcast choose run.ncu-rep trace.json.gz --template decision/     writes workload.toml and candidates.toml",
        "roofcast choose workload.toml --candidates candidates.toml -o decision.html",
        "roofcast choose jan.csv feb.csv --budget 250000 --prices prices.toml --years 4",
        "roofcast choose run.ncu-rep --power 10kW --memory 40GB --format json",
    ),
)
"""The question, in every door."""
