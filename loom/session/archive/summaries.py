"""Summaries of what was folded: asked of the host's model, believed where they are grounded.

A digest is an extract, which stands without any model. What it stands for can be summed up better
by one that reads it, so each digest asks once: the host may answer, at any time while the digest
stands. The answer is judged against the texts themselves, and stands in the digest the next cut
makes, whose facts it joins. The engine calls no model.
"""

from __future__ import annotations

from msgspec import Struct

from loom.errors import BadInput, Closed
from loom.reduce.clauses import told
from loom.reduce.facts import sentences
from loom.reduce.summary.ask import Ask, asked
from loom.reduce.summary.grounding import counts
from loom.reduce.summary.judge import Summarized, judged
from loom.session.archive.reading import standing
from loom.session.archive.restore import as_text, restore
from loom.session.archive.workspace import Workspace
from loom.text import cut, one_line
from loom_paging import PagingError
from loom_partitions.message import Digest
from loom_partitions.records import Answered

SHOWN = 60_000  # characters of what was folded that are shown, and judged against
ENTRY = 1_500  # … of each entry
LIMIT = 1_200  # characters of an answer
LINES = 8  # of an answer, each of at most …
LINE = 200  # … so many characters: a digest's facts are no longer
LEAST = 240  # characters that are worth a summary
TASK = "sum up what was done and what came of it, for the agent that goes on"


class SummaryAsk(Struct, frozen=True):
    """A digest that asks for a summary; `id` is its page, `ask` what the model is given."""

    id: str
    ask: Ask


def asks(workspace: Workspace) -> tuple[SummaryAsk, ...]:
    """The digests of the window nobody has summed up. Raises Closed."""
    if workspace.closed:
        raise Closed()
    waiting = (item for item in workspace.window.history.stream if isinstance(item, Digest))
    made = ((digest, folded(workspace, digest)) for digest in waiting if not digest.told)
    objective = "\n".join(filter(None, (_objective(workspace), TASK)))
    return tuple(
        SummaryAsk(
            digest.page, asked(text, LIMIT, tool="", objective=objective, counts=counts(text))
        )
        for digest, text in made
        if len(text) >= LEAST
    )


def answered(workspace: Workspace, id: str, text: object) -> tuple[Summarized, Answered | None]:
    """The judgement of an answer, and its record where it was taken.

    Raises BadInput when no digest asks under that id any more.
    """
    waiting = (item for item in workspace.window.history.stream if isinstance(item, Digest))
    digest = next((one for one in waiting if one.page == id and not one.told), None)
    if digest is None:
        raise BadInput(f"answer: nothing asks under {one_line(id, 80)!r}; see turn.asks")
    payload = folded(workspace, digest)
    allowed = "\n".join((_objective(workspace), counts(payload), digest.text))
    judgement = judged(text, payload, payload, limit=LIMIT, allowed=allowed, note="")
    if judgement.by != "model":
        return judgement, None
    said = judgement.text.strip()
    whole = (told(one, LINE, 2 * LINE, otherwise="") for one in sentences(said))
    return judgement, Answered(digest.page, tuple(filter(None, list(whole)[:LINES])))


def folded(workspace: Workspace, digest: Digest) -> str:
    """The texts a digest stands for, entry by entry, each cut to its head."""
    parts: list[str] = []
    left = SHOWN
    for id in range(digest.last, digest.first - 1, -1):  # the newest are told first
        if id not in workspace.index:
            continue
        try:
            restored = restore(workspace, id)
        except (PagingError, OSError):
            continue
        text = f"[{restored.name}]\n{cut(as_text(restored), ENTRY)}"
        left -= len(text)
        if left < 0:
            break
        parts.append(text)
    return "\n".join(reversed(parts))


def _objective(workspace: Workspace) -> str:
    goal = workspace.window.working.goal
    return standing(workspace, goal) if goal is not None else ""
