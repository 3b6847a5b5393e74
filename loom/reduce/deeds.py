"""What a call did, as facts: commands with what came of them, files changed and read, errors.

They are taken when a result comes in, from the whole of it, so that they outlast what the window
shows of it. What belongs together has the same `about`: an error and the later success that closes
it, every run of one command, every edit of one file.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator

from msgspec.structs import replace

from loom.reduce.aliases import EDIT, READ, SHELL, WRITE
from loom.reduce.arguments import object_of, path_in, text_at
from loom.reduce.clauses import told
from loom.reduce.commands import Command, is_checking, parsed
from loom.reduce.effects import touched_paths
from loom.reduce.facts import FILES, ids_in
from loom.reduce.files import CONTENT_KEYS, delta_of, pairs_of, patched_paths
from loom.reduce.lines import (
    count_lines,
    counted,
    did_nothing,
    failing_lines,
    last_lines,
    refusal,
    untagged,
    window,
)
from loom.reduce.rule import ToolResult, tool_result
from loom.reduce.shell import command_of, streams
from loom.reduce.tasks import keeps_tasks, tasks_of
from loom.reduce.tokens import BODY
from loom.reduce.verdict import BEHIND, STARTED, failed, verdict
from loom.text import cut, one_line, printable, visible
from loom_partitions.message import Fact, Reduction

HEAD = 160  # characters of a command or a question
KEY = 400  # … of the spelling two commands are compared by
PATH = 300
ERRORS = 6  # error lines of one result, each of at most …
COUNTED = 1_000  # … those not told counted up to so many
ERROR = 200  # … so many characters
MOST = 64  # files of one call
SWAPS = 8  # replacements of one edit that are remembered
REVERTED = "reverted"  # the state of a file whose edits took each other back
TOUCHED = "touched by a command"  # which may have failed, or may not have come so far
PASSING = ("/tmp/", "/var/tmp/")  # what a command puts there is not told
LOST = "no result"  # what came of a call whose result never did
FOLDERS = ("cwd", "workdir", "working_dir", "working_directory", "dir", "directory")
NAMES = {READ: "read", EDIT: "edit", WRITE: "write"}


def facts_of_result(
    name: str, arguments: str, result: str, error: bool, reduction: Reduction, *, lost: bool = False
) -> tuple[Fact, ...]:
    """The facts of one call and its result; `lost`: its result never came.

    `name` and `arguments` are the call's, `reduction` what its result was reduced to.
    """
    given = tool_result(name, arguments, window(result), error)
    page = _stem(reduction.outcome_ref)
    refused = refusal(result, given.tool == SHELL) if error else None
    if refused is not None:
        what = command_of(given.arguments) or reduction.compact.partition(" — failed")[0]
        made = iter((Fact("refused", what, page, "", one_line(refused, ERROR)),))
    elif given.tool == SHELL:
        made = _ran(given, result, page, lost)
    elif keeps_tasks(given.name):
        made = iter(() if error or lost else tasks_of(name, given.arguments, given.text))
    elif given.tool in NAMES:
        made = _files(given, page, lost)
    else:
        made = _called(given, reduction, page, lost)
    seen = () if given.tool in FILES else ids_in([result])
    return (*map(_clean, made), *seen)


def _ran(given: ToolResult, result: str, page: str, lost: bool) -> Iterator[Fact]:
    line = command_of(given.arguments) or given.raw
    folder = text_at(given.arguments, FOLDERS)
    whole = f"cd {shlex.quote(folder)} && {line}" if folder else line
    command = parsed(whole)
    key = _key(command.key)
    if lost:
        yield Fact("ran", line, page, key, LOST)
        return
    body, err, code = streams(object_of(result) or None, result)
    body = untagged(window(f"{body}\n{err}" if err.strip() else body))
    came = verdict(command, body, code, given.error)
    if not failed(came) and any(given.arguments.get(key) is True for key in BEHIND):
        came = STARTED
    yield Fact("ran", _named(command, line), page, key, came)
    if failed(came):
        yield from _errors(body, key, page)
    touched = (path for path in touched_paths(whole) if not path.startswith(PASSING))
    yield from (Fact("edit", path, "?", path, TOUCHED, times=0) for path in touched)


def _named(command: Command, line: str) -> str:
    """The line of a command; of a check beside a heredoc the words of its own."""
    own = replace(command, programs=tuple(filter(is_checking, command.programs)))
    return own.key if own.programs and BODY in command.key and BODY not in own.key else line


def _key(spelled: str) -> str:
    """A command in one spelling, bounded: two long ones that begin alike are two."""
    return spelled if len(spelled) <= KEY else f"{spelled[: KEY - 8]}~{_hash(spelled)}"


def _files(given: ToolResult, page: str, lost: bool) -> Iterator[Fact]:
    kind = NAMES[given.tool]
    paths = patched_paths(given) if given.tool == EDIT else []
    paths = paths or [path for path in (path_in(given.arguments),) if path]
    for path in paths[:MOST]:
        if lost:
            yield Fact(kind, path, "", path, LOST)
        elif given.error or did_nothing(given.text, kind == "read"):
            yield from _errors(untagged(given.text), f"{kind} {path}", page)
        else:
            refs = page if kind == "read" else _swaps(given) if kind == "edit" else ""
            yield Fact(kind, path, refs, path, _change(given, kind))


def _swaps(given: ToolResult) -> str:
    """The replacements of an edit, as hashes `old>new`; `?` where it does not say."""
    if any(given.arguments.get(key) is True for key in ("replace_all", "replaceAll")):
        return "?"
    pairs = [f"{_hash(old)}>{_hash(new)}" for old, new in pairs_of(given.arguments)][:SWAPS]
    return " ".join(pairs) or "?"


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=3).hexdigest()


def _change(given: ToolResult, kind: str) -> str:
    if kind == "edit":
        added, removed = delta_of(given)
        return f"+{added} −{removed}" if added or removed else ""
    if kind == "write":
        content = next((given.arguments[k] for k in CONTENT_KEYS if k in given.arguments), None)
        lines = count_lines(content) if isinstance(content, str) else 0
        return counted(lines, "line") if lines else ""
    return ""


def _called(given: ToolResult, reduction: Reduction, page: str, lost: bool) -> Iterator[Fact]:
    pattern, path = given.arguments.get("pattern"), path_in(given.arguments)
    told = f"{given.name} {pattern}{f' in {path}' if path else ''}"
    line = told if isinstance(pattern, str) else reduction.compact.partition(" — failed")[0]
    about = f"{given.name} {one_line(line, HEAD)}"
    if lost or not given.error:
        yield Fact("call", line, page, about, LOST if lost else "")
    else:
        yield from _errors(untagged(given.text), about, page)


def _errors(body: str, about: str, page: str) -> Iterator[Fact]:
    lines = failing_lines(body, COUNTED)
    more = len(lines) - ERRORS
    if more > 0:  # compilers tell the cause first, runners name what failed last
        half = ERRORS // 2
        lines = [*lines[:half], f"{more} more lines like these", *lines[-half:]]
    for line in lines or last_lines(body, ERRORS) or ["failed without a word"]:
        yield Fact("error", one_line(line, ERROR), page, about)


def _stem(ref: str) -> str:
    return ref.removeprefix("outputs/").partition(".")[0]


def _clean(fact: Fact) -> Fact:
    limit = PATH if fact.kind in ("read", "edit", "write") else HEAD
    limit = ERROR if fact.kind in ("error", "task") else limit
    text = printable(fact.text)
    if limit == PATH:
        line = cut(visible(text), limit)  # a line end in a path, two blanks: it is that very file
    else:
        # A task in whole clauses: "delete all of it, but not …" is no other task.
        line = told(text, 2 * ERROR) if fact.kind == "task" else one_line(text, limit)
    return replace(fact, text=line, about=one_line(printable(fact.about), KEY))
