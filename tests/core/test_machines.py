"""Processors as columns: every value of every entry, at any clock, as the processors themselves have it."""

from __future__ import annotations

import copy
import importlib

import numpy as np
import pytest

from roofcast import catalog
from roofcast.core.machines import NUMBERS, TEXTS, Machines, columns_of
from roofcast.core.resource import Resource


def test_columns_have_what_the_entries_have() -> None:
    entries = catalog.processors()
    columns = columns_of(entries)
    for name in sorted(NUMBERS):
        wanted = [np.nan if (v := getattr(p, name)) is None else v for p in entries]
        np.testing.assert_array_equal(columns.number(name), np.array(wanted, np.float64), err_msg=name)
    for name in sorted(TEXTS):
        assert columns.text(name).tolist() == [getattr(p, name) for p in entries], name


@pytest.mark.parametrize("share", [0.6, 1.0, 1.1])
@pytest.mark.parametrize("variant", [None, "read", "narrow", "add_mul"])
def test_rates_are_those_of_the_processors_at_their_clocks(share: float, variant: str | None) -> None:
    entries = [p for p in catalog.processors() if p.is_gpu]
    machines = Machines.of(entries)
    machines = machines.at(machines.clock_hz * share)
    for resource in Resource:
        wanted = [p.rate(resource, share * p.clock_hz_boost, variant) for p in entries]
        np.testing.assert_allclose(machines.rate(resource, variant), wanted, rtol=1e-14, err_msg=resource)


def test_an_unknown_processor_has_nothing() -> None:
    machines = Machines.of(catalog.processors()[:3], np.array([2, -1]))
    assert np.isnan(machines.gather("sm_count")).tolist() == [False, True]
    assert np.isnan(machines.rate(Resource.BYTES_DRAM)).tolist() == [False, True]
    assert machines.codes("vendor")[1] == -1


def test_codes_of_texts_are_those_of_the_process_that_compares_them() -> None:
    # What travels to another process is packed by the room that sends it.
    assert importlib.import_module("roofcast.sweeps.cluster")
    machines = Machines.of(catalog.processors()[:3])
    before = machines.codes("vendor")
    again: Machines = copy.deepcopy(machines)
    assert not again.made
    assert not again.columns.made
    np.testing.assert_array_equal(again.codes("vendor"), before)
