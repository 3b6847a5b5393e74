"""The step whose calls wait for results, and what answers the calls whose results do not come.

The journal holds a call's arguments with a mark in the place of each secret. While the context
lives, the host gets the call as the model wrote it. A process that opens the journal later has only
the mark, which must not be run in the secret's place. Such a call is *unkept*: it is not shown to
the host, and an error answers it when the workspace is opened."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from loom.errors import OpenCalls
from loom.inputs import ToolCall
from loom.providers.counts import MessageSizes
from loom.providers.render.naming import without_square_brackets
from loom.providers.render.neutral import neutral
from loom.providers.render.wording import INTERRUPTED, SPAWNED, UNKEPT, UNKEPT_SHORT, UNKNOWN
from loom.reduce.arguments import call_behind_gateway
from loom.session import Engine
from loom.session.archive.restore import whole_reply
from loom.session.counted_texts import join_facts
from loom.session.window_room import next_result_room, waiting_media_tokens
from loom.text import clip_text, encodable
from loom_partitions import records as r
from loom_partitions.message import Call, Outcome, Step, Text
from loom_partitions.window import Window

GIVEN_UP = 200  # characters of why a call was given up


def check_all_answered(window: Window) -> None:
    """Raise OpenCalls while results of the last reply are missing."""
    if window.history.open_calls:
        raise OpenCalls(window.history.open_calls)


def with_answered_call(step: Step, returned: r.Returned) -> Step:
    """Return the step with the result in `returned` added."""
    outcome = returned.outcome
    left = tuple(id for id in step.open if id != outcome.call_id)
    return replace(step, outcomes=(*step.outcomes, outcome), open=left, facts=returned.facts)


def with_redacted_flags(step: Step, came: Iterable[ToolCall], kept: Iterable[ToolCall]) -> Step:
    """Return the step with the flag `redacted` set on each call that redaction changed. `came` has
    the calls before redaction, `kept` the same calls after it, in the same order."""
    lost = {
        clean.id
        for raw, clean in zip(came, kept, strict=True)
        if (encodable(raw.name), encodable(raw.arguments)) != (clean.name, clean.arguments)
    }
    parts = (
        replace(part, redacted=True) if isinstance(part, Call) and part.id in lost else part
        for part in step.parts
    )
    return replace(step, parts=tuple(parts))


def unkept_call_ids(engine: Engine) -> frozenset[str]:
    """Return the ids of the open calls whose arguments held a secret: the journal cannot give these
    arguments back."""
    step = engine.window.history.waiting_step
    if step is None:
        return frozenset()
    lost = {call.id for call in step.calls if call.redacted} or _unkept_ids_by_mark(engine, step)
    return frozenset(lost.intersection(step.open))


def _unkept_ids_by_mark(engine: Engine, step: Step) -> set[str]:
    """Return the ids of a step's calls whose arguments contain `[redacted:kind]`. Needed only for
    old journals, which have no flag `redacted`."""
    workspace = engine.workspace
    for number in workspace.index.commits.get(step.id, ())[:1]:
        records = workspace.records(number)
        kinds = {kind for one in records if isinstance(one, r.Redacted) for kind in one.counts}
        marks = [f"[redacted:{kind}]" for kind in kinds]
        calls = whole_reply(workspace, step).calls if marks else ()
        return {call.id for call in calls if any(mark in call.arguments for mark in marks)}
    return set()


def answer_in_own_words(engine: Engine, told: Mapping[str, Sequence[str]]) -> None:
    """Answer open calls with Loom's own texts, in one commit. `told` maps a call's id to its
    possible texts, longest first; the first text that fits is used."""
    window, records = engine.window, list[r.Record]()
    step = window.history.waiting_step
    for id, forms in told.items():
        assert step is not None
        room = next_result_room(step, engine.room.share(window, step), waiting_media_tokens(window))
        returned = stand_in_result(engine.sizes, window.config.mark, step, id, forms, room)
        records.append(returned)
        step = with_answered_call(step, returned)
    engine.commit(*records)


def give_up_open_calls(engine: Engine, why: str) -> None:
    """Answer every open call with an error that says `why` no result came."""
    mark = engine.window.config.mark
    said = neutral(without_square_brackets(clip_text(engine.ingest.clean(why), GIVEN_UP)), mark)
    spawned = {one.call: name for name, one in engine.workspace.index.spawned.items() if one.call}
    told = {}
    for id in engine.window.history.open_calls:
        form = SPAWNED if id in spawned else INTERRUPTED
        told[id] = (form.format(mark=mark, why=said, agent=spawned.get(id, "")),)
    answer_in_own_words(engine, told)


def answer_unkept_calls(engine: Engine, ids: Collection[str]) -> None:
    """Answer the open calls among `ids` with an error: the journal lacks their secrets. Calls that
    a child agent works on stay open."""
    index = engine.workspace.index
    at_work = {one.call for name, one in index.spawned.items() if name not in index.joined}
    ids = [id for id in engine.window.history.open_calls if id in ids and id not in at_work]
    mark = engine.window.config.mark
    forms = [form.format(mark=mark) for form in (UNKEPT, UNKEPT_SHORT)]
    answer_in_own_words(engine, dict.fromkeys(ids, forms))


def stand_in_result(
    sizes: MessageSizes, mark: str, step: Step, id: str, forms: Sequence[str], room: int
) -> r.Returned:
    """Return the record of a result that Loom writes in place of the real one for call `id` of a
    step. Its text is the first of `forms` with at most `room` tokens, `UNKNOWN` if all are longer.
    """
    from loom.reduce.result_facts import facts_of_result
    from loom.reduce.rules import reduce_unanswered_call

    call = next(call for call in step.calls if call.id == id)
    usual = UNKNOWN.format(mark=mark)
    said = next((form for form in forms if sizes.count(form) <= room), usual)
    text = Text(sizes.count(said), len(said.encode()), said, marked=True)
    name, arguments = call_behind_gateway(call.name, call.arguments)
    reduction = reduce_unanswered_call(name, arguments)
    outcome = Outcome(call.id, text, reduction, error=True, stand_in=True)
    tokens = sizes.result(call.id, text.tokens, error=True)
    facts = facts_of_result(name, arguments, "", True, reduction, lost=True)
    return r.Returned(step.id, outcome, tokens, join_facts(step.facts, facts))
