"""A large output of a tool made short: to what stands for it, or by a model that is checked.

    done = loom.summarize(output, tool="Bash", objective="why the build fails", model=ask_mine)
    window.add(done.text)

Without a model the output is reduced to its ends; JSON to less JSON, with what the objective names.
With one, its summary is taken when everything it names is in the output; otherwise the reduction
stands and `why` says why. The output itself is the caller's: store it first, and give where it
rests as `ref`, which the text then names.

A model is any callable that takes an `Ask` and gives a text, or an awaitable of one.
"""

from __future__ import annotations

from threading import TIMEOUT_MAX

from msgspec import Struct

from loom.errors import Overdue
from loom.policy import SUMMARY
from loom.reduce.preview import preview
from loom.reduce.summary.ask import Ask, Model, asked
from loom.reduce.summary.grounding import counts, ungrounded
from loom.reduce.summary.judge import Summarized, judged, refused
from loom.reduce.summary.running import answered, run
from loom.text import one_line, printable, size_of

__all__ = ["Ask", "Model", "Summarized", "asummarize", "counts", "summarize", "ungrounded"]

TIMEOUT = 30.0  # seconds
SHOWN = 60_000  # characters of a payload a model is shown; of a longer one its reduction
REASON = 160  # characters of what an exception says
LEAST = 80  # characters an answer must have room for


class _Task(Struct, frozen=True):
    """One output that is too long: the `payload`, its reduction (`structure`), the question to the
    model (`ask`), and the text whose names and numbers a summary may use (`allowed`)."""

    model: Model
    payload: str
    structure: str
    ask: Ask
    allowed: str
    note: str

    def judged(self, given: object) -> Summarized:
        """The answer, or the reduction where it is refused."""
        return judged(
            given,
            self.payload,
            self.structure,
            limit=self.ask.limit,
            allowed=self.allowed,
            note=self.note,
        )

    def failed(self, error: Exception) -> Summarized:
        """The reduction, and what kept the model from answering."""
        if isinstance(error, Overdue):
            return refused(self.structure, str(error))
        said = one_line(str(error), REASON)
        name = type(error).__name__
        return refused(self.structure, f"raised {name}: {said}" if said else f"raised {name}")


def summarize(
    text: str,
    *,
    tool: str = "",
    objective: str = "",
    model: Model | None = None,
    limit: int = SUMMARY,
    timeout: float = TIMEOUT,
    ref: str = "",
) -> Summarized:
    """At most `limit` characters that stand for `text`, what the tool gave for an objective.

    A text within `limit` is returned as it is and no model is asked. The model has `timeout`
    seconds; one that is late is left behind on a daemon thread, its answer dropped. What it raises
    becomes `why`, except KeyboardInterrupt, CancelledError and their like, which pass. Works inside
    a running event loop, which it blocks; there use `asummarize`. Raises ValueError for a limit
    below 1 or a timeout that is not above 0 and finite.

    >>> loom.summarize('{"items": [1, 2, 3]}', tool="list", model=lambda ask: "three items").text
    '{"items": [1, 2, 3]}'
    """
    task = _begun(text, tool, objective, model, limit, timeout, ref)
    if isinstance(task, Summarized):
        return task
    try:
        answer = run(task.model, task.ask, timeout)
    except Exception as error:
        return task.failed(error)
    return task.judged(answer)


async def asummarize(
    text: str,
    *,
    tool: str = "",
    objective: str = "",
    model: Model | None = None,
    limit: int = SUMMARY,
    timeout: float = TIMEOUT,
    ref: str = "",
) -> Summarized:
    """The same, awaited: a coroutine function runs on this loop, any other model on a thread.

    Reducing and judging are done on threads too, so a text of any size does not hold up the loop.
    """
    import asyncio

    task = await asyncio.to_thread(_begun, text, tool, objective, model, limit, timeout, ref)
    if isinstance(task, Summarized):
        return task
    try:
        answer = await answered(task.model, task.ask, timeout)
    except Exception as error:
        return task.failed(error)
    return await asyncio.to_thread(task.judged, answer)


def _begun(
    text: str,
    tool: str,
    objective: str,
    model: Model | None,
    limit: int,
    timeout: float,
    ref: str,
) -> Summarized | _Task:
    """Reduce without the model: the final result, or the task a model is given."""
    if limit < 1:
        raise ValueError(f"a limit of {limit} characters: it must be at least 1")
    if not 0 < timeout <= TIMEOUT_MAX:
        raise ValueError(f"a timeout of {timeout!r} seconds: it must be above 0 and finite")
    if len(text) <= limit:
        return Summarized(text, "whole")
    structure = preview(text, limit, ref, objective)
    if model is None:
        return Summarized(structure, "structure")
    where = f"; the whole rests in {ref}" if ref else ""
    note = f"[a model's summary of {size_of(text):,} bytes{where}]"
    room = limit - len(note) - 1
    if room < LEAST:
        return refused(structure, f"no room for an answer in {limit} characters")
    counted = counts(text)
    # What the model is shown it may repeat, also what the reduction says of itself.
    cut_down = len(text) > SHOWN
    data = printable(preview(text, SHOWN, ref, objective) if cut_down else text)
    ask = asked(data, room, tool=tool, objective=objective, counts=counted, reduced=cut_down)
    allowed = "\n".join((tool, objective, counted, ref, data if cut_down else ""))
    return _Task(model, text, structure, ask, allowed, note)
