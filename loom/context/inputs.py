"""What comes in while an agent runs: messages of the user, replies of the model, reported sizes.

A function here whose name ends in `_records` only makes the records of a call; its caller commits
them."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Collection, Iterable, Iterator
from operator import index
from typing import TypeVar

from msgspec.structs import replace

from loom.context.budget_checks import check_step_budget
from loom.context.open_calls import check_all_answered, with_answered_call, with_redacted_flags
from loom.context.results import UNWRITABLE, GivenReply
from loom.context.size_reports import CUT, CUT_TEXT, fitting_reading, is_input_cut
from loom.errors import BadInput, bad_result
from loom.inputs import Reasoning, Reply, Result, Speech, ToolCall
from loom.providers.formats import decode
from loom.providers.formats.anthropic import hour_cache_tokens as hourly_of
from loom.providers.formats.listing import bad_message_error, provider_items
from loom.providers.formats.replies import is_cut_off, is_paused
from loom.providers.render.dashboard_state import state_after_own_words
from loom.reduce.client_notes import is_command_body
from loom.session import Engine
from loom.session.archive.restore import restore_entry
from loom.session.attachments import DocumentText, OwnPart, content_pieces, own_part_json
from loom.session.head import own_tool_names
from loom.session.locking import one_call, run_deciding
from loom.session.tools.answer import OwnTool, host_call
from loom.session.tools.own_tools import answer_call
from loom.session.window_room import next_result_room, waiting_media_tokens
from loom.session.working_edits import WorkingEdits
from loom.text import encodable, fit_repr, provider_tool_name
from loom_partitions import records as r
from loom_partitions.message import Step, UserTurn

StreamChunk = TypeVar("StreamChunk")
# Whose words a message of role user may hold: the user's, a tool's, a client's that sums up.
KEY_CHARS = 200  # of a message
KINDS = ("", "instructions", "observation", "summary")
NOTHING = (
    "user: None is no message, and nothing was taken in: give a text, bytes, a path or a list of"
    ' them; "" is an empty message'
)


@one_call
def take_user_message(engine: Engine, content: object, kind: str, key: str) -> str:
    """Commit a message of the user, unless a message with the same `key` exists. Return the name of
    the message's first entry ("user_0007")."""
    if len(key) > KEY_CHARS:
        raise BadInput(f"user: a key of {len(key):,} characters; it has at most {KEY_CHARS}")
    known, index = engine.ingest.clean(key), engine.workspace.index
    entry = index.keys.get(known, 0) if known else 0
    if not entry or index.is_undone(entry):
        first, *more = heard_records(engine, content, kind)
        first = replace(first, key=known)
        engine.commit(first, *more)
        entry = first.turn.id
    return f"user_{entry:04d}"


def heard_records(
    engine: Engine, content: object, kind: str = "", first: int = 0, format: str = ""
) -> list[r.Heard]:
    """Return the records of a user's message: one for each text, image, document, and block of a
    type that only the provider `format` has.

    `kind` says whose words the message holds (see `KINDS`). `first` is the id of its first entry; 0
    takes the next free id. Raises BadInput for an unknown `kind`, or for None as content."""
    if content is None or (isinstance(content, list | tuple) and None in content):
        raise bad_message_error(-1, NOTHING)
    if kind not in KINDS:
        raise BadInput(f"user: kind={fit_repr(kind, 80)} is none of {', '.join(map(repr, KINDS))}")
    try:
        given = content_pieces(content, format) or ("",)
    except UNWRITABLE as error:
        raise bad_result("user", error) from error
    records: list[r.Heard] = []
    window = engine.window
    room, share, mark = engine.room.message(window), engine.room.share(window), window.config.mark
    last = next(window.history.stream.entries_back, None)
    before = (last.text.body or "") if isinstance(last, UserTurn) else ""
    for id, piece in enumerate(given, first or window.history.next_id):
        if isinstance(piece, str):
            voice = "document" if isinstance(piece, DocumentText) else kind
            voice = voice or ("skill" if is_command_body(before, piece) else "")
            turn = engine.ingest.user(piece, id, max(room, share), voice, mark)
            before = piece
        elif isinstance(piece, OwnPart):
            own = own_part_json(piece.format, piece.part)
            turn = engine.ingest.own(own, id, max(room, share), mark)
        else:
            turn = engine.attach().entry(piece, id, room)
        room -= turn.tokens
        records.append(r.Heard(turn))
    return records


