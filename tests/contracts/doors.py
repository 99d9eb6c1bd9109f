"""The doors that users come through, each as a function that returns plain rows, and the files that go through them.

Nothing here looks behind a door: the command line by click's runner, `roofcast`'s public names, the page by HTTP. Only
the scored pairs of `evaluate` have no public form, because its output holds means alone: :func:`scored_pairs`.
"""

from __future__ import annotations

import csv
import functools
import gzip
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import roofcast
from roofcast.__main__ import describe
from roofcast.commands.group import cli
from roofcast.models.registry import DEFAULT_MODEL, FORECASTERS
from roofcast_evaluate.datasets import DATASETS

MODELS = FORECASTERS
CHECKOUT = Path(__file__).resolve().parents[2]
SAMPLES = Path(tempfile.gettempdir()) / f"roofcast-contracts-{os.getpid()}" / "data"
"""Thinned data sets: written when a test asks for one, deleted at the end."""
SAMPLE_ROWS = 120
TARGETS = ("H100 SXM5 80GB", "Instinct MI300X", "GeForce RTX 4090")
SOURCE_OF = {
    "cc-10-0": "B200", "cc-12-0": "GeForce RTX 5090", "cc-7-5": "Tesla T4", "cc-8-0": "A100-SXM4-40GB",
    "cc-8-6": "A10G", "mi100": "Instinct MI100", "mi60": "Instinct MI60", "mi200": "Instinct MI250X",
    "mi300a-a1": "Instinct MI300A",
}  # fmt: skip
"""GPU that a user would name with --from, by the beginning of the file's name, where the file names none."""


NO_WORDS = frozenset(
    {"profile", "output", "traces", "trace", "tests", "results", "sample", "run", "uncased", "finetuned"}
)


def folder(variable: str, name: str) -> Path | None:
    """Folder of real files, or None where it is absent."""
    found = Path(os.environ.get(variable) or CHECKOUT.parent / "shared" / name)
    return found if found.is_dir() else None


def label(path: Path) -> str:
    """A short readable id, unique among the fixtures."""
    gpu, _, rest = path.name.partition("__")
    stem = re.sub(r"\.(json\.gz|ncu-rep|sqlite|csv|txt|log)$", "", rest).replace(".", "-")
    if not rest:
        return f"data/{path.stem}"
    words = [w for w in re.split(r"[-_.]", stem) if w not in NO_WORDS]
    return f"{path.parent.name}/{gpu}..{'-'.join(words[-4:])}"


def named(kind: str, only: Sequence[str] = ()) -> list[Any]:
    """Parameters of a test: the fixtures of some kinds (folders, '' for all). only : what runs outside of `slow`."""
    root = folder("ROOFCAST_FIXTURES", "fixtures")
    if root is None:
        return [pytest.param(None, id="absent", marks=pytest.mark.skip("real files are absent: set ROOFCAST_FIXTURES"))]
    paths = [p for p in sorted(root.glob("*/*")) if re.fullmatch(kind or ".*", p.parent.name) and is_profile(p)]
    paths += [SAMPLES / f"{name}.csv" for name in DATASETS if re.fullmatch(kind or ".*", "data")]
    return [
        pytest.param(p, id=label(p), marks=[] if any(word in label(p) for word in only) else pytest.mark.slow)
        for p in paths
    ]


