"""Keep the values that the command line prints on real files, and compare them after a change.

    python tools/freeze.py take .frozen              # all values of this checkout's source
    python tools/freeze.py compare .frozen           # again, on the present source; exit 1 on any difference
    python tools/freeze.py compare .frozen --subset  # a representative part, under a minute
    python tools/freeze.py take .frozen --only '^hull '   # renew values that were changed on purpose

Values, not hashes: each case (one command on one file) is a Parquet file of path, number and text, so that a table can
say which values moved and by how much; the differences themselves go to FOLDER/differences.parquet. Only the command
line's entry is used, and inputs that stand in the checkout are copied into FOLDER once: the same tool runs before and
after modules move. Real files come from ``ROOFCAST_FIXTURES`` and ``ROOFCAST_DATA``, else from ``shared`` beside the
checkout. The source is ``--source``, else the first folder of ``PYTHONPATH`` that holds roofcast, else this checkout's.
The folder holds values derived from third-party data: it is never committed.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import math
import multiprocessing
import os
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from freeze_cases import CHECKOUT, Case, cases_of, keep_inputs, shared

Value = tuple[float | None, str | None]
Values = dict[str, Value]

LEFT_OUT = re.compile(r"(^|[.:])roofcast$")
"""What is no value: the version. Everything else that is printed stays."""


ADDED = re.compile(r" {6}by \w+ \(x \d+\.\d\d\)(, \w+ \(x \d+\.\d\d\))*| {4}by \.\.\.: .*")
"""Lines that came on purpose since the values of 9e238e5 were taken: causes behind a step of `--explain`. Drop this
when they are taken anew."""

REPLACED: dict[str, str] = {}
"""Folders of this machine, as a worker knows them, and what stands for them in values."""


# ---- running ---------------------------------------------------------------------------------------------------------


def prepare_worker(source: Path, base: str, inputs: Path) -> None:
    """Enter a folder of its own with links to the real files, so that values hold no path of the machine."""
    sys.path[:0] = [str(source), *map(str, source.parent.glob("packages/*/src"))]
    folder = Path(base) / f"worker-{os.getpid()}"
    folder.mkdir()
    os.chdir(folder)
    places = {"inputs": inputs, "data": shared("ROOFCAST_DATA", "data")}
    for name, place in (places | {"fixtures": shared("ROOFCAST_FIXTURES", "fixtures")}).items():
        Path(name).symlink_to(place)
        REPLACED[str(place)] = name
    REPLACED.update({str(folder): "FOLDER", base: "BASE", str(source.parent): "CHECKOUT"})
    # Python prints a warning once per process: which case shows it would depend on the order.
    warnings.simplefilter("ignore")


def run_command(argv: list[str]) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error of one command, run in this process."""
    from roofcast.__main__ import main

    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(argv)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
    texts = []
    for stream in (out, err):
        stream.flush()
        raw = stream.buffer
        assert isinstance(raw, io.BytesIO)
        texts.append(raw.getvalue().decode("utf-8", "replace"))
    return code, texts[0], texts[1]


def values_of(case: Case) -> Values:
    """Run a case and return all its values by path."""
    values: Values = {}
    for number, argv in enumerate(case.runs):
        begin = f"{number}:" if len(case.lines) > 1 else ""
        code, out, err = run_command(argv)
        if number == len(case.lines) - 1 and case.made and Path(case.made).is_file():
            out = Path(case.made).read_text()
        values[f"{begin}exit"] = (float(code), None)
        for line, text in enumerate(err.splitlines()):
            values[f"{begin}stderr[{line}]"] = (None, neutral(text))
        for path, value in flatten_output(out, begin, as_csv=case.made.endswith(".csv") or "csv" in argv):
            if not LEFT_OUT.search(path):
                values[path] = value
    for made in Path().glob("made.*"):
        made.unlink()
    return values


def flatten_output(out: str, begin: str, as_csv: bool) -> Iterator[tuple[str, Value]]:
    """Values of JSON or CSV by path; of anything else its lines."""
    if as_csv and out:
        rows = list(csv.reader(io.StringIO(out)))
        yield f"{begin}columns", (None, ",".join(rows[0]))
        for index, row in enumerate(rows[1:]):
            for column, cell in zip(rows[0], row, strict=False):
                yield f"{begin}[{index}].{column}", number_or_text(cell)
        return
    if out[:1] in {"{", "["}:
        with contextlib.suppress(json.JSONDecodeError):
            yield from flatten(json.loads(out), begin)
            return
    for index, line in enumerate(line for line in out.splitlines() if not ADDED.fullmatch(line)):
        yield f"{begin}line[{index}]", (None, neutral(line))


