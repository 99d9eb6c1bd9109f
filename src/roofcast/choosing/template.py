"""The two files of a choice to begin with, filled in as far as profiles and the catalog know."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from roofcast.catalog.instances import find_instance
from roofcast.catalog.prices import PUBLIC, Price, read_prices
from roofcast.choosing.candidates import list_candidates, list_current, name_candidates
from roofcast.choosing.program_times import is_run, read_program, read_record, recorded_memory
from roofcast.choosing.workload_file import Program, Terms
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.units import format_quantity
from roofcast.kit.output import write_text

WORKLOAD, CANDIDATES = "workload.toml", "candidates.toml"
WORKLOAD_HEAD = """# What the GPUs are for. roofcast choose workload.toml --candidates candidates.toml -o decision.html
# docs/choose.md has every key. Lines that begin with # are suggestions; numbers with units stand in quotes.
question = "Which GPUs for ...?"

[terms]
years = 4                        # life of what is bought, time for which is rented
utilisation = 0.7                # share of all hours in which GPUs work
# best = "cost"                  # cost, time, energy or throughput
# probability = 0.9              # with which a fleet meets the jobs per day
# spares = 0.05                  # share of GPUs that may be out of service
# start = "2027-01"              # from when GPUs are needed (default: today)
# currency = "USD"               # all amounts are in it

[limits]                         # of all GPUs together
# budget = "500 kUSD"
# power = "40 kW"
# rack = 40
"""
EXAMPLE = Program("example", ("run.ncu-rep",))
CANDIDATES_HEAD = """# The GPUs to choose from: names of the catalog, instances, files (.toml) and variations such as
# "H100 SXM5 80GB{dram=4.8TB/s}" (docs/choose.md). roofcast makes up no price: take out the # and write what you were
# offered. price_usd, rent_usd_per_hour (of a whole instance), power_w and rack_units are of one GPU; host_price_usd,
# host_power_w and server_rack_units of a server of slots_per_server GPUs; link is to another GPU, per direction;
# available is from when it can be had. What an offer may also say of a GPU:
#     price_usd = 30000
#     host_price_usd = 60000
#     network_price_usd = 12000
#     idle_power_w = 70
#     host_power_w = 2000
#     slots_per_server = 8
#     server_rack_units = 8
#     link = "450 GB/s"
#     available = "2027-06"

[site]
# usd_per_kwh = 0.15
# power_factor = 1.3             # power of the site over power of its machines (PUE)
"""


def write_templates(
    files: Sequence[str], folder: str, among: str | None, prices: str | None, segment: str | None, source: str | None
) -> list[Path]:
    """Write both files into a folder; their paths."""
    out = Path(folder)
    paths = [out / WORKLOAD, out / CANDIDATES]
    for path in paths:
        if path.exists():
            raise RoofcastError(f"{one_line(str(path), 120)} is there already: name another folder")
    texts = [write_workload(files, out, source), write_candidates(files, among, prices, segment, source)]
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RoofcastError(f"cannot write {one_line(folder, 120)}: {error.strerror}") from error
    for path, text in zip(paths, texts, strict=True):
        write_text(path, text)
    return paths


def write_workload(files: Sequence[str], folder: Path, source: str | None) -> str:
    """The workload file: a program per profile or trace."""
    programs = [Program(Path(f).name.partition(".")[0][:40], (f,), source=source) for f in files] or [EXAMPLE]
    return WORKLOAD_HEAD + "".join(write_program(p, folder, known=bool(files)) for p in programs)


def write_program(program: Program, folder: Path, *, known: bool) -> str:
    """One program."""
    file, run = program.files[0], known and is_run(program)
    kernels = read_program(program) if known else None
    held = None if kernels is None else recorded_memory(kernels)
    size = None if held is None else format_quantity(held, "B")
    path = file if file.startswith("store:") or not known else os.path.relpath(file, folder)
    lines = [
        "", "[[programs]]", f"name = {json.dumps(program.name)}", f"files = [{json.dumps(path)}]",
        *([f"from = {json.dumps(program.source)}"] if program.source else []),
        "weight = 1                       # or jobs_per_day = 1000, of all programs",
        '# deadline = "1 s"',
        '# memory = "16 GB"               # what does a job hold: parameters, buffers, caches? The file does not say'
        if size is None else f'memory = "{size}"'.ljust(33) + "# held at most, as the file recorded",
        "# gpus = 1                       # of one job",
        '# scaling = "measured"           # or strong, weak (with efficiency = 0.9), evenly,',
        '#                                # "data parallel" (with gradients = "2.6 GB")',
    ]  # fmt: skip
    if run:
        lines += ['# range = "step"                 # a range of the trace; or step = true', "# host_speed = 1.0"]
    return "\n".join(lines) + "\n"


def write_candidates(
    files: Sequence[str], among: str | None, prices: str | None, segment: str | None, source: str | None
) -> str:
    """The candidates file: what is on sale for the kernels of the files, with what the catalog and prices know."""
    known = read_prices(prices or PUBLIC)
    asked = name_candidates(among) or (list(known.named) if prices and prices != PUBLIC else None)
    # A model that never ran is no GPU's.
    programs = [Program("", (f,), source=source) for f in files]
    tables = [(table, source) for p in programs if read_record(p) is None and (table := read_program(p)) is not None]
    candidates, _ = list_candidates(asked or list_current(tables, segment)[0], known, Terms(), tables)
    return CANDIDATES_HEAD + "".join(write_price(c.name, c.price) for c in candidates)


def write_price(name: str, price: Price) -> str:
    """One candidate; rents are of all GPUs that come together."""
    asked = name.partition(" (")[0] if find_instance(name.partition(" (")[0]) else name
    count = price.gpus if asked != name else 1
    price_known = price.price_usd is not None and not price.is_launch_price
    lines = ["", f"[gpus.{json.dumps(asked)}]"]
    lines.append(f"price_usd = {price.price_usd:g}" if price_known else "# price_usd =")
    rent = None if price.rent_usd_per_hour is None else price.rent_usd_per_hour * count
    lines.append(f"rent_usd_per_hour = {rent:g}" if rent else "# rent_usd_per_hour =")
    if price.power_w:
        lines.append(f"power_w = {price.power_w * count:g}" + ("  # board power" if price.is_board_power else ""))
    lines += [f"{key} = {json.dumps(text)}" for key, text in (("source", price.source), ("date", price.date)) if text]
    return "\n".join(lines) + "\n"
