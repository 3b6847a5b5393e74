"""Level 2: programs, run in a project folder by their exact words; no shell is started.

A command runs as it is where the host has allowed its first words: ("git", "log") allows every `git
log …`. For any other command the host is asked, with the words of the command. No word may lead out
of the project, whoever allowed the command, links followed.

This is a guard against accidents and misled models, and no sandbox: a program that runs has the
rights of the host's user, may read what its own configuration names, and the check sees the disk a
moment before the program does. A host that runs what it does not trust does so in a container."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from loom.capabilities.toolbox import limited_runs
from loom.capabilities.toolbox.descriptor import tool_refused
from loom.capabilities.toolbox.limited_runs import PATH, RunLimits, RunResult
from loom.lazy import lazy_re

# Programs that only read, whatever they are given, but for the options named here: those that
# follow links, run programs, write, or take names from a file (GNU's manuals of each, 2026-11).
_NOT_AS_IT_IS = {
    "cat": "",
    "head": "",
    "tail": "",
    "wc": "--f",
    "ls": "-[^-]*L|--de",
    "grep": "-[^-]*([RS]|f.)|--de",
    "find": "-(exec|ok|delete|fprint|fls|follow|files0|L|H)",
}
READS: tuple[tuple[str, ...], ...] = tuple((name,) for name in _NOT_AS_IT_IS)

_QUOTED = lazy_re(r"""'[^']*'|"(?:[^"\\$`]|\\.)*"|\\.""")
_SHELL = lazy_re(r"[|&;<>()`\n*?\[]|\$[\w({]")
_LEAD = lazy_re(r"[/~]|\.\.")
_BEFORE = lazy_re(r"[=@]|(?i:file:(?://[^/]*(?=/))?)")  # what stands before a path in a word
_INSIDE = "give a path inside the project; a pattern can begin otherwise, as in [/]etc or [.]."

Ask = Callable[[Sequence[str]], object]  # raises LoomError for words that may not be run


def refuse_command(words: Sequence[str]) -> None:
    """Raise LoomError: the host does not allow the command `words`."""
    raise tool_refused(
        shlex.join(words),
        "not among the commands that are allowed here",
        f"the host allows it by builtin(allow=[*READS, ({words[0]!r}, …)]), or when it is asked, by"
        " `approve`",
    )


class Shell:
    """Runs programs in a project folder, without a shell. Programs are searched in fixed folders
    only. Thread-safe.

    `allow` lists the beginnings of commands that run without asking, such as ("git", "log") or "git
    log". `ask` is called with the words of any other command, and raises LoomError to forbid it."""

    def __init__(
        self,
        project: Path,
        allow: Iterable[Sequence[str]] = READS,
        ask: Ask = refuse_command,
        limits: RunLimits = RunLimits(),  # noqa: B008 - frozen
    ) -> None:
        """Raises LoomError if `project` is no folder."""
        self.root = resolved_project(project)
        self.allow = tuple(tuple(one.split() if isinstance(one, str) else one) for one in allow)
        self.limits = limits
        self._ask = ask

    def run(
        self, command: str, args: Sequence[str] | None = None, stdin: bytes = b"", cwd: str = "."
    ) -> RunResult:
        """Run a command, wait for its end and return its result.

        With `args`, `command` is only the program's name, and `args` are its words, unchanged.
        Without `args`, `command` is split into words; quotes keep a word together, nothing is
        expanded. `cwd` is a folder in the project. Raises LoomError if the command is not run."""
        words = split_command(command) if args is None else [command, *map(str, args)]
        base = path_inside(cwd, self.root, self.root)
        if not base.is_dir():
            raise tool_refused(cwd, "there is no such folder", "give a folder inside the project")
        for path in _possible_paths(words[1:]):
            path_inside(path, base, self.root)
        if not self.allows(words):
            self._ask(words)
        return limited_runs.run_program(
            [self._program_path(words[0]), *words[1:]],
            shown=words,
            cwd=base,
            stdin=stdin,
            limits=self.limits,
        )

    def allows(self, words: Sequence[str]) -> bool:
        """Return True if the host allows this command without being asked."""
        options = _NOT_AS_IT_IS.get(words[0], "")
        reads = not options or not any(re.match(options, word) for word in words[1:])
        return any(
            tuple(words[: len(first)]) == first and (reads or first not in READS)
            for first in self.allow
            if first
        )

    def _program_path(self, name: str) -> str:
        """Return a program's full path, outside the project. Raises LoomError if missing."""
        found = None if "/" in name else shutil.which(name, path=PATH)
        if found is None or Path(os.path.realpath(found)).is_relative_to(self.root):
            raise tool_refused(name, f"no program of that name in {PATH}", "give its bare name")
        return found


def split_command(command: str) -> list[str]:
    """Return the words of a command. Raises LoomError if it is empty or needs a shell, as for
    pipes."""
    found = _SHELL.search(_QUOTED.sub("_", command.strip()))
    if found:
        raise tool_refused(
            command,
            f"a shell would act on `{found[0].strip() or 'a new line'}`, and none is started",
            "give one program and its words, and put in single quotes what is meant as it is",
        )
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise tool_refused(command, str(error).lower(), "close the quote") from None
    if not words or not words[0]:
        raise tool_refused(command, "there is no command", "name a program")
    return words


def resolved_project(project: Path) -> Path:
    """Return the project folder with links followed. Raises LoomError if it is no folder."""
    root = Path(os.path.realpath(project))
    if not root.is_dir():
        raise tool_refused(str(project), "the project is no folder", "give one that is there")
    return root


def path_inside(given: str, base: Path, root: Path) -> Path:
    """Return the path `given`, relative to `base`, with links followed. The path need not exist.
    Raises LoomError if it is outside `root`."""
    if given.startswith("~"):
        raise tool_refused(given, "`~` leads outside the project", _INSIDE)
    try:
        found = Path(os.path.realpath(base / given))
    except (OSError, ValueError) as error:
        raise tool_refused(given, f"no path ({error})", _INSIDE) from None
    if not found.is_relative_to(root):
        by_link = Path(os.path.normpath(base / given)).is_relative_to(root)
        why = "a link leads it" if by_link else "it leads"
        raise tool_refused(given, f"{why} outside the project", _INSIDE)
    return found


def _possible_paths(words: Sequence[str]) -> Iterator[str]:
    """Yield each text in a command's words that may be a path: whole words, and the rest of a word
    after "=", "@", "file:" or an option's letter ("-f/etc" → "/etc")."""
    for word in words:
        yield word
        yield from (word[sign.end() :] for sign in _BEFORE.finditer(word))
        if word[:1] == "-" != word[1:2]:  # an attached value: `-C..`, `-f/etc/passwd`, `-nf../x`
            yield word[2:]
            if lead := _LEAD.search(word, 1):
                yield word[lead.start() :]
