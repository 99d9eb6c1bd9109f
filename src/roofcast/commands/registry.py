"""The commands, as data: the group imports a command's module only when that command runs."""

from __future__ import annotations

# what a user wants: {name: (module, one line for --help)}
GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Ask": {
        "forecast": ("roofcast.commands.forecast", "Forecast every kernel of a profile on other GPUs."),
        "app": ("roofcast.commands.app", "Forecast a whole application from its timeline."),
        "serve": ("roofcast.commands.serve", "Serve a page: drop a profile, choose GPUs, see the forecast move."),
    },
    "Understand": {
        "inspect": ("roofcast.commands.inspect", "Show what was read, what is missing and how to collect it."),
        "roofline": ("roofcast.commands.roofline", "Draw the hierarchical roofline with kernel-specific ceilings."),
        "advise": ("roofcast.commands.advise", "Say what to change, ranked by the time that it would save."),
        "sass": ("roofcast.commands.sass", "Show what the machine code does, here and on another architecture."),
        "explain": ("roofcast.commands.explain", "Say what a word of the output means: limit, issue, load/store."),
    },
    "Decide": {
        "choose": ("roofcast.commands.choose", "Rank GPUs for a workload, a budget, a power limit or a deadline."),
        "compare": ("roofcast.commands.compare", "Show what changed between two profiles, or since a forecast."),
        "sweep": ("roofcast.commands.sweep", "Play with hypothetical GPUs: sweeps, elasticities, fronts, goals."),
        "gpus": ("roofcast.commands.gpus", "List the catalog, show one entry, check your own."),
    },
    "Measure": {
        "measure": ("roofcast.commands.measure", "Measure the GPU of this machine: kernel suite, eight steps."),
        "store": ("roofcast.commands.store", "Keep measurements and forecasts; see how good the forecasts were."),
    },
    "Research": {
        "evaluate": ("roofcast.commands.evaluate", "Score models on measured pairs of GPUs."),
        "hull": ("roofcast.commands.hull", "Forecast an algorithm class before any code exists."),
    },
    "Shell": {"completion": ("roofcast.commands.completion", "Print the tab-completion script of a shell.")},
}
COMMANDS = {name: found for group in GROUPS.values() for name, found in group.items()}
FIRST_LOOK = ("roofcast.commands.first_look", "What a file is, how it would run elsewhere, what to do next.")
"""What runs when the first word is a file and no command."""
