"""What came of a command, in a word: it passes, it fails, or it was simply done.

The exit code decides where it is the command's own. Behind a pipe, before `|| true` or an `echo` it
is another's: then what the output says of itself decides.
"""

from __future__ import annotations

import re

from loom.reduce.commands import Command

PASSES, DONE, FAILS, NOTHING = "passes", "ok", "fails", "found nothing"
UNKNOWN = "ended, its outcome not seen"  # only a part of its output was

# The summaries of test runners, compilers and linters, and the shell's own complaints.
_FAILED = re.compile(
    r"\b[1-9]\d{0,6} (?:\w+ )?(?:failed|failures?|failing|errors?)\b"
    r"|\b(?:failures|errors|failed)[=:] ?[1-9]"
    r"|^(?:--- )?FAIL\b|^FAILED\b|\bFAILED$|^not ok\b|^error(?:\[\w+\])?:|^fatal:|^panic:"
    r"|^E   "
    r"|^Traceback \(most recent call last\)|^make(?:\[\d+\])?: \*\*\*|\bnpm ERR!|^npm error\b"
    r"|\berror TS\d+"
    r"|^\S{0,40} ?ERROR\b|\bBUILD FAILED\b"
    r"|\b[Bb]uild failed\b|\b[Cc]ompilation failed\b|: command not found$"
    r"|: No such file or directory$|^\S*Error: |\btimed out\b",
    re.MULTILINE,
)
_NO_TEST = re.compile(
    r"\bno tests (?:ran|found|to run)|\bcollected 0 items|^\s*\d+ skipped\b|\bno test files\b",
    re.MULTILINE | re.IGNORECASE,
)
_PASSED = re.compile(
    r"\b[1-9]\d{0,6} (?:tests? )?(?:passed|passing)\b|^ok[ \t]|^PASS\b|^OK\b"
    r"|\b[Aa]ll (?:\w+ )?(?:tests|checks) pass"
    r"|\btest result: ok\b|\b0 (?:failures|errors|failed|issues|problems)\b"
    r"|\bBUILD SUCCESS|\bno issues\b"
    r"|\b[Ss]uccess: no|\b[Nn]o (?:errors|problems|issues)\b",
    re.MULTILINE,
)
_NONE = re.compile(r"\b0 (?:failed|failures|errors)\b|^ok[ \t]", re.MULTILINE)
_SOME = re.compile(r"\b[1-9]\d* (?:failed|failures|errors?)\b|^FAIL", re.MULTILINE)
_CHECK = re.compile(
    r"(?:py\.?test|tests?|lint(?:er)?|check|build|vet|tsc|mypy|ruff|eslint|jest|vitest|tox|clippy"
    r"|unittest|ci|e2e|rspec|compile|spec|typecheck|validate|verify|pyright|mocha|ctest|nox|phpunit)"
)
_WORD = re.compile(r"[A-Za-z0-9.]+")
# Programs whose exit code 1 says no, and not that something went wrong.
_ASK = frozenset(("grep", "egrep", "rg", "ag", "diff", "cmp", "test", "[", "[[", "which", "command",
                  "pgrep"))  # fmt: skip


def verdict(command: Command, output: str, code: int | None, error: bool) -> str:
    """`passes` for a check that succeeded, `ok` for any other command, `fails (exit 1)`, …"""
    failed = error or bool(code)
    if failed and code in (None, 1) and _asks(command):
        return NOTHING if not error or len(output) < 80 else f"{FAILS} (exit {code or 1})"
    if failed:
        return f"{FAILS} (exit {code})" if code else FAILS
    check = is_check(command)
    # Where nobody says how it ended, what a check printed does.
    unsaid = command.masked or (code is None and check)
    bad = _FAILED.search(output) if unsaid else None
    if bad and not _passed_after(output, bad.start()):
        return FAILS
    if check and _PASSED.search(output):
        return PASSES
    if check and _NO_TEST.search(output):
        return UNKNOWN
    if check and command.masked and (command.searched or output.strip()):
        return UNKNOWN
    return PASSES if check else DONE


def is_check(command: Command) -> bool:
    """True for a command that checks something: a test runner, a compiler, a linter."""
    return any(
        _CHECK.fullmatch(part)
        for one in command.programs
        for word in one.words
        for part in _WORD.findall(word)
    )


_TELLING = re.compile(
    r"^(?:FAILED |--- FAIL|E  |not ok |panic:|fatal:|error)|^\s*[✕✗×✘●] |^\S+?\.\w{1,8}[:(]\d+"
    r"|\b(?:expected|wanted|want|got|actual)\b|\b(?:\w+Error|Exception)\b|^\s*(?:Error|AssertionError)\b",
    re.MULTILINE,
)


# A title of a failed test: what went wrong stands on the line below it.
_TITLE = re.compile(r"^\s*(?:--- FAIL|[✕✗×✘●] |not ok |thread '.{0,80}' panicked)")


def telling_lines(output: str, most: int) -> list[str]:
    """The lines of a failure that say what failed: diagnostics with their places, failed tests.

    What another line says too is left out.
    """
    found: dict[str, None] = {}
    title, indent = "", 0
    for line in output.split("\n"):
        bare = line.strip()
        if not bare or len(line) > 2_000:
            continue
        depth = len(line) - len(line.lstrip())
        titled = bool(_TITLE.search(line))
        if title and not titled and (depth > indent or not _TELLING.search(line)):
            found.pop(title, None)
            found.setdefault(f"{title}: {bare}")
            title = ""
        elif titled or _TELLING.search(line):
            found.setdefault(bare)
            title, indent = (bare if titled or line.rstrip().endswith(":") else ""), depth
        if len(found) > 4 * most:
            break
    lines = list(found)
    kept = [one for one in lines if not any(_core(one) in two for two in lines if two is not one)]
    return kept[:most]


def _core(line: str) -> str:
    return line.removeprefix("E ").strip()


def failed(came: str) -> bool:
    """True for the word of a command that failed."""
    return came.startswith(FAILS)


def _asks(command: Command) -> bool:
    return bool(command.programs) and command.programs[-1].words[0] in _ASK


def _passed_after(output: str, at: int) -> bool:
    """True when a summary behind the first sign of failure says that nothing failed."""
    return bool(_NONE.search(output, at)) and not _SOME.search(output)
