import json

from loom.reduce.arguments import parse_json, short_path, small_path_argument, small_scalar
from loom.reduce.rule import parse_tool_result
from tests.kit.cases import all_cases


@all_cases(
    "text",
    ["", " ", "plain", "12", '"string"', "null", "{", "[1,", "{'a': 1}", "[NaN]", "[" * 200_000],
)
def test_what_is_no_json_container_is_none(text: str) -> None:
    """Only a whole JSON object or array is a payload; nothing raises."""
    assert parse_json(text) is None


@all_cases(
    ("text", "value"),
    [(" {}", {}), ("[]", []), ('{"a": [1, null]}', {"a": [1, None]}), ('["\\ud800"]', ["\ud800"])],
)
def test_json_containers_are_parsed(text: str, value: object) -> None:
    """Objects and arrays are parsed, lone surrogates included."""
    assert parse_json(text) == value


@all_cases(
    ("value", "small"),
    [
        (None, None),
        (True, True),
        (7, 7),
        (2.5, 2.5),
        ("short", "short"),
        ("x" * 100, "x" * 100),
        ("x" * 101, "x" * 99 + "…"),
        ([1, 2], "[2 items]"),
        ([1], "[1 item]"),
        ({"a": 1, "b": 2}, "{2 keys}"),
        (2**70, "(71-bit integer)"),
        (float("inf"), "inf"),
        ("a\ud800", "a\ufffd"),
    ],
)
def test_scalars_are_small(value: object, small: object) -> None:
    """Strings are cut, containers counted, and what a journal cannot hold is told in words."""
    assert small_scalar(value) == small


def test_a_tool_with_several_faces_is_told_by_its_command() -> None:
    """One editor tool reads, writes or edits according to its `command` argument."""
    faces = {"view": "fs:read_file", "create": "fs:write_file", "other": "fs:edit_file"}
    for command, tool in faces.items():
        arguments = json.dumps({"command": command})
        assert parse_tool_result("str_replace_editor", arguments, "", False).tool == tool


def test_long_paths_keep_their_tail() -> None:
    """What tells one path from another is its end."""
    path = "/very" * 100 + "/name.py"
    assert short_path(path).endswith("/name.py")
    assert str(small_path_argument(path)["path"]).endswith("/name.py")
    assert (len(short_path(path)), len(str(small_path_argument(path)["path"]))) == (72, 100)
    assert short_path("") == "?"
    assert small_path_argument("") == {}
