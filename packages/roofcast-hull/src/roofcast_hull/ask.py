"""The question `hull`: how long an algorithm class takes before any code exists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from roofcast.kit.asked import Ask
from roofcast.kit.returned import Found, View

if TYPE_CHECKING:
    from roofcast_hull.asking import HullAnswer


@dataclass(frozen=True, repr=False)
class HullFound(Found["HullAnswer"]):
    """Times of an algorithm class or an application; a row per processor."""

    kind = "hull"

    @property
    def total(self) -> tuple[float, float] | None:
        """s, lowest and highest, on the first processor; None where nothing is forecast."""
        first = self.found.forecasts[0] if self.found.forecasts else None
        return None if first is None else (first.total_low_s, first.total_high_s)

    def shown(self) -> View[HullAnswer]:
        """How a hull shows itself."""
        from roofcast_hull.asking import view_answer

        return view_answer()


def hull(
    what: str = "", *, on: str | Sequence[str] | None = None, complexity: str | float = "", transfers: bool = False,
    form: str = "auto", assume: str = "", element: str | None = None, offset: float | None = None,
    sizes: str | Mapping[str, int] = "", measured: str | None = None, fit: str | None = None,
    source: str | None = None, compare: str | None = None, origin: str | None = None, kernel: str | None = None,
) -> HullFound:  # fmt: skip
    """Forecast an algorithm class, or an application of several stages, before any code exists; a row per processor.

    what : a class, ``"1024x1024|element -> 256|shared"``, or the TOML file of an application. on : GPUs and CPUs.
    complexity : operations of one application of the class's function, or a range ``"1:100"``; 2 for a matrix product,
    else 1. transfers : input and output cross the bus. form : auto, published, modern, both. assume : what is known
    of the code, in words. element : its type. sizes : ``{"A": 1024}``. measured : a CSV of points. fit : a latency such
    as ``"100us"``.
    source : code to classify, ``"stencil.c:jacobi"``. compare : a profile to lay beside the class; origin : its GPU.
    """
    from roofcast_hull.asking import HullQuestion, answer

    return HullFound(answer(HullQuestion(
        what=what, on=on, complexity=complexity, transfers=transfers, form=form, assume=assume, element=element,
        offset=offset, sizes=sizes, measured=measured, fit=fit, source=source, compare=compare, origin=origin,
        kernel=kernel,
    )))  # fmt: skip


ASK = Ask(
    name="hull",
    run=hull,
    examples=(
        'roofcast hull "1024x1024|element -> 256|shared" --on "GTX 470,H100,i7-930"',
        'roofcast hull "2048x2048|element -> 2048x2048|element" --complexity 1:1000 --on "GTX 470,H100" --transfers -o hull.svg',  # noqa: E501
        'roofcast hull "2048x2048|neighbourhood(7x7) -> 2048x2048|element" --complexity 2 --fit 100us',
        "roofcast hull examples/fast_focus_on_structures.toml",
        'roofcast hull --from-source stencil.c:jacobi --on "A100,H100"',
        'roofcast hull "4096x4096|element -> 4096x4096|element" --compare run.ncu-rep --on H100',
    ),
)
"""The question, in every door."""
