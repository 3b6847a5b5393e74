"""Facts of a call and its result: commands with outcomes, files changed and read, errors."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator

from msgspec.structs import replace

from loom.reduce.aliases import EDIT, READ, SHELL, WRITE
from loom.reduce.arguments import first_text, json_object, path_argument
from loom.reduce.clauses import beginning_or_notice
from loom.reduce.effects import touched_paths
from loom.reduce.file_rules import CONTENT_KEYS, line_delta, patched_paths, replacement_pairs
from loom.reduce.lines import (
    both_ends,
    count_lines,
    failing_lines,
    last_lines,
    plural,
    refusal_reason,
    says_file_call_failed,
    without_tags,
)
from loom.reduce.reply_facts import FILES, id_facts
from loom.reduce.rule import ToolResult, parse_tool_result
from loom.reduce.shell_commands import CommandLine, is_checking_program, parse_command
from loom.reduce.shell_rule import command_of_call, output_and_exit_code
from loom.reduce.shell_tokens import BODY
from loom.reduce.tasks import is_task_tool, task_facts
from loom.reduce.verdict import BEHIND, STARTED, is_failed, verdict
from loom.text import clip_text, encodable, escape_invisible, one_line
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
    """Return the facts of a call and its result, such as a command with its outcome. If `lost` is
    True, the result never came. `reduction` is the reduced form of the result."""
    given = parse_tool_result(name, arguments, both_ends(result), error)
    page = _page_stem(reduction.outcome_ref)
    refused = refusal_reason(result, given.tool == SHELL) if error else None
    if refused is not None:
        what = command_of_call(given.arguments) or reduction.compact.partition(" — failed")[0]
        made = iter((Fact("refused", what, page, "", one_line(refused, ERROR)),))
    elif given.tool == SHELL:
        made = _command_facts(given, result, page, lost)
    elif is_task_tool(given.name):
        made = iter(() if error or lost else task_facts(name, given.arguments, given.text))
    elif given.tool in NAMES:
        made = _file_facts(given, page, lost)
    else:
        made = _call_facts(given, reduction, page, lost)
    seen = () if given.tool in FILES else id_facts([result])
    return (*map(_bounded_fact, made), *seen)


def _command_facts(given: ToolResult, result: str, page: str, lost: bool) -> Iterator[Fact]:
    """Yield the facts of a shell command: the command with its outcome, the errors of a failed
    command, and the files it may have changed. `page` is the name of the page with its output."""
    line = command_of_call(given.arguments) or given.raw
    folder = first_text(given.arguments, FOLDERS)
    whole = f"cd {shlex.quote(folder)} && {line}" if folder else line
    command = parse_command(whole)
    key = _bounded_key(command.key)
    if lost:
        yield Fact("ran", line, page, key, LOST)
        return
    body, err, code = output_and_exit_code(json_object(result) or None, result)
    body = without_tags(both_ends(f"{body}\n{err}" if err.strip() else body))
    came = verdict(command, body, code, given.error)
    if not is_failed(came) and any(given.arguments.get(key) is True for key in BEHIND):
        came = STARTED
    yield Fact("ran", _shown_line(command, line), page, key, came)
    if is_failed(came):
        yield from _error_facts(body, key, page)
    touched = (path for path in touched_paths(whole) if not path.startswith(PASSING))
    yield from (Fact("edit", path, "?", path, TOUCHED, times=0) for path in touched)


def _shown_line(command: CommandLine, line: str) -> str:
    """Return a command line as it is shown: of a line with a heredoc and a check (such as a test
    run) only the check."""
    own = replace(command, programs=tuple(filter(is_checking_program, command.programs)))
    return own.key if own.programs and BODY in command.key and BODY not in own.key else line


def _bounded_key(spelled: str) -> str:
    """Return `spelled`, the normalized form of a command, in at most KEY characters. A long form
    ends with a hash."""
    return spelled if len(spelled) <= KEY else f"{spelled[: KEY - 8]}~{_short_hash(spelled)}"


def _file_facts(given: ToolResult, page: str, lost: bool) -> Iterator[Fact]:
    """Yield one fact for each file that a call read, wrote or edited, or the errors of a failed
    call. `page` is the name of the page with the result."""
    kind = NAMES[given.tool]
    paths = patched_paths(given) if given.tool == EDIT else []
    paths = paths or [path for path in (path_argument(given.arguments),) if path]
    for path in paths[:MOST]:
        if lost:
            yield Fact(kind, path, "", path, LOST)
        elif given.error or says_file_call_failed(given.text, kind == "read"):
            yield from _error_facts(without_tags(given.text), f"{kind} {path}", page)
        else:
            refs = page if kind == "read" else _swap_hashes(given) if kind == "edit" else ""
            yield Fact(kind, path, refs, path, _change_text(given, kind))


def _swap_hashes(given: ToolResult) -> str:
    """Return the replacements of an edit as hashes: "old>new old>new". "?" if not known or made at
    all places."""
    if any(given.arguments.get(key) is True for key in ("replace_all", "replaceAll")):
        return "?"
    pairs = [
        f"{_short_hash(old)}>{_short_hash(new)}" for old, new in replacement_pairs(given.arguments)
    ][:SWAPS]
    return " ".join(pairs) or "?"


def _short_hash(text: str) -> str:
    """Return six hex digits of a hash of the text."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=3).hexdigest()


