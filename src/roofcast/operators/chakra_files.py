"""Execution traces of MLCommons Chakra (``.et``): messages behind their lengths, as nodes of PyTorch's own traces.

The converter of PyTorch's traces writes operators with inputs and outputs as texts of Python, and collectives as nodes
with their kind and bytes; its numbers are those of ``et_def.proto`` 0.0.4. Times of kernels in it are not used: a trace
of the profiler says more.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from roofcast.core.errors import InputError, one_line

SUFFIX = ".et"
MESSAGES = {
    "Attribute": {
        "name": (1, "bytes"), "double_val": (3, "double"), "float_val": (5, "float"), "int32_val": (7, "int32"),
        "int64_val": (9, "int64"), "uint32_val": (11, "uint32"), "uint64_val": (13, "uint64"),
        "bool_val": (27, "bool"), "string_val": (29, "bytes"),
    },
    "Side": {"values": (1, "bytes"), "shapes": (2, "bytes"), "types": (3, "bytes")},
    "Metadata": {"version": (1, "bytes")},
    "Node": {
        "id": (1, "uint64"), "name": (2, "bytes"), "type": (3, "uint64"), "ctrl_deps": (4, "*uint64"),
        "inputs": (8, "Side"), "outputs": (9, "Side"), "attr": (10, "*Attribute"),
    },
}  # fmt: skip
COLLECTIVE_NODE, ALL_REDUCE = 7, 0
MOST_TEXT = 1 << 20
"""Bytes of a text of inputs; longer ones are values of tensors, which say nothing here."""
LAST_BYTE, MOST_SHIFT = 0x80, 63


@cache
def message_classes() -> dict[str, Any]:
    """Name of a message -> class."""
    from roofcast.kit.protobuf_messages import build_classes

    return build_classes("roofcast.chakra", MESSAGES)


def read_chakra(path: Path) -> Mapping[str, Any]:
    """The trace as PyTorch's ExecutionTraceObserver writes it in JSON: a schema, and nodes.

    Raises
    ------
    InputError : the file is no such trace, or is cut off.
    """
    from google.protobuf.message import DecodeError

    classes, content = message_classes(), path.read_bytes()
    try:
        parts = split_messages(content)
        version = classes["Metadata"].FromString(next(parts, b"")).version.decode("utf-8", "replace")
        nodes = [read_node(classes["Node"].FromString(part)) for part in parts]
    except (DecodeError, ValueError) as error:
        raise InputError(f"{one_line(path.name, 60)} is no execution trace of Chakra, or is damaged: give the JSON of "
                         "PyTorch's ExecutionTraceObserver") from error  # fmt: skip
    return {"schema": f"chakra {one_line(version, 40)}", "nodes": nodes}


def split_messages(content: bytes) -> Iterator[bytes]:
    r"""Messages one by one.

    >>> list(split_messages(bytes([2, 8, 1, 1, 0])))
    [b'\x08\x01', b'\x00']
    """
    at, end = 0, len(content)
    while at < end:
        length = shift = 0
        while True:
            if at >= end or shift > MOST_SHIFT:
                raise ValueError("cut off")
            byte = content[at]
            at, length, shift = at + 1, length | (byte & ~LAST_BYTE) << shift, shift + 7
            if byte < LAST_BYTE:
                break
        if at + length > end:
            raise ValueError("cut off")
        yield content[at : at + length]
        at += length


def read_node(node: Any) -> dict[str, Any]:
    """One node as JSON has it."""
    values = {a.name.decode("utf-8", "replace"): value_of(a) for a in node.attr}
    attributes = [{"name": name, "value": value} for name, value in values.items()]
    name = node.name.decode("utf-8", "replace")
    if node.type == COLLECTIVE_NODE and int(values.get("comm_type") or 0) == ALL_REDUCE and "comm_size" in values:
        # Chakra counts bytes; more than one rank takes part in what it calls a collective.
        name = "record_param_comms"
        attributes = [
            {"name": "collective_name", "value": "allreduce"}, {"name": "pg_size", "value": 2},
            {"name": "dtype", "value": "Byte"}, {"name": "in_msg_nelems", "value": values["comm_size"]},
        ]  # fmt: skip
    return {
        "id": node.id, "name": name, "ctrl_deps": next(iter(node.ctrl_deps), 0),
        "inputs": read_side(node.inputs), "outputs": read_side(node.outputs), "attrs": attributes,
    }  # fmt: skip


def value_of(attribute: Any) -> Any:
    """The one value that is set."""
    content = next((value for field, value in attribute.ListFields() if field.name != "name"), None)
    return content.decode("utf-8", "replace") if isinstance(content, bytes) else content


def read_side(side: Any) -> dict[str, list[Any]]:
    """Values, shapes and types of inputs or outputs."""
    return {name: read_list(getattr(side, name)) for name in ("values", "shapes", "types")}


def read_list(text: bytes) -> list[Any]:
    """A list as Python writes it; empty where it is none.

    >>> read_list(b"[[64, 10], [], 'Tensor(float)']")
    [[64, 10], [], 'Tensor(float)']
    """
    if not text.startswith(b"[") or len(text) > MOST_TEXT:
        return []
    try:
        # literals alone: nothing is run
        items = ast.literal_eval(text.decode("utf-8", "replace"))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []
    return items if isinstance(items, list) else []
