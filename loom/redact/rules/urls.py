"""Rules for secrets in addresses (passwords, signed links, webhooks), HTTP headers and cookies."""

from __future__ import annotations

import re

from loom.lazy import lazy_re
from loom.redact.likely_secrets import (
    WORDS,
    is_placeholder,
    is_provider_token,
    is_random_looking,
    strange_share,
)
from loom.redact.secret_rule import SecretRule

_SCHEME = (
    r"(?:basic|bearer|token|apikey|api-key|digest|negotiate|ntlm|key|bot|sso-key|genie-key|splunk"
    r"|pat|oauth|private-token|discordbot|klaviyo-api-key|snowflake token=)[ \t]+[\"']?"
)
_VALUE = r"(?P<secret>[^\s\"'`,;<>{}\\]{8,4000}+)"


_SCHEMED = lazy_re(rf"{_SCHEME}$", re.IGNORECASE)
_NAMED = lazy_re(r"[A-Z][A-Za-z0-9]*(?:-[A-Z0-9]+)+")  # a scheme of another name: AWS4-HMAC-SHA256


def is_credential(lead: str, value: str) -> bool:
    """Return True for a value of an Authorization header that looks random or, after a scheme
    ("Bearer"), has 16 characters with a digit and is no placeholder."""
    if not _SCHEMED.search(lead):
        return (
            is_random_looking(value, 0.25, 12)
            and is_provider_token(lead, value)
            and not _NAMED.fullmatch(value)
        )
    if is_placeholder(value) or not is_provider_token(lead, value) or value[:1] in "$%{":
        return False
    return is_random_looking(value, 0.1, 8) or (len(value) >= 16 and any(map(str.isdigit, value)))


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
        lambda lead, value: is_random_looking(value, 0.25, 20),
        "folded",
    ),
    SecretRule(
        "basic",
        r"basic[ \t]+(?P<secret>[A-Za-z0-9+/]{12,4000}+={0,2})",
        ("basic",),
        lambda lead, value: is_random_looking(value, 0.3, 12) and any(map(str.isupper, value)),
        "folded",
    ),
    SecretRule(
        "cookie",
        r"cookie(?:[\"']?[ \t]{0,2}[:=,]|[ ](?=[\"']))[ \t]{0,2}[\"']?[^=\n]{1,64}="
        r"(?P<secret>[^;\s\"'\\]{16,4000}+)",
        ("cookie",),
        lambda lead, value: is_random_looking(value, 0.25, 16),
        "folded",
    ),
    SecretRule(
        "cookie",  # of those that follow the first, the ones whose names say what they are
        r";[ ]?[\w.-]{0,32}(?:auth|session|sess|sid|token|remember|login|csrf|xsrf)[\w.-]{0,32}="
        r"(?P<secret>[^;\s\"'\\]{12,4000}+)",
        ("auth", "sess", "sid", "token", "remember", "login", "srf"),
        lambda lead, value: is_random_looking(value, 0.25, 12),
        "folded",
    ),
)


_ORDINARY = lazy_re(
    r"pass(?:word|wd)?|pw|pwd|secret|user(?:name)?|test(?:ing)?|example|guest|admin|root|token|foo"
    r"|bar|postgres(?:ql)?|mysql|mongo(?:db)?|redis|rabbitmq|changeme|my[-_]?pass(?:word)?|x{2,}"
    r"|my[-_]?secret|pass(?:word)?123|123456?7?8?|letmein|api[-_]?key|default|some\w*|your\w*|\W+"
    r"|p[a@]ss(?:w[o0]rd)?\d*|xyz|abc(?:123)?|credentials?|key|x-oauth-basic|oauth2|nopassword",
    re.IGNORECASE,
)


