"""Questions about a session at one moment: what is right, and how an answer is read from a request.

`lies` says which wrong answers are worse than wrong. KINDS has them all, by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from msgspec import Struct

from loom_bench.simulated import kinds
from loom_bench.simulated.kinds import JOINT, Answerer, Kind
from loom_bench.simulated.reading import CONTRADICTORY, UNTOLD
from loom_bench.simulated.state import DOING, DONE, FORBIDDEN, LIFTED, PENDING, REQUIRED, Truth

RIGHT, WRONG = "right", "wrong"
VERDICTS = (RIGHT, WRONG, CONTRADICTORY, UNTOLD)


class TruthQuestion(Struct, frozen=True):
    """One question: what it is about, the right answer, and the way to read one."""

    kind: str
    about: str
    right: str
    answer: Answerer
    lies: Mapping[str, str] = {}

    def verdict(self, given: str) -> str:
        """RIGHT, WRONG, or why there is no answer. Of a list a part is UNTOLD, not wrong."""
        if given == self.right:
            return RIGHT
        if given in (UNTOLD, CONTRADICTORY, ""):
            return given or UNTOLD
        parts, whole = set(given.split(JOINT)), set(self.right.split(JOINT))
        return UNTOLD if JOINT in self.right and parts < whole else WRONG


KINDS: dict[str, Kind] = {
    "which files are changed": kinds.files_changed,
    "file changed": kinds.file_changed,
    "file only read": kinds.file_only_read,
    "file created": kinds.file_created,
    "edits of a file": kinds.edit_count,
    "edit reverted": kinds.edit_reverted,
    "edit without effect": kinds.edit_refused,
    "file changed last": kinds.file_changed_last,
    "run: fails, then passes": partial(kinds.runs, scenes=("fail then pass",)),
    "run: passes, then fails": partial(kinds.runs, scenes=("pass then fail",)),
    "run: fails, another passes": partial(kinds.runs, scenes=("fail, another passes", "passes")),
    "run: in another folder": partial(kinds.runs, scenes=("fails here", "passes here")),
    "run: flaky": partial(kinds.runs, scenes=("flaky",)),
    "run: a part passes": partial(kinds.runs, scenes=("the whole fails", "a part passes")),
    "which commands fail": kinds.failing_now,
    "runs of a command": kinds.run_count,
    "failure open": partial(kinds.failures, open=True),
    "failure closed": partial(kinds.failures, open=False),
    "failure's message": kinds.failure_message,
    "rule: forbidden": partial(kinds.rules, state=FORBIDDEN),
    "rule: required": partial(kinds.rules, state=REQUIRED),
    "rule: taken back": partial(kinds.rules, state=LIFTED),
    "what is forbidden": kinds.forbidden_now,
    "decision stands": partial(kinds.decisions, reverted=False),
    "decision reverted": partial(kinds.decisions, reverted=True),
    "value stands": partial(kinds.values, changed=False),
    "value changed": partial(kinds.values, changed=True),
    "correction": kinds.correction,
    "plan: headings": partial(kinds.plan, part="headings"),
    "plan: steps": partial(kinds.plan, part="steps"),
    "plan: code": partial(kinds.plan, part="code"),
    "tasks done": partial(kinds.tasks, state=DONE, most=99),
    "task in progress": partial(kinds.tasks, state=DOING, most=1),
    "task next": partial(kinds.tasks, state=PENDING, most=1),
    "committed": partial(kinds.commits, refused=False),
    "commit refused": partial(kinds.commits, refused=True),
    "way back": kinds.report,
}


def questions(truth: Truth) -> list[TruthQuestion]:
    """Every question that can be asked when this is true."""
    return [
        TruthQuestion(name, about, right, answer, lies)
        for name, kind in KINDS.items()
        for about, right, answer, lies in kind(truth)
    ]
