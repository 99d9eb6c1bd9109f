"""Functions of C that only call another one of their file: they are that one, whatever it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roofcast_hull.source.c_files import spell_plainly
from roofcast_hull.source.c_text import preprocess
from roofcast_hull.source.c_tree import parse
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.numbers_of_loops import evaluate


def find_forwarded(text: str, sizes: Mapping[str, int], function: str | None) -> tuple[str, dict[str, int]] | None:
    """What a function does nothing but call, with its own parameters and with numbers; None for other functions.

    Returns the name of what is called and sizes of its own names: ``void f(float *y, int n) { rows(y, n, 64); }``
    is ``rows``, with the number of its columns.
    """
    if "__global__" in text:
        return None  # Who launches a kernel says its sizes.
    try:
        plain, defined = preprocess(spell_plainly(text, sizes), sizes)
        tree = parse(plain, function, {*defined, *sizes})
    except SourceError:
        return None
    functions = {str(n.decl.name): n for n in tree.ext if type(n).__name__ == "FuncDef"}
    chosen = functions.get(function or "")
    call = find_only_call(chosen) if chosen is not None else None
    callee = functions.get(str(getattr(call.name, "name", ""))) if call is not None else None
    if call is None or callee is None or is_endless(function or "", functions):
        return None
    outer, taken = list_parameters(chosen), list_parameters(callee)
    given, known = list(getattr(call.args, "exprs", None) or ()), {**defined, **sizes}
    names = [str(a.name) if type(a).__name__ == "ID" and str(a.name) in outer else "" for a in given]
    numbers = [evaluate(a, known) for a in given]
    passed = [n for n in names if n]
    if len(given) != len(taken) or len(set(passed)) < len(passed):
        return None
    if any(not n and v is None for n, v in zip(names, numbers, strict=True)):
        return None
    return str(callee.decl.name), {t: v for t, v in zip(taken, numbers, strict=True) if v is not None}


def is_endless(name: str, functions: Mapping[str, Any]) -> bool:
    """Whether functions that only call one another come back to one of them."""
    passed = set[str]()
    while name in functions and name not in passed:
        passed.add(name)
        name = str(getattr(getattr(find_only_call(functions[name]), "name", None), "name", ""))
    return name in passed


def find_only_call(function: Any) -> Any | None:
    """The call that is all that a function does, or gives back; None for other functions."""
    items = [i for i in function.body.block_items or () if type(i).__name__ != "EmptyStatement"]
    only: Any = items[0] if len(items) == 1 else None
    only = only.expr if type(only).__name__ == "Return" else only
    return only if type(only).__name__ == "FuncCall" else None


def list_parameters(function: Any) -> list[str]:
    """Names of what a function is given."""
    return [str(p.name) for p in getattr(function.decl.type.args, "params", None) or ()]
