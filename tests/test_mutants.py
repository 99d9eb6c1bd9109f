"""Planted faults: of every kind, always the same ones, each another program."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

CODE = '''
"""Words."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy

LIMIT: int = 3


def f(a: "tuple[1, 2]", seen: list[float]) -> float:
    """More words."""
    if not seen or a < LIMIT:
        seen.append(a)
    if a > 1e6:
        raise ValueError(f"{a + 1} is too much")
    return a * 2.5 + 1
'''


@pytest.fixture(scope="module")
def mutants() -> Any:
    path = Path(__file__).parents[1] / "tools" / "mutants.py"
    spec = importlib.util.spec_from_file_location("mutants", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutants"] = module
    spec.loader.exec_module(module)
    return module


def test_faults_of_every_kind_are_planted_one_at_a_time(mutants: Any) -> None:
    found = mutants.list_mutants(CODE, "x.py")
    assert sorted(m.change for m in found) == sorted(
        ["3 -> 4", "or -> and", "not left out", "Lt -> LtE", "left out: seen.append(a)", "Gt -> GtE",
         "1000000.0 -> 1500000.0", "Mult -> Div", "2.5 -> 3.75", "Add -> Sub", "1 -> 2"]
    )  # fmt: skip
    plain = ast.unparse(ast.parse(CODE))
    planted = [mutants.plant(CODE, m) for m in found]
    assert len({plain, *planted}) == len(found) + 1
    for text in planted:
        changed = [(a, b) for a, b in zip(plain.splitlines(), text.splitlines(), strict=True) if a != b]
        assert len(changed) == 1


def test_the_sample_is_the_same_for_the_same_seed(mutants: Any) -> None:
    rooms = ["models/physics/law.py", "forecasting/clocks.py"]
    first = mutants.draw(rooms, 30, 1)
    assert first == mutants.draw(rooms, 30, 1)
    assert first != mutants.draw(rooms, 30, 2)
    assert {m.file for m in first} == set(rooms)


def test_a_test_stands_for_its_parameters_but_the_frozen_tables_alone(mutants: Any) -> None:
    assert mutants.test_of("tests/models/test_law.py::test_a[1-x]") == "tests/models/test_law.py::test_a"
    frozen = "tests/test_frozen_values.py::test_forecasts_are_what_they_were[counted 1]"
    assert mutants.test_of(frozen) == frozen


def test_what_is_written_of_the_reach_is_read_again(mutants: Any) -> None:
    reach = {"a.py": {"1": ["t", "u"], "2": ["u"]}, "b.py": {"7": []}}
    names, numbers = mutants.number_tests(reach)
    assert names == ["t", "u"]
    assert numbers == {"a.py": {"1": [0, 1], "2": [1]}, "b.py": {"7": []}}


def test_the_most_specific_tests_run_as_far_as_the_time_goes(mutants: Any) -> None:
    half = mutants.TESTS_S / 2
    seconds = {"a": half, "long": 2 * half, "b": half, "late": 1.0}
    assert mutants.choose_tests(["a", "long", "b", "late"], seconds) == ["a", "b"]
    assert mutants.choose_tests(["long", "a"], seconds) == ["long"]


def test_a_test_takes_what_all_its_parameters_take(mutants: Any, tmp_path: Path) -> None:
    report = tmp_path / "took.xml"
    report.write_text(
        "<testsuites><testsuite>"
        '<testcase classname="tests.models.test_law" name="test_a[1]" time="0.5"/>'
        '<testcase classname="tests.models.test_law" name="test_a[x.y]" time="1.5"/>'
        '<testcase classname="tests.models.test_law" name="test_b" time="0.25"/>'
        "</testsuite></testsuites>"
    )
    law = "tests/models/test_law.py"
    assert mutants.read_seconds(report) == {f"{law}::test_a": 2.0, f"{law}::test_b": 0.25}


def test_what_was_compiled_of_one_fault_is_not_taken_for_the_next(mutants: Any, tmp_path: Path) -> None:
    # Python takes compiled code for a source of the same size and second.
    path = tmp_path / "x.py"
    times = []
    for text in ("a = 1\n", "a = 2\n", "a = 1\n"):
        mutants.write_source(path, text)
        times.append(int(path.stat().st_mtime))
    assert len(set(times)) == 3


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("np.where(x > 0, x, 0.0)", ["0 -> 1", "0.0 -> 1.0"]),  # 0 is 0 either way
        ("np.where(x > 0, x, 1.0)", ["0 -> 1", "1.0 -> 1.5", "Gt -> GtE"]),
        ("np.where(x == 0, x, 0.0)", ["0 -> 1", "0.0 -> 1.0", "Eq -> NotEq"]),
        ("list(zip(a, b, strict=True))", []),
        ("sorted(a, reverse=True)", ["True -> False"]),
    ],
)
def test_no_fault_is_planted_that_makes_the_same_program(mutants: Any, code: str, changes: list[str]) -> None:
    assert sorted(m.change for m in mutants.list_mutants(f"y = {code}\n", "x.py")) == changes
