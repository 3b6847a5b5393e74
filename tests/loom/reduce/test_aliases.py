import json
from typing import Any

from loom.reduce.aliases import ALIASES, EDIT, NAMES, canonical_tool
from loom.reduce.rule import canonical_tool_of_call
from loom.reduce.rules import reduce_result
from tests.kit.cases import all_cases


@all_cases(
    "name",
    [
        "", "my_tool", "TodoWrite", "mcp__linear__update_issue", "fs:delete_file", "reader", "a__",
        "::",
    ],
)  # fmt: skip
def test_a_tool_nobody_listed_keeps_its_name(name: str) -> None:
    """A name that is not in the table is returned as it is, without guessing from a part."""
    assert canonical_tool(name) == name


@all_cases(
    ("name", "tool"),
    [
        ("fs:read_file", "fs:read_file"), ("Read", "fs:read_file"), ("view", "fs:read_file"),
        ("Write", "fs:write_file"), ("create_file", "fs:write_file"), ("MultiEdit", "fs:edit_file"),
        ("NotebookEdit", "fs:edit_file"), ("str_replace_editor", "fs:edit_file"),
        ("apply_patch", "fs:edit_file"), ("LS", "fs:list_dir"), ("list_files", "fs:list_dir"),
        ("Grep", "fs:search"), ("Glob", "fs:search"), ("codebase_search", "fs:search"),
        ("WebSearch", "web:search"), ("tavily_search", "web:search"),
        ("WebFetch", "browser:navigate"), ("http_get", "browser:navigate"),
        ("Bash", "system:shell"), ("run_terminal_cmd", "system:shell"),
        ("get_weather", "weather:get"),
    ],
)  # fmt: skip
def test_the_names_of_the_field_have_a_canonical_one(name: str, tool: str) -> None:
    """Names of known agents and frameworks map to their canonical tool."""
    assert canonical_tool(name) == tool


@all_cases(
    ("name", "tool"),
    [
        ("READ_FILE", "fs:read_file"), ("ReadFile", "fs:read_file"), ("read-file", "fs:read_file"),
        ("mcp__filesystem__read_file", "fs:read_file"), ("functions.shell", "system:shell"),
        ("tools/grep", "fs:search"), ("browser:goto", "browser:navigate"),
    ],
)  # fmt: skip
def test_case_separators_and_namespaces_do_not_matter(name: str, tool: str) -> None:
    """A name is found without regard to case and separators, and behind a namespace."""
    assert canonical_tool(name) == tool


def test_no_name_stands_for_two_tools() -> None:
    """Every alias is listed under one canonical name only."""
    names = [name for group in NAMES.values() for name in group]
    assert len(names) == len(set(names))
    assert set(ALIASES.values()) == set(NAMES)


SWAP = {"file": "ops/a.toml", "before": "port = 1\n", "after": "port = 2\n"}


@all_cases(
    ("name", "arguments", "tool"),
    [
        ("patch_source", SWAP, EDIT), ("amendText", {"path": "a.py", "old": "x", "new": "y"}, EDIT),
        ("files__swap-lines", {"path": "a.py", "find": "x", "replace": ""}, EDIT),
        ("git_log", {"file": "a.py", "before": "2024", "after": "2023"}, "git_log"),
        ("dispatch", SWAP, "dispatch"),
        ("update_ticket", {"id": "1", "before": "a", "after": "b"}, "update_ticket"),
        ("patch_source", {"file": "a.toml", "before": "x"}, "patch_source"),
        ("patch_source", {"file": "a.toml", "after": "x"}, "patch_source"),
        ("update_index", {"path": "a", "search": "x"}, "update_index"),
        ("patch_source", {"file": "a.toml", "before": 1, "after": 2}, "patch_source"),
    ],
)  # fmt: skip
def test_an_edit_by_a_tool_nobody_listed(
    name: str, arguments: dict[str, object], tool: str
) -> None:
    """Its name says so, and its arguments a file, what stood there, and what comes."""
    assert canonical_tool_of_call(name, arguments) == tool


@all_cases(
    ("name", "arguments", "said"),
    [
        ("fetch", {"id": "doc-7"}, "fetch(doc-7)"), ("fetch", {"page": 7}, "fetch(7)"),
        ("browse", {"topic": "kites"}, "browse(kites)"), ("view", {"order": 9}, "view(9)"),
        ("write", {"to": "Ann", "words": "Hi"}, "write(Ann, Hi)"),
        ("run", {"test": "unit"}, "run(unit)"), ("weather", {"station": "EDDM"}, "weather(EDDM)"),
        ("google", {"account": "me"}, "google(me)"),
    ],
)  # fmt: skip
def test_an_alias_without_its_argument(name: str, arguments: dict[str, Any], said: str) -> None:
    """It is a tool of its own, told by its name and arguments."""
    made = reduce_result(name, json.dumps(arguments), "fine").reduction
    assert made.tool == name and made.observation == f"{said}: fine"
