"""Commands that are made of a question: options from the signature of its function, help from the docstring."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from roofcast.asks import find_ask, find_other
from roofcast.commands import completing, options
from roofcast.commands.typed import typed_command
from roofcast.commands.worded import WordedCommand
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.workers import allow_processes
from roofcast.kit.asked import Option

if TYPE_CHECKING:
    from roofcast.kit.asked import Ask
    from roofcast.kit.returned import Answer

RENAMED = {"pattern": "kernel", "targets": "to", "output": "file", "form": "format"}
"""Options that every command has under another name than Python or the other commands: --kernel, --to, -o, --format."""
COMPLETED: dict[str, Any] = {
    "gpus": completing.complete_gpu,
    "gpu": completing.complete_gpu,
    "model": completing.complete_model,
    "file": completing.complete_file,
}
KINDS: dict[str, dict[str, Any]] = {
    "list": {"multiple": True, "callback": options.join_lists},
    "gpus": {"multiple": True, "callback": options.join_lists},
    "path": {"type": click.Path()},
    "paths": {"type": click.Path(), "multiple": True},
    "folder": {"type": click.Path(), "is_flag": False, "flag_value": ""},
    "floors": {"callback": options.parse_launch_floor},
    "number": {"type": float},
    "count": {"type": int},
    "year": {"type": click.IntRange(1990, 2100)},
}
"""Kind of an option -> how click reads it."""
FILES = {"kernels": "FILE...", "traces": "TRACE...", "work": "FILE..."}
"""What is asked about, where that is one or several files."""
MODELS_ALONE = "is of models that never ran (lists of roofcast.torch.record)"
NOT_OF_MODELS = "says nothing of a model that never ran: it takes --to, --host-us and --mode"
FOR_PROGRAMS = ("progress",)
"""Parameters that the command line fills in itself."""


def list_params(*decorators: Callable[[Any], Any]) -> dict[str, click.Parameter]:
    """What decorators add to a command, by the names that Python has for them, in their order."""

    def holder() -> None:
        """Hold what is added."""

    options.combine(*decorators)(holder)
    params: list[click.Parameter] = vars(holder)["__click_params__"][::-1]
    for param in params:
        param.name = RENAMED.get(param.name or "", param.name)
    return {p.name or "": p for p in params}


def list_shared() -> dict[str, click.Parameter]:
    """Options that mean the same in every command."""
    return list_params(
        options.target_option, options.source_option, options.together_option, options.model_options,
        options.condition_options, options.kernel_option, options.input_format_option,
    )  # fmt: skip


def make_option(name: str, written: Option, text: str, default: Any = None) -> click.Option:
    """The option of a parameter that this question alone has; without a default it must be given."""
    flag = written.flag or f"--{name.replace('_', '-')}"
    if default is False:
        return click.Option([flag, name], is_flag=True, help=text)
    if written.kind == "off":
        return click.Option([flag, name], is_flag=True, flag_value="off", default=None, help=text)
    needed = default is inspect.Parameter.empty
    given: dict[str, Any] = {"help": text, "required": needed, **KINDS.get(written.kind, {})}
    if written.choices:
        given["type"] = click.Choice(written.choices)
    if written.kind in COMPLETED:
        given["shell_complete"] = COMPLETED[written.kind]
    return click.Option([flag, name], metavar=written.metavar or None, **given)


def make_argument(name: str, written: Option, default: Any) -> click.Argument:
    """The argument of a parameter that this question alone has; without a default it must be given."""
    complete = COMPLETED.get(written.kind)
    if written.kind != "gpu":
        needed = default is inspect.Parameter.empty
        return click.Argument([name], required=needed, metavar=written.metavar, shell_complete=complete)

    def join(_: click.Context, __: click.Parameter, words: tuple[str, ...]) -> str | None:
        return " ".join(words) or None

    return click.Argument([name], nargs=-1, metavar=written.metavar, callback=join, shell_complete=complete)


def make_params(ask: Ask) -> Iterator[click.Parameter]:
    """Arguments and options of a question's command: as its function takes them, then how the answer is written."""
    shared, sentences = list_shared(), ask.sentences
    wide = inspect.Parameter.KEYWORD_ONLY
    files = next(iter(ask.parameters))
    for name, parameter in ask.parameters.items():
        if name in FOR_PROGRAMS:
            continue
        if name in ask.options:
            option = ask.options[name]
            yield (
                make_argument(name, option, parameter.default) if option.argument
                else make_option(name, option, sentences[name], parameter.default)
            )  # fmt: skip
        elif name in shared:
            yield shared[name]
        elif name == files and name in FILES:
            needed, path = not any(act.instead for act in ask.acts.values()), click.Path(allow_dash=True)
            yield click.Argument([name], nargs=-1, required=needed, type=path, metavar=FILES[name])
        elif parameter.kind is not wide and parameter.default is parameter.empty:
            yield click.Argument([name], type=click.Path(allow_dash=True))
        else:
            raise LookupError(f"the question {ask.name} does not say how {name} is written: options={{{name!r}: ...}}")
    for param in list_params(options.output_options(*ask.formats), options.report_option).values():
        if param.name == "file" and "output" in ask.parameters:
            param.opts = ["-o", "--out"]
        yield param
    yield from make_shows(ask)


