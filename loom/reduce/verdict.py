"""The outcome of a command in a word: it passes, it fails, or it was simply done.

The exit code decides where it is the command's own. Behind a pipe, before `|| true` or an `echo`,
the exit code is another program's: then what the output says of itself decides."""

from __future__ import annotations

import re
from functools import lru_cache

from loom.lazy import lazy_re
from loom.reduce.lines import both_ends
from loom.reduce.programs import ASK, is_reader
from loom.reduce.shell_commands import CommandLine, is_checking_program

PASSES, DONE, FAILS, NOTHING = "passes", "ok", "fails", "found nothing"
UNKNOWN = "ended, its outcome not seen"  # only a part of its output was
STARTED = "started in the background, its outcome not seen"

# The summaries of test runners, compilers and linters, and the shell's own complaints.
_FAILED = lazy_re(
    r"\b[1-9]\d{0,6} (?:\w+ )?(?:failed|FAILED|failures?|failing|errors?)\b(?! \(.{0,40}\b0 remain)"
    r"|\b(?:[Ff]ailures|[Ee]rrors|[Ff]ailed)[=:] {0,8}[1-9]|\bBUILD FAILURE\b|^FAILURES!|^Failed!"
    r"|\.{3}Failed$|\bFAILED in \d|\bwould (?:be )?reformat|^In \S{1,300} line \d{1,7}:$"
    r"|^(?:--- )?FAIL\b|^FAILED\b|\bFAILED(?:$|: (?!0\b)|[ \t]{1,80}\[)|^not ok\b"
    r"|^error(?:\[\w+\])?:|^fatal:|^panic:"
    r"|^E   "
    r"|^[\w./@+-]{1,200}\.\w{1,8}:\d{1,7}(?::\d{1,7})?: (?!.{0,40}(?:[Ww]arning|note)\b)\S"
    r"|^CONFLICT \(|^Automatic merge failed|^ ! \[(?:remote )?rejected\]"
    r"|^Traceback \(most recent call last\)|^make(?:\[\d+\])?: \*\*\*|\bnpm ERR!|^npm error\b"
    r"|\berror TS\d+"
    r"|^\S{0,40} ?ERROR\b|\bBUILD FAILED\b"
    r"|^nothing (?:added )?to commit|^no changes added to commit"
    r"|\b[Bb]uild failed\b|\b[Cc]ompilation failed\b|: command not found$"
    r"|: No such file or directory$|^\S*Error: |\btimed out\b",
    re.MULTILINE,
)
# What clients answer where a command goes on behind the next call.
_BEHIND = lazy_re(
    r"\s*(?:The )?(?:[Cc]ommand|[Pp]rocess|[Tt]ask|[Ss]hell)\b.{0,40}?"
    r"\b(?:running in (?:the )?background|(?:moved to|started in) the background"
    r"|backgrounded|running with (?:session )?ID)\b"
)
BEHIND = ("run_in_background", "is_background", "isBackground", "background")  # asked of a client
_NO_TEST = lazy_re(
    r"\bno tests (?:ran|found|to run)|\bcollected 0 items|^[ \t=]{0,40}\d{1,7} skipped\b"
    r"|\bno test files\b",
    re.MULTILINE | re.IGNORECASE,
)
_PASSED = lazy_re(
    r"\b[1-9]\d{0,6} (?:tests? )?(?:passed|passing)\b|^ok[ \t]|^PASS\b|^OK\b"
    r"|\b[Aa]ll (?:\w+ )?(?:tests|checks) pass"
    r"|\btest result: ok\b|\b0 (?:failures|errors|failed|issues|problems)\b"
    r"|\bBUILD SUCCESS|\bno issues\b"
    r"|^Passed!|\b100% tests passed|\brated at 10\.00/10|^ *\w{1,40}: OK \(|^ *congratulations :\)"
    r"|\b[Ss]uccess: no|\b[Nn]o (?:errors|problems|issues)\b",
    re.MULTILINE,
)
_NONE = lazy_re(r"\b0 (?:failed|failures|errors)\b|^ok[ \t]", re.MULTILINE)
_SOME = lazy_re(r"\b[1-9]\d* (?:failed|failures|errors?)\b|^FAIL", re.MULTILINE)
# The shell, or a program that shows things, complains that what it was to show is not there.
_CALL = lazy_re(
    r"^(?:[\w./-]{1,80}: ){1,3}(?:No such file or directory|command not found|Permission denied"
    r"|not found|Is a directory)$|^fatal: ",
    re.MULTILINE,
)


