"""Summaries of folded entries, which the host's model writes and Loom checks against the entries.

A digest consists of extracts, which are made without a model. A model that reads the folded entries
can sum them up better. So each digest has an ask, which the host may answer while the digest stands
in the window. The answer is compared with the texts of the entries. What they bear out joins the
facts of the digest that the next cut makes. Loom itself calls no model."""

from __future__ import annotations

from msgspec import Struct

from loom.errors import BadInput, Closed
from loom.reduce.clauses import beginning_or_notice
from loom.reduce.reply_facts import sentences_of
from loom.reduce.summary.ask import Ask, make_ask
from loom.reduce.summary.grounding import counts
from loom.reduce.summary.judge import Summarized, judge_answer
from loom.session.archive.page_reader import readable_text
from loom.session.archive.restore import restore_entry, restored_text
from loom.session.archive.workspace import Workspace
from loom.text import clip_text, one_line
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
    """A request for a summary of the entries that a digest stands for. `id` is the digest's page,
    `ask` what to give the model."""

    id: str
    ask: Ask


def summary_asks(workspace: Workspace) -> tuple[SummaryAsk, ...]:
    """Return a request for a summary for each digest in the window that has no summary yet and
    stands for at least LEAST characters of text. Raises Closed."""
    if workspace.closed:
        raise Closed()
    waiting = (item for item in workspace.window.history.stream if isinstance(item, Digest))
    made = ((digest, folded_texts(workspace, digest)) for digest in waiting if not digest.told)
    objective = "\n".join(filter(None, (_goal_text(workspace), TASK)))
    return tuple(
        SummaryAsk(
            digest.page, make_ask(text, LIMIT, tool="", objective=objective, counts=counts(text))
        )
        for digest, text in made
        if len(text) >= LEAST
    )


def judge_summary_answer(
    workspace: Workspace, id: str, text: object
) -> tuple[Summarized, Answered | None]:
    """Judge the summary `text` given for the request `id`. Return (judgement, record of the
    answer); the record is None for a refused summary. Raises BadInput when no digest in the window
    waits for a summary under this id."""
    waiting = (item for item in workspace.window.history.stream if isinstance(item, Digest))
    digest = next((one for one in waiting if one.page == id and not one.told), None)
    if digest is None:
        raise BadInput(f"answer: nothing asks under {one_line(id, 80)!r}; see turn.asks")
    payload = folded_texts(workspace, digest)
    allowed = "\n".join((_goal_text(workspace), counts(payload), digest.text))
    judgement = judge_answer(text, payload, payload, limit=LIMIT, allowed=allowed, note="")
    if judgement.by != "model":
        return judgement, None
    said = judgement.text.strip()
    whole = (beginning_or_notice(one, LINE, 2 * LINE, otherwise="") for one in sentences_of(said))
    return judgement, Answered(digest.page, tuple(filter(None, list(whole)[:LINES])))


def folded_texts(workspace: Workspace, digest: Digest) -> str:
    """Return the texts of the entries that a digest stands for, each cut to ENTRY characters; at
    most SHOWN characters, without the oldest texts if need be."""
    parts: list[str] = []
    left = SHOWN
    for id in range(digest.last, digest.first - 1, -1):  # the newest are told first
        if id not in workspace.index:
            continue
        try:
            restored = restore_entry(workspace, id)
        except (PagingError, OSError):
            continue
        text = f"[{restored.name}]\n{clip_text(restored_text(restored), ENTRY)}"
        left -= len(text)
        if left < 0:
            break
        parts.append(text)
    return "\n".join(reversed(parts))


def _goal_text(workspace: Workspace) -> str:
    """Return the text of the goal, "" for none."""
    goal = workspace.window.working.goal
    return readable_text(workspace, goal) if goal is not None else ""
