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
