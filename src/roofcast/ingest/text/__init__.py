"""Text of unknown origin: encodings, containers, CSV blocks, numbers and units."""
