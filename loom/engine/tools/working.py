"""The tools by which a model writes C_working: what they change survives every renewal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loom.engine.tools.answer import TEXT, TEXTS, Answer, OwnTool, own_tool, reduction
from loom.engine.working import STATES, Records, WorkingEdits
from loom.errors import LoomError
from loom.text import one_line
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
