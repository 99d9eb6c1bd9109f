"""Score whole steps of PyTorch, through ``roofcast.torch`` and ``roofcast.app`` as a user calls them.

``roofcast evaluate hopper_torch`` prints it; ``python -m roofcast_evaluate.torch_steps FOLDER`` keeps the recorded
lists of operators in a folder, so that the next call need not record again.

Each model of the data set is built by its ``cells.py`` and recorded on the CPU, for the precision and the switches
that it was measured with. Truth is the device's seconds (``busy_ms`` where kernels overlap) and those of the step.
Rows of models that the registry holds back teach nothing.
"""

from __future__ import annotations

import csv
import importlib.util
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from roofcast.applications.ask import app
from roofcast.core.errors import DatasetError, RoofcastError
from roofcast.kit.output import write_text
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import Column, Table
from roofcast.reports.ask import forecast as forecast_kernels
from roofcast.torch.without_gpu import forecast
from roofcast_evaluate.datasets import STEPS, folder, paths_of

GPUS = {"h100": "H100 SXM5 80GB", "h200": "H200 SXM 141GB"}
"""Folder of a data set -> the GPU."""
OVERLAPPING = 1.1
"""Sum of kernels over the time that the device was busy from which kernels run side by side."""
HOST_US: Mapping[str, Mapping[str, float]] = {
    "h100": {"infer": 42.0, "train": 42.0, "amp": 57.0},
    "h200": {"infer": 20.0, "train": 27.0, "amp": 34.0},
}
"""us of the host per operator, of both machines: medians over the steps of hopper_torch that wait for the host."""


@dataclass(frozen=True)
class Cell:
    """One measured step of a model on one GPU."""

    gpu: str
    """Folder of the data set."""
    model: str
    batch: int
    mode: str
    precision: str
    compiled: bool
    device_s: float
    step_s: float

    @property
    def name(self) -> str:
        """File name of its list of operators."""
        return re.sub(r"[^A-Za-z0-9._-]+", "_", f"{self.model}-b{self.batch}-{self.mode}-{self.precision}") + ".json"

    @property
    def host_us(self) -> float:
        """The host of its machine and mode, as a user states it."""
        return HOST_US[self.gpu]["amp" if self.precision.startswith("amp") else self.mode]


@dataclass(frozen=True)
class Scored:
    """A measured time beside its forecast."""

    part: str
    held_back: bool
    gpu: str
    name: str
    time_s: float
    forecast_s: float
    low_s: float
    high_s: float

    @property
    def error(self) -> float:
        """ln(forecast / measured)"""
        return float(np.log(self.forecast_s / self.time_s))


def list_cells(dataset: str = "hopper_torch") -> list[Cell]:
    """Every measured step.

    Raises
    ------
    DatasetError : the files are absent or others than the registered ones.
    """
    cells = []
    for path in paths_of(dataset):
        with path.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                busy, device = float(row["busy_ms"]), float(row["device_ms"])
                cells.append(
                    Cell(
                        path.parent.name, row["model"], int(row["batch"]), row["mode"], row["precision"],
                        row["compiled"] == "1", (busy if device > OVERLAPPING * busy else device) / 1e3,
                        float(row["step_ms"]) / 1e3,
                    )
                )  # fmt: skip
    return cells


