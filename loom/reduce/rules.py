"""From a tool's result to its reduced form: one table of rules, one default for the rest.

A rule is a pure function from `ToolResult` to `Observation`. A host gives its own rules to
`reduce_result`; a rule for everybody stands in `RULES` under the tool's canonical name, its
template in `TEMPLATES`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from warnings import warn

from msgspec import Struct
from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.reduce import default_rule, file_rules, shell_rule, web_rules
from loom.reduce.aliases import EDIT, LIST, READ, SEARCH, SHELL, VISIT, WEATHER, WEB, WRITE
from loom.reduce.arguments import PATH_KEYS, first_present, first_text, small_scalars
from loom.reduce.lines import FAILURE, failure_line, without_tags
from loom.reduce.rule import (
    COMPACT,
    DEFAULT,
    TEMPLATES,
    Observation,
    Rule,
    ToolResult,
    fill_template,
    parse_tool_result,
)
from loom.text import encodable, one_line, utf8_size
from loom_partitions.message import Reduction

PAGE = 1024  # bytes: a result with more content than this rests on a page, whatever its tool
WRAPPED = 12 * PAGE  # bytes it may take as JSON, where a character is escaped in up to twelve
AROUND = 256  # bytes that the other members of an object may take, for it to be a wrapping
OBSERVATION = 240  # characters of an observation, about 60 tokens
SUBJECT = 160  # characters left to what was done when a failure follows
REASON = 80  # characters of a failure in a compact line
FAILED = 80  # characters left to the compact line before its failure
ASKED = 60  # characters of a name or an argument of a call that was given up
UNANSWERED = "no result: may or may not have taken effect"

RULES: dict[str, Rule] = {
    READ: file_rules.read_rule,
    WRITE: file_rules.write_rule,
    EDIT: file_rules.edit_rule,
    LIST: file_rules.listing_rule,
    SEARCH: file_rules.search_rule,
    WEB: web_rules.web_search_rule,
    VISIT: web_rules.visit_rule,
    SHELL: shell_rule.command_rule,
    WEATHER: default_rule.weather_rule,
}

# With other arguments and none of these an alias is another tool: `fetch(order=7)` visits nothing.
NEEDS: dict[str, tuple[str, ...]] = {
    READ: PATH_KEYS,
    WRITE: PATH_KEYS,
    SEARCH: (*file_rules.PATTERN_KEYS, *PATH_KEYS),
    WEB: web_rules.QUERY_KEYS,
    VISIT: web_rules.URL_KEYS,
    SHELL: shell_rule.COMMAND_KEYS,
    WEATHER: default_rule.LOCATION_KEYS,
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

_FIELD = lazy_re(r"\{(\w+)\}")
HELD = ("content", "contents", "text", "data", "output", "stdout", "result")
_WRAPPING = lazy_re(
    r"\s*<(?P<tag>[A-Za-z][\w-]{0,31})(?: [^<>\n]{0,200})?>\n?(?P<held>.*?)\n?</(?P=tag)>\s*",
    re.DOTALL,
)
_FILE = lazy_re(r"[a-z][a-z0-9_-]{0,31}\.[a-z0-9]{1,8}")
_HTML = lazy_re(r"\s*<(?:!doctype html|html|head|body)\b", re.IGNORECASE)


class ReducedResult(Struct, frozen=True):
    """The reduced form of a result. `page` is True if the whole result goes to a page; `kind` and
    `extension` are the start and end of that page's name. `failed` is True if a host's own rule
    says that the call failed."""

    reduction: Reduction
    page: bool
    kind: str
    extension: str
    failed: bool = False


def reduce_result(
    name: str, arguments: str, result: str, *, error: bool = False, rules: Mapping[str, Rule] = {}
) -> ReducedResult:
    """Return the reduced form of a call's result, with `outcome_ref` empty. Never raises.

    `name` is the tool's name in the call, `arguments` the call's JSON text, `result` its text.
    `error` is True if the tool reported a failure. `rules` are the host's own rules, by the tool's
    own or canonical name. If a host's rule raises or gives an impossible page name, Loom warns and
    uses its own rule."""
    given = parse_tool_result(name, arguments, result, error)
    rule = rules.get(name) or rules.get(given.tool)
    if rule is not None:
        try:
            return _reduce_by_rule(given, rule, hosts=True)
        except Exception as failure:
            warn(f"the rule for {name!r} failed: {failure!r}; Loom's own stands", stacklevel=2)
    given = _alias_where_arguments_fit(given)
    return _reduce_by_rule(given, RULES.get(given.tool, default_rule.any_tool_rule))


def _alias_where_arguments_fit(given: ToolResult) -> ToolResult:
    """Return the result, with `tool` set to the name used in the call if the arguments lack what
    the canonical tool needs."""
    arguments, needed = given.arguments, NEEDS.get(given.tool, ())
    if not arguments or not needed or any(_has_content(arguments.get(key)) for key in needed):
        return given
    return replace(given, tool=given.name)


def _has_content(value: object) -> bool:
    """Return True for a text or a list that is not empty."""
    return isinstance(value, str | list) and bool(value)


def reduce_unanswered_call(name: str, arguments: str) -> Reduction:
    """Return the reduced form of a call whose result will never come: what was asked for, with an
    unknown outcome. No rule is used, because a rule would say that the call succeeded or failed."""
    made = reduce_result(name, arguments, "").reduction
    said = f"{call_in_brief(name, made)} — {UNANSWERED}"
    return replace(made, observation=said, compact=said)


def call_in_brief(name: str, made: Reduction) -> str:
    """Return a call in a few words, with its first two arguments: "Read(a.py, 10)". `name` is the
    tool's name in the call, `made` the call's reduction."""
    asked = ", ".join(one_line(str(value), ASKED) for value in list(made.minimal_args.values())[:2])
    return f"{one_line(encodable(name), ASKED) or 'tool'}({asked})"


def _reduce_by_rule(given: ToolResult, rule: Rule, *, hosts: bool = False) -> ReducedResult:
    """Return the reduced form of a result, made by `rule`. `hosts` is True for a host's own rule.
    Raises ValueError for a `kind` or `extension` that cannot be part of a page's name."""
    seen, error = rule(given), given.error
    failure = _error_text(given) if error and not seen.judged else seen.failure
    kind = seen.kind or KINDS.get(given.tool, "tool")
    extension = seen.extension or _page_extension(given)
    if not _FILE.fullmatch(kind + extension):
        raise ValueError(f"no page is named {kind}_0001{extension}")
    return ReducedResult(
        reduction=Reduction(
            tool=encodable(given.tool),
            minimal_args=small_scalars(seen.args),
            observation=_observation_line(seen, failure, error),
            compact=_compact_line(given, seen, failure),
        ),
        page=seen.page or _is_large(given),
        kind=kind,
        extension=extension,
        failed=hosts and seen.judged and bool(seen.failure),
    )


