"""The question `hull`: how long an algorithm class takes before any code exists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from roofcast.kit.asked import Act, Ask, Option
from roofcast.kit.returned import IMAGES, Found, View

if TYPE_CHECKING:
    from roofcast.kit.asked import Progress
    from roofcast_hull.asking import HullAnswer


@dataclass(frozen=True, repr=False, eq=False)
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
    here: bool = False, public: bool = False, progress: Progress | None = None,
) -> HullFound:  # fmt: skip
    """Forecast an algorithm class, or an application of several stages, before any code exists.

    The class says what the algorithm does to its data: "1024x1024|neighbourhood(7x7) -> 1024x1024|element".

    on : GPUs and CPUs: catalog names, TOML files, variations in braces.
    complexity : Operations of one application of the class's function, or a range; 2 for products of matrices and
        sparse rows, 5 for transforms, else 1.
    transfers : Input and output cross the bus to and from the processor.
    form : As published, or with caches, atomics and launch; auto (default): modern for GPUs since 2014.
    assume : What is known of the code: fma, no-fma, coalesced, scattered, warm, cold; CPUs: threads, one-thread,
        vector, scalar. What is left open widens the range.
    element : Element type: fp32 (code: as declared), int32, fp64, fp16, bf16, int8, int16, int64.
    offset : Operations per unit of work beside the function's own.
    sizes : Values of size names in the class or in the code.
    measured : Measured points for the graph: complexity, time_s; optional label, processor.
    fit : Which processor first meets this latency (of --on, or of the catalog).
    source : Classify kernels and loops of a CUDA, C, C++ or Python (Triton) file; with --on, forecast them.
    compare : How far the kernels of a profile are from the class.
    origin : With --compare: GPU of the profile, where it does not say.
    kernel : With --compare: only kernels whose name matches.
    here : Measure this machine's CPU and primitives of rising complexity beside its hull.
    public : Lay the model beside measured primitives of public data (folder ROOFCAST_DATA).

    A row per processor. In Python sizes may be a dict, and `what` a class or the TOML file of an application.
    """
    from roofcast_hull.asking import HullQuestion, answer, answer_here, answer_public

    question = HullQuestion(
        what=what, on=on, complexity=complexity, transfers=transfers, form=form, assume=assume, element=element,
        offset=offset, sizes=sizes, measured=measured, fit=fit, source=source, compare=compare, origin=origin,
        kernel=kernel,
    )  # fmt: skip
    if source or not (here or public):
        return HullFound(answer(question, progress))
    return HullFound(answer_here(question) if here else answer_public())


def list_classes(_: Mapping[str, Any], __: str) -> str:
    """All classes, in place of a forecast."""
    from roofcast.kit.output import text_width
    from roofcast_hull.show import render_registry

    return render_registry(text_width(None))


ASK = Ask(
    name="hull",
    run=hull,
    options={
        "what": Option("[CLASS|FILE.toml]", kind="file", argument=True),
        "on": Option("PROCESSOR[,...]", kind="gpu"),
        "complexity": Option("N[:M]"),
        "transfers": Option(),
        "form": Option(choices=("auto", "published", "modern", "both")),
        "assume": Option("WORD[,...]"),
        "element": Option("TYPE"),
        "offset": Option("OPS", kind="number"),
        "sizes": Option("A=N[,...]", flag="--size", kind="list"),
        "measured": Option("FILE.csv", kind="path"),
        "fit": Option("TIME"),
        "source": Option("FILE[:FUNCTION]", flag="--from-source", kind="file"),
        "compare": Option("PROFILE", kind="path"),
        "origin": Option("GPU", flag="--from", kind="gpu"),
        "kernel": Option("REGEX"),
        "here": Option(flag="--measure-here"),
        "public": Option(flag="--public-data"),
    },
    shows={"roofline": "With an application and -o FILE.svg: its stages on a roofline, beside their times."},
    acts={"classes": Act(Option(kind="off"), "List the classes.", list_classes, instead=True)},
    formats=("table", "json", "csv", "parquet", "html", *IMAGES),
    examples=(
        'roofcast hull "1024x1024|element -> 256|shared" --on "GTX 470,H100,i7-930"',
        'roofcast hull "2048x2048|element -> 2048x2048|element" --complexity 1:1000 --on "GTX 470,H100" --transfers -o hull.svg',  # noqa: E501
        'roofcast hull "2048x2048|neighbourhood(7x7) -> 2048x2048|element" --complexity 2 --fit 100us',
        "roofcast hull examples/fast_focus_on_structures.toml",
        'roofcast hull --from-source examples/stencil.c:jacobi --on "A100,H100"',
        'roofcast hull "4096x4096|element -> 4096x4096|element" --compare run.ncu-rep --on H100',
    ),
)
"""The question, in every door."""
