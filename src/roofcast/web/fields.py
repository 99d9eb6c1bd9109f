"""What a visitor may say of one view: options of its command, in the same words; never a path of this machine."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from roofcast.asks import find_ask
from roofcast.catalog.instances import find_instance
from roofcast.catalog.nodes import nodes
from roofcast.catalog.prices import parse_stated
from roofcast.catalog.targets import split_targets
from roofcast.core.errors import InputError, RoofcastError, one_line
from roofcast.core.records import dataclass
from roofcast.core.units import parse_quantity
from roofcast.web.choices import LIST_LIMIT, amount, flag, target_of, text

SEGMENTS = ("datacentre", "workstation", "consumer", "mobile", "all")
COUNTS = re.compile(r"\d{1,6}( *, *\d{1,6}){0,30}")
PLAN = re.compile(r"auto|[a-z]{2,4} \d{1,6}( [a-z]{2,4} \d{1,6}){0,4}")
TIMES = re.compile(r"[\d.]{1,12} ?(h|min|d|s|ms)(, ?[\d.]{1,12} ?(h|min|d|s|ms)){0,2}")
RATE = re.compile(r"[\d.]{1,12} ?/ ?(s|min|h)")
VERSIONS = re.compile(r"[\w.+ -]{1,40}([:,][\w.+ -]{1,40}){0,12}")
SHARE = re.compile(r"[\d.]{1,8} ?%?")


@dataclass(frozen=True, slots=True)
class Field:
    """One option, and how the page asks for it."""

    name: str
    """Parameter of the question."""
    label: str
    kind: str = "text"
    """text, number, amount (with a unit), choice, flag, gpu (one of those chosen on the left)."""
    unit: str = ""
    """Of an amount that is given as a number."""
    choices: tuple[tuple[str, str], ...] = ()
    """Value and what it is called; the first is what holds where nothing is chosen."""
    example: str = ""
    check: Callable[[str], object] | None = None
    """Raises a RoofcastError for a text that is none of its own."""
    value: str = ""
    """What a flag stands for, where its option takes a value."""
    initial: str = ""
    """What a text says to begin with."""
    parameter: str = ""
    """Of the question, where another field is called so already."""

    @property
    def option(self) -> str:
        """The option of the command line."""
        return f"--{(self.parameter or self.name).replace('_', '-')}"

    def list_words(self, data: Mapping[str, Any]) -> list[str]:
        """The option with its value; nothing where the visitor left it.

        Raises
        ------
        RoofcastError : no such value.
        """
        if self.kind == "flag":
            return [self.option, *([self.value] if self.value else [])] if flag(data, self.name) else []
        if self.kind == "choice":
            given = text(data, self.name)
            return [self.option, given] if given and given in dict(self.choices) else []
        if self.kind in ("amount", "number"):
            value = amount(data, self.name, self.unit)
            if value is None:
                return []
            if isinstance(data.get(self.name), str):
                return [self.option, text(data, self.name).strip()]
            return [self.option, f"{value:.12g}{self.unit.removeprefix('USD')}"]
        given = text(data, self.name, LIST_LIMIT).strip()
        if not given:
            return []
        if self.check is not None:
            self.check(given)
        return [self.option, given]


def match_text(pattern: re.Pattern[str], example: str) -> Callable[[str], object]:
    """Refuse what does not look like an example."""

    def check(given: str) -> None:
        if not pattern.fullmatch(given):
            raise InputError(f"{one_line(given, 40)!r}: write e.g. {example}")

    return check


def check_network(given: str) -> None:
    """A rate, or a node of the catalog; a file is for the command line."""
    if given.lower() in nodes():
        return
    try:
        parse_quantity(given, "B/s")
    except RoofcastError as error:
        raise InputError(
            f"network {one_line(given, 40)!r}: a rate such as 50GB/s, or a node such as DGX H100"
        ) from error


def check_run(given: str) -> None:
    """GPUs of which one step was timed."""
    if find_instance(given) is None:
        raise InputError(f"{one_line(given, 40)!r}: write how many GPUs the step was timed on, e.g. 8 x H200 SXM")


def check_gpus(given: str) -> None:
    """GPUs with commas."""
    for name in split_targets(given):
        target_of(name)


def choose_of(*names: str, first: str) -> tuple[tuple[str, str], ...]:
    """Choices that are called as they are written; first : what holds where nothing is chosen."""
    return (("", first), *((n, n) for n in names))


START = "start"
"""What stands in the place of files: the GPUs that a step was timed on."""
PUBLIC = Field("prices", "public list prices", "flag", value="public")
PRECISIONS = ("bf16", "fp8", "int8", "fp4", "int4")
FIELDS: dict[str, tuple[Field, ...]] = {
    "app": (
        Field("step", "only the steps that repeat", "flag"),
        Field("host_speed", "host of the target", "choice", choices=(
            ("", "as fast"), ("1.25x", "1.25 times as fast"), ("1.5x", "1.5 times as fast"), ("2x", "twice as fast"),
            ("0.5x", "half as fast"))),
    ),
    "llm": (
        Field("input", "tokens of a prompt", "number", example="1024"),
        Field("output", "tokens of an answer", "number", example="1024"),
        Field("concurrency", "requests at once", "number", example="64"),
        Field("rate", "or requests per time", check=match_text(RATE, "5/s"), example="5/s"),
        Field("ttft", "first token within", "amount", "s", example="500ms"),
        Field("tpot", "each token within", "amount", "s", example="30ms"),
        Field("weights", "weights", "choice", choices=choose_of(*PRECISIONS, first="as the config says")),
        Field("kv", "KV cache", "choice", choices=choose_of("bf16", "fp8", "int8", first="as the config says")),
        Field("gpus", "GPUs in all", "number", example="1, 2, 4 and 8"),
        Field("tp", "GPUs per layer (tp)", "number", example="auto"),
        Field("pp", "stages (pp)", "number", example="auto"),
        Field("dp", "replicas (dp)", "number", example="auto"),
        Field("ep", "GPUs per expert (ep)", "number", example="auto"),
        Field("engine", "engine", "choice", choices=choose_of("vllm", "sglang", "trtllm", first="any")),
        Field("requests", "requests to replay", "number", example="0"),
        PUBLIC,
    ),
    "scale": (
        Field(START, "a step timed on", check=check_run, example="8 x H200 SXM"),
        Field("gpus", "counts of GPUs", check=match_text(COUNTS, "8,16,64"), example="8,16,64", initial="1,8,64"),
        Field("plan", "plan", check=match_text(PLAN, "tp 8 dp 8, or auto"), example="tp 8 dp 8, auto"),
        Field("network", "network per GPU", check=check_network, example="50GB/s, DGX H100"),
        Field("gradients", "gradients", "amount", "B", example="14GB"),
        Field("memory", "memory held", "amount", "B", example="61GB"),
        Field("step_time", "a step took", "amount", "s", example="94ms"),
        Field("global_batch", "samples of a step", "number", example="768"),
        Field("keep_batch", "that batch stays", "flag"),
        Field("micro_batches", "micro-batches", "number", example="as stages need"),
        Field("straggler", "GPUs spread by", check=match_text(SHARE, "2%"), example="2%"),
        Field("failures", "failures of a GPU", check=match_text(TIMES, "50000h,60s,600s"), example="50000h,60s,600s"),
        Field("samples", "samples in all", "number", example="1e9"),
        PUBLIC,
    ),
    "choose": (
        Field("jobs_per_day", "jobs a day", "number", example="2e6"),
        Field("years", "years", "number", example="4"),
        Field("utilisation", "hours in use", check=match_text(SHARE, "70%"), example="70%"),
        Field("budget", "budget, USD", "amount", "USD", example="250k"),
        Field("power", "power", "amount", "W", example="10kW"),
        Field("deadline", "deadline of a job", "amount", "s", example="20ms"),
        Field("memory", "memory of a GPU", "amount", "B", example="40GB"),
        Field("best", "best", "choice", choices=(
            ("", "cost where known, else time"), ("cost", "cost per job"), ("time", "time"), ("energy", "energy"),
            ("throughput", "jobs per day"))),
        Field("segment", "GPUs", "choice", choices=(
            ("", "on sale for data centres"), ("workstation", "workstation"), ("consumer", "consumer"),
            ("mobile", "mobile"), ("all", "all on sale"))),
        PUBLIC,
        Field("own_prices", "own prices, USD", check=parse_stated, example="L40S=7500, H100=2.9/h, kWh=0.15",
              parameter="prices"),
        Field("candidates", "choose from", check=check_gpus, example="H100 SXM5 80GB, L40S", parameter="among"),
    ),
    "roofline": (
        Field("panels", "also in", "choice", choices=(
            ("", "nothing else"), ("instructions", "instructions"), ("energy", "energy"),
            ("instructions,energy", "instructions and energy"))),
        Field("versions", "versions", check=match_text(VERSIONS, "v5:v8"), example="v5:v8"),
    ),
    "advise": (
        Field("on", "advice for", "gpu", check=target_of),
        Field("paths", "sequences of changes too", "flag"),
    ),
}  # fmt: skip
"""Question -> what may be said of it beside GPUs and conditions."""


def list_said(question: str, data: Mapping[str, Any]) -> list[str]:
    """What a visitor said of one view alone; two fields of one option are one list."""
    by_option: dict[str, list[str]] = {}
    for f in FIELDS.get(question, ()):
        if f.name == START or not (words := f.list_words(data)):
            continue
        option, *value = words
        by_option[option] = [",".join((*by_option[option], *value))] if option in by_option and value else value
    return [word for option, value in by_option.items() for word in (option, *value)]


def find_start(question: str, data: Mapping[str, Any]) -> str:
    """What stands in the place of files; '' where files do.

    Raises
    ------
    RoofcastError : no GPUs.
    """
    words = [f.list_words(data) for f in FIELDS.get(question, ()) if f.name == START]
    return words[0][1] if words and words[0] else ""


def describe_fields(question: str) -> list[dict[str, Any]]:
    """What the page needs to ask for the fields of a question."""
    sentences = find_ask(question).sentences if question in FIELDS else {}
    return [
        {"name": f.name, "label": f.label, "kind": f.kind, "choices": f.choices, "example": f.example,
         "says": sentences.get(f.name, ""), "initial": f.initial}
        for f in FIELDS.get(question, ())
    ]  # fmt: skip
