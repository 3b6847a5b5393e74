"""The ways of keeping a window, and what each still says, or says wrongly, at the takeover.

Loom's window comes first; the others get as many characters as Loom's request of that size shows,
or as many tokens as its capacity holds.

The call is made as a model would make it: `recall` with the words of the question, `page_in` with
the newest name of a line that shares most words with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

import loom
from benchmarks.driven import opened, requests
from benchmarks.takeover.labels import TakenOver, TakeoverItem, plain
from loom.context import Context
from loom.inputs import Reply, Session, Speech, System, User
from loom.replay.feed import replay
from loom_bench.carried import rendered, spoken
from loom_bench.strategies.by_loom import NAME, named_in, would_answer

TALK = 0.35  # of the characters: what user and model said, in the way that is ten lines long
LONG = 800  # characters of a message over which both its ends are kept there
LOOM = "loom"
REPLY = 4_000  # tokens kept for the reply; the window is that much larger than the capacity

Texts = list[str]


def _all(given: TakenOver) -> Texts:
    """All that went by."""
    return [
        text for event in given.events if not isinstance(event, System) for text in spoken(event)
    ]


def _talk(given: TakenOver) -> Texts:
    """What user and model said, of long messages both ends."""
    said: Texts = []
    for event in given.events:
        if isinstance(event, User):
            said.append(event.text)
        elif isinstance(event, Reply):
            said += [part.text for part in event.parts if isinstance(part, Speech)]
    half = LONG // 2
    return [text if len(text) <= LONG else f"{text[:half]} … {text[-half:]}" for text in said]


def _newest(texts: Texts, room: int, before: Sequence[str] = ()) -> Texts:
    """What is before, then the newest texts in order that `room` characters hold beside it; the
    oldest is cut at its front."""
    room -= sum(map(len, before))
    kept: Texts = []
    for text in reversed(texts):
        if room <= 0:
            break
        kept.append(text[-room:])
        room -= len(kept[-1])
    return [*before, *kept[::-1]]


# Of a session and a number of characters; the summary is the one the client's model wrote there.
BY_CHARACTERS: dict[str, Callable[[TakenOver, int], Texts]] = {
    "newest": lambda given, room: _newest(_all(given), room),
    "talk_newest": lambda given, room: _newest(
        _all(given), room, _newest(_talk(given), int(room * TALK))
    ),
    "summary_newest": lambda given, room: _newest(_all(given), room, [given.summary[:room]]),
    "summary": lambda given, room: [given.summary],
}
BY_TOKENS = ("tail", "tail_low", "clear_tools", "plain_ladder")
WAYS = (LOOM, *BY_CHARACTERS, *BY_TOKENS)


WORD = re.compile(r"\w{4,}")


class TakeoverJob(Struct, frozen=True):
    """A session, a capacity in tokens of a request, and the names of the ways that are measured."""

    given: TakenOver
    capacity: int
    ways: tuple[str, ...]


class TakeoverVerdict(Struct, frozen=True):
    """What a way says of one item: `near` is resident, or in the answer to one call."""

    session: str
    capacity: int
    way: str
    item: str
    kind: str
    age: int
    resident: bool
    near: bool
    wrong: bool
    characters: int


def judged(job: TakeoverJob) -> list[TakeoverVerdict]:
    """Every item of a session, in every way at one capacity."""
    given, size = job.given, job.capacity + REPLY
    found: list[TakeoverVerdict] = []
    with (
        TemporaryDirectory(prefix="loom-takeover-") as folder,
        loom.open(Path(folder) / "w", window=size, reply=REPLY, durable=False) as context,
    ):
        *_, last = replay(context, Session(given.name, given.events))
        texts = rendered(last.messages)
        if LOOM in job.ways:
            names = list(named_in(last.messages))

            def near(item: TakeoverItem, text: str) -> bool:
                answers = _asked(context, item.question, names)
                return any(item.answered(f"{text} {plain(answer)}") for answer in answers)

            found += _verdicts(job, LOOM, texts, near)
    room = sum(map(len, texts))
    for name in job.ways:
        if name in BY_CHARACTERS:
            found += _verdicts(job, name, BY_CHARACTERS[name](given, room))
        elif name != LOOM:
            with opened(name, job.capacity) as way:
                for _ in requests(given.events, way):
                    pass  # it is asked for each: some ways cut only then
                found += _verdicts(job, name, rendered(way.request()))
    return found


def _verdicts(
    job: TakeoverJob,
    way: str,
    texts: Sequence[str],
    near: Callable[[TakeoverItem, str], bool] = lambda item, text: False,
) -> Iterator[TakeoverVerdict]:
    text, characters = " ".join(map(plain, texts)), sum(map(len, texts))
    for item in job.given.items:
        resident = item.answered(text)
        yield TakeoverVerdict(
            job.given.name, job.capacity, way, item.id, item.kind, item.age,
            resident, resident or near(item, text), item.misled(text), characters,
        )  # fmt: skip


def _asked(context: Context, question: str, names: Iterable[tuple[str, str]]) -> list[str]:
    """The answers to the two calls a model would make for a question."""
    asked = words(question)
    best, name = (0, 0), ""
    for line, one in names:  # the newest of equals: they come in the order of the request
        before = NAME.split(line[: line.find(one)])[-1]  # a line may list many, each
        shared = len(asked & words(line)), len(asked & words(before))  # behind its own words
        if shared[0] and shared >= best:
            best, name = shared, one
    calls = {"page_in": {"ref": name}, "recall": {"query": question}}
    return [
        would_answer(context, tool, arguments)
        for tool, arguments in calls.items()
        if all(arguments.values())
    ]


def words(text: str) -> set[str]:
    """The words of a text that say something, small."""
    return {word.casefold() for word in WORD.findall(text)}
