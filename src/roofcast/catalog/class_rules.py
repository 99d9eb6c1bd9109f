r"""Class rules from what was measured: means of members, and how far a GPU that nobody measured may be from them.

A quantity of a GPU without a measurement is taken from the first of these that has one: other boards of its die (for
what the die decides), its class in ``estimates.toml``, the nearest measured generation of its vendor, the other
vendors. The stated uncertainty is one standard deviation sigma such that nine of ten GPUs, each left out together with
all boards of its die and estimated from the rest, lie within

.. math:: |\ln(v / m)| \le z \, \sigma, \qquad z = 1.645

v : measured. m : what the rules say without it. A logarithm, because half and double are equally wrong. Classes of at
least ``ENOUGH`` members take sigma from their own errors; smaller ones scale the spread of their members, drawn towards
that of all small classes of the kind, by one factor of the kind; borrowed values take the errors that borrowing makes
between measured generations (vendors).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import log
from statistics import mean
from typing import Any

from roofcast.catalog.derive import PINNED, PREFERRED, TENSOR, Facts, first_measured, tensor_peak
from roofcast.catalog.estimates import Board, Rules, fits
from roofcast.catalog.theory import Entry, merged_rates, peaks
from roofcast.core.normal import NINE_OF_TEN
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource

ENOUGH = 8
"""Members from which a class states its own uncertainty."""
FEW = 4
"""Errors of a kind from which borrowing states its own uncertainty for that kind."""
LEAST, MOST = 0.03, 0.95
"""Relative uncertainty of an estimate: two careful tools on one card differ by the least."""
PRIOR_MEMBERS = 2
"""Weight of the kind's spread beside a small class's own."""
OTHER_LINE_YEARS = 4
"""How much farther a generation of another line of the vendor is."""
PARTITIONS = ("-cpx", "-dpx", "-qpx")
COMPARABLE = "markdewing/"
"""Latencies of this source come from one loop on ten GPUs; other loops read 5 to 30 % less."""

KINDS = {
    "bytes_dram": "memory", "bytes_llc": "L2 and behind", "bytes_l2": "L2 and behind",
    "bytes_l1": "L1", "bytes_shared": "L1",
    "bytes_host_link": "links", "latency_cycles": "latencies", "launch_floor": "launches", "tensor": "matrix units",
    "atomics_l2": "atomics", "flops_fp64": "vector units", "flops_fp32": "vector units", "flops_fp16": "vector units",
}  # fmt: skip
BY_DIE = ("latency_cycles", "bytes_l1", "bytes_l2", "bytes_shared", "atomics_l2")
BY_MEMORY = ("latency_cycles:dram",)
"""What boards of one die share if their memory is of one type and their segment the same."""
ALIKE = {"bytes_dram:copy": ("copy", "tensor_copy")}
"""Quantities of rules that several kinds of measurement speak to, the better first."""
CLASS_ONLY = ("latency_cycles:l2_far", "latency_cycles:llc", "bytes_l1:load_4b", "bytes_l1", "insts_lsu")
"""Quantities that only GPUs of their classes have."""


def kind_of(quantity: str) -> str:
    """Return what errors are pooled over.

    >>> kind_of("bytes_dram:triad"), kind_of("latency_cycles:l2")
    ('memory', 'latencies')
    """
    return KINDS.get(quantity.partition(":")[0], "others")


@dataclass(frozen=True)
class Member:
    """One measured GPU: its value in the unit of the rules."""

    board: Board
    value: float


@dataclass(frozen=True)
class Found:
    """What the rules say of a quantity of one GPU."""

    level: str
    """die, class, nearest or vendors."""
    name: str
    mean: float
    members: tuple[Member, ...] = ()


def observed(quantity: str, entry: Entry, architecture: Entry) -> float | None:
    """The measured value of a quantity in the unit of its rules; None where nobody measured it."""
    facts = Facts(entry, architecture, Rules({}), peaks(entry, architecture), first_measured(entry))
    head, _, kind = quantity.partition(":")
    if head == "latency_cycles":
        chains = [i for i in entry["measured"] if i["quantity"] == quantity and i["source"].startswith(COMPARABLE)]
        if chains:
            return float(chains[0]["value"].split()[0])
    if head in ("latency_cycles", "launch_floor"):
        return of_first(facts, (quantity,))
    if head == "tensor":
        # Mean share of the peak that matrix products of a library reach, over the types that were measured.
        shares = [
            facts.measured[f"{r.value}:matmul"][0] / peak
            for r in TENSOR
            if f"{r.value}:matmul" in facts.measured and (peak := tensor_peak(facts, r))
        ]
        return mean(shares) if shares else None
    resource = Resource(head)
    per_clock = head in ("bytes_l1", "bytes_l2", "atomics_l2") and quantity != "bytes_l1:load_16b"
    kinds = ALIKE.get(quantity) or ((kind,) if kind else PREFERRED.get(resource, ("",)))
    rates = merged_rates(entry, architecture)
    wide = rates.get("l1_bytes_load_16b", 0.0)
    if kind == "load_16b" and resource is Resource.BYTES_L1 and wide == rates.get("l1_bytes_load_4b"):
        kinds = ("load_16b", *PREFERRED[Resource.BYTES_L1])
    value = of_first(facts, [f"{head}:{k}".rstrip(":") for k in kinds])
    over = facts.clocks if per_clock else facts.peak.get(Resource.BYTES_DRAM if head == "bytes_llc" else resource)
    if quantity == "bytes_l1:load_16b":
        over = wide * facts.clocks
    if value is None or not over:
        return None
    share = value / over
    # Slower transfers were of pageable memory or in a narrower slot; faster ones did not cross the link.
    return None if head == "bytes_host_link" and not PINNED <= share <= 1 else share


def of_first(facts: Facts, quantities: Iterable[str]) -> float | None:
    """The first of several quantities that was measured."""
    return next((facts.measured[q][0] for q in quantities if q in facts.measured), None)


class Fit:
    """The rules of all quantities, from the measured entries."""

    def __init__(
        self, estimates: Mapping[str, Any], entries: Iterable[Entry], architectures: Mapping[str, Entry]
    ) -> None:
        self.classes: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for item in estimates["class"]:
            for quantity in item["quantities"]:
                self.classes[quantity].append(item)
        lines = estimates["generations"]
        self.vendors = {key: line["vendor"] for line in lines.values() for key in line if key != "vendor"}
        self.years = {key: (name, line[key]) for name, line in lines.items() for key in line if key != "vendor"}
        self.architectures = list(architectures)
        usable = [e for e in entries if e.get("measured") and e["architecture"] in architectures]
        boards = [(Board.of(e), e) for e in usable if not e["key"].endswith(PARTITIONS)]
        self.members: dict[str, list[Member]] = {}
        for quantity in self.classes:
            values = [(b, observed(quantity, e, architectures[b.architecture])) for b, e in boards]
            self.members[quantity] = [Member(b, v) for b, v in values if v is not None]
        self.errors = list(self.left_out())
        self.sigmas = self.uncertainties()

    def class_of(self, quantity: str, board: Board) -> Mapping[str, Any] | None:
        """The first class of a quantity that a board fits."""
        return next((c for c in self.classes[quantity] if fits(c, board)), None)

    def in_class(self, quantity: str, item: Mapping[str, Any]) -> list[Member]:
        """Members whose class it is."""
        return [m for m in self.members[quantity] if self.class_of(quantity, m.board) is item]

    def find(self, quantity: str, board: Board, without: str = "") -> Found | None:
        """Return what the rules say of a quantity of a board, without all boards of a die."""
        of_die = [] if without else [m for m in self.members[quantity] if same_die(quantity, m.board, board)]
        if of_die:
            return Found("die", board.chip, mean(m.value for m in of_die), tuple(of_die))
        item = self.class_of(quantity, board)
        if item is not None:
            if "mean" in item:
                return Found("class", item["name"], float(item["mean"]))
            rest = [m for m in self.in_class(quantity, item) if m.board.chip != without]
            if rest:
                return Found("class", item["name"], mean(m.value for m in rest), tuple(rest))
        if class_only(quantity):
            return None
        return self.nearest(quantity, board.architecture, item, without) or self.across(quantity, board.vendor, without)

    def nearest(
        self, quantity: str, architecture: str, but: Mapping[str, Any] | None = None, without: str = ""
    ) -> Found | None:
        """The class of the same vendor whose measured members are nearest in generation."""
        best: tuple[float, Found] | None = None
        for item in self.classes[quantity]:
            members = [
                m
                for m in self.in_class(quantity, item)
                if m.board.vendor == self.vendors[architecture] and m.board.chip != without
            ]
            # What holds for one type of memory says nothing about generations.
            if item is but or not members or "memory" in item:
                continue
            far = min(self.distance(architecture, m.board.architecture) for m in members)
            if best is None or far < best[0]:
                best = far, Found("nearest", item["name"], mean(m.value for m in members), tuple(members))
        return best[1] if best else None

    def distance(self, one: str, other: str) -> float:
        """Years between two architectures, more between lines; one that no line has is far from all."""
        if one not in self.years or other not in self.years:
            return 1e3
        (line, year), (line_2, year_2) = self.years[one], self.years[other]
        return float(abs(year - year_2) + OTHER_LINE_YEARS * (line != line_2))

    def across(self, quantity: str, vendor: str, without: str = "") -> Found | None:
        """Mean of the means of the other vendors."""
        by_vendor: dict[str, list[Member]] = defaultdict(list)
        for m in self.members[quantity]:
            if m.board.vendor != vendor and m.board.chip != without:
                by_vendor[m.board.vendor].append(m)
        if not by_vendor:
            return None
        means = [mean(m.value for m in members) for members in by_vendor.values()]
        together = tuple(m for members in by_vendor.values() for m in members)
        return Found("vendors", " and ".join(sorted(by_vendor)), mean(means), together)

    def left_out(self) -> Iterable[Error]:
        """Every measured value against what the rules say without its die, its generation and its vendor."""
        for quantity, members in self.members.items():
            for m in members:
                chip = m.board.chip
                boards = [o for o in members if o is not m and same_die(quantity, o.board, m.board)]
                if boards:
                    yield Error(quantity, m, Found("die", chip, mean(o.value for o in boards), tuple(boards)))
                estimate = self.find(quantity, m.board, without=chip)
                if estimate is not None:
                    yield Error(quantity, m, estimate)
                if class_only(quantity):
                    continue
                item = self.class_of(quantity, m.board)
                near = self.nearest(quantity, m.board.architecture, item, chip)
                if near is not None and estimate is not None and estimate.level == "class":
                    yield Error(quantity, m, near)
                far = self.across(quantity, m.board.vendor, chip)
                if far is not None and estimate is not None and estimate.level != "vendors":
                    yield Error(quantity, m, far)

    def uncertainties(self) -> dict[tuple[str, str, str], float]:
        """(level, quantity, class) -> sigma; levels that pool a kind have the kind instead, and no class."""
        sigmas: dict[tuple[str, str, str], float] = {}
        for level in ("die", "nearest", "vendors"):
            of_level = [e for e in self.errors if e.found.level == level]
            for kind in {*KINDS.values(), "others"}:
                relative = [e.relative for e in of_level if kind_of(e.quantity) == kind]
                sigmas[level, kind, ""] = sigma_of(relative if len(relative) >= FEW else [e.relative for e in of_level])
        small: dict[str, list[tuple[float, float]]] = defaultdict(list)
        spreads = self.spreads()
        for e in self.errors:
            if e.found.level == "class" and (e.quantity, e.found.name) in spreads:
                small[kind_of(e.quantity)].append((e.relative, spreads[e.quantity, e.found.name]))
        every = [pair for pairs in small.values() for pair in pairs]
        factors = {k: nine_tenths([r / s for r, s in p]) for k, p in small.items() if len(p) >= ENOUGH}
        general = nine_tenths([r / s for r, s in every])
        for quantity, classes in self.classes.items():
            for item in classes:
                key = quantity, item["name"]
                relative = [
                    e.relative for e in self.errors if e.found.level == "class" and (e.quantity, e.found.name) == key
                ]
                if key in spreads:
                    sigmas["class", *key] = bounded(spreads[key] * factors.get(kind_of(quantity), general))
                elif relative:
                    sigmas["class", *key] = sigma_of(relative)
        return sigmas

    def spreads(self) -> dict[tuple[str, str], float]:
        """(quantity, class) -> relative standard deviation of a small class, drawn towards that of its kind."""
        squares: dict[tuple[str, str], tuple[float, int]] = {}
        for quantity, classes in self.classes.items():
            for item in classes:
                values = [m.value for m in self.in_class(quantity, item)]
                if "mean" not in item and 0 < len(values) < ENOUGH:
                    middle = mean(values)
                    squares[quantity, item["name"]] = sum(log(v / middle) ** 2 for v in values), len(values) - 1
        prior: dict[str, float] = {}
        for kind in {kind_of(q) for q, _ in squares}:
            pairs = [v for (q, _), v in squares.items() if kind_of(q) == kind]
            freedom = sum(n for _, n in pairs)
            prior[kind] = max(sum(s for s, _ in pairs) / freedom, LEAST**2) if freedom else 0.1**2
        return {
            (q, name): ((s + PRIOR_MEMBERS * prior[kind_of(q)]) / (n + PRIOR_MEMBERS)) ** 0.5
            for (q, name), (s, n) in squares.items()
        }

    def sigma(self, quantity: str, found: Found) -> float:
        """Stated relative uncertainty of what the rules say."""
        if found.level == "class":
            return self.sigmas["class", quantity, found.name]
        return self.sigmas[found.level, kind_of(quantity), ""]

    def rules(self) -> list[dict[str, Any]]:
        """All rules as the index has them, in the order in which they are tried."""
        listed: list[dict[str, Any]] = []
        for quantity in self.classes:
            listed += self.die_rules(quantity)
            listed += self.class_rules(quantity)
            listed += self.borrowed_rules(quantity)
        return listed

    def die_rules(self, quantity: str) -> Iterable[dict[str, Any]]:
        """Return what a measured board says about others of its die."""
        groups: dict[tuple[str, str, str], list[Member]] = defaultdict(list)
        for m in self.members[quantity]:
            if quantity.startswith(BY_MEMORY):
                groups[m.board.chip, m.board.memory, m.board.segment].append(m)
            elif quantity.startswith(BY_DIE):
                groups[m.board.chip, "", ""].append(m)
        for (chip, memory, segment), members in groups.items():
            rule: dict[str, Any] = {"quantity": quantity, "class": f"boards of {chip}", "chip": chip}
            rule |= {"architectures": sorted({m.board.architecture for m in members})}
            rule |= {"memory": [memory], "segments": [segment]} if memory else {}
            sigma = self.sigmas["die", kind_of(quantity), ""]
            yield rule | described(mean(m.value for m in members), sigma, members)

    def class_rules(self, quantity: str) -> Iterable[dict[str, Any]]:
        """Classes with members, or with a value that is written down."""
        for item in self.classes[quantity]:
            rule = {"quantity": quantity, "class": item["name"], "architectures": item["architectures"]}
            rule |= {k: item[k] for k in ("segments", "memory", "without", "sm_count_most") if k in item}
            members = self.in_class(quantity, item)
            if "mean" in item:
                stated = {k: item[k] for k in ("mean", "relative_uncertainty", "note")}
                yield rule | stated | {"source": "broader"}
            elif members:
                # A class of one die was never estimated from itself: other generations say how far that goes.
                key = ("class", quantity, item["name"])
                sigma = self.sigmas.get(key) or self.sigmas["die", kind_of(quantity), ""]
                yield rule | described(mean(m.value for m in members), sigma, members)

    def borrowed_rules(self, quantity: str) -> Iterable[dict[str, Any]]:
        """For every architecture the nearest generation, or the other vendors; classes come first where they fit."""
        if class_only(quantity):
            return
        same: dict[tuple[str, str], list[str]] = defaultdict(list)
        values: dict[tuple[str, str], Found] = {}
        for key in self.architectures:
            if key not in self.vendors:
                continue
            estimate = self.nearest(quantity, key) or self.across(quantity, self.vendors[key])
            if estimate is not None:
                same[estimate.level, estimate.name].append(key)
                values[estimate.level, estimate.name] = estimate
        for (level, name), keys in same.items():
            estimate = values[level, name]
            lead = "nearest measured generation" if level == "nearest" else "other vendors"
            rule = {"quantity": quantity, "class": f"{lead}: {name}", "architectures": keys, "exact": True}
            yield rule | described(estimate.mean, self.sigma(quantity, estimate), estimate.members) | {"source": level}


@dataclass(frozen=True)
class Error:
    """A measured value against what the rules say without it."""

    quantity: str
    member: Member
    found: Found

    @property
    def relative(self) -> float:
        """ln(v / m)."""
        return log(self.member.value / self.found.mean)


def same_die(quantity: str, one: Board, other: Board) -> bool:
    """Return whether a measurement on one board stands for the other."""
    if one.chip != other.chip:
        return False
    if quantity.startswith(BY_MEMORY):
        return (one.memory, one.segment) == (other.memory, other.segment)
    return quantity.startswith(BY_DIE)


def class_only(quantity: str) -> bool:
    """Return whether a quantity is not borrowed. The share of wide loads is: widths themselves are specified."""
    return quantity.startswith(CLASS_ONLY) and quantity != "bytes_l1:load_16b"


def described(value: float, sigma: float, members: Sequence[Member]) -> dict[str, Any]:
    """Value, uncertainty and members of a rule."""
    # Launch floors are microseconds: significant digits, not decimals.
    rule: dict[str, Any] = {"mean": float(f"{value:.6g}"), "relative_uncertainty": round(sigma, 4)}
    return rule | {"n_gpus": len(members), "gpus": sorted(m.board.key for m in members), "source": "measured"}


def bounded(sigma: float) -> float:
    """A relative uncertainty within what is believable."""
    return min(max(sigma, LEAST), MOST)


def sigma_of(errors: Sequence[float]) -> float:
    """Relative uncertainty such that nine of ten errors lie within it."""
    return bounded(nine_tenths(errors)) if errors else MOST


def nine_tenths(errors: Sequence[float]) -> float:
    """Standard deviation such that nine of ten errors lie within ``NINE_OF_TEN`` of it.

    The bound lies half-way between the largest error that is within and the smallest that is not: of eight errors one
    is outside, of twenty-five two or three.

    >>> round(nine_tenths([0.01, -0.02, 0.03, 0.04, 0.05, -0.06, 0.07, 0.09]) * NINE_OF_TEN, 3)
    0.08
    """
    ordered = sorted(abs(e) for e in errors)
    outside = max(1, round(0.1 * len(ordered))) if len(ordered) >= ENOUGH else 0
    within = ordered[len(ordered) - outside - 1]
    beyond = ordered[len(ordered) - outside] if outside else within
    return 0.5 * (within + beyond) / NINE_OF_TEN
