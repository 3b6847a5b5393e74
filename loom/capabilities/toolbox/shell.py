"""Level 2: shell utilities that read a project, without a shell.

This is a guard against accidents and misled models, and no sandbox: what is run has the rights of
the host's user, the checks see the disk a moment before the programs do, a hard link is not to be
told from a file, and what writes to a repository while git reads it is not held.
A host that runs what it does not trust does so in a container, with this inside.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from loom.capabilities.toolbox import find, git, grammar, processes, repository
from loom.capabilities.toolbox.command_line import passable, pipeline
from loom.capabilities.toolbox.errors import ToolRefused
from loom.capabilities.toolbox.paths import inside, rooted, unexpanded
from loom.capabilities.toolbox.programs import ELSEWHERE, PROGRAMS
from loom.capabilities.toolbox.run_result import Ran, RunLimits
from loom.lazy import lazy_re

PATH = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin"
DEFAULT = frozenset({*PROGRAMS, "find", "git"})
_LEADS = lazy_re(r"[/~]|\.\.")
LISTED = 64 << 20  # bytes of a list git is asked for before a command: names of files, or keys
_NO_FOLDER = "give a folder inside the project"


class Shell:
    """Shell utilities in a project folder; `allowed` names the programs, looked up on PATH alone.

    A program of DEFAULT may be given the options known to be harmless. Of any other that a host
    allows nothing is known: each of its arguments that looks like a path must stay in the project,
    and what else it does is the host's to answer for. May be used by any number of threads.
    """

    def __init__(
        self,
        project: Path,
        allowed: Collection[str] = DEFAULT,
        limits: RunLimits = RunLimits(),  # noqa: B008 - frozen
    ) -> None:
        """Raises ToolRefused when there is no such folder."""
        self.root = rooted(project)
        self.allowed = frozenset(allowed)
        self.limits = limits

    def run(self, command: str | Sequence[str], stdin: bytes = b"", cwd: str = ".") -> Ran:
        """Run a command and wait for its end.

        A text is read as a shell reads it, but holds no more than words, quotes and `|`; a sequence
        is one program and its arguments, as they are. `cwd` is a folder of the project. Raises
        ToolRefused before anything was started.
        """
        base = inside(cwd, self.root, self.root)
        if not base.is_dir():
            raise ToolRefused(cwd, "there is no such folder", _NO_FOLDER)
        if isinstance(command, str):
            stages = pipeline(command)
        else:
            stages = [list(command)]
            passable(stages[0])
        settings: dict[str, str] = {}  # of git, for each of its commands
        started = [self._checked(stage, base, settings) for stage in stages]
        shown = [word for stage in stages for word in ("|", *stage)][1:]
        return processes.run(
            started,
            shown=shown,
            cwd=base,
            environment={**environment(), **git.environment(self.root, settings)},
            stdin=stdin,
            limits=self.limits,
        )

    def _checked(self, words: Sequence[str], base: Path, settings: dict[str, str]) -> list[str]:
        """The words of a command as it is started; `settings` gets git's. Raises ToolRefused."""
        name, rest = words[0], list(words[1:])
        self._allowed(name)
        always: Sequence[str] = ()
        if name == "git":
            before, command, rest, base = git.split(rest, base, self.root)
            given = self._check(f"git {command}", git.COMMANDS[command], rest, base)
            held = self._held(command, base)
            for kind, text in given:
                if kind == grammar.NAME:
                    git.check_operand(text, base, held.tree, self.root)
            settings |= held.settings
            told = git.told(held.place, held.tree)
            always = (*told, *before, command, *git.COMMANDS[command].always)
        elif name == "find":
            self._check_paths(find.read(rest), base)
        elif name in PROGRAMS:
            always = PROGRAMS[name].always
            self._check(name, PROGRAMS[name], rest, base)
        else:
            self._check_paths(_suspect(rest), base)
        return [self._place(name), *always, *rest]

    def _held(self, command: str, base: Path) -> repository.Repository:
        """The repository for a git command in a folder. Raises ToolRefused where that leads out."""
        found = repository.found(base, self.root, self._configured)
        if command in git.LOOKS:
            words = (*git.told(found.place, found.tree), "ls-files", "--stage", "-z", ":/")
            index = self._listed(words, found.tree, git.environment(self.root, found.settings))
            if index.cut or index.timed_out:
                raise ToolRefused(
                    f"git {command}", "there is too much to be checked", "use grep or find"
                )
            through = command in git.THROUGH
            repository.check_tracked(index.stdout, found.tree, self.root, through=through)
        return found

    def _configured(self, file: Path) -> Ran:
        """The keys of a file of configuration, of it alone."""
        words = ("config", "--file", str(file), "--no-includes", "--null", "--list")
        return self._listed(words, Path(file.anchor), {"GIT_DIR": os.devnull})

    def _listed(self, words: Sequence[str], base: Path, given: Mapping[str, str]) -> Ran:
        return processes.run(
            [[self._place("git"), *words]],
            shown=("git", *words),
            cwd=base,
            environment={**environment(), **git.environment(self.root), **given},
            stdin=b"",
            limits=replace(self.limits, output=LISTED),
        )

    def _allowed(self, name: str) -> None:
        if "/" in name:
            raise ToolRefused(name, "a program is named by its bare name", f"say {Path(name).name}")
        if name not in self.allowed:
            usual = f"there are {', '.join(sorted(self.allowed))}"
            if "=" in name:
                raise ToolRefused(
                    name, "variables are not set here", "begin with the program's name"
                )
            raise ToolRefused(
                name, "not among the programs allowed here", ELSEWHERE.get(name, usual)
            )

    def _place(self, name: str) -> str:
        """Where a program is, never in the project."""
        found = shutil.which(name, path=PATH)
        if found is None or Path(os.path.realpath(found)).is_relative_to(self.root):
            others = sorted(one for one in self.allowed if shutil.which(one, path=PATH))
            raise ToolRefused(
                name, "not installed on this machine", f"there are {', '.join(others)}"
            )
        return found

    def _check(
        self, name: str, program: grammar.Program, words: Sequence[str], base: Path
    ) -> list[tuple[str, str]]:
        """The kinds and texts that `grammar.read` finds in the words. Raises ToolRefused."""
        found = list(grammar.read(program, name, words))
        for kind, text in found:
            if kind == grammar.SCRIPT and program.check is not None:
                program.check(text)
        self._check_paths(iter(found), base)
        return found

    def _check_paths(self, found: Iterator[tuple[str, str]], base: Path) -> None:
        for kind, text in found:
            if kind in {grammar.PATH, grammar.NAME}:
                inside(text, base, self.root)
            if kind == grammar.PATH:
                unexpanded(text, base)


def environment() -> dict[str, str]:
    """The variables a program is given: none of the host's, so no tokens, but its time zone."""
    given = {"PATH": PATH, "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "NO_COLOR": "1"}
    return {**given, "TERM": "dumb", "PAGER": "cat"} | (
        {"TZ": os.environ["TZ"]} if "TZ" in os.environ else {}
    )


def _suspect(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """All that may be a path in the words of a program nothing is known of."""
    for word in words:
        yield grammar.NAME, word
        _, equals, value = word.partition("=")
        if equals:
            yield grammar.NAME, value
        if word.startswith("-") and not word.startswith("--"):
            # An attached value: `-C..`, `-f/etc/passwd`, or behind a bundle of letters.
            starts = [2, *(found.start() for found in islice(_LEADS.finditer(word, 2), 1))]
            for at in starts:
                yield grammar.NAME, word[at:]
