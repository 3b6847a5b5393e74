"""From a value and the shapes it stands in to a maker.

A shape is a text with slots: `«secret»` is the value, every other slot is what surrounds it, drawn
once per text (`«host»` is the same host wherever it stands). Shapes of a kind stand in one block,
with a line `~~~` between them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random
from textwrap import dedent

from tests.kit.secrets.planted import Maker, Planted
from tests.kit.secrets.second import draws
from tests.kit.secrets.second.draws import (
    BASE32,
    DIGITS,
    HEX,
    LOWNUM,
    UPNUM,
    Value,
    either,
    of,
    value_of,
    word,
)

SLOT = re.compile(r"«(\w+)»")
BETWEEN = "\n~~~\n"


def one_of(*texts: str) -> Value:
    """One of some texts."""
    return lambda chance: chance.choice(texts)


def _number(least: int, most: int) -> Value:
    """A whole number, both ends included."""
    return lambda chance: str(chance.randint(least, most))


APP = one_of("billing", "catalog", "orders", "ledger", "portal", "gateway", "mailer", "reports")
STAGE = one_of("prod", "staging", "qa", "live", "dev")
SLOTS: dict[str, Value] = {
    "accesskey": of(either(of("AKIA"), of("ASIA")), (BASE32, 16)),
    "account": of((DIGITS, 12)),
    "app": APP,
    "company": word,
    "date": of("2026-", one_of("01", "04", "09", "11"), "-", _number(10, 28)),
    "db": of(APP, one_of("", "_prod", "_main", "db")),
    "domain": of(word, one_of(".io", ".com", ".net", ".dev", ".co")),
    "email": of(word, "@", word, one_of(".io", ".com", ".net")),
    "hex12": of((HEX, 12)),
    "hex16": of((HEX, 16)),
    "hex32": of((HEX, 32)),
    "hex40": of((HEX, 40)),
    "hex64": of((HEX, 64)),
    "hex7": of((HEX, 7)),
    "host": of(one_of("db", "app", "node", "core", "edge"), (DIGITS, 1), ".", word, ".internal"),
    "id8": of((LOWNUM, 8)),
    "ID8": of((UPNUM, 8)),
    "ip": of("10.", _number(0, 90), ".", _number(0, 250), ".", _number(2, 250)),
    "jwt": draws.jwt,
    "n": _number(3, 480),
    "num10": of(_number(1, 9), (DIGITS, 9)),
    "pid": _number(300, 64_000),
    "port": _number(1100, 19_000),
    "region": one_of("eu-central-1", "us-east-1", "us-west-2", "ap-southeast-2"),
    "stage": STAGE,
    "time": of(_number(10, 23), ":", _number(10, 59), ":", _number(10, 59)),
    "user": one_of("svc_deploy", "app", "reporting", "jenkins", "maria", "backup", "root", "etl"),
    "uuid": draws.uuid,
    "word": word,
}


def fill(
    template: str, chance: Random, given: dict[str, str], slots: dict[str, Value] = SLOTS
) -> str:
    """A shape with its slots filled: those given, the rest drawn.

    Raises KeyError for a slot that is neither given nor in `slots`.
    """
    held = dict(given)

    def drawn(slot: re.Match[str]) -> str:
        name = slot[1]
        if name not in held:
            held[name] = slots[name](chance)
        return held[name]

    return SLOT.sub(drawn, template)


def shapes_of(block: str) -> tuple[str, ...]:
    """The shapes of a block, without the indent the source gives them."""
    return tuple(shape.strip("\n") for shape in (dedent(block).strip("\n")).split(BETWEEN))


def standing(value: Value | str, shape: str) -> Maker:
    """A maker of a value, or of one after a form, in a shape."""

    def made(chance: Random) -> Planted:
        secret = value_of(value)(chance)
        return Planted(fill(shape, chance, {"secret": secret}), secret)

    return made


def all_standing(value: Value | str, shapes: Mapping[str, str]) -> dict[str, Maker]:
    """A maker for each kind of secrets that are made alike: the kinds and their shapes."""
    return {kind: standing(value, shape) for kind, shape in shapes.items()}


def spelt(chance: Random, name: str) -> dict[str, str]:
    """A name of some words as languages and files would write it, by the slot of each style."""
    words = name.split()
    capital = [part.title() for part in words]
    return {
        "ENV": "_".join(words).upper(),
        "snake": "_".join(words),
        "kebab": "-".join(words),
        "dotted": ".".join(words),
        "camel": words[0] + "".join(capital[1:]),
        "Pascal": "".join(capital),
        "Header": "-".join(capital),
        "words": chance.choice((" ".join(words), " ".join(capital))),
    }
