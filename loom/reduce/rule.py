"""The input and output of a reduction rule: all you need to write a rule of your own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from loom.reduce.aliases import (
    EDIT,
    LIST,
    READ,
    SEARCH,
    SHELL,
    VISIT,
    WEATHER,
    WEB,
    WRITE,
    canonical_tool,
    is_name_of_edit,
    tool_by_command,
)
from loom.reduce.arguments import is_replacement, json_object, parse_json
from loom.text import clip_front, clip_text, one_line, utf8_size


class ToolResult(Struct, frozen=True):
    """A tool call and its result, parsed.

    `name` is the tool's name in the call, `tool` its canonical name (`Read` → `fs:read_file`).
    `raw` is the text of the arguments, `arguments` their JSON object, {} for none. `text` is the
    result and `size` its bytes in UTF-8. `payload` is the JSON object or list in the result, None
    for none. `error` is True if the tool reported a failure."""

    name: str
    tool: str
    raw: str
    arguments: dict[str, Any]
    text: str
    payload: Any
    error: bool
    size: int

    @property
    def members(self) -> dict[str, Any]:
        """Return the payload if it is an object, else {}."""
        return self.payload if isinstance(self.payload, dict) else {}


class Observation(Struct, frozen=True, kw_only=True):
    """A reduced tool result, as a rule returns it.

    `subject` says what was done (`Read a.py`); `text` adds the outcome (`Read a.py (523 bytes)`).
    `args` are the arguments to keep. With `page` True, the whole result goes to a page; a result
    over 1,024 bytes always does. The page's name begins with `kind` and ends with `extension`
    (".csv"); "" means that Loom chooses. `fields` fill the tool's template for the shortest line;
    without fields the shortest line is `subject`.

    A failed call is shown as `subject` and its error, or with `judged` True as `text`, which must
    say that the call failed. `failure` is the part of the result that tells of the failure."""

    subject: str
    text: str
    args: dict[str, Any] = {}
    page: bool = False
    kind: str = ""
    extension: str = ""
    fields: dict[str, str] = {}
    failure: str = ""
    judged: bool = False


# A pure function: no disk, no clock. The same result must give the same observation.
Rule = Callable[[ToolResult], Observation]


def parse_tool_result(name: str, arguments: str, result: str, error: bool) -> ToolResult:
    """Return a call and its result as a `ToolResult`. `arguments` is JSON text. Never raises."""
    members = json_object(arguments)
    tool = canonical_tool_of_call(name, members)
    return ToolResult(
        name, tool, arguments, members, result, parse_json(result), error, utf8_size(result)
    )


def canonical_tool_of_call(name: str, members: Mapping[str, Any]) -> str:
    """Return the canonical name of the tool in a call. `members` are the call's arguments."""
    tool = tool_by_command(canonical_tool(name), members.get("command"))
    edits = tool == name and is_name_of_edit(name) and is_replacement(members)
    return EDIT if edits else tool


COMPACT = 120  # characters of a compact line

TEMPLATES: dict[str, str] = {
    READ: "Read {path} ({size})",
    WRITE: "Wrote {path}",
    EDIT: "Edited {path}",
    LIST: "Listed {path} ({count} items)",
    SEARCH: "Searched '{query}' → {count} matches",
    WEB: "Searched '{query}' → {count} results",
    VISIT: "Visited {url}",
    SHELL: "Ran `{command}` (exit {exit_code})",
    WEATHER: "Checked weather for {location}",
}

# Of a command of which nobody told the exit code: a filter behind it, an `|| true` hides it.
ENDED, BARE = "Ran `{command}` ({ended})", "Ran `{command}`"
REFUSED = "Not run: `{command}`"
DEFAULT = "{tool}({args})"


def fill_template(template: str, fields: dict[str, str], limit: int = COMPACT) -> str:
    """Return `template` with its fields filled in, on one line of at most `limit` characters. An
    unknown field becomes "?"; the longest field is cut if the line is too long."""
    # A path is told by its tail, so that is what must survive the first, generous cut.
    ends = fields | {"path": fields["path"][-4 * limit :]} if "path" in fields else fields
    values = defaultdict(lambda: "?", {k: one_line(v, 4 * limit) for k, v in ends.items()})
    line = template.format_map(values)
    if len(line) > limit and values:
        longest = max(values, key=lambda key: len(values[key]))
        room = max(8, len(values[longest]) - (len(line) - limit))
        shorten = clip_front if longest == "path" else clip_text
        values[longest] = shorten(values[longest], room)
        line = template.format_map(values)
    return clip_text(line, limit)
