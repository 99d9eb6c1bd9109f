"""One view model to text, JSON, CSV, Parquet, SVG/PNG and HTML."""
