"""What the host gives for the calls that wait: results, late ones too, and what stands in for them.

Every method is one commit, or none when it raises.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from threading import RLock

from msgspec import json
from msgspec.structs import replace

from loom.engine import Engine
from loom.engine.archive.reading import standing
from loom.engine.archive.restore import reply_of
from loom.engine.archive.summaries import answered
from loom.engine.atomic import Atomic
from loom.engine.attach import Piece, is_payload, shown
from loom.engine.ingest import room_left
from loom.errors import AnsweredCall, BadResult, OpenCalls, UnknownCall
from loom.inputs import Result, ToolCall
from loom.providers.render.wording import INTERRUPTED
from loom.reduce import meant
from loom.reduce.shortening import Shortening
from loom.reduce.summarize import summarize
from loom.reduce.summary import Summarized
from loom.text import cut
from loom_partitions import records as r
from loom_partitions.message import Call, Step, UserTurn
from loom_partitions.window import Window

OBJECTIVE = 1_000  # characters of what results are reduced for
NAMED = 80  # characters that name the page below a summary
KEPT = 16  # judgements of summaries


class Results:
    """What a Context offers to take results in."""

    _engine: Engine
    _lock: RLock
    _atomic: Atomic
    _given: dict[str, str]  # arguments of open calls, as the model gave them
    summaries: deque[Summarized]  # what became of the last results a model was asked to sum up
    own: set[str]

    def result(self, call: Call | ToolCall | str, value: object, *, error: bool = False) -> None:
        """Give the result of an open call: a text, bytes, or anything JSON can hold.

        The result of a call that was given up is appended where the session stands now. Raises
        UnknownCall and AnsweredCall; what is stored stays as it is.
        """
        id = self._engine.ingest.clean(call if isinstance(call, str) else call.id)
        found = _shown(value, id)
        compact = self._compact(id, value, bool(found))
        with self._lock, self._atomic:
            window = self._engine.window
            step = window.history.waiting_step
            if step is not None and id in step.open:
                room = room_left(step, self._engine.share(), beside(window))
                given, sent = self._told(id, value, found, error, room, window.history.next_id)
                room -= sum(told.turn.text.tokens for told in sent)
                returned = self._engine.ingest.result(step, given, room, compact)
                self._engine.commit(_naming(returned, sent), *sent)
            elif id in window.history.interrupted:
                room, next_id = self._engine.share(), window.history.next_id
                given, sent = self._told(id, value, found, error, room, next_id + 1)
                turn = self._engine.ingest.late(given, next_id, room)
                self._engine.commit(r.Belated(id, turn), *sent)
            else:
                self._refuse(id)

    def _objective(self) -> str:
        """What results are reduced for: the goal, and what the user said last."""
        window = self._engine.window
        goal = window.working.goal
        said = (
            item.text.body or ""
            for item in window.history.stream.entries_back
            if isinstance(item, UserTurn) and not item.source and not is_payload(item.text.page)
        )
        parts = (standing(self._engine.workspace, goal) if goal is not None else "", next(said, ""))
        return "\n".join(cut(part, OBJECTIVE) for part in parts if part)

    def _compact(self, id: str, value: object, attached: bool) -> Shortening:
        """How a result is made short. A model is asked here, while nothing is locked."""
        above, model = self._engine.at_hand.compact_above, self._engine.at_hand.summarizer
        step = self._engine.window.history.waiting_step
        call = next((one for one in step.calls if one.id == id), None) if step else None
        if model is None or call is None or attached:
            return Shortening(above, self._objective)
        with self._lock, self._atomic:
            text = self._engine.ingest.clean(as_text(value, id)[0])
            self._engine.redactor.take()  # it is counted when it is taken in
            objective = self._objective()
        if len(text) <= above:
            return Shortening(above, self._objective)
        tool, _ = meant(call.name, call.arguments)
        limit = max(above - NAMED, 1)
        made = summarize(text, tool=tool, objective=objective, model=model, limit=limit)
        self.summaries.append(made)
        return Shortening(above, self._objective, made.text if made.by == "model" else "")

    def _told(
        self,
        id: str,
        value: object,
        found: tuple[Piece, ...],
        error: bool,
        room: int,
        next_id: int,
    ) -> tuple[Result, list[r.Prefetched]]:
        """A result as text, and the entries of the images and documents in it that are shown."""
        if not found:
            text, data = as_text(value, id)
            return Result(id, text, error, data=data), []
        attach = self._engine.attach()
        sent: list[r.Prefetched] = []
        texts = []
        for piece in found:
            if isinstance(piece, str):
                texts.append(piece)
                continue
            turn = attach.entry(piece, next_id + len(sent), room, own=True)
            texts.append(turn.text.body or "")
            if turn.text.media is not None:
                room -= turn.text.tokens
                sent.append(r.Prefetched(turn))
        return Result(id, "\n".join(texts), error), sent

    def answer(self, id: str, text: object) -> Summarized:
        """Give a summary that was asked for (`Turn.asks`); it stands from the next cut on.

        One that names what the texts do not is refused, and what is returned says why: the extract
        stands. Raises LoomError when nothing asks under that id.
        """
        with self._lock, self._atomic:
            clean = self._engine.ingest.clean(text) if isinstance(text, str) else text
            judgement, record = answered(self._engine.workspace, id, clean)
            if record is not None:
                self._engine.commit(record)
            return judgement

    def abandon(self, why: str = "interrupted") -> None:
        """Give up waiting: every open call gets an error result that is marked as Loom's own.

        A real result that comes later is appended. A no-op without open calls.
        """
        with self._lock, self._atomic:
            step = self._engine.window.history.waiting_step
            records: list[r.Record] = []
            while step is not None and step.open:
                room = room_left(step, self._engine.share(), beside(self._engine.window))
                said = Result(step.open[0], INTERRUPTED.format(why=why), error=True)
                stand_in = self._engine.ingest.result(step, said, room)
                outcome = replace(stand_in.outcome, stand_in=True)
                returned = replace(stand_in, outcome=outcome)
                records.append(returned)
                step = closed(step, returned)
            self._engine.commit(*records)

    @property
    def calls(self) -> tuple[Call, ...]:
        """The host's calls that wait for a result, with their arguments exactly as they came.

        One made by `call_tool` is shown as the call it stands for.
        After a reopen they come from the journal, where secrets are redacted.
        """
        with self._lock, self._atomic:
            step = self._engine.window.history.waiting_step
            if step is None:
                return ()
            given = reply_of(self._engine.workspace, step) if step.page else None
            whole = {call.id: call.arguments for call in given.calls} if given else {}
            return tuple(
                self._meant(call, self._given.get(call.id, whole.get(call.id, call.arguments)))
                for call in step.calls
                if call.id in step.open
            )

    def _meant(self, call: Call, arguments: str) -> Call:
        """A call as the host is to run it: the one within, when it came through the gateway."""
        name = call.name
        if name in self.own:
            name, arguments = meant(name, arguments)
            box = self._engine.at_hand.toolbox
            name = box.get(name).descriptor.name if box is not None and name in box else name
        return replace(call, name=name, arguments=arguments)

    def _refuse(self, id: str) -> None:
        if id in self._engine.workspace.index.calls:
            raise AnsweredCall(id)
        raise UnknownCall(id, self._engine.window.history.open_calls)


def _naming(returned: r.Returned, sent: Sequence[r.Prefetched]) -> r.Returned:
    """A result whose line will name the first image or document that came with it."""
    outcome = returned.outcome
    if not sent or outcome.reduction.outcome_ref:
        return returned
    reduction = replace(outcome.reduction, outcome_ref=sent[0].turn.text.page)
    return replace(returned, outcome=replace(outcome, reduction=reduction))


def _shown(value: object, call: str) -> tuple[Piece, ...]:
    """What a tool gave, when there is an attachment in it. Raises BadResult."""
    try:
        return shown(value)
    except (TypeError, ValueError, RecursionError, OverflowError) as error:
        raise BadResult(call, error) from error


def as_text(value: object, call: str) -> tuple[str, bytes | None]:
    """A result as text, and its bytes when they are no text. Anything but text becomes JSON.

    Raises BadResult for what JSON cannot hold.
    """
    if isinstance(value, str):
        return value, None
    if isinstance(value, bytes | bytearray | memoryview):
        data = bytes(value)
        try:
            return data.decode(), None
        except UnicodeDecodeError:
            return data.decode("utf-8", "surrogateescape"), data
    try:
        return json.encode(value, enc_hook=str).decode(), None
    except (TypeError, ValueError, RecursionError, OverflowError) as error:
        raise BadResult(call, error) from error


def beside(window: Window) -> int:
    """Tokens of the images and documents that came with results of the step that still waits."""
    total = 0
    for entry in window.history.stream.entries_back:
        if not isinstance(entry, UserTurn):
            break
        total += entry.text.tokens if entry.text.media is not None and entry.source else 0
    return total


def closed(step: Step, returned: r.Returned) -> Step:
    """The step with one more of its calls answered."""
    outcome = returned.outcome
    left = tuple(id for id in step.open if id != outcome.call_id)
    return replace(step, outcomes=(*step.outcomes, outcome), open=left, facts=returned.facts)


def check_answered(window: Window) -> None:
    """Raise OpenCalls while results of the last reply are missing."""
    if window.history.open_calls:
        raise OpenCalls(window.history.open_calls)
