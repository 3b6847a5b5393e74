"""What a call did, as facts that outlast its text."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce import facts_of_result, reduce
from loom.reduce.deeds import ERROR, PATH
from loom.reduce.effects import MOST
from loom_partitions.message import Fact
from tests.kit.cases import all_cases

TEXT = st.text(st.characters(codec=None), max_size=500)


def deeds(name: str, arguments: Any, result: str, error: bool = False) -> tuple[Fact, ...]:
    """The facts of one call."""
    given_args = arguments if isinstance(arguments, str) else json.dumps(arguments)
    reduction = reduce(name, given_args, result, error=error).reduction
    return facts_of_result(name, given_args, result, error, reduction)


@all_cases(
    ("line", "result", "error", "facts"),
    [
        ("sed -i s/a/b/ a.py", "", False, [("edit", "a.py", "")]),
        ("cd web && sed -i s/a/b/ a.py", "", False, [("edit", "web/a.py", "")]),
        ("false && rm a.py", "", True, [("error", "failed without a word", ""),
                                        ("edit", "a.py", "may have changed")]),
        ("rm a.py", "", False, [("undo", "a.py", "deleted")]),
        ("mv a.py b.py", "", False, [("undo", "a.py", "moved to b.py"),
                                     ("edit", "b.py", "moved from a.py")]),
        ("pytest | tee out.log", "1 failed", False, [("error", "1 failed", ""),
                                                     ("edit", "out.log", "")]),
        ("git reset --hard; true", "", False, [("undo", "", "reverted")]),
        ("git commit -m 'rm a.py'", "", False, [("commit", "git", "")]),
        ("cat > a.py <<E\nrm b.py\nE", "", False, [("edit", "a.py", "")]),
    ],
)  # fmt: skip
def test_what_commands_make_of_files(
    line: str, result: str, error: bool, facts: list[tuple[str, str, str]]
) -> None:
    """What a command changed is told beside what came of it; of a failed one, that it may have."""
    _, *made = deeds("Bash", {"command": line}, result, error)
    assert [(fact.kind, fact.text, fact.came) for fact in made] == facts


@given(TEXT, TEXT, st.booleans(), st.sampled_from(["Bash", "Read", "Edit", "Write", "Grep", "t"]))
def test_facts_are_bounded_for_any_text(arguments: str, text: str, error: bool, name: str) -> None:
    """A bounded number of facts of one short line each, whatever the call and its result."""
    for facts in (deeds(name, arguments, text, error), deeds(name, {"path": arguments,
                  "command": arguments}, text, error)):  # fmt: skip
        assert len(facts) <= 4 + MOST
        assert all(len(fact.text) <= max(PATH, ERROR) for fact in facts)
        assert all(len(fact.text.splitlines()) <= 1 for fact in facts)
