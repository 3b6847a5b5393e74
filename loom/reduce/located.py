"""Which lines of which files an output shows, of a search or of a command that prints files.

A line names its file (`a.py:12:text`, `a.py-12-text` beside a match, `a.py:text`), or stands below
a file's name (`a.py`, `File: a.py`, then `12:text`, `Line 12: text`), or belongs to the call's
files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from loom.lazy import lazy_re
from loom.reduce.aliases import SEARCH, SHELL
from loom.reduce.arguments import json_object, path_argument
from loom.reduce.entities import is_path
from loom.reduce.shell_commands import CommandLine, parse_command
from loom.reduce.shell_rule import command_of_call

# Each begins where a line begins and is bounded, so the lines are read once.
_NEAR = lazy_re(r"([^\s:]{1,300}?\.\w{1,8})-\d{1,9}-(.*)")
_AT = lazy_re(r"((?:[A-Za-z]:)?[^\s:]{1,300}):(?:\d{1,9}:(?:\d{1,9}:)?)?(.*)")
_HEAD = lazy_re(r"(?:File:\s*|[#=*]{1,4}\s+)?`?([^\s:`]{1,300})`?:?(?:\s+\(.{0,40}\))?$")
_NUMBER = lazy_re(r"\s*(?:[Ll]ine |L)?\d{1,9}\s?[:|→\t-](.*)")
_FILE = lazy_re(r"[^/\\]\.\w{1,8}$")
SEARCHES = frozenset(("grep", "egrep", "fgrep", "rg", "ag", "ack"))
SHOWS = frozenset(("cat", "head", "tail", "nl", "less", "more", "bat"))
ENDING = lazy_re(r"\.[A-Za-z]\w{0,7}$")
OPEN = frozenset("*?$<>,;|&{}")  # characters of a pattern or a script, of no file's name
HERE = "here:"  # how a parsed command names what stood in a heredoc
FILES = 4  # files one output may be of that its lines do not name


def files_shown_by_call(tool: str, arguments: str) -> tuple[str, ...] | None:
    """Return the paths of the files, named in a call, whose lines the call's output shows. () means
    that the call names no file, None that its output shows no lines of files. `tool` is the
    canonical name of the call's tool."""
    members = json_object(arguments)
    if tool == SEARCH:
        return _file_paths([path_argument(members)])
    if tool != SHELL:
        return None
    command = parse_command(command_of_call(members))
    printed, found = list(printed_files(command)), searched_files(command)
    return None if found is None and not printed else _file_paths([*printed, *(found or ())])


def searched_files(command: CommandLine) -> tuple[str, ...] | None:
    """Return the paths that a command line searches in (`grep x a.py` → a.py). () means that the
    line names no path, None that the line does not search."""
    searched = [
        one
        for one in command.programs
        if one.words[0] in SEARCHES or one.words[:2] == ("git", "grep")
    ]
    if not searched:
        return None
    return _file_paths(
        _path_from_folder(one.folder or command.folder, path)
        for one in searched
        for path in one.targets[1:]
    )


def printed_files(command: CommandLine) -> Iterator[str]:
    """Yield the paths of the files whose lines a command line prints, such as `cat a.py`."""
    for one in command.programs:
        prints = one.words == ("sed",) and "-n" in one.options
        if one.words[0] in SHOWS or prints:
            for target in one.targets:
                data = target.isdigit() or target.startswith(HERE) or OPEN & set(target)
                if not data and (not prints or ENDING.search(target)):
                    yield _path_from_folder(command.folder, target)


def _path_from_folder(folder: str, path: str) -> str:
    """Return a `path` relative to `folder` as a path relative to where the command line starts."""
    if path in (".", "./"):
        return folder
    outside = path.startswith(("/", "~")) or not folder
    return path if outside else f"{folder}/{path.removeprefix('./')}"


def _file_paths(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the first FILES different paths that have a file extension."""
    return tuple(dict.fromkeys(path for path in paths if _FILE.search(path)))[:FILES]


def located_lines(
    lines: Iterable[str], files: Sequence[str] = ()
) -> Iterator[tuple[int, str, str]]:
    """Yield (index, path, text) for each output line that shows a line of a file. `files` are the
    paths that the call names; a line without a path is yielded for each of these paths."""
    head = ""
    for at, line in enumerate(lines):
        line = line.rstrip()
        found = _NEAR.match(line) or _AT.match(line)
        if found and found[2] and is_path(found[1]):
            yield at, found[1], found[2].strip()
            continue
        named = _HEAD.match(line)
        if named and is_path(named[1]):
            head = named[1]
            continue
        numbered = _NUMBER.match(line)
        text = (numbered[1] if numbered else line).strip()
        if text and (numbered or not head):
            yield from ((at, path, text) for path in ([head] if head else files))
