"""Applications: whole runs from their timelines, forecast on other GPUs."""
