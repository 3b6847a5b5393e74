"""Commands that fail, pass and fail again: flaky, narrower, elsewhere, or deep in a long log."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from loom_bench.scenarios.wording import Halves, PlantedWords, Story, hear, session, side
from loom_bench.script import SessionScript
from loom_bench.session import HELD_OUT, FactDue
from loom_bench.words import words_of


class CheckCommand(Struct, frozen=True):
    """A command that checks something. `where` is the argument for a folder, where the command
    does not name it; `narrow` runs one case alone."""

    tool: str
    key: str
    broad: str
    narrow: str
    failed: str
    ends: str
    passed: str
    where: str = ""


CHECKS = words_of("failures", "CHECKS", tuple[tuple[CheckCommand, ...], tuple[CheckCommand, ...]])
TABLES = words_of("failures", "TABLES", Halves)
EDITED = (("patch_file", "file", "old", "new"), ("amend", "target", "before", "after"))

# The turns of each story. A pass elsewhere or of one case alone settles nothing; `passes`
# settles every failure before it; a buried failure is not repeated at the end of its log.
COURSES = (
    ("fails", "edits", "passes"),
    ("fails", "asked", "edits", "passes"),
    ("fails", "edits", "fails", "asked", "edits", "passes"),
    ("passes", "fails", "asked", "asked"),
    ("fails", "passes", "fails", "passes"),
    ("passes", "fails", "passes", "fails", "asked"),
    ("fails", "elsewhere", "asked", "asked"),
    ("fails", "elsewhere", "asked", "edits", "passes", "elsewhere"),
    ("fails", "narrower", "asked", "fails", "asked"),
    ("fails", "edits", "narrower", "asked", "edits", "passes"),
    ("buried", "asked", "asked"),
    ("buried", "asked", "edits", "passes"),
)


def failures(script: SessionScript) -> None:
    """Twelve checks that fail: mended, relapsed, flaky, narrower, in two folders, in long logs."""

    def stories(words: PlantedWords) -> list[Story]:
        return [CheckStory(script, words).told(course) for course in COURSES]

    session(script, TABLES, stories, sum(map(len, COURSES)), (72_000, 97_000))


class CheckStory:
    """One folder under one command: what happens to it, and what it owes."""

    def __init__(self, script: SessionScript, words: PlantedWords) -> None:
        self.script = script
        self.words = words
        self.check = script.rng.choice(side(script, CHECKS))
        self.folder, self.other = words.one("folder"), words.one("neighbour")
        self.case, self.got = words.one("case"), words.code("got")
        self.question = words.say("question", folder=self.folder)
        self.first = 0  # message of the oldest failure that is not settled
        self.open: list[int] = []  # failures that nothing has settled
        self.due: list[int] = []

    def told(self, course: Sequence[str]) -> Story:
        """Tell it, a turn at a time."""
        for act in course:
            getattr(self, act)()
            yield
        if self.due:
            self.script.owes(FactDue(self.got, self.question, self.first, tuple(self.due)))
        if self.open:
            self.script.fact(self.got, self.question, self.first)
        self._settle(None)

    @property
    def says(self) -> str:
        """The line that shows the failure."""
        return self.check.failed.format(folder=self.folder, case=self.case, got=self.got)

    def fails(self, ends: str = "") -> None:
        """The whole check shows the failure, and says at its end that there was one."""
        lines = self._log(250)
        lines.insert(self.script.rng.randrange(len(lines)), self.says)
        self.open.append(
            self._run(self.check.broad, self.folder, [*lines, ends or self.check.ends])
        )
        self.first = min(self.open)

    def buried(self) -> None:
        """The same, but the end of the log does not tell."""
        self.fails(self.words.one("piped"))

    def passes(self) -> None:
        """The whole check passes."""
        lines = [*self._log(60), self.check.passed]
        self._settle(self._run(self.check.broad, self.folder, lines))

    def elsewhere(self) -> None:
        """The same check passes in another folder."""
        self._run(self.check.broad, self.other, [*self._log(60), self.check.passed])

    def narrower(self) -> None:
        """The case passes when it is run alone."""
        self._run(self.check.narrow, self.folder, [*self._log(6), self.check.passed])

    def edits(self) -> None:
        """The agent changes a file."""
        code, words = self.script.words.code, self.words
        tool, file, old, new = EDITED[self.script.half == HELD_OUT]
        given = {file: f"{self.folder}/{self.script.words.name()}", old: "\n".join(code(5))}
        self.script.call(tool, {**given, new: "\n".join(code(7))}, words.one("edited"))

    def asked(self) -> None:
        """The user asks what is wrong."""
        asks = self.words.say("asks", folder=self.folder)
        hear(self.script, self.words, f"{self.words.say('aside')} {asks}")
        self.due.append(len(self.script.messages))

    def _run(self, template: str, folder: str, lines: Sequence[str]) -> int:
        given = {self.check.key: self._command(template, folder)}
        if self.check.where:
            given[self.check.where] = folder
        said = self.words.one("runs").format(folder=folder)
        return self.script.call(self.check.tool, given, "\n".join(lines), said)

    def _command(self, template: str, folder: str) -> str:
        return template.format(folder=folder, case=self.case)

    def _log(self, most: int) -> list[str]:
        rng, words = self.script.rng, self.words
        count = rng.randint(most // 6, most)
        return [words.line("log", took=rng.randrange(1, 900)) for _ in range(count)]

    def _settle(self, at: int | None) -> None:
        """The failures so far pass in message `at`, or never."""
        command = self._command(self.check.broad, self.folder)
        for failed in self.open:
            self.script.fails(command, self.says, failed, at)
        self.open = []
