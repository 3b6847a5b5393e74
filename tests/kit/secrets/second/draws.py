"""Values drawn from a seeded source: tokens by their alphabets, passwords as people choose them.

A `Value` draws one. Tokens are written as their issuers print them: `r8_<alnum:37>` is `r8_` and 37
drawn letters; `of` puts parts together of which some are values themselves.
"""

from __future__ import annotations

import base64
import html
import json
import re
import zlib
from collections.abc import Callable
from random import Random
from urllib.parse import quote

Value = Callable[[Random], str]
Part = str | tuple[str, int] | Value

DIGITS = "0123456789"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOWER = UPPER.lower()
ALNUM = DIGITS + UPPER + LOWER
LOWNUM = DIGITS + LOWER
UPNUM = DIGITS + UPPER
HEX = DIGITS + "abcdef"
BASE32 = UPPER + "234567"
BASE58 = "".join(letter for letter in ALNUM if letter not in "0OIl")
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
BASE64 = ALNUM + "+/"
URLSAFE = ALNUM + "-_"
# A form's drawn parts: an alphabet and so many of its letters.
_DRAWN = re.compile(r"<(\w+):(\d+)>|<uuid>")
_ALPHABETS = {
    "alnum": ALNUM, "base32": BASE32, "base58": BASE58, "base64": BASE64, "bech32": BECH32,
    "digits": DIGITS, "hex": HEX, "lownum": LOWNUM, "upnum": UPNUM, "upper": UPPER,
    "urlsafe": URLSAFE,
}  # fmt: skip

# What a password may hold where quotes or the end of the line close it, and where a shell, a URL or
# an XML file would read more into a sign.
SIGNS = "!@#%^&*+=?-_."
TAME = "-_.+~"
ONSETS = ("b", "br", "d", "dr", "f", "g", "gr", "k", "kl", "l", "m", "n", "p", "qu", "r", "st", "t")
NUCLEI = ("a", "e", "i", "o", "u", "ai", "ea", "ou")
CODAS = ("", "", "l", "m", "n", "r", "rk", "s", "th", "x")
LEET = {"a": "4", "e": "3", "i": "1", "o": "0", "s": "5"}


def letters(chance: Random, alphabet: str, length: int) -> str:
    """`length` signs of an alphabet."""
    return "".join(chance.choice(alphabet) for _ in range(length))


def of(*parts: Part) -> Value:
    """A value of parts: a text as it is, (alphabet, length) drawn, another value drawn."""

    def drawn(chance: Random) -> str:
        return "".join(_part(chance, part) for part in parts)

    return drawn


def _part(chance: Random, part: Part) -> str:
    """The text of one part."""
    if isinstance(part, str):
        return part
    return letters(chance, *part) if isinstance(part, tuple) else part(chance)


def value_of(given: Value | str) -> Value:
    """A value, or one after a form: `ghp_<alnum:36>`, `sdk-<uuid>`."""
    if not isinstance(given, str):
        return given

    def drawn(chance: Random) -> str:
        def one(found: re.Match[str]) -> str:
            return (
                letters(chance, _ALPHABETS[found[1]], int(found[2])) if found[1] else uuid(chance)
            )

        return _DRAWN.sub(one, given)

    return drawn


def either(*values: Value | str) -> Value:
    """One of several values or forms, which of them is drawn too."""
    return lambda chance: value_of(chance.choice(values))(chance)


def base64_bytes(size: int, lead: bytes = b"") -> Value:
    """Random bytes behind a lead, `size` in all, in base64 with its padding."""
    return lambda chance: _base64(lead + chance.randbytes(size - len(lead)))


def in_base64(value: Value) -> Value:
    """Another value, encoded in base64."""
    return lambda chance: _base64(value(chance).encode())


def percent_encoded(value: Value) -> Value:
    """Another value as it stands in a URL."""
    return lambda chance: quote(value(chance), safe="")


def in_xml(value: Value) -> Value:
    """Another value as it stands in XML."""
    return lambda chance: html.escape(value(chance))


