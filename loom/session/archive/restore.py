"""Entries and windows as they were: an entry whole, from its journal records and pages; the window
of an earlier request, from the journal's records applied again (1,000 steps, 3,000 commits, in 0.3
s)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct, json
from msgspec.structs import replace

from loom.errors import BadInput
from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.lazy import lazy_re
from loom.reduce.arguments import parse_json
from loom.session.archive.folded_journal import records_of
from loom.session.archive.journal_index import records_by_entry
from loom.session.archive.page_reader import full_text, stand_in
from loom.session.archive.workspace import Workspace
from loom.text import encodable
from loom_paging import Expired, MissingPage
from loom_partitions.message import Said, Step, Text, Thought, UserTurn, name_of
from loom_partitions.records import Brought, Heard, Record, Replied, Returned, Turned
from loom_partitions.window import Window, apply, fold

NAME = lazy_re(r"^(?:(?:.*/)?history/)?(user|step|digest)_(\d+)(?:\.json|\.compact)?(?: [(\[].*)?$")
ReadText = Callable[[Workspace, Text], str]
REPLY = json.Decoder(Reply)


def missing_entry(name: str, last: int, why: str = "") -> MissingPage:
    """Return the error for a name that belongs to no entry. `why` replaces the usual reason in its
    message. `last` is the id of the last entry."""
    there = f"they run from 1 to {last}, as user_0001 or step_0002" if last else "none is yet"
    return MissingPage(name, said=f"no entry {name!r:.80}: {why or there}")


class Restored(Struct, frozen=True, omit_defaults=True):
    """One entry in full. A user's message has only `text`. A step has `reply`, and `results` by
    call id.

    `errors` are the ids of calls that failed, `retired` the ids of calls whose result's page was
    let go."""

    name: str
    text: str = ""
    reply: Reply | None = None
    results: dict[str, str] = {}
    errors: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()


def entry_id_in_name(name: str) -> int | None:
    """Return the entry id in a name, None for any other name: `step_0007`,
    `history/step_0007.json`, `user_0003`, `step_0007 (your reasoning)`."""
    match = NAME.match(name.strip())
    return int(match[2]) if match and match[1] != "digest" else None


def restore_entry(workspace: Workspace, entry: int, read: ReadText | None = None) -> Restored:
    """Return the entry with the id `entry`, in full. `read(workspace, text)` returns what to show
    of a message or a result; None shows all of it. Raises MissingPage, CorruptPage, and Expired for
    a user's message whose page was let go."""
    if entry not in workspace.index:
        before = entry < next(iter(workspace.index.commits), 0)
        why = "it is of the session this one carries on from, and stands there" if before else ""
        raise missing_entry(str(entry), workspace.window.history.next_id - 1, why if entry else "")
    made, read = entry_as_arrived(workspace, entry), read or full_text
    if isinstance(made, UserTurn):
        late = f"[late result of call {made.call}{made.about}]\n" if made.call else ""
        return Restored(name_of(made), text=late + read(workspace, made.text))
    results: dict[str, str] = {}
    retired = []
    for outcome in made.outcomes:
        try:
            results[outcome.call_id] = read(workspace, outcome.text)
        except Expired as error:
            results[outcome.call_id] = stand_in(outcome.text.page, error, workspace.window)
            retired.append(outcome.call_id)
    errors = tuple(outcome.call_id for outcome in made.outcomes if outcome.error)
    return Restored(
        name_of(made), "", whole_reply(workspace, made), results, errors, tuple(retired)
    )


def entry_as_arrived(workspace: Workspace, entry: int) -> UserTurn | Step:
    """Return an entry as it came in, before any cut; a text too long for the window is a preview.
    Raises MissingPage."""
    return _entry_from_records(workspace, entry, workspace.about(entry))


def entries_as_arrived(workspace: Workspace, entries: Sequence[int]) -> Iterator[UserTurn | Step]:
    """Yield the entries with these ids as they came in, in the given order. Raises the errors of
    `entry_as_arrived`."""
    wanted = set(entries)
    numbers = {number for entry in entries for number in workspace.index.commits.get(entry, ())}
    found: dict[int, list[Record]] = {}
    for commit in workspace.journal.scan(min(numbers) - 1) if numbers else ():
        made = records_by_entry(records_of(commit)) if commit.number in numbers else {}
        for entry in made.keys() & wanted:
            found.setdefault(entry, []).extend(made[entry])
    for entry in entries:
        yield _entry_from_records(workspace, entry, found.pop(entry, ()))


