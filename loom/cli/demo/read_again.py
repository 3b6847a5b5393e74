"""One result of a session that left the window and was read again, found in its journal.

Nothing is noted while the session runs: the journal tells when a text left and when the agent
asked for it, and the requests around that are made again as `loom show` makes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from msgspec import Struct

from loom.engine.archive.decode import records_of
from loom.engine.archive.workspace import Workspace
from loom.inspect.sent_again import request_at
from loom.providers.counts.counter import Counter
from loom.providers.render.message import ResultBlock, TextBlock
from loom_partitions.edits import Edit, Folded
from loom_partitions.message import Call
from loom_partitions.records import Compressed, Renewed, Replied, Returned

ASKS = "page_in"


class ReadAgain(Struct, frozen=True):
    """One result that left the window and was read again later, as the journal tells it.

    Steps are numbered from 1, and the request of a step has its number. `call` brought the result
    of `size` bytes at step `came`, whose bytes rest on `page`; the cut of `level` took its text out
    of request `left`, and at step `again` the agent made the call `asked`, which brought `answer`.
    `before` is the text in the last request that had it, `after` what stands for it in the next
    one ("" for nothing), and both `tokens_` are theirs.
    """

    call: str
    size: int
    page: str
    came: int
    left: int
    level: str
    before: str
    tokens_before: int
    after: str
    tokens_after: int
    again: int
    asked: str
    answer: str


class PagedResult(Struct):
    """A result that came in whole: its entry, its call, its size in bytes, its page.

    `came`, `left` and `again` are steps, 0 for not yet; the cut that it left by was of `level`.
    """

    entry: int
    call: Call
    size: int
    page: str
    came: int
    left: int = 0
    level: str = ""
    again: int = 0
    asked: Call | None = None


def read_again(workspace: Workspace, count: Counter) -> ReadAgain | None:
    """The result that was away for the longest behind a line of its own before it was read again;
    None when none was.

    Raises what reading a workspace raises.
    """
    results = [one for one in _results(workspace) if one.asked]
    for found in sorted(results, key=lambda one: one.left - one.again):
        after = _text(workspace, found.entry, found.call, found.left)
        if not after or found.asked is None:
            continue
        before = _text(workspace, found.entry, found.call, found.left - 1)
        return ReadAgain(
            call=_told(found.call),
            size=found.size,
            page=found.page,
            came=found.came,
            left=found.left,
            level=found.level,
            before=before,
            tokens_before=count(before),
            after=after,
            tokens_after=count(after),
            again=found.again,
            asked=_told(found.asked),
            answer=_text(workspace, found.entry, found.asked, found.again + 1),
        )
    return None


def _results(workspace: Workspace) -> Iterable[PagedResult]:
    """Every result that came in whole and rests on a page, with what became of it."""
    held: dict[str, PagedResult] = {}
    calls: dict[str, Call] = {}
    step = 0
    for record in (one for commit in workspace.journal.scan() for one in records_of(commit)):
        match record:
            case Replied():
                step += 1
                calls = {call.id: call for call in record.step.calls}
                for call in record.step.calls:
                    one = held.get(_asked_for(call))
                    if one is not None and one.left and not one.again:
                        one.again, one.asked = step, call
            case Returned(outcome=outcome):
                page, whole = outcome.reduction.outcome_ref, outcome.text.body is None
                if page and whole and page not in held:
                    call, size = calls[outcome.call_id], outcome.text.size
                    held[page] = PagedResult(record.step, call, size, page, step)
            case Compressed() | Renewed():
                level = record.level if isinstance(record, Compressed) else "renewal"
                for one in held.values():
                    if not one.left and any(_takes(edit, one.entry) for edit in record.edits):
                        one.left, one.level = step + 1, level
    return held.values()


def _takes(edit: Edit, entry: int) -> bool:
    """True when an edit takes text of that entry out of the window."""
    return edit.takes(entry) if isinstance(edit, Folded) else edit.entry == entry


def _asked_for(call: Call) -> str:
    """The page a call brings back, "" for any other call."""
    return str(json.loads(call.arguments).get("ref", "")) if call.name == ASKS else ""


def _told(call: Call) -> str:
    """A call as a line: its name and what it was given."""
    given = json.loads(call.arguments)
    return " ".join([call.name, *(f"{key}={value}" for key, value in given.items())])


def _text(workspace: Workspace, entry: int, call: Call, number: int) -> str:
    """What a request says of a result: its text, or the line that stands for its step."""
    name = f"step_{entry:04d} "
    for message in request_at(workspace, number).turn.messages:
        for block in message.blocks:
            if isinstance(block, ResultBlock) and block.call_id == call.id:
                return block.text
            lines = block.text.splitlines() if isinstance(block, TextBlock) else []
            if line := next((line for line in lines if line.startswith(name)), ""):
                return line
    return ""
