"""The compact line of each canonical tool, and how a line is filled within its bound."""

from __future__ import annotations

from collections import defaultdict

from loom.reduce.aliases import EDIT, LIST, READ, SEARCH, SHELL, VISIT, WEATHER, WEB, WRITE
from loom.text import cut, cut_front, one_line

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


def fill(template: str, fields: dict[str, str], limit: int = COMPACT) -> str:
    """`template` filled on one line of at most `limit` characters; an unknown field shows `?`.

    What is too long is cut inside the longest field (a path keeps its tail), so the words and
    the closing of the template survive.
    """
    # A path is told by its tail, so that is what must survive the first, generous cut.
    ends = fields | {"path": fields["path"][-4 * limit :]} if "path" in fields else fields
    values = defaultdict(lambda: "?", {k: one_line(v, 4 * limit) for k, v in ends.items()})
    line = template.format_map(values)
    if len(line) > limit and values:
        longest = max(values, key=lambda key: len(values[key]))
        room = max(8, len(values[longest]) - (len(line) - limit))
        shorten = cut_front if longest == "path" else cut
        values[longest] = shorten(values[longest], room)
        line = template.format_map(values)
    return cut(line, limit)
