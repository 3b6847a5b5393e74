"""Made-up values after a form: `ghp_<alnum:36>` is those letters and 36 drawn ones."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from random import Random

UPPER, LOWER, DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
SYMBOLS = "!#$%^*-_+=.?~"

# Name in a form → the letters drawn from.
ALPHABETS = {
    "alnum": UPPER + LOWER + DIGITS,
    "upper": UPPER + DIGITS,
    "lower": LOWER + DIGITS,
    "letters": UPPER + LOWER,
    "digits": DIGITS,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "base64": UPPER + LOWER + DIGITS + "+/",
    "url64": UPPER + LOWER + DIGITS + "-_",
    "base32": UPPER + "234567",
    "bech32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}
WORDS = (
    "amber", "badger", "cobalt", "dahlia", "ember", "falcon", "granite", "harbor", "indigo",
    "juniper", "kestrel", "lantern", "meadow", "nimbus", "orchid", "pepper", "quartz", "raven",
    "saffron", "tundra", "umber", "velvet", "walnut", "yarrow", "zephyr",
)  # fmt: skip
_DRAWN = re.compile(r"<([A-Za-z0-9]+)(?::(\d+))?>")


def draw(rng: Random, alphabet: str, length: int) -> str:
    """So many letters of an alphabet."""
    return "".join(rng.choices(alphabet, k=length))


def password(rng: Random) -> str:
    """A password as a generator or a careful person makes it, 14 letters or more."""
    if rng.random() < 0.5:
        drawn = draw(rng, ALPHABETS["alnum"] + SYMBOLS, rng.randint(15, 23))
        # It neither begins nor ends with what a sentence may end with.
        return draw(rng, UPPER + LOWER, 1) + drawn + rng.choice("!#%*+") + draw(rng, DIGITS, 1)
    first, second = (rng.choice(WORDS).capitalize() for _ in range(2))
    return f"{first}{rng.choice('!#*-_+')}{second}{rng.choice('!#$%*')}{draw(rng, DIGITS, 4)}x"


def plain_password(rng: Random) -> str:
    """A password that stands in a URL or a shell line without quotes."""
    drawn = draw(rng, ALPHABETS["alnum"] + "-_.~", rng.randint(14, 22))
    return draw(rng, UPPER + LOWER, 1) + drawn + draw(rng, ALPHABETS["alnum"], 1)


def uuid(rng: Random) -> str:
    """A random UUID."""
    sizes = (8, 4, 3, 3, 12)
    first, second, third, fourth, last = (draw(rng, ALPHABETS["hex"], size) for size in sizes)
    return "-".join((first, second, f"4{third}", rng.choice("89ab") + fourth, last))


# Name in a form → what makes it.
MADE: dict[str, Callable[[Random], str]] = {
    "strong": password,
    "simple": plain_password,
    "uuid": uuid,
    "word": lambda rng: rng.choice(WORDS),
    "user": lambda rng: f"svc_{rng.choice(WORDS)}",
    "host": lambda rng: f"{rng.choice(WORDS)}-{rng.randint(1, 99)}.{rng.choice(WORDS)}.internal",
}


def spelled(form: str, rng: Random) -> str:
    """A form with everything in it drawn; a tag, as `<server>`, stays.

    Raises KeyError for a size of an alphabet nobody knows.
    """

    def made(found: re.Match[str]) -> str:
        name, size = found[1], found[2]
        if size:
            return draw(rng, ALPHABETS[name], int(size))
        return MADE[name](rng) if name in MADE else found[0]

    return _DRAWN.sub(made, form)
