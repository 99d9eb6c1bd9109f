"""The registry of prediction models. A model is imported only when it is asked for."""

from __future__ import annotations

import importlib
from typing import cast

from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.records import dataclass
from roofcast.models.base import Model


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One model: where it lives and what it is."""

    module: str
    class_name: str
    summary: str
    is_physics: bool
    needs_training: bool = False
    """Whether it forecasts only after it was trained on measured pairs (`roofcast evaluate`)."""

    def load(self) -> Model:
        """Import and build the model."""
        return cast("Model", getattr(importlib.import_module(self.module), self.class_name)())


MODELS: dict[str, ModelEntry] = {
    "mechanistic": ModelEntry(
        "roofcast.models.physics.model",
        "Mechanistic",
        "seconds per resource; what they do not explain on the source travels by its own cause",
        is_physics=True,
    ),
    "hybrid": ModelEntry(
        "roofcast.models.learned.hybrid",
        "Hybrid",
        "mechanistic, times what boosted trees learned of its errors on public measurements",
        is_physics=False,
    ),
    "van_lanker": ModelEntry(
        "roofcast.models.published.van_lanker",
        "VanLanker",
        "hierarchical roofline with kernel-specific ceilings, as published (Van Lanker et al., Euro-Par 2024)",
        is_physics=True,
    ),
    "occupancy_efficiency": ModelEntry(
        "roofcast.models.published.srivastava",
        "OccupancyEfficiency",
        "roofline x occupancy x efficiency, as published (Srivastava et al., cross-GPU prediction report)",
        is_physics=True,
    ),
    "linear": ModelEntry(
        "roofcast.models.published.regressors",
        "Linear",
        "linear regression, as published (cross-GPU prediction report, Table 6)",
        is_physics=False,
        needs_training=True,
    ),
    "ridge": ModelEntry(
        "roofcast.models.published.regressors",
        "Ridge",
        "ridge regression, as published (cross-GPU prediction report, Table 6)",
        is_physics=False,
        needs_training=True,
    ),
    "lasso": ModelEntry(
        "roofcast.models.published.regressors",
        "Lasso",
        "lasso regression, as published (cross-GPU prediction report, Table 6)",
        is_physics=False,
        needs_training=True,
    ),
    "svr": ModelEntry(
        "roofcast.models.published.regressors",
        "SupportVectors",
        "support-vector regression, as published (cross-GPU prediction report, Table 6)",
        is_physics=False,
        needs_training=True,
    ),
    "random_forest": ModelEntry(
        "roofcast.models.published.regressors",
        "RandomForest",
        "random forest of 200 trees, as published (cross-GPU prediction report, Table 6)",
        is_physics=False,
        needs_training=True,
    ),
    "gradient_boosting": ModelEntry(
        "roofcast.models.published.regressors",
        "GradientBoosting",
        "gradient boosting, as published (cross-GPU prediction report, Table 6)",
        is_physics=False,
        needs_training=True,
    ),
    "knn": ModelEntry(
        "roofcast.models.published.regressors",
        "Neighbours",
        "five nearest neighbours, as published (cross-GPU prediction report, Table 6)",
        is_physics=False,
        needs_training=True,
    ),
}

FORECASTERS = tuple(name for name, entry in MODELS.items() if not entry.needs_training)
"""Models that forecast as they come."""

DEFAULT_MODEL = "hybrid"


def load_model(name: str | None = None) -> Model:
    """The model of a name (default: :data:`DEFAULT_MODEL`)."""
    entry = MODELS.get(name or DEFAULT_MODEL)
    if entry is None:
        raise RoofcastError(f"unknown model {one_line(str(name), 60)!r}: use one of {', '.join(MODELS)}")
    return entry.load()
