"""The tools that Loom answers itself: the core's, and those of the capabilities.

Their calls never reach the host. A bad call gets an error result that says how to call. What the
model writes to C_working by these tools survives every renewal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from errno import EIO
from typing import Any

from msgspec import Struct, json

from loom.errors import BadInput, LoomError
from loom.inputs import ToolCall
from loom.providers.schema import (
    ToolSchema,
    bad_tool_error,
    expected_kind,
    kind_of_value,
    schema_document,
)
from loom.reduce.arguments import parse_json
from loom.reduce.clauses import BULLET
from loom.session.archive.snapshot_document import STATES
from loom.session.tools.answer import TEXT, TEXTS, Answer, OwnTool, answer_reduction, own_tool
from loom.session.tools.retrieval import RETRIEVAL
from loom.session.working_edits import Records, WorkingEdits
from loom.text import one_line
from loom_paging import FULL
from loom_partitions.records import Requested
from loom_partitions.surfaces import DISPOSITIONS, LATER


def _plan_item(text: str) -> tuple[str, str]:
    """Return (text, state) of a plan's item: `[x] run tests` → ("run tests", "done"). `[>]` means
    "doing", `[ ]` or no box "todo"."""
    text = text[found.end() :] if (found := BULLET.match(text)) else text
    head, rest = text[:3], text[3:].strip()
    state = dict(zip(("[ ]", "[>]", "[x]"), STATES, strict=True)).get(head.lower())
    return (rest, state) if state else (text, "todo")


def _write_evidence(edits: WorkingEdits, given: Any) -> Records:
    """Return the record of an evidence pack. `given` are the call's arguments. Raises BadInput."""
    confidence = given.get("confidence", 0.5)
    if not 0 <= confidence <= 1:
        raise BadInput("confidence is a number from 0 to 1")
    citations, facts, conflicts = (given.get(k, []) for k in ("citations", "facts", "conflicts"))
    return edits.evidence(given["id"], given["text"], citations, confidence, facts, conflicts)


def _write_acknowledgement(edits: WorkingEdits, given: Any) -> Records:
    """Return the records of a decision on an event or a risk. Raises BadInput for an unknown id."""
    working = edits.window.working
    pending = [id for event in working.events for id in event.ids]
    risks = [*(risk.id for risk in working.risks), *working.overflow_ids("risks")]
    _check_known_id("event or risk", given["id"], [*pending, *risks])
    return edits.acknowledge(given["id"], given["disposition"])


def _write_answer(edits: WorkingEdits, given: Any) -> Records:
    """Return the records that close an open question. Raises BadInput for an unknown id."""
    working = edits.window.working
    asked = [*(id for id, _ in working.questions), *working.overflow_ids("questions")]
    _check_known_id("open question", given["id"], asked)
    return edits.answered(given["id"])


def _check_known_id(what: str, id: str, known: list[str]) -> None:
    """Raise BadInput if `id` is not in `known`. In the error `what` says what kind of id it is."""
    if id not in known:
        there = ", ".join(known[-5:]) or "none"
        raise BadInput(f"there is no {what} {one_line(id, 80)!r}; there are: {there}")


def _answer_compact_now(edits: WorkingEdits, given: dict[str, Any], limit: int) -> Answer:
    """Return the answer to a call of compact_now, with the record that asks for a cut."""
    said = "the next request is compressed, as far as that frees anything"
    return Answer(said, answer_reduction("compact_now", {}, said), records=(Requested("compact"),))


class WorkingAction(Struct, frozen=True):
    """An action of the tool `working`. `needs` names the arguments that it needs, `write` returns
    the records that it writes."""

    needs: tuple[str, ...]
    write: Callable[[WorkingEdits, dict[str, Any]], Records]


ACTIONS = {
    "plan": WorkingAction(
        ("items",), lambda edits, given: edits.plan(map(_plan_item, given["items"]))
    ),
    "progress": WorkingAction(("text",), lambda edits, given: edits.progress(given["text"])),
    "note": WorkingAction(("text",), lambda edits, given: edits.note(given["text"])),
    "scratch": WorkingAction(("text",), lambda edits, given: edits.scratch(given["text"])),
    "ask": WorkingAction(
        ("id", "text"), lambda edits, given: edits.ask(given["id"], given["text"])
    ),
    "answer": WorkingAction(("id",), _write_answer),
    "evidence": WorkingAction(("id", "text"), _write_evidence),
    "acknowledge": WorkingAction(("id", "disposition"), _write_acknowledgement),
}
WRITTEN: dict[str, dict[str, Any]] = {
    "action": {**TEXT, "enum": [*ACTIONS]},
    "text": TEXT,
    "items": TEXTS,
    "id": TEXT,
    **dict.fromkeys(("citations", "facts", "conflicts"), TEXTS),
    "confidence": {"type": "number"},
    "disposition": {**TEXT, "enum": [*DISPOSITIONS, *LATER]},
}


def _answer_working(edits: WorkingEdits, given: dict[str, Any], limit: int) -> Answer:
    """Return the answer to a call of the tool `working`, with records that write to C_working.
    Raises BadInput."""
    name = given["action"]
    action = ACTIONS.get(name)
    if action is None:
        known = ", ".join(ACTIONS)
        raise BadInput(f"action is one of {known}, not {one_line(name, 80)!r}")
    for one in action.needs:
        if one not in given:
            needs = " and ".join(
                f"{each} ({expected_kind(WRITTEN[each])})" for each in action.needs
            )
            raise BadInput(f"the argument {one!r} is missing: {name} takes {needs}")
    records = action.write(edits, given)
    return Answer("ok", answer_reduction("working", {}, f"{name} written"), records=records)


