"""Which later success settles an earlier failure: the same command, or one that covers it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from loom.reduce.commands import Command, parsed
from loom.reduce.covering import RanCommands, targets_in
from loom.reduce.effects import DISCARDED, RESTORED, STASHED, STASHED_ALL, effects
from loom.reduce.verdict import DONE, PASSES, failed, is_check
from loom_partitions.message import Fact

FAILED_BEFORE = "; failed before"
SETTLED = "settled by"  # of what is no check: a rebase that stopped, and was gone on with
WHILE_ASIDE = f"{PASSES} while changes are set aside"
_ASIDE = {STASHED: True, STASHED_ALL: True, RESTORED: False, DISCARDED: False}


def while_aside(facts: list[Fact]) -> list[Fact]:
    """The facts in order, the checks that passed while a stash was open told so: they say nothing
    of what was set aside. When it was open the stash commands tell, which are facts, too."""
    stashes = [
        (fact.at, aside)
        for fact in facts
        if fact.kind == "ran" and "stash" in fact.about
        if base_of(fact.came) in (PASSES, DONE) and (aside := _leaves_aside(fact.about)) is not None
    ]
    if not any(aside for _, aside in stashes):
        return facts
    told = []
    for fact in facts:
        if fact.kind == "ran" and base_of(fact.came) == PASSES and is_check(parsed(fact.about)):
            last = max((one for one in stashes if one[0] < fact.at), default=(0, False))
            fact = replace(fact, came=WHILE_ASIDE) if last[1] else fact
        told.append(fact)
    return told


def _leaves_aside(line: str) -> bool | None:
    """True when a command line leaves changes set aside, None when it says nothing of that."""
    said = [_ASIDE[one.what] for one in effects(line, False) if one.what in _ASIDE]
    return said[-1] if said else None


def base_of(came: str) -> str:
    """The outcome of the last run, without those of the runs before."""
    return came.partition(";")[0]


def settled(facts: list[Fact], runs: Sequence[Fact]) -> list[Fact]:
    """Failures that a later success of a wider command closes are told so, and their errors leave;
    so does an error of which a later success of a narrower command speaks."""
    succeeded = [run for run in runs if base_of(run.came) in (PASSES, DONE)]
    if not succeeded:
        return facts
    passed = RanCommands((parsed(run.about), run) for run in succeeded)
    done = []
    for fact in facts:
        if fact.kind not in ("ran", "error") or (fact.kind == "ran" and not failed(fact.came)):
            done.append(fact)
            continue
        mine = parsed(fact.about)
        wider = next((run for run in passed.wider(mine) if run.at > fact.at), None)
        wider = wider or _together(passed, mine, fact.at)
        if fact.kind == "ran":
            word = f"{PASSES} in" if wider and base_of(wider.came) == PASSES else SETTLED
            came = f"{word} `{wider.text}`{FAILED_BEFORE}" if wider else fact.came
            done.append(replace(fact, came=came, at=wider.at if wider else fact.at))
        elif wider is None and not any(
            run.at > fact.at and targets_in(command, fact.text)
            for command, run in passed.narrower(mine)
        ):
            done.append(fact)
    return done


def _together(passed: RanCommands[Fact], mine: Command, at: int) -> Fact | None:
    """The last of several successes that cover the programs of a command one by one."""
    runs = []
    for program in mine.programs:
        one = Command(mine.folder, (program,))
        run = next((run for run in passed.wider(one) if run.at > at), None)
        if run is None:
            return None
        runs.append(run)
    return max(runs, key=lambda run: run.at, default=None)
