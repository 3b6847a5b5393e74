"""Two sources disagree: pages and code, colleagues and tests, plans, the agent and the user."""

from __future__ import annotations

from loom_bench.scenarios.wording import (
    Halves,
    PlantedWords,
    Story,
    TextSource,
    hear,
    session,
)
from loom_bench.script import SessionScript
from loom_bench.session import HELD_OUT, FactDue
from loom_bench.words import words_of

# Who says something, which of two values, and whether it holds from then on. The system's words
# say who is right over whom, the user over all; a plan holds until there is a newer one.
COURSES = (
    (("page", 0, True), ("code", 1, True)),
    (("code", 0, True), ("page", 1, False)),
    (("colleague", 0, True), ("test", 1, True)),
    (("test", 0, True), ("colleague", 1, False)),
    (("plan", 0, True), ("newer", 1, True), ("plan", 0, False)),
    (("agent", 0, False), ("corrects", 1, True)),
    (("user", 0, True), ("corrects", 1, True), ("page", 0, False)),
    (("user", 0, True), ("colleague", 1, False), ("denies", 1, False)),
    (("page", 0, True), ("user", 1, True), ("code", 0, False)),
    (("agent", 0, False), ("corrects", 1, True), ("agent", 1, False)),
)
TURNS = 50

SOURCES = words_of("contradiction", "SOURCES", dict[str, tuple[TextSource, TextSource]])
TABLES = words_of("contradiction", "TABLES", Halves)
SAYS = {"page": "said", "plan": "said", "newer": "said", "colleague": "chat", "test": "failure"}
KINDS = ("firm", "limit", "label")


def contradiction(script: SessionScript) -> None:
    """Ten things on which two sources disagree; what is right is needed later."""

    def stories(words: PlantedWords) -> list[Story]:
        courses = script.rng.sample(COURSES, len(COURSES))
        return [
            _told(script, words, KINDS[number % len(KINDS)], course)
            for number, course in enumerate(courses)
        ]

    session(script, TABLES, stories, TURNS, (75_000, 110_000))


def _told(
    script: SessionScript,
    words: PlantedWords,
    kind: str,
    course: tuple[tuple[str, int, bool], ...],
) -> Story:
    """One thing: what is said of it, and what is asked of it meanwhile and after."""
    thing = words.one(kind)
    question = words.say("question", thing=thing)
    values = (_value(words, kind), _value(words, kind))
    states: list[tuple[int, str]] = []
    for number, (who, which, holds) in enumerate(course):
        at = _said(script, words, who, thing, values[which])
        if holds:
            states.append((at, values[which]))
        yield
        more = any(later for _, _, later in course[number + 1 :])
        if holds and more and script.rng.random() < 0.5:
            hear(script, words, words.say("asks", thing=thing))
            script.owes(FactDue(values[which], question, at, (len(script.messages),)))
            yield
    script.changes(question, states)
    at, value = states[-1]
    script.fact(value, question, at)
    for _ in range(2):
        hear(script, words, f"{words.say('aside')} {words.say('asks', thing=thing)}")
        script.need(value)
        yield


def _value(words: PlantedWords, kind: str) -> str:
    return words.one("firm value") if kind == "firm" else words.code(f"{kind} value")


def _said(script: SessionScript, words: PlantedWords, who: str, thing: str, value: str) -> int:
    """Somebody says what the thing is; returns the number of the message."""
    if who == "agent":
        hear(script, words, words.say("look", thing=thing))
        return script.says(words.say("agent", thing=thing, value=value))
    if who not in SOURCES:
        return hear(script, words, words.around(words.say(who, thing=thing, value=value)))
    source = SOURCES[who][script.half == HELD_OUT]
    said = words.say(SAYS[who], thing=thing, value=value) if who in SAYS else ""
    hear(script, words, words.say("look", thing=thing))
    name = thing.replace(" ", "_")
    result = source.frame.format(
        said=said,
        value=value,
        who=words.one("who"),
        before=_lines(script, words),
        after=_lines(script, words),
        code="\n".join(script.words.code(24)),
        more="\n".join(script.words.code(30)),
        NAME=name.upper(),
        Name=name.title().replace("_", ""),
    )
    return script.call(source.tool, {source.key: source.address.format(slug=name)}, result)


def _lines(script: SessionScript, words: PlantedWords) -> str:
    return "\n".join(words.say("prose") for _ in range(script.rng.randint(3, 20)))
