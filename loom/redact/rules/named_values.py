"""Rules for values that a name gives away: `DB_PASSWORD=…`, `"clientSecret": "…"`, `api_key: …`.

A name is a word of the table, with anything before it and up to 32 characters behind it. Then comes
a sign of assignment (`=`, `:`, `=>`, `(`, `>` of a tag, a `value:` beside a `name:`), then the
value, in quotes or up to the next space. The value counts if it does not read as a word, a
placeholder or an expression (`likely_secrets`): in code, anything may stand behind such a name.

Names that contain such a word but name something else (`token_count`, `next_token`) do not count.
"""

from __future__ import annotations

import string
from collections import defaultdict
from collections.abc import Iterable

from loom.lazy import lazy_re
from loom.redact.likely_secrets import is_hand_made, is_random_looking, is_secret_in_sentence
from loom.redact.secret_rule import NEXT, SecretRule

_VERDICT = lazy_re(r"PASS:? +$")


def is_test_verdict(lead: str) -> bool:
    """Return True if `lead` is the "PASS: " of a test run, which a test's name follows."""
    return _VERDICT.match(lead) is not None


def _not_preceded_pattern(words: tuple[str, ...], joints: tuple[str, ...], name: str) -> str:
    """Return a regular expression to append to that of `name`. It fails if one of `words` and one
    of `joints` ("public", "_") come right before the name ("key")."""
    return "".join(rf"(?<!{word}{joint}{name})" for word in words for joint in joints)


# Keys that are public, or keys of a table, of a cache, of a host.
NO_KEY = _not_preceded_pattern(
    (
        *("public", "publishable", "pub", "site", "host", "foreign", "cache", "idempotency"),
        "websocket",
    ),
    ("_", "-", " ", ""),
    "key",
)
# Places in a list, marks of a model's text, what a form is protected by.
NO_TOKEN = _not_preceded_pattern(
    (
        *("page", "continuation", "next", "sync", "cancel", "public_key", "publickey", "end"),
        *("start", "stop", "eos", "csrf"),
    ),
    ("_", "-", ""),
    "token",
)
# `pass` as a verb, and within other words: compass, bypass; what tests do.
NO_PASS = _not_preceded_pattern(
    ("by", "com", "tres", "sur", "under", "over", "im", "tests", "test", "checks", "cases"),
    ("", " "),
    "pass",
)
# A secretion, a secretary.
NO_SECRET = "(?!ions?(?![a-z])|ary|ari|ive)"


def no_type_pattern(name: str) -> str:
    """Return a regular expression to append to that of `name`. It fails if the name ends a type
    (`"AWS::IAM::AccessKey":`)."""
    behind = "".join(rf"(?<!::[a-z]{{{size}}}{name})" for size in range(16))
    return rf"(?:(?![\"']:)|{behind})"


