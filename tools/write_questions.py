"""Write the reference of all questions from the list of them: docs/questions.md.

python tools/write_questions.py [FILE.md]
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

from roofcast.asks import find_ask, list_places
from roofcast.kit.asked import Ask

ROOT = Path(__file__).resolve().parents[1]
HEAD = """# Questions

Each question is one function of Python, one command, and where it says so one tab of the page; all three give the
same values. `answer.rows()`, `.to_polars()`, `.to_json()`, `.report()` and `.plot()` are what the command writes with
`--format` and `-o`; `answer.found` is the analysis' own object. `roofcast NAME --help` explains every option.
`python tools/write_questions.py` writes this page from the code.
"""


def write_signature(ask: Ask) -> Iterator[str]:
    """One parameter a line; progress is for programs that show a bar."""
    keyword = False
    yield f"roofcast.{ask.name}("
    for p in ask.parameters.values():
        if p.kind is p.KEYWORD_ONLY and not keyword:
            keyword = True
            yield "    *,"
        kind = str(p.annotation).strip("'")
        yield f"    {p.name}: {kind}" + ("," if p.default is p.empty else f" = {p.default!r},")
    yield f") -> {inspect.signature(ask.run).return_annotation}"


def write_question(name: str) -> Iterator[str]:
    """The section of one question."""
    ask, place = find_ask(name), list_places()[name]
    yield from ("", f"## {name}", "")
    yield from ("```python", *write_signature(ask), "```", "")
    first, _, rest = (inspect.getdoc(ask.run) or "").partition("\n")
    text = f"{first}\n{rest}".replace("``", "`").replace(":func:", "")
    yield from (*text.strip().splitlines(), "")
    yield from ("Command line, with the same words:", "", "```", *ask.examples, "```")
    if place.tab:
        yield from ("", f"On the page: tab `{place.tab}`; downloads {', '.join(place.forms)}.")


def write_page() -> str:
    """All questions, in the order of the list."""
    return "\n".join([HEAD.rstrip("\n"), *(line for name in list_places() for line in write_question(name))]) + "\n"


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "questions.md"
    target.write_text(write_page(), encoding="utf-8")