def reply_records(
    engine: Engine, reply: object, hosts: Collection[str] = ()
) -> tuple[list[r.Record], GivenReply]:
    """Return (records, reply as the model gave it). The records hold the reply and the results of
    its calls to Loom's own tools, except calls whose ids are in `hosts`. Raises BadInput,
    OpenCalls, BudgetSpent."""
    window = engine.window
    check_all_answered(window)
    check_step_budget(engine.workspace, engine.name)
    decoded = _with_declared_names(engine, decode(reply, window.config.model))
    given = _with_distinct_call_ids(engine.ingest.cleaned(decoded))
    step = engine.ingest.reply(given, window.history.next_id, engine.room.share(engine.window))
    step = with_redacted_flags(step, decoded.calls, given.calls)
    step = replace(step, cut=is_cut_off(reply, decoded), paused=step.paused or is_paused(reply))
    records = usage_records(engine, given.prompt_tokens, given.model, hourly=hourly_of(reply))
    records.append(r.Replied(step, given.model))
    edits = engine.edits().after(records)
    before, tools = edits.window, engine.tools
    mine = own_tool_names(engine) if given.calls else set[str]()
    for call in given.calls:
        if call.name in mine and call.id not in hosts and host_call(call, tools) is None:
            answered = own_answer_records(engine, edits, step, tools[call.name], call)
            step = with_answered_call(step, answered[0])
            records += answered
            edits = edits.after(answered)
    if edits.window.working != before.working:
        told = state_after_own_words(before.sent.told, before.working, edits.window.working)
        records.append(r.Informed(told))
    arguments = [call.arguments for call in decoded.calls]
    whole = dict(zip((call.id for call in given.calls), arguments, strict=True))
    return records, GivenReply(whole, _spoken_texts(decoded))


def provider_item_records(engine: Engine, reply: Reply, id: int) -> list[r.Record]:
    """Return a list with the record of a reply's provider items: blocks that must go back to the
    provider exactly as they came. The reply is entry `id`. Return [] without provider items."""
    items = {part.opaque for part in reply.parts if isinstance(part, Reasoning) and not part.text}
    if not provider_items(reply):
        return []
    parts = tuple(one for one in reply.parts if isinstance(one, Reasoning) and one.opaque in items)
    made = engine.ingest.reply(Reply(parts, reply.model), id, engine.room.share(engine.window))
    return [r.Replied(made, reply.model)]


def _with_declared_names(engine: Engine, reply: Reply) -> Reply:
    """Return the reply with each tool named as the host declared it. (Loom sends names that the
    provider does not allow in an allowed spelling.)"""
    keys = (held.key for held in engine.window.skill.tools.current)
    names = {provider_tool_name(key): key for key in keys if provider_tool_name(key) != key}
    parts = [*reply.parts]
    for at, part in enumerate(parts):
        if isinstance(part, ToolCall) and part.name in names:
            parts[at] = replace(part, name=names[part.name])
    return replace(reply, parts=tuple(parts))


def _with_distinct_call_ids(reply: Reply) -> Reply:
    """Return the reply with a unique id for every call. A missing id is made up; a repeated id gets
    a number appended ("c1" → "c1_2")."""
    seen: set[str] = set()
    parts = []
    for number, part in enumerate(reply.parts):
        if isinstance(part, ToolCall):
            id = part.id or f"call_{number}"
            while id in seen:
                id = f"{id}_{number}"
            seen.add(id)
            part = replace(part, id=id)
        parts.append(part)
    return replace(reply, parts=tuple(parts))


def own_answer_records(
    engine: Engine, edits: WorkingEdits, step: Step, tool: OwnTool, call: ToolCall
) -> tuple[r.Returned, *tuple[r.Record, ...]]:
    """Run a call of one of Loom's own tools. Return a tuple: the record of the call's result, then
    the records that the tool wrote."""
    room = next_result_room(
        step, engine.room.results(edits.window, step), waiting_media_tokens(edits.window)
    )
    made = engine.hooks.run(
        f"the tool {call.name}", run_deciding, engine.answers,
        answer_call, engine.ingest.clean, edits, tool, call, room * 3,
    )  # fmt: skip
    result = Result(call.id, made.text, made.error)
    returned = engine.ingest.answer(step, result, made.reduction, room)
    if made.marked:
        text = replace(returned.outcome.text, marked=True)
        returned = replace(returned, outcome=replace(returned.outcome, text=text))
    tokens = returned.outcome.text.tokens
    written = (
        replace(record, tokens=tokens) if isinstance(record, r.Faulted) else record
        for record in made.records
    )
    return (returned, *written)


