"""Process times of the command line, against a bare interpreter in the same run."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[1] / "examples" / "convolution.csv"


def seconds(*command: str, repeats: int = 7) -> float:
    """Least wall time of a command over several runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - start)
    return best


def roofcast(*arguments: str) -> tuple[str, ...]:
    """A command line of the installed program."""
    return (str(Path(sys.executable).with_name("roofcast")), *arguments)


def report(fixtures: Path | None) -> Path:
    """A real report where there is one, else the example table."""
    return next(iter(sorted(fixtures.glob("ncu_rep/*MW[-_]Baseline*"))), EXAMPLE) if fixtures else EXAMPLE


@pytest.fixture
def fixtures() -> Path | None:
    folder = Path(__file__).parents[2] / "shared" / "fixtures"
    return folder if folder.is_dir() else None


def test_help(benchmark: pytest.FixtureRequest) -> None:
    bare = seconds(sys.executable, "-c", "pass")
    helped = benchmark.pedantic(lambda: seconds(*roofcast("--help"), repeats=1), rounds=7)  # type: ignore[attr-defined]
    least = seconds(*roofcast("--help"))
    benchmark.extra_info.update(bare_interpreter_s=bare, ratio_to_bare=least / bare)  # type: ignore[attr-defined]
    print(f"\nroofcast --help {least:.3f} s, bare interpreter {bare:.3f} s, ratio {least / bare:.1f} (limit 0.15 s)")
    assert helped < 1
    assert least < 0.15


def test_forecast_of_one_report(benchmark: pytest.FixtureRequest, fixtures: Path | None) -> None:
    bare = seconds(sys.executable, "-c", "import numpy")
    file = report(fixtures)
    source = ("--from", "RTX 2080 Ti") if file == EXAMPLE else ()
    command = roofcast("forecast", str(file), "--to", "A100 SXM4 80GB,H100 SXM5 80GB,B200", *source)
    benchmark.pedantic(lambda: seconds(*command, repeats=1), rounds=5)  # type: ignore[attr-defined]
    least = seconds(*command)
    benchmark.extra_info.update(numpy_import_s=bare, ratio_to_numpy=least / bare)  # type: ignore[attr-defined]
    print(f"\nroofcast forecast {least:.3f} s, import numpy {bare:.3f} s, ratio {least / bare:.1f} (limit 0.7 s)")
    assert least < 0.7
