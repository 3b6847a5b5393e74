"""Shorten a large output of a tool: by reduction, or by a model whose summary is checked.

    done = loom.summarize(output, tool="Bash", objective="why the build fails", model=ask_mine)
    window.add(done.text)

Without a model the output is reduced to its ends, and JSON to less JSON, with what the objective
names. With a model, its summary is taken when everything it names is in the output; otherwise the
reduction stands and `why` says why. The caller keeps the output itself: store it first, and give
the place where it rests as `ref`, which the text then names.

A model is any callable that takes an `Ask` and gives a text, or an awaitable of a text. A plain
callable cannot be stopped from outside, so it is called on a daemon thread and waited for; a late
call is left behind, and a process that exits does not wait for it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from threading import TIMEOUT_MAX, Thread
from time import monotonic
from typing import Any

from msgspec import Struct

from loom.errors import Overdue
from loom.policy import SUMMARY
from loom.reduce.preview import preview
from loom.reduce.summary.ask import Ask, Model, make_ask
from loom.reduce.summary.grounding import counts, ungrounded
from loom.reduce.summary.judge import Summarized, judge_answer, refused_answer
from loom.text import encodable, one_line, utf8_size

__all__ = ["Ask", "Model", "Summarized", "asummarize", "counts", "summarize", "ungrounded"]

TIMEOUT = 30.0  # seconds
SHOWN = 60_000  # characters of a payload a model is shown; of a longer one its reduction
REASON = 160  # characters of what an exception says
LEAST = 80  # characters an answer must have room for
THREAD = "loom-summary"


class _Task(Struct, frozen=True):
    """A long output prepared for a model. `payload` is the output, `structure` its short form made
    without a model, `ask` the request to the model. `allowed` is a text with more names that a
    summary may use. `note` is added to the summary."""

    model: Model
    payload: str
    structure: str
    ask: Ask
    allowed: str
    note: str

    def judged(self, given: object) -> Summarized:
        """Return the model's answer as the summary, or the short form if the answer is refused."""
        return judge_answer(
            given,
            self.payload,
            self.structure,
            limit=self.ask.limit,
            allowed=self.allowed,
            note=self.note,
        )

    def failed(self, error: Exception) -> Summarized:
        """Return the short form, with `error` as the reason why the model did not answer."""
        if isinstance(error, Overdue):
            return refused_answer(self.structure, str(error))
        said = one_line(str(error), REASON)
        name = type(error).__name__
        return refused_answer(
            self.structure, f"raised {name}: {said}" if said else f"raised {name}"
        )


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
    """Return a short form of `text`, the output of `tool`, in at most `limit` characters.

    A text within `limit` is returned unchanged, and no model is asked. Without a `model` the text
    is cut. With an `objective`, what it mentions is kept. `ref` names the place of the whole text,
    for the note in the result. The model has `timeout` seconds; a later answer is dropped. An
    exception of the model becomes `why`, except KeyboardInterrupt, CancelledError and the like,
    which are raised. The call blocks a running event loop; use `asummarize` there. Raises
    ValueError for a limit below 1, or a timeout that is not above 0 and finite.

    >>> loom.summarize('{"items": [1, 2, 3]}', tool="list", model=lambda ask: "three items").text
    '{"items": [1, 2, 3]}'"""
    task = _prepare_summary(text, tool, objective, model, limit, timeout, ref)
    if isinstance(task, Summarized):
        return task
    try:
        answer = _call_model(task.model, task.ask, timeout)
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
    """Return the same as `summarize`, awaited, without blocking the event loop. A `model` that is a
    coroutine function runs on this event loop, any other on a thread."""
    import asyncio

    task = await asyncio.to_thread(
        _prepare_summary, text, tool, objective, model, limit, timeout, ref
    )
    if isinstance(task, Summarized):
        return task
    try:
        answer = await _await_model(task.model, task.ask, timeout)
    except Exception as error:
        return task.failed(error)
    return await asyncio.to_thread(task.judged, answer)


