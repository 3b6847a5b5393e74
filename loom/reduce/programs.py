"""Programs told apart by name: which check something, only run another program, filter, or only
show."""

from __future__ import annotations

from msgspec import Struct

from loom.lazy import lazy_re

# Programs that do nothing but check, or build.
CHECKS = frozenset((
    "pytest", "py.test", "unittest", "doctest", "nose2", "tox", "nox", "mypy", "pyright",
    "basedpyright", "pylint", "flake8", "pyflakes", "pycodestyle", "pydocstyle", "bandit",
    "vulture",
    "jest", "vitest", "mocha", "ava", "karma", "tsc", "vue-tsc", "eslint", "oxlint", "stylelint",
    "rspec", "rubocop", "phpunit", "pest", "phpstan", "psalm", "ctest", "shellcheck", "hadolint",
    "yamllint", "actionlint", "markdownlint", "golangci-lint", "staticcheck", "gotestsum",
    "cppcheck", "clang-tidy", "swiftlint", "ktlint", "detekt", "pre-commit", "javac", "rustc",
    "gcc", "g++", "cc", "c++", "clang", "clang++", "ninja", "lint-imports",
))  # fmt: skip
# Programs that check when the word behind their name, or one of their options, is one of these.
CHECK_WORDS: dict[str, frozenset[str]] = {
    name: frozenset(words.split())
    for names, words in (
        ("cargo", "test t build b check c clippy nextest bench doc"),
        ("go", "test vet build"),
        ("ruff", "check --check --diff"),
        ("black isort autopep8 yapf", "--check --check-only --diff"),
        ("prettier", "--check -c --list-different -l"),
        ("biome", "check lint ci"),
        ("gofmt goimports", "-l -d"),
        ("cmake", "--build"),
        ("dotnet", "test build"),
        ("swift zig", "test build"),
        ("bazel bazelisk buck2", "test build"),
        ("deno", "test check lint"),
        ("mix", "test compile credo dialyzer"),
        ("mvn", "test verify compile package install"),
        ("gradle", "test build check lint assemble"),
        ("sbt", "test compile"),
        ("flutter dart", "test analyze build"),
        ("rails", "test"),
        ("terraform", "validate"),
        ("helm", "lint"),
        ("docker", "build"),
        ("node", "--test"),
        ("playwright", "test"),
        ("cypress", "run"),
        ("meson", "test compile"),
        ("hatch pdm poetry", "test"),
        ("artisan", "test"),
        ("manage.py", "test check"),
    )
    for name in names.split()
}
# Programs that run what a project calls by a name of its own: `npm run lint:css`, `make ci`.
TASKS = frozenset(("npm", "pnpm", "yarn", "bun", "make", "gmake", "just", "task", "mise",
                   "rake", "composer", "invoke", "inv", "turbo", "nx", "lerna", "gulp",
                   "grunt"))  # fmt: skip
_NAMES = frozenset(("test", "tests", "tested", "check", "checks", "lint", "linter", "build", "vet",
                    "compile", "typecheck", "types", "ci", "e2e", "spec", "specs", "unit", "verify",
                    "validate", "clippy", "tsc", "mypy", "pytest", "ruff", "eslint", "jest",
                    "vitest", "all", "integration", "smoke"))  # fmt: skip
_NEVER = frozenset(("install", "add", "remove", "clean", "deploy", "publish", "start", "serve"))
_ASKS_ONLY = frozenset(("--version", "--help", "-h", "-V", "--collect-only", "--co", "--list",
                        "-n", "--dry-run", "--no-run"))  # fmt: skip
_SPOKEN = lazy_re(r"[A-Za-z0-9]+")
_SCRIPTED = lazy_re(r"\.(?:sh|bash|py|js|mjs|ts|rb|pl|php)$")
INTERPRETERS = frozenset(("bash", "sh", "zsh", "python", "node", "ruby", "perl", "php", "tsx",
                          "ts-node"))  # fmt: skip

# A pipe into one of these only shortens, or orders, what is seen.
FILTERS = frozenset((
    "tail", "head", "grep", "egrep", "fgrep", "rg", "sed", "awk", "gawk", "perl", "less", "more",
    "cat", "tee", "sort", "uniq", "wc", "cut", "jq", "tr", "column", "nl", "fold", "bat",
))  # fmt: skip
# Programs that only show what is there: their output is what they read, and says nothing of them.
READERS = frozenset((
    "cat", "less", "more", "head", "tail", "grep", "egrep", "fgrep", "rg", "ag", "ack", "ls",
    "find",
    "fd", "tree", "wc", "sed", "awk", "gawk", "cut", "sort", "uniq", "jq", "yq", "diff", "cmp",
    "file", "stat", "du", "df", "echo", "printf", "pwd", "date", "which", "type", "env", "printenv",
    "ps", "bat", "nl", "strings", "xxd", "hexdump", "history", "column", "tr", "journalctl",
    "dmesg", "for", "test", "[", "[[",
))  # fmt: skip
_SHOWN: dict[str, frozenset[str]] = {
    "git": frozenset(("log", "show", "diff", "status", "blame", "grep", "branch", "reflog",
                      "shortlog", "ls-files", "describe", "rev-parse", "cat-file")),
    "gh": frozenset(("pr", "issue", "run", "api", "repo", "search")),
    "docker": frozenset(("logs", "ps", "images", "inspect")),
    "kubectl": frozenset(("logs", "get", "describe")),
}  # fmt: skip
# Programs whose exit code 1 says no, and not that something went wrong.
ASK = frozenset(("grep", "egrep", "fgrep", "rg", "ag", "diff", "cmp", "test", "[", "[[", "which",
                 "command", "pgrep"))  # fmt: skip
