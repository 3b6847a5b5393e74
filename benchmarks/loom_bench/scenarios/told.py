"""Scenarios told by people: pictures that a user shows, and a support desk of many customers."""

from __future__ import annotations

from loom_bench.scenarios.teller import Story, StoryTeller, woven
from loom_bench.script import SessionScript

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
