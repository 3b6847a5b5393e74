"""Secrets as arguments of commands, and statements that set a password."""

from __future__ import annotations

from loom.lazy import lazy_re
from loom.redact.likely import is_hand_made, is_made, is_placeholder, is_told, is_worded
from loom.redact.rule import SecretRule

_VALUE = (
    r"""(?:"(?P<secret_a>[^"\n]{4,400}+)"|'(?P<secret_b>[^'\n]{4,400}+)'"""
    r"""|(?P<secret_c>[^\s"'`|;&<>\\]{6,400}+))"""
)


def is_argument(lead: str, value: str) -> bool:
    """True for an argument where a password stands: no option, variable, path or placeholder."""
    return (
        not is_placeholder(value)
        and value[:1] not in "-$<{/"
        and " " not in value
        and (is_made(value, 0.12, 6) or is_hand_made(value))
    )


def is_bare_argument(lead: str, value: str) -> bool:
    """True for an argument that follows a word anybody may say: it must read as no word."""
    return is_argument(lead, value) and is_told(value)


def is_login(lead: str, value: str) -> bool:
    """True for a password given to a program that takes nothing else there."""
    return is_argument(lead, value) or is_worded(value)


def is_given(lead: str, value: str) -> bool:
    """True for a password given to a call, and no dotted name of a class or a module."""
    if _DOTTED.fullmatch(value) or " " in value.strip():
        return False
    return is_made(value, 0.3, 8) or is_hand_made(value)


_DOTTED = lazy_re(r"[a-z_][a-z0-9_]*(?:\.[A-Za-z_]\w*)+")
# (program, what stands before the password in its arguments); first of clients of databases, by
# their manuals of 2026: nothing else stands there, so words count too.
_CLIENTS = (
    (r"mysql|mariadb|mycli", r"[ ](?:-p|--password=)"),
    (
        r"mongo(?:sh|dump|restore|import|export)?|cypher-shell|cqlsh|clickhouse-client|influx",
        r"[ ](?:-p[ ]?|--?pass(?:word)?[ =])",
    ),
    (r"redis-cli|valkey-cli|keydb-cli", r"[ ](?:-a|--pass)[ ]"),
    (r"sqlcmd|bcp|isql|osql|mosquitto_pub|mosquitto_sub|ipmitool", r"[ ]-P[ ]?"),
)
_PROGRAMS = (
    *_CLIENTS,
    (r"sshpass", r"[ ]-p[ ]?"),
    (
        r"smbclient|rpcclient|smbmap|net|wmic|crackmapexec|evil-winrm",
        r"[ ](?:-U|-p|-u)[ ]?[^\s%]{1,60}%",
    ),
    (r"docker|podman|helm|oc|az|skopeo|buildah|nerdctl|crane", r"[ ]-p[ ]"),
    (
        r"curl|http|https|wget|xh",
        r"[ ](?:-u|--user|-a|--auth|--proxy-user|-U)[ =]?[\"']?[^\s:\"']{1,80}:",
    ),
    (
        r"openssl|keytool|jarsigner|signtool",
        r"[ ](?:-pass(?:in|out)?|-k|-(?:src|dest)?storepass|-keypass|/p)[ ](?:pass:)?",
    ),
    (r"htpasswd", r"[ ]-[a-zA-Z]*b[a-zA-Z]*[ ]\S{1,120}[ ]\S{1,60}[ ]"),
    (r"7z|7za|zip|unzip|rar|unrar", r"[ ](?:-p|-P[ ]?|-hp)"),
    (r"xfreerdp|rdesktop|mstsc|cmdkey", r"[ ](?:/p:|/pass:|-p[ ])"),
    (r"vsql|rabbitmqctl|etcdctl|consul|nats", r"[ ](?:-p|--?password|--token|-token)[ =]"),
    (r"oathtool", r"[ ]-b[ ]"),
    (r"openssl", r"[ ]-K[ ]"),
    (r"ssh-keygen|ssh-add", r"[ ]-[NP][ ]"),
)


_LOGINS = {
    *(program for program, _ in _CLIENTS),
    *(program for program, _ in _PROGRAMS if program.startswith(("curl", "sshpass"))),
}


def _of(program: str, before: str) -> SecretRule:
    gap = r"[^\n|;]{0,160}?" if before else r"[ ]"
    return SecretRule(
        "password",
        rf"(?<![A-Za-z0-9])(?:{program})(?:\.exe)?{gap}{before}{_VALUE}",
        is_login if program in _LOGINS else is_argument,
    )


