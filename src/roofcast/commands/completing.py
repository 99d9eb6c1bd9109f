"""What Tab offers: GPUs, models, formats, data sets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


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
    fitting = [w for w in words if w[0].lower().startswith(wanted)] or [
        w for w in words if f"-{wanted}" in w[0].lower() or w[1].lower().replace(" ", "-").startswith(wanted)
    ]
    return [CompletionItem(done + comma + word, help=name) for word, name in fitting]


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
    """Add the item that makes the shell offer files as well."""
    from click.shell_completion import CompletionItem

    return [*found, CompletionItem(incomplete, type="file")]


def complete_file(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Files."""
    return with_files([], incomplete)


def complete_model(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Models."""
    from roofcast.models.registry import MODELS

    return items(MODELS, incomplete)


def complete_format(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Input formats."""
    from roofcast.ingest.readers import list_readers

    return items(list_readers(), incomplete)