# Programs whose next word says what they do, and those among the words that take one more.
NAMED = frozenset((
    "go", "cargo", "npm", "pnpm", "yarn", "bun", "git", "gh", "docker", "kubectl", "make", "gmake",
    "mise", "just", "task", "dotnet", "mvn", "gradle", "swift", "zig", "terraform", "mix", "rails",
    "manage.py", "deno", "helm", "brew", "pip", "uv", "poetry", "ruff", "biome", "bazel",
    "bazelisk",
    "rake", "composer", "playwright", "cypress", "sbt", "flutter", "dart", "meson", "hatch", "pdm",
    "artisan", "turbo", "nx", "lerna", "invoke", "inv", "pre-commit", "apt", "apt-get", "gem",
    "bundle", "conda", "buck2",
))  # fmt: skip
TWICE = frozenset(("run", "run-script", "compose", "pr", "issue"))


class Wrapper(Struct, frozen=True):
    """A program that runs another program, such as `timeout` in `timeout 60 pytest`.

    `words` are its name ("timeout",). `own` is the number of its own arguments before the other
    program (1). `valued` are its options that take the next word as value."""

    words: tuple[str, ...]
    own: int = 0
    valued: tuple[str, ...] = ()


# What only runs the program behind it; with options of its own that take the next word.
_PLAIN = """pipx run|poetry run|pdm run|hatch run|pipenv run|rye run|bundle exec|pnpm exec|pnpm dlx
|yarn exec|yarn dlx|npm exec|bunx|time|doas|nohup|exec|builtin|command|stdbuf|unbuffer|chronic
|xvfb-run|caffeinate|mise exec"""
_VALUED = {
    "uv run": "--with --extra --group --project --directory -p --python --package --env-file",
    "uvx": "--with --from -p --python", "npx": "-p --package", "sudo": "-u -g", "env": "-u",
    "nice": "-n", "ionice": "-c", "coverage run": "--source", "conda run": "-n -p",
    "xargs": "-n -P -I -L -d", "timeout": "-s -k --signal --kill-after", "gtimeout": "-s -k",
    "direnv exec": "",
}  # fmt: skip
_OWN = ("timeout", "gtimeout", "direnv exec")  # a word of theirs stands before the program
WRAPPERS = tuple(
    Wrapper(tuple(name.split()), int(name in _OWN), tuple(_VALUED.get(name, "").split()))
    for name in (*_PLAIN.replace("\n", "").split("|"), *_VALUED)
)
STARTS = frozenset(wrapper.words[0] for wrapper in WRAPPERS)
_PYTHON = lazy_re(r"(?:python|pypy)[\d.]*$")
_BESIDE = {"gradlew": "gradle", "mvnw": "mvn", "python": "python", "py": "python"}


def program_name(word: str) -> str:
    """Return the plain name of a program: `.venv/bin/pytest` → "pytest", `python3` → "python"."""
    if "bin/" in word or word.startswith("/") or word.rpartition("/")[2] in _BESIDE:
        word = word.rpartition("/")[2] or word
    return "python" if _PYTHON.match(word) else _BESIDE.get(word, word)


def is_check_program(
    words: tuple[str, ...], options: tuple[str, ...], targets: tuple[str, ...]
) -> bool:
    """Return True for a program that checks something, such as a test runner or a linter. `words`
    are its name and subcommands."""
    name, said = words[0], {option.partition("=")[0] for option in options}
    if said & _ASKS_ONLY or _NEVER & set(words[1:]):
        return False
    if name in CHECKS:
        return True
    if _check_words_of(name) & {*words[1:2], *said, *targets[:1]}:
        return True
    if name in ("make", "gmake"):
        named = (*words[1:], *targets)
        return not named or any(map(_names_a_check, named))
    if name in TASKS:
        return any(map(_names_a_check, words[1:]))
    if name in INTERPRETERS:  # targets may be sorted: `python manage.py test app`
        scripts = [one for one in targets if _SCRIPTED.search(one)][:1]
        return any(_names_a_check(one) or _check_words_of(one) & {*targets} for one in scripts)
    return "/" in name and _names_a_check(name)


def _check_words_of(program: str) -> frozenset[str]:
    """Return the words that make `program` check something, such as "test" for cargo."""
    return CHECK_WORDS.get(program.rpartition("/")[2], frozenset())


def _names_a_check(word: str) -> bool:
    """Return True for a task or script named after a check: `test:unit`, `./run_tests.sh`."""
    said = [one.lower() for one in _SPOKEN.findall(word.rpartition("/")[2])]
    return not _NEVER.intersection(said) and bool(_NAMES.intersection(said))


def is_reader(words: tuple[str, ...]) -> bool:
    """Return True for a program that only shows something, such as `cat` or `git log`. `words` are
    its name and subcommands."""
    return words[0] in READERS or (len(words) > 1 and words[1] in _SHOWN.get(words[0], ()))
