"""Secrets that a place gives away: a header, a data source, a client of a database, a sentence; and
tokens by the prefix their providers gave them. Beside each, what looks so and is none."""

from __future__ import annotations

import string
from random import Random

from loom.redact import Redactor
from tests.kit.cases import all_cases

REDACT = Redactor()
KEYS = (
    "mkLCNPloWRlOTcEokd5ihu9lEmJcADwyQNeLnpT5",
    "b0bc8d3b1939a9b4ddbe45cf642b0c3a",
    "iUK8iO5YAgkBxjd2AsjD7N2k",
)
PASSWORDS = ("Tr0ub4dor&3x", "k9Qz-71xPw", "hX7f2Lq9Wz", "G4rden-Lamp-77", "Zq83hfkd02mn")
WORDS = ("Sommer2024", "blueberry7", "swordfish42", "Winter2025!")  # with digits, no more

HEADERS = (
    "authorization: @@",
    "Authorization: @@\r\nAccept: */*",
    "Authorization:@@",
    'curl -H "authorization: @@" https://api.example.org/v1',
    "curl -s -H 'Authorization: @@' https://api.example.org/v1",
    "wget --header='Authorization: @@' https://api.example.org",
    "> proxy-authorization: @@",
    '{"headers": {"authorization": "@@"}}',
    "headers = {'Authorization': '@@'}",
)
ADDRESSES = (
    *(
        f"{scheme}://app:@@@db.internal:5432/prod"
        for scheme in ("postgres", "mysql+pymysql", "mongodb+srv", "amqp", "mssql", "rediss")
    ),
    "redis://:@@@cache:6379/0",
    "app:@@@tcp(db.internal:3306)/shop",
    'db, err := sql.Open("mysql", "app:@@@unix(/tmp/mysql.sock)/shop")',
)
SOURCES = (
    "jdbc:postgresql://db/prod?user=app&password=@@",
    "jdbc:sqlserver://db:1433;databaseName=x;user=sa;password=@@;encrypt=true",
    "Server=db;Database=x;User Id=sa;Password=@@;",
    "Driver={ODBC Driver 18};Server=db;UID=sa;PWD=@@",
    "host=db port=5432 user=app password=@@ dbname=x",
    'psql "host=db user=app password=@@"',
)
CLIENTS = (
    "mysql -u root -p'@@' shop",
    "mycli --password=@@ shop",
    "mongosh -u app -p '@@'",
    "redis-cli -h cache -a '@@' ping",
    "sqlcmd -S db -U sa -P '@@' -Q 'select 1'",
    "cqlsh -u cassandra -p @@",
)
OTHERS = (  # whoever logs in with a name, then a password
    "couchbase-cli bucket-list -u admin -p @@",
    "ldapsearch -D cn=admin -w @@ -b dc=x",
    "sometool --user eve -p @@ run",
)
SENTENCES = (
    "The password was changed to @@.",
    "The root password has been reset to @@",
    "the db password (staging) became @@",
    "my password's @@",
    "password → @@",
    "I rotated the secret, it is @@ now",
    "The password must be changed from @@ before Friday",
)
SAID = [
    (place, secret)
    for places, secrets in (
        (HEADERS, KEYS),
        (ADDRESSES, (*PASSWORDS, *WORDS)),
        (SOURCES, PASSWORDS),
        (CLIENTS, PASSWORDS),
        (OTHERS, PASSWORDS),
        (SENTENCES, PASSWORDS),
    )
    for place in places
    for secret in secrets
]

