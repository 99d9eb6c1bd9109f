"""What Tab offers: GPUs, models, formats, data sets, kernels of the files on the line, words of an option."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Complete = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]
QUICK_READ_BYTES = 20_000_000
"""Profiles up to this size are read for the names of their kernels."""
KERNELS_MOST = 500


def items(words: Iterable[str], incomplete: str, before: str = "") -> list[CompletionItem]:
    """The words that begin with what stands there; ``before`` is what they follow."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(before + w) for w in words if w.lower().startswith(incomplete.lower())]


def complete_gpu(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """GPUs, after the last comma of a list; written with hyphens, since a shell would break names at their blanks.

    Names that begin so come first; where none does, those of which a later word does (``RTX 30``).
    """
    from click.shell_completion import CompletionItem

    done, comma, last = incomplete.rpartition(",")
    wanted = last.strip().lower().replace(" ", "-")
    words = gpu_words()
    found = [w for w in words if w[0].lower().startswith(wanted)] or [
        w for w in words if f"-{wanted}" in w[0].lower() or w[1].lower().replace(" ", "-").startswith(wanted)
    ]
    return [CompletionItem(done + comma + word, help=name) for word, name in found]


def gpu_words() -> list[tuple[str, str]]:
    """(word that the catalog understands and that no shell breaks, name) of every entry."""
    from roofcast.catalog.library import index

    entries = index()["entries"]
    named = [(str(e["name"]).replace(" ", "-"), key, str(e["name"])) for key, e in entries.items()]
    return [(word if re.fullmatch(r"[\w.-]+", word) else key, name) for word, key, name in named]


def complete_gpu_or_file(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """GPUs, and files."""
    return with_files(complete_gpu(context, parameter, incomplete), incomplete)


def with_files(found: list[CompletionItem], incomplete: str) -> list[CompletionItem]:
    """With the item that makes the shell offer files as well."""
    from click.shell_completion import CompletionItem

    return [*found, CompletionItem(incomplete, type="file")]


def complete_file(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Files."""
    return with_files([], incomplete)


def complete_word(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Words of the glossary, and causes."""
    from roofcast.kit.words import name_words
    from roofcast.models.physics.causes.registry import ORDER

    return items([*(w for w in name_words() if " " not in w), *ORDER], incomplete)


def complete_dataset(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Registered data sets, and files."""
    from roofcast.evaluation.datasets import DATASETS

    return with_files(items(DATASETS, incomplete), incomplete)


def complete_model(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Models."""
    from roofcast.models.registry import MODELS

    return items(MODELS, incomplete)


def complete_format(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Input formats."""
    from roofcast.ingest.readers import READERS

    return items(READERS, incomplete)


def complete_vendor(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Vendors of the catalog."""
    from roofcast.catalog import processors

    return items(sorted({p.vendor for p in processors()}), incomplete)


def complete_element(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Element types of an algorithm class."""
    from roofcast.hulls.bounds import ELEMENT_TYPES

    return items(ELEMENT_TYPES, incomplete)


def words(*known: str) -> Complete:
    """Fixed words, after the last comma of a list."""

    def complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
        done, comma, last = incomplete.rpartition(",")
        return items(known, last, done + comma)

    return complete


def complete_kernel(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Kernels of the files on the line, as expressions that match their names; none where reading takes long."""
    from roofcast.core.errors import RoofcastError
    from roofcast.reading import read

    given = [context.params.get(name) for name in ("files", "file", "before", "after", "compare")]
    # An option without its value, as here, leaves the arguments unread.
    parts = [*given, tuple(context.args)]
    files = [str(f) for part in parts for f in (part if isinstance(part, tuple) else (part,)) if f]
    known = [f for f in files if Path(f).is_file() and Path(f).stat().st_size < QUICK_READ_BYTES]
    try:
        names = dict.fromkeys(str(name) for f in known for name in read([f]).strings("kernel"))
    except (RoofcastError, OSError):
        return []
    # A shell breaks words at blanks, and brackets mean something to it and to expressions: a dot fits both.
    return items(dict.fromkeys(re.sub(r"[^\w.,:-]", ".", name) for name in list(names)[:KERNELS_MOST]), incomplete)
