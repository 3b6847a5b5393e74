"""The tools Loom declares and answers itself; their calls never reach the host.

A bad call gets an error result that says how to call.
"""

from __future__ import annotations

from typing import Any

from msgspec import json

from loom.desk import Desk
from loom.errors import LoomError
from loom.inputs import ToolCall
from loom.text import one_line
from loom.tools.answer import Answer, OwnTool, reduction
from loom.tools.retrieval import RETRIEVAL
from loom.tools.working import WORKING
from paging import PagingError

OWN: dict[str, OwnTool] = {tool.schema.name: tool for tool in (*RETRIEVAL, *WORKING)}
WHY_CHARS = 400  # of an error: a bad argument must not come back whole


def answer(desk: Desk, call: ToolCall, limit: int) -> Answer:
    """Answer one of Loom's own calls; a fault of the caller becomes an instructive error."""
    tool = OWN[call.name]
    try:
        arguments = json.decode(call.arguments or "{}", type=dict[str, Any])
        return tool.answer(desk, arguments, limit)
    except KeyError as error:
        why = f"the argument {error} is missing"
    except (ValueError, RecursionError) as error:
        why = f"the arguments are not a JSON object ({error})"
    except (LoomError, PagingError) as error:
        why = one_line(str(error), WHY_CHARS)
    usage = json.encode(tool.schema.parameters["properties"]).decode()
    text = f"{call.name}: {why}. Arguments: {usage}"
    said = f"{call.name} failed: {why[:160]}"
    return Answer(text, reduction(call.name, {}, said), error=True)
