"""Task lists of a host's tools: `TodoWrite`, `update_plan`, `TaskCreate`, `TaskUpdate`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from loom.lazy import lazy_re
from loom.reduce.aliases import name_spellings
from loom.reduce.arguments import first_list, first_text
from loom.reduce.clauses import beginning_or_notice
from loom.text import encodable
from loom_partitions.message import Fact

ITEMS = 60  # of one list
LENGTH = 300  # characters of an item
WHOLE = "list"  # the `refs` of an item of a list that is written whole: it has no id of its own

_WHOLE = frozenset(("todowrite", "updateplan", "writetodos", "settodolist", "managetodolist",
                    "updatetodolist", "todolist", "writeplan", "setplan"))  # fmt: skip
_ADD = frozenset(("taskcreate", "createtask", "addtask", "addtodo", "todoadd"))
_CHANGE = frozenset(("taskupdate", "updatetask", "completetask", "updatetodo", "todoupdate"))
_ITEMS = ("todos", "plan", "items", "tasks", "todo_list", "todoList", "steps", "list")
_TEXT = ("content", "step", "subject", "title", "text", "task", "name", "description", "todo")
_ID = ("taskId", "task_id", "id", "todo_id", "index", "number")
_STATE = ("status", "state", "done", "completed")
_STATES = {
    "doing": ("in_progress", "inprogress", "in-progress", "doing", "active", "started"),
    "done": ("completed", "complete", "done", "finished", "true", "closed"),
    "gone": ("deleted", "cancelled", "canceled", "removed", "skipped"),
}
_GIVEN = lazy_re(r"#?\b(?:task|todo|id)?[ :#\"]*#?(\d{1,6})\b", re.IGNORECASE)


def is_task_tool(name: str) -> bool:
    """Return True if `name` is that of a tool that changes a task list, such as `TodoWrite`."""
    return _task_tool_group(name) is not None


def task_facts(name: str, arguments: dict[str, Any], result: str) -> tuple[Fact, ...]:
    """Return the facts that a successful call of a task tool gives about tasks; () for any other
    tool."""
    kind = _task_tool_group(name)
    if kind is _WHOLE:
        given = first_list(arguments, _ITEMS)
        return (Fact("task", "", about="*"), *_list_facts(given)) if given is not None else ()
    if kind is _ADD:
        text = _item_text(arguments)
        found = _GIVEN.search(result)
        id = first_text(arguments, _ID) or (found[1] if found else text[:40])
        return (Fact("task", text, about=id, came=_item_state(arguments)),) if text else ()
    if kind is _CHANGE:
        id = first_text(arguments, _ID)
        asked = any(key in arguments for key in _STATE)
        state = _item_state(arguments) if asked else ("done" if "complete" in name.lower() else "")
        return (Fact("task", _item_text(arguments), about=id, came=state),) if id else ()
    return ()


def _task_tool_group(name: str) -> frozenset[str] | None:
    """Return the set of tool names to which `name` belongs: _WHOLE (tools that write a whole list),
    _ADD or _CHANGE (an item); None for any other tool."""
    kinds = (
        kind for one in name_spellings(name) for kind in (_WHOLE, _ADD, _CHANGE) if one in kind
    )
    return next(kinds, None)


def _list_facts(items: list[Any]) -> Iterator[Fact]:
    """Yield one fact for each of the first ITEMS items of a list, and one that counts the rest."""
    for number, item in enumerate(items[:ITEMS], 1):
        members = item if isinstance(item, dict) else {"text": str(item)}
        text = _item_text(members)
        if text:
            yield Fact("task", text, WHOLE, str(number), _item_state(members))
    if len(items) > ITEMS:
        yield Fact("task", f"({len(items) - ITEMS} more)", about=str(ITEMS + 1), came="todo")


def _item_text(members: dict[str, Any]) -> str:
    """Return the text of a task, cut after a clause if long."""
    return beginning_or_notice(encodable(first_text(members, _TEXT)), LENGTH)


def _item_state(members: dict[str, Any]) -> str:
    """Return the state of a task: "todo", "doing", "done" or "gone"."""
    said = next((str(members[key]) for key in _STATE if members.get(key) is not None), "")
    said = said.casefold().replace(" ", "_")
    return next((state for state, words in _STATES.items() if said in words), "todo")
