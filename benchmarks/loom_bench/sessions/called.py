"""What a call was given: its arguments as an object, and the files it names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from loom.inputs import ToolCall

PATHS = ("file_path", "path", "notebook_path", "filename", "file")


def arguments_of(call: ToolCall) -> Mapping[str, Any]:
    """The arguments of a call as an object; empty when they are none."""
    try:
        value = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def paths_of(call: ToolCall) -> list[str]:
    """The files a call names in its arguments."""
    given = arguments_of(call)
    return [given[key] for key in PATHS if isinstance(given.get(key), str) and given[key]]
