"""No output of any command holds what says who ran the program, and where: profiles are full of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from contracts.doors import SOURCE_OF, label, named
from damage import content_of
from roofcast.__main__ import describe
from roofcast.commands.group import cli
from roofcast.commands.registry import list_commands

ACCOUNT = r"(?:/home|/Users|/global/homes/\w|[A-Z]:\\{1,4}(?:Users|Documents and Settings)\\{0,3})[/\\]{1,2}[\w.~-]+"
SECRETS = {
    "home path": re.compile(ACCOUNT + r"|/root/[\w.-]+"),
    "IP address": re.compile(r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])"),
    "hardware address": re.compile(r"(?<![0-9a-f:])(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![0-9a-f:])"),
    "token": re.compile(
        r"hf_[A-Za-z0-9]{20,}|gh[ps]_[A-Za-z0-9]{20,}|(?:sk|xox[bp])-[A-Za-z0-9-]{20,}|AKIA[A-Z0-9]{12,}"
    ),
    "mail address": re.compile(r"\b[\w.+-]+@[\w-]+\.(?:com|org|net|gov|edu|de)\b"),
}
NAMED_HOST = re.compile(
    rb"(?:HOSTNAME|hostname|host_name|HOST|MACHINE|COMPUTERNAME|LOGNAME|USER|USERNAME)\"?[=:]\s?\"?([\w.-]{5,60})"
)
NO_NAMES = {"localhost", "default", "ubuntu", "unknown"}
LOUD = ("mi300x-vf..gaunernst", "rtx-2080-ti..")
"""A trace that holds its author's environment, and a report that holds paths: they run in every loop."""

OUTPUTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "forecast": (("FILE", "--to", "H100 SXM5 80GB,L40S", "FROM"), ("FILE", "--to", "L40S", "FROM", "-o", "OUT.csv"),
                 ("FILE", "--to", "L40S", "FROM", "--explain"), ("FILE", "--to", "L40S", "FROM", "-o", "OUT.parquet"),
                 ("FILE", "--to", "L40S", "FROM", "--format", "json", "--report", "OUT.html")),
    "roofline": (("FILE", "FROM"), ("FILE", "FROM", "-o", "OUT.svg"), ("FILE", "FROM", "-o", "OUT.csv"),
                 ("FILE", "FROM", "-o", "OUT.html")),
    "inspect": (("FILE", "--overview"), ("FILE", "--format", "json"), ("FILE", "--details")),
    "sass": (("FILE",), ("FILE", "--against", "H100 SXM5 80GB"), ("FILE", "--format", "json")),
    "app": (("FILE", "--to", "L40S", "FROM"), ("FILE", "--to", "L40S", "FROM", "-o", "OUT.trace.json"),
            ("FILE", "--to", "L40S", "FROM", "--format", "json", "--report", "OUT.html")),
    "scale": (("FILE", "--to", "L40S", "FROM", "--gpus", "1"),
              ("FILE", "--to", "L40S", "FROM", "--gpus", "1,8", "--gradients", "1GB", "--format", "json")),
    "advise": (("FILE", "ON"), ("FILE", "ON", "--format", "json")),
    "compare": (("FILE", "FILE"), ("FILE", "FILE", "--format", "json")),
    "choose": (("FILE", "FROM", "--among", "L40S,B200"), ("FILE", "FROM", "--among", "L40S,B200", "--format", "json")),
    "sweep": (("FILE", "--space", "SPACE", "FROM"), ("FILE", "--space", "SPACE", "FROM", "--format", "json")),
    "store": (("add", "kept", "FILE"), ("list",), ("query", "kept", "--sql", "SELECT * FROM launches"),
              ("query", "kept", "--sql", "SELECT * FROM files")),
}  # fmt: skip
"""What a user asks of one file; OUT is a file beside it. The last of each command holds most: the quieter files go
through it alone, since what a file tells passes all forms or none."""
OF_NO_PROFILE = {"gpus", "hull", "llm", "evaluate", "papers", "measure", "serve", "completion", "explain"}
"""The page shows what these commands print; the others read no profile."""


def test_every_command_is_here_or_reads_no_profile() -> None:
    assert set(OUTPUTS) | OF_NO_PROFILE == set(list_commands())


def secrets_in(text: str, names: set[str]) -> Iterator[str]:
    """What a text tells of people and machines."""
    for what, pattern in SECRETS.items():
        yield from (f"{what} {m[0]}" for m in pattern.finditer(text))
    yield from (f"name {n}" for n in names if re.search(rf"(?<![\w-]){re.escape(n)}(?![\w-])", text))


def names_in(path: Path) -> set[str]:
    """Names of hosts and accounts that stand in a profile, without those that its file name tells anyway."""
    found = {m.decode("latin-1") for m in NAMED_HOST.findall(content_of(path))}
    found = {n for n in found if re.search(r"\d", n) or "-" in n} - NO_NAMES
    return {n for n in found if n.lower() not in path.name.lower() and not re.fullmatch(r"[\d.]+", n)}


def test_profiles_do_tell(fixtures_dir: Path) -> None:
    told: set[str] = set()
    for path in (p for p in fixtures_dir.glob("*/*") if any(word in label(p) for word in LOUD)):
        content = content_of(path).decode("utf-8", "replace")
        told |= {leak.partition(" ")[0] for leak in secrets_in(content, names_in(path))}
    assert told >= {"home", "IP", "token", "name"}


@pytest.mark.slow
@pytest.mark.parametrize("path", named("(?!data).*", LOUD))
def test_no_output_tells_who_and_where(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    monkeypatch.setenv("ROOFCAST_STORE", str(tmp_path / "store.duckdb"))
    names = names_in(path)
    source = SOURCE_OF.get(path.name.partition("__")[0])
    (tmp_path / "space.toml").write_text('base = "H100 SXM5 80GB"\n[axes]\nsm = [100, 120]\n')
    found: list[str] = []
    loud = any(word in label(path) for word in LOUD)
    for command, several in OUTPUTS.items():
        for number, arguments in enumerate(several if loud or command == "store" else several[-1:]):
            out = f"{tmp_path}/{number}"
            given = [a.replace("FILE", path.name).replace("OUT", out).replace("SPACE", f"{tmp_path}/space.toml")
                     for a in arguments if a not in ("FROM", "ON")]  # fmt: skip
            given += ["--from", source] if source and "FROM" in arguments else []
            given += ["--on", source] if source and "ON" in arguments else []
            done = CliRunner().invoke(cli, [command, *given])
            said = done.output
            if done.exception is not None and not isinstance(done.exception, SystemExit):
                said += describe(done.exception)[0]
            texts = [said, *(read_out(p) for p in sorted(tmp_path.glob(f"{number}.*")))]
            leaks = dict.fromkeys(s for text in texts for s in secrets_in(text, names))
            found += [f"{command} {' '.join(arguments)}: {leak}" for leak in leaks]
            assert "Usage:" not in said, said
            for written in tmp_path.glob(f"{number}.*"):
                written.unlink()
    assert not found, "\n".join(found[:20])


def read_out(path: Path) -> str:
    """A file that a command wrote, as text."""
    return path.read_bytes().decode("utf-8", "replace")
