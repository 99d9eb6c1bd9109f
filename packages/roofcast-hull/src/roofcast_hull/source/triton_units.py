r"""The class of a Triton kernel from what its stored elements follow from, however it is written.

Some programs of the launch run (:mod:`.triton_trace`). Stored elements beside each other that share most of their work
and what they sum up are one unit of work. With B(u) the box of an input's elements that unit u follows from, in the
input's own dimensions, along each dimension B is

.. math:: [0, n) \;(whole), \qquad [e v, e v + e) \;(tile), \qquad [v - a, v + b] \cap [0, n) \;(neighbourhood)

v : a digit of the unit's number, :math:`\lfloor u / p \rfloor \bmod m`. Every unit that was looked at must agree.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from roofcast.core.errors import one_line
from roofcast_hull.bounds import ELEMENT_TYPES
from roofcast_hull.classes import count_all_applications
from roofcast_hull.notation import ClassTextError, parse_class
from roofcast_hull.source.found_class import Found, find_mean
from roofcast_hull.source.nest import SourceError, refuse
from roofcast_hull.source.numpy_values import BYTES
from roofcast_hull.source.triton_host import TritonLaunch, find_launch
from roofcast_hull.source.triton_memory import name_whole
from roofcast_hull.source.triton_patterns import (
    Along,
    Digit,
    Fitted,
    measure_part,
    render,
    render_stored,
    widen,
)
from roofcast_hull.source.triton_programs import (
    ALMOST_ALL,
    MOST,
)
from roofcast_hull.source.triton_rows import find_row_starts
from roofcast_hull.source.triton_steps import Ints, find_stages, follow
from roofcast_hull.source.triton_unit_patterns import UnitPatterns, is_at_border

BOUNDED = "data may end a loop before its bound: all turns up to there are counted"
"""Note of a class."""
ELEMENTS = {
    "float16": "fp16", "half": "fp16", "bfloat16": "bf16", "float32": "fp32", "float": "fp32", "float64": "fp64",
    "double": "fp64", "uint8": "int8", "bool": "int8", "int": "int32", "long": "int64",
}  # fmt: skip
"""Names of the notation."""


class Units(UnitPatterns):
    """The class of one launch."""

    def __init__(
        self, function: ast.FunctionDef, launch: TritonLaunch, apart: frozenset[str] = frozenset()
    ) -> None:  # fmt: skip
        super().__init__(function, launch, apart)
        self.added: list[str] = []
        """Arrays that programs add to beside others that they store."""

    def classify(self) -> Found:
        """The class.

        Raises
        ------
        SourceError : no pattern fits.
        """
        self.run_programs()
        stored = dict.fromkeys(s.array for t in self.traces for s in t.stores)
        added = {s.array for t in self.traces for s in t.stores if s.added}
        if not stored:
            raise self.refuse("its programs store nothing")
        if any(s.array in added and not s.added for t in self.traces for s in t.stores):
            raise self.refuse("it stores to an array and adds to it")
        if not added:
            stored = dict.fromkeys(part for a in stored for part in self.take_part(a))
        arrays = sorted(stored, key=lambda a: -self.tensors[a].elements)
        self.added = [a for a in arrays if a in added] if added != set(stored) else []
        plain = [a for a in arrays if a not in self.added]
        return self.classify_added(arrays) if added and not self.added else self.classify_stored(plain)

    def classify_stored(self, arrays: Sequence[str]) -> Found:
        """The class of arrays that programs store."""
        extents: dict[str, tuple[int, ...]] = {}
        for array in arrays:
            mean = sum(len(self.locate(t, array)[0]) for t in self.traces[: self.fair]) / self.fair
            least = ALMOST_ALL if self.fair == self.programs else MOST
            if mean * self.programs < least * self.tensors[array].elements:
                raise self.refuse(f"it stores a part of '{one_line(array, 40)}' alone")
            extents[array] = self.find_members(array)
            if not extents[array]:
                self.split(array)
                extents[array] = self.find_extents(array)
            if any(s % e for s, e in zip(self.shape(array), extents[array], strict=True)):
                raise self.refuse(f"units of work do not divide '{one_line(array, 40)}'")
        try:
            return self.fit_stored(extents)
        except SourceError:
            members = {a: self.find_members(a, apart=True) or e for a, e in extents.items()}
            for joined in (
                extents, members, *self.join_units(extents), self.take_programs(extents), self.scale_units(extents)
            ):  # fmt: skip
                with suppress(SourceError):
                    if joined and joined != extents:
                        return self.fit_stored(joined)
                with suppress(SourceError):
                    if joined and len(extents) > 1:
                        return self.fit_stored(joined, together=True)
            raise

    def fit_stored(self, extents: Mapping[str, tuple[int, ...]], *, together: bool = False) -> Found:
        """The class of arrays of which units write so many elements along each dimension.

        together : a unit of one number follows from what it follows from for each of the arrays.
        """
        inputs: dict[str, list[Along]] = {}
        outputs: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = []
        self.gathered = {}
        every = self.looked = {a: self.look(a, e) for a, e in extents.items()}
        if together:
            every = dict.fromkeys(extents, self.join_asked(extents, every))
        for array, extent in extents.items():
            shape = self.shape(array)
            counts = self.count_units(array, extent)
            asked = every[array]
            for name in sorted({a for u in asked for a in u.taken}):
                taking = [u for u in asked if name in u.taken]
                fitted = self.fit(name, taking, counts)
                if name in inputs and list(map(measure_part, inputs[name])) != list(map(measure_part, fitted)):
                    raise self.refuse(f"its results follow from different parts of '{one_line(name, 40)}'")
                left = [u for u in asked if name not in u.taken]
                many = len(taking) < ALMOST_ALL * len(asked) and not all(is_at_border(u.number, counts) for u in left)
                if many and not any(a.overlaps for a in fitted):
                    raise self.refuse(f"some units take nothing of '{one_line(name, 40)}'")
                inputs.setdefault(name, fitted)
            outputs.append((array, shape, extent))
        for array in self.added:
            inputs |= self.fit_terms(array, {*inputs, *self.gathered})
            outputs.append((array, self.shape(array), ()))
        return self.record(inputs, outputs, self.count_operations([*extents]))

    def classify_added(self, arrays: Sequence[str]) -> Found:
        """The class of arrays that programs add to: elements that follow from tiles, or sums that all add to.

        Raises
        ------
        SourceError : what they add is followed from no pattern, or it is not known which programs add to one element.
        """
        chosen = any(t.binned or any(s.chosen for s in t.stores) for t in self.traces)
        if chosen or (len(self.traces) < self.programs and all(map(self.is_shared, arrays))):
            return self.classify_shared(arrays)
        inputs: dict[str, list[Along]] = {}
        outputs: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = []
        for array in arrays:
            shape = self.shape(array)
            asked = self.ask_sums(array)
            names = sorted({a for u in asked for a in u.taken})
            fitted = {a: self.fit(a, [u for u in asked if a in u.taken], shape) for a in names}
            dealt = all(
                math.prod(x.extent for x in along) * math.prod(shape) == math.prod(x.size for x in along)
                for along in fitted.values()
            )
            if dealt:
                # Each term is of one sum.
                fitted = {a: [Along(x.size, 1, Digit(1, x.size)) for x in along] for a, along in fitted.items()}
            outputs.append((array, shape, () if dealt else (1,) * len(shape)))
            if any(inputs.get(a, along) != along for a, along in fitted.items()):
                raise self.refuse("it adds to several arrays from different parts of others")
            inputs |= fitted
        if len({bool(e) for *_, e in outputs}) > 1:
            raise self.refuse("it adds up all of some arrays, and parts of others")
        return self.record(inputs, outputs, self.count_operations(arrays, of_programs=True))

    def classify_shared(self, arrays: Sequence[str]) -> Found:
        """The class of sums that every program adds to, or of which data choose one for each element.

        Each program's terms follow from elements of its own, which are units then, or from all.

        Raises
        ------
        SourceError : several programs take the same elements of an array, and not all do.
        """
        taken: list[dict[str, Ints]] = []
        chosen: list[dict[str, int]] = []
        for trace in self.traces:
            asked = {k: np.arange(len(s.lanes)) for k, s in enumerate(trace.stores) if len(s.lanes)}
            if asked:
                answer = follow(trace, [asked])
                taken.append(answer.taken[0])
                chosen.append(answer.chosen[0])
        inputs = self.fit_programs(taken)
        units = max((sum(len(t[a]) for t in taken if a in t) for a, x in inputs.items() if x[0].digit), default=0)
        for name in sorted({a for c in chosen for a in c}):
            number, rest = divmod(sum(c.get(name, 0) for c in chosen), max(1, units))
            if name in inputs or rest or not number:
                raise self.refuse(f"data decide which elements of '{one_line(name, 40)}' it takes, and how many")
            self.gathered[name] = number
        outputs = [(a, self.shape(a), ()) for a in arrays]
        return self.record(inputs, outputs, self.count_operations(arrays, of_programs=True))

    def record(
        self, inputs: Mapping[str, Sequence[Along]], outputs: Sequence[tuple[str, tuple[int, ...], tuple[int, ...]]],
        operations: float,
    ) -> Found:  # fmt: skip
        """The class of some arrays."""
        if not inputs and not self.gathered and not operations:
            raise self.refuse("its results follow from no array")
        if [math.prod(s) for _, s, _ in outputs] == [1] and all(
            x.digit is None for along in inputs.values() for x in along
        ):
            # One sum: its terms are the units.
            inputs = {a: [Along(x.size, 1, Digit(1, x.size)) for x in along] for a, along in inputs.items()}
            outputs = [(a, s, ()) for a, s, _ in outputs]
        fitted = self.list_apart(inputs) if self.apart else [render(a, along) for a, along in inputs.items()]
        for name in self.launch.rows:
            rows = self.tensors[name].elements - 1
            fitted.append(Fitted(name, f"{rows}|neighbourhood(2)", rows))
        for name in self.gathered:
            number, whole = self.gathered[name], "x".join(map(str, self.shape(name)))
            text = f"{whole}|gather({number})" if number > 1 else f"{whole}|gather"
            fitted.append(Fitted(name, text, self.tensors[name].elements))
        written = list(outputs)
        if len(fitted) == 1 and inputs and all(e for *_, e in outputs):
            written = [(a, s, widen(next(iter(inputs.values())), s, e)) for a, s, e in outputs]
        texts = [render_stored(array, shape, extents) for array, shape, extents in written]
        texts = [self.name_stage(fitted, t) or t for t in texts]
        try:
            algorithm = parse_class(
                f"{' & '.join(f.text for f in fitted) or 'void'} -> {' & '.join(f.text for f in texts)}"
            )
        except ClassTextError as error:
            raise self.refuse(f"its footprints make no class: {one_line(str(error), 120)}") from error
        every = [*fitted, *texts]
        widths = [BYTES[self.tensors[f.array].dtype] for f in every]
        names = [name_whole(f.array) for f in every]
        sides = list(zip(names, (*algorithm.inputs, *algorithm.outputs), widths, strict=True))
        mean = find_mean(sides[: len(fitted)], sides[len(fitted) :])
        element = name_element(self.tensors[outputs[0][0]].dtype)
        plain = mean == ELEMENT_TYPES.get(element, (0,))[0]
        grid = " x ".join(str(n) for n in self.grid if n > 1) or "1"
        notes = [f"launch of {grid} program{'s' if self.programs > 1 else ''}", *self.launch.notes]
        if any(t.chosen for t in self.traces):
            notes.append("data decide a part of what is loaded or stored: all of it is counted")
        notes += [f"rows that '{one_line(n, 40)}' bounds are taken as {k} long" for n, k in self.launch.rows.items()]
        notes += [BOUNDED] if any(t.bounded for t in self.traces) else []
        operations = float(round(operations))
        return Found(
            ", ".join(name_whole(t.array) for t in texts), self.line, algorithm,
            operations / count_all_applications(algorithm), operations, 1,
            element if element in ELEMENT_TYPES else None, None if plain else mean, tuple(notes),
            f"checked at 1 size: {len(self.traces)} programs of the launch were followed from what they store",
            arrays=tuple(names), bytes_each=tuple(widths),
        )  # fmt: skip

    def name_stage(self, inputs: Sequence[Fitted], output: Fitted) -> Fitted | None:
        """An array of running sums of tiles of an input, or of these in order; None for others."""
        pairs = [(t, s) for t in self.traces for s in t.stores if s.array == output.array]
        stages = set[str]().union(*(find_stages(t, s) for t, s in pairs))
        tile = re.search(r"\|tile(\(.*\))$", output.text)
        if len(stages) != 1 or tile is None or not any(i.text.endswith(output.text) for i in inputs):
            return None
        along = [int(n) for n in re.findall(r"\d+", tile[1]) if n != "1"]
        if len(along) != 1:
            return None
        return Fitted(output.array, output.text.replace("|tile", f"|{stages.pop()}"), output.elements)


def classify_programs(tree: ast.Module, kernel: str) -> Found:
    """The class of a kernel at the first of its launches.

    Raises
    ------
    SourceError : nothing launches it with sizes that the file states, or what its programs store fits no pattern.
    """
    function, launch = find_launch(tree, kernel)
    try:
        return classify_launch(function, launch)
    except SourceError:
        rows = find_row_starts(function, launch)
        with suppress(SourceError):
            if rows:
                return classify_launch(function, replace(launch, rows=rows))
        raise


def classify_launch(function: ast.FunctionDef, launch: TritonLaunch) -> Found:
    """The class of one launch.

    Raises
    ------
    SourceError : what its programs store fits no pattern.
    """
    try:
        units = Units(function, launch)
        try:
            return units.classify()
        except SourceError:
            if not units.unfitted:
                raise
            with suppress(SourceError):
                return Units(function, launch, apart=frozenset(units.unfitted)).classify()
            raise
    except (ArithmeticError, LookupError, ValueError, TypeError, AttributeError, MemoryError) as error:
        if isinstance(error, SourceError):
            raise
        raise refuse(function.lineno, f"what its programs do is not followed ({type(error).__name__})") from error


def name_element(dtype: str) -> str:
    """The notation's name of an element type."""
    return "fp8" if dtype.startswith("float8") else ELEMENTS.get(dtype, dtype)
