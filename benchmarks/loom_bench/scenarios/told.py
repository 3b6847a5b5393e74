"""Scenarios of many small stories: pictures of a user, customers of a desk, checks that fail."""

from __future__ import annotations

from collections.abc import Sequence

from loom_bench.scenarios.teller import Story, StoryTeller, woven
from loom_bench.script import SessionScript
from loom_bench.session import FactDue

SIZES = ((640, 480), (1024, 768), (1280, 800), (1600, 1000), (750, 1334), (320, 200))
KINDS = ("paint", "caption", "person")


def pictures(script: SessionScript) -> None:
    """Screenshots and drawings between long work, with facts and rules in the words beside them."""
    w = StoryTeller(script, "pictures")
    w.begin()
    made = [write(w, kind) for kind in KINDS for write in (_fact, _fact, _changing)]
    w.weave([*made, _rule(w), _rule(w), _plain(w)], 38, (62_000, 90_000))


def _fact(w: StoryTeller, kind: str) -> Story:
    """A picture, a fact in its words, and work that needs it."""
    thing, value = w.one("thing", "facts"), w.one(kind)
    at = _show(w, w.say(f"{kind} said", thing=thing, value=value))
    w.script.fact(value, w.say(f"{kind} question", thing=thing), at)
    yield
    yield from w.needs(value, thing)


def _changing(w: StoryTeller, kind: str) -> Story:
    """The same, and a later picture brings another value."""
    thing, old, new = w.one("thing", "facts"), w.one(kind), w.one(kind)
    question = w.say(f"{kind} question", thing=thing)
    first = _show(w, w.say(f"{kind} said", thing=thing, value=old))
    yield
    second = _show(w, w.say(f"{kind} changed", thing=thing, value=new))
    w.script.changes(question, ((first, old), (second, new)))
    w.script.fact(new, question, second)
    yield
    yield from w.needs(new, thing)


def _rule(w: StoryTeller) -> Story:
    """A picture with a constraint in its words."""
    said = w.say("rule", thing=w.one("thing", "rules"))
    w.script.rule(said, _show(w, said))
    yield


def _plain(w: StoryTeller) -> Story:
    """Pictures with nothing to remember."""
    for _ in range(4):
        _show(w, w.one("plain"))
        yield


def _show(w: StoryTeller, said: str) -> int:
    """The user shows a picture, now and then a second one after it."""
    w.close()
    if w.rng.random() < 0.3:
        w.script.picture(w.say("opening"), *w.rng.choice(SIZES))
    text = [w.say("opening"), *(w.say("aside") for _ in range(w.rng.randint(0, 2)))]
    text.insert(w.rng.randint(1, len(text)), said)
    return w.script.picture(" ".join([*text, w.say("request")]), *w.rng.choice(SIZES))


def chatter(script: SessionScript) -> None:
    """Twelve customers of a support desk in hundreds of small messages, not to be mixed up."""
    desk = SupportDesk(script)
    script.system(desk.one("task"))
    names = [desk.one("name") for _ in range(12)]
    stories = [desk.given(name, "number") for name in names]
    stories += [desk.given(name, "promise") for name in script.rng.sample(names, 8)]
    stories += [desk.moves(name) for name in script.rng.sample(names, 5)]
    woven(script, stories, 86, script.rng.randrange(80_000, 88_000), desk.work)
    desk.heard(script.rng.choice(names), desk.say("small", **desk.slots()))


class SupportDesk(StoryTeller):
    """The desk: what is said to and fro at it."""

    def __init__(self, script: SessionScript) -> None:
        super().__init__(script, "chatter")
        self._style = self.one("line")

    def given(self, name: str, kind: str) -> Story:
        """A customer's order, or what the agent promises a customer; needed later."""
        value = self.code(kind) if kind == "number" else self.one(kind)
        at = self._tells(name, kind, value)
        self.script.fact(value, self.say(f"{kind} question", name=name), at)
        yield
        yield from self._asks(name, kind, value)

    def moves(self, name: str) -> Story:
        """A customer's place, which changes."""
        old, new = self.one("place"), self.one("place")
        question = self.say("place question", name=name)
        first = self._tells(name, "place", old)
        yield
        second = self.heard(name, self.say("place changed", value=new))
        self.script.changes(question, ((first, old), (second, new)))
        self.script.fact(new, question, second)
        self._answers(name, self.say("acted"))
        yield
        yield from self._asks(name, "place", new)

    def work(self, tokens: int) -> None:
        """Small talk of anybody until the session has so many tokens; one exchange at least."""
        while True:
            name = self.rng.choice(self.pool("name"))
            for _ in range(self.rng.randint(1, 3)):
                self.heard(name, self._some("small"))
                if self.rng.random() < 0.2:
                    self._looks_up()
                self._answers(name, self._some("reply"))
            if self.script.tokens >= tokens:
                return

    def heard(self, name: str, text: str) -> int:
        """A customer says something; returns the number of the message."""
        return self.script.user(self._style.format(name=name, text=text))

    def slots(self) -> dict[str, str]:
        """What small talk is about."""
        return {"goods": self.one("goods"), "shade": self.one("shade")}

    def _answers(self, name: str, text: str) -> int:
        return self.script.says(f"@{name} {text}")

    def _some(self, kind: str) -> str:
        return " ".join(self.say(kind, **self.slots()) for _ in range(self.rng.randint(1, 6)))

    def _tells(self, name: str, kind: str, value: str) -> int:
        """A promise is the agent's own; all else comes from the customer."""
        text = self.say(f"{kind} given", value=value, **self.slots())
        self.heard(name, self._some("small"))
        if kind == "promise":
            return self._answers(name, text)
        self._answers(name, self.say("asked"))
        at = self.heard(name, text)
        self._answers(name, self.say("acted"))
        return at

    def _asks(self, name: str, kind: str, value: str) -> Story:
        """The customer comes back, and the reply needs the value; now and then it repeats it."""
        for _ in range(2):
            self.heard(name, f"{self._some('small')} {self.say(f'{kind} asks')}")
            self.script.need(value)
            said = f"{value}: " if self.rng.random() < 0.25 else ""
            self._answers(name, said + self.say("acted"))
            yield

    def _looks_up(self) -> None:
        """The agent looks at what there is; it says nothing of any customer."""
        tool, key = self.pool("LOOKED_UP")
        rows = [
            f"{self.one('shade')} {self.one('goods')} | {self.one('stock')}"
            for _ in range(self.rng.randint(6, 40))
        ]
        self.script.call(tool, {key: self.one("goods")}, "\n".join(rows))


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
