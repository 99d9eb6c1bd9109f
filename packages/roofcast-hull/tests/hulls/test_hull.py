"""Table 1, the published times, the modern form, and what must hold for every class and processor."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofcast.catalog import gpu
from roofcast.core.errors import RoofcastError
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast_hull.bounds import Assumptions, Bounds, Settings
from roofcast_hull.classes import CLASSES, find_family
from roofcast_hull.hull import find_bounds, forecast_class
from roofcast_hull.notation import AlgorithmClass, Part, parse_class
from roofcast_hull.selection import select

A, B, U, V, N, M, C = 64, 32, 4, 8, 5, 3, 256
ELEMENTS = A * B
# class, w, m, o, d, c, u, floors: Table 1 with numbers put in
TABLE_1 = [
    (f"{A}x{B}|element -> {A}x{B}|element", ELEMENTS, 1, 16, 2 * ELEMENTS, 2 * ELEMENTS, 0, {"c1"}),
    (f"unordered {A}x{B}|element -> {A}x{B}|element", ELEMENTS, 1, 16, 2 * ELEMENTS, 2 * ELEMENTS, 0, {"c1", "m1"}),
    (f"{A}x{B}|tile(1x{B}) -> {A}|element", A, B, 4 * B, ELEMENTS + A, ELEMENTS + A, 0, {"c1", "m1"}),
    (f"{A}x{B}|tile({U}x{V}) -> {A // U}x{B // V}|element", 64, 32, 128, 2 * ELEMENTS, 2 * ELEMENTS, 0, {"c1"}),
    (f"{A}x{B}|tile({U}x{V}) -> {A}x{B}|tile({U}x{V})", 64, 32, 128, 2 * ELEMENTS, ELEMENTS, ELEMENTS, {"c1"}),
    (f"{A}x{B}|element -> {A * U}x{B * V}|tile({U}x{V})", 64, 32, 128, 2 * ELEMENTS, 2 * ELEMENTS, 0, {"c1"}),
    (f"{A}x{B}|neighbourhood({N}x{M}) -> {A}x{B}|element", ELEMENTS, 15, 64, 2 * ELEMENTS, None, None, {"c1"}),
    (f"{A}x{B}|neighbourhood({N}) -> {A}x{B}|element", ELEMENTS, 5, 64, 2 * ELEMENTS, None, None, {"c1"}),
    (f"{A}x{B}|element -> 1|shared", ELEMENTS, 1, 16, ELEMENTS + 1, ELEMENTS, 1, {"c1"}),
    (f"{A}x{B}|element -> {C}|shared", ELEMENTS, 1, 64, ELEMENTS + C, C, ELEMENTS, {"c1"}),
    (f"{A}x{B}|element & {A}x{B}|element -> {A}x{B}|element", ELEMENTS, 1, 32, 3 * ELEMENTS, 3 * ELEMENTS, 0, {"c1"}),
    (f"{A}x{B}|tile({A}x1) -> {B}|element", B, A, 4 * A, ELEMENTS + B, ELEMENTS + B, 0, {"c1"}),
]


@pytest.mark.parametrize("row", TABLE_1, ids=lambda r: r[0])
def test_table_1(row: tuple[str, int, int, int, int, int | None, int | None, set[str]]) -> None:
    text, w, m, o, d, c, u, floors = row
    found = find_family(parse_class(text)).variables(parse_class(text))
    assert (found.work_units, found.applications_per_unit, found.offset_ops, found.elements_total) == (w, m, o, d)
    if c is None or u is None:
        assert found.elements_coalesced >= d
        assert found.elements_uncoalesced > 0
    else:
        assert (found.elements_coalesced, found.elements_uncoalesced) == (c, u)
    assert {f.value for f in found.floors} == floors


def test_a_neighbourhood_of_one_has_no_halo() -> None:
    found = parse_class("64x64|neighbourhood(1x1) -> 64x64|element")
    variables = find_family(found).variables(found)
    assert variables.elements_coalesced == variables.elements_total
    assert variables.elements_uncoalesced == 0


@pytest.mark.parametrize(
    ("processor", "text", "complexity", "assume", "low_us", "high_us"),
    [
        # by hand from Tables 1 and 2: bytes over bandwidth, or operations over the peak
        ("GTX 470", "1024x1024|element -> 256|shared", 1, "", 710.91, 710.91),
        ("GTS 250", "1024x1024|element -> 256|shared", 1, "", 1198.39, 1198.39),
        ("GTX 470", "1024x1024|tile(1x1024) -> 1024|element", 1, "", 44.194, 711.59),
        ("GTX 470", "1024x1024|tile(1x1024) -> 1024|element", 1, "coalesced", 44.194, 44.194),
        ("GTX 470", "1024x1024|tile(1x1024) -> 1024|element", 1, "scattered", 711.59, 711.59),
        ("GTX 470", "2048x2048|element -> 2048x2048|element", 1000, "", 3914.4, 7828.8),
        ("GTX 470", "2048x2048|element -> 2048x2048|element", 1000, "no-fma", 7828.8, 7828.8),
        ("i7-930", "2048x2048|element -> 2048x2048|element", 1, "threads,vector", 2750.36, 2750.36),
        ("i7-930", "2048x2048|element -> 2048x2048|element", 996, "", 46603.4, 32 * 46603.4),
        ("Q8300", "2048x2048|element -> 2048x2048|element", 996, "one-thread,vector", 4 * 104857.6, 4 * 104857.6),
    ],
)
def test_published_times(
    processor: str, text: str, complexity: float, assume: str, low_us: float, high_us: float
) -> None:
    words = tuple(w for w in assume.split(",") if w)
    [found] = forecast_class(text, [gpu(processor)], complexity, settings=Settings(assume=Assumptions.of(words)))
    assert found.form == "published"
    assert found.total_low_s * 1e6 == pytest.approx(low_us, rel=1e-3)
    assert found.total_high_s * 1e6 == pytest.approx(high_us, rel=1e-3)


def test_transfers_are_all_data_over_the_bus() -> None:
    [found] = forecast_class("2048x2048|element -> 2048x2048|element", [gpu("GTX 470")], transfers=True)
    assert found.transfers_s == pytest.approx(2 * 2048 * 2048 * 4 / 5.1e9)
    assert found.total_low_s == pytest.approx(found.kernels_low_s + found.transfers_s)


def test_modern_gpus_take_the_modern_form_by_default() -> None:
    assert [f.form for f in forecast_class("64|element -> 64|element", [gpu("GTX 470"), gpu("H100 SXM5 80GB")])] == [
        "published",
        "modern",
    ]


def test_what_fits_into_l2_is_faster_when_warm() -> None:
    h100 = gpu("H100 SXM5 80GB")
    found = parse_class("1048576|element -> 1048576|element")
    warm, cold = (find_bounds(found, h100, Settings(assume=Assumptions.of((w,)))) for w in ("warm", "cold"))
    assert warm.low(1) < cold.low(1)
    either = find_bounds(found, h100)
    assert either.low(1) == warm.low(1)
    assert either.high(1) >= cold.low(1)


PROCESSORS = ["GTX 470", "GTS 250", "H100 SXM5 80GB", "A100 SXM4 80GB", "RTX 3090", "MI250X", "i7-930", "Q8300", "T4"]
TEXTS = [family.example for family in CLASSES.values()] + [row[0] for row in TABLE_1]
FORMS = st.sampled_from(["published", "modern"])
COMPLEXITY = st.floats(0, 1e5)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TEXTS), st.sampled_from(PROCESSORS), FORMS, COMPLEXITY)
def test_floors_never_undercut_the_hull(text: str, name: str, form: str, complexity: float) -> None:
    bounds = find_bounds(parse_class(text), gpu(name), Settings(form=form))
    assert 0 < bounds.low(complexity) <= bounds.high(complexity)
    assert bounds.low(complexity) <= bounds.low(2 * complexity + 1)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TEXTS), st.sampled_from(PROCESSORS), FORMS, COMPLEXITY, st.floats(1, 8))
def test_more_bandwidth_never_slows(text: str, name: str, form: str, complexity: float, factor: float) -> None:
    base = gpu(name)
    found, how = parse_class(text), Settings(form=form)
    for supply in ("bytes_per_s_dram", "bytes_per_s_l2", "bytes_per_s_l1", "flops_per_s_fp32"):
        resource = next(r for r in base.supplies if r.supply == supply) if has(base, supply) else None
        if resource is None:
            continue
        # A replaced rate is both peak and sustained: start from the higher of the two.
        old = base.supplies[resource]
        faster = base.replace(**{supply: max(old.per_s, old.peak_per_s or 0.0) * factor})
        before, after = find_bounds(found, base, how), find_bounds(found, faster, how)
        assert after.low(complexity) <= before.low(complexity) * (1 + 1e-12)
        assert after.high(complexity) <= before.high(complexity) * (1 + 1e-12)


def has(processor: Processor, supply: str) -> bool:
    return any(r.supply == supply for r in processor.supplies)


def doubled(found: AlgorithmClass) -> AlgorithmClass:
    """Twice the data: the first dimension of every array that is dealt out to units."""
    sizes = found.inputs[0].sizes
    if find_family(found).key == "columns":
        return parse_class(f"{sizes[0] * 2}x{sizes[1]}|tile({sizes[0] * 2}x1) -> {sizes[1]}|element")

    def twice(part: Part) -> Part:
        keep = part.pattern.value == "shared" or (
            part.extent and part.extent[0] == part.sizes[0] and len(part.sizes) > 1
        )
        return part if keep else replace(part, sizes=(2 * part.sizes[0], *part.sizes[1:]))

    return AlgorithmClass(tuple(map(twice, found.inputs)), tuple(map(twice, found.outputs)))


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(TEXTS), st.sampled_from(PROCESSORS), FORMS, COMPLEXITY)
def test_doubling_the_data_never_speeds_up(text: str, name: str, form: str, complexity: float) -> None:
    found, how, processor = parse_class(text), Settings(form=form), gpu(name)
    larger = doubled(found)
    for _ in range(6):
        small, large = find_bounds(found, processor, how), find_bounds(larger, processor, how)
        assert large.low(complexity) >= small.low(complexity)
        assert large.high(complexity) >= small.high(complexity)
        found, larger = larger, doubled(larger)


def test_every_catalog_processor_has_bounds_or_says_what_it_lacks() -> None:
    from roofcast.catalog import processors

    found = parse_class("1024x1024|neighbourhood(3x3) -> 1024x1024|element")
    answered, refused = 0, []
    for processor in processors():
        try:
            bounds = find_bounds(found, processor)
        except RoofcastError as error:
            refused.append((processor.name, str(error)))
            continue
        assert isinstance(bounds, Bounds)
        assert 0 < bounds.low(2) <= bounds.high(2) < 10
        answered += 1
    assert all(name in message for name, message in refused)
    assert answered > 100


def test_select_takes_the_bus_into_account() -> None:
    text = "1024x1024|element -> 1024x1024|element"
    assert select(text, ["GTX 470", "i7-930"], 10).processor.name == "GeForce GTX 470"
    assert select(text, ["GTX 470", "i7-930"], 10, transfers=True).processor.name == "Core i7-930"
    with pytest.raises(RoofcastError, match="no processor"):
        select(text, [])


@pytest.mark.parametrize("words", [("fma", "no-fma"), ("fast",)])
def test_bad_assumptions(words: tuple[str, ...]) -> None:
    with pytest.raises(RoofcastError, match="assumption"):
        Assumptions.of(words)


def test_amounts_of_a_class_are_a_kernel_table_row() -> None:
    from roofcast.forecasting.forecast import forecast
    from roofcast_hull.profiles import kernel_table

    found = parse_class("4096x4096|element -> 4096x4096|element")
    a100 = gpu("A100 SXM4 80GB")
    table = kernel_table(found, [a100], 10)
    assert table.column("bytes_dram")[0] == 2 * 4096 * 4096 * 4
    assert table.column("flops_fp32")[0] == 10 * 4096 * 4096
    result = forecast(table, [a100, gpu("H100 SXM5 80GB")], model="van_lanker")
    same, faster = result.estimate.time_s[0]
    assert same == pytest.approx(table.column("time_s")[0])
    assert faster < same


def low_of(text: str, complexity: float, how: Settings) -> float:
    return find_bounds(parse_class(text), gpu("H100 SXM5 80GB"), how).low(complexity)


def test_many_bins_take_no_longer_than_updates_of_whole_sectors() -> None:
    # 2^24 elements of 8 B read and 2^22 written are 168 MB, 57 us of DRAM; a sector each would be 180 us of updates.
    for text, us in (("16777216|element -> 4194304|shared", 58), ("16777216|element -> 58000|shared", 47)):
        assert 0.9 * us <= low_of(text, 1, Settings("fp64")) * 1e6 <= 1.02 * us


def test_what_is_stored_at_places_of_data_costs_no_atomics() -> None:
    bounds = find_bounds(parse_class("16777216|element & 16777216|element -> 16777216|shared"), gpu("H100 SXM5 80GB"))
    assert bounds.low(0) == pytest.approx(3 * 2**26 / gpu("H100 SXM5 80GB").rate(Resource.BYTES_DRAM), rel=0.1)
    assert bounds.limit_high(0).meaning == "a sector per element stored"
    assert bounds.limit_high(1).meaning == "atomics on one bin"


@pytest.mark.parametrize(
    ("text", "element", "resource"),
    [
        ("64x2048x64|full & 131072x64|tile(1x64) -> 131072x64|tile(1x64)", "fp16", Resource.FLOPS_TENSOR_FP16),
        ("4096x4096|neighbourhood(31x31) -> 4096x4096|element", "fp64", Resource.FLOPS_TENSOR_FP64),
        ("4096x4096|neighbourhood(31x31) -> 4096x4096|element", "int8", Resource.OPS_INT32),
        ("16777216|element -> 16777216|element", "fp16", Resource.FLOPS_FP16),
    ],
)
def test_sums_of_products_may_run_on_matrix_units(text: str, element: str, resource: Resource) -> None:
    bounds = find_bounds(parse_class(text), gpu("H100 SXM5 80GB"), Settings(element=element))
    on_matrix_units = "tensor" in bounds.limit(1e6).meaning
    assert on_matrix_units is ("TENSOR" in resource.name)
    assert not on_matrix_units or resource.label in bounds.limit(1e6).meaning


def test_operations_are_those_of_the_units_that_are_named() -> None:
    shares = ((Resource.FLOPS_TENSOR_FP16, 0.99), (Resource.FLOPS_FP32, 0.01))
    on_units = low_of("1048576|tile(4) -> 1048576|tile(4)", 1e5, Settings(pipes=shares))
    assert on_units < low_of("1048576|tile(4) -> 1048576|tile(4)", 1e5, Settings()) / 8