# (prefix, length, letters) of keys, November 2026.
A, H = string.ascii_letters + string.digits, "0123456789abcdef"
W = f"{A}_-"
TOKENS = (
    *(("sk-ant-api03-", 95, W), ("sk-ant-oat01-", 95, W), ("sk-proj-", 156, W)),
    *(("sk-svcacct-", 156, W), ("sk-or-v1-", 64, H), ("AIza", 35, W), ("AQ.Ab8RN6", 45, W)),
    *(("ghp_", 36, A), ("github_pat_11ABC_", 59, A), ("ghs_123456_eyJ", 500, W), ("glpat-", 20, W)),
    *(("xoxb-123456789012-", 36, A), ("sk_live_", 99, A), ("rk_live_", 24, A), ("hf_", 34, A)),
    *(("npm_", 36, A), ("pypi-AgEIcHlwaS5vcmc", 150, W), ("dop_v1_", 64, H), ("gsk_", 52, A)),
    *(("xai-", 80, A), ("r8_", 37, A), ("pplx-", 48, A), ("dapi", 32, H), ("sbp_", 40, H)),
    *(("sbp_oauth_", 40, H), ("sb_secret_", 31, W), ("vcp_", 56, A), ("fo1_", 43, W)),
    *(("tvly-dev-", 32, A), ("ntn_", 46, A), ("lin_api_", 40, A), ("figd_", 40, W)),
    *(
        ("shpat_", 32, H),
        ("7312345678:AA", 33, W),
        ("cfut_", 48, A),
        ("cfk_", 48, A),
        ("fc-", 32, H),
    ),
)

DECOYS = (
    "authorization: required",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "headers = {'Authorization': settings.api_key_v2}",
    "const authorization: AuthorizationHeaderV2 = build()",
    "Authorization: AWS4-HMAC-SHA256",
    "authorization: app.middlewares.auth2.check_scope",
    "host=db port=5432 user=app password=$PGPASSWORD dbname=x",
    "Server=db;User Id=sa;Password=<password>;",
    "jdbc:postgresql://db/prod?user=app&password={password}",
    "mysql -u root -p'$MYSQL_PWD' shop",
    "redis-cli -h cache -p 6379 ping",
    "docker run -u 1000 -p 8080:80 nginx:1.25",
    "pytest -p no:cacheprovider -u x",
    "The password was changed yesterday.",
    "The password policy of 2024 was replaced in PR-1234",
    "The password column was changed to varchar(255)",
    "password hashing was changed to argon2id",
    "token usage: 1234 in, 56 out",
    "the key is in us-east-1",
    "The layer applies the 120s/30s policy to each token it holds",
    "The token was introduced in commit 3f2a9c1e77b4d0a9e528c1f0a6b3d2149f0e1a2b",
    "msg_01XFDUDYJgAACzvnptvVoYEL",
    "call_DdmO9pD3xa9XTPNJ32zg2hcA",
    "sk-ant-api03-your-key-here",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "hf_transformers_integration_helper",
    "fc-cache -fv ~/.fonts",
    "AQ.AbstractQueryBuilder.build",
    "gsk_widget_render_node_with_snapshot",
)


@all_cases(("place", "secret"), SAID)
def test_a_place_gives_it_away(place: str, secret: str) -> None:
    """Nothing of the secret is left, and all that is around it."""
    before, _, after = place.partition("@@")
    clean = REDACT(place.replace("@@", secret))
    assert secret not in clean
    assert clean.startswith(before)
    assert clean.endswith(after.lstrip("."))


@all_cases(("prefix", "size", "letters"), TOKENS)
@all_cases("seed", range(3))
def test_a_prefix_gives_it_away(prefix: str, size: int, letters: str, seed: int) -> None:
    """In a sentence, in code, at the end of a line."""
    key = prefix + "".join(Random(f"{prefix}{seed}").choices(letters.rstrip("-_"), k=size))
    for text in ("use {} for it", "The new one: `{}`.", "{}\n", "call('{}', 2)"):
        clean = REDACT(text.format(key))
        assert key[len(prefix) + 4 :] not in clean, text
        assert "[redacted:" in clean


@all_cases("text", DECOYS)
def test_what_looks_so(text: str) -> None:
    """Prose, code, ids, hashes, placeholders stay as they are."""
    assert REDACT(text) == text
