"""Rules for secrets in arguments of commands and calls and in SQL, and for hashes of passwords."""

from __future__ import annotations

from loom.lazy import lazy_re
from loom.redact.likely_secrets import is_hand_made, is_placeholder, is_random_looking
from loom.redact.secret_rule import SecretRule

_VALUE = (
    r"""(?:"(?P<secret_a>[^"\n]{4,400}+)"|'(?P<secret_b>[^'\n]{4,400}+)'"""
    r"""|(?P<secret_c>[^\s"'`|;&<>\\]{6,400}+))"""
)
_DOTTED = lazy_re(r"[a-z_][a-z0-9_]*(?:\.[A-Za-z_]\w*)+")


def is_argument(lead: str, value: str) -> bool:
    """Return True for an argument that looks like a password: no option, variable or placeholder.
    `lead` is unused."""
    return (
        not is_placeholder(value)
        and value[:1] not in "-$<{/"
        and " " not in value
        and (is_random_looking(value, 0.12, 6) or is_hand_made(value))
    )


def is_call_password(lead: str, value: str) -> bool:
    """Return True for a string in a call such as `login("…")` that looks like a password and not
    like a dotted name. `lead` is unused."""
    if _DOTTED.fullmatch(value) or " " in value.strip():
        return False
    return is_random_looking(value, 0.3, 8) or is_hand_made(value)


# (programs, what stands before the password in their arguments), by their manuals of 2026.
_PROGRAMS = (
    ("mysql|mariadb|mycli", r"[ ](?:-p|--password=)"),
    ("mongosh|mongo|cypher-shell|cqlsh|clickhouse-client", r"[ ](?:-p[ ]?|--?pass(?:word)?[ =])"),
    ("redis-cli|valkey-cli|keydb-cli", r"[ ](?:-a|--pass)[ ]"),
    ("sqlcmd|bcp|isql|mosquitto_pub|mosquitto_sub|ipmitool", r"[ ]-P[ ]?"),
    ("sshpass", r"[ ]-p[ ]?"),
    (
        "curl|http|https|wget|xh",
        r"[ ](?:-u|--user|-a|--auth|--proxy-user|-U)[ =]?[\"']?[^\s:\"']{1,80}:",
    ),
    ("openssl|keytool", r"[ ](?:-K|-pass(?:in|out)?|-k|-(?:src|dest)?storepass)[ ](?:pass:)?"),
    ("7z|7za|zip|unzip|rar|unrar", r"[ ](?:-p|-P[ ]?|-hp)"),
    ("oathtool", r"[ ]-b[ ]"),
)
# (words that begin the match, what stands between them and the password), without any option
_PLAIN = (
    ("kinit ", r"[^\n]{1,120}<<<[ ]?"),
    ("chpasswd ", r"[^\n]{0,40}<<<[ ]?[\"']?[\w.-]{1,40}:"),
    ("echo ", r"[\"']?[\w.-]{1,40}:(?=[^\n]{4,200}chpasswd)"),
    ("requirepass ", ""),
    ("stats auth ", r"\S{1,60}:"),
    ("genkey", r"[^\n]{0,60}\n"),
)
_CALLS = ("login", "auth", "auth=", "connect", "credential", "account", "sign_in", "create_user")

COMMANDS: tuple[SecretRule, ...] = (
    *(
        SecretRule(
            "password",
            rf"(?<![A-Za-z0-9])(?:{programs})(?:\.exe)?[^\n|;]{{0,160}}?{before}{_VALUE}",
            tuple(programs.split("|")),
            is_argument,
            "options",
        )
        for programs, before in _PROGRAMS
    ),
    *(
        SecretRule(  # whatever the program: who logs in, then with what
            "password",
            rf"[ ]{user}[ =]?\S{{1,80}}[ ](?:[^\n|;]{{0,80}}?[ ])?-(?:p|P|w)[ ]{_VALUE}",
            (f" {user}",),
            is_argument,
            "options",
        )
        for user in ("-u", "-U", "-D", "--user", "--username")
    ),
    *(
        SecretRule("password", f"{words}{between}{_VALUE}", (words,), is_argument, "folded")
        for words, between in _PLAIN
    ),
    SecretRule(
        "password",
        r"(?<![^\s\"'`=,(\[])--?[a-z-]{0,24}(?:pass(?:word|wd|phrase)?|pwd|token|secret|api-?key"
        r"|access-?key|auth-?key|private-?key|client-?secret|secret-?key)(?:[ =]|[ ]{2,8})"
        + _VALUE,
        ("pass", "pwd", "token", "secret", "key"),
        is_argument,
        "options",
    ),
    SecretRule(  # SQL
        "password",
        r"identified[ ](?:with[ ]\S{1,40}[ ])?(?:by|as)[ ]?(?:=[ ]?)?(?:password)?"
        r"\(?[ ]?n?['\"](?P<secret>[^'\"\n]{4,200}+)['\"]",
        ("identified",),
        is_argument,
        "folded",
    ),
    SecretRule(  # echo … | program --password-stdin; by the words behind it, which are rarer
        "password",
        r"(?=[ep])(?<![A-Za-z0-9])(?:echo|printf)[^\n|;]{0,160}?[ ](?:-n[ ])?(?=[^\n]{4,200}"
        r"(?:--(?:password-stdin|passphrase-fd|stdin)|\|[ ]?sudo[ ](?:-\S{1,40}[ ]){0,4}-\w*S))"
        + _VALUE,
        ("--password-stdin", "--passphrase-fd", "--stdin", "sudo -", "sudo --"),
        is_argument,
        "lines",
    ),
    SecretRule(
        "password",  # a line of .pgpass
        r"(?<![\w.*-])[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,63}:[\w*.-]{1,63}:"
        r"(?P<secret>[^\s:\"'\\`]{6,200}+)(?=[\s\"'\\`]|$)",
        (":5432:", ":5433:", ":6543:", ":6432:", ":*:"),
        is_argument,
        "lines",
    ),
    *(
        SecretRule(  # login("user", "password")
            "password",
            rf"{name}[a-z_]{{0,20}}\((?:[^,()\n]{{1,80}},\s?){{1,2}}"
            r"['\"](?P<secret>[^'\"\n]{6,80}+)['\"]",
            (name,),
            is_call_password,
            "folded",
            3,
        )
        for name in _CALLS
    ),
    SecretRule(
        "password-hash",
        r"\$(?:[1-6]|apr1|2[abxy]|y|argon2(?:id|i|d))\$[^\s:'\"`]{0,90}\$[./A-Za-z0-9+]{22,130}"
        r"(?![./A-Za-z0-9])",
        ("$apr1$", "$1$", "$5$", "$6$", "$2a$", "$2b$", "$2x$", "$2y$", "$y$", "$argon2"),
        lambda lead, value: len(set(value)) > 12,
        "lines",
    ),
)
