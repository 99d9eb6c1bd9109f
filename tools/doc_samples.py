"""The commands of the documents: which there are, how they run, and what stands below them; renews the samples.

A block of code without a language (or of a shell) holds commands. A line `$ roofcast ...` is a sample: what it prints
stands below, and `...` there is any number of lines. `python tools/doc_samples.py renew` writes samples as they print
now; numbers may differ without that.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = Path(os.environ.get("ROOFCAST_FIXTURES", ROOT.parent / "shared" / "fixtures"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = ("", "sh", "console")
NUMBER = re.compile(r"[-+~±]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")
UNIT = re.compile(r"#\s?(?:[nuµm]s|s|[kMGT]?B(?:/s)?|[kMGT]?FLOP(?:/s)?|%|x|×)(?![a-z])")
LIMIT = "|".join(
    (r"(?:tensor )?(?:FP64|FP32|FP16|BF16|TF32|FP8|FP4|INT8|INT32)", "issue", "special functions", "special",
     "load/store", "shared memory", "shared", "L1", "L2 atomics", "L2", "last-level cache", "LLC", "DRAM", "host link")
)  # fmt: skip
"""What a forecast may name as limit: values too."""
COLUMNS = 88

FILES = {
    "run.ncu-rep": "ncu_rep/*MW-Baseline*", "app.ncu-rep": "ncu_rep/h100-pcie*",
    "before.ncu-rep": "ncu_rep/*MW-Baseline*", "after.ncu-rep": "ncu_rep/*MW-DivToMult*",
    "v0.ncu-rep": "ncu_rep/*MW-Baseline*", "v1.ncu-rep": "ncu_rep/*MW-DivToMult*",
    "kernels.ncu-rep": "ncu_rep/h100-pcie*", "profile.ncu-rep": "ncu_rep/h100-pcie*",
    "step.pt.trace.json.gz": "kineto/h100*bert-small*", "report.sqlite": "nsys_sqlite/gh200*",
    "there.json.gz": "kineto/*mi300x*bert-small*", "pmc_perf.csv": "rocprof_compute/mi200*pmc-perf*",
}  # fmt: skip
"""Names in the documents -> real profiles of their kind; absent ones leave the commands that need them to be parsed."""
EXAMPLES = ("convolution.csv", "space.toml", "prices.toml", "fast_focus_on_structures.toml", "gpu.toml")
NOT_RUN = ("measure", "serve", "evaluate", "completion")
"""Commands that need a GPU, public data or a person; they are parsed."""
STANDS = ("CLASS", "FILE", "FOLDER", "TRACE", "PROFILE", "MEASURED", "NAME", "DATASET", "TABLE", "PROCESSOR")
OPTIONS_NOT_RUN = ("--on-gpu", "--cluster", "--measure-here", "--public-data", "--target-sass")


@dataclass(frozen=True)
class Command:
    """One line of a document."""

    page: Path
    line: str
    expected: tuple[str, ...] | None
    """What stands below a sample; None of a plain command."""
    start: int
    end: int
    """Where that stands in the page."""

    @property
    def words(self) -> list[str]:
        """After `roofcast`."""
        return shlex.split(self.line, comments=True)[1:]


def list_pages() -> list[Path]:
    """Every document with commands."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md")), *sorted((ROOT / "examples").glob("**/*.md"))]
    return [p for p in found if "roofcast " in p.read_text(encoding="utf-8")]


def list_commands(page: Path) -> Iterator[Command]:
    """The commands of a page, in order."""
    text = page.read_text(encoding="utf-8")
    for block in (b for b in BLOCK.finditer(text) if b[1] in SHELL):
        at = block.start(2)
        lines = block[2].splitlines(keepends=True)
        k = 0
        while k < len(lines):
            line, begin = lines[k].rstrip("\n"), at + sum(map(len, lines[: k + 1]))
            k += 1
            while line.endswith("\\") and k < len(lines):
                line = line[:-1] + lines[k].strip()
                k += 1
            if line.startswith("$ roofcast"):
                first = k
                while k < len(lines) and not lines[k].startswith(("$ ", "roofcast ")):
                    k += 1
                below = lines[first:k]
                yield Command(page, line[2:], tuple(x.rstrip("\n") for x in below), begin, begin + sum(map(len, below)))
            elif line.startswith("roofcast "):
                yield Command(page, line, None, begin, begin)