def flatten(node: Any, path: str) -> Iterator[tuple[str, Value]]:
    """Leaves of parsed JSON; empty lists and objects are leaves too."""
    if isinstance(node, dict) and node:
        for key, value in node.items():
            yield from flatten(value, f"{path}.{key}" if path and not path.endswith(":") else f"{path}{key}")
    elif isinstance(node, list) and node:
        for index, value in enumerate(node):
            yield from flatten(value, f"{path}[{index}]")
    elif isinstance(node, (bool, dict, list)):
        yield path, (None, json.dumps(node))
    elif isinstance(node, (int, float)):
        yield path, (float(node), None)
    else:
        yield path, (None, None if node is None else neutral(node))


def number_or_text(cell: str) -> Value:
    """Read a cell of CSV."""
    try:
        return float(cell), None
    except ValueError:
        return None, neutral(cell)


def neutral(text: str) -> str:
    """Leave the machine's folders out of a text."""
    for place, name in REPLACED.items():
        text = text.replace(place, name)
    return text


# ---- keeping and comparing -------------------------------------------------------------------------------------------


def write_values(values: Values, case: Case, file: Path) -> None:
    """Write the values of a case as Parquet."""
    import polars as pl

    columns = {
        "case": [case.name] * len(values),
        "path": list(values),
        "number": [v[0] for v in values.values()],
        "text": [v[1] for v in values.values()],
    }
    schema = {"case": pl.String, "path": pl.String, "number": pl.Float64, "text": pl.String}
    pl.DataFrame(columns, schema=schema).write_parquet(file, compression="zstd")


def read_values(file: Path) -> Values:
    """Read the values of a case as they were taken."""
    import polars as pl

    frame = pl.read_parquet(file)
    return dict(zip(frame["path"], zip(frame["number"], frame["text"], strict=True), strict=True))


Difference = tuple[str, str, float | None, float | None, str | None, str | None]


@dataclass(slots=True)
class Outcome:
    """What one case gave: its seconds, and against frozen values the counts."""

    case: Case
    seconds: float
    values: int
    equal: int = 0
    moved: int = 0
    missing: int = 0
    new: int = 0
    largest: float = 0.0
    """Largest relative change of a number."""
    differences: list[Difference] = field(default_factory=list)


def take_case(case: Case, folder: Path) -> Outcome:
    """Run a case and keep its values."""
    began = time.perf_counter()
    values = values_of(case)
    write_values(values, case, folder / "values" / case.file)
    return Outcome(case, time.perf_counter() - began, len(values))


def compare_case(case: Case, folder: Path, tolerance: float) -> Outcome:
    """Run a case and compare its values with the kept ones."""
    began = time.perf_counter()
    now = values_of(case)
    file = folder / "values" / case.file
    before = read_values(file) if file.is_file() else {}
    outcome = Outcome(case, 0.0, len(now))
    for path in before.keys() | now.keys():
        judge(path, before.get(path), now.get(path), tolerance, outcome)
    outcome.differences.sort()
    outcome.seconds = time.perf_counter() - began
    return outcome


def judge(path: str, before: Value | None, now: Value | None, tolerance: float, outcome: Outcome) -> None:
    """Count one path of a case as equal, moved, missing or new."""
    if before is not None and now is not None:
        change = relative_change(before, now)
        if change <= tolerance:
            outcome.equal += 1
            return
        outcome.moved += 1
        outcome.largest = max(outcome.largest, change)
    elif now is None:
        outcome.missing += 1
    else:
        outcome.new += 1
    was, is_now = before or (None, None), now or (None, None)
    outcome.differences.append((outcome.case.name, path, was[0], is_now[0], was[1], is_now[1]))


def relative_change(before: Value, now: Value) -> float:
    """Return 0 for the same number or text; infinite where a text, or the kind of value, is another."""
    was, is_now = before[0], now[0]
    if was is None or is_now is None:
        return 0.0 if before == now else math.inf
    if was == is_now or (math.isnan(was) and math.isnan(is_now)):
        return 0.0
    largest = max(abs(was), abs(is_now))
    return abs(was - is_now) / largest if math.isfinite(largest) else math.inf


