"""Rewrite src/roofcast/catalog/index.json from the TOML files: ``python tools/catalog_index.py``."""

from __future__ import annotations

from roofcast.catalog.indexing import INDEX, build_index, render_index


def main() -> None:
    INDEX.write_text(render_index(build_index()), encoding="utf-8")


if __name__ == "__main__":
    main()
