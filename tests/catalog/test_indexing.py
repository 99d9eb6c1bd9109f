"""The catalog's index: built from sound entries alone, by hand and by the build of a package."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from roofcast.catalog import indexing, library
from roofcast.catalog.indexing import write_index
from roofcast.core.errors import CatalogEntryError

PROJECT = Path(__file__).parents[2]
KEPT = ("nvidia-h100-sxm5-80gb", "nvidia-a100-sxm4-40gb")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A catalog of two GPUs and no CPU, with its index."""
    shutil.copytree(library.ROOT / "architectures", tmp_path / "architectures")
    shutil.copy(library.ROOT / "estimates.toml", tmp_path)
    (tmp_path / "gpus").mkdir()
    for key in KEPT:
        shutil.copy(library.ROOT / "gpus" / f"{key}.toml", tmp_path / "gpus")
    for module in (indexing, library):
        monkeypatch.setattr(module, "ROOT", tmp_path)
        monkeypatch.setattr(module, "INDEX", tmp_path / "index.json")
        monkeypatch.setattr(module, "PACKED", tmp_path / "processors.jsonl")
    write_index()
    yield tmp_path
    monkeypatch.undo()
    indexing.forget_index()


def test_the_index_names_every_entry(small: Path) -> None:
    assert sorted(library.index()["entries"]) == sorted(KEPT)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('name = "X"\nwattage = 3\n', "wattage"),
        ("name = [", "not TOML"),
        (None, "is not one of"),
    ],
)
def test_an_entry_that_validation_refuses_is_named_and_changes_nothing(
    small: Path, text: str | None, reason: str
) -> None:
    before = (small / "index.json").read_bytes()
    whole = (small / "gpus" / f"{KEPT[0]}.toml").read_text(encoding="utf-8")
    unknown = whole.replace('architecture = "sm_90"', 'architecture = "sm_999"')
    (small / "gpus" / "x-bad.toml").write_text(text if text is not None else unknown, encoding="utf-8")
    with pytest.raises(CatalogEntryError, match="x-bad") as refused:
        write_index()
    assert reason in str(refused.value)
    assert (small / "index.json").read_bytes() == before


def test_packaging_builds_the_index() -> None:
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    hook = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]
    text = (PROJECT / hook["path"]).read_text(encoding="utf-8")
    assert "write_index()" in text
    named = {d.partition(">")[0] for d in settings["project"]["dependencies"]}
    assert {d.partition(">")[0] for d in hook["dependencies"]} <= named
