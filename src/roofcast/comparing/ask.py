"""The question `compare`: what changed between two profiles, or since a forecast."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from roofcast.core.errors import RoofcastError
from roofcast.core.records import dataclass
from roofcast.kit.asked import Ask, Option
from roofcast.kit.returned import Answer, Found, View

if TYPE_CHECKING:
    from roofcast.comparing.before_after import Comparison
    from roofcast.core.kernel_table import KernelTable
    from roofcast.kit.asked import Progress


@dataclass(frozen=True, repr=False, eq=False)
class Compared(Found["Comparison"]):
    """What changed; a row per kernel."""

    kind = "compare"
    above: float | None = None
    """Share beyond which more time is a failure."""

    @property
    def total(self) -> float:
        """Time of all matched launches after, over that before."""
        return self.found.ratio

    @property
    def failed(self) -> list[str]:
        """What takes more time by more than ``fail_above``, beyond noise."""
        return [] if self.above is None else list(self.found.failures(self.above))

    def shown(self) -> View[Comparison]:
        """How a comparison shows itself."""
        from roofcast.comparing import show
        from roofcast.kit.bars import Bar, BarPicture
        from roofcast.kit.table import Table

        above = self.above

        def text(comparison: Comparison, width: int, notes: bool = False) -> str:
            return show.render_comparison(comparison, "table", above, width, notes)

        def bars(comparison: Comparison) -> list[Bar]:
            return [Bar(c.name, c.total_ratio - 1) for c in show.list_by_change(comparison)]

        return View(
            text, partial(show.record_comparison, above=above), lambda c: show.build_table(c, c.changes),
            partial(show.build_page, above=above),
            lambda c: BarPicture("change of the time of all launches", "%", bars(c)),
            key="kernels", rows=lambda c: Table.of_records(show.list_records(c)),
            state=lambda c: show.state_comparison(c, above),
            texts={"markdown": partial(show.render_comparison, form="markdown", above=above)},
        )  # fmt: skip


EXIT_SLOWER = 3
"""Exit code of ``--fail-above``: something is slower, and nothing is wrong with the files."""


def end_slower(answer: Compared) -> int:
    """The exit code: whether something takes more time than is allowed."""
    return EXIT_SLOWER if answer.failed else 0


def compare(
    before: Any, after: Any, *, target: str | None = None, kernel: str | None = None,
    fail_above: str | float | None = None, input_format: str | None = None, progress: Progress | None = None,
) -> Compared:  # fmt: skip
    """Match the kernels of BEFORE and AFTER and say what changed, beyond noise, and what moved with it.

    BEFORE, or both, may be a forecast saved by `roofcast forecast ... -o FILE.json`.

    target : Of a saved forecast for several GPUs, the one that was measured (default: as AFTER says).
    fail_above : Exit with 3 where the run, the devices, the total or a kernel with all its launches takes more time by
        more than this, beyond noise, e.g. 5%.

    In Python either may be a forecast itself. A row per kernel; `failed` lists what takes more time than allowed.
    """
    above = parse_limit(fail_above)
    comparison = compare_given(before, after, target, kernel, input_format, progress)
    return Compared(comparison, above)


def parse_limit(value: str | float | None) -> float | None:
    """A share: ``5%``, ``0.05``.

    >>> parse_limit("5%"), parse_limit(0.05)
    (0.05, 0.05)
    """
    from roofcast.core.units import parse_quantity

    if value is None:
        return None
    limit = parse_quantity(value, "")
    if not 0 <= limit < 100 or ("%" not in str(value) and limit >= 1):
        raise RoofcastError(f"--fail-above {value}: give a share such as 5%")
    return limit


def compare_given(
    before: Any, after: Any, target: str | None, pattern: str | None, input_format: str | None,
    progress: Progress | None = None,
) -> Comparison:  # fmt: skip
    """Compare two profiles, two recorded runs, two saved forecasts, or one with a profile; see :func:`compare`."""
    from roofcast.comparing.before_after import compare
    from roofcast.comparing.saved import read_saved_forecast, read_two_forecasts, rows_measured_on
    from roofcast.core.kernel_table import KernelTable
    from roofcast.ingest import timelines
    from roofcast.reading import as_files, read

    if isinstance(before, str) and isinstance(after, str) and before == after == "-":
        raise RoofcastError("standard input can be only one of the two files")
    given = [g.to_json().encode() if isinstance(g, Answer) else g for g in (before, after)]
    with ExitStack() as stack:
        first, second = (g if isinstance(g, KernelTable) else stack.enter_context(as_files(g)) for g in given)
        name = {id(g): name_given(was, g) for was, g in zip((before, after), (first, second), strict=True)}
        sides = [g for g in (first, second) if isinstance(g, list)]
        if pattern is None and len(sides) == 2 and all(timelines.are_timelines(g, input_format) for g in sides):
            return compare_timelines(first, second, (name[id(first)], name[id(second)]), input_format, progress)

        def narrowed(kernels: KernelTable, of: str) -> KernelTable:
            return kernels if pattern is None else kernels.select(chosen(kernels, of))

        def chosen(kernels: KernelTable, of: str) -> list[int]:
            from roofcast.core.kernel_table import rows_matching

            return rows_matching([str(n) for n in kernels.strings("kernel")], pattern or "", f" of {of}")

        names = name[id(first)], name[id(second)]
        if is_saved(second):
            if not is_saved(first):
                raise RoofcastError("AFTER is a saved forecast: give the forecast first, then the measurement")
            old, new = read_two_forecasts(str(first[0]), str(second[0]), target)
            return compare(narrowed(old.kernels, names[0]), narrowed(new.kernels, names[1]), names)
        measured = narrowed(read(second, input_format), names[1])
        if isinstance(first, KernelTable) or not is_saved(first):
            if target:
                raise RoofcastError(
                    "--target says which GPU of a saved forecast was measured; BEFORE is a profile: leave it out"
                )
            return compare(narrowed(read(first, input_format), names[0]), measured, names)
        gpus = [target] if target else list(dict.fromkeys(str(g) for g in measured.strings("gpu")))
        saved = read_saved_forecast(str(first[0]), gpus)
        measured = measured.select(rows_measured_on(saved.target, [str(g) for g in measured.strings("gpu")]))
        if pattern is not None:
            saved = saved.select(chosen(saved.kernels, names[0]))
        return compare(saved.kernels, measured, names, saved)


def is_saved(given: Any) -> TypeGuard[list[str | Path]]:
    """Whether files hold a saved forecast."""
    from roofcast.ingest.saved_forecasts import is_saved_forecast

    return isinstance(given, list) and len(given) == 1 and is_saved_forecast(given[0])


def name_given(was: Any, now: Any) -> str:
    """What a comparison calls one side: the file's name without its folder, for display."""
    from roofcast.core.errors import one_line

    if isinstance(was, Answer):
        return "forecast"
    if not isinstance(now, list):
        files = [p.file for p in now.provenance]
    else:
        files = ["standard input" if str(p) == "-" else Path(p).name for p in now]
    return one_line(", ".join(files), 120)


