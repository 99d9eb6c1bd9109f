"""The only renderers: names, numbers, tables, pages and files look the same everywhere."""
