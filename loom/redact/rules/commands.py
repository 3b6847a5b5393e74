"""Secrets as arguments of commands, and statements that set a password."""

from __future__ import annotations

from loom.lazy import lazy_re
from loom.redact.likely import is_hand_made, is_made, is_placeholder, is_told
from loom.redact.rule import NEXT, SecretRule
from loom.redact.rules.worded import is_worded

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
    (r"ftp|lftp|sftp|ncftp", r"[ ]-u[ ]?\S{1,60},"),
    (r"snmpwalk|snmpget", r"[ ]-[AX][ ]"),
    (r"vsql|rabbitmqctl|etcdctl|consul|nats", r"[ ](?:-p|--?password|--token|-token)[ =]"),
    (r"oathtool", r"[ ]-b[ ]"),
    (r"openssl", r"[ ]-K[ ]"),
    (r"rootpw", r"[ ]--plaintext[ ]"),
    (r"ssh-keygen|ssh-add", r"[ ]-[NP][ ]"),
)


_LOGINS = {
    *(program for program, _ in _CLIENTS),
    *(program for program, _ in _PROGRAMS if program.startswith(("curl", "sshpass"))),
}


def _of(program: str, before: str) -> SecretRule:
    words = tuple(program.replace("(?:", "|").replace(")?", "|").split("|"))
    gap = r"[^\n|;]{0,160}?" if before else r"[ ]"
    return SecretRule(
        "password",
        rf"(?<![A-Za-z0-9])(?:{program})(?:\.exe)?{gap}{before}{_VALUE}",
        tuple(word for word in words if word),
        is_login if program in _LOGINS else is_argument,
        "options",
    )


