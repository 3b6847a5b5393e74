"""Truth: judges that hold what a request says after a cut against what happened in the session.

A judge knows the transcript so far and the request as messages. It knows no package's markers or
words, so the same judges are run on every strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from loom.inputs import Event, Reply, Result, ToolCall
from loom.providers.render.message import Message
from loom_bench.sessions.needle import arguments
from loom_bench.truth.edits import EditsTold
from loom_bench.truth.files import StaleCode
from loom_bench.truth.runs import OutcomesTold
from loom_bench.truth.said import LinesTwice, UserWords
from loom_bench.truth.shown import CallMade, Ruling, TranscriptJudge, pieces_of
from loom_bench.truth.standing import ForeignWords

JUDGES: tuple[Callable[[], TranscriptJudge], ...] = (
    StaleCode, EditsTold, OutcomesTold, ForeignWords, LinesTwice, UserWords,
)  # fmt: skip


class FollowedSession:
    """A session event by event, and the judges that follow it: all of JUDGES without any."""

    def __init__(self, *judges: TranscriptJudge) -> None:
        self._judges = judges or tuple(make() for make in JUDGES)
        self._open: dict[str, ToolCall] = {}

    def take(self, event: Event) -> CallMade | None:
        """Take in the next event; returns the call it completes."""
        made = None
        if isinstance(event, Reply):
            self._open = {call.id: call for call in event.calls}
        elif isinstance(event, Result) and (call := self._open.get(event.call_id)):
            made = CallMade(call, arguments(call.arguments), event)
        for judge in self._judges:
            judge.take(event, made)
        return made

    def rule(self, messages: Sequence[Message]) -> Ruling:
        """Hold a request against the session so far."""
        ruling = Ruling()
        pieces = pieces_of(messages)
        for judge in self._judges:
            judge.rule(pieces, ruling)
        return ruling
