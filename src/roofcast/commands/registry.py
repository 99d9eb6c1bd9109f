"""The commands, as data: the group imports a command's module only when that command runs."""

from __future__ import annotations

from collections.abc import Mapping

from roofcast.asks import ASKS
from roofcast.core.joined_parts import OFFERED, Place, find_parts, refuse_absent

Command = tuple[str, str]
"""Module ('' of a question, of which the command is made), and one line for --help."""


def list_asked(group: str, places: Mapping[str, Place] = ASKS) -> dict[str, Command]:
    """The questions of a group."""
    return {name: ("", place.summary) for name, place in places.items() if place.group == group}


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
        "store": ("roofcast.commands.store", "Keep measurements and forecasts; see how good the forecasts were."),
    },
    "Research": {},
    "Shell": {"completion": ("roofcast.commands.completion", "Print the tab-completion script of a shell.")},
}
"""What a user wants -> core's commands; what is no question of :mod:`roofcast.asks` stands here alone."""
COMMANDS = {name: found for group in GROUPS.values() for name, found in group.items()}
FIRST_LOOK = ("roofcast.commands.first_look", "What a file is, how it would run elsewhere, what to do next.")
"""What runs when the first word is a file and no command."""


def list_groups() -> dict[str, dict[str, Command]]:
    """Sections of the help, with the commands of installed parts behind core's."""
    groups = {title: dict(commands) for title, commands in GROUPS.items()}
    for part in find_parts().values():
        for title in dict.fromkeys([*(p.group for p in part.asks.values()), *part.commands]):
            groups.setdefault(title, {}).update(list_asked(title, part.asks) | dict(part.commands.get(title, {})))
    return {title: commands for title, commands in groups.items() if commands}


def list_commands() -> dict[str, Command]:
    """All commands, in the order of the help."""
    return {name: command for group in list_groups().values() for name, command in group.items()}


def find_command(name: str) -> Command | None:
    """A command by its name; None where no part has one, either.

    Raises
    ------
    MissingExtraError : it must be installed first.
    """
    if (command := COMMANDS.get(name) or list_commands().get(name)) is None:
        refuse_absent(OFFERED.get(name), f"`roofcast {name}`")
    return command
