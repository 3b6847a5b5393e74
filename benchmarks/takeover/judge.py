"""Which items a text answers, and which are one call of `page_in` or `recall` away.

The call is made as a model would make it: `recall` with the words of the question, `page_in` with
the newest name of a line that shares most words with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from benchmarks.takeover.labels import TakenOver, TakeoverItem, plain
from benchmarks.takeover.ways import BY_CHARACTERS, BY_TOKENS, LOOM, by_tokens, loom_window
from loom.context import Context
from loom.errors import LoomError
from loom.providers.render.message import Message
from loom_bench.carried.items import rendered
from loom_bench.strategies.looking import NAME, named_in, would_answer

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
        elif way in BY_TOKENS:
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
