"""Reading a report's code: what each launch executed, and what its code for other architectures would."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

from roofcast.core.errors import InputError, MissingExtraError, RoofcastError
from roofcast.core.records import dataclass
from roofcast.sass.binaries import choose_cubin
from roofcast.sass.carry import sum_executed
from roofcast.sass.code_comparison import NO_EFFECT, TOOLKIT_EFFECT, Comparison, compare, count_phantom_moves
from roofcast.sass.cubin import Cubin
from roofcast.sass.executions import Executions, Report, executions_of, open_report, parse_modules
from roofcast.sass.instructions import DESCRIBED, TENSOR, decode
from roofcast.sass.launch_facts import Elsewhere, Given, LaunchFacts
from roofcast.sass.retarget import Request, only_kernels, prepare
from roofcast.sass.work import FLOPS

TENSOR_CODE = "tensor-core code is chosen per architecture"
MAX_PTX_BYTES = 2**21
"""PTX that is compiled on the way to a forecast: about three seconds for each architecture."""


def read_facts(
    path: str | Path, launches: Sequence[int], sms: Sequence[int], given: Given | None
) -> dict[int, LaunchFacts]:
    """Facts from the report itself."""
    wanted = frozenset(launches)
    report = open_report(path, wanted)
    used = {report.launches[i].module for i in wanted if 0 <= i < len(report.launches)}
    cubins = parse_modules(report, used)
    others = {sm: pick_binary(given, sm) for sm in sms} if given is not None else {}
    look = Look(report, cubins, tuple(sms), others, given is not None)
    look.prepare(wanted)
    return {i: look.at(i) for i in sorted(wanted)}


def pick_binary(given: Given, sm: int) -> Cubin | RoofcastError:
    """The code for one architecture out of the binary that was given, or why there is none."""
    try:
        return choose_cubin(given.data, given.name, sm)[0]
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
        groups: dict[tuple[int, int | None], set[str]] = {}
        for i in launches:
            cubin = self.cubin(i) if 0 <= i < len(self.report.launches) else None
            if cubin is not None and cubin.ptx and not self.has_given:
                launch = self.report.launches[i]
                function = cubin.function(launch.mangled)
                if has_tensor_code(cubin, launch.mangled):
                    continue  # nothing of it would be transferred
                groups.setdefault((launch.module, function.register_cap if function else None), set()).add(
                    launch.mangled
                )
        self.needed = {key: frozenset(names) for key, names in groups.items()}
        requests = [r for key, names in self.needed.items() for r in self.requests(key, names)]
        if requests:
            try:
                prepare(requests)
            except MissingExtraError:
                return  # each comparison says so

    def requests(self, key: tuple[int, int | None], names: frozenset[str]) -> list[Request]:
        """Binaries to make for some kernels of a module: on its own architecture and on the others."""
        cubin = self.cubins[key[0]]
        if cubin is None or measure_ptx(cubin, names) > MAX_PTX_BYTES:
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
        launch = self.report.launches[index]
        counts = executions_of(launch, cubin, self.report.modules[launch.module])
        usable = counts if counts is not None and counts.is_complete else None
        there = {sm: self.compared(index, cubin, usable, sm) for sm in self.sms}
        done = sum_executed(cubin, usable) if usable is not None else None
        return LaunchFacts(
            launch.mangled, launch.kernel, cubin.sm, done, count_phantom_moves(cubin, launch.mangled),
            has_code(cubin, launch.mangled, DESCRIBED),
            {sm: code for sm, code in there.items() if code is not None},
        )  # fmt: skip

    def compared(self, index: int, cubin: Cubin, counts: Executions | None, sm: int) -> Elsewhere | None:
        """One launch on one architecture; None where it is the same code."""
        launch = self.report.launches[index]
        given = self.others.get(sm)
        if isinstance(given, RoofcastError):
            return Elsewhere(unknown=str(given))
        if given is None and sm == cubin.sm:
            return None
        if given is None and not cubin.ptx:
            return Elsewhere(unknown="no PTX in the report")
        if given is None and has_tensor_code(cubin, launch.mangled):
            return Elsewhere(unknown=TENSOR_CODE)
        function = cubin.function(launch.mangled)
        names = self.needed.get((launch.module, function.register_cap if function else None))
        if given is None and measure_ptx(cubin, names or frozenset()) > MAX_PTX_BYTES:
            return Elsewhere(unknown="too much PTX to compile on the way; give --target-sass")
        try:
            return summarise_comparison(compare(cubin, launch.mangled, counts, sm, given, names))
        except MissingExtraError:
            return Elsewhere(unknown="retargeting its PTX needs the extra 'sass'")
        except InputError as error:
            return Elsewhere(unknown=str(error))


def has_tensor_code(cubin: Cubin, kernel: str) -> bool:
    """Whether a kernel's own code has tensor instructions."""
    return has_code(cubin, kernel, TENSOR)


def has_code(cubin: Cubin, kernel: str, operations: tuple[str, ...]) -> bool:
    """Whether a kernel's own code has one of some operations."""
    function = cubin.function(kernel)
    return function is not None and bool(decode(function.code, cubin.sm).is_one_of(*operations).any())


def measure_ptx(cubin: Cubin, names: frozenset[str]) -> int:
    """Bytes of PTX that hold some kernels."""
    total = sum(map(len, cubin.ptx))
    return total if total <= MAX_PTX_BYTES else sum(len(only_kernels(text, names).strip()) for text in cubin.ptx)


def summarise_comparison(found: Comparison) -> Elsewhere:
    """What a comparison says."""
    if found.has_tensor_work:
        return Elsewhere(coverage=found.coverage, told=found.reasons, unknown=TENSOR_CODE)
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
