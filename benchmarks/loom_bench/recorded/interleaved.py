"""Sessions interleaved into one long history: an agent that works on several tasks by turns.

Each task has a working tree of its own, and a turn ends only where a reply begins. What a call
needs lies about as many times further back as there are tasks, so that large windows overflow too.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, zip_longest
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from loom.inputs import Event, Reasoning, Reply, Result, Session, Speech, System, ToolCall
from loom.replay.importers import find
from loom_bench.recorded.labels import Label, labels_of, recorded
from loom_bench.sessions.called import arguments_of
from loom_bench.sessions.needle import event_texts

LEAST = 150_000  # bytes of a session file: a shorter one is over after a turn or two
ROOT = re.compile(r"(?<![\w./:~-])/[\w.-]+/[\w.-]+(?=/)")  # two components of an absolute path
CHARACTERS = 4  # of a token, by the labels' own measure


class Interleaved(Struct, frozen=True):
    """Session files that make one history, and the tokens of a turn on each."""

    name: str
    paths: tuple[Path, ...]
    stretch: int

    def load(self) -> tuple[Session, list[Label]]:
        """The history and its labels, distances measured anew. Raises BadSession."""
        tasks = [_task(path, number) for number, path in enumerate(self.paths)]
        rounds = zip_longest(*(turns(events, self.stretch) for events, _ in tasks), fillvalue=())
        order = [
            (number, event)
            for taken in rounds
            for number, turn in enumerate(taken)
            for event in turn
        ]
        # The harness gives its instructions once.
        order = [one for at, one in enumerate(order) if at == 0 or not isinstance(one[1], System)]
        places = {(number, event.index): at for at, (number, event) in enumerate(order)}
        ends = [0, *accumulate(size(event) for _, event in order)]
        moved = [
            replace(
                label,
                call=call,
                last_seen=seen,
                distance_tokens=ends[call] - ends[seen + 1],
            )
            for number, (_, labels) in enumerate(tasks)
            for label in labels
            if (call := places.get((number, label.call))) is not None
            and (seen := places.get((number, label.last_seen))) is not None
        ]
        events = tuple(replace(event, index=at) for at, (_, event) in enumerate(order))
        return Session(self.name, events), moved


def interleaved(
    folders: Iterable[Path], tasks: int, stretch: int, seed: int, groups: int = 0, limit: int = 0
) -> list[Interleaved]:
    """Labelled sessions of at least LEAST bytes, shuffled, `tasks` to a history.

    At most `groups` histories of the `limit` largest sessions; 0 is all there are.
    """
    large = [
        path for path in find(folders) if labels_of(path).is_file() and path.stat().st_size > LEAST
    ]
    large.sort(key=lambda path: -path.stat().st_size)
    paths = sorted(large[: limit or None], key=lambda path: str(path.with_suffix("")))
    random.Random(seed).shuffle(paths)
    starts = range(0, len(paths) - tasks + 1, tasks)[: groups or None]
    return [
        Interleaved(f"interleaved-{seed}-{number}", tuple(paths[at : at + tasks]), stretch)
        for number, at in enumerate(starts)
    ]


def turns(events: Sequence[Event], stretch: int) -> Iterator[Sequence[Event]]:
    """Events in turns of at least `stretch` tokens, each but the first beginning with a reply."""
    start = taken = 0
    for at, event in enumerate(events):
        if isinstance(event, Reply) and taken >= stretch:
            yield events[start:at]
            start, taken = at, 0
        taken += size(event)
    yield events[start:]


def size(event: Event) -> int:
    """Tokens of an event by the labels' own measure."""
    if not isinstance(event, Reply):
        return len(event.text) // CHARACTERS
    spoken = (part.text for part in event.parts if isinstance(part, Speech))
    asked = (
        json.dumps({"id": call.id, "name": call.name, "arguments": arguments_of(call)})
        for call in event.calls
    )
    return sum(map(len, (*spoken, *asked))) // CHARACTERS


def _task(path: Path, number: int) -> tuple[list[Event], list[Label]]:
    """A session's events and labels, in a working tree and with call ids of its own."""
    session, labels = recorded(path)
    place = _placed(session.events, number)
    events = [_moved(event, place, number) for event in session.events]
    return events, [replace(label, needle=place(label.needle)) for label in labels]


def _placed(events: Iterable[Event], number: int) -> Callable[[str], str]:
    """Puts the commonest root of the paths that calls name elsewhere in a text."""
    texts = (text for event in events if isinstance(event, Reply) for text in event_texts(event))
    roots = Counter(root for text in texts for root in ROOT.findall(text))
    if not roots:
        return lambda text: text
    root = min(roots, key=lambda root: (-roots[root], root))
    pattern = re.compile(rf"{re.escape(root)}(?![\w.-])")
    return lambda text: pattern.sub(f"{root}{number}", text)


def _moved(event: Event, place: Callable[[str], str], number: int) -> Event:
    """An event with its texts placed and its call ids told from those of other tasks."""
    if isinstance(event, Reply):
        parts = tuple(_part(part, place, number) for part in event.parts)
        return replace(event, parts=parts, prompt_tokens=0)
    if isinstance(event, Result):
        return replace(event, call_id=_id(event.call_id, number), text=place(event.text))
    return replace(event, text=place(event.text))


def _part(
    part: Speech | Reasoning | ToolCall, place: Callable[[str], str], number: int
) -> Speech | Reasoning | ToolCall:
    if isinstance(part, ToolCall):
        return replace(part, id=_id(part.id, number), arguments=place(part.arguments))
    return replace(part, text=place(part.text))


def _id(id: str, number: int) -> str:
    return f"{id}_{number}"