def make_shows(ask: Ask) -> Iterator[click.Parameter]:
    """Options of how an answer is shown, and of what is done with it."""
    if ask.pictures:
        yield click.Option(["--pictures"], metavar="FOLDER", type=click.Path(), help=ask.pictures)
        yield click.Option(["--picture-format"], type=click.Choice(["svg", "png", "pdf"]), default="svg",
                           show_default=True)  # fmt: skip
    for name, text in ask.shows.items():
        if name == "top":
            yield click.Option(["--top"], type=click.IntRange(min=1), metavar="N", help=text)
        elif name == "notes":
            yield from list_params(options.notes_option).values()
        else:
            yield make_option(name, Option(), text, default=False)
    for name, act in ask.acts.items():
        yield make_option(name, act.option, act.help)


def make_command(name: str) -> click.Command:
    """The command of a question; of lists of operators that never ran it asks another one."""
    ask, other = find_ask(name), find_other(name)
    kind, params = WordedCommand if ask.limits else click.Command, list(make_params(ask))
    run = partial(run_ask, ask)
    if other is not None:
        taken = {p.name for p in params}
        params += [p for p in make_params(other) if p.name not in taken]
        run = partial(run_either, ask, other)
    return kind(name, params=params, callback=run, help=ask.help, epilog=ask.epilog)


def run_either(ask: Ask, other: Ask, **said: Any) -> int | None:
    """Answer the question, or the other one where the file is a list of operators that never ran."""
    from roofcast.commands.recorded_model import find_recorded, refuse_options

    record = find_recorded(said["kernels"], said["input_format"])
    if record is None:
        refuse_options({*other.parameters} - {*ask.parameters}, MODELS_ALONE)
        return run_ask(ask, **said)
    names = {p.name for p in make_params(ask)} - {p.name for p in make_params(other)}
    refuse_options(names, NOT_OF_MODELS)
    return run_ask(other, **said | {"kernels": record})


def run_ask(ask: Ask, **said: Any) -> int | None:
    """Answer a question and print or write the answer; the exit code."""
    from roofcast.commands.reading import read_profiles
    from roofcast.commands.showing import progress_bar
    from roofcast.kit.output import deliver

    done = {name: act for name, act in ask.acts.items() if said[name] is not None}
    for name, act in done.items():
        if act.instead:
            click.echo(act.do(said, said[name]))
            return None
    first = next(iter(ask.parameters))
    given = {n: v for n in ask.parameters if (v := said.get(n)) is not None}
    refuse_format(ask, said["format"], said["file"])
    if ask.reads:
        given[first] = read_profiles(given[first], given.pop("input_format", None))
    form = find_format(ask, said["format"], said["file"])
    streamed = ask.begun is not None and form in ask.streamed and not (done or said["report"] or said.get("top"))
    with progress_bar() as progress, allow_processes(os.cpu_count() or 1):
        if "progress" in ask.parameters:
            given["progress"] = progress
        answer: Any = (ask.begun if streamed and ask.begun is not None else ask.run)(**given)
    if streamed:
        deliver(form, said["file"], {}, {form: partial(ask.streamed[form], answer)})
    else:
        for name, act in done.items():
            click.echo(act.do(answer, said[name]), err=True)
        write_answer(ask, answer, said)
    warning = "" if ask.warned is None else ask.warned(answer)
    if warning:
        click.secho(warning, fg="red", err=True)
    return None if ask.ended is None else ask.ended(answer)


def find_format(ask: Ask, form: str | None, output: str | None) -> str:
    """The format asked for, else that of the file's name."""
    from roofcast.kit.output import chosen_format

    ending = (f for end, f in ask.suffixes.items() if output and output.lower().endswith(end))
    return chosen_format(form or next(ending, None), output)


def refuse_format(ask: Ask, form: str | None, output: str | None) -> None:
    """Refuse a file that the command does not write before any work is done."""
    chosen = find_format(ask, form, output)
    if chosen not in ask.formats:
        listed = ", ".join(ask.formats)
        raise RoofcastError(f"-o {one_line(output or '-', 200)}: no {chosen} here; formats: {listed}")


def write_answer(ask: Ask, answer: Answer[Any], said: Mapping[str, Any]) -> None:
    """Print or write an answer in the format that was asked for, its page and its pictures too."""
    from roofcast.kit.output import Render, deliver, dump_json, text_width, write_pictures, write_text, written
    from roofcast.kit.returned import IMAGES

    output, result, view = said["file"], answer.answered(), answer.view
    pool = {k: said[k] for k in ask.shows} | {"command": typed_command()}

    def showing(function: Callable[..., Any], *more: Any) -> Any:
        taken = inspect.signature(function).parameters
        return function(result, *more, **{k: v for k, v in pool.items() if k in taken})

    def page() -> str:
        from roofcast.kit.page import name_command, render_page

        document = showing(view.page)
        return document if isinstance(document, str) else render_page(name_command(document, typed_command()))

    def draw(path: Any) -> None:
        view.picture(result).save(str(path))

    if said.get("pictures") and view.pictures is not None:
        for path in write_pictures(view.pictures(result), said["pictures"], said["picture_format"]):
            click.echo(f"wrote {path}", err=True)
    if said["report"]:
        write_text(said["report"], page())
        click.echo(written(said["report"]), err=True)
    texts: dict[str, Render] = {
        "table": lambda: showing(view.text, text_width(output)),
        "json": lambda: dump_json(showing(view.record)),
        "html": page,
        **{f: partial(showing, write) for f, write in view.texts.items()},
    }
    files = {f: draw for f in IMAGES if f in ask.formats and f not in texts}
    files |= {f: partial(showing, write) for f, write in view.files.items()}
    deliver(find_format(ask, said["format"], output), output, texts, files,
            rows=lambda: showing(view.rows or view.table))  # fmt: skip
