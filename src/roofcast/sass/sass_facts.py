"""What the code in a report tells about each launch, here and on other architectures; kept by content hash.

A second look at the same report reads this from the cache, and neither the report nor any binary.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.core.errors import InputError, MissingExtraError, RoofcastError
from roofcast.core.version import VERSION
from roofcast.sass.cache import find, keep, key_of

if TYPE_CHECKING:
    from roofcast.sass.binaries import Request
    from roofcast.sass.comparison import Comparison
    from roofcast.sass.cubin import Cubin
    from roofcast.sass.reports import Executions, Report

FORMAT = "launch facts 7"
TENSOR = "tensor-core code is chosen per architecture"
MAX_PTX_BYTES = 2**21
"""PTX that is compiled on the way to a forecast: about three seconds for each architecture."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """One launch in its code for another architecture."""

    ratios: Mapping[str, float] = field(default_factory=dict)
    """FLOPs there over FLOPs here, where they differ."""
    bytes_local_added: float = 0.0
    registers_here: int | None = None
    registers: int | None = None
    """Registers there; None where the code is not the target's."""
    coverage: float | None = None
    """Share of the executed work whose blocks match; None without counts or code."""
    is_applied: bool = False
    told: tuple[str, ...] = ()
    """What differs, in words."""
    toolkit: str = ""
    """What building with the installed compiler alone would change on the source; '' where nothing."""
    unknown: str = ""
    """Why the code there is not known or not used; '' where it is."""


@dataclass(frozen=True, slots=True)
class LaunchFacts:
    """One launch."""

    kernel: str = ""
    """Linker name."""
    shown: str = ""
    """Name as the report prints it."""
    sm: int = 0
    """Architecture of the code that ran; 0 where the report does not hold it."""
    executed: Mapping[str, float] | None = None
    """Amounts by execution counts; None where the report has none, or they do not fit the code."""
    constant_moves: int = 0
    """Constant moves of the half-precision pipe in the code (how often they ran is in ``executed``)."""
    has_described_work: bool = False
    """Whether tensor instructions hold their shape in a descriptor, so that ``executed`` does not count them."""
    elsewhere: Mapping[int, Elsewhere] = field(default_factory=dict)
    """By architecture."""


@dataclass(frozen=True, slots=True)
class Given:
    """A binary for the targets, as the user gave it."""

    data: bytes
    name: str


def launch_facts(
    path: str | Path, launches: Sequence[int], sms: Sequence[int], given: Given | None = None, sha256: str = ""
) -> dict[int, LaunchFacts]:
    """Facts about some launches of a report, on its own and on other architectures.

    launches : their numbers in the report. sms : architectures as 70, 80 ... sha256 : the report's hash, under which
    the facts are kept; '' keeps nothing.

    Raises
    ------
    InputError : the report cannot be read.
    """
    if not sha256:
        return read_facts(path, launches, sms, given)
    # Deferred: finding the compiler is not needed where nothing is kept.
    from roofcast.sass.retarget import ptxas_version

    other = hashlib.sha256(given.data).hexdigest() + given.name if given is not None else ""
    wanted = json.dumps([sorted(set(launches)), sorted(set(sms))])
    key = key_of(FORMAT, VERSION, sha256, wanted, ptxas_version(), other)
    known = decoded(find(key))
    if known is None:
        known = read_facts(path, launches, sms, given)
        keep(key, encoded(known))
    return known


def encoded(facts: Mapping[int, LaunchFacts]) -> bytes:
    """Facts as bytes."""
    return json.dumps({str(k): dataclasses.asdict(v) for k, v in facts.items()}).encode()


