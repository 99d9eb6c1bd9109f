"""Words of C that its readers share: operators, atomic updates, how deep code may be nested."""

from __future__ import annotations

DEEPEST = 200
"""Levels of nesting, far from Python's own limit of recursion."""
DEEPEST_CALLS = 8
"""Functions that call each other, one inside the other, of which the bodies are read in place."""
ATOMICS = {"atomicAdd": "+=", "atomicSub": "-=", "atomicOr": "|=", "atomicAnd": "&=", "atomicXor": "^="}
MOST_CALLS = 10_000
"""Calls in indices that are replaced by what they return."""
ARITHMETIC = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||"}
ACCUMULATING = ("+", "-", "*", "&", "|", "^")
BORDER = 4
"""Values of a counter that are a border at most: what an index is there does not make another class."""
BORDER_SHARE = 0.02
"""Share of a counter's values that is a border at most."""
STEPS = ("++", "p++", "--", "p--")
OF_THREADS = "thread_"
"""Counters of loops over the threads of a block."""
