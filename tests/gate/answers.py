"""A question in its formats, asked and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import roofcast
from gate.asking import Question, ask, ask_in, questions_of
from gate.checks import faults_of
from gate.variants import VARIANTS, source_of, write_variants

Found = tuple[int, list[str]]


def steps_of(path: Path, variants: tuple[str, ...] = VARIANTS) -> Iterator[tuple[str, Question, Callable[[], Found]]]:
    """Variant, question, and what asks and checks it, for all questions about a file."""
    for variant, file in write_variants(path, Path(), variants):
        names, gpus = names_in(file)
        gpu = "" if gpus else source_of(path)
        for question in questions_of(file, variant, gpu, "several" if len(gpus) > 1 else ""):
            yield variant, question, partial(ask_and_check, question, names)


def names_in(file: Path) -> tuple[list[str], set[str]]:
    """What a file calls its kernels, words that may stand in any text; and its GPUs."""
    try:
        table = roofcast.read(file)
    except roofcast.RoofcastError:
        return [], set()
    names = {str(name) for column in ("kernel", "config") for name in table.strings(column)}
    return sorted(names), {str(g) for g in table.strings("gpu") if str(g).strip()}


def ask_and_check(question: Question, names: list[str]) -> Found:
    """Number of runs, and the faults of their answers; of a defect also where it came from."""
    answers = {form: ask_in(question, form) for form in question.formats()}
    faults = list(faults_of(question, answers, names))
    if any(said.code not in (0, 2) for said in answers.values()):
        trace = ask([*question.argv, "--debug"]).err.splitlines()
        faults = [f"{fault}\n" + "\n".join(trace[-7:]) if "defect" in fault else fault for fault in faults]
    return len(answers), faults
