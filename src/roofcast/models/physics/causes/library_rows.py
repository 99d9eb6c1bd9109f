r"""Libraries' element-wise and row operators: bus, arithmetic, rows, serial launch.

.. math:: M = \sqrt{\tau_{bytes}^2 + \tau_{elements}^2} + \tau_{rows}, \quad \tau_{bytes} = \frac{b V}{P_{DRAM}}, \;
    \tau_{elements} = \frac{e N}{S f}, \; \tau_{rows} = \frac{r R}{16 S f}

M : s without launch. V : B moved. P_DRAM : B/s. N : elements. R : rows, 16 on an SM at a time. S f : SMs x clock, 1/s.
b, e, r : ``bytes_share``, ``cycles_per_element``, ``row_cycles`` of the operator's level. The time goes from source to
target as :func:`roofcast.models.physics.library_times.carry_over` says.

Reason: these operators stream, with some arithmetic beside it and a reduction per row, whatever kernel a library takes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines, rate
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.models.operators.levels import RowConstants
from roofcast.models.operators.operator_times import row_operator_s
from roofcast.models.physics.cause import Cause, Subject, at
from roofcast.models.physics.library_times import carry_over, kept_share, replace_rows
from roofcast.models.physics.stages import KEPT, OPERATORS, ROW_CYCLES, Kept, Pair, PairRoofs, Result, RowOperators
from roofcast.operators.kernel_names import Operation
from roofcast.operators.operator_rows import OperatorRows

ROWS_AT_A_TIME = 16.0
"""Rows that an SM works on at once."""
TOUCHES = 2.0
"""An element of a row operator is read and written once."""


def model_row_operators(result: Result, read: PairRoofs) -> Result:
    """Forecasts, those of element-wise operators, softmax and norms by their own model."""
    pair, rows = read.pair, read.pair.operators
    if rows is None:
        return result
    levels = {
        Operation.ELEMENTWISE: pair.levels.elementwise,
        Operation.SOFTMAX: pair.levels.softmax,
        Operation.NORMALISATION: pair.levels.normalisation,
    }
    for operation, constants in levels.items():
        chosen = np.flatnonzero(rows.of(operation))
        if len(chosen):
            here = pair.rows(chosen)
            needs = tuple(
                row_s(operation, rows, here, chosen, side.machines, constants) for side in (here.source, here.target)
            )
            share = pair.walk.through(KEPT, Kept(operation, constants.kept), pair)
            result = replace_rows(
                result, chosen, carry_over(needs, here, share, constants.floor_share), needs[0], kept_share(here, share)
            )
    return result


def row_s(
    operation: Operation, rows: OperatorRows, pair: Pair, chosen: NDArray[np.intp], machines: Machines, c: RowConstants
) -> FloatArray:
    """M: seconds of row operators on one side. chosen : (r,) their rows. pair : of these rows."""
    moved = pair.k.amounts.get(Resource.BYTES_DRAM)[chosen, None]
    cycles = machines.gather("sm_count") * machines.clock_hz
    elements = moved / (TOUCHES * rows.element_bytes[chosen, None])
    read = RowOperators(operation, rows, chosen, machines, elements, c)
    per_element = pair.walk.through(ROW_CYCLES, np.full(machines.index.shape, c.cycles_per_element), read)
    return row_operator_s(
        c.bytes_share * moved / rate(machines, Resource.BYTES_DRAM),
        per_element * elements / cycles,
        c.row_cycles * rows.rows[chosen, None] / (ROWS_AT_A_TIME * cycles),
    )


CAUSE = Cause(
    name="library_rows",
    sentence="libraries' element-wise and row operators: bus, arithmetic, rows, serial launch",
    when="element-wise operators, softmax and norms of a library, by the algorithm's amounts",
    corrects="operators over rows",
    taught_by="neusight element-wise 10.0 to 5.3 %, softmax 15.2 to 9.5 %, layer norm 17.2 to 10.2 %; llmcompass",
    acts=(at(OPERATORS, model_row_operators),),
    properties=(Property.DRAM, Property.SMS, Property.CLOCK),
    levels=("elementwise", "softmax", "normalisation"),
    subject=Subject.OPERATOR,
)
