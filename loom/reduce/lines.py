"""Lines of texts: cleaned, cut, measured, and searched for what failed. Every function looks at a
bounded part of its text or passes over the text once."""

from __future__ import annotations

import re

from loom.lazy import lazy_re
from loom.text import clip_text, one_line

FAILURE = 300  # characters of a failure kept in an observation
LINE = 160  # characters of one failing line
WINDOW = 20_000  # characters looked at at either end of a long text

# What failed: a diagnostic with its place, a failed test; and words that speak of a failure.
_TELLING = lazy_re(
    r"^(?:FAILED |--- FAIL|E  |not ok |panic:|fatal:|error)|^[ \t]{0,40}[✕✗×✘●] "
    r"|^\S{1,300}?\.\w{1,8}[:(]\d+|\b(?:expected|wanted|want|got|actual)\b"
    r"|\b(?:\w{1,60}Error|Exception)\b|^[ \t]{0,40}Error\b",
    re.MULTILINE,
)
_FAILING = lazy_re(
    r"error|\bfail(?:ed|ure|s)?\b|exception|traceback|panic|assert|fatal", re.IGNORECASE
)
_TAG = lazy_re(r"<(/?)([a-z_-]{1,40})>")
_UNITS = ("KB", "MB", "GB", "TB")


def both_ends(text: str) -> str:
    """Return the first and the last `WINDOW` characters of a text; a short text whole."""
    return text if len(text) <= 2 * WINDOW else f"{text[:WINDOW]}\n{text[-WINDOW:]}"


def without_tags(text: str) -> str:
    """Return `text` without tags that some tools put around errors, as `<tool_use_error>`."""
    closed = {name for slash, name in _TAG.findall(text) if slash}
    return _TAG.sub(lambda tag: " " if tag[2] in closed else tag[0], text)


def count_lines(text: str) -> int:
    """Return the number of lines of `text`, with or without a newline at the end."""
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


def plural(number: int, noun: str) -> str:
    """Return a number with a noun: `1 file`, `15 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def human_size(size: int, gap: str = " ") -> str:
    """Return a number of bytes as readable text: `523 bytes`, `1.5 KB`, `3 MB` (1 KB is 1,024
    bytes). `gap` is the text between number and unit."""
    if size < 1024:
        return f"{size} bytes"
    # A size that would round up to 1,024 of a unit is one of the next.
    power = next((p for p in range(1, len(_UNITS)) if size < 1023.95 * 1024**p), len(_UNITS))
    return f"{size / 1024**power:.1f}".removesuffix(".0") + gap + _UNITS[power - 1]


def failing_lines(text: str, most: int = 8) -> list[str]:
    """Return the first `most` different lines that say what failed, or else that mention an error,
    cleaned and cut."""
    return _matching_lines(_TELLING, text, most) or _matching_lines(_FAILING, text, most)


def _matching_lines(pattern: re.Pattern[str], text: str, most: int) -> list[str]:
    """Return the first `most` different lines that match `pattern`, cut around the match."""
    found: dict[str, None] = {}
    position = 0
    while len(found) < most and (hit := pattern.search(text, position)):
        start = max(position, text.rfind("\n", position, hit.start()) + 1)
        end = text.find("\n", hit.end())
        end = len(text) if end < 0 else end
        # On an endless line what stands around the word matters, not where the line began.
        if hit.start() - start > LINE:
            start = hit.start() - LINE // 2
        found.setdefault(one_line(text[start : min(end, start + 4 * LINE)], LINE))
        position = end + 1
    return [line for line in found if line]


def last_lines(text: str, most: int = 3) -> list[str]:
    """Return the last `most` lines of `text` that are not blank, each cleaned and cut."""
    lines = [one_line(line, LINE) for line in text[-4096:].splitlines()]
    return [line for line in lines if line][-most:]


def failure_line(text: str) -> str:
    """Return the failing lines of `text`, or else its last lines, as one line of at most `FAILURE`
    characters."""
    return clip_text(" | ".join(failing_lines(text) or last_lines(text)), FAILURE)


REFUSAL = 3_000  # characters of a result that says a command was not allowed
# How clients say it (Claude Code, Codex), and what was said to it.
_CLIENTS = lazy_re(
    r"\s*(?:The user doesn't want to (?:proceed with|take) this"
    r"|(?:Error: )?(?:The )?[Uu]ser (?:has )?(?:rejected|denied|declined)"
    r"|\[Request interrupted by user for tool use)(?:.{0,600}?the user said:\s*(.{1,2000}))?",
    re.DOTALL,
)
# How `LoomError` says it: what was refused, in quotes, and why. It is one line, and all of it.
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


def says_file_call_failed(result: str, reads: bool) -> bool:
    """Return True if the result of reading or changing a file says that the call failed. With
    `reads` True only one short line can say this, because the text of a file may contain any words.
    """
    alone = len(result) <= SAYS and "\n" not in result.strip()
    if reads and not alone:
        return False
    return bool(_FAILED.match(result[:SAYS]) or (alone and _ABSENT.search(result)))


def refusal_reason(result: str, shell: bool) -> str | None:
    """Return the reason why a call was refused. "" means refused without a reason; None means not
    refused. With `shell` True, the refusal must be the whole result."""
    if found := _OURS.match(result):
        return found[1]
    found = _CLIENTS.match(result)
    if found is None or (shell and len(result) > REFUSAL):
        return None
    alone = found[1] or "\n" not in result.strip() or not shell
    return found[1] or "" if alone else None
