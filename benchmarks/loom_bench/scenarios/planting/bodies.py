"""Large results of tools in several shapes, with what is planted at one place of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from loom_bench.scenarios.planting.kinds import ToldFact
from loom_bench.sessions.material import Material

CHARACTERS = 3.6  # of a token, about
BRANCHES = ("data", "page", "result", "body", "payload")  # names of levels in nested JSON


def _many(line: Callable[[], str], tokens: int) -> list[str]:
    """Lines of about so many tokens together, two at least."""
    made = [line(), line()]
    size = sum(map(len, made))
    while size < tokens * CHARACTERS:
        made.append(line())
        size += len(made[-1]) + 1
    return made


def _placed(lines: list[str], planted: str, place: float) -> list[str]:
    """The lines with one more: 0.0 puts it first, 1.0 last."""
    at = round(place * len(lines))
    return [*lines[:at], planted, *lines[at:]]


def log(material: Material, tokens: int, fact: ToldFact | None, said: str, place: float) -> str:
    """A log; one of its lines says what is planted."""
    lines = _many(lambda: material.log(1 + material.rng.randrange(40))[-1], tokens)
    if fact is None:
        return "\n".join(lines)
    head = material.log(1)[0].partition(": ")[0]
    return "\n".join(_placed(lines, f"{head}: {said}", place))


def prose(material: Material, tokens: int, fact: ToldFact | None, said: str, place: float) -> str:
    """A page in paragraphs; one sentence of it says what is planted."""
    sentences = _many(material.sentence, tokens)
    if fact is not None:
        sentences = _placed(sentences, said, place)
    return "\n\n".join(" ".join(sentences[at : at + 6]) for at in range(0, len(sentences), 6))


def code(material: Material, tokens: int, fact: ToldFact | None, said: str, place: float) -> str:
    """A source file; a comment or a setting of it says what is planted."""
    lines = _many(material.code_line, tokens)
    if fact is not None:
        setting = f'{fact.slug}.{fact.kind.key} = "{fact.value}"'
        lines = _placed(lines, material.rng.choice((f"    # {said}", setting)), place)
    return "\n".join(lines)


def table(material: Material, tokens: int, fact: ToldFact | None, said: str, place: float) -> str:
    """A sheet with a column of names, one of properties and one of their values."""
    lines = _many(
        lambda: f"{material.name()};{material.noun()};{material.number()};{material.name()}", tokens
    )
    if fact is not None:
        row = f"{fact.subject};{fact.kind.label};{fact.value};{material.name()}"
        lines = _placed(lines, row, place)
    return "\n".join(lines)


def nested(material: Material, tokens: int, fact: ToldFact | None, said: str, place: float) -> str:
    """A JSON document of records; one field, three to six levels down, is what is planted."""
    records: list[Any] = [json.loads(one) for one in _many(lambda: _record(material), tokens)]
    if fact is not None:
        deep: Any = {"name": fact.subject, fact.kind.key: fact.value, **material.record(2)}
        for _ in range(material.rng.randint(1, 4)):
            deep = {**material.record(1), material.name(): deep}
        at = round(place * len(records))
        records[at:at] = [{**material.record(2), material.noun(): deep}]
    document: Any = {"total": len(records), "items": records}
    for branch in material.rng.sample(BRANCHES, 2):
        document = {branch: document}
    return json.dumps(document, ensure_ascii=False, indent=material.rng.choice((None, 1)))


def _record(material: Material) -> str:
    return json.dumps(material.record(6), ensure_ascii=False)


Body = Callable[[Material, int, ToldFact | None, str, float], str]
BODIES: dict[str, Body] = {
    "log": log, "prose": prose, "code": code, "table": table, "json": nested,
}  # fmt: skip
