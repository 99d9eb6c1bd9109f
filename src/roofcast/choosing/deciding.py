"""From a workload to a decision: read, list candidates, forecast, rank."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.catalog.instances import find_instance
from roofcast.catalog.prices import Prices, read_prices
from roofcast.choosing.candidates import Candidate, list_candidates, refuse_candidate, tell_memory
from roofcast.choosing.chances import draw_errors, sigma
from roofcast.choosing.decision import Decision
from roofcast.choosing.holdings import find_fleet
from roofcast.choosing.options import make_options
from roofcast.choosing.program_times import (
    ProgramTimes,
    describe_missing,
    memory_of,
    read_program,
    read_record,
    scale_program,
    take_given,
    time_program,
)
from roofcast.choosing.ranked import Ranked, make_programme, make_sheet, select_targets
from roofcast.choosing.served_models import Served, serve
from roofcast.choosing.workload_file import Limits, Program, Terms, Workload, read_workload
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.core.launch_totals import name_board
from roofcast.core.processor import Processor
from roofcast.core.results import Conditions
from roofcast.formulas.values import combine
from roofcast.models.physics.link_times import NODE_GPUS


def choose(
    work: Workload | KernelTable | str | Path | Sequence[str | Path],
    among: Sequence[str | Processor] | None = None,
    *,
    prices: Prices | str | Path | None = None,
    limits: Limits | None = None,
    terms: Terms | None = None,
    weights: Mapping[str, float] | None = None,
    per_day: float | None = None,
    segment: str | None = None,
    **how: Any,
) -> Decision:
    """Rank GPUs for a workload: what the command line, the page and Python call.

    work : a workload, the name of its file, or profiles and traces that are one job together.
    among : GPUs as :func:`roofcast.forecast` takes them (default: those on sale for data centres that the code runs on;
        what a candidates file names is ``prices.named``). prices : a price or candidates file, or ``public``.
    limits, terms : over those of a workload file. per_day : jobs of a day, of files that are one
        job. weights : kernel -> how often it runs.
    how : ``source``, ``model``, ``together``, ``conditions`` (an object) and ``pattern`` as of ``forecast``.
    """
    workload = find_workload(work, how.pop("pattern", None), how.pop("input_format", None), weights or {})
    if limits is not None:
        given = {f.name: v for f in dataclasses.fields(limits) if (v := getattr(limits, f.name)) is not None}
        workload = dataclasses.replace(workload, limits=dataclasses.replace(workload.limits, **given))
    if terms is not None:
        given = {f.name: v for f in dataclasses.fields(terms) if (v := getattr(terms, f.name)) != f.default}
        workload = dataclasses.replace(workload, terms=dataclasses.replace(workload.terms, **given))
    if per_day is not None:
        workload = with_demand(workload, per_day)
    given = {n: v for n in ("deadline_s", "memory_bytes") if (v := getattr(workload.limits, n)) is not None}
    workload = dataclasses.replace(workload, programs=tuple(dataclasses.replace(p, **given) for p in workload.programs))
    stated = prices if isinstance(prices, Prices) else read_prices(prices) if prices is not None else Prices()
    how.setdefault("conditions", Conditions())
    return decide(workload, among, stated, segment, how)


def with_demand(workload: Workload, per_day: float) -> Workload:
    """So many jobs a day of the only program."""
    if len(workload.programs) > 1 or workload.file:
        raise RoofcastError("--jobs-per-day is of one job: write jobs_per_day into the workload file")
    program = workload.programs[0]
    scaling = "measured" if program.divides and program.deadline_s is None else program.scaling
    return dataclasses.replace(
        workload, programs=(dataclasses.replace(program, weight=per_day, scaling=scaling),), per_day=True
    )


def find_workload(
    work: Workload | KernelTable | str | Path | Sequence[str | Path], pattern: str | None, form: str | None,
    weights: Mapping[str, float],
) -> Workload:  # fmt: skip
    """The workload that is meant."""
    if isinstance(work, Workload):
        return work
    if isinstance(work, KernelTable):
        return Workload((Program("", kernels=work, scaling="evenly", counts=weights, pattern=pattern),))
    files = [work] if isinstance(work, (str, Path)) else list(work)
    workload_files = [f for f in files if str(f).lower().endswith(".toml")]
    if workload_files and (len(files) > 1 or weights or pattern):
        raise RoofcastError(
            f"{one_line(str(workload_files[0]), 80)} names all that runs: give it alone, without --weights, --kernel"
        )
    if workload_files:
        return read_workload(workload_files[0])
    return Workload((
        Program("", tuple(map(str, files)), scaling="evenly", counts=weights, pattern=pattern, input_format=form),
    ))  # fmt: skip


def decide(
    workload: Workload, among: Sequence[str | Processor] | None, prices: Prices, segment: str | None,
    how: Mapping[str, Any],
) -> Decision:  # fmt: skip
    """Read, forecast and rank."""
    programs, tables = [], []
    for program in workload.programs:
        try:
            tables.append(read_program(program))
        except RoofcastError as error:
            raise named_error(program, error) from error
        programs.append(dataclasses.replace(program, source=program.source or how.get("source")))
    candidates, aside = list_candidates(
        among,
        prices,
        workload.terms,
        [(t, p.source) for t, p in zip(tables, programs, strict=True) if t is not None and read_record(p) is None],
        segment,
    )
    needs = [memory_of(t, p, how) for t, p in zip(tables, programs, strict=True)]
    memory = max((m for m in needs if m is not None), default=None)
    limits = workload.limits
    mixes = workload.terms.best in (None, "cost") and workload.terms.years is not None and (
        workload.per_day or any(p.deadline_s for p in programs))  # fmt: skip
    memory_needs = [(m, p.name) for m, p in zip(needs, programs, strict=True)]
    refusals = {c.name: why for c in candidates if (why := refuse_candidate(c, memory_needs, limits, mixes=mixes))}
    able = [c for c in candidates if c.name not in refusals]
    if not able:
        raise none_left(list(refusals.values()), list(refusals))
    times, served = time_programs(programs, tables, able, workload, how)
    good = combine(np.logical_and, [t.time_s > 0 for t in times])
    refusals |= tell_untimed(able, programs, served, good)
    able = [in_replicas(c, [s.replicas[j] for s in served]) for j, c in enumerate(able)]
    sentences = {c.name: [s.told[j] for s in served if s.told[j]] for j, c in enumerate(able)}
    if not good.any():
        raise none_left(list(refusals.values()), list(refusals))
    able = [c for c, g in zip(able, good.tolist(), strict=True) if g]
    times = [select_targets(t, np.flatnonzero(good)) for t in times]
    holds = np.array([[not tell_memory(c.processor, *need) for c in able] for need in memory_needs])
    decision = rank(dataclasses.replace(workload, programs=tuple(programs)), able, times, prices, holds)
    notes = [*tell_served(decision, sentences), *tell_times(programs, times), *([prices.note] if prices.note else [])]
    if memory is None and not all(p.served for p in programs):
        notes.append("Memory is not compared: nothing says how much is needed (state it: --memory 40GB).")
    return dataclasses.replace(
        decision, memory_bytes=memory, left_out=(*refusals.items(),), how=how, tables=tuple(tables),
        notes=(*dict.fromkeys(notes), *([aside] if aside else [])),
    )  # fmt: skip


def time_programs(
    programs: Sequence[Program], tables: Sequence[KernelTable | None], kept: Sequence[Candidate], workload: Workload,
    how: Mapping[str, Any],
) -> tuple[list[ProgramTimes], list[Served]]:  # fmt: skip
    """A job of each program on each candidate, and what is known beside of language models."""
    # An instance and its board are one GPU: it is forecast once.
    boards = {name_board(c.processor): c.processor for c in kept}
    place = np.array([list(boards).index(name_board(c.processor)) for c in kept], np.intp)
    targets = [c.processor for c in kept]
    times: list[ProgramTimes] = []
    served: list[Served] = []
    for program, table in zip(programs, tables, strict=True):
        try:
            if program.served is not None:
                nodes = [node_of(c) for c in kept]
                served.append(serve(program, targets, nodes, workload.terms, asked=workload.per_day))
                program_times = served[-1].times
            elif table is None:
                program_times = take_given(program, targets, [c.name for c in kept], how["conditions"].coverage)
            else:
                program_times = select_targets(time_program(program, table, list(boards.values()), how), place)
        except RoofcastError as error:
            raise named_error(program, error) from error
        times.append(scale_program(program, program_times, targets, [c.price for c in kept]))
    return times, served


def tell_untimed(
    kept: Sequence[Candidate], programs: Sequence[Program], served: Sequence[Served], good: NDArray[np.bool_]
) -> dict[str, str]:
    """Why candidates have no time of some program."""
    missing = "has no given time" if any(p.times for p in programs) else "lacks a supply that some kernel needs"
    return {
        kept[j].name: next((s.why_not[j] for s in served if s.why_not[j]), missing)
        for j in np.flatnonzero(~good).tolist()
    }


def tell_served(found: Decision, told: Mapping[str, Sequence[str]]) -> list[str]:
    """What replicas of language models are, on the GPUs to get."""
    names = [found.options[p.option].name for p in found.fleet.parts] if found.fleet else [found.first.name]
    return [f"{name}: {line}" for name in dict.fromkeys(names) for line in told[name]]


def tell_times(programs: Sequence[Program], times: Sequence[ProgramTimes]) -> list[str]:
    """What must be known of the times."""
    notes = [n for p, t in zip(programs, times, strict=True) for n in (*t.notes, *describe_missing(p.name, t))]
    runs = dict.fromkeys({"run": "the run"}.get(t.run, t.run) for t in times if t.run)
    traced = f"a job of a trace is {' or '.join(runs)}, with its host and gaps, as `roofcast app` forecasts it"
    return notes + [traced] * bool(runs)


def node_of(candidate: Candidate) -> tuple[int, int]:
    """GPUs that come together, and those that share links: an instance or a server, else as many as a model wants."""
    together = candidate.price.gpus
    bound = together > 1 or find_instance(candidate.name.partition(" (")[0]) is not None
    return together, together if bound else NODE_GPUS


def in_replicas(candidate: Candidate, gpus: Sequence[int]) -> Candidate:
    """The candidate in as many GPUs as replicas of its models, and its own servers, need together."""
    together = math.lcm(candidate.price.gpus, *gpus)
    return dataclasses.replace(candidate, price=dataclasses.replace(candidate.price, gpus=together))


def named_error(program: Program, error: RoofcastError) -> RoofcastError:
    """An error that says whose it is."""
    return error if not program.name else type(error)(f"program {program.name}: {error}")


def none_left(reasons: Sequence[str], names: Sequence[str]) -> RoofcastError:
    """What to say where no GPU is ranked: the commonest reason, with an example."""
    reason, count = Counter(reasons).most_common(1)[0]
    name = one_line(names[list(reasons).index(reason)], 60)
    others = "" if len(reasons) == 1 else f" (as {count} of {len(reasons)})"
    return RoofcastError(
        f"no GPU is left to choose from: {name} {reason}{others}; loosen the limit, or name others with --among"
    )


def rank(
    workload: Workload, candidates: Sequence[Candidate], times: Sequence[ProgramTimes], prices: Prices,
    holds: NDArray[np.bool_],
) -> Decision:  # fmt: skip
    """The ranking of candidates whose times are known, and the fleet. holds : (P, C) which have memory enough."""
    sheet = make_sheet(workload, candidates, times, prices, holds)
    coverage = next((t.coverage for t in times if t.coverage), None) or 0.9
    sds = np.array(
        [[sigma(*ends, coverage) for ends in zip(t.low_s.tolist(), t.high_s.tolist(), strict=True)] for t in times]
    )
    errors = sds * draw_errors([c.processor for c in candidates], len(times))
    ranked = Ranked(workload, tuple(candidates), tuple(times), prices, sheet, errors, coverage)
    score, measure, time = ranked.scores, np.nan_to_num(ranked.measures, nan=math.inf), sheet.average(sheet.time_s)
    order = sorted(range(len(candidates)), key=lambda j: (score[j], measure[j], time[j], candidates[j].name))
    ranked = ranked.reorder(order)
    options = make_options(ranked)
    programme = make_programme(ranked.sheet, ranked.errors, workload.terms.probability) if sheet.counts_money else None
    decision = Decision(
        options, workload, ranked.sheet, ranked.errors, prices, coverage, sum(t.kernels for t in times), None, None,
        programme, (), (), times[0].told, {}, (),
    )  # fmt: skip
    return dataclasses.replace(decision, fleet=find_fleet(decision))
