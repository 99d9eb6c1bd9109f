"""What Tab offers: words that a shell does not break and that the commands understand."""

from __future__ import annotations

import pytest
from click.shell_completion import ShellComplete

from roofcast.catalog import parse_target
from roofcast.commands.completing import gpu_words
from roofcast.commands.group import cli


def offered(words: list[str], incomplete: str) -> list[str]:
    """Values that a shell gets."""
    found = ShellComplete(cli, {}, "roofcast", "_ROOFCAST_COMPLETE").get_completions(words, incomplete)
    return [item.value for item in found if item.type == "plain"]


@pytest.mark.parametrize(
    ("words", "incomplete", "wanted"),
    [
        (["forecast", "x.csv", "--to"], "h100-s", "H100-SXM5-80GB"),
        (["forecast", "x.csv", "--to"], "B200,h100 S", "B200,H100-SXM5-80GB"),
        (["forecast", "x.csv", "--to"], "rtx 309", "GeForce-RTX-3090"),
        (["forecast", "x.csv", "--model"], "van", "van_lanker"),
        (["forecast", "x.csv", "--input-format"], "ncu", "ncu-rep"),
        (["evaluate"], "hec", "hecbench_ncu"),
        (["evaluate", "micro16", "--experiment"], "fol", "folds"),
        (["sass", "x.cubin", "--against"], "b20", "B200"),
        (["compare", "a", "b", "--target"], "b20", "B200"),
        (["advise", "a", "--on"], "b20", "B200"),
        (["choose", "a", "--among"], "b20", "B200"),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, list) else None,
)
def test_tab_offers(words: list[str], incomplete: str, wanted: str) -> None:
    assert wanted in offered(words, incomplete)


def test_every_gpu_word_is_one_word_and_means_its_gpu() -> None:
    words = gpu_words()
    assert not [w for w, _ in words if any(c in w for c in " ()'\"$&;,")]
    for word, name in words[::23]:
        assert parse_target(word).processor.name == name
