"""Which success says something of which failure."""

from loom.reduce.commands import parsed
from loom.reduce.covering import covers, targets_in
from tests.kit.cases import all_cases


@all_cases(
    ("wide", "narrow", "covered"),
    [
        ("pytest", "pytest", True),
        ("pytest -q", "pytest tests/a.py", True),
        ("pytest tests", "pytest tests/a.py::test_b", True),
        ("go test ./...", "go test ./cmd/x", True),
        ("pytest", "pytest -k foo", True),
        ("make fmt && make lint", "make lint", True),
        ("pytest tests/a.py", "pytest", False),
        ("pytest -k foo", "pytest tests/a.py", False),
        ("pytest", "ruff check", False),
        ("cd web && npm test", "npm test", False),
        ("cd a && npm test", "cd b && npm test", False),
        ("go test ./...", "go test -race ./...", False),
        ("make test", "make lint", False),
        ("make", "make test", False),
        ("ls", "ls foo", False),
        ("pytest tests/a", "pytest tests/ab.py", False),
        ("pytest", "pytest tests/a.py", True),
        ("pytest tests/b.py", "pytest tests/a.py", False),
        ("pytest -k foo", "pytest", False),
        ("cd a && make", "cd b && make", False),
        ("mypy", "pytest", False),
        ("pytest -q | tail -5", "pytest -q", True),
        ("git rebase --continue", "git rebase main", True),
        ("git rebase --abort", "git rebase main", True),
        ("git merge --continue", "git merge x", True),
        ("git rebase --continue", "git merge x", False),
        ("GIT_EDITOR=true git rebase --continue", "git rebase main", True),
        ("git -c core.editor=true rebase --continue", "git rebase main", True),
        ("pytest", "pytest --lf", True),
        ("pytest --lf", "pytest", False),
        ("pytest -n 4", "pytest", True),
        ("pytest", "pytest -n auto -p no:cacheprovider", True),
        ("pytest tests/", "pytest tests/test_a.py::t", True),
        ("pytest ./tests", "pytest tests/a.py", True),
        ("go test ./...", "go test ./cmd/x", True),
        ("go test", "go test ./cmd/x", False),
        ("go test .", "go test ./cmd", False),
        ("go test ./cmd/...", "go test ./cmd/x", True),
        ("go test ./cmd", "go test ./cmd/x", False),
        ("go test ./...", "go test", True),
        ("make test lint", "make lint", False),
        ("(cd a && make test) && (cd b && make test)", "cd b && make test", True),
        ("(cd a && make test) && (cd b && make test)", "cd c && make test", False),
        ("npm test", "npm test -- foo.test.js", True),
        ("npm test -- foo.test.js", "npm test", False),
        ("go test -run 'TestA' ./...", "go test -run 'TestA|TestB' ./...", False),
        ("pytest -k 'a'", "pytest -k 'a or b'", False),
        ("ruff check .", "ruff check loom", True),
        ("ruff check loom", "ruff check .", False),
        ("pytest", "rm -rf x && pytest", True),
        ("git push", "git push --force", False),
        ("cat a", "cat b", False),
        ("python - <<E\n1\nE", "python - <<E\n2\nE", False),
        ("cd /r && pytest /r/tests/a.py", "cd /r && pytest tests/a.py", True),
        ("pytest tests/a.py tests/b.py", "pytest tests/a.py", True),
        ("pytest", "pytest tests -m slow", True),
        ("A=1 pytest", "pytest", False),
        ("mypy a.py", "mypy", False),
        ("npm run build", "npm run test", False),
        ("cargo test", "cargo test foo", True),
        ("cargo test -p a", "cargo test", False),
        ("git commit -m x", "git commit -m y", False),
        ("mv a b", "mv b a", False),
        ("pip install a", "pip install b", False),
    ],
)
def test_what_covers_what(wide: str, narrow: str, covered: bool) -> None:
    """A success says something of a failure when it checked the same, or all of it."""
    assert covers(parsed(wide), parsed(narrow)) is covered


def test_a_failing_line_names_its_target() -> None:
    """A line of a failure is about a narrower command when it names what that works on."""
    assert targets_in(parsed("pytest tests/a.py"), "FAILED tests/a.py::test_x - assert 1")
    assert not targets_in(parsed("pytest tests/b.py"), "FAILED tests/a.py::test_x - assert 1")


@all_cases(
    "line",
    [
        "pytest tests --deselect tests/a.py::test_x",
        "pytest tests --deselect=tests/a.py::test_x",
        "pytest tests --ignore=tests/a.py",
        "pytest tests --ignore-glob 'tests/a*'",
        "pytest tests -k 'not test_x'",
        "pytest tests -k 'b and not test_x'",
        "go test -skip tests ./tests",
        "cargo test tests -- --skip test_x",
        "jest tests -t '^((?!test_x).)*$'",
        "mypy tests --exclude tests/a.py",
    ],
)
def test_what_is_left_out_is_not_checked(line: str) -> None:
    """A success that left something out covers no failure, and speaks of no failing line."""
    wide = parsed(f"{line.split(' --')[0].split(' -')[0]}")
    assert not targets_in(parsed(line), "FAILED tests/a.py::test_x - assert 1")
    assert not covers(parsed(line), wide)
    assert covers(parsed("pytest tests --ignore=a"), parsed("pytest tests --ignore=a"))
    assert not covers(parsed("pytest --ignore=a"), parsed("pytest --ignore=a/b"))


@all_cases(
    ("wide", "narrow"),
    [
        ("export DB=sqlite && pytest", "export DB=pg && pytest"),
        ("export DB=sqlite && pytest", "pytest"),
        ("source v311/bin/activate && pytest", "source v310/bin/activate && pytest"),
        ("T=b.py; pytest $T", "T=a.py; pytest $T"),
        ("cd $D && pytest", "cd $D && pytest a.py"),
        ("pytest", "pytest $T"),
        ("pytest", "pytest -W error"),
        ("pytest -o testpaths=docs", "pytest"),
        ("pytest -p no:random", "pytest"),
        ("tsc -v", "tsc"),
        ("tox -l", "tox"),
        ("cd a && pytest", "pushd a; popd; pytest"),
    ],
)
def test_what_is_set_otherwise_is_another_check(wide: str, narrow: str) -> None:
    """What was exported, sourced or chosen makes another check, either way round for most."""
    assert not covers(parsed(wide), parsed(narrow))
    assert parsed(wide).key != parsed(narrow).key


@all_cases(
    ("one", "two"),
    [
        ("export DB=pg && pytest -q", "export DB=pg; pytest"),
        ("(export DB=pg; ls); pytest", "pytest"),
        ("export NO_COLOR=1; pytest", "pytest"),
        ("pushd a; ls; popd; pytest", "pytest"),
        ("cd a; cd -; pytest", "pytest"),
        ("cd $D && pytest", "cd $D && pytest -q"),
        ("pytest -p no:cacheprovider", "pytest"),
        ("source v/bin/activate && pytest", ". v/bin/activate; pytest -v"),
    ],
)
def test_what_is_set_alike_is_the_same_check(one: str, two: str) -> None:
    """Two spellings of the same settings, and of the same folder, are one check."""
    assert covers(parsed(one), parsed(two))
    assert parsed(parsed(one).key).key == parsed(one).key
