"""The question `roofline`: where each kernel stands under the roofs of its GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from roofcast.core.errors import RoofcastError
from roofcast.core.records import dataclass
from roofcast.kit.asked import Ask, Option
from roofcast.kit.returned import IMAGES, Found, View

if TYPE_CHECKING:
    from pathlib import Path

    from roofcast.core.processor import Processor
    from roofcast.rooflines.view import RooflineView


@dataclass(frozen=True, repr=False, eq=False)
class Drawn(Found["RooflineView"]):
    """Kernels under their roofs; a row per kernel and GPU."""

    kind = "roofline"
    compared: bool = False
    """Whether it was asked for other GPUs too."""

    def shown(self) -> View[RooflineView]:
        """How a roofline shows itself."""
        from roofcast.rooflines import show
        from roofcast.rooflines.interactive import render_html
        from roofcast.rooflines.picture import Roofline

        def draw(view: RooflineView, path: Path, top: int | None = None) -> None:
            show.write_roofline(view, str(path), top)

        return View(
            show.render_roofline_text, lambda view: list(show.tabulate_roofline(view).records()),
            show.tabulate_roofline, render_html, Roofline, state=show.state_roofline,
            html=lambda view: Roofline(view).html(), files=dict.fromkeys(IMAGES, draw),
        )  # fmt: skip


def refuse_unknown(answer: Drawn) -> None:
    """End the command where targets were asked for and no source is known: the rows hold no forecast."""
    if answer.compared and not any(p.clock_hz > 0 for p in answer.found.panels if p.role == "source"):
        raise RoofcastError("source GPU unknown: give --from GPU; the rows are written without a forecast")


def roofline(
    kernels: Any, to: str | Processor | Sequence[str | Processor] = (), *, source: str | Processor | None = None,
    model: str | None = None, conditions: Any = "production", clock: str | float = "auto", cache: str = "auto",
    load: str = "auto",
    sass: str = "auto", target_sass: str | None = None, together: bool = False, kernel: str | None = None,
    input_format: str | None = None, versions: str | None = None, panels: str = "",
) -> Drawn:  # fmt: skip
    """Draw where each kernel of FILE stands under the roofs of its GPU; several files are versions in order.

    to : Also draw these GPUs, with the forecast performance and its interval.
    model : Model of the forecasts for --to GPUs.
    sass : Leave aside the machine code in reports (default: it corrects the counts).
    target_sass : Binary that will run on the targets: cubin, executable or PTX (default: the report's PTX, compiled).

    versions : Only these versions: v5:v8 from one to another, v0,v8 these two.
    panels : Also draw rooflines of instructions or energy of the GPU of the profile.

    A row per kernel and GPU. In Python `sass` is auto or off.
    """
    from roofcast.catalog.targets import list_gpus
    from roofcast.forecasting.conditions import make_conditions
    from roofcast.reading import read_kernels
    from roofcast.rooflines.placement import add_side_panels, view_roofline
    from roofcast.rooflines.versions import select_versions

    given = make_conditions(0.9, clock, cache, None, conditions, load)
    table = read_kernels(kernels, input_format, kernel)
    table = select_versions(table, versions) if versions else table
    view = view_roofline(
        table, list_gpus(to), source, model, sass, target_sass, conditions=given, together=together,
    )  # fmt: skip
    if panels:
        view = add_side_panels(view, table, panels, source, model, given)
    return Drawn(view, bool(to))


ASK = Ask(
    name="roofline",
    run=roofline,
    options={
        "to": Option("GPU[,GPU...]", kind="gpus"),
        "model": Option("NAME", kind="model"),
        "sass": Option(flag="--no-sass", kind="off"),
        "target_sass": Option("CUBIN", kind="path"),
        "versions": Option("FIRST:LAST"),
        "panels": Option("instructions,energy"),
    },
    shows={"top": "Only the N kernels with most time.", "notes": ""},
    formats=("table", "json", "csv", "parquet", "html", "svg", "png", "pdf"),
    reads=True,
    limits=True,
    ended=refuse_unknown,
    examples=(
        "roofcast roofline run.ncu-rep",
        'roofcast roofline run.ncu-rep --to "H100 SXM5 80GB" -o roofline.html',
        "roofcast roofline before.ncu-rep after.ncu-rep --kernel compute -o versions.svg",
        "roofcast roofline gpp.csv --versions v5:v8 -o steps.svg",
    ),
)
"""The question, in every door."""
