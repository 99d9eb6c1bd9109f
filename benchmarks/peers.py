"""Other predictors on the same measured rows: forecasts per second and errors, beside roofcast's.

    python -m venv .peers && .peers/bin/pip install -r benchmarks/peers.txt     (3 GB, most of it PyTorch)
    python benchmarks/peers.py                                                  prints the tables of docs/performance.md

Peers are no dependencies of roofcast: each is asked in an environment of its own, through a script that this Python
starts (``ROOFCAST_PEERS`` names its Python, else ``.peers/bin/python`` beside this folder). What is absent is left out
with one line that says what to install. The measurements are found as docs/data.md says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.models.registry import DEFAULT_MODEL, load_model
from roofcast_evaluate.cases import Cases, cases_of
from roofcast_evaluate.datasets import load
from roofcast_evaluate.floors import measured_floors
from roofcast_evaluate.scores import Outcome, scores_of, summary

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "tools"))
from teaching.operators import TOGETHER, sample_cases  # noqa: E402

VARIABLE = "ROOFCAST_PEERS"
INSTALL = "python -m venv .peers && .peers/bin/pip install -r benchmarks/peers.txt"
KEPT = FOLDER / "peers.json"
"""Rows of the last run that had each peer."""
PAIRS = 200
"""Configurations of each kernel on each pair of GPUs, evenly spread."""
PATIENCE_S = 400.0


@dataclass(frozen=True)
class Peer:
    """A predictor that pip installs."""

    name: str
    package: str
    licence: str
    script: str
    dataset: str
    kernels: Mapping[str, str]
    """Kernel of the data set -> operator of the peer."""
    gpus: tuple[str, ...]
    """GPUs of the data set that it knows."""
    shape: Mapping[str, str] = field(default_factory=dict)
    """Name of a size in its rows -> column of the data set."""
    most: int = PAIRS
    """Configurations of each kernel on each pair; fewer of slow peers."""


HABITAT = Peer(
    "Habitat (DeepView-Predict)", "deepview-predict", "Apache-2.0", "peer_habitat.py", "neusight",
    {"torch/bmm": "bmm", "torch/linear": "linear"},
    ("A100-PCIE-40GB", "Tesla V100-PCIE-32GB", "Tesla T4", "Tesla P100-PCIE-16GB"),
    {"b": "B", "m": "M", "n": "N", "k": "K"}, most=100,
)  # fmt: skip
MATMUL_HEURISTICS = Peer(
    "nvMatmulHeuristics", "nvidia-matmul-heuristics", "NVIDIA's own", "peer_matmul_heuristics.py", "llm_ops_gemm",
    {"gemm/bfloat16": "gemm"}, ("A100-SXM", "H100-SXM5", "L40S"), {"m": "m", "n": "n", "k": "k"},
)  # fmt: skip
GENZ = Peer(
    "GenZ-LLM", "genz-llm", "MIT", "peer_genz.py", "llm_ops_gemm", {"gemm/bfloat16": "gemm"}, ("A100-SXM", "H100-SXM5"),
    {"m": "m", "n": "n", "k": "k"},
)  # fmt: skip
PEERS = (HABITAT, MATMUL_HEURISTICS, GENZ)


@dataclass(frozen=True)
class Comparison:
    """One peer beside roofcast; errors are fractions, means and medians over directed pairs of GPUs."""

    peer: Peer
    version: str
    pairs: int
    per_s: float
    """Forecasts of the peer per processor second."""
    own_per_s: float
    alone: tuple[float, float]
    """Mean and median error of what it says from shapes alone."""
    scaled: tuple[float, float]
    """The same, moved by what it says of the source over what was measured there."""
    own: tuple[float, float]


class AbsentError(RoofcastError):
    """A peer or its measurements are not here."""


def peers_python() -> Path:
    """Python of the peers' environment.

    Raises
    ------
    AbsentError : there is none.
    """
    found = Path(os.environ.get(VARIABLE) or FOLDER.parent / ".peers" / "bin" / "python")
    if not found.is_file():
        raise AbsentError(f"no environment of peers: {INSTALL} (or set {VARIABLE} to its Python)")
    return found


def ask(peer: Peer, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What a peer says of rows.

    Raises
    ------
    AbsentError : it is not installed, or does not answer.
    """
    command = [str(peers_python()), str(FOLDER / peer.script)]
    settings = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": ""}
    try:
        done = subprocess.run(
            command, input=json.dumps(rows), capture_output=True, text=True, check=False, timeout=PATIENCE_S,
            env=settings,
        )  # fmt: skip
        if done.returncode == 0:
            return dict(json.loads(done.stdout))
        said = done.stderr.strip().splitlines()
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        said = [str(error)]
    raise AbsentError(f"{peer.name} does not answer ({(said or ['no reason'])[-1][:120]}): {INSTALL}")


