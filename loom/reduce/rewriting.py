"""Shell commands and the files they show, or may have changed without naming them.

A formatter, a pull or a generator rewrites files of which its command line says nothing. What it
did is not known, so it is only ever told as what may have been. A row of ROWS says which programs
do so, by what options, and to files with which endings.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from loom.lazy import lazy_re
from loom.reduce.commands import Command, Simple

PYTHON = (".py", ".pyi", ".ipynb")
WEB = (
    ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".css",
    ".scss", ".less", ".html", ".json", ".md", ".mdx", ".yaml", ".yml", ".graphql",
)  # fmt: skip
GO = (".go", "go.mod", "go.sum")
RUST = (".rs", "Cargo.toml", "Cargo.lock")
C = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".m", ".mm", ".java", ".proto", ".cs")
NODE = ("package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock")
ANY = ("",)
CHECKS = ("--check", "--diff", "--dry-run", "-n", "--list-different", "--check-only", "--stat",
          "--version")  # fmt: skip


class Rewriting(Struct, frozen=True):
    """One program of a command line that may have changed files it does not name.

    `files` are the endings of those it may have changed, `within` the files and folders it was
    limited to, () for all.
    """

    files: tuple[str, ...]
    within: tuple[str, ...] = ()

    def may_change(self, path: str) -> bool:
        """True for a file it may have changed, however the two are spelled."""
        if not path.endswith(self.files):
            return False
        return not self.within or any(_holds(one, path) for one in self.within)


class Row(Struct, frozen=True):
    """A program by its first words; one of `verbs` and one of `options` must be given, if any.

    `paths`: what it works on is named by its other words.
    """

    words: tuple[str, ...]
    files: tuple[str, ...]
    verbs: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    paths: bool = True


MOVES = ("pull", "merge", "rebase", "cherry-pick", "revert", "apply", "am", "switch", "checkout")
SCRIPTS = ("format", "fmt", "generate", "gen", "codegen", "fix", "prettier")
RUNNERS = ("npm", "pnpm", "yarn", "bun", "make", "just", "task", "mise")
INSTALLS = ("install", "i", "ci", "add", "remove", "uninstall", "update", "upgrade", "dedupe")
ROWS = (
    Row(("black",), PYTHON),
    Row(("isort",), PYTHON),
    Row(("autopep8",), PYTHON, options=("-i", "--in-place")),
    Row(("yapf",), PYTHON, options=("-i", "--in-place")),
    Row(("ruff",), PYTHON, verbs=("format",)),
    Row(("ruff",), PYTHON, options=("--fix", "--fix-only", "--unsafe-fixes")),
    Row(("prettier",), WEB, options=("--write", "-w")),
    Row(("eslint",), WEB, options=("--fix",)),
    Row(("biome",), WEB, options=("--write", "--apply")),
    Row(("gofmt",), GO, options=("-w",)),
    Row(("goimports",), GO, options=("-w",)),
    Row(("go", "fmt"), GO),
    Row(("go", "generate"), ANY, paths=False),
    Row(("go", "mod"), GO[1:], paths=False),
    Row(("cargo", "fmt"), RUST, paths=False),
    Row(("cargo", "fix"), RUST, paths=False),
    Row(("cargo", "clippy"), RUST, options=("--fix",), paths=False),
    Row(("rustfmt",), RUST),
    Row(("clang-format",), C, options=("-i",)),
    Row(("patch",), ANY, paths=False),
    Row(("pre-commit",), ANY, verbs=("run",), paths=False),
    *(Row(("git", verb), ANY, paths=False) for verb in MOVES),
    Row(("git", "reset"), ANY, options=("--hard", "--merge", "--keep"), paths=False),
    Row(("git", "restore"), ANY),
    Row(("git", "stash"), ANY, paths=False),
    *(Row((runner, verb), ANY, paths=False) for runner in RUNNERS for verb in SCRIPTS),
    *(Row((runner, verb), NODE, paths=False) for runner in RUNNERS[:4] for verb in INSTALLS),
)
# What is given files by name and works on those alone; git has commands of its own.
FORMATTERS = frozenset(row.words[0] for row in ROWS if row.paths) - {"git", *RUNNERS, "go"}
STAYS: dict[tuple[str, ...], tuple[str, ...]] = {  # what leaves the files as they are
    ("git", "checkout"): ("-b", "-B", "--orphan"),
    ("git", "switch"): ("-c", "-C", "--create", "--orphan"),
    ("git", "restore"): ("--staged",),
    ("git", "merge"): ("--abort",),
}
SEEN: dict[tuple[str, ...], tuple[str, ...]] = {("git", "stash"): ("list", "show", "drop", "clear")}
ENDING = lazy_re(r"\.[A-Za-z]\w{0,7}$")
OPEN = frozenset("*?$<>,;|&{}")  # characters of a pattern or a script, of no file's name
HERE = "here:"  # how a parsed command names what stood in a heredoc
SHOWS = frozenset(("cat", "head", "tail", "nl", "less", "more", "bat"))


def rewriting(command: Command) -> Iterator[Rewriting]:
    """The programs of a command line that may have changed files it does not name."""
    for one in command.programs:
        found = _row(one)
        if found is None:
            continue
        if one.words == ("git", "checkout") and _names_files(one):
            continue  # what it takes back is known without a guess
        named = [target for target in one.targets if target not in (*found.verbs, "check")]
        within = _within(command.folder, named if found.paths else [])
        yield Rewriting(found.files, within)


def rewrites(one: Simple) -> bool:
    """True for a program that may change the files it is given."""
    found = _row(one)
    return found is not None and found.paths


def _row(one: Simple) -> Row | None:
    """The row of a program that may have changed files; None for one that only checks or lists."""
    found = next((row for row in ROWS if _fits(row, one)), None)
    return None if found is None or _stays(one) else found


def shown_by(command: Command) -> Iterator[str]:
    """The files a command line prints, whole or in part: `cat a.py`, `sed -n 1,50p a.py`."""
    for one in command.programs:
        prints = one.words == ("sed",) and "-n" in one.options
        if one.words[0] in SHOWS or prints:
            for target in one.targets:
                data = target.isdigit() or target.startswith(HERE) or OPEN & set(target)
                if not data and (not prints or _ends(target)):
                    yield _joined(command.folder, target)


def _fits(row: Row, one: Simple) -> bool:
    head = one.words[: len(row.words)]
    said = (*one.words, *one.targets)
    verbs = not row.verbs or any(verb in said for verb in row.verbs)
    options = not row.options or any(option in one.options for option in row.options)
    return head == row.words and verbs and options


def _stays(one: Simple) -> bool:
    """True for a run that changes nothing: it only checks, lists, or makes a branch."""
    harmless = (*CHECKS, *STAYS.get(one.words, ()))
    seen = SEEN.get(one.words, ())
    return any(option in harmless for option in one.options) or any(
        target in seen for target in one.targets
    )


def _within(folder: str, targets: list[str]) -> tuple[str, ...]:
    """The files and folders of a program's targets; () where it may be all of them."""
    stems = [target.partition("*")[0].removesuffix("...") for target in targets]
    found = tuple(_joined(folder, stem).removeprefix("./").rstrip("/") for stem in stems)
    whole = any(one in ("", ".") for one in found) or not found
    return (() if not folder else (folder,)) if whole else found


def _holds(within: str, path: str) -> bool:
    """True when a path may be a file or lie in it, where one may be absolute and one relative."""
    path = path.replace("\\", "/").removeprefix("./")
    if within == path or path.startswith(f"{within}/"):
        return True
    if path.startswith("/") == within.startswith("/"):
        return False
    return within.startswith("/") or f"/{within}/" in f"{path}/"


def _joined(folder: str, path: str) -> str:
    if path in (".", "./"):
        return folder
    outside = path.startswith(("/", "~")) or not folder
    return path if outside else f"{folder}/{path.removeprefix('./')}"


def _names_files(one: Simple) -> bool:
    """True for a checkout of files, not of a branch."""
    return "--" in one.options or any(map(_ends, one.targets))


def _ends(word: str) -> bool:
    """True for a word with the ending of a file."""
    return ENDING.search(word) is not None
