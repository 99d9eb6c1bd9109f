"""Hull forecasts beside public measurements of primitives whose class is known: the model checked on GPUs at large."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

from roofcast.catalog import parse_target
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable
from roofcast_hull.bounds import Settings
from roofcast_hull.calibrated import find_group
from roofcast_hull.hull import find_bounds
from roofcast_hull.notation import AlgorithmClass, ClassTextError, parse_class

SHORTEST_S = 20e-6
"""Hulls below this say little: the sets' times hold launches, and partly the gaps between them."""
FASTEST = 1.5
"""Times the bandwidth of the memory: what is measured faster on data beyond the cache is a fault of the measurement."""
WITHIN = 0.02
"""What measurements are repeated to: a time so far below the hull is on it."""
CARDS = {("pmpp_nvbench", "GTX 1650"): "GTX 1650 GDDR6"}
"""Cards that a set names by less than their entry: its additions move 166 GB/s, with a cold cache too, where the card
with GDDR5 has 128."""
MOST_SIZES = 400
"""Sizes of one primitive on one GPU, evenly from the smallest to the largest."""
Config = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Primitive:
    """Kernels of one data set whose source shows the class."""

    dataset: str
    kernel: str
    """Start of the kernel's name in the data set."""
    text: Callable[[Config], str]
    """Class of one configuration."""
    complexity: float
    """Operations of the function, from the published source."""
    element: str = "fp32"

    @property
    def variants(self) -> bool:
        """Whether the data set adds what was varied to the names."""
        return self.dataset == "pmpp_nvbench"


def vector(template: str, name: str) -> Callable[[Config], str]:
    """A class over one size of the configuration."""
    return lambda c: template.replace("N", str(c[name]))


def square(template: str, name: str) -> Callable[[Config], str]:
    """A class over a square matrix."""
    return lambda c: template.replace("N", f"{c[name]}x{c[name]}")


def plane(template: str) -> Callable[[Config], str]:
    """A class over a matrix of rows and columns."""
    return lambda c: template.replace("N", f"{c['rows']}x{c['cols']}")


def product(rows: str, depth: str, columns: str, batch: str = "") -> Callable[[Config], str]:
    """A matrix product, of which a configuration states the sizes."""

    def text(c: Config) -> str:
        m, k, n = c[rows], c[depth], c[columns]
        b, single = (f"{c[batch]}x", "1x") if batch else ("", "")
        return f"{b}{m}x{k}|tile({single}1x{k}) & {b}{k}x{n}|tile({single}{k}x1) -> {b}{m}x{n}|element"

    return text


def linear(c: Config) -> str:
    """A layer of a network: all rows of a batch times one matrix."""
    return product("rows", "K", "N")({**c, "rows": c["B"] * c["M"]})


def rows_to_rows(c: Config) -> str:
    """A softmax or a normalisation: what a row holds decides each of its elements."""
    return f"{c['B']}x{c['H']}|tile(1x{c['H']}) -> {c['B']}x{c['H']}|tile(1x{c['H']})"


TWO = "N|element & N|element -> N|element"
PRIMITIVES = (
    Primitive("micro16", "micro16/vector_add", vector(TWO, "N"), 1),
    Primitive("micro16", "micro16/saxpy", vector(TWO, "N"), 2),
    Primitive("micro16", "micro16/reduce_sum", vector("N|element -> 1|shared", "N"), 1),
    Primitive("micro16", "micro16/dot_product", vector("N|element & N|element -> 1|shared", "N"), 2),
    Primitive("micro16", "micro16/histogram", vector("N|element -> 256|shared", "N"), 1, "int32"),
    Primitive("micro16", "micro16/conv2d_3x3", plane("N|neighbourhood(3x3) -> N|element"), 2),
    Primitive("micro16", "micro16/conv2d_7x7", plane("N|neighbourhood(7x7) -> N|element"), 2),
    Primitive("micro16", "micro16/naive_transpose", plane("unordered N|element -> N|element"), 0),
    Primitive("micro16", "micro16/shared_transpose", plane("unordered N|element -> N|element"), 0),
    Primitive("pmpp_nvbench", "pmpp/array_add/Coalesced", square(TWO, "Axis Size"), 1, "int32"),
    Primitive(
        "pmpp_nvbench", "pmpp/convolution/Convolution 1D Constant Memory (Different Array",
        lambda c: f"{c['Array size']}|neighbourhood({c['Mask width']}) -> {c['Array size']}|element", 2,
    ),
    Primitive(
        "pmpp_nvbench", "pmpp/convolution/Convolution 2D Constant Memory (Different Array",
        square("N|neighbourhood(5x5) -> N|element", "Axis size"), 2,
    ),
    Primitive(
        "pmpp_nvbench", "pmpp/reduction/Reduction - Multiple Loads", vector("N|element -> 1|shared", "Array Size"), 1,
        "int32",
    ),
    Primitive(
        "pmpp_nvbench", "pmpp/histogram/Histogram Shared Bins (Different Array",
        lambda c: f"{c['Array Size']}|element -> {c['Num Bins']}|shared", 1, "int32",
    ),
    Primitive(
        "pmpp_nvbench", "pmpp/mat_vec_mul/Simple",
        lambda c: f"{c['Num Rows']}x{c['Num Cols']}|tile(1x{c['Num Cols']}) & {c['Num Cols']}|full -> "
        f"{c['Num Rows']}|element", 2, "int32",
    ),
    *(
        Primitive("neusight", f"torch/{name}", lambda c: f"{c['B']}x{c['H']}|element -> {c['B']}x{c['H']}|element", ops)
        for name, ops in (("relu", 1), ("addu", 1), ("tanh", 10))
    ),
    *(
        Primitive(
            "neusight", f"torch/{name}",
            lambda c: "AxB|element & AxB|element -> AxB|element".replace("A", str(c["B"])).replace("B", str(c["H"])), 1,
        )
        for name in ("add", "mul")
    ),
    Primitive("neusight", "torch/bmm", product("M", "K", "N", "B"), 2),
    Primitive("neusight", "torch/linear", linear, 2),
    Primitive("neusight", "torch/softmax", rows_to_rows, 5),
    Primitive("neusight", "torch/ln", rows_to_rows, 5),
    Primitive("llm_ops_gemm", "gemm/bfloat16", product("m", "k", "n"), 2, "bf16"),
    Primitive("llm_ops_gemm", "gemm/fp8", product("m", "k", "n"), 2, "fp8"),
)  # fmt: skip