# (words that begin the match, what stands between them and the password), without any option
_PLAIN = (
    ("net use", r"r?[ ](?:[^\n]{0,120}?/user:)?\S{1,60}[ ]"),
    ("kinit ", r"[^\n]{1,120}<<<[ ]?"),
    ("chpasswd ", r"[^\n]{0,40}<<<[ ]?[\"']?[\w.-]{1,40}:"),
    ("sudo ", r"[^\n]{0,20}-s\b[^\n]{0,120}<<<[ ]?"),
    ("secret", r"[a-z-]{0,20}[ ][^\n]{0,160}?[ ]--(?:value|secret-string|body)[ =]"),
    ("snmp-server community ", ""),
    ("requirepass ", ""),
    ("masterauth ", ""),
    ("impdp ", r"[\"']?[\w$]{1,40}/"),
    ("expdp ", r"[\"']?[\w$]{1,40}/"),
    ("stats auth ", r"\S{1,60}:"),
    ("config set ", r"(?:--\S{1,20}[ ])?\S{1,80}[ ]\S{1,40}:"),
    ("genkey", r"[^\n]{0,60}\n"),
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
        SecretRule(  # whatever the program: who logs in, then with what
            "password",
            rf"[ ]{user}[ =]?\S{{1,80}}[ ](?:[^\n|;]{{0,80}}?[ ])?-(?:p|P|w)[ ]{_VALUE}",
            (f" {user}",),
            is_argument,
            "options",
        )
        for user in ("-u", "-U", "-D", "--user", "--username")
    ),
    SecretRule(  # a data source in pairs: host=db user=app password=…
        "password",
        r"(?:host|server|data source|driver|database|dbname|user|user id|uid|port)=[^\n]{0,200}?"
        rf"[;\s&?'\"](?:password|pwd)=\{{?{_VALUE}",
        ("password=", "pwd="),
        is_login,
        "folded",
        1,
    ),
    *(
        SecretRule("password", f"{words}{between}{_VALUE}", (words,), is_argument, "folded")
        for words, between in _PLAIN
    ),
    SecretRule(
        "password",
        r"(?<![^\s\"'`=,(\[])--?[a-z-]{0,24}(?:pass(?:word|wd|phrase)?|pwd|token|secret|api-?key|access-?key|auth-?key"
        rf"|private-?key|client-?secret|secret-?key)(?:[ =]|[ ]{{2,8}}){_VALUE}",
        ("pass", "pwd", "token", "secret", "key"),
        is_argument,
        "options",
    ),
    *(
        SecretRule(  # ENV and ARG of a Dockerfile, setx
            "password",
            rf"{word}[ \t]{{1,4}}[a-z0-9_]{{0,40}}(?:pass(?:word|wd)?|pwd|token|secret|key|auth)"
            rf"[a-z0-9_]{{0,20}}[ \t]{{1,4}}{_VALUE}",
            (f"{word} ",),
            is_bare_argument,
            "folded",
        )
        for word in ("env", "arg", "set", "setx")
    ),
    *(
        SecretRule(  # SQL
            "password",
            rf"{words}[ ]?(?:=[ ]?)?(?:password)?\(?[ ]?n?['\"](?P<secret>[^'\"\n]{{4,200}}+)['\"]",
            (words.partition("(")[0].partition("[")[0],),
            is_argument,
            "folded",
        )
        for words in (
            r"identified[ ](?:with[ ]\S{1,40}[ ])?(?:by|as)",
            r"password(?:[ ]for[ ][^=\n]{1,80}=)?",
        )
    ),
    SecretRule(  # echo … | program --password-stdin; by the words behind it, which are rarer
        "password",
        r"(?=[ep])(?<![A-Za-z0-9])(?:echo|printf)[^\n|;]{0,160}?[ ](?:-n[ ])?(?=[^\n]{4,200}"
        r"(?:--(?:password-stdin|passphrase-fd|stdin)|\|[ ]?sudo[ ](?:-\S{1,40}[ ]){0,4}-\w*S))"
        rf"{_VALUE}",
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
            rf"{name}[a-z_]{{0,20}}\((?:[^,()\n]{{1,80}},\s?){{1,2}}['\"](?P<secret>[^'\"\n]{{6,80}}+)['\"]",
            (name,),
            is_given,
            "folded",
            3,
        )
        for name in (
            *("login", "auth", "connect", "credential", "sign_in", "signin", "account", "pdo"),
            *("create_user", "createuser", "auth="),
        )
    ),
    SecretRule(  # of a secret of Kubernetes
        "password",
        rf"--from-literal[= ][\"']?[\w.-]{{1,80}}={_VALUE}",
        ("--from-literal",),
        lambda lead, value: is_argument(lead, value) and is_made(value, 0.25, 8),
        "lines",
    ),
    SecretRule(  # what a script of expect answers
        "password",
        rf"ssword:[ ]?[\"'}};{{]{{0,4}}(?:{NEXT}|[ ]{{0,4}})(?:exp_)?send[a-z_]{{0,6}}[ ](?:--[ ])?"
        r"[\"{](?P<secret>[^\s\"}\\]{6,100}+)",
        ("ssword:",),
        is_argument,
        "folded",
    ),
    SecretRule(  # as a client of Redis and SMTP sends it
        "password",
        r"[>$)][ ]AUTH[ ](?:\S{1,40}[ ])?(?P<secret>[^\s\"']{6,200}+)",
        (" AUTH ",),
        is_argument,
        "lines",
    ),
    SecretRule(  # sasl_passwd of Postfix
        "password",
        r"\]:(?:25|465|587)[ \t]{1,8}[^\s:]{1,80}:(?P<secret>[^\s:]{6,200}+)",
        ("]:25", "]:465", "]:587"),
        is_argument,
        "lines",
    ),
    SecretRule(  # of a login of Windows, as its dumps have it
        "password-hash",
        r":\d{1,8}:[0-9a-fA-F]{32}:(?P<secret>[0-9a-fA-F]{32}):::",
        (":::",),
        None,
        "lines",
    ),
    SecretRule(  # what the picture of a wireless network says
        "password",
        r"wifi:[^\n]{0,120}?;?p:(?P<secret>[^;\n]{6,64}+);",
        ("wifi:",),
        is_argument,
        "folded",
    ),
    SecretRule(  # of a form
        "password",
        rf"form-data; name=\"?[\w-]{{0,40}}(?:pass|pwd|secret|token|key)[\w-]{{0,20}}\"?"
        rf"(?:\r?\n){{2}}{_VALUE}",
        ("form-data; name=",),
        is_argument,
        "folded",
        4,
    ),
    SecretRule(  # of an account for mail or files, as it goes over the wire
        "password",
        r"(?m:^[<>CS: ]{0,4}PASS[ ](?P<secret>[^\s]{6,120}+)$)",
        ("PASS ",),
        lambda lead, value: is_argument(lead, value) or is_hand_made(value),
        "lines",
    ),
    SecretRule(  # what stands beside the id of an access key
        "aws-secret-access-key",
        r"(?:AKIA|ASIA)[A-Z0-9]{16}[\"']?[\s,;:|]{1,8}[\"']?(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        ("AKIA", "ASIA"),
        lambda lead, value: is_made(value, 0.3, 40),
        "lines",
        3,
    ),
    SecretRule(
        "password",
        r"(?:securestring[ ]?|pass:)[\"']?(?P<secret>[^\s\"']{6,200}+)",
        ("securestring", "pass:"),
        is_argument,
        "folded",
    ),
)
