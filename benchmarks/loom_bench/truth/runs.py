"""Failures that stand open though the same command passes again; how a command ended.

The truth of a command is its last outcome, commands compared by their text with single blanks.
Resolved shown as open: it passes now, a line of its failure stands, and nothing behind that line
says that it passes. Only lines that no other result holds count, so that each is of that failure.
Open untold: a check (CHECK) failed last, none like it passed since, and neither a line of its
failure nor a line that names it with a word of failing stands.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct, field

from loom.inputs import Event
from loom_bench.truth.shown import CUT, CallMade, Piece, Ruling, bare_lines

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
    if made.result.error or exits(text):
        return True
    return bool(is_check(made.command) and SUMMARY.search(text))


def exits(text: str) -> bool:
    """True when a text begins or ends with an exit code that is not 0."""
    return any(map(int, [*EXIT.findall(text[:200]), *EXIT.findall(text[-200:])]))


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


FAILURE = re.compile(r"fail|error|exit(?:ed)?(?: with)?(?: code| status)? [1-9]|broken|✗", re.I)
SUCCESS = re.compile(
    r"pass|\bok\b|succe|\bgreen\b|resolved|fixed|\bexit(?: code)? 0|no longer|clean\b|✓|✔", re.I
)


Lines = list[tuple[str, Piece]]  # of a request, in order


class CommandRuns(Struct):
    """The runs of one command: its failing lines, the calls that failed and those that passed."""

    text: str
    last_failed: bool = False
    failures: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    passed: set[str] = field(default_factory=set)


class OutcomesTold:
    """Judges what a request says of commands."""

    def __init__(self) -> None:
        self._runs: dict[str, CommandRuns] = {}
        self._sources: dict[str, set[str]] = defaultdict(set)  # line → commands, "" other results
        self._open: dict[str, frozenset[str]] = {}  # command → checks that have not passed since

    def take(self, event: Event, made: CallMade | None) -> None:
        """Note how a command ended, and where lines come from."""
        if made is None or made.refused:
            return
        command = made.command
        bad = bool(command) and failed(made)
        for line in bare_lines(made.result.text):
            if len(line) >= LEAST:
                self._sources[line].add(command if bad else "")
        if not command:
            return
        run = self._runs.setdefault(command, CommandRuns(command))
        run.last_failed = bad
        (run.failed if bad else run.passed).add(made.call.id)
        checks = programs(command)
        if bad:
            run.failures.update(failing_lines(made.result.text))
            self._open.pop(command, None)
            if is_check(command):
                self._open[command] = checks
        else:
            self._open = {one: of for one, of in self._open.items() if not of & checks}

    def rule(self, pieces: Sequence[Piece], ruling: Ruling) -> None:
        """Count commands with two outcomes, failures resolved or open, and those told wrongly."""
        lines = [(line, one) for one in pieces for line in bare_lines(one.text) if line]
        heads = frozenset().union(*(_heads(piece.text) for piece in pieces))
        resolved = [run for run in self._runs.values() if run.failed and not run.last_failed]
        ruling.sums["resolved"] += len(resolved)
        ruling.sums["open"] += len(self._open)
        for run in resolved:
            if shown := self._shown_open(run, lines, heads):
                ruling.fault("resolved_open", f"{run.text[:80]} ⏎ {shown}")
        for command in self._open:
            if not _told(self._runs[command], lines, heads):
                ruling.fault("open_untold", command)

    def _shown_open(self, run: CommandRuns, lines: Lines, heads: frozenset[str]) -> str:
        """The last line of its failure with no word of the pass behind it, "" for none."""
        own = {line for line in run.failures if self._sources[line] == {run.text}}
        begins = {line[:LEAST] for line in own}
        shown = ""
        for line, piece in () if begins.isdisjoint(heads) else lines:
            if piece.call_id in run.passed or (SUCCESS.search(line) and names(line, run.text)):
                shown = ""
            elif (hit := _one_of(line, own, begins)) and not SUCCESS.search(line.replace(hit, "")):
                shown = line
        return shown


@lru_cache(maxsize=4096)
def _heads(text: str) -> frozenset[str]:
    """What the lines of a text may begin to quote."""
    lines = filter(None, bare_lines(text))
    return frozenset(line[at : at + LEAST] for line in lines for at in _starts(line))


def _one_of(line: str, wanted: set[str], begins: set[str]) -> str:
    """The wanted line that a line shows, whole, cut at its end or behind a label; "" for none."""
    if line in wanted:
        return line
    for start in _starts(line):
        if line[start : start + LEAST] in begins:
            rest = line[start:]
            short = CUT.sub("", rest).rstrip()
            for one in wanted:
                if rest.startswith(one) or (short != rest and one.startswith(short)):
                    return one if rest.startswith(one) else short
    return ""


def _starts(line: str) -> Iterator[int]:
    """Where a line may begin to quote another: at its head, and behind a label or a quote sign."""
    yield 0
    for match in re.finditer(r"(?:: |→ |[-*•(\"`'“] ?)(?=\S)", line):
        yield match.end()


def _told(run: CommandRuns, lines: Lines, heads: frozenset[str]) -> bool:
    """True when the failure of a command stands: its result, a line of it, or its name with it."""
    own = (line for line, one in lines if one.kind == "result" and one.call_id in run.failed)
    begins = {line[:LEAST] for line in run.failures}
    if any(map(FAILURE.search, own)) or (
        not begins.isdisjoint(heads)
        and any(_one_of(line, run.failures, begins) for line, _ in lines)
    ):
        return True
    text = core(run.text)
    key = ENTER.sub("", text, count=1)[:SHORT]
    named = 0  # lines left in which a word of failing belongs to the name
    for line, piece in lines:
        named = 3 if key in line and names(line, run.text) else max(named - 1, 0)
        if named and piece.kind != "call" and FAILURE.search(line.replace(text, "")):
            return True
    return False
