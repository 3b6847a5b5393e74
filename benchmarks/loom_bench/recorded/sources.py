"""Recorded sessions as histories with labels: a file's own, derived ones, several by turns.

Each task has a working tree of its own, and a turn ends only where a reply begins. What a call
needs lies about as many times further back as there are tasks, so that large windows overflow too.

A call needs what it names and did not come up with: the old text of an edit, and each path and name
of code in its other arguments that an earlier message holds.
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

from loom.errors import BadSession
from loom.inputs import Event, Reasoning, Reply, Result, Session, Speech, System, ToolCall
from loom.replay.importers import find, load
from loom_bench.recorded.labels import UNKNOWN, Label, labels_of, recorded
from loom_bench.sessions.generate import session
from loom_bench.sessions.needle import arguments_of, event_texts, held_by_any

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


OLD = frozenset({"old_string", "oldText", "old_str"})
NAME = re.compile(r"[\w./-]*\w[/_]\w[\w./-]*\w")  # with a slash or an underscore within


class MadeUp(Struct, frozen=True):
    """The generated coding session of a seed, of so many replies."""

    seed: int
    steps: int

    def load(self) -> tuple[Session, list[Label]]:
        """The session, and the labels of its needs."""
        made = session(self.seed, self.steps)
        return made, derived(made.events)


def derived(events: Sequence[Event], most: int = 0) -> list[Label]:
    """The labels of numbered events: a label for each text that a call needs and had been shown.

    With `most`, of at most so many replies, spread evenly over the session.
    """
    replies = [at for at, event in enumerate(events) if isinstance(event, Reply) and event.calls]
    step = -(-len(replies) // most) if most else 1  # rounded up
    asking = set(replies[::step] if replies else ())
    return [
        label
        for at, event in enumerate(events)
        if isinstance(event, Reply) and at in asking
        for call in event.calls
        for kind, needle in dict.fromkeys(needed(call))
        if (label := _label(events, at, call, kind, needle)) is not None
    ]


def needed(call: ToolCall) -> Iterator[tuple[str, str]]:
    """(kind, text) of all that a call names."""
    for key, value in arguments_of(call).items():
        if isinstance(value, str) and value and key in OLD:
            yield "edit_old", value
        elif isinstance(value, str) and key not in UNKNOWN:
            yield from (("ident", name) for name in NAME.findall(value))


def _label(
    events: Sequence[Event], at: int, call: ToolCall, kind: str, needle: str
) -> Label | None:
    """The label of a needed text, None where no earlier message holds it."""
    tokens = 0
    for seen in reversed(range(at)):
        if held_by_any(needle, event_texts(events[seen])):
            index = events[seen].index
            return Label(events[at].index, kind, needle, call.name, index, tokens)
        tokens += size(events[seen])
    return None


REPLIES = 250  # of a session that are looked at for needs, where no file labels them


class RecordedSource(Struct, frozen=True):
    """The session number `at` of a file."""

    path: Path
    at: int

    def load(self) -> tuple[Session, list[Label]]:
        """The session and the labels beside it; those its calls give where there are none.

        Raises BadSession.
        """
        if labels_of(self.path).is_file():
            return recorded(self.path)
        sessions = load(self.path)
        if self.at >= len(sessions):
            raise BadSession(self.path, 0, "it changed while it was replayed")
        session = sessions[self.at]
        events = tuple(replace(event, index=at) for at, event in enumerate(session.events))
        return replace(session, events=events), derived(events, REPLIES)


def sources_of(
    places: Iterable[Path], limit: int = 0
) -> tuple[list[RecordedSource], list[BadSession]]:
    """Every session of files and folders, the longest first, at most `limit`; 0 is all.

    Also why other files cannot be read.
    """
    found: list[tuple[int, RecordedSource]] = []
    skipped: list[BadSession] = []
    for path in find(places):
        try:
            sessions = load(path)
        except BadSession as error:
            skipped.append(error)
            continue
        found += [(len(one.events), RecordedSource(path, at)) for at, one in enumerate(sessions)]
    found.sort(key=lambda one: (-one[0], one[1].path, one[1].at))
    return [source for _, source in found[: limit or None]], skipped
