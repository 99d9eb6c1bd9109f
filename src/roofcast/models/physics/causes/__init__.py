"""One file per cause: its equation, its reason, its constants, and what it does at which stage."""
