"""The shared vocabulary and the three types that everything else is written in."""
