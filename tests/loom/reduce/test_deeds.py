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
    ("name", "arguments", "result", "error", "facts"),
    [
        ("Read", {"path": "a.py"}, "x = 1", False, [("read", "a.py", "")]),
        ("Read", {"path": "a"}, "<tool_use_error>gone</tool_use_error>", True,
         [("error", "gone", "")]),
        ("Write", {"path": "a.py", "content": "a\nb"}, "ok", False, [("write", "a.py", "2 lines")]),
        ("Edit", {"path": "a.py", "old_string": "a", "new_string": "b\nc"}, "ok", False,
         [("edit", "a.py", "+2 −1")]),
        ("Edit", {"path": "a.py", "old_string": "a"}, "not found", True,
         [("error", "not found", "")]),
        ("Bash", {"command": "make test"}, "ok", False, [("ran", "make test", "passes")]),
        ("Bash", {"command": "x"}, "ok\nE: fatal\nok", True,
         [("ran", "x", "fails"), ("error", "E: fatal", "")]),
        ("Bash", {"command": "x"}, '{"stdout": "", "stderr": "a\\npanic: b", "exit_code": 2}',
         False, [("ran", "x", "fails (exit 2)"), ("error", "panic: b", "")]),
        ("Grep", {"pattern": "p", "path": "src"}, "none", False, [("call", "Grep p in src", "")]),
        ("Bash", {"command": "gh api x"}, '[{"id": 2763480564}, {"id": 2763480569}]', False,
         [("ran", "gh api x", "ok"), ("id", "2763480564 2763480569", "")]),
        ("Read", {"path": "a.lock"}, "2763480564", False, [("read", "a.lock", "")]),
        ("TodoWrite", {"todos": ["a"]}, "ok", False, [("task", "", ""), ("task", "a", "todo")]),
    ],
)  # fmt: skip
def test_facts_of_a_result(
    name: str,
    arguments: dict[str, Any],
    result: str,
    error: bool,
    facts: list[tuple[str, str, str]],
) -> None:
    """One fact for what was done, and the lines that say why it failed."""
    made = deeds(name, arguments, result, error)
    assert [(fact.kind, fact.text, fact.came) for fact in made] == facts


def test_an_error_and_its_success_speak_of_the_same() -> None:
    """What closes a failure is found by what both are about."""
    _, failed = deeds("Bash", {"command": "pytest -q a.py"}, "1 failed", True)
    (passed,) = deeds("Bash", {"command": "python -m pytest a.py"}, "1 passed")
    assert failed.about == passed.about


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


def test_a_call_without_a_result_may_have_taken_effect() -> None:
    """A call that was given up is told as such, not as done and not as failed."""
    arguments = json.dumps({"path": "a.py", "content": "x"})
    reduction = reduce("Write", arguments, "[no result]", error=True).reduction
    (fact,) = facts_of_result("Write", arguments, "[no result]", True, reduction, lost=True)
    assert (fact.kind, fact.came) == ("write", "no result")


@given(TEXT, TEXT, st.booleans(), st.sampled_from(["Bash", "Read", "Edit", "Write", "Grep", "t"]))
def test_facts_are_bounded_for_any_text(arguments: str, text: str, error: bool, name: str) -> None:
    """A bounded number of facts of one short line each, whatever the call and its result."""
    for facts in (deeds(name, arguments, text, error), deeds(name, {"path": arguments,
                  "command": arguments}, text, error)):  # fmt: skip
        assert len(facts) <= 4 + MOST
        assert all(len(fact.text) <= max(PATH, ERROR) for fact in facts)
        assert all(len(fact.text.splitlines()) <= 1 for fact in facts)
