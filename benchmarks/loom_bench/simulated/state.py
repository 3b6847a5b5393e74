"""What is true at one moment of a simulated session, and the words of its people.

Nothing that is measured may be fitted to either. Both halves give the same kinds of things in other
words: names of files and topics, phrasing of rules, decisions and values, styles of test output.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from msgspec import Struct, field

from loom_bench.words import tables_of

RunKey = tuple[str, str]  # (folder the command runs in, "" the project's own; the command)

PASS, FAIL = "passes", "fails"
EDITED, WROTE, REFUSED, REVERTED = "edited", "written", "refused", "reverted"
FORBIDDEN, REQUIRED, LIFTED = "forbidden", "required", "lifted"
PENDING, DOING, DONE = "pending", "in progress", "done"


class Failure(Struct):
    """A test or a place that failed: what it said, the runs whose success closes it."""

    message: str
    closers: list[RunKey]
    open: bool = True


class Truth(Struct):
    """Everything a question may ask about. Lists are in the order things happened."""

    deeds: dict[str, list[str]] = field(default_factory=dict)  # file → what was done to it
    changed_last: str = ""  # the file, "" after something was reverted
    seen: list[str] = field(default_factory=list)  # files that were only read
    runs: dict[RunKey, list[str]] = field(default_factory=dict)
    scenes: dict[RunKey, str] = field(default_factory=dict)  # what a run is there to show
    failures: dict[str, Failure] = field(default_factory=dict)
    rules: dict[str, str] = field(default_factory=dict)  # what a rule is about → its state
    decisions: dict[str, list[str]] = field(default_factory=dict)  # topic → choices
    values: dict[str, list[str]] = field(default_factory=dict)  # setting → values
    corrections: dict[str, tuple[str, str]] = field(default_factory=dict)  # (wrong, right)
    headings: list[str] = field(default_factory=list)  # of the user's plan
    steps: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    tasks: dict[str, str] = field(default_factory=dict)
    commits: list[str] = field(default_factory=list)
    uncommitted: list[str] = field(default_factory=list)  # messages of commits that were refused
    reports: dict[str, str] = field(default_factory=dict)  # command → what its output holds


WORDS: dict[str, tuple[Sequence[str], Sequence[str]]] = tables_of("words")


class Vocabulary:
    """A source of words from one half; the same seed and half give the same words."""

    def __init__(self, rng: Random, *, held_out: bool = False) -> None:
        self.rng = rng
        self._half = int(held_out)
        self._used: set[str] = set()

    def pool(self, kind: str) -> Sequence[str]:
        """Every word or saying of a kind."""
        return WORDS[kind][self._half]

    def one(self, kind: str) -> str:
        """Any word or saying of a kind."""
        return self.rng.choice(self.pool(kind))

    def some(self, kind: str, count: int) -> list[str]:
        """So many different ones of a kind."""
        return self.rng.sample(self.pool(kind), count)

    def say(self, kind: str, *given: str) -> str:
        """A saying with what it speaks of filled in."""
        return self.one(kind).format(*given, **self._filled())

    def name(self) -> str:
        """A compound name that was not given before: `stale_cursor`."""
        made = f"{self.one('adjective')}_{self.one('noun')}"
        while made in self._used:
            made = f"{self.one('adjective')}_{self.one('noun')}_{self.one('verb')}"
        self._used.add(made)
        return made

    def path(self, suffix: str = ".py") -> str:
        """The path of a file that was not given before."""
        return f"{self.one('folder')}/{self.name()}{suffix}"

    def _filled(self) -> dict[str, Any]:
        adjective, _, noun = self.name().partition("_")
        return {"verb": self.one("verb"), "adjective": adjective, "noun": noun.replace("_", " ")}

    def code(self, lines: int) -> list[str]:
        """Lines of a program in Python, made of these words."""
        made: list[str] = []
        while len(made) < lines:
            verb, noun, other = self.one("verb"), self.one("noun"), self.one("noun")
            adjective, number = self.one("adjective"), self.rng.randrange(2, 9_000)
            title = noun.title()
            made += [
                f"def {verb}_{noun}({other}: {other.title()}, limit: int = {number}) -> {title}:",
                f'    """{verb.title()} the {adjective} {noun} of a {other}."""',
                f"    {noun} = {title}({other}.{adjective}_id, size={number // 2})",
                f"    for part in {other}.{noun}s[:limit]:",
                f"        {noun}.{verb}(part, {adjective}={self.rng.random() < 0.5})",
                f"    return {noun}",
                "",
            ]
        return made[:lines]