def _entry_from_records(
    workspace: Workspace, entry: int, records: Iterable[Record]
) -> UserTurn | Step:
    """Return the entry `entry` that `records` make. Raises MissingPage if they make no entry."""
    made: UserTurn | Step | None = None
    for record in records:
        if isinstance(record, Heard | Brought):
            made = record.turn or made
        elif isinstance(record, Replied):
            made = record.step
        elif isinstance(record, Returned) and isinstance(made, Step):
            made = replace(made, outcomes=(*made.outcomes, record.outcome))
    if made is None:
        raise missing_entry(str(entry), workspace.window.history.next_id - 1)
    return made


def whole_reply(workspace: Workspace, step: Step) -> Reply:
    """Return the reply that a step was made from, if need be from the reply's page."""
    if step.page:
        return REPLY.decode(workspace.pager.get(step.page))
    parts: list[Speech | Reasoning | ToolCall] = []
    for part in step.parts:
        if isinstance(part, Said):
            parts.append(Speech(full_text(workspace, part.text)))
        elif isinstance(part, Thought):
            parts.append(Reasoning(part.text, part.opaque, part.format))
        else:
            parts.append(ToolCall(part.id, part.name, part.arguments))
    return Reply(tuple(parts))


def restored_json(restored: Restored) -> str:
    """Return a restored entry as indented JSON, with U+FFFD for what UTF-8 cannot encode."""
    results = {call: str(encodable(text)) for call, text in restored.results.items()}
    shown = replace(restored, text=encodable(restored.text), results=results)
    return json.format(json.encode(shown), indent=1).decode()


def restored_text(restored: Restored) -> str:
    """Return a restored entry as plain text: the reasoning, the spoken text, then each call's
    arguments followed by its result. U+FFFD stands for what UTF-8 cannot encode."""
    if restored.reply is None:
        return encodable(restored.text)
    reasoned = [part.text for part in restored.reply.parts if isinstance(part, Reasoning)]
    parts = [f"[your reasoning]\n{text}" for text in reasoned if text]
    parts += [part.text for part in restored.reply.parts if isinstance(part, Speech)]
    for call in restored.reply.calls:
        parts.append(f"[call {call.id}: {call.name}]\n{_arguments_text(call.arguments)}")
        if call.id in restored.results:
            failed = ", failed" if call.id in restored.errors else ""
            parts.append(f"[result of {call.id}{failed}]\n{restored.results[call.id]}")
    return encodable("\n".join(parts))


def _arguments_text(arguments: str) -> str:
    """Return a call's JSON arguments as text, `name: value` for each argument."""
    members = parse_json(arguments)
    if not isinstance(members, dict):
        return arguments
    lines = []
    for name, value in members.items():
        text = value if isinstance(value, str) else json.encode(value).decode()
        lines.append(f"{name}:\n{text}" if "\n" in text else f"{name}: {text}")
    return "\n".join(lines)


def check_request_number(workspace: Workspace, turn: int) -> None:
    """Raise BadInput where no request has the number `turn`."""
    if turn in workspace.index.requests:
        return
    last = max(workspace.index.requests, default=0)
    there = f"they run from 1 to {last}" if last else "none was made yet"
    if isinstance(turn, int) and 0 < turn <= last:
        there = f"it was lost to damage before a repair; the last one is {last}"
    raise BadInput(f"no request {turn!r}: {there}")


def window_at_request(workspace: Workspace, turn: int) -> Window:
    """Return the window from which request `turn` was made; for 0, the window before the first
    entry. Raises BadInput, and the errors of reading the journal."""
    if turn == 0:
        return window_after_commit(workspace, workspace.index.request_commit(0))
    check_request_number(workspace, turn)
    number = workspace.index.requests[turn]
    window = window_after_commit(workspace, number - 1)
    for record in workspace.records(number):
        window = apply(window, record)
        if isinstance(record, Turned) and record.turn == turn:
            break
    return window


def window_after_commit(workspace: Workspace, commit: int) -> Window:
    """Return the window as it was after a commit. Raises the errors of reading the journal."""
    known = (kept for kept in reversed(workspace.folded.recent) if kept[0] <= commit)
    number, window = next(known, (0, Window()))
    for one in workspace.journal.scan(number) if number < commit else ():
        window = fold(records_of(one), window)
        if one.number == commit:
            break
    return window
