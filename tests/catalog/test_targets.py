"""Variations of known GPUs, and users' own TOML files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofcast import catalog
from roofcast.core.errors import CatalogEntryError, InputError, RoofcastError
from roofcast.core.processor import FIELDS, RATES, Kind, parse_changes, unit_of
from roofcast.core.resource import Resource

H100 = "H100 SXM5 80GB"


def test_split_targets_keeps_braces_together() -> None:
    assert catalog.split_targets("a,b{x=1,y=2},c") == ["a", "b{x=1,y=2}", "c"]
    assert catalog.split_targets(" V100 , ,B200,") == ["V100", "B200"]
    assert catalog.split_targets("a},b") == ["a}", "b"]


def test_variation_changes_what_it_names() -> None:
    base = catalog.gpu(H100)
    made = catalog.gpu(H100 + "{dram=4.8TB/s,l2=60MB,sm=144,clock=2.1GHz,dram_size=96GiB}")
    assert (made.sm_count, made.capacity_bytes_l2, made.capacity_bytes_dram) == (144, 60_000_000, 96 * 2**30)
    assert made.clock_hz_boost == 2.1e9
    assert made.supplies[Resource.BYTES_DRAM].peak_per_s == pytest.approx(4.8e12)
    share = base.rate(Resource.BYTES_DRAM) / (base.supplies[Resource.BYTES_DRAM].peak_per_s or 0)
    assert made.rate(Resource.BYTES_DRAM) == pytest.approx(4.8e12 * share)
    grown = 144 / 132 * 2.1 / 1.98
    for resource in (Resource.FLOPS_FP32, Resource.BYTES_L1):
        assert made.rate(resource) == pytest.approx(base.rate(resource) * grown)
    # An H100's L2 has a clock of its own.
    assert made.rate(Resource.BYTES_L2) == pytest.approx(base.rate(Resource.BYTES_L2) * 144 / 132)
    for variant in ("read", "triad"):
        ratio = made.rate(Resource.BYTES_DRAM, variant=variant) / base.rate(Resource.BYTES_DRAM, variant=variant)
        assert ratio == pytest.approx(made.rate(Resource.BYTES_DRAM) / base.rate(Resource.BYTES_DRAM))
    assert made.name == H100 + "{dram=4.8TB/s,l2=60MB,sm=144,clock=2.1GHz,dram_size=96GiB}"
    assert made.key != base.key
    assert made.supplies[Resource.BYTES_DRAM].kind is Kind.USER


def test_data_sheet_figure_of_the_base_changes_nothing() -> None:
    base = catalog.gpu(H100)
    peak = base.supplies[Resource.BYTES_DRAM].peak_per_s
    assert catalog.gpu(f"{H100}{{dram={peak!r}}}").rate(Resource.BYTES_DRAM) == pytest.approx(base.rate("bytes_dram"))  # type: ignore[arg-type]  # a StrEnum value


def test_full_names_take_sustained_rates_as_replace_does() -> None:
    made = catalog.gpu("A100-SXM4-80GB{bytes_per_s_dram=4TB/s,latency_cycles_l2=150}")
    assert made.rate(Resource.BYTES_DRAM) == 4e12
    assert made.latency_cycles_l2 == 150
    assert made.rate(Resource.BYTES_DRAM) == catalog.gpu("A100-SXM4-80GB").replace(bytes_per_s_dram=4e12).rate(
        Resource.BYTES_DRAM
    )


def test_bad_variations_name_every_key_in_one_line() -> None:
    with pytest.raises(CatalogEntryError) as error:
        catalog.gpu("H100{foo=1,dram=3GB,sm=1.5,fp64=-1 TFLOP/s,l2=60MB,l2=1MB}")
    text = str(error.value)
    for part in (
        "foo: no such key; use sm, clock",
        "dram: '3GB' is in B, not in B/s",
        "sm: not a whole",
        "fp64: not above 0",
    ):
        assert part in text
    assert "l2: given twice" in text
    assert "\n" not in text


@pytest.mark.parametrize(
    "text", ["H100{}", "H100{dram=1", "H100}", "{dram=1TB/s}", "H100{=3}", "H100{dram}", "H100{a{b}}"]
)
def test_malformed_variations_are_refused(text: str) -> None:
    with pytest.raises(RoofcastError):
        catalog.parse_target(text)


@pytest.mark.parametrize("key", [*FIELDS, *RATES])
def test_every_short_key_works_on_a_gpu_and_more_is_never_slower(key: str) -> None:
    base = catalog.gpu("A100-SXM4-80GB")
    unit = unit_of(key)
    value = {"count": "200", "Hz": "2 GHz", "B": "100 MiB", "s": "3 us", "W": "500 W", "USD": "9 USD"}.get(
        unit, f"1e15 {unit}"
    )
    made = catalog.gpu(f"A100-SXM4-80GB{{{key}={value}}}")
    for resource in Resource:
        before, after = base.rate(resource), made.rate(resource)
        assert not after < before, (key, resource)


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=40))
def test_any_braces_give_a_value_or_one_line(text: str) -> None:
    assert "\n" not in message_of(lambda: parse_changes(text))


def message_of(call: Callable[[], object]) -> str:
    """What a call that may fail says in its one line; empty where it works."""
    try:
        call()
    except RoofcastError as error:
        return str(error)
    return ""


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["sm_count", "clock_hz_boost", "bytes_per_s_dram", "bytes_per_s_l2", "flops_per_s_fp32"]),
    st.floats(1.0, 4.0),
    st.sampled_from(["Tesla T4", "RTX 4090", H100, "MI300X", "L40", "GTX 480"]),
)
def test_replace_never_makes_anything_slower(name: str, factor: float, gpu: str) -> None:
    base = catalog.gpu(gpu)
    old = {r.supply: base.rate(r) for r in Resource}.get(name) or getattr(base, name)
    value = int(old * factor) if name == "sm_count" else old * factor
    made = base.replace(**{name: value})
    for resource in Resource:
        for clock in (base.clock_hz_boost, 0.5 * base.clock_hz_boost, made.clock_hz_boost):
            assert not made.rate(resource, clock) < base.rate(resource, clock) * (1 - 1e-9), (resource, clock)


def own(folder: Path, text: str, name: str = "next-gpu.toml") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_minimal_own_file(tmp_path: Path) -> None:
    text = 'architecture = "sm_90"\nsm_count = 100\nclock_boost = "2 GHz"\nmemory_bandwidth = "5 TB/s"\n'
    made = catalog.gpu(own(tmp_path, text))
    assert made.name == "next-gpu"
    assert made.supplies[Resource.FLOPS_FP64].peak_per_s == pytest.approx(2 * 64 * 100 * 2e9)
    assert made.supplies[Resource.BYTES_DRAM].peak_per_s == 5e12
    assert made.supplies[Resource.BYTES_DRAM].kind is Kind.ESTIMATED
    assert made.max_warps_per_sm == 64


def test_own_file_over_a_base_keeps_what_the_base_sustains(tmp_path: Path) -> None:
    text = f'base = "{H100}"\nname = "H100 next"\nmemory_bandwidth = "6.70464 TB/s"\nsm_count = 144\n'
    text += "[rates]\nfp64_fma = 128\n"
    base, match = catalog.gpu(H100), catalog.parse_target(own(tmp_path, text))
    made = match.processor
    assert made.name == "H100 next"
    assert "next-gpu.toml over H100 SXM5 80GB" in match.notes[0]
    assert made.rate(Resource.BYTES_DRAM) == pytest.approx(2 * base.rate(Resource.BYTES_DRAM), rel=1e-5)
    assert made.rate(Resource.FLOPS_FP32) == pytest.approx(144 / 132 * base.rate(Resource.FLOPS_FP32))
    assert made.rate(Resource.FLOPS_FP64) == pytest.approx(2 * 144 / 132 * base.rate(Resource.FLOPS_FP64))


def test_own_measurement_wins(tmp_path: Path) -> None:
    text = (
        'base = "A100-SXM4-80GB"\n[[measured]]\nquantity = "bytes_dram:triad"\nvalue = "1.9 TB/s"\n'
        'method = "BabelStream"\nsource = "our machine"\n'
    )
    assert catalog.gpu(own(tmp_path, text)).rate(Resource.BYTES_DRAM) == 1.9e12


def test_bad_own_file_names_every_field(tmp_path: Path) -> None:
    text = (
        'architecture = "sm_91"\nsm_count = "many"\nclock_boost = "2 GB"\nmemory_size = -3\ncolour = "red"\n'
        '[rates]\nfp65_fma = 3\n[[measured]]\nquantity = "bytes_dram:hop"\nvalue = "3"\nmethod = "m"\nsource = "s"\n'
    )
    with pytest.raises(CatalogEntryError) as error:
        catalog.load_own(own(tmp_path, text))
    message = str(error.value)
    assert message.startswith("next-gpu.toml: ")
    for part in ("sm_count:", "clock_boost: '2 GB' is in B, not in Hz", "memory_size:", "colour: no such field"):
        assert part in message
    assert "architecture: 'sm_91' is not one of" in message
    assert "bytes_dram:hop" in message
    assert "\n" not in message


def test_own_files_without_what_models_need(tmp_path: Path) -> None:
    with pytest.raises(CatalogEntryError, match="memory_bandwidth: needed"):
        catalog.load_own(own(tmp_path, 'architecture = "sm_90"\nsm_count = 100\nclock_boost = "2 GHz"\n'))
    with pytest.raises(CatalogEntryError, match=r"sm_count: Field required.*clock_boost: Field required"):
        catalog.load_own(own(tmp_path, 'architecture = "sm_90"\nmemory_bandwidth = "5 TB/s"\n'))


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00", b"a = ", b"[" * 5000, b"\x00" * 100, b"base = 3", b"base = 'i7-930'"]
)
def test_broken_own_files_give_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.toml"
    path.write_bytes(content)
    with pytest.raises(RoofcastError) as error:
        catalog.parse_target(str(path))
    assert "\n" not in str(error.value)


def test_absent_own_file() -> None:
    with pytest.raises(InputError, match=r"cannot read nowhere\.toml"):
        catalog.parse_target("nowhere.toml")


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            ["sm_count", "clock_boost", "l2", "rates", "limits", "measured", "sources", "published", "base"]
        ),
        st.one_of(
            st.integers(-5, 5), st.text("aé{]\"'\\\n", max_size=5), st.booleans(), st.lists(st.integers(), max_size=2)
        ),
        max_size=4,
    )
)
def test_any_own_file_gives_a_processor_or_one_line(
    tmp_path_factory: pytest.TempPathFactory, data: dict[str, object]
) -> None:
    from roofcast.catalog.writing import write_entry

    path = tmp_path_factory.mktemp("own") / "x.toml"
    data = {k: v for k, v in data.items() if k not in ("rates", "limits", "sources", "published", "measured") or not v}
    path.write_text(write_entry({"base": "H100", **data}), encoding="utf-8")
    assert "\n" not in message_of(lambda: catalog.load_own(str(path)))


def test_examples_of_the_documentation_work(tmp_path: Path) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "catalog.md"
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 3
    for i, block in enumerate(blocks):
        made = catalog.load_own(own(tmp_path, block, f"example-{i}.toml")).processor
        assert made.rate(Resource.BYTES_DRAM) > 2e12
    for key in (*FIELDS, *RATES):
        assert f"`{key}`" in text, key


@pytest.mark.parametrize("given", [5, None, 1.5, b"H100", ["H100"], {"sm": 132}])
def test_what_is_no_text_is_no_gpu(given: object) -> None:
    with pytest.raises(InputError, match="is no GPU: give its name or a TOML file as text") as caught:
        catalog.gpu(given)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("given", [None, [1e12], object])
def test_what_is_no_number_changes_no_gpu(given: object) -> None:
    with pytest.raises(CatalogEntryError, match=r"^dram=.*: give a number, or a text with its unit$"):
        catalog.gpu(H100, dram=given)  # type: ignore[arg-type]
