"""JSON as the redactor reads it, and keys that became the same mark."""

from __future__ import annotations

from msgspec import json

from loom.redact.redactor import apart
from tests.kit.cases import all_cases

MARK = "[redacted:a]"


@all_cases(
    ("text", "told"),
    [
        (f'{{"{MARK}":1}}', f'{{"{MARK}":1}}'),
        (f'{{"{MARK}":1,"{MARK}" : 2}}', f'{{"{MARK}":1,"{MARK}#2" : 2}}'),
        (
            f'{{"{MARK}#2":0,"{MARK}":1,"{MARK}":2,"{MARK}":3}}',
            f'{{"{MARK}#2":0,"{MARK}":1,"{MARK}#3":2,"{MARK}#4":3}}',
        ),
        (f'[{{"{MARK}":"{MARK}"}},{{"{MARK}":1}}]', f'[{{"{MARK}":"{MARK}"}},{{"{MARK}":1}}]'),
        (
            f'{{"{MARK}":{{"{MARK}":1}},"x{MARK}":2,"{MARK}":"{{"}}',
            f'{{"{MARK}":{{"{MARK}":1}},"x{MARK}":2,"{MARK}#2":"{{"}}',
        ),
    ],
)
def test_keys_are_told_apart(text: str, told: str) -> None:
    """Each key of one object has a name of its own; done twice it is as done once."""
    assert apart(text) == told and apart(told) == told
    assert len(json.decode(told)) == len(json.decode(text)) or MARK in told


def test_many_keys_are_told_apart() -> None:
    """Thousands of the same mark: each name is looked up a bounded number of times."""
    text = "{" + ",".join(f'"{MARK}":{number}' for number in range(20_000)) + "}"
    assert len(json.decode(apart(text))) == 20_000
