"""Results that say a call was turned down and never ran, in the words of clients and of Loom."""

from __future__ import annotations

import re

REFUSAL = 3_000  # characters of a result that says a command was not allowed
# How clients say it (Claude Code, Codex), and what was said to it.
_CLIENTS = re.compile(
    r"\s*(?:The user doesn't want to (?:proceed with|take) this"
    r"|(?:Error: )?(?:The )?[Uu]ser (?:has )?(?:rejected|denied|declined)"
    r"|\[Request interrupted by user for tool use)(?:.{0,600}?the user said:\s*(.{1,2000}))?",
    re.DOTALL,
)
# How `ToolRefused` says it: what was refused, in quotes, and why. It is one line, and all of it.
_OURS = re.compile(r"refused (?:'[^\n]{0,400}?'|\"[^\n]{0,400}?\"): ([^\n]{1,2000})\s*\Z")


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
