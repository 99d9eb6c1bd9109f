"""What holds for the words and shares of any answer, of any file: each function yields what is wrong, in one line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from roofcast.models.physics.model import NO_CLAIM

NOUNS = (
    *("kernels", "launches", "steps", "copies", "blocks", "binaries", "rows", "GPUs", "traces", "long pauses", "files"),
    *("findings", "processes", "streams", "API calls", "numbers", "operators"),
)
ONE_OF_MANY = re.compile(rf"(?<![\w.,]){1} (?:{'|'.join(NOUNS)})\b(?! of 1\b)")
"""One of something, with the word of several."""
NO_VALUE = re.compile(r"(?<![\w.\-/])[-+]?(?:nan|NaN|NAN|inf|-inf|Infinity|None|null)(?![\w/(\-])(?! \()")
"""A number that is none, or a language's own word for it."""
PYTHON = re.compile(
    r"Traceback \(most recent|<[\w.]+ object at 0x|<function |<class '|\b(?:np|numpy)\.\w+\(|\barray\(\[|dtype=|"
    r"mappingproxy|(?:Posix|Windows)Path\(|Origin\.|Resource\.[A-Z]|\bstrict=|\{'|\(\)\s*$"
)
TEMPORARY = re.compile(r"/tmp/|\btmp[a-z0-9_]{8}\b|\broofcast-[a-z0-9_]{8}\b|(?<![\w.])\.[\w.]+\.[a-z0-9_]{8}\b|\.new-")
"""A name that roofcast made for itself and no user gave."""
NOTHING = "claim nothing"
ROUNDING = 1e-6
CLAIMED = re.compile(r"(?:intervals for|claim to hold) \d+ %")


def check_text(text: str, known: str = "") -> Iterator[str]:
    """What a command prints: no wrong plural, no value that is none, no Python, no temporary name.

    known : names of kernels and files; their words may stand in any text.
    """
    for what, pattern in (
        ("plural", ONE_OF_MANY),
        ("no value", NO_VALUE),
        ("Python", PYTHON),
        ("temporary name", TEMPORARY),
    ):
        for m in pattern.finditer(text):
            if m[0].strip() and m[0] not in known:
                yield f"{what} in the text: …{text[max(m.start() - 60, 0) : m.end() + 40]!r}…"
                break


def check_sentence(answer: Mapping[str, Any]) -> Iterator[str]:
    """Verdict, subject and promise of an answer's JSON: sentences of one line that agree with each other."""
    verdict, subject, promise = (answer.get(k) for k in ("verdict", "subject", "promise"))
    if not isinstance(verdict, str) or not verdict:
        yield f"no verdict: {verdict!r}"
        return
    yield from check_text(verdict)
    if "\n" in verdict or "  " in verdict or not verdict.endswith("."):
        yield f"no sentence of one line: {verdict!r}"
    if not isinstance(subject, str) or not isinstance(promise, str):
        yield f"subject {subject!r}, promise {promise!r}"
        return
    if promise and promise not in verdict:
        yield f"the verdict does not say what it promises, {promise!r}: {verdict!r}"
    # A run's sentence before it may speak of another GPU.
    if promise == f"intervals that {NOTHING}" and CLAIMED.search(verdict, max(verdict.rfind("intervals"), 0)):
        yield f"nothing and something is claimed: {verdict!r}"


def check_promise(answer: Mapping[str, Any]) -> Iterator[str]:
    """A forecast's JSON: rows, totals and sentence claim the same; what a note says claims nothing has no coverage."""
    for total in answer["totals"]:
        rows = [r for r in answer["forecasts"] if r["target_gpu"] == total["target"] and r["time_total_s"]]
        if not total["kernels"] or total["kernels"] != len(rows):
            continue  # works that were measured on several GPUs, or a part of the kernels
        time = sum(r["time_total_s"] for r in rows)
        open_ = sum(r["time_total_s"] for r in rows if r["coverage"] is None)
        if not math.isclose(open_ / time, total["unclaimed_fraction"], abs_tol=ROUNDING):
            yield f"{total['target']}: rows claim nothing of {open_ / time}, the total {total['unclaimed_fraction']}"
    noted = [r for r in answer["forecasts"] if NO_CLAIM in r["notes"] and r["time_s"]]
    for r in noted:
        same = [o for o in answer["forecasts"] if (o["kernel"], o["launch"]) == (r["kernel"], r["launch"])]
        if all(o["coverage"] is not None for o in same):
            yield f"{r['kernel'][:60]}: its note says that the interval claims nothing, all its rows claim"
    claims = [r["coverage"] for r in answer["forecasts"] if r["time_s"]]
    launched = sum(t["kernels"] for t in answer["totals"])
    if len(claims) == launched and claims and not any(claims) and NOTHING not in answer["promise"]:
        yield f"no row claims anything, the promise is {answer['promise']!r}"


def check_shares(app: Mapping[str, Any]) -> Iterator[str]:
    """The JSON of `app`: parts sum to the whole that they name, and no part is more than its whole."""
    wholes = {side: sum(c[side] or 0.0 for c in app["classes"]) for side in ("source_time_s", "time_s", "launches")}
    sums = {side: sum(o[side] or 0.0 for o in app["operators"]) for side in wholes} if app["operators"] else wholes
    named = {"time_s": app["by_class"], "source_time_s": app["by_class_source"]}
    for side, whole in wholes.items():
        for name, found in (("operators", sums[side]), ("by_class", sum(named.get(side, {side: whole}).values()))):
            if not math.isclose(found, whole, rel_tol=ROUNDING, abs_tol=1e-12):
                yield f"{side}: {name} sum to {found}, kinds of work to {whole}"
    # Of a long run each window is played by itself: to a per cent.
    parts = [(k, app[k], 1.01 * app[of]) for k, of in BUSY.items()]
    for where, span in (("run", app), ("part", app["part"] or app)):
        parts += [(f"{where}: {k}", span[k], span[of] * (1 + ROUNDING)) for k, of in WITHIN.items()]
    shares = [v for v in app["evidence"].values() if v is not None]
    if any(shares) and not math.isclose(sum(shares), 1.0, rel_tol=ROUNDING):
        yield f"evidence sums to {sum(shares)}"
    yield from (
        f"{name} {part} is more than {whole}" for name, part, whole in parts if part is not None and part > whole
    )


BUSY = {"device_busy_source_s": "source_time_s", "device_busy_s": "time_s"}
WITHIN = {"time_low_s": "time_s", "time_s": "time_high_s", "fixed_time_s": "time_s"}
"""What is at most what, in seconds."""


def check_advice(narrowing: Mapping[str, Any] | None, collective_fraction: float) -> Iterator[str]:
    """What a forecast says to measure next: nothing that counters do not change."""
    if narrowing and collective_fraction > 0.5 and narrowing["what"].startswith("counters"):
        yield f"{collective_fraction:.0%} of the time is in collectives, and counters are asked for"
