"""The gate at scale: every command over every file, damaged files through every reader, drawn tables.

    python tools/nightly.py                     # nine minutes of what is left; repeat until it says that all is done
    python tools/nightly.py --seconds 36000     # a night
    python tools/nightly.py --parts mutations --mutations 20000 --workers 1
    python tools/nightly.py --again 'mutations 7 1234'   # one step of seed 7, as a finding names it

What is checked stands in tests/gate/checks.py, which ``make test`` shares. Work is done in pieces by processes with
bounded memory and time per step, so that a hang or a flood is a finding like any other. The folder ``.nightly`` holds
what is left, the findings (one JSON object a line) and the seed; when all is done the next call begins a round with
the next seed.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT / "tests"))

FOLDER = CHECKOUT / ".nightly"
PARTS = {"matrix": 1, "mutations": 500, "tables": 5}
"""Part -> steps, or files, of one piece of work."""
EXAMPLES = 20
"""Tables that one step draws."""
STEP_SECONDS, WAIT_SECONDS = 120, 1200
"""CPU seconds after which a step hangs, as the system counts them, so that other work beside it changes nothing; and
seconds without an answer of one that waits. A question about the largest file takes about ten."""
MEMORY_BYTES = 2 * 2**30
SHARE = "ROOFCAST_NIGHTLY_SHARE"
"""Variable by which workers know ``--matrix``."""
Step = tuple[str, Callable[[], tuple[int, list[str]]]]
"""What is done, and a function that returns how many runs it was and the faults."""


# ---- steps -----------------------------------------------------------------------------------------------------------


def matrix_files() -> list[Path | tuple[str, bytes]]:
    """Real files, examples, data sets and the samples of the tests."""
    from gate.variants import real_files, samples

    return [*real_files(), *samples().items()]


def matrix_steps(seed: int, index: int) -> Iterator[Step]:
    """What is asked of one file and its variants; of all questions every so many-th, others with every seed."""
    from gate.answers import steps_of
    from gate.asking import SPACE

    given = matrix_files()[index]
    path = given if isinstance(given, Path) else Path("given") / given[0]
    if isinstance(given, tuple):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(given[1])
    Path("space.toml").write_text(SPACE)
    share = int(os.environ.get(SHARE, "1"))
    for variant, question, check in steps_of(path):
        if zlib.crc32(f"{seed} {question}".encode()) % share == 0:
            yield f"{path.parent.name}/{path.name}, {variant}: {question}", check


def mutation_steps(seed: int, index: int) -> Iterator[Step]:
    """One damaged file through its reader, or another's, and some through a command."""
    from gate.mutations import Mutation

    mutation = Mutation.draw(random.Random(f"{seed} {index}"))
    yield str(mutation), lambda: (1, mutation.faults())


def table_steps(seed: int, index: int) -> Iterator[Step]:
    """Drawn tables through one of the properties."""
    import hypothesis

    from contracts import test_properties
    from gate import test_gate
    from gate.asking import SPACE

    Path("space.toml").write_text(SPACE)
    properties = {name: test for name, test in sorted(vars(test_properties).items()) if hasattr(test, "hypothesis")}
    properties["test_drawn_tables_are_answered"] = test_gate.test_drawn_tables_are_answered
    name = list(properties)[index % len(properties)]

    def hold() -> tuple[int, list[str]]:
        test = properties[name]
        test._hypothesis_internal_use_seed = seed * 1_000_003 + index
        test._hypothesis_internal_use_settings = hypothesis.settings(
            test._hypothesis_internal_use_settings, max_examples=EXAMPLES, database=None, derandomize=False,
            suppress_health_check=[*hypothesis.HealthCheck],
        )  # fmt: skip
        try:
            test()
        except Exception as error:  # noqa: BLE001 - whatever a property raises is a finding
            notes = "\n".join(getattr(error, "__notes__", []))
            return EXAMPLES, [f"{name}: {type(error).__name__}: {error}\n{notes}"]
        return EXAMPLES, []

    yield name, hold


STEPS: dict[str, Callable[[int, int], Iterator[Step]]] = {
    "matrix": matrix_steps, "mutations": mutation_steps, "tables": table_steps,
}  # fmt: skip


