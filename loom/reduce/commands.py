"""Shell commands told apart and compared: the same one again, a narrower one, another place.

A failure is closed by a later success of the same command, so two spellings of one command must be
the same, and two different ones must never be: an option that only changes what is printed does not
count, an option nobody listed does.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct

LONGEST = 2_000  # characters of a command that are taken apart

# What comes before the program and changes nothing of what it checks.
_RUNNERS = (
    ("uv", "run"), ("poetry", "run"), ("pdm", "run"), ("hatch", "run"), ("pipenv", "run"),
    ("rye", "run"), ("bundle", "exec"), ("pnpm", "exec"), ("yarn", "exec"), ("npm", "exec"),
    ("npx",), ("bunx",), ("time",), ("sudo",), ("env",), ("nice",), ("command",),
    ("python", "-m"), ("python3", "-m"),
)  # fmt: skip
_TIMED = ("timeout", "gtimeout")
# Options that change what is printed, not what is checked.
_PRINTED = re.compile(
    r"-(?:[vq]{1,4}|s|x|ra|rA|l)|--(?:verbose|quiet|silent|tb(?:=\w+)?|no-header|no-summary|color(?:=\w+)?"
    r"|colou?r=\w+|no-color|exitfirst|maxfail=\d+|durations=\d+|showlocals|capture=\w+|progress=\w+"
    r"|reporter=[\w-]+|no-fail-fast|failfast|bail)|-count=1|-json"
)
# A pipe into one of these only shortens what is seen.
_FILTERS = frozenset(("tail", "head", "grep", "egrep", "rg", "sed", "awk", "less", "cat", "tee",
                      "sort", "uniq", "wc", "cut", "jq", "tr", "column"))  # fmt: skip
_ENDS = frozenset(("tail", "head", "tee", "cat", "less"))  # filters that keep lines as they are
_REDIRECT = re.compile(r"(?:\d?>{1,2}|<)(?:&\d|\S*)$|&>\S*$")
_DUPLICATED = re.compile(r"(?<!\S)\d?>&\d|(?<!\S)&>{1,2} ?\S+")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_JOINTS = ("&&", "||", ";", "|", "|&", "&")
SELECT = frozenset(("-k", "-m", "-run", "-t", "--grep", "--filter", "-g", "--testNamePattern"))


class Simple(Struct, frozen=True):
    """One program: its `words` up to the targets, its options in order, and what it works on."""

    words: tuple[str, ...]
    options: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()


class Command(Struct, frozen=True):
    """A command line: the folder it runs in ("" for the usual one) and its programs in order.

    `masked`: its exit code says nothing of them, as it is that of a filter behind a pipe, of
    `|| true`, or of an `echo` at the end. `searched`: only some lines of its output are shown.
    """

    folder: str
    programs: tuple[Simple, ...]
    masked: bool = False
    searched: bool = False

    @property
    def key(self) -> str:
        """The command in one spelling: equal for two lines that check the same."""
        runs = " && ".join(
            " ".join((*one.words, *one.options, *one.targets)) for one in self.programs
        )
        return f"cd {self.folder} && {runs}" if self.folder else runs


@lru_cache(maxsize=1_024)
def parsed(line: str) -> Command:
    """Take a command line apart; what cannot be taken apart is one program of itself."""
    try:
        joined = line.strip()[:LONGEST].replace("\\\n", " ")
        joined = _DUPLICATED.sub(" ", joined)  # its `&` is no joint
        lexer = shlex.shlex(joined, posix=True, punctuation_chars="&|;\n")
        lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
        words = [word if word.strip() or not word else ";" for word in lexer]
    except ValueError:
        words = []
    if not words or "<<" in line or "$(" in line or "`" in line or len(line) > LONGEST:
        return Command("", (Simple((" ".join(line.split()),)),))
    return _command(words)


def covers(wide: Command, narrow: Command) -> bool:
    """True when a success of `wide` is one of `narrow` too: the same programs on the same, or on
    all that `narrow` works on."""
    if wide.folder != narrow.folder or not wide.programs or not narrow.programs:
        return False
    return all(any(_covers(one, two) for one in wide.programs) for two in narrow.programs)


def _covers(wide: Simple, narrow: Simple) -> bool:
    if wide.words != narrow.words:
        return False
    if wide == narrow:
        return True
    # An option of the one alone may check something else, but for one that only chooses less.
    more = set(narrow.options) - set(wide.options)
    less = set(wide.options) - set(narrow.options)
    if any(not _chooses(option, more) for option in less) or any(map(_plain, more)):
        return False
    if not narrow.targets:
        return not wide.targets
    return all(any(_holds(one, two) for one in wide.targets) for two in narrow.targets) or (
        not wide.targets and len(wide.words) > 0 and _is_check(wide.words)
    )


def _chooses(option: str, others: set[str]) -> bool:
    """True when an option chooses what one of the others does too: `-run=Test` and `-run=TestX`."""
    name, _, value = option.partition("=")
    chosen = [other.partition("=")[2] for other in others if other.startswith(f"{name}=")]
    return name in SELECT and bool(value) and any(one.startswith(value) for one in chosen)


def _plain(option: str) -> bool:
    return option.partition("=")[0] not in SELECT


_CHECKS = frozenset(("pytest", "py.test", "jest", "vitest", "mocha", "tox", "nox", "rspec",
                     "phpunit", "unittest", "ruff", "mypy", "eslint", "tsc", "ctest"))  # fmt: skip
_CHECK_WORDS = frozenset(("test", "check", "lint", "build", "vet", "clippy"))


def _is_check(words: tuple[str, ...]) -> bool:
    """True for a program that without a target works on the whole project."""
    return words[0] in _CHECKS or (words[0] != "make" and bool(_CHECK_WORDS & set(words[1:])))


def _holds(wide: str, narrow: str) -> bool:
    """True when one target is the other, or the folder, file or pattern it is in."""
    if wide == narrow or wide in (".", "./", "./..."):
        return True
    wide = wide.removesuffix("...").rstrip("/")
    return bool(wide) and narrow.startswith((f"{wide}/", f"{wide}::"))


def targets_in(command: Command, text: str) -> bool:
    """True when a text names one of the things a command works on, as a failing line does."""
    chosen = [
        option.partition("=")[2]
        for one in command.programs
        for option in one.options
        if option.partition("=")[0] in SELECT
    ]
    named = [target.strip("./") for one in command.programs for target in one.targets]
    return all(value in text for value in chosen) and any(
        name in text for name in (*named, *chosen) if len(name) > 3
    )


def _command(words: list[str]) -> Command:
    folder = ""
    programs: list[Simple] = []
    masked = piped = searched = False
    for joint, part in _parts(words):
        bare = _bare(part)
        if joint in ("|", "|&"):
            masked, piped = True, True
            searched = searched or not bare or bare[0] not in _ENDS
            if bare and bare[0] not in _FILTERS:
                programs.append(_simple(bare))
            continue
        if joint == "||" or (bare and bare[0] in ("echo", "printf", "true", ":")):
            masked = searched = masked or bool(programs)
            continue
        if bare[:1] == ["cd"] and not programs:
            folder = _joined(folder, bare[1] if len(bare) > 1 else "~")
            continue
        if joint in (";", "&") and programs:
            masked = searched = True
        if len(bare) > 3 and bare[0] in _NAMED and bare[1] in _THERE and not programs:
            folder, bare = _joined(folder, bare[2]), [bare[0], *bare[3:]]
        if bare:
            programs.append(_simple(bare, [word for word in part if _ASSIGNED.match(word)]))
    if words[-1] == "&":
        masked = searched = True  # it still runs
    if piped and any(word == "pipefail" for word in words):
        masked = False
    programs = [one for one in programs if one.words[0] not in ("set", "export", "source")]
    return Command(folder.rstrip("/"), tuple(programs), masked, searched)


def _parts(words: list[str]) -> list[tuple[str, list[str]]]:
    """The words of each program, with the joint before them."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for word in words:
        if (joint := word.strip("\n")) in _JOINTS:
            parts.append((joint, []))
        else:
            parts[-1][1].append(word)
    return [(joint, part) for joint, part in parts if part]


