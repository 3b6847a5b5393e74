"""What a program is, told by its name and the words that say what it does."""

from loom.reduce.programs import is_reader, program_name
from loom.reduce.shell_commands import parse_command
from loom.reduce.verdict import is_check_command
from tests.kit.cases import all_cases


@all_cases(
    "line",
    [
        "pytest", "cargo test", "cargo build", "cargo clippy", "go test", "go vet", "go build",
        "npm test", "pnpm run test", "yarn lint", "bun build", "jest", "vitest", "tsc", "eslint .",
        "tox", "nox", "python -m unittest", "mypy", "ruff check", "flake8", "pylint a", "pyright",
        "make test", "make check", "make lint", "./gradlew test", "mvn test", "ctest",
        "cmake --build b", "dotnet test", "rspec", "rake test", "phpunit", "mix test", "swift test",
        "bazel test //x", "deno test", "pre-commit run", "shellcheck a", "black --check .",
        "timeout 60 pytest", "sudo make test", "env A=b pytest", "uv run pytest", "npx jest",
        "python3 -m pytest", "bash -c 'pytest'", "cd x && pytest", ".venv/bin/pytest",
        "poetry run pytest", "./run_tests.sh", "bash scripts/check.sh", "npm run test:unit",
        "yarn jest", "A=1 B=2 pytest -x", "time make lint", "python -W error -m pytest",
        "sudo -u x timeout -k 5 60 pytest", "nohup pytest &", "bundle exec rspec", "composer test",
        "node --test", "xargs eslint", "find . | xargs eslint", "python manage.py test",
        "python3 manage.py test shop", "./manage.py check", "uv run python manage.py test",
    ],
)  # fmt: skip
def test_checks(line: str) -> None:
    """A check is told however it is run."""
    assert is_check_command(parse_command(line))


@all_cases(
    "line",
    [
        "cat >> n <<'EOF'\npytest\nEOF", "git commit -m 'pytest'", "echo pytest",
        "printf 'make test'", "gh pr create --body 'pytest passes'", "test -f pytest",
        "[ -f build ]", "cat tests/test_a.py", "ls build", "rm -rf build", "./build/app",
        "git checkout test", "pip install pytest", "npm install jest", "grep -r pytest .",
        "vim test.py", "docker run test", "apt install ninja", "python test", "cd build && ls",
        "ruff format .", "black .", "git commit -m \"$(cat <<'EOF'\npytest\nEOF\n)\"",
        "which pytest", "command -v pytest", "make clean", "make install", "npm run start",
        "pre-commit install", "ruff --version", "pytest --version",
        "bash -n run_tests.sh", "make -n test", "cargo test --no-run", "pytest --collect-only",
        "cat <<EOF | tee x\npytest\nEOF", "git stash && echo pytest", "pip install -e .[test]",
        "sed -i s/a/b/ tests/x.py", "python manage.py migrate", "./manage.py runserver",
    ],
)  # fmt: skip
def test_what_only_speaks_of_checks(line: str) -> None:
    """Words of checking in quotes, heredocs, names of files and of packages make no check."""
    assert not is_check_command(parse_command(line))


@all_cases(
    ("word", "name"),
    [
        ("pytest", "pytest"), (".venv/bin/pytest", "pytest"), ("/usr/bin/make", "make"),
        ("python3.11", "python"), ("./gradlew", "gradle"), ("./run.sh", "./run.sh"),
    ],
)  # fmt: skip
def test_programs_by_name(word: str, name: str) -> None:
    """A program has one name however it was reached; a script of a project keeps its place."""
    assert program_name(word) == name


@all_cases(
    ("words", "shown"),
    [(("cat",), True), (("git", "log"), True), (("git", "push"), False), (("pytest",), False)],
)
def test_what_only_shows(words: tuple[str, ...], shown: bool) -> None:
    """Programs that show what is there are told from those that do something."""
    assert is_reader(words) is shown
