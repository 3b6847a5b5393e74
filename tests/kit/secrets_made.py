"""Secrets for tests: some by hand with what stands around them, and one for any rule."""

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from random import Random
from string import ascii_letters, digits
from typing import Any

code: Any = import_module("re._constants")  # which no stub tells of
grammar: Any = import_module("re._parser")
BODY = "a1B2c3D4" * 5
MIXED = "q7Zr2Wk9LxV4tB8nYp3Md6HsJf5CgTeQaRuPiOl0"
MADE = "kV9tq2zLw7Rx"
SECRET = f"sk-ant-{BODY}"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
_LINES = (
    f"MIIEowIBAAKCAQEA{MIXED}x8Zq9Kw2\n{MIXED[::-1]}Vb7nM4cX1sD6fG3hJ0kL5pQ2\nr8T+yU/4iO1eW==\n"
)
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{_LINES}-----END RSA PRIVATE KEY-----"

# By their shape: (kind, what stays before the secret, the secret, what follows).
SHAPED = [
    ("private-key", "key:\n", KEY, "\nend"),
    ("aws-access-token", "id=", "AKIAQ3EGRIJ7XZ5VNWT2", " end"),
    ("github-token", "a ", "ghp_" + MIXED[:36], ", b"),
    ("github-token", "a ", "gho_" + MIXED[:36], ", b"),
    ("github-fine-grained-pat", "a ", f"github_pat_{MIXED[:22]}_{(MIXED * 2)[:59]}", ", b"),
    ("gitlab-token", "'", "glpat-" + MIXED[:20], "'"),
    ("slack-token", "a ", "xoxb-1234567890-" + MIXED[:12], "."),
    ("api-key", "key=", SECRET, ";"),
    ("api-key", "key=", "sk-proj-" + MIXED, ";"),
    ("api-key", "key=", "sk-" + MIXED, ";"),
    ("gcp-api-key", "(", "AIza" + MIXED[:35], ")"),
    ("stripe-access-token", "a ", "rk_test_" + MIXED[:24], " b"),
    ("npm-access-token", "//x/:_t=", "npm_" + MIXED[:36], "\n"),
    ("jwt", "a ", JWT, " b"),
]
# By the name, the header, the address, the command or the heading they stand behind.
PLACED = [
    ("authorization", "Authorization: Bearer ", MIXED[:24], "\nend"),
    ("authorization", "authorization:bearer ", MIXED[:24] + "==", "\nend"),
    ("cookie", "Cookie: session=", MIXED[:32], "\n"),
    ("url-password", "see postgres://me:", "hunter22", "@db/x"),
    ("password", "DB_PASSWORD=", MADE, "\n"),
    ("password", "  password: ", MADE, "\n"),
    ("password", '{"password": "', MADE, '"}'),
    ("password", "mysql -u root -p", MADE, " db"),
    ("password", "curl -u admin:", MADE, " https://x.example"),
    ("password", "user,password\nanna,", MADE, "\n"),
]
EXAMPLES = [*SHAPED, *PLACED]
_POOL = ascii_letters + digits
_SIGNS = "_-.+/=!@#$%&*~ \n\"'`:;,|()[]{}<>?\t"
_DRAWS = 200
# What a rule may look for beside its match: before it, and behind it.
_AROUND = [("", ""), ("https", "@db.example/x"), ("api_", ""), ("x.", ""), (" access ", ".")]
_AROUND += [("jdbc:oracle:thin:me/", "@db"), ("", " | docker login --password-stdin"), ("a-", "")]
_AROUND += [("", " | chpasswd"), ("https://ab.example/", ""), ('"', ""), ("'", "")]
_WHOLE = [
    f"app:{MADE}@tcp(db.example:3306)/shop",
    'the passphrase is "maple river 7 lantern gold"',
    f"https://chat.example.com/webhook/{MIXED}",
    f"jdbc:oracle:thin:me/{MADE}@db.example:1521/x",
    f"{[number * 37 % 251 for number in (*range(60), 3, 5, 7, 9)]}",
]


def drawn(pattern: str, random: Random) -> str:
    """A text that a regular expression may match, drawn; what it looks around for is not in it."""
    groups: dict[int, str] = {}
    return _all(grammar.parse(pattern), random, groups)


def hit(pattern: str, finds: Callable[[str], bool]) -> str:
    """A text in which a rule of this pattern finds a secret; "" when none was drawn."""
    for number in range(_DRAWS):
        text = drawn(pattern, Random(f"{pattern}{number}"))
        for before, after in _AROUND if number % 10 == 9 else _AROUND[:1]:
            if finds(before + text + after):
                return before + text + after
    return next(filter(finds, _WHOLE), "")


def _all(parts: Any, random: Random, groups: dict[int, str]) -> str:
    return "".join(_one(kind, given, random, groups) for kind, given in parts)


def _one(kind: Any, given: Any, random: Random, groups: dict[int, str]) -> str:
    """A text for one part of a regular expression."""
    if kind is code.LITERAL:
        return chr(given)
    if kind in (code.NOT_LITERAL, code.ANY):
        return random.choice([one for one in _POOL if kind is code.ANY or ord(one) != given])
    if kind is code.IN:
        return random.choice([*_of_class(given)])
    if kind in (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT):
        least, most, inner = given
        long = min(most, max(least, random.choice([least, 16, 24])))
        some = random.choice([least, least, min(most, least + 1)])
        times = long if least > 1 or (least == 1 and most >= 60) else some
        return "".join(_all(inner, random, groups) for _ in range(times))
    if kind is code.SUBPATTERN:
        text = _all(given[3], random, groups)
        groups[given[0]] = text
        return text
    if kind is code.ATOMIC_GROUP:
        return _all(given, random, groups)
    if kind is code.BRANCH:
        return _all(random.choice(given[1]), random, groups)
    return groups.get(given, "") if kind is code.GROUPREF else ""


def _of_class(parts: Any) -> Iterator[str]:
    """The characters of a class: letters and digits where it has some, else signs."""
    spelled = re.compile(_spelled(parts))
    letters = [one for one in _POOL if spelled.fullmatch(one)]
    yield from letters or [one for one in _SIGNS if spelled.fullmatch(one)] or _first(parts)


def _first(parts: Any) -> Iterator[str]:
    yield from (chr(given if kind is code.LITERAL else given[0]) for kind, given in parts)


def _spelled(parts: Any) -> str:
    """A class of characters as a regular expression again."""
    names = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
    said = ""
    for kind, given in parts:
        if kind is code.NEGATE:
            said += "^"
        elif kind is code.LITERAL:
            said += re.escape(chr(given))
        elif kind is code.RANGE:
            said += f"{re.escape(chr(given[0]))}-{re.escape(chr(given[1]))}"
        else:
            name = str(given).removeprefix("CATEGORY_")
            sign = names[name.removeprefix("NOT_")]
            said += sign.upper() if name.startswith("NOT_") else sign
    return f"[{said}]"
