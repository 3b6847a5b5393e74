"""One result of a session that left the window and was read again, found in its journal.

Nothing is noted while the session runs: the journal tells when a text left and when the agent
asked for it, and the requests around that are made again as `loom show` makes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from loom.cli.demo.outcome import ReadAgain
from loom.engine.archive.decode import records_of
from loom.engine.archive.workspace import Workspace
from loom.inspect.sent_again import request_at
from loom.providers.counts.counter import Counter
from loom.providers.render.message import ResultBlock, TextBlock
from loom_partitions.edits import Edit, Folded
from loom_partitions.message import Call
from loom_partitions.records import Compressed, Record, Renewed, Replied, Returned

ASKS = "page_in"


class PagedResult(Struct, frozen=True):
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

    @property
    def away(self) -> int:
        """Steps from its leaving to its being read again."""
        return self.again - self.left if self.again else 0


def read_again(workspace: Workspace, count: Counter) -> ReadAgain | None:
    """The result that was away for the longest behind a line of its own before it was read again;
    None when none was.

    Raises what reading a workspace raises.
    """
    results = sorted(_results(workspace), key=lambda result: -result.away)
    lined = ((one, _text(workspace, one, one.left)) for one in results if one.asked)
    found, after = next((pair for pair in lined if pair[1]), (None, ""))
    if found is None or found.asked is None:
        return None
    before = _text(workspace, found, found.left - 1)
    asked = replace(found, call=found.asked)
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
        answer=_text(workspace, asked, found.again + 1),
    )


def _results(workspace: Workspace) -> list[PagedResult]:
    """Every result that came in whole and rests on a page, with what became of it."""
    held: dict[str, PagedResult] = {}
    calls: dict[str, Call] = {}
    step = 0
    for record in _records(workspace):
        match record:
            case Replied():
                step += 1
                calls = {call.id: call for call in record.step.calls}
                for call in record.step.calls:
                    page = _asked_for(call)
                    if page in held and held[page].left and not held[page].again:
                        held[page] = replace(held[page], again=step, asked=call)
            case Returned():
                outcome = record.outcome
                page, whole = outcome.reduction.outcome_ref, outcome.text.body is None
                if page and whole and page not in held:
                    call = calls[outcome.call_id]
                    size = outcome.text.size
                    held[page] = PagedResult(record.step, call, size, page, step)
            case Compressed() | Renewed():
                level = record.level if isinstance(record, Compressed) else "renewal"
                for page, result in held.items():
                    if not result.left and any(_takes(edit, result.entry) for edit in record.edits):
                        held[page] = replace(result, left=step + 1, level=level)
    return [*held.values()]


def _records(workspace: Workspace) -> Iterator[Record]:
    for commit in workspace.journal.scan():
        yield from records_of(commit)


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


def _text(workspace: Workspace, result: PagedResult, number: int) -> str:
    """What a request says of a result: its text, or the line that stands for its step."""
    name = f"step_{result.entry:04d} "
    for message in request_at(workspace, number).turn.messages:
        for block in message.blocks:
            if isinstance(block, ResultBlock) and block.call_id == result.call.id:
                return block.text
            if isinstance(block, TextBlock):
                for line in block.text.splitlines():
                    if line.startswith(name):
                        return line
    return ""
