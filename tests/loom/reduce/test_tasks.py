"""Task lists of the hosts' own tools, read as facts."""

from typing import Any

from loom.reduce.tasks import is_task_tool, task_facts
from tests.kit.cases import all_cases


@all_cases(
    ("name", "arguments", "result", "facts"),
    [
        ("Bash", {"command": "ls"}, "", []),
        ("TodoWrite", {}, "", []),
        ("TodoWrite", {"todos": []}, "ok", [("*", "", "")]),
        ("TodoWrite", {"todos": [{"content": "a", "status": "completed"}, {"content": "b"}]}, "ok",
         [("*", "", ""), ("1", "a", "done"), ("2", "b", "todo")]),
        ("update_plan", {"plan": [{"step": "a", "status": "in_progress"}]}, "",
         [("*", "", ""), ("1", "a", "doing")]),
        ("TaskCreate", {"subject": "a"}, "Task #7 created successfully: a", [("7", "a", "todo")]),
        ("TaskUpdate", {"taskId": "7", "status": "completed"}, "", [("7", "", "done")]),
        ("TaskUpdate", {"taskId": "7", "status": "deleted"}, "", [("7", "", "gone")]),
        ("TaskUpdate", {"taskId": 7, "subject": "b"}, "", [("7", "b", "")]),
        ("mcp__plan__TodoWrite", {"todos": ["a"]}, "", [("*", "", ""), ("1", "a", "todo")]),
    ],
)  # fmt: skip
def test_calls(
    name: str, arguments: dict[str, Any], result: str, facts: list[tuple[str, str, str]]
) -> None:
    """Whole lists, new items and changes, each with the item's id and state."""
    made = task_facts(name, arguments, result)
    assert [(fact.about, fact.text, fact.came) for fact in made] == facts
    assert is_task_tool(name) is (name != "Bash")
