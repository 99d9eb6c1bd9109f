"""From a class text and processors to times: the way that every use of the boat hull model takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from roofcast.core.errors import RoofcastError
from roofcast.core.processor import Processor
from roofcast.kit.quantities import format_percent
from roofcast_hull.bounds import LARGEST_COMPLEXITY, Bounds, Settings
from roofcast_hull.calibrated import find_factors
from roofcast_hull.classes import is_staged
from roofcast_hull.modern import modern_bounds
from roofcast_hull.notation import AlgorithmClass, Pattern, parse_class
from roofcast_hull.published import is_modern, published_bounds


@dataclass(frozen=True, slots=True)
class StageTime:
    """Forecast of one stage: seconds of all its repetitions, and what limits the hull."""

    name: str
    low_s: float
    high_s: float
    limit: str
    limit_high: str = ""
    """What limits the floors, in words."""
    complexity: tuple[float, float] = (1.0, 1.0)
    text: str = ""
    """The class."""
    measured_low_s: float = 0.0
    """Ends of the interval that measured code of such classes keeps, with the share :attr:`coverage`."""
    measured_high_s: float = 0.0
    coverage: float = 0.0


@dataclass(frozen=True, slots=True)
class HullForecast:
    """Forecast of one or several stages on one processor, or on the processors of one machine."""

    processor: str
    form: str
    stages: tuple[StageTime, ...]
    transfers_s: float
    total_low_s: float
    total_high_s: float
    notes: tuple[str, ...] = ()

    @property
    def kernels_low_s(self) -> float:
        """Sum of the stages' lower ends."""
        return sum(s.low_s for s in self.stages)

    @property
    def kernels_high_s(self) -> float:
        """Sum of the stages' upper ends."""
        return sum(s.high_s for s in self.stages)


def choose_form(processor: Processor, asked: str) -> str:
    """The form of the model for a processor: modern for GPUs since 2014 unless asked otherwise.

    CPUs have one form only: the published one.
    """
    if not processor.is_gpu:
        return "published"
    if asked != "auto":
        return asked
    return "modern" if is_modern(processor) else "published"


def find_bounds(found: AlgorithmClass, processor: Processor, settings: Settings | None = None) -> Bounds:
    """Hull and floors of a class on a processor."""
    chosen = fit_elements(found, settings or Settings())
    build = modern_bounds if choose_form(processor, chosen.form) == "modern" else published_bounds
    return build(found, processor, chosen)


def fit_elements(found: AlgorithmClass, settings: Settings) -> Settings:
    """Settings for a class: elements of transforms are complex numbers, where no bytes of an element are stated."""
    if settings.mean_bytes or not is_staged(found, Pattern.FFT):
        return settings
    return replace(settings, mean_bytes=2.0 * settings.type_bytes)


def check_complexity(low: float, high: float) -> tuple[float, float]:
    """A range of complexities, refused where it makes no sense."""
    if not 0 <= low <= high <= LARGEST_COMPLEXITY:
        raise RoofcastError(f"complexity {low:g}:{high:g}: operations per application, from 0 on, the lower one first")
    return low, high


def forecast_stage(
    name: str, found: AlgorithmClass, bounds: Bounds, complexity: tuple[float, float], repetitions: int = 1
) -> StageTime:
    """A stage whose complexity lies in a range."""
    low, high = complexity
    # Measured code is known of modern GPUs only.
    factors = find_factors(found) if bounds.form == "modern" else None
    return StageTime(
        name=name,
        low_s=repetitions * bounds.low(low),
        high_s=repetitions * bounds.high(high),
        limit=bounds.limit(low).limit.value,
        limit_high=bounds.limit_high(high).meaning,
        complexity=complexity,
        text=str(found),
        measured_low_s=repetitions * bounds.low(low) * factors.low if factors else 0.0,
        measured_high_s=repetitions * bounds.low(high) * factors.high if factors else 0.0,
        coverage=factors.coverage if factors else 0.0,
    )


def forecast_class(
    text: str | AlgorithmClass,
    processors: Sequence[Processor],
    complexity: float | tuple[float, float] = 1.0,
    *,
    settings: Settings | None = None,
    transfers: bool = False,
) -> list[HullForecast]:
    """Forecast one class on processors.

    text : class, e.g. ``"1024x1024|element -> 256|shared"``.
    complexity : operations per application of the class's function, or a range of them.
    transfers : whether input and output cross the bus to and from the processor.

    >>> from roofcast.catalog import gpu
    >>> [found] = forecast_class("262144|element -> 1|shared", [gpu("GTX 470")])
    >>> round(found.total_low_s * 1e6, 1), found.stages[0].limit
    (11.0, 'memory')
    """
    algorithm = parse_class(text) if isinstance(text, str) else text
    pair = complexity if isinstance(complexity, tuple) else (complexity, complexity)
    span = check_complexity(*pair)
    forecasts = []
    for processor in processors:
        bounds = find_bounds(algorithm, processor, settings)
        stage = forecast_stage(str(algorithm), algorithm, bounds, span)
        moved = bounds.transfer_s if transfers else 0.0
        notes = bounds.notes
        if stage.coverage:
            group, share = find_factors(algorithm).group, format_percent(stage.coverage, 0)
            notes = (*notes, f"measured code: what {share} of public measurements of {group} keep, from their hull")
        forecasts.append(
            HullForecast(processor.name, bounds.form, (stage,), moved, stage.low_s + moved, stage.high_s + moved, notes)
        )
    return forecasts
