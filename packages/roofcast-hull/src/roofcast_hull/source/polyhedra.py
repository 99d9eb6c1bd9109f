"""Data flow of a routine, exactly: which instance of which statement writes the value that a read finds (isl).

Only flow counts. That a location is used again for another value does not order anything: code can give each value a
place of its own, as classes assume.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from roofcast.core.errors import MissingExtraError
from roofcast_hull.source.nest import Access, Affine, Loop, Statement, refuse

MOST_STEPS = 5_000_000
"""Of isl's own unit of work, for one routine: beyond it code is refused instead of analysed for minutes."""


@dataclass(frozen=True)
class Flow:
    """Values that one statement hands to one read of another (or of itself)."""

    source: int
    sink: int
    read: int
    """Position among the sink's reads."""
    relation: Any
    """isl map from the source's counters to the sink's."""
    common: int
    """Loops around both, from the outside."""


def import_isl() -> Any:
    """islpy, which is optional."""
    try:
        import islpy
    except ImportError as error:
        raise MissingExtraError("classes from code need islpy: pip install 'roofcast[source]'") from error
    return islpy


class Space:
    """The statements of one routine as isl sets and maps."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.isl = import_isl()
        self.context = self.isl.Context()
        self.context.set_max_operations(MOST_STEPS)
        self.statements = list(statements)
        self.arrays = {name: f"A{n}" for n, name in enumerate(dict.fromkeys(s.target.array for s in statements))}
        self.depth = max((len(s.loops) for s in statements), default=0)

    def guard(self, work: Callable[[], Any]) -> Any:
        """Run isl, and refuse what it finds too hard."""
        try:
            return work()
        except self.isl.Error as error:
            line = self.statements[0].line if self.statements else 1
            raise refuse(line, "the dependences of this nest are too many to analyse") from error

    def counters(self, statement: Statement) -> dict[str, str]:
        """Names in isl of a statement's loop variables."""
        return {loop.name: f"x{n}" for n, loop in enumerate(statement.loops)}

    def domain(self, at: int, name: str) -> str:
        """All instances of a statement."""
        statement = self.statements[at]
        names = self.counters(statement)
        conditions = self.conditions(statement, names)
        where = f" : {' and '.join(conditions)}" if conditions else ""
        return f"{name}[{', '.join(names.values())}]{where}"

    def conditions(self, statement: Statement, names: dict[str, str]) -> list[str]:
        """Bounds, strides and remainders."""
        texts = [c for n, loop in enumerate(statement.loops) for c in render_bounds(loop, names, n)]
        for value, modulus, remainder, equal in statement.congruences:
            texts.append(f"({render_affine(value, names)} mod {modulus} {'=' if equal else '!='} {remainder})")
        return texts

    def access(self, at: int, name: str, access: Access) -> str:
        """Instances of a statement to elements of an array; all of them where data chooses."""
        statement = self.statements[at]
        names = self.counters(statement)
        conditions = self.conditions(statement, names)
        indices = [render_affine(i, names) for i in access.indices]
        if access.scattered:
            indices = ["e"]
        where = f" : {' and '.join(conditions)}" if conditions else ""
        return (
            f"{name}[{', '.join(names.values())}] -> "
            f"{self.arrays[access.array]}_{len(indices)}[{', '.join(indices)}]{where}"
        )

    def schedule(self, at: int, name: str, late: int) -> str:
        """When the instances of a statement run: positions in the code and counters in turn."""
        statement = self.statements[at]
        names = self.counters(statement)
        times: list[str] = []
        for level in range(self.depth + 1):
            times.append(str(self.position(at, level)))
            if level < len(statement.loops):
                loop = statement.loops[level]
                times.append(f"-{names[loop.name]}" if loop.descends else names[loop.name])
            else:
                times.append("0")
        return f"{name}[{', '.join(names.values())}] -> [{', '.join(times)}, {late}]"

    def position(self, at: int, level: int) -> int:
        """Place of a statement among its siblings inside so many loops."""
        statement = self.statements[at]
        if level >= len(statement.loops):
            return statement.order if level == len(statement.loops) else 0
        loop = statement.loops[level].name
        return min(s.order for s in self.statements if any(item.name == loop for item in s.loops))

    def find_flows(self) -> list[Flow]:
        """All flow of the routine."""
        return list(self.guard(self._find_flows))

    def _find_flows(self) -> list[Flow]:
        isl, context = self.isl, self.context
        reads: list[tuple[int, int, Access]] = [
            (k, r, access)
            for k, s in enumerate(self.statements)
            for r, access in enumerate(s.reads)
            if access.array in self.arrays
        ]
        if not reads:
            return []
        sink = isl.UnionMap.read_from_str(
            context, "{ " + "; ".join(self.access(k, f"R{k}_{r}", a) for k, r, a in reads) + " }"
        )
        sure: list[str] = []
        unsure: list[str] = []
        for k, s in enumerate(self.statements):
            certain = not s.guarded and not s.target.scattered
            (sure if certain else unsure).append(self.access(k, f"S{k}", s.target))
        times = [self.schedule(k, f"S{k}", 1) for k in range(len(self.statements))]
        times += [self.schedule(k, f"R{k}_{r}", 0) for k, r, _ in reads]
        info = isl.UnionAccessInfo.from_sink(sink)
        info = info.set_must_source(isl.UnionMap.read_from_str(context, "{ " + "; ".join(sure) + " }"))
        info = info.set_may_source(isl.UnionMap.read_from_str(context, "{ " + "; ".join(unsure) + " }"))
        info = info.set_schedule_map(isl.UnionMap.read_from_str(context, "{ " + "; ".join(times) + " }"))
        flows: list[Flow] = []

        def add(relation: Any) -> None:
            source = int(relation.get_tuple_name(isl.dim_type.in_)[1:])
            sink_at, read = (int(v) for v in relation.get_tuple_name(isl.dim_type.out)[1:].split("_"))
            pair = (self.statements[source].loops, self.statements[sink_at].loops)
            common = 0
            while common < min(len(pair[0]), len(pair[1])) and pair[0][common].name == pair[1][common].name:
                common += 1
            flows.append(Flow(source, sink_at, read, relation, common))

        info.compute_flow().get_may_dependence().foreach_map(add)
        return flows

    def find_carried(self, flow: Flow) -> tuple[set[int], bool]:
        """Levels of the loops that carry a flow, and whether any of it stays inside one iteration of all.

        A loop whose iterations only wait for a single one of them (row k of step k) is not said to carry anything: that
        iteration can run before the others.
        """
        carried: set[int] = set()
        isl = self.isl
        rest = flow.relation
        for level in range(flow.common):
            descends = self.statements[flow.source].loops[level].descends
            space = rest.get_space()
            kind = (isl.dim_type.in_, isl.dim_type.out)
            order = isl.Constraint.inequality_alloc(isl.LocalSpace.from_space(space))
            sign = 1 if descends else -1
            order = order.set_coefficient_val(kind[0], level, sign).set_coefficient_val(kind[1], level, -sign)
            order = order.set_constant_val(-1)
            strict = rest.add_constraint(order)
            if not strict.is_empty() and not self.has_single_source(strict, level):
                carried.add(level)
            rest = rest.equate(kind[0], level, kind[1], level)
            if rest.is_empty():
                return carried, False
        return carried, True

    def has_single_source(self, relation: Any, level: int) -> bool:
        """Whether, for given outer counters, one iteration of a loop is the source of all flow."""
        isl = self.isl
        sources = relation.domain().reset_tuple_id()
        size = sources.dim(isl.dim_type.set)
        if level + 1 < size:
            sources = sources.project_out(isl.dim_type.set, level + 1, size - level - 1)
        mapped = isl.Map.from_domain(sources).move_dims(isl.dim_type.out, 0, isl.dim_type.in_, level, 1)
        return bool(mapped.is_single_valued())


def render_bounds(loop: Loop, names: dict[str, str], at: int) -> list[str]:
    """A loop's bounds and stride as isl conditions."""
    counter = names[loop.name]
    conditions = [f"{render_affine(b, names)} <= {counter}" for b in loop.first]
    conditions += [f"{counter} <= {render_affine(b, names)}" for b in loop.last]
    if loop.step > 1:
        starts = loop.last if loop.descends else loop.first
        if len(starts) == 1:
            conditions.append(f"exists e{at} : {counter} = {render_affine(starts[0], names)} + {loop.step} e{at}")
    return [f"({c})" for c in conditions]


def render_affine(value: Affine, names: dict[str, str]) -> str:
    """An affine expression in isl's notation."""
    terms = [f"{factor} {names.get(name, '0')}" for name, factor in value.factors]
    return "(" + " + ".join([*terms, str(value.constant)]) + ")"