def _base64(data: bytes) -> str:
    """Bytes in base64."""
    return base64.b64encode(data).decode()


def word(chance: Random) -> str:
    """A word of two or three syllables that no language knows."""
    syllables = chance.choice((2, 2, 3))
    return "".join(
        chance.choice(ONSETS) + chance.choice(NUCLEI) + chance.choice(CODAS)
        for _ in range(syllables)
    )


def _leet(chance: Random, signs: str) -> str:
    """A word with digits for some letters, a sign and a tail, as people make them."""
    spelt = "".join(LEET[c] if c in LEET and chance.random() < 0.5 else c for c in word(chance))
    tail = letters(chance, ALNUM, chance.randint(2, 4)) + chance.choice(DIGITS)
    return spelt[0].upper() + spelt[1:] + chance.choice(signs) + tail


def _two_words(chance: Random, signs: str) -> str:
    """Two words with a number and a sign, the house style of many companies."""
    number = chance.randint(11, 9899)
    return f"{word(chance).title()}{chance.choice(signs)}{word(chance).title()}{number}"


def _generated(chance: Random, signs: str) -> str:
    """The password a password manager makes."""
    length = chance.choice((14, 16, 20, 24))
    inner = letters(chance, ALNUM + ALNUM + signs, length - 3)
    return f"{chance.choice(LOWER)}{inner}{chance.choice(DIGITS)}{chance.choice(UPPER)}"


def password(chance: Random) -> str:
    """A strong password that may hold any sign but quotes, backslashes and dollars."""
    return chance.choice((_leet, _two_words, _generated))(chance, SIGNS)


def tame(chance: Random) -> str:
    """A strong password that needs no quotes in a shell, no escape in a URL or in XML."""
    return chance.choice((_leet, _two_words, _generated))(chance, TAME)


def passphrase(chance: Random) -> str:
    """Five words, with blanks between them or dashes."""
    return chance.choice((" ", "-")).join(word(chance) for _ in range(5))


def uuid(chance: Random) -> str:
    """A random UUID, version 4."""
    drawn = letters(chance, HEX, 30)
    variant = chance.choice("89ab")
    return f"{drawn[:8]}-{drawn[8:12]}-4{drawn[12:15]}-{variant}{drawn[15:18]}-{drawn[18:]}"


def checked(prefix: str, length: int) -> Value:
    """A token whose last six signs are the CRC-32 of the part before them, in base 62."""

    def drawn(chance: Random) -> str:
        body = letters(chance, ALNUM, length - 6)
        number, tail = zlib.crc32(body.encode()), ""
        while number:
            number, rest = divmod(number, 62)
            tail = ALNUM[rest] + tail
        return prefix + body + tail.rjust(6, "0")

    return drawn


def unpadded(data: bytes) -> str:
    """Bytes in the URL-safe base64 of JSON web tokens."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def jwt(chance: Random) -> str:
    """A signed JSON web token of a person or a service."""
    algorithm, size = chance.choice((("HS256", 32), ("RS256", 256), ("ES256", 64)))
    header: dict[str, object] = {"alg": algorithm, "typ": "JWT"}
    if algorithm != "HS256":
        header["kid"] = letters(chance, HEX, 16)
    issued = chance.randint(1_690_000_000, 1_790_000_000)
    claims = {"sub": uuid(chance), "iss": f"https://auth.{word(chance)}.io/", "iat": issued}
    claims["scope"] = chance.choice(("read write", "admin", "openid profile offline_access"))
    parts = [json.dumps(part, separators=(",", ":")).encode() for part in (header, claims)]
    return ".".join([*map(unpadded, parts), unpadded(chance.randbytes(size))])


def login(chance: Random) -> str:
    """A name and a password, as basic authentication joins them."""
    return f"{word(chance)}:{password(chance)}"


def opaque(chance: Random) -> str:
    """A token that tells nothing of its issuer."""
    return letters(chance, *chance.choice(((HEX, 40), (ALNUM, 36), (URLSAFE, 43))))
