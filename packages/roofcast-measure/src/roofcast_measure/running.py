"""The suite on a device: check every result, time every kernel in every configuration, keep what can be."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable, as_text
from roofcast.core.processor import Processor
from roofcast_measure.checks import Refusal, refusals, roofs_of, without
from roofcast_measure.closed_forms import evaluate
from roofcast_measure.driver import Driver, Launch, LoadedKernel
from roofcast_measure.inputs import TYPES, Arrays, compare, make_inputs
from roofcast_measure.programs import ITEM_BYTES, Array, Kernel, Program, Sizes, configuration_name
from roofcast_measure.references import expected_of
from roofcast_measure.tables import Row, amounts_of, kernel_table
from roofcast_measure.timing import FULL, QUICK, Buffers, Clockwork, Effort, Timed, copies_for

MEMORY_SHARE = 0.8
"""1; share of the free memory that a program's arrays may take."""
QUICK_CONFIGURATIONS = 2
"""Configurations of a program that a quick run measures, the first ones."""
Watch = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Measured:
    """A row and how its time was taken."""

    row: Row
    timed: Timed


@dataclass(frozen=True)
class SuiteResult:
    """What a run of the suite found."""

    table: KernelTable
    refused: tuple[str, ...]
    """Measurements that cannot be, one line each."""
    skipped: tuple[str, ...]
    """What was not measured, and why."""
    deviations: Mapping[str, float] = field(default_factory=dict)
    """Program -> largest deviation from its reference."""


class Placed:
    """Arrays of a program on the device."""

    def __init__(self, driver: Driver, program: Program, sizes: Sizes, arrays: Arrays) -> None:
        self.driver, self.program, self.sizes = driver, program, sizes
        self.buffers: Buffers = {}
        try:
            for array in program.arrays:
                self.buffers[array.name] = driver.allocate(array.bytes(sizes))
                self.fill(array, arrays)
        except BaseException:
            self.close()
            raise

    def fill(self, array: Array, arrays: Arrays) -> None:
        """Upload an array, repeating its start where it is longer than what the host holds."""
        content, buffer = arrays[array.name], self.buffers[array.name]
        for at in range(0, buffer.size_bytes, max(content.nbytes, 1)):
            count = min(content.nbytes, buffer.size_bytes - at) // content.itemsize
            self.driver.upload(buffer, content[:count], at)

    def close(self) -> None:
        """Give the memory back."""
        for buffer in self.buffers.values():
            self.driver.release(buffer)

    def launch(
        self, kernel: Kernel, loaded: LoadedKernel, further: Mapping[str, int], buffers: Buffers | None = None
    ) -> Launch:
        """A launch of one kernel; ``further`` holds step and repeat."""
        sizes = {**self.sizes, **further}
        grid, block = kernel.launch(sizes)
        where = buffers or self.buffers
        arguments = tuple((kind, sizes[n] if kind else where[n]) for n, kind in kernel.arguments)
        return Launch(loaded, grid, block, arguments)

    def sequence(
        self, loaded: Mapping[str, LoadedKernel], kernels: Sequence[Kernel], steps: Sequence[int]
    ) -> Iterator[Launch]:
        """The launches of a whole program over some steps."""
        for number, step in enumerate(steps):
            for kernel in kernels:
                if kernel.once and number:
                    continue
                for further in repeats(kernel, self.sizes):
                    yield self.launch(kernel, loaded[kernel.name], {"step": step, **further})

    def results(self) -> Arrays:
        """What the kernels wrote, on the host."""
        arrays: Arrays = {}
        for array in self.program.arrays:
            if array.is_result:
                arrays[array.name] = np.empty(
                    self.buffers[array.name].size_bytes // ITEM_BYTES[array.type], TYPES[array.type]
                )
                self.driver.download(self.buffers[array.name], arrays[array.name])
        return arrays


def repeats(kernel: Kernel, sizes: Sizes) -> list[dict[str, int]]:
    """Values of the size over which a kernel is launched again; one empty one where there is none."""
    if kernel.repeat is None:
        return [{}]
    name, count = kernel.repeat
    return [{name: value} for value in range(int(evaluate(count, sizes)))]


def run_now(driver: Driver, launches: Sequence[Launch]) -> None:
    """Run launches once and wait."""
    work = driver.prepare(launches)
    try:
        work.run()
        driver.wait()
    finally:
        work.close()


def verify(
    driver: Driver, program: Program, loaded: Mapping[str, LoadedKernel], kernels: Sequence[Kernel] | None = None
) -> float:
    """Largest deviation of a program from its float64 reference, on random data of small odd sizes."""
    sizes = program.sizes(program.check)
    inputs = make_inputs(program, sizes)
    expected = expected_of(program, inputs, sizes)
    placed = Placed(driver, program, sizes, inputs)
    try:
        steps = range(int(evaluate(program.steps, sizes)))
        for step in steps:
            chosen = [k for k in kernels or program.kernels if not (k.once and step)]
            run_now(driver, list(placed.sequence(loaded, chosen, [step])))
        return compare(program, placed.results(), expected)
    finally:
        placed.close()


