"""Arrays that code keeps in one dimension, ``a[i * W + j]``, given back their dimensions."""

from __future__ import annotations

from dataclasses import replace

from roofcast.hulls.source.nest import Access, Affine, Loop, Routine, extreme

Use = tuple[Affine, tuple[Loop, ...]]


def unflattened(routine: Routine) -> Routine:
    """The routine with two and more indices where one index combines several counters."""
    uses: dict[str, list[Use]] = {}
    several: set[str] = set()
    for s in routine.statements:
        for access in (s.target, *s.reads):
            if len(access.indices) == 1:
                uses.setdefault(access.array, []).append((access.indices[0], s.loops))
            elif access.indices or access.scattered:
                several.add(access.array)
    widths = {a: found for a, use in uses.items() if a not in several and (found := widths_of(use))}
    if not widths:
        return routine

    def access_of(access: Access) -> Access:
        if access.array not in widths or len(access.indices) != 1:
            return access
        return replace(access, indices=split(access.indices[0], widths[access.array]))

    statements = [
        replace(s, target=access_of(s.target), reads=tuple(access_of(r) for r in s.reads)) for s in routine.statements
    ]
    shapes = routine.shapes | {a: (-1, *found) for a, found in widths.items()}
    return replace(routine, statements=statements, shapes=shapes)


def widths_of(uses: list[Use]) -> tuple[int, ...]:
    """Sizes of all dimensions but the first, outermost first; empty where the array has one dimension."""
    if not any(len(index.factors) > 1 for index, _ in uses):
        return ()
    options = sorted({abs(f) for index, _ in uses for _, f in index.factors if abs(f) > 1})
    fitting = [w for w in options if all(fits(index, loops, w) for index, loops in uses)]
    if not fitting:
        return ()

    def balance(width: int) -> int:
        return max(abs(sum(1 if abs(f) >= width else -1 for _, f in index.factors)) for index, _ in uses)

    width = min(fitting, key=lambda w: (balance(w), w))
    if any(len({abs(f) for _, f in split(index, (width,))[1].factors}) > 1 for index, _ in uses):
        # Positions inside a tile on the last dimension: those on the first are of the same kind, not a dimension more.
        return (width,)
    rest = widths_of([(split(index, (width,))[0], loops) for index, loops in uses])
    return (*rest, width)


def fits(index: Affine, loops: tuple[Loop, ...], width: int) -> bool:
    """Whether an index is a row times a width plus a column inside it; offsets may reach over the border."""
    high = [(n, f) for n, f in index.factors if abs(f) >= width]
    low = Affine.of({n: f for n, f in index.factors if abs(f) < width})
    if any(f % width for _, f in high):
        return False
    least, most = extreme(low, loops, False), extreme(low, loops, True)
    if least.variables or most.variables:
        return False
    column = index.constant - width * round(index.constant / width)
    span = most.constant - least.constant
    wide = 2 * span + 2 >= width or not low.factors or not high
    return span < width and abs(column) <= width // 2 and wide


def split(index: Affine, widths: tuple[int, ...]) -> tuple[Affine, ...]:
    """One index as several."""
    parts: list[Affine] = []
    for width in reversed(widths):
        row = round(index.constant / width)
        parts.insert(0, Affine.of({n: f for n, f in index.factors if abs(f) < width}, index.constant - row * width))
        index = Affine.of({n: f // width for n, f in index.factors if abs(f) >= width}, row)
    return (index, *parts)