Size = tuple[int, str, AlgorithmClass, float]
"""Input elements, class as text and as it is, and measured seconds."""


@dataclass(frozen=True, slots=True)
class Row:
    """One primitive on one GPU, over all its sizes."""

    dataset: str
    kernel: str
    gpu: str
    sizes: int
    text: str
    """Class of the largest size."""
    low_s: float
    high_s: float
    measured_s: float
    times_hull: float
    """Measured time over the hull's, median over sizes."""
    error: float
    """Distance from the range, as a fraction of the measured time; 0 inside. Median over sizes."""
    inside: float
    """Share of sizes inside the range, 10 % beside it allowed."""
    below: float
    """Share of the sizes that measure below the hull: it is a lower end, with the errors of both."""
    best: float
    """Measured time over the hull's of the best tenth of the sizes."""
    group: str
    """Group of classes, whose interval it teaches."""
    ratios: tuple[float, ...] = field(default=(), repr=False)
    """Measured time over the hull's, per size."""


def compare_public(load: Callable[[str], KernelTable], primitives: Sequence[Primitive] = PRIMITIVES) -> list[Row]:
    """One row per primitive and GPU.

    load : the table of a data set, by its name.
    """
    tables = {dataset: load(dataset) for dataset in dict.fromkeys(p.dataset for p in primitives)}
    return [row for primitive in primitives for row in compare_primitive(primitive, tables[primitive.dataset])]


def compare_primitive(primitive: Primitive, table: KernelTable) -> list[Row]:
    """One primitive on all GPUs of its data set."""
    kernels, configs, gpus = (table.strings(n) for n in ("kernel", "config", "gpu"))
    times = table.column("time_s")
    by_gpu: dict[str, list[Size]] = {}
    # Hundreds of thousands of rows are of some thousand sizes.
    sizes = lru_cache(maxsize=None)(partial(find_size, primitive))
    for i, name in enumerate(kernels):
        if name != primitive.kernel and not (primitive.variants and name.startswith(primitive.kernel)):
            continue
        size = sizes(configs[i]) if times[i] > 0 else None
        if size is not None:
            by_gpu.setdefault(gpus[i], []).append((*size, float(times[i])))
    return [
        row
        for gpu, rows_of_gpu in sorted(by_gpu.items())
        if (row := compare_gpu(primitive, gpu, thin_out(sorted(rows_of_gpu)))) is not None
    ]


def find_size(primitive: Primitive, config: str) -> tuple[int, str, AlgorithmClass] | None:
    """Input elements and class of one configuration; None on another axis of sizes, or for an array too small."""
    try:
        text = primitive.text(parse_config(config))
        algorithm = parse_class(text)
        return algorithm.elements_in, text, algorithm
    except (KeyError, ClassTextError):
        return None


def thin_out(found: Sequence[Size]) -> Sequence[Size]:
    """At most :data:`MOST_SIZES` of the sizes, the largest one among them."""
    step = -(-len(found) // MOST_SIZES)
    return found[::-1][:: max(1, step)][::-1]


def parse_config(config: str) -> dict[str, int]:
    """Whole numbers of a configuration ``"N=4;rows=2"``."""
    pairs = (item.partition("=") for item in config.split(";"))
    return {k.strip(): int(v) for k, _, v in pairs if v.strip().isdecimal()}


def compare_gpu(primitive: Primitive, gpu: str, found: Sequence[Size]) -> Row | None:
    """One primitive on one GPU; None where the catalog lacks it or a rate."""
    settings = Settings(element=primitive.element, form="auto")
    ratios: list[float] = []
    errors: list[float] = []
    last: tuple[AlgorithmClass, float, float, float] | None = None
    try:
        processor = parse_target(CARDS.get((primitive.dataset, gpu), gpu)).processor
        for _, _, size, measured in found:
            bounds = find_bounds(size, processor, settings)
            low, high = bounds.low(primitive.complexity), bounds.high(primitive.complexity)
            if low >= SHORTEST_S and measured * FASTEST >= low:
                last = (size, low, high, measured)
                ratios.append(measured / low)
                errors.append(max(0.0, low - measured, measured - high) / measured)
    except RoofcastError:
        return None
    if last is None:
        return None
    size, low, high, measured = last
    best = sorted(ratios)[len(ratios) // 10]
    return Row(
        primitive.dataset, primitive.kernel.partition("/")[2], processor.name, len(ratios), str(size), low,
        high, measured, statistics.median(ratios), statistics.median(errors),
        sum(e <= 0.1 for e in errors) / len(errors), sum(r < 1 - WITHIN for r in ratios) / len(ratios), best,
        find_group(size), tuple(ratios),
    )  # fmt: skip