def work(part: str, seed: int, start: int, stop: int, skip: int) -> None:
    """In a process of its own: do the steps from ``start`` to ``stop`` less the first ones; tell each by a line."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    warnings.simplefilter("error")
    folder = os.environ["ROOFCAST_NIGHTLY"]
    os.chdir(folder)
    # What a step prints is no line of ours.
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    done = 0
    for index in range(start, stop):
        for what, run in STEPS[part](seed, index):
            done += 1
            if done <= skip:
                continue
            tell(told, begun=done, what=what, index=index)
            signal.setitimer(signal.ITIMER_PROF, STEP_SECONDS)
            try:
                runs, faults = run()
            except Exception:  # noqa: BLE001 - whatever escapes is a finding
                runs, faults = 1, [traceback.format_exc(limit=-6)]
            tell(told, runs=runs, faults=faults)
    tell(told, end=True)


def tell(told: TextIO, **line: Any) -> None:
    """One line to the process that counts."""
    told.write(json.dumps(line) + "\n")
    told.flush()


# ---- the round -------------------------------------------------------------------------------------------------------


class Round:
    """What is left of a night's work, and what was found; survives in ``.nightly``."""

    def __init__(self, given: argparse.Namespace) -> None:
        FOLDER.mkdir(exist_ok=True)
        self.lock = threading.Lock()
        self.until = time.monotonic() + given.seconds
        file = FOLDER / "state.json"
        before: dict[str, Any] = json.loads(file.read_text()) if file.is_file() else {"seed": 0, "left": []}
        self.seed: int = before["seed"]
        self.left: list[list[Any]] = before["left"]
        self.runs: Counter[str] = Counter(before.get("runs", {}))
        if not self.left:
            self.seed = given.seed if given.seed is not None else self.seed + 1
            self.runs.clear()
            most = {"matrix": len(matrix_files()), "mutations": given.mutations, "tables": -(-given.tables // EXAMPLES)}
            for part in given.parts:
                piece = PARTS[part]
                self.left += [[part, i, min(i + piece, most[part]), 0] for i in range(0, most[part], piece)]
            # What is found in the first minutes should not all be of one kind.
            random.Random(self.seed).shuffle(self.left)
            (FOLDER / "findings.jsonl").write_text("")
        print(f"seed {self.seed}: {len(self.left)} pieces of work are left")

    def findings(self) -> list[dict[str, Any]]:
        """All findings of the round."""
        return [json.loads(line) for line in (FOLDER / "findings.jsonl").read_text().splitlines()]

    def keep(self) -> None:
        """Write down what is left."""
        state = {"seed": self.seed, "left": self.left, "runs": self.runs}
        (FOLDER / "state.new").write_text(json.dumps(state))
        (FOLDER / "state.new").replace(FOLDER / "state.json")

    def found(self, part: str, index: int, what: str, fault: str) -> None:
        """Write down a finding."""
        line = {"fault": fault, "what": what, "again": f"{part} {self.seed} {index}"}
        with self.lock, (FOLDER / "findings.jsonl").open("a") as out:
            out.write(json.dumps(line) + "\n")

    def take_pieces(self) -> None:
        """Do pieces until the time is over or none is left."""
        while time.monotonic() < self.until:
            with self.lock:
                if not self.left:
                    return
                piece = self.left.pop()
            rest = self.do(piece)
            with self.lock:
                self.left += [rest] if rest else []
                self.keep()

    def do(self, piece: list[Any]) -> list[Any] | None:
        """Do one piece in a process; what is left of it where the time is over or the process died."""
        part, start, stop, skip = piece
        with tempfile.TemporaryDirectory(prefix="nightly-") as folder:
            process = subprocess.Popen(
                [sys.executable, __file__, "--work", part, *map(str, (self.seed, start, stop, skip))],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(folder),
            )  # fmt: skip
            lines: queue.Queue[str | None] = queue.Queue()
            threading.Thread(target=pump, args=(process, lines), daemon=True).start()
            errors: list[str] = []
            threading.Thread(target=lambda: errors.append(process.stderr.read()), daemon=True).start()  # type: ignore[union-attr]
            begun: dict[str, Any] = {"begun": skip, "what": "the first step", "index": start}
            why = ""
            while True:
                try:
                    text = lines.get(timeout=WAIT_SECONDS)
                except queue.Empty:
                    why = f"waits: no answer in {WAIT_SECONDS} s"
                    break
                if text is None:
                    code = process.wait()
                    hangs = code == -signal.SIGPROF
                    why = f"hangs: {STEP_SECONDS} s of CPU time" if hangs else f"the process died ({code})"
                    break
                line = json.loads(text)
                if "begun" in line:
                    begun = line
                elif "end" in line:
                    break
                else:
                    self.runs[part] += line["runs"]
                    for fault in line["faults"]:
                        self.found(part, begun["index"], begun["what"], fault)
                    if time.monotonic() > self.until:
                        process.kill()
                        process.wait()
                        return [part, start, stop, begun["begun"]]
            process.kill() if why else None
            process.wait()
            if not why:
                return None
            self.found(part, begun["index"], begun["what"], f"{why}: {' '.join(errors)[-600:]}")
            # A piece whose process dies before its first step is given up.
            return [part, start, stop, begun["begun"]] if begun["begun"] > skip else None

    def print_summary(self) -> None:
        """Counts, and the findings by cause."""
        found = self.findings()
        by_cause = Counter(cause_of(f["fault"]) for f in found)
        for cause, count in by_cause.most_common(40):
            first = next(f for f in found if cause_of(f["fault"]) == cause)
            print(f"\n{count} x {first['fault'][:400]}\n    {first['what'][:300]}\n    --again '{first['again']}'")
        parts = ", ".join(f"{n:,} runs of {part}" for part, n in sorted(self.runs.items()))
        print(f"\nseed {self.seed}: {parts or 'no runs'}; {len(found)} findings of {len(by_cause)} causes; "
              f"{len(self.left)} pieces left")  # fmt: skip


def pump(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    """Hand the lines of a process on; None at their end."""
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put(None)


def environment(folder: str) -> dict[str, str]:
    """Nothing of the user's own; one thread, because there are several processes."""
    threads = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    places = {"ROOFCAST_NIGHTLY": folder, "ROOFCAST_STORE": f"{folder}/store.db", "COLUMNS": "120"}
    cache = FOLDER / "cache"
    return os.environ | dict.fromkeys(threads, "1") | places | {"ROOFCAST_CACHE": str(cache)}


def cause_of(fault: str) -> str:
    """A fault without its numbers and names: what faults of one cause share."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|\[\d+\]|[\d.e+-]*\d|\.\.\..*", "#", fault)[:100]


def do_again(again: str) -> int:
    """Run the steps of one finding here and print what they say."""
    part, seed, index = again.split()
    with tempfile.TemporaryDirectory(prefix="nightly-") as folder:
        os.environ.update(environment(folder))
        os.chdir(folder)
        warnings.simplefilter("error")
        count = 0
        for what, run in STEPS[part](int(seed), int(index)):
            for fault in run()[1]:
                count += 1
                print(f"{what}\n    {fault}")
        print(f"{count} findings; the files: {folder}")
        if count:
            input("Enter deletes them ") if sys.stdin.isatty() else None
    return 1 if count else 0


def main() -> int:
    """Read the options; do pieces of work until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=540.0, help="stop after so long; the next call goes on")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--matrix", type=int, default=1, metavar="N", help="every Nth question of the matrix")
    parser.add_argument("--mutations", type=int, default=100_000)
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--seed", type=int, help="of a new round (default: the next)")
    parser.add_argument("--fresh", action="store_true", help="drop what is left of the last round")
    parser.add_argument("--again", metavar="'PART SEED INDEX'", help="one finding's steps alone")
    parser.add_argument("--work", nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.environ.setdefault(SHARE, str(given.matrix))
    if given.work:
        work(given.work[0], *map(int, given.work[1:]))
        return 0
    if given.again:
        return do_again(given.again)
    if given.fresh:
        (FOLDER / "state.json").unlink(missing_ok=True)
    told = Round(given)
    workers = [threading.Thread(target=told.take_pieces) for _ in range(given.workers)]
    for worker in workers:
        worker.start()
    while any(w.is_alive() for w in workers):
        time.sleep(0.5)
        if sys.stderr.isatty():
            print(f"\r{dict(told.runs)}, {len(told.left)} pieces left ", end="", file=sys.stderr)
    told.keep()
    told.print_summary()
    return 1 if told.findings() else 0


if __name__ == "__main__":
    sys.exit(main())
