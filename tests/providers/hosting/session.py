"""A whole session through Loom, as data: a generator of what the host does, and who carries it out.

The generator yields `(method, args, kwargs)` of the context, or an `Ask`; a driver answers each
with what it gave. So the synchronous and the asynchronous context run the very same session.
"""

from __future__ import annotations

from collections.abc import Generator
from operator import attrgetter
from typing import Any, NamedTuple

from tests.providers.hosting.host import SYSTEM, TASK, Host

MOST_TURNS = 200


class Ask(NamedTuple):
    """A request to send; its reply goes into the context."""

    request: dict[str, Any]


Operation = tuple[str, tuple[Any, ...], dict[str, Any]] | Ask
Session = Generator[Operation, Any, None]


def requested(turn: Any, api: str, *, thinks: bool = True) -> dict[str, Any]:
    """The keyword arguments of the SDK's call, with the model's thinking asked for."""
    if api == "anthropic" and thinks:
        request: dict[str, Any] = turn.request(api, thinking={"type": "adaptive"})
        return request
    request = turn.request(api)
    if api == "gemini":
        config = {**request["config"], "thinking_config": {"include_thoughts": True}}
        return {**request, "config": config}
    return request


def begun() -> Session:
    """What a host says first."""
    yield "system", (SYSTEM,), {}
    yield "user", (TASK,), {}


def answered(ctx: Any, host: Host) -> Session:
    """The results of all open calls."""
    for call in ctx.calls:
        given = host.result(call.name, call.arguments)
        yield "result", (call, given.value), {"error": given.error}


def until_done(
    ctx: Any, host: Host, api: str, turns: int = MOST_TURNS, *, thinks: bool = True
) -> Session:
    """Results, turn, request, reply; between them what else a host tells its model."""
    for _ in range(turns):
        yield from answered(ctx, host)
        yield from told(ctx.window.sent.turn)
        turn = yield "turn", (), {}
        yield Ask(requested(turn, api, thinks=thinks))
        if ctx.done:
            return


def told(turn: int) -> Session:
    """A plan, progress, a memory, an event, a word of the user, each now and then."""
    if turn % 20 == 3:
        yield "working.plan", ([("read the ledger", "done"), (f"mend shard {turn}", "doing")],), {}
    if turn % 13 == 7:
        yield "working.progress", (f"{turn} steps in; shard {turn % 7} is suspect",), {}
    if turn % 17 == 9:
        yield "user", (f"Look at shard {turn} too. Answer in English.",), {}
    if turn % 29 == 11:
        yield "memory.remember", ("shards", f"Shard {turn % 64} was moved to rack {turn}."), {}


def run(
    ctx: Any,
    session: Session,
    ask: Any,
    *,
    stream: bool = False,
    recover: tuple[type[Exception], ...] = (),
) -> int:
    """Carry a session out; the number of refusals (errors in `recover`) it recovered from."""
    refusals, given = 0, None
    while (operation := _next(session, given)) is not None:
        given = None
        if not isinstance(operation, Ask):
            method, args, kwargs = operation
            given = attrgetter(method)(ctx)(*args, **kwargs)
            continue
        try:
            if stream:
                for _ in ctx.collect(ask(**operation.request, stream=True)):
                    pass
            else:
                ctx.reply(ask(**operation.request))
        except recover as error:
            refusals += 1
            ctx.overflowed(error)
    return refusals


async def arun(ctx: Any, session: Session, ask: Any, *, stream: bool) -> None:
    """The same with the asynchronous context and SDK; no refusal is recovered from."""
    given = None
    while (operation := _next(session, given)) is not None:
        given = None
        if not isinstance(operation, Ask):
            method, args, kwargs = operation
            given = await attrgetter(method)(ctx)(*args, **kwargs)
        elif stream:
            async for _ in ctx.collect(await ask(**operation.request, stream=True)):
                pass
        else:
            await ctx.reply(await ask(**operation.request))


def _next(session: Session, given: Any) -> Operation | None:
    try:
        return session.send(given)
    except StopIteration:
        return None
