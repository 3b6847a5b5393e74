"""Questions about a session at one moment: what is right, and how an answer is read from a request.

A kind of question says what it asks when something is true: (what about, the right answer, which
wrong answers are worse than wrong), and how its answer is read. KINDS has them all, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from loom_bench.simulated import telling, workings
from loom_bench.simulated.reading import CONTRADICTORY, UNTOLD, Reading
from loom_bench.simulated.state import (
    DOING,
    DONE,
    EDITED,
    FAIL,
    FORBIDDEN,
    LIFTED,
    PASS,
    PENDING,
    REFUSED,
    REQUIRED,
    REVERTED,
    WROTE,
    RunKey,
    Truth,
)
from loom_bench.simulated.telling import outcome, shown
from loom_bench.simulated.workings import CHANGED, COMMITTED, UNCHANGED, changed, commit, fate

RIGHT, WRONG = "right", "wrong"
VERDICTS = (RIGHT, WRONG, CONTRADICTORY, UNTOLD)
JOINT = " | "  # between the members of an answer that is a list

RESOLVED_AS_OPEN = "resolved shown as open"
OPEN_AS_RESOLVED = "open shown as resolved"
OPEN_UNTOLD = "open untold"
EDIT_UNTOLD = "edit untold"
TAKEN_BACK = "taken back shown as current"
LIES = (RESOLVED_AS_OPEN, OPEN_AS_RESOLVED, OPEN_UNTOLD, EDIT_UNTOLD, TAKEN_BACK)

Lies = Mapping[str, str]
Asked = Callable[[Truth], Iterable[tuple[str, str, Lies]]]
Answer = Callable[[Reading, Truth, str], str]  # what is read, what is true, what it is about


class TruthQuestion(Struct, frozen=True):
    """One question: what it is about, the right answer, and the way to read one."""

    kind: str
    about: str
    right: str
    answer: Callable[[Reading], str]
    lies: Lies = {}

    def verdict(self, given: str) -> str:
        """RIGHT, WRONG, or why there is no answer. Of a list a part is UNTOLD, not wrong."""
        if given == self.right:
            return RIGHT
        if given in (UNTOLD, CONTRADICTORY, ""):
            return given or UNTOLD
        parts, whole = set(given.split(JOINT)), set(self.right.split(JOINT))
        return UNTOLD if JOINT in self.right and parts < whole else WRONG


def _listed(right: Iterable[str]) -> list[tuple[str, str, Lies]]:
    """A question for a list; none where it is empty."""
    joined = JOINT.join(right)
    return [("", joined, {})] if joined else []


def _files(when: Callable[[list[str]], bool], right: str, lies: Lies = {}) -> Asked:  # noqa: B006
    """Files to which this was done."""
    return lambda truth: [(path, right, lies) for path, deeds in truth.deeds.items() if when(deeds)]


def _took(deeds: list[str]) -> bool:
    """True when a file differs from what it was."""
    return REVERTED not in deeds and (EDITED in deeds or WROTE in deeds)


def _runs(*scenes: str) -> Asked:
    """Runs that are there to show this."""
    return lambda truth: [
        (shown(key), ended[-1], _lies_of_run(ended))
        for key, ended in truth.runs.items()
        if truth.scenes[key] in scenes
    ]


def _failing(truth: Truth) -> list[RunKey]:
    return [key for key in sorted(truth.runs) if truth.runs[key][-1] == FAIL]


def _lies_of_run(ended: list[str]) -> Lies:
    if ended[-1] == FAIL:
        return _lies_of_open(PASS)
    return dict.fromkeys((FAIL, CONTRADICTORY), RESOLVED_AS_OPEN) if FAIL in ended else {}


def _lies_of_open(closed: str) -> dict[str, str]:
    return {**dict.fromkeys((closed, CONTRADICTORY), OPEN_AS_RESOLVED), UNTOLD: OPEN_UNTOLD}


def _failures(open: bool) -> Asked:
    """Failures that are open, or are not."""
    state, lies = telling.CLOSED, dict.fromkeys((telling.OPEN, CONTRADICTORY), RESOLVED_AS_OPEN)
    if open:
        state, lies = telling.OPEN, _lies_of_open(telling.CLOSED)
    return lambda truth: [(id, state, lies) for id, it in truth.failures.items() if it.open is open]


def _rules(state: str) -> Asked:
    """Rules in this state."""
    lies = dict.fromkeys((FORBIDDEN, CONTRADICTORY), TAKEN_BACK) if state == LIFTED else {}
    return lambda truth: [(of, state, lies) for of, real in truth.rules.items() if real == state]


def _latest(field: str, changed: bool) -> Asked:
    """What has had one value, or several of which the last holds."""
    return lambda truth: [
        (name, had[-1], dict.fromkeys((*had[:-1], CONTRADICTORY), TAKEN_BACK))
        for name, had in getattr(truth, field).items()
        if (len(had) > 1) is changed
    ]


def _which(members: Callable[[Truth], Iterable[str]], answer: Answer, *wanted: str) -> Answer:
    """Those of which the answer is one of these."""
    return lambda reading, truth, _: JOINT.join(
        one for one in members(truth) if answer(reading, truth, one) in wanted
    )


def _tasks(state: str, most: int = 1) -> tuple[Asked, Answer]:
    """The tasks in a state, the first `most`."""

    def of(told: Mapping[str, str]) -> list[str]:
        return [item for item in told if told[item] == state][:most]

    def answer(reading: Reading, truth: Truth, _: str) -> str:
        told = workings.tasks(reading, truth.tasks)
        return JOINT.join(of(told)) if told else UNTOLD

    return lambda truth: _listed(of(truth.tasks)), answer


def _plan(part: str) -> tuple[Asked, Answer]:
    """The headings, the steps, the code of the user's plan."""
    return (
        lambda truth: _listed(getattr(truth, part)),
        lambda reading, truth, _: telling.in_order(reading, tuple(getattr(truth, part))),
    )


