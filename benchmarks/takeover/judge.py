"""The ways of keeping a window, and what each still says, or says wrongly, at the takeover.

Loom's window comes first; the others get as many characters as Loom's request of that size shows,
or as many tokens as its capacity holds.

The call is made as a model would make it: `recall` with the words of the question, `page_in` with
the newest name of a line that shares most words with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

import loom
from benchmarks.takeover.labels import TakenOver, TakeoverItem, plain
from loom.context import Context
from loom.errors import LoomError
from loom.inputs import Event, Reply, Session, Speech, System, User
from loom.providers.counts import counter_for
from loom.providers.render.message import Message
from loom.replay.cost import Meter
from loom.replay.feed import replay
from loom_bench.carried.items import rendered, spoken
from loom_bench.recorded.named import opener
from loom_bench.strategies.by_loom import NAME, named_in, would_answer

TALK = 0.35  # of the characters: what user and model said, in the way that is ten lines long
LONG = 800  # characters of a message over which both its ends are kept there
LOOM = "loom"
REPLY = 4_000  # tokens kept for the reply; the window is that much larger than the capacity

Way = Callable[[TakenOver, int], list[str]]  # of a session and a number of characters


@contextmanager
def loom_window(given: TakenOver, capacity: int) -> Iterator[tuple[Context, Sequence[Message]]]:
    """Loom at the moment of takeover, and the messages of the request that comes next."""
    with TemporaryDirectory(prefix="loom-takeover-") as folder:
        size = capacity + REPLY
        with loom.open(Path(folder) / "w", window=size, reply=REPLY, durable=False) as context:
            *_, last = replay(context, Session(given.name, given.events))
            yield context, last.messages


def newest(given: TakenOver, room: int) -> list[str]:
    """The newest characters of all that went by."""
    return _newest(_texts(given.events), room)


def talk_and_newest(given: TakenOver, room: int) -> list[str]:
    """What user and model said, the newest first, then the newest characters."""
    share = int(room * TALK)
    said = _newest((_ends(text) for text in _said(given.events)), share)
    return [*said, *newest(given, room - sum(map(len, said)))]


def summary_and_newest(given: TakenOver, room: int) -> list[str]:
    """The summary the client's model wrote there, then the newest characters."""
    summary = given.summary[:room]
    return [summary, *newest(given, room - len(summary))]


def summary_alone(given: TakenOver, room: int) -> list[str]:
    """The summary the client's model wrote there."""
    return [given.summary]


BY_CHARACTERS: dict[str, Way] = {
    "newest": newest,
    "talk_newest": talk_and_newest,
    "summary_newest": summary_and_newest,
    "summary": summary_alone,
}
BY_TOKENS = ("tail", "tail_low", "clear_tools", "plain_ladder")


def by_tokens(name: str, given: TakenOver, capacity: int) -> list[str]:
    """The request of a way that is no engine, of so many tokens at most."""
    way = opener(name)(capacity, Meter(counter_for()), False)
    try:
        for event in given.events:
            if isinstance(event, Reply):
                way.request()
            way.feed(event)
        return rendered(way.request())
    finally:
        way.close()


def _texts(events: Iterable[Event]) -> list[str]:
    return [text for event in events if not isinstance(event, System) for text in spoken(event)]


def _said(events: Iterable[Event]) -> Iterator[str]:
    """What user and model said, in order."""
    for event in events:
        if isinstance(event, User):
            yield event.text
        elif isinstance(event, Reply):
            yield from (part.text for part in event.parts if isinstance(part, Speech))


def _ends(text: str) -> str:
    """Both ends of a long text."""
    half = LONG // 2
    return text if len(text) <= LONG else f"{text[:half]} … {text[-half:]}"


def _newest(texts: Iterable[str], room: int) -> list[str]:
    """The newest texts that `room` characters hold, in order; the oldest is cut at its front."""
    kept: list[str] = []
    for text in reversed(list(texts)):
        if room <= 0:
            break
        kept.append(text[-room:])
        room -= len(kept[-1])
    return kept[::-1]


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
    with loom_window(job.given, job.capacity) as (context, messages):
        texts = rendered(messages)
        room = sum(map(len, texts))
        found = list(_ours(job, context, messages, texts)) if LOOM in job.ways else []
    for way in job.ways:
        if way in BY_CHARACTERS:
            found += _verdicts(job, way, BY_CHARACTERS[way](job.given, room))
        elif way != LOOM:
            found += _verdicts(job, way, by_tokens(way, job.given, job.capacity))
    return found


def _ours(
    job: TakeoverJob, context: Context, messages: Sequence[Message], texts: Sequence[str]
) -> Iterable[TakeoverVerdict]:
    names = list(named_in(messages))
    answers: dict[str, list[str]] = {}

    def near(item: TakeoverItem, text: str) -> bool:
        for answer in answers.setdefault(item.id, _asked(context, item.question, names)):
            if item.answered(f"{text} {plain(answer)}"):
                return True
        return False

    return _verdicts(job, LOOM, texts, near)


def _verdicts(
    job: TakeoverJob,
    way: str,
    texts: Sequence[str],
    near: Callable[[TakeoverItem, str], bool] = lambda item, text: False,
) -> Iterator[TakeoverVerdict]:
    text = " ".join(map(plain, texts))
    for item in job.given.items:
        resident = item.answered(text)
        yield TakeoverVerdict(
            session=job.given.name,
            capacity=job.capacity,
            way=way,
            item=item.id,
            kind=item.kind,
            age=item.age,
            resident=resident,
            near=resident or near(item, text),
            wrong=item.misled(text),
            characters=sum(map(len, texts)),
        )


def _asked(context: Context, question: str, names: Iterable[tuple[str, str]]) -> list[str]:
    """The answers to the two calls a model would make for a question."""
    asked = words(question)
    best, name = (0, 0), ""
    for line, one in names:  # the newest of equals: they come in the order of the request
        before = NAME.split(line[: line.find(one)])[-1]  # a line may list many, each
        shared = len(asked & words(line)), len(asked & words(before))  # behind its own words
        if shared[0] and shared >= best:
            best, name = shared, one
    answers = []
    for tool, arguments in (("page_in", {"ref": name}), ("recall", {"query": question})):
        if all(arguments.values()):
            try:
                answers.append(would_answer(context, tool, arguments))
            except LoomError as error:
                answers.append(str(error))
    return answers


def words(text: str) -> set[str]:
    """The words of a text that say something, small."""
    return {word.casefold() for word in WORD.findall(text)}
