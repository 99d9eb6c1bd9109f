"""What the shipped constants, intervals and tables are taught from and rest on: ``python tools/teach.py NAME``."""
