"""The words Loom itself puts into a window: few, short, the same everywhere."""

from __future__ import annotations

from loom.providers.render.standin import StandIn

RUN = (
    "[earlier, shortened by the context window; page_in(name) or reading the file brings any of"
    " it back]\n"
)
SECTIONS = {
    "memory": "# Memory: {key}\n",
    "skill": "# Skill: {key}\n",
}
NOTICES = {
    "system": "[instructions changed: {key}]\n",
    "memory": "[memory changed: {key}]\n",
    "skill": "[skill: {key}]\n",
    "tools": "[new tool: {key}]\n",
}
GONE = "[{partition} removed: {key}]"
INTERRUPTED = (
    "[no result: {why}. The call may or may not have taken effect; if its result comes, it is"
    " appended.]"
)
HANDOFF = (
    "generation {generation}: older history left the window; page_in(name) and recall(words)"
    " bring it back"
)
NOT_SHOWN = "not shown: {more}; page_in working/<surface>.md"
# From ρ on: what the model should do before the cut that comes at the next mark.
ADVICE = (
    (0.6, "note what you must keep: details will be shortened"),
    (0.8, "write decisions and plan down: history will be folded"),
    (0.9, "renewal is near: plan, notes, evidence stay, the rest goes to pages"),
)
CONTINUE = "[continue]"
BLANK = "(empty)"
# A page that cannot be read: what it is, in a word and in full, and the line for it, ever shorter.
LOST = {
    "damaged": "damaged on disk: its sha256 does not match",
    "gone": "gone from the disk",
    "unreadable": "unreadable on disk",
}
LOST_FORMS = (
    "[{page} is {why}; it cannot be shown: get it anew from its source if you need it"
    " (`loom check` names all damage)]",
    "[{page} is {kind}]",
    "[{kind}]",
    "?",
)
UNSEARCHED = "(not searched, damaged or gone: {pages}; `loom check` tells more)"
ARROW = " → "


def section(partition: str, key: str, text: str) -> str:
    """One text of the head, under its heading, with the blank line that follows it."""
    return SECTIONS.get(partition, "").format(key=key) + text + "\n\n"


def weight(partition: str, key: str, text: str) -> str:
    """A section as it is counted: with what joins it to the next where a format makes one text
    of the head. Two blank lines may take a token more than one."""
    return section(partition, key, text) + "\n\n"


def lost(page: str, kind: str) -> StandIn:
    """Return the words shown for a page that cannot be read; `kind` is of LOST."""
    return StandIn(*(f.format(page=page, kind=kind, why=LOST[kind]) for f in LOST_FORMS))


def notice(partition: str, key: str, text: str) -> str:
    """A text that arrives between cuts."""
    return NOTICES[partition].format(key=key) + text
