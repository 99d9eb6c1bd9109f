"""Nodes: how many GPUs share links, and what the network gives each of them."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from roofcast.catalog.entries import ROOT
from roofcast.catalog.finding import find
from roofcast.catalog.toml_files import read_toml
from roofcast.core.errors import InputError
from roofcast.core.processor import Processor
from roofcast.core.units import parse_quantity

KEYS = {"name", "gpus", "network", "source"}
LARGEST_NODE = 100_000


@dataclass(frozen=True)
class Node:
    """GPUs that share links."""

    name: str
    gpus: int
    network_bytes_per_s: float
    """B/s of each GPU, per direction; NaN where nobody says."""
    source: str
    gpu: str = ""
    """Name of its GPU; '' of a user's own, which may have any."""


def parse_node(content: Mapping[str, Any]) -> Node:
    """A user's own node: gpus, and as they know it network, name, source.

    >>> parse_node({"gpus": 4, "network": "12.5 GB/s"}).network_bytes_per_s
    12500000000.0
    """
    if unknown := sorted(set(content) - KEYS):
        raise InputError(f"a node has {', '.join(sorted(KEYS))}, not {unknown[0]}")
    gpus, network = content.get("gpus"), content.get("network")
    if not isinstance(gpus, int) or isinstance(gpus, bool) or not 1 <= gpus <= LARGEST_NODE:
        raise InputError("a node says how many GPUs share its links: gpus = 8")
    rate = math.nan
    if network is not None:
        rate = parse_quantity(network, "B/s") if isinstance(network, str) else 0.0
        if not 0 < rate < math.inf:
            raise InputError("a node's network is bytes per second for each GPU, more than zero: network = '50 GB/s'")
    return Node(str(content.get("name", "own node")), gpus, rate, str(content.get("source", "as the file says")))


@cache
def stated_nodes() -> dict[str, tuple[str, dict[str, Any]]]:
    """Name in lower case -> name and what the catalog's file says of it."""
    listed = tomllib.loads((ROOT / "nodes.toml").read_text(encoding="utf-8"))["node"]
    return {name.lower(): (name, item) for item in listed for name in item["names"]}


@cache
def node_named(name: str) -> Node | None:
    """The catalog's node of a name in lower case; its GPU alone is looked up."""
    if name not in stated_nodes():
        return None
    spelled, item = stated_nodes()[name]
    gpu, rate = find(item["gpu"]).processor.name, parse_quantity(item["network"], "B/s")
    return Node(spelled, item["gpus"], rate, item["source"], gpu)


def nodes() -> dict[str, Node]:
    """Nodes of the catalog by their name in lower case."""
    return {name: node for name in stated_nodes() if (node := node_named(name)) is not None}


def find_node(text: str) -> Node | None:
    """The node of a name, or of a TOML file; None where it is neither.

    >>> find_node("gb200 nvl72").gpus, find_node("50GB/s")
    (72, None)
    """
    if text.lower().endswith(".toml"):
        return read_toml(Path(text), parse_node)
    name = text.strip().lower()
    return node_named(name) or node_named(f"standard_{name}")


def gpus_sharing_links(gpu: Processor, default: int) -> int:
    """GPUs of the largest node of the catalog that has this GPU; the default where it has none."""
    return max((n.gpus for n in nodes().values() if n.gpu == gpu.name), default=default)
