from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.templates import COMPACT, TEMPLATES, fill
from tests.kit.cases import all_cases


@all_cases(
    ("tool", "fields", "line"),
    [
        ("fs:read_file", {"path": "config.json", "size": "1.5 KB"}, "Read config.json (1.5 KB)"),
        ("fs:write_file", {"path": "report.md"}, "Wrote report.md"),
        ("fs:edit_file", {"path": "a.py"}, "Edited a.py"),
        ("fs:list_dir", {"path": "src/", "count": "20"}, "Listed src/ (20 items)"),
        ("fs:search", {"query": "foo", "count": "3"}, "Searched 'foo' → 3 matches"),
        ("web:search", {"query": "btc", "count": "10"}, "Searched 'btc' → 10 results"),
        ("browser:navigate", {"url": "example.com"}, "Visited example.com"),
        ("system:shell", {"command": "ls", "exit_code": "0"}, "Ran `ls` (exit 0)"),
        ("weather:get", {"location": "Oslo"}, "Checked weather for Oslo"),
    ],
)
def test_templates(tool: str, fields: dict[str, str], line: str) -> None:
    """Each canonical tool has its own compact line."""
    assert fill(TEMPLATES[tool], fields) == line


def test_missing_fields_and_braces() -> None:
    """A field nobody gave shows a question mark, and braces in a value are only text."""
    assert fill("Read {path} ({size})", {"path": "{x}"}) == "Read {x} (?)"


def test_the_longest_field_gives_way() -> None:
    """A long command is cut inside the template; a long path loses its front."""
    line = fill(TEMPLATES["system:shell"], {"command": "x" * 500, "exit_code": "0"})
    assert line.endswith("…` (exit 0)")
    line = fill(TEMPLATES["fs:read_file"], {"path": "/d" * 300 + "/a.py", "size": "1 KB"})
    assert line.startswith("Read …")
    assert line.endswith("/a.py (1 KB)")


@given(st.sampled_from(sorted(TEMPLATES)), st.text(), st.text(), st.integers(20, 200))
def test_a_filled_line_is_one_line_within_its_limit(
    tool: str, path: str, command: str, limit: int
) -> None:
    """No value can make a compact line longer than its limit or more than one line."""
    fields = dict.fromkeys(("path", "query", "url", "location"), path) | {"command": command}
    line = fill(TEMPLATES[tool], fields, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) == 1
    assert limit <= COMPACT or len(fill(TEMPLATES[tool], fields)) <= COMPACT
