"""The tools that are answered here: the core's, and those of the capabilities.

Their calls never reach the host. A bad call gets an error result that says how to call. What the
model writes onto C_working by them survives every renewal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from errno import EIO
from typing import Any

from msgspec import json

from loom.engine.tools.answer import TEXT, TEXTS, Answer, OwnTool, own_tool, reduction
from loom.engine.tools.retrieval import RETRIEVAL
from loom.engine.working import STATES, Records, WorkingEdits
from loom.errors import LoomError
from loom.inputs import ToolCall
from loom.providers.schema import BadTool, ToolSchema, document, expected, kind_of
from loom.reduce import parse
from loom.text import one_line
from loom_paging import FULL
from loom_partitions.records import Requested
from loom_partitions.surfaces import DISPOSITIONS, LATER


def _writes(
    name: str,
    said: str,
    properties: dict[str, Any],
    write: Callable[[WorkingEdits, Any], Records],
    optional: tuple[str, ...] = (),
) -> OwnTool:
    """A tool that writes on C_working and answers in a word."""

    def answer(edits: WorkingEdits, arguments: dict[str, Any], limit: int) -> Answer:
        records = write(edits, arguments)
        return Answer("ok", reduction(name, {}, f"{name} written"), records=records)

    return own_tool(name, said, properties, answer, optional)


def _plan(edits: WorkingEdits, given: Any) -> Records:
    return edits.plan([_item(item) for item in given["items"]])


def _item(text: str) -> tuple[str, str]:
    """(text, state) of `[x] done`, `[>] in hand`, `[ ] to do` or a bare text."""
    head, rest = text[:3], text[3:].strip()
    state = dict(zip(("[ ]", "[>]", "[x]"), STATES, strict=True)).get(head.lower())
    return (rest, state) if state else (text, "todo")


def _evidence(edits: WorkingEdits, given: Any) -> Records:
    confidence = given.get("confidence", 0.5)
    if not 0 <= confidence <= 1:
        raise LoomError("confidence is a number from 0 to 1")
    citations, facts, conflicts = (given.get(k, []) for k in ("citations", "facts", "conflicts"))
    return edits.evidence(given["id"], given["summary"], citations, confidence, facts, conflicts)


def _acknowledge(edits: WorkingEdits, given: Any) -> Records:
    working = edits.window.working
    pending = [id for event in working.events for id in event.ids]
    risks = [*(risk.id for risk in working.risks), *working.beyond("risks")]
    _known("event or risk", given["id"], [*pending, *risks])
    return edits.acknowledge(given["id"], given["disposition"])


def _answer(edits: WorkingEdits, given: Any) -> Records:
    working = edits.window.working
    asked = [*(id for id, _ in working.questions), *working.beyond("questions")]
    _known("open question", given["id"], asked)
    return edits.answered(given["id"])


def _known(what: str, id: str, known: list[str]) -> None:
    if id not in known:
        there = ", ".join(known[-5:]) or "none"
        raise LoomError(f"there is no {what} {one_line(id, 80)!r}; there are: {there}")


def _compact(edits: WorkingEdits, given: dict[str, Any], limit: int) -> Answer:
    said = "the next request is compressed, as far as that frees anything"
    return Answer(said, reduction("compact_now", {}, said), records=(Requested("compact"),))


WORKING = (
    _writes(
        "plan",
        "Write the whole plan, one item a step: '[x] done', '[>] doing', '[ ] todo'.",
        {"items": TEXTS},
        _plan,
    ),
    _writes(
        "progress",
        "Say how far the goal is reached.",
        {"text": TEXT},
        lambda edits, given: edits.progress(given["text"]),
    ),
    _writes(
        "note",
        "Add a line to the scratchpad: the newest stay in view.",
        {"text": TEXT},
        lambda edits, given: edits.note(given["text"]),
    ),
    _writes(
        "scratch",
        "Rewrite the scratchpad.",
        {"text": TEXT},
        lambda edits, given: edits.scratch(given["text"]),
    ),
    _writes(
        "ask",
        "Keep a question open.",
        {"id": TEXT, "question": TEXT},
        lambda edits, given: edits.ask(given["id"], given["question"]),
    ),
    _writes(
        "answer",
        "Close a question.",
        {"id": TEXT},
        _answer,
    ),
    _writes(
        "evidence",
        "Keep what is known, with its sources and what contradicts it.",
        {
            "id": TEXT,
            "summary": TEXT,
            "citations": TEXTS,
            "facts": TEXTS,
            "conflicts": TEXTS,
            "confidence": {"type": "number"},
        },
        _evidence,
        optional=("citations", "facts", "conflicts", "confidence"),
    ),
    _writes(
        "acknowledge",
        "Decide on an event; later settle it as resolved.",
        {"id": TEXT, "disposition": {**TEXT, "enum": [*DISPOSITIONS, LATER[0]]}},
        _acknowledge,
    ),
    own_tool("compact_now", "Compress older context with the next request.", {}, _compact),
)

CORE = (*RETRIEVAL, *WORKING)
FAILED = {*FULL, EIO}  # the disk fails: the host must know
WHY_CHARS = 400  # of an error: a bad argument must not come back whole


def named(tools: Iterable[OwnTool]) -> dict[str, OwnTool]:
    """Tools by name, the core's first. Raises BadTool for a name that two have."""
    found: dict[str, OwnTool] = {}
    for tool in (*CORE, *tools):
        if tool.schema.name in found:
            raise BadTool(tool.schema, f"there is a tool {tool.schema.name} already")
        found[tool.schema.name] = tool
    return found


