"""What tells the stories of a session: words of one half, turns of the user, stories woven.

A table of words has two columns for each kind of thing: entries to develop with and entries held
out, which share no word. `#` in a code stands for a digit and `@` for a letter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from loom_bench.script import SessionScript
from loom_bench.session import HELD_OUT
from loom_bench.words import tables_of

Story = Iterator[None]  # it writes one turn of a session each time it is advanced
ENDED = object()
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # without vowels a code spells no word


class StoryTeller:
    """The words of a file of tables for a script, none given twice before all of its kind were."""

    def __init__(self, script: SessionScript, file: str) -> None:
        self.script = script
        self.rng = script.rng
        self._tables: dict[str, Any] = {**tables_of("wording"), **tables_of(file)}
        self._decks: dict[str, list[str]] = {}
        self._codes: set[str] = set()

    def pool(self, kind: str) -> Any:
        """Every entry of a kind, of the half at hand."""
        return self._tables[kind][self.script.half == HELD_OUT]

    def one(self, kind: str, of: str = "") -> str:
        """An entry, dealt from a shuffled deck; there is a deck for each `of`."""
        return self.deal(f"{kind} {of}", self.pool(kind))

    def deal(self, deck: str, entries: Sequence[str]) -> str:
        """One of these entries, dealt from a deck of this name."""
        left = self._decks.get(deck)
        if not left:
            left = self._decks[deck] = list(entries)
            self.rng.shuffle(left)
        return left.pop()

    def say(self, kind: str, **given: Any) -> str:
        """An entry with what it speaks of filled in; it begins with a capital letter."""
        return capital(self.line(kind, **given))

    def line(self, kind: str, **given: Any) -> str:
        """The same as it stands in the table, for lines of a log and the like."""
        filled = {about: self.script.words.one(about) for about in ("noun", "verb", "adjective")}
        return self.one(kind).format(**{**filled, **given})

    def code(self, kind: str) -> str:
        """A code of a shape, never the same twice."""
        rng, shape = self.rng, self.one(kind)
        while True:
            made = "".join(
                str(rng.randrange(10)) if one == "#" else rng.choice(LETTERS) if one == "@" else one
                for one in shape
            )
            if made not in self._codes:
                self._codes.add(made)
                return made

    def around(self, *sentences: str) -> str:
        """Sentences in the midst of others about other matters."""
        before = [self.say("aside") for _ in range(self.rng.randint(1, 3))]
        after = [self.say("aside") for _ in range(self.rng.randint(0, 2))]
        return " ".join((*before, *sentences, *after, self.say("request")))

    def close(self) -> None:
        """After a call the agent tells what it did."""
        if self.script.messages[-1]["role"] == "tool":
            self.script.says(self.say("closing"))

    def hear(self, text: str) -> int:
        """The user says something."""
        self.close()
        return self.script.user(text)

    def tells(self, text: str) -> int:
        """The user says something among other matters."""
        return self.hear(self.around(text))

    def asks(self, text: str = "", **given: str) -> None:
        """The user says something else, and asks for work on what is given."""
        self.hear(f"{self.say('aside')} {text or self.say('asks', **given)}")

    def needs(self, value: str, thing: str) -> Story:
        """Twice the user asks for what takes the value of a thing."""
        for _ in range(2):
            self.asks(thing=thing)
            self.script.need(value)
            yield

    def begin(self, steps: int = 2) -> None:
        """The task and some steps of work."""
        self.script.system(self.one("task"))
        self.script.user(self.around())
        self.script.work(steps)

    def weave(self, stories: Sequence[Story], turns: int, tokens: tuple[int, int]) -> None:
        """Stories among work, to as many tokens as lie between the two, and a last message."""
        woven(self.script, stories, turns, self.rng.randrange(*tokens), self.work)
        self.script.user(self.around())

    def work(self, tokens: int) -> None:
        """Ordinary work, one step at least, until the session has so many tokens."""
        self.script.work(1)
        self.script.work(tokens=tokens)


def capital(text: str) -> str:
    """The text with its first letter in capitals."""
    return text[:1].upper() + text[1:]


def woven(
    script: SessionScript,
    stories: Sequence[Story],
    turns: int,
    tokens: int,
    between: Callable[[int], None],
) -> None:
    """Advance stories in random order until all have ended, about `turns` times in all. `between`
    writes until the session has so many tokens, in the end about `tokens`."""
    live = list(stories)
    turned = 0
    while live:
        story = script.rng.choice(live)
        if next(story, ENDED) is ENDED:
            live.remove(story)
        else:
            turned += 1
            gap = max(tokens - script.tokens, 0) / max(turns - turned + 1, 1)
            between(script.tokens + int(gap * script.rng.uniform(0.0, 1.5)))
    between(tokens)
