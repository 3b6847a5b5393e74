"""From a tool's result to its reduced form: one table of rules, one default for the rest.

A rule is a pure function from `Given` to `Found`. To add one, put it in `RULES` under the tool's
canonical name, and a template in `TEMPLATES` when the compact line should read well.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from loom.reduce import default, files, shell, web
from loom.reduce.aliases import EDIT, LIST, READ, SEARCH, SHELL, VISIT, WEATHER, WEB, WRITE
from loom.reduce.given import Found, Given, look, text_at
from loom.reduce.lines import FAILURE, failure_of, untagged
from loom.reduce.templates import DEFAULT, TEMPLATES, fill
from loom.text import one_line, printable
from loom_partitions.message import Reduction

PAGE = 1024  # bytes: a result larger than this rests on a page, whatever its tool
OBSERVATION = 240  # characters of an observation, about 60 tokens
SUBJECT = 160  # characters left to what was done when a failure follows
REASON = 80  # characters of a failure in a compact line
FAILED = 80  # characters left to the compact line before its failure

Rule = Callable[[Given], Found]

RULES: dict[str, Rule] = {
    READ: files.read,
    WRITE: files.write,
    EDIT: files.edit,
    LIST: files.listing,
    SEARCH: files.search,
    WEB: web.search,
    VISIT: web.navigate,
    SHELL: shell.rule,
    WEATHER: default.weather,
}

# The stem of a page's name: outputs/read_0007.json.
KINDS: dict[str, str] = {
    READ: "read",
    WRITE: "write",
    EDIT: "edit",
    LIST: "list",
    SEARCH: "search",
    WEB: "search",
    VISIT: "page",
    SHELL: "shell",
    WEATHER: "weather",
}

_HTML = re.compile(r"\s*<(?:!doctype html|html|head|body)\b", re.IGNORECASE)


class Reduced(Struct, frozen=True):
    """A reduction, and how its result is paged: whether, under which stem, as which file."""

    reduction: Reduction
    page: bool
    kind: str
    extension: str


def reduce(name: str, arguments: str, result: str, *, error: bool = False) -> Reduced:
    """Reduce the result of one call. Never raises, whatever the arguments and the result are.

    `name` is the tool's own name, `arguments` the JSON text of the call, `result` its text.
    The reduction's `outcome_ref` is left empty: only the caller knows the page's name.
    """
    given = look(name, arguments, result, error)
    found = RULES.get(given.tool, default.rule)(given)
    failure = _reason(given) if error and not found.judged else found.failure
    return Reduced(
        reduction=Reduction(
            tool=printable(given.tool),
            minimal_args=found.args,
            observation=_observation(found, failure, error),
            compact=_compact(given, found, failure),
        ),
        page=found.page or given.size > PAGE,
        kind=KINDS.get(given.tool, "tool"),
        extension=_extension(given),
    )


def _observation(found: Found, failure: str, error: bool) -> str:
    """One line: what was found, or what was tried and the head of its failure."""
    if not failure and (found.judged or not error):
        return one_line(found.observation, OBSERVATION)
    head = found.observation if found.judged else f"{found.subject} — failed"
    tail = f": {one_line(failure, FAILURE)}" if failure else ""
    return one_line(head, SUBJECT) + tail


def _compact(given: Given, found: Found, failure: str) -> str:
    """The filled template; a failed call says why at the end."""
    template = TEMPLATES.get(given.tool, DEFAULT)
    if not given.error:
        return fill(template, found.fields)
    # A size or a count of an error message would read as if the call had worked.
    done = fill(template, found.fields, FAILED) if found.judged else found.subject
    return f"{one_line(done, FAILED)} — failed: {one_line(failure, REASON) or 'no output'}"


def _reason(given: Given) -> str:
    """The text of an error: the payload's own message, else the lines that look like a failure.

    A short result, or a single line, is its own message.
    """
    message = text_at(given.members, ("error", "message", "detail", "stderr"))
    nested = given.members.get("error")
    if isinstance(nested, dict):
        message = text_at(nested, ("message", "detail", "type")) or message
    said = message or given.text
    if len(said) > FAILURE and "\n" in said.strip():
        return untagged(failure_of(said))
    return one_line(untagged(said[: 8 * FAILURE]), FAILURE)


def _extension(given: Given) -> str:
    """The extension of the page: a shell's output is a log whatever wraps it."""
    if given.tool == SHELL:
        return ".log"
    if given.payload is not None:
        return ".json"
    return ".html" if _HTML.match(given.text) else ".txt"
