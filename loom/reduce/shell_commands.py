"""Command lines of a shell, parsed: which programs run, and what the exit code is worth."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Sequence
from functools import cached_property, lru_cache

from msgspec import Struct
from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.reduce.programs import FILTERS, NAMED, TWICE, is_check_program
from loom.reduce.shell_script import PIPES, SimpleCommand, commands_with_folders
from loom.reduce.shell_tokens import BODY, HERE

# Options that change what is printed or how fast, not what is checked; those that take a word.
_PRINTED = lazy_re(
    r"-(?:[vq]{1,4}|s|x|ra|rA|l|j\d*|n\d+)|--(?:verbose|quiet|silent|tb=\w+|no-header|no-summary"
    r"|color|colou?r=\w+|no-color|exitfirst|maxfail=\d+|durations=\d+|showlocals|capture=\w+"
    r"|progress=\w+|reporter=[\w-]+|no-fail-fast|failfast|fail-fast|bail|runInBand"
    r"|(?:jobs|workers|maxWorkers|numprocesses)=\w+)|-count=1|-json|--"
)
_PRINTED_WITH = frozenset((
    "--tb", "--maxfail", "--durations", "--color", "--reporter", "--reporters", "-j", "--jobs",
    "--workers", "--maxWorkers", "--numprocesses", "--log-level", "--output-format",
))  # fmt: skip
# Options with a word that chooses or leaves out some of what is checked, and others with a word.
_WITH = frozenset((
    "-k", "-m", "-run", "-t", "--grep", "--filter", "-g", "--testNamePattern", "--tests",
    "--deselect", "--ignore", "--ignore-glob", "--exclude", "--extend-exclude", "-skip",
    "--testPathIgnorePatterns", "--exclude-task", "--exclude-dir", "-p", "-W", "--package", "-c",
    "--config", "-f", "--file", "--project", "-e", "-o", "--manifest-path", "--target",
    "--features", "--rootdir",
))  # fmt: skip
# What is set for a program and changes only how it prints or asks.
_SHOWS = lazy_re(
    r"(?:NO_COLOR|FORCE_COLOR|CLICOLOR\w*|CI|TERM|COLUMNS|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE"
    r"|(?:GIT_)?(?:SEQUENCE_)?EDITOR|(?:GIT_)?PAGER|HUSKY)="
)
_SAFE = lazy_re(r"[\w@%+=:,./~^*?\[\]{}!-][\w@%+=:,./~^*?\[\]{}!#-]*")
# What the shell does itself, or only says.
SILENT = frozenset(("echo", "printf", "true", ":", "set", "export", "source", ".", "exit", "return",
                    "unset", "local", "declare", "readonly", "shift", "cd", "pushd", "popd",
                    "shopt", "break", "continue", "read"))  # fmt: skip


SAID = 40  # texts a line says itself that are remembered
_HIDING = {"|", "||", ";", "&", "!", "if"}  # what hides the status of a command
_ELSEWHERE = ("exit", "return", "trap", "exec")  # with these the line may end before, or otherwise
_FILLED = lazy_re(r"\S*[$`%]\S*")  # a word with something filled in
_NEWLINES = lazy_re(r"\\n|\n")


class ProgramRun(Struct, frozen=True):
    """One run of a program. `words` are its name and subcommands, `options` its options, `targets`
    what it works on, such as files. `folder` is where the program runs, "" for the folder in which
    the command line starts."""

    words: tuple[str, ...]
    options: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    folder: str = ""

    @property
    def as_typed(self) -> str:
        """Return the run as text, as one would type it: "pytest -x tests"."""
        given = [option for option in self.options if not option.startswith("-")]
        options = [option for option in self.options if option.startswith("-")]
        words = [*given, *self.words, *options, *self.targets]
        return " ".join(map(_quote_word, words))


class CommandLine(Struct, frozen=True, dict=True):
    """A parsed command line: the folder it runs in ("" for the default folder), and its program
    runs in order.

    `masked` is True if the exit code of the line is not that of its checks, as after `|| true`.
    `last` is the program whose exit code the line returns. `report` is a pattern for the output
    line with a check's exit code, `said` for output lines that the command line itself prints; ""
    for none. `behind` is True if the check runs in the background and is not waited for. `perhaps`
    is True if the check runs only if programs before it succeed."""

    folder: str
    programs: tuple[ProgramRun, ...]
    masked: bool = False
    last: str = ""
    report: str = ""
    said: str = ""
    behind: bool = False
    perhaps: bool = False

    @cached_property
    def key(self) -> str:
        """Return a normalized form of the command line, equal for lines that run the same programs
        with the same options and targets."""
        apart = any(one.folder for one in self.programs)
        runs = [
            f"(cd {_quote_word(one.folder or self.folder)} && {one.as_typed})"
            if apart and (one.folder or self.folder)
            else one.as_typed
            for one in self.programs
        ]
        whole = " && ".join(runs)
        return f"cd {_quote_word(self.folder)} && {whole}" if self.folder and not apart else whole


@lru_cache(maxsize=1_024)
def parse_command(line: str) -> CommandLine:
    """Return a command line parsed to a `CommandLine`. Never raises."""
    whole = [one for one in commands_with_folders(line) if one.words]
    runs = [one for one in whole if not _is_silent(one)] or whole[:1]
    if not runs:
        return CommandLine("", ())
    programs = [program_run(one) for one in runs]
    telling = [
        run for run, one in zip(runs, programs, strict=True) if is_checking_program(one)
    ] or runs
    before = whole[: whole.index(telling[0])]
    folder = programs[0].folder
    return CommandLine(
        folder,
        tuple(
            replace(one, folder="" if one.folder == folder else one.folder or ".")
            for one in programs
        ),
        any(one.after & _HIDING for one in telling)
        or any(one.joint == "||" or one.name in _ELSEWHERE for one in whole),
        whole[-1].name,
        _report_pattern(whole, telling),
        "|".join(_said_patterns(whole)),
        any("&" in one.after for one in telling) and not any(o.name == "wait" for o in whole),
        telling[0].joint == "&&" and any(one.name not in SILENT for one in before),
    )


def _is_silent(one: SimpleCommand) -> bool:
    """Return True for a command that does not count as a program, such as `cd` or a filter."""
    filters = one.joint in PIPES and one.name in FILTERS
    return filters or one.name in SILENT or (one.name == "false" and one.joint == "||")


def _report_pattern(whole: Sequence[SimpleCommand], telling: Sequence[SimpleCommand]) -> str:
    """Return a pattern for the output line of `; echo EXIT=$?`, "" if there is no such echo. Group
    1 is the exit code of the check. `whole` are all commands of the line, `telling` its checks."""
    at = len(whole) - 2
    while at > 0 and whole[at].joint in PIPES:
        at -= 1
    last, piped = whole[-1], at < len(whole) - 2
    if at < 0 or list(telling) != [whole[at]] or whole[at].after - {";", "|"}:
        return ""
    text = " ".join(word.value for word in last.words[1:])
    before, sign, behind = text.partition("${PIPESTATUS[0]}" if piped else "$?")
    if last.name != "echo" or last.joint != ";" or not sign or "$" in before + behind:
        return ""
    return f"^{re.escape(before)}(\\d{{1,3}}){re.escape(behind)}[ \\t]*$"


def _said_patterns(whole: Sequence[SimpleCommand]) -> list[str]:
    """Return patterns for the lines that a script prints with `echo`, `printf` and `cat`."""
    said: dict[str, None] = {}
    for one in whole:
        words = [word.value for word in one.words[1:] if word.value not in ("-e", "-n")]
        says = {"echo": [" ".join(words)], "printf": words[:1], "cat": one.bodies}
        text = "\n".join(says.get(one.name, ()))[:4_000]
        for line in filter(None, map(str.strip, _NEWLINES.split(text))):
            ends = _FILLED.split(line)
            said[re.escape(line)] = None
            if len(ends) > 1 and len(ends[0] + ends[-1]) > 3:
                said[f"{re.escape(ends[0])}.*{re.escape(ends[-1])}"] = None
    return list(said)[:SAID]


def is_checking_program(one: ProgramRun) -> bool:
    """Return True if a program run checks something, as a test runner or linter does."""
    return is_check_program(one.words, one.options, one.targets)


def program_run(one: SimpleCommand) -> ProgramRun:
    """Return a simple command as a `ProgramRun`."""
    values, at = one.values, 1
    while one.name == "git" and at < len(values) and values[at].startswith("-"):
        at += 2 if values[at] == "-c" else 1  # set for git itself
    head = [one.name]
    while one.name in NAMED and at < len(values) and not values[at].startswith("-"):
        if len(head) == 3 or (len(head) == 2 and head[1] not in TWICE):
            break
        head.append(values[at])
        at += 1
    if head[0] in ("npm", "pnpm", "yarn", "bun") and head[1:2] in (["t"], ["run"], ["run-script"]):
        head = [head[0], *(head[2:] or ["test"])]
    options, targets = _options_and_targets(values[at:], one.name)
    given = [word for word in one.given if not _SHOWS.match(word)]
    if is_check_program(tuple(head), tuple(options), tuple(targets)):
        targets = sorted(_target_from_folder(target, one.folder) for target in targets)
    targets += _inputs_of(one)
    return ProgramRun(tuple(head), (*given, *options), tuple(targets), one.folder)


def _options_and_targets(values: Sequence[str], name: str) -> tuple[list[str], list[str]]:
    """Return (options, targets) among the words after the program `name`, without options that
    change only what is printed. An option with a value becomes "option=value"."""
    options: list[str] = []
    targets: list[str] = []
    rest = iter(values)
    for word in rest:
        if not word.startswith("-") or word == "-":
            targets.append(word)
        elif word in _PRINTED_WITH or (name == "pytest" and word == "-n"):
            next(rest, "")
        elif word in _WITH:
            options.append(f"{word}={next(rest, '')}")
        elif not _PRINTED.fullmatch(word):
            options.append(word)
    return options, targets


def _target_from_folder(target: str, folder: str) -> str:
    """Return a target relative to `folder` as a path without a slash at the end."""
    near = target.removeprefix(f"{folder}/") if folder.startswith("/") else target
    return near.rstrip("/") or near


def _inputs_of(one: SimpleCommand) -> list[str]:
    """Return the inputs of a command: `<file` for a file, a hash for a heredoc."""
    files = [f"<{to.value}" for sign, to in one.sent if sign in ("<", "0<")]
    texts = [to.value for sign, to in one.sent if sign == "<<<"]
    hashed = [hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=4) for text in texts]
    bodies = [to.text for _, to in one.sent if to.kind == HERE]
    return [*files, *(f"{BODY}{one.hexdigest()}" for one in hashed), *bodies]


def _quote_word(word: str) -> str:
    """Return a word, quoted for the shell if it needs quotes."""
    if word.startswith("<") and _SAFE.fullmatch(word[1:]):
        return word
    name, equals, value = word.partition("=")
    if equals and _SAFE.fullmatch(name) and not _SAFE.fullmatch(word):
        return f"{name}={shlex.quote(value)}"
    return word if _SAFE.fullmatch(word) else shlex.quote(word)
