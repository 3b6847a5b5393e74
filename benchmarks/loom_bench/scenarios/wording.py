"""Words that a scenario plants, in two halves that share none of them, and how a turn is told.

A table has two columns for each kind of thing: entries to develop with and entries held out. `#` in
a code stands for a digit and `@` for a letter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct

from loom_bench.script import SessionScript
from loom_bench.session import HELD_OUT
from loom_bench.words import words_of

Halves = dict[str, tuple[tuple[str, ...], tuple[str, ...]]]
Story = Iterator[None]  # it writes one turn of a session each time it is advanced

Between = Callable[[SessionScript, int], None]  # writes until there are so many tokens

ENDED = object()
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # without vowels a code spells no word

ASIDES = words_of("wording", "ASIDES", Halves)

Row = TypeVar("Row")


class TextSource(Struct, frozen=True):
    """A tool that brings what somebody wrote: its argument, and what a result looks like. `lead`
    stands before each line of the writer."""

    tool: str
    key: str
    address: str
    frame: str
    lead: str = ""


class PlantedWords:
    """Entries of the half at hand. None is given twice before all of its kind were."""

    def __init__(self, script: SessionScript, tables: Halves) -> None:
        self._script = script
        self._tables = {**ASIDES, **tables}
        self._decks: dict[str, list[str]] = {}
        self._codes: set[str] = set()

    def pool(self, kind: str) -> Sequence[str]:
        """Every entry of a kind."""
        return side(self._script, self._tables[kind])

    def one(self, kind: str, of: str = "") -> str:
        """An entry, dealt from a shuffled deck; there is a deck for each `of`."""
        return self.deal(f"{kind} {of}", self.pool(kind))

    def deal(self, deck: str, entries: Sequence[str]) -> str:
        """One of these entries, dealt from a deck of this name."""
        left = self._decks.get(deck)
        if not left:
            left = self._decks[deck] = list(entries)
            self._script.rng.shuffle(left)
        return left.pop()

    def say(self, kind: str, **given: Any) -> str:
        """An entry with what it speaks of filled in; it begins with a capital letter."""
        return capital(self.line(kind, **given))

    def line(self, kind: str, **given: Any) -> str:
        """The same as it stands in the table, for lines of a log and the like."""
        words = self._script.words
        filled = {"noun": words.one("noun"), "verb": words.one("verb")}
        filled["adjective"] = words.one("adjective")
        return self.one(kind).format(**{**filled, **given})

    def code(self, kind: str) -> str:
        """A code of a shape, never the same twice."""
        rng, shape = self._script.rng, self.one(kind)
        while True:
            made = "".join(
                str(rng.randrange(10)) if one == "#" else rng.choice(LETTERS) if one == "@" else one
                for one in shape
            )
            if made not in self._codes:
                self._codes.add(made)
                return made

    def fill(self, deck: str, entries: Sequence[str], given: Mapping[str, Any]) -> str:
        """One of these templates with what it speaks of filled in."""
        return capital(self.deal(deck, entries).format(**given))

    def around(self, *sentences: str, most: int = 3) -> str:
        """Sentences in the midst of others about other matters."""
        rng = self._script.rng
        before = [self.say("aside") for _ in range(rng.randint(1, most))]
        after = [self.say("aside") for _ in range(rng.randint(0, most - 1))]
        return " ".join((*before, *sentences, *after, self.say("request")))


def side(script: SessionScript, both: tuple[Sequence[Row], Sequence[Row]]) -> Sequence[Row]:
    """The column of the half at hand."""
    return both[script.half == HELD_OUT]


def capital(text: str) -> str:
    """The text with its first letter in capitals."""
    return text[:1].upper() + text[1:]


def hear(script: SessionScript, words: PlantedWords, text: str) -> int:
    """The user says something; before that the agent has told what it did."""
    if script.messages[-1]["role"] == "tool":
        script.says(words.say("closing"))
    return script.user(text)


def worked(script: SessionScript, tokens: int) -> None:
    """Ordinary work, one step at least, until the session has so many tokens."""
    script.work(1)
    script.work(tokens=tokens)


def session(
    script: SessionScript,
    tables: Halves,
    stories: Callable[[PlantedWords], Sequence[Story]],
    turns: int,
    tokens: tuple[int, int],
    steps: int = 2,
) -> None:
    """A whole session: the task and some steps of work, then stories woven into more of it until
    there are about as many `tokens` as lie between the two."""
    words = PlantedWords(script, tables)
    script.system(words.one("task"))
    script.user(words.around())
    script.work(steps)
    made = stories(words)
    woven(script, made, turns, script.rng.randrange(*tokens))
    script.user(words.around())


def woven(
    script: SessionScript,
    stories: Sequence[Story],
    turns: int,
    tokens: int,
    between: Between = worked,
) -> None:
    """Advance stories in random order until all have ended, with work or the like between.

    `turns` is about how often they can be advanced in all; by then the session has about `tokens`.
    """
    live = list(stories)
    turned = 0
    while live:
        story = script.rng.choice(live)
        if next(story, ENDED) is ENDED:
            live.remove(story)
        else:
            turned += 1
            gap = max(tokens - script.tokens, 0) / max(turns - turned + 1, 1)
            between(script, script.tokens + int(gap * script.rng.uniform(0.0, 1.5)))
    between(script, tokens)
