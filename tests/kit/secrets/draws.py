"""Values drawn from a seeded source, after forms: `r8_<alnum:37>` is `r8_` and 37 drawn letters.

`<bytes:32>` are so many bytes in base64; a name without a number, as `<jwt>`, is one of DRAWN.
"""

import base64
import html
import json
import re
from collections.abc import Callable
from random import Random
from textwrap import wrap
from urllib.parse import quote

Value = Callable[[Random], str]
DIGITS = "0123456789"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOWER = UPPER.lower()
ALNUM = DIGITS + UPPER + LOWER
ALPHABETS = {
    "alnum": ALNUM,
    "base32": UPPER + "234567",
    "base64": ALNUM + "+/",
    "bech32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "digits": DIGITS,
    "hex": DIGITS + "abcdef",
    "HEX": DIGITS + "ABCDEF",
    "lower": LOWER,
    "lownum": DIGITS + LOWER,
    "signs": ALNUM + "!@#%^&*(-_=+)",
    "upnum": DIGITS + UPPER,
    "upper": UPPER,
    "urlsafe": ALNUM + "-_",
}
_FORM = re.compile(r"<(\w+)(?::(\d+))?>")

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


def drawn(form: str, chance: Random) -> str:
    """A form with everything in it drawn; a tag, as `<server>`, stays.

    Raises KeyError for a size of an alphabet nobody knows.
    """

    def one(found: re.Match[str]) -> str:
        name, size = found[1], found[2]
        if size is None:
            return DRAWN[name](chance) if name in DRAWN else found[0]
        if name == "bytes":
            return _base64(chance.randbytes(int(size)))
        return letters(chance, ALPHABETS[name], int(size))

    return _FORM.sub(one, form)


def base64_lines(size: int, lead: str = "", width: int = 64) -> Value:
    """Random bytes behind a lead in hexadecimal, `size` in all, in lines of base64."""
    first = bytes.fromhex(lead)
    return lambda chance: "\n".join(
        wrap(_base64(first + chance.randbytes(size - len(first))), width)
    )


def _base64(data: bytes) -> str:
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
    inner = letters(chance, ALNUM + ALNUM + signs, chance.choice((14, 16, 20, 24)) - 3)
    return f"{chance.choice(LOWER)}{inner}{chance.choice(DIGITS)}{chance.choice(UPPER)}"


def password(chance: Random, signs: str = SIGNS) -> str:
    """A strong password that may hold any sign but quotes, backslashes and dollars."""
    return chance.choice((_leet, _two_words, _generated))(chance, signs)


def tame(chance: Random) -> str:
    """A strong password that needs no quotes in a shell, no escape in a URL or in XML."""
    return password(chance, TAME)


def uuid(chance: Random) -> str:
    """A random UUID, version 4."""
    variant = chance.choice("89ab")
    return drawn(f"<hex:8>-<hex:4>-4<hex:3>-{variant}<hex:3>-<hex:12>", chance)


def unpadded(data: bytes) -> str:
    """Bytes in the URL-safe base64 of JSON web tokens."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def jwt(chance: Random) -> str:
    """A signed JSON web token of a person or a service."""
    algorithm, size = chance.choice((("HS256", 32), ("RS256", 256), ("ES256", 64)))
    header = {"alg": algorithm, "typ": "JWT"}
    claims = {"sub": uuid(chance), "iss": f"https://auth.{word(chance)}.io/", "scope": "admin"}
    parts = [json.dumps(part, separators=(",", ":")).encode() for part in (header, claims)]
    return ".".join([*map(unpadded, parts), unpadded(chance.randbytes(size))])


def _saml(chance: Random) -> str:
    """A signed answer of an identity provider, which signs in whoever posts it."""
    return drawn(
        '<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_<uuid>">'
        "<ds:SignatureValue><bytes:256></ds:SignatureValue>"
        "<saml:NameID><digits:4></saml:NameID></samlp:Response>",
        chance,
    )


# Name in a form → what draws it.
DRAWN: dict[str, Value] = {
    "encoded": lambda chance: _base64(password(chance).encode()),
    "jwt": jwt,
    "login": lambda chance: _base64(f"{word(chance)}:{password(chance)}".encode()),
    "opaque": lambda chance: drawn(
        chance.choice(("<hex:40>", "<alnum:36>", "<urlsafe:43>")), chance
    ),
    "passphrase": lambda chance: chance.choice((" ", "-")).join(word(chance) for _ in range(5)),
    "password": password,
    "pem": lambda chance: base64_lines(1218, "308204be")(chance).replace("\n", "\\n"),
    "percent": lambda chance: quote(password(chance), safe=""),
    "saml": lambda chance: quote(_base64(_saml(chance).encode()), safe=""),
    "tame": tame,
    "url": lambda chance: quote(password(chance, chance.choice((TAME, SIGNS))), safe="+~"),
    "uuid": uuid,
    "word": word,
    "xml": lambda chance: html.escape(password(chance)),
}