def run_all(
    cases: list[Case], source: Path, folder: Path, run: Callable[[Case], Outcome], workers: int
) -> list[Outcome]:
    """Run the cases in processes that know only the command line's entry; the longest first."""
    seconds = known_seconds(folder)
    ordered = sorted(cases, key=lambda case: -seconds.get(case.name, case.weight))
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="freeze-") as base:
        os.environ |= {"ROOFCAST_CACHE": f"{base}/cache", "ROOFCAST_STORE": f"{base}/store.db", "COLUMNS": "120"}
        os.environ |= {"ROOFCAST_DATA": str(shared("ROOFCAST_DATA", "data"))}
        # Two workers on two cores: threads inside of them only stand in each other's way.
        threads = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
        os.environ |= dict.fromkeys(threads, "1")
        context = multiprocessing.get_context("spawn")
        with context.Pool(workers, prepare_worker, (source, base, folder / "inputs")) as pool:
            for outcome in pool.imap_unordered(run, ordered):
                outcomes.append(outcome)
                if sys.stderr.isatty():
                    print(f"\r{len(outcomes)} of {len(ordered)} cases ", end="", file=sys.stderr)
    return outcomes


def known_seconds(folder: Path) -> dict[str, float]:
    """Read the seconds of each case when the folder was taken."""
    file = folder / "seconds.json"
    return dict(json.loads(file.read_text())) if file.is_file() else {}


def write_catalog_names(case: Case, folder: Path) -> Outcome:
    """Write down the names of the catalog, so that each entry can be asked for."""
    rows = json.loads(run_command(case.runs[0])[1])["processors"]
    (folder / "inputs" / "gpus.txt").write_text("\n".join(row["name"] for row in rows) + "\n")
    return Outcome(case, 0.0, len(rows))


# ---- the two commands ------------------------------------------------------------------------------------------------


def take(given: argparse.Namespace, folder: Path, source: Path) -> int:
    """Write the values of the source into a new folder, or renew some of an old one."""
    if not folder.exists():
        keep_inputs(source.parent, folder / "inputs")
        (folder / "values").mkdir()
        names = Case("gpus", "names", "json", ("gpus --format json",))
        run_all([names], source, folder, partial(write_catalog_names, folder=folder), 1)
    elif not given.only:
        raise SystemExit(f"{folder} is there already: remove it, name another, or say which cases to renew (--only)")
    began = time.perf_counter()
    listed = cases_of(folder / "inputs")
    cases = chosen(listed, given)
    outcomes = run_all(cases, source, folder, partial(take_case, folder=folder), given.workers)
    names_now = {case.name for case in listed}
    kept = {n: s for n, s in known_seconds(folder).items() if n in names_now or not re.search(given.only, n)}
    seconds = kept | {outcome.case.name: round(outcome.seconds, 3) for outcome in outcomes}
    (folder / "seconds.json").write_text(json.dumps(seconds, indent=0))
    for command, group in grouped(outcomes, "command").items():
        values, spent = sum(o.values for o in group), sum(o.seconds for o in group)
        print(f"{command:10} {len(group):5} cases {values:9} values {spent:7.1f} s")
    total = sum(o.values for o in outcomes)
    print(f"{'all':10} {len(outcomes):5} cases {total:9} values in {time.perf_counter() - began:.1f} s, from {source}")
    return 0


def compare(given: argparse.Namespace, folder: Path, source: Path) -> int:
    """Run the cases again and print what differs; 1 where anything does."""
    known = known_seconds(folder)
    if not known:
        raise SystemExit(f"{folder} holds no frozen values: take them first")
    began = time.perf_counter()
    listed = cases_of(folder / "inputs")
    # A folder of the subset has no values of the other cases: only what was taken is compared.
    cases = chosen([case for case in listed if case.name in known], given)
    run = partial(compare_case, folder=folder, tolerance=given.tolerance)
    outcomes = run_all(cases, source, folder, run, given.workers)
    print_table(outcomes, given.all)
    print_paths(outcomes)
    write_differences(outcomes, folder / "differences.parquet")
    gone = sorted(set(known) - {case.name for case in listed})
    for name in gone:
        print(f"no longer run: {name}")
    equal, different = sum(o.equal for o in outcomes), sum(len(o.differences) for o in outcomes)
    seconds = time.perf_counter() - began
    print(f"\n{equal} values equal, {different} not, {len(outcomes)} cases in {seconds:.1f} s, from {source}")
    return 1 if different or gone or not outcomes else 0


