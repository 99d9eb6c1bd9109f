"""Types of the formulas' arguments."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Values = float | FloatArray
"""A number or an array of any shape."""