def is_url_password(lead: str, value: str) -> bool:
    """Return True for a value that looks like the password in `scheme://user:password@host`: not
    the user's name, with which `lead` ends, and no word that documents write there (`changeme`)."""
    user = lead.rstrip(":").rpartition("/")[2]
    if value.isalpha() and len(value) < 12 and strange_share(value) < 0.3:
        return False
    if len(WORDS.sub("", value).replace("%20", "")) < 3:
        return False
    return (
        not _ORDINARY.fullmatch(value)
        and value.lower() != user.lower()
        and not is_placeholder(value + "abcde")
        and "%s" not in value
    )


def is_parameter(lead: str, value: str) -> bool:
    """Return True for the value of a URL parameter that looks random."""
    if is_random_looking(value, 0.2, 12):
        return True
    cased = any(map(str.isupper, value)) and any(map(str.islower, value))
    return len(value) >= 12 and cased and is_random_looking(value, 0.3, 6)


_PARAMETERS = (
    r"(?:x-(?:amz|goog|ms|oss)-)?(?:security-token|signature|sig|key|token|auth|code|access(?:[_-]?"
    r"(?:token|key))?|api[_-]?key|apikey|client[_-]?secret|password|pwd|secret|hmac|sv_token|jwt"
    r"|credential|session|sid|ticket|private[_-]token|appid|subscription-key|st|s)="
    r"(?P<secret>[^\s&\"'<>#;,)\]}\\]{12,2000}+)"
)
# One of these is in each of them; the names of a letter or two with what stands before.
_PARAMETER_ENDS = (
    *("token=", "signature=", "sig=", "key=", "auth=", "code=", "access=", "secret=", "password="),
    *("pwd=", "hmac=", "jwt=", "credential=", "session=", "sid=", "ticket=", "appid="),
    *(f"{before}{name}=" for name in ("s", "st") for before in "?&;"),
)
URLS: tuple[SecretRule, ...] = (
    SecretRule(
        "url-password",  # of several @ the last one is before the host, and a digest is no host
        r"""://(?<=[A-Za-z0-9+.-]{2}://)[^\s:/@"'`<>\[\]]{0,100}:"""
        r"""(?P<secret>(?:[^\s:/"'`<>\[\]]|'(?=\w)){3,1000})(?=@(?!sha\d{1,3}:))""",
        ("://",),
        is_url_password,
        "lines",
    ),
    SecretRule(
        "url-password",  # Go's data sources for MySQL: user:password@tcp(host)/database
        r"""\b[\w.+-]{1,64}:(?P<secret>[^\s:/@"'`<>\[\]()]{3,1000}+)(?=@(?:tcp6?|udp|unix)\()""",
        ("@tcp", "@udp", "@unix"),
        is_url_password,
        "lines",
    ),
    *(
        SecretRule("url-parameter", before + _PARAMETERS, _PARAMETER_ENDS, is_parameter, "folded")
        for before in (r"\?", "&", ";")
    ),
    SecretRule(
        "slack-webhook-url",
        r"hooks\.slack\.com/(?P<secret>(?:services|workflows|triggers)/[A-Za-z0-9+/]{20,120}+)",
        ("hooks.slack.com",),
        is_provider_token,
        "lines",
    ),
    SecretRule(
        "discord-webhook-url",
        r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(?P<secret>\d{15,22}/[A-Za-z0-9_-]{50,90}+)",
        ("/webhooks/",),
        is_provider_token,
        "lines",
    ),
    SecretRule(
        "microsoft-teams-webhook",
        r"office\.com/webhook(?:b2)?/(?P<secret>[A-Za-z0-9@/-]{40,300}+)",
        ("office.com/webhook",),
        is_provider_token,
        "lines",
    ),
    *(
        SecretRule(
            "webhook-url",
            rf"{host}/(?P<secret>[A-Za-z0-9_/?=&-]{{16,300}}+)",
            (host.replace("\\", "").partition("[")[0].partition("(")[0],),
            lambda lead, value: is_random_looking(value, 0.25, 16),
            "lines",
        )
        for host in (r"chat\.googleapis\.com/v1/spaces", r"/hooks(?:/incoming)?", r"/webhook(?:s)?")
    ),
)
