"""The demo's tools: list, read and grep. They see only the folders that they are given, each under
a name.

A path begins with the name of a folder, its *root*: `stdlib` is the library of this Python. A tool
returns a text. If it raises BadInput, the error's text is the result of a failed call."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from loom.errors import BadInput
from loom.inputs import ToolCall
from loom.providers.schema import ToolSchema

HITS_MAX = 60
LINE_CHARS = 160
SKIPPED = {"__pycache__", "site-packages", "test", "tests", "idlelib", "lib-dynload"}
# Name, what the tool does, and its arguments with their types; those that may be left out end in ?.
TOOLS = (
    ("list_dir", "List a folder.", "path string"),
    ("read_file", "Read lines of a file.", "path string, offset? integer, limit? integer"),
    ("grep", "Find a regular expression in a file or a folder.", "pattern string, path string"),
)


class DemoTools:
    """The demo's three tools. `roots` maps the first part of a path to a folder."""

    def __init__(self, roots: dict[str, Path]) -> None:
        self.roots = {name: path.resolve() for name, path in roots.items()}
        made = (self.list_dir, self.read_file, self.grep)
        self.tools: dict[str, Callable[..., str]] = {tool.__name__: tool for tool in made}

    def run(self, call: ToolCall) -> tuple[str, bool]:
        """Run one call. Return a pair (text of its result, True if the call failed)."""
        try:
            return self.tools[call.name](**json.loads(call.arguments)), False
        except (BadInput, OSError, re.error) as error:
            return f"{call.name}: {error}", True

    def list_dir(self, path: str) -> str:
        """Return a line for each file (with its size in bytes) and each folder (with a slash) in a
        folder."""
        lines = [
            f"{entry.name}/" if entry.is_dir() else f"{entry.name}  {entry.stat().st_size}"
            for entry in sorted(self._resolve(path).iterdir())
            if entry.name not in SKIPPED and not entry.name.startswith(".")
        ]
        return "\n".join(lines) or "(empty)"

    def read_file(self, path: str, offset: int = 1, limit: int = 200) -> str:
        """Return `limit` lines of a file, unchanged, from line `offset` (counted from 1) on."""
        file = self._resolve(path)
        if not file.is_file():
            raise BadInput(f"{path}: no such file")
        lines = _read_text(file).splitlines(keepends=True)
        if not 0 < offset <= max(len(lines), 1):
            raise BadInput(f"{path} has {len(lines)} lines; offset {offset} is not one of them")
        return "".join(lines[offset - 1 : offset - 1 + limit])

    def grep(self, pattern: str, path: str) -> str:
        """Return a line `path:line:text` for each line that matches `pattern`, at most HITS_MAX.
        `path` is a file, or a folder of Python files."""
        wanted, start = re.compile(pattern), self._resolve(path)
        hits = [
            f"{'/'.join((path, *inside))}:{number}:{line.strip()[:LINE_CHARS]}"
            for file in (sorted(start.rglob("*.py")) if start.is_dir() else [start])
            if not SKIPPED.intersection(inside := file.relative_to(start).parts)
            for number, line in enumerate(_read_text(file).splitlines(), 1)
            if wanted.search(line)
        ]
        more = [f"… {len(hits) - HITS_MAX} more"] if len(hits) > HITS_MAX else []
        return "\n".join([*hits[:HITS_MAX], *more]) or "no matches"

    def _resolve(self, path: str) -> Path:
        """Return the real path that `path` names. Raises BadInput for a path outside the roots."""
        root, _, rest = path.strip("/").partition("/")
        base = self.roots.get(root)
        if base is None or not (found := (base / rest).resolve()).is_relative_to(base):
            raise BadInput(f"{path} is outside; paths begin with {', '.join(self.roots)}")
        return found


def _read_text(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "replace")


def tool_roots() -> dict[str, Path]:
    """Return a dict from name to folder: the folders that the demo's tools read, found on every
    machine with Loom."""
    return {"stdlib": Path(json.__file__).parents[1]}


def _tool_schema(name: str, said: str, given: str) -> ToolSchema:
    kinds = dict(one.split() for one in given.split(", "))
    properties = {key.rstrip("?"): {"type": kind} for key, kind in kinds.items()}
    required = [key for key in kinds if not key.endswith("?")]
    parameters = {"type": "object", "properties": properties, "required": required}
    return ToolSchema(name, said, parameters)


SCHEMAS = tuple(_tool_schema(*tool) for tool in TOOLS)
