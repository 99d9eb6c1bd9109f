"""The tests under every Python that the project promises: ``python tools/matrix.py [VERSION ...]``.

Each version of `pyproject.toml`'s classifiers gets an environment of its own in `.matrix`, from the lock file, and runs
what `make test` runs. A version that is not on this machine is named and left out; `.github/workflows/tests.yml` runs
each on a machine of its own.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".matrix"
CLASSIFIER = re.compile(r"Programming Language :: Python :: (3\.\d+)$")


def list_versions() -> list[str]:
    """The versions that the project promises, such as ``3.11``."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
    return [m[1] for text in told if (m := CLASSIFIER.match(text))]


def find_python(version: str) -> str | None:
    """The interpreter of a version: on the path, or the newest that pyenv has."""
    if (found := shutil.which(f"python{version}")) and subprocess.run(
        [found, "-c", "import venv"], capture_output=True, check=False
    ).returncode == 0:
        return found
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    own = sorted(kept.glob(f"{version}.*"), key=lambda p: [int(n) for n in re.findall(r"\d+", p.name)])
    return str(own[-1] / "bin" / "python") if own else None


def run_tests(version: str, python: str) -> bool:
    """Whether the tests are green under one version."""
    home = FOLDER / version
    subprocess.run([python, "-m", "venv", "--clear", str(home)], check=True)
    own = str(home / "bin" / "python")
    install = [own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    lock = ["--require-hashes", "-r", str(ROOT / "requirements-dev.lock")]
    editables = [w for p in (ROOT, *sorted(ROOT.glob("packages/*"))) for w in ("-e", str(p))]
    steps = (
        [*install, *lock],
        [*install, "--no-deps", "--no-build-isolation", *editables],
        [own, "-m", "pytest", "-n", "auto", "--dist", "worksteal", "-p", "no:benchmark", "-m", "not slow"],
    )
    return all(subprocess.run(step, cwd=ROOT, check=False).returncode == 0 for step in steps)


def main(asked: list[str]) -> int:
    """Run them; 1 where any is red or none ran."""
    said: dict[str, str] = {}
    for version in asked or list_versions():
        python = find_python(version)
        said[version] = "not here" if python is None else "green" if run_tests(version, python) else "RED"
    for version, what in said.items():
        print(f"Python {version}: {what}")
    return int("RED" in said.values() or "green" not in said.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
