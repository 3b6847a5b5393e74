"""Level 3: the project's own Python scripts as functions; and `builtin`, a toolbox of tools of
levels 2 and 3 for any project.

A script reads its arguments as JSON from standard input, which has no bound that the system sets
and shows in no list of processes, and prints its result. What it writes to standard error is for
people, and for the model only when the script failed.

    import json, sys
    arguments = json.load(sys.stdin)
    print(sum(arguments["numbers"]))

It runs in the project folder, with its own folder first on its path and the host's installed
packages behind it: `-E -s`, and not `-I`, which would take its own folder away. Its rights are the
host's, see `loom.capabilities.toolbox.shell`.

Results are cached by the digest of all they came from: a file each, the longest unused deleted."""

from __future__ import annotations

import ast
import hashlib
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import DecodeError, Struct, json, msgpack
from msgspec.structs import replace

from loom.capabilities.plain_file import read_beginning, read_whole
from loom.capabilities.toolbox import limited_runs
from loom.capabilities.toolbox.descriptor import SCRIPT, UTILITY, ToolDescriptor, tool_refused
from loom.capabilities.toolbox.limited_runs import RunLimits, RunResult
from loom.capabilities.toolbox.registry import Approve, Toolbox
from loom.capabilities.toolbox.shell import (
    READS,
    Shell,
    path_inside,
    refuse_command,
    resolved_project,
)
from loom.disk import make_private_folders, replace_file
from loom.errors import BadInput, similar_names_hint
from loom.redact import SECRETS, Redactor, Rules
from loom.redact.secret_rule import rules_as_text
from loom.text import one_line

KEPT = 256  # results
SUFFIX = ".ran"
LARGEST = 64 << 20  # bytes of a file that is read
SHELL, RUN_SCRIPT = "system:shell", "python:run_script"
FLAGS = ("-E", "-s", "-B", "-X", "utf8")  # no variables, no user's packages, no __pycache__
LINE = 200  # characters of a description
READ = 1_000_000  # bytes of a script whose description is looked for
MODULE = 1 << 24  # bytes of a module that tell whether it changed
MOST = 1_000  # scripts listed
ANYTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": True}


class ResultCache(Struct, frozen=True):
    """Stores at most `most` results of scripts as files in `folder`, created when needed. Errors of
    the disk are ignored. Several threads and processes may use one folder."""

    folder: Path
    most: int = KEPT

    def get(self, key: str) -> RunResult | None:
        """Return the result stored under `key`; None if there is none."""
        path = self.folder / f"{key}{SUFFIX}"
        with suppress(OSError, DecodeError):
            found = msgpack.decode(read_whole(path, LARGEST), type=RunResult)
            os.utime(path)  # used just now
            return found
        return None

    def put(self, key: str, ran: RunResult) -> None:
        """Store a result. If there are more than `most`, delete the results unused for longest."""
        with suppress(OSError):
            make_private_folders(self.folder)
            replace_file(self.folder / f"{key}{SUFFIX}", msgpack.encode(ran))
            found = [*self.folder.glob(f"*{SUFFIX}")]
            found.sort(key=lambda path: path.lstat().st_mtime_ns)
            for path in found[: max(len(found) - self.most, 0)]:
                path.unlink(missing_ok=True)


class Scripts:
    """Runs the Python scripts in the folder `scripts` of `project`, named by their path in
    `project`.

    With a folder `cache`, a result with exit code 0 is stored and returned for the same arguments,
    same Python, and unchanged `.py` files in the script's folder and below. Other files that a
    script reads are not compared, so use a cache only if results depend on the arguments alone.
    Secrets in stored results are replaced, also when first returned."""

    def __init__(
        self,
        project: Path,
        limits: RunLimits = RunLimits(),  # noqa: B008 - frozen
        cache: Path | None = None,
    ) -> None:
        """Raises LoomError if `project` is no folder, or `scripts` is a link out of `project`."""
        self.root = resolved_project(project)
        self.folder = path_inside("scripts", self.root, self.root)
        self.limits = limits
        self.results = ResultCache(cache) if cache is not None else None

    def run(
        self,
        path: str,
        args: dict[str, Any] | list[Any] | None = None,
        redact: Rules = SECRETS,
    ) -> RunResult:
        """Run a script with `args` as JSON on its standard input, and return the result. Secrets in
        a stored result are replaced by the rules `redact`. Raises LoomError."""
        rules = tuple(redact)
        script = self._checked_script(path)
        try:
            given = json.encode(args, order="deterministic")
        except (TypeError, ValueError, RecursionError) as error:
            why = f"its arguments are not JSON ({error})"
            raise tool_refused(path, why, "give an object or a list of JSON values") from None
        key = self._cache_key(script, given, rules)
        if self.results is not None and key and (kept := self.results.get(key)):
            return kept
        ran = limited_runs.run_program(
            [sys.executable, *FLAGS, str(script)],
            shown=("python", path),
            cwd=self.root,
            stdin=given,
            limits=self.limits,
        )
        # What changed while it ran may be what it was run from.
        if (
            self.results is not None
            and ran.ok
            and key
            and key == self._cache_key(script, given, rules)
        ):
            clean = Redactor(rules)
            command, out, err = tuple(map(clean, ran.command)), ran.stdout, ran.stderr
            ran = replace(ran, command=command, stdout=clean.data(out), stderr=clean.data(err))
            self.results.put(key, ran)
        return ran

    def descriptors(self) -> tuple[ToolDescriptor, ...]:
        """Return a descriptor for each script, except scripts with "_" or "." at the beginning of a
        part of their path, which other scripts import."""
        return tuple(
            ToolDescriptor(
                name, _script_description(path), ANYTHING, SCRIPT, requires_approval=True
            )
            for name, path in self._script_files()
        )

    def _script_files(self) -> list[tuple[str, Path]]:
        """Return (name, file) for each script, at most MOST. Links are left out."""
        found = []
        for path in _python_files(self.folder):
            parts = path.relative_to(self.folder).parts
            name = path.relative_to(self.root).as_posix()
            hidden = any(part.startswith(("_", ".")) for part in parts)
            if name.isprintable() and not hidden and not path.is_symlink():
                found.append((name, path))
        return found[:MOST]

    def _checked_script(self, path: str) -> Path:
        """Return the file of the script `path`. Raises LoomError if there is no such script."""
        script, why = path_inside(path, self.root, self.root), ""
        if not script.is_relative_to(self.folder) or script.suffix != ".py":
            why = f"only .py files in {self.folder.relative_to(self.root)} are run"
        elif not script.is_file():
            why = "there is no such script"
        if why:
            raise tool_refused(
                path, why, similar_names_hint(path, [name for name, _ in self._script_files()])
            )
        return script

    def _cache_key(self, script: Path, given: bytes, rules: Rules) -> str:
        """Return a digest of all that a result depends on; "" without a cache or if a file is
        unreadable."""
        if self.results is None:
            return ""
        limits = str(self.limits.output)
        call = (sys.version, limits, str(script.relative_to(self.root)), rules_as_text(rules))
        parts = [given, *(os.fsencode(part) for part in call)]
        try:
            for path in _python_files(script.parent):
                parts += [os.fsencode(path), read_beginning(path, MODULE)[0]]
        except OSError:
            return ""
        digests = b"".join(hashlib.sha256(part).digest() for part in parts)
        return hashlib.sha256(digests).hexdigest()


