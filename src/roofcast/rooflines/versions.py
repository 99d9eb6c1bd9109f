"""Versions of the same kernel: in several profiles given in order, or in a table with a column that names them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from os.path import commonprefix
from pathlib import PurePath

from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.kit.names import LABEL_COLUMNS, clipped, full_name

LABEL_LIMIT = 40
"""Characters of a version's label."""


def label_versions(kernels: KernelTable) -> list[str]:
    """(n,) label of each row's version: the table's ``version`` or ``label``, else the file; '' where neither says.

    Labels of files are their names without the suffixes that all of them share.
    """
    files = list_source_files(kernels)
    for column in LABEL_COLUMNS:
        if column in kernels.extra:
            given = [one_line(str(v), LABEL_LIMIT) if v is not None else "" for v in kernels.extra[column]]
            return [label or file for label, file in zip(given, files, strict=True)]
    short = shorten_files(list(dict.fromkeys(files)))
    return [short[file] for file in files]


def select_versions(kernels: KernelTable, asked: str) -> KernelTable:
    """The rows of some versions: ``v5:v8`` from one to another in the order of the table, ``v0,v8`` these alone.

    Raises
    ------
    InputError : no version bears the name.
    """
    labels = label_versions(kernels)
    order = list(dict.fromkeys(labels))
    chosen: set[str] = set()
    for part in filter(None, (p.strip() for p in asked.split(","))):
        first, colon, last = (p.strip() for p in part.partition(":"))
        ends = (first or order[0], (last or order[-1]) if colon else first)
        if unknown := [e for e in ends if e not in order]:
            raise InputError(f"no version {one_line(unknown[0], 40)!r}: use {', '.join(filter(None, order)) or 'none'}")
        low, high = sorted(order.index(e) for e in ends)
        chosen |= set(order[low : high + 1])
    return kernels.select([i for i, label in enumerate(labels) if label in chosen])


def shorten_files(files: Sequence[str]) -> dict[str, str]:
    """File -> label: without the suffix, and without the words that all begin with, where that keeps labels apart.

    >>> shorten_files(["v0.ncu-rep", "v1.ncu-rep"])
    {'v0.ncu-rep': 'v0', 'v1.ncu-rep': 'v1'}
    >>> list(shorten_files(["run-2024-base.csv", "run-2024-fused.csv"]).values())
    ['base', 'fused']
    >>> shorten_files(["a.csv", "a.ncu-rep"])["a.csv"]
    'a.csv'
    """
    stems = {file: PurePath(file.removesuffix(".gz")).stem for file in files}
    if len(set(stems.values())) < len(files) or not all(stems[f] for f in files if f):
        stems = {file: file for file in files}
    if len(files) > 1:
        # Characters, not parts of paths, are compared here.
        shared = re.match(r".*[-_ ]", commonprefix(list(stems.values())))  # noqa: RUF071
        skip = len(shared[0]) if shared else 0
        if all(len(stem) > skip for stem in stems.values()):
            stems = {file: stem[skip:] for file, stem in stems.items()}
    labels = {file: one_line(clipped(stem, LABEL_LIMIT) if stem else stem) for file, stem in stems.items()}
    if len(set(labels.values())) < len(files):
        labels = {file: f"{n}: {label}" for n, (file, label) in enumerate(labels.items(), 1)}
    return labels


def list_source_files(kernels: KernelTable) -> list[str]:
    """(n,) the file that each row was read from; '' where nothing says."""
    files = [str(f) for f in kernels.strings("source_file")]
    if not any(files) and len(kernels.provenance) == 1:
        return [kernels.provenance[0].file] * len(kernels)
    return files


def chain_versions(kernels: KernelTable) -> tuple[tuple[int, ...], ...]:
    """Rows that are versions of one kernel, in the order of the versions; kernels of one version only are left out.

    A kernel is the n-th launch of its name in each version. Names that no other version has are joined where they
    differ in numbers only (compilers put line numbers into names), and where each of those versions has one such
    kernel left.
    """
    labels = label_versions(kernels)
    if len(set(labels)) < 2:
        return ()
    pairs = zip(kernels.strings("kernel"), kernels.strings("kernel_mangled"), strict=True)
    names = ["".join(full_name(str(n), str(m)).split()) for n, m in pairs]
    chains: list[list[int]] = []
    left = list(range(len(kernels)))
    keys: tuple[Callable[[int], str], ...] = (lambda i: names[i], lambda i: re.sub(r"\d+", "#", names[i]), lambda _: "")
    for n, key in enumerate(keys):
        joined = join_rows(left, key, labels)
        if n == len(keys) - 1:
            joined = [c for c in joined if is_one_left(left, labels)]
        chains += joined
        taken = {i for chain in joined for i in chain}
        left = [i for i in left if i not in taken]
    return tuple(tuple(c) for c in sorted(chains))


def join_rows(rows: Sequence[int], key: Callable[[int], str], labels: Sequence[str]) -> list[list[int]]:
    """Rows of equal key and occurrence in at least two versions."""
    seen: Counter[tuple[str, str]] = Counter()
    chains: dict[tuple[str, int], list[int]] = {}
    for i in rows:
        chains.setdefault((key(i), seen[labels[i], key(i)]), []).append(i)
        seen[labels[i], key(i)] += 1
    return [c for c in chains.values() if len(c) > 1]


def is_one_left(rows: Sequence[int], labels: Sequence[str]) -> bool:
    """Whether no version has more than one kernel without a partner."""
    return max(Counter(labels[i] for i in rows).values(), default=0) == 1
