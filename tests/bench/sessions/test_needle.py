"""When a text holds a needle."""

import json

from loom_bench.sessions.needle import held
from tests.kit.cases import all_cases

LINES = "func one() {\n\treturn 1\n}"
NUMBERED = "    12→func one() {\n    13→\treturn 1\n    14→}"


@all_cases(
    ("text", "shown"),
    [
        ("", False),
        (LINES, True),
        (f"before\n{LINES}\nafter", True),
        (NUMBERED, True),
        ("\n".join(f"> {line}" for line in f"before\n{LINES}".split("\n")), True),
        ("12\tfunc one() {\n13\t\treturn 1\n14\t}", True),
        ("12: func one() {\n13: \treturn 1\n14: }", True),
        ("12:func one() {\n13:\treturn 1\n14:}", False),
        (json.dumps({"old": LINES}), True),
        (json.dumps(json.dumps({"old": LINES})), True),
        (json.dumps({"result": f"x\n{NUMBERED}\n"}), True),
        (LINES.replace("\t", "    "), False),
        (LINES.replace("\n", "\r\n"), False),
        ("func one() {\n\treturn 2\n}", False),
        ("func one() {\n…\n}", False),
    ],
)
def test_held(text: str, shown: bool) -> None:
    """A needle is found as it stands, escaped, or behind line numbers; other blanks must agree."""
    assert held(LINES, text) is shown
