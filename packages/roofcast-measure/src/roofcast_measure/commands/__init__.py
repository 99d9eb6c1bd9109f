"""`roofcast measure` and its subcommands."""
