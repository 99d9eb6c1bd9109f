"""The workload that GPUs are chosen for: its programs, the limits and the terms, as the user states them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import field
from datetime import date
from pathlib import Path
from typing import Any

from roofcast.catalog.prices import read_date
from roofcast.catalog.toml_files import read_toml
from roofcast.core.errors import RoofcastError, UnitError, one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.core.records import dataclass
from roofcast.core.units import parse_quantity
from roofcast.sweeps.stated import quantity

HOURS_PER_YEAR = 365.25 * 24
"""h in a mean year."""
GOALS = ("cost", "time", "energy", "throughput")
"""What is best: least cost, time or energy per job, or most jobs per day under the limits."""
SCALINGS = ("measured", "strong", "weak", "data parallel", "evenly")
"""How a program runs on several GPUs; ``evenly``: over as many as there are, each with its share."""
SURE = 0.9
"""Probability with which a fleet meets its demand unless another is stated."""
QUANTITIES = {"deadline": "s", "memory": "B", "gradients": "B"}
RATES = {"jobs_per_day": 1.0, "requests_per_day": 1.0, "requests_per_second": 86400.0}
"""Keys of a demand: jobs per day of one of each."""
NUMBERS = ("weight", *RATES, "efficiency", "host_speed")
TEXTS = ("name", "scaling", "from", "format", "kernel", "range")
SERVED = ("model", "input", "output", "ttft", "tpot", "weights", "kv", "engine")
"""Keys of a language model that is served, in place of files."""
PROGRAM_KEYS = (*TEXTS, *SERVED, "files", "times", *QUANTITIES, *NUMBERS, "gpus", "step", "kernels")
LIMIT_UNITS = {"budget": "USD", "power": "W", "rack": ""}
TERM_KEYS = ("best", "years", "utilisation", "spares", "probability", "start", "currency")
TABLES = ("question", "programs", "limits", "terms")


@dataclass(frozen=True)
class Limits:
    """What the user has for all GPUs together; None where unlimited."""

    budget_usd: float | None = None
    power_w: float | None = None
    rack_units: float | None = None
    deadline_s: float | None = None
    """Of every program, in place of its own."""
    memory_bytes: float | None = None
    """The same."""

    def named(self) -> dict[str, float]:
        """The limits of all GPUs together that are given, by name."""
        pairs = (("budget", self.budget_usd), ("power", self.power_w), ("rack", self.rack_units))
        return {name: value for name, value in pairs if value is not None}


@dataclass(frozen=True)
class Terms:
    """What a GPU's hour rests on; None where not stated."""

    best: str | None = None
    """One of :data:`GOALS`; None: cost where it is known, else throughput under limits, else time."""
    years: float | None = None
    """Life of what is bought, and time for which is rented."""
    utilisation: float = 1.0
    """Share of all hours in which GPUs work on the programs."""
    spares: float = 0.0
    """Share of the GPUs that may be broken or in service while the demand is met."""
    probability: float = SURE
    """With which a fleet has to meet the demand."""
    start: str = ""
    """From when GPUs are needed; '' today."""
    currency: str = "USD"

    @property
    def begins(self) -> str:
        """The date of the start."""
        return self.start or date.today().isoformat()


@dataclass(frozen=True)
class ServedModel:
    """A language model under traffic; a job is one request."""

    config: str
    """The model's config.json, or its folder."""
    input: float = 1024.0
    output: float = 1024.0
    """Tokens of a request."""
    ttft_s: float | None = None
    tpot_s: float | None = None
    """Limits of the mean; None where there is none."""
    weights: str | None = None
    kv: str | None = None
    """Precisions; None: as the config says."""
    engine: str | None = None


@dataclass(frozen=True)
class Program:
    """One program of the mix."""

    name: str
    files: tuple[str, ...] = ()
    kernels: KernelTable | None = None
    """Read already; else ``files`` are read."""
    weight: float = 1.0
    """Its share of the jobs: jobs per day where they are stated."""
    deadline_s: float | None = None
    memory_bytes: float | None = None
    gpus: int = 1
    """That one job runs on."""
    scaling: str = "measured"
    efficiency: float = 1.0
    gradient_bytes: float | None = None
    """That data-parallel GPUs add up in each job."""
    source: str | None = None
    input_format: str | None = None
    pattern: str | None = None
    range_name: str | None = None
    step: bool = False
    host_speed: float = 1.0
    counts: Mapping[str, float] = field(default_factory=dict)
    """Kernel -> how often it runs in a job, times its launches in the file."""
    times: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    """GPU -> low, likely and high seconds of a job, given in place of files: measured, or promised."""
    served: ServedModel | None = None
    """A language model in place of files."""

    @property
    def divides(self) -> bool:
        """Whether a job uses all GPUs that there are."""
        return self.scaling == "evenly"


