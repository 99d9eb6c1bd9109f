"""Names as profilers, drivers and people write them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofcast import catalog
from roofcast.catalog.gpu_names import parse_name
from roofcast.core.errors import RoofcastError, UnknownProcessorError

UNIQUE = {
    "Tesla V100-SXM2-16GB": "nvidia-v100-sxm2-16gb", "Tesla V100-SXM2-32GB": "nvidia-v100-sxm2-32gb",
    "NVIDIA A100-SXM4-80GB": "nvidia-a100-sxm4-80gb", "NVIDIA A100 80GB PCIe": "nvidia-a100-pcie-80gb",
    "A100-PCIE-40GB": "nvidia-a100-pcie-40gb", "NVIDIA A100-PG509-200": "nvidia-a100-sxm4-40gb",
    "a100sxm480gb": "nvidia-a100-sxm4-80gb", "NVIDIA H100 PCIe": "nvidia-h100-pcie-80gb",
    "h100pcie": "nvidia-h100-pcie-80gb", "NVIDIA H100 80GB HBM3": "nvidia-h100-sxm5-80gb",
    "H100-SXM5-80GB": "nvidia-h100-sxm5-80gb", "H100 SXM": "nvidia-h100-sxm5-80gb", "H100 NVL": "nvidia-h100-nvl",
    "NVIDIA GH200 120GB": "nvidia-gh200-96gb-hbm3", "NVIDIA GH200 480GB": "nvidia-gh200-96gb-hbm3",
    "NVIDIA GeForce RTX 4070": "nvidia-rtx-4070", "nvidia geforce rtx4090": "nvidia-rtx-4090",
    "NVIDIA\u00a0GeForce\u00a0RTX\u00a03090": "nvidia-rtx-3090", "GeForce RTX 2080 Ti": "nvidia-rtx-2080-ti",
    "rtx2080ti": "nvidia-rtx-2080-ti", "Tesla K40c": "nvidia-k40", "GTX Titan X (Maxwell)": "nvidia-gtx-titan-x",
    "NVIDIA TITAN Xp": "nvidia-titan-xp", "mi300x": "amd-mi300x", "AMD Instinct MI300X VF": "amd-mi300x",
    "Radeon Instinct MI50": "amd-mi50", "Radeon PRO W7800": "amd-pro-w7800",
    "Intel(R) Data Center GPU Max 1550": "intel-max-1550-tile", "Intel(R) Arc(TM) B580 Graphics": "intel-arc-b580",
    "GTX470": "nvidia-gtx-470", "T4": "nvidia-t4", "nvidia-t4": "nvidia-t4",
}  # fmt: skip
DEFAULTS = {
    "H100": "nvidia-h100-sxm5-80gb", "h100": "nvidia-h100-sxm5-80gb", "V100": "nvidia-v100-sxm2-16gb",
    "A100": "nvidia-a100-sxm4-80gb", "A100-SXM": "nvidia-a100-sxm4-80gb", "A100 40GB": "nvidia-a100-sxm4-40gb",
    "gfx90a": "amd-mi250x-gcd", "gfx90a:sramecc+:xnack-": "amd-mi250x-gcd",
}  # fmt: skip
# Other products, or parts of one: none of them is what the shorter name means.
OTHERS = (
    *("RTX 4070 Tie", "RTX 4090 Q", "A100X", "A1000G", "H100 PCIe 96GB", "Tesla V100-PCIE-64GB", "H100 SXM4"),
    *("GeForce H100", "Quadro H100", "RTX 3060 Laptop 24GB", "V100 V100", "H1000", "AMD H100", "NVIDIA MI300X"),
)


@pytest.mark.parametrize(("name", "key"), UNIQUE.items())
def test_names_of_profilers_resolve(name: str, key: str) -> None:
    assert catalog.find(name).processor.key == key


@pytest.mark.parametrize(("name", "key"), DEFAULTS.items())
def test_ambiguous_names_take_the_declared_default_and_say_so(name: str, key: str) -> None:
    match = catalog.find(name)
    assert match.processor.key == key
    assert len(match.notes) == 1
    assert match.notes[0].endswith(f"took {match.processor.name}")
    assert f"{name!r} fits" in match.notes[0]


@pytest.mark.parametrize("name", OTHERS)
def test_other_products_are_unknown_and_not_the_nearest(name: str) -> None:
    with pytest.raises(UnknownProcessorError) as error:
        catalog.find(name)
    assert "\n" not in str(error.value)


def test_words_that_distinguish_products_never_vanish() -> None:
    pairs = (
        *(
            ("RTX 4070", "RTX 4070 Ti"),
            ("RTX 4070", "RTX 4070 SUPER"),
            ("A10", "A10G"),
            ("RTX 3060", "RTX 3060 Laptop"),
        ),
        *(("RTX 2060", "RTX 2060 with Max-Q Design"), ("V100", "V100S"), ("L40", "L40S"), ("K20", "K20X")),
        *(("GTX TITAN X", "TITAN X"), ("RTX 4090", "RTX 4090 D"), ("RX 7900 XT", "RX 7900 XTX"), ("MI250", "MI250X")),
        ("RTX 3060 Laptop GPU", "RTX 3060 Max-Q"),
    )
    for one, other in pairs:
        assert parse_name(one).model != parse_name(other).model, (one, other)


def test_unknown_names_get_the_nearest_ones_in_one_line() -> None:
    with pytest.raises(UnknownProcessorError, match=r"unknown GPU 'RTX 4091'.*GeForce RTX 4090"):
        catalog.find("RTX 4091")
    with pytest.raises(UnknownProcessorError, match="H100 SXM5 80GB"):
        catalog.find("H100 SXM5 80GBx")
    with pytest.raises(UnknownProcessorError) as error:
        catalog.find("evil\nname\x1b[31m" * 50)
    assert str(error.value).isprintable()


def test_the_record_chooses_between_variants() -> None:
    assert catalog.find("H100", sm_count=114).processor.key == "nvidia-h100-pcie-80gb"
    assert catalog.find("H100", sm_count=114).notes == ()
    assert catalog.find("A100-SXM4", memory_bytes=42.4e9).processor.key == "nvidia-a100-sxm4-40gb"
    assert catalog.find("A100", memory_bytes=85.1e9, sm_count=108).processor.key == "nvidia-a100-sxm4-80gb"
    assert catalog.find("V100", memory_bytes=34.1e9).processor.key == "nvidia-v100-sxm2-32gb"
    nothing = catalog.find("H100", sm_count=float("nan"), memory_bytes=float("nan"), compute_capability="")
    assert nothing.processor.key == "nvidia-h100-sxm5-80gb"


def test_memory_that_ecc_hides_still_fits() -> None:
    assert catalog.find("NVIDIA A10", memory_bytes=23.6e9).notes == ()


def test_a_record_that_contradicts_the_name_is_said() -> None:
    match = catalog.find("NVIDIA A100-SXM4-40GB", sm_count=98)
    assert match.processor.key == "nvidia-a100-sxm4-40gb"
    assert "98 SMs (catalog: 108)" in match.notes[0]


def test_another_compute_capability_is_another_chip() -> None:
    with pytest.raises(UnknownProcessorError, match=r"profile says CC 6\.1"):
        catalog.find("NVIDIA A100-SXM4-40GB", compute_capability="6.1")
    assert catalog.find("NVIDIA A100-SXM4-40GB", compute_capability="sm_80").processor.sm_count == 108


def test_a_record_without_a_name_must_be_unique() -> None:
    match = catalog.find(None, compute_capability="8.0", sm_count=56, memory_bytes=25.2e9)
    assert match.processor.key == "nvidia-a30"
    assert "no GPU name recorded" in match.notes[0]
    with pytest.raises(UnknownProcessorError, match=r"CC 8\.6 fits .* and \d+ more"):
        catalog.find("", compute_capability="8.6")
    with pytest.raises(UnknownProcessorError, match=r"CC 8\.6 fits .* and \d+ more"):
        catalog.find("CC 8.6")
    assert catalog.find("sm_80", sm_count=56, memory_bytes=25.2e9).processor.key == "nvidia-a30"
    with pytest.raises(UnknownProcessorError, match=r"no catalog entry has CC 8\.6, 7 SMs"):
        catalog.find(None, compute_capability="8.6", sm_count=7)
    with pytest.raises(UnknownProcessorError, match="not named"):
        catalog.find(None)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=60), st.binary(max_size=30).map(lambda b: b.decode("latin-1"))))
def test_any_text_gives_a_processor_or_one_line(text: str) -> None:
    assert all(note.isprintable() for note in said(text))


def said(text: str) -> tuple[str, ...]:
    """The notes of a name that resolves, the message of one that does not."""
    try:
        return catalog.find(text).notes
    except RoofcastError as error:
        return (str(error),)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(UNIQUE)), st.sampled_from(["x", "Ti", "2", "mini", "MIG", "q"]))
def test_a_word_more_never_resolves_to_the_same_product(name: str, word: str) -> None:
    try:
        found = catalog.find(f"{name} {word}").processor.key
    except UnknownProcessorError:
        return
    assert found != UNIQUE[name]


def test_finding_reads_no_heavy_library() -> None:
    code = (
        "import sys; from roofcast import catalog; catalog.find('H100'); catalog.find('MI300X');"
        "print([m for m in ('pydantic', 'polars', 'rich', 'plotly', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("units", "name"), [(304, "Instinct MI300X"), (38, "Instinct MI300X CPX"), (None, "Instinct MI300X")]
)
def test_partitions_are_found_by_their_compute_units(units: int | None, name: str) -> None:
    found = catalog.find("AMD Instinct MI300X", sm_count=units)
    assert found.processor.name == name
    assert not found.notes
    assert catalog.find("MI300X CPX").processor.sm_count == 38
