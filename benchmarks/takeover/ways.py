"""The ways of keeping a window, each as the texts it shows at the moment of takeover.

Loom's window comes first; the others get as many characters as Loom's request of that size shows,
or as many tokens as its capacity holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import loom
from benchmarks.takeover.labels import TakenOver
from loom.context import Context
from loom.inputs import Event, Reply, Session, Speech, System, User
from loom.providers.counts import counter_for
from loom.providers.render.message import Message
from loom.replay.cost import Meter
from loom.replay.feed import replay
from loom_bench.carried.items import rendered, spoken
from loom_bench.recorded.windows import BASELINES, Unpaged

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
    meter = Meter(counter_for())
    way = Unpaged(BASELINES[name](capacity, meter), capacity, meter)
    for event in given.events:
        if isinstance(event, Reply):
            way.request()
        way.feed(event)
    return rendered(way.request())


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
