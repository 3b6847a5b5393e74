"""Recorded sessions with labels beside them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FILLER = "the quick brown fox jumps over the lazy dog, and {n} other animals look on.\n"
OLD = "line 7 of the parser\nline 8 of the parser\n"
FAR = {"last_seen": 2, "distance_tokens": 9_000}
NOWHERE = {"kind": "ident", "needle": "seen nowhere before"}


def labelled_session(
    folder: Path, name: str = "one", filler: int = 12, more: Sequence[dict[str, Any]] = (NOWHERE,)
) -> Path:
    """A session that reads a file, runs commands, edits the file, and runs one more command.

    `filler` is the number of results between read and edit, of about 900 tokens each; `more` are
    labels of the edit beside that of its old text.
    """
    path = "/repo/app/parser.go"
    numbered = "".join(f"{n:>6}→line {n} of the parser\n" for n in range(1, 60))
    asked: list[tuple[str, dict[str, Any], str]] = [("Read", {"file_path": path}, numbered)]
    for n in range(filler):
        text = "".join(FILLER.format(n=60 * n + at) for at in range(60))
        asked.append(("Bash", {"command": f"make {name}-{n}"}, text))
    edit = {"file_path": path, "old_string": OLD, "new_string": "x"}
    asked += [("Edit", edit, "done"), ("Bash", {"command": "make last"}, "done")]
    rows: list[dict[str, Any]] = [{"i": 0, "role": "user", "content": "Mend the parser."}]
    for tool, arguments, result in asked:
        at = len(rows)
        call = {"id": f"c{at}", "name": tool, "arguments": arguments}
        rows.append({"i": at, "role": "assistant", "content": "", "tool_calls": [call]})
        rows.append({"i": at + 1, "role": "tool", "tool_call_id": f"c{at}", "content": result})
    label = {"call": len(rows) - 4, "tool": "Edit", "kind": "edit_old", "needle": OLD, **FAR}
    written = folder / f"{name}.jsonl"
    written.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    labels = "".join(json.dumps({**label, **one}) + "\n" for one in ({}, *more))
    written.with_name(f"{name}.labels.jsonl").write_text(labels, "utf-8")
    return written
