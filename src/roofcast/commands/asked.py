"""Commands that are made of a question: options from the signature of its function, help from the docstring."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from roofcast.asks import find_ask
from roofcast.commands import completing, options
from roofcast.commands.typed import typed_command
from roofcast.commands.worded import WordedCommand
from roofcast.core.errors import RoofcastError, one_line

if TYPE_CHECKING:
    from roofcast.kit.asked import Ask, Found, Option

RENAMED = {"pattern": "kernel", "targets": "to"}
"""Options that every command has under another name than Python: --kernel and --to."""
COMPLETED: dict[str, Any] = {
    "gpus": completing.complete_gpu,
    "gpu": completing.complete_gpu,
    "model": completing.complete_model,
}
FILES = {"kernels": "FILE...", "traces": "TRACE..."}
"""What is asked about, where that is one or several files."""
FOR_PROGRAMS = ("progress",)
"""Parameters that the command line fills in itself."""


def list_params(*decorators: Callable[[Any], Any]) -> dict[str, click.Parameter]:
    """What decorators add to a command, by the names that Python has for them, in their order."""

    def holder() -> None:
        """Hold what is added."""

    options.combine(*decorators)(holder)
    made: list[click.Parameter] = vars(holder)["__click_params__"][::-1]
    for param in made:
        param.name = RENAMED.get(param.name or "", param.name)
    return {p.name or "": p for p in made}


def list_shared() -> dict[str, click.Parameter]:
    """Options that mean the same in every command."""
    return list_params(
        options.target_option, options.source_option, options.together_option, options.model_options,
        options.condition_options, options.kernel_option, options.input_format_option,
    )  # fmt: skip


def make_option(parameter: inspect.Parameter, written: Option, text: str) -> click.Option:
    """The option of a parameter that this question alone has."""
    flag = written.flag or f"--{parameter.name.replace('_', '-')}"
    given: dict[str, Any] = {"help": text, "required": parameter.default is parameter.empty}
    if parameter.default is False:
        return click.Option([flag, parameter.name], is_flag=True, help=text)
    if written.kind == "off":
        return click.Option([flag, parameter.name], is_flag=True, flag_value="off", default=None, help=text)
    if written.kind in ("list", "gpus"):
        given |= {"multiple": True, "callback": options.join_lists}
    elif written.choices:
        given |= {"type": click.Choice(written.choices)}
    elif written.kind in ("path", "paths"):
        given |= {"type": click.Path(), "multiple": written.kind == "paths"}
    elif written.kind == "floors":
        given |= {"callback": options.parse_launch_floor}
    elif written.kind == "number":
        given |= {"type": float}
    if written.kind in COMPLETED:
        given["shell_complete"] = COMPLETED[written.kind]
    return click.Option([flag, parameter.name], metavar=written.metavar or None, **given)


def make_params(ask: Ask) -> Iterator[click.Parameter]:
    """Arguments and options of a question's command: as its function takes them, then how the answer is written."""
    shared, sentences = list_shared(), ask.sentences
    wide = inspect.Parameter.KEYWORD_ONLY
    files = next(iter(ask.parameters))
    for name, parameter in ask.parameters.items():
        if name in FOR_PROGRAMS:
            continue
        if name in ask.options:
            yield make_option(parameter, ask.options[name], sentences[name])
        elif name in shared:
            yield shared[name]
        elif name == files and name in FILES:
            yield click.Argument([name], nargs=-1, required=True, type=click.Path(allow_dash=True), metavar=FILES[name])
        elif parameter.kind is not wide and parameter.default is parameter.empty:
            yield click.Argument([name], type=click.Path(allow_dash=True))
        else:
            raise LookupError(f"the question {ask.name} does not say how {name} is written: options={{{name!r}: ...}}")
    yield from list_params(options.output_options(*ask.formats), options.report_option).values()
    if ask.pictures:
        yield click.Option(["--pictures"], metavar="FOLDER", type=click.Path(), help=ask.pictures)
        yield click.Option(["--picture-format"], type=click.Choice(["svg", "png", "pdf"]), default="svg",
                           show_default=True)  # fmt: skip
    if "top" in ask.shows:
        yield click.Option(["--top"], type=click.IntRange(min=1), metavar="N", help=ask.shows["top"])
    if "notes" in ask.shows:
        yield from list_params(options.notes_option).values()


def make_command(name: str) -> click.Command:
    """The command of a question."""
    ask = find_ask(name)
    kind = WordedCommand if ask.limits else click.Command
    return kind(name, params=list(make_params(ask)), callback=partial(run_ask, ask), help=ask.help, epilog=ask.epilog)


def run_ask(ask: Ask, **said: Any) -> int | None:
    """Answer a question and print or write the answer; the exit code."""
    from roofcast.commands.reading import read_profiles
    from roofcast.commands.showing import progress_bar

    first = next(iter(ask.parameters))
    given = {n: v for n in ask.parameters if (v := said.get(n)) is not None}
    refuse_format(ask, said["form"], said["output"])
    if ask.reads:
        given[first] = read_profiles(given[first], given.pop("input_format", None))
    with progress_bar() as progress:
        answer: Any = ask.run(**given, **({"progress": progress} if "progress" in ask.parameters else {}))
    write_answer(ask, answer, said)
    return None if ask.ended is None else ask.ended(answer)


def find_format(ask: Ask, form: str | None, output: str | None) -> str:
    """The format asked for, else that of the file's name."""
    from roofcast.kit.output import chosen_format

    ending = (f for end, f in ask.suffixes.items() if output and output.lower().endswith(end))
    return chosen_format(form or next(ending, None), output)


def refuse_format(ask: Ask, form: str | None, output: str | None) -> None:
    """Refuse a file that the command does not write before any work is done."""
    found = find_format(ask, form, output)
    if found not in ask.formats:
        listed = ", ".join(ask.formats)
        raise RoofcastError(f"-o {one_line(output or '-', 200)}: no {found} here; formats: {listed}")


def write_answer(ask: Ask, answer: Found, said: Mapping[str, Any]) -> None:
    """Print or write an answer in the format that was asked for, its page and its pictures too."""
    from roofcast.kit.output import Render, deliver, dump_json, text_width, write_pictures, write_text, written
    from roofcast.kit.page import name_command, render_page

    output, found, how = said["output"], answer.found, answer.written()
    pool = {k: said[k] for k in ask.shows} | {"command": typed_command()}

    def showing(function: Callable[..., Any], *more: Any) -> Any:
        taken = inspect.signature(function).parameters
        return function(found, *more, **{k: v for k, v in pool.items() if k in taken})

    def page() -> str:
        made = showing(how.page)
        return made if isinstance(made, str) else render_page(name_command(made, typed_command()))

    if said.get("pictures") and how.pictures is not None:
        for path in write_pictures(how.pictures(found), said["pictures"], said["picture_format"]):
            click.echo(f"wrote {path}", err=True)
    if said["report"]:
        write_text(said["report"], page())
        click.echo(written(said["report"]), err=True)
    texts: dict[str, Render] = {
        "table": lambda: showing(how.text, text_width(output)),
        "json": lambda: dump_json(showing(how.record)),
        "html": page,
        **{f: partial(showing, write) for f, write in how.texts.items()},
    }
    files = {f: partial(showing, write) for f, write in how.files.items()}
    deliver(find_format(ask, said["form"], output), output, texts, files, rows=lambda: showing(how.rows))
