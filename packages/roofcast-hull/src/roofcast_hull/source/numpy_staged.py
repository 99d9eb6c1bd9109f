"""Running sums, orders and transforms that NumPy and SciPy compute: which calls they are, over which axes, of what."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from roofcast.core.errors import one_line
from roofcast_hull.bounds import ELEMENT_TYPES
from roofcast_hull.classes import find_family
from roofcast_hull.notation import AlgorithmClass, Part, Pattern
from roofcast_hull.source.builder import SHARED_WORK
from roofcast_hull.source.counting import count_iterations
from roofcast_hull.source.found_class import Found, find_mean
from roofcast_hull.source.library_call import LibraryCall, Staged
from roofcast_hull.source.nest import refuse
from roofcast_hull.source.numpy_code import Translator
from roofcast_hull.source.numpy_elements import Line, Whole
from roofcast_hull.source.numpy_shapes import SCANS, SORTS, TRANSFORMS, find_called
from roofcast_hull.source.numpy_types import infer_element
from roofcast_hull.source.python_names import find_base
from roofcast_hull.source.python_syntax import is_none

ARITHMETIC = ("add", "multiply", "maximum", "minimum", "logical_or", "logical_and", "bitwise_or", "bitwise_and")
"""Functions whose ``accumulate`` may be done in any grouping."""
COMPLEX_BYTES = {"complex64": 8, "complex128": 16, "complex": 16}
"""B of an element."""
FEW = 32
"""Elements that a unit puts in order by itself."""
UNCHECKED = "not checked: a function of a library, whose code is not in the file"


def find_staged_call(node: ast.expr, own: frozenset[str]) -> str:
    """The name of such a call; '' for other expressions. own : functions of the file, which may have the same name."""
    if not isinstance(node, ast.Call) or (isinstance(node.func, ast.Name) and node.func.id in own):
        return ""
    name = find_called(node)
    if name == "accumulate":
        whose = node.func.value if isinstance(node.func, ast.Attribute) else None
        return name if getattr(whose, "attr", "") in ARITHMETIC else ""
    return name if name in SCANS | SORTS | TRANSFORMS else ""


def read_staged(
    name: str, node: ast.Call, positional: Sequence[ast.expr], shape: tuple[int, ...], element: str,
    complex_bytes: int, constant: Callable[[ast.expr], int],
) -> Staged:  # fmt: skip
    """What a call computes.

    positional : its arguments after the array. element, complex_bytes : of the array's elements, 0 where they are real.
    constant : the number that an argument is.

    Raises
    ------
    SourceError : axes or lengths that are no numbers.
    """
    given: dict[str, ast.expr] = {k.arg: k.value for k in node.keywords if k.arg}
    rank = len(shape)
    if not rank:
        raise refuse(node.lineno, f"'{name}' of an array whose shape is not known: annotate it")
    several = name.endswith(("2", "n")) and name in TRANSFORMS
    at = 1 if name in TRANSFORMS else 0
    chosen = given.get("axes" if several else "axis", positional[at] if len(positional) > at else None)
    length = given.get("s" if several else "n", positional[0] if at and positional else None)
    if chosen is None:
        axes = {
            **dict.fromkeys(SCANS, list(range(rank)) if name != "accumulate" else [0]), "fft2": [-2, -1],
            "ifft2": [-2, -1], "fftn": list(range(rank)), "ifftn": list(range(rank)),
        }.get(name, [-1])  # fmt: skip
    elif is_none(chosen):
        axes = list(range(rank))
    else:
        axes = [constant(i) for i in (chosen.elts if isinstance(chosen, (ast.Tuple, ast.List)) else [chosen])]
    if any(not -rank <= a < rank for a in axes):
        raise refuse(node.lineno, f"'{name}' over an axis that an array of {rank} dimensions lacks")
    run_axes, whole = {a % rank for a in axes}, shape
    stated = name in TRANSFORMS and length is not None and not is_none(length)
    lengths = find_lengths(length, axes, constant) if length is not None and stated else {}
    if lengths and name != "irfft":
        whole = tuple(min(n, lengths.get(a, lengths.get(a - rank, n))) for a, n in enumerate(shape))
        shape = tuple(lengths.get(a, lengths.get(a - rank, n)) for a, n in enumerate(shape))
    extent = tuple(n if a in run_axes else 1 for a, n in enumerate(shape))
    flat = name in SCANS | SORTS and len(run_axes) == rank > 1
    shape, extent = ((math.prod(shape),), ()) if flat else (shape, () if extent == shape else extent)
    size = complex_bytes or ELEMENT_TYPES[element][0]
    if name in TRANSFORMS:
        wide = "fp64" if element in ("fp64", "int64", "int32") else "fp32"
        out, half = complex_bytes or 2 * ELEMENT_TYPES[wide][0], name in ("rfft", "irfft")
        share = (shape[max(run_axes)] // 2 + 1) / shape[max(run_axes)] if half else 1.0
        taken, given_back = (size, out * share) if name != "irfft" else (out / 2, out / 2)
        last = max(run_axes)
        sizes = {"rfft": shape[last] // 2 + 1, "irfft": next(iter(lengths.values()), 2 * (shape[last] - 1))}
        if name == "irfft":
            # As many real numbers as come out, of half as many complex ones and one.
            shape = (*shape[:last], sizes[name], *shape[last + 1 :])
            extent = tuple(n if a in run_axes else 1 for a, n in enumerate(shape)) if extent else ()
        ends = (*shape[:last], sizes["rfft"], *shape[last + 1 :]) if name == "rfft" else shape
        result = wide if name == "irfft" else ""
        complexity = 2.5 if half else 5.0
        given_shape = whole if name != "irfft" and whole != shape else ()
        return Staged(Pattern.FFT, shape, extent, wide, taken, given_back, complexity, result, out, ends, given_shape)
    if complex_bytes:
        raise refuse(node.lineno, f"'{name}' of complex numbers is not followed")
    if name in SORTS:
        result = "int64" if name == "argsort" else element
        return Staged(Pattern.SORT, shape, extent, element, size, ELEMENT_TYPES[result][0], 1.0, result, 0.0, shape)
    # NumPy adds up whole numbers in 64 bits.
    result = "int64" if element.startswith("int") and name != "accumulate" else element
    return Staged(Pattern.SCAN, shape, extent, result, size, ELEMENT_TYPES[result][0], 1.0, result, 0.0, shape)


def find_lengths(node: ast.expr, axes: Sequence[int], constant: Callable[[ast.expr], int]) -> dict[int, int]:
    """How many elements a transform takes along each axis.

    Raises
    ------
    SourceError : not as many as axes, or no numbers above 0.
    """
    numbers = [constant(n) for n in (node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node])]
    if len(numbers) != len(axes) or min(numbers) < 1:
        raise refuse(node.lineno, "lengths of a transform that are no numbers, one for each axis, are not followed")
    return dict(zip(axes, numbers, strict=True))


def write_given(code: Translator, label: str, node: ast.expr) -> str:
    """Write what a call is given into an array of its own; its name where it is computed, '' where it is a view."""
    if any(
        getattr(n, "id", "") in code.complex or isinstance(getattr(n, "value", None), complex) for n in ast.walk(node)
    ):
        code.name_value(label, node, node.lineno)
        return label if label in code.complex and label in code.temporaries else ""
    name, line = find_called(node) if isinstance(node, ast.Call) else "", node.lineno
    whole = None if name in SCANS | SORTS | TRANSFORMS else code.whole(node)
    viewed = find_base(node) and not (whole is not None and whole.computes)
    if whole is None or viewed or not whole.shape or isinstance(node, ast.Name):
        code.name_value(label, node, line)
        return ""
    code.types.pop(label, None)
    code.views.pop(label, None)
    code.temporaries.add(label)
    code.remember(label, whole.shape, infer_element(code, node))
    code.write(Whole(whole.shape, lambda at: code.terms.name(label, at, line)), whole, line)
    return label


def join_given(call: Found, staged: Staged, given: Found) -> Found | None:
    """A call whose units compute the elements that they take; None where each takes several of others.

    given : the class of what it is given.
    """
    size, taken = staged.algorithm.outputs[0].elements, staged.algorithm.inputs[0]
    run = math.prod(taken.extent) or size
    inputs = [part for p in given.found.inputs if (part := take_by_run(p, taken, run)) is not None]
    if len(inputs) < len(given.found.inputs) or not given.bytes_each:
        return None
    out = call.found.outputs
    sizes = (*given.bytes_each[: len(inputs)], max(1, round(staged.bytes_out)))
    arrays = (*given.arrays[: len(inputs)], call.name)
    named = list(zip(arrays, (*inputs, *out), sizes, strict=True))
    return replace(
        call, found=AlgorithmClass(tuple(inputs), out),
        complexity=call.complexity + given.operations / size / call.repetitions,
        operations=call.operations + given.operations, arrays=arrays, bytes_each=sizes,
        element_bytes=find_mean(named[: len(inputs)], named[len(inputs) :]),
    )  # fmt: skip


def take_by_run(part: Part, taken: Part, run: int) -> Part | None:
    """What a unit that computes a run takes of an array of which an element takes one, or some around it.

    taken : of an array of as many elements as there are results. run : elements of a run.
    """
    if part.pattern is Pattern.GATHER:
        # Elements that data choose are as many, whoever takes them.
        return part
    if part.pattern not in (Pattern.ELEMENT, Pattern.NEIGHBOURHOOD):
        return None
    if part.elements == taken.elements:
        return replace(taken, unordered=False)
    if part.elements == run:
        return Part(part.sizes, Pattern.FULL)
    return replace(part, unordered=False) if taken.elements // run % part.elements == 0 else None


def find_complex(nodes: Sequence[ast.expr]) -> int:
    """B of the complex numbers that a ``dtype`` names; 0 where it names others."""
    words = {getattr(n, "attr", "") or getattr(n, "id", "") or getattr(n, "value", "") for n in nodes}
    return next((size for word, size in COMPLEX_BYTES.items() if word in words), 0)


def record_staged(staged: Staged, name: str, line: int, repetitions: int, assumed: tuple[str, ...] = ()) -> Found:
    """The class of one call, which runs so many times. assumed : notes on sizes that nothing states."""
    algorithm = staged.algorithm
    variables = find_family(algorithm).variables(algorithm)
    operations = staged.complexity * variables.work_units * variables.applications_per_unit * repetitions
    return Found(
        name, line, algorithm, staged.complexity, operations, repetitions, staged.element,
        (staged.bytes_in + staged.bytes_out) / 2, assumed, UNCHECKED,
    )  # fmt: skip


def sort_in_unit(code: Translator, name: str, node: ast.Call, given: ast.expr) -> bool:
    """A few elements that each turn of a loop puts in order: work of its unit; whether it is so.

    As many operations as a sort of them has, each element after which follows from all.
    """
    if find_called(node) not in SORTS or not code.builder.loops or find_called(node) != "sort":
        return False
    whole, line = code.whole(given), node.lineno
    if len(whole.shape) != 1 or not 1 < whole.shape[0] <= FEW:
        return False
    size = whole.shape[0]
    values = [whole.at([code.terms.number(k)]) for k in range(size)]
    least = values[0]
    for value in values[1:]:
        least = code.terms.call("fmin", (least, value), line)
    share = repr((size - 1) / (size * (size - 1).bit_length()))
    code.remember(name, (size,), infer_element(code, given))
    places = [code.terms.name(name, [code.terms.number(k)], line) for k in range(size)]
    work = code.terms.call(SHARED_WORK, (code.c.Constant("double", share, Line(line)), least), line)
    for place, value in zip(places, [work, *places[:1] * (size - 1)], strict=True):
        code.assign(place, "=", value, line)
    return True


def stage(code: Translator, name: str, node: ast.Call) -> None:
    """``name = np.cumsum(a)``, ``np.sort(a)``, ``np.fft.fft(a)``: a class of its own, and an array for the rest."""
    given, line = code.arguments(node), node.lineno
    if not given:
        raise refuse(line, f"'{one_line(ast.unparse(node), 60)}' has no array")
    if sort_in_unit(code, name, node, given[0]):
        return
    loops = {loop.name for loop in code.builder.loops}
    known = ((n, code.builder.scope.get(n)) for n in sorted(code.list_names(given[0])))
    turning = [n for n, value in known if value is not None and loops & value.variables]
    if turning:
        why = f"each turn of '{one_line(turning[0], 40)}' gives '{find_called(node)}' a part of its own"
        raise refuse(line, f"{why}: write it over an axis")
    source, computed = given[0], ""
    if not (isinstance(source, ast.Name) and source.id in code.shapes and source.id not in code.views):
        code.made += 1
        label = f"given{code.made}"
        computed = write_given(code, label, source)
        source = ast.Name(label, ast.Load())
    elif source.id in code.passing or source.id in code.complex.passing:
        computed = write_given(code, *code.take_out(source.id))
    element, wide = code.types.get(source.id) or "fp64", code.complex.get(source.id, 0)
    staged = read_staged(
        find_called(node), node, given[1:], code.shapes.get(source.id, ()), "fp64" if wide == 16 else
        "fp32" if wide else element, wide, lambda item: code.affine(item).constant,
    )  # fmt: skip
    repetitions = max(1, round(count_iterations(tuple(code.builder.loops))))
    code.builder.routine.library.append(LibraryCall(staged, name, line, repetitions, computed))
    code.types.pop(name, None)
    code.complex.pop(name, None)
    code.remember(name, staged.result_shape, staged.result)
    if not staged.result:
        code.complex[name] = round(staged.bytes_complex)
