"""What the tests of scenarios hold every one of them against."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct, structs

from loom_bench.drive import DrivenSession, driven
from loom_bench.judges import JUDGES
from loom_bench.scenarios import session_of
from loom_bench.session import (
    HALVES,
    ChangingValue,
    CommandFailure,
    FactDue,
    PressureSession,
    StandingRule,
)
from loom_bench.strategies import STRATEGIES
from loom_bench.wires import WireReader, texts

# Words of grammar, which both halves need; anything else of three letters or more is content.
GRAMMAR = frozenset([
    "about", "after", "all", "and", "any", "are", "before", "does", "else", "every", "for",
    "from", "get", "got", "had", "has", "have", "here", "how", "into", "its", "may", "more",
    "must", "never", "not", "now", "off", "once", "one", "only", "our", "out", "own", "since",
    "that", "the", "them", "then", "there", "they", "this", "was", "what", "when", "where",
    "whom", "who", "whose", "with", "will", "you", "your", "der", "die", "das", "den", "und",
    "ist", "mit", "von", "wer", "für", "для", "кто", "что", "это", "ile", "bir", "için", "kim",
    "من", "هو", "عن", "هذا",
])  # fmt: skip
FILLED = re.compile(r"{\w+}")  # a place of a template


def said(session: PressureSession, at: int) -> str:
    """A message's texts and calls as one text."""
    message = session.messages[at]
    return "\n".join((*texts(message), str(message.get("tool_calls", ""))))


def brought(session: PressureSession) -> Iterator[tuple[str, int]]:
    """Every text that is owed and the message that brings it."""
    for one in session.obligations:
        if isinstance(one, FactDue):
            yield one.value, one.at
        elif isinstance(one, StandingRule):
            yield one.text, one.at
        elif isinstance(one, ChangingValue):
            yield from ((value, at) for at, value in one.states)
        else:
            assert isinstance(one, CommandFailure)
            yield one.says, one.at


def holds_what_it_owes(session: PressureSession) -> None:
    """What is owed stands in its message and in none before. Only a reply that needs a value, or a
    message that brings the next one in its place, says it again."""
    again: dict[str, set[int]] = {}
    for fact in session.owed(FactDue):
        again.setdefault(fact.value, set()).update(fact.due)
    for thing in session.owed(ChangingValue):
        for (_, old), (at, _) in zip(thing.states, thing.states[1:], strict=False):
            again.setdefault(old, set()).add(at)
    messages = [said(session, at) for at in range(len(session.messages))]
    for text, at in brought(session):
        where = [number for number, message in enumerate(messages) if text in message]
        assert where[0] == at, text
        assert set(where[1:]) <= again.get(text, set()), text


def needs_come_after(session: PressureSession) -> None:
    """Each fact is needed after it was said, before a reply, at the end if not replaced."""
    moments = set(session.moments())
    replaced = {value for thing in session.owed(ChangingValue) for _, value in thing.states[:-1]}
    for fact in session.owed(FactDue):
        assert fact.value.casefold() not in fact.question.casefold()
        assert all(fact.at < due and due in moments for due in fact.due)
        assert (len(session.messages) in fact.due) == (fact.value not in replaced)


def is_lawful(session: PressureSession) -> None:
    """The harness, the user, then replies; every call has its result at once; the user is last."""
    roles = "".join(message["role"][0] for message in session.messages)
    assert re.fullmatch(r"su(at+|au|t*u?)*", roles)
    assert roles.startswith("sua") and roles.endswith("tu")
    assert "uu" not in roles and "aa" not in roles
    open_calls: list[str] = []
    for message in session.messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] == open_calls.pop(0)
            assert message["content"].strip()
        else:
            assert not open_calls
            calls = message.get("tool_calls") or ()
            assert message["content"] or calls
            assert all(re.fullmatch(r"[\w-]{1,64}", one["function"]["name"]) for one in calls)
            open_calls = [call["id"] for call in calls]


def stands(scenario: str, seed: int, half: str) -> PressureSession:
    """A session of a scenario that was held against all of the above."""
    session = session_of(scenario, seed, half)
    assert session == session_of(scenario, seed, half)
    holds_what_it_owes(session)
    needs_come_after(session)
    is_lawful(session)
    return session


def tokens(session: PressureSession) -> int:
    """Tokens of a whole session."""
    return WireReader().count(session.messages)


def middle(session: PressureSession) -> int:
    """How often something is needed before the end."""
    end = len(session.messages)
    return sum(due < end for fact in session.owed(FactDue) for due in fact.due)


def half_words(scenario: str, half: str, seeds: range) -> set[str]:
    """The words of content of what a scenario plants in a half: owed, asked, said by the user."""
    found: set[str] = set()
    for seed in seeds:
        session = session_of(scenario, seed, half)
        asked = [one.question for one in session.obligations if hasattr(one, "question")]
        speech = [
            said(session, at)
            for at, message in enumerate(session.messages)
            if message["role"] in ("system", "user")
        ]
        found |= content((*asked, *speech, *(text for text, _ in brought(session))))
    return found


def halves_differ(scenario: str, seeds: range = range(5)) -> None:
    """The halves of a scenario share no word that is planted."""
    public, held_out = (half_words(scenario, half, seeds) for half in HALVES)
    assert len(public) > 20 < len(held_out)
    assert not public & held_out


def seeds_differ(scenario: str, half: str) -> None:
    """Two seeds give other values."""
    one, other = ({text for text, _ in brought(session_of(scenario, at, half))} for at in (1, 2))
    assert len(one & other) < len(one) / 2


def through(session: PressureSession, strategy: str, window: int) -> DrivenSession:
    """A session through a strategy of the kit, held by the judges of law and of facts."""
    judges = [JUDGES.get(name) for name in ("lawful", "facts")]
    return driven(session, STRATEGIES.get(strategy), window, judges)


def content(table: Any) -> set[str]:
    """Every word of content in a table of templates, however it is nested."""
    return {
        word
        for text in _strings(table)
        for word in _words(FILLED.sub(" ", text))
        if word not in GRAMMAR
    }


def _words(text: str) -> Iterator[str]:
    """Words of three letters or more, pairs of Han characters, single emoji."""
    for word in re.findall(r"[^\W\d_]+", text.casefold()):
        han = re.findall("[\u4e00-\u9fff]+", word)
        yield from (run[at : at + 2] for run in han for at in range(len(run) - 1))
        if not han and len(word) > 2:
            yield word
    yield from (one for one in text if ord(one) > 0x1F300)


def _strings(table: Any) -> Iterator[str]:
    if isinstance(table, str):
        yield table
    elif isinstance(table, dict):
        yield from _strings(tuple(table.values()))
    elif isinstance(table, Struct):
        yield from _strings(structs.astuple(table))
    else:
        for one in table:
            yield from _strings(one)