@dataclass(frozen=True)
class Workload:
    """Programs with what they may cost."""

    programs: tuple[Program, ...]
    limits: Limits = Limits()
    terms: Terms = Terms()
    per_day: bool = False
    """Whether weights are jobs per day that have to be served."""
    question: str = ""
    file: str = ""


def read_workload(path: str | Path) -> Workload:
    """Read a workload file (docs/choose.md); files in it are named from where it stands."""
    workload = read_toml(path, lambda content: parse_workload(content, Path(path).parent))
    return dataclasses.replace(workload, file=str(path))


def parse_workload(content: Mapping[str, Any], folder: Path = Path()) -> Workload:
    """A workload from the content of its file."""
    refuse_odd("the workload", content, TABLES)
    rows = content.get("programs")
    if not isinstance(rows, list) or not rows or not all(isinstance(r, dict) for r in rows):
        raise RoofcastError(
            'name what runs: [[programs]] with name = "..." and files = ["run.ncu-rep"], or model = "config.json"'
        )
    programs = tuple(parse_program(row, i, folder) for i, row in enumerate(rows))
    names = [p.name for p in programs]
    twice = [n for n in names if names.count(n) > 1]
    if twice:
        raise RoofcastError(f"two programs are called {one_line(twice[0], 60)!r}: give each a name of its own")
    stated = [{key for key in ("weight", *RATES) if key in row} for row in rows]
    served = [bool(keys & set(RATES)) for keys in stated]
    if any(served) and not all(served):
        raise RoofcastError("programs have weights or jobs_per_day, all of them the same one")
    if not any(p.weight > 0 for p in programs):
        raise RoofcastError("all programs weigh 0: nothing runs")
    question = content.get("question", "")
    if not isinstance(question, str):
        raise RoofcastError('question: write it in quotes: question = "Which GPUs for ...?"')
    return Workload(
        programs, parse_limits(table_of(content, "limits")), parse_terms(table_of(content, "terms")),
        all(served), one_line(question, 400),
    )  # fmt: skip


