"""The demo's tools: list, read, grep, shell and write, over folders that are read by name.

A path begins with the name of a *root*: `loom`, `partitions`, `paging` and `stdlib` are read-only
sources found through their modules' `__file__`; `scratch` is the demo's own folder, the only one
it writes to. A tool answers with text; a `Refused` becomes an error result.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from loom.inputs import ToolCall
from loom.lazy import lazy_re
from loom.providers.schema import ToolSchema

SECONDS = 10  # a command may take
HITS_MAX = 60
LINE_CHARS = 160
OUTPUT_CHARS = 20_000
SKIPPED = {"__pycache__", "site-packages", "test", "tests", "idlelib", "lib-dynload"}

# Program → what its arguments must look like, joined by blanks. Nothing here writes or connects.
ALLOWED = {
    "python": lazy_re(r"--version|-m (tokenize|tabnanny) [\w./-]+"),
    "wc": lazy_re(r"(-[clw]+ )?[\w./ -]+"),
    "head": lazy_re(r"(-n \d{1,4} )?[\w./-]+"),
    "uname": lazy_re(r"(-[srm])?"),
}


class CallRefused(Exception):
    """A call that cannot be done; the text says why and goes to the agent as an error."""


class DemoTools:
    """The roots, and what each tool does with them."""

    def __init__(self, roots: dict[str, Path], scratch: Path) -> None:
        self.roots = {name: path.resolve() for name, path in {**roots, "scratch": scratch}.items()}
        self.tools: dict[str, Callable[..., str]] = {
            "list_dir": self.list_dir,
            "read_file": self.read_file,
            "grep": self.grep,
            "shell": self.shell,
            "write_file": self.write_file,
        }

    def run(self, call: ToolCall) -> tuple[str, bool]:
        """(text, whether it is an error) of one call. Never raises."""
        try:
            return self.tools[call.name](**json.loads(call.arguments)), False
        except KeyError:
            return f"there is no tool {call.name!r}; there are {', '.join(self.tools)}", True
        except (TypeError, ValueError) as error:
            return f"{call.name}: the arguments do not fit: {error}", True
        except (CallRefused, OSError, subprocess.SubprocessError) as error:
            return f"{call.name}: {error}", True

    def list_dir(self, path: str) -> str:
        """One entry a line, folders with a slash, files with their size in bytes."""
        folder = self._real(path)
        if not folder.is_dir():
            raise CallRefused(f"{path} is not a folder")
        lines = []
        for entry in sorted(folder.iterdir()):
            if entry.name in SKIPPED or entry.name.startswith("."):
                continue
            size = "" if entry.is_dir() else f"  {entry.stat().st_size}"
            lines.append(f"{entry.name}{'/' if entry.is_dir() else ''}{size}")
        return "\n".join(lines) or "(empty)"

    def read_file(self, path: str, offset: int = 1, limit: int = 200) -> str:
        """`limit` lines of a file from line `offset` on, as they are."""
        lines = self._text(path).splitlines(keepends=True)
        if offset > max(len(lines), 1) or offset < 1 or limit < 1:
            raise CallRefused(f"{path} has {len(lines)} lines; offset {offset} is not one of them")
        return "".join(lines[offset - 1 : offset - 1 + limit])

    def grep(self, pattern: str, path: str) -> str:
        """`path:line:text` of the lines of a file, or of a folder's Python files, that match."""
        try:
            wanted = re.compile(pattern)
        except re.error as error:
            raise CallRefused(f"{pattern!r} is no regular expression: {error}") from None
        start = self._real(path)
        files = sorted(start.rglob("*.py")) if start.is_dir() else [start]
        hits = []
        for file in files:
            inside = file.relative_to(start).parts
            if SKIPPED.intersection(inside):
                continue
            name = "/".join((path, *inside))
            for number, line in enumerate(_read(file).splitlines(), 1):
                if wanted.search(line):
                    hits.append(f"{name}:{number}:{line.strip()[:LINE_CHARS]}")
        more = [f"… {len(hits) - HITS_MAX} more"] if len(hits) > HITS_MAX else []
        return "\n".join([*hits[:HITS_MAX], *more]) or "no matches"

    def shell(self, command: str) -> str:
        """Return the output of an allow-listed command, its exit code on the last line."""
        program, *words = shlex.split(command) or [""]
        allowed = ALLOWED.get(program)
        if allowed is None or not allowed.fullmatch(" ".join(words)):
            raise CallRefused(f"{command!r} is not allowed; allowed are {', '.join(ALLOWED)}")
        given = [str(self._real(word)) if "/" in word else word for word in words]
        done = subprocess.run(
            [sys.executable if program == "python" else program, *given],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
        said = (done.stdout + done.stderr).decode("utf-8", "replace")
        for name, root in self.roots.items():
            said = said.replace(str(root), name)
        return f"{said[:OUTPUT_CHARS].rstrip()}\n[exit code {done.returncode}]"

    def write_file(self, path: str, content: str) -> str:
        """Write a file of the scratch folder."""
        if not path.startswith("scratch/"):
            raise CallRefused(f"{path} is read-only; write below scratch/")
        file = self._real(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode()
        file.write_bytes(data)
        return f"wrote {len(data)} bytes to {path}"

    def _text(self, path: str) -> str:
        file = self._real(path)
        if not file.is_file():
            raise CallRefused(f"{path}: no such file")
        return _read(file)

    def _real(self, path: str) -> Path:
        """Where a path leads; CallRefused outside the roots."""
        root, _, rest = path.strip("/").partition("/")
        if root not in self.roots:
            raise CallRefused(f"{path} is outside; paths begin with {', '.join(self.roots)}")
        base = self.roots[root]
        found = (base / rest).resolve()
        if found != base and base not in found.parents:
            raise CallRefused(f"{path} leads out of {root}")
        return found


def _read(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "replace")


def roots() -> dict[str, Path]:
    """The sources there are on every machine that has Loom: its own, and the standard library."""
    import loom
    import loom_paging
    import loom_partitions

    modules = {"loom": loom, "partitions": loom_partitions, "paging": loom_paging, "stdlib": json}
    homes = {name: Path(str(module.__file__)).parent for name, module in modules.items()}
    return {**homes, "stdlib": homes["stdlib"].parent}


# Name, what the tool does, and its arguments with their types; those that may be left out end in ?.
_TOOLS = (
    ("list_dir", "List a folder.", "path string"),
    ("read_file", "Read lines of a file.", "path string, offset? integer, limit? integer"),
    ("grep", "Find a regular expression in a file or a folder.", "pattern string, path string"),
    ("shell", "Run python, wc, head or uname.", "command string"),
    ("write_file", "Write a file below scratch/.", "path string, content string"),
)


def _schema(name: str, said: str, given: str) -> ToolSchema:
    kinds = dict(one.split() for one in given.split(", "))
    properties = {key.rstrip("?"): {"type": kind} for key, kind in kinds.items()}
    required = [key for key in kinds if not key.endswith("?")]
    parameters = {"type": "object", "properties": properties, "required": required}
    return ToolSchema(name, said, parameters)


SCHEMAS = tuple(_schema(*tool) for tool in _TOOLS)
