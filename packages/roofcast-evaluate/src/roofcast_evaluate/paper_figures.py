"""The figures of the papers that can be drawn without a GPU: from derived counters, closed forms and public profiles.

Where a figure is of programs that nobody here has measured, the same picture is drawn of programs of the same kind that
are in the data sets, by the paper's own model, and says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.core.units import format_quantity
from roofcast.kit.names import clipped, short_name
from roofcast.kit.page import Section

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXAMPLE = "examples/fast_focus_on_structures.toml"
MODEL = "van_lanker"
ROW_IN, HEAD_IN, WIDTH_IN = 0.24, 0.9, 9.0
MOST_ROWS = 24
"""Kernels of a figure, the longest of them."""
KINDS = {
    "Fig. 4, 8: hydrodynamics and stencils": ("heat2d", "laplace", "lid-driven-cavity", "cfd", "hypterm", "easyWave"),
    "Fig. 7: Monte Carlo transport": ("simplemoc", "particle-diffusion", "tissue"),
    "Fig. 9: forces and scores of molecules": ("md", "particles", "sph", "bonds"),
}
"""Figure -> programs of HeCBench of its kind, chosen by what they compute."""
SOURCE, TARGETS = "A100-SXM4-40GB", ("A10", "RTX 3080", "H100-SXM5-80GB")


def find_example() -> Path:
    """The application file of the case study.

    Raises
    ------
    RoofcastError : this is no checkout of the repository.
    """
    place = Path(__file__).resolve().parents[4] / EXAMPLE
    if not place.is_file():
        raise RoofcastError(f"needs {EXAMPLE} of the repository")
    return place


@dataclass(frozen=True)
class PaperFigure:
    """One figure."""

    paper: str
    title: str
    said: str
    draw: Callable[[], Figure]


@dataclass(frozen=True)
class Projection:
    """A kernel projected to a GPU on which it was measured too."""

    name: str
    target: str
    low_s: float
    time_s: float
    high_s: float
    measured_s: float


def list_figures() -> Iterator[PaperFigure]:
    """All figures, by paper, in the order of their numbers."""
    yield PaperFigure(
        "van_lanker", "Fig. 2: a kernel under its ceilings, and the interval on the target",
        "GPP v8 from V100 to A100 by the paper's model; its figure has a kernel of LULESH.", draw_ceilings,
    )  # fmt: skip
    kinds = [
        PaperFigure(
            "van_lanker", title,
            f"Not the paper's programs: {', '.join(programs)} of HeCBench, projected from A100 by the paper's model.",
            partial(draw_programs, programs),
        )
        for title, programs in KINDS.items()
    ]  # fmt: skip
    hopper = [
        PaperFigure(
            "van_lanker", title,
            "PolyBench-GPU and others, own measurements, projected from H100 to H200 by the paper's model.",
            partial(draw_hopper, filled),
        )
        for title, filled in (("Fig. 5: PolyBench that fills the GPU", True), ("Fig. 6: what under-uses it", False))
    ]  # fmt: skip
    yield from sorted((*kinds, *hopper), key=lambda f: f.title)
    for number, (first, last) in {1: (0, 1), 3: (1, 3), 5: (3, 5), 6: (5, 8)}.items():
        yield PaperFigure(
            "yang", f"Fig. {number}: hierarchical roofline of v{first} to v{last}, Si-214",
            f"`roofcast roofline gpp.csv --versions v{first}:v{last}`; times of Table I, counters derived.",
            partial(draw_steps, first, last),
        )  # fmt: skip
    yield PaperFigure(
        "nugteren", "Fig. 2 to 6: hulls of a class on both GPUs",
        "A sum over neighbours, 2048 x 2048, complexity 1 to 1000.", draw_hulls,
    )  # fmt: skip
    yield PaperFigure(
        "nugteren", "Fig. 1: the case study on rooflines", "The stages of the application on both GPUs.", draw_case,
    )  # fmt: skip


def draw_ceilings() -> Figure:
    """GPP v8 on V100 and on A100."""
    from roofcast.rooflines.figure import draw_figure
    from roofcast.rooflines.placement import view_roofline
    from roofcast_measure.gpp import derived_table

    return draw_figure(view_roofline(derived_table().select([8]), ["A100 SXM4 40GB"], model=MODEL))


def draw_programs(programs: tuple[str, ...]) -> Figure:
    """Some programs of HeCBench, projected."""
    return draw_projections(project_programs(programs))


def draw_hopper(filled: bool) -> Figure:
    """Kernels of an H100 projected to an H200."""
    return draw_projections(project_hopper(filled=filled))


def draw_steps(first: int, last: int) -> Figure:
    """The versions of GPP from one to another."""
    from roofcast.rooflines.figure import draw_figure
    from roofcast.rooflines.placement import view_roofline
    from roofcast_measure.gpp import derived_table

    return draw_figure(view_roofline(derived_table().select(list(range(first, last + 1))), conditions="profiled"))


def draw_hulls() -> Figure:
    """Hulls of a neighbourhood class."""
    from roofcast_hull.asking import HullQuestion, answer
    from roofcast_hull.graph import HullView, draw_figure

    question = HullQuestion(
        what="2048x2048|neighbourhood(7x7) -> 2048x2048|element", on="GTX 470,GTS 250", complexity="1:1000"
    )
    view = answer(question).view_of()
    assert isinstance(view, HullView)
    return draw_figure(view)


def draw_case() -> Figure:
    """The stages of the case study on rooflines."""
    from roofcast_hull.asking import HullQuestion, RooflinePanels, answer
    from roofcast_hull.hull_roofline import draw_figure

    view = answer(HullQuestion(what=str(find_example()))).view_of(roofline=True)
    assert isinstance(view, RooflinePanels)
    return draw_figure(view.panels)


def project_hopper(*, filled: bool) -> list[Projection]:
    """Kernels of an H100 on an H200; filled: those with a block for every SM, else the others."""
    from roofcast_evaluate.datasets import load

    _, table = load("hopper_ncu")
    return project(table, "H100", ("H200",), lambda blocks, sms: (blocks >= sms) is filled)


def project_programs(programs: tuple[str, ...]) -> list[Projection]:
    """The CUDA kernels of some programs on the other GPUs."""
    from roofcast_evaluate.datasets import load

    _, table = load("hecbench_ncu")
    of = [str(b) in programs and str(m) == "cuda"
          for b, m in zip(table.extra["benchmark"], table.extra["model"], strict=True)]  # fmt: skip
    return project(table.select(np.array(of)), SOURCE, TARGETS, lambda blocks, sms: True)


def project(
    table: KernelTable, source: str, targets: tuple[str, ...], is_shown: Callable[[float, int], bool]
) -> list[Projection]:
    """The first launch of each kernel of one GPU beside the same of the others, longest first."""
    from roofcast.forecasting.forecast import forecast

    gpus = [str(g) for g in table.strings("gpu")]
    columns = [table.strings("kernel"), table.strings("config"), table.column("grid_blocks"),
               table.column("block_threads")]  # fmt: skip
    keys = [tuple(map(str, key)) for key in zip(*columns, strict=True)]
    rows: dict[tuple[str, ...], int] = {}
    for i, key in enumerate(keys):
        if source in gpus[i]:
            rows.setdefault(key, i)
    projections: list[Projection] = []
    for target in targets:
        there: dict[tuple[str, ...], int] = {}
        for i, key in enumerate(keys):
            if target in gpus[i]:
                there.setdefault(key, i)
        both = [key for key in rows if key in there]
        if not both:
            continue
        name = gpus[there[both[0]]]
        result = forecast(table.select([rows[k] for k in both]), name, model=MODEL, conditions="profiled")
        e = result.estimate
        for n, key in enumerate(both):
            there_from = result.sources[n]
            sms = there_from.sm_count if there_from else 0
            if e.time_s[n, 0] > 0 and is_shown(float(table.column("grid_blocks")[rows[key]]), sms):
                projections.append(Projection(
                    name_of(key[0]), result.targets[0].name, float(e.time_low_s[n, 0]), float(e.time_s[n, 0]),
                    float(e.time_high_s[n, 0]), float(table.column("time_s")[there[key]]),
                ))  # fmt: skip
    return sorted(projections, key=lambda p: -p.measured_s)[:MOST_ROWS]


def name_of(kernel: str) -> str:
    """Name for people: the program's, where a data set puts it before a mangled one, and the kernel's.

    >>> name_of("heat2d-cuda:_Z4stepPfS_i")
    'heat2d step'
    """
    program, colon, mangled = kernel.partition(":")
    if colon and mangled.startswith("_Z"):
        return f"{program.removesuffix('-cuda')} {short_name(mangled, mangled=mangled)}"
    return short_name(kernel)


def state_projections(found: list[Projection]) -> str:
    """How far they are off."""
    ratios = [p.time_s / p.measured_s - 1 for p in found]
    inside = sum(p.low_s <= p.measured_s <= p.high_s for p in found)
    mape = 100 * float(np.mean(np.abs(ratios)))
    return f"{len(found)} projections, mean error {mape:.1f} %, {inside} measured times inside the interval"


def draw_projections(found: list[Projection]) -> Figure:
    """A line per kernel and GPU: the interval, what is projected, and what was measured there.

    Raises
    ------
    RoofcastError : nothing was measured on both GPUs.
    """
    from roofcast.kit.output import empty_figure
    from roofcast.kit.palette import BLUE, FAINT, GRID, INK, ORANGE, SKY

    if not found:
        raise RoofcastError("no kernel was measured on both GPUs")
    height = HEAD_IN + ROW_IN * len(found)
    figure = empty_figure(WIDTH_IN, height)
    axes = figure.add_axes((0.42, 0.5 / height, 0.55, ROW_IN * len(found) / height))
    for n, p in enumerate(found):
        axes.plot([p.low_s, p.high_s], [n, n], color=SKY, linewidth=6, solid_capstyle="butt", zorder=1)
        axes.plot([p.time_s], [n], marker="|", markersize=10, color=BLUE, linestyle="none", zorder=2)
        axes.plot([p.measured_s], [n], marker="o", markersize=4, color=ORANGE, linestyle="none", zorder=3)
    axes.set_xscale("log")
    axes.set_ylim(len(found) - 0.4, -0.6)
    axes.set_yticks(range(len(found)), [one_line(f"{clipped(p.name, 30)}, {clipped(p.target, 18)}") for p in found])
    axes.tick_params(labelsize=7, colors=INK)
    axes.grid(axis="x", color=GRID, linewidth=0.6)
    low = min(min(p.low_s, p.measured_s) for p in found)
    high = max(max(p.high_s, p.measured_s) for p in found)
    decades = [10.0**k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    axes.set_xticks(decades, [format_quantity(d, "s") for d in decades])
    axes.set_xlim(low / 1.3, high * 1.3)
    axes.minorticks_off()
    figure.text(0.02, 1 - 0.2 / height, state_projections(found), fontsize=8.5, color=INK, fontweight="bold")
    figure.text(0.02, 1 - 0.36 / height, "orange: measured; blue: projected, with its interval",
                fontsize=7.4, color=FAINT)  # fmt: skip
    return figure


def figure_sections(paper: str) -> Iterator[Section]:
    """A section per figure of a paper; where its data are not here, it says why."""
    from roofcast.kit.output import draw_svg

    for n, figure in enumerate(f for f in list_figures() if f.paper == paper):
        try:
            picture, caption = draw_svg(f"{paper}{n}", figure.draw), figure.said
        except RoofcastError as error:
            picture, caption = "", one_line(f"Not drawn: {error}", 200)
        yield Section(figure.title, (caption,), picture=picture)