_WORDS = lazy_re(r"[a-z]+\d?(?:_[a-z0-9]+){2,}")  # in code, of a thing
_OF_NAMES = string.ascii_letters + string.digits + "_.-"
_SIGN = lazy_re(r"[:=|>,(-]")
_QUOTES = "\"'`"
_ENDS = r"""\s"'`,;<>(){}\[\]|\\"""
_VALUES = r"""["']{0,8}+(?:[a-z_]{0,16}?value|default)["']{0,8}+[ ]?[:=][ ]?"""
_TYPE = r"(?:[?!]?:[ ]?|[ ])[a-z0-9_\[\]<>.|,&*' ?]{1,40}+"
_TERM = r"[^\n;|? ]{0,60}+"
_ASSIGNS = (
    r"""(?:[?!]?:[ ]?[a-z\[\]<>.|]{1,24}[ ]?=[ ]?|[ ]as[ ]string[ ]?=[ ]?"""  # name: type = value
    rf"""|{_TYPE}=[ ]?(?:\w{{1,20}}\((?:default=)?)?(?=["'`])"""
    r"""|["'`\]]{0,4}[ ]{0,24}[:=][ ]{0,2}(?:new[ ])?[\w.]{1,40}\((?=["'])"""  # name = made(value)
    # name = another or value
    rf"""|["'`\]]{{0,4}}[ ]{{0,4}}[:=]{{1,2}}{_TERM}(?:[|? ]{_TERM}){{0,8}}?[ ]?"""
    r"""(?:\|\||\?\?|[ ]or|\?:)[ ]?(?=["'`])"""
    rf"""|["'`\]\\*]{{0,8}}(?:\[\w{{0,6}}\])?[ \t]{{0,24}}(?:=>|:=|:-|[:=]|->|\|)[ \t]{{0,8}}"""
    rf"""(?:[|>][-+]?\d?[-+]?[ \t]*{NEXT}|(?:!!|&)[a-z]{{1,20}}[ ]{{1,4}}|3d(?=["']))?"""
    rf"""|["'`]{{0,8}}[:,]?[ \t]{{0,4}}(?:{NEXT})?[ \t]{{0,40}}{_VALUES}"""
    rf"""|["'`]{{0,8}}[ ]?[:=]?[ ]?\{{[ ]?(?:{NEXT})?+(?:[^\n}}]{{0,80}}+{NEXT}){{0,3}}{_VALUES}"""
    rf"""|</[a-z]{{1,20}}>(?:{NEXT})?<(?:string|value|data)>(?=[^\s<])"""  # a pair in XML
    r"""|["'`\])]{1,6}\)?\.(?:type|fill|send_?keys|set_?value|val)\((?=["'`])"""  # into a field
    r"""|\]?["'`]{1,3}[ ]?,[ ]?(?=["'`])|["'`]?\((?=["'`])|["']?[ ]?/?>(?:<!\[cdata\[|(?=[^\s<]))"""
    rf"""|["']{NEXT}\d+\)[ ](?=["'])"""  # as redis-cli lists pairs
    r"""|(?<=keys):?[ ]?=?[ ]?\[|[ ]--body[ ]|[ \t]{1,4}(?:\d[ ])?)"""
)
_NEXT = r"[a-z_][\w.-]{1,40}=(?!=)"  # of a form or a query: the next of its fields
_VALUE = (
    r"""(?:[a-z@$]?\\{0,4}"{1,8}(?P<secret_a>[^"\n]{4,4000}+)\""""
    r"""|q{1,2}[{(](?P<secret_e>[^\s{}()]{6,200}+)[})]"""  # of Perl
    r"""|[a-z]?\\{0,4}'{1,8}(?P<secret_b>[^'\n]{4,4000}+)'"""
    rf"""|`(?P<secret_c>[^`\n]{{4,400}}+)`|(?P<secret_d>(?=[^{_ENDS}]{{6}})[^{_ENDS}&]{{0,600}}+"""
    rf"""(?:&(?!{_NEXT})[^{_ENDS}&]{{0,600}}+){{0,40}}+)(?![(\[]))"""
)


# Of a name, what follows its word; then no letter, which would take each way to assign to find out.
_REST = r"[a-z0-9_.]{0,32}+(?:-(?!>)[a-z0-9_.]{0,32}+){0,4}+(?![a-z0-9_.])"
_SIGNS = "=:?!| \t\n-,({/>[]*\\\"'`"  # that may follow a name: of all that assigns, the first


def _assigned_rule(kind: str, name: str, *keywords: str) -> SecretRule:
    """Return a rule for values assigned to a name that contains a certain word, at most 32
    characters before the name's end. `name` is the word's regular expression. Each of its matches
    contains one of `keywords`."""
    pattern = f"{name}{_REST}{_ASSIGNS}{_VALUE}"
    return SecretRule(kind.removeprefix("any-"), pattern, keywords, CHECKS[kind], "folded", 5)


def _ending_rule(kind: str, name: str, *words: str) -> SecretRule:
    """Return a rule for values assigned to a name that ends in one of the short `words`. `name` is
    the regular expression of the words."""
    keywords = tuple(f"{word}{sign}" for word in words for sign in _SIGNS)
    pattern = f"{name}{_ASSIGNS}{_VALUE}"
    return SecretRule(kind.removeprefix("any-"), pattern, keywords, CHECKS[kind], "folded", 5)


