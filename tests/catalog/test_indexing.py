"""What runs read of the catalog: made of sound entries alone, at the first use of a checkout and for a package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from roofcast.catalog import entries, generated, indexing, library, packaging, prices
from roofcast.catalog.rented import list_rented
from roofcast.core.errors import CatalogEntryError
from roofcast.kit import disk_cache

PROJECT = Path(__file__).parents[2]
KEPT = ("nvidia-h100-sxm5-80gb", "nvidia-a100-sxm4-40gb")


def forget() -> None:
    """Let the library read its files again."""
    of_library = (library.index, library.rules, library.entry, library.packed, library.processor)
    for kept in (*of_library, generated.describe_sources):
        kept.cache_clear()


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A checkout's catalog of two GPUs and no CPU."""
    root = tmp_path / "catalog"
    shutil.copytree(entries.ROOT / "architectures", root / "architectures")
    for name in ("estimates.toml", "nodes.toml"):
        shutil.copy(entries.ROOT / name, root)
    (root / "gpus").mkdir()
    for key in KEPT:
        shutil.copy(entries.ROOT / "gpus" / f"{key}.toml", root / "gpus")
    rented = '[gpus."H100 SXM5 80GB"]\nrent_usd_per_hour = 2.0\nsource = "a list"\ndate = "2026-01"\n'
    (root / "public_prices.toml").write_text(rented, encoding="utf-8")
    for module in (entries, generated, indexing, library, packaging, prices):
        monkeypatch.setattr(module, "ROOT", root)
    monkeypatch.setenv("ROOFCAST_CACHE", str(tmp_path / "cache"))
    forget()
    yield root
    monkeypatch.undo()
    forget()


def made(root: Path) -> list[str]:
    return sorted(path.name.partition("-")[0] for path in (root / "__pycache__").glob("*"))


def test_the_first_use_makes_the_files_and_the_next_reads_them(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sorted(library.index()["entries"]) == sorted(KEPT)
    processor = library.processor(KEPT[0])
    assert made(small) == ["index.tsv", "processors.bin"]
    forget()
    monkeypatch.setattr(library, "render_index", lambda: pytest.fail("made twice"))
    monkeypatch.setattr(library, "pack_catalog", lambda: pytest.fail("made twice"))
    assert library.processor(KEPT[0]) == processor


def test_a_changed_entry_is_seen_and_leaves_nothing_of_the_old_one(small: Path) -> None:
    assert library.processor(KEPT[0]).name != "Another name"
    path = small / "gpus" / f"{KEPT[0]}.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(f'name = "{library.entry(KEPT[0])["name"]}"', 'name = "Another name"'))
    forget()
    assert library.processor(KEPT[0]).name == "Another name"
    assert made(small) == ["index.tsv", "processors.bin"]


def test_a_damaged_file_is_made_again(small: Path) -> None:
    before = library.index()
    for path in (small / "__pycache__").iterdir():
        path.write_bytes(path.read_bytes()[:-9])
    forget()
    assert library.index() == before


def test_a_folder_that_cannot_be_written_leaves_the_users_cache_or_nothing(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (small / "__pycache__").write_text("no folder")  # also root cannot write below a file
    library.index()
    assert list(disk_cache.folder().glob("??/*"))
    disk_cache.folder().rename(disk_cache.folder().with_name("gone"))
    disk_cache.folder().write_text("no folder either")
    forget()
    assert sorted(library.index()["entries"]) == sorted(KEPT)


@pytest.mark.slow
def test_first_uses_at_once_agree(small: Path) -> None:
    """Several processes make the files together; each reads a whole one."""
    code = (
        "import sys; from pathlib import Path\n"
        "from roofcast.catalog import entries, generated, indexing, library\n"
        "root = Path(sys.argv[1])\n"
        "for module in (entries, generated, indexing, library): module.ROOT = root\n"
        "print(sorted(library.index()['entries']), library.processor(sys.argv[2]).sm_count)"
    )
    command = [sys.executable, "-c", code, str(small), KEPT[0]]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ}) for _ in range(3)]
    said = {process.communicate()[0] for process in running}
    assert said == {f"{sorted(KEPT)} 132\n"}
    assert made(small) == ["index.tsv", "processors.bin"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('name = "X"\nwattage = 3\n', "wattage"),
        ("name = [", "not TOML"),
        (None, "is not one of"),
    ],
)
def test_an_entry_that_validation_refuses_is_named_and_nothing_is_packaged(
    small: Path, tmp_path: Path, text: str | None, reason: str
) -> None:
    whole = (small / "gpus" / f"{KEPT[0]}.toml").read_text(encoding="utf-8")
    unknown = whole.replace('architecture = "sm_90"', 'architecture = "sm_999"')
    (small / "gpus" / "x-bad.toml").write_text(text if text is not None else unknown, encoding="utf-8")
    package = tmp_path / "package"
    package.mkdir()
    with pytest.raises(CatalogEntryError, match="x-bad") as refused:
        packaging.write_generated(package)
    assert reason in str(refused.value)
    assert not list(package.iterdir())


def test_a_package_has_what_a_checkout_makes(small: Path, tmp_path: Path) -> None:
    index, processor, rented = library.index(), library.processor(KEPT[0]), list_rented()
    packaging.write_generated(tmp_path)
    for name in packaging.GENERATED:
        shutil.copy(tmp_path / name, small)
    shutil.rmtree(small / "__pycache__")
    forget()
    assert (library.index(), library.processor(KEPT[0]), list_rented()) == (index, processor, rented)
    assert rented == [KEPT[0]]
    assert not (small / "__pycache__").exists()


@pytest.mark.slow
def test_packaging_needs_only_what_the_build_installs(small: Path, tmp_path: Path) -> None:
    """A build in an environment of its own has the hook's dependencies and nothing else of the project's."""
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    hook = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]
    there, all_of_them = (
        {re.split("[>=<; ]", d)[0].partition(".")[0] for d in several}
        for several in (hook["dependencies"], settings["project"]["dependencies"])
    )
    code = (
        "import sys; from pathlib import Path\n"
        f"sys.modules.update(dict.fromkeys({sorted(all_of_them - there)!r}))\n"
        "from roofcast.catalog import entries, generated, indexing, library, packaging, prices\n"
        "root = Path(sys.argv[1])\n"
        "for module in (entries, generated, indexing, library, packaging, prices): module.ROOT = root\n"
        "packaging.write_generated(Path(sys.argv[2]))"
    )
    command = [sys.executable, "-c", code, str(small), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / library.INDEX).is_file()


def test_packaging_makes_the_files() -> None:
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    hook = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]
    text = (PROJECT / hook["path"]).read_text(encoding="utf-8")
    assert "write_generated(" in text
    named = {d.partition(">")[0] for d in settings["project"]["dependencies"]}
    assert {d.partition(">")[0] for d in hook["dependencies"]} <= named
