"""A run or kernel whose interval decides nothing has no time and no speed-up for people."""

from __future__ import annotations

from roofcast.applications.result import PartTime, Span
from roofcast.applications.show import describe_span, tabulate_parts


def test_an_interval_beyond_a_factor_of_50_is_undecided() -> None:
    told = describe_span(Span(2.0, 1.0, 0.1, 7.0, 0.01), "")
    assert told.startswith("2.00 s → undecided, –; interval 100ms–7.00s")
    sure = describe_span(Span(2.0, 1.0, 0.5, 7.0, 0.01), "")
    assert sure.startswith("2.00 s → 1.00 s, 2.00x; interval 500ms–7.00s")
    unsure, known = PartTime("a", 1, 2.0, 1.0, 0.1, 7.0), PartTime("b", 1, 2.0, 1.0, 0.5, 7.0)
    lines = tabulate_parts("kind", [unsure, known], 9).lines(120)
    assert [line.count("undecided") for line in lines if line.startswith(("a ", "b "))] == [1, 0]