def _is_secret_value(lead: str, value: str, odd: float, least: int) -> bool:
    """Return True if a value assigned to a name such as `password` looks random (`odd` and `least`
    are as in `is_random_looking`). The test is stricter if `lead`, the part of the match before the
    value, shows that the value is not quoted, follows only a space, or is in a list."""
    if is_test_verdict(lead):
        value, odd = value.partition("/")[0], max(odd, 0.45)
    quoted = lead[-1:] in _QUOTES
    if quoted and " " in value.strip():
        return False
    if not quoted:
        value = value.strip("*").rstrip(".:?")
    if lead[-1:] in " \t" and not _SIGN.search(lead.lstrip(_OF_NAMES)):  # a space assigns it
        return is_secret_in_sentence(value) and len(value) >= least
    if (
        lead[-1:] == "`" and lead[-2:-1] in " \t" and not is_secret_in_sentence(value)
    ):  # code in a sentence
        return False
    if "," in lead or "(" in lead:  # one of a list, or of a call
        if _WORDS.fullmatch(value):
            return False
        odd, least = max(odd, 0.35), max(least, 8)
    return is_random_looking(value, odd if quoted or _is_setting(lead) else max(odd, 0.3), least)


def _is_setting(lead: str) -> bool:
    """Return True if `lead` begins in capitals, or ends in a name and "=" or ">" as in settings."""
    return (lead[-1:] in "=>" and lead[-2:-1].isalnum()) or lead[:4].isupper()


def is_password(lead: str, value: str) -> bool:
    """Return True for a value that looks random (less so than a key) or made up by a person."""
    if _is_secret_value(lead, value, 0.14, 7):
        return True
    # A sentence may go on with a name behind the word; a row of settings does not.
    return (
        _SIGN.search(lead) is not None
        and not is_test_verdict(lead)
        and is_hand_made(value.strip("*").rstrip("."))
    )


def is_key(lead: str, value: str) -> bool:
    """Return True for a value that looks like a key or token: random, at least ten characters."""
    return _is_secret_value(lead, value, 0.22, 10)


def is_long_key(lead: str, value: str) -> bool:
    """Return True for a value that is very likely a key: very random, at least 20 characters."""
    return _is_secret_value(lead, value, 0.35, 20)


CHECKS = {
    "password": is_password,
    "secret": is_password,
    "token": is_key,
    "key": is_key,
    "any-key": is_long_key,
}
_OF = (
    "api", "access", "private", "account", "auth", "signing", "encryption", "encrypt", "master",
    "shared", "client", "license", "storage", "subscription", "webhook", "consumer", "deploy",
    "admin", "session", "app", "application", "service", "ssh", "rsa", "hmac", "jwt", "aes",
    "crypt", "cipher", "primary", "secondary", "server", "host", "function", "functions", "x",
    "apikey", "map", "maps", "validation", "decryption", "activation", "product", "backup",
    "wallet", "recovery", "unseal", "write", "read", "root", "security", "restricted",
    "management", "ingest", "instrumentation",
)  # fmt: skip


def _preceded_pattern(words: Iterable[str], joints: str, name: str) -> str:
    """Return a regular expression to append to that of `name`. It matches only if one of `words`
    comes right before the name ("apikey"), or before one of the `joints` ("api_key")."""
    ends: dict[str, list[str]] = defaultdict(list)
    for word in words:
        ends[word[-1]].append(word)
    return "|".join(
        rf"(?<={end}{joint}{name})(?:{'|'.join(f'(?<={word}{joint}{name})' for word in same)})"
        for joint in (f"[{joints}]", "")
        for end, same in ends.items()
    )


_BEFORE = _preceded_pattern(_OF, "_. -", "key")
NAMES: tuple[SecretRule, ...] = (
    _assigned_rule("password", r"passw(?:or)?d", "passw"),
    _assigned_rule("password", rf"pass{NO_PASS}(?:phrase|code|wrd)?(?![a-z])", "pass"),
    _assigned_rule("password", r"pwd(?![a-z]{2})", "pwd"),
    _ending_rule("password", r"pw", "pw"),
    _ending_rule("password", r"psk(?<![a-z]psk)", "psk"),
    _assigned_rule("secret", rf"secret{no_type_pattern('secret')}{NO_SECRET}", "secret"),
    _assigned_rule("token", rf"token{NO_TOKEN}", "token"),
    _assigned_rule("key", rf"key(?:{_BEFORE}){no_type_pattern('key')}", "key"),
    _assigned_rule("any-key", rf"key(?<=[a-z_.-]key){NO_KEY}{no_type_pattern('key')}", "key"),
    _assigned_rule("key", r"cred(?:ential)?s?(?![a-z])", "cred"),
    _ending_rule("key", r"auth(?<=[\"'_.-]auth)", "auth"),
    _ending_rule("key", r"pat(?<![a-z]pat)", "pat"),
    _assigned_rule("key", r"dsn(?![a-z])", "dsn"),
)