def _spoken_texts(reply: Reply) -> tuple[str, ...]:
    """Return the texts of a reply's speech, in order."""
    return tuple(part.text for part in reply.parts if isinstance(part, Speech))


@one_call
def last_reply_text(engine: Engine, given: tuple[str, ...]) -> str:
    """Return the text of the model's last reply, "" before any reply. The text is that of `given`
    (a reply's texts, secrets included) if `given` belongs to the last reply; otherwise it comes
    from the journal, with secrets replaced."""
    steps = (e for e in engine.window.history.stream.entries_back if isinstance(e, Step))
    step = next(steps, None)
    reply = restore_entry(engine.workspace, step.id).reply if step is not None else None
    said = _spoken_texts(reply) if reply else ()
    if said == tuple(engine.ingest.clean(text) for text in given):
        said = tuple(map(encodable, given))
    engine.redactor.take()  # it was counted when it came in
    return "\n\n".join(text for text in said if text)


def usage_records(
    engine: Engine, prompt_tokens: int, model: str, whole: int = 0, hourly: int = 0
) -> list[r.Record]:
    """Return the records of the usage that a provider reported for the last request. An implausible
    count is left out. An event is added if the server seems to cut requests silently.

    `whole` is the provider's count of all that was sent, if more than the window's request was
    sent; else 0. `hourly` is as in `Metered`."""
    times = engine.requests.again(engine.window)
    again: list[r.Record] = [r.SentAgain(times)] if times else []
    if is_input_cut(engine.window, told := index(prompt_tokens)):
        if ("events", CUT) in engine.workspace.index.items:
            return again
        text = CUT_TEXT.format(told=told, asked=engine.window.sent.asked)
        return [*again, *engine.edits().signal(CUT, text, "limit", "high")]
    model = engine.ingest.clean(model)
    said = fitting_reading(engine.window, engine.room.check, told, model, whole=whole)
    return [*again, replace(said, hourly=hourly)] if said else again


@one_call
def check_may_collect(engine: Engine) -> None:
    """Raise OpenCalls while results are missing, or Closed for a closed context."""
    check_all_answered(engine.window)


def passed_stream_chunks(
    engine: Engine,
    stream: Iterable[StreamChunk] | AsyncIterable[StreamChunk],
    take: Callable[[object], None],
    reasoning: bool,
) -> Iterator[StreamChunk] | AsyncIterator[StreamChunk]:
    """Return an iterator over a stream's chunks, asynchronous if the stream is. At the stream's
    end, `take` is called with the whole reply. Reasoning between tags is passed on only if
    `reasoning` is True."""
    engine.workspace.check_process()
    if isinstance(stream, AsyncIterable):
        return _pass_async_chunks(engine, stream, take, reasoning)
    return _pass_chunks(engine, stream, take, reasoning)


def _pass_chunks(
    engine: Engine, stream: Iterable[StreamChunk], take: Callable[[object], None], reasoning: bool
) -> Iterator[StreamChunk]:
    """Yield the chunks of a plain stream. At its end, call `take` with the whole reply."""
    from loom.providers.formats.stream.collected import CollectedStream, closing_stream

    check_may_collect(engine)
    held = CollectedStream(engine.window.config.model, reasoning)
    with closing_stream(stream):
        for chunk in stream:
            yield from held.passed(chunk)
    take(held.reply())


async def _pass_async_chunks(
    engine: Engine,
    stream: AsyncIterable[StreamChunk],
    take: Callable[[object], None],
    reasoning: bool,
) -> AsyncIterator[StreamChunk]:
    """Yield the chunks of an asynchronous stream. At its end, call `take` with the whole reply."""
    from loom.providers.formats.stream.collected import collecting_stream

    check_may_collect(engine)
    async with collecting_stream(stream, engine.window.config.model, reasoning) as held:
        async for chunk in stream:
            for passed in held.passed(chunk):
                yield passed
    take(held.reply())