def table_of(content: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A table of a file; empty where it has none."""
    table = content.get(name, {})
    if not isinstance(table, dict):
        raise RoofcastError(f"{name} is a table: write [{name}] above its keys")
    return table


def refuse_odd(what: str, row: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    """Raise RoofcastError for a key that means nothing."""
    odd = [k for k in row if k not in keys]
    if odd:
        raise RoofcastError(f"{what}: no such key: {one_line(', '.join(odd), 80)}; keys are {', '.join(keys)}")


def parse_program(row: Mapping[str, Any], number: int, folder: Path) -> Program:
    """One program."""
    what = one_line(f"program {row.get('name', number + 1)}", 80)
    refuse_odd(what, row, PROGRAM_KEYS)
    for key in TEXTS:
        if key in row and (not isinstance(row[key], str) or not row[key].strip()):
            raise RoofcastError(f"{what}: {key}: write a text in quotes")
    files = row.get("files")
    files = [files] if isinstance(files, str) else files
    times = parse_times(what, row["times"]) if "times" in row else {}
    if times and "files" in row:
        raise RoofcastError(f"{what}: files and times contradict each other: keep one")
    served = parse_served(what, row, folder)
    files = files or ([] if times or served else None)
    if not isinstance(files, list) or not all(isinstance(f, str) and f for f in files):
        raise RoofcastError(f'{what}: name its profiles or traces: files = ["run.ncu-rep"]')
    amounts = {key: read_amount(what, key, row[key], unit) for key, unit in QUANTITIES.items() if key in row}
    numbers = {key: read_number(what, key, row[key], least=0.0) for key in NUMBERS if key in row}
    for key in ("efficiency", "host_speed", *RATES):
        if numbers.get(key) == 0:
            raise RoofcastError(f"{what}: {key}: give a number above 0")
    gpus = row.get("gpus", 1)
    if isinstance(gpus, bool) or not isinstance(gpus, int) or not 1 <= gpus <= 100_000:
        raise RoofcastError(f"{what}: gpus: give a whole number above 0")
    if not isinstance(row.get("step", False), bool):
        raise RoofcastError(f"{what}: step: write true or false")
    counts = row.get("kernels", {})
    if not isinstance(counts, dict):
        raise RoofcastError(f"{what}: kernels: write {{ NAME = how often it runs }}")
    program = Program(
        name=one_line(row.get("name", Path(files[0]).name if files else f"program {number + 1}"), 60), served=served,
        files=tuple(find_beside(f, folder) for f in files),
        weight=next((numbers[k] * per_day for k, per_day in RATES.items() if k in numbers), numbers.get("weight", 1.0)),
        times=times, deadline_s=amounts.get("deadline"),
        memory_bytes=amounts.get("memory"), gpus=gpus, scaling=row.get("scaling", "measured"),
        efficiency=numbers.get("efficiency", 1.0), gradient_bytes=amounts.get("gradients"), source=row.get("from"),
        input_format=row.get("format"), pattern=row.get("kernel"), range_name=row.get("range"),
        step=row.get("step", False), host_speed=numbers.get("host_speed", 1.0),
        counts={k: read_number(what, f"kernels: {one_line(k, 40)}", v, least=0.0) for k, v in counts.items()},
    )  # fmt: skip
    check_scaling(what, program, row)
    return program


ALONE = (
    "files", "times", "memory", "deadline", "gpus", "scaling", "efficiency", "gradients", "from", "format", "kernel",
    "kernels", "range", "step", "host_speed",
)  # fmt: skip
"""Keys that a served model has no use for."""


def parse_served(what: str, row: Mapping[str, Any], folder: Path) -> ServedModel | None:
    """The language model of a program; None where it is none."""
    if "model" not in row:
        odd = [key for key in SERVED if key in row]
        if odd:
            raise RoofcastError(f'{what}: {odd[0]} is of a language model: name it: model = "config.json"')
        return None
    odd = [key for key in ALONE if key in row]
    if odd:
        raise RoofcastError(f"{what}: {odd[0]} and model contradict each other: keep one (limits are ttft and tpot)")
    for key in ("model", "weights", "kv", "engine"):
        if key in row and (not isinstance(row[key], str) or not row[key].strip()):
            raise RoofcastError(f"{what}: {key}: write a text in quotes")
    tokens = {key: read_number(what, key, row[key], least=1.0) for key in ("input", "output") if key in row}
    limits = {f"{key}_s": read_amount(what, key, row[key], "s") for key in ("ttft", "tpot") if key in row}
    return ServedModel(
        find_beside(row["model"], folder), **tokens, **limits, weights=row.get("weights"), kv=row.get("kv"),
        engine=row.get("engine"),
    )  # fmt: skip


def check_scaling(what: str, program: Program, row: Mapping[str, Any]) -> None:
    """Raise RoofcastError for statements that contradict each other."""
    scaling, several = program.scaling, program.gpus > 1
    if scaling not in SCALINGS:
        raise RoofcastError(f"{what}: scaling is one of {', '.join(SCALINGS)}")
    if scaling in ("measured", "evenly", "data parallel") and "efficiency" in row:
        raise RoofcastError(f"{what}: efficiency is of strong or weak scaling; {scaling!r} contradicts it")
    if scaling in ("strong", "weak") and several and "efficiency" not in row:
        raise RoofcastError(f"{what}: {scaling} scaling to {program.gpus} GPUs: state its efficiency, e.g. 0.9")
    if program.efficiency > 1:
        raise RoofcastError(f"{what}: efficiency is a share of perfect scaling, at most 1")
    if (scaling == "data parallel") != (program.gradient_bytes is not None):
        raise RoofcastError(
            f'{what}: scaling = "data parallel" and gradients = "2.6 GB" (all-reduced per job) go together'
        )
    if scaling == "data parallel" and not several:
        raise RoofcastError(f"{what}: data parallel on one GPU: state gpus = 8")
    if scaling == "evenly" and several:
        raise RoofcastError(f"{what}: scaling = 'evenly' uses all GPUs that there are: leave gpus out")
    if program.step and program.range_name is not None:
        raise RoofcastError(f"{what}: range and step name two parts of the run: give one of them")
    rates = [key for key in ("weight", *RATES) if key in row]
    if len(rates) > 1:
        raise RoofcastError(f"{what}: {rates[0]} and {rates[1]} contradict each other: keep one")


def find_beside(file: str, folder: Path) -> str:
    """The name of a file of a workload, from where the workload stands."""
    if file.startswith("store:") or Path(file).is_absolute():
        return file
    return str(folder / file)


def read_amount(what: str, key: str, value: Any, unit: str) -> float:
    """A quantity above 0."""
    try:
        amount = parse_quantity(value, unit)
    except UnitError as error:
        raise RoofcastError(f"{what}: {key}: {error}") from error
    if not 1e-15 < amount < 1e24:
        raise RoofcastError(f"{what}: {key}: give an amount above 0")
    return amount


def parse_times(what: str, row: Any) -> dict[str, tuple[float, float, float]]:
    """Given seconds of a job: GPU -> one, or low, likely and high."""
    if not isinstance(row, dict) or not row:
        raise RoofcastError(f'{what}: times: write {{ "L40S" = ["2 ms", "3 ms", "5 ms"] }}: low, likely, high')
    by_gpu = {}
    for name, value in row.items():
        given = value if isinstance(value, list) else [value] * 3
        seconds = [read_amount(what, f"times of {one_line(str(name), 40)}", v, "s") for v in given]
        if len(seconds) != 3 or seconds != sorted(seconds):
            raise RoofcastError(f"{what}: times of {one_line(str(name), 40)}: one, or three: low, likely, high")
        by_gpu[str(name)] = seconds[0], seconds[1], seconds[2]
    return by_gpu


def read_number(what: str, key: str, value: Any, least: float) -> float:
    """A number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value < 1e15:
        raise RoofcastError(f"{what}: {key}: give a number of at least {least:g}")
    return float(value)


def parse_limits(row: Mapping[str, Any]) -> Limits:
    """Limits of all GPUs together."""
    refuse_odd("limits", row, tuple(LIMIT_UNITS))
    amounts = {k: read_amount("limits", k, row[k], unit) for k, unit in LIMIT_UNITS.items() if k in row}
    return Limits(amounts.get("budget"), amounts.get("power"), amounts.get("rack"))


def state_limits(
    budget: str | float | None, power: str | float | None, rack: str | float | None, deadline: str | float | None,
    memory: str | float | None,
) -> Limits:  # fmt: skip
    """Limits from options."""
    return Limits(
        quantity("--budget", budget, "USD"), quantity("--power", power, "W"), quantity("--rack", rack, ""),
        quantity("--deadline", deadline, "s"), quantity("--memory", memory, "B"),
    )  # fmt: skip


def state_terms(
    best: str | None, years: str | float | None, utilisation: str | float | None, probability: str | float | None = None
) -> Terms:
    """Terms from options."""
    share, sure = quantity("--utilisation", utilisation, ""), quantity("--probability", probability, "")
    given = Terms(best, quantity("--years", years, ""), 1.0 if share is None else share,
                  probability=SURE if sure is None else sure)  # fmt: skip
    return check_terms("--", given)


def check_terms(where: str, terms: Terms) -> Terms:
    """The terms, if they can be. where : what stands before the name of each."""
    if terms.best is not None and terms.best not in GOALS:
        raise RoofcastError(f"{where}best is one of {', '.join(GOALS)}")
    if terms.years is not None and not 0.01 <= terms.years <= 100:
        raise RoofcastError(f"{where}years: give the life of what is bought, 0.01 to 100")
    if not 0.001 <= terms.utilisation <= 1:
        raise RoofcastError(f"{where}utilisation: give the share of hours in which GPUs work, 0.001 to 1, such as 70%")
    if not 0 <= terms.spares <= 0.9:
        raise RoofcastError(f"{where}spares: give the share of GPUs that may be out of service, 0 to 0.9, such as 0.05")
    if not 0.5 <= terms.probability <= 0.999:
        raise RoofcastError(f"{where}probability: give one of 0.5 to 0.999 with which the demand is met, such as 90%")
    return terms


def parse_terms(row: Mapping[str, Any]) -> Terms:
    """Terms of the decision."""
    refuse_odd("terms", row, TERM_KEYS)
    years = read_number("terms", "years", row["years"], least=0.0) if "years" in row else None
    use = read_number("terms", "utilisation", row.get("utilisation", 1.0), least=0.0)
    spares = read_number("terms", "spares", row.get("spares", 0.0), least=0.0)
    sure = read_number("terms", "probability", row.get("probability", SURE), least=0.0)
    start = read_date("terms: start", row["start"]) if "start" in row else ""
    currency = row.get("currency", "USD")
    if not isinstance(currency, str) or not 1 <= len(one_line(currency)) <= 8:
        raise RoofcastError('terms: currency: write its sign, e.g. "EUR"; all amounts are in it')
    return check_terms("terms: ", Terms(row.get("best"), years, use, spares, sure, start, one_line(currency)))
