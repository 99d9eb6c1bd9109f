"""Whether this tree is slower than another commit: both in one run, in turns; 15 % more processor time is a failure.

    python benchmarks/against_commit.py            against the last commit, or the one before where nothing changed
    python benchmarks/against_commit.py 81c9bcc

The least of a few runs of each side counts. What seems slower is run again before it is one: other work on the machine
takes time as well.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "tests")]

from whole_answers import THREE, Taken, command, five_kernels, forecast_warm, source_of, table_of  # noqa: E402 - beside

from long_traces import write  # noqa: E402 - beside
from roofcast.core.errors import DatasetError  # noqa: E402
from roofcast_evaluate.datasets import paths_of  # noqa: E402

MOST = 1.15
"""Processor seconds over the other commit's from which it is a failure."""
ROUNDS = 4
TRACE_BYTES = 20_000_000
SPACE = """
base = "H100 SXM5 80GB"
[axes]
sm = { from = 100, to = 160, step = 4 }
clock = { from = "1.2 GHz", to = "2.2 GHz", count = 12 }
dram = { from = "2 TB/s", to = "8 TB/s", count = 65 }
l2 = { from = "30 MB", to = "120 MB", count = 8 }
"""
Way = Callable[[Path], Taken]
"""What is timed, with a source tree."""


def last_commit() -> str:
    """The commit that the working tree is compared with: HEAD, or its parent where nothing changed since."""
    changed = subprocess.run(["git", "diff", "--quiet", "HEAD", "--", "src"], cwd=ROOT, check=False).returncode
    return "HEAD" if changed else "HEAD~1"


def in_turns(way: Way, sides: tuple[Path, Path], rounds: int = ROUNDS) -> tuple[float, float]:
    """Least processor seconds of either side; who comes first changes from round to round."""
    found: dict[Path, list[float]] = {side: [] for side in sides}
    for turn in range(rounds):
        for side in sides if turn % 2 else sides[::-1]:
            found[side].append(way(side).cpu_s)
    return min(found[sides[0]]), min(found[sides[1]])


def measured_tables() -> list[Path]:
    """Tables of measured kernels; none where no folder of data sets is known."""
    try:
        return paths_of("hecbench_ncu")
    except DatasetError:
        return []


@contextmanager
def ways() -> Iterator[Mapping[str, Way]]:
    """What users wait for, by name; forecasts of measured kernels where `ROOFCAST_DATA` names them."""
    report = str(five_kernels())

    def asked(*arguments: str) -> Way:
        return lambda source: command("-m", "roofcast", *arguments, source=source)

    with table_of(100) as (few, _), table_of(20_000) as (many, folder):
        traces = {"kineto": folder / "run.json", "nsys": folder / "run.sqlite"}
        for form, path in traces.items():
            write(form, TRACE_BYTES, path)
        space = folder / "space.toml"
        space.write_text(SPACE, encoding="utf-8")
        found: dict[str, Way] = {
            "help": asked("--help"),
            "a report on three GPUs": asked("forecast", report, "--to", THREE),
            "--explain of 100 kernels on three GPUs": asked("forecast", str(few), "--to", THREE, "--explain"),
            "20,000 rows, CSV to CSV": asked("forecast", str(many), "--to", "B200", "-o", str(folder / "out.csv")),
            "a sweep of 10^7 forecasts": asked("sweep", str(few), "--space", str(space), "--format", "json"),
            "20,000 rows, CSV to JSON": asked("forecast", str(many), "--to", "B200", "-o", str(folder / "out.json")),
            **{
                f"app, {form} trace of {TRACE_BYTES / 1e6:.0f} MB": asked("app", str(path), "--to", "B200")
                for form, path in traces.items()
            },
        }
        if measured := measured_tables():
            for model in ("mechanistic", "hybrid"):
                found[f"1,000 kernels x 500 GPUs, {model}"] = lambda source, model=model: forecast_warm(  # type: ignore[misc]  # bound now
                    source, model, measured[0]
                )
        yield found


def main(commit: str) -> int:
    """Print every way with its ratio; 1 where one is slower."""
    slower = []
    with source_of(commit) as older, ways() as found:
        if older is None:
            sys.stderr.write(f"{commit} is not in this repository\n")
            return 2
        sides = ROOT / "src", older
        for name, way in found.items():
            now, before = in_turns(way, sides)
            if now > MOST * before:
                again = in_turns(way, sides)
                now, before = min(now, again[0]), min(before, again[1])
            sys.stdout.write(f"{now / before:6.2f}x  {now:7.3f} s  {before:7.3f} s  {name}\n")
            sys.stdout.flush()
            if now > MOST * before:
                slower.append(name)
    if slower:
        sys.stderr.write(f"slower than {commit} by more than {MOST - 1:.0%}: {', '.join(slower)}\n")
    return int(bool(slower))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else last_commit()))
