"""nvprof: CSV and console text."""
