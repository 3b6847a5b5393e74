"""A support desk: many customers, hundreds of small messages, few tools, nothing to mix up."""

from __future__ import annotations

from loom_bench.scenarios.wording import Halves, PlantedWords, Story, woven
from loom_bench.script import SessionScript
from loom_bench.session import HELD_OUT
from loom_bench.words import words_of

TABLES = words_of("chatter", "TABLES", Halves)
LOOKED_UP = (("shop_stock", "article"), ("seat_registry", "search"))
PROMISED, MOVING = 8, 5  # customers who get a promise, and who move


def chatter(script: SessionScript) -> None:
    """Twelve customers of a support desk in hundreds of small messages, not to be mixed up."""
    desk = SupportDesk(script)
    script.system(desk.words.one("task"))
    names = [desk.words.one("name") for _ in range(12)]
    stories = [desk.given(name, "number") for name in names]
    stories += [desk.given(name, "promise") for name in script.rng.sample(names, PROMISED)]
    stories += [desk.moves(name) for name in script.rng.sample(names, MOVING)]
    woven(script, stories, 86, script.rng.randrange(80_000, 88_000), desk.talks)
    desk.heard(script.rng.choice(names), desk.words.say("small", **desk.slots()))


class SupportDesk:
    """The desk: what is said to and fro at it."""

    def __init__(self, script: SessionScript) -> None:
        self.script = script
        self.words = PlantedWords(script, TABLES)
        self.style = self.words.one("line")

    def given(self, name: str, kind: str) -> Story:
        """A customer's order, or what the agent promises a customer; needed later."""
        value = self.words.code(kind) if kind == "number" else self.words.one(kind)
        at = self._tells(name, kind, value)
        self.script.fact(value, self.words.say(f"{kind} question", name=name), at)
        yield
        yield from self._asks(name, kind, value)

    def moves(self, name: str) -> Story:
        """A customer's place, which changes."""
        old, new = self.words.one("place"), self.words.one("place")
        question = self.words.say("place question", name=name)
        first = self._tells(name, "place", old)
        yield
        second = self.heard(name, self.words.say("place changed", value=new))
        self.script.changes(question, ((first, old), (second, new)))
        self.script.fact(new, question, second)
        self.answers(name, self.words.say("acted"))
        yield
        yield from self._asks(name, "place", new)

    def talks(self, script: SessionScript, tokens: int) -> None:
        """Small talk of anybody until the session has so many tokens; one exchange at least."""
        while True:
            name = script.rng.choice(self.words.pool("name"))
            for _ in range(script.rng.randint(1, 3)):
                self.heard(name, self._some("small"))
                if script.rng.random() < 0.2:
                    self._looks_up()
                self.answers(name, self._some("reply"))
            if script.tokens >= tokens:
                return

    def heard(self, name: str, text: str) -> int:
        """A customer says something; returns the number of the message."""
        return self.script.user(self.style.format(name=name, text=text))

    def answers(self, name: str, text: str) -> int:
        """The agent says something to a customer."""
        return self.script.says(f"@{name} {text}")

    def slots(self) -> dict[str, str]:
        """What small talk is about."""
        return {"goods": self.words.one("goods"), "shade": self.words.one("shade")}

    def _some(self, kind: str) -> str:
        count = self.script.rng.randint(1, 6)
        return " ".join(self.words.say(kind, **self.slots()) for _ in range(count))

    def _tells(self, name: str, kind: str, value: str) -> int:
        """A promise is the agent's own; all else comes from the customer."""
        text = self.words.say(f"{kind} given", value=value, **self.slots())
        if kind == "promise":
            self.heard(name, self._some("small"))
            return self.answers(name, text)
        self.heard(name, self._some("small"))
        self.answers(name, self.words.say("asked"))
        at = self.heard(name, text)
        self.answers(name, self.words.say("acted"))
        return at

    def _asks(self, name: str, kind: str, value: str) -> Story:
        """The customer comes back, and the reply needs the value; now and then it repeats it."""
        for _ in range(2):
            self.heard(name, f"{self._some('small')} {self.words.say(f'{kind} asks')}")
            self.script.need(value)
            said = f"{value}: " if self.script.rng.random() < 0.25 else ""
            self.answers(name, said + self.words.say("acted"))
            yield

    def _looks_up(self) -> None:
        """The agent looks at what there is; it says nothing of any customer."""
        tool, key = LOOKED_UP[self.script.half == HELD_OUT]
        rows = [
            f"{self.words.one('shade')} {self.words.one('goods')} | {self.words.one('stock')}"
            for _ in range(self.script.rng.randint(6, 40))
        ]
        self.script.call(tool, {key: self.words.one("goods")}, "\n".join(rows))