def prepare_folder(folder: Path) -> Path:
    """Puts what the documents name into a folder."""
    for name in EXAMPLES:
        if (ROOT / "examples" / name).is_file():
            shutil.copy(ROOT / "examples" / name, folder / name)
    for name, pattern in FILES.items():
        found = sorted(FIXTURES.glob(pattern)) if FIXTURES.is_dir() else []
        if found:
            shutil.copy(found[0], folder / name)
    (folder / "reports").mkdir(exist_ok=True)
    shutil.copy(folder / "convolution.csv", folder / "reports" / "nightly.csv")
    for name in ("examples", "tests", "packages"):
        if not (folder / name).exists():
            (folder / name).symlink_to(ROOT / name)
    return folder


WRITTEN_AFTER = ("-o", "--report", "--out", "--pictures", "--save", "--db", "--to-csv", "--template")


def find_missing(command: Command, folder: Path) -> str:
    """Why a command is only parsed; '' where it can run."""
    words = command.words
    if words and words[0] in NOT_RUN and not {"convolution.csv", "--list", "--published"}.intersection(words):
        return f"{words[0]} needs a GPU, public data or a person"
    for option in OPTIONS_NOT_RUN:
        if option in words:
            return f"{option} needs what a test does not have"
    for k, word in enumerate(words):
        name = word.partition(":")[0] if ".c:" in word or ".cu:" in word else word
        if (
            not (k and words[k - 1] in WRITTEN_AFTER)
            and re.search(r"\.(ncu-rep|csv|json|gz|sqlite|toml|cubin|c|cu|traceg)$", name)
            and not (folder / name).exists()
        ):
            return f"{name} is not here"
        if (word.endswith("/") and word != "reports/") or word in STANDS:
            return f"{word} stands for something"
    return ""


def make_inputs(command: Command, folder: Path) -> None:
    """Runs the commands of the page before this one that write what it reads."""
    for earlier in list_commands(command.page):
        if earlier.start >= command.start:
            return
        words = earlier.words
        written = [words[k + 1] for k in range(len(words) - 1) if words[k] in WRITTEN_AFTER]
        if (
            any(w == name or w.startswith(f"{name}/") for name in written for w in command.words)
            and not any((folder / name).exists() for name in written)
            and not find_missing(earlier, folder)
        ):
            run(earlier, folder)


def run(command: Command, folder: Path) -> subprocess.CompletedProcess[str]:
    """What a command prints in the folder."""
    told = {**os.environ, "COLUMNS": str(COLUMNS), "ROOFCAST_STORE": str(folder / "store.duckdb")}
    words = [sys.executable, "-m", "roofcast", *command.words]
    done = subprocess.run(words, cwd=folder, env=told, capture_output=True, text=True, check=False)
    if "No module named roofcast" in done.stderr:
        sys.exit(f"{sys.executable} has no roofcast: use the environment's Python (.venv/bin/python)")
    return done


def mask(text: str) -> str:
    """A text without its values (numbers with units, limits) and without how it was broken into lines."""
    plain = re.sub(r"[\s─┈━]+", " ", text).strip().replace(", though the interval leaves open which is faster", "")
    limits = re.sub(r" ?(?:→ ?)?(?:LIMIT)(?: ?→ ?(?:LIMIT))?(?![\w/])".replace("LIMIT", LIMIT), " @", plain)
    return UNIT.sub("#", NUMBER.sub("#", limits))


def is_like(expected: tuple[str, ...], printed: list[str]) -> bool:
    """Whether texts agree but for values; `...` among the expected lines stands for any."""
    parts = re.split(r"^\.\.\.$", "\n".join(x.strip() for x in expected), flags=re.MULTILINE)
    pattern = " ?.*".join(re.escape(mask(part)) for part in parts)
    return re.fullmatch(pattern, mask("\n".join(printed)), re.DOTALL) is not None


def renew(page: Path, folder: Path) -> int:
    """Writes the samples of a page as they print now; how many changed. Lines cut by `...` stay cut."""
    text, changed = page.read_text(encoding="utf-8"), 0
    for command in reversed([c for c in list_commands(page) if c.expected is not None]):
        make_inputs(command, folder)
        if find_missing(command, folder):
            continue
        printed = [x.rstrip() for x in run(command, folder).stdout.rstrip("\n").splitlines()]
        if command.expected is not None and any(x.strip() == "..." for x in command.expected):
            head = next(k for k, x in enumerate(command.expected) if x.strip() == "...")
            tail = len(command.expected) - head - 1
            printed = [*printed[:head], "...", *(printed[-tail:] if tail else [])]
        new = "".join(f"{x}\n" for x in printed)
        if new != text[command.start : command.end]:
            text = text[: command.start] + new + text[command.end :]
            changed += 1
    page.write_text(text, encoding="utf-8")
    return changed


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        prepare_folder(Path(place))
        for document in list_pages():
            count = renew(document, Path(place))
            if count:
                print(f"{document.relative_to(ROOT)}: {count} renewed")
