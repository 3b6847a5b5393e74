"""Whose exit code a command line has, and what else of its output tells how it ended.

A pipe, a `;`, a `||` hide the status of what stands before them; `set -o pipefail`, `set -e` and
`exit $?` bring it back, and `echo EXIT=$?` prints it. What a line only says itself (`echo "tests
passed"`) tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from loom.lazy import lazy_re
from loom.reduce.placed import Placed
from loom.reduce.script import PIPES

SAID = 40  # texts a line says itself that are remembered
_KEPT = lazy_re(r"(\w+)=[\"']?(\$\?|\$\{PIPESTATUS\[0\]\})[\"']?$")
_SPEAKS = ("echo", "printf")
_FILLS = lazy_re(
    r"\$\{[^}]{0,200}\}|\$\([^)]{0,200}\)|\$\w+|\$[?#@*!-]|`[^`]{0,200}`|%\S{0,3}?[a-z]"
)
FILLED = r".{0,200}?"  # what is filled in there
_NEWLINES = lazy_re(r"\\n|\n")


class Status(Struct, frozen=True):
    """What is known of how a line ended, beside its exit code.

    `masked`: the exit code is not that of its programs. `last` is the program whose exit code it
    is. `reports` are patterns of lines that print it, `said` patterns of the lines the command line
    itself says. `behind`: what counts of it was sent to the background, and not waited for.
    """

    masked: bool = False
    last: str = ""
    reports: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    behind: bool = False


def status(whole: Sequence[Placed], telling: Sequence[Placed]) -> Status:
    """The status of a line, of whose commands the `telling` ones count."""
    hiding = _hiding(whole)
    hidden = [one.part.after & hiding for one in telling]
    masked = any(hidden)
    if masked and not any("|" in one for one in hidden) and _handed_on(whole):
        masked, hidden = False, []
    return Status(
        masked,
        next((one.name for one in reversed(whole) if one.words), ""),
        _reports(whole, any("|" in one for one in hidden)),
        _said(whole),
        any("&" in one.part.after for one in telling) and not any(o.name == "wait" for o in whole),
    )


def _hiding(whole: Sequence[Placed]) -> set[str]:
    """The parts of this script that hide a status."""
    hiding = {"|", "||", ";", "&", "!", "if"}
    for one in whole:
        if one.name == "set":
            words = [word.value for word in one.words[1:]]
            short = any(re.match(r"-[a-z]*e[a-z]*$", word) for word in words)
            hiding -= {";"} if short or "errexit" in words else set()
            hiding -= {"|"} if "pipefail" in words else set()
    return hiding


def _kept(whole: Sequence[Placed]) -> set[str]:
    """The ways a script writes the status of what ran: `$?`, and the variables it is put into."""
    found = {"$?", "${PIPESTATUS[0]}"}
    for one in whole:
        for word in one.words[:2]:
            if kept := _KEPT.match(word.text):
                found |= {f"${kept[1]}", f"${{{kept[1]}}}"}
    return found


def _handed_on(whole: Sequence[Placed]) -> bool:
    """True for a script that ends with `exit $?`, or with the status it kept."""
    last = whole[-1]
    return last.name == "exit" and bool({word.value for word in last.words[1:]} & _kept(whole))


def _reports(whole: Sequence[Placed], piped: bool) -> tuple[str, ...]:
    """Patterns of the lines in which a script prints the status, its number as a group."""
    found = []
    for one in whole:
        if one.name not in _SPEAKS or one.part.joint in ("&&", "||", *PIPES):
            continue
        text = " ".join(word.value for word in one.words[1:] if word.value != "-e")
        for way in sorted(_kept(whole), key=len, reverse=True):
            before, sign, behind = text.partition(way)
            if sign and "$" not in before + behind and not (piped and way == "$?"):
                before, behind = (_NEWLINES.split(before)[-1], _NEWLINES.split(behind)[0])
                found.append(f"^{re.escape(before)}(\\d{{1,3}}){re.escape(behind)}[ \\t]*$")
                break
    return tuple(found[:SAID])


def _said(whole: Sequence[Placed]) -> tuple[str, ...]:
    """Patterns of the lines a script says itself."""
    said: dict[str, None] = {}
    for one in whole:
        if one.name not in _SPEAKS:
            continue
        words = [word.value for word in one.words[1:] if word.value not in ("-e", "-n")]
        text = " ".join(words[:1] if one.name == "printf" else words)[:4_000]
        for line in filter(None, map(str.strip, _NEWLINES.split(text))):
            parts = _FILLS.split(line)
            # With more places to fill in a pattern would be slow to find nowhere.
            ways = FILLED.join(map(re.escape, parts[:3])) + (".*" if len(parts) > 3 else "")
            if len(parts) == 1 or len("".join(parts[:3]).strip()) > 3:
                said[ways] = None
    return tuple(said)[:SAID]
