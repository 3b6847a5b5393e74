"""Secrets as arguments of commands, and statements that set a password."""

from __future__ import annotations

from loom.redact.likely import is_made, is_placeholder
from loom.redact.rule import SecretRule

_VALUE = r"""(?:"(?P<secret_a>[^"\n]{4,400}+)"|'(?P<secret_b>[^'\n]{4,400}+)'|(?P<secret_c>[^\s"'`|;&<>\\]{6,400}+))"""


def is_argument(lead: str, value: str) -> bool:
    """True for an argument where a password stands: no option, variable, path or placeholder."""
    return (
        not is_placeholder(value)
        and value[:1] not in "-$<{/"
        and " " not in value
        and is_made(value, 0.12, 6)
    )


# (program, what stands before the password in its arguments)
_PROGRAMS = (
    (r"mysql|mariadb", r"[ ](?:-p|--password=)"),
    (r"mongo(?:sh|dump|restore|import|export)?", r"[ ]-p[ ]?"),
    (r"redis-cli", r"[ ](?:-a|--pass)[ ]"),
    (r"sshpass", r"[ ]-p[ ]?"),
    (r"ldap(?:search|modify|add|delete|passwd|whoami)", r"[ ]-w[ ]?"),
    (r"smbclient|rpcclient|smbmap|net|wmic|crackmapexec|evil-winrm", r"[ ](?:-U|-p|-u)[ ]?[^\s%]{1,60}%"),
    (r"smbmap|evil-winrm|crackmapexec|nxc", r"[ ]-p[ ]"),
    (r"docker|podman|helm|oc|az|skopeo|buildah|nerdctl|crane", r"[ ]-p[ ]"),
    (r"curl|http|https|wget|xh", r"[ ](?:-u|--user|-a|--auth|--proxy-user|-U)[ =]?[\"']?[^\s:\"']{1,80}:"),
    (r"openssl|keytool|jarsigner|signtool", r"[ ](?:-pass(?:in|out)?|-k|-storepass|-keypass|/p|-srcstorepass|-deststorepass)[ ](?:pass:)?"),
    (r"htpasswd", r"[ ]-[a-zA-Z]*b[a-zA-Z]*[ ]\S{1,120}[ ]\S{1,60}[ ]"),
    (r"7z|7za|zip|unzip|rar|unrar", r"[ ](?:-p|-P[ ]?|-hp)"),
    (r"sqlcmd|bcp|isql|osql", r"[ ]-P[ ]?"),
    (r"xfreerdp|rdesktop|mstsc|cmdkey", r"[ ](?:/p:|/pass:|-p[ ])"),
    (r"ftp|lftp|sftp|ncftp", r"[ ]-u[ ]?\S{1,60},"),
    (r"snmpwalk|snmpget", r"[ ]-[AX][ ]"),
    (r"clickhouse-client|influx|cqlsh|vsql|rabbitmqctl|rabbitmqadmin|etcdctl|consul|nats", r"[ ](?:-p|--?password|--token|-token)[ =]"),
    (r"echo|printf", r"[ ](?:-n[ ])?(?=[^\n]{4,200}--(?:password-stdin|passphrase-fd|stdin))"),
    (r"gpg|gpg2", r"[ ]--passphrase[ =]"),
)


def _of(program: str, before: str) -> SecretRule:
    words = tuple(program.replace("(?:", "|").replace(")?", "|").split("|"))
    gap = r"[^\n|;]{0,160}?" if before else r"[ ]"
    return SecretRule(
        "password",
        rf"(?<![A-Za-z0-9])(?:{program})(?:\.exe)?{gap}{before}{_VALUE}",
        tuple(word for word in words if word),
        is_argument,
        "options",
    )


# (words that begin the match, what stands between them and the password), without any option
_PLAIN = (
    ("net use", r"r?[ ](?:[^\n]{0,120}?/user:)?\S{1,60}[ ]"),
    ("requirepass ", ""),
    ("masterauth ", ""),
    ("sqlplus ", r"(?:-\S+[ ])?[\"']?[\w$]{1,40}/"),
    ("echo ", r"[\"']?[\w.-]{1,40}:(?=[^\n]{4,200}chpasswd)"),
    ("add_user ", r"\S{1,60}[ ]"),
    ("change_password ", r"\S{1,60}[ ]"),
    ("configure set ", r"\S{0,60}(?:secret|token|key)\S{0,30}[ ]"),
    ("config set ", r"\S{0,80}(?:_authToken|_password|_auth)[ =]"),
    ("vault login ", r"(?:-\S+[ ])*"),
)

COMMANDS: tuple[SecretRule, ...] = (
    *(_of(program, before) for program, before in _PROGRAMS),
    *(
        SecretRule("password", f"{words}{between}{_VALUE}", (words,), is_argument)
        for words, between in _PLAIN
    ),
    SecretRule(
        "password",
        r"--?[a-z-]{0,24}(?:pass(?:word|wd|phrase)?|pwd|token|secret|api-?key|access-?key|auth-?key"
        rf"|private-?key|client-?secret|secret-?key)(?:[ =]|[ ]{{2,8}}){_VALUE}",
        ("pass", "pwd", "token", "secret", "key"),
        is_argument,
        "options",
    ),
    SecretRule(
        "password",  # ENV and ARG of a Dockerfile, setx, machine … password of a .netrc
        r"(?:(?:env|arg|setx?)[ \t]{1,4}[a-z0-9_]{0,40}(?:pass(?:word|wd)?|pwd|token|secret|key|auth)"
        rf"[a-z0-9_]{{0,20}}|password|passwd)[ \t]{{1,4}}{_VALUE}",
        ("env ", "arg ", "set ", "setx ", "password", "passwd"),
        lambda lead, value: is_argument(lead, value) and is_made(value, 0.25, 8),
        "folded",
    ),
    SecretRule(
        "password",  # SQL
        r"(?:identified[ ](?:with[ ]\S{1,40}[ ])?(?:by|as)|(?:encrypted[ ])?password(?:[ ]for[ ][^=\n]{1,80}=)?)"
        r"[ ]?(?:=[ ]?)?(?:password)?\(?[ ]?n?['\"](?P<secret>[^'\"\n]{4,200}+)['\"]",
        ("identified", "password"),
        is_argument,
        "folded",
    ),
    SecretRule(
        "password",  # a line of .pgpass
        r"(?m:^[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,63}:[\w*.-]{1,63}:(?P<secret>[^\s:]{6,200}+)$)",
        (":",),
        is_argument,
    ),
    SecretRule(
        "password",
        r"(?:tosecurestring|securestring|pass:)[ ]?[\"']?(?P<secret>[^\s\"']{6,200}+)",
        ("securestring", "pass:"),
        is_argument,
        "folded",
    ),
)
