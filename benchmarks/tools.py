"""`tools`: the cost of declaring all tools in every request, or level 1 alone with find_tool.

The tools are made from a seed: a verb and a noun each, two sentences, two to six parameters, in the
proportions of an agent with a few tools of its own and many behind servers and scripts. A tool of
level 2 or 3 costs tokens only when the model looks for it, so the price of one search is told too,
and how often the tool meant is among the FOUND that a search answers with.
"""

from __future__ import annotations

from operator import contains
from random import Random
from statistics import fmean
from typing import Any

from benchmarks.options import CommandResult, FromOne, measuring
from benchmarks.show import by_row
from loom.capabilities.toolbox.descriptor import ToolDescriptor, tool_schema
from loom.capabilities.toolbox.registry import Toolbox
from loom.providers.counts import counter_for
from loom.providers.formats import FORMATS, declaration_json
from loom.providers.schema import ToolSchema, schema_document

SEED = 20_261_122
LEVELS = (10, 20)  # tools of level 1, and of level 2; the rest are of level 3
FOUND = 5
GATE = ("find_tool", "call_tool")

VERBS = {
    "list": "List {noun}s, the newest first, with their identifiers and states.",
    "get": "Read one {noun} with all of its fields and the history of its changes.",
    "create": "Create a {noun} and return its identifier. Fields left out get defaults.",
    "update": "Change fields of a {noun}; those not given stay as they are.",
    "delete": "Delete a {noun} for good. It cannot be undone; archive it when in doubt.",
    "search": "Search the {noun}s by words in their titles and texts, and by the dates given.",
}
NOUNS = (
    "invoice", "contact", "ticket", "calendar event", "repository", "pull request", "deployment",
    "dashboard", "customer", "shipment", "contract", "database table", "build", "mailing list",
    "feature flag", "spreadsheet", "payment", "warehouse", "log stream", "certificate",
)  # fmt: skip
PARAMETERS = {
    "id": "the identifier, as list and search return it",
    "title": "a short title, one line",
    "query": "words to look for; quotes keep them together",
    "limit": "how many at most, 20 when left out",
    "since": "only those changed since this date, ISO 8601",
    "owner": "the person responsible, by name or address",
    "labels": "labels, parted by commas",
    "state": "open, closed or all",
}


def made(count: int) -> list[ToolDescriptor]:
    """So many tools, the same each time."""
    rng = Random(SEED)
    names = [(verb, noun) for noun in NOUNS for verb in VERBS]
    chosen = rng.sample(names, min(count, len(names)))
    return [_tool(rng, at, *one) for at, one in enumerate(chosen)]


def _tool(rng: Random, at: int, verb: str, noun: str) -> ToolDescriptor:
    properties: dict[str, Any] = {
        name: {"type": "integer" if name == "limit" else "string", "description": said}
        for name, said in rng.sample(sorted(PARAMETERS.items()), rng.randint(2, 6))
    }
    level = 1 + sum(at >= most for most in (LEVELS[0], sum(LEVELS)))
    return ToolDescriptor(
        f"{verb}_{noun.replace(' ', '_')}",
        VERBS[verb].format(noun=noun),
        {"type": "object", "properties": properties, "required": [next(iter(properties))]},
        level,
    )


def measure(count: int) -> dict[str, Any]:
    """Tokens of declarations for each format, and what a search costs and finds."""
    given = made(count)
    box = Toolbox()
    for one in given:
        box.add(one)
    gate = [tool.schema for tool in Toolbox().tools]
    hidden = [one for one in given if one.level > 1]
    answers = [box.find(one.name.replace("_", " "), FOUND) for one in hidden]
    tokens = counter_for()
    return {
        "tools": len(given),
        "level_1": len(given) - len(hidden),
        "formats": {
            format: {
                "all": _cost(format, [tool_schema(one) for one in given]),
                "level_1_and_find_tool": _cost(format, [*box.declared(), *gate]),
            }
            for format in FORMATS
        },
        "search_tokens": round(
            fmean([tokens(box.described(found, GATE[1])) for found in answers] or [0])
        ),
        "found_in_5": round(fmean([*map(contains, answers, hidden)] or [0]), 3),
    }


def _cost(format: str, tools: list[ToolSchema]) -> int:
    """Tokens of declarations as a format has them, in o200k."""
    count = counter_for()
    return sum(count(declaration_json(format, schema_document(tool))) for tool in tools)


@measuring
def tools(*, count: FromOne = 60) -> CommandResult:
    """Compare the tokens of declaring every tool with those of declaring level 1 and find_tool.

    Parameters
    ----------
    count
        Registered tools; the first 10 are of level 1, the next 20 of level 2.
    """
    report = measure(count)
    title = f"Declared tool tokens, {report['tools']} tools, {report['level_1']} of level 1"
    heads = {"all": "all declared", "level_1_and_find_tool": "level 1 and find_tool"}
    said = (
        f"a search answers with {report['search_tokens']:,} tokens,"
        f" the tool meant among the first {FOUND} in {report['found_in_5']:.0%}"
    )
    return CommandResult(report, [by_row(title, report["formats"], heads)], said)
