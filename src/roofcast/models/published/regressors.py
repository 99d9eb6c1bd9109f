"""The seven regressors of a cross-GPU prediction report, as published: time on the target from features alone.

The report: [Srivastava2025] sec. 4 and Table 6; settings from github.com/Debdeep23/Kernel_Performance_Prediction
(``ml_baseline.py``): scikit-learn's defaults but for those below, no scaling, milliseconds in, milliseconds out.

They learn from measured pairs of GPUs and know no physics: no source is forecast onto itself exactly, and more supply
may well be slower. They are baselines, and need the extra ``learn``.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.changes import AmountChanges
from roofcast.core.errors import MissingExtraError, RoofcastError
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Columns, Machines, Quantity, column
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions, Estimate
from roofcast.models.kernel_amounts import amounts_of

SIZES = ("N", "rows", "cols", "iters")
"""Columns of a table that name a problem's size; 0 where it has none."""

NEGATIVE = "the regression gives no positive time"


def peak(resource: Resource) -> Callable[[Columns], FloatArray]:
    """Theoretical rate of processors, in giga per second."""
    return lambda p: p.supply(resource).theory_per_s / 1e9


def sustained(resource: Resource) -> Callable[[Columns], FloatArray]:
    """Sustained rate of processors, in giga per second."""
    return lambda p: p.supply(resource).per_s / 1e9


GPU_FEATURES: tuple[Quantity, ...] = (
    peak(Resource.FLOPS_FP32),
    sustained(Resource.FLOPS_FP32),
    peak(Resource.BYTES_DRAM),
    sustained(Resource.BYTES_DRAM),
    "sm_count",
    "max_threads_per_sm",
    "max_blocks_per_sm",
    "regs_per_sm",
    "smem_per_sm_bytes",
    "warp_size",
)
"""What the report's models see of each GPU."""


def features_of(kernels: KernelTable, sources: Machines, targets: Machines) -> FloatArray:
    """(n, m, features) what the regressors see of each kernel, its source and each target; absent values are 0.

    sources : index (n,). targets : index (1, m) or (n, 1).
    """
    amounts = amounts_of(kernels)
    flops, moved = amounts.flops_total, np.nan_to_num(amounts.get(Resource.BYTES_DRAM))
    with quietly():
        intensity = np.where(moved > 0, flops / moved, 0.0)
    of_kernel = [flops, moved, intensity]
    of_kernel += [kernels.column(name) for name in ("regs_per_thread", "smem_bytes_per_block", "block_threads")]
    of_kernel += [size_column(kernels, name) for name in SIZES]
    of_kernel.append(kernels.column("time_s") * 1e3)
    here = column(sources)
    shape = np.broadcast_shapes(here.index.shape, targets.index.shape)
    parts = [v[:, None] for v in of_kernel]
    for feature in GPU_FEATURES:
        parts += [here.gather(feature), targets.gather(feature)]
    return np.stack([np.broadcast_to(np.nan_to_num(v), shape) for v in parts], axis=-1)


def size_column(kernels: KernelTable, name: str) -> FloatArray:
    """(n,) a size from the table's further columns; 0 where absent."""
    cells = kernels.extra.get(name)
    if cells is None:
        return np.zeros(len(kernels))
    return np.array([number(v) for v in cells], dtype=np.float64)


def number(value: object) -> float:
    """A cell as a number; 0 where it is none."""
    try:
        return float(np.nan_to_num(float(str(value)), posinf=0.0, neginf=0.0))
    except ValueError:
        return 0.0