def compare_timelines(
    before: Any, after: Any, names: tuple[str, str], input_format: str | None, progress: Progress | None
) -> Comparison:
    """Compare two recorded runs: what they took, and their kernels."""
    from roofcast.applications.recorded import read_inspected
    from roofcast.comparing.before_after import Measure, compare

    old_side, new_side = (read_inspected(files, input_format, progress) for files in (before, after))
    # A folder of several traces: the longest run, as ranks run side by side; counts and work add up.
    sides = [[run.list_measures() for run in windows] for _, windows in (old_side, new_side)]
    measures = []
    for k, (name, _, unit, gates) in enumerate(sides[0][0]):
        values = [[run[k][1] for run in side] for side in sides]
        old, new = (max(v) if name == "run" else sum(v) for v in values)
        measures.append(Measure(name, old, new, unit, gates))
    comparison = compare(old_side[0], new_side[0], names, runs=tuple(measures))
    drawn = tuple(max(runs, key=lambda r: r.time_s) for _, runs in (old_side, new_side))
    return replace(comparison, recorded=drawn) if all(len(r.timeline.activities) for r in drawn) else comparison


ASK = Ask(
    name="compare",
    run=compare,
    options={"target": Option("GPU", kind="gpu"), "fail_above": Option("SHARE")},
    shows={"notes": ""},
    formats=("table", "json", "csv", "parquet", "markdown", "html"),
    suffixes={".md": "markdown"},
    ended=end_slower,
    examples=(
        "roofcast compare before.ncu-rep after.ncu-rep",
        "roofcast compare main.csv branch.csv --fail-above 5% --format markdown -o comment.md",
        "roofcast compare forecast.json measured.ncu-rep --report comparison.html",
    ),
    more="Exit code 3: something takes more time than --fail-above allows, beyond its noise.",
)
"""The question, in every door."""
