"""Run by `reduction`, by its path and an interpreter that has the package; never imported.

A line in is a text and an objective, a line out the reduced text and the names the package can
bring the whole back by, or an error. The result stands in a conversation that has gone on for four
messages, since packages leave the newest ones as they are, and comes from a tool of no known name,
since some leave the results of file tools as they are. A package does what it does without options.
"""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from typing import Any

HASH = re.compile(r"(?:hash=|<<ccr:)([0-9a-f]{6,})")  # how headroom names what it took away
PLACE = 2  # of the result among the messages


def conversation(text: str, objective: str) -> list[dict[str, Any]]:
    """A result as it stands in a request a little later."""
    function = {"name": "query", "arguments": "{}"}
    call = {"id": "call_1", "type": "function", "function": function}
    after = [("assistant", "That helps."), ("user", "Go on.")] * 2
    return [
        {"role": "user", "content": objective or "Look at this."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": text},
        *({"role": role, "content": said} for role, said in after),
    ]


def headroom(package: Any, messages: list[dict[str, Any]]) -> tuple[str, list[str]]:
    """The text, and the names that stand for the whole."""
    text = package.compress(messages, model="gpt-4o").messages[PLACE]["content"]
    return text, HASH.findall(text)


def distil(package: Any, messages: list[dict[str, Any]]) -> tuple[str, list[str]]:
    """The text, and the names that stand for the whole."""
    made = package.compress_messages(messages)
    return made.messages[PLACE]["content"], list(made.handles)


def main(name: str) -> None:
    """Answer every line until there are no more."""
    answers, sys.stdout = sys.stdout, sys.stderr  # what a package prints is no answer
    reduce, package = {"headroom": headroom, "distil": distil}[name], import_module(name)
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            text, names = reduce(package, conversation(asked["text"], asked["objective"]))
            answer: dict[str, Any] = {"text": text, "names": names}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
