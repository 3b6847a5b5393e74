"""Whose exit code a command line has, and what else of its output tells how it ended.

A pipe, a `;`, a `||`, a `&` hide the status of what stands before them, and nothing in a line is
taken to bring it back (`set -e`, `exit $rc`) but `; echo EXIT=$?` right behind the one check. What
a line only says itself (`echo "tests passed"`) tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from loom.lazy import lazy_re
from loom.reduce.placed import Placed
from loom.reduce.script import PIPES

SAID = 40  # texts a line says itself that are remembered
_HIDING = {"|", "||", ";", "&", "!", "if"}  # what stands behind a command and hides its status
_ELSEWHERE = ("exit", "return", "trap", "exec")  # with these the line may end before, or otherwise
_SPEAKS = ("echo", "printf")
_FILLED = lazy_re(r"\S*[$`%]\S*")  # a word with something filled in
_NEWLINES = lazy_re(r"\\n|\n")


class Status(Struct, frozen=True):
    """What is known of how a line ended, beside its exit code.

    `masked`: the exit code is not that of its programs. `last` is the program whose exit code it
    is. `report` is the pattern of a line that prints it, "" for none. `said` are the lines the
    command line itself says, `filled` the two ends of those with something filled in. `behind`:
    what counts of it was sent to the background, and not waited for.
    """

    masked: bool = False
    last: str = ""
    report: str = ""
    said: frozenset[str] = frozenset()
    filled: tuple[tuple[str, str], ...] = ()
    behind: bool = False


def status(whole: Sequence[Placed], telling: Sequence[Placed]) -> Status:
    """The status of a line, of whose commands the `telling` ones count."""
    masked = any(one.part.after & _HIDING for one in telling) or any(
        one.part.joint == "||" or one.name in _ELSEWHERE for one in whole
    )
    said = _said(whole)
    ends = [_FILLED.split(line) for line in said]
    return Status(
        masked,
        next((one.name for one in reversed(whole) if one.words), ""),
        _report(whole, telling),
        frozenset(said),
        tuple((one[0], one[-1]) for one in ends if len(one) > 1 and len(one[0] + one[-1]) > 3),
        any("&" in one.part.after for one in telling) and not any(o.name == "wait" for o in whole),
    )


def _report(whole: Sequence[Placed], telling: Sequence[Placed]) -> str:
    """The pattern of the line in which `; echo EXIT=$?` prints the status of the one check before
    it (`${PIPESTATUS[0]}`: that of one before a pipe), its number as a group."""
    at = len(whole) - 2
    while at > 0 and whole[at].part.joint in PIPES:
        at -= 1
    if at < 0 or len(telling) != 1 or whole[at] is not telling[0]:
        return ""
    last, piped = whole[-1], at < len(whole) - 2
    if last.name != "echo" or last.part.joint != ";" or whole[at].part.after - {";", "|"}:
        return ""
    text = " ".join(word.value for word in last.words[1:])
    before, sign, behind = text.partition("${PIPESTATUS[0]}" if piped else "$?")
    if not sign or "$" in before + behind:
        return ""
    return f"^{re.escape(before)}(\\d{{1,3}}){re.escape(behind)}[ \\t]*$"


def _said(whole: Sequence[Placed]) -> list[str]:
    """The lines a script says itself."""
    said: dict[str, None] = {}
    for one in whole:
        if one.name not in _SPEAKS:
            continue
        words = [word.value for word in one.words[1:] if word.value not in ("-e", "-n")]
        text = " ".join(words[:1] if one.name == "printf" else words)[:4_000]
        said |= dict.fromkeys(filter(None, map(str.strip, _NEWLINES.split(text))))
    return list(said)[:SAID]
