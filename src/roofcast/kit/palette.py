"""The colours of all pictures and pages: those of Okabe and Ito, which people with any vision tell apart, and greys."""

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

BLACK, WHITE, SHADE = "#111111", "#ffffff", "#dfe7ee"
PAGE = {
    "paper": (WHITE, "#15181b"), "ink": ("#1d1f23", "#e6e8ea"), "soft": ("#5d6770", "#9aa4ac"),
    "line": ("#dfe3e6", "#343a40"), "panel": ("#f6f7f8", "#1e2226"), "accent": ("#0b63a5", "#7cc4f5"),
    "bad": ("#b3261e", "#ff8a80"), "slower": ("#b34a00", "#ff8a3d"), "interval": (SKY, "#8fd0f7"),
    "l1": (ORANGE, "#ff8a3d"), "shared": ("#b4518a", "#e39ac5"), "l2": ("#008a64", "#2cc79b"), "dram": (BLUE, SKY),
    "fp64": (VIOLET, "#b39ddb"), "fp32": ("#a86f00", "#f0b941"), "int32": ("#6d7c14", "#bccf4a"),
    "issue": ("#3f66bf", "#8fb0ff"), "other": ("#7d8790", "#8b959d"),
}  # fmt: skip
"""Name in the styles of pages -> its colour on a light and on a dark screen: words have these colours as well, so some
are deeper than those of pictures."""


def write_variables() -> str:
    """The colours as variables of a page's style; a printed page is a light one."""
    light, dark = (";".join(f"--{name}:{both[k]}" for name, both in PAGE.items()) for k in (0, 1))
    return (
        f":root{{{light};color-scheme:light dark}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"
        f"@media print{{:root{{{light}}}}}\n"
    )
