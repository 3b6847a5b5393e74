"""How Responses answers, whole and as the events of its stream."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count
from typing import Any

from tests.providers.serving.api import Turn, pieces, sse
from tests.providers.serving.prompt import encrypted
from tests.providers.serving.responses_rules import SEALED, reasons

BROKEN = True  # arguments are text: a model may write what is no JSON


def reply(turn: Turn) -> dict[str, Any]:
    """The response; what belongs together is noted in the session's items."""
    output = _output(turn)
    _noted(output, turn.items)
    return _response(turn, output, "completed")


def _output(turn: Turn) -> list[dict[str, Any]]:
    line, name = turn.line, turn.name
    output: list[dict[str, Any]] = []
    if line.thought and reasons(turn.asked.model):
        item: dict[str, Any] = {"id": f"rs_{name}", "type": "reasoning", "summary": []}
        if SEALED in (turn.asked.body.get("include") or ()):
            content = f"rs_{name}\n{line.thought}"
            item["encrypted_content"] = encrypted(content, turn.asked.prompt.end)
        if len(line.thought) % 2:
            item["summary"] = [{"type": "summary_text", "text": line.thought[:60]}]
        output.append(item)
    if line.text:
        content = [{"type": "output_text", "text": line.text, "annotations": [], "logprobs": []}]
        said = {"id": f"msg_{name}", "type": "message", "role": "assistant", "content": content}
        output.append({**said, "status": "completed"})
    for number, call in enumerate(line.calls):
        made = {"id": f"fc_{name}{number}", "type": "function_call", "status": "completed"}
        made |= {"call_id": f"call_{call.id}", "name": call.name, "arguments": call.arguments}
        output.append(made)
    return output


def _noted(output: list[dict[str, Any]], items: dict[str, Any]) -> None:
    if output[0]["type"] != "reasoning":
        return
    reasoning, *rest = output
    led = rest[0]
    names = {led["id"], led.get("call_id")}
    if led["type"] == "message":
        names.add(f"text:{led['content'][0]['text']}")
    items[reasoning["id"]] = {"next": names - {None}}
    for item in rest:
        items[item["id"]] = {"reasoning": reasoning["id"]}


def _response(turn: Turn, output: list[dict[str, Any]], status: str) -> dict[str, Any]:
    usage = turn.usage
    done = status == "completed"
    return {
        "id": f"resp_{turn.name}",
        "object": "response",
        "created_at": int(time.time()),
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "max_output_tokens": turn.asked.most or None,
        "model": turn.asked.model,
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "store": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": usage.total,
            "input_tokens_details": {"cached_tokens": usage.read},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.total + usage.output,
        }
        if done
        else None,
    }


def events(turn: Turn) -> Iterator[str]:
    """The response as events; the last one holds all of it."""
    numbers = count()
    whole = reply(turn)

    def event(kind: str, **data: Any) -> str:
        return sse({"type": kind, "sequence_number": next(numbers), **data}, kind)

    begun = _response(turn, [], "in_progress")
    yield event("response.created", response=begun)
    yield event("response.in_progress", response=begun)
    for index, item in enumerate(whole["output"]):
        at = {"item_id": item["id"], "output_index": index}
        yield event("response.output_item.added", output_index=index, item=_started(item))
        for kind, data in STREAMED[item["type"]](item):
            yield event(kind, **at, **data)
        yield event("response.output_item.done", output_index=index, item=item)
    yield event("response.completed", response=whole)


def _started(item: dict[str, Any]) -> dict[str, Any]:
    blank = {"message": {"content": []}, "function_call": {"arguments": ""}}
    started = blank.get(item["type"])
    return {**item, **started, "status": "in_progress"} if started else {**item, "summary": []}


Told = Iterator[tuple[str, dict[str, Any]]]


def _thinking(item: dict[str, Any]) -> Told:
    for index, part in enumerate(item["summary"]):
        at = {"summary_index": index}
        start = "response.reasoning_summary"
        yield f"{start}_part.added", {**at, "part": {**part, "text": ""}}
        for piece in pieces(part["text"]):
            yield f"{start}_text.delta", {**at, "delta": piece}
        yield f"{start}_text.done", {**at, "text": part["text"]}
        yield f"{start}_part.done", {**at, "part": part}


def _speaking(item: dict[str, Any]) -> Told:
    for index, part in enumerate(item["content"]):
        at = {"content_index": index}
        yield "response.content_part.added", {**at, "part": {**part, "text": ""}}
        for piece in pieces(part["text"]):
            yield "response.output_text.delta", {**at, "delta": piece, "logprobs": []}
        yield "response.output_text.done", {**at, "text": part["text"], "logprobs": []}
        yield "response.content_part.done", {**at, "part": part}


def _calling(item: dict[str, Any]) -> Told:
    for piece in pieces(item["arguments"]):
        yield "response.function_call_arguments.delta", {"delta": piece}
    done = {"name": item["name"], "arguments": item["arguments"]}
    yield "response.function_call_arguments.done", done


STREAMED = {"reasoning": _thinking, "message": _speaking, "function_call": _calling}
