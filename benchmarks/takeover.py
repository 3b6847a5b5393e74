"""Takeover: of what a successor must know, how much each way of keeping a window still says.

An item is answered by a text when each of its evidence groups has one alternative in the text.
Loom's window comes first; the others get as many characters as Loom's request of that size shows,
or as many tokens as its capacity holds. In Loom's window a call is made as a model would make it:
`recall` with the words of the question, `page_in` with the newest name of a line that shares most
words with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from cyclopts import Parameter
from msgspec import Struct, json

import loom
from benchmarks.driven import gathered, opened, requests
from benchmarks.options import (
    Capacity,
    CommandResult,
    Details,
    Names,
    Sessions,
    Workers,
    measuring,
    sizes,
)  # fmt: skip
from benchmarks.show import by_capacity, by_row
from loom.inputs import Reply, Session, Speech, System, User
from loom.live import Context
from loom.replay.feed import replay
from loom_bench.carried import rendered, spoken
from loom_bench.errors import BadBench
from loom_bench.recorded.takeovers import TakenOver, TakeoverItem, plain, taken_over
from loom_bench.strategies.by_loom import NAME, named_in, would_answer

KINDS = ("said", "why", "state", "exact", "trap")
AGES = {"new": range(20), "mid": range(20, 80), "old": range(80, 1 << 30)}  # messages before it
HEADS = {name: name for name in ("resident", "near", "wrong", *KINDS, *AGES, "characters")}
LOOM = "loom"
REPLY = 4_000  # tokens kept for the reply; the window is that much larger than the capacity
TALK = 0.35  # of the characters: what user and model said, in the way that is ten lines long
LONG = 800  # characters of a message over which both its ends are kept there
WORD = re.compile(r"\w{4,}")

Texts = list[str]


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


def _all(given: TakenOver) -> Texts:
    """All that went by."""
    events = (event for event in given.events if not isinstance(event, System))
    return [text for event in events for text in spoken(event)]


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
WAYS = (LOOM, *BY_CHARACTERS, "tail", "tail_low", "clear_tools", "plain_ladder")
WAYS_SAID = f"A way of {', '.join(WAYS)}; again for more. Without any, all."


def judged(job: TakeoverJob) -> list[TakeoverVerdict]:
    """Every item of a session, in every way at one capacity."""
    given, size = job.given, job.capacity + REPLY
    with (
        TemporaryDirectory(prefix="loom-takeover-") as folder,
        loom.open(Path(folder) / "w", window=size, reply=REPLY, durable=False) as context,
    ):
        *_, last = replay(context, Session(given.name, given.events))
        ours = rendered(last.messages)
        room, names = sum(map(len, ours)), list(named_in(last.messages))

        def near(item: TakeoverItem, text: str) -> bool:
            answers = _asked(context, item.question, names)
            return any(item.answered(f"{text} {plain(answer)}") for answer in answers)

        found: list[TakeoverVerdict] = []
        for name in job.ways:
            texts = ours if name == LOOM else _kept(name, job, room)
            text, characters = " ".join(map(plain, texts)), sum(map(len, texts))
            for item in given.items:
                resident = item.answered(text)
                found.append(TakeoverVerdict(
                    given.name, job.capacity, name, item.id, item.kind, item.age, resident,
                    resident or (name == LOOM and near(item, text)), item.misled(text), characters,
                ))  # fmt: skip
    return found


def _kept(name: str, job: TakeoverJob, room: int) -> Texts:
    """What another way says at the end of a session."""
    if name in BY_CHARACTERS:
        return BY_CHARACTERS[name](job.given, room)
    with opened(name, job.capacity) as way:
        for _ in requests(job.given.events, way):
            pass  # it is asked for each: some ways cut only then
        return rendered(way.request())


def _asked(context: Context, question: str, names: Iterable[tuple[str, str]]) -> Texts:
    """The answers to the two calls a model would make for a question."""
    asked = _words(question)
    best, name = (0, 0), ""
    for line, one in names:  # the newest of equals: they come in the order of the request
        before = NAME.split(line[: line.find(one)])[-1]  # a line may list many, each
        shared = len(asked & _words(line)), len(asked & _words(before))  # behind its own words
        if shared[0] and shared >= best:
            best, name = shared, one
    calls = {"page_in": {"ref": name}, "recall": {"query": question}}
    return [
        would_answer(context, tool, given) for tool, given in calls.items() if all(given.values())
    ]


def _words(text: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(text)}


@measuring
def takeover(
    *,
    data: Path,
    sessions: Sessions | None = None,
    capacity: Capacity = "8000,16000,32000,64000",
    way: Annotated[Names, Parameter(help=WAYS_SAID)] = None,
    only: Names = None,
    workers: Workers = 2,
    details: Details = None,
) -> CommandResult:
    """Look in each way of keeping a window for what a successor must know.

    Parameters
    ----------
    data
        A folder of labelled items, a file a session.
    sessions
        Folders of the recorded sessions; without any, `agent-sessions*` beside `data`.
    only
        The sessions, by the first letters of their names; without any, all.
    """
    asked = sizes("--capacity", capacity)
    ways = tuple(way or WAYS)
    if unknown := [one for one in ways if one not in WAYS]:
        raise BadBench(f"--way {unknown[0]!r}: give some of {', '.join(WAYS)}")
    folders = sessions or sorted(data.parent.glob("agent-sessions*"))
    every = [one.load() for one in taken_over(data, folders)]
    given = [one for one in every if not only or one.name.startswith(tuple(only))]
    if not given:
        raise BadBench("--only: no labelled session has a name that begins so")
    jobs = [TakeoverJob(one, size, ways) for one in given for size in asked]
    several = gathered(
        "sessions by capacities", judged, jobs, workers,
        lambda some: (f"{some[0].session} at {some[0].capacity:,}", False),
    )  # fmt: skip
    found = [one for some in several for one in some]
    if details is not None:
        details.write_bytes(json.Encoder().encode_lines(found))
    report = by_capacity(found, ways, asked, lambda one: (one.way, one.capacity), _figures)
    items = sum(len(one.items) for one in given)
    title = f"Takeover, {{:,}} tokens a request: of {items} items"
    shown = [by_row(title.format(size), report[str(size)], HEADS) for size in asked]
    return CommandResult(report, shown)


def _figures(some: Sequence[TakeoverVerdict]) -> dict[str, Any]:
    """Counts of items, by kind and by age, and mean characters."""
    sessions = {one.session: one.characters for one in some}
    held = [one for one in some if one.resident]
    return {
        "n": len(some),
        "resident": len(held),
        "near": sum(one.near for one in some),
        "wrong": sum(one.wrong for one in some),
        "characters": sum(sessions.values()) // max(len(sessions), 1),
        **{kind: sum(one.kind == kind for one in held) for kind in KINDS},
        **{age: sum(one.age in ages for one in held) for age, ages in AGES.items()},
    }
