"""What the tests of scenarios look at: where filler stands, and the words of either half."""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import to_builtins

from loom_bench.scenarios import SCENARIOS
from loom_bench.script import SessionScript
from loom_bench.session import (
    ChangingValue,
    CommandFailure,
    FactDue,
    PlantedInstruction,
    PressureSession,
    StandingRule,
    Wire,
)
from loom_bench.words import tables_of

# Words that every text has; what is left of a text are the words that carry its matter.
COMMON_TEXT = """
    a about after all also an and any anyone anything are as at be because been before beside
    between both but by can could did do does down each either else every everybody everything for
    from had has have he her here him his how http i if in into is isn't it its itself just may me
    mine more most must my myself near no nobody none nor not nothing now of off on once one only
    or other our ours out over own past same she should so some somebody something somewhere such
    than that the their them then there these they this those through till to too towards two
    under until up upon us very was we were what whatever when whenever where which while who
    whoever whom whose why will with within would yet you your yours yourself
"""
COMMON = frozenset(COMMON_TEXT.split())
KEYS = ("about", "value", "where")  # fields that name a table or an argument


class WatchedScript(SessionScript):
    """A script that remembers which messages are ordinary work."""

    def __init__(self, scenario: str, seed: int, half: str) -> None:
        super().__init__(scenario, seed, half)
        self.filler: set[int] = set()

    def work(self, steps: int = 0, *, tokens: int = 0) -> None:
        """The same work."""
        before = len(self.messages)
        super().work(steps, tokens=tokens)
        self.filler.update(range(before, len(self.messages)))


def watched(scenario: str, seed: int, half: str) -> tuple[PressureSession, set[int]]:
    """A session, and the numbers of its messages of ordinary work."""
    script = WatchedScript(scenario, seed, half)
    SCENARIOS.get(scenario)(script)
    return script.session(), script.filler


def matter(texts: Iterator[str] | list[str]) -> set[str]:
    """The words of texts that carry their matter; codes are none."""
    blank = (re.sub(r"\{\w+\}", " ", text) for text in texts)
    found = {word for text in blank for word in re.findall(r"[^\W\d_]{3,}", text.lower())}
    return found - COMMON


def table_words(scenario: str, column: int) -> set[str]:
    """The words of one half in a scenario's tables, and in those that all share."""
    tables = {**tables_of("wording"), **tables_of(scenario)}
    return content([both[column] for both in tables.values()])


def content(table: Any) -> set[str]:
    """The words that carry matter in a table of templates, however it is nested."""
    return matter(_strings(to_builtins(table)))


def planted(session: PressureSession) -> Iterator[tuple[int, str]]:
    """Every text that is owed, with the number of the message that brings it."""
    for owed in session.obligations:
        match owed:
            case FactDue(value=text, at=at) | StandingRule(text=text, at=at):
                yield at, text
            case PlantedInstruction(text=text, at=at) | CommandFailure(says=text, at=at):
                yield at, text
            case ChangingValue(states=states):
                yield from states


def said(message: Wire) -> str:
    """All text of a message, its calls among it."""
    content = message.get("content") or ""
    if isinstance(content, list):
        content = "\n".join(part.get("text", "") for part in content)
    return f"{content}\n{message.get('tool_calls', '')}"


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from () if key in KEYS else _strings(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(one)