def verdict(command: CommandLine, output: str, code: int | None, error: bool) -> str:
    """Return the outcome of a command: "passes" for a check that succeeded, "ok" for another
    command, "fails (exit 1)", "found nothing", or words that say that the outcome was not seen.
    `code` is the exit code, None if not known. `error` is True if the tool reported a failure."""
    whole = both_ends(output)
    told = _printed_exit_code(command, whole)
    if told is not None and not (error or code):
        code = told
    if code in (None, 1) and (error or code) and command.last in ASK and told is None:
        return _outcome_of_denial(command, whole, code, error)
    if error or code:
        if (
            command.perhaps
            and is_check_command(command)
            and not _output_of_programs(command, whole).strip()
        ):
            return UNKNOWN  # nothing shows that the check ran
        return f"{FAILS} (exit {code})" if code else FAILS
    if _BEHIND.match(whole):
        return STARTED
    return _outcome_from_output(command, whole, command.masked and told is None, code)


def _outcome_from_output(command: CommandLine, whole: str, masked: bool, code: int | None) -> str:
    """Return the outcome of a command whose exit code `code` (None: not known) does not say that it
    failed, from its output `whole`. `masked` is True if the exit code is that of another program.
    """
    check = is_check_command(command)
    # Where nobody says how it ended, what a check printed does; what a reader shows does not.
    shown = not check and all(is_reader(one.words) for one in command.programs)
    unsaid = (masked or (code is None and check)) and not shown
    seen = _output_of_programs(command, whole)
    bad = _FAILED.search(seen) if unsaid else None
    if (bad and not _passed_after(seen, bad.start())) or (masked and shown and _CALL.search(seen)):
        return FAILS
    return _outcome_without_failure(command, seen, masked) if check else DONE


def _outcome_without_failure(command: CommandLine, seen: str, masked: bool) -> str:
    """Return the outcome of a check whose output `seen` shows no failure. `masked` is True if the
    exit code is that of another program."""
    if _PASSED.search(seen):
        return PASSES
    if command.behind:
        return STARTED
    if _NO_TEST.search(seen):
        return UNKNOWN
    return UNKNOWN if masked else PASSES


def _outcome_of_denial(command: CommandLine, whole: str, code: int | None, error: bool) -> str:
    """Return the outcome of a command whose last program may use exit code 1 for "no", as `grep`
    does."""
    if not is_check_command(command):
        return NOTHING if not error or len(whole) < 80 else f"{FAILS} (exit {code or 1})"
    came = _outcome_from_output(command, whole, True, code)
    return UNKNOWN if came == PASSES and not _PASSED.search(whole) else came


def _output_of_programs(command: CommandLine, seen: str) -> str:
    """Return the output without lines that the command line itself prints, as by `echo`."""
    if not command.said:
        return seen
    says = re.compile(f"{command.said}|{command.report}")
    return "\n".join(line for line in seen.split("\n") if not says.fullmatch(line.strip()))


def _printed_exit_code(command: CommandLine, seen: str) -> int | None:
    """Return the last exit code that the command line printed (`echo $?`); None for none."""
    report = command.report
    found = re.findall(report, seen, re.MULTILINE) if report else []
    return int(found[-1]) if found else None


@lru_cache(maxsize=1_024)
def is_check_command(command: CommandLine) -> bool:
    """Return True if a command runs a program that checks something, such as a linter."""
    return any(is_checking_program(one) for one in command.programs)


def is_failed(came: str) -> bool:
    """Return True if an outcome, such as "fails (exit 1)", is that of a failed command."""
    return came.startswith(FAILS)


def _passed_after(output: str, at: int) -> bool:
    """Return True if the output after index `at`, the first sign of a failure, says that nothing
    failed ("0 failed")."""
    return bool(_NONE.search(output, at)) and not _SOME.search(output)
