"""A small recorded session with its labels, and events made by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FILLER = "the quick brown fox jumps over the lazy dog, and {n} other animals look on.\n"


def called(index: int, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A reply with one call."""
    call = {"id": f"call_{index}", "name": name, "arguments": arguments}
    return {"i": index, "role": "assistant", "content": "", "tool_calls": [call]}


def answered(index: int, text: str) -> dict[str, Any]:
    """The result of the call of the message before."""
    return {"i": index, "role": "tool", "tool_call_id": f"call_{index - 1}", "content": text}


@pytest.fixture
def recording(tmp_path: Path) -> Callable[..., Path]:
    """Writes a session that reads a file, does other things for long, and edits the file then.

    `filler` is the number of results between the two, of about 900 tokens each.
    """

    def write(name: str = "one", filler: int = 12) -> Path:
        numbered = "".join(f"{n:>6}→line {n} of the parser\n" for n in range(1, 60))
        messages: list[dict[str, Any]] = [{"i": 0, "role": "user", "content": "Mend the parser."}]
        messages += [called(1, "Read", {"file_path": "/repo/app/parser.go"}), answered(2, numbered)]
        for n in range(filler):
            at = len(messages)
            messages.append(called(at, "Bash", {"command": f"make animals-{n}"}))
            messages.append(answered(at + 1, FILLER.format(n=n) * 60))
        at = len(messages)
        old = "line 7 of the parser\nline 8 of the parser\n"
        edit = {"file_path": "/repo/app/parser.go", "old_string": old, "new_string": "x"}
        messages += [called(at, "Edit", edit), answered(at + 1, "done")]
        labels = [
            {"call": at, "tool": "Edit", "kind": "edit_old", "needle": old},
            {"call": at, "tool": "Edit", "kind": "ident", "needle": "seen nowhere before"},
        ]
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(message) + "\n" for message in messages), "utf-8")
        beside = path.with_name(f"{name}.labels.jsonl")
        far = {"last_seen": 2, "distance_tokens": 9_000}
        beside.write_text("".join(json.dumps({**one, **far}) + "\n" for one in labels), "utf-8")
        return path

    return write