def load_cells(dataset: str = "hopper_torch") -> ModuleType:
    """The module of the data set that builds its models."""
    path = folder() / dataset / "cells.py"
    spec = importlib.util.spec_from_file_location("roofcast_measured_cells", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise DatasetError(f"{dataset}/cells.py is not in the folder of data sets")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ImportError as error:
        raise DatasetError(f"{dataset} needs PyTorch, torchvision, timm and transformers here ({error})") from error
    return module


def record_cell(cells: ModuleType, cell: Cell) -> dict[str, Any]:
    """The operators of a cell, recorded under the switches that it was measured with."""
    import torch

    from roofcast.torch.recording import record

    strict = cell.precision == "fp32"
    before = torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32
    plain = cell.precision.removesuffix("-nhwc")

    def build() -> Any:
        module, given = cells.make(cell.model, cell.batch)
        if plain != cell.precision:
            module = module.to(memory_format=torch.channels_last)
            given = [x.to(memory_format=torch.channels_last) if x.dim() == 4 else x for x in given]
        return (module, *given)

    try:
        torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32 = not strict, False
        precision = "fp32" if plain == "default" else plain
        return dict(record(build, train=cell.mode == "train", precision=precision))
    finally:
        torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32 = before


def list_records(kept: Path | None, tell: Callable[[str], None]) -> Iterator[tuple[Cell, dict[str, Any]]]:
    """Cells of eager mode, each with its operators. kept : folder of lists, made where they are not there."""
    records: dict[str, dict[str, Any]] = {}
    cells: list[ModuleType] = []
    for cell in list_cells():
        if cell.compiled:
            continue
        path = kept / cell.name if kept else None
        if cell.name not in records and path is not None and path.is_file():
            records[cell.name] = json.loads(path.read_text(encoding="utf-8"))
        if cell.name not in records:
            tell(f"recording {cell.name}")
            cells = cells or [load_cells()]
            records[cell.name] = record_cell(cells[0], cell)
            if path is not None:
                write_text(path, json.dumps(records[cell.name]))
        yield cell, records[cell.name]


def score_models(kept: Path | None = None, tell: Callable[[str], None] = print) -> list[Scored]:
    """Steps of models that never ran, on both GPUs: the device alone, the step."""
    held = STEPS["hopper_torch"].held_back
    scores = []
    for cell, operators in list_records(kept, tell):
        name, back = cell.name.removesuffix(".json"), cell.model in held
        stated = forecast(operators, to=GPUS[cell.gpu], host_us=cell.host_us).total
        plain = forecast(operators, to=GPUS[cell.gpu]).total
        scores.append(Scored("device", back, cell.gpu, name, cell.device_s, plain.device_time_s, plain.device_low_s,
                            plain.device_high_s))  # fmt: skip
        for part, t in (("step, host stated", stated), ("step", plain)):
            scores.append(Scored(part, back, cell.gpu, name, cell.step_s, t.time_s, t.time_low_s, t.time_high_s))
    return scores


def score_traces() -> list[Scored]:
    """Traces of the H100 taken to the H200: the kernels of a step, and the step."""
    truth = {(c.gpu, c.model, c.batch, c.mode, c.precision, c.compiled): c for c in list_cells()}
    scores = []
    for path in sorted((folder() / "hopper_torch" / "h100" / "traces").glob("*.json.gz")):
        match = re.fullmatch(r"(\w+)-b(\d+)-(\w+)-(.+?)(-compiled)?-(\d)steps\.pt\.trace\.json\.gz", path.name)
        if match is None:
            raise DatasetError(f"{path.name}: no trace of a registered step")
        model, batch, mode, precision, compiled, steps = match.groups()
        key = model, int(batch), mode, precision, bool(compiled)
        there = truth["h200", *key]
        kernels = forecast_kernels(path, GPUS["h200"]).total
        count, back = int(steps), model in STEPS["hopper_torch"].held_back
        name = path.name.removesuffix(".pt.trace.json.gz")
        scores.append(Scored("trace: kernels", back, "h200", name, there.device_s, kernels.time_s / count,
                            kernels.time_low_s / count, kernels.time_high_s / count))  # fmt: skip
        run = app(path, GPUS["h200"]).found[0]
        scores.append(score_run("trace: app", back, name, there, run, count))
        here = truth["h100", *key]
        run = app(path, GPUS["h200"], step_time=here.step_s, host_speed=here.host_us / there.host_us).found[0]
        scores.append(score_run("trace: app, stated", back, name, there, run, count))
    return scores


def score_run(part: str, back: bool, name: str, there: Cell, run: Any, count: int) -> Scored:
    """The step of a run. count : steps in the trace; where the run found as many, they are the answer.

    Stated are the source's step without its profiler, and how fast the other machine's host is.
    """
    span = run.part.span if run.part and run.part.kind == "steps" and run.part.count == count else run
    times = (span.time_s / count, span.time_low_s / count, span.time_high_s / count)
    return Scored(part, back, "h200", name, there.step_s, *times)


def tabulate_scores(scores: Sequence[Scored]) -> Table:
    """A row per part, GPU and side of the split."""
    groups: list[tuple[str, str, str, list[Scored]]] = []
    for part in dict.fromkeys(s.part for s in scores):
        for gpu in dict.fromkeys(s.gpu for s in scores if s.part == part):
            for back in (False, True):
                rows = [s for s in scores if (s.part, s.gpu, s.held_back) == (part, gpu, back)]
                groups += [(part, GPUS[gpu], "held back" if back else "taught by", rows)] if rows else []

    def off(row: tuple[str, str, str, list[Scored]]) -> list[float]:
        return [abs(float(np.expm1(s.error))) for s in row[3]]

    def inside(row: tuple[str, str, str, list[Scored]]) -> float:
        return float(np.mean([s.low_s <= s.time_s <= s.high_s for s in row[3]]))

    columns = [
        Column("part", lambda r: r[0], key="part"),
        Column("GPU", lambda r: r[1], key="gpu"),
        Column("models", lambda r: r[2], key="models"),
        Column("rows", lambda r: len(r[3]), str, key="rows"),
        Column("mean", lambda r: float(np.mean(off(r))), lambda v: format_percent(v, 1), key="mean_ape"),
        Column("median", lambda r: float(np.median(off(r))), lambda v: format_percent(v, 1), key="median_ape"),
        Column("ratio", lambda r: float(np.exp(np.median([s.error for s in r[3]]))), "{:.2f}".format,
               key="median_ratio"),
        Column("inside", inside, lambda v: format_percent(v, 0), key="inside"),
        Column("width", lambda r: float(np.median([s.high_s / s.low_s for s in r[3]])), "{:.2f}".format, key="width"),
    ]  # fmt: skip
    return Table(columns, groups)


def main(arguments: Sequence[str]) -> None:
    """Print the table; with ``--rows`` every row."""
    lists_folder = next((Path(a) for a in arguments if not a.startswith("-")), None)
    if lists_folder is not None:
        lists_folder.mkdir(parents=True, exist_ok=True)

    def tell(line: str) -> None:
        sys.stderr.write(line + "\n")

    scores = [] if "--traces" in arguments else score_models(lists_folder, tell)
    scores += [] if "--models" in arguments else score_traces()
    if "--rows" in arguments:
        for s in scores:
            sys.stdout.write(
                f"{s.part:14} {s.gpu} {'held' if s.held_back else '    '} {s.name:46} {s.time_s * 1e3:9.3f} ms  "
                f"{s.forecast_s / s.time_s:5.2f}  [{s.low_s / s.time_s:5.2f}, {s.high_s / s.time_s:5.2f}]\n"
            )
    sys.stdout.write("\n".join(tabulate_scores(scores).lines(120)) + "\n")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except RoofcastError as error:
        sys.exit(f"error: {error}")