def _prepare_summary(
    text: str, tool: str, objective: str, model: Model | None, limit: int, timeout: float, ref: str
) -> Summarized | _Task:
    """Return the final result if no model is needed, else the task for the model. Raises ValueError
    for a limit below 1, or a timeout that is not above 0 and finite."""
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
    note = f"[a model's summary of {utf8_size(text):,} bytes{where}]"
    room = limit - len(note) - 1
    if room < LEAST:
        return refused_answer(structure, f"no room for an answer in {limit} characters")
    counted = counts(text)
    # What the model is shown it may repeat, also what the reduction says of itself.
    cut_down = len(text) > SHOWN
    data = encodable(preview(text, SHOWN, ref, objective) if cut_down else text)
    ask = make_ask(data, room, tool=tool, objective=objective, counts=counted, reduced=cut_down)
    allowed = "\n".join((tool, objective, counted, ref, data if cut_down else ""))
    return _Task(model, text, structure, ask, allowed, note)


def _overdue_error(timeout: float) -> Overdue:
    """Return the error for a model that took longer than `timeout` seconds."""
    return Overdue(f"timed out after {timeout:g} s")


def _call_model(model: Model, ask: Ask, timeout: float) -> Any:
    """Call the model on a thread and return its answer, awaited if awaitable. Raises Overdue after
    `timeout` seconds, and whatever the model raises."""

    def work() -> Any:
        value = model(ask)
        if inspect.isawaitable(value):
            import asyncio

            return asyncio.run(_await_within(value, timeout))
        return value

    call = _call_on_thread(work)
    try:
        return call.result(timeout)
    except TimeoutError:
        if call.cancel():
            raise _overdue_error(timeout) from None
        return call.result()  # the model raised one of its own, or came at the last moment


async def _await_model(model: Model, ask: Ask, timeout: float) -> Any:
    """Call the model, await its answer and return it. Raises Overdue after `timeout` seconds, and
    whatever the model raises."""
    import asyncio

    begun = monotonic()
    called = getattr(model, "__call__", None)  # noqa: B004 - an object whose call is `async def`
    if inspect.iscoroutinefunction(model) or inspect.iscoroutinefunction(called):
        return await _await_within(model(ask), timeout)
    value = await _await_within(asyncio.wrap_future(_call_on_thread(lambda: model(ask))), timeout)
    if inspect.isawaitable(value):
        return await _await_within(value, max(0.0, timeout - (monotonic() - begun)), timeout)
    return value


def _call_on_thread(work: Callable[[], Any]) -> Future[Any]:
    """Call `work` on a daemon thread and return a future for its result."""
    call: Future[Any] = Future()

    def work_on() -> None:
        value, raised = None, None
        try:
            value = work()
        except BaseException as error:  # also KeyboardInterrupt: it belongs to the caller
            raised = error
        if not call.set_running_or_notify_cancel():
            if inspect.iscoroutine(value):
                value.close()  # nobody is left to await it
        elif raised is not None:
            call.set_exception(raised)
            raised = None  # an exception must not hold its own frames, or what is open stays so
        else:
            call.set_result(value)

    Thread(target=copy_context().run, args=(work_on,), name=THREAD, daemon=True).start()
    return call


async def _await_within(awaitable: Any, timeout: float, said: float = 0.0) -> Any:
    """Return the result of an awaitable. After `timeout` seconds the awaitable is cancelled, and
    Overdue is raised; the error names `said` seconds, or `timeout` if `said` is 0."""
    import asyncio

    task = asyncio.ensure_future(awaitable)
    try:
        done, _ = await asyncio.wait({task}, timeout=timeout)
    finally:
        if not task.done():
            task.add_done_callback(lambda late: late.cancelled() or late.exception())
            task.cancel()
    if not done:
        raise _overdue_error(said or timeout)
    try:
        return task.result()
    finally:
        del task, done