def measured(peer: Peer) -> Cases:
    """Pairs of the kernels and GPUs that a peer knows.

    Raises
    ------
    AbsentError : the data set is not here.
    """
    try:
        name, table = load(peer.dataset)
    except RoofcastError as error:
        raise AbsentError(str(error)) from error
    kernel, gpu = (table.strings(column).astype(str) for column in ("kernel", "gpu"))
    wanted = np.isin(kernel, list(peer.kernels)) & np.isin(gpu, peer.gpus)
    return sample_cases(cases_of(name, table.select(wanted)), peer.most)


def rows_of(peer: Peer, kernels: KernelTable) -> list[dict[str, Any]]:
    """Shapes as the peer takes them."""
    columns = {short: np.asarray(kernels.extra[name], dtype=np.float64).tolist() for short, name in peer.shape.items()}
    names = [peer.kernels[str(k)] for k in kernels.strings("kernel")]
    return [
        {"operator": name, **{short: column[i] for short, column in columns.items()}} for i, name in enumerate(names)
    ]


def compare(peer: Peer) -> Comparison:
    """One peer beside roofcast's default model, on the same pairs.

    Raises
    ------
    AbsentError : the peer or the measurements are not here.
    """
    peers_python()
    cases = measured(peer)
    rows = rows_of(peer, cases.kernels)
    keys = [json.dumps(r) for r in rows]
    distinct = list(dict.fromkeys(keys))
    answer = ask(peer, [json.loads(k) for k in distinct])
    place = {key: i for i, key in enumerate(distinct)}
    at = np.array([place[k] for k in keys])
    said = {gpu: np.array(v, dtype=np.float64)[at] for gpu, v in answer["predicted_s"].items()}
    model = load_model(DEFAULT_MODEL)
    start = time.process_time()
    own = cases.forecast(model)
    seconds = time.process_time() - start
    target, source = (by_gpu(said, gpus) for gpus in (own.target_gpu, own.source_gpu))
    scaled = cases.kernels.column("time_s") * target / source
    return Comparison(
        peer, str(answer["version"]), len(cases), len(distinct) * len(said) / answer["process_s"],
        len(cases) / seconds, *(errors(replace(own, time_s=t)) for t in (target, scaled, own.time_s)),
    )  # fmt: skip


def by_gpu(said: Mapping[str, FloatArray], gpus: Any) -> FloatArray:
    """(p,) what was said of each pair's GPU."""
    found = np.full(len(gpus), np.nan)
    for gpu, values in said.items():
        found = np.where(gpus == gpu, values, found)
    return found


def errors(outcome: Outcome) -> tuple[float, float]:
    """Mean and median absolute percentage error over directed pairs."""
    found = summary(scores_of(outcome))
    return found.mape, found.median_ape


def compared() -> Iterator[Comparison | str]:
    """Every peer, or why it is left out."""
    for peer in PEERS:
        try:
            yield compare(peer)
        except AbsentError as error:
            yield f"{peer.name} (`{peer.package}`): {error}"


PRINTED = {
    "bmm": ("55 / 44", "19 / 123", "26 / 30", "26 / 14"),
    "linear": ("33 / 28", "17 / 799", "45 / 153", "20 / 14"),
    "element-wise": ("30 / 26", "70 / 43", "11 / 20", "14 / 19"),
    "softmax": ("26 / 32", "58 / 38", "32 / 22", "19 / 14"),
    "layer norm": ("55 / 58", "61 / 75", "19 / 72", "20 / 57"),
}
"""Operator -> mean errors in % that NeuSight's authors print for a roofline, Habitat, Li et al. and NeuSight: on GPUs
and shapes like those of training / on others. Source: Lee et al., ASPLOS 2025, as in the notes of the data set."""
OPERATORS = {
    "torch/bmm": "bmm", "torch/linear": "linear", "torch/element-wise": "element-wise", "torch/softmax": "softmax",
    "torch/ln": "layer norm",
}  # fmt: skip