def make_sample(path: Path) -> None:
    """Write the rows of one GPU of a data set, evenly thinned, as a user might have them."""
    root = folder("ROOFCAST_DATA", "data")
    if root is None:
        pytest.skip("data sets are absent: set ROOFCAST_DATA")
    if "*" in (pattern := DATASETS[path.stem].file):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.decompress(min(root.glob(pattern)).read_bytes()))
        return
    with gzip.open(root / DATASETS[path.stem].file, "rt", newline="") as given:
        reader = csv.DictReader(given)
        rows = list(reader)
    gpu = next((r["gpu"] for r in rows if r["gpu"][:1].isalpha() and "Titan X" not in r["gpu"]), rows[0]["gpu"])
    rows = [r for r in rows if r["gpu"] == gpu]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as out:
        writer = csv.DictWriter(out, reader.fieldnames or ())
        writer.writeheader()
        writer.writerows(rows[:: max(1, -(-len(rows) // SAMPLE_ROWS))])


def is_profile(path: Path) -> bool:
    """Whether a fixture holds kernels; descriptions of systems hold none."""
    return not path.name.endswith(("-sysinfo.csv", "MI200-roofline.csv"))


@dataclass(frozen=True)
class Breach:
    """Two answers to one question."""

    kernel: str
    what: str
    left: float
    right: float
    left_command: str
    right_command: str

    @property
    def apart(self) -> float:
        """Relative difference; infinite where one side has no answer."""
        if not (np.isfinite(self.left) and np.isfinite(self.right)):
            return float("inf")
        return abs(self.left - self.right) / max(abs(self.left), abs(self.right), 1e-300)

    def __str__(self) -> str:
        return (
            f"{self.kernel[:90]}: {self.what} {self.left!r} against {self.right!r} ({100 * self.apart:.3g} % apart)\n"
            f"    {self.left_command}\n    {self.right_command}"
        )


def command_of(*arguments: str | Path) -> str:
    """A command line for messages."""
    texts = [a.name if isinstance(a, Path) else a for a in arguments]
    return " ".join(["roofcast", *(f'"{t}"' if re.search(r"[\s{}]", t) else t for t in texts)])


class RefusedError(Exception):
    """The command says in one line why there is no answer."""


@functools.lru_cache(maxsize=64)
def run(*arguments: str | Path) -> str:
    """Standard output of a command."""
    found = CliRunner().invoke(cli, [str(a) for a in arguments])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        message, code = describe(found.exception)
        if code == 2 and "the rows are written" in message:
            return found.stdout
        if code == 2:
            raise RefusedError(message)
        raise found.exception
    if found.exit_code:
        raise RefusedError(found.output.strip().splitlines()[-1])
    return found.stdout


def run_json(*arguments: str | Path) -> Any:
    """What a command prints with --format json."""
    return json.loads(run(*arguments, "--format", "json"))


def origin(path: Path) -> tuple[str, ...]:
    """`--from GPU` where the file does not say."""
    kernels = read(path)
    if any(kernels.strings("gpu")):
        return ()
    source = SOURCE_OF.get(path.name.partition("__")[0])
    return ("--from", source) if source else ()


@functools.lru_cache(maxsize=128)
def read(path: Path | tuple[Path, ...]) -> Any:
    """`roofcast.read`."""
    return roofcast.read(path)


@functools.lru_cache(maxsize=256)
def forecast(
    path: Path | tuple[Path, ...],
    to: tuple[str, ...],
    model: str = DEFAULT_MODEL,
    source: str | None = None,
    conditions: str = "production",
    load: str = "auto",
) -> Any:
    """`roofcast.forecast` of a file."""
    if isinstance(path, Path):
        source = source or (origin(path) or ("", None))[1]
    return roofcast.forecast(read(path), list(to), source=source, model=model, conditions=conditions, load=load)


def printed(path: Path, to: str, *options: str) -> list[dict[str, Any]]:
    """The rows of `roofcast forecast`."""
    return list(run_json("forecast", path, "--to", to, *origin(path), *options)["forecasts"])


def known(model: str) -> tuple[str, ...]:
    """`--model NAME`."""
    return ("--model", model)


ENDS = ("time_s", "time_low_s", "time_high_s")


def compared(
    left: Iterable[dict[str, Any]], right: Iterable[dict[str, Any]], commands: tuple[str, str], tolerance: float = 0.0
) -> Iterator[Breach]:
    """Breaches of two lists of forecasts of the same rows."""
    left, right = list(left), list(right)
    if len(left) != len(right):
        yield Breach("all kernels", "rows", len(left), len(right), *commands)
        return
    for a, b in zip(left, right, strict=True):
        if a["kernel"] != b["kernel"]:
            yield Breach(a["kernel"], f"another kernel in its place, {b['kernel'][:40]}", 0, 1, *commands)
        for end in ENDS:
            x, y = (float("nan") if r[end] is None else float(r[end]) for r in (a, b))
            if not (x == y or (np.isnan(x) and np.isnan(y)) or abs(x - y) <= tolerance * abs(x)):
                yield Breach(a["kernel"], end, x, y, *commands)


def rows_of(result: Any, j: int = 0) -> list[dict[str, Any]]:
    """The forecasts of a `Forecast` on one target as rows."""
    estimate = result.estimate
    return [
        {"kernel": k} | {end: float(getattr(estimate, end)[i, j]) for end in ENDS}
        for i, k in enumerate(result.kernels.strings("kernel"))
    ]


def scored_pairs(dataset: str, model: str, pair: tuple[str, str], most: int) -> Any:
    """What `roofcast evaluate DATASET` scores of one directed pair of GPUs, evenly thinned to at most so many pairs.

    Returns the kernels, their scores, and the conditions that the command names.

    Not public: the command prints means over all pairs.
    """
    from roofcast.models.registry import load_model
    from roofcast_evaluate.cases import cases_of
    from roofcast_evaluate.datasets import load

    cases = cases_of(*load(dataset))
    rows = np.flatnonzero((cases.source_gpu == pair[0]) & (cases.target_gpu == pair[1]))
    chosen = cases.select(np.isin(np.arange(len(cases)), rows[:: max(1, -(-len(rows) // most))]))
    return chosen.kernels, chosen.forecast(load_model(model)), cases.named
