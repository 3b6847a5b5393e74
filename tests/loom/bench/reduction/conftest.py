"""A small recorded session whose results are large, with its labels."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from loom.bench.sessions.material import Material

NEAR = "the first line of the log, which any head holds"
FAR = "a line in the very middle, 0b1c2d3e4f5a"


@pytest.fixture
def recording(tmp_path: Path) -> Callable[..., Path]:
    """Writes a session: a log and a JSON document are read, and three calls need a text of them.

    The first needle stands at the head of the log, the second in its middle and again in what the
    JSON document holds last; the third only in a short result.
    """

    def write(name: str = "one", labels: bool = True) -> Path:
        made = Material(Random(name))
        log = [NEAR, *made.log(60), FAR, *made.log(60)]
        document = json.dumps([*json.loads(made.records(40))["items"], {"last": FAR}])
        short = "short, with a text of its own: 77aa88bb"
        messages: list[dict[str, Any]] = [{"i": 0, "role": "user", "content": "Read the log."}]
        for text in ("\n".join(log), short, document):
            at = len(messages)
            call = {"id": f"call_{at}", "name": "Bash", "arguments": {"command": f"cat {at}"}}
            messages.append({"i": at, "role": "assistant", "content": "", "tool_calls": [call]})
            messages.append(
                {"i": at + 1, "role": "tool", "tool_call_id": f"call_{at}", "content": text}
            )
        messages.append({"i": 7, "role": "user", "content": "And now?"})
        messages.append({"i": 8, "role": "assistant", "content": "It is done."})
        needed = [(8, "ident", NEAR), (8, "edit_old", FAR), (3, "ident", FAR), (8, "ident", short)]
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(message) + "\n" for message in messages), "utf-8")
        if labels:
            rows = [{"call": at, "kind": kind, "needle": text} for at, kind, text in needed]
            beside = path.with_name(f"{name}.labels.jsonl")
            beside.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return path

    return write
