"""The registry of public measurements. The files stay where they are: roofcast reads them, and holds no copy.

Folder: the environment variable ``ROOFCAST_DATA``, else ``shared/data`` beside the checkout.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from roofcast.core.errors import DatasetError, one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.store.set_names import is_stored

FOLDER_VARIABLE = "ROOFCAST_DATA"


@dataclass(frozen=True)
class Dataset:
    """One file of measurements, or the profiles of several programs and GPUs."""

    file: str
    """Relative to the folder; a pattern (``*``) where there are several files."""
    sha256: str
    """Of the content; of several files in the order of their names."""
    origin: str
    licence: str
    training: bool
    """Whether a model may be trained on it; False: validation only."""
    about: str
    published: tuple[str, ...] = ()
    """Errors that others printed for the same measurements."""
    rows: Mapping[str, str] = field(default_factory=dict)
    """Column -> value (lower case) of the rows to compare, as the notes of the data set say."""
    within_gpu: bool = False
    """Pairs are settings of one GPU, not GPUs."""
    time_s_least: float = 0.0
    """Pairs below this on any GPU are launch floors, not kernels, and are left out of the headline."""
    family: str = ""
    """Kind of work that it belongs to, where several files are one (default: its own name)."""
    held_back: tuple[str, ...] = ()
    """Models whose rows teach nothing and only judge."""
    screened: bool = False
    """Whether measurements in it are known to be broken (its notes say so), so that families are scored screened."""

    @classmethod
    def read(cls, facts: Mapping[str, Any]) -> Dataset:
        """A data set from its entry in ``datasets.toml``."""
        tuples = {name: tuple(facts.get(name, ())) for name in ("published", "held_back")}
        return cls(**{**facts, **tuples})


REGISTRY = tomllib.loads(files("roofcast_evaluate").joinpath("datasets.toml").read_text(encoding="utf-8"))
DATASETS = {name: Dataset.read(facts) for name, facts in REGISTRY["pairs"].items()}
CEILINGS = {name: Dataset.read(facts) for name, facts in REGISTRY["ceilings"].items()}
"""Files of ceilings, not of pairs: what the catalog's figures are checked against."""
STEPS = {name: Dataset.read(facts) for name, facts in REGISTRY["steps"].items()}
"""Steps of PyTorch models: what :mod:`roofcast_evaluate.torch_steps` scores."""
LINKS = {name: Dataset.read(facts) for name, facts in REGISTRY["links"].items()}
"""Times of collectives, which teach :mod:`roofcast.models.physics.link_times` (``tools/teach.py collectives``)."""
SERVING = {name: Dataset.read(facts) for name, facts in REGISTRY["serving"].items()}
"""Runs of serving engines: what :mod:`roofcast_evaluate.serving_runs` scores."""
RUNS = {name: Dataset.read(facts) for name, facts in REGISTRY["runs"].items()}
"""Training runs on whole systems: what :mod:`roofcast_evaluate.training_scores` scores."""
JUDGES = {name: Dataset.read(facts) for name, facts in REGISTRY["judges"].items()}
"""Pairs that teach nothing: scored as families of their own, by models taught without ``family``, their relatives."""
RESULTS = {name: Dataset.read(facts) for name, facts in REGISTRY["results"].items()}
"""Results of whole systems: what :mod:`roofcast_evaluate.mlperf_inference` scores."""
FRESH = {name: Dataset.read(facts) for name, facts in REGISTRY["fresh"].items()}
"""Programs that no constant, tree or interval was fitted to: to learn from, in no family."""
HELD_BACK = {name: Dataset.read(facts) for name, facts in REGISTRY["held_back"].items()}
"""Programs that only :mod:`roofcast_evaluate.fresh` scores; :func:`load` refuses them by name and by content."""


def dataset_of(name: str) -> Dataset | None:
    """The entry of a data set whose rows may be paired; None of any other table."""
    return DATASETS.get(name) or JUDGES.get(name) or FRESH.get(name) or HELD_BACK.get(name)


def families() -> dict[str, tuple[str, ...]]:
    """Family -> its data sets: what is left out together.

    >>> families()["kernel_tuner"]
    ('kernel_tuner', 'bat')
    """
    by_family: dict[str, list[str]] = {}
    for name, dataset in DATASETS.items():
        by_family.setdefault(dataset.family or name, []).append(name)
    return {family: tuple(names) for family, names in by_family.items()}


def folder() -> Path:
    """Where the files are.

    Raises
    ------
    DatasetError : neither the variable nor the folder beside the checkout leads to one.
    """
    given = os.environ.get(FOLDER_VARIABLE)
    place = Path(given) if given else Path(__file__).resolve().parents[5] / "shared" / "data"
    if not place.is_dir():
        raise DatasetError(
            f"no folder of data sets: set {FOLDER_VARIABLE} to where they are (`roofcast evaluate --list` has them)"
        )
    return place


def paths_of(name: str) -> list[Path]:
    """The registered files, checked by their hash.

    Raises
    ------
    DatasetError : unknown name, absent file, or a file that is not the registered one.
    """
    lists = (CEILINGS, STEPS, LINKS, SERVING, RUNS, RESULTS)
    dataset = dataset_of(name) or next((of[name] for of in lists if name in of), None)
    if dataset is None:
        raise DatasetError(f"unknown data set {one_line(name, 60)!r}: use one of {', '.join(DATASETS)}, or a file")
    several = "*" in dataset.file
    paths = sorted(folder().glob(dataset.file)) if several else [folder() / dataset.file]
    content = hashlib.sha256()
    try:
        for path in paths:
            content.update(path.read_bytes())
    except OSError as error:
        raise DatasetError(f"{dataset.file}: cannot be read in the folder of data sets ({error.strerror})") from error
    digest = content.hexdigest()
    if digest != dataset.sha256:
        raise DatasetError(
            f"{dataset.file} is not the registered file (SHA-256 {digest[:12]}…): see `roofcast evaluate --list`"
        )
    return paths


def load(name: str) -> tuple[str, KernelTable]:
    """Name and rows of a registered data set, or of any file that roofcast reads.

    Raises
    ------
    DatasetError, InputError : no such data set or file; a file that cannot be read.
    """
    from roofcast.reading import read

    if name in HELD_BACK:
        raise DatasetError(f"{name} is held back: `make fresh` scores it as a whole, and nothing else reads it")
    if name in DATASETS or name in FRESH or name in JUDGES:
        paths = paths_of(name)
        return name, read(paths[0] if len(paths) == 1 else paths)
    if name in CEILINGS:
        raise DatasetError(f"{name} holds ceilings, not measured pairs: it is compared with the catalog, not forecast")
    if name in SERVING:
        raise DatasetError(f"{name} has no kernels: `roofcast evaluate {name}` scores its runs")
    if name in STEPS:
        raise DatasetError(f"{name} holds steps of PyTorch models, not kernels: `roofcast evaluate {name}` scores them")
    if name in LINKS or name in RUNS or name in RESULTS:
        raise DatasetError(f"{name} holds no kernels of two GPUs: `roofcast evaluate {name}` scores it")
    if is_stored(name):
        return one_line(name, 80), read(name)
    if not Path(name).is_file():
        raise DatasetError(f"{one_line(name, 80)!r} is neither a file nor a data set: use one of {', '.join(DATASETS)}")
    if hashlib.sha256(Path(name).read_bytes()).hexdigest() in {d.sha256 for d in HELD_BACK.values()}:
        raise DatasetError(
            f"{Path(name).name} is held back: `make fresh` scores it as a whole, and nothing else reads it"
        )
    return Path(name).name, read(name)
