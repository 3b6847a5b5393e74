"""Secrets in HTTP headers and cookies."""

from __future__ import annotations

import re

from loom.lazy import lazy_re
from loom.redact.likely import is_made, is_placeholder, is_token
from loom.redact.rule import SecretRule

_SCHEME = (
    r"(?:basic|bearer|token|apikey|api-key|digest|negotiate|ntlm|key|bot|sso-key|genie-key|splunk"
    r"|pat|oauth|private-token|discordbot|klaviyo-api-key|snowflake token=)[ \t]+[\"']?"
)
_VALUE = r"(?P<secret>[^\s\"'`,;<>{}\\]{8,4000}+)"


_SCHEMED = lazy_re(rf"{_SCHEME}$", re.IGNORECASE)
_NAMED = lazy_re(r"[A-Z][A-Za-z0-9]*(?:-[A-Z0-9]+)+")  # a scheme of another name: AWS4-HMAC-SHA256


def is_credential(lead: str, value: str) -> bool:
    """True for what stands behind a scheme: anything of some length that is no placeholder. Where
    no scheme is before it, it must read as made."""
    if not _SCHEMED.search(lead):
        return is_made(value, 0.25, 12) and is_token(lead, value) and not _NAMED.fullmatch(value)
    if is_placeholder(value) or not is_token(lead, value) or value[:1] in "$%{":
        return False
    return is_made(value, 0.1, 8) or (len(value) >= 16 and any(map(str.isdigit, value)))


HEADERS: tuple[SecretRule, ...] = (
    SecretRule(
        "authorization",
        r"authorization[\"'\]]{0,3}[ \t]{0,4}(?:[:=,]|=>|\()[ \t\\]{0,4}[fb]?[\"'`]{0,2}"
        rf"(?:{_SCHEME})?+{_VALUE}",
        ("authorization",),
        is_credential,
        "folded",
    ),
    SecretRule(
        "bearer",
        r"bearer[ \t]+(?P<secret>[A-Za-z0-9._~+/=-]{20,4000}+)",
        ("bearer",),
        lambda lead, value: is_made(value, 0.25, 20),
        "folded",
    ),
    SecretRule(
        "basic",
        r"basic[ \t]+(?P<secret>[A-Za-z0-9+/]{12,4000}+={0,2})",
        ("basic",),
        lambda lead, value: is_made(value, 0.3, 12) and any(map(str.isupper, value)),
        "folded",
    ),
    SecretRule(
        "cookie",
        r"cookie(?:[\"']?[ \t]{0,2}[:=,]|[ ](?=[\"']))[ \t]{0,2}[\"']?[^=\n]{1,64}="
        r"(?P<secret>[^;\s\"'\\]{16,4000}+)",
        ("cookie",),
        lambda lead, value: is_made(value, 0.25, 16),
        "folded",
    ),
    SecretRule(
        "cookie",  # of those that follow the first, the ones whose names say what they are
        r";[ ]?[\w.-]{0,32}(?:auth|session|sess|sid|token|remember|login|csrf|xsrf)[\w.-]{0,32}="
        r"(?P<secret>[^;\s\"'\\]{12,4000}+)",
        ("auth", "sess", "sid", "token", "remember", "login", "srf"),
        lambda lead, value: is_made(value, 0.25, 12),
        "folded",
    ),
)
