"""The process that parses one upload: bounded in memory and time, and nothing is lost when it is killed.

``python -m roofcast.web.worker PROFILE RESULT MEMORY_BYTES FILE_BYTES`` writes RESULT, or one line on standard output,
which nothing else reaches: what a library prints is no answer to a visitor. A profile with machine code is forecast
once for trial; where that ends well, RESULT.code stands beside RESULT, and the server may look at that code too. Beside
the result of a timeline stands RESULT.run.

``python -m roofcast.web.worker --run MEMORY_BYTES FILE_BYTES WORD...`` runs a command of roofcast within the same
bounds.
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roofcast.core.kernel_table import KernelTable

FAILED = 2
TOO_LARGE = "the profile needs more room than this page allows: use `roofcast forecast`"
CODE_SUFFIX = ".code"
RUN_SUFFIX = ".run"
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
    if arguments[0] == "--run":
        return run_command(int(arguments[1]), int(arguments[2]), arguments[3:])
    from roofcast.core.errors import RoofcastError, one_line
    from roofcast.ingest.timelines import is_timeline
    from roofcast.reading import read
    from roofcast.web.transport import save_table

    source, result, memory, file = arguments
    limit_resources(int(memory), int(file))
    visitor = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with visitor:
        try:
            kernels = read(source)
            save_table(kernels, Path(result))
        except RoofcastError as error:
            visitor.write(one_line(TOO_LARGE if is_too_large(error.__cause__) else str(error), 500))
            return FAILED
        except (MemoryError, OSError):
            visitor.write(TOO_LARGE)
            return FAILED
    if is_timeline(source):
        Path(f"{result}{RUN_SUFFIX}").touch()
    if holds_code(kernels):
        try_code(kernels)
        Path(f"{result}{CODE_SUFFIX}").touch()
    return 0


def run_command(memory: int, file: int, words: list[str]) -> int:
    """Run a command as a shell would."""
    import runpy

    limit_resources(memory, file)
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
