"""Pictures that the user shows between long work; what matters is in the words beside them."""

from __future__ import annotations

from loom_bench.scenarios.wording import Halves, PlantedWords, Story, hear, session
from loom_bench.script import SessionScript
from loom_bench.words import words_of

SIZES = ((640, 480), (1024, 768), (1280, 800), (1600, 1000), (750, 1334), (320, 200))
KINDS = ("paint", "caption", "person")
TABLES = words_of("pictures", "TABLES", Halves)


def pictures(script: SessionScript) -> None:
    """Screenshots and drawings between long work, with facts and rules in the words beside them."""

    def stories(words: PlantedWords) -> list[Story]:
        made = [write(script, words, kind) for kind in KINDS for write in (_fact, _fact, _changing)]
        return [*made, _rule(script, words), _rule(script, words), _plain(script, words)]

    session(script, TABLES, stories, 38, (62_000, 90_000))


def _fact(script: SessionScript, words: PlantedWords, kind: str) -> Story:
    """A picture, a fact in its words, and work that needs it."""
    thing, value = words.one("thing", "facts"), words.one(kind)
    at = _show(script, words, words.say(f"{kind} said", thing=thing, value=value))
    script.fact(value, words.say(f"{kind} question", thing=thing), at)
    yield
    yield from _needed(script, words, thing, value)


def _changing(script: SessionScript, words: PlantedWords, kind: str) -> Story:
    """The same, and a later picture brings another value."""
    thing, old, new = words.one("thing", "facts"), words.one(kind), words.one(kind)
    question = words.say(f"{kind} question", thing=thing)
    first = _show(script, words, words.say(f"{kind} said", thing=thing, value=old))
    yield
    second = _show(script, words, words.say(f"{kind} changed", thing=thing, value=new))
    script.changes(question, ((first, old), (second, new)))
    script.fact(new, question, second)
    yield
    yield from _needed(script, words, thing, new)


def _rule(script: SessionScript, words: PlantedWords) -> Story:
    """A picture with a constraint in its words."""
    said = words.say("rule", thing=words.one("thing", "rules"))
    script.rule(said, _show(script, words, said))
    yield


def _plain(script: SessionScript, words: PlantedWords) -> Story:
    """Pictures with nothing to remember."""
    for _ in range(4):
        _show(script, words, words.one("plain"))
        yield


def _needed(script: SessionScript, words: PlantedWords, thing: str, value: str) -> Story:
    for _ in range(2):
        hear(script, words, f"{words.say('aside')} {words.say('asks', thing=thing)}")
        script.need(value)
        yield


def _show(script: SessionScript, words: PlantedWords, said: str) -> int:
    """The user shows a picture, now and then a second one after it."""
    if script.messages[-1]["role"] == "tool":
        script.says(words.say("closing"))
    if script.rng.random() < 0.3:
        script.picture(words.say("opening"), *script.rng.choice(SIZES))
    text = [words.say("opening"), *(words.say("aside") for _ in range(script.rng.randint(0, 2)))]
    text.insert(script.rng.randint(1, len(text)), said)
    return script.picture(" ".join([*text, words.say("request")]), *script.rng.choice(SIZES))
