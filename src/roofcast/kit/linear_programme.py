"""Linear and integer programmes of least cost, which HiGHS solves: columns are variables, rows conditions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError
from roofcast.core.extras import import_extra
from roofcast.core.kernel_table import FloatArray
from roofcast.core.records import dataclass

GAP = 1e-5
"""Part of the cost by which the answer of an integer programme may miss the least."""
SETTINGS = {
    "output_flag": False, "threads": 1, "mip_rel_gap": GAP, "mip_abs_gap": 1e-12,
}  # fmt: skip
"""Of the solver."""


@dataclass(frozen=True)
class Solution:
    """Values of all variables."""

    value: FloatArray
    cost: float
    bound: float
    """What no values cost less than."""
    prices: FloatArray
    """Of the rows; where all variables are continuous."""


class LinearProgramme:
    """Columns and rows for HiGHS. extra, purpose : what it is installed with, and what needs it, for who lacks it."""

    def __init__(self, extra: str, purpose: str) -> None:
        self.extra, self.purpose = extra, purpose
        self.cost: list[float] = []
        self.low: list[float] = []
        self.high: list[float] = []
        self.whole: list[bool] = []
        self.rows: list[tuple[list[int], list[float], float, float]] = []

    def add(
        self, count: int, cost: FloatArray, low: FloatArray, high: FloatArray, *, whole: bool = False
    ) -> NDArray[np.intp]:
        """Variables; their positions."""
        first = len(self.cost)
        self.cost += cost.tolist()
        self.low += low.tolist()
        self.high += high.tolist()
        self.whole += [whole] * count
        return np.arange(first, first + count)

    def row(self, columns: Any, values: Any, low: float, high: float) -> None:
        """One condition."""
        self.rows.append(([int(c) for c in columns], [float(v) for v in values], float(low), float(high)))

    def solve(self) -> Solution | None:
        """The least cost; None where nothing meets the rows.

        Raises
        ------
        MissingExtraError : HiGHS is not installed.
        RoofcastError : the solver ends without an answer.
        """
        highspy = import_extra("highspy", self.extra, self.purpose)
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = len(self.cost), len(self.rows)
        # Cost in units of the dearest column: the solver's tolerances are absolute.
        scale = max(map(abs, self.cost), default=1.0) or 1.0
        lp.col_cost_ = np.array(self.cost) / scale
        lp.col_lower_, lp.col_upper_ = np.array(self.low), np.array(self.high)
        lp.row_lower_ = np.array([r[2] for r in self.rows])
        lp.row_upper_ = np.array([r[3] for r in self.rows])
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.cumsum([0, *(len(r[0]) for r in self.rows)])
        lp.a_matrix_.index_ = np.array([c for r in self.rows for c in r[0]], np.int32)
        lp.a_matrix_.value_ = np.array([v for r in self.rows for v in r[1]])
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        lp.integrality_ = [kinds[w] for w in self.whole]
        solver = highspy.Highs()
        for name, value in SETTINGS.items():
            solver.setOptionValue(name, value)
        solver.passModel(lp)
        solver.run()
        status = solver.getModelStatus()
        if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible):
            return None
        if status != highspy.HighsModelStatus.kOptimal:
            raise RoofcastError(f"{self.purpose}: not solved: {solver.modelStatusToString(status)}")
        solution, info = solver.getSolution(), solver.getInfo()
        least = info.mip_dual_bound if any(self.whole) else info.objective_function_value
        return Solution(
            np.array(solution.col_value), float(info.objective_function_value) * scale, float(least) * scale,
            np.array(solution.row_dual) * scale,
        )  # fmt: skip