UNTOLD_EDIT = {UNTOLD: EDIT_UNTOLD, REFUSED: EDIT_UNTOLD}
TOOK_BACK = {EDITED: TAKEN_BACK}
KINDS: dict[str, tuple[Asked, Answer]] = {
    "which files are changed": (
        lambda truth: _listed(sorted(path for path in truth.deeds if _took(truth.deeds[path]))),
        _which(lambda truth: sorted((*truth.deeds, *truth.seen)), changed, CHANGED),
    ),
    "file changed": (_files(_took, CHANGED, UNTOLD_EDIT), changed),
    "file only read": (
        lambda truth: [(path, UNCHANGED, {}) for path in truth.seen[:2]],
        workings.unchanged,
    ),
    "file created": (_files(lambda did: WROTE in did, WROTE, {UNTOLD: EDIT_UNTOLD}), fate),
    "edits of a file": (
        lambda truth: [
            (path, str(did.count(EDITED)), {})
            for path, did in truth.deeds.items()
            if EDITED in did and REVERTED not in did
        ],
        workings.edit_count,
    ),
    "edit reverted": (_files(lambda did: did[-1] == REVERTED, REVERTED, TOOK_BACK), fate),
    "edit without effect": (_files(lambda did: set(did) == {REFUSED}, REFUSED), fate),
    # Asked while nothing was reverted after it.
    "file changed last": (lambda truth: _listed([truth.changed_last]), workings.last_changed),
    "run: fails, then passes": (_runs("fail then pass"), outcome),
    "run: passes, then fails": (_runs("pass then fail"), outcome),
    "run: fails, another passes": (_runs("fail, another passes", "passes"), outcome),
    "run: in another folder": (_runs("fails here", "passes here"), outcome),
    "run: flaky": (_runs("flaky"), outcome),
    "run: a part passes": (_runs("the whole fails", "a part passes"), outcome),
    "which commands fail": (
        lambda truth: [("", JOINT.join(map(shown, _failing(truth))), {})],
        _which(lambda truth: map(shown, sorted(truth.runs)), outcome, FAIL, CONTRADICTORY),
    ),
    "runs of a command": (
        lambda truth: [(shown(key), str(len(ended)), {}) for key, ended in truth.runs.items()],
        telling.run_count,
    ),
    "failure open": (_failures(True), telling.failure),
    "failure closed": (_failures(False), telling.failure),
    "failure's message": (
        lambda truth: [(id, one.message, {}) for id, one in truth.failures.items() if one.open],
        telling.said_by_failure,
    ),
    "rule: forbidden": (_rules(FORBIDDEN), telling.rule),
    "rule: required": (_rules(REQUIRED), telling.rule),
    "rule: taken back": (_rules(LIFTED), telling.rule),
    "what is forbidden": (
        lambda truth: _listed(sorted(about for about, *_ in _rules(FORBIDDEN)(truth))),
        _which(lambda truth: sorted(truth.rules), telling.rule, FORBIDDEN, CONTRADICTORY),
    ),
    "decision stands": (_latest("decisions", False), telling.decision),
    "decision reverted": (_latest("decisions", True), telling.decision),
    "value stands": (_latest("values", False), telling.value),
    "value changed": (_latest("values", True), telling.value),
    "correction": (_latest("corrections", True), telling.correction),
    "plan: headings": _plan("headings"),
    "plan: steps": _plan("steps"),
    "plan: code": _plan("code"),
    "tasks done": _tasks(DONE, 99),
    "task in progress": _tasks(DOING),
    "task next": _tasks(PENDING),
    "committed": (lambda truth: [(one, COMMITTED, {}) for one in truth.commits], commit),
    "commit refused": (lambda truth: [(one, REFUSED, {}) for one in truth.uncommitted], commit),
    # What a command said that can be run but once: it stands there, or a way leads to it.
    "way back": (
        lambda truth: [(command, key, {}) for command, key in truth.reports.items()],
        workings.report,
    ),
}


def _of(answer: Answer, truth: Truth, about: str) -> Callable[[Reading], str]:
    return lambda reading: answer(reading, truth, about)


def questions(truth: Truth) -> list[TruthQuestion]:
    """Every question that can be asked when this is true."""
    return [
        TruthQuestion(name, about, right, _of(answer, truth, about), lies)
        for name, (asked, answer) in KINDS.items()
        for about, right, lies in asked(truth)
    ]
