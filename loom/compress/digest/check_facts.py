"""Facts of commands that check something, such as test runs: which failures are over because the
same program later passed on everything. A failure whose command ran again with an outcome nobody
saw gets a note that says so, until an outcome is seen."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.reduce.shell_commands import ProgramRun, is_checking_program, parse_command
from loom.reduce.verdict import PASSES, is_check_command, is_failed
from loom_partitions.message import Fact

LINES = 4_096  # whose words are remembered: digests are made of the same lines again and again
FAILED_BEFORE, PASSED_BEFORE = "; failed before", "; passed before"
WHOLE = {".", "./", "./...", "..."}  # targets that are all there is
_NOTE = lazy_re(r"; (?:ran since|run again), outcome not seen(?: \(step_\d+\))?")


def last_outcome(came: str) -> str:
    """Return the outcome of the last run only: "fails; passed before" → "fails"."""
    return came.partition(";")[0]


def outcome_with_rerun_note(failure: Fact, run: Fact) -> str:
    """Return the outcome of `failure` with a note: "fails; run again, outcome not seen
    (step_0012)". `run` is the later run of the same command; the note names its step."""
    step = f" (step_{run.at:04d})" if run.at else ""
    return f"{without_rerun_note(failure.came)}; run again, outcome not seen{step}"


def rerun_note(came: str) -> str:
    """Return the rerun note in an outcome, "" if there is none: "fails; run again, outcome not
    seen" → "; run again, outcome not seen"."""
    found = _NOTE.search(came)
    return found[0] if found else ""


def without_rerun_note(came: str) -> str:
    """Return the outcome without its rerun note: "fails; run again, outcome not seen" → "fails"."""
    return _NOTE.sub("", came)


def close_failures(facts: Iterable[Fact], runs: Iterable[Fact]) -> list[Fact]:
    """Return the facts with some failures closed. A failed check that passed later, with the same
    arguments or on the whole project, gets the outcome "passes as part of a later command"; its
    error facts are dropped."""
    passed: dict[ProgramRun, Fact] = {}
    for run in runs:
        if last_outcome(run.came) == PASSES:
            passed |= {own: run for own, _ in _checking_programs(run.about)}
    kept = []
    for fact in facts:
        if passed and (fact.kind == "error" or (fact.kind == "ran" and is_failed(fact.came))):
            later = [
                [passed[one] for one in both if one in passed and passed[one].at > fact.at]
                for both in _checking_programs(fact.about)
            ]
            if later and all(later):
                last = max((run for found in later for run in found), key=lambda run: run.at)
                came = f"{PASSES} as part of a later command{FAILED_BEFORE}"
                if fact.kind == "ran":
                    kept.append(replace(fact, came=came, at=last.at, refs=last.refs))
                continue
        kept.append(fact)
    return kept


@lru_cache(maxsize=LINES)
def _checking_programs(line: str) -> tuple[tuple[ProgramRun, ProgramRun], ...]:
    """Return (run as typed, the same run without arguments) for each program in a command line that
    checks something, such as a test runner."""
    command, found = parse_command(line), list[tuple[ProgramRun, ProgramRun]]()
    for one in filter(is_checking_program, command.programs):
        every = ProgramRun(one.words, folder=one.folder or command.folder)
        part = {*one.targets} - WHOLE or any("=" in option for option in one.options)
        found.append((replace(one, folder=every.folder) if part else every, every))
    return tuple(found)


def is_check_fact(fact: Fact) -> bool:
    """Return True for the fact of a command that checks something, such as a test run."""
    return is_check_command(parse_command(fact.about))
