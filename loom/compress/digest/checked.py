"""Checks: which commands are. Of one that ran again with an outcome nobody saw a note says so,
until one is seen."""

from __future__ import annotations

from loom.lazy import lazy_re
from loom.reduce.commands import parsed
from loom.reduce.verdict import is_check
from loom_partitions.message import Fact

FAILED_BEFORE = "; failed before"
_NOTE = lazy_re(r"; ran since, outcome not seen(?: \(step_\d+\))?")


def base_of(came: str) -> str:
    """The outcome of the last run, without those of the runs before."""
    return came.partition(";")[0]


def ran_since(failure: Fact, run: Fact) -> str:
    """The outcome of a failure, with the note that a later `run` had no outcome to be seen."""
    step = f" (step_{run.at:04d})" if run.at else ""
    return f"{without(failure.came)}; ran since, outcome not seen{step}"


def note_of(came: str) -> str:
    """The note on a later run in what came of a command; "" without one."""
    found = _NOTE.search(came)
    return found[0] if found else ""


def without(came: str) -> str:
    """The outcome of a command, without the note on a later run."""
    return _NOTE.sub("", came)


def checks(fact: Fact) -> bool:
    """True for a command that checks something."""
    return is_check(parsed(fact.about))