def decoded(content: bytes | None) -> dict[int, LaunchFacts] | None:
    """Facts from bytes; None where there are none or they are not understood."""
    try:
        return None if content is None else {int(k): facts_from(v) for k, v in json.loads(content).items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def facts_from(values: Mapping[str, Any]) -> LaunchFacts:
    """Facts about one launch from JSON values."""
    there = {int(sm): Elsewhere(**{**v, "told": tuple(v["told"])}) for sm, v in values["elsewhere"].items()}
    return LaunchFacts(**{**values, "elsewhere": there})


def read_facts(
    path: str | Path, launches: Sequence[int], sms: Sequence[int], given: Given | None
) -> dict[int, LaunchFacts]:
    """Facts from the report itself."""
    from roofcast.sass.reports import open_report, parse_modules

    wanted = frozenset(launches)
    report = open_report(path, wanted)
    used = {report.launches[i].module for i in wanted if 0 <= i < len(report.launches)}
    cubins = parse_modules(report, used)
    others = {sm: other_binary(given, sm) for sm in sms} if given is not None else {}
    look = Look(report, cubins, tuple(sms), others, given is not None)
    look.prepare(wanted)
    return {i: look.at(i) for i in sorted(wanted)}


def other_binary(given: Given, sm: int) -> Cubin | RoofcastError:
    """The code for one architecture out of the binary that was given, or why there is none."""
    from roofcast.sass.binaries import cubin_for

    try:
        return cubin_for(given.data, given.name, sm)[0]
    except RoofcastError as error:
        return error


@dataclass
class Look:
    """One pass over a report."""

    report: Report
    cubins: Sequence[Cubin | None]
    sms: tuple[int, ...]
    others: Mapping[int, Cubin | RoofcastError]
    has_given: bool
    needed: dict[tuple[int, int | None], frozenset[str]] = field(default_factory=dict)
    """Module and register cap -> kernels that ran."""
    seen: dict[tuple[int, str, bytes], LaunchFacts] = field(default_factory=dict)
    """Launches of one kernel with the same counts have the same facts."""

    def cubin(self, launch: int) -> Cubin | None:
        """The binary that a launch ran; None where the report does not hold it."""
        module = self.report.launches[launch].module
        return self.cubins[module] if module >= 0 else None

    def prepare(self, launches: frozenset[int]) -> None:
        """Compile what all launches need in one go."""
        from roofcast.sass.binaries import prepare

        groups: dict[tuple[int, int | None], set[str]] = {}
        for i in launches:
            cubin = self.cubin(i) if 0 <= i < len(self.report.launches) else None
            if cubin is not None and cubin.ptx and not self.has_given:
                found = self.report.launches[i]
                function = cubin.function(found.mangled)
                if has_tensor_code(cubin, found.mangled):
                    continue  # nothing of it would be transferred
                groups.setdefault((found.module, function.register_cap if function else None), set()).add(found.mangled)
        self.needed = {key: frozenset(names) for key, names in groups.items()}
        requests = [r for key, names in self.needed.items() for r in self.requests(key, names)]
        if requests:
            try:
                prepare(requests)
            except MissingExtraError:
                return  # each comparison says so

    def requests(self, key: tuple[int, int | None], names: frozenset[str]) -> list[Request]:
        """Binaries to make for some kernels of a module: on its own architecture and on the others."""
        from roofcast.sass.binaries import Request

        cubin = self.cubins[key[0]]
        if cubin is None or ptx_size(cubin, names) > MAX_PTX_BYTES:
            return []
        others = [sm for sm in self.sms if sm != cubin.sm]
        return [Request(cubin.ptx, sm, key[1], names) for sm in ([cubin.sm, *others] if others else [])]

    def at(self, index: int) -> LaunchFacts:
        """Facts about one launch."""
        if not 0 <= index < len(self.report.launches):
            return LaunchFacts()
        launch, cubin = self.report.launches[index], self.cubin(index)
        if cubin is None:
            return LaunchFacts(launch.mangled, launch.kernel)
        counters = launch.counters
        counts = b"" if counters is None else hashlib.sha256(
            counters.addresses.tobytes() + counters.threads.tobytes() + counters.warps.tobytes()
        ).digest()  # fmt: skip
        key = launch.module, launch.mangled, counts
        if key not in self.seen:
            self.seen[key] = self.facts(index, cubin)
        return self.seen[key]

    def facts(self, index: int, cubin: Cubin) -> LaunchFacts:
        """Facts about one launch whose code is known."""
        from roofcast.sass.carry import executed_amounts
        from roofcast.sass.comparison import phantom_moves
        from roofcast.sass.opcodes import DESCRIBED
        from roofcast.sass.reports import executions_of

        launch = self.report.launches[index]
        counts = executions_of(launch, cubin, self.report.modules[launch.module])
        usable = counts if counts is not None and counts.is_complete else None
        there = {sm: self.compared(index, cubin, usable, sm) for sm in self.sms}
        done = executed_amounts(cubin, usable) if usable is not None else None
        return LaunchFacts(
            launch.mangled, launch.kernel, cubin.sm, done, phantom_moves(cubin, launch.mangled),
            has_code(cubin, launch.mangled, DESCRIBED),
            {sm: found for sm, found in there.items() if found is not None},
        )  # fmt: skip

    def compared(self, index: int, cubin: Cubin, counts: Executions | None, sm: int) -> Elsewhere | None:
        """One launch on one architecture; None where it is the same code."""
        from roofcast.sass.comparison import compare

        launch = self.report.launches[index]
        given = self.others.get(sm)
        if isinstance(given, RoofcastError):
            return Elsewhere(unknown=str(given))
        if given is None and sm == cubin.sm:
            return None
        if given is None and not cubin.ptx:
            return Elsewhere(unknown="no PTX in the report")
        if given is None and has_tensor_code(cubin, launch.mangled):
            return Elsewhere(unknown=TENSOR)
        function = cubin.function(launch.mangled)
        names = self.needed.get((launch.module, function.register_cap if function else None))
        if given is None and ptx_size(cubin, names or frozenset()) > MAX_PTX_BYTES:
            return Elsewhere(unknown="too much PTX to compile on the way; give --target-sass")
        try:
            return elsewhere(compare(cubin, launch.mangled, counts, sm, given, names))
        except MissingExtraError:
            return Elsewhere(unknown="retargeting its PTX needs the extra 'sass'")
        except InputError as error:
            return Elsewhere(unknown=str(error))


def has_tensor_code(cubin: Cubin, kernel: str) -> bool:
    """Whether a kernel's own code has tensor instructions."""
    from roofcast.sass.opcodes import TENSOR as OPERATIONS

    return has_code(cubin, kernel, OPERATIONS)


def has_code(cubin: Cubin, kernel: str, operations: tuple[str, ...]) -> bool:
    """Whether a kernel's own code has one of some operations."""
    from roofcast.sass.opcodes import decode

    function = cubin.function(kernel)
    return function is not None and bool(decode(function.code, cubin.sm).is_one_of(*operations).any())


def ptx_size(cubin: Cubin, names: frozenset[str]) -> int:
    """Bytes of PTX that hold some kernels."""
    from roofcast.sass.ptx_text import only_kernels

    total = sum(map(len, cubin.ptx))
    return total if total <= MAX_PTX_BYTES else sum(len(only_kernels(text, names).strip()) for text in cubin.ptx)


def elsewhere(found: Comparison) -> Elsewhere:
    """What a comparison says."""
    from roofcast.sass.comparison import NO_EFFECT, TOOLKIT_EFFECT
    from roofcast.sass.work import FLOPS

    if found.has_tensor_work:
        return Elsewhere(coverage=found.coverage, told=found.reasons, unknown=TENSOR)
    ratios: dict[str, float] = {}
    if found.is_applied and found.carried is not None:
        moved = {name: found.carried.ratio_of_work(name) for name in FLOPS}
        ratios = {name: r for name, r in moved.items() if r != 1.0 and 0 <= r < float("inf")}
    added = (found.bytes_local_there or 0.0) - (found.bytes_local_here or 0.0) if found.is_applied else 0.0
    toolkit = next((r for r in found.reasons if TOOLKIT_EFFECT in r and NO_EFFECT not in r), "")
    return Elsewhere(
        ratios, added, found.here.registers, found.there.registers, found.coverage, found.is_applied, found.reasons,
        toolkit,
    )  # fmt: skip
