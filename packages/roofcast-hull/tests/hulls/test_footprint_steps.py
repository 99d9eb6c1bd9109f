"""What units take by even steps of their turns: tiles, windows, all of an array."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

from roofcast_hull.notation import ClassTextError, parse_class
from roofcast_hull.source.followed_nests import classify_nests
from roofcast_hull.source.footprint_steps import fit_steps, read_turns


def take(numbers: tuple[int, ...], strides: tuple[int, ...], offsets: list[int]) -> tuple[np.ndarray, list[np.ndarray]]:
    """All turns of some loops, and what each takes."""
    turns = np.indices(numbers).reshape(len(numbers), -1)
    starts = np.array(strides) @ turns
    return turns, [s + np.array(offsets) for s in starts]


@pytest.mark.parametrize(
    ("numbers", "strides", "offsets", "shape"),
    [
        ((20, 30), (30, 1), [0, 1, 2], "20x30|neighbourhood(3)"),
        ((20, 30), (60, 2), [0, 1, 2], "20x60|neighbourhood(3)"),
        ((8, 16), (16, 0), list(range(16)), "8x16|tile(1x16)"),
        ((8, 40), (0, 1), [c * 44 + k for c in range(6) for k in range(5)], "6x44|neighbourhood(6x5)"),
        ((4, 6, 5), (0, 64, 1), list(range(32)), "6x36|neighbourhood(32)"),
        ((30,), (385,), list(range(101)), "30x101|tile(1x101)"),
        ((25,), (1,), list(range(4000)), "4024|full"),
        ((16, 16), (128, 8), [r * 16 + c for r in range(1) for c in range(8)], "16x16x8|tile(1x1x8)"),
    ],
)
def test_even_steps_have_a_shape(
    numbers: tuple[int, ...], strides: tuple[int, ...], offsets: list[int], shape: str
) -> None:
    turns, sets = take(numbers, strides, offsets)
    fitted = fit_steps(turns, numbers, sets, 4)
    assert fitted is not None
    assert fitted.render() == shape


def test_windows_that_are_cut_at_a_border_are_windows() -> None:
    turns, sets = take((40,), (1,), [-1, 0, 1])
    sets = [s[(s >= 0) & (s < 40)] for s in sets]
    fitted = fit_steps(turns, (40,), sets, 4)
    assert fitted is not None
    assert fitted.render().endswith("|neighbourhood(3)")
    assert fit_steps(turns, (40,), sets, 4, whole_alone=True) is None


@pytest.mark.parametrize(
    "sets",
    [
        [np.array([k * k, k * k + 1]) for k in range(20)],
        [np.arange(k + 1) for k in range(20)],
        [np.array([2 * k]) for k in range(20)],
    ],
)
def test_uneven_steps_and_gaps_inside_of_sectors_have_none(sets: list[np.ndarray]) -> None:
    assert fit_steps(np.arange(20).reshape(1, -1), (20,), sets, 4) is None


def test_turns_are_along_x_first() -> None:
    places = np.array([[5], [3], [7]])
    assert read_turns(places, (9, 9)).ravel().tolist() == [3, 5]
    assert read_turns(places, (4, 2, 9, 9)).ravel().tolist() == [3, 1, 3, 5]


LAYER = """
#define IN 6
#define OUT 8
#define TAPS 5
#define LONG 600
#define LEFT (LONG - TAPS + 1)
struct rows { float *p; int count, length; };
void layer(struct rows x, const float *w, struct rows y) {
    for (int o = 0; o < OUT; ++o)
        for (int t = 0; t < LEFT; ++t) {
            float sum = 0.0f;
            for (int c = 0; c < IN; ++c)
                for (int k = 0; k < TAPS; ++k)
                    sum += w[(o * IN + c) * TAPS + k] * x.p[c * x.length + t + k];
            y.p[o * y.length + t] = sum;
        }
}
float a[IN * LONG], b[OUT * LEFT], w[OUT * IN * TAPS];
int main(void) {
    struct rows x = {a, IN, LONG};
    layer(x, w, (struct rows){b, OUT, LEFT});
    return 0;
}
"""


def test_filters_over_all_channels_share_their_windows() -> None:
    """Sizes come from a structure that is made where it is handed over."""
    [layer] = classify_nests(LAYER, {}, "layer")
    assert str(layer.found) == "240|tile(30) ∧ 6x600|neighbourhood(6x5) → 8x596|element"


def test_windows_of_several_results_are_a_class() -> None:
    assert parse_class("16x2048|neighbourhood(1x5) -> 4x16x2044|element").outputs[0].units == 4 * 16 * 2044
    with pytest.raises(ClassTextError, match="cannot become"):
        parse_class("64x64|neighbourhood(3x3) -> 100x100|element")
