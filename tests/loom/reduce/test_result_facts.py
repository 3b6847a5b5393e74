"""What a call did, as facts that outlast its text."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.effects import MOST
from loom.reduce.result_facts import ERROR, ERRORS, KEY, PATH, TOUCHED, facts_of_result
from loom.reduce.rules import reduce_result
from loom_partitions.message import Fact
from tests.kit.cases import all_cases

TEXT = st.text(st.characters(codec=None), max_size=500)


def deeds(name: str, arguments: Any, result: str, error: bool = False) -> tuple[Fact, ...]:
    """The facts of one call."""
    given_args = arguments if isinstance(arguments, str) else json.dumps(arguments)
    reduction = reduce_result(name, given_args, result, error=error).reduction
    return facts_of_result(name, given_args, result, error, reduction)


@all_cases(
    ("line", "result", "error", "facts"),
    [
        ("cd web && sed -i s/a/b/ a.py", "", False, [("edit", "web/a.py", TOUCHED)]),
        ("false && rm a.py", "", True, [("error", "failed without a word", ""),
                                        ("edit", "a.py", TOUCHED)]),
        ("pytest | tee out.log", "1 failed", False, [("error", "1 failed", ""),
                                                     ("edit", "out.log", TOUCHED)]),
        ("git commit -m 'rm a.py'", "", False, []), ("echo x > /tmp/a.py", "", False, []),
    ],
)  # fmt: skip
def test_what_commands_make_of_files(
    line: str, result: str, error: bool, facts: list[tuple[str, str, str]]
) -> None:
    """What a command touched is told beside what came of it, whether it failed or not."""
    _, *made = deeds("Bash", {"command": line}, result, error)
    assert [(fact.kind, fact.text, fact.came) for fact in made] == facts


@all_cases(
    ("line", "named"),
    [
        ("cat > a.py <<E\nimport os\nE\npytest -q a.py", "pytest a.py"),
        ("cd web && cat > a.py <<E\nx\nE\npytest a.py | tail", "cd web && pytest a.py"),
        ("python - <<E\nimport os\nE", "python - <<E import os E"),
    ],
)
def test_a_check_beside_a_heredoc_is_named_by_its_own_words(line: str, named: str) -> None:
    """What a heredoc puts into a file is not what was checked; of what runs it it says the most."""
    assert deeds("Bash", {"command": line}, "")[0].text == named


def test_errors_that_are_not_told_are_counted() -> None:
    """A part of the lines that say what failed does not stand as the whole; both ends are told."""
    lines = [f"E   ImportError: no module m{n}" for n in range(ERRORS + 3)]
    told = [fact.text for fact in deeds("Bash", {"command": "pytest"}, "\n".join(lines), True)[1:]]
    said, half = [" ".join(one.split()) for one in lines], ERRORS // 2
    assert told == [*said[:half], "3 more lines like these", *said[-half:]]


def test_long_commands_that_begin_alike_are_two() -> None:
    """What a bounded spelling cannot tell apart is told apart by a hash."""
    files = " ".join(f"tests/unit/test_module_{n:03}.py" for n in range(20))
    one, two = (deeds("Bash", {"command": f"pytest {files}{more}"}, "", False)[0].about
                for more in ("", " tests/z_broken.py"))  # fmt: skip
    assert one != two and len(one) <= len(two) <= KEY


@given(TEXT, TEXT, st.booleans(), st.sampled_from(["Bash", "Read", "Edit", "Write", "Grep", "t"]))
def test_facts_are_bounded_for_any_text(arguments: str, text: str, error: bool, name: str) -> None:
    """A bounded number of facts of one short line each, whatever the call and its result."""
    for facts in (deeds(name, arguments, text, error), deeds(name, {"path": arguments,
                  "command": arguments}, text, error)):  # fmt: skip
        assert len(facts) <= 4 + MOST
        assert all(len(fact.text) <= max(PATH, ERROR) for fact in facts)
        assert all(len(fact.text.splitlines()) <= 1 for fact in facts)