def _is_large(given: ToolResult) -> bool:
    """Return True for a result with more than PAGE bytes of content; text that a tool put around
    the content is not counted."""
    if not PAGE < given.size <= WRAPPED:
        return given.size > PAGE
    text, members = given.text, given.members
    held = first_present(members, HELD)
    around = sum(utf8_size(str(value)) for value in members.values() if value is not held)
    if isinstance(held, str) and around <= AROUND:
        text = held
    while inner := _WRAPPING.fullmatch(text):
        text = inner["held"]
    if given.tool == READ:
        text = file_rules.without_line_numbers(text)
    return utf8_size(text) > PAGE


def _observation_line(seen: Observation, failure: str, error: bool) -> str:
    """Return the observation (one-line summary) of a result. For a failed call the line says what
    was tried, and gives the beginning of `failure`."""
    if not failure and (seen.judged or not error):
        return one_line(seen.text, OBSERVATION)
    head = seen.text if seen.judged else f"{seen.subject} — failed"
    tail = f": {one_line(failure, FAILURE)}" if failure else ""
    return one_line(head, SUBJECT) + tail


def _compact_line(given: ToolResult, seen: Observation, failure: str) -> str:
    """Return the shortest line for a result: the tool's template with its fields filled in, and the
    reason of a failure."""
    if not given.error:
        return _filled_template(given.tool, seen, COMPACT)
    # A size or a count of an error message would read as if the call had worked.
    done = _filled_template(given.tool, seen, FAILED) if seen.judged else seen.subject
    return f"{one_line(done, FAILED)} — failed: {one_line(failure, REASON) or 'no output'}"


def _filled_template(tool: str, seen: Observation, limit: int) -> str:
    """Return the tool's template with its fields filled in, or the subject for a rule without
    fields, in at most `limit` characters."""
    template = TEMPLATES.get(tool, DEFAULT)
    if not seen.fields or not set(_FIELD.findall(template)) & set(seen.fields):
        return one_line(seen.subject, limit)
    return fill_template(template, seen.fields, limit)


def _error_text(given: ToolResult) -> str:
    """Return the error message or failing lines in the result of a failed call."""
    message = first_text(given.members, ("error", "message", "detail", "stderr"))
    nested = given.members.get("error")
    if isinstance(nested, dict):
        message = first_text(nested, ("message", "detail", "type")) or message
    said = message or given.text
    if len(said) > FAILURE and "\n" in said.strip():
        return without_tags(failure_line(said))
    return one_line(without_tags(said[: 8 * FAILURE]), FAILURE)


def _page_extension(given: ToolResult) -> str:
    """Return the extension for a result's page: ".log", ".json", ".html" or ".txt"."""
    if given.tool == SHELL:
        return ".log"
    if given.payload is not None:
        return ".json"
    return ".html" if _HTML.match(given.text) else ".txt"
