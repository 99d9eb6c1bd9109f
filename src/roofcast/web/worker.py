"""The process that parses one upload: bounded in memory and time, and nothing is lost when it is killed.

``python -m roofcast.web.worker PROFILE RESULT MEMORY_BYTES`` writes RESULT, or one line on standard error. A profile
with machine code is forecast once for trial; where that ends well, RESULT.code stands beside RESULT, and the server may
look at that code too.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roofcast.core.kernel_table import KernelTable

FAILED = 2
CODE_SUFFIX = ".code"
TRIAL = "H100 SXM5 80GB"


def limit_memory(limit: int) -> None:
    """Bound the address space where the system can."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):
        return


def main(arguments: list[str]) -> int:
    """Parse a profile into a table that the server can load."""
    from roofcast.core.errors import RoofcastError, one_line
    from roofcast.reading import read
    from roofcast.web.transport import save_table

    source, result, memory = arguments
    limit_memory(int(memory))
    try:
        kernels = read(source)
        save_table(kernels, Path(result))
    except RoofcastError as error:
        sys.stderr.write(one_line(str(error), 500))
        return FAILED
    except MemoryError:
        sys.stderr.write("the profile needs more memory than this page allows: use `roofcast forecast`")
        return FAILED
    if holds_code(kernels):
        try_code(kernels)
        Path(f"{result}{CODE_SUFFIX}").touch()
    return 0


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