def _bare(words: list[str]) -> list[str]:
    """The words of a program without redirections, assignments and what only runs it."""
    left = [word for word in words if not _REDIRECT.fullmatch(word) and word not in ("2", "1")]
    changed = True
    while changed and left:
        changed = False
        if _ASSIGNED.match(left[0]):
            left, changed = left[1:], True
        elif left[0] in _TIMED and len(left) > 2:
            left, changed = left[2:], True
        for runner in _RUNNERS:
            if len(left) > len(runner) and tuple(left[: len(runner)]) == runner:
                left, changed = left[len(runner) :], True
    return left


# Programs whose next word says what they do.
_NAMED = frozenset(("go", "cargo", "npm", "pnpm", "yarn", "bun", "git", "gh", "docker", "kubectl",
                    "make", "mise", "just", "task", "dotnet", "mvn", "gradle", "./gradlew", "swift",
                    "terraform", "mix", "rails", "manage.py", "deno", "helm", "brew", "pip",
                    "uv", "poetry"))  # fmt: skip


_THERE = ("-C", "--directory", "--prefix", "--cwd")  # options that say where a program runs


def _simple(words: list[str], given: Iterable[str] = ()) -> Simple:
    name = words[0].rpartition("/")[2] if words[0].startswith("/") else words[0]
    head, at = [name], 1
    while name in _NAMED and at < len(words) and not words[at].startswith("-") and at < 3:
        if at == 2 and words[1] not in ("run", "compose", "pr", "issue"):
            break
        head.append(words[at])
        at += 1
    if head[:2] in (["npm", "t"], ["npm", "run"], ["pnpm", "run"], ["yarn", "run"], ["bun", "run"]):
        head = [head[0], *(head[2:] or ["test"])]
    options = list(given)  # what is set for a program may change what it checks
    targets: list[str] = []
    rest = iter(words[at:])
    for word in rest:
        if word.startswith("-") and word != "-":
            if _PRINTED.fullmatch(word):
                continue
            chosen = f"{word}={next(rest, '')}" if word in SELECT else word
            options.append(chosen)
        else:
            targets.append(word)
    return Simple(tuple(head), tuple(options), tuple(sorted(targets)))


def _joined(folder: str, more: str) -> str:
    return more if more.startswith(("/", "~")) or not folder else f"{folder}/{more}"
