"""Finds which messages of a file belong to which session, in any format.

A file with one session has a message per line, a list of messages, or an object with such a list. A
file with many sessions has lists of messages or such objects, on lines or in one list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from loom.errors import BadSession
from loom.inputs import ClientCompaction, Event
from loom.providers.formats.wire import content_text
from loom.replay.importers.loss_notes import left_out_note
from loom.replay.importers.recorded_facts import RecordedFacts, event_texts, list_at, member_at
from loom.replay.importers.rows import EVENTS, JsonRow

# Keys under which an object holds the messages of its session, and a log objects that are sessions.
NESTS, SAMPLES = ("messages", "traj", "history", "input", "contents"), "samples"
# A message of any shape has one of these.
_MARKS = frozenset({"role", "type", "kind", "action", "observation", "parts", "object"})

SHAPES = (
    "Claude Code lines, Codex rollouts, opencode sessions, OpenHands events, sessions of pi, "
    "SWE-agent and mini-swe-agent trajectories, inspect logs, LangChain messages, one message a "
    "line, a list of Chat Completions, Responses, Anthropic or Gemini messages, or objects with "
    "such a list under " + " or ".join(f"`{key}`" for key in NESTS)
)
# What a value of no known shape looks like, and what it lacks → its `type`, or names of members.
GUESSES = {
    "a Codex rollout, but no line is a response_item":
    "session_meta event_msg turn_context compacted world_state record_type rollout_path",
    "a session of Claude Code, but no line is one of the user or the assistant":
    "summary file-history-snapshot progress queue-operation last-prompt attachment sessionId"
    " leafUuid parentUuid",
    "a message or a part of opencode, but a session is read from opencode.db, or from what"
    " `opencode export` writes":
    "step-start step-finish sessionID messageID modelID providerID projectID",
    "an inspect log, but it holds no samples with messages": "eval plan stats samples",
    "a trajectory of SWE-agent, but it has no `history`": "trajectory environment replay_config",
    "OpenHands events, but no event is a message, an action or an observation":
    "kind llm_message llm_response_id cause extras",
    "labels of a session, but they are no messages: give the session itself":
    "needle last_seen first_seen evidence",
}  # fmt: skip


class RecordedMessage(Struct, frozen=True):
    """One recorded message (`value`). `index` is its number in the session, `line` its line in the
    file."""

    path: Path
    line: int
    index: int
    value: dict[str, Any]

    def bad(self, why: str) -> BadSession:
        """Return a BadSession that names this message's file, line and number, and says `why` it is
        wrong."""
        return BadSession(self.path, self.line, f"message {self.index}: {why}")


class Talk(Struct, frozen=True):
    """The recorded messages of one session, before they are converted to events. `system` has
    instructions that are recorded apart from the messages. `about` has the other fields of the JSON
    object that contained the messages, or {}."""

    name: str
    items: tuple[RecordedMessage, ...]
    system: str = ""
    notes: tuple[str, ...] = ()
    about: dict[str, Any] = {}


TalkEvent = Event | ClientCompaction
MessageReader = Callable[[RecordedMessage], Iterable[TalkEvent]]


class Importer(Struct, frozen=True):
    """Recognizes and reads one recorded format. The fields are functions of a Talk (recorded
    messages).

    `accepts` returns True if the messages have this format. `events` yields the events in recorded
    order and the client's compactions (`at` is a message number), and appends a note on everything
    left out to its second argument. `facts` returns what is recorded beside the messages. `split`
    returns a Talk for each of several mixed sessions."""

    name: str
    accepts: Callable[[Talk], bool]
    events: Callable[[Talk, list[str]], Iterable[TalkEvent]]
    facts: Callable[[Talk], RecordedFacts] = lambda talk: RecordedFacts()
    split: Callable[[Talk], Iterable[Talk]] = lambda talk: (talk,)


def readable(
    items: Iterable[RecordedMessage], notes: list[str], read: MessageReader
) -> Iterator[TalkEvent]:
    """Yield the events that `read` returns for each message. A message for which `read` raises
    BadSession is left out, and `notes` gets a note."""
    for item in items:
        try:
            yield from [*read(item)]
        except BadSession as error:
            notes.append(left_out_note(error))


def talk_texts(items: Iterable[RecordedMessage], read: MessageReader) -> tuple[str, ...]:
    """Return the texts of messages that a model reads. Unreadable messages are left out."""
    return tuple(event_texts(*readable(items, [], read)))


def shape_guess(values: Iterable[Any], *known: str) -> str:
    """Return the end of an error message about an unknown format: "it looks like …; known are …".
    `known` has the names of further formats."""
    objects = [value for value in values if isinstance(value, dict)]
    found = {name for value in objects for name in (*value, str(value.get("type")))}
    most, guess = max((len(found & {*marks.split()}), guess) for guess, marks in GUESSES.items())
    return f"it looks like {guess}; " * bool(most) + f"known are {', '.join((SHAPES, *known))}"


def split_into_talks(path: Path, rows: Sequence[JsonRow]) -> list[Talk]:
    """Return a Talk for each session in a file's rows, in order. Raises BadSession for a value that
    is neither a message nor a session, and for a session without messages."""
    first = rows[0]
    if len(rows) == 1 and isinstance(first.value, list):
        rows = [JsonRow(0, value, first.notes) for value in first.value]
    else:
        rows = [one for row in rows for one in _sample_rows(row)]
    if not rows:
        raise BadSession(path, 0, "the list holds no messages")
    nests = not _is_message(rows[0].value)
    for number, row in enumerate(rows):
        if nests and _nested_messages(row.value) is None:
            why = f"value {number} is no session: {shape_guess([row.value])}"
            raise BadSession(path, row.line, why)
        if not nests and not _is_message(row.value):
            why = f"value {number} is no message, as those before it are"
            raise BadSession(path, row.line, why)
    if nests:
        return [
            _nested_talk(path, *named) for named in zip(_talk_names(path, rows), rows, strict=True)
        ]
    items: list[RecordedMessage] = []
    for row in rows:  # numbered by their lines; of several on one each has a number of its own
        index = max(row.line - 1, items[-1].index + 1 if items else 0)
        items.append(RecordedMessage(path, row.line, index, row.value))
    notes = dict.fromkeys(note for row in rows for note in row.notes)
    return [Talk(_file_talk_name(path), tuple(items), notes=tuple(notes))]


def unchecked_talk(path: Path, rows: Sequence[JsonRow]) -> Talk:
    """Return a talk in which every JSON object of a file, or of the file's list, counts as a
    message."""
    held = rows[0].value if len(rows) == 1 else None
    values = (
        [(rows[0].line, one) for one in held]
        if isinstance(held, list)
        else [(row.line, row.value) for row in rows]
    )
    items = (
        RecordedMessage(path, line, at, value)
        for at, (line, value) in enumerate(values)
        if isinstance(value, dict)
    )
    return Talk(_file_talk_name(path), tuple(items))


def _sample_rows(row: JsonRow) -> list[JsonRow]:
    """Return a row for each session in a log of samples, with the log's other fields under "log",
    or [row] for any other row."""
    given = list_at(row.value, SAMPLES)
    told = [one for one in given if _nested_messages(one)]
    if not told:
        return [row]
    log = {key: item for key, item in row.value.items() if key != SAMPLES}
    bare = [f"{len(given) - len(told)} samples hold no messages"] if len(told) < len(given) else []
    values = ({**one, "log": log} if isinstance(one, dict) else one for one in told)
    return [JsonRow(row.line, value, (*row.notes, *bare)) for value in values]


def _is_message(value: Any) -> bool:
    """Return True for an object that has a field of messages and contains no list of messages."""
    return (
        isinstance(value, dict) and _nested_messages(value) is None and not _MARKS.isdisjoint(value)
    )


def _nesting_key(value: Any) -> str:
    """Return the key under which an object holds a list of messages, "" if there is none."""
    if not isinstance(value, dict) or "role" in value:
        return ""
    return next((key for key in NESTS if isinstance(value.get(key), list)), "")


def _nested_messages(value: Any) -> list[Any] | None:
    """Return the value itself if it is a list, else the list of messages inside it, or None."""
    return (
        value if isinstance(value, list) else value[key] if (key := _nesting_key(value)) else None
    )


def _nested_talk(path: Path, name: str, row: JsonRow) -> Talk:
    """Return the Talk of one session. The row's value is a list of messages or an object with one.
    Raises BadSession if the list is empty or has a value that is no message."""
    messages = _nested_messages(row.value) or []
    if not messages:
        raise BadSession(path, row.line, f"the session {name} holds no messages")
    for index, value in enumerate(messages):
        if not _is_message(value):
            raise BadSession(path, row.line, f"message {index} of {name} is no message")
    items = tuple(RecordedMessage(path, row.line, at, value) for at, value in enumerate(messages))
    beside = row.value if isinstance(row.value, dict) else {}
    about = {key: value for key, value in beside.items() if key != _nesting_key(beside)}
    # Wherever its provider puts instructions.
    system = content_text(member_at(about, "system", "instructions", "config.system_instruction"))
    return Talk(name, items, system, row.notes, about)


def _file_talk_name(path: Path) -> str:
    """Return the name for a session: its file's name without the suffix, or for a folder of events
    the name of the folder above."""
    return path.parent.name if path.name == EVENTS and path.parent.name else path.stem


def _talk_names(path: Path, rows: Sequence[JsonRow]) -> list[str]:
    """Return a name for each session of a file: its id if all ids differ, else the file's name with
    a number."""
    if len(rows) == 1:
        return [_file_talk_name(path)]
    ids = [member_at(row.value, "id") for row in rows]
    if all(isinstance(id, str) and id for id in ids) and len({*ids}) == len(ids):
        return ids
    width = len(str(len(rows) - 1))
    return [f"{_file_talk_name(path)}-{number:0{width}d}" for number in range(len(rows))]
