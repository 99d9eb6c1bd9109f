"""Train the learned residual: ``python -m roofcast.evaluation.train`` writes the one that roofcast ships.

It learns from public profiles with stall reasons (docs/accuracy.md says why from no others), by the errors of the
mechanistic model as it is: train again after a change of that model. No row of the data enters the file.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from roofcast.core.errors import DatasetError
from roofcast.core.version import VERSION
from roofcast.evaluation.cases import cases_of
from roofcast.evaluation.datasets import DATASETS, load
from roofcast.evaluation.residual_training import (
    RATIO,
    RATIO_TREES,
    SCALE,
    SCALE_TREES,
    SEEDS,
    joined,
    learn,
    samples_of,
)
from roofcast.evaluation.screening import accepted, screen
from roofcast.models.learned.residual import FILE, Residual
from roofcast.models.physics import mechanistic
from roofcast.models.physics.mechanistic import Mechanistic

TRAINING_SETS = {"hecbench_ncu": 1.0}
"""Data set -> its weight beside the first."""


def physics_hash() -> str:
    """Hash of the mechanistic model's code: what the residual was learned on."""
    root = Path(mechanistic.__file__).parents[2]
    sources = sorted([*root.glob("models/physics/*.py"), *root.glob("formulas/mechanistic*.py")])
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


def constants_hash(physics: Mechanistic) -> str:
    """Hash of the mechanistic model's constants."""
    return hashlib.sha256(json.dumps(asdict(physics.constants), sort_keys=True).encode()).hexdigest()


def trained() -> Residual:
    """The residual of the mechanistic model as it is shipped.

    Raises
    ------
    DatasetError : the data are absent or teach nothing. MissingExtraError : LightGBM is not installed.
    """
    physics, parts, sets = Mechanistic(), [], {}
    for name, share in TRAINING_SETS.items():
        kernels = load(name)[1]
        samples = samples_of(cases_of(name, kernels, accepted=accepted(kernels, screen(kernels))), physics)
        dataset = DATASETS[name]
        parts.append(samples)
        sets[name] = {
            "sha256": dataset.sha256,
            "origin": dataset.origin,
            "licence": dataset.licence,
            "pairs": len(samples),
            "weight": share,
        }
    settings = {"ratio": dict(RATIO), "trees": RATIO_TREES, "scale": dict(SCALE), "scale trees": SCALE_TREES}
    provenance = {
        "made by": "python -m roofcast.evaluation.train",
        "roofcast": VERSION,
        "data sets": sets,
        "mechanistic model": {"code sha256": physics_hash(), "constants sha256": constants_hash(physics)},
        "settings": settings | {"seeds": list(SEEDS)},
    }
    found = learn(joined(parts, tuple(TRAINING_SETS.values())), provenance)
    if not found.classes:
        raise DatasetError("the data sets hold too few pairs to learn from")
    return found


def main() -> None:
    """Write the residual that roofcast ships."""
    FILE.write_text(json.dumps(trained().content(), separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
