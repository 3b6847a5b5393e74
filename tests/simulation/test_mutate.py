"""Mutations of a small package: found, applied and tried with the tests of the package."""

import ast
from pathlib import Path

import pytest

from tests.mutate.equivalents import EQUIVALENTS, reason
from tests.mutate.mutations import Mutation, mutations_of
from tests.mutate.trials import NOTICED, SURVIVED, Unsound, chosen, tried

ROOT = Path(__file__).parents[2]
SOURCE = '''\
"""Two functions."""

LIMIT: int = 3  # an annotation is not run, the value is


def held(number: int) -> bool:
    """At most LIMIT."""
    assert number != 99
    return number <= LIMIT


def loose(number: int) -> bool:
    """Not above LIMIT."""
    return number > LIMIT
'''
TEST = """\
from tiny.source import held

def test_held():
    assert held(3) and not held(4)
"""
TINY = {"tiny": ("tests/tiny",)}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of one package, a function of it tested and another not."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # they take longer than the tests
    for path, text in (("tiny/source.py", SOURCE), ("tests/tiny/test_source.py", TEST)):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def at(mutations: list[Mutation], function: str) -> list[Mutation]:
    """The mutations within a function."""
    return [one for one in mutations if one.function == function]


def test_every_mutation_changes_the_program_and_can_be_read(tree: Path) -> None:
    """Applied, each gives another syntax tree, and no two the same; texts, names, annotations,
    assertions and decorators are left alone."""
    path = tree / "tiny/source.py"
    source = path.read_bytes()
    found = list(mutations_of(tree, path))
    trees = {ast.dump(ast.parse(one.applied(source))) for one in found}
    assert len(trees) == len(found) == 4
    assert ast.dump(ast.parse(source)) not in trees
    assert [one.change for one in at(found, "")] == ["3 -> 4", "3 -> 2"]
    path.write_text('"""Doc."""\nimport os\n@f(1)\ndef g(a: "int | 1") -> 2:\n    assert a > 1\n')
    assert list(mutations_of(tree, path)) == []


def test_a_tested_function_is_told_from_one_without_a_test(tree: Path) -> None:
    """A mutation of the first is noticed, of the second it survives; the tree stays as it was. One
    whose tests fail without a mutation is refused."""
    found = chosen(tree, TINY, 10, seed=1)
    outcomes = {one.mutation.change: one.outcome for one in tried(tree, TINY, found, workers=2)}
    assert outcomes == {
        "3 -> 4": NOTICED,
        "3 -> 2": NOTICED,
        "number <= LIMIT -> number < LIMIT": NOTICED,
        "number > LIMIT -> number >= LIMIT": SURVIVED,
    }
    assert (tree / "tiny/source.py").read_text() == SOURCE
    (tree / "tests/tiny/test_more.py").write_text("def test_no():\n    assert False\n")
    with pytest.raises(Unsound, match="test_more"):
        list(tried(tree, TINY, found[:1], workers=1))


def test_every_equivalent_is_still_in_the_source() -> None:
    """One whose line was rewritten is to be judged anew, so it must not stay listed."""
    for path in {one.path for one in EQUIVALENTS}:
        listed = sum(one.path == path for one in EQUIVALENTS)
        assert sum(bool(reason(m)) for m in mutations_of(ROOT, ROOT / path)) >= listed
