"""The boat hull formulas against figures of the paper and against scalar twins on arrays."""

from __future__ import annotations

import numpy as np
import pytest

from roofcast_hull import boat_hull as hull

GTX_470, GTS_250 = (1089e9, 95e9, 5.9e9, 5.1e9), (470e9, 56e9, 3.5e9, 2.1e9)


def test_the_two_toy_examples_of_section_4_1() -> None:
    elements = 1_000_000
    assert hull.compute_time_s(elements, 2, 1, 16, 1089e9) == pytest.approx(elements * 18 / 1089e9)
    assert hull.memory_time_s(2 * elements * 4, 0, 95e9, 5.9e9) == pytest.approx(84.2e-6, rel=1e-3)
    assert hull.memory_time_s(elements * 4, 4, 95e9, 5.9e9) == pytest.approx(42.1e-6, rel=1e-3)


@pytest.mark.parametrize(("gpu", "milliseconds"), [(GTX_470, 0.82), (GTS_250, 2.00)])
def test_the_bus_bandwidths_of_table_2_do_not_give_the_transfers_of_table_5(
    gpu: tuple[float, ...], milliseconds: float
) -> None:
    found = hull.transfer_time_s(1024 * 1024 * 4, gpu[3])
    assert found * 1e3 == pytest.approx(milliseconds, abs=0.005)
    assert found not in (pytest.approx(0.95e-3, rel=0.02), pytest.approx(1.90e-3, rel=0.02))


def test_floors_are_slower_than_the_roof() -> None:
    assert hull.compute_time_s_without_fma(1.0) == 2.0
    assert hull.compute_time_s_of_code(1.0, 4, 8) == 32.0


def test_arrays_give_what_scalars_give() -> None:
    rng = np.random.default_rng(1)
    w, f, m, o = (rng.uniform(1, 1000, 50) for _ in range(4))
    expected = [hull.compute_time_s(float(w[i]), float(f[i]), float(m[i]), float(o[i]), 1e9) for i in range(50)]
    np.testing.assert_allclose(np.asarray(hull.compute_time_s(w, f, m, o, 1e9)), np.array(expected), rtol=1e-14)
    sizes = np.array([1.0, 9e6, 10e6, 11e6, 12e6, 1e9])
    shares = hull.miss_fraction(sizes, 10e6)
    assert isinstance(shares, np.ndarray)
    np.testing.assert_allclose(shares, np.array([hull.miss_fraction(float(s), 10e6) for s in sizes]))
    assert shares[0] == 0
    assert shares[-1] == 1
    assert 0.3 < shares[2] < 0.4


def test_halos_count_what_a_block_reads_beyond_its_own() -> None:
    """Against counting the elements of one block one by one."""
    tile, reach = (16, 16), (7, 5)
    rows, columns = tile[0] + reach[0] - 1, tile[1] + reach[1] - 1
    outside = [(r, c) for r in range(rows) for c in range(columns) if not (3 <= r < 19 and 2 <= c < 18)]
    along = sum(1 for r, c in outside if 2 <= c < 18)
    found = hull.halo_elements(16, 16, *reach, *tile)
    assert found == (along, len(outside) - along)
