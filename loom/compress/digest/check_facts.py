"""Checks: which commands are, and which failures are over as the same program passed on everything
later. Of one that ran again with an outcome nobody saw a note says so, until one is seen."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.reduce.shell_commands import ProgramRun, is_checking_program, parse_command
from loom.reduce.verdict import PASSES, is_check_command, is_failed
from loom_partitions.message import Fact

LINES = 4_096  # whose words are remembered: digests are made of the same lines again and again
FAILED_BEFORE = "; failed before"
WHOLE = {".", "./", "./...", "..."}  # targets that are all there is
_NOTE = lazy_re(r"; ran since, outcome not seen(?: \(step_\d+\))?")


def last_outcome(came: str) -> str:
    """The outcome of the last run, without those of the runs before."""
    return came.partition(";")[0]


def outcome_with_rerun_note(failure: Fact, run: Fact) -> str:
    """The outcome of a failure, with the note that a later `run` had no outcome to be seen."""
    step = f" (step_{run.at:04d})" if run.at else ""
    return f"{without_rerun_note(failure.came)}; ran since, outcome not seen{step}"


def rerun_note(came: str) -> str:
    """The note on a later run in what came of a command; "" without one."""
    found = _NOTE.search(came)
    return found[0] if found else ""


def without_rerun_note(came: str) -> str:
    """The outcome of a command, without the note on a later run."""
    return _NOTE.sub("", came)


def close_failures(facts: Iterable[Fact], runs: Iterable[Fact]) -> list[Fact]:
    """The facts, failed checks told as passed where the `runs` passed later, each of their programs
    on everything or as it was, and their errors gone."""
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
                came = f"{PASSES} in a later run{FAILED_BEFORE}"
                if fact.kind == "ran":
                    kept.append(replace(fact, came=came, at=last.at, refs=last.refs))
                continue
        kept.append(fact)
    return kept


@lru_cache(maxsize=LINES)
def _checking_programs(line: str) -> tuple[tuple[ProgramRun, ProgramRun], ...]:
    """Each program of a line that checks, in its folder, and as it works on everything; an option
    with a value may choose a part."""
    command, found = parse_command(line), list[tuple[ProgramRun, ProgramRun]]()
    for one in filter(is_checking_program, command.programs):
        every = ProgramRun(one.words, folder=one.folder or command.folder)
        part = {*one.targets} - WHOLE or any("=" in option for option in one.options)
        found.append((replace(one, folder=every.folder) if part else every, every))
    return tuple(found)


def is_check_fact(fact: Fact) -> bool:
    """True for a command that checks something."""
    return is_check_command(parse_command(fact.about))
