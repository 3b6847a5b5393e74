"""Whether a command failed, and which of its lines say so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from loom_bench.truth.lines import bare_lines
from loom_bench.truth.transcript import CallMade

# Programs whose run says whether the work is right; of these alone the summaries are read.
CHECK = re.compile(
    r"\b(?:pytest|unittest|tox|nox|jest|vitest|mocha|playwright|tsc|tsgo|eslint|golangci-lint|ruff"
    r"|mypy|pyright|clippy|rspec|phpunit|ctest"
    r"|go (?:test|build|vet)|cargo (?:test|build|check)|make\b(?: [\w:-]+)?"
    r"|(?:npm|pnpm|yarn|bun)(?: run)? (?:test|build|check|lint)[\w:-]*"
    r"|mise (?:run )?[\w:-]*(?:test|lint|build|check|fmt)[\w:-]*|(?:mvn|gradle|\./gradlew) \S+)"
)
LOOKS = re.compile(
    r"^\s*(?:cd \S+\s*(?:&&|;)\s*)*(?:grep|rg|cat|head|tail|ls|find|sed|awk|echo|git|gh)\b"
)
EXIT = re.compile(r"(?:exit(?:ed with)? (?:code|status)|exit status):? (\d+)", re.IGNORECASE)
SUMMARY = re.compile(
    r"^(?:--- FAIL|FAIL(?:ED)?\b|FAIL:)|\b[1-9]\d* (?:failed|failing|errors?\b)|\bbuild failed\b"
    r"|^make(?:\[\d+\])?: \*\*\*|\berror TS\d+|^npm (?:ERR!|error)|^error\[E\d+|^panic: "
    r"|^Traceback \(most recent|\bERROR task failed",
    re.MULTILINE,
)
FAILING = re.compile(
    r"fail|error|panic|fatal|expected|assert|undefined|cannot|could not|mismatch|not found|no such"
    r"|denied|unknown|invalid|unused|✗|×|✕|Traceback|Exception",
    re.IGNORECASE,
)
LEAST = 20  # characters of a line that can be told from others
PIPED = re.compile(
    r"\s*(?:2>&1|>\s*/dev/null|2>/dev/null"
    r"""|\|\s*(?:tail|head|grep|sed|tee|wc)\b(?:"[^"]*"|'[^']*'|[^|;&"'])*)"""
)
SHORT = 20  # characters a command that was cut at its end still has
ENTER = re.compile(r"^cd (\S+?)\s*(?:&&|;)\s*")
ENTERED = re.compile(r"\bcd (\S+?)\s*(?:&&|;)")
# What may follow a command on a line that names it: a sign that is no part of one, or an outcome.
AFTER = re.compile(
    r"$|\s*2>&1|:(?:\s|$)|\s*[^\w\s./:-]"
    r"|\s+(?:is|was|now|then|still|pass|fail|exit|ok\b|succe|error|broke|step|shell|run)"
)


def failed(made: CallMade) -> bool:
    """True when a command failed: by its error flag, its exit code, a test runner's summary."""
    text = made.result.text
    codes = [*EXIT.findall(text[:200]), *EXIT.findall(text[-200:])]
    if made.result.error or any(int(code) for code in codes):
        return True
    return bool(is_check(made.command) and SUMMARY.search(text))


def is_check(command: str) -> bool:
    """True for a command that tests, builds or checks."""
    return bool(CHECK.search(command)) and not LOOKS.match(command)


def programs(command: str) -> frozenset[str]:
    """The checks a command runs, by the words that name them: of `test:ci` the `test`."""
    found = CHECK.findall(command) if is_check(command) else ()
    return frozenset(one.partition(":")[0] for one in found)


@lru_cache(maxsize=4096)
def core(command: str) -> str:
    """A command without what only shapes its output."""
    return " ".join(PIPED.sub(" ", command).split())


def names(line: str, command: str) -> bool:
    """True when a line names a command, whole or cut at its end, and no other directory."""
    text = core(command)
    inside = ENTER.match(text)
    rest = text[inside.end() :] if inside else text
    start = line.find(rest[:SHORT])
    if start < 0:
        return False
    entered = ENTERED.search(line)
    if entered and entered[1] != (inside[1] if inside else ""):
        return False
    shown = line[start:]
    if shown.startswith(rest):
        return AFTER.match(shown[len(rest) :]) is not None
    pairs = zip(shown, rest, strict=False)
    same = next((at for at, (one, other) in enumerate(pairs) if one != other), len(shown))
    return shown[same:].startswith(("…", "..."))


def failing_lines(text: str) -> Iterator[str]:
    """The lines of a failed result that say so, long enough to be told from others."""
    for line in bare_lines(text):
        if len(line) >= LEAST and FAILING.search(line):
            yield line