def _change_text(given: ToolResult, kind: str) -> str:
    """Return the size of a change: "+3 −1" (lines) for an edit, "12 lines" for a write, "" for a
    read."""
    if kind == "edit":
        added, removed = line_delta(given)
        return f"+{added} −{removed}" if added or removed else ""
    if kind == "write":
        content = next((given.arguments[k] for k in CONTENT_KEYS if k in given.arguments), None)
        lines = count_lines(content) if isinstance(content, str) else 0
        return plural(lines, "line") if lines else ""
    return ""


def _call_facts(given: ToolResult, reduction: Reduction, page: str, lost: bool) -> Iterator[Fact]:
    """Yield one fact for a call of a tool without a function of its own here, or the errors of a
    failed call. `page` is the name of the page with the result."""
    pattern, path = given.arguments.get("pattern"), path_argument(given.arguments)
    told = f"{given.name} {pattern}{f' in {path}' if path else ''}"
    line = told if isinstance(pattern, str) else reduction.compact.partition(" — failed")[0]
    about = f"{given.name} {one_line(line, HEAD)}"
    if lost or not given.error:
        yield Fact("call", line, page, about, LOST if lost else "")
    else:
        yield from _error_facts(without_tags(given.text), about, page)


def _error_facts(body: str, about: str, page: str) -> Iterator[Fact]:
    """Yield one fact for each failing line of an output. Of many lines the middle is only counted.
    `about` is the call, `page` the name of the page with the output."""
    lines = failing_lines(body, COUNTED)
    more = len(lines) - ERRORS
    if more > 0:  # compilers tell the cause first, runners name what failed last
        half = ERRORS // 2
        lines = [*lines[:half], f"{more} more lines like these", *lines[-half:]]
    for line in lines or last_lines(body, ERRORS) or ["failed without a word"]:
        yield Fact("error", one_line(line, ERROR), page, about)


def _page_stem(ref: str) -> str:
    """Return a page's name without folder and extension: "outputs/a_0001.log" → "a_0001"."""
    return ref.removeprefix("outputs/").partition(".")[0]


def _bounded_fact(fact: Fact) -> Fact:
    """Return the fact with its text printable and cut to the limit for its kind."""
    limit = PATH if fact.kind in ("read", "edit", "write") else HEAD
    limit = ERROR if fact.kind in ("error", "task") else limit
    text = encodable(fact.text)
    if limit == PATH:
        line = clip_text(
            escape_invisible(text), limit
        )  # a line end in a path, two blanks: it is that very file
    else:
        # A task in whole clauses: "delete all of it, but not …" is no other task.
        line = (
            beginning_or_notice(text, 2 * ERROR) if fact.kind == "task" else one_line(text, limit)
        )
    return replace(fact, text=line, about=one_line(encodable(fact.about), KEY))