class Regressor(ABC):
    """One regressor; it forecasts once it was trained."""

    name = ""
    summary = ""
    is_physics = False
    is_published = True
    fitted: Any = None

    @abstractmethod
    def make(self) -> Any:
        """The untrained estimator of scikit-learn."""

    def trained(self, kernels: KernelTable, sources: Machines, targets: Machines, time_s: FloatArray) -> Regressor:
        """A copy that learned from pairs.

        kernels, sources : p measured launches. targets : index (p, 1). time_s : (p,) s, the same work there.

        Raises
        ------
        MissingExtraError : scikit-learn is not installed.
        """
        features = features_of(kernels, sources, targets)[:, 0, :]
        result = copy.copy(self)
        try:
            estimator = self.make()
        except ImportError as error:
            raise MissingExtraError(f"{self.name} needs scikit-learn: pip install 'roofcast[learn]'") from error
        result.fitted = estimator.fit(features, time_s * 1e3)
        return result

    def predict_s(self, kernels: KernelTable, sources: Machines, targets: Machines) -> FloatArray:
        """(n, m) s as the regression gives them, negative ones included.

        Raises
        ------
        RoofcastError : it was not trained.
        """
        if self.fitted is None:
            raise RoofcastError(
                f"{self.name} learns from measured pairs of GPUs and is trained by `roofcast evaluate DATASET|TABLE "
                f"--model {self.name} --experiment folds`; forecasts of new kernels need a physics model"
            )
        features = features_of(kernels, sources, targets)
        n, m, count = features.shape
        if n * m == 0:
            return np.zeros((n, m))
        return np.asarray(self.fitted.predict(features.reshape(n * m, count))).reshape(n, m) * 1e-3

    def estimate(
        self, kernels: KernelTable, sources: Machines, targets: Machines, conditions: Conditions,
        changes: AmountChanges | None = None,
    ) -> Estimate:  # fmt: skip
        """Forecast n kernels on m targets (see :class:`roofcast.models.base.Model`); the model claims no interval.

        Raises
        ------
        RoofcastError : it was not trained.
        """
        del conditions, changes  # a regression knows neither
        time = self.predict_s(kernels, sources, targets)
        time = np.where((time > 0) & np.isfinite(time), time, np.nan)
        unclaimed = np.full(time.shape, np.nan)
        reasons = np.where(np.isnan(time), NEGATIVE, "").astype(np.object_)
        return Estimate(time, unclaimed, unclaimed, None, {}, {}, reasons)


class Linear(Regressor):
    """Least squares."""

    name = "linear"
    summary = "linear regression, as published (cross-GPU prediction report, Table 6)"

    def make(self) -> Any:
        """See :class:`Regressor`."""
        return LeastSquares()


class LeastSquares:
    """Least squares of least norm: GPUs' figures depend on each other, so that many weights fit as well.

    Unlike recent scikit-learn, which lets such directions grow with rounding errors, and like the one of the report.
    """

    def fit(self, features: FloatArray, values: FloatArray) -> LeastSquares:
        """Train it."""
        self.centre, self.mean = features.mean(axis=0), float(values.mean())
        self.weights = np.linalg.lstsq(features - self.centre, values - self.mean, rcond=None)[0]
        return self

    def predict(self, features: FloatArray) -> FloatArray:
        """Its forecasts."""
        return np.asarray((features - self.centre) @ self.weights + self.mean)


class Ridge(Regressor):
    """Least squares with an L2 penalty of 1."""

    name = "ridge"
    summary = "ridge regression, as published (cross-GPU prediction report, Table 6)"

    def make(self) -> Any:
        """See :class:`Regressor`."""
        from sklearn.linear_model import Ridge as Estimator

        return Quiet(Estimator(alpha=1.0))


class Lasso(Regressor):
    """Least squares with an L1 penalty of 0.001."""

    name = "lasso"
    summary = "lasso regression, as published (cross-GPU prediction report, Table 6)"

    def make(self) -> Any:
        """See :class:`Regressor`."""
        from sklearn.linear_model import Lasso as Estimator

        return Quiet(Estimator(alpha=0.001))


class SupportVectors(Regressor):
    """Support vectors with a radial kernel, C = 10."""

    name = "svr"
    summary = "support-vector regression, as published (cross-GPU prediction report, Table 6)"

    def make(self) -> Any:
        """See :class:`Regressor`."""
        from sklearn.svm import SVR

        return SVR(kernel="rbf", C=10.0, epsilon=0.001)


class RandomForest(Regressor):
    """200 trees."""

    name = "random_forest"
    summary = "random forest of 200 trees, as published (cross-GPU prediction report, Table 6)"

    def make(self) -> Any:
        """See :class:`Regressor`."""
        from sklearn.ensemble import RandomForestRegressor

        return RandomForestRegressor(n_estimators=200, random_state=0, n_jobs=1)


class GradientBoosting(Regressor):
    """Boosted trees with the library's defaults."""

    name = "gradient_boosting"
    summary = "gradient boosting, as published (cross-GPU prediction report, Table 6)"

    def make(self) -> Any:
        """See :class:`Regressor`."""
        from sklearn.ensemble import GradientBoostingRegressor

        return GradientBoostingRegressor(random_state=0)


class Neighbours(Regressor):
    """The mean of the five nearest pairs."""

    name = "knn"
    summary = "five nearest neighbours, as published (cross-GPU prediction report, Table 6)"

    def make(self) -> Any:
        """See :class:`Regressor`."""
        from sklearn.neighbors import KNeighborsRegressor

        return KNeighborsRegressor(n_neighbors=5)


class Quiet:
    """An estimator whose complaints about unscaled features are known and part of what was published."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, features: FloatArray, values: FloatArray) -> Quiet:
        """Train it."""
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.estimator.fit(features, values)
        return self

    def predict(self, features: FloatArray) -> FloatArray:
        """Its forecasts."""
        return np.asarray(self.estimator.predict(features))
