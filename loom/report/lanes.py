"""Finds how each text of a session was shown in the window, request by request.

A lane is the history of one text, which is a call's result or a user's message. At each request the
text has a state: `whole`, `part` (shortened), `line` or `out`. If it is shown again elsewhere, the
state is `back` (the model asked for it) or `ahead` (Loom read it ahead). If no cut came since the
last request, only new items are examined."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from loom.compress.worth.entry_units import path_of_call
from loom.lazy import lazy_re
from loom.providers.render.render import last_items
from loom.reduce.arguments import json_object
from loom.reduce.shell_rule import command_of_call
from loom.report.data import LaneRow, LaneSpan, Presence, Way
from loom.session.archive.restore import entry_id_in_name
from loom.text import encodable, one_line
from loom_partitions.message import (
    Call,
    Digest,
    Item,
    Notice,
    Outcome,
    Said,
    Step,
    Text,
    UserTurn,
    name_of,
)
from loom_partitions.records import Faulted
from loom_partitions.stream import is_lowered
from loom_partitions.window import Window

WORDS = 90  # characters of a title
PATH = 36  # … of a path that stands whole in one


class LaneName(NamedTuple):
    """How a lane is named on the page: a title, the tool that was called or "", the file it used or
    ""."""

    title: str
    tool: str = ""
    file: str = ""


def call_name(call: Call) -> LaneName:
    """Return the name of a call: the tool with the file, command, or first text argument."""
    arguments = json_object(call.arguments)
    path = path_of_call(call)
    texts = (value for value in arguments.values() if isinstance(value, str) and value)
    about = _path_end(path) or command_of_call(arguments) or next(texts, "")
    title, tool = one_line(f"{call.name} {about}", WORDS), one_line(call.name, WORDS)
    return LaneName(title, tool, encodable(path))  # JSON can escape what is no character


def message_name(turn: UserTurn) -> LaneName:
    """Return the name of a user message: the beginning of the message, or the source of a text that
    Loom brought in."""
    if turn.source:
        about = turn.about or turn.source
        shown = _path_end(about)
        return LaneName(
            one_line(f"{'read ahead' if turn.ahead else 'of'} {shown}", WORDS), "", about
        )
    return LaneName(one_line(turn.text.body or turn.text.page or turn.line, WORDS))


def step_name(step: Step) -> LaneName:
    """Return the name of a step: the first three calls, else the beginning of the reply."""
    calls = [call_name(call) for call in step.calls]
    if not calls:
        said = next((p.text.body or p.text.page for p in step.parts if isinstance(p, Said)), "")
        return LaneName(one_line(said, WORDS))
    title = " · ".join(call.title for call in calls[:3])
    more = f" · +{len(calls) - 3}" if len(calls) > 3 else ""
    return LaneName(one_line(title, 2 * WORDS) + more, calls[0].tool, calls[0].file)


def _path_end(path: str) -> str:
    """Return a short path unchanged, or the last two parts of a long path: "…/b/c.py"."""
    parts = path.replace("\\", "/").split("/")
    return path if len(path) <= PATH or len(parts) < 3 else "…/" + "/".join(parts[-2:])


Place = tuple[int, str]  # an entry, and the call whose result it is ("" for a message)
NAMES = lazy_re(r"outputs/[\w.-]*\w|step_\d{4,}|user_\d{4,}")
# The first that holds is told.
ORDER: tuple[Presence, ...] = ("whole", "back", "ahead", "part", "line", "out")
LESS = ORDER[3:]
WAYS: dict[Presence, Way] = {"back": "page_in", "ahead": "read ahead", "whole": "stands again"}


class LaneBuilder:
    """Builds one lane from what each request shows of the text."""

    def __init__(self, place: Place, entry: str, named: LaneName, text: Text, page: str) -> None:
        self.place, self.entry, self.named = place, entry, named
        self.text, self.page = text, page
        self.spans: list[LaneSpan] = []
        self.came: list[tuple[int, Way]] = []
        self.state: Presence | None = None
        self.shown = 0  # tokens of it
        self._since, self._cut = 0, -1

    def note_presence(self, turn: int, state: Presence, shown: int, cut: int) -> None:
        """Record how request `turn` shows the text. `shown` is the number of tokens shown, `cut`
        the number of the cut that led to this state, -1 for none."""
        if (state, shown) == (self.state, self.shown):
            return
        self.end(turn - 1)
        same = state == self.state
        if state in WAYS and (self.state in LESS or (same and shown > self.shown)):
            self.came.append((turn, WAYS[state]))
        worse = self.state is not None and ORDER.index(state) > ORDER.index(self.state)
        less = worse or (same and shown < self.shown)
        self.state, self.shown = state, shown
        self._since, self._cut = turn, cut if less else -1

    def end(self, turn: int) -> None:
        """End the current span with request `turn`."""
        if self.state is not None and turn >= self._since:
            self.spans.append(LaneSpan(self._since, turn, self.state, self._cut, self.shown))

    def row(self, text: int, tokens: int) -> LaneRow:
        """Return the lane as a row. `text` is the number of the whole text, `tokens` its size."""
        call = self.place[1]
        return LaneRow(
            self.page or f"{self.entry} {call}".rstrip(), self.entry, *self.named, self.page,
            tokens, self.text.size, text, tuple(self.spans), tuple(self.came),
        )  # fmt: skip


class Lanes:
    """The lanes of a session, in the order of their texts. A lane is one text's history."""

    def __init__(self) -> None:
        self.lanes: list[LaneBuilder] = []
        self._by_place: dict[Place, int] = {}
        self._by_entry: defaultdict[int, list[int]] = defaultdict(list)
        self._by_page: defaultdict[str, list[int]] = defaultdict(list)
        self._asked: defaultdict[int, list[int]] = defaultdict(list)  # that an entry brought back
        self._recalled: list[int] = []
        self._cuts = self._items = 0

    def lanes_of_entry(self, entry: int) -> tuple[int, ...]:
        """Return the numbers of the lanes for the texts of an entry."""
        return tuple(self._by_entry.get(entry, ()))

    def lanes_of_ref(self, ref: str) -> Collection[int]:
        """Return the numbers of the lanes for the page or entry with the name `ref`."""
        entry = entry_id_in_name(ref)
        return self._by_entry.get(entry, ()) if entry is not None else self._by_page.get(ref, ())

    def begin_message(self, turn: UserTurn) -> None:
        """Begin the lane of a user message. Text that Loom read ahead gets no lane of its own."""
        if not turn.source or turn.call:
            self._begin_lane((turn.id, turn.call), name_of(turn), message_name(turn), turn.text, "")

    def begin_result(self, step: Step, outcome: Outcome, told: str) -> None:
        """Begin the lane of a call's result. `told` is the result's text. If the call is a recall,
        the next request counts as bringing back the pages and entries named in `told`."""
        call = next(call for call in step.calls if call.id == outcome.call_id)
        page = outcome.text.page or outcome.reduction.outcome_ref
        self._begin_lane((step.id, call.id), name_of(step), call_name(call), outcome.text, page)
        if call.name == "recall":
            named = dict.fromkeys(NAMES.findall(told))
            self._recalled += [lane for ref in named for lane in self.lanes_of_ref(ref)]

    def note_fault(self, record: Faulted, entry: int) -> None:
        """Record that the step with id `entry` paged in the page or entry that the record names."""
        self._asked[entry] += self.lanes_of_ref(record.ref)

    def note_presence(self, window: Window, turn: int, cuts: Mapping[int, int], last: int) -> None:
        """Record how request `turn` shows every text. `cuts` maps each entry that was cut since the
        last request to the number of its cut. `last` is the number of the latest cut, -1 for none.
        """
        stream = window.history.stream
        if window.sent.cuts == self._cuts:
            new = self._lane_states(last_items(stream, len(stream) - self._items))
            for lane, (state, shown) in new.items():
                life = self.lanes[lane]
                if state == life.state and state in ("back", "ahead"):
                    life.note_presence(turn, state, life.shown + shown, -1)
                elif life.state is None or ORDER.index(state) < ORDER.index(life.state):
                    life.note_presence(turn, state, shown, -1)
        else:
            states = self._lane_states(stream)
            for number, life in enumerate(self.lanes):
                state, shown = states.get(number, ("out", 0))
                life.note_presence(turn, state, shown, cuts.get(life.place[0], last))
        for number in self._recalled:
            if self.lanes[number].state in LESS:
                self.lanes[number].came.append((turn, "recall"))
        self._recalled = []
        self._cuts, self._items = window.sent.cuts, len(stream)

    def end(self, turn: int) -> None:
        """End the current span of every lane with request `turn`, the last one."""
        for lane in self.lanes:
            lane.end(turn)

    def _begin_lane(self, place: Place, entry: str, named: LaneName, text: Text, page: str) -> None:
        """Add a lane for a text. `place` is (entry id, call id of a result or "" for a message)."""
        page = page or text.page
        self._by_place[place] = number = len(self.lanes)
        self._by_entry[place[0]].append(number)
        self._by_page[page].append(number)
        self.lanes.append(LaneBuilder(place, entry, named, text, page))

    def _lane_states(self, items: Iterable[Item]) -> dict[int, tuple[Presence, int]]:
        """Return a dict from lane number to (best state in which an item shows the text, tokens
        shown in this state)."""
        found: dict[int, Counter[Presence]] = {}
        for item in items:
            for lane, state, shown in self._shown_lanes(item):
                found.setdefault(lane, Counter())[state] += shown
        best = {lane: min(shown, key=ORDER.index) for lane, shown in found.items()}
        return {lane: (state, found[lane][state]) for lane, state in best.items()}

    def _shown_lanes(self, item: Item) -> Iterator[tuple[int, Presence, int]]:
        """Yield (lane number, state, tokens shown) for each text that an item shows."""
        if isinstance(item, Notice | Digest):
            return
        lowered = is_lowered(item)
        if isinstance(item, UserTurn):
            if item.source and not item.call:
                yield from (
                    (one, "ahead", item.text.tokens) for one in self.lanes_of_ref(item.source)
                )
                return
            texts = {item.call: item.text}
        else:
            texts = {outcome.call_id: outcome.text for outcome in item.outcomes}
            for one in item.beside:
                yield from ((lane, "ahead", one.text.tokens) for lane in self.lanes_of_ref(one.ref))
            if not lowered:
                told = sum(text.tokens for text in texts.values())
                yield from ((lane, "back", told) for lane in self._asked.get(item.id, ()))
        for call, text in texts.items():
            lane = self._by_place.get((item.id, call))
            if lane is not None:
                state: Presence = "line" if lowered else "whole" if text.whole else "part"
                yield lane, state, 0 if lowered else text.tokens
