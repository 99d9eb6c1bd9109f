"""Builds the compiled reader of CSV blocks where there is a C compiler; without one roofcast is installed all the same.

The extension uses Python's stable ABI, so that one wheel per platform serves Python 3.11 and later. Set
``ROOFCAST_COMPILE`` to 0 to leave it out, to 1 to fail where it cannot be built (as those who publish wheels want).
"""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path("src/roofcast/ingest/_quoted_cells.c")
TARGET = SOURCE.with_suffix(".abi3.so")


class CompiledReader(BuildHookInterface[Any]):
    """Compiles one C file into the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tell hatchling that the wheel is for this platform."""
        wanted = os.environ.get("ROOFCAST_COMPILE", "")
        target = Path(self.root) / TARGET
        if wanted == "0":
            target.unlink(missing_ok=True)
            return
        try:
            compile_into(Path(self.root) / SOURCE, target)
        except Exception as problem:  # a compiler can fail in any way; none of them may stop the installation
            target.unlink(missing_ok=True)
            if wanted == "1":
                raise
            self.app.display_warning(f"no compiled CSV reader, the one in Python is used: {problem}")
            return
        if version == "editable":
            return
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{platform}"
        build_data["force_include"][str(target)] = str(TARGET.relative_to("src"))


def compile_into(source: Path, target: Path) -> None:
    """Compile a C file into an extension of the stable ABI; the target is replaced as a whole."""
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        options = [] if sys.platform == "win32" else ["-O2"]
        extension = Extension("_quoted_cells", [str(source)], py_limited_api=True, extra_compile_args=options)
        command = build_ext(Distribution({"name": "roofcast", "ext_modules": [extension]}))
        command.build_lib = command.build_temp = folder
        command.ensure_finalized()
        command.run()
        built = next(Path(folder).glob("_quoted_cells*.so"))
        built.replace(target)
