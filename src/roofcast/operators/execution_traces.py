"""Execution traces (MLCommons Chakra as PyTorch's ExecutionTraceObserver writes it) as lists of operators.

They hold operators with shapes, and no times: a model that never ran, as far as times go. Operators that call others
are left out for those that they call; what makes views, and what ran on the CPU beside a GPU, launches nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from roofcast.core.errors import InputError
from roofcast.core.precision import ELEMENT_BYTES, stated_precision

VIEWS = frozenset(
    {"view", "_unsafe_view", "_reshape_alias", "reshape", "reshape_as", "view_as", "t", "transpose", "numpy_T",
     "permute", "expand", "expand_as", "slice", "select", "narrow", "as_strided", "unsqueeze", "squeeze", "detach",
     "detach_", "split", "chunk", "unbind", "unfold", "alias", "flatten", "unflatten", "movedim", "swapaxes",
     "diagonal", "lift_fresh", "empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "resize_",
     "set_", "item", "_local_scalar_dense", "is_nonzero", "result_type", "contiguous", "to", "conj", "resolve_conj",
     "resolve_neg", "record_stream", "split_with_sizes", "requires_grad_", "output_nr", "is_leaf", "_version"}
)  # fmt: skip
"""Operators that launch nothing themselves."""
WHOLE = "_scaled_dot_product"
"""Operators that are taken whole: their recipe wants the shapes as the model gives them."""
MOST_NODES = 2_000_000
"""Nodes of a trace, which the memory has to hold; a step of a large model has some 100,000."""


def is_execution_trace(given: Mapping[str, Any]) -> bool:
    """Whether it is one: a schema, and nodes.

    >>> is_execution_trace({"schema": "1.1.1-chakra.0.0.4", "nodes": []}), is_execution_trace({"nodes": []})
    (True, False)
    """
    return isinstance(given.get("nodes"), list) and isinstance(given.get("schema"), str)


def list_executed(trace: Mapping[str, Any], mark: str) -> dict[str, Any]:
    """The operators of a trace as :func:`roofcast.torch.record` lists them. mark : the key that says it is such a list.

    Raises
    ------
    InputError : the trace is damaged, or holds no operators of PyTorch.
    """
    nodes = [n for n in trace["nodes"] if isinstance(n, Mapping)]
    if len(nodes) > MOST_NODES:
        raise InputError(f"more than {MOST_NODES:,} nodes: record one step")
    try:
        operators, exchange = gather_operators(nodes)
    except (KeyError, TypeError, ValueError, IndexError, RecursionError) as error:
        raise InputError("the execution trace is damaged: inputs or outputs of an operator are none") from error
    if not operators:
        raise InputError("the execution trace holds no operators of PyTorch: record a step inside its observer")
    trained = any("backward" in str(n.get("name", "")).lower() for n in nodes)
    return {
        mark: 1, "what": "execution trace", "train": trained, "operators": operators, "exchange_bytes": exchange,
        "notes": ["from an execution trace: operators and shapes, no times; memory is not in it"],
    }  # fmt: skip


def gather_operators(nodes: Sequence[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], float]:
    """Distinct operators with their counts, and the bytes that all-reduces add up."""
    parents = {int(n["id"]): int(n.get("ctrl_deps", n.get("parent", 0)) or 0) for n in nodes}
    names = {int(n["id"]): str(n.get("name", "")) for n in nodes}
    whole = {i for i, name in names.items() if short_name(name).startswith(WHOLE)}
    inner = {i for i in names if has_ancestor(i, parents, whole)}
    calling = {
        parents[i] for i, name in names.items()
        if name.startswith("aten::") and short_name(name) not in VIEWS and i not in inner
    }  # fmt: skip
    on_gpu = any("cuda" in str(n.get("inputs", "")) or "cuda" in str(n.get("outputs", "")) for n in nodes)
    counts: dict[str, dict[str, Any]] = {}
    exchange = 0.0
    for node in nodes:
        number, name = int(node["id"]), str(node.get("name", ""))
        if name.startswith("record_param_comms"):
            exchange += reduced_bytes(node)
        if not name.startswith("aten::") or short_name(name) in VIEWS or number in calling or number in inner:
            continue
        if on_gpu and "cuda" not in str(node.get("inputs")) + str(node.get("outputs")):
            continue
        entry = describe_node(name, node)
        counts.setdefault(repr(entry), {**entry, "count": 0})["count"] += 1
    return list(counts.values()), exchange


def short_name(name: str) -> str:
    """Without its space: ``aten::mm`` -> ``mm``."""
    return name.rpartition("::")[2]


def has_ancestor(number: int, parents: Mapping[int, int], wanted: set[int]) -> bool:
    """Whether a node stands below one of some others."""
    seen = 0
    while number in parents and parents[number] != number and seen < 1000:
        number, seen = parents[number], seen + 1
        if number in wanted:
            return True
    return False


def describe_node(name: str, node: Mapping[str, Any]) -> dict[str, Any]:
    """Name, shapes, types, strides, other arguments and results of an operator."""
    shapes, types, strides, texts = read_side(node.get("inputs") or {})
    outputs, output_types, _, _ = read_side(node.get("outputs") or {})
    results = [(s, t) for s, t in zip(outputs, output_types, strict=True) if t]
    return {
        "name": name, "shapes": shapes, "types": types, "strides": strides, "arguments": texts,
        "outputs": [s for s, _ in results], "output_types": [t for _, t in results],
    }  # fmt: skip


def read_side(side: Mapping[str, Any]) -> tuple[list[Any], list[str], list[Any], list[str]]:
    """Shapes, types, strides and texts of the inputs, or of the outputs; lists of tensors one by one."""
    shapes: list[Any] = []
    types: list[str] = []
    strides: list[Any] = []
    texts: list[str] = []
    given = [list(side.get(k) or ()) for k in ("values", "shapes", "types", "strides")]
    count = max(map(len, given[:3]), default=0)
    values, sizes, kinds, steps = (part + [None] * (count - len(part)) for part in given)
    for value, shape, kind, step in zip(values, sizes, kinds, steps, strict=True):
        inside = element_types(str(kind or ""))
        several = isinstance(shape, list) and bool(shape) and all(isinstance(s, list) for s in shape)
        if not inside:
            shapes.append([])
            types.append("")
            strides.append([])
            texts.append("" if value is None else str(value)[:120])
            continue
        parts = shape if several else [shape or []]
        rows = step if several and isinstance(step, list) and len(step) == len(parts) else [[]] * len(parts)
        for i, part in enumerate(parts):
            shapes.append([int(d) for d in part])
            types.append(inside[min(i, len(inside) - 1)])
            strides.append([int(d) for d in rows[i]] if isinstance(rows[i], list) and several else list(step or []))
            texts.append("")
    return shapes, types, strides, texts


def element_types(kind: str) -> list[str]:
    """Types of elements of the tensors in a type.

    >>> element_types("Tensor(c10::BFloat16)"), element_types("GenericList[Tensor(float),Tensor(int)]")
    (['BFloat16'], ['float', 'int'])
    """
    return [part.partition(")")[0].rpartition(":")[2] for part in kind.split("Tensor(")[1:]]


def reduced_bytes(node: Mapping[str, Any]) -> float:
    """Bytes that an all-reduce among several ranks adds up; 0 of others."""
    attributes = {str(a.get("name")): a.get("value") for a in node.get("attrs") or () if isinstance(a, Mapping)}
    name = str(attributes.get("collective_name", "")).lower().replace("_", "")
    if "allreduce" not in name or float(attributes.get("pg_size") or 0) < 2:
        return 0.0
    kind = stated_precision(str(attributes.get("dtype", "")).rpartition(":")[2])
    volume = float(attributes.get("in_msg_nelems") or 0) * ELEMENT_BYTES.get(kind, math.nan)
    return volume if volume > 0 else 0.0
