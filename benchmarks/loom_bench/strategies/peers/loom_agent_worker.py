"""The other end of `loom_agent`: run by its path in isolated mode, never imported.

A line in is a list of new messages; a line out is the rendered context after one turn of the
package's loop, each message by its number when it is the very object that came in.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any


def main(capacity: int) -> None:
    """Answer every line until there are no more."""
    context: Any = import_module("loom.context").ContextManager(max_tokens=capacity)
    types: Any = import_module("loom.types.messages")
    numbers: dict[int, int] = {}
    held: list[Any] = []
    for line in sys.stdin:
        for given in json.loads(line):
            calls = [types.ToolCall(call, name, args) for call, name, args in given["calls"]]
            message = types.Message(
                role=given["role"],
                content=given["content"],
                tool_calls=calls,
                tool_call_id=given["id"],
                name=given["name"],
            )
            numbers[id(message)] = len(held)
            held.append(message)
            context.current_goal = context.current_goal or (
                given["content"] if given["role"] == "user" else ""
            )
            context.partitions.history.append(message)
        context.dashboard.update_rho(context.rho)
        if context.should_renew():
            context.renew()
        else:
            level = context.should_compress()
            if level:
                context.compress(level)
        rendered = context.partitions.get_all_messages()
        made = [numbers.get(id(message)) for message in rendered]
        out = [
            number if number is not None else written(message)
            for number, message in zip(made, rendered, strict=True)
        ]
        print(json.dumps(out), flush=True)


def written(message: Any) -> dict[str, Any]:
    """A message the package made."""
    return {
        "role": message.role,
        "content": message.content,
        "calls": [(call.id, call.name, call.arguments) for call in message.tool_calls or []],
        "id": message.tool_call_id,
        "name": message.name,
    }


if __name__ == "__main__":
    main(int(sys.argv[1]))
