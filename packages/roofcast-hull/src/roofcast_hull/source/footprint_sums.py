"""Sums that all units of work add to, and what their terms take."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import one_line
from roofcast_hull.emulated.origin_sets import AT_ONCE, Output, find_taken, find_terms
from roofcast_hull.source.footprint_counts import MOST_BORDER, SAME, LaunchCounts, Unit
from roofcast_hull.source.footprint_patterns import PatternFitter
from roofcast_hull.source.footprint_results import MOST_ALIKE, Fitted
from roofcast_hull.source.nest import SourceError

MOST_THREADS = 1024
"""Threads of a block that are told apart one by one."""
MOST_OF_THREADS = 200_000
"""Terms of a block that are told apart by their threads."""
NEIGHBOURING = 30
"""Terms of a sum that follow each other, of those that are followed back."""


Ints = NDArray[np.int64]


class SumFitter(PatternFitter):
    """Fits patterns to what terms of sums take."""

    def __init__(self, counts: LaunchCounts, outputs: Sequence[Sequence[Output]]) -> None:
        super().__init__(counts, outputs)
        self.unit_of: dict[int, Ints] = {}
        """Block -> the unit that each thread is of, where several threads are one; negative for those that add nothing.
        """

    def fit_sums(
        self, added: Sequence[Sequence[Output]], number: int = 0, known: Collection[str] = (), *, few: bool = False
    ) -> tuple[list[Fitted], list[Fitted]]:  # fmt: skip
        """What terms of sums take, and the sums.

        number : terms, where other results say it. known : arrays that those take. few : see above.
        """
        ways = [self.list_terms, self.list_added if self.opened.of_nest else self.list_threads]
        if self.opened.of_nest and self.share_rows(added):
            # All that a turn adds is one term of several sums.
            ways.reverse()
        refusal: SourceError | None = None
        for list_way in ways:
            try:
                return self.fit_groups(list_way(added), added, number, known, few=few)
            except SourceError as error:
                refusal = refusal or error
        raise refusal or SourceError("it adds nothing")

    def share_rows(self, added: Sequence[Sequence[Output]]) -> bool:
        """Whether several of the terms that a turn adds take the same elements, more than one each."""
        for k in (k for k in self.counts.ran if added[k]):
            nodes, lanes = (np.concatenate([getattr(o, n) for o in added[k]]) for n in ("nodes", "lanes"))
            if not len(lanes):
                continue
            mine = np.unique(nodes[lanes == lanes[len(lanes) // 2]])[:AT_ONCE]
            several = [t.elements for t in find_taken(self.origins.blocks[k], list(mine.reshape(-1, 1)))]
            for array in {a for t in several for a in t}:
                sets = [t[array] for t in several if array in t and len(t[array]) > 1]
                if len(sets) > 1 and len(np.unique(np.concatenate(sets))) < sum(map(len, sets)):
                    return True
        return False

    def list_terms(self, added: Sequence[Sequence[Output]]) -> dict[frozenset[str], list[Unit]]:
        """Some of the terms of sums with what each takes, by the arrays of these."""
        groups: dict[frozenset[str], list[Unit]] = defaultdict(list)
        place = {"": np.zeros(1, dtype=np.int64)}
        for k in self.counts.ran:
            nodes = np.concatenate([np.zeros(0, dtype=np.int64), *(o.nodes for o in added[k])])
            terms = find_terms(self.origins.blocks[k], nodes)
            if not len(terms):
                continue
            middle = np.arange(len(terms) // 2, min(len(terms), len(terms) // 2 + NEIGHBOURING))
            picked = np.linspace(0, len(terms) - 1, AT_ONCE - NEIGHBOURING).astype(int)
            picked = np.unique(np.concatenate([middle, picked]))
            for taken in find_taken(self.origins.blocks[k], list(terms[picked])):
                if taken.elements or taken.chosen:
                    groups[frozenset([*taken.elements, *taken.chosen])].append(Unit(k, place, taken))
        return groups

    def list_added(self, added: Sequence[Sequence[Output]]) -> dict[frozenset[str], list[Unit]]:
        """Some of the turns with what all that each adds takes, by the arrays of these."""
        groups: dict[frozenset[str], list[Unit]] = defaultdict(list)
        place = {"": np.zeros(1, dtype=np.int64)}
        for k in (k for k in self.counts.ran if added[k]):
            nodes, lanes = (np.concatenate([getattr(o, n) for o in added[k]]) for n in ("nodes", "lanes"))
            turns = np.unique(lanes)
            picked = turns[np.unique(np.linspace(0, len(turns) - 1, AT_ONCE).astype(int))] if len(turns) else turns
            for taken in find_taken(self.origins.blocks[k], [nodes[lanes == t] for t in picked]):
                groups[frozenset([*taken.elements, *taken.chosen])].append(Unit(k, place, taken))
        return groups

    def list_threads(self, added: Sequence[Sequence[Output]]) -> dict[frozenset[str], list[Unit]]:
        """Some of the threads that make terms of sums, with what all terms of each take; those alike are one unit.

        Raises
        ------
        SourceError : terms are not of single threads, or threads take different arrays.
        """
        units = list[Unit]()
        for k in (k for k in self.counts.ran if added[k]):
            block = self.origins.blocks[k]
            nodes = np.concatenate([np.zeros(0, dtype=np.int64), *(o.nodes for o in added[k])])
            terms = find_terms(block, nodes, MOST_OF_THREADS, together=True)
            if not 0 < len(terms) <= MOST_OF_THREADS:
                raise SourceError("its threads make too many terms of sums to be followed")
            starts = np.array([c.start for c in block.chunks], dtype=np.int64)
            counts = np.array([c.count for c in block.chunks], dtype=np.int64)
            which = np.searchsorted(starts, terms, side="right") - 1
            if (counts[which] == 1).any():
                raise SourceError("terms of a sum are not of single threads")
            lanes = terms - starts[which]
            every = np.unique(lanes)
            picked = every[np.unique(np.linspace(0, len(every) - 1, AT_ONCE).astype(int))]
            alike = self.tell_apart(k, {int(t): terms[lanes == t] for t in picked}, units)
            if len(alike) < len(picked) and len(every) <= MOST_THREADS:
                unit_of = np.full(block.lanes, -1, dtype=np.int64)
                numbers = self.tell_apart(k, {int(t): terms[lanes == t] for t in every}, [])
                for number, mine in enumerate(numbers):
                    unit_of[list(mine)] = number
                self.unit_of[k] = unit_of
        names = {frozenset([*u.taken.elements, *u.taken.chosen]) for u in units}
        if len(names) != 1 or len(units) < 2:
            raise SourceError("threads that make terms of sums take different arrays")
        return {names.pop(): units}

    def tell_apart(self, k: int, terms: Mapping[int, Any], units: list[Unit]) -> list[list[int]]:
        """Threads of a block that take the same. terms : of each. units : what is added to, one unit for each group."""
        groups: dict[object, list[int]] = {}
        threads = list(terms)
        for at in range(0, len(threads), AT_ONCE):
            some = threads[at : at + AT_ONCE]
            for thread, taken in zip(some, find_taken(self.origins.blocks[k], [terms[t] for t in some]), strict=True):
                key = (*((a, e.tobytes()) for a, e in sorted(taken.elements.items())), *sorted(taken.own.items()))
                if key not in groups:
                    units.append(Unit(k, {"": np.zeros(1, dtype=np.int64)}, taken))
                groups.setdefault(key, []).append(thread)
        return list(groups.values())

    def fit_groups(
        self, groups: Mapping[frozenset[str], list[Unit]], added: Sequence[Sequence[Output]], number: int,
        known: Collection[str], *, few: bool,
    ) -> tuple[list[Fitted], list[Fitted]]:  # fmt: skip
        """What terms take, and the sums. groups : terms by the arrays that they take. Others : see :meth:`fit_sums`."""
        if not groups and any(kind == "read" for kind, _ in self.amounts.moved):
            raise SourceError("what it adds follows from no array")
        further = [self.fit_terms(units) for names, units in groups.items() if not names <= set(known)]
        number = number or min((n for n, _ in further), default=1)
        placed = any(o.chosen for outs in added for o in outs)
        if placed and any(abs(n / number - 1) > SAME for n, _ in further):
            raise SourceError("data decide where its sums are, and these have different numbers of terms")
        inputs: dict[tuple[str, bool], Fitted] = {}
        for several, fitted in further:
            for f in (f for f in fitted if f.array not in known):
                # A term may take its own element and those of all others.
                part = deal(f, several, number)
                if inputs.setdefault((f.array, part.text.endswith("|full")), part).text != part.text:
                    raise SourceError(f"its sums take elements of '{one_line(f.array, 40)}' in several ways")
        return list(inputs.values()), [
            self.fit_sum(a, added, few=few) for a in sorted({o.array for outs in added for o in outs})
        ]

    def fit_sum(self, array: str, added: Sequence[Sequence[Output]], *, few: bool) -> Fitted:
        """An array of sums."""
        mine = [o for outs in added for o in outs if o.array == array]
        if any(o.chosen for o in mine):
            moved = round(self.counts.count_moved(("updated", "written"), array))
            # Members of structures are as many as these.
            held = self.opened.allocated.get(array, 0) or self.opened.allocated.get(array.partition(".")[0], 0)
            if self.opened.of_nest and not held:
                name = one_line(array, 40)
                raise SourceError(
                    f"data choose the element of '{name}', whose size nothing states: give --size {name}=N"
                )
            count = held or moved
        else:
            stored = [np.unique(o.elements) for o in mine]
            count = len(stored[0])
            if len({p.tobytes() for p in stored}) > 1:
                count = self.counts.count_written(array, ("written", "updated"))
                if not few and sum(len(o.elements) for o in mine) * self.blocks < MOST_BORDER * count * len(mine):
                    raise SourceError("its blocks add to different elements")
        return Fitted(array, f"{max(1, count)}|shared", max(1, count), self.origins.kinds[array])

    def fit_terms(self, units: Sequence[Unit]) -> tuple[int, list[Fitted]]:
        """How many terms sums have, and patterns of what each takes. units : some of the terms, of the same arrays."""
        number, places, around = 0, None, False
        for array in sorted({a for u in units for a in u.taken.elements}):
            sets = [u.taken.elements[array] for u in units]
            size = Counter(map(len, sets)).most_common(1)[0][0]
            several = round(self.counts.count_elements(array, 1) / size)
            runs = all(len(s) == size and s[-1] - s[0] == size - 1 and s[0] % size == 0 for s in sets)
            single = [u.taken.own.get(array, frozenset()) for u in units]
            whole = size > 1 and len({s.tobytes() for s in sets}) == 1
            if whole and all(len(o) == 1 for o in single) and len(frozenset().union(*single)) == len(single):
                # Its own element, and those of all others.
                if (several := self.counts.count_elements(array, 1)) > number:
                    number, places, around = several, np.array([min(o) for o in single], dtype=np.int64), False
                continue
            if several > number and runs:
                number, places = several, np.array([s[0] // size for s in sets], dtype=np.int64)
                around = size == 1 and not self.opened.of_nest
        if places is None:
            return self.fit_windows(units)
        if number == self.blocks:
            raise SourceError("whether each block is a term of its sum is not told")
        if len(np.unique(places)) < MOST_ALIKE * len(places):
            raise SourceError("several terms of a sum take one element")
        return number, self.fit_inputs(units, number, places, around=around)

    def fit_windows(self, units: Sequence[Unit]) -> tuple[int, list[Fitted]]:
        """The same of terms that take an element and its neighbours, of each array.

        Raises
        ------
        SourceError : they take several elements that are no neighbourhood of one.
        """
        array = min(a for u in units for a in u.taken.elements)
        sets = [u.taken.elements.get(array, np.zeros(0, dtype=np.int64)) for u in units]
        if not all(map(len, sets)):
            raise SourceError("terms of a sum take several elements each")
        middles = np.array([s[(len(s) - 1) // 2] for s in sets], dtype=np.int64)
        if len(np.unique(middles)) < MOST_ALIKE * len(middles):
            raise SourceError("several terms of a sum take one element")
        number = self.counts.count_elements(array, 1)
        inputs = self.fit_inputs(units, number, middles)
        if not all("|neighbourhood" in f.text for f in inputs if f.array == array):
            raise SourceError("terms of a sum take several elements each")
        return number, inputs

    def fit_whole(self, outputs: Sequence[Output]) -> tuple[list[Fitted], list[Fitted]]:
        """What a single block makes one number of each of: everything that it reads.

        Raises
        ------
        SourceError : data decide what that is.
        """
        [taken] = find_taken(self.origins.blocks[0], [np.concatenate([o.nodes for o in outputs])])
        if taken.chosen:
            raise SourceError("data decide which elements its result follows from")
        inputs = [
            Fitted(a, f"{len(e)}|full", len(e), self.origins.kinds[a])
            for a, e in taken.elements.items() if a not in self.origins.tables
        ]  # fmt: skip
        return inputs, [Fitted(o.array, "1|element", 1, self.origins.kinds[o.array]) for o in outputs]


def deal(part: Fitted, several: int, number: int) -> Fitted:
    """What terms of a sum take, where each unit has several of them.

    Raises
    ------
    SourceError : units have no equal number of terms.
    """
    many = round(several / number)
    if abs(several / number / max(1, many) - 1) > SAME:
        raise SourceError("its sums have different numbers of terms")
    if many == 1 or part.elements == number or part.text.endswith("|full"):
        return part
    if part.text != f"{part.elements}|element" or part.elements != several:
        raise SourceError("its sums have different numbers of terms")
    return replace(part, text=f"{part.elements}|tile({many})")
