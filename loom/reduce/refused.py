"""Results that say a call was turned down, or did nothing, where no flag of the client's does.

Most formats have no member for a tool's failure, so its result is a text like any other: the words
of clients, of Loom, and of the systems below them tell.
"""

from __future__ import annotations

import re

from loom.lazy import lazy_re

REFUSAL = 3_000  # characters of a result that says a command was not allowed
# How clients say it (Claude Code, Codex), and what was said to it.
_CLIENTS = lazy_re(
    r"\s*(?:The user doesn't want to (?:proceed with|take) this"
    r"|(?:Error: )?(?:The )?[Uu]ser (?:has )?(?:rejected|denied|declined)"
    r"|\[Request interrupted by user for tool use)(?:.{0,600}?the user said:\s*(.{1,2000}))?",
    re.DOTALL,
)
# How `ToolRefused` says it: what was refused, in quotes, and why. It is one line, and all of it.
_OURS = lazy_re(r"refused (?:'[^\n]{0,400}?'|\"[^\n]{0,400}?\"): ([^\n]{1,2000})\s*\Z")

SAYS = 400  # characters of a result that is nothing but the word of a failure
# What tools answer that did nothing: a tag or a word of the client's, the name of an exception, the
# number or name of a system's error, an object that begins with its error.
_FAILED = lazy_re(
    r"\s*(?:<tool_use_error>|Error\b|error:|Failed\b|failed to |[\w.]{0,60}(?:Error|Exception): "
    r"|(?:OSError: )?\[Errno \d+\]|E[A-Z]{3,12}: |\{\s*\"error\": )"
)
# The same at the end of a line: the system's own words behind what they are about.
_ABSENT = lazy_re(
    r"(?:no such file or directory|permission denied|not found|does not exist|is a directory)\.?"
    r"(?:</\w+>)?\s*\Z",
    re.IGNORECASE,
)


def did_nothing(result: str, reads: bool) -> bool:
    """True for the result of a file's reading or change that says it failed.

    A file that was read may hold any of these words: only a result that is one line tells it.
    """
    alone = len(result) <= SAYS and "\n" not in result.strip()
    if reads and not alone:
        return False
    return _FAILED.match(result[:SAYS]) is not None or (
        alone and _ABSENT.search(result) is not None
    )


def refusal(result: str, shell: bool) -> str | None:
    """The reason a call was turned down for, "" for none that is given; None when it was not.

    Of a command, whose output may say anything, only a result that is nothing else tells it.
    """
    if found := _OURS.match(result):
        return found[1]
    found = _CLIENTS.match(result)
    if found is None or (shell and len(result) > REFUSAL):
        return None
    alone = found[1] or "\n" not in result.strip() or not shell
    return found[1] or "" if alone else None
