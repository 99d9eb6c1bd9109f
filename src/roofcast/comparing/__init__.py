"""Before and after: what changed between two profiles, forecasts or runs."""
