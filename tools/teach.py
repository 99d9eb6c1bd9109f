"""Run one of tools/teaching: ``python tools/teach.py NAME [ARGUMENTS]``; without a name it lists them.

They teach what the package ships (constants, intervals, levels) or measure what it and its documents rest on, from the
public data (``ROOFCAST_DATA``); nothing that a user runs needs them.
"""

from __future__ import annotations

import ast
import re
import runpy
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "teaching"


def main() -> int:
    names = {path.stem: path for path in sorted(FOLDER.glob("*.py")) if path.stem != "__init__"}
    if len(sys.argv) < 2 or sys.argv[1] not in names:
        for name, path in names.items():
            print(f"{name:18} {re.split(':|[.]', ast.get_docstring(ast.parse(path.read_text())) or '')[0]}")
        return 2
    name = sys.argv.pop(1)
    runpy.run_module(f"teaching.{name}", run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
