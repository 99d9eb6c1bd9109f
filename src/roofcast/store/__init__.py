"""The embedded store: measurements and forecasts of a team in one DuckDB file."""
