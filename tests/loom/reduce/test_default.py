import json
from typing import Any

from loom.reduce import reduce
from tests.kit.cases import all_cases


@all_cases(
    ("arguments", "result", "line"),
    [
        ({}, "", "t(): no output"),
        ({"a": 1}, "done", "t(1): done"),
        ({"a": "x", "b": True, "c": 3}, "done", "t(x, True): done"),
        ({}, "line\n" * 50, "t(): text of 50 lines, 250 bytes: "),
        (
            {},
            {"id": 7, "name": "n", "body": "b" * 99},
            "t(): object of 3 keys, 133 bytes (id 7, name n, body)",
        ),
        ({}, [{"id": 1, "b": 2}], "t(): list of 1 item, 19 bytes (id, b)"),
        ({}, [1, 2], "t(): list of 2 items, 6 bytes"),
    ],
)
def test_shapes(arguments: dict[str, Any], result: Any, line: str) -> None:
    """Any tool keeps its arguments and the shape of its result."""
    text = result if isinstance(result, str) else json.dumps(result)
    done = reduce("t", json.dumps(arguments), text)
    assert done.reduction.observation.startswith(line)
    assert done.kind == "tool"


def test_the_name_of_an_unknown_tool_stays() -> None:
    """The reduction and its compact line carry the tool's own name."""
    done = reduce("mcp__x__make", '{"title": "T", "n": 2, "z": 3}', "ok")
    assert done.reduction.tool == "mcp__x__make"
    assert done.reduction.compact == "mcp__x__make(T, 2)"


def test_weather() -> None:
    """The weather names its place and shows the report's members."""
    done = reduce("get_weather", '{"city": "Oslo"}', '{"temp": -3, "sky": "clear"}')
    assert done.reduction.compact == "Checked weather for Oslo"
    assert done.reduction.observation.startswith("Checked weather for Oslo: object of 2 keys")
    assert "temp -3, sky clear" in done.reduction.observation
    assert done.kind == "weather"
