"""The server that the tests of this folder share."""

from conftest_web import page

__all__ = ["page"]
