"""A folder per profiler: files of any tool to kernel tables and timelines."""
