"""Cloud instances by name, and whole nodes as they are sold: what GPU they have, and how many."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from roofcast.catalog.entries import ROOT, load
from roofcast.core.records import dataclass

ALTERNATIVES = re.compile(r"\{([^{}]*)\}")
NODE = re.compile(r"\s*([1-9]\d{0,3})\s*[x×]\s+([^{}]+?)\s*", re.IGNORECASE)
"""``8 x H100 SXM``: a node of so many GPUs."""


@dataclass(frozen=True)
class Instance:
    """One type of instance, or a node."""

    name: str
    provider: str
    """'' of a node."""
    gpu: str
    count: int


def spell_out(text: str) -> Iterator[str]:
    """The names that a pattern stands for.

    >>> list(spell_out("g5.{xlarge,2xlarge}"))
    ['g5.xlarge', 'g5.2xlarge']
    """
    match = ALTERNATIVES.search(text)
    if match is None:
        yield text
        return
    for part in match[1].split(","):
        yield from spell_out(text[: match.start()] + part + text[match.end() :])


@cache
def instances() -> dict[str, Instance]:
    """Instances by their name in lower case; Azure's with and without ``Standard_``."""
    by_name: dict[str, Instance] = {}
    for item in load(ROOT / "instances.toml")["instance"]:
        for count, patterns in item["names"].items():
            for name in (n for pattern in patterns for n in spell_out(pattern)):
                instance = Instance(name, item["provider"], item["gpu"], int(count))
                by_name |= {name.lower(): instance, name.lower().removeprefix("standard_"): instance}
    return by_name


def find_instance(text: str) -> Instance | None:
    """The instance or the node of a name; None where no provider has it.

    >>> find_instance("p5.48xlarge").count, find_instance("H100")
    (8, None)
    >>> find_instance("8 x H100 SXM").name
    '8 x H100 SXM5 80GB'
    """
    if (node := NODE.fullmatch(text)) is not None:
        from roofcast.catalog.finding import find

        name = find(node[2]).processor.name
        return Instance(f"{int(node[1])} x {name}", "", name, int(node[1]))
    if (sold := find_sold_node(text)) is not None:
        return sold
    if not re.search(r"[._-]", text):
        return None
    return instances().get(text.strip().lower().removeprefix("ml."))


def find_sold_node(text: str) -> Instance | None:
    """A machine that goes by a name of its own, as vendors sell it whole; instances that are rented are no such.

    >>> find_sold_node("DGX H100").count, find_sold_node("p5.48xlarge")
    (8, None)
    """
    from roofcast.catalog.nodes import node_named

    node = node_named(text.strip().lower())
    if node is None or text.strip().lower() in instances():
        return None
    return Instance(node.name, "", node.gpu, node.gpus)
