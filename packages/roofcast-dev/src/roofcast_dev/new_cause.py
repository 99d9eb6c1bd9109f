"""A cause of the mechanistic model: its file, its place in the order, its test."""

from __future__ import annotations

from roofcast_dev.checkout import Checkout, Refused, check_name

FOLDER = "src/roofcast/models/physics/causes"
CAUSE = r'''r"""Say in one line what costs or saves time, and on which GPUs.

.. math:: \tau_{{DRAM}}' = \tau_{{DRAM}} \, (1 + w (a - 1))

:math:`\tau_{{DRAM}}` : s, DRAM's roof without the cause. w : 1, share of the bytes that are written. a : 1,
``{name}_cost``, what a written byte costs over a read one.

Reason: say why the form is this one, and which document or data says so (title, year, DOI).
"""

from __future__ import annotations

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.formulas.values import Values, or_zero
from roofcast.models.physics.cause import Cause, Constant, at
from roofcast.models.physics.stages import ROOFS, Pair, Roofs


def {name}_factor(write_fraction: Values, cost: float) -> FloatArray:
    """What DRAM's roof is multiplied by (the equation above); an unknown share counts as none written.

    write_fraction : (...) 1. w. cost : 1. a.

    >>> {name}_factor(np.array([0.0, 0.5, np.nan]), 1.2).round(2).tolist()
    [1.0, 1.1, 1.0]
    """
    return np.asarray(1.0 + or_zero(np.asarray(write_fraction, dtype=np.float64)) * (cost - 1.0))


def charge_{name}(roofs: Roofs, pair: Pair) -> Roofs:
    """Roofs with the cause; the same roofs where nothing of a kernel says that it applies."""
    factor = {name}_factor(pair.k.amounts.bytes_dram_write_fraction, pair.c.{name}_cost)[:, None]
    return roofs.changed(Resource.BYTES_DRAM, factor) if (factor != 1.0).any() else roofs


CAUSE = Cause(
    name="{name}",
    sentence="say in a few words what the cause is",
    when="say where it applies, and what must be known for it",
    corrects="say what the model gets wrong without it",
    taught_by="say which data or publication it was learned from",
    acts=(at(ROOFS, charge_{name}),),
    properties=(Property.DRAM,),
    constants=(Constant("{name}_cost", 1.2, 1.0, 2.0, "say what the number means, its unit and its source"),),
)
'''
TEST = '''"""The cause `{name}`: where it applies, which way it moves a forecast, where it is silent."""

from __future__ import annotations

import pytest

from cause_builders import DRAM, gpu, ratio

# Half of what DRAM can move in the time: the rest is left to be explained.
STREAM = {{"time_s": 1e-3, "bytes_dram": 5e8, "grid_blocks": 1e5, "block_threads": 256.0}}
WRITES = STREAM | {{"bytes_dram_read": 2.5e8, "bytes_dram_write": 2.5e8}}
HERE = gpu()
THERE = HERE.replace(name="twice the DRAM", **{{DRAM.supply: 2e12}})


def test_it_is_silent_where_nothing_says_that_it_applies() -> None:
    assert ratio(STREAM, HERE, THERE) == pytest.approx(ratio(STREAM, HERE, THERE, "{name}"), rel=1e-12)


def test_it_moves_the_forecast_the_way_that_its_equation_says() -> None:
    # The more of the time DRAM explains, the more a kernel gains by more DRAM. Say what yours does, and by how much.
    assert ratio(WRITES, HERE, THERE) < 0.995 * ratio(WRITES, HERE, THERE, "{name}")
'''
LEFT = """{file}: equation, reason, constants and acts are an example: replace them
{test}: the same
then what it is worth, with the public data (ROOFCAST_DATA): python tools/teach.py worth {name}
and its page: python -m roofcast.models.physics.causes.registry docs/causes.md
check: python -m pytest tests/models/test_causes.py {test} --doctest-modules {file}
(test_every_cause_says_what_it_is_worth... fails until the worth is measured: a cause that is worth nothing goes)"""


def write_cause(checkout: Checkout, name: str, after: str) -> str:
    """Write a cause behind another one in the order in which causes act; what is left to do.

    Raises
    ------
    Refused : the name is no module's, is taken, or ``after`` is no cause.
    """
    check_name(name, "write_cost")
    if not checkout.path(f"{FOLDER}/{after}.py").is_file():
        raise Refused(f"--after: no cause {after!r}: {FOLDER}/registry.py lists them in their order")
    file, test = f"{FOLDER}/{name}.py", f"tests/models/test_cause_{name}.py"
    checkout.create(file, CAUSE.format(name=name))
    checkout.create(test, TEST.format(name=name))
    checkout.insert(f"{FOLDER}/registry.py", f'    "{name}",', after=rf'^    "{after}",$')
    return LEFT.format(file=file, test=test, name=name)