def check_names(given: Iterable[ToolSchema], own: Mapping[str, OwnTool]) -> None:
    """Raise BadTool for a host's tool under the name of one that is answered here."""
    for schema in given:
        mine = own.get(schema.name)
        if mine is not None and document(schema) != document(mine.schema):
            raise BadTool(
                schema,
                f"Loom answers {schema.name} itself: use another name, or open with"
                " policy=loom.Policy(own_tools=False)",
            )


def checked(tool: OwnTool, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments a tool knows, of the types it declares; raises LoomError for others.

    A number may stand for a text. Null is as good as left out.
    """
    made: dict[str, Any] = {}
    for name, schema in tool.schema.parameters["properties"].items():
        value = arguments.get(name)
        if value is None and name in tool.schema.parameters.get("required", ()):
            raise LoomError(f"the argument {name!r} is missing: it is {expected(schema)}")
        if value is None:
            continue
        kind = schema["type"]
        if kind == "array" and not isinstance(value, list):
            raise LoomError(f"{name} is a list of texts, not {kind_of(value)}")
        texts = value if kind == "array" else [value]
        if kind == "object":
            made[name] = _object(name, value)
            continue
        if kind == "number":
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise LoomError(f"{name} is a number from 0 to 1, not {kind_of(value)}")
            made[name] = value
            continue
        if any(isinstance(one, bool) or not isinstance(one, str | int | float) for one in texts):
            said = "a list of texts" if kind == "array" else f"a text, not {kind_of(value)}"
            raise LoomError(f"{name} is {said}")
        made[name] = [str(one) for one in texts] if kind == "array" else str(value)
    return made


def _object(name: str, value: object) -> dict[str, Any]:
    """An object, also one written as a JSON text."""
    found = parse(value) if isinstance(value, str) else value
    if not isinstance(found, dict):
        raise LoomError(f"{name} is an object, not {kind_of(value)}")
    return found


def _arguments(call: ToolCall) -> dict[str, Any]:
    """The arguments of a call; raises LoomError for what is no JSON object."""
    try:
        return json.decode(call.arguments or "{}", type=dict[str, Any])
    except (ValueError, RecursionError) as error:
        why = one_line(str(error), WHY_CHARS // 2)
        raise LoomError(f"the arguments are not a JSON object ({why})") from None


def answer(
    clean: Callable[[str], str], edits: WorkingEdits, tool: OwnTool, call: ToolCall, limit: int
) -> Answer:
    """Answer a call; a fault of the caller becomes an instructive error.

    `clean` replaces the secrets of a text, before it is cut: the half of one is known no more.
    """
    try:
        given = checked(tool, _arguments(call))
        told = tool.answer(edits, given, limit)
        if isinstance(told, Answer):
            return told
        text = clean(told if isinstance(told, str) else json.encode(told, enc_hook=str).decode())
        said = f"{call.name}: {one_line(text, 160)}"
        return Answer(text[:limit], reduction(call.name, given, said))
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
    text = f"{call.name}: {why}. Arguments: {usage}"
    said = f"{call.name} failed: {why[:160]}"
    return Answer(text, reduction(call.name, {}, said), error=True)