def _python_files(folder: Path) -> list[Path]:
    """Return all Python files below a folder, sorted. Links to folders are not followed."""
    return [path for path in sorted(folder.rglob("*.py")) if path.is_file()]


def _script_description(path: Path) -> str:
    """Return the first line of a script's docstring. The script is parsed, not run."""
    try:
        text = read_beginning(path, READ)[0].decode("utf-8", "replace")
        said = ast.get_docstring(ast.parse(text)) or ""
    except OSError:
        return ""
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return one_line(f"(not a script Python reads: {error})", LINE)
    return one_line(said.partition("\n")[0], LINE)


def builtin(
    project: Path,
    *,
    allow: Iterable[Sequence[str]] = READS,
    limits: RunLimits = RunLimits(),  # noqa: B008 - frozen
    cache: Path | None = None,
    approve: Approve | None = None,
) -> Toolbox:
    """Return a Toolbox for a project folder with two tools: `system:shell` runs programs, and
    `python:run_script` runs the project's scripts. Each script is also a tool of its own.

    Commands that begin with the words of an item of `allow`, such as ("git", "log"), run without
    asking. `approve` is asked before all other commands and every script. `cache` is a folder for
    results of scripts. Raises LoomError if `project` is no folder."""
    box = Toolbox(approve)

    def ask(words: Sequence[str]) -> None:
        if approve is None:
            refuse_command(words)
        box.check_approved(described, {"command": words[0], "args": [*words[1:]]})

    def run_shell(given: dict[str, Any]) -> RunResult:
        said = {name: given.get(name) or "" for name in ("command", "stdin", "cwd")}
        stdin = said["stdin"].encode("utf-8", "replace")
        return shell.run(said["command"], given.get("args"), stdin, said["cwd"] or ".")

    def run_script(given: dict[str, Any], redact: Rules = SECRETS) -> RunResult:
        return scripts.run(given.get("path") or "", given.get("args"), redact)

    shell, scripts = Shell(project, allow, ask, limits), Scripts(project, limits, cache)
    described = ToolDescriptor(
        SHELL,
        "Run one program in the project: search, list, show files. No shell: no pipes, no"
        " redirection, no chaining, no expansion of * or $. These run as they are, others when the"
        f" user approves: {', '.join(' '.join(words) for words in shell.allow)}.",
        _parameter_schema(
            command=_text_parameter("such as: grep -rn TODO src; with args, the program alone"),
            args={"type": "array", "items": {"type": "string"}, "description": "its words, as is"},
            stdin=_text_parameter("text for its standard input"),
            cwd=_text_parameter("a folder of the project, its root if none"),
        ),
        UTILITY,
    )
    folder = scripts.folder.relative_to(scripts.root).as_posix()
    any_script = ToolDescriptor(
        RUN_SCRIPT,
        f"Run a Python script of the project's folder {folder}. It reads `args` as JSON from"
        " standard input; what it prints is the result.",
        _parameter_schema(
            path=_text_parameter(f"such as: {folder}/report.py"),
            args={"type": ["object", "array", "null"], "description": "what it reads"},
        ),
        SCRIPT,
        requires_approval=True,
    )
    box.add(described, run_shell)
    box.add(any_script, run_script, keeps=True)
    for one in scripts.descriptors():
        with suppress(BadInput):  # two paths may be one name; the general tool runs both
            box.add(one, partial(scripts.run, one.name), keeps=True)
    return box


def _text_parameter(description: str) -> dict[str, Any]:
    """Return the JSON Schema of a text parameter with this description."""
    return {"type": "string", "description": description}


def _parameter_schema(**properties: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of an object with these properties. Only the first is required."""
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties][:1],
        "additionalProperties": False,
    }
