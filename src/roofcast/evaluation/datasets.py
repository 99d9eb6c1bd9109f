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
from roofcast.store.sets import is_stored

FOLDER_VARIABLE = "ROOFCAST_DATA"


@dataclass(frozen=True)
class Dataset:
    """One file of measurements."""

    file: str
    """Relative to the folder."""
    sha256: str
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
    screened: bool = False
    """Whether measurements in it are known to be broken (its notes say so), so that families are scored screened."""

    @classmethod
    def read(cls, facts: Mapping[str, Any]) -> Dataset:
        """From its entry in ``datasets.toml``."""
        return cls(**{**facts, "published": tuple(facts.get("published", ()))})


REGISTRY = tomllib.loads(files("roofcast.evaluation").joinpath("datasets.toml").read_text(encoding="utf-8"))
DATASETS = {name: Dataset.read(facts) for name, facts in REGISTRY["pairs"].items()}
CEILINGS = {name: Dataset.read(facts) for name, facts in REGISTRY["ceilings"].items()}
"""Files of ceilings, not of pairs: what the catalog's figures are checked against."""


def families() -> dict[str, tuple[str, ...]]:
    """Family -> its data sets: what is left out together.

    >>> families()["kernel_tuner"]
    ('kernel_tuner', 'bat')
    """
    found: dict[str, list[str]] = {}
    for name, dataset in DATASETS.items():
        found.setdefault(dataset.family or name, []).append(name)
    return {family: tuple(names) for family, names in found.items()}


def folder() -> Path:
    """Where the files are.

    Raises
    ------
    DatasetError : neither the variable nor the folder beside the checkout leads to one.
    """
    given = os.environ.get(FOLDER_VARIABLE)
    found = Path(given) if given else Path(__file__).resolve().parents[4] / "shared" / "data"
    if not found.is_dir():
        raise DatasetError(
            f"no folder of data sets: set {FOLDER_VARIABLE} to where they are (`roofcast evaluate --list` has them)"
        )
    return found


def path_of(name: str) -> Path:
    """A registered file, checked by its hash.

    Raises
    ------
    DatasetError : unknown name, absent file, or a file that is not the registered one.
    """
    dataset = DATASETS.get(name) or CEILINGS.get(name)
    if dataset is None:
        raise DatasetError(f"unknown data set {one_line(name, 60)!r}: use one of {', '.join(DATASETS)}, or a file")
    path = folder() / dataset.file
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise DatasetError(f"{dataset.file}: cannot be read in the folder of data sets ({error.strerror})") from error
    if found != dataset.sha256:
        raise DatasetError(
            f"{dataset.file} is not the registered file (SHA-256 {found[:12]}…): see `roofcast evaluate --list`"
        )
    return path


def load(name: str) -> tuple[str, KernelTable]:
    """Name and rows of a registered data set, or of any file that roofcast reads.

    Raises
    ------
    DatasetError, InputError : no such data set or file; a file that cannot be read.
    """
    from roofcast.reading import read

    if name in DATASETS:
        return name, read(path_of(name))
    if name in CEILINGS:
        raise DatasetError(f"{name} holds ceilings, not measured pairs: it is compared with the catalog, not forecast")
    if is_stored(name):
        return one_line(name, 80), read(name)
    if not Path(name).is_file():
        raise DatasetError(f"{one_line(name, 80)!r} is neither a file nor a data set: use one of {', '.join(DATASETS)}")
    return Path(name).name, read(name)
