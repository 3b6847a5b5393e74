"""Commands that show files, or may have changed files they do not name."""

from __future__ import annotations

from loom.reduce.commands import parsed
from loom.reduce.rewriting import rewriting, shown_by
from tests.kit.cases import all_cases

MAY = [
    ("black .", "src/a.py"),
    ("uv run ruff format src", "/repo/src/a.py"),
    ("ruff check --fix", "a.py"),
    ("npx prettier --write 'web/**/*.ts'", "web/x/y.ts"),
    ("eslint --fix web", "web/a.tsx"),
    ("gofmt -w ./cmd", "cmd/main.go"),
    ("go fmt ./...", "cmd/main.go"),
    ("cargo fmt", "src/main.rs"),
    ("rustfmt src/main.rs", "src/main.rs"),
    ("isort src && pytest", "src/a.py"),
    ("clang-format -i src/a.c", "src/a.c"),
    ("git pull", "README.md"),
    ("git checkout release/2", "README.md"),
    ("git switch main", "README.md"),
    ("git merge topic", "README.md"),
    ("git rebase main", "README.md"),
    ("git reset --hard HEAD~1", "README.md"),
    ("git stash pop", "README.md"),
    ("git apply fix.patch", "README.md"),
    ("patch -p1 < fix.diff", "README.md"),
    ("make generate", "api/schema.ts"),
    ("npm install left-pad", "package.json"),
    ("cd api && black .", "/repo/api/a.py"),
]
MAY_NOT = [
    ("black --check .", "src/a.py"),
    ("black src", "lib/a.py"),
    ("black .", "main.go"),
    ("ruff check .", "src/a.py"),
    ("prettier --check .", "a.ts"),
    ("git checkout -b topic", "README.md"),
    ("git checkout -- other.py", "README.md"),
    ("git reset HEAD~1", "README.md"),
    ("git stash list", "README.md"),
    ("git status", "README.md"),
    ("git apply --check fix.patch", "README.md"),
    ("make test", "README.md"),
    ("npm install", "src/a.ts"),
    ("go mod tidy", "cmd/main.go"),
    ("npm test", "package.json"),
    ("echo black .", "src/a.py"),
    ("cd api && black .", "web/a.py"),
    ("", "a.py"),
]


@all_cases(("command", "path"), MAY)
def test_what_may_have_changed_a_file(command: str, path: str) -> None:
    """A formatter, a pull, a generator: over the whole tree, or within what it names."""
    assert any(one.may_change(path) for one in rewriting(parsed(command)))


@all_cases(("command", "path"), MAY_NOT)
def test_what_leaves_a_file_alone(command: str, path: str) -> None:
    """A check, another language, another folder, a new branch."""
    assert not any(one.may_change(path) for one in rewriting(parsed(command)))


@all_cases(
    ("command", "paths"),
    [
        ("cat Makefile", ["Makefile"]),
        ("sed -n 1,50p src/a.py", ["src/a.py"]),
        ("cd src && head -n 20 a.py b.py", ["src/a.py", "src/b.py"]),
        ("nl -ba a.py | sed -n 10,20p", ["a.py"]),
        ("cat src/*.py", []),
        ("sed -i s/a/b/ a.py", []),
        ("cat > a.py <<'EOF'\nx\nEOF", []),
        ("grep -n x a.py", []),
    ],
)
def test_what_a_command_shows(command: str, paths: list[str]) -> None:
    """The files it prints lines of as they stand."""
    assert list(shown_by(parsed(command))) == paths