def measure_program(
    clockwork: Clockwork, program: Program, effort: Effort, watch: Watch, skipped: list[str]
) -> tuple[list[Measured], float]:
    """Rows of every kernel in every configuration that fits into the memory, and the deviation from the reference."""
    driver = clockwork.driver
    loaded = driver.load(program.code)
    watch(f"{program.name}: check")
    off = verify(driver, program, loaded)
    rows: list[Measured] = []
    for configuration in program.configurations[: QUICK_CONFIGURATIONS if effort is QUICK else None]:
        name = configuration_name(configuration)
        sizes = program.sizes(configuration)
        needed = program.bytes(sizes)
        if needed > MEMORY_SHARE * driver.free_bytes():
            skipped.append(f"{program.name} {name}: needs {needed / 1e9:.1f} GB of device memory")
            continue
        watch(f"{program.name} {name}")
        placed = Placed(driver, program, sizes, make_inputs(program, sizes))
        try:
            # Later kernels of a program find what earlier ones leave.
            run_now(driver, list(placed.sequence(loaded, program.kernels, [int(sizes["step"])])))
            for kernel in program.kernels:
                for state, timed in time_kernel(clockwork, placed, kernel, loaded[kernel.name], effort):
                    row = Row(
                        program, kernel, loaded[kernel.name], configuration, sizes, state,
                        timed.time_s, timed.time_std_s, timed.conditions,
                    )  # fmt: skip
                    rows.append(Measured(row, timed))
        finally:
            placed.close()
    return rows, off


def time_kernel(
    clockwork: Clockwork, placed: Placed, kernel: Kernel, loaded: LoadedKernel, effort: Effort
) -> Iterator[tuple[str, Timed]]:
    """Cold and warm times of one kernel."""
    driver = clockwork.driver
    launch = placed.launch(kernel, loaded, {})
    once = clockwork.estimate(launch, effort)
    touched = placed.program.touched(kernel)
    bytes_each = sum(a.bytes(placed.sizes) for a in touched)
    copies = copies_for(once, bytes_each, driver.free_bytes(), effort)
    further: list[Buffers] = []
    try:
        for _ in range(copies - 1):
            further.append({})
            copy_into(driver, placed, touched, further[-1])
        cold = [launch, *(placed.launch(kernel, loaded, {}, {**placed.buffers, **b}) for b in further)]
        yield "cold", clockwork.cold(cold, effort)
    finally:
        for buffers in further:
            for buffer in buffers.values():
                driver.release(buffer)
    yield "warm", clockwork.warm(launch, effort)


def copy_into(driver: Driver, placed: Placed, arrays: Sequence[Array], buffers: Buffers) -> None:
    """A second set of the arrays that a kernel touches, with the same content."""
    for array in arrays:
        size = array.bytes(placed.sizes)
        content = np.empty(size, np.uint8)
        driver.download(placed.buffers[array.name], content)
        buffers[array.name] = driver.allocate(size)
        driver.upload(buffers[array.name], content)


def run_suite(
    driver: Driver,
    programs: Sequence[Program],
    processor: Processor | None = None,
    *,
    effort: Effort = FULL,
    watch: Watch = lambda _: None,
    advance: Callable[[], None] = lambda: None,
) -> SuiteResult:
    """Measure programs on a device.

    processor : the catalog's entry of the GPU, for its roofs. watch : told what is being done. advance : called after
    each program.
    """
    skipped: list[str] = []
    wrong: list[str] = []
    rows: list[Measured] = []
    deviations: dict[str, float] = {}
    clockwork = Clockwork(driver)
    try:
        for program in programs:
            try:
                measured, deviations[program.name] = measure_program(clockwork, program, effort, watch, skipped)
                rows += measured
            except RoofcastError as error:
                # One program that is wrong, or too large after all, says nothing of the others.
                wrong.append(f"refused {program.name}: {error}")
            advance()
        if not rows:
            raise RoofcastError(f"nothing was measured: {'; '.join((*wrong, *skipped)[:3]) or 'no configuration'}")
        table = table_of(rows, driver, clockwork.floor_s)
    finally:
        clockwork.close()
    return believed(table, driver, processor, clockwork.floor_s, wrong, skipped, deviations)


def believed(
    table: KernelTable,
    driver: Driver,
    processor: Processor | None,
    floor_s: float,
    wrong: Sequence[str],
    skipped: Sequence[str],
    deviations: Mapping[str, float],
) -> SuiteResult:
    """The rows that can be, and a line about each that cannot."""
    refused = refusals(table, roofs_of(driver.info, processor), driver.info.capacity_bytes_l2, floor_s)
    lines = (*wrong, *(describe(table, r) for r in refused))
    if len(refused) == len(table):
        raise RoofcastError(f"no measurement can be believed, no table was written; first: {lines[0]}")
    return SuiteResult(without(table, refused), lines, tuple(skipped), deviations)


def describe(table: KernelTable, refusal: Refusal) -> str:
    """One refused row as a line."""
    cells = [table.strings(n)[refusal.row] for n in ("kernel", "config")]
    return f"refused {' '.join(cells)}: {refusal.reason}"


def table_of(found: Sequence[Measured], driver: Driver, floor_s: float) -> KernelTable:
    """Measured rows as a kernel table."""
    rows, timed = [m.row for m in found], [m.timed for m in found]
    extra: dict[str, NDArray[Any]] = {
        "program": as_text(r.program.name for r in rows),
        "repetitions": np.array([float(t.repetitions) for t in timed]),
        "launches_per_batch": np.array([float(t.launches_per_batch) for t in timed]),
        "time_least_s": np.array([t.time_least_s for t in timed]),
        "launch_floor_s": np.full(len(rows), floor_s),
    }
    amounts = amounts_of(rows, driver.info.capacity_bytes_l2)
    return kernel_table(rows, driver.info, amounts, extra, "roofcast_suite", "roofcast measure suite")


def shrunk(program: Program, configurations: Sequence[Sizes]) -> Program:
    """The same program in other configurations."""
    return dataclasses.replace(program, configurations=tuple(configurations))
