"""Everything of Loom's that writes, under a umask: `writers.py HOME UMASK [ENGINE …]`, a process.

It prints what was made, with the mode it was made with: a moment in which a file is wider shows
there, however short it is. And the modes of all that is there at the end, and in the middle of a
transaction of long-term memory.
"""

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

HOME, UMASK = Path(sys.argv[1]), int(sys.argv[2], 8)
noted: list[tuple[str, str, int]] = []
_open = os.open


def _noting(path: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
    if flags & os.O_CREAT:
        noted.append(("file", os.fsdecode(path), mode))
    return _open(path, flags, mode, **more)


def _heard(event: str, given: tuple[Any, ...]) -> None:
    if event == "os.mkdir" and not os.path.lexists(given[0]):
        noted.append(("folder", os.fsdecode(given[0]), given[1]))
    elif event == "open" and given[1] is not None and given[2] & os.O_CREAT:
        noted.append(("file", str(given[0]), 0o666))  # Python's own open asks for that


def modes(folder: Path) -> dict[str, tuple[str, int]]:
    """Each name below a folder: is it one or a file, and its mode."""
    found = {}
    for path in folder.rglob("*"):
        mode = path.lstat().st_mode
        found[str(path)] = ("folder" if stat.S_ISDIR(mode) else "file", stat.S_IMODE(mode))
    return found


ROWS = (
    {"role": "user", "content": "Go.", "ctx_tokens": 9},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c1", "name": "Read", "arguments": {"path": "a"}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "x" * 5_000},
    {"role": "assistant", "content": "Done."},
)


def session(path: Path) -> str:
    """A recorded session."""
    with os.fdopen(_open(path, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
        os.fchmod(file.fileno(), 0o600)
        file.writelines(json.dumps(row) + "\n" for row in ROWS)
    return str(path)


def main() -> None:
    """Write everything, and print what was made."""
    from loom.capabilities.memory.longterm.memories import open_longterm
    from loom.capabilities.memory.longterm.memory_item import new_memory
    from loom.capabilities.toolbox.limited_runs import RunResult
    from loom.capabilities.toolbox.scripts import ResultCache
    from loom.cli import main as command
    from tests.kit.rich_workspace import rich

    recorded = session(HOME / "s.jsonl")
    sys.addaudithook(_heard)
    os.open = _noting
    os.umask(UMASK)
    rich(HOME / "a" / "b" / "w")
    ResultCache(HOME / "r" / "cache").put("k", RunResult(("a",), 0, b"x", b"", 0.0))
    sys.stdout = sys.stderr
    code = command(["replay", recorded, "--out", str(HOME / "o" / "out"), "--window", "8000"])
    sys.stdout = sys.__stdout__
    during: dict[str, tuple[str, int]] = {}
    for engine in sys.argv[3:]:
        with open_longterm(HOME / "lt" / engine / "memories", engine) as held:
            with held.store.write_transaction():
                held.store.keep_vectors("words", {})
                during |= modes(HOME / "lt")
            held.save(new_memory("one", key="k", now=1.0))
            held.query("one", 5, now=2.0)
    ours = [(kind, path, mode) for kind, path, mode in noted if path.startswith(str(HOME))]
    print(json.dumps({"code": code, "made": ours, "during": during, "modes": modes(HOME)}))


if __name__ == "__main__":
    main()