def chosen(cases: list[Case], given: argparse.Namespace) -> list[Case]:
    """Return the cases that the options leave."""
    return [case for case in cases if (case.subset or not given.subset) and re.search(given.only, case.name)]


def grouped(outcomes: Iterable[Outcome], name: str) -> dict[str, list[Outcome]]:
    """Group outcomes by the command or the subject of their cases."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(getattr(outcome.case, name), []).append(outcome)
    return dict(sorted(groups.items()))


def print_table(outcomes: list[Outcome], every: bool) -> None:
    """Print per command, and per file where something differs, how many values moved."""
    print(f"{'command':10} {'file':70} {'equal':>9} {'moved':>7} {'largest':>9} {'missing':>7} {'new':>7}")
    for command, group in grouped(outcomes, "command").items():
        print_row(command, "", group)
        for file, rows in grouped(group, "subject").items():
            if every or any(o.differences for o in rows):
                print_row(command, file, rows)


def print_row(command: str, file: str, group: list[Outcome]) -> None:
    """Print the counts of some cases."""
    equal, moved = sum(o.equal for o in group), sum(o.moved for o in group)
    missing, new = sum(o.missing for o in group), sum(o.new for o in group)
    largest = max((o.largest for o in group), default=0.0)
    shown = "" if not moved else "text" if math.isinf(largest) else f"{largest:.2g}"
    print(f"{command:10} {file[-70:]:70} {equal:9} {moved:7} {shown:>9} {missing:7} {new:7}")


def print_paths(outcomes: list[Outcome], rows: int = 25) -> None:
    """Print which kinds of values differ most often, with an example of each."""
    kinds: dict[tuple[str, str], list[Difference]] = {}
    for outcome in outcomes:
        for difference in outcome.differences:
            kind = re.sub(r"\[\d+\]|^\d+:", "", difference[1])
            kinds.setdefault((outcome.case.command, kind), []).append(difference)
    for (command, kind), found in sorted(kinds.items(), key=lambda item: -len(item[1]))[:rows]:
        name, path, *_ = found[0]
        was, now = (a if a is not None else b for a, b in (found[0][2::2], found[0][3::2]))
        print(f"\n{len(found)} x {command} {kind}: {name}: {path}\n  was {str(was)[:200]}\n  now {str(now)[:200]}")


def write_differences(outcomes: list[Outcome], file: Path) -> None:
    """Write every value that differs as Parquet."""
    import polars as pl

    names = ("case", "path", "number_before", "number_now", "text_before", "text_now")
    kinds = (pl.String, pl.String, pl.Float64, pl.Float64, pl.String, pl.String)
    rows = [difference for outcome in outcomes for difference in outcome.differences]
    pl.DataFrame(rows, schema=dict(zip(names, kinds, strict=True)), orient="row").write_parquet(file)


def find_source(given: str | None) -> Path:
    """Find the folder that holds roofcast: as told, of PYTHONPATH, or of this checkout."""
    named = [given] if given else os.environ.get("PYTHONPATH", "").split(os.pathsep)
    for place in [Path(n).resolve() for n in named if n] + ([] if given else [CHECKOUT / "src"]):
        if (place / "roofcast" / "__main__.py").is_file():
            return place
    raise SystemExit(f"no roofcast in {given}")


def main() -> int:
    """Read the options and take or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["take", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--subset", action="store_true", help="a representative part, under a minute on two cores")
    parser.add_argument("--only", default="", metavar="REGEX", help="only cases whose name matches, e.g. '^hull'")
    parser.add_argument("--tolerance", type=float, default=0.0, help="relative change of a number that counts as equal")
    parser.add_argument("--all", action="store_true", help="list files without differences too")
    parser.add_argument("--source", help="folder that holds roofcast, e.g. ../before/src")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1))
    given = parser.parse_args()
    run = take if given.action == "take" else compare
    return run(given, given.folder.resolve(), find_source(given.source))


if __name__ == "__main__":
    sys.exit(main())
