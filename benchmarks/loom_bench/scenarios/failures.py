"""Commands that fail, pass and fail again: flaky, narrower, elsewhere, or deep in a long log."""

from __future__ import annotations

from collections.abc import Sequence

from loom_bench.scenarios.teller import Story, StoryTeller
from loom_bench.script import SessionScript
from loom_bench.session import FactDue

# The turns of each story. A pass elsewhere or of one case alone settles nothing; `passes`
# settles every failure before it; a buried failure is not repeated at the end of its log.
COURSES = (
    "fails edits passes",
    "fails asked edits passes",
    "fails edits fails asked edits passes",
    "passes fails asked asked",
    "fails passes fails passes",
    "passes fails passes fails asked",
    "fails elsewhere asked asked",
    "fails elsewhere asked edits passes elsewhere",
    "fails narrower asked fails asked",
    "fails edits narrower asked edits passes",
    "buried asked asked",
    "buried asked edits passes",
)


def failures(script: SessionScript) -> None:
    """Twelve checks that fail: mended, relapsed, flaky, narrower, in two folders, in long logs."""
    w = StoryTeller(script, "failures")
    w.begin()
    courses = [course.split() for course in COURSES]
    stories = [CheckStory(w).told(course) for course in courses]
    w.weave(stories, sum(map(len, courses)), (72_000, 97_000))


class CheckStory:
    """One folder under one command: what happens to it (a method each), and what it owes."""

    def __init__(self, w: StoryTeller) -> None:
        self.w = w
        self.script, self.rng = w.script, w.rng
        self.check = w.rng.choice(w.pool("CHECKS"))
        self.folder, self.other = w.one("folder"), w.one("neighbour")
        self.case, self.got = w.one("case"), w.code("got")
        self.question = w.say("question", folder=self.folder)
        self.says = self._filled("failed", self.folder)
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

    def fails(self, ends: str = "") -> None:
        """The whole check shows the failure, and says at its end that there was one."""
        lines = self._log(250)
        lines.insert(self.rng.randrange(len(lines)), self.says)
        self.open.append(self._ran([*lines, ends or self.check["ends"]]))
        self.first = min(self.open)

    def buried(self) -> None:
        """The same, but the end of the log does not tell."""
        self.fails(self.w.one("piped"))

    def passes(self) -> None:
        """The whole check passes."""
        self._settle(self._ran([*self._log(60), self.check["passed"]]))

    def elsewhere(self) -> None:
        """The same check passes in another folder."""
        self._ran([*self._log(60), self.check["passed"]], self.other)

    def narrower(self) -> None:
        """The case passes when it is run alone."""
        self._ran([*self._log(6), self.check["passed"]], how="narrow")

    def edits(self) -> None:
        """The agent changes a file."""
        code = self.script.words.code
        tool, file, old, new = self.w.pool("EDITED")
        given = {file: f"{self.folder}/{self.script.words.name()}", old: "\n".join(code(5))}
        self.script.call(tool, {**given, new: "\n".join(code(7))}, self.w.one("edited"))

    def asked(self) -> None:
        """The user asks what is wrong."""
        self.w.asks(self.w.say("asks", folder=self.folder))
        self.due.append(len(self.script.messages))

    def _ran(self, lines: Sequence[str], folder: str = "", how: str = "broad") -> int:
        folder = folder or self.folder
        given = {self.check["key"]: self._filled(how, folder)}
        if self.check["where"]:
            given[self.check["where"]] = folder
        said = self.w.one("runs").format(folder=folder)
        return self.script.call(self.check["tool"], given, "\n".join(lines), said)

    def _filled(self, template: str, folder: str) -> str:
        text: str = self.check[template]
        return text.format(folder=folder, case=self.case, got=self.got)

    def _log(self, most: int) -> list[str]:
        count = self.rng.randint(most // 6, most)
        return [self.w.line("log", took=self.rng.randrange(1, 900)) for _ in range(count)]

    def _settle(self, at: int | None) -> None:
        """The failures so far pass in message `at`, or never."""
        for failed in self.open:
            self.script.fails(self._filled("broad", self.folder), self.says, failed, at)
        self.open = []
