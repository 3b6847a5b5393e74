"""Steps of an agent: calls, and calls with their results."""

import json
from typing import Any

import loom
from loom_partitions.message import Step

Args = dict[str, Any] | str


def calls(*ids: str, tool: str = "Bash", args: str = '{"command":"ls"}') -> loom.Reply:
    """Return a reply that makes one call under each id."""
    return loom.Reply(tuple(loom.ToolCall(id, tool, args) for id in ids))


def call(ctx: loom.Context, tool: str = "Bash", args: Args = "", *, said: str = "") -> str:
    """Reply with one call and return its id, which has the entry's number, as its arguments have
    unless they are given."""
    id = ctx.window.history.next_id
    text = args if isinstance(args, str) else json.dumps(args)
    made = loom.ToolCall(f"c{id}", tool, text or f'{{"command":"run {id}"}}')
    ctx.reply(loom.Reply((*([loom.Speech(said)] if said else []), made)))
    return made.id


def step(
    ctx: loom.Context,
    result: Any = "ok",
    *,
    tool: str = "Bash",
    args: Args = "",
    said: str = "",
    error: bool = False,
) -> int:
    """Add a step with one call and its result; return its entry id.

    A number for a result is so many lines that no other step has, of about eight tokens each.
    """
    id = ctx.window.history.next_id
    if isinstance(result, int):
        result = "".join(f"line {n} of the output {id}\n" for n in range(result))
    ctx.result(call(ctx, tool, args, said=said), result, error=error)
    return id


def act(ctx: loom.Context, tool: str, args: Args, result: str | int, **more: Any) -> Step:
    """Add such a step and return it as it came in."""
    step(ctx, result, tool=tool, args=args, **more)
    return last_step(ctx)


def last_step(ctx: loom.Context) -> Step:
    """Return the newest step."""
    return next(one for one in ctx.window.history.stream.entries_back if isinstance(one, Step))


def write(ctx: loom.Context, action: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    """Have the model write on C_working: the result, and whether it is an error."""
    return own(ctx, "working", {"action": action, **arguments})


def own(ctx: loom.Context, tool: str, arguments: object) -> tuple[str, bool]:
    """Have the model call a tool that Loom answers: the result, and whether it is an error."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    entry = ctx.window.history.next_id
    ctx.reply(loom.Reply((loom.ToolCall(f"own{entry}", tool, text),)))
    assert all(call.id != f"own{entry}" for call in ctx.calls)
    restored = ctx.history.restore(entry)
    return restored.results[f"own{entry}"], bool(restored.errors)
