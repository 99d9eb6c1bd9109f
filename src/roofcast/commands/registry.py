"""The commands, as data: the group imports a command's module only when that command runs."""

from __future__ import annotations

from roofcast.asks import ASKS

Command = tuple[str, str]
"""Module ('' where the command is made of a question), and one line for --help."""


def list_asked(group: str) -> dict[str, Command]:
    """The questions of a group."""
    asked = ((n, p) for n, p in ASKS.items() if p.group == group)
    return {n: ("" if p.made else f"{p.module.partition('.')[0]}.commands.{n}", p.summary) for n, p in asked}


GROUPS: dict[str, dict[str, Command]] = {
    "Ask": {
        **list_asked("Ask"),
        "serve": ("roofcast.commands.serve", "Serve a page: drop a profile, choose GPUs, see the forecast move."),
    },
    "Understand": {
        "inspect": ("roofcast.commands.inspect", "Show what was read, what is missing and how to collect it."),
        **list_asked("Understand"),
        "sass": ("roofcast.commands.sass", "Show what the machine code does, here and on another architecture."),
        "explain": ("roofcast.commands.explain", "Say what a word of the output means: limit, issue, load/store."),
    },
    "Decide": list_asked("Decide"),
    "Measure": {
        "measure": ("roofcast_measure.commands.measure", "Measure the GPU of this machine: kernel suite, eight steps."),
        "store": ("roofcast.commands.store", "Keep measurements and forecasts; see how good the forecasts were."),
    },
    "Research": {
        "evaluate": ("roofcast_evaluate.commands.evaluate", "Score models on measured pairs of GPUs."),
        "papers": ("roofcast_evaluate.commands.papers", "Compute what the four papers print, item by item."),
        **list_asked("Research"),
    },
    "Shell": {"completion": ("roofcast.commands.completion", "Print the tab-completion script of a shell.")},
}
"""What a user wants -> its commands; what is no question of :mod:`roofcast.asks` stands here alone."""
COMMANDS = {name: found for group in GROUPS.values() for name, found in group.items()}
FIRST_LOOK = ("roofcast.commands.first_look", "What a file is, how it would run elsewhere, what to do next.")
"""What runs when the first word is a file and no command."""