def beside_printed() -> dict[str, tuple[tuple[float, float], tuple[float, float]]]:
    """Operator -> mean and median error of roofcast on NeuSight's measurements, without and with launch floors.

    Raises
    ------
    AbsentError : the data set is not here.
    """
    name = "neusight"
    try:
        _, table = load(name)
    except RoofcastError as error:
        raise AbsentError(str(error)) from error
    model = load_model(DEFAULT_MODEL)
    cases = sample_cases(cases_of(name, table, floors=measured_floors(table)), PAIRS)
    outcomes = [c.forecast(model) for c in (replace(cases, floors_s={}), cases)]
    operator = np.array([TOGETHER.get(str(k), str(k)) for k in outcomes[0].kernel])
    found = {}
    for key, label in OPERATORS.items():
        without, given = (errors(o.select(operator == key)) for o in outcomes)
        found[label] = without, given
    return found


def lines() -> list[str]:
    """The section of docs/performance.md; rows of peers that are not installed come from the last run that had them."""
    return [INTRODUCTION.format(install=INSTALL), *compared_lines(), NOTES, *printed_lines(), CLOSING]


def compared_lines() -> list[str]:
    """The table of peers that were asked."""
    kept: dict[str, str] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {}
    rows, left_out = [], []
    for peer, found in zip(PEERS, compared(), strict=True):
        if isinstance(found, Comparison):
            kept[peer.package] = row_of(found)
        else:
            left_out.append(found + (" (the row is from the last run that had it)" if peer.package in kept else ""))
        rows += [kept[peer.package]] if peer.package in kept else []
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    for line in left_out:
        sys.stderr.write(f"{line}\n")
    said = ["", "Not asked in this run:", "", *(f"- {line}" for line in left_out)] if left_out else []
    return [*HEAD, *rows, *said]


def row_of(c: Comparison) -> str:
    """One peer's row."""
    per_s = f"{float(f'{c.per_s:.2g}'):,.0f} | {float(f'{c.own_per_s:.2g}'):,.0f} ({c.own_per_s / c.per_s:,.0f}x)"
    return (
        f"| {c.peer.name} {c.version} | {c.peer.dataset}: {', '.join(c.peer.kernels)} ({c.pairs:,} pairs) | {per_s} "
        f"| {percent(c.alone)} | {percent(c.scaled)} | **{percent(c.own)}** |"
    )


def printed_lines() -> list[str]:
    """What others print for NeuSight's measurements, beside roofcast's errors."""
    try:
        own = beside_printed()
    except AbsentError as error:
        return [f"roofcast's errors on NeuSight's data are left out: {error}"]
    return [
        "| operator | roofline | Habitat | Li et al. | NeuSight | roofcast | roofcast, launch floors given |",
        "|---|---:|---:|---:|---:|---:|---:|",
        *(f"| {k} | {' | '.join(PRINTED[k])} | {percent(a)} | **{percent(b)}** |" for k, (a, b) in own.items()),
    ]  # fmt: skip


def percent(error: tuple[float, float]) -> str:
    """Mean / median in %."""
    return f"{100 * error[0]:.1f} / {100 * error[1]:.1f}"


HEAD = [
    "| peer | rows | forecasts per processor second | roofcast's | error from shapes | scaled | roofcast's error |",
    "|---|---|---:|---:|---:|---:|---:|",
]
INTRODUCTION = """On measured rows that both can read (`ROOFCAST_DATA` names them):

    {install}
    python benchmarks/peers.py
"""
NOTES = """
Errors are mean / median absolute percentages over directed pairs of GPUs, on at most 200 configurations (Habitat: 100)
per kernel and pair. Peers take shapes and the target's name, roofcast the source's measured time; "scaled" gives
them that time too. roofcast knows the target's catalog entry alone. Habitat was trained on such GPUs and is asked one
by one, as its own predictor asks; nvMatmulHeuristics chooses kernels, absolute times are not its purpose; GenZ-LLM is a
roofline at full efficiency and knows no L40S.

NeuSight is no package. What its authors print for their measurements (mean %; GPUs and shapes like those of training /
others) beside roofcast's errors on them (mean / median %):
"""
CLOSING = """
The networks were trained on these operators and say a time from the shape; roofcast moves each row from each other GPU.
Most of these operators are a few launches: the last column gives an empty launch's time (`--launch-floor`)."""

if __name__ == "__main__":
    sys.stdout.write("\n".join(lines()) + "\n")
