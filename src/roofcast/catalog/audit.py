"""How wrong estimates are: each measured GPU left out with all boards of its die, and estimated by the rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import exp
from statistics import median

from roofcast.catalog import library
from roofcast.catalog.class_rules import ENOUGH, Error, Fit, kind_of
from roofcast.catalog.entries import ROOT, load
from roofcast.core.normal import NINE_OF_TEN
from roofcast.core.records import dataclass
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import Column, Table, folded

HELD = (0.85, 0.95)
"""Share of left-out values that a stated interval of nine in ten has to hold."""
BORROWED = {
    "die": "other boards of the die",
    "nearest": "nearest generation of the vendor",
    "vendors": "other vendors",
}


@dataclass(frozen=True)
class Line:
    """One class of at least ``ENOUGH`` GPUs, or what is pooled."""

    quantity: str
    name: str
    errors: tuple[Error, ...]
    sigmas: tuple[float, ...]

    @property
    def gpus(self) -> int:
        """GPUs with a measured value."""
        return len({e.member.board.key for e in self.errors})

    @property
    def held(self) -> float:
        """Share of the errors within the stated interval of nine in ten."""
        within = [abs(e.relative) <= NINE_OF_TEN * s for e, s in zip(self.errors, self.sigmas, strict=True)]
        return sum(within) / len(within)

    @property
    def typical(self) -> float:
        """Median error, as a share."""
        return exp(median(abs(e.relative) for e in self.errors)) - 1

    @property
    def worst(self) -> Error:
        """The value that is farthest off, by its stated uncertainty."""
        return max(zip(self.errors, self.sigmas, strict=True), key=lambda pair: abs(pair[0].relative) / pair[1])[0]

    @property
    def is_calibrated(self) -> bool:
        """Return whether the stated uncertainty holds what it says."""
        return HELD[0] - 1e-9 <= self.held <= HELD[1] + 1e-9


def fit_catalog() -> Fit:
    """The rules as the index has them, with every left-out error."""
    entries = [library.entry(k) for k, e in library.index()["entries"].items() if e["folder"] == "gpus"]
    return Fit(load(ROOT / "estimates.toml"), entries, library.index()["architectures"])


def audit_estimates(fit: Fit | None = None) -> list[Line]:
    """Every class of at least ``ENOUGH`` GPUs by itself; smaller ones pooled by kind, and so what is borrowed."""
    fit = fit or fit_catalog()
    groups: dict[tuple[int, str, str], list[Error]] = defaultdict(list)
    large = {(q, item["name"]) for q in fit.classes for item in fit.classes[q] if len(fit.in_class(q, item)) >= ENOUGH}
    for e in fit.errors:
        if (e.quantity, e.found.name) in large and e.found.level == "class":
            groups[0, e.quantity, e.found.name].append(e)
        elif e.found.level == "class":
            groups[1, "all of smaller classes", ""].append(e)
        else:
            groups[2, kind_of(e.quantity), BORROWED[e.found.level]].append(e)
    return [*lines_of(fit, groups)]


def lines_of(fit: Fit, groups: dict[tuple[int, str, str], list[Error]]) -> Iterable[Line]:
    """Lines in order; kinds with too few errors for a share of nine in ten join the small classes."""
    pooled = (1, "all of smaller classes", "")
    for key in [k for k, errors in groups.items() if k[0] == 2 and len(errors) < ENOUGH]:
        groups[pooled] += groups.pop(key)
    for (_, quantity, name), errors in sorted(groups.items(), key=lambda item: item[0]):
        yield Line(quantity, name, tuple(errors), tuple(fit.sigma(e.quantity, e.found) for e in errors))


def tabulate_audit(lines: list[Line]) -> Table:
    """The audit, a line each."""
    columns = (
        Column("quantity", lambda r: r.quantity, key="quantity"),
        Column("estimated from", lambda r: r.name, key="rule", fold=True),
        Column("GPUs", lambda r: r.gpus, str, "gpus"),
        Column("values", lambda r: len(r.errors), str, "values"),
        Column("median error", lambda r: r.typical, lambda v: format_percent(v, 1), "median_error"),
        Column("stated ±", lambda r: median(r.sigmas), lambda v: format_percent(v, 0), "relative_uncertainty"),
        Column("held", lambda r: r.held, lambda v: format_percent(v, 0), "held_fraction"),
        Column("worst", lambda r: r.worst.member.board.key, key="worst", fold=True),
    )
    return Table(columns, lines)


AUDIT_NOTE = (
    "Each measured GPU left out with all boards of its die and estimated from the rest. Held: share within 1.645 of "
    "the stated uncertainty, nine of ten if it is right. Classes of fewer than 8 GPUs are pooled."
)


def render_audit(lines: list[Line], width: int) -> str:
    """The audit as text."""
    wrong = [line for line in lines if not line.is_calibrated]
    summary = (
        f"{len(lines) - len(wrong)} of {len(lines)} lines hold {format_percent(HELD[0])} to {format_percent(HELD[1])}."
    )
    return folded("\n".join([*tabulate_audit(lines).lines(width), f"{summary} {AUDIT_NOTE}"]), width)
