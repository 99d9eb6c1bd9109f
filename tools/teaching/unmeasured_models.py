"""Score forecasts of models that nobody measured: ``python tools/teach.py unmeasured_models FOLDER [--write]``.

FOLDER : lists of operators that ``tools/record_models.py`` made. The measured steps are timm's (three GPUs, AMP) and
torchvision's (three GPUs, three precisions), which taught no level. ``--write`` writes how far whole steps err over the
spread of their operators into ``models/operators/unmeasured.json``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from roofcast.core.errors import RoofcastError
from roofcast.forecasting.sources import resolve_target
from roofcast.forecasting.unmeasured_steps import forecast_operators
from roofcast.kit.output import write_text
from roofcast.kit.quantities import format_percent
from roofcast.models.operators.unmeasured import FILE, Levels
from roofcast.operators.recorded_operators import read_operators
from roofcast_evaluate.datasets import load
from roofcast_evaluate.scores import weighted_quantile

DATASETS = ("timm_infer", "torchvision_cnn")
HELD = 0.9


@dataclass(frozen=True)
class MeasuredStep:
    """One measured step of a model beside its forecast."""

    family: str
    kernel: str
    config: str
    gpu: str
    time_s: float
    forecast_s: float
    low_s: float
    high_s: float
    spread: float
    """Mean spread of its operators, by time."""

    @property
    def error(self) -> float:
        """ln(forecast / measured)"""
        return float(np.log(self.forecast_s / self.time_s))


def name_list(kernel: str, config: str) -> str:
    """File name of a list."""
    return re.sub(r"[^A-Za-z0-9._=-]+", "_", f"{kernel}__{config}") + ".json"


def list_steps(folder: Path, levels: Levels | None = None) -> list[MeasuredStep]:
    """Every measured step whose operators are recorded."""
    found = []
    for dataset in DATASETS:
        _, kernels = load(dataset)
        groups: dict[tuple[str, str], list[int]] = {}
        for i, key in enumerate(zip(kernels.strings("kernel"), kernels.strings("config"), strict=True)):
            groups.setdefault((str(key[0]), str(key[1])), []).append(i)
        for (kernel, config), rows in groups.items():
            path = folder / name_list(kernel, config)
            if not path.exists():
                continue
            operators = read_operators(path.read_text(encoding="utf-8"))
            gpus = [str(kernels.strings("gpu")[i]) for i in rows]
            made = forecast_operators(operators, [resolve_target(g).processor for g in gpus], levels)
            for i, gpu, t in zip(rows, gpus, made.totals, strict=True):
                spread = float(np.log(t.time_high_outer_s / t.time_s))
                measured = float(kernels.column("time_s")[i])
                found.append(
                    MeasuredStep(dataset, kernel, config, gpu, measured, t.time_s, t.time_low_s, t.time_high_s, spread)
                )
    if not found:
        raise RoofcastError(f"{folder}: no lists of operators; make them with tools/record_models.py")
    return found


def share_of(steps: Sequence[MeasuredStep]) -> float:
    """|ln(forecast / measured)| over the mean spread of operators that 90 % of the steps keep, every model the same."""
    kernels: dict[str, list[float]] = {}
    for s in steps:
        kernels.setdefault(s.kernel, []).append(abs(s.error) / s.spread)
    values = np.concatenate([np.array(v) for v in kernels.values()])
    weight = np.concatenate([np.full(len(v), 1.0 / len(v)) for v in kernels.values()])
    return weighted_quantile(values, weight, HELD)


def describe(title: str, steps: Sequence[MeasuredStep]) -> str:
    """One line of the table."""
    error = np.array([s.error for s in steps])
    off, size = np.abs(np.exp(error) - 1), np.abs(error)
    shares = [np.expm1(size.mean()), off.mean(), np.median(off)]
    typical, mean, median = (f"{format_percent(float(share), 1):>7}" for share in shares)
    inside = format_percent(float(np.mean([s.low_s <= s.time_s <= s.high_s for s in steps])), 0)
    return (
        f"{title:44} {len(steps):5}  error {typical}  mean |e| {mean}  "
        f"median {median}  ratio {np.exp(np.median(error)):5.2f}  held {inside:>6}  90 % within "
        f"{np.exp(np.quantile(size, HELD)):4.2f}\n"
    )


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    steps = list_steps(Path(arguments[0]))
    shares = {}
    for family in DATASETS:
        part = [s for s in steps if s.family == family]
        if part:
            shares[family] = share_of(part)
            sys.stdout.write(describe(family, part))
        modes = {(s.gpu, "train" if "/train" in s.kernel else "infer", mode(s.config)) for s in part}
        for gpu, kind, how in sorted(modes):
            rows = [
                s
                for s in part
                if s.gpu == gpu and mode(s.config) == how and (kind == "train") == ("/train" in s.kernel)
            ]
            sys.stdout.write(describe(f"  {gpu} {kind} {how}", rows))
    for family, share in shares.items():
        others = [v for f, v in shares.items() if f != family]
        held = [abs(s.error) <= max(others) * s.spread for s in steps if s.family == family] if others else []
        told = f"; by the other family's share {format_percent(float(np.mean(held)), 0)} are held" if held else ""
        sys.stdout.write(f"{family}: share of the operators' spread {share:.3f}{told}\n")
    if "--write" in arguments:
        content = json.loads(FILE.read_text(encoding="utf-8"))
        content["spread_total"] = round(max(shares.values()), 3)
        content["provenance"]["whole_models"] = {
            "made_by": "python tools/teach.py unmeasured_models FOLDER --write", "steps": len(steps),
            "models": len({s.kernel for s in steps}), "share_of_spread": {k: round(v, 3) for k, v in shares.items()},
        }  # fmt: skip
        write_text(FILE, json.dumps(content, indent=1) + "\n")


def mode(config: str) -> str:
    """Precision or mode of a configuration."""
    return next((p for p in ("fp16", "fp32", "fp64", "eager", "dynamo") if p in config), "")


if __name__ == "__main__":
    main(sys.argv[1:])
