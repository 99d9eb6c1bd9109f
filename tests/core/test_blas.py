"""Threads of the linear algebra under NumPy."""

from __future__ import annotations

import os

import pytest

from roofcast.core import blas


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A process whose user said nothing."""
    monkeypatch.setattr(blas, "HELD", [])
    monkeypatch.setattr(os, "environ", {k: v for k, v in os.environ.items() if k not in blas.STATED})
    return monkeypatch


def test_one_thread_is_kept_from_programs_of_the_user(bare: pytest.MonkeyPatch) -> None:
    given = dict(os.environ)
    blas.keep_to_one_thread()
    assert os.environ[blas.VARIABLE] == "1"
    assert blas.environment_of_user() == given


@pytest.mark.parametrize("name", blas.STATED)
def test_who_said_how_many_has_them(bare: pytest.MonkeyPatch, name: str) -> None:
    os.environ[name] = "2"
    given = dict(os.environ)
    blas.keep_to_one_thread()
    assert dict(os.environ) == blas.environment_of_user() == given
