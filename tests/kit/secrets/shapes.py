"""Texts a secret may stand in: shapes with slots, and how they are filled.

A slot, as `«host»`, is what surrounds a secret, drawn once per text. The secret itself stands at
`«secret»`, or as its form between `⟦` and `⟧`.
"""

import re
from collections.abc import Callable
from random import Random

from msgspec import Struct

from tests.kit.secrets.draws import drawn


class Planted(Struct, frozen=True):
    """A made secret of one kind.

    `text` is the line or lines it would stand in (`export STRIPE_KEY=sk_live_…`), `secret` the
    part of `text` that gives access, whole and as it stands there.
    """

    text: str
    secret: str


# Makes a secret of a kind, another one for each state of the generator.
Maker = Callable[[Random], Planted]

SLOT = re.compile(r"«(\w+)»")
APPS = "billing catalog orders ledger portal gateway mailer reports"
# Slot → the forms it is drawn from, with blanks between them.
SLOTS = {
    "accesskey": "AKIA<base32:16> ASIA<base32:16>",
    "account": "<digits:12>",
    "app": APPS,
    "company": "<word>",
    "date": "2026-01-13 2026-04-28 2026-09-10 2026-11-22",
    "db": f"{APPS} app_prod maindb orders_main",
    "domain": "<word>.io <word>.com <word>.net <word>.dev <word>.co",
    "email": "<word>@<word>.io <word>@<word>.com",
    **{f"hex{size}": f"<hex:{size}>" for size in (7, 12, 16, 32, 40, 64)},
    "host": "db<digits:1>.<word>.internal app<digits:1>.<word>.internal",
    "id8": "<lownum:8>",
    "ID8": "<upnum:8>",
    "ip": "10.14.201.7 10.0.33.248 10.88.1.64",
    "jwt": "<jwt>",
    "n": "3 48 117 480",
    "num10": "4<digits:9>",
    "pid": "317 4<digits:3> 61<digits:3>",
    "port": "1100 8<digits:3> 18<digits:3>",
    "region": "eu-central-1 us-east-1 us-west-2 ap-southeast-2",
    "stage": "prod staging qa live dev",
    "time": "10:2<digits:1>:41 23:0<digits:1>:19",
    "user": "svc_deploy app reporting jenkins maria backup root etl",
    "uuid": "<uuid>",
    "word": "<word>",
}


def fill(
    template: str, chance: Random, given: dict[str, str], slots: dict[str, str] = SLOTS
) -> str:
    """A shape with its slots filled: those given, the rest drawn.

    Raises KeyError for a slot that is neither given nor in `slots`.
    """
    held = dict(given)

    def filled(slot: re.Match[str]) -> str:
        name = slot[1]
        if name not in held:
            held[name] = drawn(chance.choice(slots[name].split(" ")), chance)
        return held[name]

    return SLOT.sub(filled, template)


def shapes_of(table: str) -> tuple[str, ...]:
    """The shapes of a table, one to a line; `⏎` in one is the end of a line of its text."""
    rows = table.strip("\n").replace("⏎\n", "⏎").split("\n")
    return tuple(row.replace("⏎", "\n") for row in rows)


def standing(shape: str) -> Maker:
    """A maker of a secret in a shape that has its form."""
    before, _, rest = shape.partition("⟦")
    form, _, after = rest.partition("⟧")

    def made(chance: Random) -> Planted:
        secret = drawn(form, chance)
        return Planted(fill(f"{before}«secret»{after}", chance, {"secret": secret}), secret)

    return made
