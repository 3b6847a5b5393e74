"""A small session that its client compacted, as Claude Code writes one."""

import json
from pathlib import Path
from typing import Any

from loom.inputs import Session
from loom.replay.importers import load

MODEL = "claude-sonnet-4-5"
STORE = "".join(f"def keep_{n}(row):  # of shelf {n}\n    return row * {n}\n" for n in range(40))
FAILED = "tests/test_store.py:9: AssertionError: shelf 7 is empty\n1 failed in 0.2s"
SUMMARY = (
    "This session is being continued from a previous conversation.\nThe store was looked at: {}"
)


class CompactedLog:
    """Lines of a log, a minute apart, each behind the one before."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self._size = 1_000

    def line(self, **fields: Any) -> None:
        """One more line."""
        at = len(self.lines)
        made = {"uuid": f"u{at}", "parentUuid": f"u{at - 1}" if at else None, "sessionId": "s"}
        when = f"2026-03-04T13:{at:02d}:00Z"
        self.lines.append({**made, "timestamp": when, "cwd": "/home/ada/shop", **fields})

    def user(self, text: str, **fields: Any) -> None:
        """What the user typed."""
        self.line(type="user", message={"role": "user", "content": text}, **fields)

    def said(self, text: str) -> None:
        """What the model said."""
        self._reply({"type": "text", "text": text})

    def call(self, name: str, result: str, *, failed: bool = False, **given: Any) -> None:
        """A call and its result."""
        id = f"c{len(self.lines)}"
        self._reply({"type": "tool_use", "id": id, "name": name, "input": given})
        told = {"type": "tool_result", "tool_use_id": id, "content": result, "is_error": failed}
        self.line(type="user", message={"role": "user", "content": [told]})

    def compact(self, summary: str) -> None:
        """The client writes a summary in place of what stands."""
        told = {"trigger": "auto", "preTokens": self._size}
        self.line(type="system", subtype="compact_boundary", compactMetadata=told)
        self.user(SUMMARY.format(summary), isCompactSummary=True)
        self._size = 1_200

    def _reply(self, block: dict[str, Any]) -> None:
        self._size += 1_000
        message = {"role": "assistant", "id": f"m{len(self.lines)}", "model": MODEL}
        usage = {"input_tokens": self._size, "output_tokens": 9}
        self.line(type="assistant", message={**message, "content": [block], "usage": usage})


def session_of(log: CompactedLog, folder: Path) -> Session:
    """The session of a log, written to a folder and read from there."""
    path = folder / "session.jsonl"
    path.write_text("\n".join(map(json.dumps, log.lines)), "utf-8")
    return load(path)[0]


def compacted_log(folder: Path, *, again: bool = True) -> Path:
    """A log of one compaction: a file of two is not in its summary, nor the user's rule, a commit
    and a check that fails; behind it that file is listed and read `again`, the commit shown."""
    log = CompactedLog()
    log.user("Never touch the ledger folder. Mend the store in store.py.")
    log.call("Read", STORE, file_path="/home/ada/shop/lib/store.py")
    log.call("Read", STORE.replace("keep", "drop"), file_path="/home/ada/shop/lib/shelf.py")
    given = {"file_path": "/home/ada/shop/lib/shelf.py", "old_string": "row * 7"}
    log.call("Edit", "The file has been updated.", new_string="row * 8", **given)
    log.call("Bash", "row of 9f3c2ab71d", command="git show 9f3c2ab71d --stat")
    log.call("Bash", FAILED, failed=True, command="pytest -q tests/test_store.py")
    log.compact("its functions live in store.py and multiply rows.")
    log.call("Read", STORE, file_path="/home/ada/shop/lib/store.py")
    if again:
        listed = "shelf.py\nstore.py\n9f3c2ab71d row"
        log.call("Bash", listed, command="ls lib; git log --oneline -1")
        numbered = STORE.replace("keep", "drop").replace("row * 7", "row * 8")
        log.call("Read", numbered, file_path="/home/ada/shop/lib/shelf.py")
        log.call("Bash", "lib/shelf.py | 2 +-", command="git show 9f3c2ab71d --stat -- lib")
    log.said("Both are read.")
    path = folder / "session.jsonl"
    path.write_text("\n".join(map(json.dumps, log.lines)), "utf-8")
    return path