WORKING = own_tool(
    "working",
    "Write what stays in view. plan: items '[x] done', '[>] doing', '[ ] todo'; note adds text to"
    " the scratchpad, scratch replaces. ask: id, text. answer: id. evidence: id, text,"
    " confidence 0 to 1. acknowledge: event id, disposition.",
    WRITTEN,
    _answer_working,
    optional=tuple(name for name in WRITTEN if name != "action"),
)
COMPACT = own_tool("compact_now", "Compress older context.", {}, _answer_compact_now)

CORE = (*RETRIEVAL, WORKING, COMPACT)
FAILED = {*FULL, EIO}  # the disk fails: the host must know
USAGE_CHARS = 300  # of the schema of a tool's arguments: of a longer one their names say enough
WHY_CHARS = 400  # of an error: a bad argument must not come back whole


def tools_by_name(tools: Iterable[OwnTool]) -> dict[str, OwnTool]:
    """Return the core's tools and `tools`: name → tool. Raises BadInput for equal names."""
    found: dict[str, OwnTool] = {}
    for tool in (*CORE, *tools):
        if tool.schema.name in found:
            raise bad_tool_error(tool.schema, f"there is a tool {tool.schema.name} already")
        found[tool.schema.name] = tool
    return found


def check_names(given: Iterable[ToolSchema], own: Mapping[str, OwnTool]) -> None:
    """Raise BadInput if a host's tool has the name, but not the declaration, of a Loom tool."""
    for schema in given:
        mine = own.get(schema.name)
        if mine is not None and schema_document(schema) != schema_document(mine.schema):
            raise bad_tool_error(
                schema,
                f"Loom answers {schema.name} itself: use another name, or open with"
                " policy=loom.Policy(own_tools=False)",
            )


def check_arguments(tool: OwnTool, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a call's arguments, converted to the types that the tool declares, without null
    values. Raises BadInput for an unknown or missing argument, and for a wrong type."""
    made: dict[str, Any] = {}
    known = tool.schema.parameters["properties"]
    for name in sorted(arguments.keys() - known.keys()):
        if arguments[name] is not None:
            raise BadInput(f"there is no argument {one_line(name, 80)!r}: use {', '.join(known)}")
    for name, schema in known.items():
        value = arguments.get(name)
        if value is None and name in tool.schema.parameters.get("required", ()):
            raise BadInput(f"the argument {name!r} is missing: it is {expected_kind(schema)}")
        if value is None:
            continue
        made[name] = _argument_value(name, schema["type"], value)
    return made


def _argument_value(name: str, kind: str, value: object) -> Any:
    """Return an argument's value, converted to its declared type `kind`. Raises BadInput."""
    if kind == "object":
        found = parse_json(value) if isinstance(value, str) else value
        if not isinstance(found, dict):
            raise BadInput(f"{name} is an object, not {kind_of_value(value)}")
        return found
    if kind == "number":
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadInput(f"{name} is a number from 0 to 1, not {kind_of_value(value)}")
        return value
    if kind == "array" and not isinstance(value, list):
        raise BadInput(f"{name} is a list of texts, not {kind_of_value(value)}")
    texts = value if kind == "array" and isinstance(value, list) else [value]
    if any(isinstance(one, bool) or not isinstance(one, str | int | float) for one in texts):
        said = "a list of texts" if kind == "array" else f"a text, not {kind_of_value(value)}"
        raise BadInput(f"{name} is {said}")
    return [str(one) for one in texts] if kind == "array" else str(value)


def _parsed_arguments(call: ToolCall) -> dict[str, Any]:
    """Return a call's arguments as a dict. Raises BadInput if they are no JSON object."""
    try:
        return json.decode(call.arguments or "{}", type=dict[str, Any])
    except (ValueError, RecursionError) as error:
        why = one_line(str(error), WHY_CHARS // 2)
        raise BadInput(f"the arguments are not a JSON object ({why})") from None


def answer_call(
    clean: Callable[[str], str], edits: WorkingEdits, tool: OwnTool, call: ToolCall, limit: int
) -> Answer:
    """Return the answer to a call of one of Loom's tools; for a faulty call, an error that says how
    to call the tool. `limit` is the number of characters there is room for. `clean` removes secrets
    from a text."""
    try:
        given = check_arguments(tool, _parsed_arguments(call))
        told = tool.answer(edits, given, limit)
        if isinstance(told, Answer):
            return told
        # Secrets are removed before the text is cut: half a secret would not be recognized.
        text = clean(told if isinstance(told, str) else json.encode(told, enc_hook=str).decode())
        said = f"{call.name}: {one_line(text, 160)}"
        return Answer(text[:limit], answer_reduction(call.name, given, said))
    except LoomError as error:
        why = one_line(clean(str(error)), WHY_CHARS)
    except KeyError as error:
        why = one_line(clean(f"the argument {error} is missing"), WHY_CHARS)
    except (ValueError, RecursionError) as error:
        why = one_line(clean(f"the arguments cannot be used: {error}"), WHY_CHARS)
    except Exception as error:  # a capability's tool may raise anything, and the model must be told
        if tool in CORE or getattr(error, "errno", None) in FAILED:
            raise
        why = one_line(clean(f"{type(error).__name__}: {error}"), WHY_CHARS)
    usage = json.encode(tool.schema.parameters["properties"]).decode()
    usage = usage if len(usage) <= USAGE_CHARS else ", ".join(tool.schema.parameters["properties"])
    text = f"{call.name}: {why}. Arguments: {usage}"
    said = f"{call.name} failed: {why[:160]}"
    return Answer(text, answer_reduction(call.name, {}, said), error=True)