# (words that begin the match, what stands between them and the password), without any option
_PLAIN = (
    ("net use", r"r?[ ](?:[^\n]{0,120}?/user:)?\S{1,60}[ ]"),
    ("kinit ", r"[^\n]{1,120}<<<[ ]?"),
    ("chpasswd ", r"[^\n]{0,40}<<<[ ]?[\"']?[\w.-]{1,40}:"),
    ("secret", r"[a-z-]{0,20}[ ][^\n]{0,160}?[ ]--(?:value|secret-string|body)[ =]"),
    ("(?:requirepass|masterauth|snmp-server community) ", ""),
    ("stats auth ", r"\S{1,60}:"),
    ("config set ", r"(?:--\S{1,20}[ ])?\S{1,80}[ ]\S{1,40}:"),
    ("genkey", r"[^\n]{0,60}\n"),
    ("(?:sqlplus|impdp|expdp) ", r"(?:-\S+[ ])?[\"']?[\w$]{1,40}/"),
    ("echo ", r"[\"']?[\w.-]{1,40}:(?=[^\n]{4,200}chpasswd)"),
    ("(?:add_user|change_password) ", r"\S{1,60}[ ]"),
    ("config set ", r"\S{0,80}(?:_authToken|_password|_auth)[ =]"),
    ("vault login ", r"(?:-\S+[ ])*"),
)

COMMANDS: tuple[SecretRule, ...] = (
    *(_of(program, before) for program, before in _PROGRAMS),
    SecretRule(  # whatever the program: who logs in, then with what
        "password",
        r"[ ](?:-[uUD]|--user(?:name)?)[ =]?\S{1,80}[ ](?:[^\n|;]{0,80}?[ ])?-(?:p|P|w)[ ]"
        f"{_VALUE}",
        is_argument,
    ),
    SecretRule(  # a data source in pairs: host=db user=app password=…
        "password",
        r"(?i)(?:host|server|data source|driver|database|dbname|user(?: id)?|uid|port)="
        rf"[^\n]{{0,200}}?[;\s&?'\"](?:password|pwd)=\{{?{_VALUE}",
        is_login,
    ),
    *(
        SecretRule("password", f"(?i){words}{between}{_VALUE}", is_argument)
        for words, between in _PLAIN
    ),
    SecretRule(
        "password",
        r"(?<![^\s\"'`=,(\[])--?[a-z-]{0,24}(?:pass(?:word|wd|phrase)?|pwd|token|secret"
        rf"|(?:api|access|auth|private|secret)-?key)(?:[ =]|[ ]{{2,8}}){_VALUE}",
        is_argument,
    ),
    SecretRule(  # ENV and ARG of a Dockerfile, setx
        "password",
        r"(?i)(?:env|arg|setx?)[ \t]{1,4}[a-z0-9_]{0,40}"
        rf"(?:pass(?:word|wd)?|pwd|token|secret|key|auth)[a-z0-9_]{{0,20}}[ \t]{{1,4}}{_VALUE}",
        is_bare_argument,
    ),
    SecretRule(  # SQL
        "password",
        r"(?i)(?:identified[ ](?:with[ ]\S{1,40}[ ])?(?:by|as)|password(?:[ ]for[ ][^=\n]{1,80}=)?)"
        r"[ ]?(?:=[ ]?)?(?:password)?\(?[ ]?n?['\"](?P<secret>[^'\"\n]{4,200}+)['\"]",
        is_argument,
    ),
    SecretRule(  # echo … | program --password-stdin; by the words behind it, which are rarer
        "password",
        r"(?=[ep])(?<![A-Za-z0-9])(?:echo|printf)[^\n|;]{0,160}?[ ](?:-n[ ])?(?=[^\n]{4,200}"
        r"(?:--(?:password-stdin|passphrase-fd|stdin)|\|[ ]?sudo[ ](?:-\S{1,40}[ ]){0,4}-\w*S))"
        rf"{_VALUE}",
        is_argument,
    ),
    SecretRule(  # a line of .pgpass
        "password",
        r"(?<![\w.*-])[\w.*-]{1,100}:(?:543[23]|6432|6543|\*):[\w*-]{1,63}:[\w*.-]{1,63}:"
        r"(?P<secret>[^\s:\"'\\`]{6,200}+)(?=[\s\"'\\`]|$)",
        is_argument,
    ),
    SecretRule(  # login("user", "password")
        "password",
        r"(?i)(?:login|auth=?|connect|credential|sign_?in|account|pdo|create_?user)[a-z_]{0,20}"
        r"\((?:[^,()\n]{1,80},\s?){1,2}['\"](?P<secret>[^'\"\n]{6,80}+)['\"]",
        is_given,
    ),
    SecretRule(  # of a secret of Kubernetes
        "password",
        rf"--from-literal[= ][\"']?[\w.-]{{1,80}}={_VALUE}",
        lambda lead, value: is_argument(lead, value) and is_made(value, 0.25, 8),
    ),
    SecretRule(  # of a login of Windows, as its dumps have it
        "password-hash", r":\d{1,8}:[0-9a-fA-F]{32}:(?P<secret>[0-9a-fA-F]{32}):::"
    ),
    SecretRule(  # of a form
        "password",
        rf"(?i)form-data; name=\"?[\w-]{{0,40}}(?:pass|pwd|secret|token|key)[\w-]{{0,20}}\"?"
        rf"(?:\r?\n){{2}}{_VALUE}",
        is_argument,
    ),
    SecretRule(  # what stands beside the id of an access key
        "aws-secret-access-key",
        r"(?:AKIA|ASIA)[A-Z0-9]{16}[\"']?[\s,;:|]{1,8}[\"']?(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        lambda lead, value: is_made(value, 0.3, 40),
    ),
)
