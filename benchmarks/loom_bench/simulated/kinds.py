"""The kinds of questions: what is asked when something is true, and how its answer is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from loom_bench.simulated import telling, workings
from loom_bench.simulated.reading import CONTRADICTORY, UNTOLD, Reading
from loom_bench.simulated.state import (
    EDITED,
    FAIL,
    FORBIDDEN,
    LIFTED,
    PASS,
    REFUSED,
    REVERTED,
    WROTE,
    RunKey,
    Truth,
)

JOINT = " | "  # between the members of an answer that is a list

RESOLVED_AS_OPEN = "resolved shown as open"
OPEN_AS_RESOLVED = "open shown as resolved"
OPEN_UNTOLD = "open untold"
EDIT_UNTOLD = "edit untold"
TAKEN_BACK = "taken back shown as current"
LIES = (RESOLVED_AS_OPEN, OPEN_AS_RESOLVED, OPEN_UNTOLD, EDIT_UNTOLD, TAKEN_BACK)

CHANGED, UNCHANGED = "changed", "not changed"

Answerer = Callable[[Reading], str]
Made = Iterator[tuple[str, str, Answerer, Mapping[str, str]]]
Kind = Callable[[Truth], Made]


def _listed(members: Iterable[str]) -> str:
    return JOINT.join(members)


def _took(deeds: list[str]) -> bool:
    """True when a file differs from what it was."""
    return REVERTED not in deeds and (EDITED in deeds or WROTE in deeds)


def _changed(reading: Reading, path: str) -> str:
    said = workings.fate(reading, path)
    return {UNTOLD: UNTOLD, EDITED: CHANGED, WROTE: CHANGED}.get(said, said)


def files_changed(truth: Truth) -> Made:
    """Which files are changed now? Those whose change was reverted do not count."""
    paths = sorted((*truth.deeds, *truth.seen))
    right = sorted(path for path, deeds in truth.deeds.items() if _took(deeds))

    def answer(reading: Reading) -> str:
        return _listed(path for path in paths if _changed(reading, path) == CHANGED)

    if right:
        yield "", _listed(right), answer, {}


def file_changed(truth: Truth) -> Made:
    """Was this file changed? It was."""
    for path, deeds in truth.deeds.items():
        if _took(deeds):
            lies = {UNTOLD: EDIT_UNTOLD, REFUSED: EDIT_UNTOLD}
            yield path, CHANGED, partial(_changed, path=path), lies


def file_only_read(truth: Truth) -> Made:
    """Was this file changed? It was only read."""

    def answer(reading: Reading, path: str) -> str:
        said = _changed(reading, path)
        return UNCHANGED if said == UNTOLD else said

    for path in truth.seen[:2]:
        yield path, UNCHANGED, partial(answer, path=path), {}


def file_created(truth: Truth) -> Made:
    """How did this file come to be as it is? It was written anew."""
    for path, deeds in truth.deeds.items():
        if WROTE in deeds:
            yield path, WROTE, partial(workings.fate, path=path), {UNTOLD: EDIT_UNTOLD}


def edit_count(truth: Truth) -> Made:
    """How many edits of this file took effect?"""
    for path, deeds in truth.deeds.items():
        if EDITED in deeds and REVERTED not in deeds:
            count = str(deeds.count(EDITED))
            yield path, count, partial(workings.edit_count, path=path), {}


def edit_reverted(truth: Truth) -> Made:
    """Does the edit of this file stand? It was reverted."""
    for path, deeds in truth.deeds.items():
        if deeds[-1] == REVERTED:
            lies = {EDITED: TAKEN_BACK}
            yield path, REVERTED, partial(workings.fate, path=path), lies


def edit_refused(truth: Truth) -> Made:
    """Did the edit of this file take effect? It never did."""
    for path, deeds in truth.deeds.items():
        if set(deeds) == {REFUSED}:
            yield path, REFUSED, partial(workings.fate, path=path), {}


def file_changed_last(truth: Truth) -> Made:
    """Which file was changed last? Asked while nothing was reverted after it."""
    if truth.changed_last:
        paths = [path for path, deeds in truth.deeds.items() if set(deeds) != {REFUSED}]
        yield "", truth.changed_last, partial(workings.last_changed, paths=paths), {}


def runs(truth: Truth, scenes: tuple[str, ...]) -> Made:
    """How did the last run of this command, in this folder, end?"""
    folders = _folders(truth)
    for key, ended in truth.runs.items():
        if truth.scenes[key] in scenes:
            lies = {FAIL: RESOLVED_AS_OPEN, CONTRADICTORY: RESOLVED_AS_OPEN}
            if ended[-1] == FAIL:
                lies = dict.fromkeys((PASS, CONTRADICTORY), OPEN_AS_RESOLVED)
                lies[UNTOLD] = OPEN_UNTOLD
            elif FAIL not in ended:
                lies = {}
            answer = partial(telling.outcome, key=key, folders=folders)
            yield _shown(key), ended[-1], answer, lies


def _folders(truth: Truth) -> set[str]:
    return {folder for folder, _ in truth.scenes if folder}


def _shown(key: RunKey) -> str:
    folder, core = key
    return f"{core} (in {folder})" if folder else core


def failing_now(truth: Truth) -> Made:
    """Which commands fail now?"""
    folders = _folders(truth)

    def answer(reading: Reading) -> str:
        found = {key: telling.outcome(reading, key, folders) for key in truth.runs}
        return _listed(_shown(key) for key in sorted(found) if found[key] in (FAIL, CONTRADICTORY))

    right = [key for key, ended in sorted(truth.runs.items()) if ended[-1] == FAIL]
    yield "", _listed(map(_shown, right)), answer, {}


def run_count(truth: Truth) -> Made:
    """How often was this command run?"""
    for key, ended in truth.runs.items():
        answer = partial(telling.run_count, key=key, folders=_folders(truth))
        yield _shown(key), str(len(ended)), answer, {}


def failures(truth: Truth, open: bool) -> Made:
    """Is this failure still open?"""
    for id, one in truth.failures.items():
        if one.open is open:
            lies = {telling.OPEN: RESOLVED_AS_OPEN, CONTRADICTORY: RESOLVED_AS_OPEN}
            if open:
                lies = dict.fromkeys((telling.CLOSED, CONTRADICTORY), OPEN_AS_RESOLVED)
                lies[UNTOLD] = OPEN_UNTOLD
            answer = partial(
                telling.failure, id=id, message=one.message, closers=one.closers,
                folders=_folders(truth),
            )  # fmt: skip
            yield id, telling.OPEN if open else telling.CLOSED, answer, lies


def failure_message(truth: Truth) -> Made:
    """What does this open failure say?"""
    for id, one in truth.failures.items():
        if one.open:
            answer = partial(telling.said_by_failure, message=one.message)
            yield id, one.message, answer, {}


def rules(truth: Truth, state: str) -> Made:
    """What does the user rule on this?"""
    lies = {FORBIDDEN: TAKEN_BACK, CONTRADICTORY: TAKEN_BACK} if state == LIFTED else {}
    for about, real in truth.rules.items():
        if real == state:
            yield about, state, partial(telling.rule, about=about), lies


def forbidden_now(truth: Truth) -> Made:
    """What is forbidden?"""

    def answer(reading: Reading) -> str:
        said = {about: telling.rule(reading, about) for about in sorted(truth.rules)}
        return _listed(about for about in said if said[about] in (FORBIDDEN, CONTRADICTORY))

    right = [about for about in sorted(truth.rules) if truth.rules[about] == FORBIDDEN]
    if right:
        yield "", _listed(right), answer, {}


def decisions(truth: Truth, reverted: bool) -> Made:
    """What was decided on this topic?"""
    every = [choice for choices in truth.decisions.values() for choice in choices]
    for topic, choices in truth.decisions.items():
        if (len(choices) > 1) is reverted:
            lies = dict.fromkeys((*choices[:-1], CONTRADICTORY), TAKEN_BACK)
            answer = partial(telling.choice, topic=topic, choices=every)
            yield topic, choices[-1], answer, lies


def values(truth: Truth, changed: bool) -> Made:
    """What is the value of this setting now?"""
    for name, values in truth.values.items():
        if (len(values) > 1) is changed:
            lies = dict.fromkeys((*values[:-1], CONTRADICTORY), TAKEN_BACK)
            yield name, values[-1], partial(telling.value, name=name), lies


def correction(truth: Truth) -> Made:
    """What is this called, after the user's correction?"""
    for topic, (wrong, right) in truth.corrections.items():
        lies = dict.fromkeys((wrong, CONTRADICTORY), TAKEN_BACK)
        yield topic, right, partial(telling.choice, topic=topic, choices=(wrong, right)), lies


def plan(truth: Truth, part: str) -> Made:
    """What are the headings, the steps, the code of the user's plan?"""
    parts = getattr(truth, part)
    if parts:
        yield "", _listed(parts), partial(telling.in_order, parts=tuple(parts)), {}


def tasks(truth: Truth, state: str, most: int) -> Made:
    """The tasks in a state, the first `most`."""

    def answer(reading: Reading) -> str:
        told = workings.tasks(reading, truth.tasks)
        if not told:
            return UNTOLD
        return _listed([item for item in told if told[item] == state][:most])

    right = [item for item in truth.tasks if truth.tasks[item] == state][:most]
    if right:
        yield "", _listed(right), answer, {}


def commits(truth: Truth, refused: bool) -> Made:
    """What became of this commit?"""
    for message in truth.uncommitted if refused else truth.commits:
        right = REFUSED if refused else workings.COMMITTED
        yield message, right, partial(workings.commit, message=message), {}


def report(truth: Truth) -> Made:
    """What did a command say that can be run but once? It stands there, or a way leads to it."""
    for command, key in truth.reports.items():
        yield command, key, partial(workings.report, asked=command, key=key), {}
