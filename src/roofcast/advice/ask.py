"""The question `advise`: what to change, ranked by the time that it would save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from roofcast.core.errors import RoofcastError
from roofcast.core.records import dataclass
from roofcast.kit.asked import Ask, Option
from roofcast.kit.returned import Found, View

if TYPE_CHECKING:
    from roofcast.advice.ranking import Advice
    from roofcast.core.processor import Processor
    from roofcast.kit.asked import Progress


@dataclass(frozen=True, repr=False, eq=False)
class Advised(Found["Advice"]):
    """What to change; a row per finding."""

    kind = "advise"

    @property
    def total(self) -> float:
        """S that all kernels take on the GPU that the advice is for."""
        return self.found.time_s

    def shown(self) -> View[Advice]:
        """How advice shows itself."""
        from roofcast.advice import show
        from roofcast.kit.bars import Bar, BarPicture
        from roofcast.kit.table import Table

        def rows(advice: Advice, top: int | None = None) -> Table:
            return Table.of_records(show.list_records(advice, top))

        def bars(advice: Advice) -> list[Bar]:
            return [Bar(f"{show.kernel_name(advice, f)}: {f.title}", f.saved_s) for f in advice.findings]

        return View(
            show.render_advice, show.record_advice, show.tabulate_findings, show.advice_page,
            lambda advice: BarPicture("time that each cure would save", "s", bars(advice)),
            key="findings", rows=rows, state=show.state_advice,
            explain=lambda advice, i: "\n".join(show.finding_lines(advice, advice.findings[i], i + 1, 120)),
        )  # fmt: skip


def refuse_unknown(answer: Advised) -> None:
    """End the command where nothing can be said: what is known of the kernels is written."""
    if answer.found.is_unknown:
        raise RoofcastError("source GPU unknown: give --from GPU; nothing can be said of these kernels")


def advise(
    kernels: Any, on: str | Processor | None = None, *, source: str | Processor | None = None,
    model: str | None = None, conditions: Any = "production", clock: str | float = "auto", cache: str = "auto",
    load: str = "auto",
    together: bool = False, kernel: str | None = None, input_format: str | None = None, paths: bool = False,
    size: Mapping[str, float] | str | None = None, progress: Progress | None = None,
) -> Advised:  # fmt: skip
    """Say what to change in the kernels or the run of FILE: evidence, what to try, and the time if it were fixed.

    on : GPU that the advice is for (default: the one that the kernels were measured on).
    model : Model of the gains.
    size : What source code leaves open, e.g. "n=8192".
    paths : Also sequences of up to three changes, on the GPU where the kernels were measured and on that of --on.

    A row per finding, ranked by the time that it would save.
    """
    from roofcast.advice.paths import find_paths
    from roofcast.advice.plan import plan_run
    from roofcast.advice.ranking import advise as rank_advice
    from roofcast.advice.runs import read_advised
    from roofcast.core.kernel_table import KernelTable
    from roofcast.core.processor import Processor
    from roofcast.forecasting.conditions import make_conditions
    from roofcast.forecasting.problem_size import list_code_sizes
    from roofcast.ingest.readers import at_code_sizes
    from roofcast.models.kernel_amounts import is_from_code
    from roofcast.reading import as_files, read_kernels

    given = make_conditions(0.9, clock, cache, None, conditions, load)
    if on is not None and not isinstance(on, (str, Processor)):
        raise RoofcastError(f"a {type(on).__name__} is no GPU: give a name, a TOML file or a processor")

    def ask(table: KernelTable, runs: Sequence[Any], files: Sequence[Any]) -> Advised:
        # Source code ran nowhere: the GPU that advice is for is its own.
        derived = len(table) > 0 and bool(is_from_code(table).all())
        if derived and on is None and source is None:
            raise RoofcastError("source code ran nowhere: give the GPU that advice is for, --on GPU")
        measured_on = on if source is None and derived else source
        advice = rank_advice(
            read_kernels(table, None, kernel), on, source=measured_on, model=model, files=[str(f) for f in files],
            together=together, conditions=given,
        )  # fmt: skip
        ways = find_paths(
            read_kernels(table, None, kernel), on, measured_on, model, given, [str(f) for f in files],
            together=together, of_run=bool(runs),
        ) if paths else ()  # fmt: skip
        plans = tuple(plan_run(r.timeline, r.findings, on, measured_on, model, given, paths=paths) for r in runs)
        return Advised(replace(advice, runs=tuple(runs), plans=plans, paths=ways))

    if isinstance(kernels, KernelTable):
        return ask(kernels, (), ())
    with as_files(kernels) as files, at_code_sizes({} if size is None else list_code_sizes(size)):
        return ask(*read_advised(files, input_format, progress), files)


ASK = Ask(
    name="advise",
    run=advise,
    options={
        "on": Option("GPU", kind="gpu"),
        "model": Option("NAME", kind="model"),
        "paths": Option(),
        "size": Option("NAME=N,...", kind="list"),
    },
    shows={"top": "Only the N findings that save most."},
    limits=True,
    ended=refuse_unknown,
    examples=(
        "roofcast advise run.ncu-rep",
        'roofcast advise run.ncu-rep --on "H100 SXM5 80GB" --top 5',
        'roofcast advise run.ncu-rep --paths --on "H100 SXM5 80GB" -o paths.html',
        "roofcast advise trace.json.gz",
        "roofcast advise kernel.cu --on H100",
        "roofcast advise table.csv --from V100 --format json -o advice.json",
        "roofcast advise run.ncu-rep --report advice.html",
    ),
)
"""The question, in every door."""
