"""The colours of all pictures: those of Okabe and Ito, which people with any vision tell apart, and greys.

Pages have the same ones in ``assets/page.css``, lighter where the reader's screen is dark.
"""

from __future__ import annotations

INK, FAINT, GREY, GRID, PALE = "#222222", "#777777", "#8a949d", "#e6e6e6", "#c9d7e3"
ORANGE, BLUE, GREEN, PINK, SKY, AMBER = "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"
VIOLET, BROWN, SLATE, OLIVE = "#6b4fa0", "#7a6a53", "#5a7fd0", "#8a9a2f"
RESOURCES = {
    "bytes_l1": ORANGE, "bytes_shared": PINK, "bytes_l2": GREEN, "bytes_dram": BLUE, "flops_fp64": VIOLET,
    "flops_fp32": AMBER, "ops_int32": OLIVE, "insts_issued": SLATE,
}  # fmt: skip
"""Resource -> its colour in every picture; the others are ink."""
SERIES = (BLUE, ORANGE, GREEN, VIOLET, AMBER, SKY, PINK, BROWN, SLATE, OLIVE)
"""One after the other, for kinds that have no colour of their own."""
