"""The process that parses one upload: bounded in memory and time, and nothing is lost when it is killed.

``python -m roofcast.web.worker PROFILE RESULT MEMORY_BYTES FILE_BYTES`` writes RESULT, or one line on standard output,
which nothing else reaches: what a library prints is no answer to a visitor. A profile with machine code is forecast
once for trial; where that ends well, RESULT.code stands beside RESULT, and the server may look at that code too. What
the file is stands in RESULT.kind.

``python -m roofcast.web.worker --run MEMORY_BYTES FILE_BYTES WORD...`` runs a command of roofcast within the same
bounds. ``--warm`` loads everything once and does either in a child, for each line of JSON on standard input; its answer
is a line when it is ready and for each child that ended.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roofcast.core.kernel_table import KernelTable

FAILED = 2
"""What a job ends with where the user can mend it, as commands do."""
TOO_LARGE = "the profile needs more room than this page allows: use `roofcast forecast`"
CODE_SUFFIX = ".code"
KIND_SUFFIX = ".kind"
TRIAL = "H100 SXM5 80GB"


def limit_resources(memory: int, file: int) -> None:
    """Bound the address space and every file that is written, where the system can."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (file, file))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):
        return


def main(arguments: list[str]) -> int:
    """Parse a profile into a table that the server can load."""
    if arguments[0] == "--warm":
        return serve_children()
    if arguments[0] == "--run":
        return run_command(int(arguments[1]), int(arguments[2]), arguments[3:])
    from roofcast.core.errors import RoofcastError, one_line
    from roofcast.core.joined_parts import MEASURED
    from roofcast.reading import read
    from roofcast.web.file_kinds import name_kind
    from roofcast.web.keeping import NO_KERNELS
    from roofcast.web.transport import save_table

    source, result, memory, file = arguments
    limit_resources(int(memory), int(file))
    visitor = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with visitor:
        try:
            kind = name_kind(source)
            kernels = read(source) if kind in MEASURED else NO_KERNELS
            save_table(kernels, Path(result))
        except RoofcastError as error:
            visitor.write(one_line(TOO_LARGE if is_too_large(error.__cause__) else str(error), 500))
            return FAILED
        except (MemoryError, OSError):
            visitor.write(TOO_LARGE)
            return FAILED
    Path(f"{result}{KIND_SUFFIX}").write_text(kind, encoding="utf-8")
    if holds_code(kernels):
        try_code(kernels)
        Path(f"{result}{CODE_SUFFIX}").touch()
    return 0


def run_command(memory: int, file: int, words: list[str]) -> int:
    """Run a command as a shell would, within bounds."""
    limit_resources(memory, file)
    return run_words(words)


def run_words(words: list[str]) -> int:
    """Run a command as a shell would."""
    import runpy

    sys.argv = ["roofcast", *words]
    try:
        runpy.run_module("roofcast", run_name="__main__")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    return 0


def is_too_large(error: BaseException | None) -> bool:
    """Whether the limit of files, or the disk, was in the way."""
    return isinstance(error, OSError) and error.errno in (errno.EFBIG, errno.ENOSPC)


def holds_code(kernels: KernelTable) -> bool:
    """Whether forecasts would look at machine code of the profile."""
    from roofcast.sass.embedded_code import rows_of_reports

    return bool(rows_of_reports(kernels))


def try_code(kernels: KernelTable) -> None:
    """Forecast once; what comes of it is of no interest, only that it ends."""
    from roofcast.forecasting.forecast import forecast

    forecast(kernels, TRIAL)


def load_all() -> None:
    """Load what most work needs, by doing some of it in memory; nothing that has threads."""
    import importlib

    for module in ("applications.whole_run", "applications.show", "choosing.document", "choosing.record",
                   "comparing.show", "sass.embedded_code", "ingest.timelines", "web.transport"):  # fmt: skip
        importlib.import_module(f"roofcast.{module}")
    if not hasattr(os, "memfd_create"):
        return
    table = os.memfd_create("table.csv")
    os.write(table, b"kernel,gpu,time_s,flops_fp32,bytes_dram\naxpy,V100,1e-3,2e9,5e8\n")
    for command, *words in (("forecast", "--to", TRIAL), ("inspect",), ("advise",), ("choose", "--among", TRIAL)):
        # What is not loaded here is loaded by who needs it.
        with contextlib.suppress(Exception):
            run_words([command, f"/proc/self/fd/{table}", *words, "--format", "html"])
    os.close(table)


def serve_children() -> int:
    """Do what each line of standard input asks for in a child, until there is no more."""
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    load_all()
    os.write(answers, b'{"n": 0, "status": 0}\n')
    heard, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    children: dict[int, int] = {}
    rest = b""
    while True:
        ready, _, _ = select.select([0, heard], [], [])
        if heard in ready:
            os.read(heard, 4096)
            report_ended(children, answers)
        if 0 in ready:
            content = os.read(0, 1 << 16)
            if not content:
                break
            *lines, rest = (rest + content).split(b"\n")
            for line in lines:
                begin_or_kill(json.loads(line), children, (answers, heard, waker))
    for pid in children.values():
        os.kill(pid, signal.SIGKILL)
    return 0


def report_ended(children: dict[int, int], answers: int) -> None:
    """A line for each child that ended. children : number of the work -> process."""
    for n, pid in list(children.items()):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            del children[n]
            line = {"n": n, "status": os.waitstatus_to_exitcode(status)}
            os.write(answers, json.dumps(line).encode() + b"\n")


def begin_or_kill(asked: dict[str, Any], children: dict[int, int], own: tuple[int, ...]) -> None:
    """Begin work in a child, or end it. own : files of this process that no child needs."""
    n = asked["n"]
    if asked.get("kill"):
        if n in children:
            os.kill(children[n], signal.SIGKILL)
        return
    pid = os.fork()
    if pid:
        children[n] = pid
        return
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for file in own:
            os.close(file)
        status = work_as_child(asked)
    finally:
        # What the loaded process would do at its end is not a child's to do.
        os._exit(status)


def work_as_child(asked: dict[str, Any]) -> int:
    """The work itself, with files and a folder for what is passing of its own."""
    import tempfile

    nowhere = os.open(os.devnull, os.O_RDWR)
    output = os.open(asked["said"], os.O_WRONLY | os.O_CREAT, 0o600)
    for file, to in (
        (0, nowhere),
        (1, nowhere if asked["errors"] else output),
        (2, output if asked["errors"] else nowhere),
    ):
        os.dup2(to, file)
    os.environ["TMPDIR"] = asked["folder"]
    tempfile.tempdir = None
    try:
        return main(asked["words"])
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
